# The same run as a whole and in four shards.
set -e
play() {
    tetrastat simulate --board 10x10 --games 6 --max-pieces 2000 --seed 5 --placements csv.gz --candidates --every 40 "$@" > out.txt
}
play --out whole
for part in 1 2 3 4; do
    play --shard $part/4 --out part$part --threads 2
done
play --shard 2/4 --out part2
play --shard 3/4 --out part2
