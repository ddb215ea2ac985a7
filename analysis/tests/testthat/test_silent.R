# Former silent failures: pooled groups, truncated logs, incomparable runs, ignored arguments.

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
    made_runs(games, list(board = board, rules = "simplified", queue = queue))[[1]]
  }
  runs <- list(made("10x8", 1:40), made("10x10", 1:40))
  expect_error(compare_runs(runs, "rmst"), "differ in their board \\(10x8, 10x10\\).*across = \"board\"")
  expect_equal(nrow(compare_runs(runs, "rmst", across = "board")), 1)
  expect_error(compare_runs(list(made("10x10", 1:40), made("10x10", 1:40, queue = "bag")), "rmst"), "differ in their queue")
  expect_error(compare_runs(runs, "rmst", across = "controller"), "across must be")
  expect_warning(compared <- compare_runs(list(made("10x10", 1:40), made("10x10", 41:80)), "rmst"), "no common seed: bcts.*independent")
  expect_equal(compared$games, 0)
  named <- suppressWarnings(compare_runs(list(tall = made("10x10", 1:40), low = made("10x10", 2:41)), "rmst"))
  expect_setequal(c(named$first, named$second), c("tall", "low"))
})

test_that("a modified comparison is a plain tibble, and comparisons have no row names", {
  compared <- compare_runs(read_study(example_run("study")))
  expect_false(inherits(mutate(compared, ratio = 1 / .data$ratio), "tetrastat_comparison"))
  expect_false(any(grepl("^\\*", capture.output(print(compared)))))
})

test_that("intervals of the engine exist at one level, and methods reject unknown arguments", {
  run <- read_run(example_run("games"))
  study <- read_study(example_run("study"))
  for (thing in list(run, study)) {
    expect_error(tidy(thing, conf.level = 0.5), "only at 95 %: omit conf.level")
    expect_error(tidy(thing, conf.level = 2), "between 0 and 1")
  }
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

test_that("errors name what a folder is, and the remedy", {
  expect_error(lifetimes(list(example_run("study"))), "is a study of several runs; use the folder of one condition", class = "tetrastat_error")
  expect_error(lifetimes(list(example_run("training"))), "is a training, not a run", class = "tetrastat_error")
  expect_error(read_study(example_run("games")), "is one run, not a study", class = "tetrastat_error")
  expect_error(read_tetrastat(c("a", "b")), "one folder", class = "tetrastat_error")
  expect_error(read_tetrastat(example_run("games"), max_row = 5), "no argument max_row \\(did you mean max_rows\\?\\)", class = "tetrastat_error")
  expect_error(code_book("nope"), "^no folder nope", class = "tetrastat_error")
  expect_error(figure_data("a"), "needs a figure, not 1 strings", class = "tetrastat_error")
  expect_error(figures(file.path(scratch, "nowhere")), "^no folder", class = "tetrastat_error")
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

test_that("with censored games and a falling hazard the restricted mean covers the truth", {
  need_long()
  # Lines with a decreasing hazard (Weibull with shape 0.5); half of the games are censored at the
  # median. There are 60 samples of 100 games. An interval with 95 % coverage covers the truth in
  # fewer than 50 of them with 1 in 2,000 seeds.
  limit <- qweibull(0.5, 0.5, 500)
  restricted <- stats::integrate(\(x) stats::pweibull(x, 0.5, 500, lower.tail = FALSE), 0, limit)$value
  found <- map(1:60, \(seed) {
    lines <- with_seed(seed, stats::rweibull(100, 0.5, 500))
    restricted_mean(tibble(lines = pmin(lines, limit), censored = lines > limit))
  })
  expect_gte(sum(map_lgl(found, \(x) x$rmst_low <= restricted && restricted <= x$rmst_high)), 50)
})

test_that("the text on a hazard that is not constant recommends the restricted mean for censored games", {
  life <- tibble(run = factor(c("a", "b")), games = 50L, ended = c(25L, 50L), exponential = FALSE, shape = c(0.5, 1.5))
  words <- risk_words(life)
  expect_match(words, "falls")
  expect_match(words, "a were censored.*restricted mean")
  expect_match(words, "All games of b finished.*bootstrap-t")
  expect_match(risk_words(mutate(life, exponential = TRUE)), "do not reject it")
})

