# Board features: their usual level, and their course before the end of a game.

# Board measures that this package computes, with their labels in figures.
board_measures <- c(
  height_top = "highest column (rows)", height_average = "mean height (rows)", height_bumpiness = "bumpiness (rows)",
  well_depth = "deepest well (rows)", i_dependencies = "I-dependencies (columns)"
)

# Features that are equivalent to a measure of this package.
same_measures <- c(max_height = "height_top", mean_height = "height_average", aggregate_height = "height_average",
                   bumpiness = "height_bumpiness")

# Returns features by the number of placements before the end of an uncensored game: tibble(feature,
# to_end, games, low, middle, high) with the mean and the 10 % and 90 % quantiles over games. In a
# log of every K-th placement each point is a span of K placements (`to_end` is its middle). Each
# game has one placement in it, so all points use the same games.
trajectories <- function(placements, features, horizon = 150, every = 1) {
  rows <- placements |>
    filter(.data$to_end < floor(horizon / every) * every) |>
    transmute(to_end = floor(.data$to_end / every) * every + (every - 1) / 2, across(all_of(features)))
  pivot_longer(rows, all_of(features), names_to = "feature") |>
    group_by(.data$feature, .data$to_end) |>
    summarise(games = n(), low = quantile(.data$value, 0.1), middle = mean(.data$value),
              high = quantile(.data$value, 0.9), .groups = "drop")
}

# Returns the usual level of features: mean and SD over placements at least `horizon` before an end
# (or in censored games); tibble(feature, mean, sd), NA if there is no such placement.
usual_levels <- function(placements, features, horizon = 150) {
  far <- filter(placements, is.na(.data$to_end) | .data$to_end >= horizon)
  tibble(feature = features, mean = map_dbl(far[features], mean), sd = map_dbl(far[features], sd))
}

# Returns features ordered by their change at the end, in usual SDs (largest first). If no usual
# level is known, the unit is the SD of the mean curve.
moving_features <- function(trajectory, usual) {
  if (all(is.na(usual$mean))) {
    usual <- group_by(trajectory, .data$feature) |>
      summarise(mean = .data$middle[which.max(.data$to_end)], sd = sd(.data$middle))
  }
  trajectory |>
    filter(.data$to_end <= max(10, min(.data$to_end))) |>
    group_by(.data$feature) |>
    summarise(end = mean(.data$middle), .groups = "drop") |>
    inner_join(usual, by = "feature") |>
    filter(.data$sd > 0) |>
    arrange(desc(abs(.data$end - .data$mean) / .data$sd)) |>
    pull("feature")
}

# Returns the height distribution of each column: tibble(column, height, n, share).
height_profile <- function(placements) {
  heights <- height_matrix(placements)
  bind_rows(map(seq_len(ncol(heights)), \(column) {
    n <- tabulate(heights[, column] + 1L)
    tibble(column = column - 1L, height = seq_along(n) - 1L, n, share = n / sum(n))
  }))
}

# Returns mean and SD of each column of a `height_profile()`.
profile_means <- function(profile) {
  profile |>
    group_by(.data$column) |>
    summarise(mean = sum(.data$share * .data$height),
              sd = sqrt(sum(.data$share * .data$height^2) - sum(.data$share * .data$height)^2), .groups = "drop")
}
