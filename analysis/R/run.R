# Reading of runs, and of the scope of their logs.

# Returns the folder of a run, which `x` is or names.
run_folder <- function(x) {
  dir <- if (is.list(x)) x$dir else x
  if (!is.character(dir) || length(dir) != 1) fail("a run, as read_tetrastat() returns it, or its folder is needed")
  dir
}

# Fails unless `dir` is the folder of a run, with a games table or LIAP matches.
check_run_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir,
      "; create one: tetrastat simulate --games 200 --placements csv.gz --out ", dir)
  if (is_run_dir(dir)) return(invisible())
  if (is_study(dir)) fail(dir, " is a study of several runs; use the folder of one condition")
  if (!is.na(history_file(dir))) fail(dir, " is a training, not a run; read_tetrastat() reads it")
  if (is_estimate(dir)) fail(dir, " is a splitting estimate, not a run; read_tetrastat() reads it")
  fail("no games table in ", dir, "; use a folder written by tetrastat simulate (it contains games.csv)")
}

# Fails unless the folder `dir` exists and contains `what`, as a folder that `command` wrote does.
check_written <- function(dir, command, what, is_there) {
  if (!dir.exists(dir)) fail("no folder ", dir, "; create one: ", command, " --out ", dir)
  if (!is_there(dir)) fail("no ", what, " in ", dir, "; use a folder written by ", command)
}

is_run_dir <- function(dir) dir.exists(dir) && !is_study(dir) && (!is.na(table_file(dir, "games")) || is_liap(dir))

is_liap <- function(dir) !is.na(table_file(dir, "declarations")) || !is.na(table_file(dir, "matches"))

is_guideline <- function(dir) {
  file <- table_file(dir, "games")
  !is.na(file) && "sprint_reward" %in% csv_header(file)
}

# Returns the kind of games in a folder: "classic", "guideline" or "liap".
run_kind <- function(dir) if (is_liap(dir)) "liap" else if (is_guideline(dir)) "guideline" else "classic"

# Returns the content of run.json (or checkpoint.json, ...); an empty configuration if there is no such
# file.
read_manifest <- function(dir, file = "run.json") {
  path <- file.path(dir, file)
  if (!file.exists(path)) return(list(config = list()))
  tryCatch(jsonlite::read_json(path, simplifyVector = TRUE),
    error = \(e) fail(path, " is not valid JSON; create the folder again"))
}

# Returns which placements were logged: list(every, from, to, only_last, sample_games), the options
# of simulate.
logged_part <- function(manifest) {
  logged <- manifest$config$log$selection
  list(every = logged$every %||% 1, from = logged$from %||% 1, to = logged$to %||% Inf,
       only_last = logged$only_last %||% Inf, sample_games = logged$sample_games %||% 1)
}

# Returns the number of logged placements of games of `pieces` pieces, if each game is in the
# sample.
logged_rows <- function(pieces, logged) {
  first <- pmax(logged$from, pieces - logged$only_last + 1)
  last <- pmin(logged$to, pieces)
  pmax(0, floor(last / logged$every) - floor((first - 1) / logged$every))
}

# Describes which placements were logged; NA if all were.
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

# Returns how many of the first games to keep so that at most `max_rows` placements are read. The
# number depends on totals only, and games are exchangeable, so the choice is not biased.
games_within <- function(games, logged, max_rows) {
  rows <- sum(logged_rows(games$pieces, logged)) * logged$sample_games
  if (rows <= max_rows) return(nrow(games))
  max(1, floor(nrow(games) * max_rows / rows))
}

# Returns the number of first rows that contain the placements of the games `kept`; Inf if these are
# all games.
rows_of_games <- function(dir, kept, games, logged) {
  if (nrow(kept) == nrow(games)) return(Inf)
  if (logged$sample_games == 1) return(sum(logged_rows(kept$pieces, logged)))
  path <- table_file(dir, "placements") # only the table shows which games were sampled
  sum(read_table(dir, "placements", skip = setdiff(csv_header(path), "game"))$game %in% kept$game)
}

# Reads a folder of `simulate`, `play` or `liap simulate` (see read_tetrastat()).
read_run <- function(dir, max_rows = 4e6, with_board = FALSE) {
  if (!is.character(dir) || length(dir) != 1) fail("expected one folder; to read several: lapply(folders, read_tetrastat)")
  check_run_dir(dir)
  kind <- run_kind(dir)
  read <- switch(kind, liap = read_liap_run, read_games_run)
  manifest <- read_manifest(dir)
  run <- c(list(name = run_name(dir, manifest), kind = kind, dir = dir, manifest = manifest), read(dir, manifest, max_rows, with_board))
  structure(run, class = c(paste0("tetrastat_", kind), "tetrastat_run"))
}

# Reads the table of games of a run. Guideline games get the columns `mode` and `censored`.
read_games <- function(dir, manifest = read_manifest(dir), book = book_of(dir)) {
  games <- read_table(dir, "games", book)
  if (!is_guideline(dir)) return(games)
  cut_off <- games$end_reason %in% c("piece_limit", "time_limit", "left")
  mutate(games, mode = manifest$config$mode %||% NA_character_, censored = .env$cut_off & .data$mode != "blitz")
}

# Reads classic and guideline games. `placements` contains the logged placements of whole games,
# from the first game on. Classic games get the columns of `derive_columns()` that the engine did
# not write; guideline tables get `mode`.
read_games_run <- function(dir, manifest, max_rows, with_board) {
  book <- book_of(dir)
  logged <- logged_part(manifest)
  mode <- if (is_guideline(dir)) manifest$config$mode %||% NA_character_
  games <- read_games(dir, manifest, book) |> check_columns("games", dir)
  run <- list(dir = dir, manifest = manifest, logged = logged, every = logged$every, games = games, n_games = 0, placements = NULL)
  if (max_rows > 0 && !is.na(table_file(dir, "placements"))) {
    kept <- games[seq_len(games_within(games, logged, max_rows)), ]
    run$placements <- read_table(dir, "placements", book, skip = if (!with_board) c("cells", "board"), rows_of_games(dir, kept, games, logged)) |>
      check_columns("placements", dir, if (is.null(mode)) unlist(manifest$config$log$columns) else character())
    run$n_games <- n_distinct(run$placements$game)
    if (nrow(kept) < nrow(games)) run$logged$read_games <- say_cut(nrow(kept), nrow(games), max_rows)
    run$placements <- if (is.null(mode)) derive_columns(run) else mutate(run$placements, mode = .env$mode)
  }
  run[setdiff(names(run), c("dir", "manifest"))]
}

# Prints a message that `max_rows` limited a log to the first `kept` of `all` games; returns c(kept,
# all).
say_cut <- function(kept, all, max_rows, what = "games") {
  message("read the placements of the first ", tidy_number(kept), " of ", tidy_number(all), " ", what, " (max_rows = ", format(max_rows, big.mark = ",", scientific = FALSE), "); use a larger max_rows to read all")
  c(kept, all)
}

# Returns the name of a run: its controller, or its folder if run.json names none.
run_name <- function(dir, manifest) {
  controller <- manifest$config$controller
  if (is.character(controller$name)) controller$name else basename(normalizePath(dir))
}

# Columns that each table needs for an analysis.
needed_columns <- list(
  games = c("game", "pieces", "lines", "end_reason", "censored"),
  placements = c("game", "piece_no", "piece", "orientation", "column", "landing_row", "lines", "margin", "h0", "h1"),
  candidates = c("game", "piece_no", "chosen", "lost"),
  declarations = c("match", "round", "position", "declarer", "player", "raw", "declared", "moved", "captured", "hit", "error",
      "base_points", "points"),
  history = c("generation", "mean", "best", "spread", "held_out", "games", "pieces"),
  population = c("generation", "candidate", "value"),
  reproduced = c("table", "name", "folder", "controller", "queue", "search", "games", "ended", "mean", "low", "high",
      "source", "published_games", "published", "published_low", "published_high", "kind", "ratio", "ratio_low",
      "ratio_high", "verdict"),
  levels = c("level", "threshold", "factor", "rises_per_piece", "onward", "pieces", "deaths"),
  replications = c("lines", "pieces", "weighted_deaths", "deadly_excursions"),
  heights = c("height", "main_placements", "main_share", "weighted_share", "fahey_share"),
  exact = c("board", "rules", "queue", "search", "player", "lines_mean", "of_optimal", "z_lines"),
  ranking = c("estimate", "first", "second", "rank", "n", "mean", "low", "high", "p_adjusted")
)

# Returns the table, or fails with the names of the missing columns.
check_columns <- function(rows, table, dir, announced = needed_columns[[table]]) {
  absent <- setdiff(intersect(needed_columns[[table]], announced %||% needed_columns[[table]]), names(rows))
  if (length(absent) == 0) return(rows)
  fail("the ", table, " table in ", dir, " lacks the column(s) ", paste(absent, collapse = ", "),
       "; log them all (see data/README.md)")
}

# Returns the feature of each indexed column: height_3 belongs to height.
indexed_base <- function(names) sub("_[0-9]+$", "", names)

# Returns all column names that the features can have: the features, and feature_0, feature_1, ...
# for indexed ones.
stated_features <- function(stated) c(stated, paste0(rep(stated, each = 32), "_", 0:31))

# Returns the features of a placements table in file order: all columns that are neither known
# columns nor heights.
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

# Returns a number of run.json or of the engine, `NA` where it states none.
number <- function(x) if (length(x) == 0) NA_real_ else as.numeric(x)

# Returns the estimate and its interval that run.json or the engine states.
stated_interval <- function(found) tibble(mean = number(found$mean), low = number(found$low), high = number(found$high))
