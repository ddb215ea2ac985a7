# The folder that `tetrastat study --new` writes, from its study to its report. The package targets is not
# needed: stand-ins replace its functions that `_targets.R` calls.

# Returns the targets of a pipeline as a list of lists(name, command, format).
pipeline_of <- function(file) {
  stand_in <- new.env(parent = globalenv())
  stand_in$library <- function(package, ...) if (as.character(substitute(package)) != "targets") stop("asks for another package")
  stand_in$tar_option_set <- function(packages) stopifnot(packages == "tetrastat")
  stand_in$tar_target <- function(name, command, format = "rds") list(name = as.character(substitute(name)), command = substitute(command), format = format)
  list(targets = eval(parse(file, keep.source = FALSE), stand_in), functions = stand_in)
}

# Returns the names of other targets in the command of each target.
needs <- function(targets) {
  names <- map_chr(targets, "name")
  set_names(map(targets, \(target) setdiff(intersect(all.vars(target$command), names), target$name)), names)
}

test_that("the pipeline of a new folder runs in dependency order, each target with only its dependencies", {
  need_program()
  dir <- file.path(scratch, "pipeline")
  tetrastat("study", "--new", dir)
  expect_setequal(list.files(dir), c("study.toml", "report.Rmd", "Makefile", "_targets.R"))
  withr::local_dir(dir)
  writeLines(sub("max_pieces = 2000", "max_pieces = 300", sub("games = 40", "games = 12", readLines("study.toml"))), "study.toml")
  pipeline <- pipeline_of("_targets.R")
  needed <- needs(pipeline$targets)
  expect_equal(needed[c("study_file", "folder", "study", "compared", "drawn", "document")],
      list(study_file = character(), folder = "study_file", study = "folder", compared = "study", drawn = "folder", document = character()))
  expect_setequal(needed$report, c("document", "study", "compared", "drawn"))
  made <- list()
  withr::local_envvar(TETRASTAT = tetrastat_program())
  waiting <- rev(pipeline$targets) # any order that the dependencies allow must work
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
  words <- readLines(made$report, warn = FALSE)
  says <- \(text) any(grepl(text, words, fixed = TRUE))
  expect_true(says("Comparison of controllers"))
  expect_true(says("data:image/png"))
  expect_true(says(gsub("<", "&lt;", comparison_words(made$compared), fixed = TRUE)))
})
