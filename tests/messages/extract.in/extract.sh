# The same rows and columns of a table in each format.
set -e
what() { tetrastat data convert $1 $2 --columns piece_no,game,holes --where "game<=1 and holes>0 and piece!=O"; }
tetrastat data convert parquet/placements.parquet placements.csv.gz
what parquet/placements.parquet - > expected.csv
what placements.csv.gz - | cmp - expected.csv
what parquet/placements.parquet placements.csv
cmp placements.csv expected.csv
awk -F, -f expected.awk csv/placements.csv | cmp - expected.csv
head -3 expected.csv
