# Figures of fitted models: the death model and recovered weights.

# Draws the odds ratios of the death model, for features alone and in the joint model, and its
# calibration on held-out games.
figure_death <- function(terms, calibration, aucs, fits) {
  runs <- levels(terms$run)
  groups <- c(names(predictor_groups), "other")
  size <- terms |> group_by(.data$group, .data$term) |> summarise(size = max(abs(log(.data$odds_ratio))), .groups = "drop") |>
    arrange(factor(.data$group, groups), desc(.data$size))
  order <- rev(size$term)
  labels <- coalesce(board_measures[order], gsub("_", " ", order))
  rows <- terms |> mutate(term = factor(.data$term, order, labels), group = factor(.data$group, groups))
  long <- bind_rows(
    transmute(rows, .data$run, .data$group, .data$term, model = "feature alone", .data$odds_ratio, .data$low, .data$high),
    transmute(rows, .data$run, .data$group, .data$term, model = "joint model", odds_ratio = .data$adjusted_odds_ratio, low = .data$adjusted_low, high = .data$adjusted_high)) |>
    filter(!is.na(.data$odds_ratio), .data$high < 1e4, .data$low > 1e-4)
  shown <- present_runs(terms)
  odds <- ggplot(long, aes(.data$odds_ratio, .data$term, colour = .data$run, shape = .data$model)) +
    geom_vline(xintercept = 1, linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(xmin = .data$low, xmax = .data$high), position = position_dodge2(width = 0.7, padding = 0.3), fatten = 3.2, linewidth = 0.6) +
    facet_grid(group ~ ., scales = "free_y", space = "free_y", switch = "y") +
    scale_x_log10(labels = number_labels, breaks = union(1, log_breaks(range(long$low, long$high)))) +
    scale_runs(runs, guide = if (length(shown) == 1) "none" else legend_of_runs(shown, 4)) +
    scale_shape_manual(values = c("feature alone" = 1, "joint model" = 19), name = NULL) +
    labs(title = paste("Predictors of death within", fits$within[1], "pieces"),
        subtitle = "Odds ratio per standard deviation, 95 % CI", x = "odds ratio (log scale)", y = NULL) +
    theme_tetrastat() + theme(strip.placement = "outside", strip.text.y.left = element_text(angle = 0, hjust = 0, vjust = 1), panel.spacing = unit(6, "pt"), legend.box = "vertical", legend.box.just = "left")
  calibrated <- ggplot(filter(calibration, .data$deaths > 0), aes(.data$predicted, .data$share, colour = .data$run)) +
    geom_abline(linetype = "22", colour = ink, linewidth = 0.5) +
    geom_pointrange(aes(ymin = .data$low, ymax = .data$high), fatten = 2.5) +
    scale_x_log10(labels = percent_labels) + scale_y_log10(labels = percent_labels) +
        scale_runs(runs, guide = "none") +
    labs(title = "Calibration", subtitle = "Held-out games, 95 % CI",
         x = "predicted risk (log scale)", y = "observed risk (log scale)") +
    theme_tetrastat() + theme(plot.margin = margin(10, 26, 8, 10))
  figure(patchwork::wrap_plots(odds, calibrated, widths = c(1.5, 1)), 10, 3.2 + 0.26 * length(order) + 0.1 * length(shown),
      death_caption(fits, aucs), "Death model", death_words(terms, aucs))
}

# Describes the discrimination of the model and of the best single feature.
death_words <- function(terms, aucs) {
  runs <- present_runs(terms)
  say <- \(name) {
    own <- filter(aucs, .data$run == name)
    alone <- filter(own, .data$model != "all groups") |> arrange(desc(.data$auc))
    whole <- filter(own, .data$model == "all groups")
    paste0(name, ": area under the ROC curve ", sprintf("%.3f (%.3f to %.3f)", whole$auc, whole$auc_low, whole$auc_high), " for the joint model, ", sprintf("%.3f", alone$auc[1]), " for ", gsub("_", " ", alone$model[1]), " alone",
           if (alone$auc[1] >= whole$auc_low) " (the joint model is not measurably better)")
  }
  paste0(paste(map_chr(head(runs, 4), say), collapse = "; "), if (length(runs) > 4) paste0(". The data of the figure have the values of ", and_words(runs[-(1:4)])), ".")
}

death_caption <- function(fits, aucs) {
  paste0("n = ", paste(sprintf("%s (training: %s periods with %d deaths, test: %s with %d)", fits$run,
      tidy_number(fits$n_train),
         fits$deaths_train, tidy_number(fits$n_test), fits$deaths_test), collapse = ", "),
         ". Discrete-time hazard: logistic regression on the board at the start of periods of ", fits$within[1],
         " pieces. Games, not rows, are split 3:1; 95 % CI clustered by game. Hollow: each feature alone; filled: one representative of each group in a joint model. ",
         "Right: groups with equal expected deaths, Wilson 95 % CI.")
}

# Draws estimated weights, next to the true ones if the cosine with them is known (see
# `weights_beside()`), one row per feature.
figure_weights <- function(rows, cosine, name) {
  known <- !is.na(cosine)
  if (!known) rows <- mutate(as_tibble(unclass(rows)[names(rows)]), true = NA_real_, recovered = .data$weight)
  explained <- explains_all(rows)
  rows <- mutate(rows, feature = factor(.data$feature, .data$feature[order(.data[[if (known) "true" else "recovered"]] * .data$scale)]),
                 across(c("true", "recovered", "low", "high"), \(weight) weight * .data$scale))
  points <- pivot_longer(select(rows, "feature", "true", "recovered"), -"feature", names_to = "which", values_to = "weight") |>
    mutate(which = if_else(.data$which == "true", "true", "estimated")) |>
    filter(!is.na(.data$weight))
  plot <- ggplot(rows, aes(y = .data$feature)) +
    geom_vline(xintercept = 0, colour = quiet, linewidth = 0.4) +
    geom_segment(aes(x = .data$low, xend = .data$high, yend = .data$feature), colour = calm, linewidth = 0.8) +
    geom_point(aes(.data$weight, .data$feature, shape = .data$which, fill = .data$which), data = points, size = 2.8, colour = ink) +
    scale_shape_manual(values = c(true = 22, estimated = 21), name = NULL, limits = c(if (known) "true", "estimated")) +
    scale_fill_manual(values = c(true = "white", estimated = calm), name = NULL, limits = c(if (known) "true", "estimated")) +
    scale_x_continuous(labels = number_labels) +
    labs(title = paste("Weights of", name, "estimated from its choices"),
         subtitle = if (known) sprintf("Cosine of estimated and true weights: %.4f (1 = proportional)", cosine),
         x = paste0("weight x SD of the feature within decisions", if (known) " (units of the score)"), y = NULL) +
    theme_tetrastat()
  figure(plot, 8, 2.4 + 0.24 * nrow(rows), paste0("n = ", tidy_number(rows$decisions[1]), " decisions. ",
    if (explained) "Some weights explain every choice. Point: their mean; line: their range, which is no confidence interval. Choices do not reveal the scale, so on average a chosen candidate is worth as much more than the mean candidate as under the true weights."
    else "Conditional logit, 95 % CI.",
    if (any(is.infinite(rows$low))) " A line across the figure: the choices do not determine this weight, because some features always differ alike."), "Estimated weights")
}
