
test_that("a LIAP run is read with the types of the code book, and obeys the rules", {
  rows <- read_liap(liap_run())
  expect_equal(nrow(rows), 12000)
  expect_equal(levels(rows$side), unique(rows$declarer))
  expect_type(rows$declared, "integer")
  expect_equal(levels(rows$moved), c("no", "above_8", "sum_8", "third_zero"))
  rounds <- summarise(group_by(rows, .data$match, .data$round), captured = sum(.data$captured), declared = sum(.data$declared),
                      hits = sum(.data$hit), .groups = "drop")
  expect_true(all(rounds$captured == 8) && all(rounds$declared != 8) && all(rounds$hits <= 3))
})

test_that("rates and intervals equal those of the engine", {
  dir <- file.path(scratch, "liap-json")
  said <- tetrastat("simulate", "--rules", "liap", "--rounds", "2000", "--controller", "v2-late", "--placements", "csv", "--format", "json",
                    "--out", dir)
  positions <- jsonlite::fromJSON(paste(said, collapse = "\n"))$run$summary$kinds$positions[[1]]
  found <- accuracy_by_position(read_liap(dir))
  expect_equal(found$hit_rate, positions$hit_rate$mean)
  expect_equal(found$low, positions$hit_rate$low, tolerance = 1e-9)
  expect_equal(found$high, positions$hit_rate$high, tolerance = 1e-9)
  expect_equal(found$absolute_error, positions$absolute_error$mean)
  expect_equal(points_by_position(read_liap(dir))$mean, positions$base_points$mean)
})

#' Hand-made declarations: two matches of two rounds, two sides; side a hits all, b misses by one.
made <- function() {
  rows <- expand_grid(match = 1:2, round = 1:2, position = 0:3) |>
    mutate(run = "made", side = factor(if_else(.data$position < 2, "a", "b")), declared = 2L,
           captured = if_else(.data$side == "a", 2L, 3L), hit = .data$captured == .data$declared,
           error = .data$captured - .data$declared, base_points = if_else(.data$hit, 7L, -1L), moved = "no")
  rows
}

test_that("accuracy and calibration equal hand-computed values", {
  accuracy <- accuracy_by_position(made())
  expect_equal(accuracy$hit_rate, c(1, 1, 0, 0))
  expect_equal(unlist(wilson_interval(8, 10)[c("low", "high")]), c(low = 0.4901625, high = 0.9433178), tolerance = 1e-6)
  shares <- declared_captured(made())
  expect_equal(filter(shares, .data$share > 0)$captured, c(2, 3))
  expect_equal(nrow(shares), 2 * 81)
})

test_that("clustered intervals cover the mean at the stated rate", {
  # 600 samples of 40 matches, each with its own level. If the coverage is between 0.92 and 0.95,
  # the intervals contain the true mean 0 between 535 and 600 times in all but 1 of 1,000 seeds. The
  # seed is fixed.
  held <- with_seed(3, replicate(600, {
    rounds <- sample(8:16, 40, replace = TRUE)
    sums <- map_dbl(rounds, \(n) sum(rnorm(1) + rnorm(n)))
    interval <- clustered_mean(sums, rounds)
    interval$low <= 0 && 0 <= interval$high
  }))
  expect_gte(sum(held), 535)
  expect_lte(sum(held), 595)
})

test_that("the LIAP figures are drawn and the report is written", {
  content <- analyse_liap(liap_run())
  expect_setequal(names(content$figures), c("accuracy", "calibration", "points"))
  walk(content$figures, \(drawn) expect_s3_class(ggplot_build(drawn)$plot, "ggplot"))
  out <- file.path(scratch, "liap.md")
  done <- run_command("report", liap_run(), "-o", out, "--markdown")
  expect_equal(done$status, 0L, info = done$output)
  text <- paste(readLines(out), collapse = "\n")
  expect_match(text, "Declarers against each other")
  expect_match(text, "tetrastat liap compare")
})

test_that("a folder without a LIAP run gives a one-line error", {
  expect_error(read_liap(file.path(scratch, "nowhere")), "simulate --rules liap")
  expect_error(read_liap(lee_run()), "declarations")
  done <- run_command("report")
  expect_equal(done$status, 1L)
  expect_match(done$output, "no run folder given")
})
