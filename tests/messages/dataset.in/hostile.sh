set -e
tetrastat data set hostile.toml --out hostile > out.txt
grep -F -x '# &lt;script>alert(1)&lt;/script>' hostile/README.md
grep -F -x '&lt;i>\u{1b}[31mred\u{202e}text\u{0}' hostile/README.md | tr '\\' '|'
grep -o 'Version .* of the data set' hostile/README.md
if LC_ALL=C grep "[[:cntrl:]]\|$(printf "\342\200\256")" hostile/README.md; then exit 1; fi
