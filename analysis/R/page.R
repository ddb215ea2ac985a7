# From what was computed to a page: one HTML file, or Markdown with figures.

#' Knits a template as Markdown with figures in a folder beside it.
write_markdown <- function(template, content, out) {
  old <- setwd(dirname(out))
  on.exit(setwd(old))
  knitr::opts_knit$set(progress = FALSE)
  figures <- paste0(tools::file_path_sans_ext(basename(out)), "-figures/")
  knitr::opts_chunk$set(fig.path = figures, dpi = 110, dev = "png")
  knitr::knit(template, basename(out), quiet = TRUE, envir = list2env(list(content = content), parent = globalenv()))
  invisible(out)
}

#' Renders a template as one HTML file.
write_html <- function(template, content, out) {
  scratch <- tempfile("report")
  dir.create(scratch)
  on.exit(unlink(scratch, recursive = TRUE))
  rmarkdown::render(template, output_file = basename(out), output_dir = dirname(out), intermediates_dir = scratch,
                    quiet = TRUE, envir = list2env(list(content = content), parent = globalenv()))
  invisible(out)
}

#' A report's main function: reads the arguments, computes with `analyse(dirs, book, max_rows)`, and
#' writes the page of `template`, which lies in the folder `here`.
write_report <- function(arguments, here, template, usage, analyse) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--max-rows" = "max_rows"),
      c("--markdown" = "markdown"))
  if (length(given$positions) == 0) fail("no run folder given; ", usage)
  html <- is.null(given$markdown) && rmarkdown::pandoc_available()
  if (is.null(given$markdown) && !html) message("pandoc is not installed: writing Markdown; for one HTML file: apt-get install pandoc")
  out <- given$out %||% (if (html) "report.html" else "report.md")
  if (!html) out <- paste0(tools::file_path_sans_ext(out), ".md")
  if (!dir.exists(dirname(out))) fail("no folder ", dirname(out), " for the report; make it, or give another -o")
  out <- file.path(normalizePath(dirname(out)), basename(out))
  book <- read_code_book(file.path(here, "..", "data", "README.md"))
  content <- analyse(given$positions, book, positive_number(given$max_rows %||% "4e6", "--max-rows"))
  write <- if (html) write_html else write_markdown
  write(file.path(here, template), content, out)
  message("wrote ", out)
}
