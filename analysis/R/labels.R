# Rollouts, which estimate the danger of boards and the value of placements; and near misses, from
# the log alone.

#' Methods of rollouts
#'
#' Results of a folder of `tetrastat label --from RUN`, which [read_tetrastat()] reads. From boards of a log, the controller played
#' many games, each censored after a horizon of pieces. The r-th game from every board was dealt the
#' same pieces, so differences between boards are not due to luck. For the same reason the rows of
#' the boards are not independent.
#'
#' @return Rollouts are a `tetrastat_rollouts`, a list with `name`, `dir`, `manifest`,
#'   `horizon` and two tibbles with the columns of [code_book()]. `boards` has one row per board
#'   (`p_death` with its interval, `lines_mean`, ...). `candidates` has one row per candidate, or is
#'   `NULL` without `--regret`.
#'
#' `summary()` returns one row per height of the stack, and `tidy()` one row per board: the probability of
#' death with its 95 % interval. `autoplot()` draws them. The other results need `--regret`:
#'
#' `tidy(of = "decisions")` returns what other placements would have been worth, one row per decision:
#' * `game`, `piece_no`: the decision.
#' * `candidates`: number of candidates.
#' * `p_chosen`: probability of death after the chosen candidate.
#' * `best`: the candidate with the lowest probability of death.
#' * `least`: its probability of death minus that of the chosen candidate.
#' * `high`: upper limit of the 95 % interval of this difference.
#'
#' The minimum of many estimates is biased downwards; `high` shows whether the difference is more
#' than chance.
#'
#' `tidy(other = )` answers who is right where two controllers disagree. The games that the first
#' controller played on after each candidate judge; of `other` only the choices count. Exchange both to learn
#' whether the other one as a judge agrees. It has one row per decision:
#' * `game`, `piece_no`, `piece`: the decision.
#' * `agree`: `TRUE` if both choose the same placement.
#' * `death_difference`, `low`, `high`: probability of death after the other's choice minus that
#'   after the own choice, on equal pieces, with its 95 % interval; 0 if they agree.
#' * `better`: `"own"` or `"other"` if this interval excludes 0, else `"unclear"`; `NA` if they
#'   agree.
#'
#' `glance(other = )` returns one row: decisions; `share`, the share of decisions that differ; the mean
#' `death_difference` of these, with its 95 % interval `low` and `high` clustered by game; and the
#' counts of `better`. `glance()` without `other` returns counts and the mean probability of death.
#' @examples
#' labels <- read_tetrastat(example_run("rollout"))
#' summary(labels)
#' tidy(labels, of = "decisions")
#' glance(labels, other = labels) # a controller agrees with itself
#' @name rollouts
NULL

read_labels <- function(dir) {
  if (is.na(table_file(dir, "rollouts"))) fail("no rollouts table in ", dir, "; create one: tetrastat label --from RUN --out ", dir)
  manifest <- read_manifest(dir)
  structure(list(name = manifest$config$play$controller$name %||% basename(normalizePath(dir)), dir = dir, manifest = manifest,
      horizon = manifest$config$horizon, boards = read_table(dir, "rollouts"), candidates = read_table(dir, "rollout_candidates")),
    class = "tetrastat_rollouts")
}

# Returns the candidates of labels, or fails if there are none.
labelled_candidates <- function(labels) {
  if (!inherits(labels, "tetrastat_rollouts")) fail("other must be rollouts, as read_tetrastat() returns them, not a ", class(labels)[1])
  labels$candidates %||% fail("no candidates in ", labels$dir, "; run tetrastat label again with --regret")
}

decision_regret <- function(labels) {
  labelled_candidates(labels) |>
    group_by(.data$game, .data$piece_no) |>
    summarise(candidates = n(), p_chosen = .data$p_death[.data$chosen], best = .data$candidate[which.min(.data$death_difference)],
        least = min(.data$death_difference), high = .data$death_difference_high[which.min(.data$death_difference)], .groups = "drop")
}

disagreement <- function(labels, other) {
  placed <- c("game", "piece_no", "piece", "orientation", "column")
  judge <- labelled_candidates(labels)
  choices <- filter(labelled_candidates(other), .data$chosen)[placed]
  found <- inner_join(choices, select(judge, all_of(placed), agree = "chosen", "death_difference",
      low = "death_difference_low", high = "death_difference_high"), by = placed)
  if (nrow(found) != sum(judge$chosen) || nrow(choices) != nrow(found)) {
    fail("the labels are of different boards; run both with the same --from and --every")
  }
  select(found, -"orientation", -"column") |>
    mutate(better = factor(case_when(.data$agree ~ NA_character_, .data$low > 0 ~ "own", .data$high < 0 ~ "other",
        TRUE ~ "unclear"), c("own", "other", "unclear")))
}

#' @export
print.tetrastat_rollouts <- function(x, ...) {
  cat("<rollouts> ", x$name, ": ", tidy_number(nrow(x$boards)), " boards, ", tidy_number(x$boards$replicates[1]), " games of at most ", tidy_number(x$horizon),
      " pieces from each\n  probability of death: ", tidy_number(mean(x$boards$p_death)), " (mean of the boards), ", tidy_number(max(x$boards$p_death)), " (maximum)\n", sep = "")
  invisible(x)
}

#' @rdname rollouts
#' @export
summary.tetrastat_rollouts <- method_of_object(\(object) object$boards |>
    group_by(.data$height) |>
    summarise(boards = n(), p_death = mean(.data$p_death), least = min(.data$p_death), most = max(.data$p_death), lines_mean = mean(.data$lines_mean)))

#' @rdname rollouts
#' @param x,object Rollouts, as [read_tetrastat()] returns them.
#' @param of A string: `"boards"` or `"decisions"`.
#' @param other Other rollouts with candidates, on the same boards (`--from` and
#'   `--every`), or `NULL`.
#' @param ... Not used; further arguments are an error.
#' @export
tidy.tetrastat_rollouts <- function(x, of = c("boards", "decisions"), other = NULL, ...) {
  rlang::check_dots_empty()
  of <- match.arg(of)
  if (!is.null(other)) return(disagreement(x, other))
  if (of == "decisions") return(decision_regret(x))
  transmute(x$boards, term = paste0("game ", .data$game, ", piece ", .data$piece_no), estimate = .data$p_death, conf.low = .data$p_death_low, conf.high = .data$p_death_high)
}

#' @rdname rollouts
#' @export
glance.tetrastat_rollouts <- function(x, other = NULL, ...) {
  rlang::check_dots_empty()
  if (is.null(other)) return(tibble(boards = nrow(x$boards), replicates = x$boards$replicates[1], horizon = x$horizon, p_death = mean(x$boards$p_death)))
  rows <- disagreement(x, other)
  by_game <- group_by(filter(rows, !.data$agree), .data$game) |>
    summarise(sum = sum(.data$death_difference), n = n())
  found <- if (nrow(by_game) > 0) clustered_mean(by_game$sum, by_game$n) else tibble(mean = NA_real_, low = NA_real_, high = NA_real_)
  bind_cols(tibble(decisions = nrow(rows), share = mean(!rows$agree), death_difference = found$mean),
            found[c("low", "high")], as_tibble_row(c(table(rows$better))))
}

#' @rdname rollouts
#' @export
autoplot.tetrastat_rollouts <- method_of_object(figure_danger)

# Draws the probability of death by the height of the stack: a point per board, and the mean of each
# height.
figure_danger <- function(rollouts) {
  means <- summary(rollouts)
  plot <- ggplot(rollouts$boards, aes(.data$height, .data$p_death)) +
    geom_linerange(aes(ymin = .data$p_death_low, ymax = .data$p_death_high), colour = calm, alpha = 0.25, position = spread_boards()) +
    geom_point(colour = calm, alpha = 0.7, size = 1.6, position = spread_boards()) +
    geom_line(data = means, colour = accent, linewidth = 0.9) + geom_point(data = means, colour = accent, size = 2.4) +
    scale_x_continuous(breaks = whole_breaks()) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = paste("Probability of death within", tidy_number(rollouts$horizon), "pieces"), subtitle = "Blue: one board with its 95 % CI; orange: mean of the boards of a height",
         x = "height of the stack (rows)", y = "probability of death") +
    theme_tetrastat()
  most <- slice_max(rollouts$boards, .data$p_death, n = 1, with_ties = FALSE)
  figure(plot, 8, 4.8, paste0("n = ", tidy_number(nrow(rollouts$boards)), " boards, ", tidy_number(rollouts$boards$replicates[1]), " games of ", rollouts$name,
      " from each board, with the same pieces for all boards. Wilson 95 % CI."), "Probability of death by height of the stack, one point per board",
    paste0("From the most dangerous board (game ", most$game, ", piece ", most$piece_no, "), ", percent_labels(most$p_death), " of the games end within ",
        tidy_number(rollouts$horizon), " pieces."))
}

# Shifts a board's point and its interval sideways by the same amount.
spread_boards <- function() ggplot2::position_jitter(width = 0.3, height = 0, seed = 1)

#' Near misses: excursions above a height
#'
#' Lists excursions of the stack above a height, and how they ended. Games that end are high before
#' their end, but many excursions are survived. An analysis of causes of death must compare the two.
#'
#' An excursion is a sequence of placements that leave the stack at least `height` rows high. It
#' ends with the game (`"death"`), below the height (`"recovery"`), or with a censored game (`"cut
#' off"`).
#'
#' @param x A run of classic games in which every placement was logged, a study, the folder of either, or a
#'   list of these.
#' @param height A number of rows. Default: three rows below the top of the board.
#' @return A tibble with one row per excursion (several runs have the column `run` first): `game`; `from` and `to` (`piece_no`); `placements`;
#'   `peak` (greatest height); `end` (a factor); and further columns of the placement at which it
#'   began.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   run <- simulate_games("lee", games = 20, board = "10x10", max_pieces = "none", placements = "csv")
#'   table(near_misses(run, 7)$end)
#' }
#' @export
near_misses <- function(x, height = NULL) {
  if (!is.null(height)) check_count(height, "height")
  by_run(x, \(run) excursions(run, height))
}

excursions <- function(run, height) {
  placements <- placements_of(run, c("game", "piece_no", "height_top"))
  if (run$every > 1) fail("near misses need every placement; run the simulation again without --every")
  board <- run$manifest$config$board
  if (is.null(height)) height <- as.numeric(sub(".*x", "", board)) - 3
  steps <- placements |>
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
