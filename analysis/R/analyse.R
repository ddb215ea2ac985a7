# From run folders to the tables and figures that the report prints.

# Everything the report says of one run, as small tables; the run's rows can be forgotten then.
summarise_run <- function(run, horizon = 150, within = 20) {
  summary <- list(
    name = run$name, dir = run$dir, manifest = run$manifest["command"], overview = overview(run), scope = scope_words(run$logged), to = run$logged$to,
    games = select(run$games, any_of(c("game", "stream_seed")), "lines", "pieces", "censored"),
    km = kaplan_meier(run$games), life = lifetimes(run$games), reasons = end_reasons(run$games)
  )
  if (is.null(run$placements) || nrow(run$placements) == 0) return(summary)
  c(summary, summarise_placements(run, horizon, within))
}

# The part of `summarise_run` that needs placements; what a log lacks the columns for is left out, and said.
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
    stacking = if (has_heights(placements)) stacking(placements, run$every),
    death = if (is.finite(run$logged$only_last)) {
      list(reason = "only the last placements of each game were logged, so the boards far from an end are missing")
    } else if (length(predictors) == 0) {
      list(reason = "the log has no features and no heights")
    } else death_model(placements, run$games, predictors, within, run$every),
    lacking = lacking_columns(placements)
  ))
}

# What a log cannot show for want of columns; NULL when it has all.
lacking_columns <- function(placements) {
  wanted <- c(heights = "h0", margin = "margin", landing_row = "landing_row", column = "column")
  lacking <- names(wanted)[!wanted %in% names(placements)]
  if (length(lacking) > 0) paste0("the log has no ", paste(lacking, collapse = ", "), " (write it with `--columns controller`)")
}

# Trajectories and usual levels, as far as what was logged allows: a log that stops at a placement
# has the end of short games only, and one of last placements has no usual level.
endings <- function(placements, features, horizon, run) {
  if (is.finite(run$logged$to)) return(list(paths = NULL, usual = NULL))
  far <- if (is.finite(run$logged$only_last)) placements[0, ] else placements
  list(paths = trajectories(placements, features, min(horizon, run$logged$only_last), run$every),
       usual = usual_levels(far, features, horizon))
}

# One line on what was run.
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

# The table `name` of all summaries, with the run as a factor in the order given; NULL when no
# summary has it. `name` may lead into a list: c("stacking", "counts").
bind_runs <- function(summaries, name) {
  runs <- map_chr(summaries, "name")
  tables <- map(summaries, \(summary) pluck(summary, !!!name))
  tables <- map2(tables, runs, \(table, run) if (NROW(table) > 0) mutate(table, run = factor(run, runs), .before = 1))
  rows <- bind_rows(tables)
  if (nrow(rows) == 0) NULL else rows
}

# The death models that could be fitted, as tables with the run's name.
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

# Why runs have no death model, one sentence each.
death_reasons <- function(summaries) {
  as.character(unlist(map(summaries, \(summary) if (!is.null(summary$death$reason)) paste0(summary$name,
      ": no death model, ", summary$death$reason, "."))))
}

# Returns a table of permutation tests, with its numbers in words.
printed_p <- function(table) if (is.null(table)) NULL else mutate(table, p = permutation_p(.data$p, .data$replicates), chi_square = if_else(is.na(.data$chi_square), "not tested", number_3(.data$chi_square)),
    w = if_else(is.na(.data$w), "not tested", sprintf("%.2f", .data$w)), replicates = NULL)

# Why runs with placements have no trajectories though games ended, and what logs lack.
window_reasons <- function(summaries) {
  cut <- keep(summaries, \(s) isTRUE(s$logged) && is.null(s$paths) && is.finite(s$to))
  lacking <- keep(summaries, \(s) !is.null(s$lacking))
  c(map_chr(cut, \(s) paste0(s$name, ": no trajectories before the end, the log stops at a placement (", s$scope, ").")),
    map_chr(lacking, \(s) paste0(s$name, ": ", s$lacking, ".")))
}

# Returns the mirror tests of the runs with at least `fewest_wells` wells, or NULL if there is none.
with_enough_wells <- function(mirror, fewest_wells = 50) {
  if (is.null(mirror)) return(NULL)
  rows <- group_by(mirror, .data$run) |> filter(sum(.data$left + .data$right) >= fewest_wells) |> ungroup()
  if (nrow(rows) > 0) rows
}

# Number of placements below which the boards, wells and deaths of a run give no result.
fewest_placements <- 5000

# Returns the advice for runs whose log is too small for boards and deaths: the command that logs enough.
few_reasons <- function(summaries) {
  few <- keep(summaries, \(s) isTRUE(s$logged) && s$overview$with_placements < s$overview$games && s$overview$placements < fewest_placements)
  map_chr(few, \(s) {
    paste0(s$name, ": only ", tidy_number(s$overview$placements), " placements of ", s$overview$with_placements, " of ", s$overview$games, " games were logged (", s$scope,
           "), too few for boards, wells and deaths. Log a sample of every game instead: `tetrastat simulate ... --placements csv.gz --every 10`.")
  })
}

# Features drawn for several runs: those that all of them have, by how far they move.
shared_features <- function(summaries) {
  ranked <- map(keep(summaries, \(s) NROW(s$paths) > 0), \(s) {
    moving <- moving_features(s$paths, s$usual)
    if (length(moving) > 0) moving else unique(s$paths$feature)
  })
  reduce(ranked, intersect)
}

# All figures, by name; NULL where no run has the data.
make_figures <- function(summaries, compared = compared_runs(summaries)) {
  table <- \(...) bind_runs(summaries, c(...))
  km <- table("km")
  life <- table("life")
  paths <- table("paths")
  margins <- table("margins")
  mirror <- with_enough_wells(table("stacking", "mirror"))
  entropy <- table("stacking", "entropy")
  deaths <- bind_deaths(summaries)
  paired <- paired_comparison(table("games"))
  figures <- list(
    lines = figure_lines(table("games"), life),
    compared = if (!is.null(compared)) figure_comparison(compared),
    paired = if (nrow(paired) > 0) figure_paired(paired, map_chr(summaries, "name")),
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

# Returns the simultaneous comparison of all runs, the primary analysis of the report; NULL for one run or for games
# without seeds. It compares the means of finished games. If games were cut off and a constant hazard is rejected
# (Cox-Oakes, Holm), it compares the restricted means, which need no constant hazard.
compared_runs <- function(summaries) {
  games <- bind_runs(summaries, "games")
  if (length(summaries) < 2 || !"stream_seed" %in% names(games)) return(NULL)
  p <- p.adjust(map_dbl(summaries, \(s) s$life$constant_p), "holm")
  changing <- any(games$censored) && any(p < 0.05, na.rm = TRUE)
  attr(games, "manifests") <- map(summaries, "manifest")
  suppressWarnings(compare_runs(games, if (changing) "rmst" else "mean")) # runs without a common seed are said by their n
}

# What the figures of placements must say before all else: which placements were logged.
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

# The tables that the report prints.
make_tables <- function(summaries, compared = compared_runs(summaries)) {
  overview <- bind_runs(summaries, "overview")
  list(
    overview = distinct(select(overview, "run", "rules", "board", "queue", "search", "seed", "games", "with_placements", "placements", "logged")),
    life = life_table(bind_runs(summaries, "life")),
    reasons = pivot_wider(select(bind_runs(summaries, "reasons"), "run", "end_reason", "games"), names_from = "end_reason", values_from = "games", values_fill = 0),
    order = printed_p(bind_runs(summaries, c("stacking", "order"))),
    death = death_table(bind_runs(summaries, c("death", "terms"))),
    compared = compared_table(compared), logrank = logrank_table(compared),
    notes = c(death_reasons(summaries), window_reasons(summaries), few_reasons(summaries))
  )
}

# Lifetimes in words narrow enough for a page.
life_table <- function(life) {
  transmute(life, .data$run, .data$games, .data$ended, `mean lines (exponential, 95 %)` = interval_words(.data$mean, .data$low, .data$high),
    `bootstrap-t, 95 %` = if_else(is.na(.data$boot_low), "-", paste(tidy_number(.data$boot_low), "to", tidy_number(.data$boot_high))),
    `mean lines up to a limit (95 %)` = if_else(is.na(.data$rmst), "-", paste0(tidy_number(.data$rmst), " (", tidy_number(.data$rmst_low), " to ", tidy_number(.data$rmst_high), "), up to ", tidy_number(.data$rmst_limit))),
    `median (95 %)` = if_else(is.na(.data$median), "not reached", interval_words(.data$median, .data$median_low, .data$median_high)),
    longest = .data$longest, `constant hazard, p` = if_else(is.na(.data$constant_p), "-", tidy_p(.data$constant_p)))
}

compared_table <- function(compared) {
  if (is.null(compared)) return(NULL)
  rows <- as_tibble(unclass(compared)[names(compared)])
  ratio <- c(mean = "ratio of mean lines (95 %)", rmst = paste0("ratio of mean lines up to ", tidy_number(attr(compared, "limit") %||% NA_real_), " (95 %)"),
      hazard = "hazard of second / first (95 %)")[[attr(compared, "measure")]]
  transmute(rows, first = .data$first, second = .data$second, `common seeds` = .data$games, "{ratio}" := if_else(is.na(.data$ratio) & is.na(.data$low), "not estimable", ratio_words(.data$ratio, .data$low, .data$high)),
    `p, simultaneous` = tidy_p(.data$p), result = case_when(is.na(.data$p) & is.na(.data$ratio) ~ "not tested", coalesce(.data$p < 0.05, .data$low > 1) ~ "the first is better", TRUE ~ "no difference shown"))
}

# Returns the log-rank tests of all pairs.
logrank_table <- function(compared) {
  if (is.null(compared)) return(NULL)
  transmute(as_tibble(unclass(compared)[names(compared)]), .data$first, .data$second, `log-rank p, Holm` = tidy_p(.data$logrank_p))
}

death_table <- function(terms) {
  if (is.null(terms)) return(NULL)
  odds <- \(x, low, high) if_else(is.na(x), "-", paste0(number_3(x), " (", number_3(low), " to ", number_3(high), ")"))
  transmute(terms, .data$run, .data$group, feature = gsub("_", " ", .data$term), `odds ratio per SD, alone` = odds(.data$odds_ratio, .data$low, .data$high),
    `with the other groups` = odds(.data$adjusted_odds_ratio, .data$adjusted_low, .data$adjusted_high), `variance inflation` = if_else(is.na(.data$vif), "-", number_3(.data$vif))) |>
    arrange(.data$run, .data$group)
}

number_3 <- function(x) formatC(x, digits = 3, format = "fg", big.mark = ",", flag = "#") |> sub(pattern = "[.]$", replacement = "") |> trimws()

# Reads and summarises each run that `dirs` stand for in turn, so that one run's rows are in memory
# at a time.
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

# The page of classic games.
games_page <- function(content) {
  f <- content$figures
  t <- content$tables
  logged <- any(t$overview$placements > 0)
  ended <- !is.null(f$trajectories)
  page("Games, boards and choices", content$names,
    part("What was played", printed(t$overview)),
    part("Who lasts longer", lines = f$lines, compared = f$compared, printed(t$compared, "Primary analysis: all pairs of runs, with simultaneous 95 % intervals and p-values"),
         survival = f$survival, risk = f$risk,
         printed(t$life, paste("Mean = all lines / games that ended. p: Cox-Oakes test of a constant hazard. If it is small and games were cut off, neither interval of the mean",
             "holds as often as it says; use the mean lines up to a limit. If it is small and all games ended, use the bootstrap-t interval")),
         printed(t$reasons, "How games ended"),
         folded("Secondary analyses of the same games: each pair on its own, and log-rank tests", paired = f$paired,
             printed(t$logrank, "Log-rank tests: do the hazards differ anywhere? They treat runs as independent, and may differ from the primary analysis, which compares means"))),
    if (!logged) part("Boards", "These runs logged no placements. For boards, moves and stacking play again with `--placements csv.gz`."),
    part("How games end", trajectories = f$trajectories, if (logged && !ended && length(t$notes) == 0) "No logged game ended, so how games end is unknown.",
         death = f$death, printed(t$death, "Odds ratios of death per SD, clustered by game. Features in a group measure the same thing; one represents it in the joint model, the others are fitted singly"),
         if (length(t$notes) > 0) paste(t$notes, collapse = "\n\n")),
    part("What the board looks like", profile = f$profile, wells = f$wells, printed(t$order, "Wells against the same boards with their columns in any order (permutation test; w: size of the effect, 0.1 small, 0.5 large)"),
         mirror = f$mirror, freeform = f$freeform),
    part("Where pieces go, and how clear the choice was", heat = f$heat, margins = f$margins)
  )
}
