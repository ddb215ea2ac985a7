# Figures about whole games. Each draws tables of `bind_runs()` and computes no statistics.

# Draws survival curves, with the numbers of games at risk, from `kaplan_meier()` and `lifetimes()`.
figure_survival <- function(km, life, says = lifetime_words(life)) {
  km <- plain(km)
  runs <- levels(km$run)
  shown <- length(runs) <= length(palette_runs)
  fit <- km |>
    inner_join(select(life, "run", "mean"), by = "run") |>
    group_by(.data$run, .data$mean) |>
    summarise(lines = list(c(10^seq(0, log10(max(.data$lines, 10)), length.out = 100), seq(0, max(.data$lines), length.out = 100)) |> sort()), .groups = "drop") |>
    unnest("lines") |>
    mutate(survival = exp(-.data$lines / .data$mean))
  far <- !all(is.na(life$mean)) && spans_orders(life$mean[!is.na(life$mean)], c(life$mean, life$longest), 1.4) # on a linear axis short games would not be visible
  if (far) {
    km <- mutate(km, lines = pmax(.data$lines, 1))
    fit <- filter(fit, .data$lines >= 1)
  }
  cut <- filter(km, .data$censored > 0)
  base <- ggplot(km, aes(.data$lines, .data$survival)) +
    (if (!shown) geom_step(aes(group = .data$other), data = beside(km), colour = "#D5D5D5", linewidth = 0.4)) +
    geom_rect(aes(xmin = .data$lines, xmax = .data$next_lines, ymin = .data$low, ymax = .data$high, fill = .data$run),
              data = survival_steps(km), alpha = if (length(runs) > 3 && shown) 0.08 else 0.16, show.legend = FALSE) +
    geom_step(aes(colour = .data$run, linetype = "games (Kaplan-Meier)"), linewidth = 0.8) +
    geom_line(aes(linetype = "exponential with the same mean", group = .data$run, colour = .data$run), data = fit, linewidth = 0.5) +
    geom_point(aes(shape = "censored game", colour = .data$run), data = cut, size = 1.8) +
    scale_linetype_manual(values = c("games (Kaplan-Meier)" = "solid", "exponential with the same mean" = "22"), name = NULL) +
    scale_shape_manual(values = c("censored game" = 3), name = NULL) +
    (if (far) scale_x_log10(labels = number_labels, expand = expansion(c(0, 0.04))) else scale_x_continuous(labels = number_labels, n.breaks = if (shown) 7 else 4, expand = expansion(c(0, 0.04)))) +
    scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Survival: share of games still running", x = paste0("lines cleared", if (far) " (log scale)"), y = "share of games still running") +
    theme_tetrastat() + theme(legend.box = "vertical", legend.box.just = "left", legend.spacing.y = unit(0, "pt"))
  plot <- if (shown) {
    base + scale_runs(runs, guide = if (length(runs) == 1) "none" else legend_of_runs(mean_labels(life)[runs], 9), labels = mean_labels(life)) + guides(fill = "none")
  } else {
    base + scale_runs(runs, guide = "none") + facet_wrap(~run, ncol = 3, labeller = label_wrap_gen(30))
  }
  if (shown) plot <- with_risk_table(plot, km, runs, far, range(km$lines, fit$lines))
  figure(plot, 9, if (shown) 5.4 + 0.32 * length(runs) else 2.3 + 2 * panel_rows(length(runs), 3), survival_caption(life),
    if (shown) "Survival curves: share of games still running by lines cleared, above the numbers of games at risk" else "Survival curves", says)
}

# Adds a panel below survival curves with the number of games that are still running.
with_risk_table <- function(plot, km, runs, far, limits) {
  breaks <- if (far) scales::breaks_log(7)(limits) else scales::breaks_extended(7)(limits)
  breaks <- breaks[breaks >= limits[1] & breaks <= limits[2]]
  axis <- \(...) {
    if (far) scale_x_log10(labels = number_labels, breaks = breaks, limits = limits, ...)
    else scale_x_continuous(labels = number_labels, breaks = breaks, limits = limits, ...)
  }
  at_risk <- \(own) map_dbl(breaks, \(x) c(own$at_risk[own$lines >= x], 0)[1])
  rows <- map(set_names(runs), \(name) {
    tibble(lines = breaks, games = at_risk(filter(km, .data$run == name)))
  })
  rows <- bind_rows(rows, .id = "run") |> mutate(run = factor(.data$run, rev(runs)))
  table <- ggplot(rows, aes(.data$lines, .data$run, label = tidy_number(.data$games))) +
    geom_text(aes(colour = .data$run), size = 3.2) + axis(expand = expansion(c(0.02, 0.04))) +
    scale_runs(runs, guide = "none") +
    labs(title = "Games at risk", x = NULL, y = NULL) +
    theme_tetrastat() +
    theme(panel.grid = element_blank(), axis.text.x = element_blank(),
          plot.title = element_text(size = rel(0.92), face = "plain", colour = quiet),
          plot.margin = margin(0, 14, 4, 10))
  curves <- suppressMessages(plot + axis(expand = expansion(c(0.02, 0.04))))
  patchwork::wrap_plots(curves, table, ncol = 1, heights = c(1, 0.02 + 0.07 * length(runs)))
}

# Returns the curves of all other runs for the background of each panel.
beside <- function(km) {
  bind_rows(map(levels(droplevels(km$run)), \(name) {
    filter(km, .data$run != name) |> mutate(other = .data$run, run = factor(name, levels(km$run)))
  }))
}

# Describes the mean lines of each run, for runs that were not compared pairwise.
lifetime_words <- function(life) {
  words <- paste0(life$run, ": ", interval_words(life$mean, life$low, if_else(is.infinite(life$high), NA_real_, life$high)), " lines")
  words <- if_else(is.na(life$mean), paste0(life$run, ": above ", tidy_number(life$low), " lines (no game finished)"), words)
  if (nrow(life) > 6) paste0("Mean lines of a finished game from ", tidy_number(min(life$mean, na.rm = TRUE)), " to ", tidy_number(max(life$mean, na.rm = TRUE)), ".")
  else paste0("Mean lines of a finished game (95 % CI): ", paste(words, collapse = "; "), ".")
}

# Returns the steps of a curve as spans: each row gets the lines of the next row of the same run.
survival_steps <- function(km) {
  km |>
    group_by(.data$run) |>
    mutate(next_lines = lead(.data$lines)) |>
    ungroup() |>
    filter(!is.na(.data$next_lines))
}

# Returns labels of runs with their mean and its exact interval, if it is known, named by run.
mean_labels <- function(life) {
  ends <- if_else(is.na(life$low), "", sprintf(" (%s to %s)", tidy_number(life$low), tidy_number(life$high)))
  set_names(if_else(is.na(life$mean), sprintf("%s, mean above %s", life$run, tidy_number(life$low)), paste0(life$run, ", mean ", tidy_number(life$mean), ends)), life$run)
}

survival_caption <- function(life) {
  paste0("n = ", paste(paste0(life$run, " (", tidy_number(life$games), " games, ", tidy_number(life$ended), " finished)"), collapse = ", "),
         ". Kaplan-Meier curve with 95 % log-log band. Mean = all lines / finished games", if (any(!is.na(life$low))) ", with the exact chi-square 95 % CI of exponential lifetimes",
         ". Dashed: exponential lifetimes with this mean.")
}

# Draws a check of the constant hazard: log survival against lines in units of the fitted mean.
figure_risk <- function(km, life) {
  runs <- levels(km$run)
  shape <- filter(life, !is.na(.data$shape))
  points <- inner_join(km, select(life, "run", "mean"), by = "run") |>
    mutate(scaled = .data$lines / .data$mean) |>
    filter(.data$survival > 0, !is.na(.data$mean))
  if (nrow(points) == 0) return(NULL)
  reach <- max(points$scaled)
  many <- length(runs) > length(palette_runs)
  plot <- ggplot(points, aes(.data$scaled, .data$survival, colour = .data$run)) +
    annotate("segment", x = 0, y = 1, xend = reach, yend = exp(-reach), colour = quiet, linetype = "22",
        linewidth = 0.6) +
    geom_step(linewidth = 0.9) +
    scale_y_log10(labels = percent_labels, breaks = c(1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)) +
    scale_runs(runs, guide = if (many) "none" else legend_of_runs(runs, 9)) +
    (if (many) facet_wrap(~run, ncol = 3, scales = "free", labeller = label_wrap_gen(30))) +
    labs(title = "Is the hazard constant?",
         subtitle = "Dashed: constant hazard. Flattening curves: falling hazard. Steepening curves: rising hazard",
         x = "lines cleared / fitted mean", y = "share still running (log scale)") +
    theme_tetrastat()
  if (length(runs) == 1) plot <- plot + theme(legend.position = "none")
  figure(plot, 9, if (many) 2.3 + 2 * panel_rows(length(runs), 3) else 4.4 + 0.1 * length(runs), paste0("n = ", tidy_number(sum(life$games)),
      " games. Kaplan-Meier survival against lines / (all lines / finished games). ",
                            "The right end of each curve depends on few games. ",
    "Weibull shape (1 = constant hazard), 95 % CI: ",
        paste(sprintf("%s %.2f (%.2f to %.2f)", shape$run, shape$shape, shape$shape_low, shape$shape_high),
        collapse = ", "), "."), "Log survival against scaled lines", risk_words(life))
}

# Describes the runs whose hazard rises or falls.
risk_words <- function(life) {
  tested <- filter(life, !is.na(.data$exponential))
  if (nrow(tested) == 0) return("")
  off <- !tested$exponential
  if (!any(off)) return("Tests of a constant hazard (Cox-Oakes, Anderson-Darling) do not reject it.")
  cut <- off & tested$ended < tested$games
  whole <- off & !cut
  paste0("The hazard is not constant for ", and_words(paste0(tested$run[off], if_else(tested$shape[off] > 1, " (it rises with lines)", " (it falls with lines)"))), " (Cox-Oakes or Anderson-Darling test).",
         if (any(cut)) paste0(" Games of ", and_words(tested$run[cut]), " were censored, so no interval of their mean is reliable; use the restricted mean."),
         if (any(whole)) paste0(" All games of ", and_words(tested$run[whole]), " finished, so the bootstrap-t interval of the mean is reliable."))
}

# Draws the lines of each game with the means of the runs and their intervals.
figure_lines <- function(games, life, says = lifetime_words(life)) {
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
    scale_colour_manual(values = c(bootstrap = "#56B4E9", exponential = accent), name = "95 % CI of the mean",
                        guide = guide_legend(override.aes = override, order = 1)) +
    scale_shape_manual(values = c("game" = 16, "censored game" = 3), name = NULL,
        guide = guide_legend(override.aes = list(alpha = 1), order = 2)) +
    scale_x_log10(labels = number_labels, expand = expansion(c(0.05, 0.07))) + coord_cartesian(clip = "off") +
    labs(title = "Lines per game",
        subtitle = "Grey: one mark per game. Black: mean lines of a finished game",
         x = "lines cleared (log scale)", y = NULL) +
    theme_tetrastat()
  figure(plot, 9, 2.5 + 0.85 * nrow(life), paste0("n = ",
      each_run(life$run, life$games), " games. Mean = all lines / finished games. Exponential: exact chi-square CI, which assumes a constant hazard. Bootstrap: bootstrap-t over games; it needs 10 finished games.",
      if (any(is.infinite(life$high))) " If no game finished, there is only a one-sided 95 % lower bound."),
    "Lines of each game by run", says)
}

# Returns the exact 95 % intervals of shares (Clopper and Pearson): low, high.
exact_share <- function(wins, known) {
  ends <- map2(wins, known, \(wins, known) binom.test(wins, known)$conf.int)
  tibble(low = map_dbl(ends, 1), high = map_dbl(ends, 2))
}

# Draws the share of common games in which the first run of each pair clears more lines, with its
# exact interval.
figure_wins <- function(pairs, runs) {
  rows <- filter(plain(pairs), .data$known > 0, .data$games > 0)
  if (nrow(rows) == 0) return(NULL)
  rows <- mutate(rows, pair = paste(.data$first, "/", .data$second), pair = factor(.data$pair, rev(.data$pair)), share = .data$wins / .data$known,
                 exact_share(.data$wins, .data$known), significant = coalesce(p.adjust(.data$sign_p, "holm") < 0.05, FALSE))
  plot <- ggplot(rows, aes(.data$share, .data$pair, colour = .data$first)) +
    geom_vline(xintercept = 0.5, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high, shape = .data$significant), fatten = 4, linewidth = 0.8) +
    scale_shape_manual(values = c("TRUE" = 19, "FALSE" = 1), guide = "none") + scale_runs(runs, guide = "none") +
    scale_x_continuous(labels = percent_labels, limits = \(range) c(max(0, min(0.4, range[1])), min(1, max(0.6, range[2])))) +
    labs(title = "Share of games won", subtitle = "First run clears more lines; 95 % CI", x = "share of decided common games", y = NULL) + theme_tetrastat()
  figure(plot, 9, 2.5 + 0.36 * nrow(rows),
      paste0("n = ", paste(unique(tidy_number(range(rows$known))), collapse = " to "), " decided games in a pair: game i of each run is dealt the same pieces. ",
      "Exact 95 % CI. A game is undecided if it is tied, or censored before it reaches the lines of the other game. Hollow: not significant (sign test, Holm p >= 0.05). ",
      "A share and a ratio of means can disagree: a few long games change a mean but not a count.", correlation_words(rows$correlation)),
      "Share of games won on common seeds")
}

# Draws the ratios of all pairs.
figure_comparison <- function(compared) {
  measure <- attr(compared, "measure")
  column <- gsub("_", " ", attr(compared, "column"))
  words <- c(mean = if (column == "lines") "ratio of mean lines of finished games" else paste("ratio of mean", column), rmst = paste0("ratio of mean lines up to ", tidy_number(attr(compared, "limit") %||% NA_real_)), hazard = "hazard ratio, second / first")[[measure]]
  rows <- plain(compared) |> filter(!is.na(.data$ratio)) |>
    mutate(label = paste(.data$first, "/", .data$second))
  if (nrow(rows) == 0) return(NULL)
  left_out <- sum(is.na(compared$ratio))
  how <- if (isTRUE(attr(compared, "stopped"))) "Played until a verdict, so intervals for a fixed number of games do not hold."
    else if (measure == "mean") "CI by the paired bootstrap-t, or by the F distribution if few games finished; p by sign flips, or log-rank if games were cut off, adjusted by Holm's method."
    else "Standard errors are clustered by seed. CI and p hold for all pairs together (Sidak)."
  ratio_figure(rows, "Ratios of all pairs of runs", "The run with the larger estimate is first", words,
    paste0("n = ", paste(unique(tidy_number(range(rows$games))), collapse = " to "), " common seeds per pair. ", how, if (left_out > 0) paste0(" ", left_out, if (left_out == 1) " pair has" else " pairs have", " no ratio, because too few games of a run finished.")),
    "All pairs of runs", comparison_words(compared))
}

# Draws contrasts of means, one strip per question.
figure_contrast <- function(rows) {
  rows <- filter(rows, !is.na(.data$ratio)) |>
    mutate(label = paste0(.data$levels, if_else(is.na(.data$within), "", paste0("\n", .data$within))), contrast = paste("by", gsub(":", " and ", .data$contrast)))
  if (nrow(rows) == 0) fail("no contrast has a ratio, because no game of a condition finished")
  n <- if ("n" %in% names(rows)) paste0("n = ", paste(unique(tidy_number(range(rows$n))), collapse = " to "), " games per contrast. ") else ""
  ratio_figure(rows, "Ratios of means", NULL, "ratio", paste0(n, "95 % CI by the delta method on the logarithm; games with the same seed are paired. For a / b, c / d: the ratio a / b at c, divided by that at d. p adjusted by Holm's method."),
    "Contrasts of means", "", "contrast")
}

# Draws ratios (columns label, ratio, low, high, p_adjusted) around 1, with their numbers at the right.
ratio_figure <- function(rows, title, subtitle, axis, caption, alt, says, strip = NULL) {
  verdicts <- c("significant at 0.05", "not significant")
  rows <- mutate(rows, label = factor(.data$label, rev(unique(.data$label))), verdict = factor(if_else(coalesce(.data$p_adjusted < 0.05, FALSE), verdicts[1], verdicts[2]), verdicts))
  shown <- verdicts[verdicts %in% rows$verdict]
  reach <- range(1, rows$low, rows$high, rows$ratio, na.rm = TRUE, finite = TRUE)
  plot <- ggplot(rows, aes(.data$ratio, .data$label, colour = .data$verdict)) +
    geom_vline(xintercept = 1, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_linerange(aes(xmin = .data$low, xmax = .data$high), data = filter(rows, !is.na(.data$low)), linewidth = 0.8) +
    geom_point(aes(shape = .data$verdict), size = 2.4) +
    geom_text(aes(x = Inf, label = paste0(ratio_words(.data$ratio, .data$low, .data$high), if_else(is.na(.data$p_adjusted), "", paste0(", ", tidy_p(.data$p_adjusted))))), hjust = 0, nudge_x = 0.05, size = 3, colour = ink) +
    scale_colour_manual(values = set_names(c(calm, "#767676"), verdicts)[shown], limits = shown, name = NULL) +
    scale_shape_manual(values = set_names(c(19, 1), verdicts)[shown], limits = shown, name = NULL) +
    scale_x_log10(labels = lines_labels, breaks = log_breaks(reach), limits = reach) + coord_cartesian(clip = "off") +
    labs(title = title, subtitle = paste0(subtitle, if (!is.null(subtitle)) "; ", "95 % CI"), x = paste(axis, "(log scale)"), y = NULL) +
    theme_tetrastat() + theme(plot.margin = margin(10, 175, 8, 10))
  if (!is.null(strip)) plot <- plot + facet_wrap(vars(.data[[strip]]), ncol = 1, scales = "free_y")
  figure(plot, 9, 2.4 + 0.36 * nrow(rows) + if (is.null(strip)) 0 else 0.3 * n_distinct(rows[[strip]]), caption, alt, says)
}

correlation_words <- function(r) {
  if (all(is.na(r))) return("")
  range <- sprintf("%.2f", unique(round(range(r, na.rm = TRUE), 2) + 0)) # + 0 turns -0 into 0
  paste0(" Correlation of log lines within a pair: ", paste(range, collapse = " to "), if (max(abs(r), na.rm = TRUE) < 0.2) " (so common seeds hardly narrow the intervals)", ".")
}

# Draws the mean of features before the end of a game, one panel per feature.
figure_trajectories <- function(paths, usual, order, horizon = 150, every = 1) {
  least <- min(10, max(paths$games)) # a mean of fewer games is too noisy
  paths <- filter(paths, .data$games >= least)
  runs <- present_runs(paths)
  usual <- filter(usual, .data$run %in% runs)
  bands <- length(runs) <= 2 # more bands would overlap
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
    labs(title = "Board features before the end of a game",
         subtitle = paste0("Line: mean; ", if (bands) "band: 10 % to 90 % of games; ",
             if (nrow(usual) > 0) "dashed: usual level; ", "panels ordered by change"),
         x = "placements left before the end", y = "value after the placement") +
    theme_tetrastat() + theme(strip.text = element_text(size = rel(0.85)))
  if (length(runs) == 1) plot <- plot + theme(legend.position = "none")
  n <- paths |> group_by(.data$run) |> summarise(games = max(.data$games), least = min(.data$games))
  counts <- if_else(n$games == n$least, tidy_number(n$games), paste(tidy_number(n$least), "to", tidy_number(n$games)))
  figure(plot, 9, 2 + 2 * panel_rows(length(order), 3), paste0("n = ", paste0(n$run, " (", counts, ")", collapse = ", "),
    " finished games per point. Short games contribute only to the points that they reach; points with fewer than ", least, " games are not drawn.",
    if (every > 1) paste0(" One placement in ", every, " was logged, so each point is a span of ", every, " placements, in which each game has one."),
    if (nrow(usual) > 0) paste0(" Usual level: mean of placements at least ", horizon, " before the end of a game.")),
    "Feature trajectories before the end")
}
