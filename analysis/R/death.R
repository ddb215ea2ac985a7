# A discrete-time hazard model of death within a number of pieces, fitted by logistic regression.

# Returns one row per game and period of `within` pieces: the predictors at the start of the period,
# and `dies`, TRUE if the game ends within the period. Periods do not overlap, so a game contributes
# at most one death. The last periods of a censored game are dropped because their outcome is
# unknown. The fatal placement itself is dropped as well.
risk_periods <- function(placements, games, predictors, within = 20, every = 1) {
  step <- every * ceiling(within / every)
  game <- match(placements$game, games$game)
  left <- games$pieces[game] - placements$piece_no
  keep <- placements$piece_no %% step == 0 & left > 0 & !(games$censored[game] & left <= within)
  keep <- keep & rowSums(is.na(placements[predictors])) == 0
  placements[keep, ] |>
    transmute(game = .data$game, dies = left[keep] <= within, across(all_of(predictors)))
}

# Groups of features that measure nearly the same property of a board. The first available feature
# of a group represents it.
predictor_groups <- list(
  height = c("height_average", "height_top", "mean_height", "max_height", "aggregate_height", "landing_height"),
  holes = c("holes", "rows_with_holes", "hole_depth", "hole_weighted_depth", "cavities", "overhangs", "column_transitions"),
  surface = c("height_bumpiness", "bumpiness", "row_transitions", "ok_pieces", "pattern_diversity"),
  wells = c("well_depth", "wells", "cumulative_wells", "i_dependencies")
)

# Returns the group of each feature, by its name or by words in the name; "other" if nothing
# matches.
group_of <- function(predictors) {
  exact <- set_names(rep(names(predictor_groups), lengths(predictor_groups)), unlist(predictor_groups))
  by_words <- \(name) if (grepl("hole|cavit|covered", name)) "holes" else if (grepl("well|depend", name)) "wells"
    else if (grepl("height", name)) "height" else if (grepl("transition|bump|surface|step", name)) "surface" else "other"
  unname(coalesce(exact[predictors], map_chr(predictors, by_words)))
}

# Returns one predictor of each group, by the same rule for every run: the group's first feature.
# All features of "other" are returned.
representatives <- function(predictors) {
  groups <- group_of(predictors)
  first <- map_chr(setdiff(unique(groups), "other"), \(group) {
    own <- predictors[groups == group]
    own[order(match(own, predictor_groups[[group]]))][1]
  })
  predictors[predictors %in% c(first, predictors[groups == "other"])]
}

# Standardises each predictor by its mean and SD in `reference`.
standardise <- function(rows, reference, predictors) {
  mutate(rows, across(all_of(predictors), \(x) {
    from <- reference[[cur_column()]]
    (x - mean(from)) / sd(from)
  }))
}

# Returns the area under the ROC curve; `concordance` of survival counts ties by half.
auc <- function(score, event) unname(survival::concordance(as.numeric(event) ~ score)$concordance)

# Returns the area under the ROC curve with its 95 % interval on the logit scale, clustered by game.
auc_interval <- function(score, event, game) {
  found <- survival::concordance(as.numeric(event) ~ score, cluster = game)
  value <- unname(found$concordance)
  error <- sqrt(drop(found$var)) / (value * (1 - value))
  ends <- plogis(qlogis(value) + c(-1, 1) * qnorm(0.975) * error)
  tibble(auc = value, auc_low = ends[1], auc_high = ends[2])
}

# Returns observed and predicted deaths in `bins` groups by predicted risk. Each group has the same
# number of expected deaths; groups of equal size would put nearly every death into one group.
calibration <- function(risk, event, bins = 6) {
  tibble(risk, event) |>
    arrange(.data$risk) |>
    mutate(bin = pmin(floor(cumsum(.data$risk) / sum(.data$risk) * bins) + 1, bins)) |>
    group_by(.data$bin) |>
    summarise(predicted = mean(.data$risk), n = n(), deaths = sum(.data$event), .groups = "drop") |>
    mutate(wilson_interval(.data$deaths, .data$n))
}

#' Model of death within the next pieces
#'
#' Fits a discrete-time hazard model. The outcome is whether a game ends within the next `within`
#' pieces; the predictors are features of the board at the start of non-overlapping periods of
#' `within` pieces. It is a logistic regression with standard errors clustered by game.
#'
#' The model is fitted on three quarters of the games and evaluated on the others; games are split,
#' not rows. Features that measure nearly the same property are not dropped. Each feature has its
#' odds ratio in a model of its own. A joint model contains one representative of each group
#' (height, holes, surface, wells) and all features outside these groups.
#'
#' @param x A run with placements, or its folder.
#' @param predictors A character vector: names of columns of the placements.
#' @param within A whole number: pieces in a period.
#' @param seed A whole number: random seed of the split into training and test games.
#' @return A `tetrastat_death`, a list with the methods of [model-methods]:
#' * `terms`: a tibble with one row per predictor. `group` is its group. `odds_ratio`, `low` and
#'   `high` are the odds ratio per standard deviation of the feature alone, with its 95 % interval.
#'   The same columns with the prefix `adjusted_` belong to the joint model, and `vif` is the
#'   variance inflation factor there. Both are `NA` for features that another one represents.
#' * `aucs`: a tibble with one row per model (the joint model, and the representative of each group
#'   alone): area under the ROC curve on the held-out games, with its interval.
#' * `auc`, `calibration`: area under the ROC curve, and observed and predicted deaths, of the joint
#'   model.
#' * `n_train`, `n_test`, `deaths_train`, `deaths_test`, `within`: counts.
#' * `coefficients`, `centre`, `scale`: the joint model: its intercept and its coefficients per
#'   standard deviation, and mean and standard deviation of each feature.
#'
#' If the data are insufficient (fewer than 30 deaths, or fewer than 5 per predictor), the result is
#' a list with the single element `reason`.
#' @examples
#' death_model(example_run("games"), c("height_average", "holes"))
#' @export
death_model <- function(x, predictors, within = 20, seed = 1) {
  run <- as_run(x)
  placements <- placements_of(run, c("game", "piece_no", predictors))
  check_count(within, "within")
  death_fit(placements, run$games, predictors, within, run$every, seed, run$name)
}

death_fit <- function(placements, games, predictors, within = 20, every = 1, seed = 1, name = "run") {
  rows <- risk_periods(placements, games, predictors, within, every)
  if (sum(rows$dies) < 30) {
    return(no_model("only ", sum(rows$dies), " deaths in ", nrow(rows),
        " logged periods, but at least 30 are needed"))
  }
  split <- split_games(rows, 0.75, seed)
  train <- split$train
  test <- split$test
  if (sum(test$dies) < 5) return(no_model("fewer than 5 deaths among the held-out games"))
  predictors <- keep(predictors, \(name) sd(train[[name]]) > 0)
  chosen <- representatives(predictors)
  if (sum(train$dies) < 5 * length(chosen)) { # Vittinghoff & McCulloch 2007: 5 to 9 events per predictor suffice
    return(no_model("only ", sum(train$dies), " deaths to fit ", length(chosen),
        " predictors, but at least 5 per predictor are needed"))
  }
  standard <- standardise(train, train, predictors)
  held_out <- standardise(test, train, predictors)
  fit <- fit_logistic(chosen, standard)
  risk <- predict(fit, held_out, type = "response")
  alone <- map(set_names(predictors), \(name) fit_logistic(name, standard))
  terms <- bind_rows(map(alone, odds_ratios, game = train$game)) |>
    left_join(rename_with(odds_ratios(fit, train$game), \(name) paste0("adjusted_", name), -"term"), by = "term") |>
    mutate(group = group_of(.data$term), vif = inflation(standard[chosen])[.data$term], .after = "term")
  baselines <- bind_rows(map(set_names(chosen), \(name) auc_interval(predict(alone[[name]], held_out), test$dies, test$game)), .id = "model")
  found <- list(name = name, terms = terms, aucs = bind_rows(mutate(auc_interval(risk, test$dies, test$game), model = "all groups", .before = 1), baselines),
       auc = auc(risk, test$dies), calibration = calibration(risk, test$dies),
       n_train = nrow(train), n_test = nrow(test), deaths_train = sum(train$dies),
       deaths_test = sum(test$dies), within = within, coefficients = unname(coef(fit)),
       centre = map_dbl(train[chosen], mean), scale = map_dbl(train[chosen], sd))
  structure(found, class = "tetrastat_death")
}

no_model <- function(...) structure(list(reason = paste0(...)), class = "tetrastat_death")

# Splits games, not rows, into list(train, test).
split_games <- function(rows, share, seed) {
  games <- unique(rows$game)
  taken <- with_seed(seed, sample(games, round(share * length(games))))
  list(train = filter(rows, .data$game %in% taken), test = filter(rows, !.data$game %in% taken))
}

fit_logistic <- function(predictors, rows) suppressWarnings(glm(reformulate(sprintf("`%s`", predictors), "dies"), binomial, rows))

# Returns variance inflation factors: the diagonal of the inverse of the correlation matrix.
inflation <- function(x) {
  if (ncol(x) < 2) return(set_names(1, names(x)))
  inverse <- tryCatch(solve(cor(x)), error = \(e) matrix(Inf, ncol(x), ncol(x)))
  set_names(diag(inverse), names(x))
}

# Returns odds ratios with 95 % intervals, clustered by game because the periods of a game are not
# independent: tibble(term, odds_ratio, low, high, p).
odds_ratios <- function(fit, game) {
  x <- model.matrix(fit)
  score <- rowsum(x * (fit$y - fit$fitted.values), game)
  bread <- vcov(fit)
  n <- nrow(score)
  covariance <- bread %*% crossprod(score) %*% bread * n / max(1, n - 1)
  estimate <- coef(fit)[-1]
  error <- sqrt(diag(covariance))[-1]
  tibble(term = gsub("`", "", names(estimate)), odds_ratio = exp(unname(estimate)), low = exp(unname(estimate - qnorm(0.975) * error)),
         high = exp(unname(estimate + qnorm(0.975) * error)), p = unname(2 * pnorm(-abs(estimate / error))))
}
