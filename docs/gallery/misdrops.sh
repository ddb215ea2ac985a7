# Plays the games of the page on misdrops: `misdrops.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/study.toml" <<END
controllers = ["bcts", "dellacherie", "lee", "guide-basic"]
policies = ["best", "misdrop:0.001", "misdrop:0.01", "misdrop:0.05"]
board = "10x12"
games = 600
max_pieces = 1000000
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
