# Plays the games of the page on pieces and keys of a Sprint: `sprint-keys.sh FOLDER SEED`.
set -euo pipefail
{
    cat <<END
rules = "guideline"
mode = "sprint"
games = 100
placements = "none"
seed = $2
END
    for controller in tetrastat-sprint capstone-sprint; do
        for search in greedy beam; do
            for hold in true false; do
                for half_turns in false true; do
                    printf '[[condition]]\ncontroller = "%s"\nsearch = "%s"\n' "$controller" "$search"
                    [ "$search" = greedy ] || echo 'beam_width = 16'
                    [ "$hold" = true ] || echo 'no_hold = true'
                    [ "$half_turns" = false ] || echo 'half_turns = true'
                done
            done
        done
    done
    # More and less search, and soft drops, tucks and spins.
    for options in 'beam_width = 4' 'beam_width = 64' 'beam_width = 16 movement = "full"' \
        'beam_width = 16 movement = "full" finisher = 1000000 finish_futures = 64'; do
        for half_turns in false true; do
            printf '[[condition]]\ncontroller = "tetrastat-sprint"\nsearch = "beam"\nhalf_turns = %s\n' "$half_turns"
            echo "$options" | sed -E 's/ ([a-z_]+ =)/\n\1/g'
        done
    done
} > "$1/study.toml"
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
