# Players over several tasks: interquartile means, probabilities of improvement, profiles.

# Returns a study with scores 1, 2, 3, 4 (task x) and 0.5, 0.5, 1.5, 2.5 (task y) of b.
small <- function(...) {
  made_tasks(list(x = list(a = c(2, 4, 6, 8), b = c(5, 10, 15, 20)),
                  y = list(a = c(10, 10, 20, 40), b = c(10, 10, 30, 50))), ...)
}

test_that("interquartile mean and mean equal hand-computed values", {
  found <- aggregate_scores(small(), resamples = 100)
  expect_equal(as.character(found$player), c("a", "b"))
  expect_equal(found$games, c(8, 8))
  expect_equal(found$iqm[2], (1 + 1.5 + 2 + 2.5) / 4)
  expect_equal(found$mean, c(1, 15 / 8))
  expect_equal(c(found$mean_low[1], found$mean_high[1]), c(1, 1))
  other <- aggregate_scores(small(), reference = "b", resamples = 100)
  expect_equal(other$mean, c((5 / 12.5 + 20 / 25) / 2, 1))
})

test_that("the interquartile mean is the 25 % trimmed mean, with equal weights of the tasks", {
  for (n in c(5, 7, 8, 90)) { # base R and scipy both drop floor(n / 4) values on each side
    x <- with_seed(n, matrix(rexp(3 * n), n))
    expect_equal(interquartile_means(x, rep(1 / n, n)), apply(x, 2, mean, trim = 0.25))
  }
  # Two games of one task and four of another: 1/6 of the weight is dropped on each side.
  scores <- matrix(c(1, 3, 0, 2, 4, 5))
  found <- interquartile_means(scores, c(1 / 4, 1 / 4, rep(1 / 8, 4)))
  expect_equal(found, (5 * 1 + 3 * 2 + 6 * 3 + 2 * 4) / 16)
})

test_that("the probability of improvement equals hand-computed values with ties", {
  found <- improvement(small(), resamples = 100)
  expect_equal(c(found$first, found$second), c("a", "b"))
  expect_equal(found$probability, (2 / 16 + 7 / 16) / 2)
  expect_equal(improvement(small(), better = "lower", resamples = 100)$probability, 23 / 32)
  study <- made_scores(40, 3)
  lines <- split(study$games$lines, study$games$label)
  u <- map_dbl(c("x", "y", "z"), \(task) {
    stats::wilcox.test(lines[[paste("a", task)]], lines[[paste("b", task)]])$statistic / 1600
  })
  expect_equal(improvement(study, resamples = 100)$probability, mean(u))
})

test_that("statistics of resamples equal those of the drawn games", {
  study <- made_tasks(list(x = list(a = c(3, 1, 4, 1, 5), b = c(2, 6, 5, 3))))
  cells <- score_cells(study, "board", NULL, "controller")
  drawn <- with_seed(1, draw_games(cells, 20))$x
  expect_equal(draw_counts(drawn$a)[, 7], tabulate(drawn$a[, 7], 5))
  ranks <- pair_ranks(cells$values$x$a, cells$values$x$b)
  limits <- outer(c(0.5, 1), reference_means(cells, cells$values$x, drawn))
  shares <- beaten_share(ranks, draw_counts(drawn$a), draw_counts(drawn$b))
  above <- share_above(cells$values$x$b, draw_counts(drawn$b), limits)
  for (i in 1:20) {
    a <- cells$values$x$a[drawn$a[, i]]
    b <- cells$values$x$b[drawn$b[, i]]
    expect_equal(shares[i], mean(outer(a, b, `>`) + outer(a, b, `==`) / 2))
    expect_equal(above[, i], map_dbl(c(0.5, 1), \(tau) mean(b > tau * mean(a))))
    expect_equal(drawn_scores(cells, list(drawn))[[1]]$b[, i], b / mean(a))
  }
})

test_that("a profile is the share of scores strictly above each threshold", {
  found <- performance_profile(small(), tau = c(0, 1, 4), resamples = 100)
  expect_equal(found$share[found$player == "b"], c(1, (3 / 4 + 2 / 4) / 2, 0))
  expect_equal(found$low[1], 1)
  expect_true(all(found$low <= found$share & found$share <= found$high))
  expect_equal(nrow(performance_profile(small(), resamples = 100)), 2 * 101)
})

test_that("equal seeds give equal results, and the random numbers of the session are kept", {
  study <- made_scores(30, 2)
  for (method in list(aggregate_scores, improvement, performance_profile)) {
    found <- method(study, resamples = 100)
    expect_equal(method(study, resamples = 100), found)
    expect_false(identical(method(study, resamples = 100, seed = 2), found))
  }
  set.seed(5)
  before <- .Random.seed
  improvement(study, resamples = 100)
  expect_equal(.Random.seed, before)
})

test_that("a higher level gives a wider interval", {
  study <- made_scores(30, 2)
  wide <- improvement(study, level = 0.99)
  narrow <- improvement(study, level = 0.5)
  expect_true(wide$low < narrow$low && narrow$high < wide$high)
})

test_that("games with the same seeds are resampled together", {
  same <- with_seed(1, rexp(20))
  twins <- list(x = list(a = same, b = 2 * same))
  paired <- aggregate_scores(made_tasks(twins, seeds = TRUE), resamples = 100)
  expect_equal(c(paired$mean[2], paired$mean_low[2], paired$mean_high[2]), c(2, 2, 2))
  apart <- aggregate_scores(made_tasks(twins), resamples = 100)
  expect_gt(apart$mean_high[2], 2.1)
})

test_that("several columns name tasks and players, and conditions are not pooled silently", {
  study <- made_tasks(list(x = list(a = 1:4, b = 2:5), y = list(a = 3:6, b = 2:5)))
  found <- aggregate_scores(study, tasks = NULL, players = c("controller", "board"),
                            resamples = 100)
  expect_equal(as.character(found$player), c("a x", "b x", "a y", "b y"))
  expect_error(aggregate_scores(study, tasks = NULL),
               "a has several conditions on all games .*board")
  study$conditions$queue <- c("bag", "bag", "uniform", "uniform")
  expect_equal(attr(aggregate_scores(study, "queue", resamples = 100), "scores")$tasks,
               c("bag", "uniform"))
})

test_that("Sprints count their pieces, and fewer are better", {
  study <- made_tasks(list(x = list(a = 1:4, b = 1:4)))
  study$games <- mutate(study$games, mode = "sprint",
                        pieces = c(100, 101, 102, 200, 99, 98, 99, 98),
                        end_reason = c("won", "won", "won", "top_out", rep("won", 4)))
  found <- improvement(study, resamples = 100)
  expect_equal(found$probability, 0)
  expect_equal(aggregate_scores(study, resamples = 100)$games, c(3, 4))
  expect_equal(attr(found, "scores")$measure, "pieces")
  lost <- improvement(study, measure = "pieces", resamples = 100) # with the lost Sprint
  expect_equal(c(lost$probability, aggregate_scores(study, measure = "pieces")$games), c(0, 4, 4))
  study$games$mode[1] <- "blitz"
  expect_error(improvement(study), "Sprints and games of other modes")
})

test_that("mistakes name the remedy", {
  study <- small()
  expect_error(aggregate_scores(study$games), "expected a study", class = "tetrastat_error")
  expect_error(aggregate_scores(study, "bord"), "no column bord; .*controller, board")
  expect_error(aggregate_scores(study, reference = "c"), "one of the players: a, b")
  expect_error(aggregate_scores(study, measure = "keys"), "no column keys")
  expect_error(aggregate_scores(study, level = 2), "between 0 and 1")
  expect_error(aggregate_scores(study, resamples = 10), "100 or more")
  expect_error(aggregate_scores(study, seed = "a"), "seed must be a number")
  expect_error(performance_profile(study, tau = "a"), "tau must be numbers")
  expect_error(improvement(study, better = "best"), "should be one of")
  expect_error(improvement(made_tasks(list(x = list(a = 1:3)))), "two or more players")
  gap <- made_tasks(list(x = list(a = 1:3, b = 1:3), y = list(a = 1:3)))
  expect_error(aggregate_scores(gap), "^b has no game on y", class = "tetrastat_error")
  one <- made_tasks(list(x = list(a = 1:3, b = 1)))
  expect_error(aggregate_scores(one), "b has one game on x")
  zero <- made_tasks(list(x = list(a = c(0, 0, 0), b = 1:3)))
  expect_error(aggregate_scores(zero), "reference a must be above 0")
  expect_equal(improvement(zero, resamples = 100)$probability, 0)
  rare <- made_tasks(list(x = list(a = c(0, 0, 0, 1), b = 1:3)))
  for (method in list(aggregate_scores, performance_profile)) {
    expect_error(method(rare), "^the mean of the reference a is not above 0 in some resamples",
                 class = "tetrastat_error")
  }
  study$games$censored[3] <- TRUE
  for (method in list(aggregate_scores, improvement, performance_profile)) {
    expect_error(method(study), "1 of 16 games were cut off.*max_pieces", class = "tetrastat_error")
  }
})

test_that("tidy has the names of broom, and methods reject unknown arguments", {
  results <- list(aggregate_scores(small(), resamples = 100), improvement(small(), resamples = 100),
                  performance_profile(small(), resamples = 100))
  for (result in results) {
    expect_true(all(c("term", "estimate", "conf.low", "conf.high") %in% names(tidy(result))))
    expect_match(caption(autoplot(result)), "n = games: a \\(8\\), b \\(8\\)")
    for (method in list(tidy, autoplot)) {
      expect_error(method(result, log = TRUE), class = "rlib_error_dots_nonempty")
    }
  }
  expect_equal(tidy(results[[2]])$term, "a beats b")
  expect_equal(nrow(tidy(results[[1]])), 4)
})

test_that("games of the engine are compared over boards", {
  need_program()
  file <- file.path(scratch, "score-boards.toml")
  writeLines(c('controllers = ["lee", "el-tetris"]', 'boards = ["8x8", "10x8"]', "games = 20",
               'max_pieces = "none"', 'placements = "none"'), file)
  dir <- file.path(scratch, "score-boards")
  tetrastat("study", file, "--out", dir)
  study <- read_study(dir)
  found <- aggregate_scores(study)
  means <- tapply(study$games$lines, study$games$label, mean)
  expect_equal(found$mean[2], unname(mean(means[3:4] / means[1:2])))
  expect_true(all(map_lgl(score_cells(study, "board", NULL, "controller")$paired, isTRUE)))
  expect_lt(improvement(study)$probability, 0.5)
})
