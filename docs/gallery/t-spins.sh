# Plays the games of the page on T-spins, from the top of the repository: `t-spins.sh FOLDER SEED`.
set -euo pipefail
# The weights of tetrastat-blitz without those of T-slots and T-spins.
sed -E 's/^name.*/name = "tetrises"/; /^(t_|mini_|wasted_t)/d' data/controllers/guideline/tetrastat-blitz.toml > "$1/tetrises.toml"
echo 'name = "all-moves"' > "$1/all-moves.toml"
echo 'name = "hard-drops"' > "$1/hard-drops.toml"
{
    cat <<END
mode = "blitz"
search = "beam"
games = 60
placements = "none"
seed = $2
END
    for width in 2 8 32; do
        for player in 'controller = "tetrastat-blitz" rules = "all-moves.toml"' 'controller = "tetrises.toml" rules = "all-moves.toml"' \
            'controller = "tetrises.toml" rules = "hard-drops.toml" movement = "hard-drop"'; do
            echo "[[condition]] beam_width = $width $player" | sed -E 's/ ([a-z_]+ =)/\n\1/g'
        done
    done
} > "$1/study.toml"
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
