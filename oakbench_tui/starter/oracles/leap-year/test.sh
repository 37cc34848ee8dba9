# Stands in the workspace, when the agent has ended. Ends with 0 if every year is right.
failed=0
while read -r year expected; do
  found=$(sh leap.sh "$year")
  if [ "$found" != "$expected" ]; then
    echo "$year: expected $expected, found $found"
    failed=1
  fi
done <<'YEARS'
1600 yes
1900 no
1999 no
2000 yes
2024 yes
2100 no
YEARS
exit $failed
