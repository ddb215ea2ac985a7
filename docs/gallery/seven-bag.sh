# Estimates the mean lines of the presets under the 7-bag for the page on the 7-bag: `seven-bag.sh FOLDER SEED`.
set -euo pipefail
presets=$("$TETRASTAT" show controllers | awk '$2 == "classic" { printf "%s\"%s\"", (n++ ? ", " : ""), $1 }')
cat > "$1/study.toml" <<END
controllers = [$presets]
board = "10x20"
queue = "bag"
seed = $2
method = "estimate"
until_halfwidth = "15%"
budget = 40000000
pieces = 20000
burn_in = 2000
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
