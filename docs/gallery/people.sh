# Plays games in place of people, and compares their placements with a better player's: `people.sh FOLDER SEED`.
set -euo pipefail
for share in 0.02 0.1 0.3; do
    made="$1/misdrop-$share"
    [ -e "$made/placements.parquet" ] || "$TETRASTAT" simulate --rules tetrio-1 --mode blitz --pieces 200 --games 40 --seed "$2" \
        --controller tetrastat-blitz-greedy --policy "misdrop:$share" --placements parquet \
        --columns all,board_before,combo_before --out "$made" > /dev/null
    [ -e "$made.csv" ] || "$TETRASTAT" annotate "$made/placements.parquet" --rules tetrio-1 --controller tetrastat-blitz-triples \
        --search beam --beam-width 16 --columns minimal,rank,regret,max_height --out "$made.csv"
done
