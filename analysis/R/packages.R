# What the package needs from outside, and how it says no.

# Stops with one clear line that ends in the remedy.
fail <- function(...) {
  stop(structure(class = c("tetrastat_error", "error", "condition"), list(message = paste0(...), call = NULL)))
}

# Fails with the apt line for the packages of `names` that are not installed.
need_packages <- function(names) {
  present <- vapply(names, requireNamespace, logical(1), quietly = TRUE)
  if (all(present)) return(invisible(names))
  missing <- names[!present]
  fail(
    "R packages are missing: ", paste(missing, collapse = " "), "; on Debian: apt-get install ",
    paste0("r-cran-", tolower(missing), collapse = " "),
    "; elsewhere: install.packages(c(", paste0("\"", missing, "\"", collapse = ", "), "))"
  )
}

# Evaluates `code` with the random generator at `seed`, of the same kind everywhere, and puts it back afterwards.
with_seed <- function(seed, code) {
  withr::with_seed(seed, code, .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}
