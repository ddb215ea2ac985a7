# Guideline runs: Sprints, Blitzes, and how their stacks are built.

#' Fails unless `dir` holds a guideline run.
check_guideline_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir, "; make one: tetrastat simulate --rules guideline --out ", dir)
  if (is.na(table_file(dir, "games")) || !"sprint_reward" %in% csv_header(table_file(dir, "games"))) {
    fail("no guideline games in ", dir, "; give a folder that tetrastat simulate --rules guideline (or capstone) has written")
  }
}

#' Reads guideline runs: list(games, placements), each a tibble with `run`, a factor in order of appearance, and
#' `mode`; `placements` is NULL when no run has them, else at most `max_rows` of each, whole games only.
read_guideline <- function(dirs, book = list(), max_rows = 4e6) {
  walk(dirs, check_guideline_dir)
  names <- make.unique(basename(normalizePath(dirs)))
  read <- \(table, ...) {
    rows <- map(dirs, \(dir) read_table(dir, table, guideline_book(book), ...))
    rows <- bind_rows(set_names(rows, names), .id = "run")
    if (nrow(rows) == 0) NULL else mutate(rows, run = factor(.data$run, names))
  }
  modes <- set_names(map_chr(dirs, \(dir) read_manifest(dir, "run.json")$config$mode %||% NA_character_), names)
  games <- mutate(read("games"), mode = unname(modes[as.character(.data$run)]))
  placements <- read("placements", skip = c("cells", "board"), n_max = max_rows)
  if (!is.null(placements)) {
    lines <- select(games, "run", "game", "pieces")
    placements <- placements |>
      inner_join(lines, by = c("run", "game")) |>
      group_by(.data$run, .data$game) |>
      filter(n() == first(.data$pieces)) |> # a game cut at max_rows is left out
      ungroup() |>
      mutate(mode = unname(modes[as.character(.data$run)]))
  }
  list(games = games, placements = placements)
}

#' The code book's tables of guideline runs under the names of their files.
guideline_book <- function(book) {
  tables <- intersect(c("games", "placements"), sub("^guideline_", "", grep("^guideline_", names(book), value = TRUE)))
  set_names(book[paste0("guideline_", tables)], tables)
}

#' The median of `x` with its exact distribution-free interval by order statistics (binomial; Conover 1999, section
#' 3.2): tibble(median, low, high).
median_interval <- function(x, level = 0.95) {
  n <- length(x)
  sorted <- sort(x)
  least <- qbinom((1 - level) / 2, n, 0.5)
  if (n == 0 || least < 1) return(tibble(median = if (n == 0) NA_real_ else median(x), low = NA_real_, high = NA_real_))
  tibble(median = median(x), low = sorted[least], high = sorted[n + 1 - least])
}

#' A mean of independent values with its normal interval: tibble(mean, low, high).
mean_interval <- function(x, level = 0.95) {
  error <- if (length(x) > 1) sd(x) / sqrt(length(x)) else NA_real_
  reach <- qnorm((1 + level) / 2) * error
  tibble(mean = mean(x), low = mean(x) - reach, high = mean(x) + reach)
}

#' Sprints by run: games, share won with Wilson's interval, pieces of won games (median with interval, mean), and the
#' shares of won games in 100 and 101 pieces, which are the fewest of 40 rows of ten.
sprint_table <- function(games) {
  games |>
    filter(.data$mode == "sprint", .data$outcome != "left") |> # a game that a person left is neither won nor lost
    group_by(.data$run) |>
    summarise(games = n(), won = sum(.data$outcome == "won"), select(wilson_interval(.data$won, .data$games), -"share"),
              median_interval(.data$pieces[.data$outcome == "won"]) |> rename(median_low = "low", median_high = "high"),
              mean = mean(.data$pieces[.data$outcome == "won"]), in_100 = mean(.data$pieces[.data$outcome == "won"] == 100),
              in_101 = mean(.data$pieces[.data$outcome == "won"] == 101), .groups = "drop") |>
    mutate(won = .data$won / .data$games) |>
    select("run", "games", "won", "low", "high", "median", "median_low", "median_high", "mean", "in_100", "in_101")
}

#' Points by source, of Blitzes and endless games: tibble(run, source, mean, low, high), and `share` of all points.
point_sources <- function(games) {
  sources <- c(base = "clears and spins", b2b = "back-to-back", combo = "combos", perfect = "perfect clears", drop = "drops")
  games |>
    filter(.data$mode != "sprint") |>
    select("run", all_of(paste0("points_", names(sources)))) |>
    pivot_longer(-"run", names_to = "source", values_to = "points", names_prefix = "points_") |>
    mutate(source = factor(sources[.data$source], sources)) |>
    group_by(.data$run, .data$source) |>
    summarise(mean_interval(.data$points), .groups = "drop_last") |>
    mutate(share = .data$mean / sum(.data$mean)) |>
    ungroup()
}

#' Clears by kind: tibble(run, kind, n, lines, share), the share of all rows removed.
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

#' Placements with `deepest`, the column of the deepest well (the leftmost of several; NA where none is two deep) and
#' `deepest_tied`, as the functions of stacking.R want them.
with_wells <- function(placements) {
  well <- deepest_well(height_matrix(placements))
  mutate(placements, deepest = well$column, deepest_tied = well$tied & !is.na(well$column))
}

#' How a run stacks (sources.md 4.1): rates by run, over all placements of its games.
#'
#' `tetris_rate`: rows removed four at once / all rows. `t_spin_rate`: T-spins that remove rows / T pieces. `wasted_t`: T pieces
#' without a spin / T pieces. `burn`: clears of 1 to 3 rows without spin / clears. `residue`: rows left after a tetris.
#' `back_to_back`: difficult clears that follow another one / difficult clears. `i_dependent`: placements that leave a column three or
#' more deep. `center_well`: wells not at a wall / wells. `holes`, `height`: means. `parity`: mean absolute checkerboard difference.
stacking_table <- function(placements) {
  with_wells(placements) |>
    group_by(.data$run) |>
    summarise(
      placements = n(), tetris_rate = sum(.data$lines[.data$lines == 4]) / sum(.data$lines),
      t_spin_rate = sum(.data$tspin != "none" & .data$lines > 0) / sum(.data$piece == "T"),
      wasted_t = sum(.data$piece == "T" & .data$tspin == "none") / sum(.data$piece == "T"),
      burn = sum(.data$lines %in% 1:3 & .data$tspin == "none") / sum(.data$lines > 0),
      residue = mean(.data$max_height[.data$lines == 4]),
      back_to_back = sum(is_difficult(.data$lines, .data$tspin) & .data$b2b_before) / sum(is_difficult(.data$lines, .data$tspin)),
      i_dependent = mean(.data$n_dep3 > 0), center_well = mean(.data$deepest[!is.na(.data$deepest)] %in% 1:8),
      holes = mean(.data$holes), height = mean(.data$max_height), parity = mean(abs(.data$parity_check)), keys = mean(.data$n_inputs),
      .groups = "drop"
    ) |>
    mutate(across(where(is.double), \(x) if_else(is.nan(x), NA_real_, x))) # a share of nothing
}

#' Whether a clear is one that back-to-back counts.
is_difficult <- function(lines, tspin) lines == 4 | (lines > 0 & tspin != "none")

#' Wells by column and pattern, by run: tibble(run, column, pattern, n, share, low, high).
wells_by_run <- function(placements) {
  width <- sum(grepl("^h[0-9]+$", names(placements)))
  with_wells(placements) |>
    group_by(.data$run) |>
    group_modify(\(rows, key) well_counts(rows, width, spacing = 20)) |>
    ungroup()
}

#' How often each column has each height, by run, and the means: list(profile, means) as `figure_profile` draws them.
profiles_by_run <- function(placements) {
  by_run <- \(what) placements |> group_by(.data$run) |> group_modify(\(rows, key) what(rows)) |> ungroup()
  list(profile = by_run(height_profile),
       means = by_run(\(rows) mutate(profile_means(height_profile(rows)), placements = nrow(rows))))
}

#' Mean points after each piece, over the games still running: tibble(run, piece_no, mean, low, high, games).
score_course <- function(placements, every = 10) {
  placements |>
    filter(.data$mode != "sprint", .data$piece_no %% every == 0) |>
    group_by(.data$run, .data$piece_no) |>
    summarise(mean_interval(.data$score), games = n(), .groups = "drop")
}

#' Everything that the guideline report prints.
analyse_guideline <- function(dirs, book = list(), max_rows = 4e6) {
  runs <- read_guideline(dirs, book, max_rows)
  games <- runs$games
  placements <- runs$placements
  sprints <- filter(games, .data$mode == "sprint")
  points <- point_sources(games)
  clears <- clear_kinds(games)
  logged <- !is.null(placements) && nrow(placements) > 0
  course <- if (logged) score_course(placements) else tibble()
  wells <- if (logged) wells_by_run(placements) else tibble()
  list(
    names = levels(games$run),
    tables = compact(list(sprint = if (nrow(sprints) > 0) sprint_table(games), points = if (nrow(points) > 0) points,
      scores = if (nrow(points) > 0) score_table(games), stacking = if (logged) stacking_table(placements),
      wells = if (logged) well_tests(wells))),
    figures = compact(list(
      sprint = if (any(sprints$outcome == "won")) figure_sprint(sprints), points = if (nrow(points) > 0) figure_points_by_source(points),
      clears = if (sum(clears$n) > 0) figure_clears(clears), course = if (nrow(course) > 0) figure_course(course),
      wells = if (logged && sum(wells$n) > 0) figure_well_columns(wells), profile = if (logged) do.call(figure_profile, profiles_by_run(placements))
    ))
  )
}

#' Points of Blitzes and endless games by run: games, mean with interval, median, least, most, mean pieces.
score_table <- function(games) {
  games |>
    filter(.data$mode != "sprint") |>
    group_by(.data$run) |>
    summarise(games = n(), mean_interval(.data$score), median = median(.data$score), least = min(.data$score),
              most = max(.data$score), pieces = mean(.data$pieces), .groups = "drop")
}

#' Tests of the wells by run: chi-square against uniform, and the column with the largest share.
well_tests <- function(wells) {
  wells |>
    group_by(.data$run) |>
    group_modify(\(rows, key) bind_cols(uniform_test(rows), usual = rows$pattern[which.max(rows$n)], share = max(rows$share))) |>
    ungroup()
}
