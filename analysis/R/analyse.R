# Computes the tables and figures of the report from run folders.

# Returns everything that the report shows about one run, as small tables. The rows of the run are
# not kept, to save memory.
summarise_run <- function(run, horizon = 150, within = 20) {
  summary <- list(
    name = run$name, dir = run$dir, kind = run$kind, manifest = run$manifest["command"], overview = overview(run), scope = scope_words(run$logged), to = run$logged$to,
    games = select(run$games, any_of(c("game", "stream_seed")), "lines", "pieces", "censored"),
    km = survival_curve(run$games), life = run_lifetime(run), reasons = end_reasons(run$games)
  )
  if (is.null(run$placements) || nrow(run$placements) == 0) return(summary)
  c(summary, summarise_placements(run, horizon, within))
}

# Computes the part of `summarise_run()` that needs placements. Analyses whose columns are missing
# from the log are skipped, and `lacking` names these columns.
summarise_placements <- function(run, horizon, within) {
  placements <- run$placements
  has <- \(...) all(c(...) %in% names(placements))
  features <- c(setdiff(feature_names(placements, book_of(run$dir)), names(same_measures)), intersect(names(board_measures), names(placements)))
  features <- keep(features, \(name) is.numeric(placements[[name]]))
  profile <- if (has_heights(placements)) height_profile(placements)
  ends <- if (length(features) > 0) endings(placements, features, horizon, run)
  predictors <- setdiff(features, c("eroded_cells", "eroded_cells_guide", "rows_removed", "complete_rows", "constant"))
  compact(list(
    logged = TRUE, paths = ends$paths, usual = ends$usual, profile = profile,
    means = if (!is.null(profile)) mutate(profile_means(profile), placements = nrow(placements)),
    heat = if (has("piece", "orientation", "column", "landing_row")) mutate(piece_heat(placements), placements = nrow(placements)),
    margins = if (has("margin")) margin_distribution(placements), margin_summary = if (has("margin")) margin_summary(placements),
    stacking = if (has_heights(placements)) stacking_of(placements, run$every, run$name),
    death = if (is.finite(run$logged$only_last)) {
      list(reason = "only the last placements of each game were logged, so the log has no boards far from the end")
    } else if (length(predictors) == 0) {
      list(reason = "the log has no features and no heights")
    } else death_fit(placements, run$games, predictors, within, run$every),
    lacking = lacking_columns(placements)
  ))
}

# Returns a sentence that names the missing columns of a log, or NULL if none is missing.
lacking_columns <- function(placements) {
  wanted <- c(heights = "h0", margin = "margin", landing_row = "landing_row", column = "column")
  lacking <- names(wanted)[!wanted %in% names(placements)]
  if (length(lacking) > 0) paste0("the log has no ", paste(lacking, collapse = ", "), " (log them with `--columns controller`)")
}

# Computes trajectories and usual levels as far as the logged placements allow. A log that stops at
# a fixed placement contains the ends of short games only. A log of last placements has no usual
# level.
endings <- function(placements, features, horizon, run) {
  if (is.finite(run$logged$to)) return(list(paths = NULL, usual = NULL))
  far <- if (is.finite(run$logged$only_last)) placements[0, ] else placements
  list(paths = trajectories(placements, features, min(horizon, run$logged$only_last), run$every),
       usual = usual_levels(far, features, horizon))
}

# Returns one row with the settings of a run.
overview <- function(run) {
  config <- run$manifest$config
  tibble(folder = basename(normalizePath(run$dir)), controller = said(config$controller$name),
      rules = said(config$rules),
         board = said(config$board), queue = said(config$queue), search = said(config$search),
             seed = said(config$seed),
         version = said(run$manifest$version), games = nrow(run$games),
             with_placements = if (is.null(run$placements)) 0 else run$n_games,
         placements = NROW(run$placements), logged = coalesce(scope_words(run$logged), "all"))
}

# Binds the table `name` of all summaries, with `run` as a factor in the given order. Returns NULL
# if no summary has this table. `name` can be a path into nested lists: c("stacking", "counts").
bind_runs <- function(summaries, name) {
  runs <- map_chr(summaries, "name")
  tables <- map(summaries, \(summary) pluck(summary, !!!name))
  tables <- map2(tables, runs, \(table, run) if (NROW(table) > 0) mutate(table, run = factor(run, runs), .before = 1))
  rows <- bind_rows(tables)
  if (nrow(rows) == 0) NULL else rows
}

# Binds the fitted death models, with the name of the run.
bind_deaths <- function(summaries) {
  fitted <- keep(summaries, \(summary) !is.null(summary$death$terms))
  if (length(fitted) == 0) return(NULL)
  facts <- map(fitted, \(summary) {
    as_tibble(summary$death[c("auc", "n_train", "n_test", "deaths_train", "deaths_test",
        "within")]) |> mutate(run = summary$name)
  })
  list(terms = bind_runs(summaries, c("death", "terms")), aucs = bind_runs(summaries, c("death", "aucs")),
      calibration = bind_runs(summaries, c("death", "calibration")), fits = bind_rows(facts))
}

# Returns one sentence for each run without a death model: the reason.
death_reasons <- function(summaries) {
  as.character(unlist(map(summaries, \(summary) if (!is.null(summary$death$reason)) paste0(summary$name,
      ": no death model, ", summary$death$reason, "."))))
}

# Formats the p-values and effect sizes of a table of permutation tests.
printed_p <- function(table) if (is.null(table)) NULL else mutate(table, p = permutation_p(.data$p, .data$replicates), chi_square = if_else(is.na(.data$chi_square), "not tested", number_3(.data$chi_square)),
    w = if_else(is.na(.data$w), "not tested", sprintf("%.2f", .data$w)), replicates = NULL)

# Returns the reasons why runs with placements have no trajectories, and the columns that logs lack.
window_reasons <- function(summaries) {
  cut <- keep(summaries, \(s) isTRUE(s$logged) && is.null(s$paths) && is.finite(s$to))
  lacking <- keep(summaries, \(s) !is.null(s$lacking))
  c(map_chr(cut, \(s) paste0(s$name, ": no trajectories before the end, because the log stops at a fixed placement (", s$scope, ").")),
    map_chr(lacking, \(s) paste0(s$name, ": ", s$lacking, ".")))
}

# Returns the mirror tests of runs with at least `fewest_wells` wells, or NULL if there are none.
with_enough_wells <- function(mirror, fewest_wells = 50) {
  if (is.null(mirror)) return(NULL)
  rows <- group_by(mirror, .data$run) |> filter(sum(.data$left + .data$right) >= fewest_wells) |> ungroup()
  if (nrow(rows) > 0) rows
}

# Smallest number of placements for analyses of boards, wells and deaths.
fewest_placements <- 5000

# Returns a sentence for each run whose log is too small for boards and deaths, with a command that
# logs enough.
few_reasons <- function(summaries) {
  few <- keep(summaries, \(s) isTRUE(s$logged) && s$overview$with_placements < s$overview$games && s$overview$placements < fewest_placements)
  map_chr(few, \(s) {
    paste0(s$name, ": only ", tidy_number(s$overview$placements), " placements of ", s$overview$with_placements, " of ", s$overview$games, " games were logged (", s$scope,
           "). This is too few to analyse boards, wells and deaths. Log a sample of every game instead: `tetrastat simulate ... --placements csv.gz --every 10`.")
  })
}

# Returns the features that all runs have, ordered by how far they move before the end of a game.
shared_features <- function(summaries) {
  ranked <- map(keep(summaries, \(s) NROW(s$paths) > 0), \(s) {
    moving <- moving_features(s$paths, s$usual)
    if (length(moving) > 0) moving else unique(s$paths$feature)
  })
  reduce(ranked, intersect)
}

# Returns all figures by name, without those that no run has data for.
make_figures <- function(summaries, compared) {
  table <- \(...) bind_runs(summaries, c(...))
  km <- table("km")
  life <- table("life")
  paths <- table("paths")
  margins <- table("margins")
  mirror <- with_enough_wells(table("stacking", "mirror"))
  entropy <- table("stacking", "entropy")
  deaths <- bind_deaths(summaries)
  figures <- list(
    lines = figure_lines(table("games"), life),
    compared = if (!is.null(compared$primary)) figure_comparison(compared$primary),
    paired = if (!is.null(compared$means)) figure_wins(compared$means, map_chr(summaries, "name")),
    survival = figure_survival(km, life, ""), risk = figure_risk(km, life),
    trajectories = if (!is.null(paths)) figure_trajectories(paths, table("usual"), shared_features(summaries), every = max(map_dbl(summaries, \(s) s$every))),
    death = if (!is.null(deaths)) figure_death(deaths$terms, deaths$calibration, deaths$aucs, deaths$fits),
    profile = if (!is.null(table("profile"))) figure_profile(table("profile"), table("means")),
    wells = if (!is.null(mirror)) figure_wells(table("stacking", "counts"), table("stacking", "order"),
        spacings(summaries)),
    mirror = if (!is.null(mirror)) figure_mirror(mirror),
    freeform = if (!is.null(entropy)) figure_freeform(entropy, table("stacking", "memory"), table("stacking", "pooled")),
    heat = if (!is.null(table("heat"))) figure_heat(table("heat"), distinct(table("heat"), .data$run, .data$placements)),
    margins = if (!is.null(margins)) figure_margins(margins, table("margin_summary"))
  )
  of_placements <- setdiff(names(figures), c("survival", "risk", "lines", "paired", "compared"))
  imap(compact(figures), \(figure, name) if (name %in% of_placements) with_note(figure, scope_note(summaries)) else figure)
}

# Returns the comparisons of all runs as list(primary, means). The primary analysis of the report is
# the comparison of means. If games were censored and a constant hazard is rejected, it is that of
# restricted means, which needs no constant hazard. Returns NULL for one run, games without seeds, or
# without the engine.
compared_runs <- function(summaries) {
  if (length(summaries) < 2 || !all(map_lgl(summaries, \(s) "stream_seed" %in% names(s$games)))) return(NULL)
  if (!nzchar(tetrastat_program())) {
    message("the runs are not compared, because the program tetrastat was not found; put it on PATH, or set TETRASTAT to its path")
    return(NULL)
  }
  runs <- set_names(summaries, map_chr(summaries, "name"))
  changing <- any(map_lgl(runs, \(s) any(s$games$censored))) && any(map_lgl(runs, \(s) isFALSE(s$life$exponential)))
  compare <- \(measure) suppressWarnings(compare_read(runs, measure)) # the table shows n = 0 for runs without a common seed
  means <- compare("mean")
  list(means = means, primary = if (changing) compare("rmst") else means)
}

# Returns the first sentence for the captions of figures about placements: which placements were
# logged.
scope_note <- function(summaries) {
  partial <- keep(summaries, \(summary) !is.na(summary$scope) && isTRUE(summary$logged))
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

# Returns the tables of the report.
make_tables <- function(summaries, compared) {
  overview <- bind_runs(summaries, "overview")
  list(
    overview = distinct(select(overview, "run", "rules", "board", "queue", "search", "seed", "games", "with_placements", "placements", "logged")),
    life = life_table(bind_runs(summaries, "life")),
    reasons = pivot_wider(select(bind_runs(summaries, "reasons"), "run", "end_reason", "games"), names_from = "end_reason", values_from = "games", values_fill = 0),
    order = printed_p(bind_runs(summaries, c("stacking", "order"))),
    death = death_table(bind_runs(summaries, c("death", "terms"))),
    compared = compared_table(compared$primary),
    notes = c(death_reasons(summaries), window_reasons(summaries), few_reasons(summaries))
  )
}

# Formats `lifetimes()` as a table that is narrow enough for a page.
life_table <- function(life) {
  transmute(life, .data$run, .data$games, .data$ended, `mean lines (exponential, 95 % CI)` = interval_words(.data$mean, .data$low, .data$high),
    `bootstrap-t, 95 % CI` = if_else(is.na(.data$boot_low), "-", paste(tidy_number(.data$boot_low), "to", tidy_number(.data$boot_high))),
    `restricted mean lines (95 % CI)` = if_else(is.na(.data$rmst), "-", paste0(tidy_number(.data$rmst), " (", tidy_number(.data$rmst_low), " to ", tidy_number(.data$rmst_high), "), up to ", tidy_number(.data$rmst_limit))),
    `median (95 % CI)` = if_else(is.na(.data$median), "not reached", interval_words(.data$median, .data$median_low, .data$median_high)),
    longest = .data$longest, `constant hazard` = case_when(is.na(.data$exponential) ~ "-", .data$exponential ~ "not rejected", TRUE ~ "rejected"))
}

compared_table <- function(compared) {
  if (is.null(compared)) return(NULL)
  ratio <- c(mean = "ratio of mean lines (95 % CI)", rmst = paste0("ratio of mean lines up to ", tidy_number(attr(compared, "limit") %||% NA_real_), " (95 % CI)"))[[attr(compared, "measure")]]
  transmute(plain(compared), .data$first, .data$second, `common seeds` = .data$games, "{ratio}" := if_else(is.na(.data$ratio), "not estimable", ratio_words(.data$ratio, .data$low, .data$high)),
    p = tidy_p(.data$p), `p, adjusted` = tidy_p(.data$p_adjusted), result = case_when(is.na(.data$p_adjusted) ~ "not tested", .data$p_adjusted < 0.05 ~ "first is better", TRUE ~ "no significant difference"))
}

death_table <- function(terms) {
  if (is.null(terms)) return(NULL)
  odds <- \(x, low, high) if_else(is.na(x), "-", paste0(number_3(x), " (", number_3(low), " to ", number_3(high), ")"))
  transmute(terms, .data$run, .data$group, feature = gsub("_", " ", .data$term), `odds ratio per SD, feature alone (95 % CI)` = odds(.data$odds_ratio, .data$low, .data$high),
    `odds ratio per SD, joint model (95 % CI)` = odds(.data$adjusted_odds_ratio, .data$adjusted_low, .data$adjusted_high), `variance inflation` = if_else(is.na(.data$vif), "-", number_3(.data$vif))) |>
    arrange(.data$run, .data$group)
}

number_3 <- function(x) formatC(x, digits = 3, format = "fg", big.mark = ",", flag = "#") |> sub(pattern = "[.]$", replacement = "") |> trimws()

# Reads and summarises the runs of `dirs` one after the other, so that only one run is in memory.
analyse <- function(dirs, max_rows = 4e6) {
  conditions <- read_conditions(dirs)
  names <- as.character(conditions$label)
  summaries <- map2(conditions$dir, names, \(dir, name) {
    run <- read_run(dir, max_rows)
    run$name <- name
    c(summarise_run(run), every = run$every)
  })
  compared <- compared_runs(summaries)
  list(figures = make_figures(summaries, compared), tables = make_tables(summaries, compared), names = names)
}

# Returns the report page of classic games.
games_page <- function(content) {
  f <- content$figures
  t <- content$tables
  logged <- any(t$overview$placements > 0)
  ended <- !is.null(f$trajectories)
  page("Classic games: length, boards and placements", content$names,
    part("Runs", printed(t$overview)),
    part("Game length", lines = f$lines, compared = f$compared, printed(t$compared, "Primary analysis: all pairs of runs. Adjusted p-values hold for all pairs together"),
         survival = f$survival, risk = f$risk,
         printed(t$life, paste("Mean = all lines / finished games. Constant hazard: Cox-Oakes and Anderson-Darling tests at 1 %. If it is rejected and games were censored, both intervals of the mean",
             "are unreliable; use the restricted mean (mean lines up to a limit). If it is rejected and all games finished, use the bootstrap-t interval")),
         printed(t$reasons, "Reasons why games ended"),
         folded("Secondary analysis of the same games: games won on common seeds", paired = f$paired)),
    if (!logged) part("Boards", "These runs logged no placements. To analyse boards, placements and stacking, run the simulation again with `--placements csv.gz`."),
    part("Before the end of a game", trajectories = f$trajectories, if (logged && !ended && length(t$notes) == 0) "No logged game ended, so there are no boards before an end.",
         death = f$death, printed(t$death, "Odds ratios of death per standard deviation (SD), clustered by game. Features in a group measure the same property. One feature represents each group in the joint model; the others are fitted alone"),
         if (length(t$notes) > 0) paste(t$notes, collapse = "\n\n")),
    part("Shape of the board", profile = f$profile, wells = f$wells, printed(t$order, "Permutation test of well positions: the same boards with shuffled columns are the null distribution (w: Cohen's effect size, 0.1 is small, 0.5 is large)"),
         mirror = f$mirror, freeform = f$freeform),
    part("Placements and score margins", heat = f$heat, margins = f$margins)
  )
}
