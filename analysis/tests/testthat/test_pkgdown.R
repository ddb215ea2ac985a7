# The website configuration lists every help page and every vignette, which pkgdown requires.

# Returns the names under `contents:` in the section `section` of _pkgdown.yml.
listed_in <- function(section) {
  lines <- readLines(repository("analysis", "_pkgdown.yml"))
  starts <- grep("^[a-z]+:", lines)
  from <- grep(paste0("^", section, ":"), lines)
  to <- c(starts[starts > from] - 1, length(lines))[1]
  sub("^  - ", "", grep("^  - ", lines[from:to], value = TRUE))
}

test_that("every exported topic is listed once in _pkgdown.yml", {
  listed <- listed_in("reference")
  expect_equal(listed[duplicated(listed)], character())
  pages <- map(list.files(repository("analysis", "man"), "[.]Rd$", full.names = TRUE), readLines, encoding = "UTF-8")
  public <- keep(pages, \(lines) !any(grepl("^\\\\keyword\\{internal\\}", lines)))
  aliases <- map(public, \(lines) sub("^\\\\alias\\{(.*)\\}$", "\\1", grep("^\\\\alias\\{", lines, value = TRUE)))
  unlisted <- keep(aliases, \(names) sum(names %in% listed) != 1)
  expect_equal(map_chr(unlisted, 1), character())
  expect_equal(setdiff(listed, unlist(aliases)), character())
  exported <- sub("^export\\((.*)\\)$", "\\1", grep("^export\\(", readLines(repository("analysis", "NAMESPACE")), value = TRUE))
  reexported <- c("augment", "autoplot", "glance", "tidy")
  expect_equal(setdiff(exported, c(unlist(aliases), reexported)), character())
})

test_that("every vignette is listed in _pkgdown.yml", {
  vignettes <- sub("[.]Rmd$", "", list.files(repository("analysis", "vignettes"), "[.]Rmd$"))
  expect_setequal(listed_in("articles"), vignettes)
})
