# How often a game ends soon: after boards of a group, after boards with a well, after one board.

#' Risk of groups of boards, of wells, or of one board
#'
#' Computes how often a game ends within the next `within` pieces.
#'
#' @section Groups of boards:
#' `by` names columns of the placements whose values define the groups, such as heights of the stack. The
#' periods are those of [death_model()]: they do not overlap, and the last periods of a censored game are
#' dropped. A game has at most one death, so the deaths of different periods are nearly independent.
#'
#' @section Wells:
#' `by = "well"` answers whether a pattern such as 6-3 pays: boards whose deepest well has this position
#' are compared with all other boards that have one deepest well. Each pattern has a logistic regression
#' like that of [death_model()], with standard errors clustered by game. The adjusted odds ratio holds the
#' features `adjust` constant, since high boards have other wells than low ones. On simulated games
#' without an effect of the well, any of the ten patterns has an adjusted p below 0.05 in 10 of 200
#' samples of 150 games.
#'
#' Groups and wells describe boards that were reached in play: a difference is an association.
#'
#' @section One board:
#' If `x` is a board, the function plays games that start from it. `tetrastat label` measures many boards
#' of a log (a folder of `tetrastat label`).
#'
#' @param x A run with placements, a study, the folder of either, or a list of these. Or a board: a picture with
#'   one line per row, top row first, `#` for filled and `.` for empty cells; or the text of the column
#'   `board` of a table of placements.
#' @param by A character vector: columns of the placements whose values define the groups, or `"well"`.
#'   Rows with a missing value are dropped.
#' @param within A whole number: pieces in a period.
#' @param outcome A string, for wells: `"death"`, or `"tetris"` (a placement that removes four rows), which
#'   needs all placements in the log.
#' @param adjust A character vector, for wells: columns that the adjusted odds ratio holds constant.
#' @param ... For a board: arguments of [simulate_games()], such as `controller`, `games`, `board` (the
#'   size, such as `"10x20"`), `queue` or `seed`.
#' @return A tibble. Several runs have the column `run` first.
#' * Groups: the columns `by`; `periods` and `deaths`, the counts; `risk`, the share of periods in which the
#'   game ends, with Wilson's 95 % interval `low` and `high`.
#' * Wells: `pattern` (X columns left of the well and Y right of it), `column`; `periods` and `events`, the
#'   periods that begin with this well, and those in which the outcome follows; `odds_ratio`, the odds
#'   of the outcome against all other wells, with its 95 % interval `low` and `high` and `p`,
#'   Holm-adjusted over the patterns; the same with the prefix `adjusted_`. `NA` with fewer than five
#'   events or five periods without one.
#' * A board: one row with `within`, `games`, `deaths`; `risk`, `low` and `high` as above; and `lines`, the
#'   mean number of lines until then.
#' @examples
#' risk(example_run("games"), "height_top")
#' risk(example_run("games"), "well")
#' if (nzchar(tetrastat_program())) {
#'   empty <- strrep(".", 10)
#'   tower <- strrep("#", 9)
#'   picture <- paste(c(rep(empty, 4), rep(paste0(tower, "."), 6)), collapse = "\n")
#'   risk(picture, within = 100, controller = "lee", games = 100, board = "10x10")
#' }
#' @export
risk <- function(x, by = "height_top", within = 20, outcome = c("death", "tetris"), adjust = c("height_average", "holes"), ...) {
  check_count(within, "within")
  outcome <- match.arg(outcome)
  if (is_board(x)) return(risk_of_board(x, within, ...))
  rlang::check_dots_empty()
  if (identical(by, "well")) return(by_run(x, \(run) risk_of_wells(run, outcome, within, adjust)))
  if (outcome != "death") fail("outcome = \"", outcome, "\" needs by = \"well\"")
  by_run(x, \(run) risk_of_groups(run, by, within))
}

# Returns TRUE for a board as a picture or as the text of a log.
is_board <- function(x) is.character(x) && length(x) == 1 && !is.na(x) && !dir.exists(x) && grepl("^([.#\n ]+|[0-9a-f]+(:[0-9a-f]+)*)$", x)

risk_of_groups <- function(run, by, within) {
  placements <- placements_of(run, c("game", "piece_no", by))
  taken <- intersect(by, c("game", "dies", "periods", "deaths", "risk", "low", "high"))
  if (length(taken) > 0) fail("rename the column ", taken[1], ": the result has a column of this name")
  risk_periods(placements, run$games, by, within, run$every) |>
    check_deaths(run) |>
    group_by(across(all_of(by))) |>
    summarise(periods = n(), deaths = sum(.data$dies), .groups = "drop") |>
    mutate(rename(wilson_interval(.data$deaths, .data$periods), risk = "share"), low = pmax(.data$low, 0))
}

# Returns the periods, or fails if the outcome never follows.
check_deaths <- function(rows, run, outcome = "death") {
  if (any(rows$dies)) return(rows)
  fail("no ", outcome, " in the ", tidy_number(nrow(rows)), " logged periods of ", run$name, "; ",
       if (outcome == "death") "play until games end (--max-pieces none), and log placements before the end" else "play more games")
}

risk_of_wells <- function(run, outcome, within, adjust) {
  placements <- with_wells(placements_of(run, c("game", "piece_no", "h0", "h1", adjust)))
  width <- ncol(height_matrix(placements[1, ]))
  placements$well <- replace(placements$well_column, placements$well_tied %in% TRUE, NA)
  rows <- if (outcome == "death") {
    risk_periods(placements, run$games, c("well", adjust), within, run$every)
  } else tetris_periods(placements, c("well", adjust), within, run$every)
  check_deaths(rows, run, outcome)
  found <- map(seq_len(width) - 1L, \(column) well_odds(rows, column, adjust))
  bind_cols(tibble(pattern = xy_pattern(seq_len(width) - 1L, width), column = seq_len(width) - 1L), bind_rows(found)) |>
    mutate(across(c("p", "adjusted_p"), \(p) p.adjust(p, "holm")))
}

# Returns periods as `risk_periods()` does; `dies` is TRUE if a placement of the period removes four
# rows. Periods that the end of the game cuts short are dropped.
tetris_periods <- function(placements, predictors, within, every) {
  check_columns_of(placements, "lines", "placements")
  if (every > 1) fail("outcome = \"tetris\" needs all placements; log them without --every")
  placements <- arrange(placements, .data$game, .data$piece_no)
  so_far <- cumsum(placements$lines == 4)
  later <- match(paste(placements$game, placements$piece_no + within),
                 paste(placements$game, placements$piece_no))
  keep <- placements$piece_no %% within == 0 & !is.na(later) &
    rowSums(is.na(placements[predictors])) == 0
  placements[keep, ] |>
    transmute(.data$game, dies = so_far[later[keep]] > so_far[keep],
              across(all_of(predictors)))
}

# Returns the odds ratio of the outcome for boards with the well in `column` against all others.
well_odds <- function(rows, column, adjust) {
  rows <- mutate(rows, here = as.numeric(.data$well == column))
  events <- sum(rows$dies & rows$here == 1)
  periods <- sum(rows$here)
  counts <- tibble(periods, events)
  none <- set_names(rep(NA_real_, 4), c("odds_ratio", "low", "high", "p"))
  others <- sum(rows$dies) - events
  if (min(events, periods - events, others) < 5) {
    return(bind_cols(counts, as_tibble_row(none),
                     as_tibble_row(set_names(none, paste0("adjusted_", names(none))))))
  }
  odds <- \(predictors) odds_ratios(fit_logistic(predictors, rows), rows$game)[1, names(none)]
  bind_cols(counts, odds("here"), rename_with(odds(c("here", adjust)), \(x) paste0("adjusted_", x)))
}

risk_of_board <- function(picture, pieces, ...) {
  options <- modifyList(list(board = "10x20", games = 1000), list(...))
  size <- suppressWarnings(as.integer(strsplit(options$board, "x", fixed = TRUE)[[1]]))
  if (length(size) != 2 || anyNA(size)) fail("board is the size of the board, such as \"10x20\"")
  file <- tempfile("board", fileext = ".txt")
  out <- tempfile("run")
  on.exit(unlink(c(file, out), recursive = TRUE))
  writeLines(if (grepl("[.#]", picture)) picture else board_picture(picture, size[1], size[2]), file)
  run <- do.call(simulate_games, c(options, list(board_file = file, max_pieces = pieces, placements = "none", out = out)))
  deaths <- sum(!run$games$censored)
  share <- rename(wilson_interval(deaths, nrow(run$games)), risk = "share")
  bind_cols(tibble(within = pieces, games = nrow(run$games), deaths), share, lines = mean(run$games$lines))
}

# Converts the text of a board, hexadecimal rows from the floor up, to a picture from the top down.
board_picture <- function(board, width, height) {
  rows <- map_chr(seq(height - 1, 0), \(row) {
    filled <- bitwAnd(board_row(board, row, width), bitwShiftL(1L, seq_len(width) - 1L)) > 0
    paste(if_else(filled, "#", "."), collapse = "")
  })
  paste(rows, collapse = "\n")
}
