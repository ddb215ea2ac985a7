# Plays the games of the page on droughts: `droughts.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["bcts", "lee"]
queues = ["uniform", "nes", "bag"]
board = "10x8"
games = 1000
max_pieces = 3000
placements = "csv"
columns = "piece,pieces_since_i,holes,aggregate_height,bumpiness"
every = 10
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
