# Gives the content of the file `given` to each command: sh each.sh COMMAND...
# Each must end with code 2.
for command; do
    {
        tetrastat $command "$(cat given)"
        [ $? = 2 ] || echo "not refused: $command"
    } 2>&1 | cat -v
done
