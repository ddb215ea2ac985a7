# Resting positions of pieces, and score margins.

# Counts the cells that each piece fills before full rows are removed: tibble(piece, x, y, n,
# share), where `share` is relative to the cells of the piece.
piece_heat <- function(placements) {
  placed <- count(placements, .data$piece, .data$orientation, .data$column, .data$landing_row, name = "times")
  inner_join(placed, piece_cells(), by = c("piece", "orientation")) |>
    mutate(x = .data$column + .data$dx, y = .data$landing_row + .data$dy) |>
    count(.data$piece, .data$x, .data$y, wt = .data$times) |>
    group_by(.data$piece) |>
    mutate(share = .data$n / sum(.data$n)) |>
    ungroup() |>
    complete(.data$piece, x = full_seq(.data$x, 1), y = full_seq(.data$y, 1), fill = list(n = 0, share = 0))
}

# Returns the empirical distribution of the margin over the runner-up, near the end of a game (the
# last `near` placements) and otherwise: tibble(when, margin, share). `share` is the share of
# margins up to that size, at `points` margins from 0 (exact ties) to the 98 % quantile of all. Bins
# are avoided because the scores of many controllers are sums of few weights, and bins that do not
# match these sums create artefacts.
margin_distribution <- function(placements, near = 100, points = 500) {
  rows <- with_when(placements, near)
  if (nrow(rows) == 0) return(tibble())
  at <- seq(0, max(quantile(rows$margin, 0.98, names = FALSE), .Machine$double.eps), length.out = points)
  bind_rows(map(split(rows$margin, rows$when, drop = TRUE), \(margins) tibble(margin = at, share = ecdf(margins)(at))),
      .id = "when")
}

# Returns placements with a margin, and whether they are near the end of a game.
with_when <- function(placements, near) {
  filter(placements, !is.na(.data$margin)) |>
    mutate(when = if_else(coalesce(.data$to_end < near, FALSE), "near the end", "otherwise"))
}

# Returns ties and medians of the margin: tibble(when, n, ties, median).
margin_summary <- function(placements, near = 100) {
  with_when(placements, near) |>
    group_by(.data$when) |>
    summarise(n = n(), ties = mean(.data$margin == 0), median = median(.data$margin), .groups = "drop")
}
