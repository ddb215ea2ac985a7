# How long games last. The unit is one game; a censored game's lines are a lower bound.

#' Kaplan-Meier estimate of the survival of games in lines, with a 95 % log-log band.
#' tibble(lines, survival, low, high, censored, at_risk), from survival 1 at 0 lines.
kaplan_meier <- function(games) {
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log")
  tibble(lines = c(0, fit$time), survival = c(1, fit$surv), low = c(1, fit$lower), high = c(1, fit$upper),
         censored = c(0, fit$n.censor), at_risk = c(fit$n, fit$n.risk))
}

#' Mean lines of a finished game for exponential lifetimes: all lines / games that ended, with the
#' exact 95 % interval from 2 T / theta ~ chi-square (Epstein & Sobel 1953). With no game ended
#' only the lower bound exists, one-sided. Assumes a constant risk per line.
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

#' The same mean with a bootstrap over games (percentile interval); NA below five ended games.
#' Without censoring it assumes only that games are independent.
bootstrap_mean <- function(games, level = 0.95, replicates = 2000, seed = 1) {
  if (sum(!games$censored) < 5) return(tibble(boot_low = NA_real_, boot_high = NA_real_))
  rate <- function(data, index) sum(data$lines[index]) / sum(!data$censored[index])
  sample <- with_seed(seed, boot::boot(games, rate, R = replicates))
  bounds <- quantile(sample$t[is.finite(sample$t)], c((1 - level) / 2, (1 + level) / 2), names = FALSE)
  tibble(boot_low = bounds[1], boot_high = bounds[2])
}

#' Weibull shape with a 95 % interval: 1 = constant risk, above 1 = risk grows with lines, below 1
#' = it falls. A check of the exponential fit; NA with fewer than five ended games.
weibull_shape <- function(games) {
  none <- tibble(shape = NA_real_, shape_low = NA_real_, shape_high = NA_real_)
  if (sum(!games$censored) < 5) return(none)
  fit <- survival::survreg(survival::Surv(pmax(lines, 0.5), !censored) ~ 1, data = games, dist = "weibull")
  error <- sqrt(fit$var["Log(scale)", "Log(scale)"])
  tibble(shape = 1 / fit$scale, shape_low = shape * exp(-1.96 * error), shape_high = shape * exp(1.96 * error))
}

#' One row of lifetime statistics for a games table.
lifetimes <- function(games) {
  bind_cols(exponential_fit(games), bootstrap_mean(games), weibull_shape(games),
            tibble(median = km_median(games), longest = max(games$lines)))
}

#' Median lines by Kaplan-Meier; NA when fewer than half of the games are known to have ended.
km_median <- function(games) {
  curve <- kaplan_meier(games)
  curve$lines[match(TRUE, curve$survival <= 0.5)]
}

#' How games ended: end_reason, games, share.
end_reasons <- function(games) {
  count(games, .data$end_reason, name = "games") |> mutate(share = .data$games / sum(.data$games))
}
