# Methods of the death model, of stacking, of the choice model and of Kaplan-Meier curves.

lee <- function() read_run(example_run("games"))
lee_model <- function() {
  run <- lee()
  death_model(run, c("height_average", "holes", "wells"))
}

test_that("tidy, glance and predict of the death model agree with its tables", {
  run <- lee()
  model <- lee_model()
  rows <- tidy(model, exponentiate = TRUE)
  expect_equal(rows$estimate, c(model$terms$odds_ratio, model$terms$adjusted_odds_ratio))
  expect_equal(rows$conf.low, c(model$terms$low, model$terms$adjusted_low))
  expect_equal(rows$model, rep(c("alone", "joint"), each = 3))
  expect_equal(tidy(model)$estimate, log(rows$estimate))
  expect_gt(tidy(model, conf.level = 0.99)$conf.high[1], tidy(model)$conf.high[1])
  expect_equal(glance(model)$auc, model$auc)
  # The risks of the held-out periods give the area under the ROC curve of the model.
  periods <- risk_periods(run$placements, run$games, names(model$centre), every = run$every)
  test <- split_games(periods, 0.75, 1)$test
  risk <- predict(model, test)
  expect_equal(auc(risk, test$dies), model$auc)
  expect_equal(augment(model, test)$.fitted, risk)
  expect_equal(sum(risk), sum(model$calibration$predicted * model$calibration$n))
  expect_error(predict(model, select(test, -"holes")), "no column holes", class = "tetrastat_error")
  expect_output(print(model), "death within 20 pieces; AUC on held-out games 0[.]")
})

test_that("a death model that could not be fitted says so in every method", {
  run <- lee()
  run$placements <- run$placements[1:100, ]
  none <- death_model(run, "holes")
  expect_output(print(none), "not fitted: only .* deaths")
  for (method in list(tidy, glance, autoplot, \(x) predict(x, run$placements))) {
    expect_error(method(none), "there is no death model: only", class = "tetrastat_error")
  }
})

test_that("methods of stacking return its shares and its test", {
  run <- lee()
  found <- stacking(run)
  rows <- tidy(found)
  expect_equal(rows$conf.low, found$counts$low)
  expect_equal(rows$estimate, found$counts$share)
  expect_true(all(tidy(found, conf.level = 0.5)$conf.low > rows$conf.low))
  expect_equal(glance(found)$p.value, found$order$p)
  expect_equal(glance(found)$wells, sum(found$counts$n))
  expect_output(print(found), "1,040 wells, 20 placements apart")
})

test_that("methods of noisy choices have intervals at any level, and odds ratios", {
  weights <- c(a = -1.5, b = 0.8)
  made <- made_candidates(300, weights)
  fit <- choice_fit(made, names(weights))
  rows <- tidy(fit)
  expect_equal(rows$conf.low, fit$low)
  expect_equal(tidy(fit, exponentiate = TRUE)$estimate, exp(fit$weight))
  expect_lt(tidy(fit, conf.level = 0.5)$conf.high[1], rows$conf.high[1])
  expect_true(glance(fit)$noisy)
  found <- augment(fit, made)
  expect_equal(found$.fitted, made$a * fit$weight[1] + made$b * fit$weight[2])
  expect_equal(mean(found$.best[made$chosen]), fit$hits[1])
  expect_equal(sum(found$.best), 300)
  expect_error(predict(fit, made["a"]), "no column b", class = "tetrastat_error")
})

test_that("methods of choices without noise refuse what these do not reveal", {
  weights <- c(a = -1.5, b = 0.8)
  fit <- choice_fit(made_candidates(60, weights, noise = 0), names(weights))
  expect_equal(tidy(fit)$conf.high, fit$high)
  expect_error(tidy(fit, conf.level = 0.9), "no confidence interval", class = "tetrastat_error")
  expect_error(tidy(fit, exponentiate = TRUE), "do not reveal the scale", class = "tetrastat_error")
  expect_false(inherits(mutate(fit, weight = 0), "tetrastat_choice"))
  expect_output(print(fit), "range of the weights that explain every choice, no confidence interval")
  expect_error(compare_weights(fit), "no single vector of weights", class = "tetrastat_error")
})

test_that("a candidate that loses the game is never the best, and the first of equal ones is", {
  candidates <- tibble(game = 0, piece_no = c(1, 1, 1, 2, 2),
                       lost = c(TRUE, FALSE, FALSE, FALSE, FALSE))
  expect_equal(mark_best(candidates, c(9, 1, 2, 3, 3))$.best, c(FALSE, FALSE, TRUE, TRUE, FALSE))
})

test_that("a curve contains its games: tidy and glance equal survfit", {
  games <- tibble(lines = c(3, 5, 5, 8, 8, 9), censored = c(FALSE, FALSE, TRUE, FALSE, FALSE, TRUE))
  curve <- survival_curve(games)
  expect_equal(arrange(curve_games(curve), .data$lines, .data$censored),
               arrange(games, .data$lines, .data$censored))
  rows <- tidy(curve)
  expect_equal(rows$n.event, c(0, 1, 1, 2, 0))
  expect_equal(rows$n.censor, c(0, 0, 1, 0, 1))
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.int = 0.8,
                           conf.type = "log-log")
  expect_equal(tidy(curve, conf.level = 0.8)$conf.low[-1], fit$lower)
  expect_equal(glance(curve)$ended, 4)
  expect_equal(glance(curve)$median, 8)
  expect_equal(predict(curve, c(0, 4, 5, 20))$survival, c(1, 5 / 6, 2 / 3, NA))
})

test_that("curves of several runs keep their groups in every method", {
  study <- read_study(example_run("study"))
  curves <- kaplan_meier(study)
  expect_equal(glance(curves)$rmst, lifetimes(study)$rmst)
  expect_equal(glance(curves)$run, factor(c("greedy", "next")))
  expect_equal(predict(curves, 100)$run, factor(c("greedy", "next")))
  figure <- autoplot(curves)
  expect_match(caption(figure), "greedy \\(80 games, 80 finished\\), next \\(80 games, 14")
})

test_that("figure_survival counts the games at risk", {
  games <- lee()$games
  figure <- figure_survival(kaplan_meier(lee()), lifetimes(lee()))
  expect_match(caption(figure), "lee \\(200 games, 200 finished\\)")
  at_risk <- keep(figure_data(figure), \(table) setequal(names(table), c("run", "lines", "games")))
  expect_length(at_risk, 1)
  expect_equal(at_risk[[1]]$games, map_dbl(at_risk[[1]]$lines, \(x) sum(games$lines >= x)))
})

test_that("every model has a figure without faults of its texts", {
  run <- lee()
  fit <- fit_choice(example_run("choices"))
  figures <- list(autoplot(lee_model()), autoplot(stacking(run)),
                  autoplot(choice_fit(made_candidates(60, c(a = 1, b = 2)), c("a", "b"))), autoplot(fit), autoplot(kaplan_meier(run)))
  for (figure in figures) expect_match(caption(figure), "^n = ")
  expect_false(any(map_lgl(figure_data(figures[[3]]), \(table) "true" %in% table[["which"]])))
})

test_that("tidy of a comparison recomputes intervals, and returns logarithms", {
  compared <- compare_runs(read_study(example_run("study")), "rmst")
  rows <- tidy(compared)
  expect_equal(rows$conf.low, compared$low)
  expect_gt(tidy(compared, conf.level = 0.5)$conf.low, rows$conf.low)
  expect_equal(tidy(compared, exponentiate = FALSE)$estimate, log(compared$ratio))
})

test_that("model methods reject unknown arguments", {
  things <- list(lee_model(), stacking(lee()), kaplan_meier(lee()))
  for (thing in things) {
    for (method in list(tidy, glance, autoplot)) {
      expect_error(method(thing, log = TRUE), class = "rlib_error_dots_nonempty")
    }
  }
})
