# Contrasts of means between the conditions of a study.

#' Contrasts between the conditions of a study
#'
#' Answers questions such as "does knowing the next piece matter more on higher boards?". The engine
#' ([tetrastat_program()]) computes the ratio of ratios of means by the delta method on the
#' logarithmic scale (Cochran 1977, section 6.4). Games with the same seed are paired, games that
#' were cut off count as exposure, and estimates count by their replications.
#'
#' @param x A study, runs or estimates: what [read_tetrastat()] returns, their folders, or a list of
#'   these.
#' @param terms A formula such as `~ search:board`. `~ search` compares the values of one factor,
#'   `~ search:board` asks whether this ratio differs between boards, and `~ search * board` gives
#'   all three contrasts. Factors are the settings that differ: `controller`, `rules`, `mode`,
#'   `board`, `queue`, `search`, `policy`, `players`, `seed`, and others that distinguish
#'   conditions, such as `hold` and `previews`. Each value is compared with the first one. `NULL`
#'   compares all pairs of conditions.
#' @param measure A string: numeric column of the table of games. `NULL` is the main measure, the
#'   lines of classic games.
#' @param not_worse_than A number between 0 and 1: margin of a test for non-inferiority. Each row is
#'   then tested for the hypothesis that the first value is worse by more than this share. Choose it
#'   before you see the games. `NULL`: no such test.
#' @return `contrast()` returns a tibble of class `tetrastat_contrast` with one row per contrast:
#' * `contrast`: the factors.
#' * `levels`: the compared values, such as `"next / greedy, 10x16 / 10x12"`.
#' * `within`: the values of the other factors.
#' * `ratio`, `low`, `high`: ratio of means, or ratio of ratios, with its 95 % interval.
#' * `log_error`, `df`: standard error of the natural logarithm of the ratio, and its degrees of
#'   freedom.
#' * `p`, `p_adjusted`: p-value, and the same adjusted by Holm's method for the rows of this table.
#' * `p_not_worse`: with `not_worse_than`, the one-sided p-value of that test, adjusted in the same
#'   way. A small value shows that the first value is not worse by more than the margin.
#' * `n`: number of games and replications.
#'
#' The methods are `tidy()`, with broom's names, and `autoplot()`.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   contrast(example_run("study"), ~ search)
#' }
#' @export
contrast <- function(x, terms = NULL, measure = NULL, not_worse_than = NULL) {
  asked <- if (inherits(terms, "formula")) attr(stats::terms(terms), "term.labels") else terms
  found <- engine_json(c("compare", "--from", folders_of(x),
             rbind(rep("--contrast", length(asked)), asked),
             if (!is.null(measure)) c("--measure", measure),
             if (!is.null(not_worse_than)) c("--not-worse-than", not_worse_than)))
  if (is.null(found$contrasts)) {
    fail("the folders hold one study, which is compared by compare_runs(); name the terms of a ",
         "contrast, such as ~ search:board")
  }
  rows <- bind_rows(lapply(found$contrasts, \(row) {
    tibble(contrast = row$contrast, levels = row$levels, within = na_if(row$within, ""), ratio = number(row$ratio$mean), low = number(row$ratio$low),
           high = number(row$ratio$high), log_error = number(row$log_error), df = number(row$df), p = number(row$p), p_adjusted = number(row$p_adjusted),
           p_not_worse = number(row$p_not_worse), n = number(row$ratio$n))
  }))
  as_contrast(if (is.null(not_worse_than)) select(rows, -"p_not_worse") else rows)
}

# Returns a table of contrasts with its class; NULL for NULL.
as_contrast <- function(rows) if (!is.null(rows)) classed(rows, "tetrastat_contrast")

#' @export
print.tetrastat_contrast <- function(x, ...) {
  print(printable_p(plain(x)), ...)
  invisible(x)
}

# Formats the p-values of a table for printing, so that a small one is never 0.
printable_p <- function(rows) mutate(rows, across(any_of(c("p", "p_adjusted", "p_not_worse", "sign_p")), \(p) sub("^p (= )?", "", if_else(is.na(p), "NA", tidy_p(p)))))

#' @export
#' @rdname contrast
#' @param ... Unused.
tidy.tetrastat_contrast <- function(x, ...) {
  transmute(plain(x), term = .data$contrast, .data$levels, .data$within,
            estimate = .data$ratio, std.error = .data$log_error, .data$df, p.value = .data$p,
            adj.p.value = .data$p_adjusted, conf.low = .data$low, conf.high = .data$high)
}

#' @export
#' @rdname contrast
#' @param object A contrast.
autoplot.tetrastat_contrast <- method_of_object(\(object) figure_contrast(plain(object)))
