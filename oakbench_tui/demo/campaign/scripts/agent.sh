# A scripted agent. It does real work in a real repository, and nothing that it does says anything about agents.
#   agent.sh TEMPER TASK TRIAL_ID USAGE_FILE ADD MOVE COMMIT TAG
set -eu
temper=$1 task=$2 trial=$3 usage=$4 add=$5 move=$6 commit=$7 tag=$8
calls=0

say() { printf '%s\n' "$*"; }
vcs() { say "+ $*"; calls=$((calls + 1)); "$@"; }
commit_all() { vcs $add; vcs $commit "$1"; }
replace() { sed "s|$2|$3|" "$1" > "$1.new" && cat "$1.new" > "$1" && rm "$1.new"; say "edited $1"; }

# A number from 0 to 99 that follows from the trial's ID alone, so that a campaign can be compared with its next run.
draw=$(printf '%s' "$trial" | cksum | cut -d' ' -f1)
draw=$((draw % 100))
sleep "0.$((5 + draw % 5))"
say "task: $task"

if [ "$temper" = stuck ]; then
  say "waiting for a lock that nobody will let go"
  sleep 600
fi
forgets=no
if [ "$temper" = forgetful ] && [ "$draw" -lt 22 ]; then forgets=yes; fi

case $task in
  page-count) replace src/pages.py 'total // size' '-(-total // size)' ;;
  empty-cart) replace src/cart.py 'for price in prices' 'for price in prices or ()' ;;
  rename-greet)
    vcs $move src/hello.py src/greeting.py
    replace src/greeting.py 'def hello' 'def greet' ;;
  two-fixes)
    replace src/shapes.py 'width + height  # area' 'width * height  # area'
    commit_all 'Multiply for the area'
    replace src/shapes.py 'width \* height  # rim' '2 * (width + height)  # rim' ;;
  bump-version)
    say 1.1.0 > VERSION
    commit_all 'Release 1.1.0' ;;
  split-module)
    sed -n '/^def slug/,$p' src/site.py > src/text.py
    sed '/^def slug/,$d' src/site.py > src/site.new && mv src/site.new src/site.py
    { say 'from src.text import slug'; say; cat src/site.py; } > src/site.new && mv src/site.new src/site.py ;;
esac

if [ "$forgets" = yes ]; then
  say "done, I think"
elif [ "$task" = bump-version ]; then
  vcs $tag v1.1.0
else
  commit_all "Do $task"
fi
# What a script can count is its own commands; it has no tokens and costs nothing, so it says nothing of them. One that
# forgets a step forgets this one too: its calls are unmeasured.
if [ "$forgets" = no ]; then printf '{"tool_calls": %d, "turns": 1}\n' "$calls" > "$usage"; fi
