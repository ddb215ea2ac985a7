# Reads, converts and compares a run of version 0.2 of classic or guideline games: sh read.sh NAME
tetrastat data verify old/$1
tetrastat watch --replay old/$1 --from 3 --text > watched
grep -m 1 "piece 3 " watched
tetrastat view old/$1 --out $1.html > /dev/null
grep -o "next_1" $1.html | sort -u
grep -o "x_left" $1.html | sort -u
for format in csv parquet; do
    tetrastat data convert old/$1 $1-$format --format $format > /dev/null
    tetrastat data verify $1-$format > /dev/null || echo "$format is not as described"
    tetrastat watch --replay $1-$format --from 3 --text | cmp watched -
done
# Only headers differ: the cells are those of version 0.2.
for table in games placements; do
    sed 1d old/$1/$table.csv > cells
    sed 1d $1-csv/$table.csv | cmp cells -
    head -1 $1-csv/$table.csv
done
