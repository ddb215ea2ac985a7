# Runs and what of them was logged.

# The folder of a run that was read, or that `x` names.
run_folder <- function(x) {
  dir <- if (is.character(x)) x else x$dir
  if (!is.character(dir) || length(dir) != 1) fail("give a run that read_run() has read, or its folder")
  dir
}

# Fails unless `dir` is a folder of a run: with a games table or with LIAP's matches.
check_run_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir,
      "; make one: tetrastat simulate --games 200 --placements csv.gz --out ", dir)
  if (is_run_dir(dir)) return(invisible())
  if (is_study(dir)) fail(dir, " is a study of several runs: read it with read_study(\"", dir, "\"), or give the folder of one condition")
  if (!is.na(history_file(dir))) fail(dir, " is a training: read it with read_training(\"", dir, "\")")
  if (is_estimate(dir)) fail(dir, " is a splitting estimate: read it with read_estimate(\"", dir, "\")")
  fail("no games table in ", dir, "; give a run folder that tetrastat simulate has written (it holds games.csv)")
}

is_run_dir <- function(dir) dir.exists(dir) && !is_study(dir) && (!is.na(table_file(dir, "games")) || is_liap(dir))

is_liap <- function(dir) !is.na(table_file(dir, "declarations")) || !is.na(table_file(dir, "matches"))

is_guideline <- function(dir) {
  file <- table_file(dir, "games")
  !is.na(file) && "sprint_reward" %in% csv_header(file)
}

# Which games a folder holds: "classic", "guideline" or "liap".
run_kind <- function(dir) if (is_liap(dir)) "liap" else if (is_guideline(dir)) "guideline" else "classic"

# What run.json (or train.json, ...) says; an empty configuration when there is no such file.
read_manifest <- function(dir, file = "run.json") {
  path <- file.path(dir, file)
  if (!file.exists(path)) return(list(config = list()))
  tryCatch(jsonlite::read_json(path, simplifyVector = TRUE),
    error = \(e) fail(path, " is not valid JSON; write the run again"))
}

# Which placements were logged: list(every, from, to, only_last, sample_games), as simulate's options.
logged_part <- function(manifest) {
  logged <- manifest$config$logged
  list(every = logged$every %||% 1, from = logged$from %||% 1, to = logged$to %||% Inf,
       only_last = logged$only_last %||% Inf, sample_games = logged$sample_games %||% 1)
}

# How many placements of games of `pieces` pieces are logged, were each game in the sample.
logged_rows <- function(pieces, logged) {
  first <- pmax(logged$from, pieces - logged$only_last + 1)
  last <- pmin(logged$to, pieces)
  pmax(0, floor(last / logged$every) - floor((first - 1) / logged$every))
}

# What was logged, in words; NA when it is all play.
scope_words <- function(logged) {
  parts <- c(
    if (is.finite(logged$only_last)) paste("only the last", tidy_number(logged$only_last), "placements of each game"),
    if (logged$from > 1 || is.finite(logged$to)) paste("placements", tidy_number(logged$from), "to",
        if (is.finite(logged$to)) tidy_number(logged$to) else "the end", "of each game"),
    if (logged$sample_games < 1) paste0("a random ", tidy_number(100 * logged$sample_games), " % of the games"),
    if (logged$every > 1) paste("one placement in", tidy_number(logged$every))
  )
  if (length(parts) == 0) NA_character_ else paste(parts, collapse = ", ")
}

# How many of the first games to keep so that at most `max_rows` placements are read. The number
# depends on totals only, and games are exchangeable, so the choice favours no kind of game.
games_within <- function(games, logged, max_rows) {
  rows <- sum(logged_rows(games$pieces, logged)) * logged$sample_games
  if (rows <= max_rows) return(nrow(games))
  max(1, floor(nrow(games) * max_rows / rows))
}

# The first rows that hold the placements of the games `kept`; Inf when these are all games.
rows_of_games <- function(dir, kept, games, logged) {
  if (nrow(kept) == nrow(games)) return(Inf)
  if (logged$sample_games == 1) return(sum(logged_rows(kept$pieces, logged)))
  path <- table_file(dir, "placements") # which games were drawn is only in the table
  sum(read_table(dir, "placements", skip = setdiff(table_columns(path), "game"))$game %in% kept$game)
}

#' Read a run
#'
#' Reads a folder that `tetrastat simulate` (under any rules), `tetrastat play` or `tetrastat liap simulate` has written,
#' whatever its format. The folder says which games it holds.
#'
#' @param dir The run's folder.
#' @param max_rows Maximum number of placements to read. Whole games are read in order; the cut depends only on row totals,
#'   so it is not biased towards short or long games. If some games were not read, a message and `print()` report the
#'   number of games read.
#' @param with_board Whether the column `board` is kept, which is large.
#' @return A `tetrastat_run`, a list with `name`, `kind` (`"classic"`, `"guideline"` or `"liap"`), `dir`, `manifest`
#'   (what `run.json` says), `logged` (which placements; its `read_games` is the number of games whose placements were read
#'   if `max_rows` cut the log, else `NULL`), and tibbles with the types of [code_book()]: `games` and
#'   `placements` (`NULL` when none were logged), or LIAP's `matches`, `rounds` and `declarations`. Of classic games
#'   the placements have further columns: `to_end` (placements to the game's last one, 0 = the last, `NA` in a censored
#'   game), `height_top`, `height_average` and `height_bumpiness`; and, where the log has the heights, `well_column`,
#'   `well_depth`, `well_tied` and `i_dependencies` of [code_book()]. It has `print()`, `summary()`, `autoplot()`,
#'   `tidy()` and `glance()`.
#' @examples
#' run <- read_run(example_run("games"))
#' run
#' run$games
#' @export
read_run <- function(dir, max_rows = 4e6, with_board = FALSE) {
  if (!is.character(dir) || length(dir) != 1) fail("read_run() reads one folder; give one path, or read several: lapply(dirs, read_run)")
  check_run_dir(dir)
  kind <- run_kind(dir)
  read <- switch(kind, liap = read_liap_run, read_games_run)
  manifest <- read_manifest(dir)
  run <- c(list(name = run_name(dir, manifest), kind = kind, dir = dir, manifest = manifest), read(dir, manifest, max_rows, with_board))
  structure(run, class = c(paste0("tetrastat_", kind), "tetrastat_run"))
}

# Classic and guideline games. `placements` holds whole games, those that were logged of the first ones. Those of classic
# games get the columns that `derive_columns` adds where the engine wrote none; guideline tables get `mode`.
read_games_run <- function(dir, manifest, max_rows, with_board) {
  book <- book_of(dir)
  logged <- logged_part(manifest)
  mode <- if (is_guideline(dir)) manifest$config$mode %||% NA_character_
  games <- read_table(dir, "games", book)
  if (!is.null(mode)) games <- mutate(games, mode = .env$mode, censored = .data$end_reason %in% c("piece_limit", "time_limit", "left") & .env$mode != "blitz")
  check_columns(games, "games", dir)
  run <- list(dir = dir, manifest = manifest, logged = logged, every = logged$every, games = games, n_games = 0, placements = NULL)
  if (!is.na(table_file(dir, "placements"))) {
    kept <- games[seq_len(games_within(games, logged, max_rows)), ]
    run$placements <- read_table(dir, "placements", book, skip = if (!with_board) c("cells", "board"), rows_of_games(dir, kept, games, logged)) |>
      check_columns("placements", dir, if (is.null(mode)) manifest$config$columns else character())
    run$n_games <- n_distinct(run$placements$game)
    if (nrow(kept) < nrow(games)) run$logged$read_games <- say_cut(nrow(kept), nrow(games), max_rows)
    run$placements <- if (is.null(mode)) derive_columns(run) else mutate(run$placements, mode = .env$mode)
  }
  run[setdiff(names(run), c("dir", "manifest"))]
}

# Prints a message that `max_rows` cut a log after `kept` of `all` games; returns c(kept, all).
say_cut <- function(kept, all, max_rows, what = "games") {
  message("read the placements of the first ", tidy_number(kept), " of ", tidy_number(all), " ", what, " (max_rows = ", format(max_rows, big.mark = ",", scientific = FALSE), "); give a larger max_rows for all")
  c(kept, all)
}

# A run's name: its controller, or its folder where run.json says nothing.
run_name <- function(dir, manifest) {
  controller <- manifest$config$controller
  if (is.list(controller) && is.character(controller$name)) controller$name else basename(normalizePath(dir))
}

# Columns without which a table cannot be analysed.
needed_columns <- list(
  games = c("game", "pieces", "lines", "end_reason", "censored"),
  placements = c("game", "piece_no", "piece", "orientation", "column", "landing_row", "lines", "margin", "h0", "h1"),
  candidates = c("game", "piece_no", "chosen", "lost"),
  declarations = c("match", "round", "position", "declarer", "player", "raw", "declared", "moved", "captured", "hit", "error",
      "base_points", "points"),
  history = c("generation", "mean", "best", "spread", "held_out", "games", "pieces"),
  population = c("generation", "candidate", "value"),
  reproduced = c("table", "name", "folder", "controller", "queue", "search", "games", "ended", "mean", "mean_low", "mean_high",
      "source", "published_games", "published", "published_low", "published_high", "kind", "ratio", "ratio_low",
      "ratio_high", "verdict"),
  levels = c("level", "threshold", "factor", "rises_per_piece", "onward", "pieces", "deaths"),
  replications = c("lines", "pieces", "weighted_deaths", "deadly_excursions"),
  heights = c("height", "main_placements", "main_share", "weighted_share", "fahey_share"),
  exact = c("board", "rules", "queue", "search", "player", "lines_mean", "of_optimal", "z_lines"),
  ranking = c("estimate", "first", "second", "rank", "games", "value", "low", "high", "p_adjusted")
)

# The table, or an error that names the columns it lacks.
check_columns <- function(rows, table, dir, announced = needed_columns[[table]]) {
  absent <- setdiff(intersect(needed_columns[[table]], announced %||% needed_columns[[table]]), names(rows))
  if (length(absent) == 0) return(rows)
  fail("the ", table, " table in ", dir, " lacks the column(s) ", paste(absent, collapse = ", "),
       "; write the run with all of them (see data/README.md)")
}

# A column of an indexed feature by the feature's name: height_3 is of height.
indexed_base <- function(names) sub("_[0-9]+$", "", names)

# Names that columns of these features have: the features and, of indexed ones, feature_0, feature_1, ...
stated_features <- function(stated) c(stated, paste0(rep(stated, each = 32), "_", 0:31))

# Features of a placements table, in file order: what stands between the known columns and h0.
feature_names <- function(placements, book = list()) {
  stated <- book$features$variable
  known <- c("game", "piece_no", "piece", "next_1", "orientation", "column", "landing_row", "lines",
             "lines_total", "score", "margin", "candidates", "candidate", "chosen", "bag_no", "bag_pos",
             "used_hold", "t_spin", "own_score",
             "pieces_since_i", "cleared_rows", "clear_type", "perfect", "rank2_orientation", "rank2_column",
             "rank2_score", "lost", "well_column", "well_depth", "well_tied", "i_dependencies", "parity_check",
             "parity_column", "board", own_columns, setdiff(c(book$placements$variable, book$candidates$variable), stated_features(stated)))
  free <- setdiff(names(placements), known)
  free <- free[!grepl("^h[0-9]+$", free)]
  if (is.null(stated)) return(free)
  free[indexed_base(free) %in% stated | free %in% stated]
}
