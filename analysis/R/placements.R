# Logs at scale: only the columns and rows that are asked for.

#' The placements of a run, only what is asked for
#'
#' Reads the columns `columns` of the placements of the games `games`, each `every`-th piece and none after `until`: rows and columns are left
#' out where the file is read, not afterwards. Parquet is read by duckdb, arrow or nanoparquet, whichever is installed,
#' else through the engine's program ([tetrastat_program()]); CSV, compressed or not, by data.table where it is
#' installed, else by readr.
#'
#' @param run A run or a study that [read_run()] or [read_study()] has read, or its folder.
#' @param columns Names of columns; `NULL` for all. `game` and `piece_no` come always.
#' @param games Numbers of games (from 0); `NULL` for all.
#' @param every Reads one piece in `every` of each game (by `piece_no`).
#' @param until The last piece of a game that is read: `Inf` for all, 21 for three bags.
#' @return A tibble with the types of [code_book()]; of a study behind `label`, the label of the condition.
#' @examples
#' read_placements(example_run("games"), columns = c("piece", "holes"), games = 0:4, every = 40)
#' @export
read_placements <- function(run, columns = NULL, games = NULL, every = 1, until = Inf) {
  check_count(every, "every")
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
  if (is.na(path)) fail("no placements table in ", dir, "; play again with --placements csv.gz")
  rows <- pushed_rows(path, columns, list(games = games, every = every, until = until))
  as_typed(rows, book_of(dir), "placements")
}

# The rows of `read_placements`, by whatever reads them here; `chosen` says which: games, every, until.
pushed_rows <- function(path, columns, chosen) {
  route <- if (endsWith(path, ".parquet")) parquet_route() else "csv"
  if (route %in% c("duckdb", "arrow", "nanoparquet")) return(parquet_rows(path, columns, chosen, route))
  header <- csv_header(path)
  wanted <- wanted_columns(header, columns, path)
  if (by_program(path)) header <- unname(wanted)
  command <- csv_command(path, header, if (length(chosen$games) > 0) chosen$games)
  is_whole <- is.null(chosen$games) && chosen$every == 1 && chosen$until == Inf && identical(header, unname(wanted))
  if (nzchar(Sys.which("awk")) && !is_whole) {
    command <- paste(command, "|", awk_filter(header, wanted, chosen))
  }
  rows <- if (isTRUE(getOption("tetrastat.data.table", TRUE)) && requireNamespace("data.table", quietly = TRUE)) { # the option is for tests
    as_tibble(data.table::fread(cmd = command, select = unname(wanted), na.strings = "NA", colClasses = list(character = text_columns(wanted)), showProgress = FALSE))
  } else {
    suppressWarnings(readr::read_csv(pipe(command), col_select = all_of(unname(wanted)), na = "NA", progress = FALSE, show_col_types = FALSE, lazy = FALSE,
        col_types = do.call(readr::cols, as.list(set_names(rep("c", length(text_columns(wanted))), text_columns(wanted))))))
  }
  set_names(kept_rows(rows, chosen)[wanted], names(wanted))
}

# Columns that look like numbers or logicals on small tables and are not.
text_columns <- function(wanted) {
  unname(wanted[grepl("^(piece|next_[0-9]+|hold_before|hold_after|cleared_rows|cells|input_keys|board|board_before|orientation)$", names(wanted))])
}

# game, piece_no and the columns asked for, as the file calls them, with their own names; fails with the names of those
# that are not there.
wanted_columns <- function(header, columns, path) {
  header <- set_names(header, table_columns(path, header))
  there <- names(header)
  absent <- setdiff(columns, there)
  if (length(absent) > 0) fail(path, " has no column ", paste(absent, collapse = ", "), nearest_words(absent[1], there), "; it has ", paste(there, collapse = ", "))
  if (is.null(columns)) header else header[there %in% c("game", "piece_no", columns)]
}

# An awk program that keeps the header, and of the rows those asked for. The first columns are whole numbers, and no
# cell of a log has a comma.
awk_filter <- function(header, wanted, chosen) {
  games <- chosen$games
  field <- \(name) paste0("$", match(name, header))
  keep <- c("NR == 1 || (1", if (chosen$every > 1) paste0(" && ", field("piece_no"), " % ", chosen$every, " == 0"),
            if (chosen$until < Inf) paste0(" && ", field("piece_no"), " <= ", chosen$until), if (!is.null(games)) paste0(" && (", field("game"), " in g)"), ")")
  begin <- if (is.null(games)) "" else paste0("BEGIN { n = split(\"", paste(format(games, scientific = FALSE, trim = TRUE), collapse = " "), "\", a, \" \"); for (i = 1; i <= n; i++) g[a[i]] } ")
  print <- if (length(wanted) == length(header)) "print" else paste0("print ", paste(vapply(wanted, field, ""), collapse = "\",\""))
  paste("awk -F,", shQuote(paste0(begin, paste(keep, collapse = ""), " { ", print, " }")))
}

parquet_rows <- function(path, columns, chosen, route) {
  header <- parquet_header(path, route)
  wanted <- wanted_columns(header, columns, path)
  condition <- paste(c(if (chosen$every > 1) paste("piece_no %", chosen$every, "= 0"), if (chosen$until < Inf) paste("piece_no <=", chosen$until),
      if (!is.null(chosen$games)) paste0("game IN (", paste(format(chosen$games, scientific = FALSE, trim = TRUE), collapse = ", "), ")")), collapse = " AND ")
  rows <- switch(route,
    duckdb = duckdb_rows(path, wanted, if (nzchar(condition)) condition),
    arrow = arrow::read_parquet(path, col_select = all_of(unname(wanted))),
    nanoparquet = nanoparquet::read_parquet(path, col_select = unname(wanted)))
  set_names(kept_rows(as_tibble(rows), chosen)[wanted], names(wanted))
}

parquet_header <- function(path, route) {
  switch(route, duckdb = names(duckdb_rows(path, condition = "false")), arrow = names(arrow::open_dataset(path)),
    nanoparquet = setdiff(nanoparquet::read_parquet_schema(path)$name, "schema"))
}

kept_rows <- function(rows, chosen) {
  if (chosen$every > 1) rows <- rows[rows$piece_no %% chosen$every == 0, ]
  if (chosen$until < Inf) rows <- rows[rows$piece_no <= chosen$until, ]
  if (!is.null(chosen$games)) rows <- rows[rows$game %in% chosen$games, ]
  rows
}

#' Placements beside what is known of their games
#'
#' Joins the games' columns to the placements. What both tables have (`lines`, say: of the placement, of the game)
#' keeps its name for the placement and is `game_lines` of the game.
#'
#' @param run A run with placements, as [read_run()] reads it.
#' @return The placements with further columns.
#' @examples
#' run <- read_run(example_run("games"))
#' names(with_games(run))
#' @export
with_games <- function(run) {
  if (is.null(run$placements)) fail("the run ", run$name, " has no placements; play again with --placements csv.gz")
  both <- setdiff(intersect(names(run$games), names(run$placements)), "game")
  games <- rename_with(run$games, \(name) paste0("game_", name), all_of(both))
  left_join(run$placements, games, by = "game")
}

check_count <- function(x, name) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x < 1 || x != round(x)) fail(name, " is a whole number of at least 1, not ", format(x)[1])
}
