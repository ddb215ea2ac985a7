# Output that documents quote equals the output of the package.

test_that("documents quote the comparison of the example study", {
  compared <- compare_runs(read_study(example_run("study")))
  for (page in c("README.md", file.path("docs", "tutorials", "data-in-r.md"))) {
    line <- grep("^compare_runs\\(study\\)", readLines(repository(page)), value = TRUE)
    quoted <- trimws(sub("^[^#]*#", "", line))
    expect_length(quoted, 1)
    expect_true(startsWith(comparison_words(compared), quoted), info = page)
  }
})
