# Reports as users get them, and regressions of past faults.

test_that("runs of several games give one report, and a log of few columns a shorter one", {
  minimal <- fresh_run("minimal", "--controller", "lee", "--games", "40", "--max-pieces", "none", "--columns", "minimal", "--placements", "csv")
  page <- report_page(minimal)
  expect_true(all(c("lines", "survival", "heat") %in% names(page_figures(page))))
  expect_match(paste(unlist(keep(page$parts[[3]]$items, is.character)), collapse = " "), "no heights|no features")
  both <- report_page(c(lee_run(), guideline_run("sprint"), liap_run()))
  expect_true(all(c("survival", "sprint", "calibration") %in% names(page_figures(both))))
  expect_error(report_page(scratch_empty()), "no games table")
})

test_that("two runs on common seeds give a report if one has no finished game", {
  short <- fresh_run("short-lee", "--controller", "lee", "--games", "12", "--max-pieces", "none", "--placements", "none")
  long <- fresh_run("long-bcts", "--controller", "bcts", "--games", "12", "--max-pieces", "100", "--placements", "none")
  content <- analyse(c(short, long))
  expect_true("paired" %in% names(content$figures))
  expect_equal(unique(figure_data(content$figures$paired)[[1]]$first), "bcts")
})

test_that("an existing file is overwritten only with --force, and figures and their data are written", {
  run <- example_run("study")
  out <- file.path(scratch, "there.md")
  writeLines("mine", out)
  refused <- run_command("report", run, "--markdown", "-o", out)
  expect_equal(refused$status, 1L)
  expect_match(refused$output, "already exists; use --force")
  expect_equal(readLines(out), "mine")
  folder <- file.path(scratch, "figures-of-study")
  done <- run_command("report", run, "--markdown", "-o", out, "--force", "--data", folder, "--figures", "svg")
  expect_equal(done$status, 0L, info = done$output)
  text <- readLines(out)
  expect_true(any(grepl("[*][*]next clears", text)))
  expect_true(any(grepl("R version", text)))
  expect_true(all(c("survival.svg", "lines.svg") %in% list.files(folder)))
  numbers <- readr::read_csv(file.path(folder, "compared.csv"), show_col_types = FALSE)
  expect_equal(numbers$ratio, compare_runs(read_study(run))$ratio)
})

test_that("every figure has an informative alternative text and its data", {
  figures <- example_figures()
  expect_gte(length(figures), 9)
  for (name in names(figures)) {
    expect_s3_class(figures[[name]], "ggplot")
    expect_gt(nchar(figure_facts(figures[[name]])$alt), 60)
    expect_gt(nrow(figure_data(figures[[name]])[[1]]), 0)
  }
  expect_match(figure_facts(figures$lines)$alt, "Mean lines of a finished game")
})

test_that("trajectories of a thinned log use the same games for each point", {
  run <- read_run(example_run("games")) # one placement in ten
  paths <- trajectories(run$placements, "holes", 150, run$every)
  expect_equal(paths$to_end[1:2], c(4.5, 14.5))
  expect_equal(paths$games[1], n_distinct(run$placements$game))
  expect_match(caption(example_figures()$trajectories), "each point is a span of 10 placements")
})

test_that("the death model reports each feature alone and in the joint model, on simulated data with a known answer", {
  made <- made_deaths(400)
  twin <- mutate(made$placements, holes = .data$danger, height_average = .data$danger + rnorm(n(), sd = 0.01), noise = .data$noise)
  model <- death_model(made_run(twin, made$games), c("holes", "height_average", "noise"), within = 1)
  expect_setequal(model$terms$term, c("holes", "height_average", "noise")) # no feature is dropped silently
  expect_equal(set_names(model$terms$group, model$terms$term)[c("holes", "height_average", "noise")], c(holes = "holes", height_average = "height", noise = "other"))
  alone <- filter(model$terms, .data$term == "holes")
  expect_gt(alone$low, 2)
  expect_gt(alone$vif, 100) # it cannot be separated from height
  expect_true(with(filter(model$terms, .data$term == "noise"), low < 1 && 1 < high))
  expect_equal(model$aucs$model[1], "all groups")
  expect_gt(min(filter(model$aucs, .data$model != "noise")$auc), 0.7)
})

test_that("clustered intervals of odds ratios cover 1 at the stated rate if periods of a game are correlated, unclustered ones do not", {
  holds <- with_seed(2, replicate(200, {
    game <- rep(1:60, each = 12)
    noise <- rnorm(60)[game] + 0.3 * rnorm(720)
    rows <- tibble(noise, dies = runif(720) < plogis(-2 + rnorm(60)[game]))
    fit <- fit_logistic("noise", rows)
    clustered <- odds_ratios(fit, game)
    plain <- exp(coef(fit)[["noise"]] + c(-1, 1) * qnorm(0.975) * sqrt(vcov(fit)["noise", "noise"]))
    c(clustered$low <= 1 && 1 <= clustered$high, plain[1] <= 1 && 1 <= plain[2])
  }))
  expect_gt(mean(holds[1, ]), 0.89) # 0.93 expected for 60 games
  expect_lt(mean(holds[2, ]), mean(holds[1, ]))
})

test_that("verdicts allow for the rounding of published numbers and the number of comparisons", {
  expect_equal(half_digit(c(3800, 35e6, 5379, 0.5)), c(50, 0.5e6, 0.5, 0.005))
  rows <- tibble(value = c(3800, 3800, 3800), ratio = c(1.03, 1.2, 1), ratio_low = c(1.005, 1.1, 0.9), ratio_high = c(1.056, 1.31, 1.11),
                 verdict = c("higher", "higher", "agrees"))
  judged <- add_verdicts(rows)
  expect_equal(judged$verdict_rounded, c("agrees", "higher", "agrees"))
  expect_equal(judged$verdict_adjusted, c("agrees", "higher", "agrees"))
})

test_that("a check without a finished game is a lower bound of the mean", {
  history <- c("generation,mean,best,spread,held_out,games,censored,pieces,mean_holes,sd_holes",
      "0,10,15,4,600,20,0,1000,0,1", "1,100,130,60,1200000,20,0,3000,-1,0.5")
  manifest <- '{"status": "complete", "config": {"optimiser": {"method": "cem"}, "features": ["holes"], "objective": "lines", "check_games": 30,
      "play": {"board": "10x20", "queue": "uniform", "max_pieces": null, "max_lines": 20000}}}'
  curve <- learning_curve(read_training(made_training("made-endless", history, manifest)))
  expect_equal(curve$held_out, c(600, NA))
  expect_equal(curve$held_out_above, c(NA, 600000 / -log(0.05)))
  expect_match(caption(autoplot(read_training(made_training("made-endless", history, manifest)))), "in 1 checks no game finished")
})

test_that("every object has print, summary, tidy, glance and autoplot", {
  sprint <- file.path(example_run("sprint"), "capstone-sprint")
  things <- list(run = read_run(example_run("games")), sprint = read_run(sprint), study = read_study(example_run("study")), training = read_training(example_run("training")))
  for (name in names(things)) {
    expect_output(print(things[[name]]), "^<", info = name)
    expect_s3_class(tidy(things[[name]]), "tbl_df")
    expect_equal(nrow(glance(things[[name]])), 1, info = name)
    expect_s3_class(autoplot(things[[name]]), "ggplot")
    expect_s3_class(summary(things[[name]]), "tbl_df")
  }
  expect_equal(class(read_tetrastat(example_run("study"))), "tetrastat_study")
  expect_equal(class(read_tetrastat(example_run("training"))), "tetrastat_training")
  expect_equal(class(read_tetrastat(example_run("rollout"))), "tetrastat_rollouts")
  expect_equal(read_tetrastat(sprint)$kind, "guideline")
  expect_null(read_tetrastat(example_run("games"), max_rows = 0)$placements)
})

test_that("simulate_games plays and reads games", {
  need_program()
  run <- simulate_games("lee", games = 5, board = "10x10", max_pieces = 200, placements = "csv")
  expect_equal(nrow(run$games), 5)
  expect_equal(run$manifest$config$board, "10x10")
  expect_error(simulate_games("nobody", games = 5), "tetrastat simulate: .*nobody")
})

test_that("the scripts run from a shell with the source package, and report errors in one line", {
  script <- repository("analysis", "report.R")
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(c(script, file.path(scratch, "none"))), stdout = TRUE, stderr = TRUE))
  expect_equal(attr(output, "status"), 1L)
  expect_equal(length(output), 1)
  expect_match(output, "^error: no folder .*tetrastat simulate")
})

test_that("a report accepts folders relative to the working directory", {
  folder <- file.path(scratch, "relative")
  dir.create(file.path(folder, "elsewhere"), recursive = TRUE)
  file.copy(example_run("games"), folder, recursive = TRUE)
  withr::with_dir(folder, {
    for (runs in list("games", read_run("games"))) report(runs, "elsewhere/report.md", force = TRUE)
    expect_match(paste(readLines("elsewhere/report.md"), collapse = "\n"), "lee")
  })
})

test_that("tables of a page have no lists in their cells, and its commands can be copied", {
  short <- fresh_run("short-lee", "--controller", "lee", "--games", "12", "--max-pieces", "none", "--placements", "none")
  long <- fresh_run("long-bcts", "--controller", "bcts", "--games", "12", "--max-pieces", "100", "--placements", "none")
  never <- fresh_run("long-dt20", "--controller", "dt20", "--games", "12", "--max-pieces", "100", "--placements", "none")
  out <- file.path(scratch, "cells.html")
  report(c(short, long, never), out)
  html <- paste(readLines(out), collapse = "\n")
  expect_false(grepl("<td[^>]*>\\s*<ul>", html))
  expect_match(html, "--placements csv.gz", fixed = TRUE)
  expect_false(grepl("\u2013placements", html))
  expect_match(html, "<summary>\\s*Secondary analysis")
  table <- compared_table(compare_runs(made_runs(made_study(c(a = 500, b = 500))), "rmst"))
  expect_false(any(c("better", "than") %in% names(table)))
  expect_equal(table$result, "no significant difference")
})

test_that("a report on a log that is too small for boards states the command that logs enough", {
  run <- fresh_run("first", "--controller", "bcts", "--games", "20", "--max-pieces", "none", "--placements", "csv", "--sample-games", "0.2", "--to", "200", "--seed", "3")
  page <- report_page(run)
  words <- paste(unlist(map(page$parts, \(part) keep(part$items, is.character))), collapse = " ")
  expect_match(words, "only [0-9,]+ placements of [0-9]+ of 20 games were logged.*--placements csv.gz --every 10")
  expect_null(page_figures(page)$mirror)
})

test_that("the result of the primary analysis appears once on the page", {
  page <- report_page(example_run("study"))
  says <- map_chr(page_figures(page), \(figure) figure_facts(figure)$says)
  expect_equal(anyDuplicated(says[nzchar(says)]), 0)
  expect_match(says[["compared"]], "^next clears 147 times")
  expect_true(inherits(keep(page$parts[[2]]$items, \(item) inherits(item, "folded"))[[1]], "folded"))
})
