# Checks of the assumption that lines per game are exponential, on which the intervals of means
# rest. The unit is a game.

# Returns the games of conditions with at least `least` finished games that are not all of the same
# length. `games` has the columns table, name, lines, censored and mean, the mean of the condition.
telling_games <- function(games, least = 3) {
  group_by(games, .data$name) |>
    filter(sum(!.data$censored) >= least, n_distinct(.data$lines) > 1) |>
    ungroup()
}

# Returns one row per condition: games, ended, mean (of the reproduction), longest, and the Weibull
# shape with its 95 % interval (1 = exponential).
exponential_summary <- function(games) {
  summarise_by_name(games, \(own) bind_cols(tibble(games = nrow(own), ended = sum(!own$censored), mean = own$mean[1], longest = max(own$lines)), weibull_shape(own)))
}

# Returns the Kaplan-Meier curve of each condition (columns of `kaplan_meier()`), and its log scale:
# `scaled` = lines / mean, and `hazard` = -log(survival) with `hazard_low` and `hazard_high`. For
# exponential games `hazard` equals `scaled`.
survival_curves <- function(games) {
  summarise_by_name(games, \(own) {
    mutate(plain(survival_curve(own)), scaled = .data$lines / own$mean[1], hazard = -log(.data$survival), hazard_low = -log(.data$high), hazard_high = -log(.data$low))
  })
}

# Returns the exponential curve with the same mean, up to the longest game of each condition of
# `exponential_summary()`.
exponential_curves <- function(summary, points = 101) {
  bind_rows(pmap(summary[c("table", "name", "mean", "longest")], \(table, name, mean, longest) {
    lines <- seq(0, longest, length.out = points)
    tibble(table, name, lines, survival = exp(-lines / mean))
  }))
}

# Applies `what` to the games of each condition; the first columns of the result are table and name.
summarise_by_name <- function(games, what) {
  group_by(games, .data$table, .data$name) |> group_modify(\(own, key) what(own)) |> ungroup()
}
