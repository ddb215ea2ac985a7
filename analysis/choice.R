# Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--max-rows N] [--force]
#
# Estimates weights from the candidates of a run (tetrastat simulate --candidates), and compares them
# with the controller's own weights from run.json. --max-rows limits the number of candidates that are
# read (default: the first 1,000,000).

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("choice", here)
