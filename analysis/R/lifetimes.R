# How long games last. The unit is one game; a censored game's lines are a lower bound.

#' How long games last
#'
#' The unit is one game; a censored game's lines are a lower bound.
#'
#' @section Games that were cut off:
#' If games were cut off (censored), the mean of finished games and both of its intervals assume a constant hazard. If
#' `constant_p` is small, the coverage of both intervals is below the nominal level. With half of the games cut off and a
#' hazard that falls with lines, the bootstrap-t interval covers the true mean in 89 % (50 games) and 79 % (200 games).
#' Use the restricted mean then: `rmst` is the mean number of lines up to `rmst_limit`. It needs no assumption about the
#' hazard ([compare_runs()] compares it with `measure = "rmst"`). If all games ended, the bootstrap-t interval needs no
#' constant hazard.
#'
#' @param games A table of games with `lines` and `censored`. Each group of a grouped table is computed separately.
#' @param level Confidence level of the intervals.
#' @return `kaplan_meier()` returns tibble(lines, survival, low, high, censored, at_risk), the Kaplan-Meier estimate with
#'   its log-log band, from survival 1 at 0 lines. `lifetimes()` returns one row with `mean`, the mean lines of a
#'   finished game (all lines / games that ended), its exact interval for exponential lifetimes (`low`, `high`; if no
#'   game ended, the one-sided lower bound), the bootstrap-t interval over games (`boot_low`, `boot_high`; from ten
#'   ended games on; the engine's own, by the random numbers of the run's seed, where `games` has the columns `game` and
#'   `stream_seed`), the Weibull `shape` with its interval (1 = constant hazard), the p-value of the Cox-Oakes test of
#'   a constant hazard (`constant_p`), survfit's `median` with its interval, the `longest` game, and the restricted mean
#'   `rmst` with its interval (`rmst_low`, `rmst_high`) up to `rmst_limit` lines, the longest game. Intervals are at `level` (95 %). Both return the rows of each group behind its
#'   keys if `games` is grouped.
#' @examples
#' games <- read_run(example_run("games"))$games
#' lifetimes(games)
#' kaplan_meier(games)
#' read_study(example_run("study"))$games |> dplyr::group_by(label) |> lifetimes()
#' @export
kaplan_meier <- function(games, level = 0.95) {
  check_columns_of(games, c("lines", "censored"), "games")
  if (is_grouped_df(games)) return(each_group(games, kaplan_meier, level = level))
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log", conf.int = level)
  tibble(lines = c(0, fit$time), survival = c(1, fit$surv), low = c(1, fit$lower), high = c(1, fit$upper),
         censored = c(0, fit$n.censor), at_risk = c(fit$n, fit$n.risk))
}

# Returns the result of `what` for each group of a grouped table, with the groups' keys as the first columns.
each_group <- function(rows, what, ...) ungroup(group_modify(rows, \(own, key) what(own, ...)))

# Mean lines of a finished game for exponential lifetimes: all lines / games that ended, with the
# exact 95 % interval from 2 T / theta ~ chi-square (Epstein & Sobel 1953). With no game ended
# only the lower bound exists, one-sided. Assumes a constant risk per line.
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

# Games that ended below which there is no bootstrap interval: few games say too little of their own spread.
fewest_ends <- 10

# How far the ends of a bootstrap-t interval (Efron & Tibshirani 1993, section 12.5) lie from the estimate
# of `n` games. `look(index)` gives c(change, squares) of some of them: how far their estimate lies from
# that of all, and the sum of their squared influences on it. A percentile interval of few games is too narrow:
# of 10 exponential lifetimes it covers 87 % instead of 95 %. As in the engine (src/runs/stats/intervals/bootstrap.rs,
# which has the measured coverage), a tenth of a game of the sample's variance stabilises each resample. The resamples
# equal the engine's, so the interval of the same games is the same.
studentised <- function(n, look, level = 0.95, replicates = NULL, seed = 1, help = 0.1) {
  variance <- look(seq_len(n))[2] / (n - 1)
  if (variance == 0) return(c(0, 0))
  replicates <- replicates %||% min(2000, max(200, 40e6 %/% n)) # as many as the engine's
  games <- matrix(bootstrap_draws(seed, n * replicates, n) + 1, n)
  drawn <- sort(vapply(seq_len(replicates), \(i) {
    seen <- look(games[, i])
    seen[1] / sqrt((seen[2] + help * variance) / (n - 1 + help) / n)
  }, 0))
  tails <- drawn[floor((replicates - 1) * c((1 + level) / 2, (1 - level) / 2) + 0.5) + 1]
  -tails * sqrt(variance / n)
}

# The mean lines of finished games, and the games as seen from it.
from_mean <- function(lines, censored) {
  ended <- as.numeric(!censored)
  mean <- sum(lines) / sum(ended)
  list(mean = mean, beyond = lines - mean * ended, ended = ended)
}

# How far the mean of some games lies from that of all, and what each of them does to it (delta method).
mean_of <- function(sample, index) {
  count <- max(sum(sample$ended[index]), 1)
  change <- sum(sample$beyond[index]) / count
  list(change = change, influence = (sample$beyond[index] - change * sample$ended[index]) * length(index) / count)
}

# The same mean with a bootstrap-t over games; NA below ten ended games. Without censoring it assumes
# only that games are independent; with it the logarithm of the mean is resampled.
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

# Weibull shape with a 95 % interval: 1 = constant risk, above 1 = risk grows with lines, below 1
# = it falls. A check of the exponential fit; NA with fewer than five ended games.
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

# Returns the mean lines up to the longest game (the area under the Kaplan-Meier curve), which needs no assumption about
# the hazard: rmst, rmst_low, rmst_high (Greenwood's variance, t), rmst_limit.
restricted_mean <- function(games, level = 0.95) {
  limit <- max(games$lines)
  none <- tibble(rmst = NA_real_, rmst_low = NA_real_, rmst_high = NA_real_, rmst_limit = limit)
  if (nrow(games) < 2 || limit <= 0) return(none)
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games)
  found <- summary(fit, rmean = limit)$table[c("rmean", "se(rmean)")]
  reach <- qt((1 + level) / 2, nrow(games) - 1) * found[[2]]
  mutate(none, rmst = found[[1]], rmst_low = max(0, .data$rmst - reach), rmst_high = min(limit, .data$rmst + reach))
}

# Median lines as survfit has it, with its interval (log-log); NA when too few games are known to have ended.
median_lines <- function(games, level = 0.95) {
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log", conf.int = level)
  found <- quantile(fit, 0.5)
  tibble(median = unname(found$quantile), median_low = unname(found$lower), median_high = unname(found$upper))
}

# Two-sided p of the score test of Weibull shape 1 with observed information (Cox & Oakes 1984, section 3.7), as the
# engine's `compare` has it: with y = lines / mean, U = d + sum over ends of ln y - sum of y ln y. NA below ten ends.
cox_oakes_p <- function(games) 2 * pnorm(-abs(cox_oakes(games)))

cox_oakes <- function(games) {
  ended <- sum(!games$censored)
  if (ended < fewest_ends) return(NA_real_)
  lines <- pmax(games$lines, 0.5)
  y <- lines * ended / sum(lines)
  score <- ended + sum(log(y[!games$censored])) - sum(y * log(y))
  score / sqrt(ended + sum(y * log(y)^2) - sum(y * log(y))^2 / ended)
}

# How games ended: end_reason, games, share.
end_reasons <- function(games) {
  count(games, .data$end_reason, name = "games") |> mutate(share = .data$games / sum(.data$games))
}
