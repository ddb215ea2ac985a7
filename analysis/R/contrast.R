# Contrasts of means between the conditions of a study.

#' Contrasts between the conditions of a study
#'
#' Answers questions such as "does knowing the next piece matter more on higher boards?". The engine
#' ([tetrastat_program()]) computes the ratio of ratios of means by the delta method on the
#' logarithmic scale (Cochran 1977, section 6.4). Games with the same seed are paired, games that
#' were cut off count as exposure, and estimates count by their replications.
#'
#' @param x A study, as [read_study()] returns it; or a list of runs and estimates; or a character
#'   vector of folders.
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
#'
#' The methods are `tidy()`, with broom's names, and `autoplot()`.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   contrast(read_study(example_run("study")), ~ search)
#' }
#' @export
contrast <- function(x, terms = NULL, measure = NULL, not_worse_than = NULL) {
  asked <- if (inherits(terms, "formula")) attr(stats::terms(terms), "term.labels") else terms
  words <- c("compare", "--from", contrast_folders(x),
             rbind(rep("--contrast", length(asked)), asked),
             if (!is.null(measure)) c("--measure", measure),
             if (!is.null(not_worse_than)) c("--not-worse-than", not_worse_than), "--format", "csv")
  table <- paste(engine_output(words), collapse = "\n")
  if (!startsWith(table, "contrast,")) {
    fail("the folders hold one study, which is compared by compare_runs(); name the terms of a ",
         "contrast, such as ~ search:board")
  }
  types <- readr::cols(contrast = "c", levels = "c", within = "c", .default = "d")
  found <- readr::read_csv(I(paste0(table, "\n")), col_types = types, na = "NA",
                           progress = FALSE, lazy = FALSE)
  as_contrast(found)
}

# Returns a table of contrasts with its class; NULL for NULL.
as_contrast <- function(rows) if (!is.null(rows)) structure(rows, class = unique(c("tetrastat_contrast", class(rows))))

# Returns the folders of a study, of a list of runs and estimates, or the folders themselves.
contrast_folders <- function(x) {
  if (is.character(x)) return(x)
  if (is.character(x$dir)) return(x$dir)
  dirs <- map(x, "dir")
  if (!is.list(x) || length(x) == 0 || any(map_lgl(dirs, is.null))) {
    fail("contrast() needs a study, a list of runs and estimates, or folders")
  }
  unlist(dirs, use.names = FALSE)
}

#' @export
#' @rdname contrast
#' @param ... Unused.
tidy.tetrastat_contrast <- function(x, ...) {
  transmute(as_tibble(x), term = .data$contrast, .data$levels, .data$within,
            estimate = .data$ratio, std.error = .data$log_error, .data$df, p.value = .data$p,
            adj.p.value = .data$p_adjusted, conf.low = .data$low, conf.high = .data$high)
}

#' @export
#' @rdname contrast
#' @param object A contrast.
autoplot.tetrastat_contrast <- function(object, ...) {
  rows <- as_tibble(object) |>
    mutate(others = coalesce(.data$within, ""),
           label = paste0(.data$levels, if_else(nzchar(.data$others), "\n", ""), .data$others),
           label = factor(.data$label, rev(unique(.data$label))))
  ggplot(filter(rows, !is.na(.data$ratio)), aes(.data$ratio, .data$label)) +
    geom_vline(xintercept = 1, colour = "grey60", linewidth = 0.4) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), fatten = 3, linewidth = 0.6) +
    scale_x_log10() +
    facet_grid(rows = vars(.data$contrast), scales = "free_y", space = "free_y") +
    labs(title = "Ratios of means", x = "Ratio (95 % interval, logarithmic scale)", y = NULL) +
    theme_tetrastat()
}
