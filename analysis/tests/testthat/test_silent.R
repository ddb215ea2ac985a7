# Former silent failures: pooled groups, truncated logs, incomparable runs, ignored arguments.

test_that("lifetimes and kaplan_meier return the rows of each group", {
  games <- read_study(example_run("study"))$games
  life <- lifetimes(group_by(games, .data$label))
  expect_equal(as.character(life$label), c("greedy", "next"))
  expect_equal(life[-1], bind_rows(map(split(games, games$label), lifetimes)))
  expect_false(is_grouped_df(life))
  curves <- kaplan_meier(group_by(games, .data$label))
  expect_equal(select(filter(curves, .data$label == "next"), -"label"), kaplan_meier(filter(games, .data$label == "next")))
  expect_error(lifetimes(tibble(line = 1, censored = FALSE)), "no column lines \\(did you mean line\\?\\)")
})

test_that("a log that max_rows truncates is reported when it is read and printed", {
  expect_message(run <- read_run(example_run("games"), max_rows = 3000), "placements of the first 86 of 200 games .*max_rows = 3,000")
  expect_output(print(run), "placements of the first 86 of 200 games")
  expect_equal(n_distinct(run$placements$game), 86)
  expect_silent(whole <- read_run(example_run("games")))
  expect_null(whole$logged$read_games)
  expect_message(read_candidates(example_run("choices"), max_rows = 500), "first 500 .*candidates")
  sprint <- file.path(example_run("sprint"), "capstone-sprint")
  expect_message(cut <- read_run(sprint, max_rows = 300), "placements of the first [0-9]+ of")
  expect_output(print(cut), "were read \\(max_rows\\)")
})

test_that("incomparable runs give an error, and runs without a common seed a warning", {
  made <- function(board, seeds, name = "bcts", queue = "uniform") {
    games <- made_study(set_names(800, name), n = 40, seed = max(seeds)) |> mutate(stream_seed = paste0("0x", seeds))
    structure(list(name = name, kind = "classic", manifest = list(config = list(board = board, rules = "simplified", queue = queue)), games = select(games, -"run")),
        class = c("tetrastat_classic", "tetrastat_run"))
  }
  runs <- list(made("10x8", 1:40), made("10x10", 1:40))
  expect_error(compare_runs(runs), "differ in their board \\(10x8, 10x10\\).*across = \"board\"")
  expect_equal(nrow(compare_runs(runs, across = "board")), 1)
  expect_error(compare_runs(list(made("10x10", 1:40), made("10x10", 1:40, queue = "bag"))), "differ in their queue")
  expect_error(compare_runs(runs, across = "controller"), "across must be")
  expect_warning(compared <- compare_runs(list(made("10x10", 1:40), made("10x10", 41:80))), "no common seed: bcts.*independent")
  expect_equal(compared$games, 0)
  named <- suppressWarnings(compare_runs(list(tall = made("10x10", 1:40), low = made("10x10", 2:41))))
  expect_setequal(c(named$first, named$second), c("tall", "low"))
})

test_that("a modified comparison is a plain tibble, and comparisons have no row names", {
  compared <- compare_runs(read_study(example_run("study")))
  expect_false(inherits(mutate(compared, ratio = 1 / .data$ratio), "tetrastat_comparison"))
  expect_false(any(grepl("^\\*", capture.output(print(compared)))))
})

test_that("tidy uses conf.level, and methods reject unknown arguments", {
  run <- read_run(example_run("games"))
  half <- tidy(run, conf.level = 0.5)
  expect_true(all(half$conf.low > tidy(run)$conf.low & half$conf.high < tidy(run)$conf.high))
  study <- read_study(example_run("study"))
  expect_gt(tidy(study, conf.level = 0.99)$conf.high[1], tidy(study)$conf.high[1])
  expect_error(tidy(run, conf.level = 2), "between 0 and 1")
  things <- list(run, study, read_training(example_run("training")), compare_runs(study), read_labels(example_run("rollout")))
  for (thing in things) {
    for (method in list(tidy, autoplot)) expect_error(method(thing, log = TRUE), class = "rlib_error_dots_nonempty")
    if (!inherits(thing, "tetrastat_rollouts")) expect_error(glance(thing, log = TRUE), class = "rlib_error_dots_nonempty")
  }
})

test_that("stacking accepts guideline runs, and names a missing column", {
  run <- read_run(file.path(example_run("sprint"), "capstone-blitz"))
  found <- stacking(run)
  expect_equal(nrow(found$counts), 10)
  expect_gt(sum(found$counts$n), 0)
  run$placements$h1 <- NULL
  expect_error(stacking(run), "no column h1", class = "tetrastat_error")
})

test_that("read_run names the function that reads other folders, and errors name the remedy", {
  expect_error(read_run(example_run("study")), "is a study.*read_study\\(", class = "tetrastat_error")
  expect_error(read_run(example_run("training")), "read_training\\(", class = "tetrastat_error")
  expect_error(read_run(c("a", "b")), "one folder", class = "tetrastat_error")
  expect_error(read_any(c("a", "b")), "one path", class = "tetrastat_error")
  expect_error(report_figures(file.path(scratch, "nowhere")), "^no folder", class = "tetrastat_error")
  run <- read_run(example_run("games"))
  expect_error(death_model(run, "hole"), "no column hole \\(did you mean holes\\?\\)")
  expect_error(read_placements(example_run("games"), columns = "hole"), "did you mean holes")
  expect_error(read_placements(example_run("games"), games = "a"), "games must be whole numbers", class = "tetrastat_error")
  expect_error(read_placements(example_run("games"), games = 900), "no logged placements of the games 900", class = "tetrastat_error")
  expect_error(code_book("nope"), "no folder nope", class = "tetrastat_error")
  for (wrong in list(stacking, near_misses, with_games, \(x) death_model(x, "holes"), risk, \(x) share(x, lost))) {
    expect_error(wrong(3), "expected (a run|runs)", class = "tetrastat_error")
    expect_error(wrong(example_run("choices")[0]), class = "tetrastat_error")
  }
  expect_error(fit_choice(example_run("choices"), c("holes", "well")), "no column well")
  file <- file.path(scratch, "kept.html")
  writeLines("mine", file)
  expect_error(report(example_run("games"), file), "force = TRUE")
  expect_null(dim(run$placements$height_top))
})

test_that("with censored games and a falling hazard the restricted mean covers the truth, and the bootstrap-t interval does not", {
  need_long()
  # Lines with a decreasing hazard (Weibull with shape 0.5); half of the games are censored at the
  # median. There are 60 samples of 100 games. An interval with 95 % coverage covers the truth in
  # fewer than 50 of them with 1 in 2,000 seeds.
  limit <- qweibull(0.5, 0.5, 500)
  mean <- 1000
  restricted <- stats::integrate(\(x) stats::pweibull(x, 0.5, 500, lower.tail = FALSE), 0, limit)$value
  found <- map(1:60, \(seed) {
    lines <- with_seed(seed, stats::rweibull(100, 0.5, 500))
    games <- tibble(lines = pmin(lines, limit), censored = lines > limit)
    c(bootstrap_mean(games, replicates = 200), restricted_mean(games))
  })
  expect_lt(sum(map_lgl(found, \(x) x$boot_low <= mean && mean <= x$boot_high)), 30)
  expect_gte(sum(map_lgl(found, \(x) x$rmst_low <= restricted && restricted <= x$rmst_high)), 50)
})

test_that("the text on a hazard that is not constant recommends the restricted mean for censored games", {
  life <- tibble(run = factor(c("a", "b")), games = 50L, ended = c(25L, 50L), constant_p = c(0.001, 0.001), shape = c(0.5, 1.5))
  words <- risk_words(life)
  expect_match(words, "falls")
  expect_match(words, "a were censored.*restricted mean")
  expect_match(words, "All games of b finished.*bootstrap-t")
  expect_match(risk_words(mutate(life, constant_p = c(0.03, 0.6))), "do not reject a constant hazard \\(smallest p = 0.03, Holm-adjusted 0.06\\)")
})

test_that("a run without a finished game has a one-sided bound of the ratio and the result of the log-rank test", {
  games <- bind_rows(mutate(made_games(12, 600), run = "a"), tibble(game = 0:11, lines = 5000, censored = TRUE, run = "b")) |>
    mutate(stream_seed = paste0("0x", .data$game), run = factor(.data$run))
  compared <- compare_runs(games)
  expect_equal(compared$first, "b")
  expect_true(is.na(compared$ratio) && is.na(compared$p))
  expect_gt(compared$low, 1)
  expect_equal(compared$high, Inf)
  words <- comparison_words(compared)
  expect_match(words, "Fewer than 10 games of b finished, so no ratio is estimated: b clears more than .* times as many lines as a")
  expect_match(words, "log-rank test \\(p < 0.001\\) favours b")
})

test_that("the one-sided bound of a ratio has its nominal coverage", {
  need_long()
  # b has few finished games, and its true ratio to a is 5. There are 200 samples; 95 % coverage is
  # expected, and fewer than 178 covered samples have a probability of 0.1 %.
  holds <- map_lgl(1:200, \(seed) {
    a <- made_games(12, 500, seed = seed)
    b <- made_games(12, 2500, 1000, seed = seed + 1000)
    games <- bind_rows(mutate(a, run = "a"), mutate(b, run = "b")) |> mutate(stream_seed = paste0("0x", .data$game), run = factor(.data$run))
    if (sum(!b$censored) >= fewest_ends) return(TRUE)
    rows <- with_lower_bounds(tibble(first = "b", second = "a", ratio = NA_real_, low = NA_real_, high = NA_real_), games, 0.95)
    rows$first != "b" || is.na(rows$low) || rows$low <= 5
  })
  expect_gte(sum(holds), 178)
})
