# Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]
#
# Writes a report on one or more run folders: one HTML file that needs nothing else, or, without
# pandoc or with --markdown, Markdown with PNG figures beside it.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]"

run_script(\(arguments) write_report(arguments, here, "report.Rmd", usage, analyse))
