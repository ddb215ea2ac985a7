# Conditional logit: which weights explain the choices in a candidates table?
#
# P(candidate i is chosen) = exp(w'x_i) / sum_j exp(w'x_j) over the decision's candidates
# (McFadden 1974). A controller that always plays the best candidate separates the data: the
# likelihood then grows without end as w does, and only w's direction is identified, up to the cone of all that explain
# every choice (choice_cone.R). A small ridge penalty on the standardised weights keeps w finite; it leads into the cone,
# and is the answer where choices have noise or no weights explain all of them.

# The candidates as numbers: list(x = matrix in within-decision SDs, decision, chosen, scale).
# Candidates that lose have no score and are left out, and so are decisions without exactly one
# chosen candidate or with fewer than two candidates.
choice_data <- function(candidates, features) {
  if ("lost" %in% names(candidates)) candidates <- filter(candidates, !.data$lost)
  rows <- candidates |>
    group_by(.data$game, .data$piece_no) |>
    filter(n() > 1, sum(.data$chosen) == 1) |>
    mutate(decision = cur_group_id()) |>
    ungroup() |>
    arrange(.data$decision)
  if (nrow(rows) == 0) fail("no decision with two candidates and one chosen; log more placements with --candidates")
  x <- as.matrix(rows[features])
  mean_by <- rowsum(x, rows$decision) / tabulate(rows$decision)
  scale <- sqrt(colMeans((x - mean_by[rows$decision, , drop = FALSE])^2))
  features <- features[scale > 0]
  list(x = sweep(x[, features, drop = FALSE], 2, scale[features], "/"), decision = rows$decision,
       chosen = rows$chosen, scale = scale[features])
}

# Share of each candidate under weights `w` (softmax within decisions, safe against overflow).
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

# Penalised negative log likelihood per decision; below, its gradient and curvature.
choice_loss <- function(w, data, ridge) {
  share <- choice_shares(w, data)
  -sum(log(pmax(share[data$chosen], 1e-300))) / max(data$decision) + ridge * sum(w^2) / 2
}

choice_gradient <- function(share, w, data, ridge) {
  -drop(crossprod(data$x, data$chosen - share)) / max(data$decision) + ridge * w
}

# Curvature of the loss: the features' covariance under the shares, within decisions.
choice_hessian <- function(share, data, ridge) {
  centre <- rowsum(data$x * share, data$decision)
  (crossprod(data$x, data$x * share) - crossprod(centre)) / max(data$decision) + diag(ridge, ncol(data$x))
}

# Newton's method with step halving; the loss is convex. list(w, hessian).
# Fails where the curvature vanishes, as it does for separated data without a ridge.
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
  fail("the choice model has no finite best weights: use more decisions, fewer features or a ridge (--ridge 1e-5)")
}

# The first of 1, 1/2, 1/4, ... that lowers the loss enough (Armijo's rule).
step_length <- function(w, move, slope, data, ridge) {
  now <- choice_loss(w, data, ridge)
  for (length in 2^-(0:30)) {
    if (choice_loss(w - length * move, data, ridge) <= now - 1e-4 * length * slope) return(length)
  }
  length
}

#' Read a player's weights from its choices
#'
#' A conditional logit (McFadden 1974): the chance of a candidate is the exponential of its weighted features over the sum
#' of those of all candidates of the decision. A controller that always takes its best candidate separates the data, so
#' that only the direction of its weights can be known: give a small `ridge`, and compare by [weight_cosine()]. Then, if
#' there are weights that explain all choices, the fit is their mean (over draws from the cone of all such weights), and
#' `low` and `high` are the 95 % range of the same draws: the choices cannot distinguish these weights. Ties are accepted: a
#' difference that was chosen in both directions must have value 0. If no weights explain all choices, there is a warning,
#' the fit is the ridge estimate, and `low` and `high` are `NA`. What a weight does apart from others it shows only in decisions where they disagree; bcts seldom meets a choice in
#' which the number of holes and that of rows with holes do.
#'
#' @param candidates A table of candidates: `game`, `piece_no`, `chosen`, `lost` and features, as [read_candidates()] has it.
#' @param features Names of the features.
#' @param ridge 0 is maximum likelihood, with standard errors from the curvature (choices made with noise); a small
#'   number, 1e-5 say, is for a controller that always takes the best.
#' @param draws Draws of weights that explain all choices (hit and run, with a fixed seed), for `low` and `high`; 0: none.
#' @return A tibble with a row per feature: `feature`, `weight` (in the feature's own units), `error` (NA under a ridge),
#'   `low` and `high` (95 %: of the weights that explain all choices, which are of one length in SDs, or from the error;
#'   `NA` under a ridge where no weights explain all), `scale` (the feature's SD within decisions), `decisions`, `hits` (share of decisions whose chosen candidate is the
#'   fit's best).
#' @examples
#' candidates <- read_candidates(example_run("choices"))
#' truth <- true_weights(read_run(example_run("choices")))
#' fit <- fit_choice(candidates, names(truth), ridge = 1e-5)
#' weight_cosine(fit, truth)
#' @export
fit_choice <- function(candidates, features, ridge = 0, draws = 500) {
  check_columns_of(candidates, c("game", "piece_no", "chosen", features), "candidates")
  data <- choice_data(candidates, features)
  fit <- minimise_choice_loss(data, ridge)
  if (ridge == 0 && min(choice_shares(fit$w, data)[data$chosen]) > 0.999) {
    fail("each choice is explained without doubt, so no finite weights are best: use a ridge (--ridge 1e-5)")
  }
  known <- if (ridge > 0) explained_weights(data, fit$w, draws) else measured_weights(fit, data)
  mutate(known, feature = colnames(data$x), across(c("weight", "error", "low", "high"), \(value) unname(value / data$scale)), .before = 1) |>
    mutate(scale = unname(data$scale), decisions = max(data$decision), hits = mean(best_is_chosen(known$weight, data)))
}

# Weights in SDs with standard errors, of choices with noise.
measured_weights <- function(fit, data) {
  error <- sqrt(diag(solve(fit$hessian * max(data$decision))))
  tibble(weight = fit$w, error = error, low = fit$w - qnorm(0.975) * error, high = fit$w + qnorm(0.975) * error)
}

# Whether each decision's chosen candidate has the greatest value (ties count).
best_is_chosen <- function(w, data) {
  value <- drop(data$x %*% w)
  best <- tapply(value, data$decision, max)
  value[data$chosen] >= best - 1e-9 * pmax(1, abs(best))
}

#' Weights that are known, and how near the recovered ones come
#'
#' @param x A run that [read_run()] has read, or what its `run.json` says (its `manifest`).
#' @param fit What [fit_choice()] returns.
#' @param truth What `true_weights()` returns.
#' @return `true_weights()`: the controller's weights by the columns that they weigh; a weight given for each index stands
#'   for the columns feature_0, feature_1, ...; `NULL` when nothing is known, or when weights depend on the height of
#'   the stack, so that no one vector is true. `weight_cosine()`: the cosine of recovered and true weights, both
#'   in SDs within decisions: 1 = proportional. `compare_weights()`: the fit with `true`, `recovered` (scaled to the true
#'   ones by least squares, since a deterministic player does not reveal the scale), their `ratio`, and `low` and `high`
#'   on the same scale.
#' @export
true_weights <- function(x) {
  manifest <- if (inherits(x, "tetrastat_run")) x$manifest else x
  controller <- manifest$config$controller
  # Guideline runs name the controller, and have its weights beside it.
  weights <- if (is.list(controller)) controller$weights else manifest$config$weights
  if (any(grepl("@", names(weights), fixed = TRUE))) return(NULL)
  parts <- imap(as.list(weights), \(values, name) {
    values <- as.numeric(unlist(values))
    set_names(values, if (length(values) == 1) name else paste0(name, "_", seq_along(values) - 1))
  })
  unlist(unname(parts))
}

# The columns to fit: a controller's own features, with all the columns of an indexed one; all
# features of the table where the controller is not known.
choice_features <- function(candidates, truth) {
  columns <- union(feature_names(candidates), intersect(names(candidates), names(truth)))
  if (length(truth) == 0) return(columns)
  columns[columns %in% names(truth) | indexed_base(columns) %in% indexed_base(names(truth))]
}

# The rows without the last decision, which a limit on rows may have cut.
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

#' Read a run's candidates
#'
#' @param run A run that [read_run()] has read, or its folder; it was played with `--candidates`.
#' @param max_rows Maximum number of candidates to read, in order. An incomplete decision at the cut is left out; a message
#'   reports left-out candidates.
#' @return A tibble with a row per candidate of each decision that was logged, with the types of [code_book()].
#' @examples
#' read_candidates(example_run("choices"))
#' @export
read_candidates <- function(run, max_rows = 1e6) {
  dir <- run_folder(run)
  check_run_dir(dir)
  candidates <- read_table(dir, "candidates", n_max = max_rows)
  if (is.null(candidates)) fail("no candidates table in ", dir, "; play again with --candidates")
  check_columns(candidates, "candidates", dir)
  if (nrow(candidates) < max_rows) return(candidates)
  stated <- stated_rows(dir, basename(table_file(dir, "candidates")))
  if (is.na(stated) || stated > max_rows) {
    message("read the first ", tidy_number(max_rows), if (!is.na(stated)) paste0(" of ", tidy_number(stated)), " candidates; give a larger max_rows for all")
  } else return(candidates)
  whole_decisions(candidates)
}
