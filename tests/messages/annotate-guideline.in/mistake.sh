# The table people.csv with a change by sed.
sed "$1" people.csv > mine.csv
cmp -s people.csv mine.csv && echo "no change"
tetrastat annotate mine.csv --rules guideline --out never.csv
