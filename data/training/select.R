# Rscript data/training/select.R --out DIR [--way forward|ablate] [--program FILE] [--start CONTROLLER] [--try TRIED[,TRIED...]]
#   [--board 10x10] [--by play|splitting] [--games 2000 | --half-width 5%] [--steps 3] [--seed S] [--train "WORDS"] [--threads N]
#
# Which feature brings how much? Forward selection trains, by CMA-ES from the current weights, the current features alone (the base)
# and with one feature more, for each that is to be tried; all with the same budget, so that a feature is not credited with
# what more training brings. All are compared with the base on held-out games under common seeds (by play), or by their
# estimates (by splitting). The best is chosen; because the best of many is flattered, it is compared once more under another
# seed, and it stays only if the interval of that ratio lies above 1. Ablation trains the features of --start without each of
# them in turn, and chooses nothing. --train are words of `tetrastat train cmaes`, the budget.
#
# DIR gets every training in a folder of its own, so that the same command goes on with what was stopped, and selection.csv: a row
# for each comparison, with the ratio of mean lines to the base's and its 95 % interval.
#
# Needs jsonlite.

suppressPackageStartupMessages(library(jsonlite))
options(warn = 1)

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "program.R"))

defaults <- list(
  way = "forward", program = "tetrastat", start = "bcts", try = "", board = "10x10", by = "play", games = "2000", `half-width` = "5%",
  steps = "3", seed = "1", threads = "", out = "",
  train = "--population 16 --games 24 --generations 15 --sd 0.1 --check-every 5 --check-games 100 --finalists 3 --final-games 300 --held-out-games 10 --max-pieces none"
)

# The options, with what one says of another checked.
options_checked <- function(words) {
  given <- options_of(words, defaults)
  if (!given$way %in% c("forward", "ablate")) stop("--way: forward or ablate", call. = FALSE)
  if (given$way == "forward" && given$try == "") stop("--try: the features to try, joined by commas (tetrastat show features)", call. = FALSE)
  given
}

# Trains these features from the weights of a controller; the file of what came out.
trained <- function(given, name, features, start) {
  out <- file.path(given$out, name)
  controller <- file.path(out, "controller.toml")
  done <- file.exists(controller) && identical(fromJSON(file.path(out, "run.json"))$status, "complete")
  if (!done) {
    tetrastat(given, c("train", "cmaes", "--features", paste(features, collapse = ","), "--start", start, "--board", given$board,
                       "--seed", given$seed, parts(given$train, " "), "--name", basename(name), "--format", "json", "--out", out))
  }
  controller
}

# Mean lines of a controller on games under a seed that nothing was trained on, or by splitting: logarithm and standard error are
# kept, too.
measured <- function(given, controller, name, round) {
  seed <- as.character(1000000 + 1000 * as.integer(given$seed) + round)
  out <- file.path(given$out, name, paste0("held-out-", round))
  if (given$by == "play") {
    said <- tetrastat(given, c("simulate", "--controller", controller, "--board", given$board, "--games", given$games, "--max-pieces", "none",
                               "--placements", "none", "--sample", "0", "--seed", seed, "--format", "json", "--out", out))
    games <- read.csv(file.path(out, "games.csv"))
    return(list(lines = games$lines[order(games$game)], log = log(said$summary$mean)))
  }
  said <- tetrastat(given, c("estimate", "--controller", controller, "--board", given$board, "--method", "splitting", "--until-halfwidth",
                             given$`half-width`, "--seed", seed, "--format", "json", "--out", out))
  list(log = log(said$splitting$mean), error = said$splitting$relative_error)
}

# The ratio of two means with its 95 % interval: of games under common seeds by the delta method, game by game.
ratio_of <- function(one, base) {
  difference <- one$log - base$log
  error <- if (is.null(one$lines)) sqrt(one$error^2 + base$error^2) else sd(one$lines / exp(one$log) - base$lines / exp(base$log)) / sqrt(length(one$lines))
  exp(difference + c(0, -1.96, 1.96) * error)
}

# A row of the table.
compared <- function(step, feature, role, count, one, base) {
  ratio <- ratio_of(one, base)
  data.frame(step, feature, role, features = count, lines = exp(one$log), ratio = ratio[1], low = ratio[2], high = ratio[3])
}

# The features of a controller, in order.
features_of <- function(given, controller) {
  text <- system2(given$program, shQuote(c("controllers", controller)), stdout = TRUE)
  listed <- text[-seq_len(grep("^ +weight +feature$", text))]
  sub("^ *[-+0-9.e]+ +([a-z0-9_]+):.*", "\\1", listed[nzchar(listed)])
}

# What is to be tried: a list of features, or of several together, by name.
tried <- function(text) {
  named <- strsplit(parts(text), "=", fixed = TRUE)
  setNames(lapply(named, function(words) parts(words[length(words)], "+")), vapply(named, `[`, "", 1))
}

written <- function(given, rows) {
  write.csv(rows, file.path(given$out, "selection.csv"), row.names = FALSE, quote = FALSE)
  rows
}

# One step: the base and each change of it, trained and compared.
step_of <- function(given, step, features, start, changes) {
  at <- function(name) sprintf("step-%d/%s", step, name)
  base_file <- trained(given, at("base"), features, start)
  base <- measured(given, base_file, at("base"), 1)
  rows <- lapply(names(changes), function(name) {
    file <- trained(given, at(name), changes[[name]], start)
    row <- compared(step, name, "change", length(changes[[name]]), measured(given, file, at(name), 1), base)
    message("step ", step, ", ", name, ": ", signif(row$ratio, 4), " (", signif(row$low, 4), " to ", signif(row$high, 4), ") of the base's lines")
    row
  })
  list(rows = do.call(rbind, rows), base = base_file, at = at)
}

forward <- function(given) {
  features <- features_of(given, given$start)
  start <- given$start
  left <- Filter(length, lapply(tried(given$try), setdiff, features))
  rows <- NULL
  for (step in seq_len(as.integer(given$steps))) {
    if (length(left) == 0) break
    found <- step_of(given, step, features, start, lapply(left, function(more) c(features, more)))
    rows <- written(given, rbind(rows, found$rows))
    best <- found$rows$feature[which.max(found$rows$ratio)]
    file <- file.path(given$out, found$at(best), "controller.toml")
    again <- compared(step, best, "confirmed", length(c(features, left[[best]])), measured(given, file, found$at(best), 2), measured(given, found$base, found$at("base"), 2))
    rows <- written(given, rbind(rows, again))
    if (again$low <= 1) {
      message("no feature is known to bring more: ", best, " has ", signif(again$ratio, 4), " of the base's lines, from ", signif(again$low, 4))
      break
    }
    features <- c(features, left[[best]])
    left[[best]] <- NULL
    start <- file
  }
  rows
}

ablate <- function(given) {
  features <- features_of(given, given$start)
  written(given, step_of(given, 1, features, given$start, setNames(lapply(features, function(name) setdiff(features, name)), features))$rows)
}

given <- options_checked(commandArgs(trailingOnly = TRUE))
dir.create(given$out, recursive = TRUE, showWarnings = FALSE)
print(if (given$way == "forward") forward(given) else ablate(given), row.names = FALSE, digits = 4)
