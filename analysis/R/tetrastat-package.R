#' Analysis of falling-block game logs
#'
#' [read_tetrastat()] reads the output of the engine. [report()] writes a page with tables and figures
#' of it. The objects have the methods `print()`, `summary()` and `ggplot2::autoplot()`, and the broom methods `tidy()`,
#' `glance()` and, for models, `augment()`.
#'
#' Each research question has a function: [lifetimes()] (how long games last), [compare_runs()]
#' (which run lasts longer), [death_model()] (which boards precede the end of a game), [stacking()]
#' (which column holds the well) and [fit_choice()] (which weights explain the placements).
#'
#' @keywords internal
#' @rawNamespace import(dplyr, except = vars)
#' @import ggplot2
#' @import tibble
#' @import tidyr
#' @import purrr
#' @importFrom rlang := .env
#' @importFrom generics tidy glance augment
#' @importFrom stats setNames binom.test chisq.test cor cov coef ecdf glm lm median p.adjust pchisq
#'   pnorm predict qbinom qchisq qf qlogis qnorm qt quantile rexp rnorm runif sd update var vcov
#'   binomial reformulate rpois model.matrix na.omit plogis
#' @importFrom utils head tail combn modifyList read.csv write.csv capture.output sessionInfo
#' @importFrom grDevices hcl.colors
"_PACKAGE"

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' @importFrom ggplot2 autoplot
#' @export
ggplot2::autoplot
