# The values after the board are the same for a picture and for hexadecimal rows, with empty rows above them or not.
set -e
for board in 10x20 10x12; do
    for table in two hex; do
        tetrastat annotate $table.csv --board $board --out $table-$board.csv
        cut -d, -f 2- $table-$board.csv > $table-$board.cut
    done
    cmp two-$board.cut hex-$board.cut
done
tetrastat annotate two.csv --out usual.csv
cmp usual.csv two-10x20.csv
cut -d, -f 1-10 usual.csv
