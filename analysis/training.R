# Rscript analysis/training.R DIR [DIR...] [--out FOLDER | --beside] [--by games|pieces|generation] [--force]
#
# Draws the learning curve and the weights of trainings: folders of tetrastat train, or folders that
# contain such folders. --out FOLDER writes NAME-curve.png, NAME-weights.png and a summary,
# training.md; several trainings also get comparison.png, whose x axis is set with --by. --beside
# writes curve.png and weights.png into the folder of each training and replaces older ones.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
run_command("training", here)
