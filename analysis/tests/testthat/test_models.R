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
  made <- do.call(made_run, rev(made_deaths(400)))
  model <- death_model(made, c("danger", "noise"), within = 1)
  expect_gt(model$auc, 0.7)
  expect_equal(model$deaths_train + model$deaths_test, sum(!made$games$censored))
  expect_equal(sum(model$calibration$deaths), model$deaths_test)
  expect_lt(abs(sum(model$calibration$predicted * model$calibration$n) / model$deaths_test - 1), 0.35)
  expect_match(death_model(made_run(made$placements[1:500, ], made$games), "danger")$reason, "deaths")
})

test_that("the last periods of a censored game are dropped", {
  p <- tibble(game = 0, piece_no = 1:100, x = rnorm(100))
  rows <- risk_periods(p, tibble(game = 0, pieces = 100, censored = TRUE), "x", within = 20)
  expect_equal(nrow(rows), 3)
  expect_equal(sum(risk_periods(p, tibble(game = 0, pieces = 100, censored = FALSE), "x", within = 20)$dies), 1)
})

test_that("the risk by groups counts the deaths of each group once", {
  made <- made_deaths(200)
  run <- made_run(mutate(made$placements, dangerous = danger > 5, low = danger), made$games)
  found <- risk(run, "dangerous", within = 1)
  expect_equal(found$dangerous, c(FALSE, TRUE))
  expect_equal(sum(found$deaths), sum(!made$games$censored))
  expect_equal(found$risk, found$deaths / found$periods)
  expect_true(all(found$low < found$risk & found$risk < found$high))
  expect_lt(found$high[1], found$low[2])
  expect_equal(risk(list(a = run, b = run), "dangerous", within = 1)$run, factor(c("a", "a", "b", "b")))
  expect_error(risk(run, "absent"), "absent", class = "tetrastat_error")
  expect_error(risk(run, "low"), "rename the column low", class = "tetrastat_error")
  expect_error(risk(run, "dangerous", outcome = "tetris"), "needs by", class = "tetrastat_error")
  survivors <- made_run(run$placements, mutate(made$games, censored = TRUE))
  for (by in c("dangerous", "well")) {
    if (by == "well") survivors$placements <- mutate(survivors$placements, h0 = 1L, h1 = 3L, holes = 0, height_average = 2)
    expect_error(risk(survivors, by), "no death in the .* play until games end", class = "tetrastat_error")
  }
})

test_that("the AUC equals a hand-computed value", expect_equal(auc(c(1, 2, 3, 4), c(FALSE, TRUE, FALSE, TRUE)), 0.75))

weights <- c(a = -1.5, b = 0.8, c = 0, d = 2)

test_that("weights of noisy choices recover the truth and equal those of survival::clogit", {
  made <- made_candidates(600, weights)
  fit <- choice_fit(made, names(weights))
  expect_true(all(abs(fit$weight - weights) / fit$error < 3.5))
  coxph <- survival::coxph # clogit calls these without their namespace
  Surv <- survival::Surv
  strata <- survival::strata
  clogit <- survival::clogit(chosen ~ a + b + c + d + strata(piece_no), data = made)
  expect_equal(fit$weight, unname(coef(clogit)), tolerance = 1e-3)
  expect_equal(fit$error, unname(sqrt(diag(vcov(clogit)))), tolerance = 1e-3)
})

# Returns the weights on the scale of a fit of choices without noise.
on_scale <- function(truth, fit) unname(truth[fit$feature] / sum(truth[fit$feature] * fit$advantage))

# Returns TRUE for each weight inside the range of a fit.
in_range <- function(truth, fit) {
  expected <- on_scale(truth, fit)
  fit$low <= expected & expected <= fit$high
}

test_that("weights of a controller without noise are proportional to the truth, and the range has it for sure", {
  fit <- choice_fit(made_candidates(600, weights, noise = 0), names(weights), weights)
  expect_gt(glance(fit)$cosine, 0.9999)
  expect_equal(unique(fit$hits), 1)
  expect_equal(sum(fit$weight * fit$advantage), 1)
  for (i in 1:16) {
    truth <- set_names(with_seed(i, rnorm(4)), names(weights))
    expect_true(all(in_range(truth, choice_fit(made_candidates(40, truth, noise = 0, seed = i), names(truth)))))
  }
  wide <- choice_fit(made_candidates(40, weights, noise = 0), names(weights))
  narrow <- choice_fit(made_candidates(400, weights, noise = 0), names(weights))
  expect_lt(max(narrow$high - narrow$low), 0.3 * max(wide$high - wide$low)) # ten times as many choices give a tenth of the width
})

test_that("the ends of a range explain every choice, and nothing beyond them does", {
  made <- made_candidates(30, c(a = -1, b = 0.5, c = 0.2), noise = 0)
  data <- choice_data(made, c("a", "b", "c"))
  fit <- choice_fit(made, c("a", "b", "c"))
  rows <- choice_differences(data)
  scale <- choice_advantage(data)
  inside <- explaining_point(rows, scale)
  for (sign in c(-1, 1)) {
    end <- furthest_point(sign * c(1, 0, 0), rows, scale, inside)
    expect_gt(min(rows %*% end), -1e-8)
    expect_equal(end[[1]] / data$scale[["a"]], if (sign < 0) fit$low[1] else fit$high[1], tolerance = 1e-6)
    grid <- expand.grid(b = seq(-3, 3, 0.02), c = seq(-3, 3, 0.02)) # no other weights explain the choices with a beyond its end
    beyond <- cbind(end[1] + sign * 0.02, as.matrix(grid))
    beyond <- beyond[abs(beyond %*% scale - 1) < 0.02, ]
    expect_gt(nrow(beyond), 100)
    expect_lt(max(apply(beyond %*% t(rows), 1, min)), 0)
  }
})

# Returns the candidates of `n` decisions with whole features, which tie often. `break_tie` chooses among tied ones.
made_ties <- function(truth, n, seed, break_tie) {
  x <- with_seed(seed, matrix(sample(0:4, length(truth) * n * 8, replace = TRUE), ncol = length(truth), dimnames = list(NULL, names(truth))))
  luck <- with_seed(seed + 1, break_tie(8 * n))
  tibble(game = 0, piece_no = rep(seq_len(n), each = 8), as_tibble(x), value = drop(x %*% truth), luck) |>
    group_by(.data$piece_no) |>
    mutate(chosen = row_number() == order(-.data$value, .data$luck)[1], tied = sum(.data$value == max(.data$value)) > 1) |>
    ungroup()
}

test_that("ties are accepted, whether they are broken by chance or always the same way", {
  truth <- c(a = -1, b = 1, c = -4)
  for (rule in list(runif, seq_len, \(n) -seq_len(n))) for (seed in 1:10) {
    made <- made_ties(truth, 100, seed, rule)
    expect_gt(mean(made$tied), 0.05)
    expect_silent(fit <- choice_fit(made, names(truth), truth))
    expect_false(glance(fit)$noisy)
    expect_gt(glance(fit)$cosine, 0.99)
    expect_true(all(in_range(truth, fit)))
  }
})

test_that("the true weights of controllers with whole weights are in the range", {
  controllers <- c("dellacherie", "el-tetris", "lee", if (Sys.getenv("TETRASTAT_LONG") != "0") c("bcts", "dt20"))
  for (controller in controllers) for (seed in 11:13) {
    run <- fresh_run(paste("cone", controller, seed, sep = "-"), "--controller", controller, "--games", "4", "--max-pieces", "100",
                     "--seed", seed, "--placements", "csv.gz", "--candidates")
    expect_silent(found <- compare_weights(fit_choice(run)))
    expect_true(all(found$low <= found$true & found$true <= found$high), info = run)
  }
})

test_that("features that always differ alike have no determined weight", {
  made <- made_candidates(60, weights, noise = 0) |> mutate(e = 3 - 2 * .data$a)
  fit <- choice_fit(made, c(names(weights), "e"), c(weights, e = 1))
  expect_equal(fit$low[c(1, 5)], c(-Inf, -Inf))
  expect_true(all(is.finite(fit$high[2:4])))
  expect_output(print(fit), "not determined, because these features always differ alike: a and e")
  noisy <- choice_fit(made_candidates(300, weights) |> mutate(e = .data$a), c(names(weights), "e"))
  expect_equal(noisy$high[c(1, 5)], c(Inf, Inf))
  expect_equal(sum(noisy$weight[c(1, 5)]), choice_fit(made_candidates(300, weights), names(weights))$weight[1])
})

test_that("a single choice that no weights explain makes the choices noisy", {
  made <- made_ties(c(a = -1, b = 1, c = -4), 200, 1, runif)
  worst <- filter(made, .data$piece_no == 1) |> slice_min(.data$value, n = 1, with_ties = FALSE)
  wrong <- mutate(made, chosen = if_else(.data$piece_no == 1, .data$value == worst$value & .data$luck == worst$luck, .data$chosen))
  expect_silent(fit <- choice_fit(wrong, c("a", "b", "c")))
  expect_true(glance(fit)$noisy)
  expect_true(all(is.finite(fit$error)))
})

test_that("unusable decisions are dropped, and no usable decision is an error", {
  made <- made_candidates(10, weights) |> mutate(lost = piece_no == 1)
  expect_equal(max(choice_data(made, names(weights))$decision), 9)
  expect_error(choice_data(mutate(made, chosen = FALSE), names(weights)), "no decision")
  expect_error(choice_data(mutate(made, e = 1), "e"), "equal features")
})

test_that("weights are compared with those of the own run, and of another one", {
  run <- example_run("choices")
  fit <- fit_choice(run)
  compared <- compare_weights(fit)
  expect_true(all(compared$low <= compared$recovered & compared$recovered <= compared$high))
  expect_true(all(compared$low <= compared$true & compared$true <= compared$high))
  expect_gt(glance(fit)$cosine, 0.97) # 0.9775 with 270 decisions
  expect_equal(compare_weights(fit, run), compared)
  expect_error(compare_weights(fit, example_run("games")), "no weight of landing_height", class = "tetrastat_error")
  expect_error(fit_choice(run, games = "a"), "whole numbers", class = "tetrastat_error")
})
