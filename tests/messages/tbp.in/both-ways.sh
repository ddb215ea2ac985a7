# both-ways.sh CONTROLLER GAMES SEARCH LIMITS: plays the same games directly and through the protocol,
# compares games and placements without what a bot keeps to itself, and prints the number of placements.
# The bot needs the options LIMITS too, because the protocol lacks the goal of the games.
set -e
simulate="tetrastat simulate --rules guideline --force $2 $4"
$simulate $3 --threads 1 --controller $1 --out direct > direct.txt 2>&1
$simulate --threads 3 --controller "tbp:tetrastat tbp --controller $1 $3 $4" --out through > through.txt 2>&1
for run in direct through; do
    # Columns of a search, of the finisher and of the controller.
    for table in games placements; do
        awk -F, 'NR == 1 { split("planned candidates score rank2_score nodes", own, " ")
                for (i in own) for (j = 1; j <= NF; j++) if ($j == own[i]) out[j] = 1 }
            { line = ""; for (j = 1; j <= NF; j++) if (!(j in out)) line = line "," $j; print line }' \
            $run/$table.csv > $run-$table.csv
    done
done
case "$3" in *finisher*) ;; *) cmp direct/games.csv through/games.csv ;; esac
cmp direct-games.csv through-games.csv
cmp direct-placements.csv through-placements.csv
wc -l < through-placements.csv
