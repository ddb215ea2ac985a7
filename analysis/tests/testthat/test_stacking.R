# Stacking: patterns, tests of made surfaces, spells.

test_that("patterns and their mirrors", {
  expect_equal(as.character(xy_pattern(c(0, 3, 9), 10)), c("0-9", "3-6", "9-0"))
  expect_equal(mirror_column(0:9, 10), 9:0)
  expect_equal(normalised_entropy(rep(5, 10)), 1)
  expect_equal(normalised_entropy(c(7, 0, 0)), 0)
})

test_that("on surfaces without sides, untied wells show no side while the leftmost rule does", {
  surfaces <- simulate_surfaces(40000)
  counts <- well_counts(surfaces, 10)
  expect_gt(min(mirror_test(counts)$p), 0.05)
  leftmost <- mutate(surfaces, deepest_tied = FALSE)
  expect_lt(min(mirror_test(well_counts(leftmost, 10))$p), 1e-6)
})

test_that("a well that always stands on the right is found, and uniform ones pass", {
  right <- tibble(column = 0:9, pattern = xy_pattern(0:9, 10), n = c(rep(20L, 9), 120L))
  expect_lt(uniform_test(right)$p, 1e-6)
  expect_lt(mirror_test(right)$p[1], 1e-6)
  even <- mutate(right, n = 30L)
  expect_equal(uniform_test(even)$p, 1)
  expect_equal(uniform_test(mutate(even, n = 1L))$p, NA_real_)
})

test_that("spells are runs within a game", {
  p <- tibble(game = c(0, 0, 0, 0, 1, 1), deepest = c(2L, 2L, NA, 2L, 2L, 2L))
  spells <- well_spells(p)
  expect_equal(spells$length, c(2, 1, 2))
  expect_equal(spells$censored, c(FALSE, TRUE, TRUE))
})

test_that("memory of independent wells is chance, and of a fixed well 1", {
  p <- simulate_surfaces(20000)
  memory <- well_memory(p)
  expect_true(all(abs(memory$agreement - well_memory(filter(p, !is.na(deepest)))$chance) < 0.02))
  expect_equal(forgetting_lag(memory), 1)
  fixed <- mutate(p, deepest = 9L)
  expect_equal(well_memory(fixed)$agreement, rep(1, 8))
})

test_that("Wilson intervals are prop.test's", {
  expect_equal(unlist(wilson_interval(7, 40)[c("low", "high")], use.names = FALSE),
      c(prop.test(7, 40, correct = FALSE)$conf.int))
})
