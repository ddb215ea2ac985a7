# Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N] [--figures png|svg] [--data FOLDER] [--force]
#
# Writes a report on runs of any game, or studies: one HTML file that needs nothing else, or, without
# pandoc or with --markdown, Markdown with figures beside it. --data writes figures and their numbers, too.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("report", here)
