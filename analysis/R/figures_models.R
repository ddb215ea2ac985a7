# Figures of fitted models: what foretells death, and recovered weights.

#' Odds ratios of the death model, and observed against predicted risk on games held out.
figure_death <- function(terms, calibration, fits) {
  runs <- levels(terms$run)
  order <- terms |> group_by(.data$term) |> summarise(size = max(abs(log(.data$odds_ratio)))) |> arrange(.data$size) |> pull("term")
  labels <- coalesce(board_measures[order], gsub("_", " ", order))
  terms <- mutate(terms, term = factor(.data$term, order, labels))
  odds <- ggplot(terms, aes(.data$odds_ratio, .data$term, colour = .data$run)) +
    geom_vline(xintercept = 1, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), position = position_dodge(width = 0.6), fatten = 2.5) +
    scale_x_log10(labels = number_labels) + scale_runs(runs) +
    labs(title = paste("What foretells death within", fits$within[1], "pieces?"),
        subtitle = "Odds ratio for one SD more, all predictors at once",
         x = "odds ratio (log scale)", y = NULL) +
    theme_tetrastat()
  calibrated <- ggplot(filter(calibration, .data$deaths > 0), aes(.data$predicted, .data$share, colour = .data$run)) +
    geom_abline(linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(ymin = .data$low, ymax = .data$high), fatten = 2.5) +
    scale_x_log10(labels = percent_labels) + scale_y_log10(labels = percent_labels) +
        scale_runs(runs, guide = "none") +
    labs(title = "Is the risk right?", subtitle = "On games held out",
         x = "predicted risk (log scale)", y = "observed deaths (log scale)") +
    theme_tetrastat() + theme(plot.margin = margin(10, 26, 8, 10))
  shown <- present_runs(terms)
  odds <- odds + if (length(shown) == 1) theme(legend.position = "none") else guides(colour = legend_of_runs(shown, 4))
  figure(patchwork::wrap_plots(odds, calibrated, widths = c(1.25, 1)), 9.5, 3.4 + 0.2 * length(order),
      death_caption(fits), "Death model")
}

death_caption <- function(fits) {
  paste0("n = ", paste(sprintf("%s (%s periods with %d deaths to fit, %s with %d to judge)", fits$run,
      tidy_number(fits$n_train),
         fits$deaths_train, tidy_number(fits$n_test), fits$deaths_test), collapse = ", "),
         ". Discrete-time hazard: logistic regression (glm) on the board at the start of periods of ", fits$within[1],
         " pieces; games, not rows, are split 3:1; Wald 95 % intervals. Right: groups with equal expected deaths, Wilson 95 %; area under the ROC curve: ",
         paste(sprintf("%s %.3f", fits$run, fits$auc), collapse = ", "), ".")
}

#' Recovered weights beside the true ones (see `compare_weights`), one line per feature.
figure_weights <- function(comparison, cosine, name) {
  rows <- mutate(comparison, feature = factor(.data$feature, .data$feature[order(.data$true * .data$scale)])) |>
    mutate(across(c("true", "recovered"), \(weight) weight * .data$scale))
  points <- pivot_longer(select(rows, "feature", "true", "recovered"), -"feature", names_to = "which", values_to = "weight")
  plot <- ggplot(rows, aes(y = .data$feature)) +
    geom_vline(xintercept = 0, colour = quiet, linewidth = 0.4) +
    geom_segment(aes(x = .data$true, xend = .data$recovered, yend = .data$feature), colour = calm, linewidth = 0.8) +
    geom_point(aes(.data$weight, .data$feature, shape = .data$which, fill = .data$which), data = points, size = 2.8,
        colour = ink) +
    scale_shape_manual(values = c(true = 22, recovered = 21), name = NULL, limits = c("true", "recovered")) +
    scale_fill_manual(values = c(true = "white", recovered = calm), name = NULL, limits = c("true", "recovered")) +
    labs(title = paste("Weights of", name, "read from its play"),
        subtitle = sprintf("Cosine of recovered and true weights: %.5f (1 = proportional)", cosine),
         x = "weight x SD of the feature within a decision (score)", y = NULL) +
    theme_tetrastat()
  figure(plot, 8, 2.4 + 0.24 * nrow(rows), paste0("n = ", tidy_number(comparison$decisions[1]),
      " decisions. Conditional logit; the scale, which a deterministic player does not reveal, is fitted by least squares."), "Recovered weights")
}
