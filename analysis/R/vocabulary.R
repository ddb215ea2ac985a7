# One vocabulary for the tables of all games.

# What the tables of guideline games call otherwise: name = name in the file.
common <- list(
  games = c(end_reason = "outcome", points = "score"),
  placements = c(column = "x_left", landing_row = "y_low", orientation = "rot", lost = "lock_out", candidates = "n_moves",
                 well_column = "well_col", parity_column = "parity_col", i_dependencies = "n_dep3", points = "score",
                 score = "value", rank2_score = "value_2nd", next_piece = "next1", time_ms = "sim_time_ms")
)

common_names <- function(table) common[[table]]

#' The names of columns, here and in the files
#'
#' Classic games and guideline games name the same thing in two ways in their files. [read_run()] and
#' [read_placements()] use one name for one thing; this table says which name stands in the file.
#'
#' @return A tibble: `table`, `variable` (the name here), `in_file` (the name in tables of guideline games).
#' @examples
#' vocabulary()
#' @export
vocabulary <- function() bind_rows(map(common, \(names) tibble(variable = names(names), in_file = unname(names))), .id = "table")

# A table of a guideline run under the common names; another as it is. A `score` of the file is `points` before
# `value` becomes `score`.
as_common <- function(rows, table = NULL) {
  if (is.null(table)) return(rows)
  names <- common_names(table)
  at <- match(names(rows), names)
  set_names(rows, if_else(is.na(at), names(rows), names(names)[at]))
}

# The names in the file of the columns asked for by either name.
file_names <- function(columns, table, header) {
  if (is.null(columns)) return(NULL)
  names <- common_names(table)
  guideline <- any(setdiff(names, c("score")) %in% header)
  if (!guideline) return(columns)
  at <- match(columns, names(names))
  unname(if_else(is.na(at), columns, names[at]))
}
