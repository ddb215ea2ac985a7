# Methods of the package's objects: print, summary, tidy, glance, autoplot.

#' Methods of runs, studies, trainings, estimates, reproductions and rollouts
#'
#' `print()` shows in a few lines what was read. `summary()` returns the main results. `tidy()`
#' returns one row per estimate with its 95 % interval, in the column names of broom. `glance()`
#' returns one row. `autoplot()` draws the main figure.
#'
#' @param x,object The result of [read_tetrastat()].
#' @param measure A string: a numeric or logical column of the games of a study. `summary()` returns
#'   its mean or share in each condition. `NULL` gives the main measure: lines of classic games,
#'   pieces of won Sprints, points of other guideline games.
#' @param conf.level A number between 0 and 1: confidence level of the intervals. Tables that the
#'   engine or another function computes have 95 % intervals, and their methods accept no other
#'   level.
#' @param ... Not used; further arguments are an error.
#' @return `print()` returns its argument, invisibly. `summary()`, `tidy()` and `glance()` return a
#'   tibble, `autoplot()` a ggplot; see [figure_data()].
#' @name tetrastat-methods
#' @examples
#' run <- read_tetrastat(example_run("games"))
#' glance(run)
#' tidy(run)
#' autoplot(run)
NULL

# Checks that a confidence level is between 0 and 1.
check_level <- function(level, argument = "conf.level") {
  if (!is.numeric(level) || length(level) != 1 || is.na(level) || level <= 0 || level >= 1) fail(argument, " must be a number between 0 and 1, not ", format(level)[1])
  level
}

# Fails if a level other than 95 % is requested for intervals that are computed only at 95 %.
only_95 <- function(level, what, argument = "conf.level") if (check_level(level, argument) != 0.95) fail("intervals of ", what, " exist only at 95 %: omit ", argument)

said <- function(x) if (length(x) == 0) "unknown" else paste(x, collapse = ", ")

#' @rdname tetrastat-methods
#' @export
print.tetrastat_run <- function(x, ...) {
  config <- x$manifest$config
  kind <- c(classic = "classic games", guideline = "guideline games", liap = "LIAP")[[x$kind]]
  cat("<run> ", x$name, ": ", kind, "\n", sep = "")
  if (x$kind != "liap") cat("  ", paste(compact(list(config$rules, config$board, config$mode, if (!is.null(config$queue)) paste("queue", said(config$queue)),
      if (!is.null(config$seed)) paste("seed", said(config$seed)))), collapse = ", "), "\n", sep = "")
  tables <- compact(x[intersect(c("games", "placements", "matches", "rounds", "declarations"), names(x))])
  cat("  ", paste0("$", names(tables), ": ", tidy_number(map_dbl(tables, nrow)), " rows of ", map_dbl(tables, ncol), collapse = "\n  "), "\n", sep = "")
  if (!is.null(x$placements) && !is.null(x$logged) && !is.na(scope_words(x$logged))) cat("  logged: ", scope_words(x$logged), "\n", sep = "")
  cut <- x$logged$read_games
  if (!is.null(cut)) cat("  placements of the first ", tidy_number(cut[1]), " of ", tidy_number(cut[2]), " games were read (max_rows)\n", sep = "")
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_run <- method_of_object(\(object) switch(object$kind, classic = lifetimes(object),
    guideline = guideline_summary(mutate(object$games, run = factor(object$name))),
    liap = if (is.null(object$declarations)) fail("no declarations in ", object$dir, "; run the simulation again with --placements csv")
      else accuracy_by_position(mutate(object$declarations, side = side_names(.data$declarer, .data$player)))))

guideline_summary <- function(games) if (any(games$mode == "sprint")) sprint_table(games) else score_table(games)

#' @rdname tetrastat-methods
#' @export
glance.tetrastat_run <- function(x, ...) {
  rlang::check_dots_empty()
  config <- x$manifest$config
  if (x$kind == "classic") {
    return(bind_cols(tibble(controller = x$name, board = said(config$board), queue = said(config$queue), search = said(config$search)), run_lifetime(x)))
  }
  as_tibble(summary(x))
}

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_run <- function(x, conf.level = 0.95, ...) {
  rlang::check_dots_empty()
  only_95(conf.level, "runs")
  if (x$kind != "classic") return(as_tibble(summary(x)))
  life <- run_lifetime(x)
  tibble(term = c("mean lines", "mean lines (bootstrap-t)", "median lines", "Weibull shape", paste("restricted mean lines, up to", tidy_number(life$rmst_limit))),
         estimate = c(life$mean, life$mean, life$median, life$shape, life$rmst), conf.low = c(life$low, life$boot_low, life$median_low, life$shape_low, life$rmst_low),
         conf.high = c(life$high, life$boot_high, life$median_high, life$shape_high, life$rmst_high))
}

#' @rdname tetrastat-methods
#' @param reported One or two numbers: a median number of pieces that a source reports for a Sprint,
#'   or its range, to draw as a grey band.
#' @export
autoplot.tetrastat_run <- function(object, reported = NULL, ...) {
  rlang::check_dots_empty()
  if (object$kind == "guideline") {
    games <- mutate(object$games, run = factor(object$name))
    return(if (any(games$end_reason == "won" & games$mode == "sprint")) figure_sprint(games, reported) else figure_points_by_source(point_sources(games)))
  }
  if (object$kind == "liap") return(figure_accuracy(summary(object)))
  figure_survival(kaplan_meier(object), lifetimes(object))
}

#' @rdname tetrastat-methods
#' @export
print.tetrastat_study <- function(x, ...) {
  estimated <- nrow(x$estimates %||% tibble())
  cat("<study> ", x$name, ": ", nrow(x$conditions) + estimated, " conditions", if (estimated > 0) c(" (", estimated, " estimated)"), ", ",
      tidy_number(nrow(x$games)), " games\n", sep = "")
  if (estimated > 0) print(x$estimates |> select("folder", "status", "n"))
  if (estimated == 0 || !is.null(x$means)) print(summary(x))
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_study <- function(object, measure = NULL, ...) {
  rlang::check_dots_empty()
  if (!is.null(measure)) check_all_played(object, "a measure needs games")
  if (has_estimates(object)) return(all_means(object))
  if (is_guideline_study(object) || !is.null(measure)) study_means(object, measure) else rename(lifetimes(object), label = "run")
}

has_estimates <- function(study) nrow(study$estimates %||% tibble()) > 0

# Returns the means of all conditions of a study with estimates.
all_means <- function(study) {
  study$means %||% fail("no condition of ", study$dir, " is complete; run tetrastat study again to continue")
}

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_study <- function(x, conf.level = 0.95, ...) {
  rlang::check_dots_empty()
  if (!has_estimates(x) && is_guideline_study(x)) {
    return(study_means(x, level = check_level(conf.level)) |> transmute(term = paste0(.data$label, ", ", .data$measure), estimate = .data$mean, conf.low = .data$low, conf.high = .data$high, games = .data$games))
  }
  only_95(conf.level, "means")
  if (has_estimates(x)) return(transmute(all_means(x), term = .data$name, estimate = .data$mean, conf.low = .data$low, conf.high = .data$high, .data$method, .data$n))
  transmute(lifetimes(x), term = as.character(.data$run), estimate = .data$mean, conf.low = .data$low, conf.high = .data$high, .data$games, .data$ended)
}

#' @rdname tetrastat-methods
#' @export
glance.tetrastat_study <- function(x, ...) {
  rlang::check_dots_empty()
  check_all_played(x, "tests of all conditions need games")
  if (is_guideline_study(x)) fail("tests of all conditions at once exist only for classic games; use contrast()")
  overall_tests(games_to_compare(as_runs(x, max_rows = 0)))
}

#' @rdname tetrastat-methods
#' @export
autoplot.tetrastat_study <- function(object, ...) {
  rlang::check_dots_empty()
  if (has_estimates(object)) return(figure_all_means(all_means(object)))
  if (is_guideline_study(object)) return(figure_means(study_means(object)))
  figure_survival(kaplan_meier(object), lifetimes(object))
}

#' @rdname tetrastat-methods
#' @export
print.tetrastat_training <- function(x, ...) {
  result <- held_out_result(x)
  cat("<training> ", x$name, ": ", said(x$manifest$config$optimiser$method), ", ", length(x$features), " weights, ", nrow(x$history), " generations\n  result on held-out games: ",
      interval_words(result$value, result$low, result$high), "\n", sep = "")
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_training <- method_of_object(\(object) compare_training(list(object)))

#' @rdname tetrastat-methods
#' @export
glance.tetrastat_training <- method_of_x(\(x) compare_training(list(x)))

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_training <- function(x, ...) {
  rlang::check_dots_empty()
  handed <- winner_weights(x)
  last <- filter(weight_paths(x), .data$generation == max(.data$generation))
  transmute(last, term = as.character(.data$feature), estimate = .data$mean, std.dev = .data$sd, handed_out = handed$weight[match(.data$term, handed$feature)])
}

#' @rdname tetrastat-methods
#' @export
autoplot.tetrastat_training <- method_of_object(figure_learning)

#' @rdname tetrastat-methods
#' @export
print.tetrastat_estimate <- function(x, ...) {
  methods <- estimate_methods(x)
  cat("<estimate> ", x$name, ": ", estimate_setting(x), "\n", paste0("  ", methods$method, ": ", methods$words, "\n"), sep = "")
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_estimate <- method_of_x(\(x) estimate_methods(x) |> transmute(term = .data$method, estimate = .data$mean, conf.low = .data$low, conf.high = if_else(.data$open, Inf, .data$high)))

#' @rdname tetrastat-methods
#' @export
glance.tetrastat_estimate <- function(x, ...) {
  rlang::check_dots_empty()
  splitting <- filter(estimate_methods(x), .data$method == "splitting")[1, c("mean", "low", "high")]
  tibble(replications = nrow(x$replications), levels = nrow(x$levels), pieces = sum(x$replications$pieces), weighted_deaths = sum(x$replications$weighted_deaths), splitting)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_estimate <- method_of_object(estimate_methods)

#' @rdname tetrastat-methods
#' @param histogram `TRUE` also draws Fahey's estimate from the histogram of heights, which has no
#'   interval and can be far from the others.
#' @export
autoplot.tetrastat_estimate <- function(object, histogram = FALSE, ...) {
  rlang::check_dots_empty()
  figure_estimates(object, histogram)
}

#' @rdname tetrastat-methods
#' @export
print.tetrastat_reproduction <- function(x, ...) {
  cat("<reproduction> ", reproduction_text(x), "\n", sep = "")
  invisible(x)
}

#' @rdname tetrastat-methods
#' @export
summary.tetrastat_reproduction <- method_of_object(reproduction_table)

#' @rdname tetrastat-methods
#' @export
tidy.tetrastat_reproduction <- method_of_x(\(x) transmute(x$published, term = paste(.data$name, "/", .data$source), estimate = .data$ratio, conf.low = .data$ratio_low, conf.high = .data$ratio_high,
            p.value = .data$p, adj.p.value = .data$p_adjusted))

#' @rdname tetrastat-methods
#' @export
glance.tetrastat_reproduction <- function(x, ...) {
  rlang::check_dots_empty()
  counts <- \(column) set_names(map_dbl(known_levels$verdict, \(verdict) sum(x$published[[column]] == verdict, na.rm = TRUE)), known_levels$verdict)
  bind_cols(tibble(conditions = nrow(x$measured), games = sum(x$measured$games), comparisons = sum(!is.na(x$published$verdict))),
            as_tibble_row(counts("verdict")), rename_with(as_tibble_row(counts("verdict_adjusted")), \(name) paste0(name, "_adjusted")))
}

#' @rdname tetrastat-methods
#' @export
autoplot.tetrastat_reproduction <- method_of_object(figure_ratio)

#' Example runs of the package
#'
#' Returns the folder of a small run, study or training that is installed with the package.
#'
#' @param name A string:
#'   * `"games"`: 200 classic games of lee on a 10x10 board, played to their end; one placement in
#'     10 is logged.
#'   * `"study"`: bcts with and without the next piece on common seeds; some games are censored.
#'   * `"sprint"`: Sprints of two controllers, a folder of runs.
#'   * `"choices"`: all candidates of 300 decisions of bcts.
#'   * `"rollout"`: games continued from 58 boards of lee, see [read_tetrastat()].
#'   * `"training"`: a small training.
#'
#' The script `data-raw/example_data.sh` in the source of the package generates them.
#' @return A string: the path of the folder.
#' @examples
#' example_run("games")
#' @export
example_run <- function(name = c("games", "study", "sprint", "choices", "training", "rollout")) {
  system.file("extdata", match.arg(name), package = "tetrastat", mustWork = TRUE)
}

#' Play games from R
#'
#' Runs the engine ([tetrastat_program()]) and reads the result. Each argument is an option of
#' `tetrastat simulate`, with underscores instead of hyphens: `max_pieces = "none"`, `placements =
#' "csv.gz"`, `sample_games = 0.1`. `TRUE` sets an option that has no value.
#'
#' @param controller A string: name of a preset, or path of a TOML file.
#' @param games A whole number: number of games.
#' @param ... Further options of `tetrastat simulate`, by name.
#' @param out A string: folder of the run. Default: a new folder in the temporary directory.
#' @return A run, as [read_tetrastat()] returns it. If the engine fails, its message becomes an R error.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   simulate_games("bcts", board = "10x10", games = 20, max_pieces = "none")
#' }
#' @export
simulate_games <- function(controller = "bcts", games = 200, ..., out = tempfile("run")) {
  options <- list(controller = controller, games = games, ..., out = out)
  unnamed <- if (is.null(names(options))) rep(TRUE, length(options)) else !nzchar(names(options))
  if (any(unnamed)) fail("each option needs a name: simulate_games(controller = \"bcts\", board = \"10x10\")")
  words <- unlist(imap(options, \(value, name) {
    flag <- paste0("--", gsub("_", "-", name))
    if (length(value) > 1) value <- paste(format(value, scientific = FALSE, trim = TRUE), collapse = if (name == "board") "x" else ",")
    if (isTRUE(value)) flag else if (!isFALSE(value) && !is.null(value)) c(flag, format(value, scientific = FALSE, trim = TRUE))
  }))
  engine_output(c("simulate", words, if (!"format" %in% names(options)) c("--format", "json")))
  read_run(out)
}

# Runs a command of the engine and returns its output. Its message becomes an R error if it fails.
engine_output <- function(words) {
  program <- tetrastat_program()
  if (!nzchar(program)) {
    fail("the program tetrastat was not found; put it on PATH, or set the environment variable ",
         "TETRASTAT to its path (cargo build --release builds it)")
  }
  messages <- tempfile()
  on.exit(unlink(messages))
  output <- suppressWarnings(system2(program, shQuote(c(words, "--progress", "none")),
                                     stdout = TRUE, stderr = messages))
  if (is.null(attr(output, "status"))) return(output)
  fail("tetrastat ", words[1], ": ", sub("^tetrastat: ", "", paste(readLines(messages), collapse = " ")))
}

# Runs a command of the engine and parses its JSON.
engine_json <- function(words) jsonlite::fromJSON(paste(engine_output(c(words, "--format", "json")), collapse = "\n"), simplifyVector = FALSE)
