# Plays the games of the page on causes of death: `what-kills.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["bcts", "lee"]
board = "10x10"
games = 600
max_pieces = "none"
placements = "csv"
columns = "piece,heights,holes,rows_with_holes,row_transitions,wells,well_depth"
every = 20
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
