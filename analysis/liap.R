# Rscript analysis/liap.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N] [--force]
#
# Does the same as report.R, which recognises the games of a folder. LIAP runs need --placements.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("report", here)
