# The first argument of every function: a run, a study, the folder of either, or a list of these.

# Returns a run; reads it if `x` is its folder. `...` are arguments of read_run().
as_run <- function(x, ...) {
  if (inherits(x, "tetrastat_run")) return(x)
  if (is.character(x) && length(x) == 1) return(read_run(x, ...))
  fail("expected a run, as read_run() returns it, or its folder, not ", kind_words(x))
}

# Returns a study; reads it if `x` is its folder.
as_study <- function(x) {
  if (inherits(x, "tetrastat_study")) return(x)
  if (is.character(x) && length(x) == 1) return(read_study(x))
  fail("expected a study, as read_study() returns it, or its folder, not ", kind_words(x))
}

# Returns the runs of a run, of a study, of folders or of a list of runs and folders, as a list whose names
# are the labels that distinguish them. `...` are arguments of read_run().
as_runs <- function(x, ...) {
  if (inherits(x, "tetrastat_run")) return(set_names(list(x), x$name))
  if (inherits(x, "tetrastat_study")) return(labelled_runs(x$conditions, ...))
  if (is.character(x) && is.null(names(x))) return(labelled_runs(read_conditions(x), ...))
  if (is.data.frame(x) || !(is.list(x) || is.character(x))) {
    fail("expected runs, a study or folders, not ", kind_words(x))
  }
  runs <- map(x, as_run, ...)
  set_names(runs, make.unique(run_names(runs), sep = " "))
}

labelled_runs <- function(conditions, ...) {
  if (nrow(conditions) == 0) fail("the study has no games: its conditions were estimated; use contrast()")
  map2(set_names(conditions$dir, conditions$label), as.character(conditions$label), \(dir, label) {
    run <- read_run(dir, ...)
    run$name <- label
    run
  })
}

# Names a wrong argument.
kind_words <- function(x) {
  if (is.data.frame(x)) return("a data frame: give the run that it is from")
  if (is.character(x)) return(paste(length(x), "strings"))
  class <- class(x)[1]
  paste(if (grepl("^[aeiou]", class)) "an" else "a", class)
}
