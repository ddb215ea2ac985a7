# Confidence sequences of shares and medians: intervals that hold at all numbers of games together.

#' Confidence sequences of shares and medians
#'
#' Computes intervals that hold at all numbers of games together, so games may be added until the
#' interval is narrow enough or excludes a value. Ordinary intervals hold only for a number of games
#' that was fixed in advance. `tetrastat compare --until-verdict` has such intervals for ratios of
#' means.
#'
#' A share has the interval of all `p` whose e-value against the games is below 1 / (1 - `level`).
#' The e-value is the likelihood ratio of a mixture of shares, with the density Beta(1/2, 1/2), to
#' `p` (Robbins 1970; Howard and others 2021). For a median, the share is that of the games up to a
#' value, and `p` is 1/2 (Howard and Ramdas 2022). Ties make its interval wider than necessary.
#' Each interval is the intersection with all earlier ones.
#'
#' @param x A run or its folder.
#' @param measure A string: a numeric column of the games. `NULL` is `lines`, or `pieces` if `x` has
#'   no such column.
#' @param at_most A number: gives the share of games whose measure is at most this, such as Sprints
#'   in 100 pieces. `NULL` gives the median.
#' @param null A number: share or median of the hypothesis that the e-value tests. `NULL`: none.
#' @param level A number between 0 and 1: probability that all intervals together contain the truth.
#' @return A `tetrastat_sequence`, a tibble with the method `autoplot()` and one row per number of
#'   games (of more than 200 games, about 200 evenly spaced on a logarithmic scale): `games`, `estimate`, `low`, `high`,
#'   and `log_e`, the natural logarithm of the e-value against `null`. An e-value of at least
#'   1 / (1 - `level`) rejects `null`, whenever the games end. Ends without a bound are 0 and 1 for
#'   shares, and infinite for medians.
#'
#'   Games that were cut off count as longer than their limit. For a share, the limit must be at
#'   least `at_most`.
#' @references Robbins H (1970). Statistical methods related to the law of the iterated logarithm.
#'   Annals of Mathematical Statistics 41.
#'
#'   Howard SR, Ramdas A, McAuliffe J, Sekhon J (2021). Time-uniform, nonparametric, nonasymptotic
#'   confidence sequences. Annals of Statistics 49.
#'
#'   Howard SR, Ramdas A (2022). Sequential estimation of quantiles with applications to A/B testing
#'   and best-arm identification. Bernoulli 28.
#' @examples
#' run <- read_tetrastat(example_run("games"))
#' confidence_sequence(run, at_most = 100, null = 0.5)
#' confidence_sequence(run, null = 100) |> autoplot()
#' @export
confidence_sequence <- function(x, measure = NULL, at_most = NULL, null = NULL, level = 0.95) {
  run <- as_run(x, max_rows = 0)
  games <- run$games
  if (NROW(games) == 0) fail("the run ", run$name, " has no games")
  measure <- measure %||% intersect(c("lines", "pieces"), names(games))[1]
  if (!measure %in% names(games) || !is.numeric(games[[measure]])) fail("the games have no numeric column ", measure)
  check_level(level, "level")
  if (!is.null(at_most) && (!is.numeric(at_most) || length(at_most) != 1)) fail("at_most must be one number")
  if (!is.null(null) && (!is.numeric(null) || length(null) != 1 || is.na(null))) fail("null must be one number")
  if (!is.null(null) && !is.null(at_most) && (null <= 0 || null >= 1)) fail("null is a share, so it must be between 0 and 1, not ", null)
  values <- games[[measure]]
  censored <- if ("censored" %in% names(games)) games$censored else rep(FALSE, length(values))
  counts <- looks_at(nrow(games))
  rows <- if (is.null(at_most)) {
    median_sequence(values, censored, counts, null, level)
  } else {
    unknown <- censored & values < at_most
    if (any(unknown)) fail(sum(unknown), " games were cut off before ", measure, " ", at_most, ": play them with a higher limit")
    share_sequence(values <= at_most & !(censored & values == at_most), counts, null, level)
  }
  classed(rows, "tetrastat_sequence", sequence = list(
    run = run$name, measure = if (is.null(at_most)) paste("median of", measure) else paste0("share of games with ", measure, " <= ", at_most),
    null = null, level = level
  ))
}

# Returns all numbers of games up to `n`, or at most 200 evenly spaced on a logarithmic scale.
looks_at <- function(n) if (n <= 200) seq_len(n) else unique(round(exp(seq(0, log(n), length.out = 200))))

# Returns the logarithm of the e-value of `hits` in `n` trials against the share `p`.
log_e_value <- function(hits, n, p) {
  lbeta(hits + 0.5, n - hits + 0.5) - lbeta(0.5, 0.5) - hits * log(p) - (n - hits) * log1p(-p)
}

# Returns the confidence sequence of the share of TRUE in `hits`.
share_sequence <- function(hits, counts, null, level) {
  found <- cumsum(hits)[counts]
  end <- function(hits, n, side) {
    share <- hits / n
    if (share == side) return(side)
    excess <- \(p) log_e_value(hits, n, p) + log(1 - level)
    edge <- if (side == 0) 1e-12 else 1 - 1e-12
    if (excess(edge) < 0) return(side)
    # With all trials equal, the e-value has its minimum at the edge.
    inner <- min(max(share, 1e-12), 1 - 1e-12)
    stats::uniroot(excess, sort(c(edge, inner)), tol = 1e-9)$root
  }
  low <- map2_dbl(found, counts, end, side = 0)
  high <- map2_dbl(found, counts, end, side = 1)
  tibble(games = counts, estimate = found / counts, low = cummax(low), high = cummin(high),
         log_e = if (is.null(null)) NA_real_ else log_e_value(found, counts, null))
}

# Returns the confidence sequence of the median of `values`. Censored values are lower bounds: they
# count as their limit at the lower end and as infinite at the upper end.
median_sequence <- function(values, censored, counts, null, level) {
  above <- if_else(censored, Inf, as.numeric(values))
  rows <- map(counts, \(n) {
    # The smallest number of games up to the median that is compatible with a share of 1/2.
    hits <- seq(0, n %/% 2)
    least <- hits[log_e_value(hits, n, 0.5) < -log(1 - level)][1]
    if (is.na(least) || least == 0) ends <- c(-Inf, Inf)
    else ends <- c(sort(values[seq_len(n)])[least], sort(above[seq_len(n)])[n - least + 1])
    tibble(games = n, estimate = stats::median(above[seq_len(n)]), low = ends[1], high = ends[2],
           log_e = if (is.null(null)) NA_real_ else median_e(values[seq_len(n)], above[seq_len(n)], null))
  })
  mutate(bind_rows(rows), low = cummax(.data$low), high = cummin(.data$high))
}

# Returns the logarithm of the e-value against the median `null`. With ties, the number of games up
# to the median is only known to lie between two numbers, and the smallest e-value counts.
median_e <- function(values, above, null) {
  n <- length(values)
  hits <- c(sum(above < null), sum(values <= null))
  middle <- min(max(n / 2, hits[1]), hits[2])
  log_e_value(middle, n, 0.5)
}

#' @export
#' @rdname confidence_sequence
#' @param object A confidence sequence.
#' @param ... Unused.
autoplot.tetrastat_sequence <- function(object, ...) {
  rlang::check_dots_empty()
  about <- attr(object, "sequence")
  rows <- as_tibble(object)
  finite <- mutate(rows, across(c("low", "high", "estimate"), \(end) replace(end, is.infinite(end), NA)))
  begins <- filter(finite, !is.na(.data$low), !is.na(.data$high))$games[1]
  plot <- ggplot(finite, aes(.data$games)) +
    geom_ribbon(aes(ymin = .data$low, ymax = .data$high), fill = calm, alpha = 0.2, na.rm = TRUE) +
    geom_line(aes(y = .data$estimate), colour = calm, linewidth = 0.9, na.rm = TRUE) +
    scale_x_log10(labels = number_labels) + scale_y_continuous(labels = number_labels) + theme_tetrastat() +
    labs(title = paste0("Confidence sequence: ", about$run), x = "games (log scale)", y = about$measure)
  caption <- paste0("n = ", tidy_number(max(rows$games)), " games. Line: estimate. Band: holds at all numbers of games together with probability ", 100 * about$level, " %.",
                    if (is.na(begins)) " There are too few games for a band." else if (begins > min(rows$games)) paste0(" It begins at game ", begins, "; fewer games have no interval."))
  if (is.null(about$null)) return(figure(plot, 9, 4.8, caption, "Confidence sequence"))
  plot <- plot + geom_hline(yintercept = about$null, linetype = "22", colour = quiet) + labs(x = NULL)
  evidence <- ggplot(rows, aes(.data$games, .data$log_e)) +
    geom_hline(yintercept = -log(1 - about$level), linetype = "22", colour = quiet) +
    geom_line(colour = accent, linewidth = 0.9) + scale_x_log10(labels = number_labels) + scale_y_continuous(labels = number_labels) + theme_tetrastat() +
    labs(x = "games (log scale)", y = "log of the e-value")
  figure(patchwork::wrap_plots(plot, evidence, ncol = 1, heights = c(2, 1)), 9, 6.4, paste0(caption, " Dashed, above: the tested value ", about$null, ". Below: evidence against it, which rejects it above the dashed line."), "Confidence sequence")
}
