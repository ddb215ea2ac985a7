# Runs compared game by game: those of one seed and queue deal game i the same pieces.

# Games that two runs share: stream_seed, and lines and censored of each.
common_games <- function(first, second) {
  wanted <- \(games) distinct(select(games, "stream_seed", "lines", "censored"), .data$stream_seed, .keep_all = TRUE)
  inner_join(wanted(first), wanted(second), by = "stream_seed", suffix = c("_1", "_2"))
}

# Ratio of the mean lines of finished games (all lines / games that ended) with a bootstrap-t of its
# logarithm over common games, which keeps the pairs together; NA below ten games of either that ended.
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

# On how many common seeds the first run's game removes more lines, with the exact interval and
# sign test. Only games whose order is known count: the one with fewer lines ended, no tie.
paired_wins <- function(common) {
  known <- with(common, (lines_1 > lines_2 & !censored_2) | (lines_2 > lines_1 & !censored_1))
  wins <- sum(common$lines_1[known] > common$lines_2[known])
  none <- tibble(known = sum(known), share = NA_real_, share_low = NA_real_, share_high = NA_real_, p = NA_real_)
  if (!any(known)) return(none)
  test <- binom.test(wins, sum(known))
  mutate(none, share = unname(test$estimate), share_low = test$conf.int[1], share_high = test$conf.int[2], p = test$p.value)
}

# Correlation of log lines over the common games that both ended: what common seeds gain. NA when
# more than a tenth was cut off, since the others are then the short games.
paired_correlation <- function(common) {
  both <- filter(common, !.data$censored_1, !.data$censored_2)
  if (nrow(both) < max(10, 0.9 * nrow(common))) return(NA_real_)
  suppressWarnings(cor(log1p(both$lines_1), log1p(both$lines_2)))
}

# Runs (of a `bind_runs` table of games) that share at least `at_least` games, all pairs, the one that lasts longer
# first: tibble(first, second, games, ratio, low, high, known, share, share_low, share_high, p, correlation), p by Holm over
# the pairs. A run that never ended lasts longest. Empty when no pair shares games.
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
