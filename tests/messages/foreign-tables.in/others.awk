# A log as pandas, polars, DuckDB, R and Excel write it: a byte-order mark, row numbers, CRLF, quoted texts, decimals.
BEGIN { FS = ","; printf "\357\273\277" }
NR == 1 { split($0, names); printf "\"\",%s\r\n", $0; next }
{
    printf "\"%d\"", NR - 1
    for (i = 1; i <= NF; i++) {
        cell = $i
        if (cell == "NA") cell = ""
        else if (cell == "TRUE") cell = "True"
        else if (cell == "FALSE") cell = "false"
        else if (cell == "I" || cell == "T") cell = "\"" cell "\""
        else if (names[i] != "board" && names[i] != "cleared_rows" && cell ~ /^-?[0-9]+$/) cell = cell ".0"
        printf ",%s", cell
    }
    printf "\r\n"
}
