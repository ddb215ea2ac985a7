# Confidence sequences of shares and medians.

one_run <- function(games) made_runs(mutate(games, run = factor("made")))[[1]]

test_that("e-values and ends of shares equal hand-computed values", {
  # Three hits in four trials against 1/2: B(3.5, 1.5) / B(0.5, 0.5) x 16 = 0.0390625 x 16.
  expect_equal(log_e_value(3, 4, 0.5), log(0.0390625 * 16))
  games <- tibble(lines = c(5, 20, 5, 5, 20, 20, 5, 5), censored = FALSE)
  found <- confidence_sequence(one_run(games), at_most = 10, null = 0.5)
  expect_equal(found$games, 1:8)
  expect_equal(found$estimate, cumsum(games$lines <= 10) / 1:8)
  expect_equal(found$log_e[4], log(0.0390625 * 16))
  last <- share_sequence(games$lines <= 10, 8, NULL, 0.95)
  expect_equal(log_e_value(5, 8, c(last$low, last$high)), rep(log(20), 2), tolerance = 1e-6)
  expect_true(all(diff(found$low) >= 0) && all(diff(found$high) <= 0))
  all_hits <- share_sequence(rep(TRUE, 30), 1:30, NULL, 0.95)
  expect_equal(all_hits$high, rep(1, 30))
  expect_gt(all_hits$low[30], 0.8)
})

test_that("the ends of a median are order statistics", {
  values <- c(3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 23, 84, 62, 64, 33, 83, 27, 95)
  games <- tibble(lines = values, censored = FALSE)
  found <- confidence_sequence(one_run(games), null = 25)
  hits <- 0:10
  least <- hits[log_e_value(hits, 20, 0.5) < log(20)][1]
  expect_equal(median_sequence(values, games$censored, 20, NULL, 0.95)$low, sort(values)[least])
  expect_equal(median_sequence(values, games$censored, 20, NULL, 0.95)$high, sort(values)[21 - least])
  expect_equal(tail(found$log_e, 1), log_e_value(sum(values <= 25), 20, 0.5))
  expect_equal(found$low[1:3], rep(-Inf, 3))
  # A value that was cut off may be longer than all others.
  cut <- median_sequence(values, values > 60, 20, NULL, 0.95)
  expect_equal(cut$high, Inf)
  expect_equal(cut$low, sort(values)[least])
})

test_that("a run has sequences with figures, and bad input is refused", {
  run <- read_run(example_run("games"))
  found <- confidence_sequence(run, at_most = 100, null = 0.5)
  expect_s3_class(found, "tetrastat_sequence")
  expect_lte(nrow(found), 200)
  expect_s3_class(autoplot(found), "ggplot")
  expect_match(caption(autoplot(confidence_sequence(run))), "^n = 200 games.*begins at game 7")
  expect_error(confidence_sequence(run, measure = "nothing"), "no numeric column nothing")
  expect_equal(confidence_sequence(example_run("games"), at_most = 100, null = 0.5), found)
  expect_error(confidence_sequence(run, at_most = 100, null = 2), "null is a share, so it must be between 0 and 1, not 2")
  expect_error(confidence_sequence(run, at_most = "many"), "at_most must be one number")
  expect_error(confidence_sequence(run, level = 95), "^level must be a number between 0 and 1")
  expect_error(confidence_sequence(tibble()), "a data frame: give the run that it is from")
  expect_error(confidence_sequence(one_run(tibble(lines = numeric(), censored = logical()))), "no games")
  expect_error(confidence_sequence(one_run(tibble(lines = c(3, 9), censored = c(TRUE, FALSE))), at_most = 5), "1 games were cut off")
})
