d=$(mktemp -d)
touch "$d/a" "$d/b"
test "$(sh "$1/src/count.sh" "$d")" = 2
