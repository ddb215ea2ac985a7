# Every selection of rows is the part of the whole log that awk selects.
set -e
play() {
    out=$1
    shift
    tetrastat simulate --board 10x10 --games 6 --max-pieces 2000 --seed 3 --placements csv --out $out "$@" > out.txt
}
play all
play window --from 10 --to 20
play last --only-last 7
play hundreds --every 100
play some --sample-games 0.5
awk -F, 'NR == 1 || $2 >= 10 && $2 <= 20' all/placements.csv | cmp - window/placements.csv
awk -F, 'NR == FNR { last[$1] = $2; next } FNR == 1 || $2 + 7 > last[$1]' all/placements.csv all/placements.csv |
    cmp - last/placements.csv
awk -F, 'NR == 1 || $2 % 100 == 0' all/placements.csv | cmp - hundreds/placements.csv
awk -F, 'NR == FNR { kept[$1]; next } $1 in kept' some/placements.csv all/placements.csv | cmp - some/placements.csv
for run in all window last hundreds some; do
    echo "$run: $(cut -d, -f1 $run/placements.csv | uniq -c | xargs)"
done
