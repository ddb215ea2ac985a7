# Runs that version 0.2 wrote are read with the names of version 0.3.

old_run <- function(game) test_path("version_0.2", game)

# Reads a table of an old run as text, with its own names.
raw_table <- function(game, table) {
  utils::read.csv(table_file(old_run(game), table), colClasses = "character", na.strings = "NA", check.names = FALSE)
}

# Fails if the typed `rows` differ from the `raw` ones, column by column. `only_old` are names that
# must not occur.
expect_same_values <- function(rows, raw, names, only_old) {
  expect_equal(names(rows), names)
  expect_false(any(only_old %in% names(rows)))
  for (i in seq_along(names)) {
    typed <- rows[[i]]
    given <- raw[[i]]
    expect_equal(if (is.numeric(typed)) typed else as.character(typed), if (is.numeric(typed)) as.numeric(given) else given, info = names[i])
  }
}

test_that("placements of version 0.2 get the names of version 0.3 and keep their values", {
  raw <- raw_table("classic", "placements")
  expect_same_values(read_placements(old_run("classic")), raw, sub("^next$", "next_1", names(raw)), "next")
  expect_equal(levels(read_run(old_run("classic"))$placements$next_1), known_levels$piece)

  raw <- raw_table("guideline", "placements")
  rows <- read_placements(old_run("guideline"))
  expect_same_values(rows, raw, names(rows), setdiff(renamed_columns$guideline_placements, "score"))
  expect_equal(rows$points_total, as.numeric(raw$score)) # two columns swap their names
  expect_equal(rows$score, as.numeric(raw$value))
  expect_equal(rows$input_keys, raw$inputs)
  expect_equal(levels(rows$t_spin), c("none", "mini", "full"))
  expect_equal(as.character(rows$next_5), raw$next5)
  expect_type(rows$column, "integer")
})

test_that("columns are selected by the names of version 0.3 with every reader", {
  raw <- raw_table("guideline", "placements")
  for (quick in c(TRUE, FALSE)) {
    withr::local_options(tetrastat.data.table = quick)
    rows <- read_placements(old_run("guideline"), c("score", "points_total", "t_spin"), games = 1, every = 20)
    kept <- raw[raw$game == "1" & as.integer(raw$piece_no) %% 20 == 0, ]
    expect_equal(names(rows), c("game", "piece_no", "t_spin", "points_total", "score"))
    expect_equal(c(rows$points_total, rows$score), as.numeric(c(kept$score, kept$value)))
  }
  expect_error(read_placements(old_run("guideline"), "x_left"), "has no column x_left; it has .*orientation, column, landing_row")
})

test_that("games, candidates and the code book of version 0.2 get the names of version 0.3", {
  raw <- raw_table("guideline", "games")
  games <- read_run(old_run("guideline"))$games
  expect_equal(games$points, as.numeric(raw$score))
  expect_equal(as.character(games$end_reason), raw$outcome)
  expect_equal(games$inputs, as.numeric(raw$inputs)) # the number of keys keeps its name
  raw <- raw_table("guideline", "candidates")
  rows <- read_candidates(old_run("guideline"))
  expect_equal(as.character(rows$orientation), raw$rot[seq_len(nrow(rows))])
  expect_equal(levels(rows$t_spin), c("none", "mini", "full"))
  book <- code_book(old_run("guideline"))
  expect_equal(filter(book, .data$table == "placements")$variable, c(names(read_placements(old_run("guideline"))), "mode"))
  expect_false(anyNA(book$meaning))
})

test_that("datapackage.json decides the version if no column name does", {
  dir <- file.path(scratch, "few-columns")
  dir.create(dir)
  file.copy(file.path(old_run("guideline"), c("games.csv", "datapackage.json")), dir)
  writeLines(c("game,piece_no,score", "0,10,38"), file.path(dir, "placements.csv"))
  expect_equal(read_placements(dir, "points_total"), tibble(game = 0, piece_no = 10, points_total = 38))
  expect_equal(current_names(c("game", "score"), "guideline_placements", TRUE), c("game", "points_total"))
  expect_equal(current_names(c("game", "score"), "guideline_placements", FALSE), c("game", "score"))
  expect_equal(current_names(c("score", "points_total"), "guideline_placements", TRUE), c("score", "points_total")) # converted
  expect_equal(current_names(c("score", "value"), "guideline_placements", FALSE), c("points_total", "score"))
  expect_equal(current_names(c("next", "score"), "placements", FALSE), c("next_1", "score"))
  expect_equal(current_names("score", "placements", TRUE), "score")
})
