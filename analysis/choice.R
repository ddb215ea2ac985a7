# Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X] [--max-rows N] [--force]
#
# Reads the run's candidates table (tetrastat simulate --candidates ...), fits a conditional logit
# and sets the recovered weights beside the controller's own from run.json. At most N candidates are
# read (1,000,000), the first ones.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("choice", here)
