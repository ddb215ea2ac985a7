# Derived columns, compared with the engine's own numbers.

test_that("the board after a placement is the board before, plus the piece, minus cleared rows", {
  run <- read_run(bag_run(), with_board = TRUE)
  p <- run$placements
  cells <- map(0:9, \(row) bit_count(board_row(p$board, row, 10))) |> reduce(`+`)
  before <- if_else(p$game == lag(p$game, default = -1), lag(cells), 0L)
  expect_equal(cells, before + 4L - 10L * p$lines)
  removed <- cleared_rows(p, 10)
  expect_equal(lengths(strsplit(coalesce(removed, ""), ";")), p$lines)
})

test_that("heights equal those computed from the board", {
  p <- read_run(bag_run(), with_board = TRUE)$placements
  tops <- map(0:9, \(column) {
    rows <- map(0:11, \(row) (row + 1L) * bitwAnd(bitwShiftR(board_row(p$board, row, 10), column), 1L))
    do.call(pmax, rows)
  })
  expect_equal(unname(do.call(cbind, tops)), unname(height_matrix(p)))
})

test_that("the engine's board columns equal those that R computes", {
  p <- read_run(bag_run(), with_board = TRUE)$placements
  heights <- height_matrix(p)
  mine <- list(well_column = deepest_well(heights)$column, well_depth = deepest_well(heights)$depth,
               i_dependencies = i_dependencies(heights), parity_check = parity_check(p$board, 10),
               parity_column = parity_column(p$board, 10), cleared_rows = cleared_rows(p, 10))
  expect_equal(setdiff(names(mine), csv_header(table_file(bag_run(), "placements"))), character())
  for (name in names(mine)) expect_equal(as.character(p[[name]]), as.character(mine[[name]]), info = name)
  expect_true(all(map_lgl(mine, \(values) length(values) == nrow(p))))
})

test_that("bags, droughts and clears are derived correctly", {
  run <- read_run(bag_run())
  p <- run$placements
  bags <- p |> filter(bag_no <= 57) |> count(game, bag_no, piece)
  expect_true(all(bags$n == 1))
  expect_true(all(p$pieces_since_i[p$piece == "I"] == 0))
  expect_lte(max(p$pieces_since_i, na.rm = TRUE), 12)
  expect_equal(as.integer(p$clear_type) - 1L, p$lines)
  expect_equal(sum(p$lost), sum(!run$games$censored))
  expect_equal(p$to_end[p$lost], rep(0, sum(p$lost)))
})

test_that("a log with heights but without lines is read", {
  run <- list(placements = tibble(game = 0, piece_no = 1:2, h0 = c(2, 0), h1 = c(2, 1)), logged = list(every = 1),
    games = tibble(game = 0, pieces = 2, censored = FALSE), manifest = list(config = list(queue = "uniform")))
  found <- derive_columns(run)
  expect_false("perfect" %in% names(found))
  expect_equal(found$height_top, c(2, 1))
})
