# Figures of LIAP runs, which compute no statistics.

position_words <- c("first\n(starter)", "second", "third", "last")

scale_positions <- function() scale_x_continuous(breaks = 0:3, labels = position_words, expand = expansion(add = 0.4))

# Draws points with intervals by position and side.
by_position <- function(table, value, sides) {
  beside <- position_dodge(width = 0.4)
  ggplot(table, aes(.data$position, .data[[value]], colour = .data$side)) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), position = beside, linewidth = 0.9) +
    geom_point(position = beside, size = 2.4) +
    scale_positions() + scale_runs(sides, "colour") + theme_tetrastat()
}

# Draws hit rates by position.
figure_accuracy <- function(accuracy) {
  sides <- levels(accuracy$side)
  plot <- by_position(accuracy, "hit_rate", sides) +
    scale_y_continuous(labels = percent_labels) +
    labs(title = "Hit rate of declarations by position", x = "position in the order of declarations",
         y = "share captured exactly")
  figure(plot, 9, 4.6, paste0("Lines: Wilson 95 % CI. Declarations: ",
         each_run(sides, tapply(accuracy$n, accuracy$side, sum)[sides]), "."),
         "Hit rates by position with intervals, one colour for each declarer")
}

# Draws a heat map of captured piles for each declaration.
figure_calibration <- function(table) {
  sides <- levels(table$side)
  columns <- min(2, length(sides))
  seen <- filter(table, .data$n > 0)
  plot <- ggplot(seen, aes(.data$declared, .data$captured)) +
    geom_tile(aes(fill = .data$share)) +
    geom_tile(aes(.data$pile, .data$pile), data = tibble(pile = 0:8), inherit.aes = FALSE, fill = NA, colour = accent, linewidth = 0.6) +
    geom_text(aes(label = if_else(.data$share >= 0.095, formatC(100 * .data$share, digits = 0, format = "f"), ""),
                  colour = .data$share > 0.45), size = 2.9, show.legend = FALSE) +
    scale_colour_manual(values = c("TRUE" = "white", "FALSE" = ink)) +
    scale_fill_gradient(low = "#EEF4F8", high = calm, limits = c(0, 1), breaks = c(0, 0.5, 1), labels = percent_labels, name = "share   ",
        guide = guide_colourbar(barwidth = 14, barheight = 0.6, title.vjust = 1)) +
    scale_x_continuous(breaks = 0:8) + scale_y_continuous(breaks = 0:8) +
    coord_equal(xlim = c(-0.5, 8.5), ylim = c(-0.5, 8.5), expand = FALSE) +
    facet_wrap(vars(.data$side), ncol = columns) + theme_tetrastat() +
    labs(title = "Captured piles for each declaration", x = "piles declared", y = "piles captured")
  figure(plot, 9, 1.2 + 4.2 * panel_rows(length(sides), columns),
         "Each column sums to 100 %. Percentages below 10 are not printed. Framed: the declaration was captured exactly.",
         "Heat map of captured piles given the declaration, one panel for each declarer")
}

# Draws points by position.
figure_points <- function(points) {
  sides <- levels(points$side)
  plot <- by_position(rename(points, value = "mean"), "value", sides) +
    geom_hline(yintercept = 0, colour = quiet, linewidth = 0.4) +
    labs(title = "Points per declaration by position", x = "position in the order of declarations",
         y = "points before multipliers")
  figure(plot, 9, 4.6, paste0("Lines: 95 % CI over matches, since the rounds of a match are not independent. Matches: ",
         each_run(sides, tapply(points$matches, points$side, max)[sides]), "."),
         "Mean points by position with intervals, one colour for each declarer")
}
