# Studies: conditions of one or more folders, the labels that distinguish them, and their games.

# Settings that identify a condition, in the order in which labels name them.
settings <- c("controller", "rules", "board", "queue", "search", "seed", "tie", "reach", "clear_on_overflow",
              "start", "max_pieces", "max_lines")

# Further settings that identify a condition of guideline games.
guideline_settings <- c("mode", "hold", "previews", "movement", "beam_width", "finisher")

is_study <- function(dir) !is.na(table_file(dir, "conditions"))

# Returns the settings of the run in `dir` from its run.json; NA if they are missing.
run_settings <- function(dir) {
  config <- read_manifest(dir)$config
  value <- function(name) {
    found <- switch(name, controller = run_name(dir, list(config = config)), tie = config$controller$tie, config[[name]])
    found %||% NA
  }
  known <- c(settings, if (is_guideline(dir)) guideline_settings)
  as_tibble(map(set_names(known), value)) |> mutate(across(everything(), as.character))
}

# Returns the run folders of `dir`: itself, the complete conditions of a study, or its subfolders
# with a games table.
run_dirs <- function(dir) {
  if (dir.exists(dir) && is_study(dir)) {
    conditions <- read_table(dir, "conditions")
    complete <- filter(conditions, .data$status == "complete")
    if (nrow(complete) == 0) fail("no condition of the study ", dir, " is complete; run tetrastat study again to continue")
    return(file.path(dir, complete$folder))
  }
  if (is_run_dir(dir)) return(dir)
  inside <- keep(list.dirs(dir, recursive = FALSE), is_run_dir)
  if (length(inside) == 0) dir else sort(inside)
}

# Returns one row per run of `dirs`: label (a factor in the given order), dir and `settings`.
read_conditions <- function(dirs) {
  folders <- as.character(unlist(map(dirs, run_dirs)))
  for (folder in folders) check_run_dir(folder)
  rows <- bind_rows(map(folders, run_settings))
  labels <- condition_labels(rows, basename(normalizePath(folders)))
  bind_cols(tibble(label = factor(labels, labels), dir = folders), rows)
}

# Returns a label for each row of `conditions`, from the settings that distinguish the rows. A
# setting is named only if it separates rows that the previous settings do not separate. Rows with
# equal settings get the name of their folder.
condition_labels <- function(conditions, folders) {
  rows <- conditions[intersect(append(settings, guideline_settings, match("rules", settings)), names(conditions))]
  used <- reduce(names(rows), .init = character(), \(taken, name) {
    if (nrow(distinct(rows[c(taken, name)])) > max(1, nrow(distinct(rows[taken])))) c(taken, name) else taken
  })
  if (length(used) == 0) used <- "controller"
  labels <- do.call(paste, imap(unclass(rows[used]), setting_words) |> unname())
  twice <- labels %in% labels[duplicated(labels)]
  make.unique(if_else(twice, paste0(labels, " (", folders, ")"), labels), sep = " ")
}

# Formats the values of a setting; self-explanatory values are not prefixed with the name of the
# setting.
setting_words <- function(values, name) {
  text <- coalesce(as.character(values), "none")
  if (name == "seed") text <- sub("^0x0*(?=.)", "0x", text, perl = TRUE)
  switch(name, controller = , rules = , board = , queue = , search = , mode = text,
         clear_on_overflow = if_else(text == "TRUE", "clears on overflow", "no clear on overflow"),
         hold = if_else(text == "TRUE", "hold", "no hold"), previews = paste(text, "previews"),
         paste(gsub("_", " ", name), text))
}

# Fails if a condition of `study` was estimated; `reason` says why the caller needs games.
check_all_played <- function(study, reason) {
  estimated <- nrow(study$estimates %||% tibble())
  if (estimated > 0) fail(reason, ", but ", estimated, " of ", estimated + nrow(study$conditions), " conditions of the study ", study$name, " were estimated; use contrast(), which compares both kinds")
}

# Reads the complete conditions of a study, or the runs in a folder (see read_tetrastat()).
read_study <- function(dir) {
  if (!is.character(dir) || length(dir) != 1) fail("expected one folder; to read several: lapply(folders, read_tetrastat)")
  if (!dir.exists(dir)) check_run_dir(dir)
  estimates <- read_table(dir, "estimates")
  if (is.null(estimates) && is_run_dir(dir)) fail(dir, " is one run, not a study; give the folder of a study or of several runs")
  compared <- list(estimates = estimates, means = read_table(dir, "means"), contrasts = as_contrast(read_table(dir, "contrasts")))
  played <- if (is.null(estimates) || is_study(dir)) read_played(dir) else list(conditions = tibble(), games = tibble())
  structure(c(list(name = basename(normalizePath(dir)), dir = dir), played, compared), class = "tetrastat_study")
}

# Reads the conditions of a study that were played, and their games.
read_played <- function(dir) {
  conditions <- read_conditions(dir)
  if (is_study(dir)) {
    stated <- read_table(dir, "conditions") |> filter(.data$status == "complete")
    conditions <- bind_cols(conditions[c("label", "dir")], stated)
    conditions$games <- as.numeric(conditions$n)
  }
  of_run <- intersect(c("label", "controller", "rules", "mode", "board", "queue", "search"), names(conditions))
  if (!"mode" %in% of_run) of_run <- setdiff(of_run, "rules")
  games <- map(seq_len(nrow(conditions)), \(i) {
    rows <- read_games(conditions$dir[i]) |> check_columns("games", conditions$dir[i])
    bind_cols(conditions[i, of_run], rows[setdiff(names(rows), of_run)])
  })
  list(conditions = conditions, games = bind_rows(games))
}
