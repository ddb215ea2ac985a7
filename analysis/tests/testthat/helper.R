# What several test files share: the code book, runs written by the binary, a scratch folder.

scratch <- file.path(tempdir(), "analysis-tests")
dir.create(scratch, showWarnings = FALSE)

book <- shipped_book()

# Skips a test that needs the engine's program where there is none.
need_program <- function() if (!nzchar(tetrastat_program())) testthat::skip("no program tetrastat (TETRASTAT)")

# A file of the engine's repository; skips the test where that is not at hand.
repository <- function(...) {
  root <- Sys.getenv("TETRASTAT_REPOSITORY")
  if (!nzchar(root)) testthat::skip("not in the engine's repository (TETRASTAT_REPOSITORY)")
  file.path(root, ...)
}

# Runs the binary; stops with its words when it fails.
tetrastat <- function(...) {
  need_program()
  output <- suppressWarnings(system2(tetrastat_program(), shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  status <- attr(output, "status")
  if (!is.null(status)) stop("tetrastat ", paste(...), ": ", paste(output, collapse = "\n"))
  output
}

# A run folder named `name`, written once per test process.
fresh_run <- function(name, ...) {
  dir <- file.path(scratch, name)
  if (!dir.exists(dir)) tetrastat("simulate", "--sample", "0", "--board", "10x10", "--out", dir, ...)
  dir
}

bag_run <- function() fresh_run("bag", "--controller", "el-tetris", "--queue", "bag", "--games", "4",
    "--max-pieces", "400", "--placements", "csv")
el_run <- function() fresh_run("el", "--controller", "el-tetris", "--games", "80", "--max-pieces", "none",
    "--placements", "csv.gz")

# Runs a command of the package in this process: list(status, output), what it printed and said, as a script would.
run_command <- function(name, ...) {
  said <- character()
  status <- 0L
  printed <- utils::capture.output(withCallingHandlers(
    tryCatch(list(report = command_report, training = command_training, evidence = command_evidence, choice = command_choice)[[name]](c(...)),
      error = \(problem) {
        while (!is.null(problem$parent)) problem <- problem$parent
        said <<- c(said, paste0("error: ", gsub("\\s*\n\\s*", " ", conditionMessage(problem)), if (!inherits(problem, "tetrastat_error")) " [not a tetrastat_error]"))
        status <<- 1L
      }),
    message = \(m) { said <<- c(said, sub("\n$", "", conditionMessage(m))); invokeRestart("muffleMessage") }))
  list(status = status, output = paste(c(printed, said), collapse = "\n"))
}

# The caption of a figure.
caption <- function(figure) figure_facts(figure)$caption

# An empty folder.
scratch_empty <- function() {
  dir <- file.path(scratch, "nothing")
  dir.create(dir, showWarnings = FALSE)
  dir
}
