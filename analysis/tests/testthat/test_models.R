# The death model and the choice model on simulated data, then on games of the engine.

test_that("the death model recovers a known hazard and finds no effect of noise", {
  made <- made_deaths(400)
  rows <- risk_periods(made$placements, made$games, c("danger", "noise"), within = 1)
  expect_equal(sum(rows$dies), sum(!made$games$censored))
  fit <- glm(dies ~ danger + noise, binomial, rows)
  error <- sqrt(diag(vcov(fit)))
  expect_lt(abs(coef(fit)[["danger"]] - 0.7) / error[["danger"]], 3)
  expect_lt(abs(coef(fit)[["noise"]]) / error[["noise"]], 3)
})

test_that("the death model is calibrated on held-out games", {
  made <- made_deaths(400)
  model <- death_model(made$placements, made$games, c("danger", "noise"), within = 1)
  expect_gt(model$auc, 0.7)
  expect_equal(model$deaths_train + model$deaths_test, sum(!made$games$censored))
  expect_equal(sum(model$calibration$deaths), model$deaths_test)
  expect_lt(abs(sum(model$calibration$predicted * model$calibration$n) / model$deaths_test - 1), 0.35)
  expect_match(death_model(made$placements[1:500, ], made$games, "danger")$reason, "deaths")
})

test_that("the last periods of a censored game are dropped", {
  p <- tibble(game = 0, piece_no = 1:100, x = rnorm(100))
  rows <- risk_periods(p, tibble(game = 0, pieces = 100, censored = TRUE), "x", within = 20)
  expect_equal(nrow(rows), 3)
  expect_equal(sum(risk_periods(p, tibble(game = 0, pieces = 100, censored = FALSE), "x", within = 20)$dies), 1)
})

test_that("the risk by groups counts the deaths of each group once", {
  made <- made_deaths(200)
  boards <- mutate(made$placements, dangerous = danger > 5, low = danger)
  found <- death_risk(boards, made$games, "dangerous", within = 1)
  expect_equal(found$dangerous, c(FALSE, TRUE))
  expect_equal(sum(found$deaths), sum(!made$games$censored))
  expect_equal(found$risk, found$deaths / found$periods)
  expect_true(all(found$low < found$risk & found$risk < found$high))
  expect_lt(found$high[1], found$low[2])
  expect_error(death_risk(boards, made$games, "absent"), "absent")
  expect_error(death_risk(boards, made$games, "low"), "rename the column low")
})

test_that("the AUC equals a hand-computed value", expect_equal(auc(c(1, 2, 3, 4), c(FALSE, TRUE, FALSE, TRUE)), 0.75))

weights <- c(a = -1.5, b = 0.8, c = 0, d = 2)

test_that("weights of noisy choices recover the truth and equal those of survival::clogit", {
  made <- made_candidates(600, weights)
  fit <- fit_choice(made, names(weights))
  expect_true(all(abs(fit$weight - weights) / fit$error < 3.5))
  coxph <- survival::coxph # clogit calls these without their namespace
  Surv <- survival::Surv
  strata <- survival::strata
  clogit <- survival::clogit(chosen ~ a + b + c + d + strata(piece_no), data = made)
  expect_equal(fit$weight, unname(coef(clogit)), tolerance = 1e-3)
  expect_equal(fit$error, unname(sqrt(diag(vcov(clogit)))), tolerance = 1e-3)
})

test_that("weights of a controller without noise are proportional to the truth", {
  fit <- fit_choice(made_candidates(600, weights, noise = 0), names(weights), ridge = 1e-5)
  expect_gt(weight_cosine(fit, weights), 0.9999)
  expect_gt(mean(fit$hits), 0.995)
})

test_that("ranges of weights cover the truth at the stated rate for choices without noise", {
  need_long()
  truths <- with_seed(3, map(1:16, \(i) set_names(rnorm(4), names(weights))))
  holds <- imap(truths, \(truth, i) {
    fit <- fit_choice(made_candidates(40, truth, noise = 0, seed = i), names(truth), ridge = 1e-5)
    in_sds <- truth * fit$scale / sqrt(sum((truth * fit$scale)^2))
    fit$low * fit$scale <= in_sds & in_sds <= fit$high * fit$scale
  })
  expect_gte(mean(unlist(holds)), 0.87) # 0.95 expected; below 0.87 of 64 once in 100 runs
  wide <- fit_choice(made_candidates(40, weights, noise = 0), names(weights), ridge = 1e-5)
  narrow <- fit_choice(made_candidates(400, weights, noise = 0), names(weights), ridge = 1e-5)
  expect_lt(max(narrow$high - narrow$low), 0.3 * max(wide$high - wide$low)) # ten times as many choices give a tenth of the width
})

test_that("if no weights explain all choices, the ridge estimate is returned without ranges", {
  expect_warning(fit <- fit_choice(made_candidates(300, weights), names(weights), ridge = 1e-4), "no weights explain")
  expect_true(all(is.na(fit$low)))
  expect_gt(weight_cosine(fit, weights), 0.98)
})

test_that("separated choices without a ridge give an error with the remedy", {
  expect_error(fit_choice(made_candidates(100, weights, noise = 0), names(weights)), "--ridge")
})

test_that("unusable decisions are dropped, and no usable decision is an error", {
  made <- made_candidates(10, weights) |> mutate(lost = piece_no == 1)
  expect_equal(max(choice_data(made, names(weights))$decision), 9)
  expect_error(choice_data(mutate(made, chosen = FALSE), names(weights)), "no decision")
})

test_that("weights of choices without noise lie inside their intervals", {
  candidates <- read_candidates(example_run("choices"))
  truth <- true_weights(read_run(example_run("choices")))
  fit <- fit_choice(candidates, names(truth), ridge = 1e-5, draws = 300)
  expect_true(all(fit$low <= fit$weight & fit$weight <= fit$high))
  compared <- compare_weights(fit, truth)
  expect_true(all(compared$low <= compared$recovered & compared$recovered <= compared$high))
  expect_gt(weight_cosine(fit, truth), 0.98)
})

test_that("ties are accepted: candidates of equal value that are chosen at random", {
  truth <- c(a = -1, b = 1, c = -4)
  made <- with_seed(3, {
    x <- matrix(sample(0:4, 3 * 400 * 8, replace = TRUE), ncol = 3, dimnames = list(NULL, names(truth)))
    tibble(game = 0, piece_no = rep(1:400, each = 8), as_tibble(x), value = drop(x %*% truth), luck = runif(400 * 8))
  }) |> group_by(.data$piece_no) |> mutate(chosen = rank(-(.data$value + 1e-6 * .data$luck)) == 1) |> ungroup()
  ties <- made |> group_by(.data$piece_no) |> summarise(tied = sum(.data$value == max(.data$value)) > 1)
  expect_gt(mean(ties$tied), 0.05)
  expect_silent(fit <- fit_choice(made, names(truth), ridge = 1e-5, draws = 200))
  expect_gt(weight_cosine(fit, truth), 0.999)
  expect_equal(unique(fit$hits), 1)
  expect_false(anyNA(fit$low))
  noisy <- made_candidates(60, c(a = -1.5, b = 0.8), k = 6)
  expect_warning(none <- fit_choice(noisy, c("a", "b"), ridge = 1e-3), "no weights explain every choice")
  expect_true(all(is.na(none$low)))
})
