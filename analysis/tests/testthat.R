# R CMD check runs this. Tests that need the engine's program find it by TETRASTAT, and the repository by
# TETRASTAT_REPOSITORY; without them they are skipped, which tests/run.R counts as a failure.
library(testthat)
library(tetrastat)

test_check("tetrastat", reporter = SummaryReporter$new(show_praise = FALSE))
