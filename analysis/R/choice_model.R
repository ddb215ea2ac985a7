# Weights of a controller from its choices.
#
# A controller that always plays one of its best candidates separates the data: some weights explain
# every choice, and these weights form a cone (choice_cone.R). Otherwise the choices are noisy, and a
# conditional logit of the candidates table (McFadden 1974) has finite weights of maximum likelihood
# (Albert and Anderson 1984): P(candidate i is chosen) = exp(w'x_i) / sum_j exp(w'x_j), where j runs
# over the candidates of the decision.

# Returns the candidates as numbers: list(x = matrix in within-decision SDs, decision, chosen,
# scale). Candidates that lose the game have no score and are dropped. Decisions with fewer than two
# candidates, or without exactly one chosen candidate, are dropped as well.
choice_data <- function(candidates, features) {
  if ("lost" %in% names(candidates)) candidates <- filter(candidates, !.data$lost)
  rows <- candidates |>
    group_by(.data$game, .data$piece_no) |>
    filter(n() > 1, sum(.data$chosen) == 1) |>
    mutate(decision = cur_group_id()) |>
    ungroup() |>
    arrange(.data$decision)
  if (nrow(rows) == 0) fail("no decision has two candidates and one choice; log more placements with --candidates")
  x <- as.matrix(rows[features])
  mean_by <- rowsum(x, rows$decision) / tabulate(rows$decision)
  scale <- sqrt(colMeans((x - mean_by[rows$decision, , drop = FALSE])^2))
  features <- features[scale > 0]
  if (length(features) == 0) fail("the candidates of every decision have equal features, so no weight can be estimated; use other features")
  list(x = sweep(x[, features, drop = FALSE], 2, scale[features], "/"), decision = rows$decision,
       chosen = rows$chosen, scale = scale[features])
}

# Returns the weights of maximum likelihood and their covariance: list(w, covariance). The likelihood
# is that of a Cox model whose strata are the decisions, each with one event.
likeliest_weights <- function(data, steps = 200) {
  event <- survival::Surv(rep(1, nrow(data$x)), data$chosen)
  control <- survival::coxph.control(eps = 1e-11, toler.chol = 1e-12, iter.max = steps)
  fit <- suppressWarnings(survival::coxph.fit(data$x, event, data$decision, control = control, method = "breslow", rownames = NULL))
  if (fit$iter >= steps || anyNA(fit$coefficients)) {
    fail("the choice model has no finite optimum: use more decisions or fewer features")
  }
  list(w = unname(fit$coefficients), covariance = fit$var)
}

# Returns an orthonormal basis (in columns) of the weights that choices can determine, in SDs. Features
# that are linear combinations of others within every decision leave directions undetermined.
determined_directions <- function(data) {
  mean_by <- rowsum(data$x, data$decision) / tabulate(data$decision)
  parts <- svd(data$x - mean_by[data$decision, , drop = FALSE], nu = 0)
  parts$v[, parts$d > 1e-9 * parts$d[1], drop = FALSE]
}

#' Weights estimated from a controller's choices
#'
#' Estimates the weights of a controller from the candidates that it chose and rejected. The method
#' depends on whether some weights explain every choice. The function decides this exactly.
#'
#' @section Weights that explain every choice:
#' If a controller always takes one of its best candidates, its choices say only that no rejected
#' candidate has a greater value than the chosen one. Candidates of equal value are allowed, whichever
#' way the tie was broken. The sets of weights that satisfy all these inequalities form a closed cone, and
#' the choices cannot distinguish them. The estimate is their mean, if all directions in the cone are
#' equally probable. `low` and `high` are the smallest and the largest value that each weight takes among
#' all sets of weights in the cone. They are not a confidence interval: if the controller has these
#' features, each of its weights is between them.
#'
#' Such choices do not determine the scale of the weights. They are scaled so that, averaged over the
#' decisions, the value of the chosen candidate exceeds the mean value of all candidates of its decision
#' by 1: `sum(weight * advantage)` is 1.
#'
#' @section Noisy choices:
#' If no weights explain every choice, the function fits a conditional logit (McFadden 1974). The
#' probability of a candidate is the exponential of its weighted features, divided by the sum of these
#' exponentials over all candidates of the decision. `low` and `high` are the 95 % confidence interval.
#'
#' @section Features that differ alike:
#' The choices separate the effects of two features only in decisions where the features disagree. If
#' they never do, their weights are not determined: `low` is `-Inf` and `high` is `Inf`. For example, lee
#' measures boards before full rows are removed. All candidates of a decision then have the same number
#' of cells, so the sum of the heights grows by 1 exactly if the number of holes does.
#'
#' @param x A run that was played with `--candidates`, or its folder.
#' @param features A character vector: names of feature columns of the candidates. Default: the features
#'   of the controller, or all features if the controller has no single vector of weights.
#' @param games Whole numbers: games whose decisions are used (from 0), or `NULL` for all.
#' @inheritParams read_candidates
#' @return A `tetrastat_choice`, a tibble with one row per feature and the methods of
#'   [model-methods]. After `mutate()` it is a plain tibble.
#' * `feature`, `weight` (in units of the feature).
#' * `error`: standard error of noisy choices, else `NA`.
#' * `low`, `high`: smallest and largest value of the weight among all sets of weights that explain every
#'   choice, or 95 % confidence interval of noisy choices.
#' * `scale`: standard deviation (SD) of the feature within decisions.
#' * `advantage`: the feature of the chosen candidate minus that of the mean candidate, averaged over the
#'   decisions.
#' * `decisions`: number of decisions.
#' * `hits`: share of decisions in which no candidate has a greater value than the chosen one.
#' @seealso [compare_weights()] for a comparison with the true weights.
#' @examples
#' fit <- fit_choice(example_run("choices"))
#' fit
#' glance(fit)
#' @export
fit_choice <- function(x, features = NULL, games = NULL, max_rows = 1e6) {
  dir <- run_folder(x)
  candidates <- read_candidates(x, max_rows)
  if (!is.null(games)) candidates <- filter(candidates, .data$game %in% check_games(games))
  truth <- true_weights(read_manifest(dir))
  if (is.null(features)) features <- choice_features(candidates, truth)
  if (length(features) == 0) fail("the candidates table in ", dir, " has no feature columns; log it with --columns controller")
  choice_fit(candidates, features, truth, run_name(dir, read_manifest(dir)))
}

# Returns the fit of a table of candidates. `truth` are the known weights, or NULL.
choice_fit <- function(candidates, features, truth = NULL, name = "the controller") {
  check_columns_of(candidates, c("game", "piece_no", "chosen", features), "candidates")
  data <- choice_data(candidates, features)
  basis <- determined_directions(data)
  advantage <- choice_advantage(data)
  known <- explaining_weights(data, basis) %||% noisy_weights(data, basis)
  rows <- mutate(known, across(everything(), \(value) unname(value / data$scale))) |>
    mutate(feature = colnames(data$x), .before = 1) |>
    mutate(scale = unname(data$scale), advantage = unname(advantage * data$scale), decisions = max(data$decision),
           hits = mean(best_is_chosen(known$weight, data)))
  classed(rows, "tetrastat_choice", truth = truth, name = name, determined = tcrossprod(basis))
}

# Returns weights in SDs with standard errors, for noisy choices.
noisy_weights <- function(data, basis) {
  fit <- likeliest_weights(replace(data, "x", list(data$x %*% basis)))
  error <- sqrt(diag(basis %*% tcrossprod(fit$covariance, basis)))
  error[undetermined(basis)] <- Inf
  weight <- drop(basis %*% fit$w)
  tibble(weight, error, low = weight - qnorm(0.975) * error, high = weight + qnorm(0.975) * error)
}

# Returns TRUE for each weight that the choices do not determine.
undetermined <- function(basis) rowSums(basis^2) < 1 - 1e-9

# Returns TRUE for each decision whose chosen candidate has the greatest value (ties count).
best_is_chosen <- function(w, data) {
  value <- drop(data$x %*% w)
  best <- tapply(value, data$decision, max)
  value[data$chosen] >= best - 1e-7 * pmax(1, abs(best))
}

# Returns the weights of the controller of a manifest, one for each feature column. A list of weights by
# index is named feature_0, feature_1, ... Returns NULL if the weights are unknown, or if they depend on
# the height of the stack so that no single vector is true.
true_weights <- function(manifest) {
  weights <- manifest$config$controller$weights
  if (any(grepl("@", names(weights), fixed = TRUE))) return(NULL)
  parts <- imap(as.list(weights), \(values, name) {
    values <- as.numeric(unlist(values))
    set_names(values, if (length(values) == 1) name else paste0(name, "_", seq_along(values) - 1))
  })
  unlist(unname(parts))
}

# Returns the columns to fit: the features of the controller, with all columns of an indexed
# feature. If the controller is unknown, these are all features of the table.
choice_features <- function(candidates, truth) {
  columns <- union(feature_names(candidates), intersect(names(candidates), names(truth)))
  if (length(truth) == 0) return(columns)
  columns[columns %in% names(truth) | indexed_base(columns) %in% indexed_base(names(truth))]
}

# Drops the last decision, which a limit on rows may have truncated.
whole_decisions <- function(candidates) {
  last <- tail(candidates, 1)
  filter(candidates, .data$game != last$game | .data$piece_no != last$piece_no)
}

# Returns the cosine of estimated and true weights, both in SDs: 1 means proportional. Directions that
# the choices do not determine are left out.
weight_cosine <- function(fit, truth) {
  part <- attr(fit, "determined") %||% diag(nrow(fit))
  a <- drop(part %*% (fit$weight * fit$scale))
  b <- drop(part %*% (truth[fit$feature] * fit$scale))
  sum(a * b) / sqrt(sum(a^2) * sum(b^2))
}

#' Estimated and true weights
#'
#' Compares the weights that [fit_choice()] estimates with those of a controller.
#'
#' @param fit The result of [fit_choice()].
#' @param run A run whose controller has the true weights, or its folder. Default: the run of `fit`.
#' @return A tibble with one row per feature:
#' * `feature`, `true`: the feature and its weight in the controller.
#' * `recovered`, `low`, `high`: the estimate and its range on the scale of the true weights. On this
#'   scale the chosen candidates exceed the mean candidates by as much as under the true weights.
#' * `ratio`: `recovered / true`.
#'
#' `glance()` of the fit has the cosine of estimated and true weights.
#' @examples
#' compare_weights(fit_choice(example_run("choices")))
#' @export
compare_weights <- function(fit, run = NULL) {
  if (!inherits(fit, "tetrastat_choice")) fail("compare_weights() needs a result of fit_choice()")
  weights_beside(fit, known_weights(fit, run))[c("feature", "true", "recovered", "low", "high", "ratio")]
}

# Returns the true weights of the controller of `run`, or those of the fit's own run.
known_weights <- function(fit, run = NULL) {
  truth <- if (is.null(run)) attr(fit, "truth") else true_weights(read_manifest(run_folder(run)))
  if (is.null(truth)) fail("the controller has no single vector of weights to compare with; give a run of another one")
  absent <- setdiff(fit$feature, names(truth))
  if (length(absent) > 0) fail("the controller has no weight of ", and_words(absent), "; leave them out of the features of fit_choice()")
  truth
}

weights_beside <- function(fit, truth) {
  true <- unname(truth[fit$feature])
  factor <- sum(true * fit$advantage) / sum(fit$weight * fit$advantage)
  as_tibble(unclass(fit)[names(fit)]) |>
    mutate(true = true, recovered = .data$weight * factor, ratio = .data$recovered / .data$true, across(c("low", "high"), \(bound) bound * factor))
}

#' Read the candidates of a run
#'
#' Reads the table of candidates: every placement that the controller considered in the logged
#' decisions, with its features.
#'
#' @param run A run that [read_tetrastat()] returns, or its folder. The run must have been played with
#'   `--candidates`.
#' @param max_rows A number: the maximum number of candidates to read, in file order. A decision
#'   that this limit would split is dropped. A message reports candidates that were not read.
#' @return A tibble with one row per candidate of each logged decision, with the column types of
#'   [code_book()].
#' @examples
#' read_candidates(example_run("choices"))
#' @export
read_candidates <- function(run, max_rows = 1e6) {
  dir <- run_folder(run)
  check_run_dir(dir)
  candidates <- read_table(dir, "candidates", n_max = max_rows)
  if (is.null(candidates)) fail("no candidates table in ", dir, "; run the simulation again with --candidates")
  check_columns(candidates, "candidates", dir)
  if (nrow(candidates) < max_rows) return(candidates)
  stated <- stated_rows(dir, basename(table_file(dir, "candidates")))
  if (is.na(stated) || stated > max_rows) {
    message("read the first ", tidy_number(max_rows), if (!is.na(stated)) paste0(" of ", tidy_number(stated)), " candidates; use a larger max_rows to read all")
  } else return(candidates)
  whole_decisions(candidates)
}
