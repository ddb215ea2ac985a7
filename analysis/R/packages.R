# Errors, required packages and random seeds.

# Stops with a one-line error that ends with the remedy.
fail <- function(...) {
  stop(structure(class = c("tetrastat_error", "error", "condition"), list(message = paste0(...), call = NULL)))
}

# Fails unless `table` has the columns `names`, and suggests the nearest existing name. `what` is
# the name of the table in the error.
check_columns_of <- function(table, names, what) {
  if (!is.data.frame(table)) fail(what, " must be a data frame, not ", class(table)[1])
  absent <- setdiff(names, names(table))
  if (length(absent) == 0) return(invisible(table))
  fail("the table of ", what, " has no column ", paste(absent, collapse = ", "), nearest_words(absent[1], names(table)), "; it has ", paste(head(names(table), 30), collapse = ", "),
       if (ncol(table) > 30) ", ...")
}

# Returns " (did you mean x?)" if one of `known` is within two edits of `name`, and nothing otherwise.
nearest_words <- function(name, known) {
  distance <- utils::adist(name, known, ignore.case = TRUE)
  if (length(known) == 0 || min(distance) > 2) return("")
  paste0(" (did you mean ", known[which.min(distance)], "?)")
}

# Fails if packages are missing, with the command that installs them.
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

# Evaluates `code` with the random seed `seed` and the same generator on every system, and restores
# the previous state afterwards.
with_seed <- function(seed, code) {
  withr::with_seed(seed, code, .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}

# Returns the rows with `class` and the attributes `...`. structure() would add row names.
classed <- function(rows, class, ...) {
  facts <- list(...)
  for (name in names(facts)) attr(rows, name) <- facts[[name]]
  class(rows) <- unique(c(class, class(rows)))
  rows
}
