# Comparisons on simulated data with a known answer: coverage of intervals and false positives of
# tests.

test_that("ratios are all lines / finished games, the better run is first, and the sentence states both", {
  games <- made_study(c(a = 1000, b = 4000, c = 1000))
  compared <- compare_runs(games)
  mean <- with(games, tapply(lines, run, sum) / tapply(!censored, run, sum))
  expect_equal(compared$ratio, as.numeric(mean[compared$first] / mean[compared$second]))
  expect_true(all(compared$ratio >= 1))
  expect_equal(compared$games, rep(60, 3))
  expect_lt(max(filter(compared, .data$first == "b")$p), 0.001)
  expect_match(comparison_words(compared), "^b clears .* times as many lines as [ac] \\(95 % CI .*, p < 0.001\\).*2 of 3 pairs differ significantly")
  expect_equal(tidy(compared)$estimate, compared$ratio)
  expect_equal(glance(compared)$runs, 3)
  expect_lt(glance(compared)$logrank_p, 1e-6)
})

test_that("for two runs the interval is a t interval of the log ratio, clustered by seed", {
  games <- made_study(c(a = 2000, b = 1000), n = 40)
  wide <- pivot_wider(games, id_cols = "stream_seed", names_from = "run", values_from = "lines")
  added <- wide$a / sum(wide$a) - wide$b / sum(wide$b)
  error <- sqrt(sum(added^2) * 40 / 39)
  ratio <- sum(wide$a) / sum(wide$b)
  compared <- compare_runs(games)
  expect_equal(c(compared$low, compared$high), ratio * exp(c(-1, 1) * qt(0.975, 39) * error))
})

test_that("simultaneous intervals and tests of equal runs have their nominal error rate", {
  need_long()
  found <- map(1:40, \(seed) compare_runs(made_study(c(a = 500, b = 500, c = 500), n = 30, limit = 900, seed = seed, shared = 0.3)))
  wolf <- map_lgl(found, \(compared) any(compared$p < 0.05))
  holds <- map_lgl(found, \(compared) all(compared$low <= 1 & 1 <= compared$high))
  expect_lte(sum(wolf), 6) # binomial(40, 0.05) passes 6 in all but 1 of 300
  expect_equal(holds, !wolf)
  logrank <- map_dbl(found, \(compared) min(compared$logrank_p))
  expect_lte(sum(logrank < 0.05), 6)
})

test_that("restricted means and hazard ratios recover the truth with censored games", {
  games <- made_study(c(a = 3000, b = 1000), n = 150, limit = 2500)
  rmst <- compare_runs(games, "rmst", limit = 2000)
  true <- 3000 * (1 - exp(-2 / 3)) / (1000 * (1 - exp(-2)))
  expect_true(rmst$low < true && true < rmst$high)
  hazard <- compare_runs(games, "hazard")
  expect_true(hazard$low < 3 && 3 < hazard$high)
  expect_match(comparison_words(rmst), "up to 2,000")
})

test_that("a run without a finished game has no ratio and does not affect the other pairs", {
  games <- bind_rows(made_study(c(a = 1000, b = 500)), mutate(made_study(c(never = 1e9)), lines = 2000, censored = TRUE)) |> mutate(run = factor(.data$run))
  compared <- compare_runs(games)
  expect_equal(sum(is.na(compared$ratio)), 2)
  expect_match(comparison_words(compared), "Fewer than 10 games of never finished, so no ratio is estimated: never clears more than .* log-rank test .* favours never")
  paired <- paired_comparison(games)
  expect_equal(nrow(paired), 3)
  expect_equal(filter(paired, .data$second == "never")$first, character()) # the longest run is first
  expect_true(all(filter(paired, .data$first == "never")$share > 0.9))
  alone <- filter(games, .data$run != "a")
  expect_s3_class(figure_paired(paired_comparison(alone), c("b", "never")), "ggplot") # all ratios are unknown
  expect_error(compare_runs(filter(games, .data$run == "a")), "at least two runs")
})

test_that("five runs give ten pairs, and conditions of a study are compared by their labels", {
  expect_equal(nrow(paired_comparison(made_study(set_names(1:5 * 300, letters[1:5]), n = 20))), 10)
  compared <- compare_runs(read_study(example_run("study")))
  expect_equal(c(compared$first, compared$second), c("next", "greedy"))
  effect <- seed_effect(read_study(example_run("study")))
  expect_equal(effect$term, c("next", "sd (seed)"))
})

test_that("seed_effect finds an effect of the seed only if there is one", {
  games <- made_study(c(a = 500, b = 500), n = 150, shared = 1, seed = 4)
  none <- made_study(c(a = 500, b = 500), n = 150, seed = 4)
  expect_gt(tail(seed_effect(games)$estimate, 1), 0.5)
  expect_lt(tail(seed_effect(none)$estimate, 1), 0.4)
})

test_that("log-rank and Cox-Oakes tests equal those of the engine's compare", {
  need_program()
  said <- tetrastat("compare", "el-tetris", "lee", "--board", "10x10", "--max-pieces", "1500", "--games", "40", "--seed", "5", "--format", "json")
  said <- jsonlite::fromJSON(paste(grep("^[{}\\[\\] \"]", said, value = TRUE, perl = TRUE), collapse = "\n"), simplifyVector = FALSE)
  play <- \(controller) read_run(fresh_run(paste0("cmp-", controller), "--controller", controller, "--max-pieces", "1500", "--games", "40", "--seed", "5", "--placements", "none"))
  runs <- map(set_names(c("el-tetris", "lee")), play)
  text <- unlist(said)
  numbers <- suppressWarnings(as.numeric(text))
  near <- \(x) any(abs(numbers / x - 1) < 1e-6, na.rm = TRUE)
  for (run in runs) expect_true(near(cox_oakes(run$games)), info = run$name)
  expect_true(near(compare_runs(unname(runs))$logrank_p))
})

test_that("the median and its interval equal those of survfit", {
  games <- tibble(lines = c(10, 20, 30, 40), censored = FALSE)
  expect_equal(median_lines(games)$median, 25) # midway, since survival is 0.5 between 20 and 30
  many <- made_games(200, 1000)
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = many, conf.type = "log-log")
  expect_equal(unlist(median_lines(many), use.names = FALSE), unname(unlist(quantile(fit, 0.5))))
  covers <- map_lgl(1:120, \(seed) {
    found <- median_lines(made_games(40, 1000, seed = seed))
    found$median_low <= 1000 * log(2) && 1000 * log(2) <= found$median_high
  })
  expect_gt(mean(covers), 0.89) # 0.95 expected; 0.89 is 3.4 standard errors below
})

test_that("the bootstrap-t interval of ten exponential games covers the mean at its rate", {
  need_long()
  covers <- map_lgl(1:150, \(seed) {
    found <- bootstrap_mean(made_games(10, 1000, seed = seed), replicates = 200)
    found$boot_low <= 1000 && 1000 <= found$boot_high
  })
  expect_gt(mean(covers), 0.89) # 0.95 expected, 3.4 standard errors below; the percentile interval covers 87 %
  expect_true(is.na(bootstrap_mean(made_games(9, 1000))$boot_low))
})

test_that("games played until a verdict have the engine's confidence sequence and no p-values", {
  need_program()
  dir <- file.path(scratch, "until-verdict")
  said <- tetrastat("compare", "bcts", "lee", "--board", "8x10", "--max-pieces", "none", "--until-verdict", "--out", dir, "--format", "json")
  verdict <- jsonlite::fromJSON(paste(said, collapse = "\n"), simplifyVector = FALSE)$verdicts[[1]]
  compared <- compare_runs(read_study(dir))
  ends <- c(verdict$low, verdict$high)
  if (compared$first != verdict$first) ends <- rev(1 / ends)
  expect_equal(c(compared$low, compared$high), ends, tolerance = 1e-9)
  expect_true(is.na(compared$p) && is.na(compared$logrank_p))
  expect_match(comparison_words(compared), "intervals are valid at all interim looks.*stopping exaggerates")
  expect_s3_class(autoplot(compared), "ggplot")
})
