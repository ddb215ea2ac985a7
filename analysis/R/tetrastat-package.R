#' Logs of falling-block games: read, modelled, drawn
#'
#' [read_run()], [read_study()], [read_training()], [read_estimate()] and [read_reproduction()] read what the engine
#' writes; [report()] turns it into a page. Each object has `print()`, `summary()`, `ggplot2::autoplot()` and the
#' `tidy()` and `glance()` that users of broom know. Questions have a function each: [lifetimes()] (how long games last),
#' [compare_runs()] (who is better, by how much, how sure), [death_model()] (what kills), [stacking()] (where the
#' well is) and [fit_choice()] (weights read from play).
#'
#' @keywords internal
#' @rawNamespace import(dplyr, except = vars)
#' @import ggplot2
#' @import tibble
#' @import tidyr
#' @import purrr
#' @importFrom rlang .env
#' @importFrom generics tidy glance
#' @importFrom stats setNames binom.test chisq.test cor cov coef ecdf glm lm median p.adjust pchisq pnorm predict qbinom qchisq qf
#'   qlogis qnorm qt quantile rexp rnorm runif sd update var vcov binomial reformulate rpois cov2cor model.matrix na.omit plogis
#' @importFrom utils head tail combn modifyList read.csv write.csv capture.output sessionInfo
#' @importFrom grDevices hcl.colors
"_PACKAGE"

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom ggplot2 autoplot
#' @export
ggplot2::autoplot
