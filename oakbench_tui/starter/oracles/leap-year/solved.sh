# Say whether a year is a leap year: sh leap.sh YEAR
if [ $(($1 % 400)) -eq 0 ]; then
  echo yes
elif [ $(($1 % 100)) -eq 0 ]; then
  echo no
elif [ $(($1 % 4)) -eq 0 ]; then
  echo yes
else
  echo no
fi
