# Rscript analysis/guideline.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]
#
# Writes a report on runs of tetrastat simulate under guideline rules: pieces of Sprints, points of
# Blitzes by source, clears, and how the stack is built (well column and pattern, tetris rate, T-spin
# rate, I-dependency, parity, residue, burn).

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/guideline.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]"

run_script(\(arguments) write_report(arguments, here, "guideline.Rmd", usage, analyse_guideline))
