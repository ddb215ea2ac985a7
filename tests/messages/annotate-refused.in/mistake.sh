# The table human.csv with a change by sed.
sed "$1" human.csv > mine.csv
cmp -s human.csv mine.csv && echo "no change"
tetrastat annotate mine.csv --out never.csv
