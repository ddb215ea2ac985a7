# Forest plots: means of tetrastat next to published numbers, and ratios of the two. They draw the
# tables of R/reproduced.R. Each row of a panel is a lane with its text.

published_kinds <- c(here = "tetrastat, 95 % CI", measured = "published, measured", rerun = "rerun of the source's program",
                quoted = "published, quoted from elsewhere", projected = "published, projected")

kind_colours <- c(here = "#0072B2", measured = "#222222", rerun = "#009E73", quoted = "#B07A00", projected = "#CC79A7")

kind_shapes <- c(here = 16, measured = 15, rerun = 17, quoted = 18, projected = 4)

verdict_words <- c(agrees = "agrees (95 % CI contains 1)", lower = "tetrastat lower", higher = "tetrastat higher", open = "undecided: too few finished games")

verdict_colours <- c(agrees = "#009E73", lower = "#D55E00", higher = "#0072B2", open = "#999999")

# Formats axis labels of lines: 10,000 and 35 M.
lines_labels <- function(x) {
  small <- formatC(x, digits = 3, format = "g", width = 1)
  if_else(is.na(x), "", if_else(x >= 100, lines_words(x), small))
}

# Shortens names for an axis.
short_name <- function(text, most = 40) if_else(nchar(text) > most, paste0(substr(text, 1, most - 1), "\u2026"), text)

# Returns the lanes of the forest plot: for each condition the result of tetrastat, then the
# published numbers. `lane` counts down within a table, `stripe` alternates between neighbouring
# conditions, and `open` is TRUE for a one-sided lower bound.
forest_lanes <- function(reproduction) {
  ours <- transmute(reproduction$measured, .data$table, .data$name, label = short_name(as.character(.data$name)), open = .data$kind == "open",
      kind = "here", value = .data$mean, .data$low, .data$high, bounds = if_else(is.na(.data$low), "none", "stated"),
      words = paste0(mean_words(reproduction$measured), ", ", games_words(.data$games, .data$ended)))
  theirs <- transmute(reproduction$published, .data$table, .data$name, label = paste0("    ", short_name(.data$source)), .data$kind, .data$value, .data$low,
      .data$high, .data$bounds, open = FALSE, words = paste0(published_words(reproduction$published),
          if_else(is.na(.data$games), "", paste0(", ", games_words(.data$games)))))
  bind_rows(ours, theirs) |> in_lanes()
}

# Numbers the lanes of each table from the top down; the lanes of a condition are adjacent.
in_lanes <- function(lanes) {
  lanes |>
    arrange(.data$table, .data$name) |>
    group_by(.data$table) |>
    mutate(lane = -row_number(), stripe = dense_rank(as.integer(.data$name)) %% 2 == 0) |>
    ungroup() |>
    mutate(table = droplevels(.data$table))
}

# Formats "20 games, 5 finished"; if all games finished, only their number.
games_words <- function(games, ended = games) {
  paste0(tidy_number(games), if_else(games == 1, " game", " games"),
         if_else(ended == games, "", paste0(", ", if_else(ended == 0, "none", tidy_number(ended)), " finished")))
}

# Draws the forest plot; each table has a panel with its own axis.
figure_forest <- function(reproduction) {
  lanes <- forest_lanes(reproduction)
  shown <- intersect(names(published_kinds), lanes$kind)
  scales <- list(
    scale_colour_manual(values = kind_colours[shown], labels = published_kinds[shown], limits = shown, name = NULL),
    scale_shape_manual(values = kind_shapes[shown], labels = published_kinds[shown], limits = shown, name = NULL),
    guides(colour = guide_legend(nrow = 2))
  )
  panels <- map(split(lanes, lanes$table), \(rows) forest_panel(rows, "mean lines per game (log scale)") + scales)
  stack_panels(panels, lanes, "Mean lines per game: tetrastat and published numbers", forest_caption(reproduction))
}

# Draws one panel: stripes, intervals, points, arrows for one-sided bounds, and text on the right.
# The axis includes the value `around`.
forest_panel <- function(rows, axis, colour = "kind", around = NULL) {
  room <- axis_room(c(rows$value, rows$low, rows$high, around))
  rows <- mutate(rows, key = .data[[colour]], from = pmax(.data$low, room[1]), to = pmin(.data$high, room[2]))
  closed <- filter(rows, !.data$open, !is.na(.data$from), !is.na(.data$to))
  ggplot(rows, aes(y = .data$lane, colour = .data$key)) +
    lane_stripes(rows) +
    geom_segment(aes(x = .data$from, xend = .data$to, yend = .data$lane), data = filter(closed, .data$bounds == "stated" & !is.na(.data$value)), linewidth = 0.9) +
    geom_segment(aes(x = .data$from, xend = .data$to, yend = .data$lane), data = filter(closed, .data$bounds == "implied"), linewidth = 0.4) +
    geom_segment(aes(x = .data$from, xend = .data$to, yend = .data$lane), data = filter(closed, is.na(.data$value)),
        linewidth = 3.2, alpha = 0.45, show.legend = FALSE) +
    bound_arrows(rows, room) +
    geom_point(aes(x = .data$value, shape = .data$key), data = filter(rows, !is.na(.data$value)), size = 2.3) +
    lane_axis(rows) + log_axis(room) + labs(x = axis, y = NULL) + theme_lanes()
}

# Returns the range of a log axis for `values`, with a margin.
axis_room <- function(values) {
  values <- values[is.finite(values) & values > 0]
  if (length(values) == 0) return(c(0.1, 10))
  room <- max(1.12, (max(values) / min(values))^0.06)
  c(min(values) / room, max(values) * room)
}

# Shades every second condition.
lane_stripes <- function(rows) {
  if (!any(rows$stripe)) return(NULL)
  bands <- filter(rows, .data$stripe) |> group_by(.data$name) |> summarise(top = max(.data$lane) + 0.5, bottom = min(.data$lane) - 0.5)
  geom_rect(aes(ymin = .data$bottom, ymax = .data$top), data = bands, xmin = -Inf, xmax = Inf, inherit.aes = FALSE, fill = "#F3F3F3")
}

# Draws arrows from a lower bound to the right edge of the panel, and from an upper bound to the
# left edge.
bound_arrows <- function(rows, room) {
  above <- filter(rows, .data$open, .data$low > 0) |> mutate(at = pmin(.data$low, room[2]), to = room[2])
  below <- filter(rows, .data$open, .data$low == 0) |> mutate(at = pmax(.data$high, room[1]), to = room[1])
  bounds <- bind_rows(above, below)
  list(
    geom_segment(aes(x = .data$at, xend = .data$to, yend = .data$lane), data = bounds, linewidth = 0.7,
        arrow = grid::arrow(length = unit(5, "pt"), type = "closed"), show.legend = FALSE),
    geom_point(aes(x = .data$at), data = bounds, shape = 124, size = 3, show.legend = FALSE)
  )
}

# Draws a column of text next to a panel of lanes: `column` under a `title`; names of conditions are
# bold.
lane_words <- function(rows, column, title = "") {
  head <- tibble(lane = 0, text = title, face = "bold", colour = calm)
  bold <- column == "label" & !startsWith(rows$label, " ")
  lines <- transmute(rows, .data$lane, text = .data[[column]], face = if_else(bold, "bold", "plain"), colour = ink)
  ggplot(bind_rows(head, lines), aes(0, .data$lane)) +
    geom_text(aes(label = .data$text, fontface = .data$face, colour = .data$colour, size = .data$lane == 0), hjust = 0) +
    scale_colour_identity() + scale_size_manual(values = c(2.9, 3.9), guide = "none") +
    scale_x_continuous(limits = c(0, 1), expand = expansion(0)) + lane_axis(rows) + coord_cartesian(clip = "off") +
    labs(x = NULL, y = NULL) + theme_lanes() + theme(axis.text = element_blank(), panel.grid.major = element_blank())
}

# Returns the y axis of lanes: from the top down, with the name of the table above them, without
# labels.
lane_axis <- function(rows) scale_y_continuous(breaks = NULL, limits = c(min(rows$lane) - 0.6, 0.6), expand = expansion(0))

# Returns a log axis over the range `room`.
log_axis <- function(room) {
  scale_x_log10(labels = lines_labels, breaks = log_breaks(room), limits = room, expand = expansion(0), oob = scales::oob_keep)
}

# Returns the breaks of a log axis: at most about five powers of ten. If fewer than three fit, also
# 2 and 5 times these powers, or linear steps.
log_breaks <- function(room) {
  inside <- \(at) at[at >= room[1] & at <= room[2]]
  powers <- 10^seq(floor(log10(room[1])), ceiling(log10(room[2])))
  tens <- inside(powers)
  if (length(tens) > 5) return(tens[seq(1, length(tens), by = ceiling(length(tens) / 5))]) # more labels would overlap
  if (length(tens) >= 3) return(tens)
  fine <- inside(as.numeric(outer(c(1, 2, 5), powers)))
  if (length(fine) >= 3) fine else inside(pretty(room, 5))
}

theme_lanes <- function() {
  theme_tetrastat() + theme(
    panel.grid.major.y = element_blank(), axis.title.x = element_text(size = rel(0.85)), plot.margin = margin(2, 5, 2, 5),
    plot.background = element_blank()
  )
}

# Stacks panels of lanes. The height of a panel is its number of lanes; names are on the left and
# text on the right. Only the last panel has an axis title.
stack_panels <- function(panels, lanes, title, caption, widths = c(2.75, 4.4, 3.1), says = "") {
  rows <- split(lanes, lanes$table)
  counts <- map_dbl(rows, nrow)
  last <- length(panels)
  panels[-last] <- map(panels[-last], \(panel) panel + labs(x = NULL))
  panels[-1] <- map(panels[-1], \(panel) panel + theme(legend.position = "none"))
  beside <- pmap(list(rows, panels, names(rows)), \(rows, panel, name) {
    list(lane_words(rows, "label", name), panel, lane_words(rows, "words"))
  })
  plot <- patchwork::wrap_plots(list_flatten(unname(beside)), ncol = 3, widths = widths, heights = counts + 1.2, guides = "collect") +
    patchwork::plot_annotation(title = title)
  figure(plot, sum(widths) + 0.5, 1.9 + 0.19 * sum(counts + 1.2) + 0.5 * last, caption, title, says)
}

forest_caption <- function(reproduction) {
  measured <- reproduction$measured
  bounds <- sum(measured$kind == "open")
  paste0("n = ", tidy_number(sum(measured$games)), " games in ", nrow(measured), " conditions. tetrastat: all lines / finished games, with the exact ",
    "95 % CI of exponential lifetimes", if (bounds > 0) paste0("; an arrow from the one-sided 95 % lower bound if no game finished (", bounds, " conditions)"),
    ". Published: a thick line is the interval that the source states; a thin line is the interval that its number of games implies for exponential ",
    "lifetimes; a bar is a range without a mean; a point alone has no interval. Each table has its own axis.")
}

# Draws the ratio of tetrastat's mean to each published number; each table has a panel with its own
# axis.
figure_ratio <- function(reproduction) {
  lanes <- comparisons(reproduction) |>
    mutate(label = if_else(duplicated(.data$name), "", short_name(as.character(.data$name))), value = .data$ratio, bounds = "stated",
           open = is.na(.data$high) & !is.na(.data$low), words = ratio_lane_words(.data$of, .data$ratio, .data$low, .data$high, .data$source)) |>
    in_lanes()
  shown <- names(verdict_words)[names(verdict_words) %in% lanes$verdict]
  scales <- list(
    scale_colour_manual(values = verdict_colours[shown], labels = verdict_words[shown], limits = shown, name = NULL),
    scale_shape_manual(values = set_names(rep(16, length(shown)), shown), guide = "none")
  )
  panels <- map(split(lanes, lanes$table), \(rows) ratio_panel(rows) + scales)
  stack_panels(panels, lanes, "Ratio of means: tetrastat / published", ratio_caption(reproduction), c(2.2, 4.1, 3.9), verdict_sentence(reproduction$published))
}

# Draws a panel of ratios around 1.
ratio_panel <- function(rows) {
  forest_panel(rows, "tetrastat / published (log scale)", "verdict", 1) +
    geom_vline(xintercept = 1, colour = ink, linewidth = 0.4, linetype = "22") +
    geom_point(aes(x = .data$value, colour = .data$verdict), data = filter(rows, .data$after_all, !is.na(.data$value)), shape = 21, fill = "white", size = 2.1, show.legend = FALSE)
}

# Describes how many comparisons differ from 1 before and after corrections for rounding and for the
# number of comparisons.
verdict_sentence <- function(published) {
  rows <- filter(published, !is.na(.data$p))
  if (nrow(rows) == 0) return("")
  off <- \(column) sum(rows[[column]] != "agrees")
  paste0("Of ", nrow(rows), " ratios with an interval, ", off("verdict"), " differ significantly from 1 one by one, ", off("verdict_rounded"), " after allowing for the rounding of published numbers, and ",
         off("verdict_adjusted"), " after also adjusting for the number of comparisons (Holm).")
}

ratio_lane_words <- function(of, ratio, low, high, source) {
  over <- paste0("range, ", map_chr(low, factor_words), if_else(is.na(high), "", paste(" to", map_chr(high, factor_words))))
  paste0(if_else(of == "range", over, ratio_words(ratio, low, high)), ", ", short_name(source, 38))
}

ratio_caption <- function(reproduction) {
  counts <- verdict_counts(reproduction$published)
  paste0("n = ", sum(counts$n), " comparisons: ", verdict_words_of(counts), ". Hollow: agrees after allowing for rounding and adjusting for the number of comparisons (Holm). Line: 95 % CI of the ratio for ",
    "exponential lifetimes. The number of games of a published mean is the stated number, or else the number that its interval implies; otherwise the mean is taken as exact. ",
    "Arrow: lower bound, since no game finished. Bar: tetrastat's mean over both ends of a published range; it agrees if tetrastat's interval overlaps the range.")
}
