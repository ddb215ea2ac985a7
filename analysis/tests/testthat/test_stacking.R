# Stacking: patterns, tests on simulated surfaces, persistence of wells.

test_that("patterns, mirror images and entropy equal hand-computed values", {
  expect_equal(as.character(xy_pattern(c(0, 3, 9), 10)), c("0-9", "3-6", "9-0"))
  expect_equal(normalised_entropy(rep(5, 10)), 1)
  expect_equal(normalised_entropy(c(7, 0, 0)), 0)
})

test_that("on symmetric surfaces untied wells are symmetric, and the leftmost rule is not", {
  surfaces <- made_surfaces(40000)
  counts <- well_counts(surfaces, 10)
  expect_gt(min(mirror_test(counts)$p), 0.05)
  leftmost <- mutate(surfaces, well_tied = FALSE)
  expect_lt(min(mirror_test(well_counts(leftmost, 10))$p), 1e-6)
})

test_that("the mirror test detects wells on the right, and accepts uniform wells", {
  right <- tibble(column = 0:9, pattern = xy_pattern(0:9, 10), n = c(rep(20L, 9), 120L))
  expect_lt(mirror_test(right)$p[1], 1e-6)
  even <- mutate(right, n = 30L)
  expect_equal(mirror_test(even)$p, rep(1, 5))
})

test_that("the permutation test has more wells at the walls under its null, keeps its level, and detects a preferred side", {
  need_long()
  surfaces <- height_matrix(made_surfaces(2000))
  null <- order_test(surfaces)
  expect_gt(null$test$p, 0.05)
  expect_gt(null$expected[1], 1.5 * null$expected[5]) # a wall column has one neighbour, so chance is not uniform
  expect_equal(sum(null$expected), 1)
  p <- map_dbl(1:40, \(seed) order_test(height_matrix(made_surfaces(400, seed = seed)), replicates = 39, seed = seed)$test$p)
  expect_lte(sum(p < 0.05), 6) # binomial(40, 0.05) passes 6 in all but 1 of 300
  sunk <- surfaces
  sunk[, 10] <- pmax(0L, sunk[, 10] - 3L)
  expect_lt(order_test(sunk)$test$p, 0.01)
  expect_equal(order_test(surfaces[1:5, ])$test$p, NA_real_)
})

test_that("bcts avoids wells at the walls compared with chance, although each wall has a tenth of its wells", {
  run <- read_run(fresh_run("walls", "--controller", "bcts", "--games", "8", "--max-pieces", "4000", "--placements", "csv.gz"))
  found <- stacking(run)
  walls <- filter(found$counts, .data$column %in% c(0, 9))
  expect_gt(min(walls$share), 0.08) # compared with a uniform tenth there would be no effect
  expect_lt(max(walls$high / walls$expected), 1.2)
  expect_lt(sum(walls$share), 0.75 * sum(walls$expected)) # 0.25 and 0.42 in a run of 200 games
  expect_lt(found$order$p, 0.01)
})

test_that("the agreement of independent wells is chance, and that of a fixed well is 1", {
  p <- made_surfaces(20000)
  memory <- well_memory(p)
  expect_true(all(abs(memory$agreement - well_memory(filter(p, !is.na(well_column)))$chance) < 0.02))
  expect_equal(forgetting_lag(memory, 500), 1)
  fixed <- mutate(p, well_column = 9L)
  expect_equal(well_memory(fixed)$agreement, rep(1, 8))
  stuck <- tibble(lag = 10 * c(1, 2, 5, 10, 20, 50, 100, 200), agreement = 1, chance = 0.2)
  expect_equal(forgetting_lag(stuck, 5000), 2000)
  expect_equal(forgetting_lag(stuck, 104), 60) # one board of a game of 104 pieces
})

test_that("Wilson intervals equal those of prop.test", {
  expect_equal(unlist(wilson_interval(7, 40)[c("low", "high")], use.names = FALSE),
      c(prop.test(7, 40, correct = FALSE)$conf.int))
})

test_that("freeform stacking is measured by entropy and by runs of the well", {
  fixed <- tibble(game = rep(1:2, each = 5), piece_no = rep(1:5, 2), well_column = c(3, 3, 3, 1, 1, 2, 2, 2, 2, 0), well_tied = FALSE)
  found <- freeform_stacking(fixed, 10, 1, 1, rep(0.1, 10))
  share <- c(1, 2, 4, 3) / 10
  expect_equal(found$estimate[1], (-sum(share * log(share)) + 3 / 20) / log(10)) # Miller's correction is 3 / (2 x 10)
  expect_equal(found$estimate[2], 1 / (1 - 6 / 8)) # the well stays after 6 of 8 placements
  expect_equal(found$chance, c(1, 1 / (1 - sum(share^2))))
  expect_true(all(found$low <= found$estimate & found$estimate <= found$high))
  expect_true(is.na(freeform_stacking(fixed, 4, 2, 1, rep(0.25, 4))$estimate[2])) # a thinned log hides changes
  gap <- filter(fixed, .data$piece_no != 2)
  expect_equal(well_runs(gap, 1, 4)$estimate, 1 / (1 - 2 / 4)) # only neighbouring placements count
})

test_that("guideline wells are tested at the distance that stacking() measures", {
  dirs <- c(guideline_run("sprint"), guideline_run("blitz"))
  runs <- map(dirs, read_run)
  found <- analyse_guideline(dirs)
  measured <- map(runs, stacking)
  expect_equal(found$tables$wells$n, map_dbl(measured, \(one) one$order$n))
  for (one in measured) expect_match(caption(found$figures$wells), paste0("Placements between sampled boards: .*", one$spacing))
  expect_match(caption(found$figures$wells), "agree within 1 percentage point of chance")
  expect_match(caption(autoplot(measured[[1]])), paste("sampled boards:", runs[[1]]$name))
})
