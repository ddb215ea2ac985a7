# Risk of a single board: games that start from it.

local_file <- function(text, env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".txt", .local_envir = env)
  writeLines(text, file)
  file
}
program <- function() if (!nzchar(tetrastat_program())) skip("the program is absent")

test_that("the risk of a board is the share of games that end", {
  program()
  tower <- paste(c(rep("......", 2), rep("#####.", 6)), collapse = "\n")
  high <- risk(tower, within = 20, controller = "lee", games = 60, board = "6x8")
  run <- simulate_games("lee", 60, board = "6x8", board_file = local_file(tower), max_pieces = 20, placements = "none")
  expect_equal(high$deaths, sum(!run$games$censored))
  expect_equal(high$risk, high$deaths / 60)
  expect_true(high$low < high$risk && high$risk < high$high)
  empty <- risk(paste(rep("......", 8), collapse = "\n"), within = 20, controller = "lee", games = 60, board = "6x8")
  expect_lt(empty$risk, high$risk)
})

test_that("boards of a log have the same picture as in the log", {
  expect_equal(board_picture("3ff:001", 10, 3), paste(c("..........", "#.........", "##########"), collapse = "\n"))
  program()
  text <- "1f:1f:1f:1f:1f:1f"
  picture <- paste(c(rep("......", 2), rep("#####.", 6)), collapse = "\n")
  found <- map(c(text, picture), \(board) risk(board, within = 20, controller = "lee", games = 30, board = "6x8"))
  expect_equal(found[[1]], found[[2]])
  expect_error(risk(c("#", ".")), "no folder #", class = "tetrastat_error")
  expect_error(risk("....", board = "10"), "10x20", class = "tetrastat_error")
  expect_error(risk("#####", games = 2, board = "6x8"), "tetrastat simulate", class = "tetrastat_error")
})
