# Theme, palette and number formats of the figures.

# Colours of Okabe and Ito (2008), which colour-blind readers can distinguish, without their grey,
# which people with deuteranopia confuse with the pink.
palette_runs <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

ink <- "#222222"
quiet <- "#6B6B6B"
accent <- "#D55E00"
calm <- "#0072B2"

# Returns the theme of every figure.
theme_tetrastat <- function(base_size = 12) {
  theme_minimal(base_size = base_size) %+replace% theme(
    plot.title = element_text(face = "bold", size = rel(1.25), hjust = 0, colour = ink, margin = margin(b = 4)),
    plot.subtitle = element_text(hjust = 0, colour = quiet, margin = margin(b = 8), lineheight = 1.1),
    plot.caption = element_text(hjust = 0, colour = quiet, size = rel(0.78), lineheight = 1.15,
        margin = margin(t = 10)),
    plot.title.position = "plot", plot.caption.position = "plot",
    plot.margin = margin(10, 14, 8, 10), plot.background = element_rect(fill = "white", colour = NA),
    panel.grid.minor = element_blank(), panel.grid.major = element_line(colour = "#E8E8E8", linewidth = 0.35),
    axis.title = element_text(colour = ink, size = rel(0.92)),
        axis.text = element_text(colour = quiet, size = rel(0.85)),
    axis.title.y = element_text(angle = 90, margin = margin(r = 6)),
        axis.title.x = element_text(margin = margin(t = 6)),
    strip.text = element_text(face = "bold", hjust = 0, colour = ink, size = rel(0.95), margin = margin(3, 0, 3, 0)),
    panel.spacing = unit(16, "pt"), panel.spacing.x = unit(24, "pt"), legend.position = "top", legend.justification = "left",
        legend.title = element_text(colour = quiet, size = rel(0.85)),
    legend.key.width = unit(22, "pt"), legend.text = element_text(colour = ink, size = rel(0.85)),
        legend.margin = margin(0, 0, 0, 0),
    complete = TRUE
  )
}

# Returns the colour scale of runs. A run has the same colour in every figure of the same runs, in
# whatever order they are given. More than seven runs cannot be distinguished by colour alone: they
# get viridis colours, and figures print their names next to curves or lanes.
scale_runs <- function(runs, aesthetics = c("colour", "fill"), ...) {
  given <- list(...)
  if (is.null(given$breaks)) given$breaks <- runs # the legend has the order of the runs
  do.call(scale_colour_manual, c(list(values = run_colours(runs), aesthetics = aesthetics, name = NULL), given))
}

run_colours <- function(runs) {
  sorted <- sort(unique(as.character(runs)), method = "radix")
  set_names(if (length(sorted) <= length(palette_runs)) palette_runs[seq_along(sorted)] else hcl.colors(length(sorted), "viridis"), sorted)
}

# Formats 12345 as "12,345"; small numbers keep three digits.
tidy_number <- function(x) {
  text <- if_else(abs(x) >= 1000, format(round(x), big.mark = ",", trim = TRUE, scientific = FALSE),
                  formatC(x, digits = 3, format = "fg"))
  if_else(is.na(x), "unknown", if_else(is.infinite(x), "unbounded", trimws(text)))
}

# Formats p-values.
tidy_p <- function(p) if_else(is.na(p), "p not available", if_else(p < 0.001, "p < 0.001",
    paste("p =", trimws(formatC(p, digits = 2, format = "g")))))

# Formats axis labels: thousands are separated, and numbers below a thousandth have an exponent.
# Different numbers get different labels.
number_labels <- function(x) {
  small <- is.finite(x) & x != 0 & abs(x) < 1e-3
  text <- rep("", length(x))
  plain <- is.finite(x) & !small
  # label_number() derives the decimals from differences, so a single value would lose them.
  if (n_distinct(x[plain]) == 1) text[plain] <- format(x[plain], big.mark = ",", trim = TRUE, digits = 7, scientific = FALSE)
  else if (any(plain)) text[plain] <- scales::label_number(big.mark = ",", accuracy = NULL, drop0trailing = TRUE)(x[plain])
  text[small] <- formatC(x[small], digits = 3, format = "g", width = 1)
  twice <- is.finite(x) & text %in% text[is.finite(x)][duplicated(text[is.finite(x)])] & !duplicated(x)
  if (any(twice)) text[twice] <- formatC(x[twice], digits = 7, format = "g", big.mark = ",", width = 1)
  text
}

percent_labels <- function(x) if_else(is.na(x), "", paste0(format(100 * x, trim = TRUE, drop0trailing = TRUE, scientific = FALSE, digits = 7), " %"))

# Wraps text for a figure that is `inches` wide.
wrapped <- function(..., inches = 9) {
  text <- gsub("([0-9]) %", "\\1\u00a0%", paste0(...)) # keeps a number and its percent sign on one line
  paste(strwrap(text, width = floor(inches * 13.5)), collapse = "\n")
}

# Formats each run with its number: "bcts (200), lee (150)".
each_run <- function(runs, numbers) paste0(runs, " (", tidy_number(numbers), ")", collapse = ", ")

# Returns a legend of runs with as many rows as it needs in `inches`.
legend_of_runs <- function(runs, inches) guide_legend(nrow = ceiling(sum(nchar(runs) + 7) / (inches * 10)))

# Wraps each line of a subtitle for a figure that is `inches` wide, at `letters` per inch; NULL
# without a subtitle.
wrap_lines <- function(text, inches, letters = 10.5) {
  lines <- strsplit(text %||% "", "\n")[[1]]
  if (length(lines) == 0) return(NULL)
  paste(unlist(map(lines, \(line) strwrap(line, width = floor(inches * letters)))), collapse = "\n")
}

# Returns breaks at whole numbers, about `n` at most.
whole_breaks <- function(n = 6) \(limits) unique(floor(pretty(limits, n)))

# Returns the size in inches of a plot with a fixed aspect on a page: list(width, height: of a panel). Title and caption
# have the plot's width, not the page's, since they begin at its left edge. Returns NULL for other plots, which fill the
# page.
drawn_size <- function(plot, width, height) {
  if (inherits(plot, "patchwork") || is.null(plot$coordinates$ratio)) return(NULL)
  grDevices::pdf(NULL, width = width, height = height)
  on.exit(grDevices::dev.off())
  table <- suppressWarnings(ggplotGrob(plot))
  null <- \(units) map_dbl(seq_along(units), \(i) if (identical(as.character(grid::unitType(units[i])), "null")) as.numeric(units[i]) else 0)
  across <- null(table$widths)
  down <- null(table$heights)
  fixed_across <- sum(grid::convertWidth(table$widths[across == 0], "inches", valueOnly = TRUE))
  fixed_down <- sum(grid::convertHeight(table$heights[down == 0], "inches", valueOnly = TRUE))
  if (!any(across > 0)) return(NULL)
  scale <- min((width - fixed_across) / sum(across), (height - fixed_down) / sum(down))
  list(width = min(width, fixed_across + scale * sum(across)), height = scale * max(down))
}

# Returns the width in inches available to a figure's text: the page's, or that of the plot if its aspect is fixed.
room_of_words <- function(plot, width, height, caption) {
  room <- width
  for (step in 1:4) { # a caption of more lines leaves the plot less height, and so less width
    dressed <- if (inherits(plot, "patchwork")) plot else plot + labs(caption = wrapped(caption, inches = room), title = wrap_lines(plot$labels$title, room, 7.4), subtitle = wrap_lines(plot$labels$subtitle, room))
    drawn <- drawn_size(dressed, width, height + more_height(plot, caption, room, width))$width %||% width
    if (drawn >= room - 0.02) break
    room <- drawn
  }
  room
}

# Returns the extra height in inches that title, subtitle and caption need compared with the whole page.
more_height <- function(plot, caption, room, width) {
  if (room >= width) return(0)
  lines <- \(text) length(strsplit(text %||% "", "\n")[[1]])
  more <- \(wrap) lines(wrap(room)) - lines(wrap(width))
  0.16 * more(\(inches) wrapped(caption, inches = inches)) + 0.19 * more(\(inches) wrap_lines(plot$labels$subtitle, inches)) + 0.22 * more(\(inches) wrap_lines(plot$labels$title, inches, 7.4))
}

# Returns a figure: the ggplot with its size in inches, its caption, its result in one sentence
# (`says`), and an alternative text for screen readers.
figure <- function(plot, width = 9, height = 5, caption = "", alt = "", says = "") {
  bare <- plot
  what <- alt
  alt <- alt_text(plot, alt, says, caption)
  room <- room_of_words(plot, width, height, caption)
  text <- wrapped(caption, inches = room)
  height <- height + more_height(plot, caption, room, width)
  plot <- if (inherits(plot, "patchwork")) {
    plot + patchwork::plot_annotation(caption = text, theme = theme_tetrastat() +
        theme(plot.margin = margin(5, 0, 6, 4)))
  } else {
    plot + labs(caption = text, title = wrap_lines(plot$labels$title, room, 7.4), subtitle = wrap_lines(plot$labels$subtitle, room), alt = alt)
  }
  structure(plot, figure = list(width = width, height = height, caption = caption, alt = alt, says = says, what = what, bare = bare))
}

# Returns the alternative text of a figure: what it is, its axes, its result, and the first sentence
# of its caption.
alt_text <- function(plot, alt, says, caption) {
  axes <- if (inherits(plot, "patchwork")) "" else {
    named <- compact(list(`X axis` = plot$labels$x, `Y axis` = plot$labels$y))
    if (length(named) == 0) "" else paste0(" ", names(named), ": ", gsub("\n", " ", unlist(named)), ".", collapse = "")
  }
  first <- sub("^(.*?[.]) [A-Z].*$", "\\1", caption, perl = TRUE)
  trimws(paste0(alt, ".", axes, if (nzchar(says)) paste0(" ", says), if (nzchar(first)) paste0(" ", first)))
}

# Returns the facts that a figure carries: width and height (inches), caption, says (the result in one
# sentence; can be empty) and alt (an alternative text for screen readers).
figure_facts <- function(figure) {
  facts <- attr(figure, "figure")
  if (is.null(facts)) fail("this is not a figure of this package; use one that autoplot() or figures() returns")
  facts[setdiff(names(facts), c("bare", "what"))]
}

#' Data of a figure
#'
#' The figures of this package are ggplots that carry their size, their texts and their data. The
#' attribute `figure` is a list with `width` and `height` (inches), `caption`, `says` (the result in
#' one sentence; can be empty) and `alt` (an alternative text for screen readers).
#'
#' @param figure A figure of this package, or another ggplot.
#' @return A named list of the tables that are drawn.
#' @examples
#' figure <- autoplot(read_tetrastat(example_run("games")))
#' figure_data(figure)
#' attr(figure, "figure")$alt
#' @export
figure_data <- function(figure) {
  if (!inherits(figure, "ggplot")) fail("figure_data() needs a figure, not ", kind_words(figure))
  bare <- (attr(figure, "figure") %||% list(bare = figure))$bare
  plots <- if (inherits(bare, "patchwork")) c(list(last = bare), bare$patches$plots) else list(bare)
  tables <- unlist(map(plots, plot_tables), recursive = FALSE)
  tables <- tables[!duplicated(map(tables, \(table) table))]
  set_names(tables, if (length(tables) == 1) "data" else paste0("data", seq_along(tables)))
}

# Returns the data frames of a plot and of its layers that are not empty.
plot_tables <- function(plot) {
  if (!inherits(plot, "ggplot")) return(list())
  marks <- c("xintercept", "yintercept", "slope", "intercept", "x", "y", "xmin", "xmax", "ymin", "ymax", "xend", "yend") # reference lines
  keep(c(list(plot$data), map(plot$layers, "data")), \(data) is.data.frame(data) && nrow(data) > 0 && !all(names(data) %in% marks)) |>
    map(\(data) as_tibble(data)[!map_lgl(data, is.list)])
}

#' Save a figure and its data
#'
#' Writes the figure at its own size. The extension of the file selects the format: PNG (by Cairo),
#' SVG or PDF.
#'
#' @param figure A figure of this package.
#' @param path A string: the file, ending in `.png`, `.svg` or `.pdf`.
#' @param dpi A number: dots per inch of a PNG.
#' @param data `TRUE` or `FALSE`: whether the data of the figure are written next to it, as CSV.
#' @return The path, invisibly.
#' @examples
#' figure <- autoplot(read_tetrastat(example_run("games")))
#' save_figure(figure, file.path(tempdir(), "games.png"), data = TRUE)
#' @export
save_figure <- function(figure, path, dpi = 150, data = FALSE) {
  facts <- attr(figure, "figure") %||% list(width = 7, height = 5)
  ending <- tolower(tools::file_ext(path))
  if (!ending %in% c("png", "svg", "pdf")) fail(path, " has no known extension: use .png, .svg or .pdf")
  device <- switch(ending, png = \(...) grDevices::png(..., type = "cairo", units = "in", res = dpi), svg = svg_device(), pdf = grDevices::cairo_pdf)
  suppressWarnings(ggsave(path, figure, width = facts$width, height = facts$height, dpi = dpi, device = device))
  if (data) write_tables(figure_data(figure), tools::file_path_sans_ext(path))
  invisible(path)
}

svg_device <- function() if (requireNamespace("svglite", quietly = TRUE)) svglite::svglite else grDevices::svg

# Writes the tables as STEM.csv, or STEM-data1.csv, ...; returns their paths.
write_tables <- function(tables, stem) {
  files <- paste0(stem, if (length(tables) > 1) paste0("-", names(tables)), ".csv")
  walk2(tables, files, \(table, file) readr::write_csv(table, file, na = "NA", progress = FALSE))
  files
}

# Returns the figure with `note` at the start of its caption.
with_note <- function(figure, note) {
  if (!nzchar(note)) return(figure)
  facts <- attr(figure, "figure")
  figure(facts$bare, facts$width, facts$height, paste0(note, facts$caption), facts$what, facts$says)
}

# Returns the runs that occur in a table. Its `run` factor keeps the levels of all runs, so a run
# has the same colour in every figure.
present_runs <- function(table) levels(droplevels(table$run))

# Returns the number of panels side by side for `runs`; `panel_rows()` returns the number of rows of
# panels.
panel_columns <- function(runs) min(2, length(runs))
panel_rows <- function(n, columns) ceiling(n / columns)
