# Rscript analysis/tests/run.R
#
# Builds the package with its vignettes and runs R CMD check with all tests, in a temporary folder.
# With TETRASTAT_LONG=0, vignettes are not built and tests that simulate coverage are skipped.
# The tests use the engine that TETRASTAT names (default: target/release/tetrastat). A failed or
# skipped test, an error, a warning or a note fails this script. Only tests of readers that Debian
# does not have (duckdb, arrow, nanoparquet) may be skipped, and those that TETRASTAT_LONG=0 leaves out.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
analysis <- dirname(here)
binary <- Sys.getenv("TETRASTAT", file.path(analysis, "..", "target", "release", "tetrastat"))
if (!file.exists(binary)) {
  message("error: no binary ", binary, "; build it (cargo build --release) or set TETRASTAT")
  quit(status = 1)
}

binary <- normalizePath(binary)
analysis <- normalizePath(analysis)
work <- tempfile("check")
dir.create(work)
setwd(work)
r <- file.path(R.home("bin"), "R")
settings <- c(paste0("TETRASTAT=", binary), paste0("TETRASTAT_REPOSITORY=", dirname(analysis)),
  "_R_CHECK_FORCE_SUGGESTS_=false", "_R_CHECK_CRAN_INCOMING_=false", "_R_CHECK_SYSTEM_CLOCK_=false",
  "NOT_CRAN=true", "TZ=UTC", "LC_ALL=C.UTF-8")
run <- function(...) {
  status <- system2(r, c("CMD", ...), env = settings)
  if (status != 0) failed <<- TRUE
}
failed <- FALSE
short <- Sys.getenv("TETRASTAT_LONG") == "0"
run("build", if (short) "--no-build-vignettes", shQuote(analysis))
package <- list.files(work, "^tetrastat_.*[.]tar[.]gz$")
if (length(package) == 1) run("check", "--no-manual", if (short) "--ignore-vignettes" else "--no-vignettes", package) # the build has run them

log <- file.path(work, "tetrastat.Rcheck", "00check.log")
if (!file.exists(log)) quit(status = 1)
status <- if (file.exists(log)) tail(grep("^Status", readLines(log), value = TRUE), 1) else "no check"
told <- list.files(file.path(work, "tetrastat.Rcheck", "tests"), "testthat.Rout", full.names = TRUE)
words <- unlist(lapply(told, readLines))
if (failed) cat(words, sep = "\n")
cat(grep("^[0-9]+ tests", words, value = TRUE), status, "", sep = "\n")
reasons <- grep(" - Reason: ", words, value = TRUE) # the summary of testthat lists skipped tests
may <- if (short) "Reason: long$|" else ""
skipped <- !all(grepl(paste0(may, "(duckdb|arrow|nanoparquet)\\}? (cannot be loaded|is not installed)"), reasons))
if (skipped) cat("error: tests were skipped:", reasons, "", sep = "\n")
# The one note that this repository cannot avoid is about suggested packages that Debian does not
# have.
lines <- readLines(log)
suggested <- any(grepl("^Packages? suggested but not available for checking", lines))
sound <- status == "Status: OK" || (status == "Status: 1 NOTE" && suggested)
if (!sound) cat(lines, sep = "\n")
quit(status = if (failed || skipped || !sound) 1 else 0)
