# Comparison of all pairs of runs. The engine compares means; the survival models of restricted means and
# hazards exist only here.

#' Comparison of runs
#'
#' Compares all pairs of runs, of classic or guideline games. Games with the same seed were dealt the
#' same pieces, so they are paired. Runs without a common seed are compared as independent, with a
#' warning.
#'
#' Runs are comparable if they have the same rules, board and queue. If the runs of a list differ in
#' one of these settings, the function fails unless `across` names the setting. Conditions of a
#' study differ by design, so this check does not apply to them. A study with estimated conditions
#' is refused; [contrast()] compares played and estimated conditions.
#'
#' @section Games played until a verdict:
#' `tetrastat compare --until-verdict` stops at the first significant difference, so intervals and
#' p-values for a fixed number of games do not hold. For such games only the observed ratio is
#' returned, which early stopping exaggerates. The same command prints valid intervals when it runs
#' again with its `--out`.
#'
#' @param x A study or several runs: what [read_tetrastat()] returns, their folders, or a list of
#'   these. The names of a list become the names of its runs.
#' @param measure A string, the quantity to compare:
#'   * `"mean"`: the ratio of means, by the engine ([tetrastat_program()]): lines of classic games
#'     (all lines / finished games), pieces of Sprints, points of other guideline games.
#'   * `"rmst"`: the ratio of the mean lines up to `limit` (restricted mean survival time by
#'     pseudo-values). It needs no assumption about the hazard.
#'   * `"hazard"`: the hazard ratio of the second run to the first (Cox model), above 1 if the first
#'     is safer. It assumes proportional hazards, which `glance()` tests.
#'   * `"stacking"`: the shares of the well columns, see [stacking()].
#' @param limit A number of lines for `measure = "rmst"`: the upper limit of the restricted mean.
#'   Default: each run has a longest game; the limit is the shortest of these.
#' @param level A number between 0 and 1: the confidence level. Means have 95 % intervals.
#' @param across A character vector: settings in which the runs of a list may differ (`"board"`,
#'   `"queue"`, `"rules"`).
#' @return A `tetrastat_comparison`: a tibble with one row per pair, the better run first.
#' * `first`, `second`: names of the runs.
#' * `games`: number of common seeds.
#' * `ratio`, `low`, `high`: the estimate with its interval. Intervals of means hold for one pair
#'   alone; those of the other measures for all pairs together (Sidak).
#' * `method`: the method of the interval. For means it is `"paired_bootstrap"`, or the F
#'   distribution of exponential lifetimes (`"f"`) if few games finished.
#' * `p`, `p_adjusted`: p-value, alone and adjusted for the number of pairs: by Holm's method for
#'   means, by Sidak's for the other measures.
#' * Means also have `test` (the test of `p`: `"sign-flip"`, or `"log-rank"` if games were cut off),
#'   `known` and `wins` (games with a known order, and those in which `first` has more), `sign_p`
#'   (the sign test of these) and `correlation` (of the logarithms of the two games of a seed).
#'
#' `ratio` is `NA` if no game of a run finished.
#'
#' `tidy()` returns the same table with the column names of broom, `glance()` tests of all classic
#' runs at once, and `autoplot()` draws a figure. For `"hazard"`, `glance()` has `seed_sd`: the
#' standard deviation of a random effect of the seed on the log hazard. If it is large, the piece
#' sequence matters. After `mutate()`, or if rows or columns are removed, the result is a plain
#' tibble.
#' @examples
#' study <- read_tetrastat(example_run("study"))
#' compare_runs(study, "rmst")
#' if (nzchar(tetrastat_program())) {
#'   compare_runs(study)
#' }
#' @export
compare_runs <- function(x, measure = c("mean", "rmst", "hazard", "stacking"), limit = NULL, level = 0.95, across = character()) {
  measure <- match.arg(measure)
  if (check_level(level, "level") != 0.95 && measure %in% c("mean", "stacking")) only_95(level, "means and of shares of wells", "level")
  refuse_estimates(x)
  runs <- as_runs(x, max_rows = if (measure == "stacking") 4e6 else 0)
  if (length(runs) < 2) fail("a comparison needs at least two runs; use a study, or a list of runs")
  if (is.list(x) && !inherits(x, "tetrastat_study")) check_comparable(runs, across)
  if (measure == "stacking") return(compare_stacking(runs))
  compare_read(runs, measure, limit, level)
}

# Compares runs that were read: lists with name, dir, kind, manifest and games.
compare_read <- function(runs, measure, limit = NULL, level = 0.95) {
  kinds <- unique(map_chr(runs, "kind"))
  if (length(kinds) > 1) fail("the runs differ in their game (", paste(kinds, collapse = ", "), "), so they are not comparable")
  if (kinds == "liap" || (kinds != "classic" && measure != "mean")) {
    fail("runs of ", kinds, " games have no ", c(mean = "ratio of means", rmst = "restricted mean", hazard = "hazard")[[measure]], "; ",
         if (kinds == "liap") "use tetrastat compare --from" else "use measure = \"mean\"")
  }
  stopped <- measure == "mean" && any(map_lgl(runs, \(run) "--until-verdict" %in% unlist(run$manifest$command)))
  games <- games_to_compare(runs)
  limit <- if (measure == "rmst") limit %||% min(tapply(games$lines, games$run, max))
  rows <- switch(measure, mean = engine_pairs(runs, stopped), rmst = model_pairs(rmst_influence(games, limit), names(runs), level),
                 hazard = model_pairs(cox_estimates(games), names(runs), level))
  seeds <- map(runs, \(run) run$games$stream_seed)
  rows$games <- map2_dbl(unname(seeds[rows$first]), seeds[rows$second], \(a, b) length(intersect(a, b)))
  apart <- rows[rows$games == 0, ]
  if (nrow(apart) > 0) {
    warning("no common seed: ", paste(apart$first, "/", apart$second, collapse = ", "), "; these runs are compared as independent. To pair their games, use the same --seed and --queue for both",
        call. = FALSE)
  }
  classed(rows, "tetrastat_comparison", measure = measure, column = attr(rows, "column") %||% "lines", stopped = stopped, limit = limit, level = level, runs = runs)
}

# Turns a comparison that dplyr has changed into a plain table, since its stored summary may no
# longer match its ratios.
#' @export
dplyr_reconstruct.tetrastat_comparison <- function(data, template) plain(data)

plain <- function(rows) as_tibble(unclass(rows)[names(rows)])

# Fails if a study has estimated conditions, which would be left out without a word.
refuse_estimates <- function(x) {
  folders <- if (is.character(x)) unname(x)[dir.exists(x)]
  studies <- if (inherits(x, "tetrastat_study")) list(x) else map(keep(folders, \(dir) !is.na(table_file(dir, "estimates"))), read_study)
  for (study in studies) check_all_played(study, "compare_runs() compares games")
}

# Returns the pairs of `tetrastat compare --from`. The engine compares the conditions of one study, so
# the runs are copied into a study whose controllers have the numbers of the runs as names.
engine_pairs <- function(runs, stopped = FALSE) {
  study <- tempfile("compare")
  on.exit(unlink(study, recursive = TRUE))
  numbers <- as.character(seq_along(runs))
  for (i in seq_along(runs)) {
    own <- file.path(study, i)
    dir.create(own, recursive = TRUE)
    manifest <- paste(readLines(file.path(runs[[i]]$dir, "run.json"), encoding = "UTF-8"), collapse = "\n")
    writeLines(sub('("controller": *\\{\\s*"name": *")[^"]*', paste0("\\1", i), manifest), file.path(own, "run.json"), useBytes = TRUE)
    file.copy(table_file(runs[[i]]$dir, "games"), own)
  }
  writeLines(c("condition,folder,status", paste(numbers, numbers, "complete", sep = ",")), file.path(study, "conditions.csv"))
  found <- engine_json(c("compare", "--from", study))
  rows <- bind_rows(lapply(found$pairs, \(pair) {
    interval <- pair$ratio
    exponential <- pair$unpaired$exponential_ratio
    if (is.null(interval$low) && !is.null(exponential)) interval[c("low", "high", "method")] <- exponential[c("low", "high", "method")]
    tibble(first = names(runs)[as.integer(pair$first)], second = names(runs)[as.integer(pair$second)], games = 0, ratio = number(pair$ratio$mean),
           low = number(interval$low), high = number(interval$high), method = interval$method %||% NA_character_, p = number(pair$p), p_adjusted = number(pair$p_adjusted),
           test = pair$test %||% NA_character_, known = number(pair$known), wins = number(pair$wins), sign_p = number(pair$sign_p), correlation = number(pair$correlation))
  }))
  if (stopped) rows <- mutate(rows, across(c("low", "high", "p", "p_adjusted", "sign_p"), \(x) NA_real_), method = NA_character_, test = NA_character_)
  attr(rows, "column") <- found$measure
  rows
}

# Returns the names of a list of runs: the names of the list elements, or else the runs' own names.
run_names <- function(runs) {
  own <- map_chr(runs, "name")
  given <- names(runs) %||% rep("", length(runs))
  if_else(nzchar(given), given, unname(own))
}

# Fails if the runs of a list differ in rules, board or queue, except in the settings of `across`.
check_comparable <- function(runs, across = character()) {
  known <- c("rules", "board", "queue")
  unknown <- setdiff(across, known)
  if (length(unknown) > 0) fail("across must be one or more of ", paste(known, collapse = ", "), ", not ", unknown[1])
  for (setting in setdiff(known, across)) {
    values <- map_chr(runs, \(run) paste(run$manifest$config[[setting]] %||% "unknown", collapse = " "))
    values <- unique(values[values != "unknown"])
    if (length(values) > 1) fail("the runs differ in their ", setting, " (", paste(values, collapse = ", "), "), so their lines are not comparable; ",
        "to compare them nevertheless: compare_runs(..., across = \"", setting, "\")")
  }
}

# Returns the games of runs: run (a factor), stream_seed, lines, censored. A seed has one game.
games_to_compare <- function(runs) {
  games <- bind_rows(Map(\(run, name) mutate(select(run$games, any_of(c("stream_seed", "lines", "censored"))), run = name), runs, names(runs)))
  if (!"stream_seed" %in% names(games)) fail("the games have no column stream_seed")
  mutate(games, run = factor(.data$run, names(runs))) |> distinct(.data$run, .data$stream_seed, .keep_all = TRUE)
}

# Returns the estimate of each run and their covariance, clustered by seed, from the influence value
# of each game. Estimates are logarithms.
clustered <- function(games, estimate, influence) {
  seeds <- unique(games$stream_seed)
  runs <- levels(games$run)
  added <- matrix(0, length(seeds), length(runs), dimnames = list(NULL, runs))
  added[cbind(match(games$stream_seed, seeds), as.integer(games$run))] <- influence
  n <- length(seeds)
  list(estimate = estimate, covariance = crossprod(added) * n / (n - 1), df = min(table(games$run)) - 1, method = "pseudo-values")
}

# Estimates the log of the restricted mean from the pseudo-values of the games.
rmst_influence <- function(games, limit) {
  pseudo <- numeric(nrow(games))
  for (name in levels(games$run)) {
    own <- which(games$run == name)
    fit <- eval(bquote(survival::survfit(survival::Surv(lines, !censored) ~ 1, data = .(games[own, ])))) # pseudo() evaluates the data again
    pseudo[own] <- survival::pseudo(fit, times = limit, type = "rmst")
  }
  mean <- tapply(pseudo, games$run, base::mean)
  n <- as.numeric(table(games$run))
  at <- as.integer(games$run)
  clustered(games, log(mean), (pseudo - mean[at]) / mean[at] / n[at])
}

# Estimates minus the log hazard ratio of each run against the first, so that larger is better;
# clustered by seed. A run with fewer than ten finished games has no estimate.
cox_estimates <- function(games) {
  fit <- cox_model(games)
  k <- nlevels(games$run)
  covariance <- matrix(0, k, k)
  covariance[-1, -1] <- vcov(fit)
  few <- tapply(!games$censored, games$run, sum) < 10
  list(estimate = replace(set_names(c(0, -coef(fit)), levels(games$run)), few, NA), covariance = covariance, df = min(table(games$run)) - 1, method = "cox")
}

# Fits the Cox model. Warnings about infinite coefficients are suppressed: a run without a finished
# game has one, and gets no interval here.
cox_model <- function(games) suppressWarnings(survival::coxph(survival::Surv(lines, !censored) ~ run, data = games, cluster = games$stream_seed))

# Returns all pairs of estimates, the better run first, with t intervals. Sidak's inequality makes them
# hold together: it needs neither draws nor an order of the runs.
model_pairs <- function(fit, runs, level) {
  strength <- replace(fit$estimate, is.na(fit$estimate), Inf)
  pairs <- map(combn(seq_along(runs), 2, simplify = FALSE), \(pair) pair[order(-strength[pair], runs[pair])])
  difference <- map_dbl(pairs, \(pair) -diff(fit$estimate[pair]))
  error <- sqrt(pmax(0, map_dbl(pairs, \(pair) sum(fit$covariance[pair, pair] * c(1, -1, -1, 1)))))
  usable <- !is.na(difference) & error > 0
  k <- max(1, sum(usable))
  reach <- if_else(usable, qt((1 + level^(1 / k)) / 2, fit$df) * error, NA_real_)
  p <- if_else(usable, 2 * stats::pt(-abs(difference / error), fit$df), NA_real_)
  tibble(first = runs[map_int(pairs, 1)], second = runs[map_int(pairs, 2)], games = 0, ratio = exp(difference), low = .data$ratio * exp(-reach), high = .data$ratio * exp(reach),
         method = fit$method, p, p_adjusted = sidak(p, k)) |>
    arrange(desc(.data$ratio))
}

# Returns 1 - (1 - p)^k without the loss of digits of a small p.
sidak <- function(p, k) -expm1(k * log1p(-p))

# Tests all runs at once, and the assumption of proportional hazards.
overall_tests <- function(games) {
  fit <- cox_model(games)
  wald <- tryCatch(drop(t(coef(fit)) %*% solve(vcov(fit), coef(fit))), error = \(e) NA_real_)
  proportional <- tryCatch(survival::cox.zph(fit)$table["GLOBAL", "p"], error = \(e) NA_real_)
  tibble(runs = nlevels(games$run), ended = sum(!games$censored), cox_p = pchisq(wald, length(coef(fit)), lower.tail = FALSE), proportional_p = proportional) |> mutate(games = nrow(.env$games), .after = "runs")
}

# Returns the standard deviation of a random effect of the seed on the log hazard (Gaussian frailty).
seed_sd <- function(games) {
  fit <- survival::coxph(survival::Surv(lines, !censored) ~ run + survival::frailty(stream_seed, distribution = "gaussian"), data = games)
  sqrt(max(0, fit$history[[1]]$theta))
}

# Formats a comparison as one or two sentences: the first pair, and the number of significant pairs.
comparison_words <- function(compared) {
  rows <- plain(compared)
  say <- ratio_sentence(compared)
  if (isTRUE(attr(compared, "stopped"))) {
    return(paste0("Played until a verdict: ", say(rows[1, ]), ", as observed. Early stopping exaggerates ratios, and intervals for a fixed number of games do not hold; tetrastat compare prints valid ones."))
  }
  apart <- filter(rows, coalesce(.data$p_adjusted < 0.05, FALSE))
  tested <- sum(!is.na(rows$p_adjusted))
  told <- if (nrow(apart) > 0) apart else rows
  paste0(if (nrow(apart) == 0) "No pair of runs differs significantly. The first pair: ", say(told[1, ]), ".",
         if (tested > 1) paste0(" ", nrow(apart), " of ", tested, " pairs differ significantly (adjusted p < 0.05)."))
}

# Returns a function that formats one pair (a row) as a sentence.
ratio_sentence <- function(compared) {
  measure <- attr(compared, "measure")
  column <- attr(compared, "column")
  what <- switch(measure, mean = if (column == "lines") "" else paste(" in", gsub("_", " ", column)), rmst = paste0(" up to ", tidy_number(attr(compared, "limit")), " lines"), hazard = "")
  times <- \(row) switch(measure, hazard = paste0(row$second, " has ", factor_words(row$ratio), " times the hazard of ", row$first),
    paste0(row$first, if (column == "lines") " clears " else " has ", factor_words(row$ratio), if (column == "lines") " times as many lines as " else paste0(" times the mean ", gsub("_", " ", column), " of "), row$second, if (measure == "rmst") what))
  \(row) {
    if (is.na(row$ratio)) return(paste0(row$first, " and ", row$second, " have no ratio, because too few games finished", if (!is.na(row$p_adjusted)) paste0(" (", row$test, " test: ", tidy_p(row$p_adjusted), ")")))
    facts <- c(if (!is.na(row$low)) paste0(format(100 * attr(compared, "level")), " % CI ", factor_words(row$low), " to ", factor_words(row$high)), if (!is.na(row$p_adjusted)) tidy_p(row$p_adjusted))
    paste0(times(row), if (length(facts) > 0) paste0(" (", paste(facts, collapse = ", "), ")"))
  }
}

# Joins words: "a", "a and b", "a, b and c".
and_words <- function(words) {
  words <- as.character(words)
  if (length(words) < 2) words else paste(paste(head(words, -1), collapse = ", "), "and", tail(words, 1))
}

#' @export
print.tetrastat_comparison <- function(x, ...) {
  if (all(c("first", "second", "ratio", "low", "high", "p_adjusted") %in% names(x))) cat(comparison_words(x), "\n\n", sep = "") # not if columns were dropped
  print(printable_p(plain(x)), ...)
  invisible(x)
}

#' @rdname compare_runs
#' @param conf.level A number between 0 and 1: confidence level of the intervals; means have 95 %
#'   intervals.
#' @param exponentiate `FALSE` returns the logarithms of the ratios and of their intervals.
#' @param ... Not used; further arguments are an error.
#' @export
tidy.tetrastat_comparison <- function(x, conf.level = attr(x, "level"), exponentiate = TRUE, ...) {
  rlang::check_dots_empty()
  if (check_level(conf.level) != attr(x, "level")) {
    if (attr(x, "measure") == "mean") only_95(conf.level, "means")
    x <- suppressWarnings(compare_read(attr(x, "runs"), attr(x, "measure"), attr(x, "limit"), conf.level))
  }
  rows <- plain(x)
  if (!exponentiate) rows <- mutate(rows, across(c("ratio", "low", "high"), log))
  transmute(rows, contrast = paste(.data$first, "/", .data$second), estimate = .data$ratio, conf.low = .data$low, conf.high = .data$high, p.value = .data$p, adj.p.value = .data$p_adjusted)
}

#' @export
glance.tetrastat_comparison <- function(x, ...) {
  rlang::check_dots_empty()
  runs <- attr(x, "runs")
  if (runs[[1]]$kind != "classic") fail("tests of all runs at once exist only for classic games")
  games <- games_to_compare(runs)
  rows <- mutate(overall_tests(games), measure = attr(x, "measure"), conf.level = attr(x, "level"))
  if (attr(x, "measure") == "hazard") mutate(rows, seed_sd = seed_sd(.env$games)) else rows
}

#' @export
autoplot.tetrastat_comparison <- method_of_object(figure_comparison)
