# Verifies a run with a table in a format that is sound, changed, cut short and lost, and with an unfinished file.
tetrastat simulate --board 10x10 --games 6 --max-pieces 500 --seed 5 --placements $1 --out $1 > out.txt
table=$1/placements.$1
cp $table whole
half=$(($(wc -c < whole) / 2))
tetrastat data verify $1
echo changed
printf '\377' | dd of=$table bs=1 seek=$half conv=notrunc 2> dd.txt
tetrastat data verify $1 || echo code $?
echo cut short
head -c -9 whole > $table
tetrastat data verify $1 || echo code $?
echo lost
rm $table
tetrastat data verify $1 || echo code $?
echo unfinished
cp whole $table
touch $1/games.csv.partial
tetrastat data verify $1 || echo code $?
