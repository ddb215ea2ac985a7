# Figures of players over several tasks, which compute no statistics. `facts` is the attribute
# `scores` of the results.

# States games, tasks, interval and reference of a figure.
score_caption <- function(facts, relative = TRUE) {
  paste0("n = games: ", each_run(facts$players, facts$games), ". Tasks: ",
         paste(facts$tasks, collapse = ", "), ". Intervals: ", format(100 * facts$level),
         " %, bootstrap within tasks.",
         if (relative) paste0(" Score 1 is the mean of ", facts$reference, " on the task."))
}

# Draws the estimate and interval of each row of a tidied table, with a line at `reference`.
interval_rows <- function(rows, reference) {
  ggplot(rows, aes(.data$estimate, .data$term)) +
    geom_vline(xintercept = reference, colour = "grey60", linewidth = 0.4) +
    geom_pointrange(aes(xmin = .data$conf.low, xmax = .data$conf.high), colour = calm, fatten = 2.5) +
    theme_tetrastat()
}

# Draws interquartile mean and mean of each player.
figure_scores <- function(rows, facts) {
  rows <- mutate(rows, term = factor(.data$term, rev(facts$players)))
  plot <- interval_rows(rows, 1) +
    facet_wrap(vars(.data$statistic), scales = "free_x") +
    scale_x_continuous(labels = number_labels) +
    labs(title = "Scores over all tasks", y = NULL,
         x = paste0(facts$measure, " relative to the mean of ", facts$reference))
  figure(plot, 9, 2.2 + 0.35 * length(facts$players), score_caption(facts),
         "Interquartile mean and mean of the scores of each player")
}

# Draws the probability of improvement of each pair.
figure_improvement <- function(rows, facts) {
  rows <- mutate(rows, term = factor(.data$term, rev(.data$term)))
  plot <- interval_rows(rows, 0.5) +
    scale_x_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Probability that a game beats another on the same task", y = NULL,
         x = "probability, averaged over tasks")
  figure(plot, 9, 2 + 0.35 * nrow(rows), score_caption(facts, relative = FALSE),
         "Probability that a game of one player beats a game of another, one row per pair")
}

# Draws performance profiles with pointwise bands.
figure_performance <- function(rows, facts) {
  plot <- ggplot(rows, aes(.data$tau, .data$share, colour = .data$player, fill = .data$player)) +
    geom_ribbon(aes(ymin = .data$low, ymax = .data$high), alpha = 0.2, colour = NA) +
    geom_line(linewidth = 0.8) + scale_runs(facts$players) +
    scale_x_continuous(labels = number_labels) +
    scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Performance profiles", y = "share of games above the score",
         x = paste0("score: ", facts$measure, " relative to the mean of ", facts$reference)) +
    theme_tetrastat()
  figure(plot, 9, 5, score_caption(facts), "Share of games above each score, one curve per player")
}
