# Comparison of all pairs of runs over common seeds: ratios, simultaneous intervals and tests.

#' Comparison of the runs of a study, or of several runs
#'
#' Compares all pairs of runs at once. Games with the same seed were dealt the same pieces, so the
#' standard errors are clustered by seed (a sandwich covariance of the games' influence values). The
#' intervals are simultaneous (multivariate t): if all runs were equal, all intervals together would
#' include 1 in 95 % of studies.
#'
#' Runs are comparable if they have the same rules, board and queue. If the runs of a list differ in
#' one of these settings, the function fails unless `across` names the setting. Conditions of a
#' study differ by design, so this check does not apply to them. A study with estimated conditions
#' is refused; [contrast()] compares played and estimated conditions. Runs without a common seed are
#' compared as independent, with a warning.
#'
#' @section Games played until a verdict:
#' `tetrastat compare --until-verdict` stops at the first significant difference, so intervals and
#' p-values for a fixed number of games would be invalid. For the means of such games `low` and
#' `high` are the engine's confidence sequence. It is valid at all interim looks and for all pairs
#' together at `level`. `p` and `logrank_p` are `NA`. `ratio` is the observed ratio, which early
#' stopping exaggerates. The program prints a ratio that is corrected for this.
#'
#' @param x A study ([read_study()]), a list of runs ([read_run()]), or a data frame of games with
#'   the columns `run`, `lines`, `censored` and `stream_seed`. The names of a list become the names
#'   of its runs.
#' @param measure A string, the quantity to compare:
#'   * `"mean"`: the ratio of the mean lines of finished games (all lines / finished games). With
#'     censored games it assumes a constant hazard.
#'   * `"rmst"`: the ratio of the mean lines up to `limit` (restricted mean survival time by
#'     pseudo-values). It needs no assumption about the hazard.
#'   * `"hazard"`: the hazard ratio of the second run to the first (Cox model), above 1 if the first
#'     is safer. It assumes proportional hazards, which `glance()` tests.
#' @param limit A number of lines for `measure = "rmst"`: the upper limit of the restricted mean.
#'   Default: each run has a longest game; the limit is the shortest of these.
#' @param level A number between 0 and 1: the simultaneous confidence level of all pairs.
#' @param across A character vector: settings in which the runs of a list may differ (`"board"`,
#'   `"queue"`, `"rules"`).
#' @return A `tetrastat_comparison`: a tibble with one row per pair, the better run first.
#' * `first`, `second`: names of the runs.
#' * `games`: number of common seeds.
#' * `ratio`, `low`, `high`: the estimate with its simultaneous interval.
#' * `p`: simultaneous p-value (single-step).
#' * `logrank_p`: p-value of the log-rank test of equal hazards, Holm-adjusted over the pairs; it
#'   treats the runs as independent.
#'
#' If fewer than ten games of a run finished, its pairs have no `ratio` and no `p`. `low` is then
#' the one-sided 95 % lower bound of the ratio of exponential means, if it exists, and `high` is
#' `Inf`.
#'
#' `tidy()` returns the same table with the column names of broom, `glance()` returns tests of all
#' runs at once, and `autoplot()` draws a figure. After `mutate()`, or if rows or columns are
#' removed, the result is a plain tibble.
#' @examples
#' compared <- compare_runs(read_study(example_run("study")))
#' compared
#' glance(compared)
#' @export
compare_runs <- function(x, measure = c("mean", "rmst", "hazard"), limit = NULL, level = 0.95, across = character()) {
  measure <- match.arg(measure)
  check_level(level)
  if (!is.data.frame(x) && !inherits(x, "tetrastat_study")) check_comparable(x, across)
  games <- games_to_compare(x)
  runs <- levels(games$run)
  if (length(runs) < 2) fail("a comparison needs at least two runs; use a study, or a list of runs")
  limit <- limit %||% min(map_dbl(runs, \(name) max(games$lines[games$run == name])))
  fit <- switch(measure, mean = mean_influence(games), rmst = rmst_influence(games, limit), hazard = cox_estimates(games))
  pairs <- pair_contrasts(fit, runs, level)
  seeds <- split(games$stream_seed, games$run)
  common <- map2_dbl(pairs$first, pairs$second, \(a, b) length(intersect(seeds[[a]], seeds[[b]])))
  rows <- mutate(pairs, games = .env$common, .after = "second")
  sequential <- measure == "mean" && stopped_at_verdict(x)
  if (sequential) rows <- with_sequence(rows, games, fit, level)
  if (measure == "mean") rows <- with_lower_bounds(rows, games, level)
  apart <- rows[rows$games == 0, ]
  if (nrow(apart) > 0) {
    warning("no common seed: ", paste(apart$first, "/", apart$second, collapse = ", "), "; these runs are compared as independent. To pair their games, use the same --seed and --queue for both",
        call. = FALSE)
  }
  rows$logrank_p <- if (sequential) NA_real_ else p.adjust(map2_dbl(rows$first, rows$second, \(a, b) logrank_p(filter(games, .data$run %in% c(a, b)))), "holm")
  facts <- list(measure = measure, sequential = sequential, limit = if (measure == "rmst") limit, level = level,
      estimates = tibble(run = runs, estimate = unname(fit$estimate)), compared = games)
  for (name in names(facts)) attr(rows, name) <- facts[[name]] # structure() would add row names
  class(rows) <- c("tetrastat_comparison", class(rows))
  rows
}

# Turns a comparison that dplyr has changed into a plain table, since its stored summary may no
# longer match its ratios.
#' @export
dplyr_reconstruct.tetrastat_comparison <- function(data, template) as_tibble(unclass(data)[names(data)])

# Returns TRUE if the games of a study or of runs were played until a verdict. The commands in
# run.json tell.
stopped_at_verdict <- function(x) {
  manifests <- if (inherits(x, "tetrastat_study")) map(x$conditions$dir, read_manifest) else if (is.data.frame(x)) attr(x, "manifests") else map(x, "manifest")
  any(map_lgl(manifests, \(manifest) "--until-verdict" %in% unlist(manifest$command)))
}

# Returns the pairs with the confidence sequence of each ratio (Waudby-Smith et al. 2024, Theorem
# 2.2, as in the engine's src/runs/stats/planning/sequential.rs). It replaces the interval for a fixed number
# of games. The p-values become NA.
with_sequence <- function(rows, games, fit, level) {
  alpha <- (1 - level) / nrow(rows)
  for (i in seq_len(nrow(rows))) {
    common <- common_games(filter(games, .data$run == rows$first[i]), filter(games, .data$run == rows$second[i]))
    n <- nrow(common)
    share <- \(lines, censored) lines / mean(lines) - (!censored) / mean(!censored)
    deviation <- sqrt(mean((share(common$lines_1, common$censored_1) - share(common$lines_2, common$censored_2))^2))
    half <- deviation * sequence_width(n, alpha)
    rows[i, c("low", "high", "p")] <- list(rows$ratio[i] * exp(-half), rows$ratio[i] * exp(half), NA_real_)
  }
  rows
}

# Returns half the width of the confidence sequence after `n` pairs, for a standard deviation of 1.
# The sequence is tuned to be narrowest at 400 pairs.
sequence_width <- function(n, alpha) {
  of_alpha <- -2 * log(alpha)
  rho2 <- (of_alpha + log(of_alpha) + 1) / 400
  t <- n * rho2 + 1
  sqrt(2 * t / (n^2 * rho2) * log(sqrt(t) / alpha))
}

# Returns the names of a list of runs: the names of the list elements, or else the runs' own names.
run_names <- function(runs) {
  own <- map_chr(runs, "name")
  given <- names(runs) %||% rep("", length(runs))
  if_else(nzchar(given), given, unname(own))
}

# Fails if the runs of a list differ in rules, board or queue, except in the settings of `across`.
check_comparable <- function(x, across = character()) {
  known <- c("kind", "rules", "board", "queue")
  unknown <- setdiff(across, known)
  if (length(unknown) > 0) fail("across must be one or more of ", paste(known[-1], collapse = ", "), ", not ", unknown[1])
  if (!is.list(x) || !all(map_lgl(x, \(run) inherits(run, "tetrastat_run")))) return(invisible())
  for (setting in setdiff(known, across)) {
    values <- map_chr(x, \(run) if (setting == "kind") run$kind else paste(run$manifest$config[[setting]] %||% "unknown", collapse = " "))
    values <- values[values != "unknown"]
    if (n_distinct(values) > 1) {
      fail("the runs differ in their ", if (setting == "kind") "game" else setting, " (", paste(unique(values), collapse = ", "), "), so their lines are not comparable",
           if (setting != "kind") paste0("; to compare them nevertheless: compare_runs(..., across = \"", setting, "\")"))
    }
  }
}

# Returns the pairs with one-sided lower bounds of the ratio of exponential means. It applies to
# pairs without a ratio, in which fewer than `fewest_ends` games of a run finished. The better run
# comes first.
with_lower_bounds <- function(rows, games, level) {
  totals <- map(split(games, games$run), \(own) list(lines = sum(own$lines), ended = sum(!own$censored), censored = sum(own$censored)))
  bound <- \(a, b) exponential_ratio(a$lines, a$ended, a$censored, b$lines, b$ended, b$censored, 2 * level - 1)$low # one tail
  for (i in which(is.na(rows$ratio))) {
    one <- totals[[rows$first[i]]]
    other <- totals[[rows$second[i]]]
    lows <- coalesce(c(bound(one, other), bound(other, one)), 0)
    if (lows[2] > max(1, lows[1])) {
      rows[i, c("first", "second")] <- rows[i, c("second", "first")]
      lows <- rev(lows)
    }
    if (lows[1] > 0) rows[i, c("low", "high")] <- list(lows[1], Inf)
  }
  rows
}

# Returns the games to compare: run (a factor), stream_seed, lines, censored.
games_to_compare <- function(x) {
  if (inherits(x, "tetrastat_study") && is_guideline_study(x)) fail("compare_runs() compares classic games; use contrast() for a study of guideline games")
  if (inherits(x, "tetrastat_study")) check_all_played(x, "compare_runs() compares games")
  games <- if (inherits(x, "tetrastat_study")) rename(x$games, run = "label")
    else if (is.data.frame(x)) x
    else if (is.list(x) && all(map_lgl(x, \(run) inherits(run, "tetrastat_run")))) {
      names <- make.unique(run_names(x), sep = " ")
      bind_rows(map2(x, names, \(run, name) mutate(run$games, run = name))) |> mutate(run = factor(.data$run, names))
    } else fail("compare_runs() needs a study, a list of runs, or a data frame of games")
  absent <- setdiff(c("run", "stream_seed", "lines", "censored"), names(games))
  if (length(absent) > 0) fail("the games lack the column(s) ", paste(absent, collapse = ", "), "; only classic games can be compared")
  games <- select(games, "run", "stream_seed", "lines", "censored") |> mutate(run = droplevels(as.factor(.data$run)))
  distinct(games, .data$run, .data$stream_seed, .keep_all = TRUE)
}

# Returns the estimate of each run and their covariance, clustered by seed, from the influence value
# of each game. Estimates are logarithms.
clustered <- function(games, estimate, influence) {
  seeds <- unique(games$stream_seed)
  runs <- levels(games$run)
  added <- matrix(0, length(seeds), length(runs), dimnames = list(NULL, runs))
  added[cbind(match(games$stream_seed, seeds), as.integer(games$run))] <- influence
  n <- length(seeds)
  list(estimate = estimate, covariance = crossprod(added) * n / (n - 1), df = min(table(games$run)) - 1)
}

# Estimates the log of all lines / finished games. It is Inf for a run without a finished game;
# pairs with this run have no interval.
mean_influence <- function(games) {
  totals <- rowsum(cbind(lines = games$lines, ended = as.numeric(!games$censored)), games$run)[levels(games$run), , drop = FALSE]
  at <- as.integer(games$run)
  influence <- games$lines / totals[at, "lines"] - (!games$censored) / totals[at, "ended"]
  fit <- clustered(games, log(totals[, "lines"] / totals[, "ended"]), replace(influence, !is.finite(influence), 0))
  fit$unknown <- rownames(totals)[totals[, "ended"] < fewest_ends]
  fit
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
  fit <- clustered(games, log(mean), (pseudo - mean[at]) / mean[at] / n[at])
  fit$unknown <- character()
  fit
}

# Estimates minus the log hazard ratio of each run against the first, so that larger is better;
# clustered by seed.
cox_estimates <- function(games) {
  fit <- cox_model(games)
  k <- nlevels(games$run)
  covariance <- matrix(0, k, k)
  covariance[-1, -1] <- vcov(fit)
  ended <- tapply(!games$censored, games$run, sum)
  list(estimate = set_names(c(0, -coef(fit)), levels(games$run)), covariance = covariance, df = min(table(games$run)) - 1,
       unknown = names(ended)[ended < fewest_ends])
}

# Fits the Cox model. Warnings about infinite coefficients are suppressed: a run without a finished
# game has one, and gets no interval here.
cox_model <- function(games) suppressWarnings(survival::coxph(survival::Surv(lines, !censored) ~ run, data = games, cluster = games$stream_seed))

# Returns all pairs with simultaneous intervals, the better run first. Pairs with a run of too few
# finished games have neither ratio nor interval.
pair_contrasts <- function(fit, runs, level) {
  strength <- replace(fit$estimate, !is.finite(fit$estimate), Inf)
  pairs <- map(combn(seq_along(runs), 2, simplify = FALSE), \(pair) pair[order(-strength[pair])])
  design <- t(vapply(pairs, \(pair) replace(numeric(length(runs)), pair, c(1, -1)), numeric(length(runs))))
  known <- map_lgl(pairs, \(pair) !any(runs[pair] %in% fit$unknown))
  difference <- map_dbl(pairs, \(pair) fit$estimate[pair[1]] - fit$estimate[pair[2]])
  error <- sqrt(pmax(0, diag(design %*% fit$covariance %*% t(design))))
  usable <- known & error > 0
  reach <- rep(NA_real_, length(pairs))
  p <- rep(NA_real_, length(pairs))
  if (any(usable)) {
    correlation <- cov2cor(design[usable, , drop = FALSE] %*% fit$covariance %*% t(design[usable, , drop = FALSE]))
    together <- simultaneous(abs(difference / error)[usable], correlation, fit$df, level)
    reach[usable] <- together$reach * error[usable]
    p[usable] <- together$p
  }
  tibble(first = runs[map_int(pairs, 1)], second = runs[map_int(pairs, 2)], ratio = exp(replace(difference, !is.finite(difference) | !known, NA)),
         low = .data$ratio * exp(-reach), high = .data$ratio * exp(reach), p = p) |>
    arrange(desc(.data$ratio))
}

# Returns the common critical value of several t statistics, and the p-value of each against their
# maximum. Both come from `draws` draws of the multivariate t, whose cost hardly grows with the
# number of pairs; the 95 % quantile is then known to half a percent. For p-values below the
# resolution of the draws it returns the Bonferroni bound.
simultaneous <- function(t, correlation, df, level, draws = 20000) {
  k <- length(t)
  alone <- 2 * stats::pt(-t, df)
  if (k == 1) return(list(reach = qt((1 + level) / 2, df), p = alone))
  parts <- eigen(correlation, symmetric = TRUE)
  half <- t(parts$vectors) * sqrt(pmax(parts$values, 0))
  greatest <- with_seed(1, {
    z <- matrix(rnorm(draws * k), draws) %*% half
    do.call(pmax, asplit(abs(z), 2)) / sqrt(stats::rchisq(draws, df) / df)
  })
  above <- 1 - ecdf(greatest)(t)
  list(reach = quantile(greatest, level, names = FALSE), p = pmin(1, k * alone, pmax(above, alone, 1 / draws)))
}

logrank_p <- function(games) {
  games$run <- droplevels(games$run)
  if (sum(!games$censored) == 0) return(NA_real_)
  found <- survival::survdiff(survival::Surv(lines, !censored) ~ run, data = games)
  pchisq(found$chisq, nlevels(games$run) - 1, lower.tail = FALSE)
}

# Tests all runs at once, and the assumption of proportional hazards.
overall_tests <- function(games) {
  ended <- sum(!games$censored)
  if (ended < fewest_ends) return(tibble(runs = nlevels(games$run), games = nrow(.env$games), ended, logrank_p = NA_real_, cox_p = NA_real_, proportional_p = NA_real_))
  fit <- cox_model(games)
  wald <- tryCatch(drop(t(coef(fit)) %*% solve(vcov(fit), coef(fit))), error = \(e) NA_real_)
  proportional <- tryCatch(survival::cox.zph(fit)$table["GLOBAL", "p"], error = \(e) NA_real_)
  tibble(runs = nlevels(games$run), ended, logrank_p = logrank_p(games), cox_p = pchisq(wald, length(coef(fit)), lower.tail = FALSE),
         proportional_p = proportional) |> mutate(games = nrow(.env$games), .after = "runs")
}

#' Effect of the piece sequence on game length
#'
#' Fits a Cox model of the runs with a random effect of the seed (a Gaussian frailty); games can be
#' censored. A large standard deviation of the seed effect means that the piece sequence matters,
#' and that pairing games by seed narrows intervals.
#'
#' @inheritParams compare_runs
#' @return A tibble with one row per run except the first: `term`, `estimate` (log hazard ratio
#'   against the first run), `std.error`, `conf.low`, `conf.high`, `p.value`. A last row `sd (seed)`
#'   has the standard deviation of the seed effect.
#' @examples
#' seed_effect(read_study(example_run("study")))
#' @export
seed_effect <- function(x) {
  games <- games_to_compare(x)
  fit <- survival::coxph(survival::Surv(lines, !censored) ~ run + survival::frailty(stream_seed, distribution = "gaussian"), data = games)
  estimate <- coef(fit)
  error <- sqrt(diag(as.matrix(vcov(fit))))[seq_along(estimate)]
  fixed <- tibble(term = sub("^run", "", names(estimate)), estimate = unname(estimate), std.error = error,
      conf.low = .data$estimate - qnorm(0.975) * error, conf.high = .data$estimate + qnorm(0.975) * error, p.value = 2 * pnorm(-abs(.data$estimate / error)))
  spread <- fit$history[[1]]$theta
  bind_rows(fixed, tibble(term = "sd (seed)", estimate = sqrt(max(0, spread))))
}

# Formats a comparison as one or two sentences: the first pairs, and the number of significant
# pairs.
comparison_words <- function(compared) {
  told <- filter(as_tibble(compared), .data$p < 0.05)
  known <- sum(!is.na(compared$p))
  if (isTRUE(attr(compared, "sequential"))) return(sequential_words(compared))
  if (known == 0) return(unknown_ratio_words(compared))
  estimates <- attr(compared, "estimates") |> filter(.data$run %in% c(compared$first, compared$second)[!is.na(c(compared$p, compared$p))])
  best <- estimates$run[which.max(estimates$estimate)]
  say <- ratio_sentence(compared)
  if (nrow(told) == 0) {
    row <- filter(as_tibble(compared), !is.na(.data$p))[1, ]
    return(paste0("No pair of runs differs significantly. The largest estimate: ", say(row), ".", unknown_ratio_words(compared, " ")))
  }
  ours <- filter(as_tibble(compared), .data$first == best, !is.na(.data$p)) |> arrange(.data$ratio)
  apart <- filter(ours, .data$p < 0.05)
  alike <- filter(ours, .data$p >= 0.05)$second
  row <- if (nrow(apart) > 0) apart[1, ] else told[1, ]
  paste0(if (length(alike) > 0) paste0(best, " does not differ significantly from ", and_words(alike), ". "),
         say(row), if (nrow(apart) > 1) paste0(", and more than ", and_words(apart$second[-1])), ".",
         if (known > 1) paste0(" ", nrow(told), " of ", known, " pairs differ significantly (p < 0.05, simultaneous)."),
         unknown_ratio_words(compared, " "))
}

# Formats a comparison of games that were played until a verdict.
sequential_words <- function(compared) {
  rows <- filter(as_tibble(compared), !is.na(.data$ratio))
  say <- \(row) paste0(row$first, " clears ", factor_words(row$ratio), " times as many lines as ", row$second, " (", factor_words(row$low), " to ", factor_words(row$high), ")")
  said <- map_chr(seq_len(min(3, nrow(rows))), \(i) say(rows[i, ]))
  paste0("Played until a verdict: ", paste(said, collapse = "; "), ". The intervals are valid at all interim looks (", format(100 * attr(compared, "level")),
         " %, all pairs together). The ratios are observed ones, which early stopping exaggerates.", unknown_ratio_words(compared, " "))
}

# Returns a function that formats one pair (a row) as a sentence.
ratio_sentence <- function(compared) {
  measure <- attr(compared, "measure")
  level <- paste0(format(100 * attr(compared, "level")), " % CI ")
  \(row) {
    ends <- paste0("(", level, factor_words(row$low), " to ", factor_words(row$high), ", ", tidy_p(row$p), ")")
    switch(measure,
      mean = paste0(row$first, " clears ", factor_words(row$ratio), " times as many lines as ", row$second, " ", ends),
      rmst = paste0(row$first, " clears ", factor_words(row$ratio), " times as many lines as ", row$second, " up to ", tidy_number(attr(compared, "limit")), " lines ", ends),
      hazard = paste0(row$second, " has ", factor_words(row$ratio), " times the hazard of ", row$first, " ", ends))
  }
}

# Describes the pairs without a ratio: the reason, the known bound, and the run that the log-rank
# test favours. Returns "" if there is no such pair.
unknown_ratio_words <- function(compared, before = "") {
  rows <- filter(as_tibble(compared), is.na(.data$ratio))
  if (nrow(rows) == 0) return("")
  games <- attr(compared, "compared")
  ended <- tapply(!games$censored, games$run, sum)
  few <- intersect(names(ended)[ended < fewest_ends], c(rows$first, rows$second))
  why <- paste0("Fewer than ", fewest_ends, " games of ", and_words(few), " finished, so no ratio is estimated")
  say <- \(row) {
    bound <- if (!is.na(row$low) && row$low > 0) paste0(row$first, " clears more than ", factor_words(row$low), " times as many lines as ", row$second, " (one-sided ", format(100 * attr(compared, "level")), " % bound, constant hazard)")
    better <- logrank_favours(filter(games, .data$run %in% c(row$first, row$second)))
    test <- if (!is.na(row$logrank_p)) paste0("the log-rank test (", tidy_p(row$logrank_p), ") ",
        if (row$logrank_p < 0.05) paste("favours", better) else paste0("shows no significant difference between ", row$first, " and ", row$second))
    paste(c(bound, test), collapse = "; ")
  }
  said <- map_chr(seq_len(min(3, nrow(rows))), \(i) say(rows[i, ]))
  said <- said[nzchar(said)]
  paste0(before, why, if (length(said) > 0) paste0(": ", paste(said, collapse = "; ")), if (nrow(rows) > 3) "; and others", ".")
}

# Returns the run with fewer finished games than expected under equal hazards.
logrank_favours <- function(games) {
  games$run <- droplevels(games$run)
  if (sum(!games$censored) == 0) return(NA_character_)
  found <- survival::survdiff(survival::Surv(lines, !censored) ~ run, data = games)
  levels(games$run)[which.min(found$obs - found$exp)]
}

# Joins words: "a", "a and b", "a, b and c".
and_words <- function(words) {
  words <- as.character(words)
  if (length(words) < 2) words else paste(paste(head(words, -1), collapse = ", "), "and", tail(words, 1))
}

#' @export
print.tetrastat_comparison <- function(x, ...) {
  if (all(c("first", "second", "ratio", "low", "high", "p") %in% names(x))) cat(comparison_words(x), "\n\n", sep = "") # not if columns were dropped
  NextMethod()
}

#' @rdname compare_runs
#' @param conf.level A number between 0 and 1: simultaneous confidence level of the intervals.
#' @param exponentiate `FALSE` returns the logarithms of the ratios and of their intervals.
#' @param ... Not used; further arguments are an error.
#' @export
tidy.tetrastat_comparison <- function(x, conf.level = attr(x, "level"), exponentiate = TRUE, ...) {
  rlang::check_dots_empty()
  if (check_level(conf.level) != attr(x, "level")) x <- compared_at(x, conf.level)
  rows <- as_tibble(unclass(x)[names(x)])
  if (!exponentiate) rows <- mutate(rows, across(c("ratio", "low", "high"), log))
  transmute(rows, contrast = paste(.data$first, "/", .data$second), estimate = .data$ratio, conf.low = .data$low, conf.high = .data$high, adj.p.value = .data$p)
}

# Returns a comparison with intervals of another level.
compared_at <- function(x, level) {
  if (isTRUE(attr(x, "sequential"))) {
    fail("the confidence sequence of games played until a verdict has one level: omit conf.level")
  }
  suppressWarnings(compare_runs(attr(x, "compared"), attr(x, "measure"), attr(x, "limit"), level))
}

#' @export
glance.tetrastat_comparison <- function(x, ...) {
  rlang::check_dots_empty()
  mutate(overall_tests(attr(x, "compared")), measure = attr(x, "measure"), conf.level = attr(x, "level"))
}

#' @export
autoplot.tetrastat_comparison <- function(object, ...) {
  rlang::check_dots_empty()
  figure_comparison(object)
}
