# Tables that tetrastat exact and compare print with --format csv: controllers compared with the
# best possible one, and controllers by rank.

# Reads tables of `exact`: board, rules, queue, search, player, lines_mean, of_optimal (NA without --optimal).
read_exact <- function(paths) {
  columns <- readr::cols(.default = "c", lines_mean = "d", of_optimal = "d", z_lines = "d", games = "d")
  rows <- bind_rows(map(paths, \(path) read_printed(path, columns, "exact")))
  distinct(rows) |> mutate(player = factor(.data$player, unique(.data$player)))
}

# Reads a table of `compare`: one row per mean ("mean"), difference and ratio of pairs.
read_ranking <- function(path) {
  numbers <- set_names(rep("d", 8), c("rank", "n", "censored", "mean", "low", "high", "p", "p_adjusted"))
  read_printed(path, do.call(readr::cols, c(list(.default = "c"), as.list(numbers))), "ranking")
}

# Reads one printed table and checks its columns.
read_printed <- function(path, columns, table) {
  rows <- suppressWarnings(readr::read_csv(path, col_types = columns, na = "NA", progress = FALSE, lazy = FALSE))
  check_problems(readr::problems(rows), path, names(rows))
  if (nrow(rows) == 0) fail(path, " has no rows; print it again")
  check_columns(rows, table, path)
}

# Draws the mean lines of each controller as a share of the optimal mean; one row of dots per
# setting.
figure_exact <- function(exact) {
  rows <- filter(exact, !is.na(.data$of_optimal)) |>
    mutate(setting = paste0(.data$board, ", ", .data$queue, if_else(.data$search == "greedy", "", paste(",", .data$search)))) |>
    mutate(setting = factor(.data$setting, rev(unique(.data$setting))))
  plot <- ggplot(rows, aes(.data$of_optimal, .data$setting, colour = .data$player)) +
    geom_vline(xintercept = 1, linetype = "22", colour = quiet, linewidth = 0.4) + geom_point(size = 2.8) +
    scale_runs(levels(rows$player)) + guides(colour = legend_of_runs(levels(rows$player), 8)) +
    scale_x_continuous(labels = percent_labels, limits = \(range) c(min(0.5, range[1]), max(1, range[2]))) +
    labs(title = "Mean lines relative to the optimal controller", x = "mean lines / optimal mean lines", y = NULL) + theme_tetrastat()
  figure(plot, 9, 2 + 0.32 * nlevels(rows$setting), paste0("n = ", nrow(rows), " exact means, computed without simulation. The optimal controller knows only the current ",
    "piece; a controller that also knows the next piece can exceed it."), "Mean lines relative to the optimal controller")
}

# Draws controllers by rank with their intervals, and the ratios of pairs.
figure_ranking <- function(ranking, name) {
  means <- filter(ranking, .data$estimate == "mean") |> arrange(.data$rank) |> mutate(label = paste0(if_else(is.na(.data$rank), "?", as.character(.data$rank)), "  ", .data$first))
  sequential <- any(ranking$method %in% "confidence_sequence") # played until a verdict: no p-values
  pairs <- filter(ranking, .data$estimate == "ratio") |>
    mutate(label = paste(.data$first, "/", .data$second), differ = coalesce(.data$p_adjusted <= 0.05, .env$sequential & (.data$low > 1 | .data$high < 1), FALSE),
        verdict = if_else(.data$differ, "significant", "not significant"))
  ratios <- filter(pairs, !is.na(.data$mean) | !is.na(.data$low))
  unknown <- filter(pairs, is.na(.data$mean) & is.na(.data$low))
  left <- ranking_panel(mutate(means, verdict = "mean"), "mean", "Mean, 95 % CI") + scale_colour_manual(values = c(mean = calm), guide = "none")
  right <- ranking_panel(ratios, "first / second", "Ratio of each pair, 95 % CI", ratios = TRUE) + geom_vline(xintercept = 1, linetype = "22", colour = quiet, linewidth = 0.4) +
    scale_colour_manual(values = c(significant = accent, "not significant" = "#767676"), name = NULL)
  plot <- if (nrow(ratios) == 0) left else patchwork::wrap_plots(left, right, widths = c(1, 1))
  plot <- plot + patchwork::plot_annotation(title = paste("Ranking:", name))
  figure(plot, 11, 2.2 + 0.24 * max(nrow(means), nrow(ratios)), paste0("n = ", paste(unique(tidy_number(means$n)), collapse = ", "),
    " games of each controller on common seeds. ", if (sequential) "Played until a verdict: intervals are valid at all interim looks. Orange: the interval excludes 1." else "Orange: Holm-adjusted p at most 0.05.",
    if (nrow(unknown) > 0) paste0(" No ratio, because no game of one controller finished: ", paste0(head(unknown$label, 5), " (", tidy_p(head(unknown$p_adjusted, 5)), ")", collapse = ", "), if (nrow(unknown) > 5) " and others", "."),
    if (any(is.na(means$mean) & !is.na(means$low))) " A line without a point starts at the one-sided 95 % lower bound, because no game finished."), "Ranking")
}

# Draws values with their intervals, one row each. Ratios have a log axis, on which 2 and 1/2 are
# equally far from 1.
ranking_panel <- function(rows, axis, title, ratios = FALSE) {
  rows <- mutate(rows, label = factor(.data$label, rev(.data$label)))
  log <- all(rows$low > 0, na.rm = TRUE) && (ratios || spans_orders(rows$mean, c(rows$mean, rows$high), 1))
  open <- filter(rows, is.na(.data$high), !is.na(.data$low))
  ggplot(rows, aes(.data$mean, .data$label, colour = .data$verdict)) +
    geom_linerange(aes(xmin = .data$low, xmax = .data$high), data = filter(rows, !is.na(.data$low), !is.na(.data$high)), linewidth = 0.9) +
    geom_segment(aes(x = .data$low, xend = Inf, yend = .data$label), data = open, linewidth = 0.8) +
    geom_point(data = filter(rows, !is.na(.data$mean)), size = 2.4) + scale_y_discrete(limits = levels(rows$label)) + (if (log) scale_x_log10(labels = lines_labels, breaks = log_breaks) else scale_x_continuous(labels = number_labels, n.breaks = 5)) +
    labs(subtitle = title, x = paste0(axis, if (log) " (log scale)"), y = NULL) + theme_tetrastat()
}

# Returns the section of all exact tables.
exact_section <- function(paths) {
  exact <- read_exact(paths)
  table <- transmute(exact, .data$board, .data$rules, .data$queue, .data$search, player = as.character(.data$player), `mean lines` = tidy_number(.data$lines_mean),
      `share of optimal` = if_else(is.na(.data$of_optimal), "-", sprintf("%.2f %%", 100 * .data$of_optimal)),
      `z-score of the simulator` = if_else(is.na(.data$z_lines), "-", sprintf("%.2f", .data$z_lines)))
  if (all(is.na(exact$of_optimal))) fail(paths[1], " has no optimal mean to compare with; print it with --optimal")
  list(title = "Exact means", text = paste0(nrow(exact), " combinations of controller and board, computed without simulation."), table = table, figures = list(exact = figure_exact(exact)))
}

# Returns the section of a comparison.
ranking_section <- function(path) {
  ranking <- read_ranking(path)
  name <- tools::file_path_sans_ext(basename(path))
  means <- filter(ranking, .data$estimate == "mean") |> arrange(.data$rank)
  list(title = paste("Ranking", name), text = "Controllers on common seeds.",
       table = transmute(means, rank = as.character(.data$rank), controller = .data$first, games = tidy_number(.data$n),
           `mean (95 % CI)` = if_else(is.na(.data$mean) & !is.na(.data$low), paste0("above ", tidy_number(.data$low), " (no game finished)"), interval_words(.data$mean, .data$low, .data$high))),
       figures = set_names(list(figure_ranking(ranking, name)), paste0(name, "-ranking")))
}
