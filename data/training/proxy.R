# Rscript data/training/proxy.R --out DIR [--program FILE] [--training DIR[,DIR...]] [--candidates N] [--presets NAME[,NAME...]]
#   [--boards 10x10:10000,10x14:300,10x16:60] [--large 10x20] [--half-width 10%] [--pieces N --budget N] [--seed S] [--threads N]
#
# Which small board predicts the large one? Controllers (presets, and candidates of trainings spread evenly over the ranks of
# their population.csv) play so many games on each small board; on the large one their mean lines are estimated by
# splitting. DIR gets every run in a folder of its own, so that the same command goes on with what was stopped;
# proxy.csv with all means and intervals; correlations.csv with Spearman's rank correlation of each small board with the large
# one, of all controllers and of the better half, with its bootstrap interval over controllers; and proxy.svg.
#
# Needs ggplot2, jsonlite and svglite (or R's own svg).

suppressPackageStartupMessages({
  library(ggplot2)
  library(jsonlite)
})

options(warn = 1)

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "program.R"))

defaults <- list(
  program = "tetrastat", training = "", candidates = "20", large = "10x20", boards = "10x10:10000,10x14:300,10x16:60",
  presets = "bcts,bdu,dellacherie,dellacherie-ce,dellacherie-cmaes,dt10,dt10-wells,dt20,dt20-wells,el-tetris,guide-dellacherie,rvce,tetrastat-10x10",
  `half-width` = "10%", pieces = "", budget = "", seed = "1", threads = "", out = ""
)

# Candidates of a training as controllers: files in `folder`, of `count` ranks spread evenly from the best to the worst.
candidates_of <- function(training, count, folder) {
  population <- read.csv(file.path(training, "population.csv"), check.names = FALSE)
  config <- fromJSON(file.path(training, "run.json"))$config
  ranked <- population[order(-population$value, population$generation, population$candidate), ]
  chosen <- ranked[unique(round(seq(1, nrow(ranked), length.out = count))), ]
  vapply(seq_len(nrow(chosen)), function(i) {
    row <- chosen[i, ]
    name <- sprintf("%s-g%d-c%d", basename(training), row$generation, row$candidate)
    weights <- sprintf("%s = %.9f", config$features, as.numeric(row[config$features]))
    file <- file.path(folder, paste0(name, ".toml"))
    lines <- c(sprintf("name = '%s'", name), sprintf("source = 'candidate %d of generation %d of %s'", row$candidate, row$generation,
                 basename(training)), sprintf("measured = '%s'", config$measured), "", "[weights]", weights)
    if (!file.exists(file)) writeLines(lines, file)
    file
  }, "")
}

# Mean lines of a controller on a board by play; its interval is that of exponential lifetimes.
by_play <- function(given, controller, board, games, name) {
  out <- file.path(given$out, board, name)
  said <- tetrastat(given, c("simulate", "--controller", controller, "--board", board, "--games", games, "--max-pieces", "none",
                             "--placements", "none", "--sample", "0", "--seed", given$seed, "--format", "json", "--out", out))
  with(said$summary, data.frame(mean, low = exponential$low, high = exponential$high))
}

# The same by splitting.
by_splitting <- function(given, controller, board, name) {
  words <- c("estimate", "--controller", controller, "--board", board, "--method", "splitting", "--until-halfwidth", given$`half-width`,
             "--seed", given$seed, "--format", "json", "--out", file.path(given$out, board, name))
  if (given$pieces != "") words <- c(words, "--pieces", given$pieces, "--pilot-pieces", given$pieces)
  if (given$budget != "") words <- c(words, "--budget", given$budget)
  said <- tetrastat(given, words)
  with(said$splitting, data.frame(mean, low = interval$low, high = interval$high))
}

# Spearman's rank correlation, and the middle 95 % of that of resampled controllers.
rank_correlation <- function(x, y, resamples = 10000) {
  rho <- cor(x, y, method = "spearman")
  again <- replicate(resamples, {
    i <- sample(length(x), replace = TRUE)
    suppressWarnings(cor(x[i], y[i], method = "spearman"))
  })
  interval <- quantile(again, c(0.025, 0.975), na.rm = TRUE, names = FALSE)
  data.frame(controllers = length(x), rho, low = interval[1], high = interval[2])
}

figure <- function(means, correlations, large) {
  wide <- merge(means[means$board != large, ], means[means$board == large, ], by = c("name", "origin"), suffixes = c("", "_large"))
  said <- correlations[correlations$of == "all", ]
  words <- setNames(sprintf("%s: rank correlation %.3f (%.3f to %.3f)", said$board, said$rho, said$low, said$high), said$board)
  wide$panel <- factor(words[wide$board], words)
  ggplot(wide, aes(mean, mean_large, colour = origin)) +
    geom_linerange(aes(ymin = low_large, ymax = high_large), linewidth = 0.3, alpha = 0.6) +
    geom_linerange(aes(xmin = low, xmax = high), linewidth = 0.3, alpha = 0.6) +
    geom_point(size = 1.6) +
    facet_wrap(~panel, scales = "free_x") +
    scale_x_log10() + scale_y_log10() +
    scale_colour_manual(values = c(preset = "#0072B2", candidate = "#D55E00"), name = NULL) +
    labs(x = "mean lines on the small board, by play", y = paste0("mean lines on ", large, ", by splitting"),
         caption = "bars: 95 % intervals; in brackets: 95 % bootstrap over controllers") +
    theme_minimal(base_size = 11) +
    theme(legend.position = "top", panel.grid.minor = element_blank())
}

main <- function(given) {
  folder <- file.path(given$out, "controllers")
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  presets <- parts(given$presets)
  files <- unlist(lapply(parts(given$training), candidates_of, as.integer(given$candidates), folder))
  controllers <- data.frame(
    controller = c(presets, files), name = c(presets, sub("[.]toml$", "", basename(files))),
    origin = rep(c("preset", "candidate"), c(length(presets), length(files)))
  )
  small <- strsplit(parts(given$boards), ":", fixed = TRUE)
  rows <- list()
  for (i in seq_len(nrow(controllers))) {
    of <- controllers[i, ]
    for (board in small) {
      found <- by_play(given, of$controller, board[1], board[2], of$name)
      rows[[length(rows) + 1]] <- cbind(of[c("name", "origin")], board = board[1], method = "play", found)
    }
    found <- by_splitting(given, of$controller, given$large, of$name)
    rows[[length(rows) + 1]] <- cbind(of[c("name", "origin")], board = given$large, method = "splitting", found)
    message(i, " of ", nrow(controllers), ": ", of$name, ", ", signif(found$mean, 3), " lines on ", given$large)
  }
  means <- do.call(rbind, rows)
  write.csv(means, file.path(given$out, "proxy.csv"), row.names = FALSE, quote = FALSE)
  on_large <- with(means[means$board == given$large, ], setNames(mean, name))
  better <- names(on_large)[on_large >= median(on_large)]
  set.seed(as.integer(given$seed))
  correlations <- do.call(rbind, lapply(small, function(board) {
    on_small <- with(means[means$board == board[1], ], setNames(mean, name))
    of <- function(names) rank_correlation(on_small[names], on_large[names])
    cbind(board = board[1], of = c("all", "better half"), rbind(of(names(on_large)), of(better)))
  }))
  write.csv(correlations, file.path(given$out, "correlations.csv"), row.names = FALSE, quote = FALSE)
  ggsave(file.path(given$out, "proxy.svg"), figure(means, correlations, given$large), width = 3.4 * length(small), height = 3.9, device = svg)
  print(correlations, row.names = FALSE, digits = 3)
}

main(options_of(commandArgs(trailingOnly = TRUE), defaults))
