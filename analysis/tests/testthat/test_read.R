# Reading: special cases of small files, and files of the engine.

write_run <- function(name, lines, table = "placements.csv") {
  dir <- file.path(scratch, name)
  dir.create(dir, showWarnings = FALSE)
  writeLines(c("game,stream_seed,pieces,lines,end_reason,censored",
      "0,0xffffffffffffffff,3000000000,2,top_out,FALSE"), file.path(dir, "games.csv"))
  writeLines(lines, file.path(dir, table))
  dir
}

small_header <- "game,piece_no,piece,orientation,column,landing_row,lines,margin,h0,h1,h2,h3"

test_that("a piece column of only T is a factor, seeds keep their digits, and counts can exceed 2^31", {
  dir <- write_run("only-t", c(small_header, "0,1,T,0,0,0,0,NA,0,1,2,1", "0,2,T,0,0,0,0,NA,0,1,3,3"))
  run <- read_run(dir)
  expect_equal(as.character(run$placements$piece), c("T", "T"))
  expect_equal(levels(run$placements$piece), c("I", "O", "T", "S", "Z", "J", "L"))
  expect_equal(run$games$stream_seed, "0xffffffffffffffff")
  expect_equal(run$games$pieces, 3e9)
  expect_type(run$games$censored, "logical")
})

test_that("a cell of the wrong type gives an error with file, line and column", {
  dir <- write_run("bad-cell", c(small_header, "0,1,X,0,0,0,0,NA,0,1,2,1"))
  expect_error(read_run(dir), "placements.csv line 2, column piece: found 'X'")
})

test_that("a missing folder or table gives an error with the remedy", {
  expect_error(read_run(file.path(scratch, "none")), "no folder .*tetrastat simulate")
  dir.create(file.path(scratch, "empty"), showWarnings = FALSE)
  expect_error(read_run(file.path(scratch, "empty")), "no games table in .*games.csv")
})

test_that("a missing column is named in the error", {
  dir <- write_run("renamed", sub("landing_row", "row", small_header))
  expect_error(read_run(dir), "placements table in .* lacks .*landing_row")
})

#' Evaluates `code` without the engine, which converts tables.
without_program <- function(code) {
  old <- Sys.getenv(c("TETRASTAT", "PATH"))
  on.exit(do.call(Sys.setenv, as.list(old)))
  Sys.setenv(TETRASTAT = "", PATH = "/usr/bin:/bin")
  force(code)
}

test_that("a Parquet file that is damaged, or that no reader supports, gives an error", {
  dir <- write_run("parquet", "not parquet", "placements.parquet")
  expect_error(read_run(dir), "placements.parquet|[Pp]arquet")
  without <- if (nzchar(tetrastat_program())) "convert" else NA
  expect_true(parquet_route() %in% c("nanoparquet", "arrow", "duckdb", without))
  message <- "placements.parquet cannot be read: install the R package nanoparquet, arrow or duckdb .*put tetrastat on PATH or set TETRASTAT"
  if (parquet_route() %in% without) without_program({
    expect_equal(parquet_route(), NA_character_)
    expect_error(read_run(dir), message)
  })
})

test_that("a table that is shorter than run.json states gives an error", {
  dir <- file.path(scratch, "short")
  dir.create(dir, showWarnings = FALSE)
  file.copy(list.files(fresh_run("as-csv", "--games", "2", "--max-pieces", "50", "--placements", "csv"),
      full.names = TRUE), dir)
  lines <- readLines(file.path(dir, "placements.csv"))
  writeLines(head(lines, -3), file.path(dir, "placements.csv"))
  expect_error(read_run(dir), "placements.csv has 97 of the 100 rows .*tetrastat data verify")
})

test_that("the code book provides levels and types", {
  expect_setequal(c("games", "placements", "features"), intersect(names(book), c("games", "placements", "features")))
  expect_equal(factor_levels(book, "games")$end_reason[1:2], c("top_out", "spawn_blocked"))
  expect_equal(column_types(c("board", "holes", "h3", "lines_total"), book, "placements"),
               c(board = "character", holes = "double", h3 = "integer", lines_total = "double"))
  expect_equal(factor_levels(book, "placements")$piece, pictures |> names())
})

test_that("the code book has every column of the engine, and the engine writes every needed column", {
  run <- read_run(bag_run(), with_board = TRUE)
  header <- csv_header(table_file(bag_run(), "placements"))
  stated <- c(book$placements$variable, book$features$variable, "board")
  expect_equal(setdiff(header[!grepl("^h[0-9]+$", header)], stated), character())
  expect_equal(setdiff(csv_header(table_file(bag_run(), "games")), book$games$variable), character())
  need <- c("game", "piece_no", "piece", "orientation", "column", "landing_row", "lines", "margin", "h0", "h9",
      "board")
  expect_equal(setdiff(need, header), character())
  expect_equal(setdiff(c("game", "pieces", "lines", "end_reason", "censored"), names(run$games)), character())
  expect_equal(feature_names(run$placements, book), names(run$manifest$config$controller$weights))
  expect_equal(feature_names(run$placements), names(run$manifest$config$controller$weights))
})

formats <- c("csv", "csv.gz", "csv.zst", "parquet")
as_format <- function(format) {
  fresh_run(paste0("as-", format), "--games", "2", "--max-pieces", "50", "--placements", format)
}

test_that("all formats give identical tables", {
  read <- map(set_names(formats), \(format) read_run(as_format(format), with_board = TRUE)$placements)
  expect_equal(nrow(read$csv), 100)
  for (format in formats[-1]) expect_identical(as.list(read[[format]]), as.list(read$csv), info = format)
  expect_equal(basename(table_file(as_format("parquet"), "placements")), "placements.parquet")
})

test_that("Parquet columns get the types of the code book with every reader", {
  rows <- tibble(game = 0L, piece_no = 1L, piece = "T", lost = FALSE, margin = 1, h0 = 3, rank2_column = NA_integer_, cleared_rows = "0;1")
  typed <- as_typed(rows, book, "placements")
  expect_equal(map_chr(typed, \(values) class(values)[1]), c(game = "numeric", piece_no = "numeric", piece = "factor",
      lost = "logical", margin = "numeric", h0 = "integer", rank2_column = "integer", cleared_rows = "character"))
  expect_equal(levels(typed$piece), names(pictures))
})

test_that("the columns of a table equal those in run.json", {
  dir <- as_format("csv")
  expect_equal(csv_header(table_file(dir, "placements")), unlist(read_manifest(dir)$config$log$columns))
  derived <- c("bag_no", "bag_pos", "pieces_since_i", "clear_type", "perfect", "lost", "well_column", "well_depth",
      "i_dependencies", "parity_check", "parity_column", "cleared_rows")
  expect_equal(setdiff(derived, csv_header(table_file(dir, "placements"))), character())
})

test_that("the scope of a log is recognised, and predicts its number of rows", {
  expect_equal(logged_part(list(config = list())), list(every = 1, from = 1, to = Inf, only_last = Inf, sample_games = 1))
  logs <- list(c("--every", "7"), c("--from", "11", "--to", "200"), c("--only-last", "30", "--every", "4"))
  words <- c("one placement in 7", "placements 11 to 200 of each game", "only the last 30 placements of each game, one placement in 4")
  for (i in seq_along(logs)) {
    run <- read_run(do.call(fresh_run, as.list(c(paste0("log", i), "--controller", "lee", "--games", "12",
        "--max-pieces", "none", "--placements", "csv", logs[[i]]))))
    expect_equal(scope_words(run$logged), words[i])
    rows <- logged_rows(run$games$pieces, run$logged)
    expect_equal(tabulate(run$placements$game + 1, 12), rows)
    limited <- read_run(run$dir, max_rows = sum(rows) / 2)
    expect_equal(nrow(limited$placements), sum(rows[run$games$game %in% limited$placements$game]))
    expect_lt(nrow(limited$placements), sum(rows))
  }
})

test_that("sampled games are read completely, with and without a limit on rows", {
  dir <- fresh_run("sampled", "--controller", "lee", "--games", "40", "--max-pieces", "none", "--placements", "csv",
      "--sample-games", "0.5")
  run <- read_run(dir)
  expect_equal(scope_words(run$logged), "a random 50 % of the games")
  expect_equal(nrow(run$placements), sum(run$games$pieces[run$games$game %in% run$placements$game]))
  expect_equal(run$n_games, n_distinct(run$placements$game))
  limited <- read_run(dir, max_rows = 1000)$placements
  expect_equal(nrow(limited), sum(run$games$pieces[run$games$game %in% limited$game]))
})

test_that("a limit on rows keeps whole games from the first on", {
  run <- read_run(lee_run(), max_rows = 10000)
  expect_lt(run$n_games, nrow(run$games))
  expect_equal(nrow(run$placements), sum(run$games$pieces[seq_len(run$n_games)]))
})
