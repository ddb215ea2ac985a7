# Whether games are as exponential as the intervals of their means assume. The unit is a game.

# Conditions whose games say something of a distribution: at least `least` ended, and not all at the same line.
# `games` has columns name, lines, censored; the result is a subset of it.
telling_games <- function(games, least = 3) {
  group_by(games, .data$name) |>
    filter(sum(!.data$censored) >= least, n_distinct(.data$lines) > 1) |>
    ungroup()
}

# One row per condition: games, ended, mean (all lines / games that ended), longest, and the Weibull shape with its
# 95 % interval (1 = exponential).
exponential_summary <- function(games) {
  summarise_by_name(games, \(own) {
    bind_cols(tibble(games = nrow(own), ended = sum(!own$censored), mean = sum(own$lines) / sum(!own$censored), longest = max(own$lines)),
              weibull_shape(own))
  })
}

# Kaplan-Meier curves of each condition (columns of `kaplan_meier`), and on the straight scale: `scaled` = lines /
# mean, `hazard` = -log(survival) with `hazard_low` and `hazard_high`. Of exponential games hazard = scaled.
survival_curves <- function(games) {
  summarise_by_name(games, \(own) {
    mean <- sum(own$lines) / sum(!own$censored)
    kaplan_meier(own) |>
      mutate(scaled = .data$lines / mean, hazard = -log(.data$survival), hazard_low = -log(.data$high), hazard_high = -log(.data$low))
  })
}

# The exponential curve of the same mean, up to the longest game of each condition of `exponential_summary`.
exponential_curves <- function(summary, points = 101) {
  bind_rows(pmap(summary[c("table", "name", "mean", "longest")], \(table, name, mean, longest) {
    lines <- seq(0, longest, length.out = points)
    tibble(table, name, lines, survival = exp(-lines / mean))
  }))
}

# Applies `what` to the games of each condition; its rows behind table and name.
summarise_by_name <- function(games, what) {
  group_by(games, .data$table, .data$name) |> group_modify(\(own, key) what(own)) |> ungroup()
}
