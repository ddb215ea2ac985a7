# Figures about whole games. Each takes `bind_runs` tables and draws; none computes statistics.

#' Survival of games with the exponential fit, one panel per run.
figure_survival <- function(km, life) {
  runs <- present_runs(km)
  columns <- panel_columns(runs)
  fit <- km |>
    inner_join(select(life, "run", "mean"), by = "run") |>
    group_by(.data$run, .data$mean) |>
    summarise(lines = list(seq(0, max(.data$lines), length.out = 200)), .groups = "drop") |>
    unnest("lines") |>
    mutate(survival = exp(-.data$lines / .data$mean))
  cut <- filter(km, .data$censored > 0)
  plot <- ggplot(km, aes(.data$lines, .data$survival)) +
    geom_rect(aes(xmin = .data$lines, xmax = .data$next_lines, ymin = .data$low, ymax = .data$high, fill = .data$run),
              data = survival_steps(km), alpha = 0.18, show.legend = FALSE) +
    geom_step(aes(colour = .data$run, linetype = "games (Kaplan-Meier)"), linewidth = 0.8) +
    geom_line(aes(linetype = "exponential fit"), data = fit, colour = ink, linewidth = 0.6) +
    geom_point(aes(shape = "censored game"), data = cut, colour = ink, size = 2.4) +
    facet_wrap(~run, scales = "free_x", ncol = columns, labeller = as_labeller(mean_labels(life))) +
    scale_runs(levels(km$run), guide = "none") +
    scale_linetype_manual(values = c("games (Kaplan-Meier)" = "solid", "exponential fit" = "22"), name = NULL) +
    scale_shape_manual(values = c("censored game" = 3), name = NULL) +
    scale_x_continuous(labels = number_labels, n.breaks = if (columns == 1) 7 else 4, expand = expansion(c(0, 0.07))) +
    scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "How many games are still alive after so many lines",
         subtitle = "Over each panel: mean lines of a finished game and its 95 % interval", x = "lines removed",
             y = "games still alive") +
    theme_tetrastat()
  figure(plot, 9, 2.3 + 3.1 * panel_rows(length(runs), columns), survival_caption(life), "Survival curves")
}

#' The curve's steps as spans: each row with the next row's lines of its run.
survival_steps <- function(km) {
  km |>
    group_by(.data$run) |>
    mutate(next_lines = lead(.data$lines)) |>
    ungroup() |>
    filter(!is.na(.data$next_lines))
}

#' Panel titles: run, mean and exact interval, by run.
mean_labels <- function(life) {
  text <- sprintf("%s\n%s (%s to %s)", life$run, tidy_number(life$mean), tidy_number(life$low),
      tidy_number(life$high))
  set_names(text, life$run)
}

survival_caption <- function(life) {
  paste0("n = ", paste(sprintf("%s (%d games, %d ended)", life$run, life$games, life$ended), collapse = ", "),
         ". Kaplan-Meier with 95 % log-log band; dashed: exponential with mean = all lines / games that ended, ",
         "censored games counted as exposure; exact chi-square interval.")
}

#' Is the risk constant? Log survival against lines in units of the fitted mean.
figure_risk <- function(km, life) {
  runs <- levels(km$run)
  shape <- filter(life, !is.na(.data$shape))
  points <- inner_join(km, select(life, "run", "mean"), by = "run") |>
    mutate(scaled = .data$lines / .data$mean) |>
    filter(.data$survival > 0, !is.na(.data$mean))
  if (nrow(points) == 0) return(NULL)
  reach <- max(points$scaled)
  plot <- ggplot(points, aes(.data$scaled, .data$survival, colour = .data$run)) +
    annotate("segment", x = 0, y = 1, xend = reach, yend = exp(-reach), colour = quiet, linetype = "22",
        linewidth = 0.6) +
    geom_step(linewidth = 0.9) +
    scale_y_log10(labels = percent_labels, breaks = c(1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)) +
    scale_runs(runs) +
    labs(title = "Does the danger stay the same?",
         subtitle = "Dashed: a game that forgets its past. A curve that flattens means falling risk, one that steepens growing risk",
         x = "lines removed, in units of the fitted mean", y = "games still alive (log scale)") +
    theme_tetrastat()
  if (length(runs) == 1) plot <- plot + theme(legend.position = "none")
  figure(plot, 9, 4.4 + 0.1 * length(runs), paste0("n = ", sum(life$games),
      " games. Kaplan-Meier survival against lines / (all lines / games that ended); ",
                            "the right end of each curve rests on few games. ",
    "Shape of a Weibull fit (1 = constant risk), 95 %: ",
        paste(sprintf("%s %.2f (%.2f to %.2f)", shape$run, shape$shape, shape$shape_low, shape$shape_high),
        collapse = ", "), "."), "Log survival against scaled lines")
}

#' Lines per controller: each game, and the mean with two intervals.
figure_lines <- function(games, life) {
  order <- life$run[order(life$mean)]
  games <- mutate(games, run = factor(.data$run, order), lines = pmax(.data$lines, 1))
  life <- mutate(life, run = factor(.data$run, order))
  override <- if (all(is.na(life$boot_low))) list(linewidth = 0.9) else list(linewidth = c(3.2, 0.9), alpha = c(0.55, 1))
  plot <- ggplot(games, aes(.data$lines, .data$run)) +
    geom_point(aes(shape = if_else(.data$censored, "censored game", "game")), colour = quiet, alpha = 0.35,
        size = 1.3,
               position = position_jitter(height = 0.16, width = 0, seed = 1)) +
    geom_linerange(aes(xmin = .data$boot_low, xmax = .data$boot_high, y = .data$run, x = .data$mean,
        colour = "bootstrap"), key_glyph = draw_key_path,
                   data = filter(life, !is.na(.data$boot_low)), linewidth = 3.2, alpha = 0.55,
                       position = position_nudge(y = 0.33)) +
    geom_linerange(aes(xmin = .data$low, xmax = .data$high, y = .data$run, x = .data$low,
        colour = "exponential"), key_glyph = draw_key_path,
                   data = life, linewidth = 0.9, position = position_nudge(y = 0.33)) +
    geom_point(aes(.data$mean, .data$run), data = filter(life, !is.na(.data$mean)), size = 2.4, colour = ink,
        position = position_nudge(y = 0.33)) +
    geom_text(aes(if_else(is.na(.data$mean), .data$low, .data$mean), .data$run,
        label = if_else(is.na(.data$mean), paste("mean above", tidy_number(.data$low), " "),
            paste0("  mean ", tidy_number(.data$mean))),
        hjust = if_else(is.na(.data$mean), 1, 0.5)), data = life,
              position = position_nudge(y = 0.47), size = 3.3, colour = ink) +
    scale_colour_manual(values = c(bootstrap = "#56B4E9", exponential = accent), name = "95 % interval of the mean",
                        guide = guide_legend(override.aes = override, order = 1)) +
    scale_shape_manual(values = c("game" = 16, "censored game" = 3), name = NULL,
        guide = guide_legend(override.aes = list(alpha = 1), order = 2)) +
    scale_x_log10(labels = number_labels) +
    labs(title = "Lines per game",
        subtitle = "Each grey mark is one game; the black point is the mean of a finished game",
         x = "lines removed (log scale)", y = NULL) +
    theme_tetrastat()
  figure(plot, 9, 2.5 + 0.85 * nrow(life), paste0("n = ",
      each_run(life$run, life$games), " games. Mean = all lines / games that ended. Exponential: exact chi-square interval (constant risk per line). Bootstrap: bootstrap-t over games, 2,000 resamples, from 10 games that ended on.",
      if (any(is.infinite(life$high))) " With no game ended the interval has a lower end only (one-sided 95 %)."),
    "Lines of each game by run")
}

#' Runs on the same seeds, pair by pair: ratio of means, and who lasts longer how often.
figure_paired <- function(paired, runs) {
  rows <- arrange(paired, match(.data$first, .data$first[order(-.data$ratio)]), -.data$ratio) |>
    mutate(pair = paste(.data$first, "/", .data$second), pair = factor(.data$pair, rev(.data$pair)))
  base <- list(scale_runs(runs, guide = "none"), theme_tetrastat())
  ratio <- ggplot(filter(rows, !is.na(.data$ratio)), aes(.data$ratio, .data$pair, colour = .data$first)) +
    geom_vline(xintercept = 1, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), fatten = 3, linewidth = 0.8) +
    geom_text(aes(label = tidy_number(.data$ratio)), nudge_y = 0.28, size = 3.3, colour = ink) +
    scale_x_log10(labels = number_labels, expand = expansion(c(0.06, 0.1))) + scale_y_discrete(drop = FALSE) +
    labs(title = "How many times as long?", subtitle = "Ratio of mean lines, 95 % interval", x = "ratio (log scale)", y = NULL)
  wins <- ggplot(filter(rows, !is.na(.data$share)), aes(.data$share, .data$pair, colour = .data$first)) +
    geom_vline(xintercept = 0.5, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$share_low, xmax = .data$share_high,
        shape = .data$p < 0.05), fatten = 4, linewidth = 0.8) +
    scale_shape_manual(values = c("TRUE" = 16, "FALSE" = 1), guide = "none") +
    scale_x_continuous(labels = percent_labels) + scale_y_discrete(drop = FALSE) +
    labs(title = "How often longer?", subtitle = "The first removes more lines",
         x = "share of common games", y = NULL)
  wins_theme <- theme(axis.text.y = element_blank(), plot.margin = margin(10, 26, 8, 10))
  n <- unique(paired$games)
  figure(patchwork::wrap_plots(ratio + base, wins + base + wins_theme, widths = c(1, 1)), 9.5, 2.7 + 0.42 * nrow(rows),
      paste0("n = ", if (length(n) == 1) paste(tidy_number(n), "common games in each pair") else
          paste0(each_run(paste(paired$first, "/", paired$second), paired$games), " common games"),
      ": game i of each run is dealt the same pieces. Left: all lines / games that ended, bootstrap-t over common games, 2,000 resamples. ",
      "Right: games whose order is known (no ties, none cut off behind the other), exact 95 % interval; hollow: no difference shown (sign test, Holm p >= 0.05). ",
      if (length(runs) > 4) "Each run is compared with the first. ",
      "Correlation of log lines within a pair: ", correlation_words(paired$correlation), "."),
      "Paired comparison on common seeds")
}

correlation_words <- function(r) {
  if (all(is.na(r))) return("unknown")
  range <- sprintf("%.2f", unique(round(range(r, na.rm = TRUE), 2)))
  paste0(paste(range, collapse = " to "), if (max(abs(r), na.rm = TRUE) < 0.2) " (so common pieces hardly narrow the intervals)")
}

#' Features on the way to the end, one panel per feature.
figure_trajectories <- function(paths, usual, order, horizon = 150) {
  least <- min(10, max(paths$games)) # a mean of fewer games is noise
  paths <- filter(paths, .data$games >= least)
  runs <- present_runs(paths)
  usual <- filter(usual, .data$run %in% runs)
  bands <- length(runs) <= 2 # more would hide each other
  order <- head(order, 9)
  labels <- coalesce(board_measures[order], gsub("_", " ", order))
  paths <- filter(paths, .data$feature %in% order) |> mutate(feature = factor(.data$feature, order, labels))
  usual <- filter(usual, .data$feature %in% order, !is.na(.data$mean)) |> mutate(feature = factor(.data$feature,
      order, labels))
  plot <- ggplot(paths, aes(-.data$to_end, .data$middle, colour = .data$run, fill = .data$run)) +
    geom_hline(aes(yintercept = .data$mean, colour = .data$run), data = usual, linetype = "22", linewidth = 0.5) +
    (if (bands) geom_ribbon(aes(ymin = .data$low, ymax = .data$high), alpha = 0.18, colour = NA)) +
    geom_line(linewidth = 0.8) +
    facet_wrap(~feature, scales = "free_y", ncol = 3) +
    scale_runs(levels(paths$run)) +
    scale_x_continuous(labels = \(x) number_labels(abs(x)), expand = expansion(0)) +
    labs(title = "How games die: the last placements before the end",
         subtitle = paste0("Line: mean over games; ", if (bands) "band: 10 % to 90 %; ",
             if (nrow(usual) > 0) "dashed: the usual level; ", "panels in the order of how far they move"),
         x = "placements left before the end", y = "value after the placement") +
    theme_tetrastat() + theme(strip.text = element_text(size = rel(0.85)))
  if (length(runs) == 1) plot <- plot + theme(legend.position = "none")
  n <- paths |> group_by(.data$run) |> summarise(games = max(.data$games))
  figure(plot, 9, 2 + 2 * panel_rows(length(order), 3), paste0("n = ", each_run(n$run, n$games),
    " games that ended (censored games left out; shorter games join when they begin; fewer than ", least, " games are not drawn).",
    if (nrow(usual) > 0) paste0(" Usual level: mean of the placements at least ", horizon, " before any end.")),
    "Feature trajectories before the end")
}
