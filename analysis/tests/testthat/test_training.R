
reported_csv <- system.file("extdata", "reported.csv", package = "tetrastat")

test_that("curve, weights, winner, result and reported number of a training equal hand-computed values", {
  training <- read_training(made_training("made"))
  curve <- learning_curve(training)
  expect_equal(curve$low, c(6, 40, 1700))
  expect_equal(curve$high, c(14, 130, 2100)) # not beyond the best candidate
  expect_equal(curve$games, c(20, 40, 60))
  expect_equal(curve$pieces, c(1000, 4000, 13000))
  paths <- weight_paths(training)
  expect_equal(filter(paths, feature == "wells")$mean, c(0, 0.5, 1))
  expect_equal(filter(paths, feature == "wells")$sd, c(2, 1, 0.2))
  expect_equal(levels(paths$feature), c("holes", "wells"))
  winner <- winner_weights(training)
  expect_equal(winner$generation, c(2, 2)) # the mean after the last generation is drawn at its end
  expect_equal(winner$weight, c(-2.5, 1.5))
  result <- held_out_result(training)
  expect_equal(unlist(result), c(value = 1600, low = 1500, high = NA, games = 40))
  expect_equal(reported_for(training, read_reported(reported_csv))$value, 5379)
})

test_that("the band is truncated at the best candidate, and at 0 if no mean is below 0", {
  wide <- sub("^1,100,130,60", "1,100,130,160", made_history)
  training <- read_training(made_training("made-wide", wide))
  expect_equal(learning_curve(training)$low, c(6, 0, 1700))
  less <- sub('"minimise": false', '"minimise": true', made_manifest)
  lower <- sub("0,10,15,4", "0,10,8,4", made_history)
  expect_equal(learning_curve(read_training(made_training("made-less", lower, less)))$low[1], 8)
  losses <- gsub(",(10|100|2000),(15|130|2100),", ",-\\1,-5,", made_history)
  expect_equal(learning_curve(read_training(made_training("made-losses", losses)))$low, c(-14, -160, -2300))
})

test_that("a reported number is used only for its own preset, objective and board", {
  reported <- read_reported(reported_csv)
  with <- function(from, to) {
    dir <- made_training("made-other", manifest = sub(from, to, made_manifest))
    reported_for(read_training(dir), reported)
  }
  expect_equal(nrow(with("10x10", "10x10")), 1)
  expect_equal(nrow(with("10x10", "10x20")), 0)
  expect_equal(nrow(with('"lines"', '"mean-lines"')), 0)
  expect_equal(nrow(with("rvce", "unity")), 0)
  expect_equal(nrow(with('"--preset", "rvce"', '"--preset=rvce"')), 1)
  expect_equal(nrow(with(', "--preset", "rvce"', "")), 0)
})

test_that("every preset has a row with its reported result, quoted from the preset file", {
  reported <- read_reported(reported_csv)
  files <- Sys.glob(repository("data", "training", "presets", "*.toml"))
  presets <- sub("[.]toml$", "", basename(files))
  expect_setequal(reported$preset, presets)
  source <- unlist(lapply(Sys.glob(repository("data", "training", "presets", "*.toml")), readLines))
  expect_equal(setdiff(paste0("reported = \"", reported$words, "\""), source), character())
})

test_that("a training of the engine is read completely, and agrees with run.json", {
  training <- read_training(cem_training())
  expect_equal(training$features, c("aggregate_height", "complete_rows", "holes", "bumpiness"))
  expect_equal(training$history$generation, 0:5)
  expect_equal(is.na(training$history$held_out), c(TRUE, FALSE, TRUE, FALSE, TRUE, FALSE))
  expect_equal(nrow(training$population), 60)
  expect_true(all(map_lgl(training$population, is.double)))
  by_generation <- training$population |> group_by(generation) |>
    summarise(mean = mean(value), best = max(value), spread = sd(value))
  expect_equal(as.list(by_generation), as.list(training$history[c("generation", "mean", "best", "spread")]))
  rows <- compare_training(list(training, read_training(ga_training())))
  expect_equal(levels(rows$training), c("train-cem", "train-ga"))
  expect_equal(rows$method, c("cem", "ga"))
  expect_equal(rows$held_out_games, c(40, 40))
  expect_equal(rows$games, c(240, 240) + 30) # three checks of ten games
  expect_true(all(rows$low <= rows$held_out))
  expect_equal(c(rows$board[1], rows$queue[1], rows$status[1], rows$max_pieces[1]), c("8x8", "uniform", "complete", "300"))
})

test_that("an unfinished training is read up to its checkpoint", {
  dir <- made_training("made-partial", c(made_history, "3,2500,26"), NULL, "history.csv.partial")
  writeLines('{"state": {"config": {"objective": "lines"}, "tables": [{"name": "history.csv", "rows": 2}]}}', file.path(dir, "checkpoint.json"))
  training <- read_training(dir)
  expect_equal(training$history$generation, c(0, 1))
  expect_equal(c(training_row(training, read_reported(""))$status, held_out_result(training)$value), c("under way", NA))
  expect_equal(nrow(winner_weights(training)), 0)
})

test_that("a damaged training gives a clear error", {
  read <- \(...) read_training(made_training(...))
  expect_error(read_training(file.path(scratch, "none")), "no folder .*tetrastat train")
  dir.create(file.path(scratch, "no-history"), showWarnings = FALSE)
  expect_error(read_training(file.path(scratch, "no-history")), "no history.csv in .*tetrastat train")
  expect_error(read("made-short", made_history[1:3]), "history.csv has 2 of the 3 rows that run.json states; check it with tetrastat data verify")
  expect_error(read("made-empty", made_history[1], NULL), "has no generation")
  expect_error(read("made-word", sub("2000", "many", made_history)), "line 4, column mean: found 'many'")
  expect_error(read("made-renamed", sub("spread", "sd", made_history)), "lacks the column.s. spread")
  expect_error(read("made-bare", sub("mean_.*", "x,y,z,w", made_history)), "no mean_ and sd_ columns")
  expect_error(read("made-json", manifest = "{"), "run.json is not valid JSON")
})

test_that("training names are unique, and a folder of trainings is expanded", {
  expect_equal(training_names(c("/a/x", "/a/y")), c("x", "y"))
  expect_equal(training_names(c("/a/x", "/b/x", "/b/y")), c("a/x", "b/x", "b/y"))
  expect_error(training_names(c("/a/x", "/a/x")), "listed twice")
  cem_training()
  expect_equal(training_dirs(cem_training()), cem_training())
  expect_true(all(c(cem_training(), ga_training()) %in% training_dirs(scratch)))
})

test_that("log axes and formatted intervals equal expected values", {
  expect_true(spans_orders(c(0, 200), c(0, 200)))
  expect_false(spans_orders(c(5, 200), c(5, 200)))
  expect_false(spans_orders(c(-5, 500), c(-5, 500))) # no log axis for negative values
  expect_equal(log_floor(c(0, 4, 300)), 1)
  expect_equal(interval_words(c(1809.782, -105.607, 5, NA), c(1702.6, -105.824, 4, NA), c(1927.4, -105.391, NA, NA)),
      c("1,810 (1,703 to 1,927)", "-105.61 (-105.82 to -105.39)", "5.0 (4.0 to unbounded)", "none yet"))
  band <- log_band(list(history = tibble(spread = c(1, 0))), tibble(mean = c(1, 0), best = c(9, 0)))
  expect_equal(c(band$low, band$high), c(exp(-1), 0, exp(1), 0))
})

test_that("the learning curve shows reported number, checks and result, and an enlarged second half if needed", {
  training <- read_training(made_training("made"))
  reported <- read_reported(reported_csv)
  drawn <- figure_learning(training, reported)
  expect_match(caption(drawn), "^n = 60 games of candidates in 3 generations .cem, board 10x10, queue uniform")
  expect_match(caption(drawn), "reported 5,379 lines over 100,000 games[.]$")
  expect_match(drawn$labels$y, "lines of a finished game (log scale)", fixed = TRUE)
  data <- map(ggplot_build(drawn)$data, \(layer) layer$yintercept) |> unlist()
  expect_equal(data, log10(5379))
  expect_equal(figure_facts(figure_learning(training))$height, 5)
  flat <- c(made_history[1], sprintf("%d,%d,-99,0,NA,20,0,1000,0,0,1,2", 0:5, c(-900L, -100L, -101L, -100L, -101L, -100L)))
  result <- sub('"value": \\{"mean": 1600, "low": 1500, "high": null\\}', '"value": {"mean": -100, "low": -101, "high": -99}',
      sub('"rows": 3', '"rows": 6', made_manifest))
  closer <- figure_learning(read_training(made_training("made-flat", flat, result)))
  expect_s3_class(closer, "patchwork")
  paths <- figure_weight_paths(training)
  expect_equal(nrow(ggplot_build(paths)$layout$layout), 2)
})

test_that("training.R writes figures and a summary, or figures into each training folder", {
  out <- file.path(scratch, "trainings")
  done <- run_command("training", cem_training(), ga_training(), made_training("made"), "--out", out,
      "--by", "pieces")
  expect_equal(done$status, 0L, info = done$output)
  stems <- rep(c("train-cem", "train-ga", "made"), each = 2)
  expect_setequal(list.files(out), c("comparison.png", "training.md", paste0(stems, c("-curve.png", "-weights.png"))))
  text <- readLines(file.path(out, "training.md"))
  expect_equal(sum(grepl("^\\|made .*\\|cem .*1,600 .1,500 to unbounded. *\\|5,379 lines over 100,000 games", text)), 1)
  folder <- file.path(scratch, "folder-of-trainings")
  dir.create(folder, showWarnings = FALSE)
  file.copy(made_training("made"), folder, recursive = TRUE)
  beside <- run_command("training", folder, "--beside")
  expect_equal(beside$status, 0L, info = beside$output)
  expect_true(all(file.exists(file.path(folder, "made", c("curve.png", "weights.png")))))
})

test_that("training.R reports errors in one line, with status 1", {
  says <- function(..., words) {
    done <- run_command("training", ...)
    expect_equal(done$status, 1L)
    expect_match(done$output, words)
    expect_equal(length(strsplit(done$output, "\n")[[1]]), 1)
  }
  says(words = "^error: no training folder given; usage: ")
  says(cem_training(), words = "^error: use either --out FOLDER or --beside; usage")
  says(cem_training(), "--out", file.path(scratch, "nowhere", "x"), words = "^error: no folder .*nowhere")
  says(made_training("made-word", sub("2000", "many", made_history)), "--beside", words = "^error: .*line 4, column mean")
})
