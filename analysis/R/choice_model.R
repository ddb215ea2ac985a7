# Conditional logit of a candidates table (McFadden 1974): P(candidate i is chosen) = exp(w'x_i) /
# sum_j exp(w'x_j), where j runs over the candidates of the decision.
#
# A controller that always plays its best candidate separates the data: the likelihood increases
# without bound as w grows. Only the direction of w is identified, up to the cone of directions that
# explain every choice (choice_cone.R). A small ridge penalty on the standardised weights keeps w
# finite and leads into the cone. It is also the estimate if choices are noisy or no weights explain
# all of them.

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
  list(x = sweep(x[, features, drop = FALSE], 2, scale[features], "/"), decision = rows$decision,
       chosen = rows$chosen, scale = scale[features])
}

# Returns the probability of each candidate under the weights `w`: a softmax within decisions that
# does not overflow.
choice_shares <- function(w, data) {
  value <- drop(data$x %*% w)
  first <- match(unique(data$decision), data$decision)
  place <- seq_along(value) - first[data$decision] + 1
  grid <- matrix(-Inf, length(first), max(place))
  grid[cbind(data$decision, place)] <- value
  top <- grid[cbind(seq_len(nrow(grid)), max.col(grid, ties.method = "first"))]
  weight <- exp(value - top[data$decision])
  weight / rowsum(weight, data$decision)[data$decision]
}

# Returns the penalised negative log likelihood per decision. `choice_gradient()` and
# `choice_hessian()` are its derivatives.
choice_loss <- function(w, data, ridge) {
  share <- choice_shares(w, data)
  -sum(log(pmax(share[data$chosen], 1e-300))) / max(data$decision) + ridge * sum(w^2) / 2
}

choice_gradient <- function(share, w, data, ridge) {
  -drop(crossprod(data$x, data$chosen - share)) / max(data$decision) + ridge * w
}

# Returns the Hessian of the loss: the covariance of the features within decisions, weighted by the
# shares.
choice_hessian <- function(share, data, ridge) {
  centre <- rowsum(data$x * share, data$decision)
  (crossprod(data$x, data$x * share) - crossprod(centre)) / max(data$decision) + diag(ridge, ncol(data$x))
}

# Minimises the convex loss by Newton's method with step halving; returns list(w, hessian). Fails if
# the curvature vanishes, as it does for separated data without a ridge.
minimise_choice_loss <- function(data, ridge, steps = 200, tolerance = 1e-10) {
  w <- rep(0, ncol(data$x))
  for (step in seq_len(steps)) {
    share <- choice_shares(w, data)
    gradient <- choice_gradient(share, w, data, ridge)
    hessian <- choice_hessian(share, data, ridge)
    if (rcond(hessian) < 1e-13) break
    move <- solve(hessian, gradient)
    if (sum(gradient * move) < tolerance) return(list(w = w, hessian = hessian))
    w <- w - step_length(w, move, sum(gradient * move), data, ridge) * move
  }
  fail("the choice model has no finite optimum: use more decisions, fewer features or a ridge (--ridge 1e-5)")
}

# Returns the first of 1, 1/2, 1/4, ... that lowers the loss enough (Armijo's rule).
step_length <- function(w, move, slope, data, ridge) {
  now <- choice_loss(w, data, ridge)
  for (length in 2^-(0:30)) {
    if (choice_loss(w - length * move, data, ridge) <= now - 1e-4 * length * slope) return(length)
  }
  length
}

#' Weights estimated from a controller's choices
#'
#' Fits a conditional logit (McFadden 1974). The probability of a candidate is the exponential of
#' its weighted features, divided by the sum of these exponentials over all candidates of the
#' decision.
#'
#' @section Controllers that always take their best candidate:
#' Such a controller separates the data, so the choices determine only the direction of the weights.
#' Use a small `ridge`, such as 1e-5, and compare directions with [weight_cosine()]. If there are
#' weights that explain all choices, the estimate is the mean of random draws from the cone of all
#' such weights. `low` and `high` are then the 95 % range of the same draws: the choices cannot
#' distinguish these weights.
#'
#' Ties are accepted: a difference that was chosen in both directions must have value 0. If no
#' weights explain all choices, the function warns and returns the ridge estimate, with `NA` in
#' `low` and `high`.
#'
#' The choices separate the effects of two features only in decisions where the features disagree.
#' For example, bcts seldom meets decisions in which the number of holes and the number of rows with
#' holes disagree.
#'
#' @param candidates A data frame of candidates with the columns `game`, `piece_no`, `chosen`,
#'   `lost` and the features, as [read_candidates()] returns it.
#' @param features A character vector: names of the feature columns.
#' @param ridge A number of at least 0: the ridge penalty. 0 gives maximum likelihood with standard
#'   errors from the curvature, for noisy choices. A small number such as 1e-5 is for a controller
#'   that always takes its best candidate.
#' @param draws A whole number: draws from the cone of weights that explain all choices (hit and run
#'   with a fixed seed). They determine `low` and `high`; 0 skips them.
#' @return A `tetrastat_choice`, a tibble with one row per feature and the methods of
#'   [model-methods]. After `mutate()` it is a plain tibble.
#' * `feature`, `weight` (in units of the feature).
#' * `error`: standard error; `NA` with a ridge.
#' * `low`, `high`: with a ridge the 95 % range of the weights that explain all choices, scaled to a
#'   common length in SDs (`NA` if no weights explain all choices); without a ridge the 95 %
#'   confidence interval.
#' * `scale`: standard deviation (SD) of the feature within decisions.
#' * `decisions`: number of decisions.
#' * `hits`: share of decisions in which the fit ranks the chosen candidate first.
#' @examples
#' candidates <- read_candidates(example_run("choices"))
#' truth <- true_weights(read_tetrastat(example_run("choices")))
#' fit <- fit_choice(candidates, names(truth), ridge = 1e-5)
#' weight_cosine(fit, truth)
#' @export
fit_choice <- function(candidates, features, ridge = 0, draws = 500) {
  check_columns_of(candidates, c("game", "piece_no", "chosen", features), "candidates")
  data <- choice_data(candidates, features)
  fit <- minimise_choice_loss(data, ridge)
  if (ridge == 0 && min(choice_shares(fit$w, data)[data$chosen]) > 0.999) {
    fail("the weights predict every choice with certainty, so no finite weights are optimal: use a ridge (--ridge 1e-5)")
  }
  known <- if (ridge > 0) explained_weights(data, fit$w, draws) else measured_weights(fit, data)
  rows <- mutate(known, feature = colnames(data$x), across(c("weight", "error", "low", "high"), \(value) unname(value / data$scale)), .before = 1) |>
    mutate(scale = unname(data$scale), decisions = max(data$decision), hits = mean(best_is_chosen(known$weight, data)))
  class(rows) <- c("tetrastat_choice", class(rows))
  rows
}

# Returns weights in SDs with standard errors, for noisy choices.
measured_weights <- function(fit, data) {
  error <- sqrt(diag(solve(fit$hessian * max(data$decision))))
  tibble(weight = fit$w, error = error, low = fit$w - qnorm(0.975) * error, high = fit$w + qnorm(0.975) * error)
}

# Returns TRUE for each decision whose chosen candidate has the greatest value (ties count).
best_is_chosen <- function(w, data) {
  value <- drop(data$x %*% w)
  best <- tapply(value, data$decision, max)
  value[data$chosen] >= best - 1e-9 * pmax(1, abs(best))
}

#' True weights of a controller, and comparison with a fit
#'
#' `true_weights()` returns the weights of the controller of a run. `weight_cosine()` and
#' `compare_weights()` compare them with the weights that [fit_choice()] estimates.
#'
#' @param x A run that [read_tetrastat()] returns, or its `manifest` (the content of `run.json`).
#' @param fit The result of [fit_choice()].
#' @param truth The result of `true_weights()`.
#' @return * `true_weights()`: a named numeric vector, one weight per feature column. A list of
#'   weights by index is named feature_0, feature_1, ... Returns `NULL` if the weights are unknown,
#'   or if they depend on the height of the stack so that no single vector is true.
#' * `weight_cosine()`: a number, the cosine of estimated and true weights, both in SDs within
#'   decisions; 1 means proportional.
#' * `compare_weights()`: the tibble `fit` with the columns `true`, `recovered`, `ratio`, and with
#'   `low` and `high` rescaled. `recovered` is the estimate scaled to the true weights by least
#'   squares, since a deterministic controller does not reveal the scale. `low` and `high` have the
#'   same scale.
#' @export
true_weights <- function(x) {
  manifest <- if (inherits(x, "tetrastat_run")) x$manifest else x
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

#' @rdname true_weights
#' @export
weight_cosine <- function(fit, truth) {
  a <- fit$weight * fit$scale
  b <- truth[fit$feature] * fit$scale
  sum(a * b) / sqrt(sum(a^2) * sum(b^2))
}

#' @rdname true_weights
#' @export
compare_weights <- function(fit, truth) {
  true <- unname(truth[fit$feature])
  factor <- sum(fit$weight * true * fit$scale^2) / sum((fit$weight * fit$scale)^2)
  fit |> mutate(true = true, recovered = .data$weight * factor, ratio = .data$recovered / .data$true,
      across(c("low", "high"), \(bound) bound * factor))
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
