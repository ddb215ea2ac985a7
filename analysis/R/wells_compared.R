# Tests of well positions between runs, and against what follows.

#' Compare the wells of runs
#'
#' Tests whether runs stack differently: the columns of their deepest wells, for each pair of runs
#' and each X-Y pattern (X columns left of the well, Y columns right of it).
#'
#' Boards with tied wells are dropped. `low`, `high` and `p` belong to the difference of two shares
#' ([stats::prop.test()]). The boards of these shares are nearly independent: they are as far apart
#' as the run with the longest memory needs ([stacking()]). `all_p` tests all patterns at once: a
#' permutation test of Pearson's chi-square over all boards. It deals the games to the runs at
#' random, so boards of one game may depend on each other.
#'
#' @section Error rates:
#' Two runs of one controller with different seeds do not differ. Of 200 such pairs of runs, each
#' with 60 games of lee, `all_p` was below 0.05 in 9 pairs and the smallest `p` in 6; with
#' 12 games of bcts in each run, in 11 and 4 (10x10, `--every 5`). `p` is cautious, because
#' Holm's method and the correction for continuity are.
#'
#' @param runs A list of runs with placements, as [read_tetrastat()] returns them. The names of a list
#'   become the names of its runs. The boards must have the same width.
#' @return A tibble with one row per pair of runs and pattern:
#' * `first`, `second`, `pattern`, `column`: the runs and the well.
#' * `share_first`, `share_second`, `n_first`, `n_second`: share of boards with this well, and
#'   number of boards.
#' * `difference`, `low`, `high`: difference of the shares with its 95 % interval.
#' * `p`: its p-value, Holm-adjusted over all rows.
#' * `all_p`, `w`: p-value of the test of all patterns, Holm-adjusted over the pairs, and Cohen's
#'   effect size w.
#' @seealso [well_risk()] for what a well is worth, [compare_runs()] for the lines of the runs.
#' @examples
#' runs <- lapply(list.dirs(example_run("sprint"), recursive = FALSE), read_tetrastat)
#' compare_stacking(runs)
#' @noRd
compare_stacking <- function(runs) {
  if (!is.list(runs) || length(runs) < 2 || !all(map_lgl(runs, inherits, "tetrastat_run"))) {
    fail("compare_stacking() needs a list of at least two runs that read_run() returns")
  }
  names <- make.unique(run_names(runs), sep = " ")
  tables <- map(runs, \(run) {
    if (is.null(run$placements)) {
      fail("the run ", run$name, " has no placements; play it again with --placements csv.gz")
    }
    check_columns_of(run$placements, c("game", "piece_no", "h0", "h1"), "placements")
    if ("well_tied" %in% names(run$placements)) run$placements else with_wells(run$placements)
  })
  width <- map_dbl(tables, \(table) ncol(height_matrix(table[1, ])))
  if (n_distinct(width) > 1) fail("the boards have different widths: ", and_words(unique(width)))
  every <- map_dbl(runs, \(run) run$every %||% 1)
  spacing <- max(map2_dbl(tables, every, \(table, every) forgetting_lag(well_memory(table, every))))
  counts <- map(tables, wells_by_game, width[1], spacing)
  all <- map(tables, wells_by_game, width[1], 1)
  wells <- tibble(pattern = xy_pattern(seq_len(width[1]) - 1L, width[1]),
                  column = seq_len(width[1]) - 1L)
  pairs <- combn(seq_along(runs), 2, simplify = FALSE)
  tests <- map(pairs, \(pair) {
    bind_cols(tibble(first = names[pair[1]], second = names[pair[2]]), wells,
              differing_shares(unname(vapply(counts[pair], colSums, numeric(width[1])))),
              same_shares(all[[pair[1]]], all[[pair[2]]]))
  })
  all_p <- p.adjust(map_dbl(tests, \(test) test$all_p[1]), "holm")
  rows <- bind_rows(map2(tests, all_p, \(test, p) mutate(test, all_p = .env$p)))
  mutate(rows, p = p.adjust(.data$p, "holm"))
}

# Counts the wells of boards `spacing` placements apart: one row per game, one column per column.
wells_by_game <- function(placements, width, spacing) {
  rows <- untied_wells(filter(placements, .data$piece_no %% spacing == 0))
  unclass(table(rows$game, factor(rows$well_column, seq_len(width) - 1)))
}

# Tests equal shares of wells in two runs, whose counts have one row per game: all_p, w. The games
# are dealt to the runs at random, so boards of one game may depend on each other.
same_shares <- function(first, second, replicates = 1999) {
  counts <- rbind(first, second)
  counts <- counts[, colSums(counts) > 0, drop = FALSE]
  games <- nrow(first)
  if (ncol(counts) < 2 || min(games, nrow(second)) == 0) {
    return(tibble(all_p = NA_real_, w = NA_real_))
  }
  all <- colSums(counts)
  chi_square <- \(own) { # one row for each way to deal the games
    expected <- outer(rowSums(own), all / sum(all))
    rest <- outer(rep(1, nrow(own)), all) - expected
    rowSums((own - expected)^2 * (1 / expected + 1 / rest))
  }
  draws <- with_seed(1, replicate(replicates, sample(nrow(counts), games)))
  dealt <- matrix(0, replicates, nrow(counts))
  dealt[cbind(rep(seq_len(replicates), each = games), as.vector(draws))] <- 1
  drawn <- chi_square(dealt %*% counts)
  here <- chi_square(t(colSums(counts[seq_len(games), , drop = FALSE])))
  tibble(all_p = (1 + sum(drawn >= here - 1e-9)) / (replicates + 1), w = sqrt(here / sum(all)))
}

# Compares the shares of each row of two columns of counts.
differing_shares <- function(n) {
  total <- colSums(n)
  test <- \(i) {
    none <- tibble(difference = NA_real_, low = NA_real_, high = NA_real_, p = NA_real_)
    if (any(total == 0) || sum(n[i, ]) == 0) return(none)
    found <- suppressWarnings(stats::prop.test(n[i, ], total))
    tibble(difference = -diff(unname(found$estimate)), low = found$conf.int[1],
           high = found$conf.int[2], p = found$p.value)
  }
  bind_cols(tibble(share_first = n[, 1] / total[1], share_second = n[, 2] / total[2],
                   n_first = total[1], n_second = total[2]), bind_rows(map(seq_len(nrow(n)), test)))
}

#' What a well position is worth
#'
#' Answers whether a pattern such as 6-3 pays: boards whose deepest well has this position are
#' compared with all other boards that have one deepest well, by what follows within the next
#' `within` pieces: the end of the game, or a row of four (a Tetris).
#'
#' Each pattern has a logistic regression like that of [death_model()], with periods that do not
#' overlap and standard errors clustered by game. The adjusted odds ratio holds the features
#' `adjust` constant, since high boards have other wells than low ones. Boards were not assigned
#' wells at random, so even the adjusted odds ratio is an association. [compare_runs()] and
#' [compare_runs()] compare controllers that stack differently.
#'
#' @inheritParams death_model
#' @param outcome A string: `"death"`, or `"tetris"` (a placement that removes four rows), which
#'   needs all placements in the log.
#' @param adjust A character vector: columns of `placements` that the adjusted odds ratio holds
#'   constant.
#' @return A tibble with one row per pattern:
#' * `pattern`, `column`: X columns left of the well and Y right of it; column of the well, from 0.
#' * `periods`, `events`: periods that begin with this well, and those in which the outcome follows.
#' * `odds_ratio`, `low`, `high`: odds of the outcome against all other wells, with its 95 %
#'   interval. For deaths, below 1 is safer. `NA` with fewer than five events or five periods
#'   without one.
#' * `p`: its p-value, Holm-adjusted over the patterns.
#' * `adjusted_odds_ratio`, `adjusted_low`, `adjusted_high`, `adjusted_p`: the same with `adjust`
#'   held constant.
#' @section Error rate:
#' On simulated games without an effect of the well, any of the ten patterns has an adjusted p below
#' 0.05 in 10 of 200 samples of 150 games (tests/testthat/test_coverage.R).
#' @examples
#' run <- read_tetrastat(example_run("games"))
#' well_risk(run$placements, run$games, every = run$every)
#' @export
well_risk <- function(placements, games, outcome = c("death", "tetris"), within = 20, every = 1,
                      adjust = c("height_average", "holes")) {
  outcome <- match.arg(outcome)
  check_columns_of(placements, c("game", "piece_no", "h0", "h1", adjust), "placements")
  check_columns_of(games, c("game", "pieces", "censored"), "games")
  check_count(within, "within")
  if (!"well_tied" %in% names(placements)) placements <- with_wells(placements)
  width <- ncol(height_matrix(placements[1, ]))
  placements$well <- replace(placements$well_column, placements$well_tied %in% TRUE, NA)
  rows <- if (outcome == "death") {
    risk_periods(placements, games, c("well", adjust), within, every)
  } else tetris_periods(placements, c("well", adjust), within, every)
  found <- map(seq_len(width) - 1L, \(column) well_odds(rows, column, adjust))
  bind_cols(tibble(pattern = xy_pattern(seq_len(width) - 1L, width), column = seq_len(width) - 1L),
            bind_rows(found)) |>
    mutate(across(c("p", "adjusted_p"), \(p) p.adjust(p, "holm")))
}

# Returns periods as `risk_periods()` does; `dies` is TRUE if a placement of the period removes four
# rows. Periods that the end of the game cuts short are dropped.
tetris_periods <- function(placements, predictors, within, every) {
  check_columns_of(placements, "lines", "placements")
  if (every > 1) fail("outcome = \"tetris\" needs all placements; log them without --every")
  placements <- arrange(placements, .data$game, .data$piece_no)
  so_far <- cumsum(placements$lines == 4)
  later <- match(paste(placements$game, placements$piece_no + within),
                 paste(placements$game, placements$piece_no))
  keep <- placements$piece_no %% within == 0 & !is.na(later) &
    rowSums(is.na(placements[predictors])) == 0
  placements[keep, ] |>
    transmute(.data$game, dies = so_far[later[keep]] > so_far[keep],
              across(all_of(predictors)))
}

# Returns the odds ratio of the outcome for boards with the well in `column` against all others.
well_odds <- function(rows, column, adjust) {
  rows <- mutate(rows, here = as.numeric(.data$well == column))
  events <- sum(rows$dies & rows$here == 1)
  periods <- sum(rows$here)
  counts <- tibble(periods, events)
  none <- set_names(rep(NA_real_, 4), c("odds_ratio", "low", "high", "p"))
  others <- sum(rows$dies) - events
  if (min(events, periods - events, others) < 5) {
    return(bind_cols(counts, as_tibble_row(none),
                     as_tibble_row(set_names(none, paste0("adjusted_", names(none))))))
  }
  odds <- \(predictors) odds_ratios(fit_logistic(predictors, rows), rows$game)[1, names(none)]
  bind_cols(counts, odds("here"), rename_with(odds(c("here", adjust)), \(x) paste0("adjusted_", x)))
}
