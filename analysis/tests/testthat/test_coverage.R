# Coverage of every interval and false positives of every test of the package, on simulated data
# with a known answer.
#
# Each case states the range of the share of correct samples (`stated`): a single number for exact
# methods, a range up to 1 for conservative ones, and the documented range for approximate ones. The
# number of correct samples is binomial. A method that has its stated share falls outside the bounds
# with 1 in 10,000 seeds on each side.
#
# `of` names the functions that a case tests; the last test checks that none is missing.
# TETRASTAT_LONG=20 uses 20 times as many samples and prints the shares (see analysis/README.md); with
# TETRASTAT_LONG=0 no case is simulated.
# TETRASTAT_CASES=PATTERN restricts the cases to those whose names match a regular expression.
# src/runs/stats/tests/coverage.rs tests the engine's own intervals.

times <- as.numeric(Sys.getenv("TETRASTAT_LONG", "1"))
exact <- c(0.95, 0.95)
cautious <- c(0.95, 1)

cases <- list()
case <- function(name, of, stated, samples, right) cases[[name]] <<- list(of = of, stated = stated, samples = samples, right = right)

holds <- function(found, truth) found$low <= truth & truth <= found$high
quiet_test <- function(p) p > 0.05
made_values <- function(seed, draw) with_seed(seed, draw())

# Lifetimes of one run.
case("median, log-log, 40, a third censored", "median_lines", c(0.93, 0.97), 100, \(seed) {
  found <- median_lines(made_lives(40, 1100, seed))
  coalesce(found$median_low <= 1000 * log(2), TRUE) && coalesce(1000 * log(2) <= found$median_high, TRUE)
})
case("survival, log-log band at 1/2, 40", "survival_curve", c(0.93, 0.97), 100, \(seed) {
  curve <- survival_curve(made_lives(40, seed = seed))
  holds(curve[max(which(curve$lines <= 1000 * log(2))), ], 0.5)
})
case("restricted mean, 40, a third censored", "restricted_mean", c(0.92, 0.96), 100, \(seed) {
  found <- restricted_mean(made_lives(40, 1100, seed))
  found$rmst_limit < 1100 || (found$rmst_low <= 1000 * (1 - exp(-1.1)) && 1000 * (1 - exp(-1.1)) <= found$rmst_high)
})
case("Weibull shape, 20 ended", "weibull_shape", c(0.9, 0.96), 100, \(seed) {
  found <- weibull_shape(made_lives(20, seed = seed))
  found$shape_low <= 1 && 1 <= found$shape_high
})

# Two runs and more, on common seeds. src/runs/stats/tests/coverage.rs tests the engine's comparisons of means.
case("share of seeds won, Clopper-Pearson, 40", "exact_share", cautious, 100, \(seed) holds(exact_share(made_values(seed, \() rbinom(1, 40, 0.5)), 40), 0.5))
contrasts_hold <- function(estimates, means, limit, shared, n = 40, ratio = 1) {
  function(seed) {
    games <- made_study(means, n, limit, seed, shared)
    pairs <- model_pairs(estimates(games), levels(games$run), 0.95)
    truth <- if_else(pairs$first == "a", ratio, 1 / ratio)
    all(holds(pairs, truth), na.rm = TRUE) && (ratio != 1 || all(pairs$p_adjusted > 0.05, na.rm = TRUE))
  }
}
equal <- c(a = 1000, b = 1000, c = 1000)
case("ratios of restricted means, three runs of 40 at once", c("model_pairs", "rmst_influence"), c(0.92, 0.985), 40,
     contrasts_hold(\(games) rmst_influence(games, 900), equal, 1500, 0.5))
case("hazard ratio, Cox clustered, two runs of 60", c("model_pairs", "cox_model"), c(0.92, 0.97), 40,
     contrasts_hold(cox_estimates, c(a = 2000, b = 1000), 2000, 0, 60, 2))
case("all runs at once, Cox clustered (Wald), three of 60", "overall_tests", c(0.92, 0.97), 40,
     \(seed) quiet_test(overall_tests(made_study(equal, 60, 1500, seed))$cox_p))
case("proportional hazards, three of 60", "overall_tests", c(0.92, 0.97), 40,
     \(seed) quiet_test(overall_tests(made_study(c(a = 500, b = 1000, c = 2000), 60, 2500, seed))$proportional_p))

# Shares, medians and means.
wilson_holds <- function(share, n) function(seed) holds(wilson_interval(made_values(seed, \() rbinom(1, n, share)), n), share)
case("share, Wilson, 1/2 of 40", "wilson_interval", c(0.94, 0.97), 200, wilson_holds(0.5, 40))
case("share, Wilson, 1/20 of 100", "wilson_interval", c(0.94, 0.98), 200, wilson_holds(0.05, 100))
case("median, order statistics, 25", "median_interval", cautious, 200, \(seed) holds(median_interval(made_values(seed, \() rexp(25))), log(2)))
case("mean of points, 12 games", "mean_interval", exact, 200, \(seed) holds(mean_interval(made_values(seed, \() rnorm(12, 50, 9))), 50))
case("mean of points, 40 skewed games", "mean_interval", c(0.91, 0.95), 200, \(seed) holds(mean_interval(made_values(seed, \() rexp(40))), 1))
case("mean and share of a study's games, 40", "study_means", c(0.88, 0.94), 100, \(seed) {
  games <- made_values(seed, \() tibble(label = factor("a"), keys = rnorm(40, 50, 9), lost = rbinom(40, 1, 0.5) == 1))
  holds(study_means(list(games = games), "keys"), 50) && holds(study_means(list(games = games), "lost"), 0.5)
})
case("mean over declarations, 12 matches", "clustered_mean", c(0.94, 0.96), 200, \(seed) {
  counts <- made_values(seed, \() 20 + rpois(12, 5))
  holds(clustered_mean(made_values(seed + 1e6, \() 3 * counts + rnorm(12, 0, 2) * counts), counts), 3)
})

# Players over several tasks, by the bootstrap within tasks.
# The means of the reference are estimated.
for (n in c(30, 200)) local({
  games <- n
  case(paste("score, interquartile mean over three tasks,", games, "games each"),
       c("aggregate_scores", "bootstrapped"), c(0.92, 0.96), 100, \(seed) {
    found <- aggregate_scores(made_scores(games, seed), resamples = 400, seed = seed)[2, ]
    found$iqm_low <= made_scores_truth$iqm && made_scores_truth$iqm <= found$iqm_high
  })
  case(paste("score, probability of improvement over three tasks,", games, "games each"),
       c("improvement", "bootstrapped"), c(0.92, 0.96), 100, \(seed) {
    holds(improvement(made_scores(games, seed), resamples = 400, seed = seed),
          made_scores_truth$improvement)
  })
  case(paste("score, share above 1 over three tasks,", games, "games each"),
       c("performance_profile", "bootstrapped"), c(0.92, 0.96), 100, \(seed) {
    found <- performance_profile(made_scores(games, seed), tau = 1, resamples = 400, seed = seed)
    holds(found[2, ], made_scores_truth$above_1)
  })
})

# Positions of wells.
case("wells against their mirror images, Holm", "mirror_test", cautious, 40, \(seed) {
  n <- made_values(seed, \() drop(stats::rmultinom(1, 300, rep(1, 10))))
  all(mirror_test(tibble(column = 0:9, pattern = xy_pattern(0:9, 10), n))$p > 0.05)
})
case("wells against shuffled columns", "order_test", c(0.92, 0.97), 12,
     \(seed) quiet_test(order_test(height_matrix(made_surfaces(300, seed = seed)), replicates = 39, seed = seed)$test$p))

case("wells of two runs, games dealt at random", "same_shares", c(0.93, 0.97), 40, \(seed) {
  # Each game prefers a column of its own, so its boards depend on each other.
  games <- \(n) t(replicate(n, drop(stats::rmultinom(1, 20, (seq_len(6) == sample(6, 1)) + 0.2))))
  counts <- made_values(seed, \() list(games(15), games(25)))
  quiet_test(same_shares(counts[[1]], counts[[2]], replicates = 199)$all_p)
})
case("share of a well in two runs", "differing_shares", cautious, 100, \(seed) {
  n <- made_values(seed, \() cbind(stats::rmultinom(1, 120, c(0.2, 0.8)), stats::rmultinom(1, 200, c(0.2, 0.8))))
  found <- differing_shares(n)[1, ]
  holds(found, 0) && found$p > 0.05
})
case("risk of ten wells, adjusted, Holm, 150 games", "well_odds", c(0.93, 1), 8, \(seed) {
  made <- made_wells(seed, 1)
  all(risk(made_run(made$placements, made$games, 20), "well", adjust = "height_average")$adjusted_p > 0.05, na.rm = TRUE)
})

# The death model and the choice model.
made_periods <- function(seed, games = 80, each = 25) with_seed(seed, {
  rows <- tibble(game = rep(seq_len(games), each = each), danger = rnorm(games * each), noise = rnorm(games * each))
  mutate(rows, dies = runif(n()) < plogis(-3 + 0.7 * danger))
})
case("odds ratio, clustered by game, 80 games", "odds_ratios", c(0.92, 0.97), 40, \(seed) {
  rows <- made_periods(seed)
  holds(odds_ratios(fit_logistic(c("danger", "noise"), rows), rows$game)[1, ], exp(0.7))
})
case("odds ratio at 80 %, from the interval at 95 %", c("tidy.tetrastat_death", "with_interval"), c(0.75, 0.83), 40, \(seed) {
  rows <- made_periods(seed)
  terms <- mutate(odds_ratios(fit_logistic(c("danger", "noise"), rows), rows$game)[1, ], group = "other")
  model <- structure(list(terms = bind_cols(terms, rename_with(terms[c("odds_ratio", "low", "high", "p")], \(name) paste0("adjusted_", name)))), class = "tetrastat_death")
  found <- tidy(model, conf.level = 0.8)[1, ]
  found$conf.low <= 0.7 && 0.7 <= found$conf.high
})
case("share of a well column at 80 %", "tidy.tetrastat_stacking", c(0.77, 0.84), 200, \(seed) {
  n <- made_values(seed, \() drop(stats::rmultinom(1, 200, c(0.2, 0.3, 0.5))))
  counts <- tibble(column = 0:2, pattern = xy_pattern(0:2, 3), n, share = n / 200, expected = NA_real_)
  found <- tidy(structure(list(counts = counts), class = "tetrastat_stacking"), conf.level = 0.8)
  found$conf.low[2] <= 0.3 && 0.3 <= found$conf.high[2]
})
case("odds ratio of noise, p", "odds_ratios", c(0.92, 0.97), 40, \(seed) {
  rows <- made_periods(seed)
  quiet_test(odds_ratios(fit_logistic(c("danger", "noise"), rows), rows$game)$p[2])
})
case("AUC, clustered by game, 60 games", "auc_interval", c(0.92, 0.97), 40, \(seed) {
  rows <- with_seed(seed, tibble(game = rep(1:60, each = 15), event = runif(900) < 0.08, score = rnorm(900, 1.5 * event)))
  found <- auc_interval(rows$score, rows$event, rows$game)
  found$auc_low <= pnorm(1.5 / sqrt(2)) && pnorm(1.5 / sqrt(2)) <= found$auc_high
})
choice_weights <- c(a = -1.5, b = 0.8, c = 0)
case("weights of noisy choices, 150", "noisy_weights", c(0.92, 0.97), 12, \(seed) {
  found <- choice_fit(made_candidates(150, choice_weights, k = 6, seed = seed), names(choice_weights))
  holds(found[2, ], choice_weights[["b"]])
})
case("weights of noisy choices at 80 %", "tidy.tetrastat_choice", c(0.75, 0.85), 12, \(seed) {
  fit <- choice_fit(made_candidates(150, choice_weights, k = 6, seed = seed), names(choice_weights))
  found <- tidy(fit, conf.level = 0.8, exponentiate = TRUE)[2, ]
  found$conf.low <= exp(0.8) && exp(0.8) <= found$conf.high
})
# Estimates and published numbers.
case("lines / weighted deaths over 30 replications", "replication_ratio", c(0.93, 0.96), 200, \(seed) {
  holds(made_values(seed, \() replication_ratio(runif(30, 90, 110), rbinom(30, 40, 0.1))), 25)
})
case("interval implied by a number of games", "implied_end", exact, 200, \(seed) {
  mean <- made_values(seed, \() mean(rexp(50)))
  implied_end(mean, 50, 0.975) <= 1 && 1 <= implied_end(mean, 50, 0.025)
})
# Published numbers are the truth rounded to two digits; ours are means of 60 games. One comparison
# alone, and ten at once (Holm).
made_published <- function(seed, n) with_seed(seed, {
  truth <- 10^runif(n, 3, 4)
  ours <- truth * rgamma(n, 60, 60)
  value <- signif(truth, 2)
  tibble(value, ratio = ours / value, ratio_low = ratio * 120 / qchisq(0.975, 120), ratio_high = ratio * 120 / qchisq(0.025, 120),
         verdict = if_else(ratio > 1, "higher", "lower"))
})
case("verdict on a rounded published number", "add_verdicts", c(0.945, 1), 100, \(seed) add_verdicts(made_published(seed, 1))$verdict_rounded == "agrees")
case("verdicts on ten published numbers, Holm", "add_verdicts", c(0.945, 1), 100, \(seed) all(add_verdicts(made_published(seed, 10))$verdict_adjusted == "agrees"))

# Freeform stacking: 20 games of 60 wells. A well stays with probability `stays`, and otherwise its column is drawn from `freeform_share`.
freeform_share <- c(4, 3, 2, 1) / 10
made_freeform <- function(seed, stays) {
  made_values(seed, \() bind_rows(map(1:20, \(game) {
    drawn <- sample(0:3, 60, TRUE, freeform_share)
    kept <- c(FALSE, runif(59) < stays)
    tibble(game, piece_no = 1:60, well_column = drawn[cummax(if_else(kept, 0L, 1:60))], well_tied = FALSE)
  })))
}
case("entropy of wells, 20 games of 60", "freeform_stacking", c(0.91, 0.97), 100, \(seed) {
  holds(freeform_stacking(made_freeform(seed, 0), 4, 1, 1, freeform_share, seed)[1, ], -sum(freeform_share * log(freeform_share)) / log(4))
})
case("runs of wells, 20 games of 60", "well_runs", c(0.92, 0.97), 100, \(seed) {
  holds(well_runs(made_freeform(seed, 0.7), 1, 4), 1 / (1 - 0.7 - 0.3 * sum(freeform_share^2)))
})

# Shares by group: long games have fewer true rows, so that rows are not independent.
made_shares <- function(seed, games, shares, lengths = c(20, 60)) {
  made_values(seed, \() {
    kind <- sample(1:2, games, TRUE)
    rows <- rpois(games, lengths[kind] - 1) + 1
    tibble(game = rep(seq_len(games), rows), hit = runif(sum(rows)) < rep(shares[kind], rows))
  })
}
share_holds <- function(games, shares) function(seed) {
  found <- share(made_shares(seed, games, shares), hit)
  holds(found, sum(c(20, 60) * shares) / 80)
}
case("share by games, 0.3 and 0.1, 40 games", "ratio_interval", c(0.93, 0.97), 200, share_holds(40, c(0.3, 0.1)))
case("share by games, 0.02 and 0.01, 60 games", "ratio_interval", c(0.93, 0.97), 200, share_holds(60, c(0.02, 0.01)))
case("mean by games, 40 games", "ratio_interval", c(0.92, 0.97), 200, \(seed) {
  holds(share(mutate(made_shares(seed, 40, c(0.3, 0.1)), hit = as.numeric(.data$hit)), hit), 0.15)
})

# Confidence sequences: all intervals of up to 200 games must hold.
case("share at all numbers of games, 0.3 of 200", "share_sequence", cautious, 40, \(seed) {
  all(holds(share_sequence(made_values(seed, \() runif(200) < 0.3), looks_at(200), NULL, 0.95), 0.3))
})
case("median at all numbers of games, 200 exponential", "median_sequence", cautious, 40, \(seed) {
  all(holds(median_sequence(made_values(seed, \() rexp(200)), rep(FALSE, 200), looks_at(200), NULL, 0.95), log(2)))
})
case("median at all numbers of games, 200 whole numbers with ties", "median_sequence", cautious, 40, \(seed) {
  all(holds(median_sequence(made_values(seed, \() rpois(200, 3)), rep(FALSE, 200), looks_at(200), NULL, 0.95), 3))
})

for (name in if (times > 0) grep(Sys.getenv("TETRASTAT_CASES"), names(cases), value = TRUE)) {
  test_that(name, {
    one <- cases[[name]]
    n <- one$samples * times
    right <- sum(map_lgl(seq_len(n), one$right))
    if (times > 1) cat(sprintf("| %s | %s to %s %% | %.1f %% of %d |\n", name, 100 * one$stated[1], 100 * one$stated[2], 100 * right / n, n))
    expect_gte(right, qbinom(1e-4, n, one$stated[1]))
    expect_lte(right, qbinom(1 - 1e-4, n, one$stated[2]))
  })
}

test_that("the bounds detect an interval with too little coverage", {
  percentile <- function(seed) { # a percentile interval of 10 exponential games covers the mean in only 87 % of samples
    lines <- made_values(seed, \() rexp(10))
    ends <- quantile(with_seed(seed, replicate(200, mean(sample(lines, replace = TRUE)))), c(0.025, 0.975))
    ends[1] <= 1 && 1 <= ends[2]
  }
  expect_lt(sum(map_lgl(1:400, percentile)), qbinom(1e-4, 400, 0.95))
})

test_that("every interval and every test of the package has a case", {
  telling <- c("qnorm", "qt", "qf", "qchisq", "qbinom", "pnorm", "pt", "pf", "pchisq", "pbinom", "binom.test", "prop.test", "t.test", "wilcox.test",
      "survfit", "survdiff", "coxph", "cox.zph", "survreg", "concordance", "frailty", "pseudo", "quantile", "chisq.test", "predict")
  package <- asNamespace("tetrastat")
  functions <- keep(ls(package, all.names = TRUE), \(name) is.function(get(name, package)))
  telling_ones <- keep(functions, \(name) {
    what <- get(name, package)
    any(telling %in% all.names(body(what))) || any(map_lgl(as.list(formals(what)), \(value) is.call(value) && any(telling %in% all.names(value))))
  })
  without <- c( # functions that compute neither an interval nor a test themselves
    death_fit = "its parts have cases", seed_sd = "a number", auc = "a number; its interval is auc_interval", margin_distribution = "describes", augment.tetrastat_death = "predicts", augment.tetrastat_choice = "predicts",
    trajectories = "deciles", score_quantile = "a limit of thresholds")
  expect_equal(setdiff(telling_ones, c(unlist(map(cases, "of")), names(without))), character())
  expect_equal(setdiff(unlist(map(cases, "of")), functions), character())
})
