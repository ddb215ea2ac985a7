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
        subtitle = "Odds ratio for one SD more",
         x = "odds ratio (log scale)", y = NULL) +
    theme_tetrastat()
  calibrated <- ggplot(filter(calibration, .data$deaths > 0), aes(.data$predicted, .data$share, colour = .data$run)) +
    geom_abline(linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(ymin = .data$low, ymax = .data$high), fatten = 2.5) +
    scale_x_log10(labels = percent_labels) + scale_y_log10(labels = percent_labels) +
        scale_runs(runs, guide = "none") +
    labs(title = "Is the risk right?", subtitle = wrap_lines(paste0("AUC: ",
        paste(sprintf("%s %.3f", fits$run, fits$auc), collapse = ", ")), 3.8),
         x = "predicted risk (log scale)", y = "observed deaths (log scale)") +
    theme_tetrastat() + theme(plot.margin = margin(10, 26, 8, 10))
  if (length(present_runs(terms)) == 1) odds <- odds + theme(legend.position = "none")
  figure(patchwork::wrap_plots(odds, calibrated, widths = c(1.25, 1)), 9.5, 3.4 + 0.2 * length(order),
      death_caption(fits), "Death model")
}

death_caption <- function(fits) {
  paste0("n = ", paste(sprintf("%s %s periods with %d deaths to fit, %s with %d to judge", fits$run,
      tidy_number(fits$n_train),
         fits$deaths_train, tidy_number(fits$n_test), fits$deaths_test), collapse = "; "),
         ". Discrete-time hazard: logistic regression (glm) on the board at the start of periods of ", fits$within[1],
         " pieces; games, not rows, are split 3:1; Wald 95 % intervals; all predictors at once. Right: games held out, in groups with equal expected deaths, Wilson 95 %.")
}

#' Recovered weights against the true ones (see `compare_weights`).
figure_weights <- function(comparison, cosine, name) {
  reach <- range(c(comparison$true, comparison$recovered) * comparison$scale)
  plot <- ggplot(comparison, aes(.data$true * .data$scale, .data$recovered * .data$scale)) +
    geom_abline(linetype = "22", colour = ink, linewidth = 0.5) +
    geom_hline(yintercept = 0, colour = "#D0D0D0", linewidth = 0.4) +
        geom_vline(xintercept = 0, colour = "#D0D0D0", linewidth = 0.4) +
    geom_point(size = 3, colour = calm) +
    geom_text(aes(label = .data$feature), size = 3.3, hjust = 0, nudge_x = diff(reach) / 60, vjust = 1.2,
        colour = ink) +
    coord_equal(xlim = reach + c(0, diff(reach) * 0.25), ylim = reach) +
    labs(title = paste("Weights of", name, "read from its play"),
        subtitle = sprintf("Cosine with the true weights: %.5f (1 = proportional)", cosine),
         x = "true weight x SD of the feature within a decision", y = "recovered weight x the same SD") +
    theme_tetrastat()
  figure(plot, 7.5, 6.2, paste0("n = ", tidy_number(comparison$decisions[1]),
      " decisions. Conditional logit; the scale, which a deterministic player does not reveal, is fitted by least squares."), "Recovered weights")
}
