# Help pages must not lose text: without Markdown in roxygen2 a backtick is printed as it is, and a
# `%` removes the rest of its line.

test_that("help pages have no raw backtick, no dead link and no unescaped percent sign", {
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

test_that("help pages are written by roxygen2 with Markdown", {
  description <- read.dcf(repository("analysis", "DESCRIPTION"))
  expect_equal(description[, "Roxygen"][[1]], "list(markdown = TRUE)")
  text <- paste(readLines(repository("analysis", "man", "lifetimes.Rd")), collapse = " ")
  expect_match(text, "(default: 95 \\%)", fixed = TRUE)
})
