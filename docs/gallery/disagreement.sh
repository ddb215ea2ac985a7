# Plays the games of the page on disagreements: `disagreement.sh FOLDER SEED`.
# bcts and lee play on after every candidate. Of the other controllers only the choices are needed, so their games end at once.
set -euo pipefail
"$TETRASTAT" simulate --controller bcts --board 10x8 --games 120 --max-pieces none --placements csv --columns piece,board \
    --seed "$2" --out "$1/games" > "$1/games.txt"
for controller in bcts lee dellacherie dt20 el-tetris; do
    case $controller in
    bcts | lee) length="--replicates 50 --horizon 100" ;;
    *) length="--replicates 2 --horizon 1" ;;
    esac
    "$TETRASTAT" label --from "$1/games" --every 125 --regret $length --controller "$controller" --seed "$2" \
        --out "$1/$controller" > "$1/$controller.txt"
done
