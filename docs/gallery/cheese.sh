# Plays the cheese races of the page on cheese rows: `cheese.sh FOLDER SEED`.
set -euo pipefail
study="$1/study.toml"
cat > "$study" <<END
rules = "guideline"
mode = "cheese"
cheese_rows = 100
search = "beam"
games = 40
placements = "none"
seed = $2

[[condition]]
controller = "tetrastat-sprint"
search = "greedy"

[[condition]]
controller = "tetrastat-blitz"
END
for previews in 6 5 4 3 2 1 0; do
    printf '\n[[condition]]\ncontroller = "tetrastat-sprint"\npreviews = %s\n' "$previews" >> "$study"
done
for messiness in 0 0.25 0.5 0.75 1; do
    printf '\n[[condition]]\ncontroller = "tetrastat-sprint"\ngarbage_messiness = %s\n' "$messiness" >> "$study"
done
"$TETRASTAT" study "$study" --out "$1/study"
