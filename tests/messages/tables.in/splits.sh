# Splits of thirty games with other controllers, queues and rules.
set -e
splits() {
    rm -rf splits
    tetrastat simulate --games 30 --seed 1 --placements csv --columns piece,split --out splits "$@" > out.txt
    cut -d, -f1,4 splits/placements.csv | uniq
}
splits --controller lee --max-pieces 20 > lee.txt
splits --controller bcts --queue bag --search next --max-pieces 9 | cmp - lee.txt
splits --rules guideline --sprint-lines 4 | cmp - lee.txt
cat lee.txt
