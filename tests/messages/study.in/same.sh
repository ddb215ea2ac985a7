# Compares two studies, apart from the times and the commands in their descriptions: sh same.sh DIR DIR
diff -r -x run.json -x datapackage.json $1 $2
for run in $1/*/run.json; do
    for study in $1 $2; do
        sed -n '/"status"/p; /"config"/,/^  }/p; /"files"/,/^  ]/p' $study/${run#$1/} > $study.run
    done
    diff $1.run $2.run
done
