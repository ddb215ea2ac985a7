# The scripts of this folder load the package from its source with pkgload, so a change needs no
# installation. pkgload is a dependency of testthat. Without it the scripts use the installed
# package.

#' Runs the command `name` of `tetrastat_command()`; `here` is the folder of the script.
run_command <- function(name, here) {
  Sys.setenv(TZ = "UTC")
  load_analysis(here)
  getFromNamespace("tetrastat_command", "tetrastat")(name)
}

#' Attaches the package whose source is in the folder `dir`.
load_analysis <- function(dir) {
  if (requireNamespace("pkgload", quietly = TRUE)) {
    return(invisible(pkgload::load_all(dir, export_all = FALSE, helpers = FALSE, attach_testthat = FALSE, quiet = TRUE)))
  }
  if (!requireNamespace("tetrastat", quietly = TRUE)) {
    message("error: the package tetrastat is not installed; from the repository's folder: R CMD INSTALL analysis")
    quit(status = 1)
  }
  suppressPackageStartupMessages(library("tetrastat", character.only = TRUE))
}
