# Boards: heights, wells, parity and pieces' cells, from the columns that the engine writes.

# The heights h0, h1, ... of a placements table as an integer matrix, one row per placement.
height_matrix <- function(placements) {
  names <- grep("^h[0-9]+$", names(placements), value = TRUE)
  as.matrix(placements[names[order(as.integer(sub("h", "", names)))]])
}

# Depth of each column below its lower neighbour; walls are infinitely high, hills are negative.
well_depths <- function(heights) {
  width <- ncol(heights)
  left <- cbind(Inf, heights[, -width, drop = FALSE])
  right <- cbind(heights[, -1, drop = FALSE], Inf)
  pmin(left, right) - heights
}

# The deepest well of each board: `column` = leftmost column (0-based) of the greatest depth, NA
# where that depth is below `min_depth`; `depth`; `tied` = whether another column is as deep.
# A test that asks about left and right must drop ties, since "leftmost" is itself a bias.
deepest_well <- function(heights, min_depth = 2) {
  depths <- well_depths(heights)
  column <- max.col(depths, ties.method = "first")
  depth <- depths[cbind(seq_len(nrow(depths)), column)]
  tibble(
    column = if_else(depth >= min_depth, column - 1L, NA_integer_),
    depth = as.integer(pmax(depth, 0)), tied = rowSums(depths == depth) > 1
  )
}

# Columns at least three deep, which only an I fills.
i_dependencies <- function(heights) as.integer(rowSums(well_depths(heights) >= 3))

# Sum of the height differences of neighbouring columns.
height_bumpiness <- function(heights) {
  as.integer(rowSums(abs(heights[, -1, drop = FALSE] - heights[, -ncol(heights), drop = FALSE])))
}

# Rows of `board` at `row` (0 = floor; one row for each board) as integers, bit 0 = leftmost
# column. A board is hexadecimal rows from the floor joined by ':'; what lies above is empty.
board_row <- function(board, row, width) {
  digits <- ceiling(width / 4)
  text <- substr(board, row * (digits + 1) + 1, row * (digits + 1) + digits)
  value <- strtoi(text, 16L)
  replace(value, !nzchar(text) | is.na(text) | row < 0, 0L)
}

bit_count <- function(x) {
  Reduce(`+`, map(0:15, \(bit) bitwAnd(bitwShiftR(x, bit), 1L)))
}

# Filled cells with column + row even minus those with it odd (the checkerboard).
parity_check <- function(board, width) {
  parity_sum(board, width, \(row) if (row %% 2 == 0) 1L else -1L)
}

# Filled cells in even columns (0-based) minus those in odd ones.
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

# The orientations of each piece, top row first, in the engine's order (MDPTetris').
pictures <- list(
  I = c("#/#/#/#", "####"),
  O = "##/##",
  T = c("#./##/#.", ".#./###", ".#/##/.#", "###/.#."),
  S = c("#./##/.#", ".##/##."),
  Z = c(".#/##/#.", "##./.##"),
  J = c("#../###", ".#/.#/##", "###/..#", "##/#./#."),
  L = c("###/#..", "#./#./##", "..#/###", "##/.#/.#")
)

picture_cells <- function(picture) {
  lines <- rev(strsplit(picture, "/")[[1]])
  cells <- map(seq_along(lines), \(row) {
    tibble(dx = which(strsplit(lines[row], "")[[1]] == "#") - 1L, dy = row - 1L)
  })
  bind_rows(cells)
}

# The four cells of each piece and orientation: piece, orientation, dx, dy from the box's lower
# left corner.
piece_cells <- function() {
  bind_rows(imap(pictures, \(list, piece) {
    bind_rows(imap(list, \(picture, index) {
      mutate(picture_cells(picture), piece = piece, orientation = index - 1L, .before = 1)
    }))
  })) |> mutate(piece = factor(.data$piece, names(pictures)))
}

# The placed piece's rows `k` = 0..3 above its landing row, as integers in the board's columns.
piece_row <- function(piece, orientation, column, k) {
  rows <- piece_cells() |>
    filter(.data$dy == k) |>
    group_by(.data$piece, .data$orientation) |>
    summarise(bits = sum(bitwShiftL(1L, .data$dx)), .groups = "drop")
  index <- match(paste(piece, orientation), paste(rows$piece, rows$orientation))
  bits <- as.integer(replace(rows$bits[index], is.na(index), 0L))
  bitwShiftL(bits, column)
}
