# LIAP runs: declarations, what became of them, and declarers against each other.

# Fails unless `dir` is a folder with a declarations table.
check_liap_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir, "; make one: tetrastat liap simulate --log csv --out ", dir)
  if (is.na(table_file(dir, "declarations"))) {
    fail("no declarations table in ", dir, "; give a folder that tetrastat liap simulate has written with --log csv")
  }
}

# matches, rounds and declarations of a LIAP run; `declarations` and `rounds` are NULL without --log.
read_liap_run <- function(dir, manifest, max_rows, with_board) {
  declarations <- read_table(dir, "declarations", n_max = max_rows)
  if (!is.null(declarations)) {
    check_columns(declarations, "declarations", dir)
    is_cut <- nrow(declarations) == max_rows && nrow(declarations) < coalesce(stated_rows(dir, basename(table_file(dir, "declarations"))), Inf)
    declarations <- whole_matches(declarations, max_rows)
    if (is_cut) message("read the first ", tidy_number(n_distinct(declarations$match)), " matches (max_rows = ", format(max_rows, big.mark = ",", scientific = FALSE), "); give a larger max_rows for all")
  }
  list(matches = read_table(dir, "matches"), rounds = read_table(dir, "rounds"), declarations = declarations)
}

# The declarations of LIAP runs together: one tibble with `side`, a factor in order of appearance (declarer, with its
# player where players differ), and `run`.
read_liap <- function(dirs, max_rows = 4e6) {
  walk(dirs, check_liap_dir)
  rows <- map(dirs, \(dir) {
    read_run(dir, max_rows)$declarations |>
      select(-any_of(c("hand", "hand_mask", "combos", "previous", "forbidden", "plan")))
  })
  rows <- bind_rows(set_names(rows, dir_names(dirs)), .id = "run")
  mutate(rows, side = side_names(.data$declarer, .data$player))
}

# A table that was cut at `max_rows` without its last match, which may lack rounds.
whole_matches <- function(table, max_rows) {
  if (nrow(table) < max_rows || n_distinct(table$match) < 2) return(table)
  filter(table, .data$match != last(.data$match))
}

# "v2", or "v2 (basic)" where several players play.
side_names <- function(declarer, player) {
  names <- if (n_distinct(player) > 1) paste0(declarer, " (", player, ")") else declarer
  factor(names, unique(names))
}

# Declarations by side and position: n, mean declared and captured, hit rate with Wilson's interval,
# mean absolute error, share too many and too few.
accuracy_by_position <- function(declarations) {
  declarations |>
    group_by(.data$side, .data$position) |>
    summarise(n = n(), declared = mean(.data$declared), captured = mean(.data$captured), hits = sum(.data$hit),
              absolute_error = mean(abs(.data$error)), over = mean(.data$error > 0), under = mean(.data$error < 0),
              .groups = "drop") |>
    mutate(hit_rate = .data$hits / .data$n, select(wilson_interval(.data$hits, .data$n), -"share")) |>
    select("side", "position", "n", "declared", "captured", "hit_rate", "low", "high", "absolute_error", "over", "under")
}

# How many piles were captured after each declaration: tibble(side, declared, captured, n, share),
# the share among the declarations of that value; combinations that did not occur have 0.
declared_captured <- function(declarations) {
  declarations |>
    count(.data$side, .data$declared, .data$captured) |>
    complete(.data$side, declared = 0:8, captured = 0:8, fill = list(n = 0)) |>
    group_by(.data$side, .data$declared) |>
    mutate(share = if (sum(.data$n) > 0) .data$n / sum(.data$n) else 0) |>
    ungroup()
}

# A mean over declarations whose matches are independent: tibble(mean, low, high). Linearised for
# matches of different lengths (Cochran 1977, section 9A); t with a degree of freedom less than matches.
clustered_mean <- function(sums, counts, level = 0.95) {
  matches <- length(sums)
  mean <- sum(sums) / sum(counts)
  if (matches < 2) return(tibble(mean = mean, low = NA_real_, high = NA_real_))
  error <- sqrt(matches / (matches - 1) * sum((sums - mean * counts)^2)) / sum(counts)
  reach <- qt((1 + level) / 2, matches - 1) * error
  tibble(mean = mean, low = mean - reach, high = mean + reach)
}

# Points before they are multiplied, by side and position, with clustered intervals.
points_by_position <- function(declarations) {
  declarations |>
    group_by(.data$side, .data$position, .data$run, .data$match) |>
    summarise(sum = sum(.data$base_points), n = n(), .groups = "drop_last") |>
    group_by(.data$side, .data$position) |>
    summarise(clustered_mean(.data$sum, .data$n), matches = n(), .groups = "drop")
}

# Sides that sit at one table, compared: of rounds in which both sit, the difference of their mean
# hits, absolute errors and points, the first side's less the second's; the matches are independent.
# Empty when no two sides share a table. tibble(first, second, measure, rounds, difference, low, high).
sides_compared <- function(declarations) {
  means <- declarations |>
    group_by(.data$run, .data$match, .data$round, .data$side) |>
    summarise(hit_rate = mean(.data$hit), absolute_error = mean(abs(.data$error)), base_points = mean(.data$base_points),
              .groups = "drop")
  sides <- levels(droplevels(means$side))
  if (length(sides) < 2) return(tibble())
  bind_rows(map(combn(sides, 2, simplify = FALSE), \(pair) pair_compared(means, pair)))
}

pair_compared <- function(means, pair) {
  of <- \(name) filter(means, .data$side == name) |> select(-"side")
  both <- inner_join(of(pair[1]), of(pair[2]), by = c("run", "match", "round"))
  if (nrow(both) == 0) return(NULL)
  bind_rows(map(c("hit_rate", "absolute_error", "base_points"), \(measure) {
    by_match <- both |>
      mutate(difference = .data[[paste0(measure, ".x")]] - .data[[paste0(measure, ".y")]]) |>
      group_by(.data$run, .data$match) |>
      summarise(sum = sum(.data$difference), n = n(), .groups = "drop")
    clustered_mean(by_match$sum, by_match$n) |>
      transmute(first = pair[1], second = pair[2], measure = measure, rounds = nrow(both),
                difference = .data$mean, .data$low, .data$high)
  }))
}

# How often the guard moved a value, by side: tibble(side, n, above_8, sum_8, third_zero), shares.
guard_moves <- function(declarations) {
  declarations |>
    group_by(.data$side) |>
    summarise(n = n(), above_8 = mean(.data$moved == "above_8"), sum_8 = mean(.data$moved == "sum_8"),
              third_zero = mean(.data$moved == "third_zero"), .groups = "drop")
}

# Everything that the LIAP report prints.
analyse_liap <- function(dirs, max_rows = 4e6) {
  declarations <- read_liap(dirs, max_rows)
  accuracy <- accuracy_by_position(declarations)
  points <- points_by_position(declarations)
  compared <- sides_compared(declarations)
  list(
    names = levels(declarations$side),
    tables = list(accuracy = accuracy, points = points, compared = compared, moves = guard_moves(declarations)),
    figures = compact(list(
      accuracy = figure_accuracy(accuracy), calibration = figure_calibration(declared_captured(declarations)),
      points = figure_points(points), compared = if (nrow(compared) > 0) figure_compared(compared)
    ))
  )
}

# The page of LIAP.
liap_page <- function(content) {
  f <- content$figures
  t <- content$tables
  page("LIAP: declarations and what became of them", content$names,
    part("How well declarations are kept", accuracy = f$accuracy, printed(t$accuracy),
         "How the turns are played moves these numbers as much as the declarer does: they hold for the players of these runs."),
    part("Declared and captured", calibration = f$calibration),
    part("Points", points = f$points),
    part("Declarers against each other", compared = f$compared, printed(t$compared),
         if (is.null(f$compared)) "All seats of a table have one declarer: for declarers against each other, give liap simulate several, or see tetrastat liap compare."),
    part("What the rules bar", printed(t$moves, "Declarations, and the shares of them that were moved to a value that the rules allow")))
}
