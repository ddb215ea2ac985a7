
test_that("a guideline run is read with the types of the code book, and its tables agree", {
  runs <- read_guideline(c(guideline_run("sprint"), guideline_run("blitz")))
  expect_equal(levels(runs$games$run), c("guideline-sprint", "guideline-blitz"))
  expect_equal(unique(runs$games$mode), c("sprint", "blitz"))
  expect_equal(levels(runs$placements$t_spin), c("none", "mini", "full"))
  counted <- runs$placements |>
    group_by(.data$run, .data$game) |>
    summarise(pieces = n(), tetrises = sum(.data$lines == 4), lines = sum(.data$lines), score = last(.data$points_total), .groups = "drop")
  expect_equal(counted$pieces, runs$games$pieces)
  expect_equal(counted$lines, runs$games$lines)
  expect_equal(counted$tetrises, runs$games$tetrises)
  expect_equal(counted$score, runs$games$points)
  few <- read_guideline(guideline_run("blitz"), max_rows = 500)$placements
  expect_equal(n_distinct(few$game), 1) # each game has 360 pieces, so the second is not read
})

test_that("a log of every tenth placement is read, and captions state the thinning", {
  dir <- file.path(scratch, "guideline-tenth")
  tetrastat("simulate", "--rules", "guideline", "--mode", "sprint", "--sprint-lines", "12", "--games", "3", "--seed", "1",
    "--every", "10", "--placements", "csv.gz", "--out", dir)
  run <- read_run(dir)
  expect_equal(nrow(run$placements), sum(run$games$pieces %/% 10))
  content <- suppressWarnings(analyse_guideline(run$dir)) # every game is short
  expect_match(caption(content$figures$profile), "^Logged: one placement in 10. ")
})

test_that("medians, Sprints and points equal hand-computed values", {
  # Ranks 3 and 8 of ten: the binomial(10, 1/2) quantile at 2.5 % is 2, and P(X <= 1) = 0.0107.
  interval <- median_interval(c(10, 1, 9, 2, 8, 3, 7, 4, 6, 5))
  expect_equal(unlist(interval), c(median = 5.5, low = 2, high = 9))
  expect_true(is.na(median_interval(1:3)$low))
  games <- tibble(run = factor("a"), mode = "sprint", end_reason = c("won", "won", "won", "top_out"), pieces = c(100, 101, 105, 30))
  found <- sprint_table(games)
  expect_equal(c(found$games, found$won, found$median, found$in_100), c(4, 0.75, 101, 1 / 3))
  blitz <- tibble(run = factor("a"), mode = "blitz", points_base = c(100, 300), points_b2b = 0, points_combo = 50, points_perfect = 0, points_drop = c(0, 100))
  points <- point_sources(blitz)
  expect_equal(points$mean, c(200, 0, 50, 0, 50))
  expect_equal(points$share[1], 200 / 300)
  expect_equal(points$method, c("t", "gamma", "t", "gamma", "t"))
  # Single events have the exact Poisson interval.
  for (events in c(0, 3)) {
    found <- mean_interval(rep(1:0, c(events, 100 - events)), event = 1)
    expect_equal(unlist(found[c("low", "high")]), setNames(stats::poisson.test(events, 100)$conf.int[1:2], c("low", "high")))
  }
  expect_true(mean_interval(c(1, rep(0, 20)))$low > 0)
})

test_that("wells and stacking rates equal hand-computed values", {
  rows <- tibble(run = factor("a"), lines = c(4L, 1L, 2L, 0L), t_spin = c("none", "none", "full", "none"), piece = c("I", "T", "T", "O"),
                 max_height = c(3, 5, 4, 4), b2b_before = c(FALSE, TRUE, TRUE, TRUE), i_dependencies = c(0, 1, 0, 0), holes = 0, parity_check = c(2, -2, 0, 0), n_inputs = 2,
                 h0 = c(0, 5, 1, 4), h1 = c(3, 1, 1, 4), h2 = c(3, 4, 0, 2), h3 = c(3, 4, 4, 4))
  found <- stacking_table(rows)
  expect_equal(found$tetris_rate, 4 / 7)
  expect_equal(c(found$t_spin_rate, found$wasted_t), c(1 / 2, 1 / 2))
  expect_equal(c(found$burn, found$residue, found$back_to_back), c(1 / 3, 3, 1 / 2))
  expect_equal(c(found$i_dependent, found$parity), c(1 / 4, 1))
  expect_equal(with_wells(rows)$well_column, c(0L, 1L, NA, 2L))
})

test_that("the guideline report has every figure, and wrong folders give clear errors", {
  out <- file.path(scratch, "guideline.md")
  found <- run_command("report", guideline_run("sprint"), guideline_run("blitz"), "-o", out, "--markdown")
  expect_equal(found$status, 0L, info = found$output)
  drawn <- list.files(file.path(scratch, "guideline-figures"), "png$")
  expect_setequal(sub("-1[.]png$", "", drawn), c("sprint", "points", "course", "clears", "openings", "wells", "profile"))
  text <- paste(readLines(out), collapse = "\n")
  expect_match(text, "tetris_rate")
  expect_match(text, "TSS, TSD, TST: single, double, triple")
  expect_false(grepl("NaN|Error", text))
  expect_error(read_guideline(lee_run()), "no guideline games in .*--rules guideline")
  expect_error(read_guideline(file.path(scratch, "nowhere")), "no folder .*tetrastat simulate --rules guideline")
})
