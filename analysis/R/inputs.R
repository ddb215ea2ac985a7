# The first argument of every function: a run, a study, the folder of either, or a list of these.

#' Read a folder of tetrastat
#'
#' Recognises what a folder contains and reads it: a run, a study, a training, a splitting estimate,
#' replicated published tables, or rollouts. The folders may be in any format.
#'
#' @param path A string: a folder that tetrastat has written, or a table of published numbers
#'   (`reproduced.csv`).
#' @param ... For runs: `max_rows`, the maximum number of placements to read in whole games (default:
#'   4,000,000; 0 reads no placements), and `with_board`, which keeps the large column `board`. For
#'   trainings: `name`, the name in figures. For estimates: none.
#' @return An object with the methods of [tetrastat-methods]: `print()`, `summary()`, `tidy()`,
#'   `glance()`, `autoplot()`. It is a list; its tables are tibbles with the column types of
#'   [code_book()], which has all columns.
#' @section Runs:
#' A `tetrastat_run` has
#' * `name`, `dir`; `kind` (`"classic"`, `"guideline"` or `"liap"`); `manifest` (the content of
#'   `run.json`).
#' * `logged`: which placements were logged. If `max_rows` limited the number of placements, its
#'   element `read_games` is the number of games whose placements were read, else `NULL`.
#' * `games`: one row per game.
#' * `placements`: one row per logged placement; `NULL` if none were logged.
#' * LIAP runs have `matches`, `rounds` and `declarations` instead of the last two.
#'
#' Placements of classic games have additional columns: `to_end` (placements until the last one of
#' the game, 0 = the last, `NA` in a censored game), `height_top`, `height_average` and
#' `height_bumpiness`. If the log has heights, `well_column`, `well_depth`, `well_tied` and
#' `i_dependencies` are always present. The limit of `max_rows` depends only on row totals, so it is
#' not biased towards short or long games.
#' @section Studies:
#' A `tetrastat_study` is a folder of `tetrastat study`, or any folder of runs. It has
#' * `conditions`: one row per run: `label` (a factor that names what distinguishes the run), `dir`
#'   (its folder), its settings and, for a study, its results.
#' * `games`: one row per game of any condition, with the settings of the condition first.
#' * `estimates`: one row per condition whose mean was estimated (`method` of the study file); `NULL`
#'   without such conditions.
#' * `means`: for a study with estimates, one row per complete condition: its mean and interval, and
#'   the `method`, `"play"` or `"estimate"`.
#' * `contrasts`: the ratio of the means of each pair of conditions of such a study, as [contrast()]
#'   returns it.
#' @section Trainings:
#' A `tetrastat_training` has `features`, `history` (one row per generation) and `population` (one
#' row per candidate, or `NULL`). An unfinished training is read up to its last checkpoint.
#' @section Estimates:
#' A `tetrastat_estimate` of `tetrastat estimate` has `levels`, `replications` and `heights`.
#' @section Published tables:
#' A `tetrastat_reproduction` of `tetrastat study reproduce:NAME` has `measured` (one row per
#' complete condition) and `published` (one row per published number: `ratio` of tetrastat's mean to
#' it, and the verdicts `verdict`, `verdict_rounded`, which allows for rounding, and
#' `verdict_adjusted`, which also adjusts for the number of comparisons).
#' @section Rollouts:
#' A `tetrastat_rollouts` of `tetrastat label` has `boards` and `candidates`.
#' @examples
#' read_tetrastat(example_run("games"))
#' read_tetrastat(example_run("study"))
#' read_tetrastat(example_run("training"))
#' @export
read_tetrastat <- function(path, ...) {
  if (!is.character(path) || length(path) != 1) fail("read_tetrastat() reads one folder; to read several: lapply(folders, read_tetrastat)")
  if (!file.exists(path)) check_run_dir(path)
  read <- if (!dir.exists(path) || !is.na(table_file(path, "reproduced"))) read_reproduction
    else if (!is.na(history_file(path))) read_training
    else if (is_estimate(path)) read_estimate
    else if (!is.na(table_file(path, "rollouts"))) read_labels
    else if (is_run_dir(path) && is.na(table_file(path, "estimates"))) read_run
    else read_study
  given <- list(...)
  unknown <- setdiff(if (is.null(names(given))) rep("", length(given)) else names(given), setdiff(names(formals(read)), c("dir", "path")))
  if (length(unknown) > 0) fail("read_tetrastat() of ", path, " has no argument ", unknown[1], nearest_words(unknown[1], names(formals(read))))
  read(path, ...)
}

# Returns a run; reads it if `x` is its folder. `...` are arguments of read_run().
as_run <- function(x, ...) as_read(x, "run", read_run, ...)

# Returns a study; reads it if `x` is its folder.
as_study <- function(x) as_read(x, "study", read_study)

as_read <- function(x, kind, read, ...) {
  if (inherits(x, paste0("tetrastat_", kind))) return(x)
  if (is.character(x) && length(x) == 1) return(read(x, ...))
  fail("expected a ", kind, ", as read_tetrastat() returns it, or its folder, not ", kind_words(x))
}

# Returns the runs of a run, of a study, of folders or of a list of runs and folders, as a list whose names
# are the labels that distinguish them. `...` are arguments of read_run().
as_runs <- function(x, ...) {
  if (inherits(x, "tetrastat_run")) return(set_names(list(x), x$name))
  if (inherits(x, "tetrastat_study")) return(labelled_runs(x$conditions, ...))
  if (is.character(x) && is.null(names(x))) return(labelled_runs(read_conditions(x), ...))
  if (is.data.frame(x) || !(is.list(x) || is.character(x)) || length(x) == 0) {
    fail("expected runs, a study or folders, not ", kind_words(x))
  }
  runs <- lapply(x, as_run, ...) # map() would wrap errors
  set_names(runs, make.unique(run_names(runs), sep = " "))
}

labelled_runs <- function(conditions, ...) {
  if (nrow(conditions) == 0) fail("the study has no games: its conditions were estimated; use contrast()")
  Map(\(dir, label) {
    run <- read_run(dir, ...)
    run$name <- label
    run
  }, set_names(conditions$dir, conditions$label), as.character(conditions$label))
}

# Returns the folders of a run, a study, an estimate, or of a list of these.
folders_of <- function(x) {
  dirs <- if (is.character(x)) x
    else if (is.character(x$dir)) x$dir
    else if (is.list(x) && !is.data.frame(x)) lapply(x, \(one) if (is.character(one)) one else if (is.list(one)) one$dir)
  if (length(dirs) == 0 || any(map_lgl(dirs, is.null))) fail("expected runs, a study, estimates or their folders, not ", kind_words(x))
  unlist(dirs, use.names = FALSE)
}

# Names a wrong argument.
kind_words <- function(x) {
  if (is.data.frame(x)) return("a data frame: give the run that it is from")
  if (is.character(x)) return(paste(length(x), "strings"))
  class <- class(x)[1]
  paste(if (grepl("^[aeiou]", class)) "an" else "a", class)
}
