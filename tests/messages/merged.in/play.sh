# Plays a run or a shard of it: sh play.sh DIR OPTION...
out=$1
shift
tetrastat simulate --board 6x8 --games 30 --max-pieces 300 --seed 5 --out $out "$@" > /dev/null
