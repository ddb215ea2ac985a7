# Loads the analysis' functions: source this file, then call `load_analysis(dir of this file)`.


#' Sources each file of `R/` into the global environment and attaches the packages.
load_analysis <- function(dir) {
  Sys.setenv(TZ = "UTC")
  for (file in sort(list.files(file.path(dir, "R"), "[.]R$", full.names = TRUE))) sys.source(file, globalenv())
  attach_packages()
}
