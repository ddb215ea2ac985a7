# Plays a classic run: sh classic.sh DIR OPTION...
out=$1
shift
tetrastat simulate --board 6x8 --games 40 --max-pieces 300 --seed 5 --sample 0 --placements csv.gz --out $out "$@" > /dev/null
