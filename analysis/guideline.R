# Rscript analysis/guideline.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N] [--force]
#
# The same as report.R, which knows by the folder which games it holds.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("report", here)
