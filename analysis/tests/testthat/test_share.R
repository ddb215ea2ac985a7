# Shares by group with intervals clustered by game.

hand_made <- tibble(game = c(0, 0, 0, 1, 1, 2), side = c("a", "a", "b", "a", "b", "a"),
                    hit = c(TRUE, FALSE, TRUE, TRUE, NA, FALSE), rows = c(1, 2, 3, 4, 5, 6))

test_that("shares and means equal those computed by hand", {
  # Games 0, 1 and 2 have 2 of 3, 1 of 1 and 0 of 1 rows: share 3 / 5, residuals 0.2, 0.4 and -0.6.
  error <- sqrt(3 / 2 * (0.2^2 + 0.4^2 + 0.6^2)) / 5
  found <- share(hand_made, hit)
  ends <- plogis(qlogis(0.6) + c(-1, 1) * qt(0.975, 2) * error / 0.24)
  expect_equal(found, tibble(share = 0.6, low = ends[1], high = ends[2], rows = 5L, games = 3L))
  # Sums 6, 9 and 6 of 3, 2 and 1 rows: mean 3.5, residuals -4.5, 2 and 2.5.
  error <- sqrt(3 / 2 * (4.5^2 + 2^2 + 2.5^2)) / 6
  ends <- 3.5 + c(-1, 1) * qt(0.975, 2) * error
  expect_equal(share(hand_made, rows), tibble(mean = 3.5, low = ends[1], high = ends[2], rows = 6L, games = 3L))
  by_side <- share(hand_made, hit, by = "side")
  expect_equal(by_side$side, c("a", "b"))
  expect_equal(by_side$share, c(0.5, 1))
  expect_equal(by_side$games, c(3, 1))
  expect_equal(is.na(by_side$low), c(FALSE, TRUE))
  expect_equal(share(group_by(hand_made, .data$side), hit), by_side)
})

test_that("runs give the shares of their placements, and wrong calls name the remedy", {
  run <- read_run(example_run("games"))
  found <- share(run, piece %in% c("S", "Z"), by = c("height_top", "lost"))
  expect_equal(found, share(run$placements, piece %in% c("S", "Z"), by = c("height_top", "lost")))
  expect_equal(sum(found$rows), nrow(run$placements))
  expect_equal(share(run, holes)$mean, mean(run$placements$holes))
  expect_error(share(run, piece), "value must be logical or numeric, not factor", class = "tetrastat_error")
  expect_error(share(run, TRUE), "one value per row", class = "tetrastat_error")
  expect_error(share(run, lines, by = "pice"), "did you mean piece", class = "tetrastat_error")
  expect_error(share(mutate(hand_made, share = 1), hit, by = "share"), "rename the column of by", class = "tetrastat_error")
  expect_error(share(3, lines), "expected runs, a study or folders, not a numeric", class = "tetrastat_error")
})

test_that("the code book has every column that read_run() adds", {
  folders <- c(example_run("games"), file.path(example_run("sprint"), c("capstone-sprint", "capstone-blitz")))
  for (folder in folders) {
    run <- read_run(folder)
    for (book in list(code_book(run), code_book(folder))) {
      for (table in c("games", "placements")) {
        described <- filter(book, .data$table == .env$table)
        expect_equal(setdiff(names(run[[table]]), described$variable), character())
        expect_false(any(is.na(described$meaning)))
        expect_false(any(duplicated(described$variable)))
      }
    }
  }
  all <- code_book()
  expect_true(all(c("to_end", "height_top", "height_average", "height_bumpiness", "well_tied") %in% filter(all, .data$table == "placements")$variable))
  expect_true(all(c("mode", "censored") %in% filter(all, .data$table == "guideline_games")$variable))
})
