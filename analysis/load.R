# The scripts of this folder use the package whose source lies here: it is loaded from here where pkgload is
# installed (it comes with testthat), so that a change needs no installing, else the installed package serves.

#' Runs a command of the package: `name` is that of `tetrastat_command()`.
run_command <- function(name, here) {
  Sys.setenv(TZ = "UTC")
  load_analysis(here)
  getExportedValue("tetrastat", "tetrastat_command")(name)
}

#' Attaches the package of the folder `dir`.
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
