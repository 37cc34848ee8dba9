# A scripted agent: it knows how each task is solved. Arguments: the task, the file with the prompt, how to commit.
set -eu
case $1 in
off-by-one) sed -i 's/n - 1/n/' src/count.sh ;;
rename) mv src/count.sh src/tally.sh && git add -A ;;
esac
$3 done
