#!/usr/bin/env bash
# Draws docs/pictures/survival.svg: survival curves of the example study in the R package.
set -euo pipefail
cd "$(dirname "$0")/../.."
Rscript - <<'R'
source("analysis/load.R")
load_analysis("analysis")
study <- read_tetrastat(example_run("study"))
save_figure(autoplot(study), "docs/pictures/survival.svg")
R
