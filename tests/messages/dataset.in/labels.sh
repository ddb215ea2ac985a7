# The labels of a condition are the results of label --regret from the same decisions.
set -e
simulate="--board 10x10 --games 3 --max-pieces 300 --sample 0 --placements csv --columns piece,lost,board_before"
label="--every 60 --regret --replicates 8 --max-replicates 20 --precision 0.05 --horizon 20 --controller dt20"
tetrastat simulate --controller $2 --queue $3 $simulate --out run-$1 > out.txt
tetrastat label --from run-$1 $label --seed 2 --out roll-$1 > out.txt
part=$(find labelled/labels -name part-000$1.parquet)
tetrastat data convert $part labels-$1.csv
cut -d, -f 4- labels-$1.csv | cmp - roll-$1/rollout_candidates.csv
cut -d, -f 1,2 labels-$1.csv | sort | uniq -c | xargs
