# Figures of the table "ladder": means by queue and search with the projections of the strategy
# guide, and the effect of each change alone. They draw the tables of R/ladder.R.

projected_colour <- "#CC79A7"

# Draws the mean lines of each controller by queue and search, with projections as bands.
figure_ladder <- function(conditions, published) {
  room <- axis_room(c(conditions$mean, conditions$low, conditions$high, published$value, published$low, published$high))
  room[2] <- room[2] * (room[2] / room[1])^0.06 # room for the factors above
  bars <- mutate(conditions, at = as.integer(.data$step), factor = step_factor(conditions), top = pmin(coalesce(.data$high, room[2]), room[2]))
  plot <- ggplot(bars, aes(.data$at)) +
    projected_layers(published) +
    geom_segment(aes(x = .data$at - 0.36, xend = .data$at + 0.36, y = .data$mean, yend = .data$mean), data = filter(bars, .data$kind == "mean"),
        colour = calm, linewidth = 1.3) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$top), data = filter(bars, .data$kind == "mean"), colour = calm, linewidth = 0.7) +
    ladder_bounds(filter(bars, .data$kind == "open"), room) +
    geom_text(aes(y = room[2], label = .data$factor), size = 2.9, colour = ink, vjust = 1.3) +
    facet_wrap(~controller, nrow = 1) +
    scale_x_continuous(breaks = seq_along(ladder_steps), labels = ladder_steps, limits = c(0.5, 4.5), expand = expansion(0)) +
    scale_y_log10(labels = lines_labels, breaks = log_breaks(room), limits = room, expand = expansion(c(0.02, 0)), oob = scales::oob_keep) +
    labs(title = "Mean lines by queue and search, with the guide's projections", x = NULL, y = "mean lines per game (log scale)",
         subtitle = paste("Blue: mean with 95 % CI (arrow: no game finished); pink: the guide's projections;",
                          "black: the guide's measurements; top: factor over the first column")) +
    theme_tetrastat() + theme(panel.grid.major.x = element_blank(), axis.text.x = element_text(size = rel(0.82), lineheight = 0.95),
        panel.spacing.x = unit(10, "pt"))
  figure(plot, 12, 5.6, ladder_caption(conditions), "Mean lines by queue and search")
}

# Formats the factor over the same controller with uniform pieces and greedy search: "x 12", or
# "over x 5.5" if no game finished.
step_factor <- function(conditions) {
  first <- filter(conditions, .data$step == "uniform greedy")
  own <- first[match(conditions$controller, first$controller), ]
  ratio <- exponential_ratio(conditions$lines, conditions$ended, conditions$censored, own$lines, own$ended, own$censored)
  case_when(conditions$step == "uniform greedy" ~ "", !is.na(ratio$ratio) ~ paste0("\u00d7", map_chr(ratio$ratio, short_factor)),
            is.infinite(ratio$high) & ratio$low > 0 ~ paste0("over \u00d7", map_chr(ratio$low, short_factor)), TRUE ~ "?")
}

# Formats a factor in little space: two digits, whole from 100 on.
short_factor <- function(x) if (is.na(x)) "?" else if (x >= 100) lines_words(signif(x, 2)) else formatC(x, digits = 2, format = "g", width = 1)

# Draws arrows upwards from lower bounds.
ladder_bounds <- function(bars, room) {
  list(
    geom_segment(aes(x = .data$at - 0.2, xend = .data$at + 0.2, y = .data$low, yend = .data$low), data = bars, colour = calm, linewidth = 0.7),
    geom_segment(aes(xend = .data$at, y = .data$low, yend = pmin(.data$low * (room[2] / room[1])^0.13, room[2])), data = bars, colour = calm, linewidth = 0.7,
        arrow = grid::arrow(length = unit(6, "pt"), type = "closed"))
  )
}

# Draws projected ranges as bands, projected numbers as bars and measured numbers as squares.
projected_layers <- function(published) {
  published <- mutate(published, at = as.integer(.data$step))
  list(
    geom_rect(aes(xmin = .data$at - 0.42, xmax = .data$at + 0.42, ymin = .data$low, ymax = .data$high),
        data = filter(published, .data$kind == "projected", is.na(.data$value), !is.na(.data$low), !is.na(.data$high)), fill = projected_colour, alpha = 0.45),
    geom_segment(aes(x = .data$at - 0.42, xend = .data$at + 0.42, y = .data$value, yend = .data$value),
        data = filter(published, .data$kind == "projected", !is.na(.data$value)), colour = projected_colour, linewidth = 2.4, alpha = 0.7),
    geom_point(aes(.data$at + 0.25, .data$value), data = filter(published, .data$kind != "projected", !is.na(.data$value)), shape = 15, size = 2, colour = ink)
  )
}

ladder_caption <- function(conditions) {
  few <- sum(conditions$ended < 5)
  paste0("n = ", tidy_number(sum(conditions$games)), " games in ", nrow(conditions), " conditions, on common seeds. Exact 95 % CI of exponential lifetimes; ",
    "arrows begin at the one-sided 95 % lower bound", if (few > 0) paste0("; in ", few, " conditions fewer than five games finished"), ". A factor after \"over\" is the lower limit of its 95 % CI.")
}

# Draws the effect of each change alone: ratios of means, with the guide's projections as bars.
figure_ladder_changes <- function(changes) {
  ours <- transmute(changes, .data$change, name = row_number(), open = is.na(.data$ratio) & !is.na(.data$low), kind = "here",
      label = .data$with, value = .data$ratio, .data$low, .data$high, bounds = "stated",
      words = paste0(.data$from, " \u2192 ", .data$to, ": ", change_ratio_words(.data$ratio, .data$low, .data$high)))
  theirs <- mutate(changes, name = row_number()) |> filter(!is.na(.data$projected_low)) |>
    transmute(.data$change, .data$name, label = "    projected by the guide", kind = "projected", open = FALSE, low = .data$projected_low,
        high = .data$projected_high, one = .data$low == .data$high, value = if_else(.data$one, .data$low, NA_real_), bounds = "none",
        words = if_else(.data$one, map_chr(.data$low, factor_words), paste(map_chr(.data$low, factor_words), "to", map_chr(.data$high, factor_words))))
  lanes <- bind_rows(ours, theirs) |>
    mutate(table = factor(ladder_change_words[as.character(.data$change)], ladder_change_words)) |> in_lanes()
  shown <- intersect(c("here", "projected"), lanes$kind)
  words <- c(here = "ratio of means, 95 % CI", projected = "projected by the guide")
  scales <- list(scale_colour_manual(values = kind_colours[shown], labels = words[shown], limits = shown, name = NULL),
                 scale_shape_manual(values = kind_shapes[shown], labels = words[shown], limits = shown, name = NULL))
  panels <- map(split(lanes, lanes$table), \(rows) forest_panel(rows, "factor (log scale)", around = 1) + scales +
      geom_vline(xintercept = 1, colour = ink, linewidth = 0.4, linetype = "22"))
  stack_panels(panels, lanes, "Effect of each change alone on mean lines", changes_caption(changes), c(2.4, 4.4, 3.9))
}

# Formats a ratio with `ratio_words()`; "undecided" if no game of either condition finished.
change_ratio_words <- function(ratio, low, high) if_else(is.na(low), "undecided, no game finished", ratio_words(ratio, low, high))

changes_caption <- function(changes) {
  paste0("n = ", nrow(changes), " pairs of conditions. CI: F-distributed ratio of exponential means; for censored games one more finished game is counted where this widens the interval. ",
    "Arrow: no game of one condition finished. Left: the settings that both conditions share.")
}
