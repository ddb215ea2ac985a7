#!/usr/bin/env bash
# What pages cost, printed as a Markdown table: seconds of a core for `tetrastat view`, bytes, and milliseconds in
# headless Chromium to the first paint and until every script has run, each the least of three.
# `docs/page-measures.sh FOLDER` plays what it draws into that folder, and keeps it; else into a temporary one of 1.2 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
tetrastat=${TETRASTAT:-$PWD/target/release/tetrastat}
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    work=$(cd "$1" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
cd "$work"
export TETRASTAT_PROGRESS=none

# The least of three calls, in seconds of a core: what else the machine does matters little.
seconds() {
    local TIMEFORMAT='%U %S'
    for _ in 1 2 3; do
        { time "$@" > said; } 2>&1 | awk '{ printf "%.2f\n", $1 + $2 }'
    done | sort -n | head -1
}

# Milliseconds of the first paint and of all scripts, of a page in a window of 1280 x 900.
painted() {
    sed '/<\/body>/,$d' "$1" > timed.html
    cat >> timed.html << 'HTML'
<script>(async () => {
    while (!globalThis.tetrastatPage) await new Promise((go) => setTimeout(go, 5));
    const ready = performance.now();
    let paint = null;
    while (!(paint = performance.getEntriesByName("first-contentful-paint")[0])) await new Promise((go) => setTimeout(go, 5));
    console.log(`painted ${Math.round(paint.startTime)} ready ${Math.round(ready)} .`);
})();</script></body></html>
HTML
    chromium --headless=new --no-sandbox --disable-gpu --enable-logging=stderr --window-size=1280,900 \
        --user-data-dir="$work/profile" --remote-debugging-port=0 "file://$work/timed.html" 2> log > /dev/null &
    local browser=$!
    for _ in $(seq 600); do
        grep -q 'painted [0-9]* ready' log && break
        sleep 0.1
    done
    kill "$browser"
    wait "$browser" 2> /dev/null || true
    sed -n 's/.*painted \([0-9]*\) ready \([0-9]*\) .*/\1 ms | \2 ms/p' log | head -1
}

# The least of three loads.
paint() {
    for _ in 1 2 3; do
        painted "$1"
    done | sort -n | head -1
}

row() {
    local name=$1 folder=$2
    local took bytes
    took=$(seconds "$tetrastat" view "$folder" --out page.html --force)
    bytes=$(stat -c %s page.html)
    echo "| $name | $(awk "BEGIN { printf \"%.1f MB\", $bytes / 1e6 }") | $took s | $(paint page.html) |"
}

play() {
    "$tetrastat" "$@" > said 2> /dev/null
}

cat > ten.toml << 'TOML'
controllers = ["bcts", "dt20", "dellacherie", "lee", "el-tetris"]
boards = ["10x10", "10x12"]
games = 100
max_pieces = 5000
placements = "csv"
TOML
play simulate --board 10x10 --games 300 --placements csv --out run
play study ten.toml --out study
play train cem --features bcts --board 10x10 --generations 200 --population 100 --games 2 --max-pieces 300 --population-log \
    --out training
play simulate --games 100 --max-pieces 50000 --placements csv --out large
play data convert large large-parquet --format parquet
play data convert large large-zst --format csv.zst

echo "| folder | page | \`view\` | first paint | ready |"
echo "|---|---|---|---|---|"
row "a run of 300 games ($(($(wc -l < run/placements.csv) - 1)) placements)" run
row "a study of ten conditions, 100 games each" study
row "a training of 200 generations of 100 candidates" training
row "a log of $(($(wc -l < large/placements.csv) - 1)) placements, CSV of $(du -m large/placements.csv | cut -f1) MB" large
row "the same, csv.zst of $(du -m large-zst/placements.csv.zst | cut -f1) MB" large-zst
row "the same, Parquet of $(du -m large-parquet/placements.parquet | cut -f1) MB" large-parquet
