
test_that("a study has labelled conditions and the games of its games.csv", {
  study <- read_study(fresh_study())
  expect_equal(as.character(study$conditions$label),
      c("el-tetris 10x10", "el-tetris 8x12", "lee 10x10", "lee 8x12"))
  expect_equal(nrow(study$games), 120)
  expect_equal(levels(study$games$label), levels(study$conditions$label))
  stated <- read_csv_typed(file.path(fresh_study(), "games.csv"), book, "games")
  expect_equal(select(stated, -"condition"), select(study$games, all_of(setdiff(names(stated), "condition"))))
  expect_equal(as.integer(study$games$label), stated$condition)
})

test_that("conditions.csv and run.json agree on means and intervals", {
  study <- read_study(fresh_study())
  life <- lifetimes(study)
  conditions <- study$conditions
  expect_equal(life$mean, conditions$mean)
  expect_equal(life$low, conditions$low, tolerance = 1e-4) # conditions.csv is rounded
  expect_equal(c(life$games, life$ended), c(conditions$n, conditions$n - conditions$censored))
  expect_equal(map_chr(conditions[c("seed", "status", "clear_on_overflow")], \(x) class(x)[1]),
      c(seed = "character", status = "factor", clear_on_overflow = "logical"))
})

test_that("the code book has every column of conditions.csv, and the engine writes every setting", {
  header <- csv_header(file.path(fresh_study(), "conditions.csv"))
  expect_equal(setdiff(header, book$conditions$variable), character())
  expect_equal(setdiff(c(settings, "condition", "folder", "status"), header), character())
  expect_equal(map_chr(run_settings(read_conditions(fresh_study())$dir[2])[c("controller", "board", "tie", "queue")], 1),
      c(controller = "el-tetris", board = "8x12", tie = "first", queue = "uniform"))
})

test_that("labels name only the settings that distinguish conditions", {
  label <- function(...) condition_labels(tibble(...), paste0("f", 1:2))
  expect_equal(label(controller = c("a", "b"), tie = c("first", "dellacherie")), c("a", "b"))
  expect_equal(label(controller = "a", board = c("10x10", "10x20")), c("10x10", "10x20"))
  expect_equal(label(controller = "a", seed = c("0x0000000000000001", "0x000000000000000a")), c("seed 0x1", "seed 0xa"))
  expect_equal(label(controller = "a", max_pieces = c(NA, "500")), c("max pieces none", "max pieces 500"))
  expect_equal(label(controller = c("a", "a"), board = "10x10"), c("a (f1)", "a (f2)"))
  expect_equal(condition_labels(tibble(controller = "a", board = "10x10"), "f"), "a")
})

test_that("a folder of runs is read as a study, and one run is not", {
  expect_error(read_study(lee_run()), "is one run, not a study")
  expect_s3_class(read_tetrastat(lee_run()), "tetrastat_run")
  folder <- file.path(scratch, "folder")
  dir.create(folder, showWarnings = FALSE)
  runs <- c(fresh_run("folder/a", "--games", "1", "--max-pieces", "5"), fresh_run("folder/b", "--games", "1", "--max-pieces", "5"))
  expect_equal(run_dirs(folder), runs)
  study <- read_study(folder)
  expect_equal(as.character(study$conditions$label), c("bcts (a)", "bcts (b)"))
  expect_equal(nrow(study$games), 2)
  expect_error(read_study(file.path(scratch, "none")), "no folder .*tetrastat simulate")
})

test_that("incomplete conditions are dropped, and a study without a complete one is an error", {
  dir <- file.path(scratch, "unfinished")
  dir.create(dir, showWarnings = FALSE)
  conditions <- readLines(file.path(fresh_study(), "conditions.csv"))
  writeLines(sub("complete", "pending", conditions), file.path(dir, "conditions.csv"))
  expect_error(run_dirs(dir), "no condition of the study .* is complete; run tetrastat study again")
})

test_that("the report of a study has the paired figure, and states n in each caption", {
  content <- analyse(fresh_study())
  expect_true(all(c("paired", "lines", "survival", "profile", "wells", "heat", "margins") %in% names(content$figures)))
  expect_equal(content$names, c("el-tetris 10x10", "el-tetris 8x12", "lee 10x10", "lee 8x12"))
  for (name in names(content$figures)) expect_match(caption(content$figures[[name]]), "^n[ :=]", info = name)
})

test_that("a study of guideline games has labels, games and means of its measures", {
  dir <- file.path(scratch, "guideline-study")
  if (!dir.exists(dir)) {
    writeLines(c('rules = "guideline"', 'modes = ["sprint", "blitz"]', 'games = 12', 'placements = "none"',
                 '[[condition]]', 'mode = "endless"', 'pieces = 20'), paste0(dir, ".toml"))
    tetrastat("study", paste0(dir, ".toml"), "--out", dir)
  }
  study <- read_study(dir)
  expect_equal(as.character(study$conditions$label),
      c("tetrastat-sprint sprint", "tetrastat-blitz-greedy blitz", "tetrastat-blitz-greedy endless"))
  expect_equal(study$conditions$games, c(12, 12, 12))
  expect_equal(nrow(study$games), 36)
  expect_equal(names(study$games)[1:5], c("label", "controller", "rules", "mode", "queue"))
  means <- summary(study)
  expect_equal(means$measure, c("pieces", "points", "points"))
  points <- study$games$points[study$games$mode == "blitz"]
  expect_equal(unlist(means[2, c("mean", "low", "high")], use.names = FALSE),
      c(mean(points), stats::t.test(points)$conf.int[1:2]))
  expect_equal(tidy(study)$estimate, means$mean)
  study$games$lost <- study$games$end_reason %in% c("top_out", "lock_out")
  shares <- summary(study, measure = "lost")
  expect_equal(shares$mean, as.numeric(tapply(study$games$lost, study$games$label, mean)))
  expect_true(all(shares$low <= shares$mean & shares$mean <= shares$high))
  expect_error(summary(study, measure = "depth"), "no column depth")
  expect_error(summary(study, measure = "end_reason"), "neither numeric nor logical")
  expect_error(compare_runs(study, "rmst"), "use measure = \"mean\"", fixed = TRUE)
  expect_s3_class(autoplot(study), "ggplot")
  expect_output(print(study), "points")
})
