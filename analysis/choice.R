# Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X] [--max-rows N] [--force]
#
# Fits a conditional logit to the candidates table of a run (tetrastat simulate --candidates) and
# compares the recovered weights with the controller's own weights from run.json. --max-rows limits
# the number of candidates that are read (default: the first 1,000,000).

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("choice", here)
