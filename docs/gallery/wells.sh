# Plays the games of the page on wells: `wells.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["tetrastat-10x10", "bcts", "lee"]
board = "10x10"
games = 500
max_pieces = 20000
placements = "csv"
columns = "piece,heights,holes"
every = 20
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
"$TETRASTAT" simulate --rules guideline --mode blitz --controller tetrastat-blitz-greedy --games 600 --placements csv \
    --columns piece,heights,lines --seed "$2" --out "$1/blitz" > "$1/blitz.txt"
