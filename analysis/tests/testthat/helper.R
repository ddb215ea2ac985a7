# What several test files share: the code book, runs written by the binary, a scratch folder.

scratch <- file.path(tempdir(), "analysis-tests")
dir.create(scratch, showWarnings = FALSE)

book <- read_code_book(file.path(Sys.getenv("ANALYSIS"), "..", "data", "README.md"))

#' Runs the binary; stops with its words when it fails.
tetrastat <- function(...) {
  output <- suppressWarnings(system2(Sys.getenv("TETRASTAT"), shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  status <- attr(output, "status")
  if (!is.null(status)) stop("tetrastat ", paste(...), ": ", paste(output, collapse = "\n"))
  output
}

#' A run folder named `name`, written once per test process.
fresh_run <- function(name, ...) {
  dir <- file.path(scratch, name)
  if (!dir.exists(dir)) tetrastat("simulate", "--sample", "0", "--board", "10x10", "--out", dir, ...)
  dir
}

bag_run <- function() fresh_run("bag", "--controller", "el-tetris", "--queue", "bag", "--games", "4",
    "--max-pieces", "400", "--placements", "csv")
el_run <- function() fresh_run("el", "--controller", "el-tetris", "--games", "80", "--max-pieces", "none",
    "--placements", "csv.gz")

#' Runs a script of the analysis: list(status, output).
run_rscript <- function(...) {
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(c(...)), stdout = TRUE,
      stderr = TRUE))
  list(status = attr(output, "status") %||% 0L, output = paste(output, collapse = "\n"))
}

script <- function(name) file.path(Sys.getenv("ANALYSIS"), name)
