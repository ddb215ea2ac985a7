# Trainings: the tables of `tetrastat train`. The unit of a learning curve is a generation.

# Fails unless `dir` is the folder of a training.
check_training_dir <- function(dir) {
  check_written(dir, "tetrastat train cem", "history.csv", \(dir) !is.na(history_file(dir)))
}

# Returns the history file of a training, the partial one if the training is not finished; NA if
# there is none.
history_file <- function(dir) {
  files <- file.path(dir, c("history.csv", "history.csv.partial"))
  files[file.exists(files)][1]
}

# Returns the training folders of `dir`: itself, or its subfolders with a history.
training_dirs <- function(dir) {
  if (!dir.exists(dir) || !is.na(history_file(dir))) return(dir)
  inside <- keep(list.dirs(dir, recursive = FALSE), \(sub) !is.na(history_file(sub)))
  if (length(inside) == 0) dir else sort(inside)
}

# Returns the content of run.json, or of the checkpoint of an unfinished training; an empty
# configuration if there is neither.
read_training_manifest <- function(dir) {
  if (endsWith(history_file(dir), ".csv")) return(read_manifest(dir))
  state <- read_manifest(dir, "checkpoint.json")$state
  list(config = state$config, rows = state$tables$rows[state$tables$name == "history.csv"], status = "under way")
}

# Reads a folder of `tetrastat train` (see read_tetrastat()).
read_training <- function(dir, name = training_names(dir)) {
  check_training_dir(dir)
  book <- shipped_book()
  manifest <- read_training_manifest(dir)
  path <- history_file(dir)
  rows <- if (endsWith(path, ".csv")) read_table(dir, "history", book)
    else read_csv_typed(path, book, "history", n_max = manifest$rows %||% Inf)
  history <- check_columns(rows, "history", dir)
  if (nrow(history) == 0) fail(path, " has no generation; wait for the first one, or train again")
  population <- if (endsWith(path, ".csv")) read_table(dir, "population", book)
  if (!is.null(population)) check_columns(population, "population", dir)
  structure(list(name = name, dir = dir, manifest = manifest, features = history_features(history, dir),
       history = history, population = population), class = "tetrastat_training")
}

# Returns a name for each folder: its last path component, preceded by as many components as are
# needed for unique names.
training_names <- function(dirs) {
  parts <- strsplit(normalizePath(dirs, mustWork = FALSE), "/", fixed = TRUE)
  last <- \(n) map_chr(parts, \(part) paste(tail(part, n), collapse = "/"))
  depth <- detect(seq_len(max(lengths(parts))), \(n) !anyDuplicated(last(n)))
  if (is.null(depth)) fail("the folder ", dirs[duplicated(last(Inf))][1], " is listed twice; list it once")
  last(depth)
}

# Returns the features of a history: those with a mean_ and an sd_ column, in file order.
history_features <- function(history, dir) {
  means <- sub("^mean_", "", grep("^mean_", names(history), value = TRUE))
  features <- means[paste0("sd_", means) %in% names(history)]
  if (length(features) == 0) fail("the history in ", dir, " has no mean_ and sd_ columns of weights; train again")
  features
}

# Returns the learning curve, one row per generation: `mean` and `best` of the candidates; `low` and
# `high` (mean plus and minus one standard deviation of the candidates, not beyond the best one, and
# not below 0 if all means are at least 0); `held_out_above` (one-sided 95 % lower bound of a check in
# which no game finished); `held_out` (mean of the check); `games` and `pieces` up to this generation.
learning_curve <- function(training) {
  history <- training$history
  minimise <- isTRUE(training$manifest$config$minimise)
  least <- if (minimise) history$best else if (all(history$mean >= 0)) 0 else -Inf
  most <- if (minimise) Inf else history$best
  endless <- endless_checks(training)
  transmute(history, .data$generation, .data$mean, .data$best, low = pmax(.data$mean - .data$spread, least),
            high = pmin(.data$mean + .data$spread, most), held_out_above = if_else(endless, .data$held_out / 2 / -log(0.05), NA_real_),
            held_out = if_else(endless, NA_real_, .data$held_out),
            games = cumsum(.data$games), pieces = cumsum(.data$pieces))
}

# Returns TRUE for checks in which no game finished. The engine counts half a death for them, so
# their mean exceeds the lines that the pieces of all their games can fill (a piece has four cells).
endless_checks <- function(training) {
  config <- training$manifest$config
  width <- suppressWarnings(as.numeric(sub("x.*", "", config$play$board %||% NA)))
  games <- config$check_games %||% NA
  most <- as.numeric(games) * min(4 / width * as.numeric(config$play$max_pieces %||% Inf), as.numeric(config$play$max_lines %||% Inf), na.rm = TRUE)
  checked <- coalesce(training$history$held_out > 1.5 * most, FALSE)
  checked & identical(config$objective, "lines")
}

# Returns one row per generation and feature (a factor in file order): mean and sd of the weight.
weight_paths <- function(training) {
  one <- \(feature) transmute(training$history, .data$generation, feature, mean = .data[[paste0("mean_", feature)]],
                              sd = .data[[paste0("sd_", feature)]])
  bind_rows(map(training$features, one)) |> mutate(feature = factor(.data$feature, training$features))
}

# Returns the weights of the resulting controller, on the scale of the optimiser, and the generation
# they come from: generation, feature, weight. Empty if they are not known yet.
winner_weights <- function(training) {
  winner <- training$manifest$summary
  if (is.null(winner$weights)) return(tibble(generation = numeric(), feature = factor(), weight = numeric()))
  from <- winner$origin$best %||% winner$origin$mean
  features <- training$manifest$config$features %||% training$features
  tibble(generation = min(from, max(training$history$generation)),
         feature = factor(features, training$features), weight = as.numeric(winner$weights))
}

# Returns the result on held-out games: value, low, high (95 % interval; NA for a missing limit),
# games. All are NA before the training is complete.
held_out_result <- function(training) {
  held_out <- training$manifest$summary$held_out
  bind_cols(rename(stated_interval(held_out$value), value = "mean"), games = number(held_out$lines$n))
}

# Returns the preset with which a training was started; NA without one.
training_preset <- function(training) {
  command <- training$manifest$command
  joined <- sub("^--preset=", "", grep("^--preset=", command, value = TRUE))
  c(joined, command[which(command == "--preset") + 1])[1] %||% NA_character_
}

# Reads the results that sources reported: preset, objective, board, value, low, high, words.
read_reported <- function(path) {
  if (!file.exists(path)) return(tibble(preset = character(), objective = character(), board = character(),
      value = numeric(), low = numeric(), high = numeric(), words = character()))
  readr::read_csv(path, col_types = "cccdddc", na = "NA", progress = FALSE)
}

# Returns the reported result for the preset of a training: a row of `read_reported()`, or none if
# there is no number or the training has another objective or board.
reported_for <- function(training, reported) {
  config <- training$manifest$config
  filter(reported, .data$preset %in% training_preset(training), .data$objective %in% config$objective,
         .data$board %in% training_place(config), !is.na(.data$value))
}

# Returns the setting of a training's games: the board size, or rules, mode and movement of guideline
# games.
training_place <- function(config) {
  play <- config$play
  if (is.null(play$mode)) play$board else paste(play$rules, play$mode, play$movement)
}

# Returns the queue of a training; guideline games always use the bag.
training_queue <- function(config) if (is.null(config$play$mode)) config$play$queue else "bag"

# Returns one row per training: its name (a factor in the given order), the settings of the search, the
# number of games and pieces, and the result on held-out games with its 95 % interval. `seconds` is NA
# for a training that was resumed, whose run.json contains only the time of the last session. `reported`
# has results that sources reported, in the format of data/training/reported.csv.
compare_training <- function(trainings, reported = read_reported("")) {
  names <- map_chr(trainings, "name")
  bind_rows(map(trainings, training_row, reported)) |> mutate(training = factor(.data$training, names))
}

training_row <- function(training, reported) {
  manifest <- training$manifest
  said <- \(x) if (length(x) == 0) NA_character_ else as.character(x)
  result <- held_out_result(training)
  history <- training$history
  seconds <- if (isTRUE(manifest$resumed)) NA_real_ else number(manifest$elapsed_s)
  source <- reported_for(training, reported)
  row <- tibble(method = said(manifest$config$optimiser$method), weights = length(training$features),
         objective = said(manifest$config$objective), board = said(training_place(manifest$config)),
         queue = said(training_queue(manifest$config)), max_pieces = number(manifest$config$play$max_pieces),
         status = said(manifest$status), generations = nrow(history),
         games = number(manifest$games %||% sum(history$games)), pieces = number(manifest$pieces %||% sum(history$pieces)),
         seconds, held_out = result$value, low = result$low, high = result$high, held_out_games = result$games,
         reported = c(source$words, NA_character_)[1])
  mutate(row, training = training$name, .before = 1)
}

# Binds the learning curves of several trainings, with the name and the settings of each as first
# columns.
compare_curves <- function(trainings) {
  settings <- select(compare_training(trainings), "training", "method", "objective", "board", "queue", "max_pieces")
  bind_rows(imap(unname(trainings), \(training, i) bind_cols(settings[i, ], learning_curve(training))))
}

# Formats the rows of `compare_training()` for printing.
summary_table <- function(rows) {
  number <- \(x) map_chr(x, \(one) if (is.na(one)) "-" else tidy_number(one))
  text <- \(x) coalesce(as.character(x), "-")
  transmute(rows, training = text(.data$training), method = text(.data$method), weights = number(.data$weights),
            objective = text(.data$objective), board = text(.data$board), queue = text(.data$queue),
            status = text(.data$status),
            generations = number(.data$generations), games = number(.data$games), pieces = number(.data$pieces),
            seconds = number(.data$seconds),
            `result on held-out games (95 % CI)` = interval_words(.data$held_out, .data$low, .data$high),
            `reported by the source` = text(.data$reported))
}
