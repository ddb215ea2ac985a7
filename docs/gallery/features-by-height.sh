# Plays the games of the page on features by height: `features-by-height.sh FOLDER SEED`.
# Writes a controller for each feature of bcts and each range of heights: its weight is 0 if the stack has such a height before the
# piece is placed. A weight NAME@H is the weight at H rows.
set -euo pipefail
ranges="0-3 4-5 6-10"
weights=$("$TETRASTAT" show controllers bcts | awk 'on {sub(":", "", $2); print $2 " = " $1} /weight +feature/ {on = 1}')
controllers='"bcts"'
while IFS=' =' read -r feature weight; do
    for range in $ranges; do
        low=${range%-*} high=${range#*-}
        file="$1/$feature-$range.toml"
        {
            echo "name = \"$feature $range\""
            echo 'measured = "after-clear"'
            echo "[weights]"
            grep -v "^$feature = " <<< "$weights"
            if [ "$low" = 0 ]; then
                echo "$feature = 0.0"
            else
                echo "$feature = $weight"
                echo "\"$feature@$((low - 1))\" = $weight"
                echo "\"$feature@$low\" = 0.0"
            fi
            echo "\"$feature@$high\" = 0.0"
            if [ "$high" -lt 10 ]; then echo "\"$feature@$((high + 1))\" = $weight"; fi
        } > "$file"
        controllers="$controllers, \"$(basename "$file")\""
    done
done <<< "$weights"
cat > "$1/study.toml" <<END
controllers = [$controllers]
board = "10x10"
games = 400
max_pieces = "none"
placements = "none"
seed = $2
END
"$TETRASTAT" study "$1/study.toml" --out "$1/study"
"$TETRASTAT" simulate --controller bcts --board 10x10 --games 50 --max-pieces none --placements csv --every 10 \
    --columns height_before --seed "$2" --out "$1/heights" > "$1/heights.txt"
