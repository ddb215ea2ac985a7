# Rscript analysis/evidence.R DIR|FILE [DIR|FILE...] --out FOLDER [--force]
#
# Draws figures that compare published numbers with results of tetrastat, and writes evidence.md
# with these figures and their tables. The kind of each input decides its figures:
#
# - a DIR of tetrastat study reproduce:NAME: forest.png, ratio.png, survival-TABLE.png and exponential.png;
# ladder.png and ladder-changes.png if that table was played
#
# - its reproduced.csv alone: the same without survival-TABLE.png and exponential.png
#
# - a DIR of tetrastat estimate: NAME-levels.png, NAME-estimates.png and NAME-heights.png
#
# - a FILE of tetrastat exact --format csv: exact.png (one figure of all such files)
#
# - a FILE of tetrastat compare --format csv: NAME-ranking.png

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("evidence", here)
