# Figures of splitting estimates, which draw the tables of R/estimate.R.

# Draws the levels of a splitting estimate: how often paths reach each level, the probability of
# reaching the next level, and the share of pieces.
figure_levels <- function(estimate) {
  levels <- level_table(estimate)
  importance <- estimate$manifest$config$estimate$importance %||% "importance"
  reached <- filter(levels, .data$rises_per_piece > 0)
  death <- tibble(level = max(levels$level) + 1, rises_per_piece = deaths_per_piece(estimate)) |> filter(.data$rises_per_piece > 0)
  top <- level_panel(reached, "rises_per_piece", "Rate of reaching each level", paste0("per piece; levels of ", importance, "; orange: death")) +
    geom_line(colour = calm, linewidth = 0.6) + geom_point(colour = calm, size = 2.2) + geom_point(data = death, colour = accent, size = 2.6) +
    rate_axis(c(reached$rises_per_piece, death$rises_per_piece))
  onward <- filter(levels, is.finite(.data$onward), .data$onward > 0, .data$level != 0)
  middle <- level_panel(onward, "onward", "Probability of the next level", "last level: probability of death") +
    geom_point(aes(y = .data$balanced), data = filter(onward, !is.na(.data$balanced)), shape = 95, size = 9, colour = accent) +
    geom_point(colour = calm, size = 2.4) + rate_axis(c(onward$onward, onward$balanced))
  bottom <- level_panel(levels, "share", "Pieces played in each level", "share of all pieces") + geom_col(fill = calm, alpha = 0.7, width = 0.7) +
    scale_y_continuous(labels = percent_labels, expand = expansion(c(0, 0.08)))
  plot <- patchwork::wrap_plots(top, middle, bottom, nrow = 1) +
    patchwork::plot_annotation(title = paste("Splitting levels:", estimate_setting(estimate)))
  figure(plot, 12, 4.4, levels_caption(estimate, levels, importance), "Splitting levels")
}

level_panel <- function(rows, y, title, below) {
  ggplot(rows, aes(.data$level, .data[[y]])) +
    labs(title = title, subtitle = below, x = "level", y = NULL) + theme_tetrastat(11) +
    theme(plot.title = element_text(size = rel(1)), panel.grid.major.x = element_blank()) + scale_x_continuous(breaks = whole_breaks(8))
}

# Returns a log axis of rates with labels at powers of ten; a short range gets intermediate labels.
rate_axis <- function(values) {
  room <- axis_room(values)
  scale_y_log10(breaks = log_breaks(room), limits = room, labels = number_labels)
}

levels_caption <- function(estimate, levels, importance) {
  paste0("n = ", tidy_number(nrow(estimate$replications)), " replications, ", lines_words(sum(estimate$replications$pieces)), " pieces on all paths, ",
    tidy_number(sum(levels$deaths)), " deaths. Levels are thresholds of ", importance, ": ", paste(levels$threshold[-1], collapse = ", "),
    ". Orange dashes: the probability at which the number of paths stays constant. Efficient levels are close to it.")
}

# Draws the estimate after growing numbers of replications, separate batches, and the results of the
# methods.
figure_estimates <- function(estimate, histogram = FALSE) {
  methods <- filter(estimate_methods(estimate), .env$histogram | .data$method != "histogram")
  pooled <- filter(methods, .data$method == "splitting", !is.na(.data$mean))
  if (nrow(pooled) == 0) return(figure(methods_panel(methods, NULL), 7, 3.6, estimates_caption(estimate, FALSE, histogram), "Estimates"))
  running <- filter(running_estimate(estimate$replications), !is.na(.data$mean))
  batches <- batch_estimates(estimate$replications)
  closed <- filter(methods, !.data$open) # a far lower bound would flatten the estimate
  room <- axis_room(c(pooled$low, pooled$high, batches$mean, closed$mean, closed$low, closed$high))
  room[1] <- room[1] / (room[2] / room[1])^0.45 # room for the labels of the methods
  plot <- patchwork::wrap_plots(running_panel(running, batches, pooled, room), methods_panel(methods, room), widths = c(1.6, 1)) +
    patchwork::plot_annotation(title = paste("Mean lines:", estimate_setting(estimate)))
  figure(plot, 11, 4.8, estimates_caption(estimate, TRUE, histogram), "Estimates of replications and of methods")
}

running_panel <- function(running, batches, pooled, room) {
  inside <- \(x) pmin(pmax(x, room[1]), room[2])
  none <- filter(batches, is.infinite(.data$mean))
  ggplot(running, aes(.data$pieces, .data$mean)) +
    geom_rect(aes(ymin = .data$low, ymax = .data$high), data = pooled, xmin = -Inf, xmax = Inf, inherit.aes = FALSE, fill = accent, alpha = 0.15) +
    geom_hline(yintercept = pooled$mean, colour = accent, linewidth = 0.6, linetype = "32") +
    geom_ribbon(aes(ymin = inside(.data$low), ymax = inside(.data$high)), fill = calm, alpha = 0.18) +
    geom_line(aes(y = inside(.data$mean)), colour = calm, linewidth = 0.9) +
    geom_point(data = filter(batches, is.finite(.data$mean)), colour = ink, size = 1.9) +
    geom_point(aes(y = room[2]), data = none, shape = 24, size = 2.2, colour = ink, fill = "white") +
    scale_x_continuous(labels = lines_labels, n.breaks = 5) +
    scale_y_log10(labels = lines_labels, breaks = log_breaks(room), limits = room) +
    labs(subtitle = wrap_lines(paste0("Blue: running estimate with 95 % CI; dots: separate batches",
             if (nrow(none) > 0) " (triangles: no death)", "; orange: final estimate with 95 % CI"), 6.4), x = "pieces on all paths", y = "mean lines per game (log scale)") +
    theme_tetrastat()
}

# Draws the results of the methods, on the axis range `room` of the neighbouring panel if there is
# one.
methods_panel <- function(methods, room) {
  room <- room %||% axis_room(c(methods$mean, methods$mean / 3, methods$low / 3, methods$high))
  methods <- mutate(methods, method = factor(.data$method, c("splitting", "direct", "histogram")), top = pmin(coalesce(.data$high, room[2]), room[2]))
  open <- filter(methods, .data$open)
  ggplot(methods, aes(.data$method, .data$mean)) +
    geom_linerange(aes(ymin = pmax(.data$low, room[1]), ymax = .data$top), data = filter(methods, !.data$open, !is.na(.data$low)), colour = calm, linewidth = 1) +
    geom_segment(aes(xend = .data$method, y = pmax(.data$low, room[1] * (room[2] / room[1])^0.25), yend = room[2]), data = open, colour = calm, linewidth = 0.8,
        arrow = grid::arrow(length = unit(6, "pt"), type = "closed")) +
    geom_point(data = filter(methods, !is.na(.data$mean)), colour = calm, size = 2.6) +
    geom_text(aes(y = room[1], label = sub(" to ", " to\n", sub(" \\(|, ", "\n", sub(")", "", .data$words, fixed = TRUE)))), vjust = 0, size = 2.7, colour = ink, lineheight = 1) +
    scale_x_discrete(limits = levels(droplevels(methods$method))) + scale_y_log10(labels = lines_labels, breaks = log_breaks(room), limits = room) +
    labs(subtitle = "By method, 95 % CI", x = NULL, y = NULL) + theme_tetrastat() + theme(panel.grid.major.x = element_blank())
}

estimates_caption <- function(estimate, splits, histogram) {
  n <- nrow(estimate$replications)
  deadly <- sum(estimate$replications$deadly_excursions)
  paste0("n = ", tidy_number(n), " independent replications", if (splits) paste0(", ", tidy_number(deadly), " deadly excursions of main paths. ",
      "Splitting: total lines / weighted deaths, with a 95 % CI by the delta method on the log scale, which assumes many excursions of similar weight"), ". Direct: main paths only, ",
    "with the exact CI of exponential lifetimes or its one-sided lower bound.", if (histogram) " Histogram: Fahey's linear extrapolation of the heights, a heuristic.")
}

# Draws the heights of the stack: main paths, all paths with their weights, and Fahey's line.
figure_heights <- function(estimate) {
  words <- c(main_share = "main paths", weighted_share = "all paths, weighted", fahey_share = "Fahey's line")
  rows <- select(estimate$heights, "height", all_of(names(words))) |> pivot_longer(-"height", names_to = "by", values_to = "share") |>
    filter(.data$share > 0, .data$share <= 1, is.finite(.data$share)) |> mutate(by = factor(words[.data$by], words))
  plot <- ggplot(rows, aes(.data$height, .data$share, colour = .data$by, linetype = .data$by)) +
    geom_line(linewidth = 0.8) + geom_point(aes(shape = .data$by), data = filter(rows, .data$by != words[["fahey_share"]]), size = 2) +
    scale_colour_manual(values = c(ink, calm, accent), limits = unname(words), name = NULL) + scale_linetype_manual(values = c("solid", "solid", "32"), limits = unname(words), name = NULL) +
    scale_shape_manual(values = c(16, 1, NA), limits = unname(words), name = NULL, na.value = NA, na.translate = TRUE) +
    scale_x_continuous(breaks = whole_breaks(10)) + rate_axis(rows$share) +
    labs(title = paste("Stack height:", estimate_setting(estimate)), x = "height (rows)", y = "share of placements (log scale)") + theme_tetrastat()
  figure(plot, 9, 4.8, paste0("n = ", lines_words(sum(estimate$heights$main_placements)), " placements of main paths. Splitting observes heights that main paths never reach. ",
    "The histogram method extrapolates linearly there (Fahey's line)."), "Heights of the stack")
}
