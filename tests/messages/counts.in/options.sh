# Gives each option of a command a value that is no count: sh options.sh COMMAND OPTION...
command=$1
shift
for option; do
    each "$command" "--$option 1e3x"
done
