set -e
for file in low.txt all.txt; do
    tetrastat show board --piece T --board-file $file > $file.features
    tetrastat show board --piece T --board 10x20 --board-file $file > $file.board
    tetrastat play --keys --piece T --moves --board-file $file > $file.step
    tetrastat simulate --games 2 --max-pieces 30 --controller lee --placements none --board-file $file --out $file-run > out.txt
done
for ending in .features .board .step -run/games.csv; do
    cmp low.txt$ending all.txt$ending
    grep -c "" low.txt$ending
done
