# The same table as spreadsheets and editors save it.
table='board_before,piece,orientation,column,player\n000,T,0,0,M\303\274ller\n'
printf "$table" | tr , ';' > semicolons.csv
printf "$table" | tr , '\t' > tabs.csv
printf "sep=,\n$table" > sep.csv
{ printf '\377\376'; printf "$table" | iconv -f UTF-8 -t UTF-16LE; } > utf16.csv
printf "$table" | iconv -f UTF-8 -t LATIN1 > latin1.csv
printf "$table" | sed 's/player/Spieler für/' | iconv -f UTF-8 -t LATIN1 > latin1-header.csv
: > empty.csv
