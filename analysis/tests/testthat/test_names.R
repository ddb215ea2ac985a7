# Unique names, and copies that must stay equal.

test_that("function names are unique", {
  files <- list.files(repository("analysis", "R"), full.names = TRUE)
  expect_gt(length(files), 10)
  named <- unlist(lapply(files, function(file) {
    defined <- Filter(function(call) is.call(call) && identical(call[[1]], as.name("<-")), as.list(parse(file)))
    vapply(defined, function(call) deparse(call[[2]])[1], "")
  }))
  expect_equal(named[duplicated(named)], character())
})

test_that("the package's code book and reported results equal those of the repository", {
  source(repository("analysis", "data-raw", "parse_code_book.R"), local = TRUE)
  ours <- bind_rows(shipped_book(), .id = "table")
  theirs <- parse_code_book(repository("data", "README.md"))
  expect_equal(as.data.frame(ours), as.data.frame(theirs)) # if this fails, run data-raw/code_book.R
  expect_equal(readLines(reported_file()), readLines(repository("data", "training", "reported.csv")))
})

test_that("functions do not change the global environment", {
  before <- ls(globalenv(), all.names = TRUE)
  autoplot(read_run(example_run("games")))
  compare_runs(read_study(example_run("study")))
  expect_equal(setdiff(ls(globalenv(), all.names = TRUE), c(before, ".Random.seed")), character())
})
