# Shared by several test files: the code book, runs of the engine, simulated data, a scratch folder.

scratch <- file.path(tempdir(), "analysis-tests")
dir.create(scratch, showWarnings = FALSE)

book <- shipped_book()

# Skips a test that needs the engine if there is none.
need_program <- function() if (!nzchar(tetrastat_program())) testthat::skip("no program tetrastat (TETRASTAT)")

# Skips a test that simulates a coverage or an error rate for seconds, where TETRASTAT_LONG=0 asks for short tests.
need_long <- function() if (Sys.getenv("TETRASTAT_LONG") == "0") testthat::skip("long")

# Returns a file of the engine's repository; skips the test if the repository is not available.
repository <- function(...) {
  root <- Sys.getenv("TETRASTAT_REPOSITORY")
  if (!nzchar(root)) testthat::skip("not in the engine's repository (TETRASTAT_REPOSITORY)")
  file.path(root, ...)
}

# Runs the engine and returns its output; stops with this output if it fails.
tetrastat <- function(...) {
  need_program()
  output <- suppressWarnings(system2(tetrastat_program(), shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  status <- attr(output, "status")
  if (!is.null(status)) stop("tetrastat ", paste(...), ": ", paste(output, collapse = "\n"))
  output
}

# Returns the run folder `name`, which is written once per test process.
fresh_run <- function(name, ...) {
  dir <- file.path(scratch, name)
  if (!dir.exists(dir)) tetrastat("simulate", "--sample", "0", "--board", "10x10", "--out", dir, ...)
  dir
}

bag_run <- function() fresh_run("bag", "--controller", "el-tetris", "--queue", "bag", "--games", "4",
    "--max-pieces", "400", "--placements", "csv")
lee_run <- function() fresh_run("lee", "--controller", "lee", "--games", "60", "--max-pieces", "none",
    "--placements", "csv.gz")

# Runs a command of the package in this process, as a script would; returns list(status, output),
# where output is everything printed to stdout and stderr.
run_command <- function(name, ...) {
  said <- character()
  status <- 0L
  printed <- utils::capture.output(withCallingHandlers(
    tryCatch(list(report = command_report, training = command_training, evidence = command_evidence, choice = command_choice)[[name]](c(...)),
      error = \(problem) {
        while (!is.null(problem$parent)) problem <- problem$parent
        said <<- c(said, paste0("error: ", gsub("\\s*\n\\s*", " ", conditionMessage(problem)), if (!inherits(problem, "tetrastat_error")) " [not a tetrastat_error]"))
        status <<- 1L
      }),
    message = \(m) { said <<- c(said, sub("\n$", "", conditionMessage(m))); invokeRestart("muffleMessage") }))
  list(status = status, output = paste(c(printed, said), collapse = "\n"))
}

# Returns the caption of a figure.
caption <- function(figure) figure_facts(figure)$caption

# Returns an empty folder.
scratch_empty <- function() {
  dir <- file.path(scratch, "nothing")
  dir.create(dir, showWarnings = FALSE)
  dir
}

# Studies: conditions, labels, common seeds.

# Returns a study of the engine: two controllers on two boards, some games censored.
fresh_study <- function() {
  dir <- file.path(scratch, "study")
  if (dir.exists(dir)) return(dir)
  file <- file.path(scratch, "study.toml")
  writeLines(c('controllers = ["el-tetris", "lee"]', 'boards = ["10x10", "8x12"]', "seed = 3", "games = 30",
      "max_pieces = 600", 'placements = "parquet"'), file)
  tetrastat("study", file, "--out", dir)
  dir
}

# Data sets: written by the engine.

# Returns the folder of the data set `tiny`, which is written once per test process.
tiny_folder <- function() {
  dir <- file.path(scratch, "tiny")
  if (!dir.exists(dir)) tetrastat("data", "set", "tiny", "--out", dir)
  dir
}

# Guideline runs: read, counted, drawn.

# Returns a short run of Sprints or Blitzes, which is written once per test process.
guideline_run <- function(mode) {
  dir <- file.path(scratch, paste0("guideline-", mode))
  if (!dir.exists(dir)) {
    tetrastat("simulate", "--rules", "capstone", "--mode", mode, "--games", "12", "--seed", "5", "--placements", "csv.gz", "--out", dir)
  }
  dir
}

# LIAP runs: read, counted, compared.

# Returns a run whose table has two seats of each of two declarers, which is written once per test
# process.
liap_run <- function() {
  dir <- file.path(scratch, "liap")
  if (!dir.exists(dir)) {
    tetrastat("simulate", "--rules", "liap", "--rounds", "3000", "--controller", "v1,v2,v2,v1", "--seed", "5", "--placements", "csv.gz", "--out", dir)
  }
  dir
}

# Trainings: reading, learning curves, results, comparison, the script.

# Returns a training of the engine that takes one second.
fresh_training <- function(name, method, ...) {
  dir <- file.path(scratch, name)
  if (!dir.exists(dir)) tetrastat("train", method, "--features", "lee", "--board", "8x8", "--population", "10",
      "--generations", "6", "--games", "4", "--max-pieces", "300", "--check-every", "2", "--check-games", "10", "--final-games",
      "10", "--held-out-games", "40", "--out", dir, ...)
  dir
}
cem_training <- function() fresh_training("train-cem", "cem", "--population-log")
ga_training <- function() fresh_training("train-ga", "ga", "--elite", "2")

# A hand-made training: three generations of two weights, one check, and no files except history and
# run.json.
made_history <- c("generation,mean,best,spread,held_out,games,censored,pieces,mean_holes,mean_wells,sd_holes,sd_wells",
    "0,10,15,4,NA,20,0,1000,0,0,1,2", "1,100,130,60,NA,20,0,3000,-1,0.5,0.5,1",
    "2,2000,2100,300,1500,20,1,9000,-2,1,0.1,0.2")
made_manifest <- '{"status": "complete", "command": ["tetrastat", "train", "--preset", "rvce"], "games": 70, "pieces": 14000,
  "elapsed_s": 2.5, "resumed": false, "kind": "training", "config": {"optimiser": {"method": "cem"}, "features": ["holes", "wells"],
  "objective": "lines", "minimise": false, "play": {"board": "10x10", "queue": "uniform", "max_pieces": null}},
  "summary": {"origin": {"mean": 3}, "weights": [-2.5, 1.5],
              "held_out": {"value": {"mean": 1600, "low": 1500, "high": null}, "lines": {"n": 40}}},
  "files": [{"name": "history.csv", "rows": 3}]}'
made_training <- function(name, history = made_history, manifest = made_manifest, file = "history.csv") {
  dir <- file.path(scratch, name)
  dir.create(dir, showWarnings = FALSE)
  writeLines(history, file.path(dir, file))
  if (!is.null(manifest)) writeLines(manifest, file.path(dir, "run.json"))
  dir
}

# Returns the figures of the example games, which are drawn once per test process.
example_figures <- local({
  figures <- NULL
  function() {
    if (is.null(figures)) figures <<- tetrastat::figures(example_run("games"))
    figures
  }
})

# Simulates games of several runs on common seeds: exponential with the given means; `shared` is the
# effect of the seed.
made_study <- function(means, n = 60, limit = Inf, seed = 1, shared = 0) {
  with_seed(seed, {
    common <- exp(shared * rnorm(n))
    bind_rows(imap(means, \(mean, name) tibble(run = name, stream_seed = paste0("0x", seq_len(n)), lines = ceiling(mean * common * rexp(n)))))
  }) |> mutate(run = factor(.data$run, names(means)), censored = .data$lines > limit, lines = pmin(.data$lines, limit))
}

# Returns simulated games of several runs as a list of runs, for models that need no engine.
made_runs <- function(games, config = list()) {
  map(split(games, games$run), \(own) structure(list(name = as.character(own$run[1]), dir = "", kind = "classic", manifest = list(config = config), games = select(own, -"run")),
      class = c("tetrastat_classic", "tetrastat_run")))
}

# Independent computations of what the engine computes: the exponential mean with its exact interval
# (Epstein and Sobel 1953), and the p-value of the Cox-Oakes test.
exponential_oracle <- function(games) {
  total <- sum(games$lines)
  ended <- sum(!games$censored)
  c(mean = total / ended, low = 2 * total / qchisq(0.975, 2 * ended + 2 * any(games$censored)), high = 2 * total / qchisq(0.025, 2 * ended))
}
cox_oakes_oracle <- function(games) {
  ended <- sum(!games$censored)
  y <- pmax(games$lines, 0.5) * ended / sum(pmax(games$lines, 0.5))
  score <- ended + sum(log(y[!games$censored])) - sum(y * log(y))
  2 * pnorm(-abs(score / sqrt(ended + sum(y * log(y)^2) - sum(y * log(y))^2 / ended)))
}

# Simulates lifetimes of mean 1,000 and constant hazard, censored at a limit.
made_lives <- function(n, limit = Inf, seed = 1) {
  lines <- with_seed(seed, rexp(n, 1 / 1000))
  tibble(censored = lines > limit, lines = pmin(lines, limit))
}

# Columns of a hand-made table of a reproduction with known answers.
made_columns <- c("table", "name", "folder", "controller", "rules", "board", "queue", "search", "seed", "games", "ended", "pieces", "mean",
             "low", "high", "sd", "median", "core_hours", "finished", "commit", "source", "place", "published_games", "published",
             "published_low", "published_high", "kind", "note", "ratio", "ratio_low", "ratio_high", "verdict")

# Returns a line of reproduced.csv from the given values; all others are NA.
made_row <- function(...) {
  given <- c(list(folder = "-", rules = "simplified", board = "10x20", seed = "0x0000000000000001", core_hours = 0.5), list(...))
  paste(map_chr(made_columns, \(name) as.character(given[[name]] %||% NA)), collapse = ",")
}

# Returns a condition of the ladder: 100 uncensored games with this mean, or four games censored
# after 1,000 lines each.
ladder_row <- function(controller, queue, search, mean, ...) {
  name <- paste(c(controller, queue, search), collapse = "-")
  if (is.na(mean)) {
    return(made_row(table = "ladder", name = name, controller = controller, queue = queue, search = search, games = 4, ended = 0,
                    low = 4000 / -log(0.05), ...))
  }
  made_row(table = "ladder", name = name, controller = controller, queue = queue, search = search, games = 100, ended = 100, mean = mean,
           low = 200 * mean / qchisq(0.975, 200), high = 200 * mean / qchisq(0.025, 200), ...)
}

bcts_row <- function(...) made_row(table = "10x20", name = "bcts-10x20", controller = "bcts", queue = "uniform", search = "greedy", games = 20,
    ended = 0, low = 1e7, ...)

made_reproduction <- c(
  paste(made_columns, collapse = ","),
  bcts_row(source = "Thiery", published = 35e6, published_low = 28e6, published_high = 42e6, kind = "measured", ratio_low = 0.3, verdict = "open"),
  bcts_row(source = "Scherrer", published = 31e6, published_games = 1000, kind = "quoted", ratio_low = 0.32, verdict = "open"),
  made_row(table = "10x20", name = "waiting", controller = "bdu", queue = "uniform", search = "greedy", source = "Scherrer", published = 36e6,
           kind = "quoted"),
  made_row(table = "10x20", name = "adversary", controller = "dt20", queue = "sz", search = "greedy", games = 9, ended = 9, mean = 11, source = "Chen",
           published = 75, kind = "quoted", ratio = 0.1467, ratio_low = 0.1, ratio_high = 0.2, verdict = "lower"),
  ladder_row("basic", "uniform", "greedy", 1000, source = "guide", published = 500, kind = "projected", ratio = 2, ratio_low = 1.6, ratio_high = 2.4,
             verdict = "higher"),
  ladder_row("basic", "bag", "greedy", 3000), ladder_row("basic", "uniform", "next", NA),
  ladder_row("basic", "bag", "next", NA, source = "guide", published = 5000, kind = "projected", ratio_low = 0.27, verdict = "open"),
  ladder_row("six", "uniform", "greedy", 10, source = "guide", published_low = 1e5, published_high = 6e5, kind = "projected", verdict = "lower")
)

made_file <- function(lines = made_reproduction, name = "reproduced.csv") {
  path <- file.path(scratch, name)
  writeLines(lines, path)
  path
}

made_evidence <- function(...) read_reproduction(made_file(...))

quick_reproduction <- function() {
  dir <- file.path(scratch, "reproduction")
  if (!dir.exists(dir)) tetrastat("study", "reproduce:generators", "--quick", "--out", dir)
  dir
}

# Wells: simulated games with a known effect of a well.

# Simulates games in which a board with a well in column 6 multiplies the odds of dying within the
# next 20 pieces by `odds`; `height` does so as well.
made_wells <- function(seed, odds, games = 150, each = 30) {
  rows <- made_surfaces(games * each, seed = seed)
  rows$height_average <- with_seed(seed, rnorm(nrow(rows)))
  here <- rows$well_column %in% 6 & !rows$well_tied
  dies <- with_seed(seed + 1, runif(nrow(rows)) <
                      plogis(-3 + log(odds) * here + 0.8 * rows$height_average))
  # Each board is a period of its own; a game ends with the first death.
  rows <- mutate(rows, game = (row_number() - 1) %/% each,
                 piece_no = 20 * ((row_number() - 1) %% each + 1), dies = dies)
  ends <- group_by(rows, .data$game) |>
    summarise(first = match(TRUE, .data$dies), censored = is.na(.data$first),
              pieces = 20 * coalesce(.data$first, each) + 10)
  list(placements = inner_join(rows, ends, by = "game") |>
         filter(.data$piece_no <= .data$pieces) |> select(-"first", -"pieces", -"censored"),
       games = ends)
}

# Players over several tasks: simulated games.

# Returns a study from a list of tasks, each a list of the lines of the games of each player.
made_tasks <- function(tasks, seeds = FALSE) {
  games <- bind_rows(imap(tasks, \(players, task) bind_rows(imap(players, \(lines, player) {
    tibble(label = paste(player, task), controller = player, board = task, lines,
           stream_seed = paste0(if (!seeds) label, "0x", seq_along(lines)), censored = FALSE)
  }))))
  games$label <- factor(games$label, unique(games$label))
  structure(list(name = "made", dir = "", conditions = distinct(games, label, controller, board),
                 games = games), class = "tetrastat_study")
}

# Simulates exponential games of two players on three tasks. The means of `b` are 1, 1.5 and 2 times
# those of `a`.
made_scores <- function(n, seed) {
  with_seed(seed, made_tasks(map2(c(x = 30, y = 300, z = 3000), c(1, 1.5, 2), \(mean, ratio) {
    list(a = mean * rexp(n), b = ratio * mean * rexp(n))
  })))
}

# The interquartile mean of `b`, and the probability that `a` beats `b`.
made_scores_truth <- local({
  ratios <- c(1, 1.5, 2)
  below <- \(x) mean(1 - exp(-x / ratios))
  ends <- map_dbl(c(0.25, 0.75), \(share) {
    stats::uniroot(\(x) below(x) - share, c(0, 20), tol = 1e-10)$root
  })
  density <- \(x) map_dbl(x, \(at) at * mean(exp(-at / ratios) / ratios))
  list(iqm = 2 * stats::integrate(density, ends[1], ends[2])$value, above_1 = 1 - below(1),
       improvement = mean(1 / (1 + ratios)))
})
