# From run folders to the tables and figures that the report prints.

#' Everything the report says of one run, as small tables; the run's rows can be forgotten then.
summarise_run <- function(run, book = list(), horizon = 150, within = 20) {
  summary <- list(
    name = run$name, dir = run$dir, overview = overview(run),
    games = select(run$games, "lines", "pieces", "censored"),
    km = kaplan_meier(run$games), life = lifetimes(run$games), reasons = end_reasons(run$games)
  )
  if (is.null(run$placements) || nrow(run$placements) == 0) return(summary)
  c(summary, summarise_placements(run, book, horizon, within))
}

#' The part of `summarise_run` that needs placements.
summarise_placements <- function(run, book, horizon, within) {
  placements <- run$placements
  features <- c(feature_names(placements, book), names(board_measures))
  features <- keep(features, \(name) is.numeric(placements[[name]]))
  profile <- height_profile(placements)
  predictors <- setdiff(c(setdiff(features, names(board_measures)), own_measures(features)),
      c("eroded_cells", "eroded_cells_guide", "rows_removed", "complete_rows", "constant"))
  list(
    paths = trajectories(placements, features, horizon, run$every),
    usual = usual_levels(placements, features, horizon), profile = profile,
    means = mutate(profile_means(profile), placements = nrow(placements)),
    heat = piece_heat(placements), margins = margin_histogram(placements),
    margin_summary = margin_summary(placements), stacking = stacking(placements, run$every),
    death = death_model(placements, run$games, predictors, within, run$every)
  )
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
         placements = NROW(run$placements), every = run$every)
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
  list_c_chr(map(summaries, \(summary) if (!is.null(summary$death$reason)) paste0(summary$name,
      ": no death model, ", summary$death$reason, ".")))
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
  list(
    survival = figure_survival(km, life), risk = figure_risk(km, life), lines = figure_lines(table("games"), life),
    trajectories = if (!is.null(paths)) figure_trajectories(paths, table("usual"), shared_features(summaries)),
    profile = if (!is.null(table("profile"))) figure_profile(table("profile"), table("means")),
    wells = if (!is.null(mirror)) figure_wells(table("stacking", "counts"), table("stacking", "uniform"),
        spacings(summaries)),
    mirror = if (!is.null(mirror)) figure_mirror(mirror),
    freeform = if (!is.null(entropy)) figure_freeform(entropy, table("stacking", "memory")),
    heat = if (!is.null(table("heat"))) figure_heat(table("heat"),
        distinct(table("means"), .data$run, .data$placements)),
    margins = if (!is.null(margins)) figure_margins(margins, table("margin_summary")),
    death = if (!is.null(deaths)) figure_death(deaths$terms, deaths$calibration, deaths$fits)
  )
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
    uniform = bind_runs(summaries, c("stacking", "uniform")), spells = bind_runs(summaries, c("stacking", "spells")),
    notes = death_reasons(summaries)
  )
}

#' Reads and summarises each folder in turn, so that one run's rows are in memory at a time.
analyse <- function(dirs, book = list(), max_rows = 4e6) {
  dirs <- expand_dirs(dirs)
  walk(dirs, check_run_dir)
  summaries <- map(dirs, \(dir) summarise_run(read_run(dir, book, max_rows), book))
  names <- distinct_names(map_chr(summaries, "name"), dirs)
  summaries <- map2(summaries, names, \(summary, name) list_modify(summary, name = name))
  list(figures = make_figures(summaries), tables = make_tables(summaries), names = names)
}
