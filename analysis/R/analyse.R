# From run folders to the tables and figures that the report prints.

#' Everything the report says of one run, as small tables; the run's rows can be forgotten then.
summarise_run <- function(run, book = list(), horizon = 150, within = 20) {
  summary <- list(
    name = run$name, dir = run$dir, overview = overview(run), scope = scope_words(run$logged),
    games = select(run$games, any_of("stream_seed"), "lines", "pieces", "censored"),
    km = kaplan_meier(run$games), life = lifetimes(run$games), reasons = end_reasons(run$games)
  )
  if (is.null(run$placements) || nrow(run$placements) == 0) return(summary)
  c(summary, summarise_placements(run, book, horizon, within))
}

#' The part of `summarise_run` that needs placements.
summarise_placements <- function(run, book, horizon, within) {
  placements <- run$placements
  features <- c(setdiff(feature_names(placements, book), names(same_measures)), names(board_measures))
  features <- keep(features, \(name) is.numeric(placements[[name]]))
  profile <- height_profile(placements)
  ends <- endings(placements, features, horizon, run)
  predictors <- setdiff(features, c("eroded_cells", "eroded_cells_guide", "rows_removed", "complete_rows", "constant"))
  list(
    paths = ends$paths, usual = ends$usual, profile = profile,
    means = mutate(profile_means(profile), placements = nrow(placements)),
    heat = piece_heat(placements), margins = margin_distribution(placements),
    margin_summary = margin_summary(placements), stacking = stacking(placements, run$every),
    death = if (is.finite(run$logged$only_last)) {
      list(reason = "only the last placements of each game were logged, so the boards far from an end are missing")
    } else death_model(placements, run$games, predictors, within, run$every)
  )
}

#' Trajectories and usual levels, as far as what was logged allows: a log that stops at a placement
#' has the end of short games only, and one of last placements has no usual level.
endings <- function(placements, features, horizon, run) {
  if (is.finite(run$logged$to)) return(list(paths = NULL, usual = NULL))
  far <- if (is.finite(run$logged$only_last)) placements[0, ] else placements
  list(paths = trajectories(placements, features, min(horizon, run$logged$only_last), run$every),
       usual = usual_levels(far, features, horizon))
}

#' One line on what was run.
overview <- function(run) {
  config <- run$manifest$config
  said <- \(x) if (is.null(x)) "unknown" else as.character(x)
  tibble(folder = basename(normalizePath(run$dir)), controller = said(config$controller$name),
      rules = said(config$rules),
         board = said(config$board), queue = said(config$queue), search = said(config$search),
             seed = said(config$seed),
         version = said(run$manifest$version), games = nrow(run$games),
             with_placements = if (is.null(run$placements)) 0 else run$n_games,
         placements = NROW(run$placements), logged = coalesce(scope_words(run$logged), "all"))
}

#' The table `name` of all summaries, with the run as a factor in the order given; NULL when no
#' summary has it. `name` may lead into a list: c("stacking", "counts").
bind_runs <- function(summaries, name) {
  runs <- map_chr(summaries, "name")
  tables <- map(summaries, \(summary) pluck(summary, !!!name))
  tables <- map2(tables, runs, \(table, run) if (NROW(table) > 0) mutate(table, run = factor(run, runs), .before = 1))
  rows <- bind_rows(tables)
  if (nrow(rows) == 0) NULL else rows
}

#' The death models that could be fitted, as tables with the run's name.
bind_deaths <- function(summaries) {
  fitted <- keep(summaries, \(summary) !is.null(summary$death$terms))
  if (length(fitted) == 0) return(NULL)
  facts <- map(fitted, \(summary) {
    as_tibble(summary$death[c("auc", "n_train", "n_test", "deaths_train", "deaths_test",
        "within")]) |> mutate(run = summary$name)
  })
  list(terms = bind_runs(summaries, c("death", "terms")),
      calibration = bind_runs(summaries, c("death", "calibration")), fits = bind_rows(facts))
}

#' Why runs have no death model, one sentence each.
death_reasons <- function(summaries) {
  as.character(unlist(map(summaries, \(summary) if (!is.null(summary$death$reason)) paste0(summary$name,
      ": no death model, ", summary$death$reason, "."))))
}

#' A table with its p values in words.
printed_p <- function(table) if (is.null(table)) NULL else mutate(table, p = tidy_p(.data$p))

#' Why runs with placements have no trajectories though games ended.
window_reasons <- function(summaries) {
  cut <- keep(summaries, \(s) !is.null(s$profile) && is.null(s$paths))
  map_chr(cut, \(s) paste0(s$name, ": no trajectories before the end, the log stops at a placement (", s$scope, ")."))
}

#' Features drawn for several runs: those that all of them have, by how far they move.
shared_features <- function(summaries) {
  ranked <- map(keep(summaries, \(s) NROW(s$paths) > 0), \(s) {
    moving <- moving_features(s$paths, s$usual)
    if (length(moving) > 0) moving else unique(s$paths$feature)
  })
  reduce(ranked, intersect)
}

#' All figures, by name; NULL where no run has the data.
make_figures <- function(summaries) {
  table <- \(...) bind_runs(summaries, c(...))
  km <- table("km")
  life <- table("life")
  paths <- table("paths")
  margins <- table("margins")
  mirror <- table("stacking", "mirror")
  entropy <- table("stacking", "entropy")
  deaths <- bind_deaths(summaries)
  paired <- paired_comparison(table("games"))
  figures <- list(
    survival = figure_survival(km, life), risk = figure_risk(km, life), lines = figure_lines(table("games"), life),
    paired = if (nrow(paired) > 0) figure_paired(paired, map_chr(summaries, "name")),
    trajectories = if (!is.null(paths)) figure_trajectories(paths, table("usual"), shared_features(summaries)),
    profile = if (!is.null(table("profile"))) figure_profile(table("profile"), table("means")),
    wells = if (!is.null(mirror)) figure_wells(table("stacking", "counts"), table("stacking", "uniform"),
        spacings(summaries)),
    mirror = if (!is.null(mirror)) figure_mirror(mirror),
    freeform = if (!is.null(entropy)) figure_freeform(entropy, table("stacking", "memory"), table("stacking", "pooled")),
    heat = if (!is.null(table("heat"))) figure_heat(table("heat"),
        distinct(table("means"), .data$run, .data$placements)),
    margins = if (!is.null(margins)) figure_margins(margins, table("margin_summary")),
    death = if (!is.null(deaths)) figure_death(deaths$terms, deaths$calibration, deaths$fits)
  )
  of_placements <- setdiff(names(figures), c("survival", "risk", "lines", "paired"))
  imap(compact(figures), \(figure, name) if (name %in% of_placements) with_note(figure, scope_note(summaries)) else figure)
}

#' What the figures of placements must say before all else: which placements were logged.
scope_note <- function(summaries) {
  partial <- keep(summaries, \(summary) !is.na(summary$scope) && !is.null(summary$profile))
  if (length(partial) == 0) return("")
  said <- map_chr(partial, "scope")
  words <- if (length(partial) == length(summaries) && n_distinct(said) == 1) said[1]
    else paste(map_chr(partial, "name"), said, sep = ": ", collapse = "; ")
  paste0("Logged: ", words, ". ")
}

spacings <- function(summaries) {
  with_wells <- keep(summaries, \(s) !is.null(s$stacking))
  tibble(run = map_chr(with_wells, "name"), spacing = map_dbl(with_wells, \(s) s$stacking$spacing))
}

#' The tables that the report prints.
make_tables <- function(summaries) {
  list(
    overview = bind_runs(summaries, "overview"), life = bind_runs(summaries, "life"),
        reasons = bind_runs(summaries, "reasons"),
    uniform = printed_p(bind_runs(summaries, c("stacking", "uniform"))),
    spells = bind_runs(summaries, c("stacking", "spells")),
    notes = c(death_reasons(summaries), window_reasons(summaries))
  )
}

#' Reads and summarises each run that `dirs` stand for in turn, so that one run's rows are in memory
#' at a time.
analyse <- function(dirs, book = list(), max_rows = 4e6) {
  conditions <- read_conditions(dirs, book)
  names <- as.character(conditions$label)
  summaries <- map2(conditions$dir, names, \(dir, name) {
    summarise_run(list_modify(read_run(dir, book, max_rows), name = name), book)
  })
  list(figures = make_figures(summaries), tables = make_tables(summaries), names = names)
}
