# Figures about boards and moves. Each takes `bind_runs` tables and draws.

#' Height of each column: distribution, mean and SD.
figure_profile <- function(profile, means) {
  runs <- present_runs(profile)
  columns <- panel_columns(runs)
  top <- profile |> filter(.data$share > 0.001) |> summarise(top = max(.data$height)) |> pull("top")
  shown <- filter(profile, .data$height <= top)
  plot <- ggplot(shown, aes(.data$column, .data$height)) +
    geom_tile(aes(fill = .data$share), width = 0.96, height = 0.96) +
    geom_linerange(aes(.data$column, ymin = .data$mean - .data$sd, ymax = .data$mean + .data$sd), data = means,
        inherit.aes = FALSE, colour = accent, linewidth = 0.6) +
    geom_line(aes(y = .data$mean), data = means, colour = accent, linewidth = 0.8) +
    geom_point(aes(y = .data$mean), data = means, colour = accent, size = 1.8) +
    facet_wrap(~run, ncol = columns) +
    scale_fill_gradient(low = "#F7FAFC", high = "#08306B", labels = percent_labels,
        name = "placements with this height ",
                        guide = guide_colourbar(barwidth = 14, barheight = 0.6)) +
    scale_x_continuous(breaks = unique(profile$column), expand = expansion(0)) +
    scale_y_continuous(breaks = whole_breaks(), expand = expansion(0)) +
    labs(title = "The usual surface", subtitle = "Blue: how often a column has a height; orange: mean and one SD",
         x = "column (0 = left)", y = "height after a placement (rows)") +
    theme_tetrastat() + theme(panel.grid = element_blank(),
        panel.background = element_rect(fill = "#F7FAFC", colour = NA))
  n <- means |> distinct(.data$run, .data$placements)
  figure(plot, 9, 2 + 3.2 * panel_rows(length(runs), columns),
      paste0("n = ", paste(n$run, tidy_number(n$placements), collapse = ", "),
    " placements. Placements within a game are not independent; the picture describes, it does not test."),
        "Height profile")
}

#' Where the well is: shares of the X-Y patterns.
figure_wells <- function(counts, uniform, spacing) {
  runs <- present_runs(counts)
  columns <- panel_columns(runs)
  width <- max(counts$column) + 1
  counts <- mutate(counts, side = case_when(.data$column < (width - 1) / 2 ~ "left half",
      .data$column > (width - 1) / 2 ~ "right half", TRUE ~ "middle"))
  notes <- mutate(uniform, label = sprintf("n = %s, %s, w = %.2f", tidy_number(.data$n), tidy_p(.data$p), .data$w))
  labels <- set_names(paste0(notes$run, ": ", notes$label), notes$run)
  plot <- ggplot(counts, aes(.data$pattern, .data$share, fill = .data$side)) +
    geom_col(width = 0.78) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), colour = ink, linewidth = 0.5) +
    geom_hline(yintercept = 1 / width, linetype = "22", colour = ink, linewidth = 0.5) +
    facet_wrap(~run, ncol = columns, labeller = as_labeller(labels)) +
    scale_fill_manual(values = c("left half" = calm, "right half" = accent, middle = quiet), name = NULL) +
    scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "Where the deepest well stands",
         subtitle = "Pattern X-Y: X columns stand left of the well, Y right of it. Dashed: every column alike",
         x = "stacking pattern (well at the left wall ... at the right wall)", y = "share of boards") +
    theme_tetrastat() + theme(panel.grid.major.x = element_blank())
  figure(plot, 9, 2 + 2.8 * panel_rows(length(runs), columns), paste0(
    "Boards ", paste(spacing$run, spacing$spacing, collapse = ", "),
        " placements apart (the first distance tried at which wells agree within 1 point of chance), with one deepest well of at least 2 rows; ",
    "ties dropped, for a rule 'leftmost' would favour the left. Wilson 95 % intervals; w: Cohen's effect size of the chi-square against uniform. ",
    "A column at a wall has one neighbour only, so independent heights too would put more wells there."),
        "Well columns")
}

#' Does left equal right? Share of the left pattern in each mirror pair.
figure_mirror <- function(mirror) {
  runs <- levels(mirror$run)
  mirror <- mutate(mirror, pair = factor(paste(.data$pattern, "|", .data$mirror)),
      pair = factor(.data$pair, rev(unique(paste(.data$pattern, "|", .data$mirror)))))
  plot <- ggplot(mirror, aes(.data$share_left, .data$pair, colour = .data$run)) +
    geom_vline(xintercept = 0.5, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high,
        shape = if_else(.data$p < 0.05, "differs (Holm p < 0.05)", "no difference shown")),
                    position = position_dodge(width = 0.6), fatten = 4, linewidth = 0.8) +
    scale_runs(runs) +
    scale_shape_manual(values = c("differs (Holm p < 0.05)" = 16, "no difference shown" = 1), name = NULL) +
    scale_x_continuous(labels = percent_labels) +
    labs(title = "Left or right?",
        subtitle = "Of the wells in a pattern and its mirror image, the share on the left side",
         x = "share on the left", y = "pattern | mirror") +
    theme_tetrastat()
  if (length(runs) == 1) plot <- plot + guides(colour = "none")
  n <- mirror |> group_by(.data$run) |> summarise(n = sum(.data$left + .data$right))
  figure(plot, 9, 3.6 + 0.12 * nrow(mirror), paste0("n = ", paste(n$run, tidy_number(n$n), collapse = ", "),
    " thinned, untied wells. Exact binomial test of each pair with 95 % Clopper-Pearson interval; p corrected by Holm within a run."), "Mirror test")
}

#' Freeform entropy per game, and how long a well is remembered.
figure_freeform <- function(entropy, memory) {
  runs <- levels(memory$run)
  spread <- ggplot(entropy, aes(.data$entropy, .data$run, colour = .data$run)) +
    geom_point(alpha = 0.4, size = 1.4, position = position_jitter(height = 0.18, width = 0, seed = 1)) +
    stat_summary(fun = median, geom = "crossbar", width = 0.5, orientation = "y", colour = ink, linewidth = 0.35) +
    scale_runs(runs, guide = "none") + scale_y_discrete(limits = rev(runs)) +
    labs(title = "Freeform entropy", subtitle = "0 = one well for ever, 1 = every column alike",
        x = "entropy of the well column, each game", y = NULL) +
    theme_tetrastat()
  fade <- ggplot(filter(memory, !is.na(.data$agreement)), aes(.data$lag, .data$agreement, colour = .data$run)) +
    geom_hline(aes(yintercept = .data$chance, colour = .data$run), linetype = "22", linewidth = 0.5) +
    geom_line(linewidth = 0.8) + geom_point(size = 1.8) +
    scale_x_log10(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, NA)) +
    scale_runs(runs) +
    labs(title = "How long a well is remembered", subtitle = "Dashed: agreement by chance",
        x = "placements later (log scale)", y = "boards with the same well") +
    theme_tetrastat()
  if (length(runs) == 1) fade <- fade + theme(legend.position = "none")
  n <- count(entropy, .data$run)
  figure(patchwork::wrap_plots(spread, fade, widths = c(1, 1)), 9, 4.2 + 0.3 * length(runs),
      paste0("n = ", paste(n$run, n$n, collapse = ", "),
    " games with at least 100 boards that have one deepest well. Entropy: Shannon's over well columns / log(width); black bar: median. Agreement: same well column so many placements later in the same game."),
    "Freeform entropy and well memory")
}

#' Heat map of the cells that each piece fills.
figure_heat <- function(heat, placements) {
  runs <- present_runs(heat)
  rows <- heat |> group_by(.data$y) |> summarise(n = sum(.data$n)) |> mutate(share = .data$n / sum(.data$n))
  top <- max(rows$y[rows$share > 0.001])
  shown <- filter(heat, .data$y <= top)
  side <- if (length(runs) > 1) facet_grid(run ~ piece, switch = "y") else facet_wrap(~piece, nrow = 2)
  plot <- ggplot(shown, aes(.data$x, .data$y, fill = .data$share)) +
    geom_raster() + side +
    scale_fill_viridis_c(option = "magma", labels = percent_labels, name = "share of the piece's cells ",
                         guide = guide_colourbar(barwidth = 12, barheight = 0.6)) +
    scale_x_continuous(breaks = seq(0, max(shown$x), 3), expand = expansion(0)) +
        scale_y_continuous(breaks = whole_breaks(4), expand = expansion(0)) +
    coord_equal() +
    labs(title = "Where each piece comes to rest",
        subtitle = "Cells that a piece fills, before rows are removed; floor at the bottom",
         x = "column (0 = left)", y = "row (0 = floor)") +
    theme_tetrastat() + theme(panel.grid = element_blank(), panel.spacing = unit(5, "pt"),
        panel.background = element_rect(fill = "#000004", colour = NA), strip.placement = "outside")
  figure(plot, 9, if (length(runs) > 1) 2.1 + 1.2 * length(runs) * (top + 1) / (max(shown$x) + 1) else 5.8,
      paste0("n = ", paste(placements$run, tidy_number(placements$placements), collapse = ", "),
    " placements; each piece's shares add up to 100 %. Rows with less than 0.1 % of the cells are not drawn."),
        "Heat map of placements")
}

#' How clear the choice was: margin over the runner-up.
figure_margins <- function(histogram, summary) {
  runs <- present_runs(histogram)
  columns <- panel_columns(runs)
  colours <- c("otherwise" = calm, "near the end" = accent)
  usual <- filter(summary, .data$when == "otherwise")
  labels <- set_names(sprintf("%s: %s exact ties", usual$run, percent_labels(signif(usual$ties, 2))), usual$run)
  plot <- ggplot(filter(histogram, .data$bin > 0, .data$bin <= 50),
      aes(.data$margin, .data$share, colour = .data$when)) +
    geom_step(direction = "mid", linewidth = 0.8) +
    geom_point(data = filter(histogram, .data$bin == 0), size = 2.4) +
    geom_vline(aes(xintercept = .data$median, colour = .data$when), data = summary, linetype = "22",
        linewidth = 0.5, show.legend = FALSE) +
    facet_wrap(~run, scales = "free", ncol = columns, labeller = as_labeller(labels)) +
    scale_colour_manual(values = colours, name = NULL) +
    scale_x_continuous(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, NA)) +
    labs(title = "How clear was the choice?",
        subtitle = "Score of the placement minus the runner-up's; point at 0: exact ties; dashed: medians",
         x = "margin (in the controller's score)", y = "share of placements") +
    theme_tetrastat()
  figure(plot, 9, 2.2 + 2.8 * panel_rows(length(runs), columns),
      paste0("n = placements with a runner-up: ", paste0(summary$run, " ", tidy_number(summary$n), " ",
      summary$when, collapse = ", "),
    ". Near the end: the last 100 placements of a game that ended. 50 bins up to the 98 % quantile; margins of different controllers have different units."),
    "Margin distribution")
}
