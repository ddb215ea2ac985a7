# Game length. The unit is one game; the lines of a censored game are a lower bound.

#' Game length with confidence intervals
#'
#' `lifetimes()` returns how many lines classic games last. `kaplan_meier()` returns their survival
#' curve. Both account for censored games, whose lines are a lower bound. The unit is one game.
#'
#' @section Censored games:
#' With censored games, the mean of finished games and both of its intervals assume a constant
#' hazard. If `exponential` is `FALSE`, the coverage of both intervals is below the nominal level.
#' Use the restricted mean then. `rmst` is the mean number of lines up to `rmst_limit` and needs no
#' assumption about the hazard ([compare_runs()] compares it with `measure = "rmst"`). If all games
#' finished, the bootstrap-t interval needs no constant hazard.
#'
#' @param x A run, a study, the folder of either, or a list of these.
#' @param level A number between 0 and 1: confidence level of the band (default: 95 %).
#' @return Both functions return the rows of each run, with its name in the first column `run`.
#'
#' `kaplan_meier()` returns a `tetrastat_km`, a tibble with the methods of [model-methods] and one row
#' per distinct number of lines, from survival 1 at 0 lines: `lines`, `survival` (Kaplan-Meier estimate), `low`, `high` (log-log band), `censored`
#' (games censored at this number), `at_risk`.
#'
#' `lifetimes()` returns a tibble with one row per run. The engine computed these columns
#' (`summary` in `run.json`); their intervals have 95 %:
#' * `games`, `ended`: number of games, and of finished games.
#' * `mean`, `low`, `high`: mean lines of a finished game (all lines / finished games), with its
#'   exact interval for exponential lifetimes. If no game finished, `low` is a one-sided lower bound
#'   and `high` is `Inf`.
#' * `boot_low`, `boot_high`: bootstrap-t interval of the mean over games; `NA` if few games
#'   finished.
#' * `median`, `median_low`, `median_high`: median by order statistics; `NA` if censored games could
#'   change it.
#' * `exponential`: `FALSE` if tests reject a constant hazard (Cox-Oakes and Anderson-Darling, level
#'   1 % together); `NA` with fewer than ten finished games.
#'
#' Models of the games add:
#' * `shape`, `shape_low`, `shape_high`: Weibull shape with its interval; 1 means a constant hazard.
#' * `longest`: lines of the longest game.
#' * `rmst`, `rmst_low`, `rmst_high`: restricted mean up to `rmst_limit` lines, the lines of the
#'   longest game, with its interval.
#' @examples
#' lifetimes(example_run("study"))
#' kaplan_meier(example_run("games"))
#' @export
lifetimes <- function(x) by_classic_run(x, run_lifetime)

#' @rdname lifetimes
#' @export
kaplan_meier <- function(x, level = 0.95) {
  check_level(level, "level")
  as_curves(by_classic_run(x, \(run) survival_curve(run$games, level)))
}

# Applies the function `what` to each run of classic games (runs of other games are an error), and returns
# its tables as one with the column `run`.
by_classic_run <- function(x, what) {
  of_classic <- function(run) {
    if (run$kind != "classic") fail(run$name, " has no classic games; use summary()")
    plain(what(run))
  }
  by_run(x, of_classic, named = TRUE, max_rows = 0)
}

# Returns the row of `lifetimes()` of one run, without its name.
run_lifetime <- function(run) {
  stated <- run$manifest$summary
  if (is.null(stated$lines)) fail("run.json in ", run$dir, " has no summary; read the folder of a complete run")
  found <- stated$lines
  ended <- found$n - found$censored
  rejected <- "not_exponential" %in% found$warnings$kind
  tibble(games = found$n, ended, mean = number(found$mean), low = number(found$low), high = number(found$high %||% if (ended == 0) Inf),
         boot_low = number(stated$lines_bootstrap$low), boot_high = number(stated$lines_bootstrap$high),
         median = number(stated$median$lines$mean), median_low = number(stated$median$lines$low), median_high = number(stated$median$lines$high),
         exponential = if (ended < 10) NA else !rejected) |>
    bind_cols(weibull_shape(run$games), tibble(longest = max(run$games$lines)), restricted_mean(run$games))
}

# Returns the Kaplan-Meier curve of games as `kaplan_meier()` does, without a run.
survival_curve <- function(games, level = 0.95) {
  check_columns_of(games, c("lines", "censored"), "games")
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log", conf.int = level)
  as_curves(tibble(lines = c(0, fit$time), survival = c(1, fit$surv), low = c(1, fit$lower), high = c(1, fit$upper),
         censored = c(0, fit$n.censor), at_risk = c(fit$n, fit$n.risk)))
}

# Adds the class of Kaplan-Meier curves.
as_curves <- function(rows) classed(rows, "tetrastat_km")

# Returns the result of `what` for each group of a grouped table, with the grouping columns first.
each_group <- function(rows, what, ...) ungroup(group_modify(rows, \(own, key) what(own, ...)))

# Returns the Weibull shape with a 95 % interval, a check of the exponential fit: 1 = constant
# hazard, above 1 = the hazard rises with lines, below 1 = it falls. NA with fewer than five
# finished games.
weibull_shape <- function(games) {
  if (sum(!games$censored) < 5) return(tibble(shape = NA_real_, shape_low = NA_real_, shape_high = NA_real_))
  fit <- survival::survreg(survival::Surv(pmax(lines, 0.5), !censored) ~ 1, data = games, dist = "weibull")
  reach <- exp(qnorm(0.975) * sqrt(fit$var["Log(scale)", "Log(scale)"]))
  tibble(shape = 1 / fit$scale, shape_low = .data$shape / reach, shape_high = .data$shape * reach)
}

# Returns the mean lines up to the longest game, which needs no assumption about the hazard (the
# area under the Kaplan-Meier curve): rmst, rmst_low, rmst_high (Greenwood's variance, t),
# rmst_limit.
restricted_mean <- function(games) {
  limit <- max(games$lines)
  none <- tibble(rmst = NA_real_, rmst_low = NA_real_, rmst_high = NA_real_, rmst_limit = limit)
  if (nrow(games) < 2 || limit <= 0) return(none)
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games)
  found <- summary(fit, rmean = limit)$table[c("rmean", "se(rmean)")]
  reach <- qt(0.975, nrow(games) - 1) * found[[2]]
  mutate(none, rmst = found[[1]], rmst_low = max(0, .data$rmst - reach), rmst_high = min(limit, .data$rmst + reach))
}

# Returns the median of a survival curve with its log-log interval; NA if too few games are known to
# have finished.
median_lines <- function(games) {
  fit <- survival::survfit(survival::Surv(lines, !censored) ~ 1, data = games, conf.type = "log-log")
  found <- quantile(fit, 0.5)
  tibble(median = unname(found$quantile), median_low = unname(found$lower), median_high = unname(found$upper))
}

# Counts the reasons why games ended: end_reason, games, share.
end_reasons <- function(games) {
  count(games, .data$end_reason, name = "games") |> mutate(share = .data$games / sum(.data$games))
}
