# Lazy tables of logs. Tests that need a reader of the suggested packages are skipped without it.

has_duckdb <- function() {
  skip_if_not_installed("duckdb")
  skip_if_not_installed("dbplyr")
}

# Returns a run of 6 games in a format of logs.
push_run <- function(format) {
  fresh_run(paste0("push-", format), "--games", "6", "--max-pieces", "80", "--placements", format)
}

test_that("each reader of Parquet returns the rows of the CSV", {
  expected <- read_placements(push_run("csv"), c("piece", "margin", "cleared_rows"), c(1, 4), 7, 70)
  expect_equal(nrow(expected), 2 * 10)
  need_program()
  path <- table_file(push_run("parquet"), "placements")
  chosen <- list(games = c(1, 4), every = 7, until = 70)
  routes <- c("convert", if (has_packages("duckdb", "dbplyr")) "duckdb",
              keep(c("arrow", "nanoparquet"), has_packages))
  for (route in routes) {
    rows <- pushed_rows(path, c("piece", "margin", "cleared_rows"), chosen, route)
    found <- as_typed(rows, book, "placements")
    expect_equal(as.data.frame(found), as.data.frame(expected), info = route)
  }
})

for (package in c("duckdb", "arrow", "nanoparquet")) {
  test_that(paste("a whole Parquet table is read by", package), {
    skip_if_not_installed(package)
    path <- table_file(push_run("parquet"), "placements")
    rows <- read_parquet_typed(path, book, "placements", "board", 100, package)
    whole <- read_placements(push_run("csv"))
    expect_equal(as.data.frame(rows), as.data.frame(whole[1:100, setdiff(names(whole), "board")]))
  })
}

test_that("a lazy table of each format gives the results of the whole table", {
  has_duckdb()
  whole <- read_placements(push_run("csv"))
  expected <- whole |> filter(.data$piece_no > 20, !.data$lost) |>
    group_by(piece = as.character(.data$piece)) |>
    summarise(n = n(), holes = mean(.data$holes), margin = max(.data$margin, na.rm = TRUE))
  for (format in c("csv", "csv.gz", "csv.zst", "parquet")) {
    rows <- open_placements(push_run(format))
    expect_false(is.data.frame(rows))
    expect_equal(colnames(rows), names(whole), info = format)
    found <- rows |> filter(.data$piece_no > 20, !.data$lost) |> group_by(.data$piece) |>
      summarise(n = n(), holes = mean(.data$holes, na.rm = TRUE),
                margin = max(.data$margin, na.rm = TRUE)) |> arrange(.data$piece) |> collect()
    expect_equal(as.data.frame(found), as.data.frame(expected), info = format)
    typed <- as_typed(collect(rows), book, "placements")
    expect_equal(as.data.frame(typed), as.data.frame(whole), info = format)
  }
})

test_that("filters and columns are pushed down to the scan of the file", {
  has_duckdb()
  query <- open_placements(push_run("parquet")) |> filter(.data$game == 3) |>
    summarise(holes = mean(.data$holes, na.rm = TRUE))
  plan <- paste(capture.output(dplyr::explain(query)), collapse = " ")
  scan <- sub(".*PARQUET", "", plan)
  expect_match(scan, "Projections:[^A-Z]*holes[^A-Z]*(Filters|File Filters)")
  expect_match(scan, "game")
  expect_false(grepl("margin", scan, fixed = TRUE))
})

test_that("shards, files and studies are one lazy table with a label", {
  has_duckdb()
  options <- c("--games", "6", "--max-pieces", "80", "--placements", "csv.zst", "--shard")
  shards <- map_chr(1:2, \(i) fresh_run(paste0("shard", i), options, paste0(i, "/2")))
  whole <- open_placements(push_run("csv")) |> count(.data$game) |> collect() |>
    arrange(.data$game)
  parts <- open_placements(shards)
  expect_equal(colnames(parts)[1], "label")
  expect_equal(n_distinct(collect(distinct(parts, .data$label))$label), 2)
  counts <- parts |> count(.data$game) |> collect() |> arrange(.data$game)
  expect_equal(counts, whole)
  files <- open_placements(c(table_file(shards[1], "placements"),
                             table_file(push_run("parquet"), "placements")))
  n <- files |> count(.data$label) |> collect()
  expect_setequal(n$n, c(240, 480))
  study <- open_placements(fresh_study()) |> count(.data$label) |> collect()
  expected <- count(read_placements(fresh_study(), "lines"), .data$label)
  expect_equal(study$n[match(expected$label, study$label)], expected$n)
  expect_equal(nrow(collect(open_placements(read_run(shards[2])))), 240)
})

test_that("a data set is opened by either function, and read_dataset shares the reader", {
  has_duckdb()
  rows <- open_placements(tiny_folder()) |> count(.data$held_out) |> collect()
  expect_equal(sum(rows$n), nrow(tiny_placements))
})

test_that("mistakes in opening placements name the remedy", {
  expect_error(open_placements(file.path(scratch, "nowhere")), "no folder .*tetrastat simulate",
               class = "tetrastat_error")
  expect_error(open_placements(example_run("study")), "no placements table in .*--placements",
               class = "tetrastat_error")
  expect_error(open_placements(1), class = "tetrastat_error")
  if (!has_packages("duckdb", "dbplyr")) {
    expect_error(open_placements(example_run("games")), "install.packages\\(c\\(\"duckdb\"",
                 class = "tetrastat_error")
    return(invisible())
  }
  bad <- file.path(scratch, "bad.parquet")
  writeLines("no table", bad)
  expect_error(open_placements(bad), "bad.parquet cannot be read as a table",
               class = "tetrastat_error")
})
