# Pairwise comparison of runs game by game: with the same seed and queue, game i of each run is
# dealt the same pieces.

# Returns the games that two runs share: stream_seed, and lines and censored of each.
common_games <- function(first, second) {
  wanted <- \(games) distinct(select(games, "stream_seed", "lines", "censored"), .data$stream_seed, .keep_all = TRUE)
  inner_join(wanted(first), wanted(second), by = "stream_seed", suffix = c("_1", "_2"))
}

# Returns the ratio of the mean lines of finished games (all lines / finished games) with a
# bootstrap-t of its logarithm over common games, which keeps the pairs together. NA if fewer than
# ten games of either run finished.
paired_ratio <- function(common, level = 0.95, replicates = NULL, seed = 1) {
  if (min(sum(!common$censored_1), sum(!common$censored_2)) < fewest_ends) {
    return(tibble(ratio = NA_real_, low = NA_real_, high = NA_real_))
  }
  first <- from_mean(common$lines_1, common$censored_1)
  second <- from_mean(common$lines_2, common$censored_2)
  ends <- studentised(nrow(common), \(index) {
    one <- mean_of(first, index)
    other <- mean_of(second, index)
    means <- c(first$mean + one$change, second$mean + other$change)
    change <- log(means[1] / first$mean) - log(means[2] / second$mean)
    c(change, sum((one$influence / means[1] - other$influence / means[2])^2))
  }, level, replicates, seed)
  ratio <- first$mean / second$mean
  tibble(ratio, low = ratio * exp(ends[1]), high = ratio * exp(ends[2]))
}

# Returns the share of common seeds on which the first run's game clears more lines, with the exact
# interval and the sign test. Only decided games count: no ties, and the game with fewer lines
# finished.
paired_wins <- function(common) {
  known <- with(common, (lines_1 > lines_2 & !censored_2) | (lines_2 > lines_1 & !censored_1))
  wins <- sum(common$lines_1[known] > common$lines_2[known])
  none <- tibble(known = sum(known), share = NA_real_, share_low = NA_real_, share_high = NA_real_, p = NA_real_)
  if (!any(known)) return(none)
  test <- binom.test(wins, sum(known))
  mutate(none, share = unname(test$estimate), share_low = test$conf.int[1], share_high = test$conf.int[2], p = test$p.value)
}

# Returns the correlation of log lines over common games that both finished, which measures the gain
# from common seeds. NA if more than a tenth was censored, since the other games are then the short
# ones.
paired_correlation <- function(common) {
  both <- filter(common, !.data$censored_1, !.data$censored_2)
  if (nrow(both) < max(10, 0.9 * nrow(common))) return(NA_real_)
  suppressWarnings(cor(log1p(both$lines_1), log1p(both$lines_2)))
}

# Compares all pairs of runs that share at least `at_least` games, the run that lasts longer first:
# tibble(first, second, games, ratio, low, high, known, share, share_low, share_high, p,
# correlation), with p Holm-adjusted over the pairs. A run without a finished game counts as the
# longest. The result is empty if no pair shares games.
paired_comparison <- function(games, at_least = 10) {
  runs <- levels(droplevels(games$run))
  if (length(runs) < 2 || !"stream_seed" %in% names(games)) return(tibble())
  strength <- map_dbl(set_names(runs), \(name) {
    own <- filter(games, .data$run == name)
    if (any(!own$censored)) exponential_fit(own)$mean else Inf
  })
  compare <- function(pair) {
    pair <- pair[order(-strength[pair])]
    common <- common_games(filter(games, .data$run == pair[1]), filter(games, .data$run == pair[2]))
    if (nrow(common) < at_least) return(NULL)
    bind_cols(tibble(first = pair[1], second = pair[2], games = nrow(common)), paired_ratio(common, seed = run_seed(filter(games, .data$run == pair[1]))),
              paired_wins(common), tibble(correlation = paired_correlation(common)))
  }
  rows <- bind_rows(map(combn(runs, 2, simplify = FALSE), compare))
  if (nrow(rows) == 0) rows else mutate(rows, p = p.adjust(.data$p, "holm"))
}
