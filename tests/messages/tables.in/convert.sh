# Plays a run as CSV and as Parquet, converts the first, and compares both folders.
set -e
name=$1
shift
for format in csv parquet; do
    tetrastat "$@" $format --threads 1 --out $name-$format > out.txt
done
tetrastat data convert $name-csv $name-converted --format parquet
facts() {
    sed -n -e '/^  "config": {/,/^  }/p' -e '/^  "files": \[/,/^  \]/p' $1/run.json
    grep -v '"created"' $1/datapackage.json
}
facts $name-converted > converted.txt
facts $name-parquet > played.txt
cmp converted.txt played.txt
grep -E '"rows": [0-9]' converted.txt
tetrastat data verify $name-converted
tetrastat data convert $name-csv $name-converted --format parquet
