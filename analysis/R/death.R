# Which features foretell death within n pieces: a discrete-time hazard model, fitted by glm.

#' One row per game and period of `within` pieces: the predictors at the period's start and
#' `dies`, whether the game ends within the next `within` pieces. Periods do not overlap, so a game
#' contributes at most one death; the last periods of a censored game, whose outcome is unknown,
#' are left out, and so is the fatal placement itself.
risk_periods <- function(placements, games, predictors, within = 20, every = 1) {
  step <- every * ceiling(within / every)
  game <- match(placements$game, games$game)
  left <- games$pieces[game] - placements$piece_no
  keep <- placements$piece_no %% step == 0 & left > 0 & !(games$censored[game] & left <= within)
  keep <- keep & rowSums(is.na(placements[predictors])) == 0
  placements[keep, ] |>
    transmute(game = .data$game, dies = left[keep] <= within, across(all_of(predictors)))
}

#' Predictors worth fitting: those that vary and are not (nearly) another one already taken.
usable_predictors <- function(rows, predictors, limit = 0.98) {
  varying <- keep(predictors, \(name) sd(rows[[name]]) > 0)
  reduce(varying, .init = character(), \(taken, name) {
    twin <- some(taken, \(other) abs(cor(rows[[name]], rows[[other]])) > limit)
    if (twin) taken else c(taken, name)
  })
}

#' Rows with each predictor in SDs from its mean over `reference`.
standardise <- function(rows, reference, predictors) {
  mutate(rows, across(all_of(predictors), \(x) {
    from <- reference[[cur_column()]]
    (x - mean(from)) / sd(from)
  }))
}

#' Area under the ROC curve by ranks (Mann-Whitney).
auc <- function(score, event) {
  ranks <- rank(score)
  positive <- sum(event)
  negative <- sum(!event)
  (sum(ranks[event]) - positive * (positive + 1) / 2) / (positive * negative)
}

#' Observed against predicted deaths in `bins` groups by predicted risk, each with the same number
#' of expected deaths (groups of equal size would put nearly every death into one).
calibration <- function(risk, event, bins = 6) {
  tibble(risk, event) |>
    arrange(.data$risk) |>
    mutate(bin = pmin(floor(cumsum(.data$risk) / sum(.data$risk) * bins) + 1, bins)) |>
    group_by(.data$bin) |>
    summarise(predicted = mean(.data$risk), n = n(), deaths = sum(.data$event), .groups = "drop") |>
    mutate(wilson_interval(.data$deaths, .data$n))
}

#' Fits the model on three quarters of the games and judges it on the others:
#' list(terms = odds ratios per SD, auc, calibration, n_train, n_test, deaths_train, deaths_test,
#' within), or list(reason) when the data cannot carry it.
death_model <- function(placements, games, predictors, within = 20, every = 1, seed = 1) {
  rows <- risk_periods(placements, games, predictors, within, every)
  if (sum(rows$dies) < 30) {
    return(list(reason = paste0("only ", sum(rows$dies), " deaths in ", nrow(rows),
        " logged periods; at least 30 are needed")))
  }
  split <- with_seed(seed, rsample::group_initial_split(rows, group = "game", prop = 0.75))
  train <- rsample::training(split)
  test <- rsample::testing(split)
  if (sum(test$dies) < 5) return(list(reason = "fewer than 5 deaths among the games held out"))
  predictors <- usable_predictors(train, predictors)
  if (sum(train$dies) < 5 * length(predictors)) { # Vittinghoff & McCulloch 2007: 5 to 9 events a predictor suffice
    return(list(reason = paste0("only ", sum(train$dies), " deaths to fit ", length(predictors),
        " predictors; at least 5 for each are needed")))
  }
  fit <- fit_logistic(reformulate(sprintf("`%s`", predictors), "dies"), standardise(train, train, predictors))
  risk <- predict(fit, standardise(test, train, predictors), type = "response")
  list(terms = odds_ratios(fit), auc = auc(risk, test$dies), calibration = calibration(risk, test$dies),
       n_train = nrow(train), n_test = nrow(test), deaths_train = sum(train$dies),
       deaths_test = sum(test$dies), within = within)
}

#' The logistic regression as a glm: through parsnip where tidymodels is installed, so that its users
#' find their model here, else by glm itself. The numbers are the same.
fit_logistic <- function(formula, rows, tidy = requireNamespace("parsnip", quietly = TRUE)) {
  if (!tidy) return(glm(formula, binomial, rows))
  rows <- mutate(rows, dies = factor(.data$dies, c(FALSE, TRUE)))
  parsnip::logistic_reg() |> parsnip::set_engine("glm") |> parsnip::fit(formula, data = rows) |>
    parsnip::extract_fit_engine()
}

#' Odds ratios with Wald 95 % intervals: tibble(term, odds_ratio, low, high, p).
odds_ratios <- function(fit) {
  broom::tidy(fit) |>
    filter(.data$term != "(Intercept)", !is.na(.data$estimate)) |>
    transmute(term = gsub("`", "", .data$term), odds_ratio = exp(.data$estimate),
              low = exp(.data$estimate - 1.96 * .data$std.error),
              high = exp(.data$estimate + 1.96 * .data$std.error), p = .data$p.value)
}
