# Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N] [--figures png|svg] [--data FOLDER] [--force]
#
# Writes a report on runs of any game, or on studies, as one self-contained HTML file. Without
# pandoc, or with --markdown, it writes Markdown and a folder of figures. --data also writes the
# figures and their data.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("report", here)
