# A scripted agent: prompt file and usage file are its arguments. It mends the task, and says what it used.
echo "asked: $(cat "$1")"
cat > leap.sh <<'MENDED'
# Say whether a year is a leap year: sh leap.sh YEAR
case $(($1 % 400)) in
  0) echo yes ;;
  100 | 200 | 300) echo no ;;
  *) if [ $(($1 % 4)) -eq 0 ]; then echo yes; else echo no; fi ;;
esac
MENDED
echo '{"turns": 1}' > "$2"
