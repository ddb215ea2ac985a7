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
    scale_x_continuous(labels = number_labels, n.breaks = 4, expand = expansion(c(0, 0.07))) +
    scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "How many games are still alive after so many lines",
         subtitle = "Over each panel: mean lines of a finished game and its 95 % interval", x = "lines removed",
             y = "games still alive") +
    theme_tetrastat()
  figure(plot, 9, 2.2 + 3 * panel_rows(length(runs), columns), survival_caption(life), "Survival curves")
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
  text <- sprintf("%s: %s (%s to %s)", life$run, tidy_number(life$mean), tidy_number(life$low),
      tidy_number(life$high))
  set_names(text, life$run)
}

survival_caption <- function(life) {
  paste0("n = ", paste(sprintf("%s %d games, %d ended", life$run, life$games, life$ended), collapse = "; "),
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
  figure(plot, 9, 4.6, paste0("n = ", sum(life$games),
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
  top <- max(games$lines)
  plot <- ggplot(games, aes(.data$lines, .data$run)) +
    geom_point(aes(shape = if_else(.data$censored, "censored game", "game")), colour = quiet, alpha = 0.35,
        size = 1.3,
               position = position_jitter(height = 0.16, width = 0, seed = 1)) +
    geom_linerange(aes(xmin = .data$boot_low, xmax = .data$boot_high, y = .data$run, x = .data$mean,
        colour = "bootstrap"),
                   data = filter(life, !is.na(.data$boot_low)), linewidth = 3.2, alpha = 0.55,
                       position = position_nudge(y = 0.33)) +
    geom_linerange(aes(xmin = .data$low, xmax = pmin(.data$high, top), y = .data$run, x = .data$low,
        colour = "exponential"),
                   data = life, linewidth = 0.9, position = position_nudge(y = 0.33)) +
    geom_point(aes(.data$mean, .data$run), data = filter(life, !is.na(.data$mean)), size = 2.4, colour = ink,
        position = position_nudge(y = 0.33)) +
    geom_text(aes(if_else(is.na(.data$mean), .data$low, .data$mean), .data$run,
        label = paste0("  mean ", tidy_number(.data$mean))), data = life,
              position = position_nudge(y = 0.47), size = 3.3, colour = ink) +
    scale_colour_manual(values = c(bootstrap = "#56B4E9", exponential = accent), name = "95 % interval of the mean",
                        guide = guide_legend(override.aes = list(linewidth = c(3.2, 0.9), alpha = c(0.55, 1)))) +
    scale_shape_manual(values = c("game" = 16, "censored game" = 3), name = NULL,
        guide = guide_legend(override.aes = list(alpha = 1))) +
    scale_x_log10(labels = number_labels) +
    labs(title = "Lines per game",
        subtitle = "Each grey mark is one game; the black point is the mean of a finished game",
         x = "lines removed (log scale)", y = NULL) +
    theme_tetrastat()
  figure(plot, 9, 2.5 + 0.85 * nrow(life), paste0("n = ",
      paste(sprintf("%s %d", life$run, life$games), collapse = ", "),
    " games. Mean = all lines / games that ended. Exponential: exact chi-square interval (constant risk per line). Bootstrap: percentile over games, 2,000 resamples."),
    "Lines of each game by run")
}

#' Features on the way to the end, one panel per feature.
figure_trajectories <- function(paths, usual, order, horizon = 150) {
  runs <- present_runs(paths)
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
             "dashed: the usual level. Panels in the order of how far they move"),
         x = "placements left before the end", y = "value after the placement") +
    theme_tetrastat()
  if (length(runs) == 1) plot <- plot + theme(legend.position = "none")
  n <- paths |> group_by(.data$run) |> summarise(games = max(.data$games))
  figure(plot, 9, 2 + 2 * panel_rows(length(order), 3), paste0("n = ", paste(n$run, n$games, collapse = ", "),
    " games that ended (censored games left out; shorter games join when they begin). Usual level: mean of the placements at least ", horizon, " before any end."),
    "Feature trajectories before the end")
}
