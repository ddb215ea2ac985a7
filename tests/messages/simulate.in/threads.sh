set -e
for run in "1 7" "2 7" "2 8"; do
    set -- $1 $run
    tetrastat simulate --board 10x10 --games 6 --max-pieces 1000 --search $1 --threads $2 --seed $3 --placements csv --out $1-$2-$3 > out.txt
done
sums() { grep -E '^      "(rows|bytes|sha256)"' $1/run.json; }
[ "$(sums $1-1-7)" = "$(sums $1-2-7)" ]
for file in games.csv placements.csv; do
    cmp $1-1-7/$file $1-2-7/$file
    cmp -s $1-2-7/$file $1-2-8/$file || echo another seed: another $file
done
