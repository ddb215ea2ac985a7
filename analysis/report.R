# Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]
#
# Writes a report on one or more run folders: one HTML file that needs nothing else, or, without
# pandoc or with --markdown, Markdown with PNG figures beside it.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/report.R RUN_DIR [RUN_DIR...] [-o OUT.html] [--markdown] [--max-rows N]"

#' Knits the report as Markdown with figures in a folder beside it.
write_markdown <- function(template, content, out) {
  old <- setwd(dirname(out))
  on.exit(setwd(old))
  knitr::opts_knit$set(progress = FALSE)
  figures <- paste0(tools::file_path_sans_ext(basename(out)), "-figures/")
  knitr::opts_chunk$set(fig.path = figures, dpi = 110, dev = "png")
  knitr::knit(template, basename(out), quiet = TRUE, envir = list2env(list(content = content), parent = globalenv()))
  invisible(out)
}

#' Renders the report as one HTML file.
write_html <- function(template, content, out) {
  scratch <- tempfile("report")
  dir.create(scratch)
  on.exit(unlink(scratch, recursive = TRUE))
  rmarkdown::render(template, output_file = basename(out), output_dir = dirname(out), intermediates_dir = scratch,
                    quiet = TRUE, envir = list2env(list(content = content), parent = globalenv()))
  invisible(out)
}

main <- function(arguments) {
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
  template <- file.path(here, "report.Rmd")
  if (html) write_html(template, content, out) else write_markdown(template, content, out)
  message("wrote ", out)
}

run_script(main)
