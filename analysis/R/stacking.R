# Stacking vocabulary: where the well is, how long it stays, whether left and right differ.

#' Names of the X-Y patterns by well column: X columns left of the well and Y right of it
#' ("0-9" is a well at the left wall of a board 10 wide, "9-0" at the right one).
xy_pattern <- function(column, width) {
  levels <- paste0(seq_len(width) - 1, "-", width - seq_len(width))
  factor(levels[column + 1], levels)
}

#' The mirror image of a well column.
mirror_column <- function(column, width) width - 1L - column

#' Rows with one deepest well: no ties, so that "leftmost" favours no side.
untied_wells <- function(placements) filter(placements, !is.na(.data$deepest), !.data$deepest_tied)

#' How alike the well column is `lag` placements later within a game, by lag:
#' tibble(lag, agreement, chance), chance = agreement of independent draws.
well_memory <- function(placements, every = 1, lags = c(1, 2, 5, 10, 20, 50, 100, 200)) {
  share <- proportions(table(placements$deepest))
  n <- nrow(placements)
  agreement <- map_dbl(lags, \(lag) {
    if (lag >= n) return(NA_real_)
    now <- seq_len(n - lag)
    same <- placements$game[now] == placements$game[now + lag]
    mean((placements$deepest[now] == placements$deepest[now + lag])[same], na.rm = TRUE)
  })
  tibble(lag = lags * every, agreement, chance = sum(share^2))
}

#' The smallest lag at which wells have forgotten: agreement within `slack` of chance.
forgetting_lag <- function(memory, slack = 0.01) {
  settled <- which(memory$agreement - memory$chance < slack)
  if (length(settled) == 0) max(memory$lag) else memory$lag[settled[1]]
}

#' Counts of the well columns among placements `spacing` pieces apart (close to independent):
#' tibble(column, pattern, n, share, low, high), with Wilson 95 % intervals.
well_counts <- function(placements, width, spacing = 1) {
  column <- untied_wells(filter(placements, .data$piece_no %% spacing == 0))$deepest
  n <- tabulate(column + 1L, width)
  bind_cols(tibble(column = seq_len(width) - 1L, pattern = xy_pattern(seq_len(width) - 1L, width), n),
            wilson_interval(n, sum(n)))
}

#' Wilson 95 % interval of a share.
wilson_interval <- function(x, n, z = qnorm(0.975)) {
  share <- x / n
  centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  tibble(share, low = centre - half, high = centre + half)
}

#' Chi-square test of the well columns against uniform, with Cohen's w as the size of the effect;
#' NA with fewer than five expected wells a column.
uniform_test <- function(counts) {
  n <- sum(counts$n)
  if (n < 5 * nrow(counts)) return(tibble(n, chi_square = NA_real_, df = nrow(counts) - 1, p = NA_real_,
      w = NA_real_))
  test <- chisq.test(counts$n)
  tibble(n, chi_square = unname(test$statistic), df = unname(test$parameter), p = test$p.value,
         w = sqrt(unname(test$statistic) / n))
}

#' Exact binomial test of each well column against its mirror image, p by Holm over the pairs:
#' tibble(pattern, mirror, left, right, share_left, low, high, p).
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

#' Shannon entropy of counts, 0 = one well for ever, 1 = each column alike (freeform).
normalised_entropy <- function(n) {
  share <- n[n > 0] / sum(n)
  -sum(share * log(share)) / log(length(n))
}

#' Freeform entropy of each game: tibble(game, wells, entropy, main_well, main_share), for games
#' with at least `min_wells` placements that leave one deepest well.
freeform_entropy <- function(placements, width, min_wells = 100) {
  untied_wells(placements) |>
    group_by(.data$game) |>
    summarise(
      wells = n(), entropy = normalised_entropy(tabulate(.data$deepest + 1L, width)),
      main_well = which.max(tabulate(.data$deepest + 1L, width)) - 1L,
      main_share = max(tabulate(.data$deepest + 1L, width)) / n(), .groups = "drop"
    ) |>
    filter(.data$wells >= min_wells)
}

#' Runs of placements with the same well column within a game: tibble(game, column, length,
#' censored), censored = cut off by the end of the game. NA wells break a run.
well_spells <- function(placements) {
  well <- placements$deepest
  key <- paste(placements$game, if_else(is.na(well), -1L, well))
  run <- rle(key)
  last <- cumsum(run$lengths)
  next_game <- placements$game[pmin(last + 1, nrow(placements))]
  tibble(game = placements$game[last], column = well[last], length = run$lengths,
         censored = last == nrow(placements) | next_game != placements$game[last]) |>
    filter(!is.na(.data$column))
}

#' Stacking statistics of a run: list(memory, spacing, counts, uniform, mirror, pooled, entropy,
#' spells).
stacking <- function(placements, every = 1) {
  width <- ncol(height_matrix(placements[1, ]))
  memory <- well_memory(placements, every)
  spacing <- forgetting_lag(memory)
  counts <- well_counts(placements, width, spacing)
  list(memory = memory, spacing = spacing, counts = counts, uniform = uniform_test(counts),
       mirror = mirror_test(counts), pooled = tibble(entropy = normalised_entropy(counts$n)), entropy = freeform_entropy(placements, width),
       spells = summarise(well_spells(placements), spells = n(), mean_length = mean(.data$length)))
}
