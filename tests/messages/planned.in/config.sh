# Prints the configuration in the run.json of a folder as --dry-run prints it: sh config.sh DIR
sed -n '/^  "config": {/,/^  }/p' "$1/run.json" | sed '1s/.*/{/; s/^  //; $s/,$//'
