# Board measures (heights, wells, parity) and the cells of pieces, from the columns that the engine
# writes.

# Returns the heights h0, h1, ... of a placements table as an integer matrix with one row per
# placement.
height_matrix <- function(placements) {
  names <- grep("^h[0-9]+$", names(placements), value = TRUE)
  as.matrix(placements[names[order(as.integer(sub("h", "", names)))]])
}

# Returns the depth of each column below its lower neighbour. Walls are infinitely high; the depth
# of a hill is negative.
well_depths <- function(heights) {
  width <- ncol(heights)
  left <- cbind(Inf, heights[, -width, drop = FALSE])
  right <- cbind(heights[, -1, drop = FALSE], Inf)
  pmin(left, right) - heights
}

# Returns the deepest well of each board: `column`, the leftmost column (0-based) with the greatest
# depth, or NA if the depth is below `min_depth`; `depth`; and `tied`, TRUE if another column is as
# deep. Tests of left against right must drop ties, because "leftmost" is a bias.
deepest_well <- function(heights, min_depth = 2) {
  depths <- well_depths(heights)
  column <- max.col(depths, ties.method = "first")
  depth <- depths[cbind(seq_len(nrow(depths)), column)]
  tibble(
    column = if_else(depth >= min_depth, column - 1L, NA_integer_),
    depth = as.integer(pmax(depth, 0)), tied = rowSums(depths == depth) > 1
  )
}

# Counts columns that are at least three rows deep; only an I piece fills these.
i_dependencies <- function(heights) as.integer(rowSums(well_depths(heights) >= 3))

# Returns the sum of the height differences of neighbouring columns.
height_bumpiness <- function(heights) {
  as.integer(rowSums(abs(heights[, -1, drop = FALSE] - heights[, -ncol(heights), drop = FALSE])))
}

# Returns the row `row` (0 = floor) of each board as an integer whose bit 0 is the leftmost column.
# A board is text: hexadecimal rows from the floor up, joined by ':'. Rows above the text are empty.
board_row <- function(board, row, width) {
  digits <- ceiling(width / 4)
  text <- substr(board, row * (digits + 1) + 1, row * (digits + 1) + digits)
  value <- strtoi(text, 16L)
  replace(value, !nzchar(text) | is.na(text) | row < 0, 0L)
}

# Orientations of each piece, top row first, in the order of the engine (that of MDPTetris).
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

# Returns the four cells of each piece and orientation: piece, orientation, and the offsets dx and
# dy from the lower left corner of the bounding box.
piece_cells <- function() {
  bind_rows(imap(pictures, \(list, piece) {
    bind_rows(imap(list, \(picture, index) {
      mutate(picture_cells(picture), piece = piece, orientation = index - 1L, .before = 1)
    }))
  })) |> mutate(piece = factor(.data$piece, names(pictures)))
}
