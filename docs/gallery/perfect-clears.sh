# Plays the games of the page on perfect clears: `perfect-clears.sh FOLDER SEED`.
set -euo pipefail
cat > "$1/seeker.toml" <<END
name = "seeker"
title = "Player that seeks perfect clears"
source = "docs/gallery/perfect-clears.sh; the weights of tetrastat-sprint, with perfect clears in place of the end of a Sprint"
measured = "after-clear"

[weights]
aggregate_height = -0.5
holes = -8.0
bumpiness = -1.0
row_transitions = -2.0
column_transitions = -2.0
rows_with_holes = -4.0
wells_by_height = -0.7
perfect_clear = 1000.0
perfect_chance = 1.0
END
rules=""
for previews in 6 5 4 3 2 1 0; do
    for hold in true false; do
        name=$([ "$hold" = true ] && echo hold || echo none)-$previews
        printf 'name = "%s"\nhold = %s\npreviews = %s\n' "$name" "$hold" "$previews" > "$1/$name.toml"
        rules+="\"$name.toml\", "
    done
done
cat > "$1/study.toml" <<END
controllers = ["seeker.toml", "tetrastat-blitz"]
rules = [${rules%, }]
mode = "endless"
pieces = 200
search = "beam"
beam_width = 16
beam_perfect_clears = 20000
games = 40
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
