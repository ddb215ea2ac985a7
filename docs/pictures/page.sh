#!/usr/bin/env bash
# Draws docs/pictures/page-overview.png and page-replay.png: the page of a study, and a game of a run, placement by placement. Writes
# the headings of both into page.txt, which a browser test compares with those of today's page.
# `docs/pictures/page.sh FOLDER` draws every view into that folder besides, at 1280 and 390 pixels, light and dark.
set -euo pipefail
cd "$(dirname "$0")/../.."
tetrastat=${TETRASTAT:-$PWD/target/release/tetrastat}
pictures=$PWD/docs/pictures
every=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Writes shown.html: page $1 after the script $2. The page's own policy allows no other script, so it is removed.
prepare() {
    local page=$1 act=$2
    sed -e '/<\/body>/,$d' -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$page" > shown.html
    cat >> shown.html << HTML
<script>(async () => {
    while (!globalThis.tetrastatPage) await new Promise((go) => setTimeout(go, 5));
    const label = (words) => document.querySelector(\`[aria-label="\${words}"]\`);
    const { show } = tetrastatPage;
    $act
})();</script></body></html>
HTML
}

# A view of a page: name, page, what is done on it, width, height, 1 for light or 0 for dark.
shoot() {
    local out=$1 size=$4,$5 light=$6
    prepare "$2" "$3"
    timeout 60 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --blink-settings=preferredColorScheme="$light" --window-size="$size" --virtual-time-budget=10000 \
        --screenshot="$out" "file://$work/shown.html" 2> /dev/null
}

cat > study.toml << 'TOML'
controllers = ["bcts", "dt20", "dellacherie", "el-tetris"]
board = "10x10"
games = 200
max_pieces = "none"
placements = "none"
TOML
"$tetrastat" study study.toml --out controllers > said
"$tetrastat" simulate --board 10x20 --controller dellacherie --games 3 --max-pieces 3000 --placements csv --out run > said
"$tetrastat" view controllers > said
"$tetrastat" view run > said

replay='show("Replay"); for (let k = 0; k < 418; k += 1) label("next placement").click();'
shoot "$pictures/page-overview.png" controllers.html "" 1280 1100 1
shoot "$pictures/page-replay.png" run.html "$replay" 1280 880 1

# The headings of a view: page, what is done on it.
headings() {
    prepare "$1" "$2; const told = document.createElement('pre'); told.id = 'told'; $(cat "$pictures/headings.js")
        told.textContent = headings().join('\\n'); document.body.append(told);"
    timeout 60 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=10000 \
        --dump-dom "file://$work/shown.html" 2> /dev/null | sed -n '/<pre id="told">/,/<\/pre>/p' |
        sed -e 's/.*<pre id="told">//' -e 's/<\/pre>.*//'
}
{ headings controllers.html ""; echo; headings run.html "$replay"; } > "$pictures/page.txt"
if [ -n "$every" ]; then
    mkdir -p "$every"
    "$tetrastat" train cem --features bcts --board 10x10 --generations 20 --population 40 --games 3 --max-pieces 300 \
        --population-log --out training > said
    "$tetrastat" simulate --rules guideline --mode sprint --games 3 --placements csv --out sprint > said
    "$tetrastat" estimate --board 8x8 --budget 3000000 --out estimate > said
    for folder in training sprint estimate; do
        "$tetrastat" view "$folder" > said
    done
    for width in 1280 390; do
        for light in 1 0; do
            tag=$width-$([ "$light" = 1 ] && echo light || echo dark)
            shoot "$every/study-$tag.png" controllers.html "" "$width" 2600 "$light"
            shoot "$every/run-$tag.png" run.html "" "$width" 1800 "$light"
            shoot "$every/replay-$tag.png" run.html "$replay" "$width" 1800 "$light"
            shoot "$every/sprint-$tag.png" sprint.html "${replay/418/60}" "$width" 1800 "$light"
            shoot "$every/tables-$tag.png" run.html 'show("Placements");' "$width" 1800 "$light"
            shoot "$every/live-$tag.png" run.html 'show("Live");' "$width" 1600 "$light"
            shoot "$every/live-sprint-$tag.png" sprint.html 'show("Live");' "$width" 1600 "$light"
            shoot "$every/training-$tag.png" training.html "" "$width" 2000 "$light"
            shoot "$every/estimate-$tag.png" estimate.html "" "$width" 2000 "$light"
        done
    done
fi
