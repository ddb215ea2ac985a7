# Published numbers and replications: a hand-made table with known answers, and a reproduction of
# the engine.

test_that("the table of a reproduction has one mean per complete condition", {
  read <- made_evidence()
  expect_null(read$dir)
  expect_equal(nrow(read$rows), 9)
  expect_equal(as.character(read$measured$name), c("bcts-10x20", "adversary", paste0("basic-", c("uniform-greedy", "bag-greedy", "uniform-next", "bag-next")),
      "six-uniform-greedy"))
  expect_equal(read$measured$kind, c("open", "certain", "mean", "mean", "open", "open", "mean"))
  expect_equal(read$measured$lines, c(1e7 * -log(0.05), 99, 1e5, 3e5, 4000, 4000, 1000))
  expect_equal(nrow(read$published), 6) # the incomplete condition has no mean to compare
  expect_equal(verdict_counts(read$published)$n, c(0, 2, 1, 3))
  expect_equal(read$published$bounds, c("stated", "implied", "none", "none", "none", "stated"))
})

test_that("only the first measure of a table is read", {
  measures <- c("measure", rep("lines", length(made_reproduction) - 2), "pieces")
  read <- made_evidence(paste(made_reproduction, measures, sep = ","), "measures.csv")
  expect_equal(nrow(read$rows), nrow(made_evidence()$rows) - 1)
})

test_that("the interval implied by a number of games is 2 n mean / qchisq(c(.975, .025), 2 n), in agreement with pgamma", {
  published <- made_evidence()$published[2, ]
  expect_equal(pgamma(31e6, 1000, scale = published$low / 1000), 0.975) # for the mean `low`, 31 M is the 97.5 % quantile
  expect_equal(pgamma(31e6, 1000, scale = published$high / 1000), 0.025)
})

test_that("a comparison with a range divides the mean by both ends of the range", {
  rows <- comparisons(made_evidence())
  expect_equal(rows$of, c("number", "number", "number", "number", "number", "range"))
  expect_equal(c(rows$low[6], rows$high[6]), c(10 / 6e5, 10 / 1e5))
  expect_equal(c(rows$low[1], rows$high[1]), c(0.3, NA))
})

test_that("lines, means and ratios are formatted as expected", {
  expect_equal(lines_words(c(35e6, 1234.5, 6.71, 1.234e8, NA)), c("35 M", "1,234", "6.71", "123 M", "unknown"))
  measured <- made_evidence()$measured
  expect_equal(mean_words(measured)[c(1, 2, 7)], c("above 10 M", "11, always", "10 (8.3 to 12.3)"))
  expect_equal(ratio_words(c(0.9654, NA, NA, 0.0123, NA), c(0.9, 1.07, 0, NA, NA), c(1.04, NA, 0.5, NA, NA)),
               c("0.97 (0.90 to 1.04)", "above 1.07", "below 0.50", "0.012", "-"))
  expect_equal(games_words(c(20, 4, 100, 1), c(5, 0, 100, 1)), c("20 games, 5 finished", "4 games, none finished", "100 games", "1 game"))
})

test_that("the forest plot shows every condition and number, and open ones as arrows", {
  read <- made_evidence()
  lanes <- forest_lanes(read)
  expect_equal(nrow(lanes), nrow(read$measured) + nrow(read$published))
  expect_equal(filter(lanes, .data$table == "10x20")$lane, -1:-5)
  expect_equal(filter(lanes, .data$table == "10x20")$stripe, c(FALSE, FALSE, FALSE, TRUE, TRUE))
  expect_equal(sum(lanes$open), 3)
  panel <- forest_panel(filter(lanes, .data$table == "10x20"), "lines")
  arrows <- keep(ggplot_build(panel)$data, \(layer) "xend" %in% names(layer) && any(layer$colour == layer$colour[1]) && nrow(layer) == 1)
  expect_true(any(map_lgl(arrows, \(layer) isTRUE(all.equal(layer$x, 7))))) # the arrow starts at 10 M
  expect_match(caption(figure_forest(read)), "^n = 337 games in 7 conditions.*no game finished .3 conditions")
  expect_match(caption(figure_ratio(read)), "^n = 6 comparisons: 0 agree, 2 lower, 1 higher, 3 open")
  expect_equal(log_breaks(c(1, 1e12)), 10^seq(0, 12, 3))
  expect_equal(log_breaks(c(1500, 6500)), seq(2000, 6000, 1000))
  expect_equal(log_breaks(c(15, 650)), c(20, 50, 100, 200, 500))
})

test_that("the means of a reproduction of the engine equal those of its games", {
  read <- read_reproduction(quick_reproduction())
  expect_equal(as.character(read$measured$name), c("dt20-10x10-bag", "dt20-10x10-sz", "tetrastat-sz-random"))
  games <- map(reproduction_runs(read), "games")
  expect_equal(map_dbl(games, nrow), read$measured$games, ignore_attr = TRUE)
  expect_equal(map_dbl(games, \(own) sum(!own$censored)), read$measured$ended, ignore_attr = TRUE)
  expect_equal(map_dbl(games, \(own) sum(own$lines)), read$measured$lines, ignore_attr = TRUE)
  expect_equal(unname(exponential_oracle(games[["dt20-10x10-bag"]])), as.numeric(read$measured[1, c("mean", "low", "high")]), tolerance = 1e-6)
  expect_equal(read$measured$kind[2], "certain")
  # All games of dt20-10x10-sz are equally long.
  expect_false("dt20-10x10-sz" %in% levels(figure_data(survival_figures(reproduction_runs(read))[[1]])[[1]]$run))
})

test_that("evidence.R writes figures and a page for a folder, and for a single table", {
  out <- file.path(scratch, "evidence")
  done <- run_command("evidence", quick_reproduction(), "--out", out)
  expect_equal(done$status, 0L, info = done$output)
  expect_setequal(list.files(out), c("evidence.md", "forest.png", "ratio.png", "survival-generators.png", "hazard-generators.png"))
  page <- readLines(file.path(out, "evidence.md"))
  expect_equal(sum(grepl("^.generators *.dt20-10x10-sz *.11, always", page)), 1)
  alone <- file.path(scratch, "evidence-alone")
  done <- run_command("evidence", made_file(), "--out", alone)
  expect_equal(done$status, 0L, info = done$output)
  expect_setequal(list.files(alone), c("evidence.md", "forest.png", "ratio.png"))
  expect_true(any(grepl("^337 games in 7 conditions .1 incomplete., 4 core hours[.] Comparisons with 6 published numbers", readLines(file.path(alone, "evidence.md")))))
})

test_that("evidence.R reports errors in one line, with status 1", {
  says <- function(..., words) {
    done <- run_command("evidence", ...)
    expect_equal(done$status, 1L)
    expect_match(done$output, words)
    expect_equal(length(strsplit(done$output, "\n")[[1]]), 1)
  }
  out <- file.path(scratch, "none")
  says(words = "^error: no folder or table given; usage: ")
  says(made_file(), words = "^error: --out FOLDER is missing; usage: ")
  says(file.path(scratch, "nowhere"), "--out", out, words = "^error: no folder or file .*tetrastat study reproduce")
  says(made_file(sub("3.5e[+]07", "many", made_reproduction), "word.csv"), "--out", out, words = "^error: .*line 2, column published: found 'many'")
  expect_false(file.exists(out))
})

test_that("a damaged reproduction gives a clear error", {
  expect_error(read_reproduction(file.path(scratch, "nowhere")), "no folder or file .*tetrastat study reproduce")
  empty <- file.path(scratch, "no-reproduction")
  dir.create(empty, showWarnings = FALSE)
  expect_error(read_reproduction(empty), "no reproduced.csv in .*tetrastat study reproduce")
  expect_error(made_evidence(sub(",verdict", ",judged", made_reproduction), "renamed.csv"), "lacks the column.s. verdict")
  expect_error(made_evidence(made_reproduction[c(1, 4)], "waiting.csv"), "no complete condition")
  expect_error(made_evidence(made_reproduction[1], "bare.csv"), "no complete condition")
  expect_error(made_evidence(character(), "empty.csv"), "empty or damaged")
  lost <- read_reproduction(quick_reproduction())
  lost$measured$folder[1] <- "lost"
  expect_error(reproduction_runs(lost), "no folder .*lost")
})
