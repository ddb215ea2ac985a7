# Plays the games of the page on piece generators: `queues.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["bcts", "dellacherie", "lee", "el-tetris"]
queues = [
    "uniform", "bag", "bag:2", "nes", "tgm1", "tgm2", "tgm3", "least-dealt",
    "weights:I=1+O=1+T=1+S=2+Z=2+J=1+L=1", "sz-random",
]
board = "10x9"
games = 200
max_pieces = "none"
placements = "none"
seed = $2
END
# Under these queues all games of a controller are the same, so each plays one.
cat > "$1/fixed.toml" <<END
controllers = ["bcts", "dellacherie", "lee", "el-tetris"]
queues = ["sz", "adversary"]
board = "10x9"
games = 1
max_pieces = "none"
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
"$TETRASTAT" study "$1/fixed.toml" --out "$1/fixed"
