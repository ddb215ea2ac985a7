# Rollouts and near misses.

test_that("rollouts are read with the types of the code book, summarised and drawn", {
  rollouts <- read_labels(example_run("rollout"))
  expect_output(print(rollouts), "^<rollouts> lee: .* games of at most 50 pieces")
  expect_equal(rollouts$boards$p_death, rollouts$boards$deaths / rollouts$boards$replicates)
  expect_equal(sum(summary(rollouts)$boards), nrow(rollouts$boards))
  expect_gt(cor(rollouts$boards$height, rollouts$boards$p_death), 0.3) # higher stacks are more dangerous
  expect_equal(unname(unlist(tidy(rollouts)[1, 2:4])), unlist(rollouts$boards[1, c("p_death", "p_death_low", "p_death_high")], use.names = FALSE))
  figure <- autoplot(rollouts)
  expect_match(caption(figure), "games of lee from each board")
  expect_equal(nrow(figure_data(figure)[[1]]), nrow(rollouts$boards))
  regret <- tidy(rollouts, of = "decisions")
  expect_true(all(regret$least <= 0 & regret$candidates > 5))
  expect_error(read_labels(scratch_empty()), "tetrastat label --from")
})

test_that("excursions and their ends equal hand-computed values", {
  placements <- tibble(game = c(0, 0, 0, 0, 0, 1, 1, 2), piece_no = c(1:5, 1:2, 1), height_top = c(3, 7, 8, 2, 9, 7, 7, 1), holes = 1:8)
  games <- tibble(game = 0:2, pieces = c(5, 2, 1), censored = c(FALSE, TRUE, FALSE))
  run <- made_run(placements, games)
  misses <- near_misses(run)
  expect_equal(as.character(misses$end), c("recovery", "death", "cut off"))
  expect_equal(misses[c("from", "to", "placements", "peak", "holes")], tibble(from = c(2, 5, 1), to = c(3, 5, 2), placements = c(2L, 1L, 2L), peak = c(8, 9, 7), holes = c(2L, 5L, 6L)))
  expect_equal(nrow(near_misses(run, 20)), 0)
  expect_error(near_misses(made_run(placements, games, 10)), "without --every")
})

test_that("the last excursion of a finished game is its death, and many excursions are survived", {
  misses <- near_misses(read_run(lee_run()), 7)
  expect_equal(sum(misses$end == "death"), n_distinct(misses$game))
  expect_gt(mean(misses$end == "recovery"), 0.3)
})

test_that("a disagreement is judged by the games after both choices", {
  candidates <- tibble(game = rep(0:2, each = 2), piece_no = 1, piece = "T", orientation = 0, column = rep(0:1, 3),
    chosen = rep(c(TRUE, FALSE), 3), death_difference = c(0, 0.4, 0, -0.3, 0, 0.1),
    death_difference_low = c(0, 0.2, 0, -0.5, 0, -0.1), death_difference_high = c(0, 0.6, 0, -0.1, 0, 0.3))
  labels <- \(dir, candidates) structure(list(dir = dir, candidates = candidates), class = "tetrastat_rollouts")
  judge <- labels("judge", candidates)
  other <- labels("other", mutate(candidates, chosen = !.data$chosen))
  found <- tidy(judge, other = other)
  expect_equal(as.character(found$better), c("own", "other", "unclear"))
  expect_equal(found$death_difference, c(0.4, -0.3, 0.1))
  expect_equal(glance(judge, other = other)[c("decisions", "share", "death_difference", "own")],
    tibble(decisions = 3L, share = 1, death_difference = 0.2 / 3, own = 1L))
  rollouts <- read_labels(example_run("rollout"))
  same <- tidy(rollouts, other = rollouts)
  expect_true(all(same$agree & same$death_difference == 0))
  expect_equal(glance(rollouts, other = rollouts)$share, 0)
  expect_error(tidy(judge, other = rollouts), "different boards")
  expect_error(tidy(judge, other = labels("other", NULL)), "--regret")
  expect_error(tidy(judge, other = candidates), "must be rollouts, as read_tetrastat", class = "tetrastat_error")
})
