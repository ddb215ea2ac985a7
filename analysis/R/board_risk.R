# Risk of a single board, measured by games that start from it.

#' Risk of a board
#'
#' Plays games that start from `board`, and counts those that end within `within` pieces. Use it for
#' one board of interest. `tetrastat label` measures many boards of a log ([read_tetrastat()]).
#'
#' @param board A string: a picture with one line per row, top row first, `#` for filled and `.` for
#'   empty cells; or the text of the column `board` of a table of placements.
#' @param controller A string: name of a preset, or path of a TOML file.
#' @param within A whole number: pieces within which the game must end to count.
#' @param games A whole number: number of games.
#' @param size A string: width x height of the board, in cells.
#' @param ... Further options of `tetrastat simulate`, as in [simulate_games()], such as `queue`,
#'   `search` or `seed`.
#' @return A tibble with one row: `within`, `games`, `deaths`, and `risk`, the share of games that
#'   ended within `within` pieces, with Wilson's 95 % interval `low` to `high`; `lines`, the mean
#'   number of lines until then.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   empty <- strrep(".", 10)
#'   tower <- paste0("#########.")
#'   board_risk(paste(c(rep(empty, 4), rep(tower, 6)), collapse = "\n"), "lee", games = 100,
#'              size = "10x10")
#' }
#' @export
board_risk <- function(board, controller = "bcts", within = 100, games = 1000, size = "10x20",
                       ...) {
  if (!is.character(board) || length(board) != 1 || is.na(board)) {
    fail("board_risk() needs one board: a picture of `.` and `#`, or the text of a column `board`")
  }
  cells <- suppressWarnings(as.integer(strsplit(size, "x", fixed = TRUE)[[1]]))
  if (length(cells) != 2 || anyNA(cells)) fail("size is a string such as \"10x20\"")
  file <- tempfile("board", fileext = ".txt")
  out <- tempfile("run")
  on.exit(unlink(c(file, out), recursive = TRUE))
  writeLines(if (grepl("[.#]", board)) board else board_picture(board, cells[1], cells[2]), file)
  run <- simulate_games(controller, games, board = size, board_file = file, max_pieces = within,
                        placements = "none", ..., out = out)
  deaths <- sum(!run$games$censored)
  share <- rename(wilson_interval(deaths, nrow(run$games)), risk = "share")
  bind_cols(tibble(within, games = nrow(run$games), deaths), share, lines = mean(run$games$lines))
}

# Converts the text of a board, hexadecimal rows from the floor up, to a picture from the top down.
board_picture <- function(board, width, height) {
  rows <- map_chr(seq(height - 1, 0), \(row) {
    filled <- bitwAnd(board_row(board, row, width), bitwShiftL(1L, seq_len(width) - 1L)) > 0
    paste(if_else(filled, "#", "."), collapse = "")
  })
  paste(rows, collapse = "\n")
}
