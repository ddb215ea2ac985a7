# Lifetimes: simulated data with a known answer, then the engine's own intervals.

test_that("the exponential fit equals hand-computed values", {
  games <- tibble(lines = c(10, 20, 30), censored = c(FALSE, FALSE, TRUE))
  fit <- exponential_fit(games)
  expect_equal(fit$mean, 30)
  expect_equal(fit$high, 2 * 60 / qchisq(0.025, 4))
  expect_equal(fit$low, 2 * 60 / qchisq(0.975, 6))
  expect_equal(kaplan_meier(games)$survival, c(1, 2 / 3, 1 / 3, 1 / 3))
})

test_that("a known mean is recovered with and without censoring", {
  need_long()
  for (limit in c(Inf, 800)) {
    fit <- lifetimes(made_games(2000, 1000, limit))
    expect_lt(abs(fit$mean / 1000 - 1), 0.08)
    expect_true(fit$low < fit$mean && fit$mean < fit$high)
    expect_true(fit$shape_low < 1 && fit$shape_high > 1)
  }
})

test_that("the exponential interval covers the truth at its rate", {
  covers <- map_lgl(1:200, \(seed) {
    fit <- exponential_fit(made_games(30, 1000, 1500, seed))
    fit$low < 1000 && 1000 < fit$high
  })
  expect_gt(mean(covers), 0.9) # 0.95 expected; 0.9 is 3.2 standard errors below
})

test_that("the bootstrap covers the truth for few games of very different length", {
  need_long()
  mixture <- function(seed) { # means 0.4 and 1.6, half of the games each: the percentile interval covers 80 %
    lines <- with_seed(seed, rexp(10) * if_else(runif(10) < 0.5, 0.4, 1.6))
    tibble(lines = 1000 * lines, censored = FALSE)
  }
  covers <- map_lgl(1:200, \(seed) {
    fit <- bootstrap_mean(mixture(seed), replicates = 500)
    fit$boot_low < 1000 && 1000 < fit$boot_high
  })
  expect_gt(mean(covers), 0.85) # 0.92 expected; 0.85 is 3.6 standard errors below
  expect_equal(bootstrap_mean(mixture(1)[1:9, ])$boot_low, NA_real_)
})

test_that("without a finished game there is only a lower bound", {
  fit <- lifetimes(tibble(lines = c(100, 100), censored = TRUE))
  expect_equal(fit$mean, NA_real_)
  expect_equal(fit$low, 200 / -log(0.05))
  expect_equal(fit$high, Inf)
  expect_equal(fit$boot_low, NA_real_)
})

test_that("intervals equal those of the engine's summary", {
  summary <- function(name, limit) {
    dir <- file.path(scratch, name)
    text <- tetrastat("simulate", "--controller", "el-tetris", "--board", "10x10", "--games", "40",
        "--max-pieces", limit, "--placements", "none",
                      "--sample", "0", "--format", "json", "--out", dir)
    games <- read_run(dir)$games
    list(engine = jsonlite::fromJSON(paste(text, collapse = "\n"))$run$summary,
        mine = exponential_fit(games), boot = bootstrap_mean(games))
  }
  ended <- summary("ended", "none")
  expect_equal(ended$mine$mean, ended$engine$lines$mean)
  expect_equal(ended$mine$low, ended$engine$lines$low, tolerance = 1e-6)
  expect_equal(ended$mine$high, ended$engine$lines$high, tolerance = 1e-6)
  # The resamples are equal, for finished and for censored games.
  expect_equal(ended$boot$boot_low, ended$engine$lines_bootstrap$low, tolerance = 1e-9)
  expect_equal(ended$boot$boot_high, ended$engine$lines_bootstrap$high, tolerance = 1e-9)
  cut <- summary("cut", "1000")
  expect_equal(cut$boot$boot_low, cut$engine$lines_bootstrap$low, tolerance = 1e-9)
  expect_equal(cut$boot$boot_high, cut$engine$lines_bootstrap$high, tolerance = 1e-9)
  expect_equal(cut$mine$high, cut$engine$lines$high, tolerance = 1e-6)
  expect_equal(cut$mine$low, cut$engine$lines$low, tolerance = 1e-6)
})

test_that("random numbers equal the engine's, and the seed of a run is recovered from its games", {
  words <- word(c("0x0000000000000001", "0x9e3779b97f4a7c15"))
  expect_equal(unmix(mix(words)), words)
  streams <- \(seed, game) mix(word_xor(mix(word_xor(mix(word(seed)), word("1"))), word(sprintf("%x", game))))
  hex <- \(w) paste0("0x", paste(sprintf("%04x", rev(unlist(w))), collapse = ""))
  expect_equal(run_seed(tibble(game = 5, stream_seed = hex(streams("2a", 5)))), word("2a"))
  expect_equal(run_seed(tibble(lines = 1)), 1)
  expect_true(all(bootstrap_draws(1, 5000, 7) %in% 0:6))
  expect_equal(bootstrap_draws(1, 300, 7), bootstrap_draws(1, 5000, 7)[1:300]) # independent of how the stream is split
})

test_that("a one-sided interval is drawn from its lower limit to the edge", {
  games <- tibble(run = factor("a"), lines = c(100, 100), censored = TRUE)
  drawn <- figure_lines(games, bind_cols(tibble(run = factor("a")), lifetimes(select(games, -"run"))))
  span <- layer_data(drawn, 3)
  expect_equal(c(span$xmin, span$xmax), c(log10(200 / -log(0.05)), Inf))
})
