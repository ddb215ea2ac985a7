# Reading: traps of small files, and files that the binary has just written.

write_run <- function(name, lines, table = "placements.csv") {
  dir <- file.path(scratch, name)
  dir.create(dir, showWarnings = FALSE)
  writeLines(c("game,stream_seed,pieces,lines,end_reason,censored",
      "0,0xffffffffffffffff,3000000000,2,top_out,FALSE"), file.path(dir, "games.csv"))
  writeLines(lines, file.path(dir, table))
  dir
}

small_header <- "game,piece_no,piece,orientation,column,landing_row,lines,margin,h0,h1,h2,h3"

test_that("a piece column of only T stays a piece, seeds keep their digits, counts pass 2^31", {
  dir <- write_run("only-t", c(small_header, "0,1,T,0,0,0,0,NA,0,1,2,1", "0,2,T,0,0,0,0,NA,0,1,3,3"))
  run <- read_run(dir, book)
  expect_equal(as.character(run$placements$piece), c("T", "T"))
  expect_equal(levels(run$placements$piece), c("I", "O", "T", "S", "Z", "J", "L"))
  expect_equal(run$games$stream_seed, "0xffffffffffffffff")
  expect_equal(run$games$pieces, 3e9)
  expect_type(run$games$censored, "logical")
})

test_that("a cell that is not of its type is an error with file, line and column", {
  dir <- write_run("bad-cell", c(small_header, "0,1,X,0,0,0,0,NA,0,1,2,1"))
  expect_error(read_run(dir, book), "placements.csv line 2, column piece: found 'X'")
})

test_that("a missing folder or table names the remedy", {
  expect_error(read_run(file.path(scratch, "none"), book), "no folder .*tetrastat simulate")
  dir.create(file.path(scratch, "empty"), showWarnings = FALSE)
  expect_error(read_run(file.path(scratch, "empty"), book), "no games table in .*games.csv")
})

test_that("a renamed column is named in the error", {
  dir <- write_run("renamed", sub("landing_row", "row", small_header))
  expect_error(read_run(dir, book), "placements table in .* lacks .*landing_row")
})

test_that("Parquet is read, or the message says what to install", {
  dir <- write_run("parquet", "not parquet", "placements.parquet")
  expect_error(read_run(dir, book), "nanoparquet|[Pp]arquet")
})

test_that("the code book gives the levels and types", {
  expect_setequal(c("games", "placements", "features"), intersect(names(book), c("games", "placements", "features")))
  expect_equal(factor_levels(book, "games")$end_reason[1:2], c("top_out", "spawn_blocked"))
  expect_equal(column_types(c("board", "holes", "h3", "lines_total"), book, "placements"),
               c(board = "character", holes = "double", h3 = "integer", lines_total = "double"))
  expect_equal(factor_levels(list(), "placements")$piece, pictures |> names())
})

test_that("each column that the binary writes is in the code book, and each of the analysis' is written", {
  run <- read_run(bag_run(), book, with_board = TRUE)
  header <- csv_header(table_file(bag_run(), "placements"))
  stated <- c(book$placements$variable, book$features$feature, "board")
  expect_equal(setdiff(header[!grepl("^h[0-9]+$", header)], stated), character())
  expect_equal(setdiff(csv_header(table_file(bag_run(), "games")), book$games$variable), character())
  need <- c("game", "piece_no", "piece", "orientation", "column", "landing_row", "lines", "margin", "h0", "h9",
      "board")
  expect_equal(setdiff(need, header), character())
  expect_equal(setdiff(c("game", "pieces", "lines", "end_reason", "censored"), names(run$games)), character())
  expect_equal(feature_names(run$placements, book), names(run$manifest$config$controller$weights))
  expect_equal(feature_names(run$placements), names(run$manifest$config$controller$weights))
})

test_that("csv, csv.gz and csv.zst read alike", {
  make <- \(format) read_run(fresh_run(paste0("as-", format), "--games", "2", "--max-pieces", "50",
      "--placements", format), book)$placements
  plain <- make("csv")
  expect_equal(make("csv.gz"), plain)
  expect_equal(make("csv.zst"), plain)
  expect_equal(nrow(plain), 100)
})

test_that("a limit on rows keeps whole games from the first on", {
  run <- read_run(el_run(), book, max_rows = 10000)
  expect_lt(run$n_games, nrow(run$games))
  expect_equal(nrow(run$placements), sum(run$games$pieces[seq_len(run$n_games)]))
})

test_that("a study folder stands for its runs, and equal names are told apart", {
  study <- file.path(scratch, "study")
  dir.create(study, showWarnings = FALSE)
  runs <- c(fresh_run("study/a", "--games", "1", "--max-pieces", "5"),
      fresh_run("study/b", "--games", "1", "--max-pieces", "5"))
  expect_setequal(expand_dirs(study), runs)
  expect_equal(distinct_names(c("bcts", "bcts"), runs), c("bcts (a)", "bcts (b)"))
})
