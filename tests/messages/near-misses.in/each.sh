# Runs a command with each of the other arguments in turn behind it: sh each.sh COMMAND END...
# Each must be refused with code 2.
command=$1
shift
for end; do
    tetrastat $command $end
    [ $? = 2 ] || echo "not refused: $end"
done
