NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
NR == 1 || $column["game"] <= 1 && $column["holes"] > 0 && $column["piece"] != "O" {
    print $column["piece_no"] "," $column["game"] "," $column["holes"]
}
