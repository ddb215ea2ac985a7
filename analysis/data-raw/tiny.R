# Rscript data-raw/tiny.R
#
# Writes data/*.rda, the data set `tiny`, with the engine that TETRASTAT names. Run this script in
# analysis/ if the test of `tiny` in test_dataset.R fails after an intended change.

pkgload::load_all(".", helpers = FALSE, quiet = TRUE)
source(file.path("data-raw", "tiny_tables.R"))
folder <- tempfile("tiny")
stopifnot(system2(tetrastat_program(), c("data", "set", "tiny", "--out", folder)) == 0)
tables <- tiny_tables(folder)
dir.create("data", showWarnings = FALSE)
for (name in names(tables)) {
  file <- file.path("data", paste0(name, ".rda"))
  save(list = name, file = file, envir = list2env(tables), compress = "xz", version = 3)
  message(file, ": ", nrow(tables[[name]]), " rows, ", file.size(file), " bytes")
}
