# Splitting estimates, exact tables and rankings: hand-made tables with known answers.

made_levels <- c("level,threshold,factor,weight,rises,rises_per_piece,onward,pieces,deaths",
                 "0,0,1,1,0,1,0.01,600,0", "1,60,4,0.25,40,0.01,0.2,300,1", "2,80,5,0.05,40,0.002,0.1,100,9")
made_replications <- c("replication,main_pieces,lines,main_deaths,pieces,deaths,weighted_deaths,deadly_excursions",
                       "0,25,10,0,250,1,1,1", "1,50,20,0,250,3,3,2", "2,75,30,0,250,2,2,1", "3,100,40,0,250,4,4,3")
made_heights <- c("height,main_placements,main_share,weighted_share,fahey_share", "0,150,0.6,0.59,", "1,100,0.4,0.4,0.3", "2,0,0,0.01,0.05")
made_results <- '{"kind": "estimate",
  "config": {"controller": {"name": "bcts"}, "board": "10x10", "search": "next", "estimate": {"importance": "cells"}},
  "summary": {"splitting": {"mean": 10}, "direct": {"mean": null, "low": 33.4, "high": null}, "histogram": {"mean": 70}}}'

#' Writes the folder of an estimate with these tables; NULL omits a file.
made_estimate <- function(name, levels = made_levels, replications = made_replications, heights = made_heights, results = made_results) {
  dir <- file.path(scratch, name)
  dir.create(dir, showWarnings = FALSE)
  files <- compact(list(levels.csv = levels, replications.csv = replications, heights.csv = heights, run.json = results))
  iwalk(files, \(lines, file) writeLines(lines, file.path(dir, file)))
  dir
}

test_that("a ratio of totals has the hand-computed interval: e = (0, .4, -.4, 0), s = sqrt(.32 / 12), t(3) = 3.182446", {
  ratio <- replication_ratio(c(10, 20, 30, 40), c(1, 3, 2, 4))
  factor <- exp(3.182446305 * sqrt(0.32 / 12))
  expect_equal(c(ratio$mean, ratio$low, ratio$high), c(10, 10 / factor, 10 * factor))
  expect_true(is.na(replication_ratio(c(10, 20), c(0, 0))$mean))
  expect_true(is.na(replication_ratio(10, 1)$mean))
})

test_that("an estimate is read, and empty cells are NA", {
  estimate <- read_estimate(made_estimate("splitting"))
  expect_equal(estimate$heights$fahey_share, c(NA, 0.3, 0.05))
  expect_equal(estimate_setting(estimate), "bcts, 10x10, next")
  levels <- level_table(estimate)
  expect_equal(levels$share, c(0.6, 0.3, 0.1))
  expect_equal(levels$balanced, c(NA, 0.2, NA)) # level 2 splits each path into five
  methods <- estimate_methods(estimate)
  expect_equal(methods$method, c("splitting", "direct", "histogram"))
  expect_equal(methods$mean, c(10, NA, 70))
  expect_equal(methods$open, c(FALSE, TRUE, FALSE))
  expect_equal(methods$words[2:3], c("above 33.4", "70, no interval"))
  running <- running_estimate(estimate$replications)
  expect_equal(running$replications, 2:4)
  expect_equal(running$mean, c(30 / 4, 60 / 6, 100 / 10))
  expect_equal(running$pieces, c(500, 750, 1000))
  expect_equal(batch_estimates(estimate$replications, 2)$mean, c(30 / 4, 70 / 6))
})

test_that("an estimate of the engine has the same interval in R, and its figures are drawn", {
  dir <- file.path(scratch, "bcts-next")
  tetrastat("estimate", "--board", "6x10", "--queue", "bag", "--search", "next", "--pieces", "5000", "--burn-in", "2000", "--pilot-pieces", "10000",
            "--budget", "300000", "--seed", "3", "--out", dir)
  estimate <- read_estimate(dir)
  printed <- estimate$manifest$summary$splitting
  ours <- filter(estimate_methods(estimate), .data$method == "splitting")
  expect_equal(c(ours$mean, ours$low, ours$high), c(printed$mean, printed$low, printed$high), tolerance = 1e-9)
  expect_gt(nrow(estimate$levels), 2)
  found <- run_command("evidence", dir, "--out", file.path(scratch, "estimate-figures"))
  expect_equal(found$status, 0L, info = found$output)
  expect_setequal(list.files(file.path(scratch, "estimate-figures"), "png$"), paste0("bcts-next-", c("levels", "estimates", "heights"), ".png"))
})

test_that("a damaged estimate gives a clear error", {
  read <- \(...) read_estimate(made_estimate(...))
  expect_error(read("no-results", results = NULL), "no run.json of an estimate in .*tetrastat estimate")
  expect_error(read("no-heights", heights = NULL), "no heights.csv in ")
  expect_error(read("one-replication", replications = made_replications[1:2]), "fewer than two replications")
  expect_error(read("word", levels = sub("0.002", "rare", made_levels)), "line 4, column rises_per_piece: found 'rare'")
  expect_error(read("renamed", levels = sub("onward", "on", made_levels)), "lacks the column.s. onward")
})

exact_lines <- c("board,rules,queue,search,player,states,lines_mean,lines_sd,pieces_mean,pieces_sd,residual,error_lines,of_optimal,games,z_lines,z_pieces",
                 "4x4,simplified,uniform,greedy,bcts,442,5.4,5,8.7,5,0,0,0.768,NA,NA,NA", "4x4,simplified,uniform,greedy,optimal,2582,7.07,6,10,6,0,0,1,NA,NA,NA")
ranking_lines <- c("estimate,first,second,rank,n,censored,mean,low,high,method,warnings,sd,p,p_adjusted,test",
                   "mean,bcts,NA,1,40,0,112,90,137,bootstrap,NA,78,NA,NA,NA", "mean,lee,NA,2,40,0,60,50,72,exponential,NA,54,NA,NA,NA",
                   "difference,bcts,lee,NA,40,0,52,30,70,paired_bootstrap,NA,NA,0.01,0.01,sign_flip",
                   "ratio,bcts,lee,NA,40,0,1.87,1.5,2.2,paired_bootstrap,NA,NA,0.01,0.01,sign_flip")

test_that("evidence.R recognises and draws estimates, exact tables and rankings", {
  made <- \(lines, name) {
    writeLines(lines, file.path(scratch, name))
    file.path(scratch, name)
  }
  inputs <- c(made_estimate("splitting"), made(exact_lines, "exact.csv"), made(ranking_lines, "two.csv"))
  expect_equal(map_chr(inputs, evidence_kind), c("estimate", "exact", "compare"))
  sections <- evidence_sections(inputs)
  expect_equal(unlist(map(sections, \(section) names(section$figures))),
               c("splitting-levels", "splitting-estimates", "splitting-heights", "two-ranking", "exact"))
  expect_match(caption(sections[[1]]$figures[[1]]), "^n = 4 replications, 1,000 pieces on all paths, 10 deaths.* of cells: 60, 80[.]")
  page <- evidence_page(sections)
  expect_true(any(grepl("^.4x4 .*bcts .*76[.]80 %", page)))
  expect_true(any(grepl("^.1 *.bcts *.40 *.112 .90 to 137", page)))
  expect_error(evidence_sections(inputs[c(1, 1)]), "two inputs have a figure splitting-levels")
  expect_error(read_exact(made(sub("7.07", "seven", exact_lines), "word.csv")), "line 3, column lines_mean: found 'seven'")
  out <- file.path(scratch, "figures")
  dir.create(out, showWarnings = FALSE)
  iwalk(unlist(map(unname(sections), "figures"), recursive = FALSE), \(drawn, name) suppressMessages(save_figure(drawn, file.path(out, paste0(name, ".png")))))
  expect_equal(length(list.files(out, "[.]png$")), 5)
})
