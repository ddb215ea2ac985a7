# Tests whether runs stack differently: the columns of their deepest wells, for each pair of runs and
# each X-Y pattern (X columns left of the well, Y columns right of it).
#
# Boards with tied wells are dropped. `low`, `high` and `p` belong to the difference of two shares
# (prop.test()). The boards of these shares are nearly independent: they are as far apart as the run with
# the longest memory needs (stacking()). `all_p` tests all patterns at once: a permutation test of
# Pearson's chi-square over all boards. It deals the games to the runs at random, so boards of one game
# may depend on each other.
#
# Two runs of one controller with different seeds do not differ. Of 200 such pairs of runs, each with 60
# games of lee, `all_p` was below 0.05 in 9 pairs and the smallest `p` in 6; with 12 games of bcts in each
# run, in 11 and 4 (10x10, --every 5). `p` is cautious, because Holm's method and the correction for
# continuity are.

# Compares runs with placements. Returns one row per pair of runs and pattern:
# - `first`, `second`, `pattern`, `column`: the runs and the well.
# - `share_first`, `share_second`, `n_first`, `n_second`: share of boards with this well, and number of
#   boards.
# - `difference`, `low`, `high`: difference of the shares with its 95 % interval.
# - `p`: its p-value, Holm-adjusted over all rows.
# - `all_p`, `w`: p-value of the test of all patterns, Holm-adjusted over the pairs, and Cohen's effect
#   size w.
# The attribute `spacing` is the distance between the boards.
compare_stacking <- function(runs) {
  runs <- as_runs(runs)
  if (length(runs) < 2) fail("a comparison of wells needs at least two runs; give a list of runs, or a study")
  tables <- map(runs, \(run) with_wells(placements_of(run, c("game", "piece_no", "h0", "h1"))))
  width <- map_dbl(tables, \(table) ncol(height_matrix(table[1, ])))
  if (n_distinct(width) > 1) fail("the boards have different widths: ", and_words(unique(width)))
  spacing <- max(map2_dbl(tables, runs, \(table, run) forgetting_lag(well_memory(table, run$every), max(table$piece_no))))
  counts <- map(tables, wells_by_game, width[[1]], spacing)
  all <- map(tables, wells_by_game, width[[1]], 1)
  wells <- tibble(pattern = xy_pattern(seq_len(width[[1]]) - 1L, width[[1]]), column = seq_len(width[[1]]) - 1L)
  tests <- map(combn(names(runs), 2, simplify = FALSE), \(pair) {
    bind_cols(tibble(first = pair[1], second = pair[2]), wells,
              differing_shares(unname(vapply(counts[pair], colSums, numeric(width[[1]])))),
              same_shares(all[[pair[1]]], all[[pair[2]]]))
  })
  all_p <- p.adjust(map_dbl(tests, \(test) test$all_p[1]), "holm")
  rows <- bind_rows(map2(tests, all_p, \(test, p) mutate(test, all_p = .env$p))) |> mutate(p = p.adjust(.data$p, "holm"))
  attr(rows, "spacing") <- spacing
  rows
}

# Counts the wells of boards `spacing` placements apart: one row per game, one column per column.
wells_by_game <- function(placements, width, spacing) {
  rows <- untied_wells(filter(placements, .data$piece_no %% spacing == 0))
  unclass(table(rows$game, factor(rows$well_column, seq_len(width) - 1)))
}

# Tests equal shares of wells in two runs, whose counts have one row per game: all_p, w. The games
# are dealt to the runs at random, so boards of one game may depend on each other.
same_shares <- function(first, second, replicates = 1999) {
  counts <- rbind(first, second)
  counts <- counts[, colSums(counts) > 0, drop = FALSE]
  games <- nrow(first)
  if (ncol(counts) < 2 || min(games, nrow(second)) == 0) {
    return(tibble(all_p = NA_real_, w = NA_real_))
  }
  all <- colSums(counts)
  chi_square <- \(own) { # one row for each way to deal the games
    expected <- outer(rowSums(own), all / sum(all))
    rest <- outer(rep(1, nrow(own)), all) - expected
    rowSums((own - expected)^2 * (1 / expected + 1 / rest))
  }
  draws <- with_seed(1, replicate(replicates, sample(nrow(counts), games)))
  dealt <- matrix(0, replicates, nrow(counts))
  dealt[cbind(rep(seq_len(replicates), each = games), as.vector(draws))] <- 1
  drawn <- chi_square(dealt %*% counts)
  here <- chi_square(t(colSums(counts[seq_len(games), , drop = FALSE])))
  tibble(all_p = (1 + sum(drawn >= here - 1e-9)) / (replicates + 1), w = sqrt(here / sum(all)))
}

# Compares the shares of each row of two columns of counts.
differing_shares <- function(n) {
  total <- colSums(n)
  test <- \(i) {
    none <- tibble(difference = NA_real_, low = NA_real_, high = NA_real_, p = NA_real_)
    if (any(total == 0) || sum(n[i, ]) == 0) return(none)
    found <- suppressWarnings(stats::prop.test(n[i, ], total))
    tibble(difference = -diff(unname(found$estimate)), low = found$conf.int[1],
           high = found$conf.int[2], p = found$p.value)
  }
  bind_cols(tibble(share_first = n[, 1] / total[1], share_second = n[, 2] / total[2],
                   n_first = total[1], n_second = total[2]), bind_rows(map(seq_len(nrow(n)), test)))
}
