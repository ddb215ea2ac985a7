# Stacking: position and persistence of the well, and left-right symmetry.

# Returns the X-Y patterns of well columns: X columns left of the well and Y columns right of it
# ("0-9" is a well at the left wall of a board 10 wide, "9-0" one at the right wall).
xy_pattern <- function(column, width) {
  levels <- paste0(seq_len(width) - 1, "-", width - seq_len(width))
  factor(levels[column + 1], levels)
}

# Returns rows with one deepest well. Ties are dropped, so "leftmost" favours no side.
untied_wells <- function(placements) filter(placements, !is.na(.data$well_column), !.data$well_tied)

# Returns the agreement of the well column with that `lag` placements later in the same game:
# tibble(lag, agreement, chance), where chance is the agreement of independent draws.
well_memory <- function(placements, every = 1, lags = c(1, 2, 5, 10, 20, 50, 100, 200)) {
  share <- proportions(table(placements$well_column))
  n <- nrow(placements)
  agreement <- map_dbl(lags, \(lag) {
    if (lag >= n) return(NA_real_)
    now <- seq_len(n - lag)
    same <- placements$game[now] == placements$game[now + lag]
    mean((placements$well_column[now] == placements$well_column[now + lag])[same], na.rm = TRUE)
  })
  tibble(lag = lags * every, agreement, chance = sum(share^2))
}

# Returns the distance between boards whose wells are tested: the smallest lag at which the agreement of
# wells is within `slack` of chance. Without such a lag it is the largest one, or less if a game of
# `longest` pieces then has only one board.
forgetting_lag <- function(memory, longest, slack = 0.01) {
  settled <- which(memory$agreement - memory$chance < slack)
  if (length(settled) > 0) return(memory$lag[settled[1]])
  every <- memory$lag[1]
  min(max(memory$lag), every * ceiling((longest + 1) / 2 / every))
}

# Describes the distances of tests of wells: tibble(run, spacing).
spacing_words <- function(spacing) {
  paste0("Placements between sampled boards: ", each_run(spacing$run, spacing$spacing),
         ", the smallest tested distance at which the wells of a run agree within 1 percentage point of chance. Without such a distance it is the largest one, or one board per game.")
}

# Counts well columns of placements `spacing` pieces apart (nearly independent): tibble(column,
# pattern, n, share, low, high), with Wilson 95 % intervals.
well_counts <- function(placements, width, spacing = 1) {
  column <- untied_wells(filter(placements, .data$piece_no %% spacing == 0))$well_column
  n <- tabulate(column + 1L, width)
  bind_cols(tibble(column = seq_len(width) - 1L, pattern = xy_pattern(seq_len(width) - 1L, width), n),
            wilson_interval(n, sum(n)))
}

# Returns the Wilson 95 % interval of a share.
wilson_interval <- function(x, n, z = qnorm(0.975)) {
  share <- x / n
  centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  tibble(share, low = centre - half, high = centre + half)
}

# Counts boards by well column, without ties and shallow wells.
count_wells <- function(heights) {
  well <- deepest_well(heights)
  as.numeric(tabulate(well$column[!is.na(well$column) & !well$tied] + 1L, ncol(heights)))
}

# Shuffles the columns of each board.
shuffle_columns <- function(heights) {
  n <- nrow(heights)
  width <- ncol(heights)
  matrix(as.vector(heights)[order(rep(seq_len(n), width), runif(n * width))], n, byrow = TRUE)
}

# Tests the wells of boards against the same boards with shuffled columns. The rows of `heights`
# must be far enough apart to be independent. Walls are part of this null distribution: a column at
# a wall has only one neighbour, so chance alone puts about twice as many wells there. Returns
# list(test, expected). `test` has the chi-square of the shares, its permutation p-value (at least 1
# / (replicates + 1)) and Cohen's w as effect size (NA with fewer than five expected wells per
# column); `expected` is the expected share of each column.
order_test <- function(heights, replicates = 200, seed = 1) {
  counts <- count_wells(heights)
  n <- sum(counts)
  none <- tibble(n, chi_square = NA_real_, p = NA_real_, w = NA_real_, replicates)
  if (n == 0) return(list(test = none, expected = rep(NA_real_, ncol(heights))))
  drawn <- with_seed(seed, vapply(seq_len(replicates), \(i) count_wells(shuffle_columns(heights)), numeric(ncol(heights))))
  shares <- sweep(drawn, 2, pmax(colSums(drawn), 1), "/")
  expected <- rowMeans(shares)
  if (any(expected * n < 5)) return(list(test = none, expected = expected))
  distance <- \(shares) sum((shares - expected)^2 / expected)
  here <- distance(counts / n)
  list(test = tibble(n, chi_square = n * here, p = (1 + sum(apply(shares, 2, distance) >= here)) / (replicates + 1), w = sqrt(here), replicates), expected = expected)
}

# Formats the p-value of a permutation test. The smallest possible value, 1 / (replicates + 1), is
# shown as a bound.
permutation_p <- function(p, replicates) if_else(coalesce(p <= 1 / (replicates + 1), FALSE), paste("p <=", formatC(1 / (replicates + 1), digits = 2, format = "g", width = 1)), tidy_p(p))

# Returns at most `most` rows, evenly spaced.
spread_rows <- function(rows, most) if (nrow(rows) <= most) rows else rows[round(seq(1, nrow(rows), length.out = most)), ]

# Tests each well column against its mirror image (exact binomial), with p Holm-adjusted over the
# pairs: tibble(pattern, mirror, left, right, share_left, low, high, p).
mirror_test <- function(counts) {
  width <- nrow(counts)
  pair <- seq_len(width %/% 2)
  rows <- map(pair, \(i) {
    left <- counts$n[i]
    right <- counts$n[width + 1 - i]
    if (left + right == 0) return(NULL)
    test <- binom.test(left, left + right)
    tibble(pattern = counts$pattern[i], mirror = counts$pattern[width + 1 - i], left, right,
           share_left = unname(test$estimate), low = test$conf.int[1], high = test$conf.int[2], p = test$p.value)
  })
  rows <- bind_rows(rows)
  if (nrow(rows) == 0) rows else mutate(rows, p = p.adjust(.data$p, "holm"))
}

# Returns the normalised Shannon entropy of counts: 0 = always the same well, 1 = all columns
# equally often (freeform).
normalised_entropy <- function(n) {
  share <- n[n > 0] / sum(n)
  -sum(share * log(share)) / log(length(n))
}

# Returns the freeform entropy of each game with at least `min_wells` untied wells: tibble(game,
# wells, entropy, main_well, main_share).
freeform_entropy <- function(placements, width, min_wells = 100) {
  untied_wells(placements) |>
    group_by(.data$game) |>
    summarise(
      wells = n(), entropy = normalised_entropy(tabulate(.data$well_column + 1L, width)),
      main_well = which.max(tabulate(.data$well_column + 1L, width)) - 1L,
      main_share = max(tabulate(.data$well_column + 1L, width)) / n(), .groups = "drop"
    ) |>
    filter(.data$wells >= min_wells)
}

# Measures freeform ("Korean") stacking, which keeps no fixed well: tibble(measure, estimate, low,
# high, chance) with 95 % intervals over games.
# - `entropy`: entropy of the well columns of boards `spacing` placements apart, 0 to 1, corrected
#   for few wells (Miller 1955, "Note on the bias of information estimates"). The standard error is
#   that of a bootstrap over games. `chance` is the entropy of the same boards with shuffled columns.
# - `run`: mean number of placements for which the well stays in its column, from the share of
#   placements after which it stays (ratio over games). `chance` is that of independent wells. It is
#   NA if the log is thinned, because changes between its boards are unknown.
freeform_stacking <- function(placements, width, every, spacing, expected, seed = 1) {
  wells <- untied_wells(placements)
  apart <- filter(wells, .data$piece_no %% spacing == 0)
  by_game <- unclass(table(apart$game, factor(apart$well_column, seq_len(width) - 1L)))
  corrected <- function(counts) {
    n <- colSums(counts)
    bias <- (colSums(counts > 0) - 1) / (2 * n * log(width))
    pmin(1, apply(counts, 2, normalised_entropy) + bias)
  }
  if (sum(by_game) == 0) return(well_runs(wells, every, width))
  entropy <- corrected(cbind(colSums(by_game)))
  drawn <- with_seed(seed, stats::rmultinom(400, nrow(by_game), rep(1, nrow(by_game))))
  error <- if (nrow(by_game) < 2) NA_real_ else sd(corrected(crossprod(by_game, drawn)), na.rm = TRUE)
  reach <- qnorm(0.975) * error
  chance <- if (anyNA(expected)) NA_real_ else normalised_entropy(expected)
  bind_rows(tibble(measure = "entropy", estimate = entropy, low = pmax(0, entropy - reach),
                   high = pmin(1, entropy + reach), chance),
            well_runs(wells, every, width))
}

# Returns the row `run` of freeform_stacking().
well_runs <- function(wells, every, width) {
  none <- tibble(measure = "run", estimate = NA_real_, low = NA_real_, high = NA_real_, chance = NA_real_)
  if (every != 1 || nrow(wells) < 2) return(none)
  now <- seq_len(nrow(wells) - 1)
  follows <- wells$game[now] == wells$game[now + 1] & wells$piece_no[now + 1] - wells$piece_no[now] == 1
  stays <- follows & wells$well_column[now] == wells$well_column[now + 1]
  pairs <- tapply(follows, wells$game[now], sum)
  same <- tapply(stays, wells$game[now], sum)
  if (length(pairs) < 2 || sum(pairs) == 0) return(none)
  stay <- sum(same) / sum(pairs)
  error <- sqrt(sum((same - stay * pairs)^2) * length(pairs) / (length(pairs) - 1)) / sum(pairs)
  ends <- pmin(pmax(stay + c(-1, 1) * qt(0.975, length(pairs) - 1) * error, 0), 1)
  share <- proportions(tabulate(wells$well_column + 1L, width))
  tibble(measure = "run", estimate = 1 / (1 - stay), low = 1 / (1 - ends[1]),
         high = 1 / (1 - ends[2]), chance = 1 / (1 - sum(share^2)))
}

#' Position of the well
#'
#' Analyses the column of the deepest well. The boards are far enough apart (`spacing`) to be nearly
#' independent, and boards with tied wells are dropped.
#'
#' @param x A run of classic or guideline games with placements, or its folder. The log needs the heights
#'   `h0`, `h1`, ....
#' @return A `tetrastat_stacking`, a list with the methods of [model-methods]:
#' * `memory`: a tibble with one row per lag, the agreement of the well column after so many
#'   placements.
#' * `spacing`: a number, the placements between the boards that are used.
#' * `counts`: a tibble with one row per column and X-Y pattern (X columns left of the well, Y right
#'   of it): n, share with Wilson's 95 % interval, and `expected`, the share in the same boards with
#'   shuffled columns.
#' * `order`: the permutation test against boards with shuffled columns.
#' * `mirror`: a tibble with one row per pattern and its mirror image (exact binomial test, p
#'   Holm-adjusted).
#' * `pooled`, `entropy`: freeform entropy of all boards and of each game: 0 = always the same well
#'   column, 1 = all columns equally often.
#' * `freeform`: a tibble with the measures of freeform ("Korean") stacking, which keeps no fixed
#'   well. Its entropy is high and its runs are short. `entropy` is corrected for few wells (Miller
#'   1955). `run` is the mean number of placements for which the well stays in its column; `NA` if the
#'   log is thinned. Both have 95 % intervals over games, and `chance`, the value for shuffled columns
#'   or for independent wells.
#' @examples
#' stacking(example_run("games"))
#' @export
stacking <- function(x) {
  run <- as_run(x)
  stacking_of(placements_of(run, c("game", "piece_no", "h0", "h1")), run$every, run$name)
}

stacking_of <- function(placements, every = 1, name = "run") {
  placements <- with_wells(placements)
  width <- ncol(height_matrix(placements[1, ]))
  memory <- well_memory(placements, every)
  spacing <- forgetting_lag(memory, max(placements$piece_no))
  counts <- well_counts(placements, width, spacing)
  apart <- spread_rows(filter(placements, .data$piece_no %% spacing == 0), 2500) # enough to detect a difference of one percentage point
  order <- order_test(height_matrix(apart))
  structure(list(name = name, memory = memory, spacing = spacing, counts = mutate(counts, expected = order$expected), order = order$test,
                 mirror = mirror_test(counts), pooled = tibble(entropy = normalised_entropy(counts$n)), entropy = freeform_entropy(placements, width),
                 freeform = freeform_stacking(placements, width, every, spacing, order$expected)),
            class = "tetrastat_stacking")
}
