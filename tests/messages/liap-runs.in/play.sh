# Plays rounds of four declarers: sh play.sh DIR OPTION...
out=$1
shift
tetrastat simulate --rules liap --controller v1,v2,v2-late,v2-literal-singles --seed 7 --out $out "$@" > /dev/null
