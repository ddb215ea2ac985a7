# A controller's weights read from its own play, and the scripts as people run them.

#' Candidates of decisions in a placements table, by asking the binary for every placement.
ask_candidates <- function(run, rows) {
  p <- run$placements
  ask <- function(i) {
    picture <- board_picture(p$board[i - 1])
    text <- tetrastat("features", "--board", "10x10", "--controller", run$name, "--picture", picture, "--piece",
        as.character(p$piece[i]), "--format", "json")
    found <- jsonlite::fromJSON(paste(text, collapse = "\n"))$placements
    as_tibble(found$features) |> mutate(game = p$game[i], piece_no = p$piece_no[i], candidate = row_number() - 1,
      lost = found$loses, chosen = found$orientation == p$orientation[i] & found$column == p$column[i])
  }
  bind_rows(map(rows, ask))
}

#' A hexadecimal board as the picture that the binary reads: top row first.
board_picture <- function(board) {
  line <- \(value) paste(if_else(bitwAnd(bitwShiftR(value, 0:9), 1L) == 1L, "#", "."), collapse = "")
  paste(map_chr(9:0, \(row) line(board_row(board, row, 10))), collapse = "/")
}

write_candidates <- function(run, candidates) {
  readr::write_csv(mutate(candidates, across(where(is.logical), \(x) if_else(x, "TRUE", "FALSE"))),
      file.path(run$dir, "candidates.csv"))
}

test_that("bcts gives its weights away", {
  run <- read_run(fresh_run("bcts-play", "--controller", "bcts", "--games", "1", "--max-pieces", "1000",
      "--placements", "csv"), book, with_board = TRUE)
  candidates <- ask_candidates(run, seq(2, 1000, by = 2))
  truth <- unlist(run$manifest$config$controller$weights)
  fit <- fit_choice(candidates, names(truth), ridge = 1e-5)
  expect_true(all(sign(fit$weight) == sign(truth[fit$feature])))
  expect_gt(weight_cosine(fit, truth), 0.99)
  expect_gt(mean(fit$hits), 0.97)
  write_candidates(run, candidates)
})

test_that("choice.R reads a candidates table and names what is missing", {
  done <- run_rscript(script("choice.R"), file.path(scratch, "bcts-play"), "-o", file.path(scratch, "weights.png"))
  expect_equal(done$status, 0L)
  expect_match(done$output, "cosine with the true weights 0.99")
  expect_true(file.exists(file.path(scratch, "weights.png")))
  none <- run_rscript(script("choice.R"), bag_run())
  expect_equal(none$status, 1L)
  expect_match(none$output, "no candidates table .*--candidates")
})

test_that("report.R writes one HTML file, and Markdown with figures", {
  html <- file.path(scratch, "report.html")
  done <- run_rscript(script("report.R"), el_run(), bag_run(), "-o", html)
  expect_equal(done$status, 0L, info = done$output)
  text <- paste(readLines(html, warn = FALSE), collapse = "")
  expect_gte(lengths(gregexpr("data:image/png", text)), 11)
  expect_false(grepl("<img src=\"(?!data:)", text, perl = TRUE))
  markdown <- run_rscript(script("report.R"), bag_run(), "--markdown", "-o", file.path(scratch, "short.md"))
  expect_equal(markdown$status, 0L, info = markdown$output)
  expect_gte(length(list.files(file.path(scratch, "short-figures"), "png$")), 6)
})

test_that("a run without placements, and one with every tenth, still make a report", {
  games_only <- fresh_run("games-only", "--games", "6", "--max-pieces", "300", "--placements", "none")
  tenth <- fresh_run("tenth", "--controller", "lee", "--games", "40", "--max-pieces", "none", "--placements",
      "csv", "--every", "10")
  content <- analyse(c(games_only, tenth), book)
  expect_s3_class(content$figures$survival$plot, "ggplot")
  expect_s3_class(content$figures$trajectories$plot, "ggplot")
  expect_null(analyse(games_only, book)$figures$heat)
})

test_that("bad input gives one line and status 1", {
  says <- function(..., words) {
    done <- run_rscript(script("report.R"), ...)
    expect_equal(done$status, 1L)
    expect_match(done$output, words)
    expect_equal(length(strsplit(done$output, "\n")[[1]]), 1)
  }
  says(file.path(scratch, "none"), words = "^error: no folder .*tetrastat simulate")
  says(bag_run(), "-o", file.path(scratch, "nowhere", "x.html"), words = "^error: no folder .*nowhere")
  says(words = "^error: no run folder given; usage: ")
})

test_that("arguments are checked", {
  known <- c("-o" = "out")
  expect_equal(parse_arguments(c("a", "-o", "x", "b"), known), list(positions = c("a", "b"), out = "x"))
  expect_error(parse_arguments("--colour", known), "unknown option --colour; known: -o")
  expect_error(parse_arguments("-o", known), "-o needs a value")
  expect_error(positive_number("many", "--max-rows"), "--max-rows needs a number of at least 1, not 'many'")
  expect_error(check_run_dir(script("R")), "no games table")
})
