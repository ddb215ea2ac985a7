# Plays the games of the page on transfer: `transfer.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["bcts", "tetrastat-10x10", "rvce", "dt20", "dellacherie", "el-tetris", "lee", "guide-basic"]
boards = ["6x12", "8x12", "10x12", "10x9", "12x9"]
games = 300
max_pieces = "none"
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
