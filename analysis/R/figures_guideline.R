# Figures of guideline runs; they compute no statistics.

# Pieces of won Sprints: empirical distribution beside the fewest possible and the capstone's own.
figure_sprint <- function(sprints) {
  runs <- present_runs(sprints)
  won <- filter(sprints, .data$end_reason == "won")
  plot <- ggplot(won, aes(.data$pieces, colour = .data$run)) +
    annotate("rect", xmin = 106, xmax = 107, ymin = 0, ymax = 1, fill = quiet, alpha = 0.15) +
    geom_vline(xintercept = 100, colour = quiet, linewidth = 0.5, linetype = "32") +
    stat_ecdf(linewidth = 0.9, pad = FALSE) + scale_runs(levels(sprints$run), "colour", breaks = runs) +
    scale_x_continuous(breaks = whole_breaks(8)) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Pieces of a Sprint", x = "pieces", y = "share of won games with at most so many") + theme_tetrastat()
  figure(plot, 9, 4.8, paste0("Dashed: 100 pieces, the fewest for 40 rows. Grey: the median of 106 to 107 that the capstone project reports. ",
    "Games won: ", each_run(runs, as.vector(table(won$run)[runs])), "."), "Distribution of the pieces of won Sprints")
}

# Mean points by source, stacked.
figure_points_by_source <- function(points) {
  plot <- ggplot(points, aes(.data$mean, .data$run, fill = .data$source)) +
    geom_col(width = 0.6, position = position_stack(reverse = TRUE)) +
    scale_fill_manual(values = palette_runs[c(1, 5, 3, 4, 8)], name = NULL) +
    scale_y_discrete(limits = rev(present_runs(points))) + scale_x_continuous(labels = number_labels, expand = expansion(c(0, 0.05))) +
    labs(title = "Points of a game by source", x = "mean points", y = NULL) + theme_tetrastat()
  figure(plot, 9, 2 + 0.6 * n_distinct(points$run), "Means over the games of a run.", "Mean points of a game by source, one bar per run")
}

clear_words <- c(singles = "single", doubles = "double", triples = "triple", tetrises = "tetris", mini_1 = "mini\nsingle", mini_2 = "mini\ndouble",
                 t_spin_1 = "T-spin\nsingle", t_spin_2 = "T-spin\ndouble", t_spin_3 = "T-spin\ntriple")

# Rows removed by kind of clear.
figure_clears <- function(clears) {
  plot <- ggplot(clears, aes(.data$kind, .data$share, fill = .data$run)) +
    geom_col(position = position_dodge(0.8), width = 0.75) + scale_runs(levels(clears$run), "fill", breaks = present_runs(clears)) +
    scale_x_discrete(labels = clear_words) + scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "How rows are removed", x = NULL, y = "share of all rows removed") + theme_tetrastat() +
    theme(panel.grid.major.x = element_blank())
  figure(plot, 9, 4.4, paste0("Clears: ", each_run(present_runs(clears), tapply(clears$n, clears$run, sum)[present_runs(clears)]), "."),
         "Shares of rows removed by kind of clear")
}

# Points in the course of a game.
figure_course <- function(course) {
  plot <- ggplot(course, aes(.data$piece_no, .data$mean, colour = .data$run, fill = .data$run)) +
    geom_ribbon(aes(ymin = .data$low, ymax = .data$high), alpha = 0.2, colour = NA) + geom_line(linewidth = 0.9) +
    scale_runs(levels(course$run), breaks = present_runs(course)) + scale_y_continuous(labels = number_labels) +
    labs(title = "Points in the course of a game", x = "pieces placed", y = "mean points so far") + theme_tetrastat()
  figure(plot, 9, 4.6, "Band: 95 % interval of the mean over the games that came so far.", "Mean points by pieces placed")
}

# Columns of the deepest well.
figure_well_columns <- function(wells) {
  runs <- present_runs(wells)
  plot <- ggplot(wells, aes(.data$pattern, .data$share, fill = .data$run)) +
    geom_col(position = position_dodge(0.8), width = 0.75) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), position = position_dodge(0.8), colour = ink, linewidth = 0.5) +
    scale_runs(levels(wells$run), "fill", breaks = runs) + scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "Where the well is", x = "columns left and right of it", y = "share of wells") + theme_tetrastat() +
    theme(panel.grid.major.x = element_blank())
  figure(plot, 9, 4.4, paste0("The deepest column, two or more below its neighbours, of every 20th placement; ties left out. Lines: Wilson's 95 % intervals. ",
    "Wells: ", each_run(runs, tapply(wells$n, wells$run, sum)[runs]), "."), "Shares of the well's column, by pattern")
}
