# Rscript analysis/evidence.R DIR|FILE [DIR|FILE...] --out FOLDER [--force]
#
# Draws what speaks for the published numbers and against them. A DIR that tetrastat reproduce has written, or its
# reproduced.csv alone: forest.png, ratio.png, ladder.png and ladder-changes.png where that table was played and,
# of a folder, survival-TABLE.png and exponential.png. A DIR that tetrastat estimate has written: NAME-levels.png,
# NAME-estimates.png and NAME-heights.png. A FILE that tetrastat exact or compare has printed with --format csv:
# exact.png (of all such files), NAME-ranking.png. All figures, behind tables of what they show, stand in evidence.md.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("evidence", here)
