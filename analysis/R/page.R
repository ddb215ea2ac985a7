# Report pages: one HTML file, or Markdown with figures.
#
# A page is list(title, names, parts). A part is list(title, items). An item is a figure, a table
# (with `caption`) or a paragraph of text. One template therefore prints the reports of all games.

page <- function(title, names, ...) list(title = title, names = names, parts = compact(list(...)))

# Returns a part of a page, or NULL if it has no items.
part <- function(title, ...) {
  items <- compact(list(...))
  items <- keep(items, \(item) !(is.character(item) && !any(nzchar(item))))
  if (length(items) == 0) NULL else list(title = title, items = items)
}

# Returns a table for `part()`, or NULL if it has no rows.
printed <- function(table, caption = NULL) if (NROW(table) == 0) NULL else list(table = table, caption = caption)

# Returns items that are hidden behind a line which opens them, or NULL if there are no items.
folded <- function(title, ...) {
  inside <- part(title, ...)
  if (is.null(inside)) NULL else structure(inside, class = "folded")
}

# Returns the figures of a page by name, including hidden ones.
page_figures <- function(page) {
  items <- unlist(map(page$parts, "items"), recursive = FALSE)
  flat <- unlist(imap(items, \(item, name) if (inherits(item, "folded")) item$items else set_names(list(item), name)) |> unname(), recursive = FALSE)
  keep(flat, \(item) inherits(item, "ggplot"))
}

# Prints the page as Markdown, in a chunk with `results = "asis"`. `data` adds links to the data of
# figures.
print_page <- function(page, data = knitr::is_html_output()) {
  cat(page_lines(page, data), sep = "\n")
}

page_lines <- function(page, data) unlist(map(page$parts, \(part) c(paste("#", part$title), "", all_lines(part$items, data), "")))

all_lines <- function(items, data) unlist(imap(items, \(item, name) c("", item_lines(item, name, data), "")))

item_lines <- function(item, name, data) {
  if (is.character(item)) return(item)
  if (inherits(item, "folded")) {
    return(c(paste0("<details><summary>", item$title, "</summary>"), "", all_lines(item$items, data), "", "</details>"))
  }
  if (!inherits(item, "ggplot")) return(table_lines(item$table, item$caption))
  facts <- figure_facts(item)
  c(if (nzchar(facts$says)) c(paste0("**", facts$says, "**"), ""), picture_line(item, name, facts$alt), "", if (data) data_links(item))
}

# Saves a figure in the figure folder of the document and returns a reference to it. A chunk would
# draw it twice.
picture_line <- function(figure, name, alt) {
  format <- knitr::opts_chunk$get("dev")[1]
  file <- paste0(knitr::opts_chunk$get("fig.path"), name, "-1.", if (identical(format, "svg")) "svg" else "png")
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  save_figure(figure, file, dpi = max(150, knitr::opts_chunk$get("dpi")))
  if (!knitr::is_html_output()) return(paste0("![", gsub("[][]", "", alt), "](", file, ")"))
  escaped <- gsub("\"", "&quot;", gsub("<", "&lt;", gsub("&", "&amp;", alt)))
  paste0("<p><img src=\"", file, "\" alt=\"", escaped, "\" width=\"", round(96 * attr(figure, "figure")$width), "\"></p>")
}

# Formats a table: numbers with thousands separators; wide tables scroll in HTML.
table_lines <- function(table, caption) {
  html <- knitr::is_html_output()
  lines <- knitr::kable(table, format = if (html) "html" else "pipe", format.args = list(big.mark = ","), digits = 3,
      caption = caption, row.names = FALSE)
  # Raw HTML is used because pandoc would parse Markdown in the cells, and turn a lone "-" into a
  # list.
  if (html) c("```{=html}", "<div class=\"wide\">", unlist(strsplit(paste(lines, collapse = "\n"), "\n")), "</div>", "```") else lines
}

# Returns links to the data of a figure, which are embedded in the page, for tables of up to `most`
# characters.
data_links <- function(figure, most = 150000) {
  tables <- figure_data(figure)
  texts <- map_chr(tables, \(table) paste(utils::capture.output(utils::write.csv(table, row.names = FALSE)), collapse = "\n"))
  small <- nchar(texts) <= most
  if (!any(small)) return(NULL)
  links <- paste0("<a download=\"", names(tables)[small], ".csv\" href=\"data:text/csv;base64,",
      map_chr(texts[small], \(text) jsonlite::base64_enc(charToRaw(enc2utf8(text)))), "\">", names(tables)[small], ".csv</a>")
  paste0("<p class=\"data\">Data: ", paste(links, collapse = " "), "</p>")
}

#' Report on runs or studies
#'
#' Writes a page on the runs of one or more folders. For classic games it shows game length,
#' comparisons of runs, board features before the end of a game, board shape, wells and score
#' margins. For guideline games it shows Sprints, points, clears, openings and stacking. For LIAP it
#' shows declarations and points. For a study with estimated conditions it shows the means of all
#' conditions and their ratios; name the folders of single conditions to see more of their games.
#'
#' With pandoc the result is one self-contained HTML file that includes the data of its figures.
#' Without pandoc it is Markdown with a folder of figures.
#'
#' @param x A run, a study, their folders, or a list of these.
#' @param out A string: the file, ending in `.html` or `.md`. Default: a new HTML file in the
#'   temporary directory.
#' @param max_rows A number: maximum number of placements to read per run.
#' @param force `TRUE` or `FALSE`: whether an existing file is replaced.
#' @param figures A string: format of the figures, `"png"` (150 dots per inch) or `"svg"`.
#' @return `report()` returns the path of the page, invisibly. `figures()` returns the figures of the
#'   report without writing it: a named list of ggplots.
#' @examples
#' names(figures(example_run("games")))
#' @export
report <- function(x, out = tempfile("report", fileext = ".html"), max_rows = 4e6, force = FALSE, figures = c("png", "svg")) {
  figures <- match.arg(figures)
  need_packages("rmarkdown")
  if (!dir.exists(dirname(out))) fail("no folder ", dirname(out), " for the report; create it, or use another out")
  check_free(out, force, "use force = TRUE to replace it, or another out")
  out <- file.path(normalizePath(dirname(out)), basename(out))
  write <- if (grepl("[.]html?$", out)) write_html else write_markdown
  # The page is computed before it is knitted, since knitting changes the folder and paths of runs may be relative.
  page <- report_page(x, max_rows)
  write(page, out, figures)
  invisible(out)
}

# Returns the content of the report: list(title, names, parts).
report_page <- function(x, max_rows = 4e6) {
  dirs <- folders_of(x)
  for (dir in dirs) if (!dir.exists(dir)) check_run_dir(dir) # walk() would wrap the error
  has_means <- map_lgl(dirs, \(dir) !is.na(table_file(dir, "estimates")))
  estimated <- map(dirs[has_means], \(dir) estimated_page(read_study(dir)))
  dirs <- dirs[!has_means]
  folders <- as.character(unlist(map(dirs, run_dirs)))
  for (folder in folders) check_run_dir(folder)
  kinds <- map_chr(folders, run_kind)
  pages <- c(estimated, compact(list(
    if (any(kinds == "classic")) games_page(analyse(if (all(kinds == "classic")) dirs else folders[kinds == "classic"], max_rows)),
    if (any(kinds == "guideline")) guideline_page(analyse_guideline(folders[kinds == "guideline"], max_rows)),
    if (any(kinds == "liap")) liap_page(analyse_liap(folders[kinds == "liap"], max_rows))
  )))
  if (length(pages) == 1) return(pages[[1]])
  list(title = "Falling-block games", names = unlist(map(pages, "names")), parts = unlist(map(pages, "parts"), recursive = FALSE))
}

# Returns the page of a study with estimated conditions.
estimated_page <- function(study) {
  means <- all_means(study)
  columns <- \(rows, ...) mutate(as_tibble(rows), across(c(...), \(values) signif(values, 4)))
  page(paste("Study", study$name), means$name,
    part("Conditions", means = figure_all_means(means),
      printed(columns(means, "mean", "low", "high"), "Mean lines of a game that is played to its end, with the 95 % CI. method: splitting = estimated, others = played games; n: games or replications")),
    if (!is.null(study$contrasts)) part("Contrasts", printed(columns(study$contrasts, "ratio", "low", "high") |> select("levels", "ratio", "low", "high", "p_adjusted") |> mutate(p_adjusted = tidy_p(.data$p_adjusted)),
      "Ratio of the means of each pair of conditions with its 95 % CI; p_adjusted: p-value, adjusted by Holm's method for all pairs")))
}

#' @rdname report
#' @export
figures <- function(x, max_rows = 4e6) page_figures(report_page(x, max_rows))

# Writes the report as one HTML file.
write_html <- function(page, out, figures = "png") {
  need_pandoc()
  scratch <- tempfile("report")
  dir.create(scratch)
  on.exit(unlink(scratch, recursive = TRUE))
  template <- file.path(scratch, "report.Rmd")
  file.copy(template_file("skeleton.Rmd"), template)
  file.copy(template_file("report.css"), scratch)
  rmarkdown::render(template, output_file = basename(out), output_dir = dirname(out), intermediates_dir = scratch, quiet = TRUE,
      params = list(page = page, figures = figures, title = page$title), envir = new.env(parent = globalenv()))
}

need_pandoc <- function() {
  if (!rmarkdown::pandoc_available()) fail("pandoc is not installed; apt-get install pandoc, or write Markdown (a file name that ends in .md)")
}

template_file <- function(name) system.file("rmarkdown", "templates", "report", "skeleton", name, package = "tetrastat", mustWork = TRUE)

# Writes the report as Markdown with a folder of figures.
write_markdown <- function(page, out, figures = "png") {
  old <- setwd(dirname(out))
  on.exit(setwd(old))
  chunks <- knitr::opts_chunk$get()
  progress <- knitr::opts_knit$get("progress")
  on.exit({ knitr::opts_chunk$restore(chunks); knitr::opts_knit$set(progress = progress) }, add = TRUE)
  knitr::opts_knit$set(progress = FALSE)
  knitr::opts_chunk$set(fig.path = paste0(tools::file_path_sans_ext(basename(out)), "-figures/"), dpi = 150, dev = figures)
  text <- c(paste("#", page$title), "", paste(page$names, collapse = ", "), "", "```{r report, echo = FALSE, results = \"asis\"}", "tetrastat:::print_page(page, data = FALSE)", "```",
      "", "# Session information", "", "```{r session, echo = FALSE}", "sessionInfo()", "```")
  knitr::knit(text = text, output = basename(out), quiet = TRUE, envir = list2env(list(page = page), parent = globalenv()))
  writeLines(sub("^# ", "## ", readLines(basename(out)))[-1] |> append(paste("#", page$title), 0), basename(out))
}
