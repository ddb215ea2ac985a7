# Builds the evidence page: one section per input of the command line, with figures and tables.

# Returns the kind of input at `path`: "reproduction", "estimate" (a folder with levels and
# replications), or "exact" or "compare" (files that these commands print with --format csv,
# recognised by their columns).
evidence_kind <- function(path) {
  if (!file.exists(path)) fail("no folder or file ", path, "; create one: tetrastat study reproduce:lee --quick --out ", path)
  if (dir.exists(path)) return(if (is_estimate(path)) "estimate" else "reproduction")
  header <- csv_header(path)
  if (all(c("player", "of_optimal") %in% header)) "exact" else if (all(c("estimate", "first", "rank") %in% header)) "compare" else "reproduction"
}

# Returns one section per input, and one for all exact tables: list(title, text, table, figures).
# The names of the figures are the names of their files.
evidence_sections <- function(paths) {
  kinds <- map_chr(paths, evidence_kind)
  single <- map2(paths, kinds, \(path, kind) switch(kind, reproduction = reproduction_section(path),
      estimate = estimate_section(path), compare = ranking_section(path)))
  sections <- c(compact(single), if ("exact" %in% kinds) list(exact_section(paths[kinds == "exact"])))
  names <- unlist(map(sections, \(section) names(section$figures)))
  if (anyDuplicated(names)) fail("two inputs have a figure ", names[duplicated(names)][1], "; use a separate --out for each")
  sections
}

# Returns the section of a reproduction.
reproduction_section <- function(path) {
  reproduction <- read_reproduction(path)
  list(title = "Published tables, replicated", text = reproduction_text(reproduction),
       table = reproduction_table(reproduction), figures = reproduction_figures(reproduction))
}

# Returns the figures of a reproduction, as far as its tables and games allow.
reproduction_figures <- function(reproduction) {
  c(list(forest = figure_forest(reproduction)), if (nrow(reproduction$published) > 0) list(ratio = figure_ratio(reproduction)),
    if (!is.null(reproduction$dir)) survival_figures(reproduction_runs(reproduction)))
}

# Returns for each table the survival curves of its runs and a check of the constant hazard, without runs
# of which fewer than three games finished or all games are equally long.
survival_figures <- function(runs) {
  telling <- keep(runs, \(run) run$kind == "classic" && sum(!run$games$censored) >= 3 && n_distinct(run$games$lines) > 1)
  tables <- split(telling, map_chr(telling, "table"))
  figures <- imap(tables, \(own, table) {
    km <- kaplan_meier(own)
    life <- lifetimes(own)
    set_names(list(figure_survival(km, life, ""), figure_risk(km, life)), paste0(c("survival-", "hazard-"), table))
  })
  unlist(unname(figures), recursive = FALSE)
}

# Describes in one or two sentences the games and the comparisons with published numbers.
reproduction_text <- function(reproduction) {
  rows <- distinct(reproduction$rows, .data$name, .keep_all = TRUE)
  hours <- if ("core_hours" %in% names(rows)) sum(as.numeric(rows$core_hours), na.rm = TRUE)
  counts <- verdict_counts(reproduction$published)
  waiting <- nrow(rows) - nrow(reproduction$measured)
  paste0(tidy_number(sum(reproduction$measured$games)), " games in ", nrow(reproduction$measured), " conditions",
    if (waiting > 0) paste0(" (", waiting, " incomplete)"), if (!is.null(hours)) paste0(", ", tidy_number(hours), " core hours"), ". Comparisons with ",
    sum(counts$n), " published numbers: ", verdict_words_of(counts), ".")
}

# Returns the section of a splitting estimate.
estimate_section <- function(path) {
  estimate <- read_estimate(path)
  methods <- estimate_methods(estimate)
  figures <- list(estimates = figure_estimates(estimate), heights = figure_heights(estimate))
  if (nrow(estimate$levels) > 1) figures <- c(list(levels = figure_levels(estimate)), figures)
  list(title = paste("Estimate", estimate$name), text = paste0(estimate_setting(estimate), ". ", figure_facts(figures$estimates)$caption),
       table = transmute(methods, .data$method, `mean lines (95 % CI)` = .data$words),
       figures = set_names(figures, paste0(estimate$name, "-", names(figures))))
}

# Returns the page as lines of Markdown.
evidence_page <- function(sections) {
  of_section <- function(section) c(paste("##", section$title), "", section$text, "", table_and_pictures(section$table, section$figures))
  c("# Evidence", "", unlist(map(sections, of_section)))
}

# Returns a table and links to figures in Markdown; the name of a figure is that of its file.
table_and_pictures <- function(table, figures) {
  pictures <- paste0("![", map_chr(figures, \(figure) figure_facts(figure)$alt), "](", names(figures), ".png)")
  c(knitr::kable(table, format = "pipe"), "", rbind(pictures, ""))
}
