# Data sets: the data set `tiny` in the package, and the reader of data sets.

test_that("the package contains the data set that the program writes", {
  source(repository("analysis", "data-raw", "tiny_tables.R"), local = TRUE)
  now <- tiny_tables(tiny_folder())
  expect_setequal(names(now), c("tiny_placements", "tiny_games", "tiny_conditions"))
  expect_equal(tiny_placements, now$tiny_placements, tolerance = 0)
  expect_equal(tiny_games, now$tiny_games, tolerance = 0)
  expect_equal(tiny_conditions, now$tiny_conditions, tolerance = 0)
})

test_that("tiny is listed, and its tables fit together", {
  listed <- utils::data(package = "tetrastat")$results[, "Item"]
  expect_setequal(listed, c("tiny_placements", "tiny_games", "tiny_conditions"))
  expect_equal(nrow(tiny_placements), 19942)
  played <- count(tiny_placements, .data$condition, .data$game)
  expect_equal(played$n, tiny_games$pieces)
  expect_equal(sum(tiny_placements$lines), sum(tiny_conditions$lines))
  expect_equal(unique(as.character(tiny_games$controller[tiny_games$held_out])), "lee")
  # One game has one split under all controllers.
  expect_equal(nrow(distinct(tiny_placements, .data$queue, .data$game, .data$split)), 20)
  # The board before a placement has as many full cells as the pieces and the removed rows leave.
  row <- tiny_placements[100, ]
  expect_equal(nrow(decode_board(row$board_before, 10)), 4 * 99 - 10 * (row$lines_total - row$lines))
})

test_that("the help page of tiny names every column of its placements", {
  page <- paste(readLines(repository("analysis", "man", "tiny.Rd")), collapse = " ")
  items <- unlist(regmatches(page, gregexpr("\\\\item\\{[^}]*\\}", page)))
  named <- unlist(strsplit(gsub("\\\\item\\{|\\}|\\\\ldots", "", items), ",\\s*"))
  expect_setequal(setdiff(names(tiny_placements), paste0("h", 1:8)), setdiff(trimws(named), c("", "...")))
})

test_that("games and conditions of a data set are read with their types", {
  games <- read_dataset(tiny_folder(), "games")
  expect_equal(nrow(games), 60)
  expect_type(games$censored, "logical")
  expect_s3_class(games$end_reason, "factor")
  conditions <- read_dataset(tiny_folder(), "conditions")
  expect_true(all(file.exists(file.path(tiny_folder(), conditions$file))))
})

test_that("placements of a data set are read lazily", {
  if (!requireNamespace("arrow", quietly = TRUE) && !all(map_lgl(c("duckdb", "dbplyr"), requireNamespace, quietly = TRUE))) {
    expect_error(read_dataset(tiny_folder()), "arrow, or by duckdb and dbplyr; run install.packages", class = "tetrastat_error")
    return(invisible())
  }
  rows <- read_dataset(tiny_folder())
  expect_false(is.data.frame(rows))
  held <- rows |> filter(.data$held_out == "true", .data$d_holes > 0) |> count(.data$controller) |> collect()
  expect_equal(as.numeric(held$n), sum(tiny_placements$held_out & tiny_placements$d_holes > 0))
})

test_that("mistakes in reading a data set name the remedy", {
  expect_error(read_dataset(scratch_empty()), "is no data set; write one with tetrastat data set", class = "tetrastat_error")
  expect_error(read_dataset(1), "path must be the folder of a data set", class = "tetrastat_error")
  expect_error(read_dataset(tiny_folder(), "gmaes"), "no table gmaes; use placements", class = "tetrastat_error")
})
