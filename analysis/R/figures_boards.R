# Figures about boards and moves. Each takes `bind_runs` tables and draws.

# Height of each column: distribution, mean and SD.
figure_profile <- function(profile, means) {
  runs <- present_runs(profile)
  columns <- panel_columns(runs)
  top <- profile |> filter(.data$share > 0.001) |> summarise(top = max(.data$height)) |> pull("top")
  shown <- filter(profile, .data$height <= top)
  plot <- ggplot(shown, aes(.data$column, .data$height)) +
    geom_tile(aes(fill = .data$share), width = 0.96) +
    geom_linerange(aes(.data$column, ymin = .data$mean - .data$sd, ymax = .data$mean + .data$sd), data = means,
        inherit.aes = FALSE, colour = accent, linewidth = 0.6) +
    geom_line(aes(y = .data$mean), data = means, colour = accent, linewidth = 0.8) +
    geom_point(aes(y = .data$mean), data = means, colour = accent, size = 1.8) +
    facet_wrap(~run, ncol = columns, scales = free_columns(means)) +
    scale_fill_gradient(low = "#F7FAFC", high = "#08306B", labels = percent_labels, limits = c(0, NA),
        name = "placements with this height   ",
                        guide = guide_colourbar(barwidth = 14, barheight = 0.6, title.vjust = 1)) +
    scale_x_continuous(breaks = seq_len(max(profile$column) + 1) - 1, expand = expansion(0)) +
    scale_y_continuous(breaks = whole_breaks(), expand = expansion(0)) +
    labs(title = "The surface", subtitle = "Blue: how often a column has a height; orange: mean and one SD",
         x = "column (0 = left)", y = "height after a placement (rows)") +
    theme_tetrastat() + theme(panel.grid = element_blank(),
        panel.background = element_rect(fill = "#F7FAFC", colour = NA))
  n <- means |> distinct(.data$run, .data$placements)
  figure(plot, 9, 2 + 3.2 * panel_rows(length(runs), columns),
      paste0("n = ", each_run(n$run, n$placements),
    " placements. Placements within a game are not independent; the picture describes, it does not test."),
        "Height profile")
}

# Where the well is: shares of the X-Y patterns, beside those of boards whose columns are in any order.
figure_wells <- function(counts, order, spacing) {
  runs <- present_runs(counts)
  columns <- panel_columns(runs)
  wells <- group_by(counts, .data$run) |> summarise(wells = sum(.data$n))
  notes <- left_join(order, wells, by = "run") |> mutate(label = if_else(is.na(.data$p), sprintf("n = %s, too few to test", tidy_number(.data$wells)),
      sprintf("n = %s, %s, w = %.2f", tidy_number(.data$wells), permutation_p(.data$p, .data$replicates), .data$w)))
  labels <- set_names(paste0(notes$run, "\n", notes$label), notes$run)
  plot <- ggplot(counts, aes(.data$pattern, .data$share)) +
    geom_col(aes(fill = "wells of the games"), width = 0.74) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), colour = ink, linewidth = 0.5) +
    geom_errorbar(aes(ymin = .data$expected, ymax = .data$expected, colour = "the same boards, columns in any order"), data = filter(counts, !is.na(.data$expected)), width = 0.9, linewidth = 1) +
    facet_wrap(~run, ncol = columns, scales = free_columns(counts), labeller = as_labeller(labels)) +
    scale_fill_manual(values = c("wells of the games" = "#8FBAD9"), name = NULL) +
    scale_colour_manual(values = c("the same boards, columns in any order" = accent), name = NULL) +
    scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "Where the deepest well stands",
         subtitle = "Pattern X-Y: X columns stand left of the well, Y right of it",
         x = "stacking pattern (from a well at the left wall to one at the right wall)", y = "share of boards") +
    theme_tetrastat() + theme(panel.grid.major.x = element_blank(), axis.text.x = element_text(size = rel(if (columns == 1) 1 else 0.8)))
  figure(plot, 9, 2.3 + 2.8 * panel_rows(length(runs), columns), paste0(
    "n = wells of boards sampled every so many placements: ", each_run(spacing$run, spacing$spacing),
        if (any(spacing$spacing != 20)) " (the first distance tried at which wells agree within 1 point of chance)", ", with one deepest well of at least 2 rows; ",
    "ties are dropped, because breaking them leftwards would bias the counts. Wilson 95 % intervals. Orange: the same boards with their columns permuted; ",
    "a column at a wall has one neighbour only, so more wells are there by chance. p: ", order$replicates[1], " permutations of at most ", tidy_number(max(order$n)), " boards; w: Cohen's effect size."),
        "Well columns", wells_words(counts, order))
}

# Where wells are more and less often than chance would have them.
wells_words <- function(counts, order) {
  tested <- order$run[!is.na(order$p) & order$p < 0.05]
  if (length(tested) == 0) return("")
  say <- \(name) {
    own <- filter(counts, .data$run == name, !is.na(.data$expected)) |> mutate(wall = .data$column %in% range(.data$column))
    walls <- sum(own$share[own$wall])
    chance <- sum(own$expected[own$wall])
    top <- own$pattern[which.max(own$share / own$expected)]
    paste0(name, if (walls < chance) " avoids wells at the walls (" else " prefers wells at the walls (", percent_labels(signif(walls, 2)), ", by chance ", percent_labels(signif(chance, 2)),
           ") and has most above chance at ", top)
  }
  paste0(paste(map_chr(as.character(head(tested, 4)), say), collapse = "; "), if (length(tested) > 4) paste0("; for ", and_words(tested[-(1:4)]), " see the panels"), ".")
}

# Does left equal right? Share of the left pattern in each mirror pair.
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
    scale_shape_manual(values = c("differs (Holm p < 0.05)" = 19, "no difference shown" = 1), name = NULL) +
    scale_x_continuous(labels = percent_labels) +
    labs(title = "Left or right?",
        subtitle = "Of the wells in a pattern and its mirror image, the share on the left side",
         x = "share on the left", y = "pattern | mirror") +
    theme_tetrastat()
  plot <- plot + if (length(runs) == 1) guides(colour = "none") else theme(legend.box = "vertical", legend.box.just = "left")
  n <- mirror |> group_by(.data$run) |> summarise(n = sum(.data$left + .data$right))
  figure(plot, 9, 3.8 + 0.12 * nrow(mirror), paste0("n = ", each_run(n$run, n$n),
    " thinned, untied wells. Exact binomial test of each pair with 95 % Clopper-Pearson interval; p corrected by Holm within a run."), "Mirror test")
}

# Freeform entropy per game, and how long a well is remembered.
figure_freeform <- function(entropy, memory, pooled) {
  runs <- levels(memory$run)
  spread <- ggplot(entropy, aes(.data$entropy, .data$run, colour = .data$run)) +
    geom_point(alpha = 0.4, size = 1.4, position = position_jitter(height = 0.18, width = 0, seed = 1)) +
    stat_summary(fun = median, geom = "crossbar", width = 0.5, orientation = "y", colour = ink, linewidth = 0.35) +
    geom_point(aes(.data$entropy, .data$run), data = pooled, shape = 23, size = 3.2, fill = "white",
        colour = ink, stroke = 0.9) +
    scale_runs(runs, guide = "none") + scale_y_discrete(limits = rev(runs)) +
    labs(title = "Freeform entropy", subtitle = "0 = one well for ever, 1 = every column alike",
        x = "entropy of the well column, each game", y = NULL) +
    theme_tetrastat()
  fade <- ggplot(filter(memory, !is.na(.data$agreement)), aes(.data$lag, .data$agreement, colour = .data$run)) +
    geom_hline(aes(yintercept = .data$chance, colour = .data$run), linetype = "22", linewidth = 0.5) +
    geom_line(linewidth = 0.8) + geom_point(size = 1.8) +
    scale_x_log10(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, NA)) +
    scale_runs(runs) +
    labs(title = "Persistence of the well column", subtitle = "Dashed: agreement by chance",
        x = "placements later (log scale)", y = "boards with the same well") +
    theme_tetrastat()
  fade <- fade + theme(legend.position = "none") # the left panel names the colours
  n <- count(entropy, .data$run)
  figure(patchwork::wrap_plots(spread, fade, widths = c(1, 1)), 9, 4.2 + 0.3 * length(runs),
      paste0("n = ", each_run(n$run, n$n),
    " games with at least 100 boards that have one deepest well. Entropy: Shannon's over well columns / log(width); black bar: median; diamond: the run's wells together, thinned as for the well columns (a short game's own entropy lies too low). Agreement: same well column so many placements later in the same game."),
    "Freeform entropy and well memory")
}

# Heat map of the cells that each piece fills.
figure_heat <- function(heat, placements) {
  runs <- present_runs(heat)
  rows <- heat |> group_by(.data$y) |> summarise(n = sum(.data$n)) |> mutate(share = .data$n / sum(.data$n))
  top <- max(rows$y[rows$share > 0.001])
  shown <- filter(heat, .data$y <= top)
  side <- if (length(runs) > 1) facet_grid(run ~ piece, labeller = label_wrap_gen(12))
    else facet_wrap(~piece, nrow = 2)
  plot <- ggplot(shown, aes(.data$x, .data$y, fill = .data$share)) +
    geom_raster() + side +
    scale_fill_viridis_c(option = "magma", labels = percent_labels, name = "share of the piece's cells   ",
                         guide = guide_colourbar(barwidth = 12, barheight = 0.6, title.vjust = 1)) +
    scale_x_continuous(breaks = seq(0, max(shown$x), 3), expand = expansion(0)) +
        scale_y_continuous(breaks = whole_breaks(4), expand = expansion(0)) +
    coord_equal() +
    labs(title = "Where each piece comes to rest",
        subtitle = "Cells that a piece fills, before rows are removed; floor at the bottom",
         x = "column (0 = left)", y = "row (0 = floor)") +
    theme_tetrastat() + theme(panel.grid = element_blank(), panel.spacing = unit(5, "pt"), panel.spacing.x = unit(5, "pt"),
        strip.text.y.right = element_text(angle = 0, hjust = 0, size = rel(0.85), lineheight = 0.9, margin = margin(l = 5)), strip.clip = "off")
  shape <- (top + 1) / (max(shown$x) + 1)
  figure(plot, 9, if (length(runs) > 1) 2.1 + 1.2 * length(runs) * shape else 2.7 + 3.9 * shape,
      paste0("n = ", each_run(placements$run, placements$placements),
    " placements; each piece's shares add up to 100 %. Rows with less than 0.1 % of the cells are not drawn."),
        "Heat map of placements")
}

# How clear the choice was: margin over the runner-up.
figure_margins <- function(curve, summary) {
  runs <- present_runs(curve)
  columns <- panel_columns(runs)
  usual <- filter(summary, .data$when == "otherwise") |> bind_rows(summary) |> distinct(.data$run, .keep_all = TRUE)
  labels <- set_names(sprintf("%s: %s exact ties", usual$run, percent_labels(signif(usual$ties, 2))), usual$run)
  plot <- ggplot(curve, aes(.data$margin, .data$share, colour = .data$when)) +
    geom_step(linewidth = 0.8) +
    geom_segment(aes(.data$median, 0, xend = .data$median, yend = 0.5), data = summary, linetype = "22",
        linewidth = 0.5, show.legend = FALSE) +
    facet_wrap(~run, scales = "free_x", ncol = columns, labeller = as_labeller(labels)) +
    scale_colour_manual(values = c("otherwise" = calm, "near the end" = accent), name = NULL) +
    scale_x_continuous(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "How clear was the choice?",
        subtitle = "Cumulative share of placements by margin over the runner-up; dashed: medians",
         x = "margin (in the controller's score)", y = "share of placements") +
    theme_tetrastat()
  n <- summary |> group_by(.data$run) |> summarise(words = paste(tidy_number(.data$n), .data$when, collapse = " and "))
  figure(plot, 9, 2.3 + 2.8 * panel_rows(length(runs), columns), paste0("n = placements with a runner-up: ",
      paste0(n$run, " ", n$words, collapse = "; "),
    ". Near the end: the last 100 placements of a game that ended. Empirical distribution, from the exact ties up to the 98 % quantile; margins of different controllers have different units."),
    "Margin distribution")
}

# How panels share the x axis: boards of unequal widths have their own.
free_columns <- function(table) {
  widths <- table |> group_by(.data$run) |> summarise(last = max(.data$column))
  if (n_distinct(widths$last) > 1) "free_x" else "fixed"
}
