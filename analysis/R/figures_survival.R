# Survival of games, compared with the exponential distribution that the intervals of means assume.
# The figures draw the tables of R/exponential.R.

# Draws the Kaplan-Meier curves of the conditions of one table, each with the exponential curve of
# the same mean.
figure_table_survival <- function(curves, summary, left_out = character()) {
  columns <- min(4, nrow(summary))
  exponential <- exponential_curves(summary)
  cut <- filter(curves, .data$censored > 0)
  plot <- ggplot(curves, aes(.data$lines, .data$survival)) +
    geom_ribbon(aes(ymin = .data$low, ymax = .data$high), data = step_band(curves), fill = calm, alpha = 0.18) +
    geom_step(colour = calm, linewidth = 0.8) +
    geom_line(data = exponential, colour = accent, linetype = "32", linewidth = 0.6) +
    geom_point(data = cut, shape = 3, size = 1.6, colour = ink) +
    geom_text(aes(x = Inf, y = Inf, label = paste0(games_words(.data$games, .data$ended), "\nmean ", lines_words(.data$mean))), data = summary,
        hjust = 1, vjust = 1.1, size = 2.8, colour = quiet, lineheight = 1) +
    facet_wrap(~name, scales = "free_x", ncol = columns, labeller = label_wrap_gen(26)) +
    scale_x_continuous(labels = lines_labels, n.breaks = 4, limits = c(0, NA)) +
    scale_y_continuous(labels = percent_labels, limits = c(0, 1.12), breaks = c(0, 0.5, 1)) +
    labs(title = paste0("Survival of games: ", summary$table[1]), x = "lines cleared", y = "games still running",
         subtitle = paste0("Blue: Kaplan-Meier with 95 % band; dashed: exponential with the same mean", if (nrow(cut) > 0) "; crosses: censored games")) +
    theme_tetrastat() + theme(panel.spacing.x = unit(14, "pt"), strip.text = element_text(size = rel(0.82)), strip.clip = "off")
  figure(plot, max(6, 2.6 * columns + 1), 1.9 + 1.95 * panel_rows(nrow(summary), columns), condition_survival_caption(summary, left_out), "Survival of games")
}

# Returns the corners of a stepped band, which matches the steps of its curve.
step_band <- function(curves) {
  group_by(curves, .data$table, .data$name) |>
    group_modify(\(own, key) {
      n <- nrow(own)
      before <- own[c(rep(seq_len(n - 1), each = 2), n), ]
      mutate(before, across(c("lines", "scaled"), \(x) x[c(1, 1 + 2 * rep(seq_len(n - 1), each = 2))]))
    }) |>
    ungroup() |>
    filter(!is.na(.data$low))
}

condition_survival_caption <- function(summary, left_out) {
  paste0("n = ", tidy_number(sum(summary$games)), " games in ", nrow(summary), " conditions.", left_out_words(left_out))
}

# Names the conditions that could not be drawn.
left_out_words <- function(left_out) {
  if (length(left_out) == 0) return("")
  paste0(" Not drawn, because fewer than three games finished or all games are equally long: ", paste(left_out, collapse = ", "), ".")
}

# Draws all conditions on the scale on which exponential games follow the diagonal.
figure_straight <- function(curves, summary, left_out = character()) {
  drawn <- filter(curves, is.finite(.data$hazard))
  columns <- min(5, nrow(summary))
  words <- mutate(summary, words = if_else(is.na(.data$shape), "", sprintf("shape %.2f\n(%.2f to %.2f)", .data$shape, .data$shape_low, .data$shape_high)),
                  off = coalesce(.data$shape_low > 1 | .data$shape_high < 1, FALSE))
  ends <- group_by(drawn, .data$name) |> summarise(x = max(.data$scaled), y = max(.data$hazard))
  band <- step_straight(curves, ends)
  plot <- ggplot(drawn, aes(.data$scaled, .data$hazard)) +
    geom_ribbon(aes(ymin = .data$hazard_low, ymax = .data$hazard_high), data = band, fill = calm, alpha = 0.18) +
    geom_abline(slope = 1, intercept = 0, colour = accent, linetype = "32", linewidth = 0.6) +
    geom_step(colour = calm, linewidth = 0.8) +
    geom_text(aes(x = -Inf, y = Inf, label = .data$words, colour = .data$off), data = words, hjust = -0.08, vjust = 1.15, size = 2.7, lineheight = 1) +
    scale_colour_manual(values = c("FALSE" = quiet, "TRUE" = accent), guide = "none") +
    facet_wrap(~name, scales = "free", ncol = columns, labeller = label_wrap_gen(20)) +
    scale_x_continuous(labels = number_labels, n.breaks = 4, limits = c(0, NA)) + scale_y_continuous(labels = number_labels, n.breaks = 4, limits = c(0, NA)) +
    labs(title = "Check of exponential game length", x = "lines cleared / mean lines", y = "-log(survival)",
         subtitle = "Blue: -log of Kaplan-Meier with 95 % band; dashed: exponential games; shape: Weibull shape, orange if its 95 % CI excludes 1") +
    theme_tetrastat(11) + theme(panel.spacing.x = unit(10, "pt"), strip.text = element_text(size = rel(0.8)), strip.clip = "off")
  figure(plot, max(6, 2.05 * columns + 0.8), 2.1 + 1.95 * panel_rows(nrow(summary), columns), straight_caption(summary, left_out), "Exponential or not")
}

# Truncates the band at the end of its curve, and at 1.6 times the height of the curve.
step_straight <- function(curves, ends) {
  inner_join(step_band(curves), ends, by = "name") |>
    filter(is.finite(.data$hazard), is.finite(.data$hazard_low), is.finite(.data$hazard_high)) |>
    mutate(hazard_high = pmin(.data$hazard_high, 1.6 * .data$y))
}

straight_caption <- function(summary, left_out) {
  off <- sum(summary$shape_low > 1 | summary$shape_high < 1, na.rm = TRUE)
  paste0("n = ", tidy_number(sum(summary$games)), " games in ", nrow(summary), " conditions. By chance one condition in twenty is orange; ",
    "here ", off, " of ", sum(!is.na(summary$shape)), " are. Lines are whole numbers and no game ends in its first placements, so short games cannot be exponential.",
    left_out_words(left_out))
}
