# LIAP runs: declarations, captured piles and points.

# Fails unless `dir` is a folder with a declarations table.
check_liap_dir <- function(dir) {
  check_written(dir, "tetrastat simulate --rules liap --placements csv", "declarations table", \(dir) !is.na(table_file(dir, "declarations")))
}

# Reads matches, rounds and declarations of a LIAP run; `declarations` and `rounds` are NULL without
# --placements.
read_liap_run <- function(dir, manifest, max_rows, with_board) {
  declarations <- read_table(dir, "declarations", n_max = max_rows)
  if (!is.null(declarations)) {
    check_columns(declarations, "declarations", dir)
    is_cut <- nrow(declarations) == max_rows && nrow(declarations) < coalesce(stated_rows(dir, basename(table_file(dir, "declarations"))), Inf)
    declarations <- whole_matches(declarations, max_rows)
    if (is_cut) message("read the first ", tidy_number(n_distinct(declarations$match)), " matches (max_rows = ", format(max_rows, big.mark = ",", scientific = FALSE), "); use a larger max_rows to read all")
  }
  list(matches = read_table(dir, "matches"), rounds = read_table(dir, "rounds"), declarations = declarations)
}

# Binds the declarations of LIAP runs, with `run` and `side`, a factor in order of appearance (the
# declarer, with its player if players differ).
read_liap <- function(dirs, max_rows = 4e6) {
  walk(dirs, check_liap_dir)
  rows <- map(dirs, \(dir) {
    read_run(dir, max_rows)$declarations |>
      select(-any_of(c("hand", "hand_mask", "combos", "previous", "forbidden", "plan")))
  })
  rows <- bind_rows(set_names(rows, dir_names(dirs)), .id = "run")
  mutate(rows, side = side_names(.data$declarer, .data$player))
}

# Drops the last match of a table that `max_rows` truncated, since rounds may be missing.
whole_matches <- function(table, max_rows) {
  if (nrow(table) < max_rows || n_distinct(table$match) < 2) return(table)
  filter(table, .data$match != last(.data$match))
}

# Returns "v2", or "v2 (basic)" if there are several players.
side_names <- function(declarer, player) {
  names <- if (n_distinct(player) > 1) paste0(declarer, " (", player, ")") else declarer
  factor(names, unique(names))
}

# Summarises declarations by side and position: n, mean declared and captured, hit rate with
# Wilson's interval, mean absolute error, shares above and below the declaration.
accuracy_by_position <- function(declarations) {
  declarations |>
    group_by(.data$side, .data$position) |>
    summarise(n = n(), declared = mean(.data$declared), captured = mean(.data$captured), hits = sum(.data$hit),
              absolute_error = mean(abs(.data$error)), over = mean(.data$error > 0), under = mean(.data$error < 0),
              .groups = "drop") |>
    mutate(hit_rate = .data$hits / .data$n, select(wilson_interval(.data$hits, .data$n), -"share")) |>
    select("side", "position", "n", "declared", "captured", "hit_rate", "low", "high", "absolute_error", "over", "under")
}

# Returns the distribution of captured piles for each declaration: tibble(side, declared, captured,
# n, share), where `share` is relative to the declarations of that value. Combinations that did not
# occur have share 0.
declared_captured <- function(declarations) {
  declarations |>
    count(.data$side, .data$declared, .data$captured) |>
    complete(.data$side, declared = 0:8, captured = 0:8, fill = list(n = 0)) |>
    group_by(.data$side, .data$declared) |>
    mutate(share = if (sum(.data$n) > 0) .data$n / sum(.data$n) else 0) |>
    ungroup()
}

# Returns a mean over declarations whose matches are independent: tibble(mean, low, high).
# Linearised for matches of different lengths (Cochran 1977, section 9A); a t interval with matches
# - 1 degrees of freedom.
clustered_mean <- function(sums, counts, level = 0.95) {
  matches <- length(sums)
  mean <- sum(sums) / sum(counts)
  if (matches < 2) return(tibble(mean = mean, low = NA_real_, high = NA_real_))
  error <- sqrt(matches / (matches - 1) * sum((sums - mean * counts)^2)) / sum(counts)
  reach <- qt((1 + level) / 2, matches - 1) * error
  tibble(mean = mean, low = mean - reach, high = mean + reach)
}

# Returns points before multipliers, by side and position, with intervals clustered by match.
points_by_position <- function(declarations) {
  declarations |>
    group_by(.data$side, .data$position, .data$run, .data$match) |>
    summarise(sum = sum(.data$base_points), n = n(), .groups = "drop_last") |>
    group_by(.data$side, .data$position) |>
    summarise(clustered_mean(.data$sum, .data$n), matches = n(), .groups = "drop")
}

# Returns the shares of declarations that the rules guard moved, by side: tibble(side, n, above_8,
# sum_8, third_zero).
guard_moves <- function(declarations) {
  declarations |>
    group_by(.data$side) |>
    summarise(n = n(), above_8 = mean(.data$moved == "above_8"), sum_8 = mean(.data$moved == "sum_8"),
              third_zero = mean(.data$moved == "third_zero"), .groups = "drop")
}

# Returns everything that the LIAP report shows.
analyse_liap <- function(dirs, max_rows = 4e6) {
  declarations <- read_liap(dirs, max_rows)
  accuracy <- accuracy_by_position(declarations)
  points <- points_by_position(declarations)
  list(
    names = levels(declarations$side),
    tables = list(accuracy = accuracy, points = points, moves = guard_moves(declarations)),
    figures = compact(list(
      accuracy = figure_accuracy(accuracy), calibration = figure_calibration(declared_captured(declarations)),
      points = figure_points(points)
    ))
  )
}

# Returns the report page of LIAP.
liap_page <- function(content) {
  f <- content$figures
  t <- content$tables
  page("LIAP: declarations and captured piles", content$names,
    part("Hit rates", accuracy = f$accuracy, printed(t$accuracy),
         "These numbers depend on the players of the turns as much as on the declarers. They are valid only for the players of these runs."),
    part("Declared and captured piles", calibration = f$calibration),
    part("Points", points = f$points),
    part("Declarers against each other", "`tetrastat liap compare` plays two declarers on the same deals and computes the differences with their intervals."),
    part("Declarations that the rules forbid", printed(t$moves, "Number of declarations, and the shares that were changed to an allowed value, by the rule that forbids the original value")))
}
