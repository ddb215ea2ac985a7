# Lifetimes: the engine's numbers against independent computations, and models on simulated data.

test_that("lifetimes() has the engine's numbers, which equal independent computations", {
  for (limit in c("none", "1000")) {
    dir <- fresh_run(paste0("life-", limit), "--controller", "el-tetris", "--games", "40", "--max-pieces", limit, "--placements", "none")
    run <- read_run(dir)
    life <- lifetimes(dir)
    stated <- run$manifest$summary
    expect_equal(c(life$mean, life$low, life$high), c(stated$lines$mean, stated$lines$low, stated$lines$high))
    expect_equal(c(life$boot_low, life$boot_high), c(stated$lines_bootstrap$low, stated$lines_bootstrap$high))
    expect_equal(unlist(life[c("mean", "low", "high")]), exponential_oracle(run$games), tolerance = 1e-6)
    expect_equal(life[-1], run_lifetime(run))
    expect_equal(as.character(life$run), "el-tetris")
    if (limit == "none") expect_equal(life$median, median(run$games$lines))
    expect_true(is.na(life$exponential) || life$exponential == (cox_oakes_oracle(run$games) >= 0.005))
  }
})

test_that("without a finished game there is only a lower bound", {
  life <- lifetimes(fresh_run("no-end", "--controller", "bcts", "--games", "5", "--max-pieces", "60", "--placements", "none"))
  expect_equal(life$ended, 0)
  expect_true(is.na(life$mean) && is.na(life$boot_low) && is.na(life$exponential))
  expect_gt(life$low, 0)
  expect_equal(life$high, Inf)
})

test_that("every kind of first argument gives the rows of its runs", {
  study <- read_study(example_run("study"))
  rows <- lifetimes(study)
  expect_equal(as.character(rows$run), c("greedy", "next"))
  expect_equal(lifetimes(example_run("study")), rows)
  named <- lifetimes(list(first = study$conditions$dir[1], second = read_run(study$conditions$dir[2])))
  expect_equal(as.character(named$run), c("first", "second"))
  expect_equal(named[-1], rows[-1])
  curves <- kaplan_meier(study)
  expect_equal(plain(select(plain(filter(plain(curves), .data$run == "next")), -"run")), plain(survival_curve(filter(study$games, .data$label == "next"))))
  expect_error(lifetimes(study$games), "a data frame: give the run")
  expect_error(lifetimes(file.path(example_run("sprint"), "capstone-sprint")), "has no classic games; use summary\\(\\)")
  expect_error(survival_curve(tibble(line = 1, censored = FALSE)), "no column lines \\(did you mean line\\?\\)")
})

test_that("the curve, the Weibull shape and the restricted mean equal hand-computed values and the truth", {
  games <- tibble(lines = c(10, 20, 30), censored = c(FALSE, FALSE, TRUE))
  expect_equal(survival_curve(games)$survival, c(1, 2 / 3, 1 / 3, 1 / 3))
  many <- made_games(2000, 1000, 800)
  shape <- weibull_shape(many)
  expect_true(shape$shape_low < 1 && shape$shape_high > 1)
  restricted <- restricted_mean(many)
  expect_lt(abs(restricted$rmst / (1000 * (1 - exp(-0.8))) - 1), 0.05)
})

test_that("the median of a curve and its interval equal those of survfit", {
  games <- tibble(lines = c(10, 20, 30, 40), censored = FALSE)
  expect_equal(median_lines(games)$median, 25) # midway, since survival is 0.5 between 20 and 30
  many <- made_games(200, 1000)
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = many, conf.type = "log-log")
  expect_equal(unlist(median_lines(many), use.names = FALSE), unname(unlist(quantile(fit, 0.5))))
})

test_that("a one-sided interval is drawn from its lower limit to the edge", {
  games <- tibble(run = factor("a"), lines = c(100, 100), censored = TRUE)
  life <- tibble(run = factor("a"), games = 2, ended = 0, mean = NA_real_, low = 200 / -log(0.05), high = Inf, boot_low = NA_real_, boot_high = NA_real_)
  span <- layer_data(figure_lines(games, life), 3)
  expect_equal(c(span$xmin, span$xmax), c(log10(200 / -log(0.05)), Inf))
})
