# Plays the games of the page on attack: `attack.sh FOLDER SEED`.
set -euo pipefail
rules=""
for previews in 6 5 4 3 2 1 0; do
    for hold in true false; do
        name=$([ "$hold" = true ] && echo hold || echo none)-$previews
        printf 'name = "%s"\npreset = "jstris"\nhold = %s\npreviews = %s\n' "$name" "$hold" "$previews" > "$1/$name.toml"
        rules+="\"$name.toml\", "
    done
done
cat > "$1/study.toml" <<END
controller = "tetrastat-attack"
rules = [${rules%, }]
mode = "blitz"
pieces = 50
search = "beam"
beam_perfect_clears = 20000
games = 200
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
