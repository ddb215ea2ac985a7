# The Pareto front of the conditions of a study.

# Returns a study of made games: one condition per row of `means` (columns pieces and inputs).
made_study <- function(means, games = 50) {
  rows <- imap(split(means, seq_len(nrow(means))), \(mean, i) {
    made <- with_seed(as.integer(i), tibble(pieces = rnorm(games, mean$pieces), inputs = rnorm(games, mean$inputs)))
    mutate(made, label = paste("condition", i), stream_seed = paste0("0x", seq_len(games)), mode = "sprint")
  })
  games <- bind_rows(rows) |> mutate(label = factor(.data$label, unique(.data$label)))
  structure(list(name = "made", dir = "", conditions = tibble(label = unique(games$label)), games = games), class = "tetrastat_study")
}

test_that("a condition that another beats in all measures is dominated, and a trade is not", {
  study <- made_study(tibble(pieces = c(100, 105, 110), inputs = c(300, 290, 310)))
  front <- pareto_front(study)
  expect_equal(as.character(front$status), c("front", "front", "dominated"))
  expect_equal(front$by, c(NA, NA, "condition 1"))
  expect_equal(front$pieces, as.numeric(tapply(study$games$pieces, study$games$label, mean)))
})

test_that("a difference within the intervals is undecided", {
  front <- pareto_front(made_study(tibble(pieces = c(100, 100), inputs = c(300, 310))))
  expect_equal(sum(front$status == "front") + sum(front$status == "undecided"), 2)
  alike <- made_study(tibble(pieces = c(100, 100), inputs = c(300, 300)))
  alike$games[51:100, c("pieces", "inputs")] <- alike$games[1:50, c("pieces", "inputs")]
  expect_equal(as.character(pareto_front(alike)$status), c("front", "front"))
})

test_that("a measure with the same values in both conditions does not protect from the other", {
  study <- made_study(tibble(pieces = c(100, 100), inputs = c(300, 310)))
  study$games$pieces[51:100] <- study$games$pieces[1:50]
  expect_equal(as.character(pareto_front(study)$status), c("front", "dominated"))
})

test_that("mistakes name the remedy", {
  study <- made_study(tibble(pieces = c(100, 105), inputs = c(300, 290)))
  expect_error(pareto_front(study, "pieces"), "two or more measures")
  expect_error(pareto_front(study, c("pieces", "keys")), "no column keys")
  expect_error(pareto_front(study$games), "expected a study.*a data frame")
})
