# Plays studies, each of which must be refused with code 2: sh play.sh STUDY...
for study; do
    echo "$study" | tr ';' '\n' > wrong.toml
    tetrastat study wrong.toml --out all
    [ $? = 2 ] || echo "not refused: $study"
done
