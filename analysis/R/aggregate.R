# Comparison of players over several tasks of a study (Agarwal et al. 2021), as in their library
# rliable: interquartile means, probabilities of improvement and performance profiles.

#' Compare players over several tasks
#'
#' Summarises the games of each player over several tasks, such as boards, by the measures of
#' Agarwal et al. (2021). `aggregate_scores()` returns interquartile means and means,
#' `improvement()` the probability that one player beats another, and `performance_profile()` the
#' share of games above each score.
#'
#' @section Scores:
#' The score of a game is its measure divided by the mean of the reference player on the same task.
#' Scores have no unit: 1 is the reference's mean. Fewer pieces are better in a Sprint, so its
#' better players have lower scores. As in `summary(study)`, only Sprints that were won count if
#' `measure` is `NULL`, so a lost Sprint does not count against its player. Every task has the same
#' weight, whatever its number of games.
#'
#' @section Intervals:
#' Intervals are percentile intervals of a bootstrap that resamples the games within each task. If
#' all players have games with the same seeds on a task, these were dealt the same pieces and are
#' resampled together. The mean of the reference is computed again in each resample, so intervals
#' include its error, and the mean score of the reference is exactly 1. In rliable the divisors are
#' fixed.
#'
#' @param study A study, as [read_tetrastat()] returns it, or its folder. Each player needs at least two games on each
#'   task. Games that were cut off are an error, because their scores are unknown.
#' @param tasks A character vector: columns of the conditions that distinguish the tasks, such as
#'   `"board"` or `c("board", "queue")`. `NULL` treats all games as one task. Guideline games have no
#'   boards: name another setting, such as `"queue"`.
#' @param measure A string: a numeric or logical column of the games. `NULL` gives the main measure:
#'   lines of classic games, pieces of won Sprints, points of other guideline games.
#' @param reference A string: the player whose mean on a task is the score 1. `NULL` is the first
#'   player.
#' @param level A number between 0 and 1: confidence level of the intervals.
#' @param resamples A whole number: number of resamples of the bootstrap.
#' @param seed A whole number: seed of the bootstrap. Equal seeds give equal results.
#' @param players A character vector: columns of the conditions that distinguish the players.
#' @return Tibbles with the methods `tidy()` (broom's names) and `autoplot()`.
#'
#' `aggregate_scores()` returns a `tetrastat_scores` with one row per player:
#' * `player`, `games`: the player and the number of games, all tasks together.
#' * `iqm`, `iqm_low`, `iqm_high`: interquartile mean with its interval. It is the mean of the
#'   middle half of all scores: a quarter of the games, rounded down, is dropped on each side.
#' * `mean`, `mean_low`, `mean_high`: mean of all scores with its interval.
#'
#' `improvement()` returns a `tetrastat_improvement` with one row per pair:
#' * `first`, `second`: the players.
#' * `probability`, `low`, `high`: probability that a random game of `first` beats a random game of
#'   `second` on the same task, averaged over tasks, with its interval. It is Mann and Whitney's U
#'   divided by the number of pairs of games. Ties count half.
#'
#' `performance_profile()` returns a `tetrastat_profile` with one row per player and `tau`:
#' * `player`, `tau`: the player and the threshold of the score.
#' * `share`, `low`, `high`: share of games with a score above `tau`, averaged over tasks, with its
#'   pointwise interval.
#' @references Agarwal R, Schwarzer M, Castro PS, Courville A, Bellemare MG (2021). Deep
#'   reinforcement learning at the edge of the statistical precipice. Advances in Neural
#'   Information Processing Systems 34.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   folder <- tempfile("boards-")
#'   file <- paste0(folder, ".toml")
#'   writeLines(c('controllers = ["lee", "el-tetris"]', 'boards = ["8x8", "10x8"]', "games = 30",
#'                'max_pieces = "none"', 'placements = "none"'), file)
#'   system2(tetrastat_program(), c("study", file, "--out", folder), stdout = FALSE, stderr = FALSE)
#'   study <- read_tetrastat(folder)
#'   aggregate_scores(study)
#'   improvement(study)
#'   autoplot(performance_profile(study))
#' }
#' @export
aggregate_scores <- function(study, tasks = "board", measure = NULL, reference = NULL,
                             level = 0.95, resamples = 2000, seed = 1, players = "controller") {
  cells <- score_cells(study, tasks, measure, players, reference)
  statistic <- function(draws) {
    scores <- drawn_scores(cells, draws)
    do.call(rbind, map(cells$players, \(player) {
      own <- map(scores, player)
      weights <- rep(1 / length(own) / map_dbl(own, nrow), map_dbl(own, nrow))
      own <- do.call(rbind, own)
      rbind(interquartile_means(own, weights), colSums(own * weights))
    }))
  }
  found <- bootstrapped(cells, statistic, level, resamples, seed)
  middle <- found[seq(1, nrow(found), 2), ]
  whole <- found[seq(2, nrow(found), 2), ]
  tibble(player = factor(cells$players, cells$players), games = cells$games,
         iqm = middle$estimate, iqm_low = middle$low, iqm_high = middle$high,
         mean = whole$estimate, mean_low = whole$low, mean_high = whole$high) |>
    with_scores("tetrastat_scores", cells, level)
}

#' @rdname aggregate_scores
#' @param better `"higher"` or `"lower"`: the values of `measure` that win. `NULL` is `"lower"` for
#'   the pieces of Sprints, otherwise `"higher"`.
#' @export
improvement <- function(study, tasks = "board", measure = NULL, better = NULL, level = 0.95,
                        resamples = 2000, seed = 1, players = "controller") {
  cells <- score_cells(study, tasks, measure, players, relative = FALSE)
  better <- match.arg(better %||% cells$better, c("higher", "lower"))
  if (length(cells$players) < 2) fail("improvement() needs two or more players")
  pairs <- combn(cells$players, 2, simplify = FALSE)
  ranks <- map(cells$values, \(values) map(pairs, \(pair) {
    signed <- map(values[pair], \(x) if (better == "lower") -x else x)
    pair_ranks(signed[[1]], signed[[2]])
  }))
  statistic <- function(draws) {
    counts <- map(draws, \(task) map(task, draw_counts))
    by_task <- map2(counts, ranks, \(count, rank) {
      do.call(rbind, map2(pairs, rank, \(pair, own) {
        beaten_share(own, count[[pair[1]]], count[[pair[2]]])
      }))
    })
    reduce(by_task, `+`) / length(by_task)
  }
  found <- bootstrapped(cells, statistic, level, resamples, seed)
  tibble(first = map_chr(pairs, 1), second = map_chr(pairs, 2), probability = found$estimate,
         low = found$low, high = found$high) |>
    with_scores("tetrastat_improvement", cells, level)
}

#' @rdname aggregate_scores
#' @param tau A numeric vector: thresholds of the score. `NULL` gives 101 values from 0 to the 95 %
#'   quantile of the scores of all players.
#' @export
performance_profile <- function(study, tasks = "board", measure = NULL, reference = NULL,
                                tau = NULL, level = 0.95, resamples = 2000, seed = 1,
                                players = "controller") {
  cells <- score_cells(study, tasks, measure, players, reference)
  if (is.null(tau)) tau <- seq(0, score_quantile(cells, 0.95), length.out = 101)
  if (!is.numeric(tau) || length(tau) == 0 || anyNA(tau)) fail("tau must be numbers: scores")
  statistic <- function(draws) {
    by_task <- Map(\(values, drawn) {
      limits <- outer(tau, reference_means(cells, values, drawn))
      do.call(rbind, map(cells$players, \(player) {
        share_above(values[[player]], draw_counts(drawn[[player]]), limits)
      }))
    }, cells$values, draws)
    reduce(by_task, `+`) / length(by_task)
  }
  found <- bootstrapped(cells, statistic, level, resamples, seed)
  tibble(player = factor(rep(cells$players, each = length(tau)), cells$players),
         tau = rep(tau, length(cells$players)), share = found$estimate, low = found$low,
         high = found$high) |>
    with_scores("tetrastat_profile", cells, level)
}

# Adds a class, and the facts that methods state.
with_scores <- function(rows, class, cells, level) {
  classed(rows, class, scores = c(cells[c("players", "games", "tasks", "measure", "reference")], level = level))
}

# Returns the games of a study as a list: `values` (by task and player), `paired` (by task: TRUE if
# all players have the same seeds, in the same order), `players`, `tasks`, `games` (by player),
# `measure`, `better` and `reference`. Scores that are `relative` need a reference of positive mean.
score_cells <- function(study, tasks, measure, players, reference = NULL, relative = TRUE) {
  study <- as_study(study)
  check_all_played(study, "scores need games")
  games <- score_games(study, measure)
  named <- tibble(label = games$label, seed = games[["stream_seed"]] %||% NA, value = games$.value,
                  player = setting_names(study, games, players, "players"),
                  task = setting_names(study, games, tasks, "tasks"))
  refuse_pooled(study, named)
  player_names <- unique(named$player)
  task_names <- unique(named$task)
  reference <- reference %||% player_names[1]
  if (length(reference) != 1 || !reference %in% player_names) {
    fail("reference must be one of the players: ", paste(player_names, collapse = ", "))
  }
  rows <- lapply(set_names(task_names), \(task) lapply(set_names(player_names), \(player) {
    own <- named[named$task == task & named$player == player, ]
    if (nrow(own) < 2) {
      fail(player, " has ", if (nrow(own) == 0) "no game" else "one game", " on ", task,
           "; each player needs two or more games on each task")
    }
    own[order(own$seed), ]
  }))
  values <- map(rows, \(task) map(task, "value"))
  if (relative && any(map_dbl(values, \(task) mean(task[[reference]])) <= 0)) {
    fail("the mean of the reference ", reference, " must be above 0 on each task")
  }
  list(values = values, paired = map_lgl(rows, same_seeds), players = player_names,
       tasks = task_names, games = as.vector(table(named$player)[player_names]),
       measure = games$.measure[1], better = games$.better[1], reference = reference)
}

# Returns TRUE if the tables of games of all players have the same seeds, each of them once.
same_seeds <- function(tables) {
  seeds <- map(tables, "seed")
  !anyNA(seeds[[1]]) && !anyDuplicated(seeds[[1]]) && all(map_lgl(seeds, identical, seeds[[1]]))
}

# Returns the games of a study with the columns `.value`, `.measure` and `.better`. Fails if a game
# was cut off.
score_games <- function(study, measure) {
  games <- study$games
  if (!is.null(measure)) {
    study_means(study, measure) # checks the column
    if (anyNA(games[[measure]])) fail("the column ", measure, " has missing values")
  }
  cut <- games[["censored"]] %||% FALSE
  if (any(cut)) {
    fail(sum(cut), " of ", nrow(games), " games were cut off, so their scores are unknown; play ",
         "them to their end (max_pieces = \"none\"), or use compare_runs()")
  }
  guideline <- is_guideline_study(study)
  race <- guideline && all(is_race(games$mode))
  if (is.null(measure) && guideline && !race && any(is_race(games$mode))) {
    fail("the games are Sprints and games of other modes, whose measures differ; name a measure")
  }
  column <- measure %||% if (race) "pieces" else if (guideline) "points" else "lines"
  better <- if (race && column == "pieces") "lower" else "higher"
  if (is.null(measure) && race) games <- filter(games, .data$end_reason == "won")
  mutate(games, .value = as.numeric(games[[column]]), .measure = column, .better = better)
}

# Returns the name of each game's player or task, from columns of the games or of the conditions.
setting_names <- function(study, games, columns, what) {
  if (length(columns) == 0) return(rep("all games", nrow(games)))
  condition <- match(games$label, study$conditions$label)
  found <- map(set_names(columns), \(name) {
    games[[name]] %||% condition_setting(study, name)[condition]
  })
  absent <- columns[lengths(found) == 0]
  if (length(absent) > 0) {
    known <- intersect(c(settings, guideline_settings), c(names(games), names(study$conditions)))
    fail("the study has no column ", absent[1], "; name columns that distinguish ", what, " (",
         what, " = ...): ", paste(known, collapse = ", "))
  }
  do.call(paste, unname(imap(found, \(values, name) {
    if (name == "label") as.character(values) else setting_words(values, name)
  })))
}

# Returns a setting of each condition: its column, or else the values of the run.json files, since
# studies of guideline games have no column of queues. NULL if no condition has the setting.
condition_setting <- function(study, name) {
  stated <- study$conditions[[name]]
  dirs <- study$conditions[["dir"]]
  known <- name %in% c(settings, guideline_settings)
  if (!is.null(stated) || !known || is.null(dirs)) return(stated)
  found <- map_chr(as.character(dirs), \(dir) run_settings(dir)[[name]] %||% NA_character_)
  if (!all(is.na(found))) found
}

# Fails if a player has several conditions on a task that differ in more than the seed.
refuse_pooled <- function(study, named) {
  known <- intersect(setdiff(c(settings, guideline_settings), "seed"), names(study$conditions))
  cells <- distinct(named, .data$player, .data$task, .data$label)
  for (own in split(cells, paste(cells$player, cells$task, sep = "\r"))) {
    rows <- study$conditions[study$conditions$label %in% own$label, ]
    differ <- known[map_lgl(rows[known], \(column) n_distinct(column) > 1)]
    if (nrow(rows) == 1 || (length(differ) == 0 && n_distinct(rows[["seed"]]) == nrow(rows))) next
    fail(own$player[1], " has several conditions on ", own$task[1], " (", and_words(own$label),
         "); name what distinguishes them in tasks or in players",
         if (length(differ) > 0) paste0(": ", paste(differ, collapse = ", ")))
  }
}

# Returns estimate, low and high of each row of `statistic(draws)`, a matrix with one column per
# resample. Draws are made in blocks of at most two million games.
bootstrapped <- function(cells, statistic, level, resamples, seed) {
  check_level(level)
  if (!is.numeric(resamples) || length(resamples) != 1 || is.na(resamples) || resamples < 100) {
    fail("resamples must be a number of 100 or more")
  }
  if (!is.numeric(seed) || length(seed) != 1 || is.na(seed)) fail("seed must be a number")
  whole <- map(cells$values, \(task) map(task, \(x) matrix(seq_along(x))))
  block <- max(1, min(resamples, 2e6 %/% sum(cells$games)))
  sizes <- diff(unique(c(seq(0, resamples, block), resamples)))
  drawn <- with_seed(seed, lapply(sizes, \(size) statistic(draw_games(cells, size))))
  drawn <- do.call(cbind, drawn)
  ends <- apply(drawn, 1, quantile, c(1 - level, 1 + level) / 2, names = FALSE)
  tibble(estimate = statistic(whole)[, 1], low = ends[1, ], high = ends[2, ])
}

# Draws `size` resamples of the games of each task and player, as matrices of positions with one
# column per resample. Players with the same seeds share their draws.
draw_games <- function(cells, size) {
  draw <- \(n) matrix(sample.int(n, n * size, replace = TRUE), n)
  map2(cells$values, cells$paired, \(task, paired) {
    if (!paired) return(map(task, \(x) draw(length(x))))
    shared <- draw(length(task[[1]]))
    map(task, \(x) shared)
  })
}

# Returns how often each resample contains each game.
draw_counts <- function(drawn) {
  n <- nrow(drawn)
  matrix(tabulate(drawn + n * (col(drawn) - 1L), length(drawn)), n)
}

# Returns the mean of the reference on one task in each resample. Fails if a mean is not positive.
reference_means <- function(cells, values, drawn) {
  own <- drawn[[cells$reference]]
  means <- colMeans(matrix(values[[cells$reference]][own], nrow(own)))
  if (any(means <= 0)) {
    fail("the mean of the reference ", cells$reference, " is not above 0 in some resamples; name ",
         "another reference or play more games")
  }
  means
}

# Returns the scores of the resamples, by task and player.
drawn_scores <- function(cells, draws) {
  Map(\(values, drawn) { # not map2(), which would wrap the error of reference_means()
    means <- reference_means(cells, values, drawn)
    map2(values, drawn, \(x, own) matrix(x[own] / rep(means, each = nrow(own)), nrow(own)))
  }, cells$values, draws)
}

# Returns the interquartile mean of each column of scores. The weights of the rows add to 1. The
# lowest and the highest quarter of the rows (rounded down) are left out; with equal weights this
# equals trim_mean(0.25) of scipy, which rliable uses.
interquartile_means <- function(scores, weights) {
  n <- nrow(scores)
  if (diff(range(weights)) < 1e-12) { # half of the time of the general case
    middle <- (n %/% 4 + 1):(n - n %/% 4)
    ends <- range(middle)
    return(apply(scores, 2, \(x) mean(sort.int(x, partial = ends)[middle])))
  }
  cut <- n %/% 4 / n
  order <- order(col(scores), scores, method = "radix")
  weight <- matrix(weights[(order - 1) %% n + 1], n)
  upper <- apply(weight, 2, cumsum)
  kept <- pmax(pmin(upper, 1 - cut) - pmax(upper - weight, cut), 0)
  colSums(scores[order] * kept) / (1 - 2 * cut)
}

# Returns for each value of `x` how many values of `y` are smaller, and how many are at most equal,
# with the order of `y`.
pair_ranks <- function(x, y) {
  order <- order(y)
  list(order = order, smaller = findInterval(x, y[order], left.open = TRUE),
       at_most = findInterval(x, y[order]))
}

# Returns the share of pairs of games in which the first player beats the second, in each resample.
# `first` and `second` are the counts of their games.
beaten_share <- function(ranks, first, second) {
  below <- rbind(0, apply(second[ranks$order, , drop = FALSE], 2, cumsum))
  beaten <- below[ranks$smaller + 1, , drop = FALSE] + below[ranks$at_most + 1, , drop = FALSE]
  colSums(first * beaten) / (2 * nrow(first) * nrow(second))
}

# Returns the share of games above each limit (rows) in each resample (columns).
share_above <- function(x, counts, limits) {
  order <- order(x)
  below <- rbind(0, apply(counts[order, , drop = FALSE], 2, cumsum))
  at <- cbind(findInterval(limits, x[order]) + 1, as.vector(col(limits)))
  matrix(1 - below[at] / length(x), nrow(limits))
}

# Returns a quantile of the scores of all players.
score_quantile <- function(cells, share) {
  scores <- map(cells$values, \(values) unlist(values) / mean(values[[cells$reference]]))
  quantile(unlist(scores), share, names = FALSE)
}

#' @rdname aggregate_scores
#' @param x,object The result of one of these functions.
#' @param ... Not used; further arguments are an error.
#' @export
tidy.tetrastat_scores <- method_of_x(\(x) {
  of <- \(name, statistic) {
    transmute(plain(x), term = as.character(.data$player), statistic = name, estimate = .data[[statistic]],
              conf.low = .data[[paste0(statistic, "_low")]], conf.high = .data[[paste0(statistic, "_high")]], .data$games)
  }
  bind_rows(of("interquartile mean", "iqm"), of("mean", "mean"))
})

#' @rdname aggregate_scores
#' @export
tidy.tetrastat_improvement <- method_of_x(\(x) {
  transmute(plain(x), term = paste(.data$first, "beats", .data$second), estimate = .data$probability,
            conf.low = .data$low, conf.high = .data$high)
})

#' @rdname aggregate_scores
#' @export
tidy.tetrastat_profile <- method_of_x(\(x) {
  transmute(plain(x), term = as.character(.data$player), .data$tau, estimate = .data$share,
            conf.low = .data$low, conf.high = .data$high)
})

#' @rdname aggregate_scores
#' @export
autoplot.tetrastat_scores <- method_of_object(\(object) figure_scores(tidy(object), attr(object, "scores")))

#' @rdname aggregate_scores
#' @export
autoplot.tetrastat_improvement <- method_of_object(\(object) figure_improvement(tidy(object), attr(object, "scores")))

#' @rdname aggregate_scores
#' @export
autoplot.tetrastat_profile <- method_of_object(\(object) figure_performance(as_tibble(object), attr(object, "scores")))
