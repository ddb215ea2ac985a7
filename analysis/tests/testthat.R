# R CMD check runs this. Tests that need the engine's program find it by TETRASTAT, and the repository by
# TETRASTAT_REPOSITORY; without them they are skipped, which tests/run.R counts as a failure.
library(testthat)
library(tetrastat)

results <- as.data.frame(test_check("tetrastat", reporter = "summary", stop_on_failure = FALSE))
bad <- sum(results$failed) + sum(results$error)
cat(sprintf("\n%d tests, %d expectations, failed: %d, skipped: %d, %.1f s\n",
            nrow(results), sum(results$nb), bad, sum(results$skipped), sum(results$real)))
if (bad > 0) quit(status = 1)
