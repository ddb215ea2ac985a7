# Methods of the results of death_model(), stacking(), fit_choice() and kaplan_meier().

#' Methods of fitted models and tests
#'
#' The results of [death_model()], [stacking()], [fit_choice()] and [kaplan_meier()] have methods
#' with the column names of broom. The results themselves keep their columns and elements.
#'
#' @details
#' | result of | `tidy()` | `glance()` | `augment()`, `predict()` |
#' |---|---|---|---|
#' | `death_model()` | log odds ratio per SD of each feature | AUC, counts | risk of a board |
#' | `stacking()` | share of boards by well column | permutation test | |
#' | `fit_choice()` | weights | decisions, hits, cosine | value of a candidate |
#' | `kaplan_meier()` | survival by lines | games, median | survival at `lines` |
#'
#' `augment()` adds the prediction as the column `.fitted`, and for candidates `.best`, `TRUE` for
#' the best one of each decision. Curves have no `augment()`. `autoplot()` draws each result.
#'
#' @param x,object The result of one of these functions.
#' @param conf.level A number between 0 and 1: confidence level of the intervals. Default: 0.95, and
#'   for a curve the level of its band. The range of weights that explain every choice
#'   ([fit_choice()]) has no level.
#' @param exponentiate `TRUE` returns odds ratios instead of their logarithms. For [fit_choice()]
#'   these are ratios of the odds that a candidate is chosen, per unit of the feature.
#' @param newdata A data frame: placements with the features of the death model, or candidates with
#'   those of the choice model.
#' @param lines Numbers of lines at which the curve is read.
#' @param run A run whose controller has the true weights of [fit_choice()], or its folder. Default: the
#'   run of the fit.
#' @param ... Not used; further arguments are an error.
#' @return `tidy()`, `glance()` and `augment()` return tibbles. `predict()` returns a numeric
#'   vector: for a death model the probability that the game ends within the next `within` pieces,
#'   for a choice model the value of each candidate. For a curve it returns a tibble with the
#'   columns `lines`, `survival`, `low` and `high`; survival beyond the longest game is `NA` if that
#'   game was censored. `autoplot()` returns a ggplot with [figure_data()].
#' @name model-methods
#' @examples
#' run <- read_tetrastat(example_run("games"))
#' model <- death_model(run, c("height_average", "holes"))
#' tidy(model, exponentiate = TRUE)
#' augment(model, run$placements)
#' curve <- kaplan_meier(run)
#' predict(curve, lines = c(100, 500))
#' autoplot(curve)
NULL

# Returns rows with an `estimate` and its normal `std.error` with their interval, or the exponential
# of both ends.
with_interval <- function(rows, level, exponentiate) {
  reach <- qnorm((1 + check_level(level)) / 2) * rows$std.error
  rows <- mutate(rows, conf.low = .data$estimate - reach, conf.high = .data$estimate + reach)
  if (!exponentiate) return(rows)
  mutate(rows, across(c("estimate", "conf.low", "conf.high"), exp))
}

# Names the rows of a table for the figures of runs.
of_one_run <- function(table, name) mutate(table, run = factor(name), .before = 1)

# Fails if the death model could not be fitted.
check_fitted <- function(x) {
  if (!is.null(x$reason)) fail("there is no death model: ", x$reason)
}

#' @export
print.tetrastat_death <- function(x, ...) {
  if (!is.null(x$reason)) {
    cat("<death model> not fitted: ", x$reason, "\n", sep = "")
  } else {
    cat("<death model> death within ", x$within, " pieces; AUC on held-out games ",
        sprintf("%.3f", x$auc), "\n", sep = "")
    print(x$terms)
  }
  invisible(x)
}

#' @rdname model-methods
#' @export
tidy.tetrastat_death <- function(x, conf.level = 0.95, exponentiate = FALSE, ...) {
  rlang::check_dots_empty()
  check_fitted(x)
  joint <- rename_with(select(x$terms, "term", "group", starts_with("adjusted_")),
                       \(name) sub("^adjusted_", "", name))
  rows <- bind_rows(alone = x$terms[names(joint)], joint = joint, .id = "model") |>
    filter(!is.na(.data$odds_ratio))
  transmute(rows, .data$model, .data$term, .data$group, estimate = log(.data$odds_ratio),
            std.error = log(.data$high / .data$low) / (2 * qnorm(0.975)), p.value = .data$p) |>
    with_interval(conf.level, exponentiate)
}

#' @rdname model-methods
#' @export
glance.tetrastat_death <- function(x, ...) {
  rlang::check_dots_empty()
  check_fitted(x)
  whole <- filter(x$aucs, .data$model == "all groups")
  bind_cols(select(whole, -"model"), as_tibble(x[c("n_train", "deaths_train", "n_test",
                                                   "deaths_test", "within")]))
}

#' @rdname model-methods
#' @export
predict.tetrastat_death <- function(object, newdata, ...) {
  rlang::check_dots_empty()
  check_fitted(object)
  chosen <- names(object$centre)
  check_columns_of(newdata, chosen, "placements")
  x <- scale(as.matrix(newdata[chosen]), object$centre, object$scale)
  plogis(drop(cbind(1, x) %*% object$coefficients))
}

#' @rdname model-methods
#' @export
augment.tetrastat_death <- function(x, newdata, ...) {
  mutate(as_tibble(newdata), .fitted = predict(x, newdata, ...))
}

#' @rdname model-methods
#' @export
autoplot.tetrastat_death <- function(object, ...) {
  rlang::check_dots_empty()
  check_fitted(object)
  tables <- map(list(object$terms, object$calibration, object$aucs, as_tibble(object[c("n_train", "n_test", "deaths_train", "deaths_test", "within")])),
                of_one_run, object$name)
  do.call(figure_death, tables)
}

#' @export
print.tetrastat_stacking <- function(x, ...) {
  cat("<stacking> ", tidy_number(sum(x$counts$n)), " wells, ", x$spacing,
      " placements apart; shuffled columns: ", permutation_p(x$order$p, x$order$replicates), "\n",
      sep = "")
  print(x$counts)
  invisible(x)
}

#' @rdname model-methods
#' @export
tidy.tetrastat_stacking <- function(x, conf.level = 0.95, ...) {
  rlang::check_dots_empty()
  n <- x$counts$n
  ends <- wilson_interval(n, sum(n), qnorm((1 + check_level(conf.level)) / 2))
  transmute(x$counts, term = as.character(.data$pattern), .data$column, n, estimate = .data$share,
            conf.low = ends$low, conf.high = ends$high, .data$expected)
}

#' @rdname model-methods
#' @export
glance.tetrastat_stacking <- method_of_x(\(x) transmute(x$order, wells = sum(x$counts$n), spacing = x$spacing, entropy = x$pooled$entropy,
            tested = .data$n, statistic = .data$chi_square, p.value = .data$p, .data$w))

#' @rdname model-methods
#' @export
autoplot.tetrastat_stacking <- function(object, ...) {
  rlang::check_dots_empty()
  tables <- map(list(object$counts, object$order, tibble(spacing = object$spacing)), of_one_run, object$name)
  do.call(figure_wells, tables)
}

# Turns a fit that dplyr has changed into a plain table, since its columns may no longer match.
#' @export
dplyr_reconstruct.tetrastat_choice <- function(data, template) plain(data)

#' @export
print.tetrastat_choice <- function(x, ...) {
  cat("<choices> ", attr(x, "name"), ": ", tidy_number(x$decisions[1]), " decisions; in ", tidy_number(100 * x$hits[1]),
      " % of them no candidate has a greater value than the chosen one\n", sep = "")
  cat(if (explains_all(x)) "  low to high: range of the weights that explain every choice, no confidence interval\n" else "  low to high: 95 % confidence interval\n")
  free <- x$feature[is.infinite(x$low)]
  if (length(free) > 0) cat("  not determined, because these features always differ alike: ", and_words(free), "\n", sep = "")
  print(as_tibble(unclass(x)[c("feature", "weight", if (!explains_all(x)) "error", "low", "high")]))
  invisible(x)
}

# Returns TRUE if the weights of a fit explain every choice.
explains_all <- function(fit) all(is.na(fit$error))

#' @rdname model-methods
#' @export
tidy.tetrastat_choice <- function(x, conf.level = 0.95, exponentiate = FALSE, ...) {
  rlang::check_dots_empty()
  rows <- tibble(term = x$feature, estimate = x$weight, std.error = x$error)
  if (!explains_all(x)) {
    return(mutate(rows, p.value = 2 * pnorm(-abs(.data$estimate / .data$std.error))) |>
             with_interval(conf.level, exponentiate))
  }
  if (check_level(conf.level) != 0.95) fail("the range of weights that explain every choice is no confidence interval: omit conf.level")
  if (exponentiate) {
    fail("choices without noise do not reveal the scale of the weights, so there are no odds ",
         "ratios: omit exponentiate")
  }
  mutate(rows, conf.low = x$low, conf.high = x$high)
}

#' @rdname model-methods
#' @export
glance.tetrastat_choice <- function(x, run = NULL, ...) {
  rlang::check_dots_empty()
  truth <- if (!is.null(run) || all(x$feature %in% names(attr(x, "truth")))) known_weights(x, run)
  tibble(decisions = x$decisions[1], hits = x$hits[1], features = nrow(x), noisy = !explains_all(x),
         cosine = if (is.null(truth)) NA_real_ else weight_cosine(x, truth))
}

#' @rdname model-methods
#' @export
predict.tetrastat_choice <- function(object, newdata, ...) {
  rlang::check_dots_empty()
  check_columns_of(newdata, object$feature, "candidates")
  drop(as.matrix(newdata[object$feature]) %*% object$weight)
}

#' @rdname model-methods
#' @export
augment.tetrastat_choice <- function(x, newdata, ...) {
  mark_best(as_tibble(newdata), predict(x, newdata, ...))
}

# Returns candidates with their value `.fitted` and `.best`, TRUE for the candidate of each decision
# with the greatest value (the first of equal ones). A candidate that loses the game is never best.
mark_best <- function(candidates, value) {
  check_columns_of(candidates, c("game", "piece_no"), "candidates")
  if ("lost" %in% names(candidates)) value <- replace(value, candidates$lost, NA_real_)
  mutate(candidates, .fitted = value) |>
    group_by(.data$game, .data$piece_no) |>
    mutate(.best = row_number() %in% which.max(.data$.fitted)) |>
    ungroup()
}

#' @rdname model-methods
#' @export
autoplot.tetrastat_choice <- function(object, run = NULL, ...) {
  rlang::check_dots_empty()
  cosine <- glance(object, run)$cosine
  figure_weights(if (is.na(cosine)) object else weights_beside(object, known_weights(object, run)), cosine, attr(object, "name"))
}

# Returns the games of a Kaplan-Meier curve, which its columns determine: lines, censored.
curve_games <- function(curve) {
  n <- curve$at_risk - c(curve$at_risk[-1], 0)
  tibble(lines = rep(curve$lines, n),
         censored = sequence(n) > rep(n - curve$censored, n))
}

# Returns the result of `what` for each curve of a table of curves, grouped by the columns before
# `lines`.
each_curve <- function(curves, what) {
  groups <- names(curves)[seq_len(match("lines", names(curves)) - 1)]
  plain <- as_tibble(unclass(curves)[names(curves)])
  if (length(groups) == 0) return(what(plain))
  each_group(group_by(plain, across(all_of(groups))), what)
}

#' @rdname model-methods
#' @export
tidy.tetrastat_km <- function(x, conf.level = NULL, ...) {
  rlang::check_dots_empty()
  if (!is.null(conf.level)) {
    check_level(conf.level)
    x <- each_curve(x, \(curve) survival_curve(curve_games(curve), conf.level))
  }
  each_curve(x, \(curve) {
    n <- curve$at_risk - c(curve$at_risk[-1], 0)
    transmute(curve, time = .data$lines, n.risk = .data$at_risk, n.event = n - .data$censored,
              n.censor = .data$censored, estimate = .data$survival, conf.low = .data$low,
              conf.high = .data$high)
  })
}

#' @rdname model-methods
#' @export
glance.tetrastat_km <- method_of_x(\(x) each_curve(x, \(curve) {
    played <- curve_games(curve)
    bind_cols(tibble(games = nrow(played), ended = sum(!played$censored)), median_lines(played),
              restricted_mean(played))
  }))

#' @rdname model-methods
#' @export
predict.tetrastat_km <- function(object, lines, ...) {
  rlang::check_dots_empty()
  each_curve(object, \(curve) {
    beyond <- lines > max(curve$lines) & tail(curve$survival, 1) > 0
    row <- replace(findInterval(lines, curve$lines), beyond, NA_integer_)
    bind_cols(tibble(lines = .env$lines), curve[row, c("survival", "low", "high")])
  })
}

#' @rdname model-methods
#' @export
autoplot.tetrastat_km <- function(object, ...) {
  rlang::check_dots_empty()
  life <- each_curve(object, \(curve) {
    own <- curve_games(curve)
    ended <- sum(!own$censored)
    tibble(games = nrow(own), ended, mean = if (ended > 0) sum(own$lines) / ended else NA_real_, low = NA_real_, high = NA_real_, longest = max(own$lines))
  })
  figure_survival(object, life)
}
