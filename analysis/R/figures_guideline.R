# Figures of guideline runs, which compute no statistics.

# Draws the empirical distribution of pieces in won Sprints, with the fewest possible. `reported` is the
# median that a source reports, or its range.
figure_sprint <- function(sprints, reported = NULL) {
  runs <- present_runs(sprints)
  won <- filter(sprints, .data$end_reason == "won")
  plot <- ggplot(won, aes(.data$pieces, colour = .data$run)) +
    (if (!is.null(reported)) annotate("rect", xmin = min(reported) - 0.05, xmax = max(reported) + 0.05, ymin = 0, ymax = 1, fill = quiet, alpha = 0.15)) +
    geom_vline(xintercept = 100, colour = quiet, linewidth = 0.5, linetype = "32") +
    stat_ecdf(linewidth = 0.9, pad = FALSE) + scale_runs(levels(sprints$run), "colour", breaks = runs) +
    scale_x_continuous(breaks = whole_breaks(8)) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Pieces per won Sprint", x = "pieces", y = "cumulative share of won games") + theme_tetrastat()
  figure(plot, 9, 4.8, paste0("Dashed: 100 pieces, the minimum for 40 rows. ", if (!is.null(reported)) paste0("Grey: a reported median of ", paste(unique(range(reported)), collapse = " to "), ". "),
    "Games won: ", each_run(runs, as.vector(table(won$run)[runs])), "."), "Distribution of the pieces of won Sprints", sprint_words(sprints))
}

# States the median pieces of each run with won Sprints.
sprint_words <- function(sprints) {
  median <- filter(sprint_table(sprints), !is.na(.data$median)) |> arrange(.data$median)
  if (nrow(median) == 0) return("")
  ends <- if_else(is.na(median$median_low), "", paste0(" (95 % CI ", median$median_low, " to ", median$median_high, ")"))
  paste0("Median pieces of won Sprints: ", paste0(median$run, " ", tidy_number(median$median), ends, collapse = "; "), ".")
}

# Draws mean points by source as stacked bars.
figure_points_by_source <- function(points) {
  plot <- ggplot(points, aes(.data$mean, .data$run, fill = .data$source)) +
    geom_col(width = 0.6, position = position_stack(reverse = TRUE)) +
    scale_fill_manual(values = palette_runs[c(1, 5, 3, 4, 7)], name = NULL) +
    scale_y_discrete(limits = rev(present_runs(points))) + scale_x_continuous(labels = number_labels, expand = expansion(c(0, 0.05))) +
    labs(title = "Mean points per game by source", x = "mean points", y = NULL) + theme_tetrastat()
  figure(plot, 9, 2 + 0.6 * n_distinct(points$run), paste0("Means over the games of a run. Games: ", games_of(points), "."), "Mean points of a game by source, one bar per run")
}

# Draws the mean of each condition of a study with its interval; one panel per measure.
figure_means <- function(means) {
  plot <- ggplot(mutate(means, label = factor(.data$label, rev(levels(.data$label)))), aes(.data$mean, .data$label)) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), colour = calm, fatten = 2.5) +
    facet_wrap(vars(.data$measure), scales = "free", ncol = 1) + scale_x_continuous(labels = number_labels) +
    labs(title = "Mean of each condition", x = "mean per game (95 % interval)", y = NULL) + theme_tetrastat()
  figure(plot, 9, 2 + 0.35 * nrow(means), paste0("Means with t intervals over ", tidy_number(sum(means$games)), " games."), "Mean of each condition of a study, with 95 % intervals")
}

# Draws the means of all conditions of a study with estimates.
figure_all_means <- function(means) {
  plot <- ggplot(mutate(means, name = factor(.data$name, rev(.data$name))), aes(.data$mean, .data$name, shape = .data$method)) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), colour = calm, fatten = 2.5, na.rm = TRUE) +
    scale_x_log10(labels = number_labels) + scale_shape_manual(values = c(play = 16, estimate = 17)) +
    labs(title = "Mean lines of each condition", x = "mean lines of a game (95 % interval, logarithmic scale)", y = NULL, shape = NULL) + theme_tetrastat()
  figure(plot, 9, 2 + 0.35 * nrow(means), paste0(sum(means$method == "play"), " conditions were played, ", sum(means$method == "estimate"), " were estimated."),
         "Mean lines of each condition of a study, with 95 % intervals")
}

# Formats the largest number of games of each run: "a (100), b (98)".
games_of <- function(means) {
  runs <- present_runs(means)
  each_run(runs, tapply(means$games, means$run, max)[runs])
}

clear_words <- c(singles = "single", doubles = "double", triples = "triple", tetrises = "tetris", mini_1 = "mini\nsingle", mini_2 = "mini\ndouble",
                 t_spin_1 = "T-spin\nsingle", t_spin_2 = "T-spin\ndouble", t_spin_3 = "T-spin\ntriple")

# Draws the shares of cleared rows by kind of clear, for kinds that occur.
figure_clears <- function(clears) {
  made <- clears |> group_by(.data$kind) |> filter(sum(.data$n) > 0) |> ungroup()
  plot <- ggplot(made, aes(.data$kind, .data$share, fill = .data$run)) +
    geom_col(position = position_dodge(0.8), width = 0.75) + scale_runs(levels(clears$run), "fill", breaks = present_runs(clears)) +
    scale_x_discrete(labels = clear_words) + scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "Cleared rows by kind of clear", x = NULL, y = "share of all cleared rows") + theme_tetrastat() +
    theme(panel.grid.major.x = element_blank())
  figure(plot, 9, 4.4, paste0("Clears: ", each_run(present_runs(clears), tapply(clears$n, clears$run, sum)[present_runs(clears)]), "."),
         "Shares of cleared rows by kind of clear")
}

# Draws the mean points during a game.
figure_course <- function(course) {
  plot <- ggplot(course, aes(.data$piece_no, .data$mean, colour = .data$run, fill = .data$run)) +
    geom_ribbon(aes(ymin = .data$low, ymax = .data$high), alpha = 0.2, colour = NA) + geom_line(linewidth = 0.9) +
    scale_runs(levels(course$run), breaks = present_runs(course)) + scale_y_continuous(labels = number_labels) +
    labs(title = "Points during a game", x = "pieces placed", y = "mean points so far") + theme_tetrastat()
  figure(plot, 9, 4.6, paste0("Band: 95 % CI of the mean over the games still running. Games at the first point: ",
    games_of(course), "."), "Mean points by pieces placed")
}

# Draws the most frequent formations of each run with their shares.
figure_openings <- function(formations, games) {
  runs <- present_runs(formations)
  known <- opener_boards()
  formations <- filter(formations, .data$n >= 2) # a formation of a single game is not frequent
  if (nrow(formations) == 0) return(NULL)
  none <- setdiff(runs, present_runs(formations))
  runs <- present_runs(formations)
  ranked <- formations |>
    group_by(.data$run) |>
    mutate(rank = row_number(), name = known$name[match(.data$formation, known$board)],
           label = paste0(.data$n, " of ", games$n[match(.data$run, games$run)], if_else(is.na(.data$name), "", paste0("\n", .data$name)))) |>
    ungroup()
  cells <- decode_board(ranked$formation) |> mutate(run = ranked$run[.data$board], rank = ranked$rank[.data$board])
  height <- max(4, cells$y + 1) + 3
  plot <- ggplot(cells, aes(.data$x, .data$y)) + geom_board() + geom_hline(yintercept = -0.5, colour = quiet, linewidth = 0.4) +
    geom_text(aes(x = 4.5, y = height - 1.7, label = .data$label), ranked, size = 3, lineheight = 0.9, colour = quiet) +
    facet_grid(vars(.data$run), vars(.data$rank), switch = "y") + scale_board(10, height) +
    labs(title = "Stacks that several games have after seven pieces", x = NULL, y = NULL) + theme_tetrastat() +
    theme(axis.text = element_blank(), panel.grid = element_blank(), strip.text.x = element_blank(), strip.placement = "outside", strip.text.y.left = element_text(angle = 0, hjust = 1))
  figure(plot, 11, 1.5 + 1.5 * length(runs), paste0("The stack after seven pieces, or before the first clear if that is earlier. Mirror images count as the same stack. The six most frequent stacks of each run that occur in at least two games, with the number of games. Games: ",
    each_run(runs, games$n[match(runs, games$run)]), ".", if (length(none) > 0) paste0(" Runs in which no stack occurs twice: ", and_words(none), ".")), "The most frequent stacks after seven pieces, ordered by share")
}
