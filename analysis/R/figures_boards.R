# Figures about boards and placements. Each draws tables of `bind_runs()`.

# Draws the distribution of the height of each column, with mean and SD.
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
        name = "share of placements   ",
                        guide = guide_colourbar(barwidth = 14, barheight = 0.6, title.vjust = 1)) +
    scale_x_continuous(breaks = seq_len(max(profile$column) + 1) - 1, expand = expansion(0)) +
    scale_y_continuous(breaks = whole_breaks(), expand = expansion(0)) +
    labs(title = "Column heights", subtitle = "Blue: share of placements with this height; orange: mean and one standard deviation",
         x = "column (0 = left)", y = "height after the placement (rows)") +
    theme_tetrastat() + theme(panel.grid = element_blank(),
        panel.background = element_rect(fill = "#F7FAFC", colour = NA))
  n <- means |> distinct(.data$run, .data$placements)
  figure(plot, 9, 2 + 3.2 * panel_rows(length(runs), columns),
      paste0("n = ", each_run(n$run, n$placements),
    " placements. Placements within a game are not independent, so the figure is descriptive. The placement that ends a game may stand above the top row, so heights can exceed the rows of the board."),
        "Height profile")
}

# Draws the shares of the X-Y patterns of wells, next to those of boards with shuffled columns.
figure_wells <- function(counts, order, spacing) {
  runs <- present_runs(counts)
  columns <- panel_columns(runs)
  wells <- group_by(counts, .data$run) |> summarise(wells = sum(.data$n))
  notes <- left_join(order, wells, by = "run") |> mutate(label = if_else(is.na(.data$p), sprintf("n = %s, too few for a test", tidy_number(.data$wells)),
      sprintf("n = %s, %s, w = %.2f", tidy_number(.data$wells), permutation_p(.data$p, .data$replicates), .data$w)))
  labels <- set_names(paste0(notes$run, "\n", notes$label), notes$run)
  plot <- ggplot(counts, aes(.data$pattern, .data$share)) +
    geom_col(aes(fill = "wells of the games"), width = 0.74) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), colour = ink, linewidth = 0.5) +
    geom_errorbar(aes(ymin = .data$expected, ymax = .data$expected, colour = "null distribution: shuffled columns"), data = filter(counts, !is.na(.data$expected)), width = 0.9, linewidth = 1) +
    facet_wrap(~run, ncol = columns, scales = free_columns(counts), labeller = as_labeller(labels)) +
    scale_fill_manual(values = c("wells of the games" = "#8FBAD9"), name = NULL) +
    scale_colour_manual(values = c("null distribution: shuffled columns" = accent), name = NULL) +
    scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.06))) +
    labs(title = "Position of the deepest well",
         subtitle = "Pattern X-Y: X columns left of the well, Y columns right of it",
         x = "stacking pattern (left wall to right wall)", y = "share of boards") +
    theme_tetrastat() + theme(panel.grid.major.x = element_blank(), axis.text.x = element_text(size = rel(if (columns == 1) 1 else 0.8)))
  figure(plot, 9, 2.3 + 2.8 * panel_rows(length(runs), columns), paste0(
    "n = boards with one deepest well of at least 2 rows. ", spacing_words(spacing),
    " Boards with tied wells are dropped, because a rule for ties would favour one side. Lines: Wilson 95 % CI. Orange: the same boards with shuffled columns. ",
    "A column at a wall has only one neighbour, so more wells are there by chance. p: ", order$replicates[1], " permutations of at most ", tidy_number(max(order$n)), " boards; w: Cohen's effect size."),
        "Well columns", wells_words(counts, order))
}

# Describes where wells are more and less frequent than by chance.
wells_words <- function(counts, order) {
  tested <- order$run[!is.na(order$p) & order$p < 0.05]
  if (length(tested) == 0) return("")
  say <- \(name) {
    own <- filter(counts, .data$run == name, !is.na(.data$expected)) |> mutate(wall = .data$column %in% range(.data$column))
    walls <- sum(own$share[own$wall])
    chance <- sum(own$expected[own$wall])
    top <- own$pattern[which.max(own$share / own$expected)]
    paste0(name, if (walls < chance) " avoids wells at the walls (" else " prefers wells at the walls (", percent_labels(signif(walls, 2)), ", by chance ", percent_labels(signif(chance, 2)),
           ") and has the largest excess over chance at ", top)
  }
  paste0(paste(map_chr(as.character(head(tested, 4)), say), collapse = "; "), if (length(tested) > 4) paste0(". See the panels for ", and_words(tested[-(1:4)])), ".")
}

# Draws a test of left against right: the share of the left pattern in each mirror pair.
figure_mirror <- function(mirror) {
  runs <- levels(mirror$run)
  mirror <- mutate(mirror, pair = factor(paste(.data$pattern, "|", .data$mirror)),
      pair = factor(.data$pair, rev(unique(paste(.data$pattern, "|", .data$mirror)))))
  plot <- ggplot(mirror, aes(.data$share_left, .data$pair, colour = .data$run)) +
    geom_vline(xintercept = 0.5, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high,
        shape = if_else(.data$p < 0.05, "significant (Holm p < 0.05)", "not significant")),
                    position = position_dodge(width = 0.6), fatten = 4, linewidth = 0.8) +
    scale_runs(runs) +
    scale_shape_manual(values = c("significant (Holm p < 0.05)" = 19, "not significant" = 1), name = NULL) +
    scale_x_continuous(labels = percent_labels) +
    labs(title = "Left-right symmetry of wells",
        subtitle = "Share of wells on the left side, for each pattern and its mirror image",
         x = "share on the left", y = "pattern | mirror image") +
    theme_tetrastat()
  plot <- plot + if (length(runs) == 1) guides(colour = "none") else theme(legend.box = "vertical", legend.box.just = "left")
  n <- mirror |> group_by(.data$run) |> summarise(n = sum(.data$left + .data$right))
  figure(plot, 9, 3.8 + 0.12 * nrow(mirror), paste0("n = ", each_run(n$run, n$n),
    " thinned, untied wells. Exact binomial test of each pair with its Clopper-Pearson 95 % CI; p-values Holm-adjusted within a run."), "Mirror test")
}

# Draws the freeform entropy of each game, and how long the well column persists.
figure_freeform <- function(entropy, memory, pooled) {
  runs <- levels(memory$run)
  spread <- ggplot(entropy, aes(.data$entropy, .data$run, colour = .data$run)) +
    geom_point(alpha = 0.4, size = 1.4, position = position_jitter(height = 0.18, width = 0, seed = 1)) +
    stat_summary(fun = median, geom = "crossbar", width = 0.5, orientation = "y", colour = ink, linewidth = 0.35) +
    geom_point(aes(.data$entropy, .data$run), data = pooled, shape = 23, size = 3.2, fill = "white",
        colour = ink, stroke = 0.9) +
    scale_runs(runs, guide = "none") + scale_y_discrete(limits = rev(runs)) +
    labs(title = "Freeform entropy", subtitle = "0: always one column; 1: all columns",
        x = "entropy of the well column in a game", y = NULL) +
    theme_tetrastat()
  fade <- ggplot(filter(memory, !is.na(.data$agreement)), aes(.data$lag, .data$agreement, colour = .data$run)) +
    geom_hline(aes(yintercept = .data$chance, colour = .data$run), linetype = "22", linewidth = 0.5) +
    geom_line(linewidth = 0.8) + geom_point(size = 1.8) +
    scale_x_log10(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, NA)) +
    scale_runs(runs) +
    labs(title = "Persistence of the well column", subtitle = "Dashed: agreement expected by chance",
        x = "placements later (log scale)", y = "share with the same well") +
    theme_tetrastat()
  fade <- fade + theme(legend.position = "none") # the left panel has the names of the runs
  n <- count(entropy, .data$run)
  figure(patchwork::wrap_plots(spread, fade, widths = c(1, 1)), 9, 4.2 + 0.3 * length(runs),
      paste0("n = ", each_run(n$run, n$n),
    " games with at least 100 boards that have one deepest well; a run without points has no such game. Left: Shannon entropy over well columns / log(width). Black bar: median. Diamond: all thinned wells of the run together, since the entropy of a short game is biased downwards. Right: share of boards with the same well column at a later placement of the same game."),
    "Freeform entropy and well memory")
}

# Draws a heat map of the cells that each piece fills.
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
    labs(title = "Resting positions of each piece",
        subtitle = "Cells that a piece fills, before full rows are removed",
         x = "column (0 = left)", y = "row (0 = floor)") +
    theme_tetrastat() + theme(panel.grid = element_blank(), panel.spacing = unit(5, "pt"), panel.spacing.x = unit(5, "pt"),
        strip.text.y.right = element_text(angle = 0, hjust = 0, size = rel(0.85), lineheight = 0.9, margin = margin(l = 5)), strip.clip = "off")
  shape <- (top + 1) / (max(shown$x) + 1)
  figure(plot, 9, if (length(runs) > 1) 2.1 + 1.2 * length(runs) * shape else 2.7 + 3.9 * shape,
      paste0("n = ", each_run(placements$run, placements$placements),
    " placements. The shares of each piece add up to 100 %. Rows with less than 0.1 % of the cells are not drawn."),
        "Heat map of placements")
}

# Draws the distribution of the score margin between the chosen placement and the runner-up.
figure_margins <- function(curve, summary) {
  runs <- present_runs(curve)
  columns <- panel_columns(runs)
  usual <- filter(summary, .data$when == "otherwise") |> bind_rows(summary) |> distinct(.data$run, .keep_all = TRUE)
  labels <- set_names(sprintf("%s: %s ties", usual$run, percent_labels(signif(usual$ties, 2))), usual$run)
  plot <- ggplot(curve, aes(.data$margin, .data$share, colour = .data$when)) +
    geom_step(linewidth = 0.8) +
    geom_segment(aes(.data$median, 0, xend = .data$median, yend = 0.5), data = summary, linetype = "22",
        linewidth = 0.5, show.legend = FALSE) +
    facet_wrap(~run, scales = "free_x", ncol = columns, labeller = as_labeller(labels)) +
    scale_colour_manual(values = c("otherwise" = calm, "near the end" = accent), name = NULL) +
    scale_x_continuous(labels = number_labels) + scale_y_continuous(labels = percent_labels, limits = c(0, 1)) +
    labs(title = "Score margin between the chosen placement and the runner-up",
        subtitle = "Cumulative distribution over placements; dashed: medians",
         x = "score margin (units of the controller's score)", y = "cumulative share of placements") +
    theme_tetrastat()
  n <- summary |> group_by(.data$run) |> summarise(words = paste(tidy_number(.data$n), .data$when, collapse = " and "))
  figure(plot, 9, 2.3 + 2.8 * panel_rows(length(runs), columns), paste0("n = placements with a runner-up: ",
      paste0(n$run, " ", n$words, collapse = "; "),
    ". Near the end: the last 100 placements of a finished game. Curves start at the share of exact ties and stop at the 98 % quantile. Margins of different controllers have different units."),
    "Margin distribution")
}

# Returns the `scales` argument of facets: boards of unequal widths get separate x axes.
free_columns <- function(table) {
  widths <- table |> group_by(.data$run) |> summarise(last = max(.data$column))
  if (n_distinct(widths$last) > 1) "free_x" else "fixed"
}
