# Tests of wells between runs, and of what follows a well.

# Returns a run whose boards are simulated surfaces; `sunk` is a column that is 3 rows lower.
surface_run <- function(name, seed, sunk = NULL, n = 2000) {
  rows <- mutate(made_surfaces(n, seed = seed), game = (row_number() - 1) %/% 50,
                 piece_no = (row_number() - 1) %% 50 + 1)
  if (!is.null(sunk)) {
    at <- paste0("h", sunk)
    rows[[at]] <- pmax(0L, rows[[at]] - 3L)
    well <- deepest_well(height_matrix(rows))
    rows <- mutate(rows, well_column = well$column, well_tied = well$tied)
  }
  structure(list(name = name, kind = "classic", placements = rows, every = 1),
            class = "tetrastat_run")
}

test_that("runs that prefer different wells are told apart at their patterns only", {
  found <- compare_stacking(list(left = surface_run("a", 1, 2), right = surface_run("b", 2, 6)))
  expect_equal(nrow(found), 10)
  expect_equal(found$all_p[1], 1 / 2000) # the smallest p of 1,999 permutations
  told <- found$pattern[found$p < 0.05]
  expect_true(all(c("2-7", "6-3") %in% told))
  six <- filter(found, .data$pattern == "6-3")
  expect_lt(six$difference, 0)
  expect_equal(six$difference, six$share_first - six$share_second)
  test <- stats::prop.test(c(six$share_first * six$n_first, six$share_second * six$n_second),
                           c(six$n_first, six$n_second))
  expect_equal(c(six$low, six$high), c(test$conf.int))
  alike <- compare_stacking(map(1:3, \(i) surface_run("same", 10 + i)))
  expect_equal(nrow(alike), 30)
  expect_setequal(alike$first, c("same", "same 1"))
  expect_gt(min(alike$all_p), 0.01)
})

test_that("the permutation test deals whole games", {
  # Every game has one well column: the boards of a game tell no more than one board.
  games <- \(columns) t(vapply(columns, \(column) 20 * (seq_len(4) == column), numeric(4)))
  first <- games(c(1, 1, 2, 3, 4, 1))
  second <- games(c(2, 2, 4, 3, 3, 1))
  expect_gt(same_shares(first, second)$all_p, 0.5)
  expect_lt(stats::chisq.test(rbind(colSums(first), colSums(second)))$p.value, 0.001)
  apart <- same_shares(games(rep(1, 6)), games(rep(2, 6)))
  expect_lt(abs(apart$all_p - 2 / choose(12, 6)), 0.003) # two ways of 924 are as extreme
  expect_equal(apart$w, 1)
  expect_equal(same_shares(first[0, ], second)$all_p, NA_real_)
})

test_that("mistakes in comparing wells name the remedy", {
  run <- surface_run("a", 1, n = 100)
  expect_error(compare_stacking(run), "at least two runs", class = "tetrastat_error")
  empty <- replace(run, "placements", list(NULL))
  class(empty) <- "tetrastat_run"
  expect_error(compare_stacking(list(run, empty)), "has no placements; play it again",
               class = "tetrastat_error")
})

test_that("a known odds ratio of a well is recovered, and other wells have none", {
  made <- made_wells(5, 6, games = 500)
  found <- risk(made_run(made$placements, made$games, 20), "well", adjust = "height_average")
  six <- filter(found, .data$pattern == "6-3")
  expect_true(six$adjusted_low < 6 && 6 < six$adjusted_high)
  expect_lt(six$adjusted_p, 1e-6)
  expect_true(all(filter(found, .data$pattern != "6-3")$odds_ratio < 1.4, na.rm = TRUE))
  periods <- risk_periods(mutate(made$placements, well = replace(well_column, well_tied, NA)),
                          made$games, "well", 20, 20)
  expect_equal(sum(found$periods), nrow(periods))
  expect_equal(sum(found$events), sum(periods$dies))
})

test_that("tetrises are counted in the period that follows the board", {
  rows <- tibble(game = 0, piece_no = 1:12, lines = c(0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0), x = 1)
  found <- tetris_periods(rows, "x", within = 4, every = 1)
  expect_equal(found$dies, c(TRUE, TRUE)) # after piece 4: piece 6; after piece 8: piece 11
  expect_equal(tetris_periods(rows[1:10, ], "x", 4, 1)$dies, TRUE)
  expect_error(tetris_periods(rows, "x", 4, 10), "log them without --every",
               class = "tetrastat_error")
})

test_that("wells with few events have no odds ratio", {
  run <- read_run(example_run("games"))
  found <- risk(run, "well")
  expect_equal(found$pattern, factor(paste0(0:9, "-", 9:0), paste0(0:9, "-", 9:0)))
  expect_true(all(is.na(found$odds_ratio) == (found$events < 5)))
  expect_error(risk(run, "well", adjust = "hole"), "did you mean holes",
               class = "tetrastat_error")
})
