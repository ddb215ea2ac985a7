# Guideline runs: Sprints, Blitzes, points and stacking.

# Fails unless `dir` contains a guideline run.
check_guideline_dir <- function(dir) {
  check_written(dir, "tetrastat simulate --rules guideline", "guideline games", \(dir) is_run_dir(dir) && run_kind(dir) == "guideline")
}

# Reads guideline runs: list(every, games, placements, scope). Games and placements are tibbles with `run` (a
# factor in order of appearance) and `mode`; `placements` is NULL if no run has them. `scope`
# describes the logged placements ("" for all).
read_guideline <- function(dirs, max_rows = 4e6) {
  walk(dirs, check_guideline_dir)
  runs <- map(dirs, read_run, max_rows = max_rows)
  scopes <- map2(runs, dir_names(dirs), \(run, name) list(name = name, scope = scope_words(run$logged), logged = !is.null(run$placements)))
  list(every = set_names(map_dbl(runs, "every"), dir_names(dirs)), games = bind_dirs(dirs, map(runs, "games")), placements = bind_dirs(dirs, map(runs, "placements")), scope = scope_note(scopes))
}

# Returns the names of folders; equal names get a number.
dir_names <- function(dirs) make.unique(basename(normalizePath(dirs)))

# Binds the tables of the folders `dirs`, with `run`, a factor in their order; NULL if no table has
# rows.
bind_dirs <- function(dirs, tables) {
  rows <- bind_rows(set_names(tables, dir_names(dirs)), .id = "run")
  if (nrow(rows) > 0) mutate(rows, run = factor(.data$run, dir_names(dirs)))
}

# Returns the median of `x` with its exact distribution-free interval by order statistics (binomial;
# Conover 1999, section 3.2): tibble(median, low, high).
median_interval <- function(x, level = 0.95) {
  n <- length(x)
  sorted <- sort(x)
  least <- qbinom((1 - level) / 2, n, 0.5)
  if (n == 0 || least < 1) return(tibble(median = if (n == 0) NA_real_ else median(x), low = NA_real_, high = NA_real_))
  tibble(median = median(x), low = sorted[least], high = sorted[n + 1 - least])
}

# Returns TRUE for counts or points of events in fewer than 30 games and in less than half of them.
# Their t interval may begin below 0.
is_rare <- function(x) length(x) > 1 && all(x >= 0) && sum(x > 0) < 30 && 2 * sum(x > 0) < length(x)

# Returns a mean of independent values with its interval: tibble(mean, low, high). It is the t
# interval, because a normal interval of 12 values would cover only 92 %. A rare value has the gamma
# interval of Fay and Feuer (1997, Statistics in Medicine 16, 791-801, equation 5). For single events
# it is the exact Poisson interval.
# Without an event the interval needs the value of one, `event`: 1 for counts, NA for points.
mean_interval <- function(x, level = 0.95, event = NA_real_) {
  if (is_rare(x)) {
    bound <- \(sum, squares, p) squares / (2 * sum) * qchisq(p, 2 * sum^2 / squares) / length(x)
    weight <- if (any(x > 0)) max(x) else event
    tail <- (1 - level) / 2
    return(tibble(mean = mean(x), low = if (any(x > 0)) bound(sum(x), sum(x^2), tail) else 0,
                  high = bound(sum(x) + weight, sum(x^2) + weight^2, 1 - tail)))
  }
  error <- if (length(x) > 1) sd(x) / sqrt(length(x)) else NA_real_
  reach <- qt((1 + level) / 2, max(1, length(x) - 1)) * error
  tibble(mean = mean(x), low = mean(x) - reach, high = mean(x) + reach)
}

# Summarises Sprints by run: games, share won with Wilson's interval, pieces of won games (median
# with interval, mean), and the shares of won games with 100 and 101 pieces, the fewest for 40 rows
# of ten.
sprint_table <- function(games) {
  games |>
    filter(.data$mode == "sprint", .data$end_reason != "left") |> # a game that a person left is neither won nor lost
    group_by(.data$run) |>
    summarise(games = n(), won = sum(.data$end_reason == "won"), select(wilson_interval(.data$won, .data$games), -"share"),
              median_interval(.data$pieces[.data$end_reason == "won"]) |> rename(median_low = "low", median_high = "high"),
              mean = mean(.data$pieces[.data$end_reason == "won"]), in_100 = mean(.data$pieces[.data$end_reason == "won"] == 100),
              in_101 = mean(.data$pieces[.data$end_reason == "won"] == 101), .groups = "drop") |>
    mutate(won = .data$won / .data$games) |>
    select("run", "games", "won", "low", "high", "median", "median_low", "median_high", "mean", "in_100", "in_101")
}

# Returns points by source of Blitzes and endless games: tibble(run, source, mean, low, high), and
# `share` of all points.
point_sources <- function(games) {
  sources <- c(base = "clears and spins", b2b = "back-to-back", combo = "combos", perfect = "perfect clears", drop = "drops")
  games |>
    filter(.data$mode != "sprint") |>
    select("run", all_of(paste0("points_", names(sources)))) |>
    pivot_longer(-"run", names_to = "source", values_to = "points", names_prefix = "points_") |>
    mutate(source = factor(sources[.data$source], sources)) |>
    group_by(.data$run, .data$source) |>
    summarise(mean_interval(.data$points), method = if (is_rare(.data$points)) "gamma" else "t", games = n(), .groups = "drop_last") |>
    mutate(share = .data$mean / sum(.data$mean)) |>
    ungroup()
}

# Counts clears by kind: tibble(run, kind, n, lines, share), where `share` is the share of all
# cleared rows.
clear_kinds <- function(games) {
  kinds <- c(singles = 1, doubles = 2, triples = 3, tetrises = 4, mini_1 = 1, mini_2 = 2, t_spin_1 = 1, t_spin_2 = 2, t_spin_3 = 3)
  games |>
    select("run", all_of(names(kinds))) |>
    pivot_longer(-"run", names_to = "kind", values_to = "n") |>
    group_by(.data$run, .data$kind) |>
    summarise(n = sum(.data$n), .groups = "drop_last") |>
    mutate(lines = .data$n * kinds[.data$kind], share = .data$lines / sum(.data$lines), kind = factor(.data$kind, names(kinds))) |>
    ungroup() |>
    arrange(.data$run, .data$kind)
}

# Adds `well_column` (NA if no well is two deep) and `well_tied`, as placements of classic games
# have them and stacking.R needs them.
with_wells <- function(placements) {
  if ("well_tied" %in% names(placements)) return(placements)
  well <- deepest_well(height_matrix(placements))
  mutate(placements, well_column = well$column, well_tied = well$tied & !is.na(well$column))
}

# Returns rates of stacking (sources.md 4.1) by run, over all placements of its games.
#
# `tetris_rate`: rows cleared four at once / all cleared rows. `t_spin_rate`: T-spins that clear
# rows / T pieces. `wasted_t`: T pieces without a spin / T pieces. `burn`: clears of 1 to 3 rows
# without a spin / clears. `residue`: rows left after a tetris. `back_to_back`: difficult clears
# that follow another difficult clear / difficult clears. `i_dependent`: placements that leave a
# column three or more deep. `center_well`: wells not at a wall / wells. `holes`, `height`: means.
# `parity`: mean absolute checkerboard difference.
stacking_table <- function(placements) {
  with_wells(placements) |>
    group_by(.data$run) |>
    summarise(
      placements = n(), tetris_rate = sum(.data$lines[.data$lines == 4]) / sum(.data$lines),
      t_spin_rate = sum(.data$t_spin != "none" & .data$lines > 0) / sum(.data$piece == "T"),
      wasted_t = sum(.data$piece == "T" & .data$t_spin == "none") / sum(.data$piece == "T"),
      burn = sum(.data$lines %in% 1:3 & .data$t_spin == "none") / sum(.data$lines > 0),
      residue = mean(.data$max_height[.data$lines == 4]),
      back_to_back = sum(is_difficult(.data$lines, .data$t_spin) & .data$b2b_before) / sum(is_difficult(.data$lines, .data$t_spin)),
      i_dependent = mean(.data$i_dependencies > 0), center_well = mean(.data$well_column[!is.na(.data$well_column)] %in% 1:8),
      holes = mean(.data$holes), height = mean(.data$max_height), parity = mean(abs(.data$parity_check)), keys = mean(.data$n_inputs),
      .groups = "drop"
    ) |>
    mutate(across(-c("run", "placements"), \(x) if_else(is.nan(as.numeric(x)), NA_real_, as.numeric(x)))) # a share with denominator 0
}

# Returns TRUE for clears that count for back-to-back.
is_difficult <- function(lines, t_spin) lines == 4 | (lines > 0 & t_spin != "none")

# Analyses the wells by run, as `stacking()` does: counts, order (with the most frequent pattern and its
# share), and the distance between the tested boards. `every` are the thinning intervals of the runs.
wells_by_run <- function(placements, every) {
  found <- imap(split(placements, placements$run, drop = TRUE), \(rows, run) stacking_of(rows, every[[run]], run))
  bind <- \(name) bind_rows(map(found, name), .id = "run") |> mutate(run = factor(.data$run, levels(placements$run)))
  usual <- map(found, \(one) slice_max(one$counts, .data$n, n = 1, with_ties = FALSE)) |> bind_rows(.id = "run")
  order <- mutate(bind("order"), usual = .env$usual$pattern, share = .env$usual$share)
  list(counts = bind("counts"), order = order, spacing = tibble(run = names(found), spacing = map_dbl(found, "spacing")))
}

# Returns the distribution and the means of column heights by run, as `figure_profile()` draws them:
# list(profile, means).
profiles_by_run <- function(placements) {
  by_run <- \(what) placements |> group_by(.data$run) |> group_modify(\(rows, key) what(rows)) |> ungroup()
  list(profile = by_run(height_profile),
       means = by_run(\(rows) mutate(profile_means(height_profile(rows)), placements = nrow(rows))))
}

# Returns the mean points after every `every`-th piece, over the games still running: tibble(run,
# piece_no, mean, low, high, games).
score_course <- function(placements, every = 10) {
  placements |>
    filter(.data$mode != "sprint", .data$piece_no %% every == 0) |>
    group_by(.data$run, .data$piece_no) |>
    summarise(mean_interval(.data$points_total), games = n(), .groups = "drop")
}

# Returns everything that the guideline report shows.
analyse_guideline <- function(dirs, max_rows = 4e6) {
  runs <- read_guideline(dirs, max_rows)
  games <- runs$games
  placements <- runs$placements
  sprints <- filter(games, .data$mode == "sprint")
  points <- point_sources(games)
  clears <- clear_kinds(games)
  logged <- !is.null(placements) && nrow(placements) > 0
  course <- if (logged) score_course(placements) else tibble()
  wells <- if (logged) wells_by_run(placements, runs$every)
  begun <- openings_by_run(dirs)
  formations <- if (!is.null(begun)) commonest(begun, "formation", 6)
  list(
    names = levels(games$run), scope = runs$scope,
    tables = compact(list(sprint = if (nrow(sprints) > 0) sprint_table(games), points = if (nrow(points) > 0) points,
      scores = if (nrow(points) > 0) score_table(games), stacking = if (logged) stacking_table(placements),
      wells = wells$order, attacks = if (!is.null(begun)) commonest(begun, "attacks"), openers = if (!is.null(begun)) commonest(begun, "opener", Inf))),
    figures = compact(list(
      sprint = if (any(sprints$end_reason == "won")) figure_sprint(sprints), points = if (nrow(points) > 0) figure_points_by_source(points),
      clears = if (sum(clears$n) > 0) figure_clears(clears), course = if (nrow(course) > 0) with_note(figure_course(course), runs$scope),
      openings = if (NROW(formations) > 0) figure_openings(formations, count(begun, .data$run)),
      wells = if (logged && sum(wells$counts$n) > 0) with_note(figure_wells(wells$counts, wells$order, wells$spacing), runs$scope),
      profile = if (logged) with_note(do.call(figure_profile, profiles_by_run(placements)), runs$scope)
    ))
  )
}

# Summarises points of Blitzes and endless games by run: games, mean with interval, median, minimum,
# maximum, mean pieces.
score_table <- function(games) {
  games |>
    filter(.data$mode != "sprint") |>
    group_by(.data$run) |>
    summarise(games = n(), mean_interval(.data$points), median = median(.data$points), least = min(.data$points),
              most = max(.data$points), pieces = mean(.data$pieces), .groups = "drop")
}

# Returns the mean of a column of the games of each condition of a study, with its t interval; of a
# logical column the share with Wilson's interval: tibble(label, measure, games, mean, low, high).
# NULL is the measure of the games: pieces of won Sprints and cheese races, and points of the others.
study_means <- function(study, measure = NULL, level = 0.95) {
  games <- study$games
  if (!is.null(measure)) {
    if (!measure %in% names(games)) fail("the games of the study have no column ", measure)
    if (!is.numeric(games[[measure]]) && !is.logical(games[[measure]])) fail("the column ", measure, " is neither numeric nor logical")
  }
  one <- function(rows) {
    column <- measure %||% if (is_race(rows$mode[1])) "pieces" else "points"
    if (is.null(measure) && is_race(rows$mode[1])) rows <- filter(rows, .data$end_reason == "won")
    values <- rows[[column]]
    found <- if (is.logical(values)) rename(wilson_interval(sum(values), length(values), qnorm((1 + level) / 2)), mean = "share")
      else mean_interval(values, level, if (startsWith(column, "points")) NA_real_ else 1)
    bind_cols(tibble(measure = column, games = length(values)), found)
  }
  bind_rows(map(split(games, games$label), one), .id = "label") |> mutate(label = factor(.data$label, levels(study$games$label)))
}

# Returns TRUE for modes whose games are won with as few pieces as possible.
is_race <- function(mode) mode %in% c("sprint", "cheese")

# Returns TRUE for a study of guideline games.
is_guideline_study <- function(study) "mode" %in% names(study$games)

# Returns the report page of guideline games.
guideline_page <- function(content) {
  f <- content$figures
  t <- content$tables
  stacking <- if (!is.null(t$stacking)) turned(t$stacking)
  page("Guideline games: Sprints, Blitzes and stacking", content$names,
    part("Sprints", sprint = f$sprint, printed(t$sprint, "won: share of games won, with its Wilson 95 % CI (low, high). Pieces of won games: median with its 95 % CI by order statistics, mean, and shares of games with 100 and 101 pieces")),
    part("Points", points = f$points, printed(t$scores, "Points per game, with the 95 % t interval of the mean (tetrastat simulate prints the bootstrap-t interval)"), printed(t$points, "Points per game by source, with the 95 % CI of the mean by `method`: t (Student's t) or, for rare events, gamma (Fay and Feuer 1997)"), course = f$course),
    part("Clears", clears = f$clears),
    part("Openings", openings = f$openings,
      printed(t$attacks, "Attacks within the first 21 pieces of a game: tetrises, T-spins that clear rows (TSS, TSD, TST: single, double, triple) and perfect clears (PC). The eight most frequent sequences of each run, with the Wilson 95 % CI of the share"),
      printed(t$openers, "Games that build a known opener exactly, or its mirror image of Cold Clear's book, with the Wilson 95 % CI of the share")),
    part("Stacking", if (is.null(stacking)) "These runs logged no placements. To analyse stacking, run the simulation again with --placements csv.",
      printed(stacking, paste0(content$scope, "tetris_rate: rows cleared four at once / all cleared rows; t_spin_rate: T-spins that clear rows / T pieces; wasted_t: T pieces without a spin / T pieces; burn: clears of 1 to 3 rows without a spin / clears; residue: rows left after a tetris; back_to_back: difficult clears that follow another one / difficult clears; i_dependent: share of placements that leave a column three or more deep; center_well: wells not at a wall / wells; parity: mean absolute checkerboard difference in cells; keys: mean number of shortest inputs per placement")),
      wells = f$wells, printed(printed_p(t$wells), "Permutation test of well positions on boards that are nearly independent (null distribution: the same boards with shuffled columns), and the most frequent pattern with its share"), profile = f$profile))
}

# Turns a table with one row per run into one with one column per run.
turned <- function(table) {
  pivot_longer(mutate(table, across(-"run", as.numeric)), -"run", names_to = "measure") |>
    mutate(value = if_else(is.na(.data$value), "-", tidy_number(.data$value))) |>
    pivot_wider(names_from = "run")
}
