# Reading of large logs: columns and rows are selected while the file is read.

test_that("selected columns, games and pieces equal those of the whole table with every reader", {
  formats <- c("csv", "csv.gz", "csv.zst", "parquet")
  dirs <- map(set_names(formats), \(format) fresh_run(paste0("push-", format), "--games", "6", "--max-pieces", "80", "--placements", format))
  whole <- read_run(dirs$csv)$placements
  expected <- filter(whole, .data$game %in% c(1, 4), .data$piece_no %% 7 == 0) |> select("game", "piece_no", "piece", "margin", "cleared_rows")
  for (format in formats) {
    found <- read_placements(dirs[[format]], c("margin", "piece", "cleared_rows"), games = c(1, 4), every = 7)
    expect_equal(as.data.frame(found[names(expected)]), as.data.frame(expected), info = format)
    early <- read_placements(dirs[[format]], "margin", until = 9)
    expect_equal(early$margin, filter(whole, .data$piece_no <= 9)$margin, info = format)
  }
  all <- read_placements(dirs$parquet)
  expect_equal(nrow(all), nrow(whole))
  expect_equal(levels(all$piece), known_levels$piece)
  expect_type(all$board, "character")
  expect_error(read_placements(dirs$csv, "colour"), "has no column colour; it has game, piece_no")
  expect_error(read_placements(dirs$csv, every = 0), "every must be a whole number of at least 1")
  expect_error(read_placements(dirs$csv, until = 1.5), "until must be a whole number of at least 1")
})

test_that("a log in parts is read as one table", {
  played <- \(name, ...) fresh_run(name, "--games", "6", "--max-pieces", "80", "--placements", "parquet", ...)
  whole <- played("parts-whole")
  shards <- map_chr(1:2, \(i) played(paste0("parts-", i), "--shard", paste0(i, "/2")))
  dir <- file.path(scratch, "parts")
  tetrastat("data", "merge", shards, "--parts", "--out", dir)
  expect_length(list.files(file.path(dir, "placements.parquet")), 2)
  expect_equal(read_run(dir)$placements, read_run(whole)$placements)
  expect_equal(read_placements(dir, "margin", games = 5), read_placements(whole, "margin", games = 5))
})

test_that("data.table and readr return equal tables", {
  run <- example_run("games")
  quick <- read_placements(run, c("piece", "holes", "margin"), every = 50)
  slow <- withr::with_options(list(tetrastat.data.table = FALSE), read_placements(run, c("piece", "holes", "margin"), every = 50))
  whole <- read_run(run)$placements
  expect_equal(as.data.frame(quick), as.data.frame(filter(whole, .data$piece_no %% 50 == 0)[names(quick)]))
  expect_equal(slow, quick)
})

test_that("placements of a study have the label of their condition", {
  dir <- fresh_study()
  rows <- read_placements(dir, c("lines", "h0"), every = 10)
  expect_equal(levels(rows$label), c("el-tetris 10x10", "el-tetris 8x12", "lee 10x10", "lee 8x12"))
  expect_equal(nrow(rows), nrow(read_placements(read_study(dir), c("lines", "h0"), every = 10)))
  games <- read_study(dir)$games
  expect_equal(unique(games$controller), c("el-tetris", "lee"))
})

test_that("with_games renames columns that both tables have", {
  run <- read_run(example_run("games"))
  joined <- with_games(run)
  expect_equal(joined$lines, run$placements$lines)
  expect_true(all(joined$lines_total <= joined$game_lines))
  expect_false(any(grepl("[.][xy]$", names(joined))))
})

test_that("LIAP bids have the types of the code book: 0;3 is text", {
  declarations <- read_run(liap_run())$declarations
  expect_type(declarations$forbidden, "character")
  several <- grepl(";", declarations$forbidden)
  expect_gt(sum(several), 0)
})

test_that("the code book of a run describes each of its columns", {
  book <- code_book(example_run("games"))
  run <- read_run(example_run("games"))
  expect_setequal(filter(book, .data$table == "placements")$variable, names(run$placements))
  expect_false(anyNA(book$meaning))
  expect_equal(filter(book, .data$variable == "end_reason")$levels, paste(levels(run$games$end_reason), collapse = " "))
  expect_type(run$games$pieces, "double")
})
