# Asks the program what may follow, as bash does: sh offer.sh LINE...
# A line that ends with a space asks for its next word.
for line; do
    set -- $line
    case $line in *' ') set -- "$@" '' ;; esac
    export TETRASTAT_COMPLETE=bash _CLAP_COMPLETE_INDEX=$# _CLAP_IFS='
'
    echo "$line:" $(tetrastat -- tetrastat "$@")
done
