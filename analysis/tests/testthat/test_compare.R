# Comparisons: means of the engine against independent computations, survival models on simulated data.

test_that("the pairs of the engine equal independent computations", {
  need_program()
  play <- \(controller) fresh_run(paste0("cmp-", controller), "--controller", controller, "--max-pieces", "1500", "--games", "40", "--seed", "5", "--placements", "none")
  dirs <- map_chr(set_names(c("el-tetris", "lee")), play)
  compared <- compare_runs(as.list(dirs))
  runs <- map(dirs, read_run)[c(compared$first, compared$second)]
  one <- runs[[1]]$games
  other <- runs[[2]]$games
  expect_equal(compared$games, 40)
  means <- map_dbl(list(one, other), \(games) sum(games$lines) / sum(!games$censored))
  expect_equal(compared$ratio, means[1] / means[2], tolerance = 1e-9)
  expect_gt(means[1], means[2])
  expect_true(compared$low < compared$ratio && compared$ratio < compared$high)
  both <- bind_rows(one, other, .id = "run")
  rank <- survival::survdiff(survival::Surv(lines, !censored) ~ run, data = both)
  expect_equal(compared$test, "log-rank")
  expect_equal(compared$p, pchisq(rank$chisq, 1, lower.tail = FALSE), tolerance = 1e-6)
  won <- one$lines > other$lines & !other$censored
  lost <- other$lines > one$lines & !one$censored
  expect_equal(c(compared$known, compared$wins), c(sum(won | lost), sum(won)))
  expect_equal(compared$sign_p, binom.test(sum(won), sum(won | lost))$p.value, tolerance = 1e-9)
})

test_that("uncensored games have a correlation and a sign-flip test", {
  need_program()
  dirs <- map_chr(c(a = "lee", b = "el-tetris"), \(controller) fresh_run(paste0("whole-", controller), "--controller", controller, "--max-pieces", "none", "--games", "30", "--placements", "none"))
  compared <- compare_runs(as.list(dirs))
  games <- map(dirs, \(dir) read_run(dir)$games$lines)
  expect_equal(compared$correlation, cor(log1p(games$a), log1p(games$b)), tolerance = 1e-9)
  expect_equal(compared$test, "sign-flip")
  expect_equal(compared$method, "paired_bootstrap")
})

test_that("a comparison does not depend on the order of its runs", {
  need_program()
  dirs <- map_chr(set_names(c("el-tetris", "lee", "bcts")), \(controller) fresh_run(paste0("order-", controller), "--controller", controller, "--max-pieces", "600", "--games", "30", "--placements", "none"))
  for (measure in c("mean", "rmst", "hazard")) {
    pairs <- map(list(dirs, rev(dirs)), \(dirs) plain(compare_runs(as.list(dirs), measure)) |> arrange(.data$first, .data$second))
    kept <- intersect(names(pairs[[1]]), c("first", "second", "p", "p_adjusted", if (measure != "mean") c("ratio", "low", "high")))
    expect_equal(pairs[[1]][kept], pairs[[2]][kept], info = measure)
  }
  expect_equal(nrow(pairs[[1]]), 3)
})

test_that("intervals and p-values of models are single-step Sidak", {
  runs <- made_runs(made_study(c(a = 2000, b = 1000, c = 900), n = 60, limit = 2500))
  rmst <- compare_runs(runs, "rmst", limit = 2000)
  expect_equal(rmst$p_adjusted, 1 - (1 - rmst$p)^3)
  error <- log(rmst$high / rmst$ratio) / qt((1 + 0.95^(1 / 3)) / 2, 59)
  expect_equal(rmst$p, 2 * stats::pt(-log(rmst$ratio) / error, 59))
  expect_equal(sidak(1e-20, 3), 3e-20)
  half <- compare_runs(runs, "rmst", limit = 2000, level = 0.5)
  expect_true(all(half$high < rmst$high))
  expect_equal(tidy(rmst, conf.level = 0.5)$conf.low, half$low)
})

test_that("simultaneous intervals and tests of equal runs have their nominal error rate", {
  need_long()
  found <- map(1:40, \(seed) compare_runs(made_runs(made_study(c(a = 500, b = 500, c = 500), n = 30, limit = 900, seed = seed, shared = 0.3)), "rmst"))
  wrong <- map_lgl(found, \(compared) any(compared$p_adjusted < 0.05))
  holds <- map_lgl(found, \(compared) all(compared$low <= 1 & 1 <= compared$high))
  expect_lte(sum(wrong), 6) # binomial(40, 0.05) passes 6 in all but 1 of 300
  expect_equal(holds, !wrong)
})

test_that("restricted means and hazard ratios recover the truth with censored games", {
  runs <- made_runs(made_study(c(a = 3000, b = 1000), n = 150, limit = 2500))
  rmst <- compare_runs(runs, "rmst", limit = 2000)
  true <- 3000 * (1 - exp(-2 / 3)) / (1000 * (1 - exp(-2)))
  expect_true(rmst$low < true && true < rmst$high)
  hazard <- compare_runs(runs, "hazard")
  expect_true(hazard$low < 3 && 3 < hazard$high)
  expect_match(comparison_words(rmst), "^a clears .* times as many lines as b up to 2,000 lines \\(95 % CI .*, p < 0.001\\)[.]$")
  expect_match(comparison_words(hazard), "^b has .* times the hazard of a")
  expect_equal(glance(hazard)$runs, 2)
})

test_that("a run without a finished game has no ratio and does not affect the other pairs", {
  need_program()
  dirs <- c(map_chr(c(lee = "lee", el = "el-tetris"), \(controller) fresh_run(paste0("few-", controller), "--controller", controller, "--max-pieces", "600", "--games", "20", "--placements", "none")),
            never = fresh_run("never", "--controller", "dt20", "--max-pieces", "120", "--games", "20", "--placements", "none"))
  compared <- compare_runs(as.list(dirs))
  expect_equal(compared$first[is.na(compared$ratio)], c("never", "never"))
  expect_equal(sum(!is.na(compared$ratio)), 1)
  alone <- compare_runs(as.list(dirs[c("never", "lee")]))
  expect_match(comparison_words(alone), "never and lee have no ratio, because too few games finished \\(log-rank test: p")
  expect_null(figure_comparison(alone))
  expect_error(compare_runs(dirs[["lee"]]), "at least two runs")
})

test_that("conditions of a study are compared by their labels, and seed_sd needs an effect of the seed", {
  need_program()
  compared <- compare_runs(example_run("study"))
  expect_equal(c(compared$first, compared$second), c("next", "greedy"))
  expect_equal(compared, compare_runs(read_study(example_run("study"))))
  games <- made_study(c(a = 500, b = 500), n = 150, shared = 1, seed = 4)
  none <- made_study(c(a = 500, b = 500), n = 150, seed = 4)
  expect_gt(seed_sd(games), 0.5)
  expect_lt(seed_sd(none), 0.4)
})

test_that("Sprints are compared by their pieces, and only by means", {
  need_program()
  play <- \(controller) {
    dir <- file.path(scratch, paste0("sprint-", controller))
    if (!dir.exists(dir)) tetrastat("simulate", "--rules", "guideline", "--controller", controller, "--games", "8", "--placements", "none", "--out", dir)
    dir
  }
  dirs <- map_chr(c("tetrastat-sprint", "capstone-sprint"), play)
  compared <- compare_runs(dirs)
  expect_equal(attr(compared, "column"), "pieces")
  expect_match(comparison_words(compared), "times the mean pieces of")
  expect_error(compare_runs(dirs, "hazard"), "use measure = \"mean\"")
  expect_error(glance(compared), "only for classic games")
})

test_that("wells are a measure of a comparison", {
  sprints <- list.dirs(example_run("sprint"), recursive = FALSE)
  found <- compare_runs(sprints, "stacking", across = c("rules"))
  expect_true(all(c("pattern", "difference", "all_p") %in% names(found)))
})

test_that("games played until a verdict have neither intervals nor p-values for a fixed number of games", {
  need_program()
  dir <- file.path(scratch, "until-verdict")
  tetrastat("compare", "bcts", "lee", "--board", "8x10", "--max-pieces", "none", "--until-verdict", "--out", dir, "--format", "json")
  compared <- compare_runs(read_study(dir))
  expect_true(all(is.na(compared[c("low", "high", "p", "p_adjusted", "sign_p")])))
  expect_gt(compared$ratio, 1)
  expect_match(comparison_words(compared), "Early stopping exaggerates.*tetrastat compare prints valid ones")
  expect_s3_class(autoplot(compared), "ggplot")
})

test_that("wrong calls name the remedy", {
  study <- read_study(example_run("study"))
  expect_error(compare_runs(study, level = 95), "^level must be a number between 0 and 1, not 95")
  expect_error(compare_runs(study, level = 0.9), "exist only at 95 %: omit level")
  expect_error(compare_runs(study$games), "a data frame: give the run that it is from")
  expect_error(compare_runs(list(example_run("games"), 1)), "^expected a run, .* not a numeric")
})
