# What the analysis needs from outside, and how it says no.

#' Stops with one clear line that ends in the remedy.
fail <- function(...) stop(..., call. = FALSE)

#' The packages that every script needs; none of them is the tidyverse metapackage.
required_packages <- c(
  "readr", "dplyr", "tidyr", "tibble", "ggplot2", "purrr", "broom", "survival", "rsample",
  "patchwork", "jsonlite", "knitr", "rmarkdown"
)

#' Fails with the apt line for the packages of `names` that are not installed.
need_packages <- function(names = required_packages) {
  present <- vapply(names, requireNamespace, logical(1), quietly = TRUE)
  if (all(present)) return(invisible(names))
  missing <- names[!present]
  fail(
    "R packages are missing: ", paste(missing, collapse = " "), "; on Debian: apt-get install ",
    paste0("r-cran-", tolower(missing), collapse = " "),
    "; elsewhere: install.packages(c(", paste0("\"", missing, "\"", collapse = ", "), "))"
  )
}

#' Attaches the packages whose verbs the functions use bare.
attach_packages <- function() {
  need_packages()
  for (name in c("dplyr", "tidyr", "tibble", "ggplot2", "purrr")) {
    suppressPackageStartupMessages(library(name, character.only = TRUE))
  }
}

#' Evaluates `code` with the random generator at `seed` and puts the generator back afterwards.
with_seed <- function(seed, code) {
  old <- get0(".Random.seed", envir = globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(".Random.seed", envir = globalenv())
          else assign(".Random.seed", old, envir = globalenv()))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  force(code)
}
