# Conditions of a study that no other condition beats in all of several measures.

#' Pareto front of the conditions of a study
#'
#' Finds the conditions that no other condition beats in all `measures`, such as pieces and keys of
#' a Sprint. Smaller values are better.
#'
#' @param study A study, as [read_tetrastat()] returns it, or its folder. Its `games` may have further columns, such as
#'   the keys per piece.
#' @param measures A character vector: two or more numeric columns of the games.
#' @param level A number between 0 and 1: the simultaneous confidence level of all comparisons.
#' @return A tibble with one row per condition:
#' * `label`: the condition.
#' * one column per measure: its mean.
#' * `status`: `front` if every other condition has a greater mean in some measure, or equal means in
#'   all. `dominated` if another condition is better at the confidence level in all measures in which
#'   their games differ. Else `undecided`.
#' * `by`: for other conditions than those of the front, the label of the condition that beats it
#'   most clearly.
#'
#' Games with the same seed were dealt the same pieces, so two conditions are compared by the t
#' intervals of their differences over common games. The level is adjusted by Bonferroni's method
#' for all pairs and measures.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   folder <- tempfile("sprints-")
#'   file <- paste0(folder, ".toml")
#'   writeLines(c('rules = "guideline"', 'controllers = ["tetrastat-sprint", "capstone-sprint"]',
#'                "games = 10", 'placements = "none"'), file)
#'   system2(tetrastat_program(), c("study", file, "--out", folder), stdout = FALSE, stderr = FALSE)
#'   pareto_front(read_tetrastat(folder), c("pieces", "inputs"))
#' }
#' @export
pareto_front <- function(study, measures = c("pieces", "inputs"), level = 0.95) {
  study <- as_study(study)
  if (length(measures) < 2) fail("a front needs two or more measures")
  means <- lapply(set_names(measures), \(measure) study_means(study, measure)) # checks the columns
  labels <- as.character(means[[1]]$label)
  if (length(labels) < 2) fail("a front needs two or more conditions")
  tests <- length(measures) * length(labels) * (length(labels) - 1) / 2
  games <- split(study$games, study$games$label)[labels]
  rows <- map(seq_along(labels), \(i) {
    leads <- map_dbl(seq_along(labels), \(k) if (k == i) Inf else clear_lead(games[[k]], games[[i]], measures, 1 - (1 - level) / tests))
    better <- (map(means, \(mean) mean$mean <= mean$mean[i]) |> reduce(`&`)) & (map(means, \(mean) mean$mean < mean$mean[i]) |> reduce(`|`))
    status <- if (!any(better)) "front" else if (min(leads) < 0) "dominated" else "undecided"
    leads[!better] <- Inf
    tibble(status, by = if (any(better)) labels[which.min(leads)] else NA_character_)
  }) |> bind_rows()
  bind_cols(tibble(label = means[[1]]$label), as_tibble(map(means, "mean")),
            mutate(rows, status = factor(.data$status, c("front", "undecided", "dominated"))))
}

# Returns by how much `first` beats `second` in the measure where the difference is least clear: the
# greatest upper bound of the differences of the measures, in standard deviations. It is negative if
# `first` is better in all measures. A measure with the same value in both, game by game, is left
# out.
clear_lead <- function(first, second, measures, level) {
  common <- inner_join(first[c("stream_seed", measures)], second[c("stream_seed", measures)], by = "stream_seed")
  if (nrow(common) < 2) return(Inf)
  bounds <- map_dbl(measures, \(measure) {
    differences <- common[[paste0(measure, ".x")]] - common[[paste0(measure, ".y")]]
    if (all(differences == 0)) return(NA)
    if (sd(differences) == 0) return(sign(differences[1]) * Inf)
    mean_interval(differences, level)$high / sd(differences)
  })
  if (all(is.na(bounds))) Inf else max(bounds, na.rm = TRUE)
}
