# Rscript analysis/training.R DIR [DIR...] [--out FOLDER | --beside] [--by games|pieces|generation]
#
# Draws trainings (folders that tetrastat train has written, or folders of them): learning curve and paths
# of the weights of each. --out FOLDER writes NAME-curve.png and NAME-weights.png, comparison.png where there
# are several (against what was played --by then), and a summary, training.md. --beside writes curve.png and
# weights.png into the folder of each training instead.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/training.R DIR [DIR...] [--out FOLDER | --beside] [--by games|pieces|generation]"

#' Draws a training into files that begin with `stem`; their names.
save_training <- function(training, reported, stem) {
  files <- paste0(stem, c("curve.png", "weights.png"))
  save_figure(figure_learning(training, reported), files[1])
  save_figure(figure_weight_paths(training), files[2])
  files
}

#' All figures, and the summary as Markdown: the table, then the figures.
write_folder <- function(trainings, reported, by, out) {
  rows <- compare_training(trainings, reported)
  files <- character()
  if (length(trainings) > 1) {
    files <- file.path(out, "comparison.png")
    save_figure(figure_trainings(compare_curves(trainings), rows, by), files)
  }
  stems <- file.path(out, paste0(gsub("/", "-", rows$training), "-"))
  files <- basename(c(files, unlist(map2(trainings, stems, \(training, stem) save_training(training, reported, stem)))))
  title <- if (nrow(rows) == 1) paste("# Training", rows$training) else "# Trainings"
  figures <- paste0("![", sub("[.]png$", "", files), "](", files, ")")
  table <- knitr::kable(summary_table(rows), format = "pipe")
  page <- file.path(out, "training.md")
  writeLines(c(title, "", table, "", rbind(figures, "")), page)
  message("wrote ", page)
}

main <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--by" = "by"), c("--beside" = "beside"))
  if (length(given$positions) == 0) fail("no training folder given; ", usage)
  if (is.null(given$out) == is.null(given$beside)) fail("give either --out FOLDER or --beside; ", usage)
  by <- given$by %||% "games"
  if (!by %in% c("games", "pieces", "generation")) fail("--by is games, pieces or generation, not '", by, "'")
  book <- read_code_book(file.path(here, "..", "data", "README.md"))
  reported <- read_reported(file.path(here, "..", "data", "training", "reported.csv"))
  dirs <- as.character(unlist(map(given$positions, training_dirs)))
  walk(dirs, check_training_dir)
  trainings <- map2(dirs, training_names(dirs), \(dir, name) read_training(dir, book, name))
  if (is.null(given$beside)) return(write_folder(trainings, reported, by, out_folder(given$out)))
  walk(trainings, \(training) save_training(training, reported, file.path(training$dir, "")))
}

run_script(main)
