# Reading of large logs: columns and rows are selected while the file is read.

#' Read selected placements of a run
#'
#' Reads the columns `columns` of the placements of the games `games`, one piece in `every` and none
#' after `until`. Other columns and rows are skipped while the file is read, which saves time and
#' memory.
#'
#' Parquet files are read by duckdb (with dbplyr), arrow or nanoparquet, whichever is installed, and
#' otherwise through the engine ([tetrastat_program()]). duckdb and arrow also skip the row groups
#' without a requested game. CSV files, compressed or not, are read by data.table
#' if it is installed, and otherwise by readr.
#'
#' @param run A run or a study that [read_tetrastat()] returns, or its folder.
#' @param columns A character vector of column names, or `NULL` for all. `game` and `piece_no` are
#'   always included.
#' @param games Whole numbers: games to read (from 0), or `NULL` for all.
#' @param every A whole number: reads one piece in `every` of each game (by `piece_no`).
#' @param until A whole number: the last piece of a game to read. `Inf` reads all, 21 reads three
#'   bags.
#' @return A tibble with one row per placement, with the column types of [code_book()]. For a study
#'   the first column is `label`, the label of the condition.
#' @seealso [open_placements()] for a table that is evaluated where the file is read.
#' @examples
#' read_placements(example_run("games"), columns = c("piece", "holes"), games = 0:4, every = 40)
#' @export
read_placements <- function(run, columns = NULL, games = NULL, every = 1, until = Inf) {
  check_count(every, "every")
  check_games(games)
  if (!identical(until, Inf)) check_count(until, "until")
  if (inherits(run, "tetrastat_study") || (is.character(run) && !is_run_dir(run))) {
    conditions <- if (is.character(run)) read_conditions(run) else run$conditions
    rows <- map2(conditions$dir, conditions$label, \(dir, label) {
      mutate(read_placements(dir, columns, games, every, until), label = label, .before = 1)
    })
    return(bind_rows(rows))
  }
  dir <- run_folder(run)
  path <- table_file(dir, "placements")
  if (is.na(path)) fail("no placements table in ", dir, "; run the simulation again with --placements csv.gz")
  rows <- pushed_rows(path, columns, list(games = games, every = every, until = until))
  if (nrow(rows) == 0 && !is.null(games)) fail(dir, " has no logged placements of the games ", paste(head(games, 5), collapse = ", "))
  as_typed(rows, book_of(dir), "placements")
}

# Reads the rows of `read_placements()` with the available reader. `chosen` is list(games, every,
# until).
pushed_rows <- function(path, columns, chosen, route = if (is_parquet(path)) parquet_route() else "csv") {
  if (route %in% c("duckdb", "arrow", "nanoparquet")) return(parquet_rows(path, columns, chosen, route))
  header <- csv_header(path)
  wanted <- wanted_columns(header, columns, path)
  if (by_program(path)) header <- wanted
  command <- csv_command(path, header, if (length(chosen$games) > 0) chosen$games)
  is_whole <- is.null(chosen$games) && chosen$every == 1 && chosen$until == Inf && identical(header, wanted)
  if (nzchar(Sys.which("awk")) && !is_whole) {
    command <- paste(command, "|", awk_filter(header, wanted, chosen))
  }
  rows <- if (isTRUE(getOption("tetrastat.data.table", TRUE)) && requireNamespace("data.table", quietly = TRUE)) { # the tests set this option
    as_tibble(data.table::fread(cmd = command, select = wanted, na.strings = "NA", colClasses = list(character = text_columns(wanted)), showProgress = FALSE))
  } else {
    suppressWarnings(readr::read_csv(pipe(command), col_select = all_of(wanted), na = "NA", progress = FALSE, show_col_types = FALSE, lazy = FALSE,
        col_types = do.call(readr::cols, as.list(set_names(rep("c", length(text_columns(wanted))), text_columns(wanted))))))
  }
  kept_rows(rows, chosen)[wanted]
}

# Returns the text columns that look like numbers or logicals in small tables.
text_columns <- function(wanted) {
  grep("^(piece|next_[0-9]+|hold_before|hold_after|cleared_rows|cells|input_keys|board|board_before|orientation)$", wanted, value = TRUE)
}

# Returns the requested columns, and game and piece_no. Fails if a column does not exist.
wanted_columns <- function(header, columns, path) {
  absent <- setdiff(columns, header)
  if (length(absent) > 0) fail(path, " has no column ", paste(absent, collapse = ", "), nearest_words(absent[1], header), "; it has ", paste(header, collapse = ", "))
  if (is.null(columns)) header else intersect(header, c("game", "piece_no", columns))
}

# Returns an awk program that keeps the header and the requested rows. This works because the first
# columns are whole numbers, and no cell of a log contains a comma.
awk_filter <- function(header, wanted, chosen) {
  games <- chosen$games
  field <- \(name) paste0("$", match(name, header))
  keep <- c("NR == 1 || (1", if (chosen$every > 1) paste0(" && ", field("piece_no"), " % ", chosen$every, " == 0"),
            if (chosen$until < Inf) paste0(" && ", field("piece_no"), " <= ", chosen$until), if (!is.null(games)) paste0(" && (", field("game"), " in g)"), ")")
  begin <- if (is.null(games)) "" else paste0("BEGIN { n = split(\"", paste(format(games, scientific = FALSE, trim = TRUE), collapse = " "), "\", a, \" \"); for (i = 1; i <= n; i++) g[a[i]] } ")
  print <- if (length(wanted) == length(header)) "print" else paste0("print ", paste(vapply(wanted, field, ""), collapse = "\",\""))
  paste("awk -F,", shQuote(paste0(begin, paste(keep, collapse = ""), " { ", print, " }")))
}

# Reads a Parquet file. DuckDB and arrow skip row groups as well as columns, nanoparquet only columns.
parquet_rows <- function(path, columns, chosen, route) {
  source <- if (route == "nanoparquet") nanoparquet::read_parquet_schema(parquet_files(path)[1]) else lazy_table(path)
  header <- if (route == "nanoparquet") setdiff(source$name, "schema") else as.character(tbl_vars(source))
  wanted <- wanted_columns(header, columns, path)
  if (route == "nanoparquet") source <- nano_rows(path, col_select = wanted)
  as_tibble(collect(select(kept_rows(source, chosen), all_of(wanted))))
}

# Filters the rows of a table that can be lazy.
kept_rows <- function(rows, chosen) {
  if (chosen$every > 1) rows <- filter(rows, .data$piece_no %% !!chosen$every == 0)
  if (chosen$until < Inf) rows <- filter(rows, .data$piece_no <= !!chosen$until)
  if (!is.null(chosen$games)) rows <- filter(rows, .data$game %in% !!chosen$games)
  rows
}

#' Placements joined with their games
#'
#' Adds the columns of the games to the placements. A column that both tables have, such as `lines`,
#' keeps its name for the placement and becomes `game_lines` for the game.
#'
#' @param x A run with placements, a study, the folder of either, or a list of these.
#' @return A tibble with one row per placement: the columns of the placements, then those of the
#'   game. Several runs have the column `run` first.
#' @examples
#' names(with_games(example_run("games")))
#' @export
with_games <- function(x) by_run(x, games_joined)

games_joined <- function(run) {
  placements <- placements_of(run)
  both <- setdiff(intersect(names(run$games), names(placements)), "game")
  left_join(placements, rename_with(run$games, \(name) paste0("game_", name), all_of(both)), by = "game")
}

# Returns the placements of a run, or fails if there are none, or not these columns.
placements_of <- function(run, columns = character()) {
  if (NROW(run$placements) == 0) fail("the run ", run$name, " has no placements; play it again with --placements csv.gz")
  check_columns_of(run$placements, columns, "placements")
  run$placements
}

# Applies the function `what` to each run and returns its tables as one. The table has the column `run` if
# there are several runs or if `named` is TRUE. `...` are arguments of read_run().
by_run <- function(x, what, named = FALSE, ...) {
  if (length(x) == 0) fail("no run given; give a run, a study or a folder")
  runs <- as_runs(x, ...)
  if (length(runs) == 1 && !named) return(what(runs[[1]]))
  mutate(bind_rows(map(runs, what), .id = "run"), run = factor(.data$run, names(runs)))
}

# As by_run() for the folders of runs, which are not read.
by_folder <- function(x, what) {
  if (!is.list(x) && !(is.character(x) && all(dir.exists(x)))) return(what(run_folder(x)))
  if (inherits(x, "tetrastat_run")) return(what(x$dir))
  conditions <- if (inherits(x, "tetrastat_study")) x$conditions else read_conditions(map_chr(x, run_folder))
  if (nrow(conditions) == 1) return(what(conditions$dir))
  rows <- map(set_names(conditions$dir, conditions$label), what)
  mutate(bind_rows(rows, .id = "run"), run = factor(.data$run, names(rows)))
}

# Returns numbers of games, or fails if they are none.
check_games <- function(games) {
  if (!is.null(games) && (!is.numeric(games) || length(games) == 0 || anyNA(games) || any(games < 0 | games != round(games)))) {
    fail("games must be whole numbers of at least 0, such as 0:4, or NULL for all")
  }
  games
}

check_count <- function(x, name) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x < 1 || x != round(x)) fail(name, " must be a whole number of at least 1, not ", format(x)[1])
  x
}
