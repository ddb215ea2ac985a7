# Rollouts: how dangerous boards are, what placements were worth; and near misses, of the log itself.

#' Read rollouts
#'
#' What `tetrastat rollout --from RUN` has written: from boards of a log the controller played many games on, each cut off
#' after a horizon of pieces. The r-th game from every board was dealt the same pieces, so that boards are compared without
#' luck, and their rows are not independent.
#'
#' @param dir The folder.
#' @return A `tetrastat_rollouts`, a list with `name`, `dir`, `manifest`, `horizon`, and tibbles with the columns of
#'   [code_book()]: `boards` (`p_death` with its interval, `lines_mean`, ...) and `candidates` (`NULL` without `--regret`).
#'   It has `print()`, `summary()` (a row for each height of the stack), `tidy()` and `autoplot()`. `decision_regret()` gives a row for each
#'   decision: the candidates' `least` chance of death below the chosen one's, with the candidate that has it. The least of
#'   many estimates is too low by chance; its own interval says whether it is more than that.
#' @examples
#' rollouts <- read_rollouts(example_run("rollout"))
#' summary(rollouts)
#' decision_regret(rollouts)
#' @export
read_rollouts <- function(dir) {
  if (is.na(table_file(dir, "rollouts"))) fail("no rollouts table in ", dir, "; make one: tetrastat rollout --from RUN --out ", dir)
  manifest <- read_manifest(dir)
  structure(list(name = manifest$config$play$controller$name %||% basename(normalizePath(dir)), dir = dir, manifest = manifest,
      horizon = manifest$config$horizon, boards = read_table(dir, "rollouts"), candidates = read_table(dir, "rollout_candidates")),
    class = "tetrastat_rollouts")
}

#' @rdname read_rollouts
#' @param rollouts What `read_rollouts()` has read.
#' @export
decision_regret <- function(rollouts) {
  if (is.null(rollouts$candidates)) fail("no candidates in ", rollouts$dir, "; roll out again with --regret")
  rollouts$candidates |>
    group_by(.data$game, .data$piece_no) |>
    summarise(candidates = n(), p_chosen = .data$p_death[.data$chosen], best = .data$candidate[which.min(.data$death_difference)],
        least = min(.data$death_difference), high = .data$death_difference_high[which.min(.data$death_difference)], .groups = "drop")
}

#' @rdname tetrastat-methods
#' @export
print.tetrastat_rollouts <- function(x, ...) {
  cat("<rollouts> ", x$name, ": ", tidy_number(nrow(x$boards)), " boards, ", tidy_number(x$boards$replicates[1]), " games of at most ", tidy_number(x$horizon),
      " pieces from each\n  chance of death: ", tidy_number(mean(x$boards$p_death)), " (mean of the boards), ", tidy_number(max(x$boards$p_death)), " (most)\n", sep = "")
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_rollouts <- function(object, ...) {
  rlang::check_dots_empty()
  object$boards |>
    group_by(.data$height) |>
    summarise(boards = n(), p_death = mean(.data$p_death), least = min(.data$p_death), most = max(.data$p_death), lines_mean = mean(.data$lines_mean))
}

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_rollouts <- function(x, ...) {
  rlang::check_dots_empty()
  transmute(x$boards, term = paste0("game ", .data$game, ", piece ", .data$piece_no), estimate = .data$p_death, conf.low = .data$p_death_low, conf.high = .data$p_death_high)
}

#' @rdname tetrastat-methods
#' @export
autoplot.tetrastat_rollouts <- function(object, ...) {
  rlang::check_dots_empty()
  figure_danger(object)
}

# How dangerous boards are, by the height of their stack; a point each, and the mean of each height.
figure_danger <- function(rollouts) {
  means <- summary(rollouts)
  plot <- ggplot(rollouts$boards, aes(.data$height, .data$p_death)) +
    geom_linerange(aes(ymin = .data$p_death_low, ymax = .data$p_death_high), colour = calm, alpha = 0.25, position = spread_boards()) +
    geom_point(colour = calm, alpha = 0.7, size = 1.6, position = spread_boards()) +
    geom_line(data = means, colour = accent, linewidth = 0.9) + geom_point(data = means, colour = accent, size = 2.4) +
    scale_x_continuous(breaks = whole_breaks()) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = paste("How dangerous is a board, within", tidy_number(rollouts$horizon), "pieces?"), subtitle = "Blue: a board with its 95 % interval; orange: mean of the boards of a height",
         x = "height of the stack (rows)", y = "chance of death") +
    theme_tetrastat()
  most <- slice_max(rollouts$boards, .data$p_death, n = 1, with_ties = FALSE)
  figure(plot, 8, 4.8, paste0("n = ", tidy_number(nrow(rollouts$boards)), " boards, ", tidy_number(rollouts$boards$replicates[1]), " games of ", rollouts$name,
      " from each, on the same pieces from board to board. Wilson intervals."), "Chance of death by height of the stack, a point for each board",
    paste0("The most dangerous board (game ", most$game, ", piece ", most$piece_no, ") kills in ", percent_labels(most$p_death), " of the games within ",
        tidy_number(rollouts$horizon), " pieces."))
}

# The same sideways shift for a board's point and its interval.
spread_boards <- function() ggplot2::position_jitter(width = 0.3, height = 0, seed = 1)

#' Near misses: excursions above a height, and how they ended
#'
#' A game that ends is high before its end; so are games that get away. Who asks what kills must compare the two: an
#' excursion is a row of placements that leave the stack at least so high, and it ends with the game (`"death"`), below the
#' height (`"recovery"`), or with what was logged (`"cut off"`).
#'
#' @param run A run of classic games with placements, all of them logged, as [read_run()] reads it.
#' @param height Rows; by default three below the top.
#' @return A tibble with a row for each excursion: `game`, `from` and `to` (`piece_no`), `placements`, `peak` (its greatest
#'   height), `end` (factor), and the columns of the placement at which it began, but for those.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   run <- simulate_games("lee", games = 20, board = "10x10", max_pieces = "none", placements = "csv")
#'   table(near_misses(run, 7)$end)
#' }
#' @export
near_misses <- function(run, height = NULL) {
  if (is.null(run$placements) || !"height_top" %in% names(run$placements)) fail("near misses need placements with heights; play again with --placements csv.gz")
  if (run$logged$every > 1) fail("near misses need every placement; play again without --every")
  board <- run$manifest$config$board
  if (is.null(height)) height <- as.numeric(sub(".*x", "", board)) - 3
  steps <- run$placements |>
    left_join(select(run$games, "game", "pieces", game_cut = "censored"), by = "game") |>
    group_by(.data$game) |>
    mutate(above = .data$height_top >= height, excursion = cumsum(.data$above & !lag(.data$above, default = FALSE))) |>
    ungroup() |>
    filter(.data$above)
  ends <- c("death", "recovery", "cut off")
  steps |>
    group_by(.data$game, .data$excursion) |>
    mutate(from = first(.data$piece_no), to = last(.data$piece_no), placements = n(), peak = max(0, .data$height_top),
        end = factor(case_when(.data$to < .data$pieces ~ "recovery", .data$game_cut ~ "cut off", TRUE ~ "death"), ends)) |>
    filter(.data$piece_no == .data$from) |>
    ungroup() |>
    select("game", "from", "to", "placements", "peak", "end", everything(), -"above", -"excursion", -"pieces", -"game_cut", -"piece_no")
}
