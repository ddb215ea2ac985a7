# Trainings: what `tetrastat train` wrote, as tables. The unit of a learning curve is a generation.

# Fails unless `dir` is the folder of a training.
check_training_dir <- function(dir) {
  if (!dir.exists(dir)) fail("no folder ", dir, "; make one: tetrastat train cem --generations 20 --out ", dir)
  if (is.na(history_file(dir))) {
    fail("no history.csv in ", dir, "; give a folder that tetrastat train has written")
  }
}

# The history of a training; of one under way, what it has written so far; NA when there is none.
history_file <- function(dir) {
  files <- file.path(dir, c("history.csv", "history.csv.partial"))
  files[file.exists(files)][1]
}

# The folders of trainings that `dir` stands for: itself, or its subfolders that hold a history.
training_dirs <- function(dir) {
  if (!dir.exists(dir) || !is.na(history_file(dir))) return(dir)
  inside <- keep(list.dirs(dir, recursive = FALSE), \(sub) !is.na(history_file(sub)))
  if (length(inside) == 0) dir else sort(inside)
}

# What train.json says, or, of a training under way, its checkpoint; an empty plan without either.
read_training_manifest <- function(dir) {
  finished <- endsWith(history_file(dir), ".csv")
  file <- if (finished) "train.json" else "checkpoint.json"
  manifest <- read_manifest(dir, file)
  if (!finished) manifest <- list(plan = manifest$plan, rows = manifest$history$rows, status = "under way")
  manifest
}

#' Read a training
#'
#' Reads a folder that `tetrastat train` has written; of a training under way the generations up to its last checkpoint.
#'
#' @param dir The training's folder.
#' @param name Its name in figures.
#' @return A `tetrastat_training`, a list with `name`, `dir`, `manifest` (what `train.json` says), `features`, `history`
#'   (a row per generation) and `population` (a row per candidate, `NULL` unless it was logged). [learning_curve()] and
#'   [weight_paths()] are its tables, `glance()` its result.
#' @examples
#' training <- read_training(example_run("training"))
#' glance(training)
#' @export
read_training <- function(dir, name = training_names(dir)) {
  check_training_dir(dir)
  book <- shipped_book()
  manifest <- read_training_manifest(dir)
  path <- history_file(dir)
  rows <- if (endsWith(path, ".csv")) read_table(dir, "history", book)
    else read_csv_typed(path, book, "history", n_max = manifest$rows %||% Inf)
  history <- check_columns(rows, "history", dir)
  if (nrow(history) == 0) fail(path, " holds no generation; let the training run on, or train again")
  population <- if (endsWith(path, ".csv")) read_table(dir, "population", book)
  if (!is.null(population)) check_columns(population, "population", dir)
  structure(list(name = name, dir = dir, manifest = manifest, features = history_features(history, dir),
       history = history, population = population), class = "tetrastat_training")
}

# A name for each folder: its last part, with as many parts before it as tell the folders apart.
training_names <- function(dirs) {
  parts <- strsplit(normalizePath(dirs, mustWork = FALSE), "/", fixed = TRUE)
  last <- \(n) map_chr(parts, \(part) paste(tail(part, n), collapse = "/"))
  depth <- detect(seq_len(max(lengths(parts))), \(n) !anyDuplicated(last(n)))
  if (is.null(depth)) fail("the folder ", dirs[duplicated(last(Inf))][1], " is given twice; give it once")
  last(depth)
}

# The features of a history: those that have a mean_ and an sd_ column, in file order.
history_features <- function(history, dir) {
  means <- sub("^mean_", "", grep("^mean_", names(history), value = TRUE))
  features <- means[paste0("sd_", means) %in% names(history)]
  if (length(features) == 0) fail("the history in ", dir, " has no mean_ and sd_ columns of weights; train again")
  features
}

#' What a training did, generation by generation
#'
#' @param training A training that [read_training()] has read.
#' @return `learning_curve()`: generation, mean and best of the candidates, low and high (mean -+ one standard deviation
#'   of the candidates, no better than the best and, where all means are at least 0, not below 0), held_out (the check; NA
#'   where none was played or no game of it ended), held_out_above (where no game of a check ended: the one-sided 95 %
#'   lower bound of its mean), and games and pieces of the candidates so far. `weight_paths()`: generation, feature (a
#'   factor in file order), mean, sd.
#' @examples
#' training <- read_training(example_run("training"))
#' learning_curve(training)
#' @export
learning_curve <- function(training) {
  history <- training$history
  minimise <- isTRUE(training$manifest$plan$minimise)
  least <- if (minimise) history$best else if (all(history$mean >= 0)) 0 else -Inf
  most <- if (minimise) Inf else history$best
  endless <- endless_checks(training)
  transmute(history, .data$generation, .data$mean, .data$best, low = pmax(.data$mean - .data$spread, least),
            high = pmin(.data$mean + .data$spread, most), held_out_above = if_else(endless, .data$held_out / 2 / -log(0.05), NA_real_),
            held_out = if_else(endless, NA_real_, .data$held_out),
            games = cumsum(.data$games), pieces = cumsum(.data$pieces))
}

# Checks of which no game ended: the engine counts half a death then, so that their mean is more lines than the
# pieces of all their games can fill (each piece is four cells).
endless_checks <- function(training) {
  plan <- training$manifest$plan
  width <- suppressWarnings(as.numeric(sub("x.*", "", plan$play$board %||% NA)))
  games <- plan$check_games %||% NA
  most <- as.numeric(games) * min(4 / width * as.numeric(plan$play$max_pieces %||% Inf), as.numeric(plan$play$max_lines %||% Inf), na.rm = TRUE)
  checked <- coalesce(training$history$held_out > 1.5 * most, FALSE)
  checked & identical(plan$objective, "lines")
}

#' @rdname learning_curve
#' @export
weight_paths <- function(training) {
  one <- \(feature) transmute(training$history, .data$generation, feature, mean = .data[[paste0("mean_", feature)]],
                              sd = .data[[paste0("sd_", feature)]])
  bind_rows(map(training$features, one)) |> mutate(feature = factor(.data$feature, training$features))
}

# The weights that the training handed out, as the optimiser had them, and the generation they come
# from: generation, feature, weight. Empty when it is not known yet.
winner_weights <- function(training) {
  winner <- training$manifest$winner
  if (is.null(winner$weights)) return(tibble(generation = numeric(), feature = factor(), weight = numeric()))
  from <- winner$origin$best %||% winner$origin$mean
  features <- training$manifest$plan$features %||% training$features
  tibble(generation = min(from, max(training$history$generation)),
         feature = factor(features, training$features), weight = as.numeric(winner$weights))
}

# The result on held-out games: value, low, high (95 % interval; NA where it has no such end), games.
# All NA before the training is complete.
held_out_result <- function(training) {
  held_out <- training$manifest$winner$held_out
  number <- \(x) if (is.null(x)) NA_real_ else as.numeric(x)
  interval <- as.numeric(map_dbl(as.list(held_out$interval), number))[1:2]
  tibble(value = number(held_out$value), low = interval[1], high = interval[2], games = number(held_out$lines$games))
}

# The preset that a training was started with; NA without one.
training_preset <- function(training) {
  command <- training$manifest$command
  joined <- sub("^--preset=", "", grep("^--preset=", command, value = TRUE))
  c(joined, command[which(command == "--preset") + 1])[1] %||% NA_character_
}

# Reads what sources reported: preset, objective, board, value, low, high, words.
read_reported <- function(path) {
  if (!file.exists(path)) return(tibble(preset = character(), objective = character(), board = character(),
      value = numeric(), low = numeric(), high = numeric(), words = character()))
  readr::read_csv(path, col_types = "cccdddc", na = "NA", progress = FALSE)
}

# What the source of the training's preset reported: a row of `read_reported`, or none when there is no
# number, or the training was of another objective or board.
reported_for <- function(training, reported) {
  plan <- training$manifest$plan
  filter(reported, .data$preset %in% training_preset(training), .data$objective %in% plan$objective,
         .data$board %in% training_place(plan), !is.na(.data$value))
}

# Where a plan's games are played: a board's size, or rules, mode and movement of guideline games.
training_place <- function(plan) {
  play <- plan$play
  if (is.null(play$mode)) play$board else paste(play$rules, play$mode, play$movement)
}

# Who deals: guideline games know the bag only.
training_queue <- function(plan) if (is.null(plan$play$mode)) plan$play$queue else "bag"

#' Trainings side by side
#'
#' @param trainings A list of trainings that [read_training()] has read.
#' @param reported What sources reported, as `data/training/reported.csv` of the engine's repository has it; a tibble of
#'   no rows by default.
#' @return A row for each: training (a factor in the order given), what was searched, how much was played, and the
#'   result on held-out games with its 95 % interval. `seconds` is NA of a training that was resumed, whose train.json
#'   knows the last sitting only.
#' @examples
#' compare_training(list(read_training(example_run("training"))))
#' @export
compare_training <- function(trainings, reported = read_reported("")) {
  names <- map_chr(trainings, "name")
  bind_rows(map(trainings, training_row, reported)) |> mutate(training = factor(.data$training, names))
}

training_row <- function(training, reported) {
  manifest <- training$manifest
  said <- \(x) if (length(x) == 0) NA_character_ else as.character(x)
  known <- \(x) if (length(x) == 0) NA_real_ else as.numeric(x)
  result <- held_out_result(training)
  history <- training$history
  seconds <- if (isTRUE(manifest$resumed)) NA_real_ else known(manifest$elapsed_s)
  source <- reported_for(training, reported)
  row <- tibble(method = said(manifest$plan$optimiser$method), weights = length(training$features),
         objective = said(manifest$plan$objective), board = said(training_place(manifest$plan)),
         queue = said(training_queue(manifest$plan)), max_pieces = known(manifest$plan$play$max_pieces),
         status = said(manifest$status), generations = nrow(history),
         games = known(manifest$games %||% sum(history$games)), pieces = known(manifest$pieces %||% sum(history$pieces)),
         seconds, held_out = result$value, low = result$low, high = result$high, held_out_games = result$games,
         reported = c(source$words, NA_character_)[1])
  mutate(row, training = training$name, .before = 1)
}

# The learning curves of several trainings in one table, behind the name of their training and its
# settings.
compare_curves <- function(trainings) {
  settings <- select(compare_training(trainings), "training", "method", "objective", "board", "queue", "max_pieces")
  bind_rows(imap(unname(trainings), \(training, i) bind_cols(settings[i, ], learning_curve(training))))
}

# The rows of `compare_training` for eyes.
summary_table <- function(rows) {
  number <- \(x) map_chr(x, \(one) if (is.na(one)) "-" else tidy_number(one))
  text <- \(x) coalesce(as.character(x), "-")
  transmute(rows, training = text(.data$training), method = text(.data$method), weights = number(.data$weights),
            objective = text(.data$objective), board = text(.data$board), queue = text(.data$queue),
            status = text(.data$status),
            generations = number(.data$generations), games = number(.data$games), pieces = number(.data$pieces),
            seconds = number(.data$seconds),
            `held out (95 % interval)` = interval_words(.data$held_out, .data$low, .data$high),
            `the source reported` = text(.data$reported))
}
