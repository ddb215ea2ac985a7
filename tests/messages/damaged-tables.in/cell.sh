# Puts a cell into the second row of candidates and converts the table: sh cell.sh COLUMN CELL
# `@` in the cell stands for a byte of value 0.
awk -F , -v OFS=, -v column="$1" -v cell="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) place = i }
    NR == 3 { $place = cell }
    NR < 5' run/candidates.csv | tr @ '\000' > candidates.csv
each 'data convert candidates.csv' c.parquet c.csv.zst 2>&1 | cat -v
