# Plays the games of the page on hold and previews: `hold-and-previews.sh FOLDER SEED`.
set -euo pipefail
rules=""
for previews in 6 5 4 3 2 1 0; do
    for hold in true false; do
        name=$([ "$hold" = true ] && echo hold || echo none)-$previews
        printf 'name = "%s"\nhold = %s\npreviews = %s\n' "$name" "$hold" "$previews" > "$1/$name.toml"
        rules+="\"$name.toml\", "
    done
done
cat > "$1/study.toml" <<END
rules = [${rules%, }]
modes = ["sprint", "blitz"]
search = "beam"
beam_width = 16
games = 60
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
