# Figures of trainings: learning curves, weights by generation, and comparisons. They draw the
# tables of R/training.R.

# Formats an objective for an axis.
objective_words <- function(objective, minimise = FALSE) {
  words <- case_when(
    is.na(objective) ~ "objective",
    objective == "lines" ~ "mean lines of a finished game",
    objective == "sprint" ~ "Sprint reward (-pieces)",
    TRUE ~ gsub("_", " ", sub("^(mean|median)-", "\\1 ", objective))
  )
  if (isTRUE(minimise)) paste0(words, " (lower is better)") else words
}

# Returns TRUE if values span orders of magnitude from a start of at least 1, so that a log axis is
# more readable.
spans_orders <- function(start, all, orders = 2) {
  all <- all[is.finite(all)]
  all(all >= 0) && max(all) >= 10^orders * max(1, min(start, na.rm = TRUE))
}

# Formats estimates with their intervals; the width of the interval decides the decimals.
interval_words <- function(value, low, high) {
  width <- coalesce(if_else(is.finite(high - low), high - low, abs(value)), 1)
  decimals <- pmin(4, pmax(0, 1 - floor(log10(pmax(width, 1e-4)))))
  rounded <- \(x, digits) formatC(x, digits = digits, format = "f", big.mark = ",")
  text <- \(x) if_else(is.na(x), "unbounded", unname(map2_chr(x, decimals, rounded)))
  if_else(is.na(value), "none yet", paste0(text(value), " (", text(low), " to ", text(high), ")"))
}

reported_colour <- "#007A59"

learning_series <- c(mean = "mean of candidates", best = "best candidate", held_out = "held-out check",
                     result = "held-out result")

# Returns the colour scale of the series in `shown`.
series_scale <- function(shown) {
  looks <- tibble(series = learning_series, colour = c(calm, "#999999", accent, ink), linetype = c(1, 1, 1, 0),
                  shape = c(NA, NA, 16, 18)) |> filter(.data$series %in% shown)
  scale_colour_manual(values = set_names(looks$colour, looks$series), limits = looks$series, name = NULL,
      guide = guide_legend(override.aes = list(linetype = looks$linetype, shape = looks$shape, linewidth = 0.8, size = 2.6)))
}

# Draws the objective by generation: mean and spread of the candidates, the best candidate, checks
# and the result. `reported` (rows of `read_reported()`) is a dashed line, with a band if it is a
# range.
figure_learning <- function(training, reported = read_reported("")) {
  curve <- learning_curve(training)
  source <- reported_for(training, reported)
  log <- spans_orders(curve$mean, c(curve$mean, curve$best, source$value))
  above <- if (log) \(x) pmax(x, log_floor(curve$mean)) else identity
  config <- training$manifest$config
  plot <- ggplot(curve, aes(.data$generation)) +
    reported_layers(source) + candidate_points(training, above) +
    generation_layers(if (log) log_band(training, curve) else curve, above) +
    held_out_layers(curve, result_mark(training), above) +
    series_scale(learning_series[c(TRUE, TRUE, any(!is.na(curve$held_out) | !is.na(curve$held_out_above)), nrow(result_mark(training)) > 0)]) +
    scale_x_continuous(labels = number_labels, breaks = whole_breaks(8)) + value_scale(log) +
    labs(title = paste0("Learning curve: ", training$name), subtitle = wrap_lines(learning_subtitle(training), 9),
         x = "generation", y = paste0(objective_words(config$objective %||% NA_character_, config$minimise),
             if (log) " (log scale)")) +
    theme_tetrastat()
  late <- late_range(curve, result_mark(training), source)
  hidden <- diff(range(curve$mean)) > 15 * diff(late)
  whole <- plot + reported_label(source)
  if (hidden) whole <- with_closer_look(whole, plot, late, max(curve$generation))
  figure(whole, 9, if (hidden) 7.5 else 5, learning_caption(training, source, curve, log), "Learning curve")
}

# Returns layers with the band, the mean and the best candidate of each generation.
generation_layers <- function(band, above) {
  line <- \(column, linewidth) geom_line(aes(y = above(.data[[column]]), colour = learning_series[[column]]), data = band,
                                         linewidth = linewidth)
  list(geom_ribbon(aes(ymin = above(.data$low), ymax = above(.data$high)), data = band, fill = calm, alpha = 0.15),
       line("best", 0.5), line("mean", 1))
}

# Returns the result as a mark after the last generation; no row if there is no result yet.
result_mark <- function(training) {
  last <- max(training$history$generation)
  held_out_result(training) |>
    filter(!is.na(.data$value)) |>
    mutate(generation = last + max(1, 0.035 * last), high = coalesce(.data$high, Inf))
}

# Returns layers with checks and the result. More than 40 checks are dots on a thin line.
held_out_layers <- function(curve, result, above) {
  checks <- filter(curve, !is.na(.data$held_out))
  many <- nrow(checks) > 40
  above_all <- filter(curve, !is.na(.data$held_out_above))
  check <- aes(y = above(.data$held_out), colour = learning_series[["held_out"]])
  list(
    if (nrow(checks) > 1) geom_line(check, data = checks, linewidth = if (many) 0.4 else 0.6),
    geom_point(check, data = checks, size = if (many) 0.5 else 2),
    geom_point(aes(y = above(.data$held_out_above), colour = learning_series[["held_out"]]), data = above_all, shape = 2, size = if (many) 0.9 else 2, show.legend = FALSE),
    geom_linerange(aes(ymin = above(.data$low), ymax = .data$high), data = result, colour = ink, linewidth = 0.8),
    geom_point(aes(y = above(.data$value), colour = learning_series[["result"]]), data = result, shape = 18, size = 3.4)
  )
}

# Returns the range of the second half of a training: means, best candidates, checks, result and
# reported number.
late_range <- function(curve, result, source) {
  late <- filter(curve, .data$generation >= max(.data$generation) / 2)
  range(late$mean, late$best, late$held_out, result$low, result$high, source$value, na.rm = TRUE, finite = TRUE)
}

# Draws the plot and an enlarged second half below it, for a training whose full range hides the
# second half.
with_closer_look <- function(whole, plot, late, last) {
  closer <- plot + coord_cartesian(xlim = c(last / 2, 1.035 * last), ylim = late) +
    labs(title = NULL, subtitle = "Second half, enlarged") + theme(legend.position = "none")
  patchwork::wrap_plots(whole, closer, ncol = 1)
}

# Returns the value axis, logarithmic if `log`.
value_scale <- function(log) {
  room <- expansion(c(0.05, 0.12))
  if (!log) return(scale_y_continuous(labels = number_labels, expand = room))
  scale_y_log10(labels = number_labels, breaks = log_breaks, expand = room)
}

# Returns the band for a log axis: the mean multiplied and divided by exp(spread / mean). This is
# one standard deviation of the logarithm to first order, and stays above 0.
log_band <- function(training, curve) {
  factor <- exp(if_else(curve$mean > 0, training$history$spread / curve$mean, 0))
  mutate(curve, low = .data$mean / factor, high = pmin(.data$mean * factor, pmax(.data$best, .data$mean)))
}

# Returns the start of a log axis: the power of ten below the smallest positive mean, at least 0.1.
log_floor <- function(means) max(0.1, 10^floor(log10(min(means[means > 0]))))

# Returns a layer with each candidate of a training that logged its population.
candidate_points <- function(training, above) {
  if (is.null(training$population)) return(NULL)
  geom_point(aes(.data$generation, above(.data$value)), data = training$population, colour = quiet, alpha = 0.25, size = 0.7)
}

# Returns the reported number as a line, and its range as a band.
reported_layers <- function(source) {
  if (nrow(source) == 0) return(NULL)
  list(
    geom_rect(aes(ymin = .data$low, ymax = .data$high), data = filter(source, !is.na(.data$low)), xmin = -Inf, xmax = Inf,
        inherit.aes = FALSE, fill = reported_colour, alpha = 0.12),
    geom_hline(aes(yintercept = .data$value), data = source, linetype = "22", colour = reported_colour, linewidth = 0.7)
  )
}

# Returns the label of the reported line.
reported_label <- function(source) {
  if (nrow(source) == 0) return(NULL)
  geom_label(aes(x = Inf, y = .data$value, label = paste("reported by the source:", number_labels(.data$value))), data = source,
      inherit.aes = FALSE, hjust = 1, vjust = -0.25, size = 3.3, colour = reported_colour,
      fill = "#FFFFFFD0", label.size = 0, label.padding = unit(2, "pt"))
}

learning_subtitle <- function(training) {
  result <- held_out_result(training)
  if (is.na(result$value)) return(paste0("No result yet: ", training$manifest$status %||% "no run.json"))
  paste0("Result on ", tidy_number(result$games), " held-out games: ", interval_words(result$value, result$low, result$high),
         ", 95 % CI")
}

learning_caption <- function(training, source, curve, log) {
  config <- training$manifest$config
  setting <- c(config$optimiser$method, if (is.null(config$play$mode)) paste("board", config$play$board) else training_place(config),
               paste("queue", training_queue(config)))
  paste0("n = ", tidy_number(sum(training$history$games)), " games of candidates in ", nrow(curve), " generations",
    if (length(setting) > 0) paste0(" (", paste(setting, collapse = ", "), ")"),
    ". Band: mean plus and minus one standard deviation of the candidates",
    if (log) " (of their logarithm, to first order)", ", truncated at the best candidate, whose score selection biases upwards.",
    if (!is.null(training$population)) " Dots: candidates.",
    if (any(!is.na(curve$held_out))) " All checks play the same held-out games; the result plays other ones.",
    if (any(!is.na(curve$held_out_above))) paste0(" Triangles: in ", sum(!is.na(curve$held_out_above)), " checks no game finished before its limit, so the mean is above the triangle (one-sided 95 %)."),
    if (nrow(source) > 0) paste0(" The source reported ", source$words[1],
        if (!is.na(source$low[1])) " (green band: its range)", "."))
}

# Draws the mean of each weight with a band of one standard deviation, one panel per weight.
figure_weight_paths <- function(training) {
  paths <- weight_paths(training)
  words <- \(feature) factor(gsub("_", " ", feature), gsub("_", " ", training$features))
  winner <- winner_weights(training) |> filter(!is.na(.data$feature))
  columns <- min(4, length(training$features))
  plot <- ggplot(mutate(paths, feature = words(.data$feature)), aes(.data$generation, .data$mean)) +
    geom_hline(yintercept = 0, colour = quiet, linetype = "22", linewidth = 0.4) +
    geom_ribbon(aes(ymin = .data$mean - .data$sd, ymax = .data$mean + .data$sd), fill = calm, alpha = 0.2) +
    geom_line(colour = calm, linewidth = 0.9) +
    geom_point(aes(y = .data$weight), data = mutate(winner, feature = words(.data$feature)),
        shape = 18, size = 3, colour = ink) +
    facet_wrap(~feature, scales = "free_y", ncol = columns, labeller = label_wrap_gen(20)) +
    scale_x_continuous(labels = number_labels, breaks = whole_breaks(4)) +
    scale_y_continuous(labels = number_labels, n.breaks = 4) +
    labs(title = "Weights by generation", x = "generation", y = "weight",
        subtitle = paste0("Line: mean; band: plus and minus one standard deviation",
            if (nrow(winner) > 0) "; diamond: resulting weights")) +
    theme_tetrastat() + theme(panel.spacing.x = unit(14, "pt"), strip.text = element_text(size = rel(0.85)))
  figure(plot, 9, 1.7 + 1.75 * panel_rows(length(training$features), columns), paste0("n = ", nrow(training$history),
    " generations. Shown is the distribution from which each generation was drawn (in a genetic search the population itself). ",
    "Placements depend only on the ratios of the weights, so a growth of all weights together is not learning."), "Weights by generation")
}

# Draws several trainings: one row of panels per objective, board, queue and limit. The left panels
# show means and checks against the amount of play `by` ("games", "pieces" or "generation"); the
# right panels show results with intervals. If there are more trainings than colours in the palette,
# colour shows the method.
figure_trainings <- function(curves, rows, by = "games") {
  curves <- in_panels(curves)
  rows <- in_panels(rows)
  x <- list(games = "games played by candidates", pieces = "pieces played by candidates", generation = "generation")[[by]]
  far <- by != "generation" && spans_orders(curves[[by]], curves[[by]], 3)
  log <- spans_orders(curves$mean, curves$mean)
  floor <- if (log) log_floor(curves$mean) else -Inf
  plot <- ggplot(curves, aes(.data[[by]], pmax(.data$mean, floor), colour = .data$key, group = .data$training)) +
    geom_line(linewidth = 0.7) +
    geom_point(aes(y = pmax(.data$held_out, floor)), data = filter(curves, !is.na(.data$held_out)), size = 1.8) +
    geom_point(aes(y = pmax(.data$held_out_above, floor)), data = filter(curves, !is.na(.data$held_out_above)), shape = 2, size = 1.6) +
    facet_wrap(~panel, ncol = 1, scales = "free", labeller = label_wrap_gen(32)) +
    (if (far) scale_x_log10(labels = number_labels, breaks = log_breaks) else scale_x_continuous(labels = number_labels, n.breaks = 5)) +
    value_scale(log) + scale_runs(levels(curves$key)) + guides(colour = legend_of_runs(levels(curves$key), 5)) +
    labs(title = "Learning curves", subtitle = wrap_lines(paste0("Line: mean of the candidates; points: checks on held-out games", if (any(!is.na(curves$held_out_above))) "; triangles: no game finished, lower bound of the mean"), 5),
         x = paste0(x, if (far) " (log scale)"), y = if (log) "objective (log scale)" else "objective") +
    theme_tetrastat()
  panels <- nlevels(rows$panel)
  height <- 2.4 + max(2.2, 0.42 * nrow(rows) / panels) * panels
  figure(patchwork::wrap_plots(plot, results_panel(rows), widths = c(1.25, 1)), 10.5, height, compare_caption(rows),
         "Comparison of trainings")
}

# Adds the panel of each row and the key of its colour: the training or its method.
in_panels <- function(table) {
  many <- nlevels(table$training) > length(palette_runs)
  limit <- if_else(is.na(table$max_pieces) | table$objective == "lines", "",
      paste(", at most", tidy_number(table$max_pieces), "pieces"))
  panel <- paste0(objective_words(table$objective), ", ", coalesce(table$board, "unknown board"), ", ",
      coalesce(table$queue, "unknown"), " queue", limit)
  key <- if (many) factor(coalesce(table$method, "unknown")) else table$training
  mutate(table, panel = factor(panel, unique(panel)), key)
}

# Draws the results of trainings with their intervals, the best on top.
results_panel <- function(rows) {
  order <- rows$training[order(rows$held_out, na.last = FALSE)]
  rows <- rows |>
    mutate(words = interval_words(.data$held_out, .data$low, .data$high), place = paste0(.data$training, "\n", .data$words),
           place = factor(.data$place, .data$place[match(order, .data$training)])) |>
    group_by(.data$panel) |>
    mutate(at = coalesce(.data$held_out, mean(.data$held_out, na.rm = TRUE))) |>
    ungroup()
  done <- filter(rows, !is.na(.data$held_out))
  waiting <- filter(rows, is.nan(.data$at)) # no training of the panel has a result
  ggplot(rows, aes(.data$at, .data$place, colour = .data$key)) +
    geom_blank(data = filter(rows, !is.nan(.data$at))) +
    geom_text(aes(x = -Inf, label = "  no result yet"), data = waiting, hjust = 0, colour = quiet, size = 3.2) +
    geom_linerange(aes(xmin = .data$low, xmax = coalesce(.data$high, Inf)), data = done, linewidth = 0.9) +
    geom_point(data = done, size = 2.4) +
    facet_wrap(~panel, ncol = 1, scales = "free", labeller = label_wrap_gen(32)) +
    scale_runs(levels(rows$key), guide = "none") +
    scale_x_continuous(labels = number_labels, n.breaks = 4, expand = expansion(c(0.1, 0.12))) +
    labs(title = "Results", subtitle = wrap_lines("Held-out games, 95 % CI", 5), x = "objective", y = NULL) +
    theme_tetrastat() + theme(plot.margin = margin(10, 30, 8, 10))
}

compare_caption <- function(rows) {
  counts <- unique(na.omit(rows$held_out_games))
  n <- if (nrow(rows) <= 6) each_run(rows$training, rows$games)
    else paste0(nrow(rows), " trainings of ", paste(tidy_number(range(rows$games)), collapse = " to "))
  paste0("n = ", n, " games of candidates and checks. ",
    if (length(counts) > 0) paste0("Results: ", paste(tidy_number(sort(counts)), collapse = " or "),
        " held-out games each. "),
    "A training is one run of a random search. Its interval describes the play of its controller, ",
    "not the results of repeated trainings.")
}
