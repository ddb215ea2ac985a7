# The commands of `Rscript analysis/NAME.R`. Each takes its arguments as a character vector and is
# available from an installed package by `tetrastat_command()`.

usage <- list(
  report = "Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N] [--figures png|svg] [--data FOLDER] [--force]",
  training = "Rscript analysis/training.R DIR [DIR...] [--out FOLDER | --beside] [--by games|pieces|generation] [--force]",
  evidence = "Rscript analysis/evidence.R DIR|FILE [DIR|FILE...] --out FOLDER [--force]",
  choice = "Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--max-rows N] [--force]"
)

# Runs the command of `Rscript analysis/NAME.R`, also from an installed package: `Rscript -e
# 'tetrastat:::tetrastat_command("report")' my-run -o report.html`.
tetrastat_command <- function(name = c("report", "training", "evidence", "choice"), arguments = commandArgs(trailingOnly = TRUE)) {
  name <- match.arg(name)
  run_script(list(report = command_report, training = command_training, evidence = command_evidence, choice = command_choice)[[name]], arguments)
}

command_report <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--max-rows" = "max_rows", "--figures" = "figures", "--data" = "data"),
      c("--markdown" = "markdown", "--force" = "force"))
  if (length(given$positions) == 0) fail("no run folder given; usage: ", usage$report)
  figures <- given$figures %||% "png"
  if (!figures %in% c("png", "svg")) fail("--figures must be png or svg, not '", figures, "'")
  max_rows <- positive_number(given$max_rows %||% "4e6", "--max-rows")
  need_packages("rmarkdown")
  html <- is.null(given$markdown) && rmarkdown::pandoc_available()
  if (is.null(given$markdown) && !html) message("pandoc is not installed: writing Markdown. To get one HTML file: apt-get install pandoc")
  out <- given$out %||% (if (html) "report.html" else "report.md")
  if (!html) out <- paste0(tools::file_path_sans_ext(out), ".md") else if (!grepl("[.]html?$", out)) out <- paste0(out, ".html")
  if (!dir.exists(dirname(out))) fail("no folder ", dirname(out), " for the report; create it, or use another -o")
  check_free(out, given$force)
  out <- file.path(normalizePath(dirname(out)), basename(out))
  page <- report_page(given$positions, max_rows)
  if (!is.null(given$data)) write_figures(page, out_folder(given$data), figures, given$force)
  (if (html) write_html else write_markdown)(page, out, figures)
  message("wrote ", out)
}

# Writes the figures of a page and their data as separate files.
write_figures <- function(page, folder, format, force = FALSE) {
  figures <- page_figures(page)
  files <- check_free(file.path(folder, paste0(names(figures), ".", format)), force)
  walk2(figures, files, \(figure, file) save_figure(figure, file, data = TRUE))
  message("wrote ", length(files), " figures and their data into ", folder)
}

command_evidence <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out"), c("--force" = "force"))
  if (length(given$positions) == 0) fail("no folder or table given; usage: ", usage$evidence)
  if (is.null(given$out)) fail("--out FOLDER is missing; usage: ", usage$evidence)
  page <- file.path(given$out, "evidence.md")
  check_free(page, given$force)
  sections <- evidence_sections(given$positions)
  out <- out_folder(given$out)
  walk(sections, \(section) save_figures(section$figures, file.path(out, "")))
  writeLines(evidence_page(sections), page)
  message("wrote ", page)
}

say_saved <- function(figure, path) {
  save_figure(figure, path)
  message("wrote ", path)
}

# Writes figures into files that begin with `stem`, followed by their names.
save_figures <- function(figures, stem) iwalk(figures, \(figure, name) say_saved(figure, paste0(stem, name, ".png")))

training_figures <- function(training, reported) list(curve = figure_learning(training, reported), weights = figure_weight_paths(training))

# Writes all figures, and a summary in Markdown: the table, then the figures.
write_trainings <- function(trainings, reported, by, out) {
  rows <- compare_training(trainings, reported)
  drawn <- map(set_names(trainings, gsub("/", "-", rows$training)), training_figures, reported)
  comparison <- if (length(trainings) > 1) list(comparison = figure_trainings(compare_curves(trainings), rows, by))
  drawn <- c(comparison, list_flatten(drawn, name_spec = "{outer}-{inner}"))
  save_figures(drawn, file.path(out, ""))
  title <- if (nrow(rows) == 1) paste("# Training", rows$training) else "# Trainings"
  page <- file.path(out, "training.md")
  writeLines(c(title, "", table_and_pictures(summary_table(rows), drawn)), page)
  message("wrote ", page)
}

command_training <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--by" = "by", "--reported" = "reported"), c("--beside" = "beside", "--force" = "force"))
  if (length(given$positions) == 0) fail("no training folder given; usage: ", usage$training)
  if (is.null(given$out) == is.null(given$beside)) fail("use either --out FOLDER or --beside; usage: ", usage$training)
  by <- given$by %||% "games"
  if (!by %in% c("games", "pieces", "generation")) fail("--by must be games, pieces or generation, not '", by, "'")
  reported <- read_reported(given$reported %||% reported_file())
  dirs <- as.character(unlist(map(given$positions, training_dirs)))
  walk(dirs, check_training_dir)
  if (!is.null(given$out)) check_free(file.path(given$out, "training.md"), given$force)
  trainings <- map2(dirs, training_names(dirs), \(dir, name) read_training(dir, name))
  if (is.null(given$beside)) return(write_trainings(trainings, reported, by, out_folder(given$out)))
  walk(trainings, \(training) save_figures(training_figures(training, reported), file.path(training$dir, "")))
}

# Returns the path of the package's table of results that sources report for their training presets.
reported_file <- function() system.file("extdata", "reported.csv", package = "tetrastat", mustWork = TRUE)

command_choice <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--max-rows" = "max_rows"), c("--force" = "force"))
  if (length(given$positions) != 1) fail("exactly one run folder is needed; usage: ", usage$choice)
  if (!is.null(given$out)) check_free(given$out, given$force)
  fit <- fit_choice(given$positions, max_rows = positive_number(given$max_rows %||% "1e6", "--max-rows"))
  print(fit)
  cosine <- glance(fit)$cosine
  if (!is.na(cosine)) {
    cat(sprintf("cosine of estimated and true weights: %.6f (1 = proportional)\n\n", cosine))
    print(as.data.frame(compare_weights(fit)), row.names = FALSE, digits = 4)
  }
  if (!is.null(given$out)) say_saved(autoplot(fit), given$out)
}
