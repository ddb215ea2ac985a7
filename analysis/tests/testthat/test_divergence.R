# Two controllers on the same boards, scores of candidates by other controllers, and ablation.

# Returns a run of games on the seed 4.
played <- function(controller, ...) {
  name <- gsub("[^a-z0-9]|tmp", "", paste(c(controller, ...), collapse = ""))
  fresh_run(paste0("part-", name), "--controller",
            controller, "--games", "12", "--max-pieces", "150", "--seed", "4", "--placements",
            "csv", ...)
}

test_that("games are equal up to the divergence, and different there", {
  found <- divergence(played("bcts"), played("dellacherie"))
  expect_equal(nrow(found), 12)
  a <- read_placements(played("bcts"))
  b <- read_placements(played("dellacherie"))
  for (i in seq_len(nrow(found))) {
    row <- found[i, ]
    expect_true(row$diverged)
    expect_equal(row$decisions, row$piece_no)
    one <- filter(a, .data$game == row$game)
    other <- filter(b, .data$game == row$game)
    before <- seq_len(row$piece_no - 1)
    expect_equal(one[before, c("orientation", "column")], other[before, c("orientation", "column")])
    at <- row$piece_no
    expect_true(one$orientation[at] != other$orientation[at] || one$column[at] != other$column[at])
    expect_equal(c(row$column_a, row$column_b), c(one$column[at], other$column[at]))
    expect_equal(row$piece, one$piece[at])
    expect_equal(row$board, if (at == 1) "" else one$board[at - 1])
  }
  whole <- glance(found)
  expect_equal(whole$decisions, sum(found$decisions))
  expect_equal(whole$agreement, 1 - 12 / sum(found$decisions))
  expect_true(whole$low < whole$agreement && whole$agreement < whole$high)
  by_piece <- tidy(found)
  expect_equal(sum(by_piece$decisions), whole$decisions)
  expect_equal(weighted.mean(by_piece$estimate, by_piece$decisions), whole$agreement)
})

test_that("equal games do not diverge, and until limits the comparison", {
  found <- glance(divergence(played("bcts"), read_run(played("bcts", "--threads", "1"))))
  expect_equal(found$diverged, 0)
  expect_equal(found$agreement, 1)
  expect_equal(found$median_piece, Inf)
  first <- divergence(played("bcts"), played("dellacherie"), until = 3)
  expect_true(all(first$decisions <= 3))
})

test_that("mistakes in divergence name the remedy", {
  expect_error(divergence(played("bcts"), played("bcts", "--every", "5")),
               "logged one placement in 5; log all placements", class = "tetrastat_error")
  expect_error(divergence(played("bcts"), played("bcts", "--queue", "bag")),
               "differ in their queue", class = "tetrastat_error")
  seeded <- fresh_run("part-seeded", "--games", "2", "--max-pieces", "50", "--seed", "99",
                      "--placements", "csv")
  expect_error(divergence(played("bcts"), seeded), "no common game; play both with the same --seed",
               class = "tetrastat_error")
  picture <- file.path(scratch, "start.txt")
  writeLines(c(rep("..........", 9), "#########."), picture)
  expect_error(divergence(played("bcts"), played("bcts", "--board-file", picture)),
               "differ in their start board", class = "tetrastat_error")
  expect_error(divergence(played("bcts"), played("bcts")), "give the run of another controller",
               class = "tetrastat_error")
  sprint <- file.path(example_run("sprint"), "capstone-sprint")
  expect_error(divergence(sprint, sprint), "has no classic games", class = "tetrastat_error")
})

test_that("a controller's scores of its own candidates equal the engine's", {
  scored <- score_candidates(example_run("choices"), read_run(example_run("choices")))
  expect_equal(scored$.fitted, scored$score)
  expect_equal(mean(scored$.best[scored$chosen]), 1)
})

test_that("candidates with all features are scored as another controller plays", {
  # On a common first board both controllers choose among the same candidates.
  all <- c("--candidates", "--columns", "all")
  scored <- score_candidates(played("bcts", all), "dt20")
  own <- read_candidates(played("dt20", all))
  first <- filter(scored, .data$piece_no == 1)
  theirs <- filter(own, .data$piece_no == 1)
  expect_equal(first$.fitted, theirs$score, tolerance = 1e-6)
  expect_equal(which(first$.best), which(theirs$chosen))
  share <- mean(scored$.best[scored$chosen])
  expect_true(share > 0.5 && share < 1)
})

test_that("mistakes in score_candidates name the remedy", {
  need_program()
  choices <- example_run("choices")
  expect_error(score_candidates(choices, "dt20"),
               "no column wells_fast, pattern_diversity, .*--candidates --columns all",
               class = "tetrastat_error")
  expect_error(score_candidates(choices, "lee"), "measured after-clear .* before-clear",
               class = "tetrastat_error")
  expect_error(score_candidates(choices, "nobody"), "tetrastat simulate: ",
               class = "tetrastat_error")
  expect_error(score_candidates(choices, 1), "must be a run, a string or a named vector",
               class = "tetrastat_error")
})

test_that("ablation plays the controller without each feature", {
  need_program()
  found <- importance("lee", games = 20, board = "8x8", max_pieces = 2000, seed = 3)
  expect_setequal(found$feature, c("aggregate_height", "complete_rows", "holes", "bumpiness"))
  expect_equal(found$ratio, sort(found$ratio, decreasing = TRUE))
  flat <- filter(found, .data$feature == "bumpiness")
  expect_gt(flat$low, 1)
  # The means are those of games that are played directly.
  file <- file.path(scratch, "flat.toml")
  player <- controller_config("lee")
  writeLines(controller_toml(player, replace(player$weights, "bumpiness", 0)), file)
  play <- \(who) lifetimes(simulate_games(who, 20, board = "8x8", max_pieces = 2000, seed = 3, placements = "none"))$mean
  expect_equal(flat$lines, play(file))
  expect_equal(flat$ratio, play("lee") / play(file))
  expect_error(importance(c(a = 1)), "at least two features", class = "tetrastat_error")
})
