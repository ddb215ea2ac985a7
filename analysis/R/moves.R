# Where pieces go and how clear the choice was.

#' Heat map of the cells that each piece comes to fill, before rows are removed:
#' tibble(piece, x, y, n, share), share of the piece's cells.
piece_heat <- function(placements) {
  placed <- count(placements, .data$piece, .data$orientation, .data$column, .data$landing_row, name = "times")
  inner_join(placed, piece_cells(), by = c("piece", "orientation")) |>
    mutate(x = .data$column + .data$dx, y = .data$landing_row + .data$dy) |>
    count(.data$piece, .data$x, .data$y, wt = .data$times) |>
    group_by(.data$piece) |>
    mutate(share = .data$n / sum(.data$n)) |>
    ungroup()
}

#' Histogram of the margin over the runner-up, near a game's end (the last `near` placements) and
#' otherwise: tibble(when, margin, n, share). Exact ties have their own bin at 0; `bins` others
#' reach up to the 98 % quantile of all margins, and the last one holds what lies above.
margin_histogram <- function(placements, near = 100, bins = 50) {
  rows <- filter(placements, !is.na(.data$margin))
  if (nrow(rows) == 0) return(tibble())
  top <- max(quantile(rows$margin, 0.98, names = FALSE), .Machine$double.eps)
  bin <- if_else(rows$margin == 0, 0, pmin(ceiling(rows$margin / top * bins), bins + 1))
  tibble(when = if_else(coalesce(rows$to_end < near, FALSE), "near the end", "otherwise"), bin) |>
    count(.data$when, .data$bin) |>
    group_by(.data$when) |>
    mutate(share = .data$n / sum(.data$n), margin = pmax(.data$bin - 0.5, 0) * top / bins) |>
    ungroup()
}

#' Ties and medians of the margin: tibble(when, n, ties, median).
margin_summary <- function(placements, near = 100) {
  placements |>
    filter(!is.na(.data$margin)) |>
    group_by(when = if_else(coalesce(.data$to_end < near, FALSE), "near the end", "otherwise")) |>
    summarise(n = n(), ties = mean(.data$margin == 0), median = median(.data$margin), .groups = "drop")
}
