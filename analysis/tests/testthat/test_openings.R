# Openings: formations, attacks and known openers.

test_that("mirrored boards and pictures equal hand-computed values", {
  expect_equal(board_of_picture(c("#.........", "##..##.###")), "3b3:001")
  expect_equal(unname(mirror_board(c("3b3:001", "", "3ff"))), c("337:200", "", "3ff"))
  expect_equal(one_of_mirrored(c("3b3:001", "337:200", "3b3:001")), rep("337:200", 3))
})

test_that("attacks have the names that players use", {
  expect_equal(attack_names(c(0, 1, 2, 3, 4, 1, 2, 4, 1, 2, 0), c("none", rep("full", 3), "none", "mini", "full", "none", "none", "none", "full"),
                            rep(c(FALSE, TRUE, FALSE), c(6, 3, 2))),
               c(NA, "TSS", "TSD", "TST", "tetris", "mini", "TSD PC", "tetris PC", "PC", NA, NA))
})

test_that("an opener is recognised cell by cell, also mirrored, and only before the first clear", {
  known <- known_openers()
  named <- \(boards, lines) opener_of(boards, lines, opener_boards())
  expect_equal(sum(known$pieces == 5), 1)
  expect_true(all(known$pieces %in% 5:7))
  expect_false(anyDuplicated(opener_boards()$board) > 0)
  tki <- known$board[known$name == "TKI, flat top"]
  on_the_way <- c("010", "011", "013", "033", tki, "3ff")
  expect_equal(named(on_the_way, rep(0, 6)), "TKI, flat top")
  expect_equal(named(replace(on_the_way, 5, mirror_board(tki)), c(0, 0, 0, 0, 0, 2)), "TKI, flat top")
  expect_true(is.na(named(on_the_way, c(0, 0, 1, 0, 0, 0))))
  expect_true(is.na(named(on_the_way[1:4], rep(0, 4))))
  expect_true(is.na(named(c("x", on_the_way), rep(0, 7)))) # one piece later it is a different stack
})

test_that("the openings of a run equal those computed from its log", {
  dir <- file.path(scratch, "openings")
  tetrastat("simulate", "--rules", "guideline", "--mode", "blitz", "--search", "beam", "--beam-width", "4", "--pps", "0.2", "--games", "60",
            "--seed", "5", "--placements", "csv", "--out", dir)
  found <- openings(dir)
  expect_equal(found$game, 0:59)
  rows <- utils::read.csv(file.path(dir, "placements.csv"), colClasses = c(board = "character"), na.strings = "NA")
  # Game by game, without the package's own functions.
  for (game in c(0, 7, 31)) {
    of <- rows[rows$game == game & rows$piece_no <= 21, ]
    cleared <- which(of$lines > 0)
    last <- min(7, if (length(cleared) > 0) cleared[1] - 1)
    expect_true(found$formation[game + 1] %in% c(of$board[last], mirror_board(of$board[last])))
    hard <- of$lines == 4 | (of$t_spin != "none" & of$lines > 0) | of$perfect == "TRUE"
    expect_equal(length(strsplit(setdiff(found$attacks[game + 1], "none"), ", ")[[1]]), sum(hard))
    expect_equal(found$first_attack[game + 1], of$piece_no[which(hard)[1]])
  }
  expect_gt(mean(found$attacks != "none"), 0.5) # a beam finds T-spins
  expect_equal(sum(commonest(mutate(found, run = factor("a")), "attacks", Inf)$n), 60)
  sampled <- file.path(scratch, "openings-sampled")
  tetrastat("simulate", "--rules", "guideline", "--games", "2", "--sprint-lines", "6", "--placements", "csv", "--every", "5", "--out", sampled)
  cut <- file.path(scratch, "openings-cut")
  tetrastat("simulate", "--rules", "guideline", "--games", "2", "--sprint-lines", "6", "--placements", "csv", "--to", "9", "--out", cut)
  expect_error(openings(cut), "does not log all placements")
  expect_equal(nrow(openings(cut, pieces = 9)), 2)
  expect_error(openings(sampled), "run the simulation again with .* without --every")
  expect_null(openings_by_run(sampled))
  expect_error(openings(lee_run()), "no guideline games")
})
