BEGIN {
    printf "board_before,piece,orientation,column"
    for (k = 0; k < 100000; k++) printf ",c%d", k
    printf "\n000,T,0,0"
    for (k = 0; k < 100000; k++) printf ",1"
    print ""
}
