# Rscript analysis/tests/run.R
#
# Runs every test of the analysis. Data comes from the binary that TETRASTAT names (default
# target/release/tetrastat); without it the tests fail, for none is skipped silently.

tests <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
analysis <- dirname(tests)
source(file.path(analysis, "load.R"))
load_analysis(analysis)
need_packages("testthat")
suppressPackageStartupMessages(library(testthat))

binary <- Sys.getenv("TETRASTAT", file.path(analysis, "..", "target", "release", "tetrastat"))
if (!file.exists(binary)) {
  message("error: no binary ", binary, "; build it (cargo build --release) or set TETRASTAT")
  quit(status = 1)
}
Sys.setenv(TETRASTAT = normalizePath(binary), ANALYSIS = analysis)

results <- as.data.frame(testthat::test_dir(file.path(tests, "testthat"), env = new.env(parent = globalenv()),
                                            reporter = "summary", stop_on_failure = FALSE, load_package = "none"))
bad <- sum(results$failed) + sum(results$error)
cat(sprintf("\n%d tests, %d expectations, %d failed, %d skipped, %.1f s\n",
            nrow(results), sum(results$nb), bad, sum(results$skipped), sum(results$real)))
quit(status = if (bad > 0 || sum(results$skipped) > 0 || nrow(results) == 0) 1 else 0)
