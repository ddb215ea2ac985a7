# R CMD check runs this file. TETRASTAT names the engine and TETRASTAT_REPOSITORY its repository.
# Tests that need one of them are skipped without it; tests/run.R counts a skipped test as a
# failure.
library(testthat)
library(tetrastat)

results <- as.data.frame(test_check("tetrastat", reporter = "summary", stop_on_failure = FALSE))
bad <- sum(results$failed) + sum(results$error)
cat(sprintf("\n%d tests, %d expectations, failed: %d, skipped: %d, %.1f s\n",
            nrow(results), sum(results$nb), bad, sum(results$skipped), sum(results$real)))
if (bad > 0) quit(status = 1)
