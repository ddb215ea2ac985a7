# Rscript analysis/training.R DIR [DIR...] [--out FOLDER | --beside] [--by games|pieces|generation] [--force]
#
# Draws trainings (folders that tetrastat train has written, or folders of them): learning curve and paths
# of the weights of each. --out FOLDER writes NAME-curve.png and NAME-weights.png, comparison.png where there
# are several (against what was played --by then), and a summary, training.md. --beside writes curve.png and
# weights.png into the folder of each training instead, in the place of older ones.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("training", here)
