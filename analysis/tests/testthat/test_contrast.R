# Contrasts of means, computed by the engine.

program <- function() if (!nzchar(tetrastat_program())) skip("the program is absent")

test_that("a contrast is the ratio of ratios of the games", {
  program()
  found <- contrast(read_study(example_run("study")), ~ search)
  games <- rename(read_study(example_run("study"))$games, condition = "label")
  expect_s3_class(found, "tetrastat_contrast")
  expect_equal(nrow(found), 1)
  means <- tapply(games$lines, games$condition, sum) / tapply(!games$censored, games$condition, sum)
  expect_equal(found$ratio, unname(means[2] / means[1]), tolerance = 1e-9)
  expect_true(found$low < found$ratio && found$ratio < found$high)
  # Independent computation of the interval: games of one seed are paired.
  ended <- 1 - games$censored
  share <- \(value) value / ave(value, games$condition, FUN = sum)
  z <- split(share(games$lines) - share(ended), games$condition)
  z <- z[[2]] - z[[1]]
  error <- sqrt(sum(z^2) * length(z) / (length(z) - 1))
  expect_equal(found$log_error, error, tolerance = 1e-6)
  reach <- stats::qt(0.975, length(z) - 1) * error
  expect_equal(found$high, found$ratio * exp(reach), tolerance = 1e-6)
  expect_equal(tidy(found)$std.error, found$log_error)
  expect_s3_class(autoplot(found), "ggplot")
})

test_that("a small p is neither 0 nor printed as 0", {
  program()
  found <- contrast(example_run("study"), ~ search)
  expect_true(found$p > 0 && found$p < 1e-20)
  expect_equal(tidy(found)$p.value, found$p)
  printed <- capture.output(print(found))
  expect_match(printed, "< 0.001", all = FALSE)
  expect_false(any(grepl("^\\*", printed)))
  expect_output(print(as_contrast(mutate(plain(found), p = 0, p_adjusted = 0))), "< 0.001")
})

test_that("non-inferiority is tested with a margin", {
  program()
  found <- contrast(read_study(example_run("study")), ~ search, not_worse_than = 0.1)
  lead <- (log(found$ratio) - log(0.9)) / found$log_error
  expect_equal(found$p_not_worse, stats::pt(-lead, found$df), tolerance = 1e-6)
  expect_error(contrast(read_study(example_run("study")), ~ search, not_worse_than = 2), "between 0 and 1")
})

test_that("formulas name factors, and mistakes name the remedy", {
  program()
  study <- read_study(example_run("study"))
  expect_error(contrast(study, ~ board), "unknown factor 'board'")
  expect_error(contrast(study), "compare_runs()", fixed = TRUE)
  expect_error(contrast(list(1, 2), ~ search), "expected runs, a study, estimates or their folders, not a list")
})

test_that("a study may have played and estimated conditions", {
  program()
  dir <- withr::local_tempdir()
  writeLines(c('controllers = ["lee", "bcts"]', 'boards = ["6x8", "8x12"]', "games = 20", "max_pieces = 2000",
               'placements = "none"', 'method = "auto"', "budget = 60000", "pieces = 4000", "burn_in = 200",
               "pilot_pieces = 4000"), file.path(dir, "mixed.toml"))
  out <- file.path(dir, "mixed")
  engine_output(c("study", file.path(dir, "mixed.toml"), "--out", out))
  study <- read_study(out)
  expect_equal(nrow(study$conditions), 3)
  expect_equal(study$estimates$folder, "004-bcts-8x12-uniform-greedy-s1")
  estimate <- read_estimate(file.path(out, study$estimates$folder))
  expect_equal(study$estimates$mean, sum(estimate$replications$lines) / sum(estimate$replications$weighted_deaths))
  found <- contrast(study, ~ controller:board)
  expect_equal(found$levels, "bcts / lee, 8x12 / 6x8")
  expect_output(print(study), "4 conditions (1 estimated), 60 games", fixed = TRUE)
  expect_equal(as.character(study$means$method), c("log_t", "log_t", "log_t", "splitting"))
  expect_equal(study$contrasts$ratio, contrast(study)$ratio)
  expect_equal(tidy(study)$estimate[4], study$estimates$mean)
  expect_s3_class(autoplot(study), "ggplot")
  # The played conditions alone are never compared as if they were the whole study.
  refused <- "1 of 4 conditions of the study .* were estimated; use contrast\\(\\)"
  expect_error(compare_runs(study), refused)
  expect_error(glance(study), refused)
  expect_error(summary(study, "pieces"), refused)
  expect_error(tidy(study, conf.level = 0.9), "95 %")
  text <- paste(page_lines(report_page(out), FALSE), collapse = "\n")
  for (shown in c("estimate", "lee 6x8", "bcts 8x12", "lee 6x8 / bcts 8x12")) expect_match(text, shown, fixed = TRUE)
  file.remove(file.path(out, "conditions.csv"))
  only <- read_study(out)
  expect_equal(c(nrow(only$conditions), nrow(only$estimates)), c(0, 1))
  expect_output(print(only), "1 conditions (1 estimated), 0 games", fixed = TRUE)
  expect_equal(nrow(summary(only)), 4)
})
