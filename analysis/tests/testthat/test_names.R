# Every file of R/ is sourced into one environment: the later of two functions of one name would take the
# place of the other.

test_that("no function's name is given twice", {
  files <- list.files(file.path(Sys.getenv("ANALYSIS"), "R"), full.names = TRUE)
  expect_gt(length(files), 10)
  named <- unlist(lapply(files, function(file) {
    defined <- Filter(function(call) is.call(call) && identical(call[[1]], as.name("<-")), as.list(parse(file)))
    vapply(defined, function(call) deparse(call[[2]])[1], "")
  }))
  expect_equal(named[duplicated(named)], character())
})
