# Weights of a controller estimated from its choices, and the scripts as users run them.

#' Returns a run with the candidates of every `every`-th decision.
choice_run <- function(controller, games, every, format = "csv") {
  fresh_run(paste0("choice-", controller), "--controller", controller, "--games", games, "--max-pieces", "4000",
      "--placements", format, "--every", every, "--candidates")
}

test_that("the weights of bcts are recovered from its choices", {
  fit <- fit_choice(choice_run("bcts", "20", "25"))
  found <- compare_weights(fit)
  expect_true(all(sign(found$recovered) == sign(found$true)))
  expect_gt(glance(fit)$cosine, 0.9985)
  expect_equal(unique(fit$hits), 1)
  expect_true(all(found$low <= found$true & found$true <= found$high))
  heavy <- filter(found, abs(.data$true * fit$scale) > 0.2 * max(abs(.data$true * fit$scale)))
  expect_true(all(abs(heavy$ratio - 1) < 0.1))
})

test_that("the weights of bdu, which belong to single columns, are recovered from its choices", {
  fit <- fit_choice(choice_run("bdu", "20", "40", "parquet"))
  found <- compare_weights(fit)
  expect_true(all(c("height_0", "height_9", "height_diff_8", "max_height") %in% fit$feature))
  expect_equal(nrow(fit), 28)
  expect_true(all(found$low <= found$true & found$true <= found$high))
  expect_gt(glance(fit)$cosine, 0.99) # 0.9923 with 1,529 decisions, 0.999 with 6,126
  truth <- set_names(found$true, found$feature)
  wrong <- set_names(truth, with_seed(1, sample(names(truth)))) # a check that the cosine can be small
  expect_lt(abs(weight_cosine(fit, wrong)), 0.9)
})

test_that("weights in a list by index get the names of their columns", {
  manifest <- list(config = list(controller = list(weights = list(height = c(1, 2, 3), holes = -4))))
  expect_equal(true_weights(manifest), c(height_0 = 1, height_1 = 2, height_2 = 3, holes = -4))
  expect_null(true_weights(list()))
  # No single vector is true if weights depend on the height of the stack.
  manifest$config$controller$weights <- list(holes = -4, `holes@8` = -6)
  expect_null(true_weights(manifest))
  made <- tibble(game = 0, piece_no = 1, height_0 = 1, height_1 = 2, holes = 0, wells = 1)
  expect_equal(choice_features(made, c(height_0 = 1, holes = 2)), c("height_0", "height_1", "holes"))
})

test_that("choice.R reads a candidates table with a limit on rows, and names a missing table", {
  picture <- file.path(scratch, "weights.png")
  done <- run_command("choice", choice_run("bcts", "20", "25"), "--max-rows", "9000", "-o", picture)
  expect_equal(done$status, 0L, info = done$output)
  expect_match(done$output, "cosine of estimated and true weights: 0.9[0-9]")
  expect_true(file.exists(picture))
  expect_equal(whole_decisions(tibble(game = 0, piece_no = c(1, 1, 2))), tibble(game = 0, piece_no = c(1, 1)))
  none <- run_command("choice", bag_run())
  expect_equal(none$status, 1L)
  expect_match(none$output, "no candidates table .*--candidates")
})

test_that("report.R writes one HTML file, or Markdown with figures", {
  html <- file.path(scratch, "report.html")
  done <- run_command("report", lee_run(), "-o", html)
  expect_equal(done$status, 0L, info = done$output)
  text <- paste(readLines(html, warn = FALSE), collapse = "")
  expect_gte(lengths(gregexpr("data:image/png", text)), 11)
  expect_false(grepl("<img src=\"(?!data:)", text, perl = TRUE))
  games_only <- fresh_run("games-only", "--games", "6", "--max-pieces", "300", "--placements", "none")
  markdown <- run_command("report", games_only, "--markdown", "-o", file.path(scratch, "short.md"))
  expect_equal(markdown$status, 0L, info = markdown$output)
  expect_setequal(list.files(file.path(scratch, "short-figures")), c("lines-1.png", "survival-1.png")) # no game finished, so there is no hazard figure
})

test_that("a log of last placements has no death model and no usual level, and its captions state the scope", {
  last <- fresh_run("last", "--controller", "lee", "--games", "40", "--max-pieces", "none", "--placements", "csv",
      "--only-last", "60")
  content <- analyse(last)
  expect_null(content$figures$death)
  expect_match(content$tables$notes, "no death model, only the last placements")
  expect_match(caption(content$figures$heat), "^Logged: only the last 60 placements of each game. n =")
  expect_false(grepl("usual level", content$figures$trajectories$labels$subtitle))
  expect_false(grepl("Logged", caption(content$figures$survival))) # figures of whole games
  window <- fresh_run("log2", "--controller", "lee", "--games", "12", "--max-pieces", "none", "--placements", "csv",
      "--from", "11", "--to", "200")
  cut <- analyse(window)
  expect_null(cut$figures$trajectories)
  expect_match(paste(cut$tables$notes, collapse = " "), "no trajectories .*placements 11 to 200")
})

test_that("runs without placements, or with every tenth, give a report", {
  games_only <- fresh_run("games-only", "--games", "6", "--max-pieces", "300", "--placements", "none")
  tenth <- fresh_run("tenth", "--controller", "lee", "--games", "40", "--max-pieces", "none", "--placements",
      "csv", "--every", "10")
  content <- analyse(c(games_only, tenth))
  expect_s3_class(content$figures$survival, "ggplot")
  expect_s3_class(content$figures$trajectories, "ggplot")
  expect_null(analyse(games_only)$figures$heat)
})

test_that("invalid input gives one line and status 1", {
  says <- function(..., words) {
    done <- run_command("report", ...)
    expect_equal(done$status, 1L)
    expect_match(done$output, words)
    expect_equal(length(strsplit(done$output, "\n")[[1]]), 1)
  }
  says(file.path(scratch, "none"), words = "^error: no folder .*tetrastat simulate")
  says(bag_run(), "-o", file.path(scratch, "nowhere", "x.html"), words = "^error: no folder .*nowhere")
  says(words = "^error: no run folder given; usage: ")
})

test_that("arguments are checked", {
  known <- c("-o" = "out")
  expect_equal(parse_arguments(c("a", "-o", "x", "b"), known), list(positions = c("a", "b"), out = "x"))
  expect_error(parse_arguments("--colour", known), "unknown option --colour; known: -o")
  expect_error(parse_arguments("-o", known), "-o needs a value")
  expect_error(positive_number("many", "--max-rows"), "--max-rows must be a number of at least 1, not 'many'")
  expect_error(check_run_dir(scratch_empty()), "no games table")
})
