# Shares and means by group, with intervals clustered by game.

#' Shares by group with confidence intervals clustered by game
#'
#' Returns the share of rows for which a condition holds, or the mean of a number, by group. The rows
#' of one game depend on each other, so the intervals treat the games as the sample. Python's
#' `tetrastat.share()` gives the same numbers.
#'
#' The share is the ratio estimator \eqn{\sum y_g / \sum n_g}{sum(y_g) / sum(n_g)} over games g, with
#' \eqn{y_g} true rows of \eqn{n_g} rows. Its variance is
#' \eqn{m / (m - 1) \sum (y_g - r n_g)^2 / (\sum n_g)^2}{m / (m - 1) * sum((y_g - r * n_g)^2) / sum(n_g)^2}
#' for the m games that have rows of the group, where r is the share (Cochran 1977, *Sampling
#' Techniques*, section 6.4). The intervals use the t distribution with m - 1 degrees of freedom.
#' Those of shares are computed on the logit scale, so that they stay between 0 and 1.
#'
#' @param x A run, a study, the folder of either, or a list of these, for their placements; or a table of placements,
#'   such as [tiny]. Several runs have the column `run`.
#' @param value An expression of columns of `x` that is logical (shares) or numeric (means), with one
#'   value per row. Rows where it is `NA` are left out.
#' @param by A character vector: columns whose values define the groups. Default: the groups of a
#'   grouped data frame, or all rows as one group.
#' @param game A string: column with the number of the game. Games of several conditions with the
#'   same number share their pieces, so they count as one game.
#' @return A tibble with one row per group: the columns of `by`, `share` (`mean` for numbers), `low`
#'   and `high` (95 % interval; `NA` for fewer than 2 games or a spread of 0), `rows`, `games`.
#' @examples
#' run <- read_tetrastat(example_run("games"))
#' run$placements$last20 <- run$placements$to_end < 20
#' share(run, piece %in% c("S", "Z"), by = "last20")
#' share(run$placements, holes, by = "piece")
#' @export
share <- function(x, value, by = dplyr::group_vars(x), game = "game") {
  table <- if (is.data.frame(x)) x else by_run(x, placements_of)
  if (missing(by) && !is.data.frame(x)) by <- character()
  check_columns_of(table, c(by, game), "placements")
  table <- ungroup(table)
  values <- rlang::eval_tidy(rlang::enquo(value), table)
  if (!is.logical(values) && !is.numeric(values)) fail("value must be logical or numeric, not ", class(values)[1])
  if (length(values) != nrow(table)) fail("value must have one value per row (", nrow(table), "), not ", length(values))
  name <- if (is.logical(values)) "share" else "mean"
  own <- intersect(by, c("share", "mean", "low", "high", "rows", "games"))
  if (length(own) > 0) fail("the result has a column ", own[1], " of its own; rename the column of by")
  sums <- mutate(select(table, all_of(by)), .game = table[[.env$game]], .value = as.numeric(.env$values)) |>
    filter(!is.na(.data$.value)) |>
    group_by(across(all_of(c(by, ".game")))) |>
    summarise(.total = sum(.data$.value), .rows = n(), .groups = "drop")
  sums |>
    group_by(across(all_of(by))) |>
    summarise(ratio_interval(.data$.total, .data$.rows, .env$name), .groups = "drop")
}

# Returns the ratio estimate with its interval, from the sum and the number of rows of each game.
ratio_interval <- function(total, rows, name) {
  games <- length(rows)
  ratio <- sum(total) / sum(rows)
  error <- sqrt(games / (games - 1) * sum((total - ratio * rows)^2)) / sum(rows)
  half <- if (is.finite(error) && error > 0) qt(0.975, games - 1) * error else NA_real_
  ends <- if (name == "mean") ratio + c(-1, 1) * half else plogis(qlogis(ratio) + c(-1, 1) * half / (ratio * (1 - ratio)))
  tibble(!!name := ratio, low = ends[1], high = ends[2], rows = sum(rows), games = games)
}
