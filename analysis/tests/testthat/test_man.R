# Help pages lose no text: without Markdown in roxygen2 a backtick stays a backtick and a `%` swallows the rest of its line.

test_that("no help page has a raw backtick, a dead link or a percent sign that starts a comment", {
  pages <- list.files(repository("analysis", "man"), "[.]Rd$", full.names = TRUE)
  expect_gt(length(pages), 30)
  faults <- unlist(lapply(pages, function(page) {
    lines <- readLines(page, encoding = "UTF-8")
    lines <- lines[!startsWith(lines, "%")] # roxygen2's own header
    bad <- grepl("`", lines, fixed = TRUE) | grepl("(^|[^\\\\])%", lines) | grepl("\\[[A-Za-z_.0-9:]+\\(\\)\\]", lines)
    if (any(bad)) paste0(basename(page), ": ", lines[bad])
  }))
  expect_equal(as.character(faults), character())
})

test_that("help pages are written with Markdown, by the version of roxygen2 that DESCRIPTION names", {
  description <- read.dcf(repository("analysis", "DESCRIPTION"))
  expect_equal(description[, "Roxygen"][[1]], "list(markdown = TRUE)")
  text <- paste(readLines(repository("analysis", "man", "kaplan_meier.Rd")), collapse = " ")
  expect_match(text, "(95 \\%)", fixed = TRUE)
})
