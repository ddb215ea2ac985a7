# A data set from a file that sed changes.
sed "$2" $1.toml > m.toml
cmp -s $1.toml m.toml && echo "no change"
tetrastat data set m.toml --out out
