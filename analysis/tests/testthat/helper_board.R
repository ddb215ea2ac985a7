# Columns of the engine computed from the boards, to compare them.

bit_count <- function(x) {
  Reduce(`+`, map(0:15, \(bit) bitwAnd(bitwShiftR(x, bit), 1L)))
}

# Returns the number of filled cells with even column + row minus the number with odd column + row
# (a checkerboard).
parity_check <- function(board, width) {
  parity_sum(board, width, \(row) if (row %% 2 == 0) 1L else -1L)
}

# Returns the number of filled cells in even columns (0-based) minus the number in odd columns.
parity_column <- function(board, width) parity_sum(board, width, \(row) 1L)

parity_sum <- function(board, width, sign_of_row) {
  even <- sum(bitwShiftL(1L, seq(0, width - 1, by = 2)))
  odd <- bitwShiftL(1L, width) - 1L - even
  digits <- ceiling(width / 4)
  rows <- max(c(0, (nchar(board) + 1) / (digits + 1)), na.rm = TRUE)
  sums <- map(seq_len(rows) - 1, \(row) {
    value <- board_row(board, row, width)
    sign_of_row(row) * (bit_count(bitwAnd(value, even)) - bit_count(bitwAnd(value, odd)))
  })
  Reduce(`+`, sums, integer(length(board)))
}

# Returns row `k` (0 to 3) above the landing row of a placed piece as an integer in board columns.
piece_row <- function(piece, orientation, column, k) {
  rows <- piece_cells() |>
    filter(.data$dy == k) |>
    group_by(.data$piece, .data$orientation) |>
    summarise(bits = sum(bitwShiftL(1L, .data$dx)), .groups = "drop")
  index <- match(paste(piece, orientation), paste(rows$piece, rows$orientation))
  bits <- as.integer(replace(rows$bits[index], is.na(index), 0L))
  bitwShiftL(bits, column)
}

# Returns the rows that a placement removed as "y;y", counted before removal (NA = none). Needs
# `board` and every placement of a game, since the first one starts from an empty board.
cleared_rows <- function(placements, width) {
  before <- lag(placements$board)
  before[placements$game != lag(placements$game, default = -1)] <- "0"
  full <- bitwShiftL(1L, width) - 1L
  hit <- map(0:3, \(k) {
    row <- placements$landing_row + k
    piece <- piece_row(placements$piece, placements$orientation, placements$column, k)
    if_else(piece > 0 & bitwOr(board_row(before, row, width), piece) == full, as.character(row), "")
  })
  text <- gsub(";+", ";", gsub("^;+|;+$", "", do.call(paste, c(hit, sep = ";"))))
  if_else(placements$lines > 0, text, NA_character_)
}
