#!/usr/bin/env bash
# Measures of words and shape, printed as a Markdown table: documentation, comments, examples, names, lengths.
# `docs/measures.sh` measures this checkout, `docs/measures.sh FOLDER` another (of any Rust project with a `src`).
# No gate: a limit on lengths makes thin files, and a limit on documentation makes padding.
#
# Code is every line that is neither blank nor a comment, outside of `tests/` folders, `tests.rs` files and `mod tests` blocks.
# A why-comment is a line comment that gives a reason: it has one of the words in `reason`.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

sources() {
    find "$@" -name '*.rs' -not -path '*/tests/*' -not -path '*/target/*' -not -name 'tests.rs' -not -name '*_tests.rs'
}

# Prints "doc code comment why example" of the files given.
count() {
    # shellcheck disable=SC2046 # names of source files have no spaces
    awk '
        BEGIN { reason = "because|since |so that|otherwise|instead of|would |cannot|lest|must not|too |without th|costs? |saves? |worth|faster|slower|cheaper|dearer" }
        FNR == 1 { tests = 0; fence = 0 }
        /^#\[cfg\((all\()?test/ { tests = 1 }
        tests { next }
        /^[ \t]*$/ { next }
        /^[ \t]*\/\/[\/!]/ {
            doc++
            if ($0 ~ /```/) {
                if (!fence && $0 !~ /```(text|toml|sh|ignore|csv|json|console)/) examples++
                fence = !fence
            }
            next
        }
        /^[ \t]*\/\// { comment++; if (tolower($0) ~ reason) why++; next }
        { code++ }
        END { print doc + 0, code + 0, comment + 0, why + 0, examples + 0 }
    ' $(sources "$@") /dev/null
}

row() {
    count "${@:2}" | awk -v name="$1" '$2 {
        printf "| %s | %d | %.0f | %.1f | %.1f | %d |\n", name, $2, 100 * $1 / $2, 100 * $3 / $2, 100 * $4 / $2, $5 }'
}

quantiles() {
    sort -n | awk -v what="$1" '{ v[NR] = $1 }
        END { if (NR) printf "%s: %d, median %d, 90th percentile %d, longest %d lines\n", what, NR, v[int((NR + 1) / 2)], v[int((9 * NR + 9) / 10)], v[NR] }'
}

# Lines of each function: rustfmt puts its closing brace below the column where it begins.
functions() {
    # shellcheck disable=SC2046
    awk '
        FNR == 1 { depth = 0 }
        /^ *(pub(\([a-z]+\))? )?(const )?(async )?(unsafe )?(extern "C" )?fn / {
            match($0, /^ */); depth++; indent[depth] = RLENGTH; first[depth] = FNR
            if ($0 ~ /[;}]$/) { if ($0 ~ /}$/) print 1; depth-- }
            next
        }
        depth && /^ *[};]/ {
            match($0, /^ */)
            if (RLENGTH == indent[depth] && $0 ~ /^ *}/) { print FNR - first[depth] + 1; depth-- }
        }
        depth && /;$/ && FNR < first[depth] + 9 {
            match($0, /^ */)
            if (RLENGTH == indent[depth]) depth--
        }
    ' $(sources src)
}

# Type names that stand for two things: defined `pub` in two rooms (of any room's types, in two files).
names() {
    # shellcheck disable=SC2046
    awk '
        FNR == 1 { tests = 0 }
        /^#\[cfg\((all\()?test/ { tests = 1 }
        tests { next }
        match($0, /^ *pub (struct|enum|trait|type|union) [A-Za-z0-9]+/) {
            n = split(substr($0, RSTART, RLENGTH), word, " ")
            file = FILENAME; sub(/^src\//, "", file); sub(/(\/mod)?\.rs$/, "", file)
            all[word[n]]++
            where[word[n]] = where[word[n]] " " file
        }
        END {
            for (name in all) { types++; if (all[name] > 1) { twice++; list = list sprintf("  %s:%s\n", name, where[name]) } }
            printf "Public type names: %d, of which with two definitions: %d\n", types, twice
            printf "%s", list | "sort"
        }
    ' $(sources src)
}

words=$(wc -w <README.md) lines=$(wc -l <README.md)
echo "README: $words words, $lines lines"
echo
echo "| room | lines of code | doc lines per 100 | comments per 100 | of them why | examples |"
echo "|---|---|---|---|---|---|"
row "**all**" src
for crate in src/core src/runs src/studies; do
    [ -d "$crate" ] || continue
    row "**${crate#src/}**" "$crate"
    [ "$crate" = src/core ] && row "core, public path" $(find src/core -mindepth 1 -maxdepth 1 \
        -not -name kernels -not -name simd -not -name tests -not -name examples)
    # A room is a file, a folder, or both under one name.
    for room in $(find "$crate" -mindepth 1 -maxdepth 1 \( -type d -o -name '*.rs' \) | sed 's/\.rs$//' | sort -u); do
        case ${room##*/} in lib | build | tests | examples) continue ;; esac
        row "${room#src/}" $(ls -d "$room" "$room.rs" 2>/dev/null)
    done
done
for crate in src/cli terminal/src; do
    if [ -d "$crate" ]; then row "**${crate#src/}**" "$crate"; fi
done
echo
functions | quantiles "Functions"
# shellcheck disable=SC2046
wc -l $(sources src) | awk '$2 != "total" { print $1 }' | quantiles "Files"
names
