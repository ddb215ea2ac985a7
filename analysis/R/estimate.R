# Splitting estimates: the levels, replications, heights and results that `tetrastat estimate --out`
# writes.

is_estimate <- function(dir) file.exists(file.path(dir, "levels.csv")) && file.exists(file.path(dir, "replications.csv"))

# Reads a complete folder of `tetrastat estimate` (see read_tetrastat()).
read_estimate <- function(dir) {
  manifest <- read_manifest(dir)
  if (!identical(manifest$kind, "estimate")) fail("no run.json of an estimate in ", dir, "; run tetrastat estimate to completion")
  tables <- map(set_names(c("levels", "replications", "heights")), \(name) read_numbers(file.path(dir, paste0(name, ".csv")), name, dir))
  if (nrow(tables$replications) < 2) fail(dir, " has fewer than two replications; run tetrastat estimate with a larger --budget")
  structure(c(list(name = basename(normalizePath(dir)), dir = dir, manifest = manifest), tables), class = "tetrastat_estimate")
}

# Reads a table that contains only numbers; missing values are NA or empty cells.
read_numbers <- function(path, table, dir) {
  if (!file.exists(path)) fail("no ", basename(path), " in ", dir, "; run tetrastat estimate to completion")
  rows <- suppressWarnings(readr::read_csv(path, col_types = readr::cols(.default = "d"), na = c("NA", ""), progress = FALSE, lazy = FALSE))
  check_problems(readr::problems(rows), path, names(rows))
  check_columns(rows, table, dir)
}

# Returns the ratio of two totals over replications with its 95 % interval by the delta method on
# the log scale (Cochran 1977, section 6.4): tibble(mean, low, high). It is NA with fewer than two
# replications or without deaths.
replication_ratio <- function(lines, deaths, level = 0.95) {
  n <- length(lines)
  if (n < 2 || sum(lines) <= 0 || sum(deaths) <= 0) return(tibble(mean = NA_real_, low = NA_real_, high = NA_real_))
  residual <- deaths / mean(deaths) - lines / mean(lines)
  reach <- qt((1 + level) / 2, n - 1) * sqrt(sum(residual^2) / (n - 1) / n)
  mean <- sum(lines) / sum(deaths)
  tibble(mean, low = mean * exp(-reach), high = mean * exp(reach))
}

# Returns the estimate after growing numbers of replications: replications, pieces so far, mean,
# low, high; at most `points` rows.
running_estimate <- function(replications, points = 100) {
  n <- nrow(replications)
  at <- unique(round(seq(2, n, length.out = min(points, n - 1))))
  bind_rows(map(at, \(k) {
    first <- replications[seq_len(k), ]
    bind_cols(tibble(replications = k, pieces = sum(first$pieces)), replication_ratio(first$lines, first$weighted_deaths))
  }))
}

# Returns separate estimates of consecutive batches of replications: from, to, pieces (at the end of
# the batch), mean (Inf without a death).
batch_estimates <- function(replications, batches = 12) {
  n <- nrow(replications)
  replications |>
    mutate(number = row_number(), batch = ceiling(.data$number * min(batches, n) / n), so_far = cumsum(.data$pieces)) |>
    group_by(.data$batch) |>
    summarise(from = min(.data$number), to = max(.data$number), pieces = max(.data$so_far), mean = sum(.data$lines) / sum(.data$weighted_deaths))
}

# Returns the results of the methods, as the engine computed them: method, mean, low, high, open (TRUE
# for a one-sided lower bound), words. A method that was not used has no row.
estimate_methods <- function(estimate) {
  rows <- imap(estimate$manifest$summary[c("splitting", "direct", "histogram")], \(found, method) {
    if (!is.null(found)) bind_cols(tibble(method), stated_interval(found))
  })
  mutate(bind_rows(rows), open = is.na(.data$mean) & !is.na(.data$low),
         words = case_when(.data$open ~ paste("above", lines_words(.data$low)),
             is.na(.data$low) ~ paste0(lines_words(.data$mean), ", no interval"),
             TRUE ~ paste0(lines_words(.data$mean), " (", lines_words(.data$low), " to ", lines_words(.data$high), ")")))
}

# Formats the controller and the settings of an estimate.
estimate_setting <- function(estimate) {
  config <- estimate$manifest$config
  parts <- c(config$controller$name, config$rules, config$board, if (!is.null(config$queue)) paste("queue", config$queue), config$search)
  if (length(parts) == 0) estimate$name else paste(parts, collapse = ", ")
}

# Returns weighted deaths of all paths per piece of the main paths.
deaths_per_piece <- function(estimate) sum(estimate$replications$weighted_deaths) / sum(estimate$replications$main_pieces)

# Returns the levels as the figure shows them: `rises_per_piece`; `onward` (for the last level: to
# death); `share` of all pieces; and `balanced`, the value of `onward` at which as many paths leave
# a level as enter it.
level_table <- function(estimate) {
  estimate$levels |>
    mutate(share = .data$pieces / sum(.data$pieces), balanced = if_else(.data$level == 0, NA_real_, 1 / lead(.data$factor)))
}
