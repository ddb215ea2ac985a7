# Completes the last of the words in bash: bash --norc complete.sh WORD...
source <(tetrastat completions bash)
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_clap_complete_tetrastat tetrastat "${!#}" "${@:$COMP_CWORD:1}"
echo "${COMPREPLY[@]}"
