# Boards by hand: each value below was computed on paper.

heights <- function(...) {
  values <- c(...)
  matrix(as.integer(values), 1, dimnames = list(NULL, paste0("h", seq_along(values) - 1)))
}

test_that("the depth of a well is measured from its lower neighbour, and walls are high", {
  expect_equal(drop(unname(well_depths(heights(0, 3, 1, 2)))), c(3, -3, 1, -1))
  well <- deepest_well(heights(4, 4, 0, 4))
  expect_equal(well, tibble(column = 2L, depth = 4L, tied = FALSE))
})

test_that("the well is the leftmost deepest column; shallow wells do not count, and ties are flagged", {
  expect_equal(deepest_well(heights(0, 3, 3, 0))$column, 0L)
  expect_true(deepest_well(heights(0, 3, 3, 0))$tied)
  expect_equal(deepest_well(heights(2, 2, 1, 2)), tibble(column = NA_integer_, depth = 1L, tied = FALSE))
})

test_that("I-dependencies and bumpiness equal hand-computed values", {
  expect_equal(i_dependencies(heights(0, 3, 3, 0)), 2L)
  expect_equal(i_dependencies(heights(0, 2, 5, 2)), 1L)
  expect_equal(height_bumpiness(heights(0, 3, 1, 2)), 6L)
})

test_that("hexadecimal boards have rows from the floor up, bit 0 leftmost, and empty rows above", {
  expect_equal(board_row("3ff:001", 0, 10), 1023L)
  expect_equal(board_row("3ff:001", 1, 10), 1L)
  expect_equal(board_row(c("3ff:001", "0"), 2, 10), c(0L, 0L))
  expect_equal(bit_count(c(0L, 1L, 1023L)), c(0L, 1L, 10L))
})

test_that("checkerboard parity and column parity equal hand-computed values", {
  expect_equal(parity_check(c("003:003", "001", "002:000", "0"), 10), c(0L, 1L, -1L, 0L))
  expect_equal(parity_check("000:001", 10), -1L)
  expect_equal(parity_column(c("003:003", "001:001", "002"), 10), c(0L, 2L, -1L))
})

test_that("each orientation of a piece has four cells", {
  cells <- count(piece_cells(), piece, orientation)
  expect_true(all(cells$n == 4))
  expect_equal(count(cells, piece)$n, c(2, 1, 4, 2, 2, 4, 4))
  expect_equal(piece_row("T", 1, 2, 0), 28L)
  expect_equal(piece_row("T", 1, 2, 1), 8L)
})

test_that("boards are decoded cell by cell, and drawn as they are before the placement", {
  cells <- decode_board(c("003:200", "0"), 10)
  expect_equal(cells, tibble(board = 1L, x = c(0L, 1L, 9L), y = c(0L, 0L, 1L)))
  expect_equal(nrow(decode_board("0", 10)), 0)
  run <- fresh_run("drawn", "--controller", "lee", "--games", "2", "--max-pieces", "none", "--placements", "csv")
  drawn <- plot_boards(run, 0, pieces = c(1, 5))
  expect_match(caption(drawn), "^Grey: the board before the placement[.] ")
  p <- read_run(run, with_board = TRUE)$placements
  before <- decode_board(p$board[p$game == 0 & p$piece_no == 4], 10)
  expect_equal(nrow(filter(figure_data(drawn)[[1]], .data$board == 2)), nrow(before)) # piece 5 stands on the board after 4
  last <- plot_boards(run, last = 6)
  expect_equal(nlevels(ggplot_build(last)$layout$layout$panel), 6)
  expect_error(plot_boards(run, 0, pieces = 1e6), "has no placement 1e[+]06|has no placement 1000000")
})

test_that("a thinned log has the board before each placement and well_tied if these columns are named", {
  whole <- fresh_run("boards-all", "--games", "2", "--max-pieces", "60", "--seed", "4", "--placements", "csv")
  thin <- fresh_run("boards-thin", "--games", "2", "--max-pieces", "60", "--seed", "4", "--every", "7", "--placements", "csv",
      "--columns", "minimal,heights,well_column,well_tied,board_before,holes_before,d_holes")
  all <- read_placements(whole)
  kept <- read_placements(thin)
  expect_false(any(c("well_tied", "board_before", "holes_before") %in% names(all))) # only if they are named
  at <- \(piece_no) match(paste(kept$game, piece_no), paste(all$game, all$piece_no))
  expect_equal(kept$board_before, all$board[at(kept$piece_no - 1)])
  expect_equal(kept$holes_before, all$holes[at(kept$piece_no - 1)])
  expect_equal(kept$d_holes, all$holes[at(kept$piece_no)] - kept$holes_before)
  for (rows in list(kept, read_run(thin)$placements)) expect_type(c(rows$holes_before, rows$d_holes), "integer")
  expect_type(kept$well_tied, "logical")
  expect_equal(kept$well_tied, with(deepest_well(height_matrix(kept)), if_else(depth >= 2, tied, NA)))
  expect_match(caption(plot_boards(thin, 0, pieces = c(14, 21))), "^Grey: the board before the placement[.] Coloured")
})
