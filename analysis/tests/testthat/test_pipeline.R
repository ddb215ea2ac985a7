# The folder that `tetrastat init` writes, from its study to its report. The package targets itself is not asked for: its two
# functions that `_targets.R` calls are stood in for by what they do to a pipeline, as the package documents it.

# The targets of a pipeline as a list of lists(name, command, format).
pipeline_of <- function(file) {
  stand_in <- new.env(parent = globalenv())
  stand_in$library <- function(package, ...) if (as.character(substitute(package)) != "targets") stop("asks for another package")
  stand_in$tar_option_set <- function(packages) stopifnot(packages == "tetrastat")
  stand_in$tar_target <- function(name, command, format = "rds") list(name = as.character(substitute(name)), command = substitute(command), format = format)
  list(targets = eval(parse(file, keep.source = FALSE), stand_in), functions = stand_in)
}

# What each needs: the names of targets in its command, and nothing else of the folder.
needs <- function(targets) {
  names <- map_chr(targets, "name")
  set_names(map(targets, \(target) setdiff(intersect(all.vars(target$command), names), target$name)), names)
}

test_that("the pipeline of a new folder is played in the order of what needs what, each in a place that has nothing else", {
  need_program()
  dir <- file.path(scratch, "pipeline")
  tetrastat("init", dir)
  expect_setequal(list.files(dir), c("study.toml", "report.Rmd", "Makefile", "_targets.R"))
  withr::local_dir(dir)
  writeLines(sub("games = 40", "games = 12", readLines("study.toml")), "study.toml")
  pipeline <- pipeline_of("_targets.R")
  needed <- needs(pipeline$targets)
  expect_equal(needed[c("study_file", "folder", "study", "compared", "page", "document")],
      list(study_file = character(), folder = "study_file", study = "folder", compared = "study", page = "folder", document = character()))
  expect_setequal(needed$report, c("document", "study", "compared", "page"))
  made <- list()
  withr::local_envvar(TETRASTAT = tetrastat_program())
  waiting <- rev(pipeline$targets) # any order that the needs allow must do
  while (length(waiting) > 0) {
    ready <- detect_index(waiting, \(target) all(needed[[target$name]] %in% names(made)))
    expect_gt(ready, 0)
    target <- waiting[[ready]]
    place <- list2env(made[needed[[target$name]]], parent = pipeline$functions)
    value <- suppressMessages(eval(target$command, place))
    if (target$format == "file") expect_true(all(file.exists(value)), label = target$name)
    made[[target$name]] <- value
    waiting <- waiting[-ready]
  }
  expect_s3_class(made$study, "tetrastat_study")
  expect_s3_class(made$compared, "tetrastat_comparison")
  words <- paste(readLines(made$report, warn = FALSE), collapse = "\n")
  expect_match(words, "Who lasts longer?", fixed = TRUE)
  expect_match(words, "data:image/png|<svg")
  expect_match(words, comparison_words(made$compared), fixed = TRUE)
})

test_that("without targets, make writes the same report", {
  need_program()
  dir <- file.path(scratch, "by-make")
  tetrastat("init", dir)
  expect_true(any(grepl("rmarkdown::render(\"report.Rmd\"", readLines(file.path(dir, "Makefile")), fixed = TRUE)))
  if (!nzchar(Sys.which("make"))) return() # R itself goes without
  file <- file.path(dir, "study.toml")
  writeLines(sub("games = 40", "games = 12", readLines(file)), file)
  said <- withr::with_envvar(c(TETRASTAT = tetrastat_program(), R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep)),
      suppressWarnings(system2("make", c("-C", shQuote(dir)), stdout = TRUE, stderr = TRUE)))
  expect_null(attr(said, "status"), info = paste(said, collapse = "\n"))
  expect_true(file.exists(file.path(dir, "report.html")))
})
