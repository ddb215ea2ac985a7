# Rscript analysis/liap.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]
#
# Writes a report on runs of tetrastat liap simulate (with --log): how often declarations are captured
# exactly, what is captured after each, what they are worth, and declarers at one table compared.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/liap.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]"

run_script(\(arguments) write_report(arguments, here, "liap.Rmd", usage, analyse_liap))
