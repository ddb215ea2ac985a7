#!/usr/bin/env bash
# Regenerates the example runs in inst/extdata. Usage, in analysis/: data-raw/example_data.sh TETRASTAT
set -euo pipefail
# Called by its name, so that run.json records no path of this machine.
PATH=$(dirname "$(realpath "$1")"):$PATH
tetrastat=tetrastat
out=inst/extdata
rm -rf $out/{games,study,sprint,choices,training,rollout}
play="$tetrastat simulate --sample 0 --progress none --threads 2"
$play --controller lee --board 10x10 --games 200 --max-pieces none --every 10 --placements csv.gz --seed 1 \
    --columns minimal,heights,margin,holes,rows_with_holes,hole_depth,row_transitions,column_transitions,wells --out $out/games
cat >study.toml <<'TOML'
controllers = ["bcts"]
boards = ["8x10"]
searches = ["greedy", "next"]
seed = 7
games = 80
max_pieces = 20000
TOML
$tetrastat study study.toml --out $out/study --progress none
rm study.toml
mkdir $out/sprint
for controller in capstone-sprint capstone-blitz; do
    $tetrastat simulate --rules capstone --mode sprint --controller $controller --games 25 --seed 5 --placements csv.gz \
        --progress none --out $out/sprint/$controller
done
$play --controller bcts --board 10x10 --games 10 --max-pieces 3000 --placements csv.gz --every 100 --candidates --out $out/choices
$tetrastat train cem --features lee --board 8x8 --population 20 --generations 12 --games 4 --max-pieces 300 --check-every 3 \
    --check-games 20 --final-games 10 --held-out-games 60 --seed 1 --progress none --out $out/training
$play --controller lee --board 10x10 --games 40 --max-pieces none --seed 1 --placements csv --columns minimal,board --out rolled
$tetrastat label --from rolled --every 200 --replicates 50 --horizon 50 --regret --threads 2 --progress none --out $out/rollout
rm -r rolled
rm -f $out/*/checkpoint.json $out/*/*/checkpoint.json $out/training/controller.toml
