# One theme, one palette, and the words that figures share.

#' Okabe and Ito's colours (2008), told apart by colour-blind eyes too.
palette_runs <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")

ink <- "#222222"
quiet <- "#6B6B6B"
accent <- "#D55E00"
calm <- "#0072B2"

#' The theme of every figure.
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

#' Colours of runs, in the order of the report's arguments.
scale_runs <- function(runs, aesthetics = c("colour", "fill"), ...) {
  colours <- if (length(runs) <= length(palette_runs)) palette_runs[seq_along(runs)] else hcl.colors(length(runs), "Dark 3")
  scale_colour_manual(values = set_names(colours, runs), aesthetics = aesthetics, name = NULL, ...)
}

#' 12345 as "12,345"; small numbers keep three digits.
tidy_number <- function(x) {
  text <- if_else(abs(x) >= 1000, format(round(x), big.mark = ",", trim = TRUE, scientific = FALSE),
                  formatC(x, digits = 3, format = "fg"))
  if_else(is.na(x), "unknown", if_else(is.infinite(x), "unbounded", trimws(text)))
}

#' p values as people write them.
tidy_p <- function(p) if_else(is.na(p), "p unknown", if_else(p < 0.001, "p < 0.001",
    paste("p =", formatC(p, digits = 2, format = "g"))))

#' Axis labels: whole numbers with thousands separated.
number_labels <- function(x) if_else(is.na(x), "", format(x, big.mark = ",", trim = TRUE, scientific = FALSE,
    drop0trailing = TRUE))

percent_labels <- function(x) paste0(format(100 * x, trim = TRUE, drop0trailing = TRUE, scientific = FALSE), " %")

#' Text wrapped for a figure `inches` wide.
wrapped <- function(..., inches = 9) {
  text <- gsub("([0-9]) %", "\\1\u00a0%", paste0(...)) # a number keeps its sign
  paste(strwrap(text, width = floor(inches * 13.5)), collapse = "\n")
}

#' "bcts (200), lee (150)": each run with its number.
each_run <- function(runs, numbers) paste0(runs, " (", tidy_number(numbers), ")", collapse = ", ")

#' A legend of runs in as many rows as it takes in `inches`.
legend_of_runs <- function(runs, inches) guide_legend(nrow = ceiling(sum(nchar(runs) + 7) / (inches * 10)))

#' Each line of a subtitle wrapped for a figure `inches` wide.
wrap_lines <- function(text, inches) {
  lines <- strsplit(text %||% "", "\n")[[1]]
  paste(unlist(map(lines, \(line) strwrap(line, width = floor(inches * 10.5)))), collapse = "\n")
}

#' Breaks at whole numbers, not more than about `n`.
whole_breaks <- function(n = 6) \(limits) unique(floor(pretty(limits, n)))

#' A figure of the report: the plot, its size in inches, its caption and a text for screen readers.
figure <- function(plot, width = 9, height = 5, caption = "", alt = "") {
  text <- wrapped(caption, inches = width)
  bare <- plot
  plot <- if (inherits(plot, "patchwork")) {
    plot + patchwork::plot_annotation(caption = text, theme = theme_tetrastat() +
        theme(plot.margin = margin(5, 0, 6, 4)))
  } else {
    plot + labs(caption = text, subtitle = wrap_lines(plot$labels$subtitle, width))
  }
  list(plot = plot, width = width, height = height, alt = alt, bare = bare, caption = caption)
}

#' The same figure with `note` before its caption.
with_note <- function(figure, note) {
  if (!nzchar(note)) return(figure)
  with(figure, figure(bare, width, height, paste0(note, caption), alt))
}

#' The runs that a table has rows of (its `run` factor keeps the levels of all runs, so that a run
#' has the same colour in each figure).
present_runs <- function(table) levels(droplevels(table$run))

#' Panels side by side for so many runs, and the rows of panels that makes.
panel_columns <- function(runs) min(2, length(runs))
panel_rows <- function(n, columns) ceiling(n / columns)
