rm -rf columns
tetrastat simulate --board 10x10 --games 1 --max-pieces 9 --placements csv --columns "$1" --out columns > out.txt
head -1 columns/placements.csv
