# Game length. The unit is one game; the lines of a censored game are a lower bound.

#' Game length with confidence intervals
#'
#' `lifetimes()` estimates how many lines games last. `kaplan_meier()` returns their survival curve.
#' Both account for censored games, whose lines are a lower bound. The unit is one game.
#'
#' @section Censored games:
#' With censored games, the mean of finished games and both of its intervals assume a constant
#' hazard. If `constant_p` is small, the coverage of both intervals is below the nominal level. For
#' a hazard that falls with lines, and half of the games censored, the bootstrap-t interval covers
#' the true mean in 89 % (50 games) or 79 % (200 games) of samples.
#'
#' Use the restricted mean then. `rmst` is the mean number of lines up to `rmst_limit` and needs no
#' assumption about the hazard ([compare_runs()] compares it with `measure = "rmst"`). If all games
#' finished, the bootstrap-t interval needs no constant hazard.
#'
#' @param games A data frame of games with the columns `lines` and `censored`. Each group of a
#'   grouped data frame is analysed separately.
#' @param level A number between 0 and 1: confidence level of the intervals (default: 95 %).
#' @return Both functions return the rows of each group, with the grouping columns first, if `games`
#'   is grouped.
#'
#' `kaplan_meier()` returns a `tetrastat_km`, a tibble with the methods of [model-methods] and one row
#' per distinct number of lines, from survival 1 at 0 lines: `lines`, `survival` (Kaplan-Meier estimate), `low`, `high` (log-log band), `censored`
#' (games censored at this number), `at_risk`.
#'
#' `lifetimes()` returns a tibble with one row:
#' * `games`, `ended`, `total`: number of games, number of finished games, lines of all games.
#' * `mean`: mean lines of a finished game (all lines / finished games), with its exact interval for
#'   exponential lifetimes, `low` and `high`. If no game finished, `low` is a one-sided lower bound
#'   and `high` is `Inf`.
#' * `boot_low`, `boot_high`: bootstrap-t interval of the mean over games; `NA` with fewer than ten
#'   finished games. If `games` has the columns `game` and `stream_seed`, it equals the interval of
#'   the engine, because both use the run's seed.
#' * `shape`, `shape_low`, `shape_high`: Weibull shape with its interval; 1 means a constant hazard.
#' * `constant_p`: p-value of the Cox-Oakes test of a constant hazard.
#' * `median`, `median_low`, `median_high`: median of survfit with its interval.
#' * `longest`: lines of the longest game.
#' * `rmst`, `rmst_low`, `rmst_high`: restricted mean up to `rmst_limit` lines, the lines of the
#'   longest game, with its interval.
#' @examples
#' games <- read_run(example_run("games"))$games
#' lifetimes(games)
#' kaplan_meier(games)
#' read_study(example_run("study"))$games |> dplyr::group_by(label) |> lifetimes()
#' @export
kaplan_meier <- function(games, level = 0.95) {
  check_columns_of(games, c("lines", "censored"), "games")
  if (is_grouped_df(games)) return(as_curves(each_group(games, kaplan_meier, level = level)))
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log", conf.int = level)
  as_curves(tibble(lines = c(0, fit$time), survival = c(1, fit$surv), low = c(1, fit$lower), high = c(1, fit$upper),
         censored = c(0, fit$n.censor), at_risk = c(fit$n, fit$n.risk)))
}

# Adds the class of Kaplan-Meier curves.
as_curves <- function(rows) {
  class(rows) <- unique(c("tetrastat_km", class(rows)))
  rows
}

# Returns the result of `what` for each group of a grouped table, with the grouping columns first.
each_group <- function(rows, what, ...) ungroup(group_modify(rows, \(own, key) what(own, ...)))

# Returns the mean lines of a finished game for exponential lifetimes: all lines / finished games,
# with the exact 95 % interval from 2 T / theta ~ chi-square (Epstein & Sobel 1953). If no game
# finished, only the one-sided lower bound exists. Assumes a constant hazard per line.
exponential_fit <- function(games, level = 0.95) {
  total <- sum(games$lines)
  played <- nrow(games)
  ended <- sum(!games$censored)
  tail <- (1 - level) / 2
  if (ended == 0) {
    return(tibble(games = played, ended = 0L, total, mean = NA_real_,
                  low = total / -log(1 - level), high = Inf))
  }
  tibble(games = played, ended, total, mean = total / ended,
         low = 2 * total / qchisq(1 - tail, 2 * ended + 2 * (ended < played)),
         high = 2 * total / qchisq(tail, 2 * ended))
}

# Smallest number of finished games for a bootstrap interval; fewer games say too little about their
# spread.
fewest_ends <- 10

# Returns the distances of the limits of a bootstrap-t interval (Efron & Tibshirani 1993, section
# 12.5) from the estimate of `n` games. `look(index)` returns c(change, squares) of a resample: the
# difference of its estimate from that of all games, and the sum of squared influences.
#
# A percentile interval of few games is too narrow: for 10 exponential lifetimes it covers 87 %
# instead of 95 %. A tenth of a game with the variance of the sample is added to stabilise each
# resample. The engine does the same (src/runs/stats/intervals/bootstrap.rs, which has the measured coverage)
# and uses the same resamples, so the intervals are equal.
studentised <- function(n, look, level = 0.95, replicates = NULL, seed = 1, help = 0.1) {
  variance <- look(seq_len(n))[2] / (n - 1)
  if (variance == 0) return(c(0, 0))
  replicates <- replicates %||% min(2000, max(200, 40e6 %/% n)) # as many as in the engine
  games <- matrix(bootstrap_draws(seed, n * replicates, n) + 1, n)
  drawn <- sort(vapply(seq_len(replicates), \(i) {
    seen <- look(games[, i])
    seen[1] / sqrt((seen[2] + help * variance) / (n - 1 + help) / n)
  }, 0))
  tails <- drawn[floor((replicates - 1) * c((1 + level) / 2, (1 - level) / 2) + 0.5) + 1]
  -tails * sqrt(variance / n)
}

# Returns the mean lines of finished games, and the deviation of each game from it.
from_mean <- function(lines, censored) {
  ended <- as.numeric(!censored)
  mean <- sum(lines) / sum(ended)
  list(mean = mean, beyond = lines - mean * ended, ended = ended)
}

# Returns the difference between the mean of some games and that of all, and the influence of each
# game (delta method).
mean_of <- function(sample, index) {
  count <- max(sum(sample$ended[index]), 1)
  change <- sum(sample$beyond[index]) / count
  list(change = change, influence = (sample$beyond[index] - change * sample$ended[index]) * length(index) / count)
}

# Returns the bootstrap-t interval of the mean over games; NA with fewer than ten finished games.
# Without censoring it assumes only that games are independent. With censoring the logarithm of the
# mean is resampled.
bootstrap_mean <- function(games, level = 0.95, replicates = NULL, seed = run_seed(games)) {
  if (sum(!games$censored) < fewest_ends) return(tibble(boot_low = NA_real_, boot_high = NA_real_))
  sample <- from_mean(games$lines, games$censored)
  cut <- any(games$censored)
  ends <- studentised(nrow(games), \(index) {
    seen <- mean_of(sample, index)
    mean <- sample$mean + seen$change
    if (cut) c(log(mean / sample$mean), sum((seen$influence / mean)^2)) else c(seen$change, sum(seen$influence^2))
  }, level, replicates, seed)
  bounds <- if (cut) sample$mean * exp(ends) else pmax(sample$mean + ends, 0)
  tibble(boot_low = bounds[1], boot_high = bounds[2])
}

# Returns the Weibull shape with a 95 % interval, a check of the exponential fit: 1 = constant
# hazard, above 1 = the hazard rises with lines, below 1 = it falls. NA with fewer than five
# finished games.
weibull_shape <- function(games, level = 0.95) {
  none <- tibble(shape = NA_real_, shape_low = NA_real_, shape_high = NA_real_)
  if (sum(!games$censored) < 5) return(none)
  fit <- survival::survreg(survival::Surv(pmax(lines, 0.5), !censored) ~ 1, data = games, dist = "weibull")
  error <- sqrt(fit$var["Log(scale)", "Log(scale)"])
  reach <- qnorm((1 + level) / 2)
  tibble(shape = 1 / fit$scale, shape_low = .data$shape * exp(-reach * error), shape_high = .data$shape * exp(reach * error))
}

#' @rdname kaplan_meier
#' @export
lifetimes <- function(games, level = 0.95) {
  check_columns_of(games, c("lines", "censored"), "games")
  if (is_grouped_df(games)) return(each_group(games, lifetimes, level = level))
  bind_cols(exponential_fit(games, level), bootstrap_mean(games, level), weibull_shape(games, level), tibble(constant_p = cox_oakes_p(games)),
            median_lines(games, level), tibble(longest = max(games$lines)), restricted_mean(games, level))
}

# Returns the mean lines up to the longest game, which needs no assumption about the hazard (the
# area under the Kaplan-Meier curve): rmst, rmst_low, rmst_high (Greenwood's variance, t),
# rmst_limit.
restricted_mean <- function(games, level = 0.95) {
  limit <- max(games$lines)
  none <- tibble(rmst = NA_real_, rmst_low = NA_real_, rmst_high = NA_real_, rmst_limit = limit)
  if (nrow(games) < 2 || limit <= 0) return(none)
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games)
  found <- summary(fit, rmean = limit)$table[c("rmean", "se(rmean)")]
  reach <- qt((1 + level) / 2, nrow(games) - 1) * found[[2]]
  mutate(none, rmst = found[[1]], rmst_low = max(0, .data$rmst - reach), rmst_high = min(limit, .data$rmst + reach))
}

# Returns the median lines of survfit with its log-log interval; NA if too few games are known to
# have finished.
median_lines <- function(games, level = 0.95) {
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log", conf.int = level)
  found <- quantile(fit, 0.5)
  tibble(median = unname(found$quantile), median_low = unname(found$lower), median_high = unname(found$upper))
}

# Returns the two-sided p-value of the score test of Weibull shape 1 with observed information (Cox
# & Oakes 1984, section 3.7), as in the engine's `compare`: with y = lines / mean, U = d + sum of ln
# y over finished games - sum of y ln y. NA with fewer than ten finished games.
cox_oakes_p <- function(games) 2 * pnorm(-abs(cox_oakes(games)))

cox_oakes <- function(games) {
  ended <- sum(!games$censored)
  if (ended < fewest_ends) return(NA_real_)
  lines <- pmax(games$lines, 0.5)
  y <- lines * ended / sum(lines)
  score <- ended + sum(log(y[!games$censored])) - sum(y * log(y))
  score / sqrt(ended + sum(y * log(y)^2) - sum(y * log(y))^2 / ended)
}

# Counts the reasons why games ended: end_reason, games, share.
end_reasons <- function(games) {
  count(games, .data$end_reason, name = "games") |> mutate(share = .data$games / sum(.data$games))
}
