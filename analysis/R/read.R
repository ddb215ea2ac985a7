# Reads run folders into typed tibbles. The one place that knows file formats.

#' The file of table `name` in `dir`, in the first format present; NA when there is none.
table_file <- function(dir, name) {
  files <- file.path(dir, paste0(name, c(".csv", ".csv.gz", ".csv.zst", ".parquet")))
  files[file.exists(files)][1]
}

#' What readr can read for `path`: the path itself, or a pipe that decompresses zstd.
csv_source <- function(path) {
  if (!endsWith(path, ".zst")) return(path)
  if (!nzchar(Sys.which("zstd"))) {
    fail(path, " needs the program zstd: apt-get install zstd, or write the run with --placements csv.gz")
  }
  pipe(paste("zstd -dcq", shQuote(path)))
}

csv_header <- function(path) {
  source <- csv_source(path)
  if (is.character(source)) source <- gzfile(source) # reads plain files as well
  on.exit(close(source))
  open(source, "rt")
  line <- readLines(source, n = 1)
  if (length(line) == 0) fail(path, " is empty; write the run again")
  gsub("\"", "", strsplit(line, ",")[[1]])
}

#' A readr collector for a type of `column_types`.
collector <- function(type, levels) {
  switch(type %||% NA_character_,
    factor = readr::col_factor(levels), integer = readr::col_integer(),
    double = readr::col_double(), logical = readr::col_logical(),
    character = readr::col_character(), readr::col_guess()
  )
}

#' Reads one CSV table with the code book's types; stops when a cell does not fit its type.
read_csv_typed <- function(path, book, table, skip = character(), n_max = Inf) {
  header <- csv_header(path)
  type <- column_types(header, book, table)
  levels <- factor_levels(book, table)
  types <- map(set_names(header), \(name) {
    if (name %in% skip) readr::col_skip() else collector(type[[name]], levels[[name]])
  })
  rows <- suppressWarnings(readr::read_csv(csv_source(path), col_types = do.call(readr::cols, types),
    n_max = n_max, na = "NA", progress = FALSE, num_threads = 2, lazy = FALSE))
  check_problems(readr::problems(rows), path, header)
  rows
}

check_problems <- function(problems, path, header) {
  if (nrow(problems) == 0) return(invisible())
  first <- problems[1, ]
  fail(path, " line ", first$row, ", column ", header[first$col], ": found '", first$actual, "' instead of ",
       first$expected, "; the code book data/README.md and the file disagree")
}

#' Reads one Parquet table through arrow or nanoparquet, whichever is installed.
read_parquet_typed <- function(path, book, table, skip = character()) {
  rows <- if (requireNamespace("nanoparquet", quietly = TRUE)) {
    nanoparquet::read_parquet(path)
  } else if (requireNamespace("arrow", quietly = TRUE)) {
    arrow::read_parquet(path)
  } else {
    fail(path, " needs R package nanoparquet or arrow: install.packages(\"nanoparquet\"), or convert the table to csv.gz")
  }
  as_typed(as_tibble(rows)[setdiff(names(rows), skip)], book, table)
}

#' Gives a table's columns the types that a CSV of it would have.
as_typed <- function(rows, book, table) {
  type <- column_types(names(rows), book, table)
  levels <- factor_levels(book, table)
  convert <- function(values, name) {
    switch(type[[name]] %||% NA_character_,
      factor = factor(as.character(values), levels[[name]]), integer = as.integer(values),
      double = as.double(values), logical = as.logical(values),
      character = as.character(values), values
    )
  }
  imap(rows, convert) |> as_tibble()
}

#' Reads table `name` of a run folder, or NULL when the run has none.
read_table <- function(dir, name, book, skip = character(), n_max = Inf) {
  path <- table_file(dir, name)
  if (is.na(path)) return(NULL)
  if (!endsWith(path, ".parquet")) return(read_csv_typed(path, book, name, skip, n_max))
  rows <- read_parquet_typed(path, book, name, skip)
  rows[seq_len(min(n_max, nrow(rows))), ]
}

#' Fails unless `dir` is a folder with a games table.
check_run_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir,
      "; make one: tetrastat simulate --games 200 --placements csv.gz --out ", dir)
  if (is.na(table_file(dir, "games"))) {
    fail("no games table in ", dir, "; give a run folder that tetrastat simulate has written (it holds games.csv)")
  }
}

#' What run.json says of the run, with what a missing file leaves open as NA.
read_manifest <- function(dir) {
  path <- file.path(dir, "run.json")
  if (!file.exists(path)) return(list(config = list()))
  tryCatch(jsonlite::read_json(path, simplifyVector = TRUE),
    error = \(e) fail(path, " is not valid JSON; write the run again"))
}

#' A run's name in figures: its controller, or its folder where run.json says nothing.
run_name <- function(dir, manifest) manifest$config$controller$name %||% basename(normalizePath(dir))

#' Makes equal names distinct by the folder's name.
distinct_names <- function(names, dirs) {
  twice <- names %in% names[duplicated(names)]
  ifelse(twice, paste0(names, " (", basename(normalizePath(dirs)), ")"), names) |> make.unique(sep = " ")
}

#' The run folders that `dirs` stand for: a folder without a games table stands for its subfolders
#' that have one (a study).
expand_dirs <- function(dirs) {
  expand <- function(dir) {
    if (!dir.exists(dir) || !is.na(table_file(dir, "games"))) return(dir)
    inside <- keep(list.dirs(dir, recursive = FALSE), \(sub) !is.na(table_file(sub, "games")))
    if (length(inside) == 0) dir else inside
  }
  list_c_chr(map(dirs, expand))
}

list_c_chr <- function(parts) as.character(unlist(parts))

#' How many of the first games to keep so that at most `max_rows` placements are read. The number
#' depends on totals only, and games are exchangeable, so the choice favours no kind of game.
games_within <- function(games, every, max_rows) {
  logged <- sum(games$pieces) / every
  if (logged <= max_rows) return(nrow(games))
  max(1, floor(nrow(games) * max_rows / logged))
}

#' Reads a run: list(name, manifest, width, every, games, placements).
#' `placements` is NULL when the run logged none; otherwise it holds whole games, the first
#' `n_games` of them, with the columns that `derive_columns` adds where the engine wrote none.
read_run <- function(dir, book = list(), max_rows = 4e6, with_board = FALSE) {
  check_run_dir(dir)
  manifest <- read_manifest(dir)
  games <- read_table(dir, "games", book)
  check_columns(games, "games", dir)
  every <- as.numeric(manifest$config$every %||% 1)
  n_games <- games_within(games, every, max_rows)
  kept <- games[seq_len(n_games), ]
  n_max <- if (n_games < nrow(games)) sum(floor(kept$pieces / every)) else Inf
  placements <- read_table(dir, "placements", book, skip = if (with_board) character() else "board", n_max)
  run <- list(name = run_name(dir, manifest), dir = dir, manifest = manifest, every = every,
              games = games, n_games = n_games, placements = placements)
  if (!is.null(placements)) check_columns(placements, "placements", dir)
  if (!is.null(placements)) run$placements <- derive_columns(run)
  run
}

#' Columns without which a table cannot be analysed.
needed_columns <- list(
  games = c("game", "pieces", "lines", "end_reason", "censored"),
  placements = c("game", "piece_no", "piece", "orientation", "column", "landing_row", "lines", "margin", "h0", "h1")
)

#' Fails when a table lacks a column that the analysis needs.
check_columns <- function(rows, table, dir) {
  absent <- setdiff(needed_columns[[table]], names(rows))
  if (length(absent) == 0) return(invisible(rows))
  fail("the ", table, " table in ", dir, " lacks the column(s) ", paste(absent, collapse = ", "),
       "; write the run with all of them (see data/README.md)")
}

#' Features of a placements table, in file order: what stands between the known columns and h0.
feature_names <- function(placements, book = list()) {
  stated <- book$features$feature
  known <- c("game", "piece_no", "piece", "next", "orientation", "column", "landing_row", "lines",
             "lines_total", "score", "margin", "candidates", "candidate", "chosen", "bag_no", "bag_pos",
                 "pieces_since_i",
             "cleared_rows", "clear_type", "perfect", "rank2_orientation", "rank2_column",
             "rank2_score", "lost", "well_column", "well_depth", "i_dependencies", "parity_check",
             "parity_column", "board", own_columns, book$placements$variable, book$candidates$variable)
  free <- setdiff(names(placements), known)
  free <- free[!grepl("^h[0-9]+$", free)]
  if (is.null(stated)) return(free)
  free[sub("_[0-9]+$", "", free) %in% stated | free %in% stated]
}
