# The code book: types, levels and meanings of columns. They come from the datapackage.json next to
# the tables. Columns that it does not describe are looked up in the code book of the engine's
# repository, which the package contains as a table.

# Returns the code book that the package contains: a named list with one tibble (variable, type,
# unit, meaning, levels) per table.
shipped_book <- local({
  book <- NULL
  function() {
    if (is.null(book)) {
      path <- system.file("extdata", "code_book.csv", package = "tetrastat", mustWork = TRUE)
      rows <- readr::read_csv(path, col_types = "cccccc", na = "NA", progress = FALSE, lazy = FALSE)
      book <<- map(split(rows, factor(rows$table, unique(rows$table))), \(one) select(one, -"table"))
    }
    book
  }
})

# Returns the code book of the folder `dir`. Descriptions in its datapackage.json take precedence
# over the code book of the package.
book_of <- function(dir) {
  book <- shipped_book()
  if (is_guideline(dir)) book[c("games", "placements", "candidates")] <- book[c("guideline_games", "guideline_placements", "guideline_candidates")]
  path <- file.path(dir, "datapackage.json")
  if (!file.exists(path)) return(book)
  described <- read_datapackage(path)
  book[names(described)] <- imap(described, \(table, name) with_shipped_types(table, book[[name]]))
  book
}

# Returns each resource of a datapackage.json as a table of the code book.
read_datapackage <- function(path) {
  package <- tryCatch(jsonlite::read_json(path), error = \(e) fail(path, " is not valid JSON; create the folder again"))
  one <- function(field) {
    levels <- unlist(field$categories %||% field$constraints$enum)
    type <- switch(field$type %||% "any", integer = "count", number = "real", boolean = "logical", string = "text", NA_character_)
    tibble(variable = field$name, type = if (is.null(levels)) type else "factor", unit = field$unit %||% NA_character_,
           meaning = field$description %||% NA_character_, levels = if (is.null(levels)) NA_character_ else paste(levels, collapse = " "))
  }
  tables <- map(package$resources, \(resource) bind_rows(map(resource$schema$fields, one)))
  set_names(tables, map_chr(package$resources, \(resource) sub("[.].*$", "", resource$name)))
}

# Restores column types that a datapackage.json cannot express. Its "integer" columns are read as
# doubles, which hold larger counts, unless the code book says that the values are small.
with_shipped_types <- function(table, shipped) {
  if (is.null(shipped)) return(table)
  known <- shipped$type[match(table$variable, shipped$variable)]
  mutate(table, type = if_else(.data$type %in% "count" & (.env$known %in% "integer" | grepl("^h[0-9]+$", .data$variable)), "integer", .data$type))
}

# Columns that `read_tetrastat()` adds to the tables of the engine.
added_columns <- tribble(
  ~table, ~variable, ~type, ~unit, ~meaning,
  "placements", "to_end", "count", "placements", "number of placements until the last one of the game (0 is the last); NA in a censored game; added by read_tetrastat()",
  "placements", "height_top", "integer", "rows", "height of the highest column after the placement; added by read_tetrastat()",
  "placements", "height_average", "real", "rows", "mean height of the columns after the placement; added by read_tetrastat()",
  "placements", "height_bumpiness", "integer", "rows", "sum of the height differences of neighbouring columns after the placement; added by read_tetrastat()",
  "guideline_games", "mode", "text", NA, "mode of the run: sprint, blitz, cheese or endless; added by read_tetrastat()",
  "guideline_games", "censored", "logical", NA, "true if a limit or the player cut the game off; false in a Blitz, which ends by its limit; added by read_tetrastat()",
  "guideline_placements", "mode", "text", NA, "mode of the run: sprint, blitz, cheese or endless; added by read_tetrastat()"
)

# Returns the code book of the package with the columns that `read_tetrastat()` adds.
whole_book <- function() {
  book <- shipped_book()
  added <- split(select(added_columns, -"table"), added_columns$table)
  book[names(added)] <- map2(book[names(added)], added, bind_rows)
  book
}

# Returns the columns of table `name` of the run `x`, or those that it has after `read_tetrastat()` if `x`
# is a folder.
columns_read <- function(x, name) {
  if (is.list(x)) return(names(x[[name]]))
  path <- table_file(x, name)
  if (is.na(path)) return(character())
  columns <- csv_header(path)
  if (is_guideline(x)) return(c(columns, switch(name, games = c("mode", "censored"), placements = "mode")))
  if (name != "placements") return(columns)
  c(columns, names(derivations), "to_end", if (all(c("h0", "h1") %in% columns)) c(own_columns, "well_column", "well_depth", "well_tied", "i_dependencies"))
}

#' Code book of a run
#'
#' Returns the meaning, type, unit and levels of each column. They come from the `datapackage.json`
#' next to the tables, and from the code book of the engine for columns that it does not describe.
#' The columns that [read_tetrastat()] adds are included.
#'
#' @param x A run that [read_tetrastat()] returns, its folder, a study or its folder (the code book of its
#'   first condition), or `NULL` for the code book of all tables.
#' @return A tibble with one row per column: `table`, `variable`, `type`, `unit`, `meaning`,
#'   `levels` (separated by spaces).
#' @examples
#' code_book(example_run("games"))
#' subset(code_book(), variable == "holes")
#' @export
code_book <- function(x = NULL) {
  whole <- whole_book()
  if (is.null(x)) return(bind_rows(map(whole, as_tibble), .id = "table"))
  if (inherits(x, "tetrastat_study") || (is.character(x) && length(x) == 1 && dir.exists(x) && is_study(x))) {
    x <- as_study(x)$conditions$dir[1]
  }
  dir <- run_folder(x)
  if (!dir.exists(dir)) check_run_dir(dir)
  book <- book_of(dir)
  if (is_guideline(dir)) whole[c("games", "placements")] <- whole[c("guideline_games", "guideline_placements")]
  tables <- c("games", "placements", "candidates", "declarations")
  bind_rows(map(set_names(tables), \(table) {
    # Candidates are not part of a run that was read.
    columns <- columns_read(if (table == "candidates") dir else x, table)
    absent <- filter(whole[[table]], !.data$variable %in% book[[table]]$variable)
    filter(bind_rows(as_tibble(book[[table]]), absent), .data$variable %in% columns)
  }), .id = "table")
}

# Levels of factors that the package creates itself.
known_levels <- list(
  piece = c("I", "O", "T", "S", "Z", "J", "L"),
  end_reason = c("top_out", "spawn_blocked", "piece_limit", "line_limit", "interrupted"),
  clear_type = c("none", "single", "double", "triple", "tetris"),
  verdict = c("agrees", "lower", "higher", "open")
)

# Returns the levels of each factor of one table.
factor_levels <- function(book, table) {
  factors <- filter(book[[table]] %||% tibble(variable = character(), type = character(), levels = character()), .data$type == "factor")
  set_names(strsplit(factors$levels, " +"), factors$variable)
}

# Returns the type of each column of `names`: "factor", "integer", "double", "logical", "character"
# or NA (to be guessed). Whole numbers that can exceed 2^31 in a long run (`count`), features and
# scores are doubles. Heights and small indices are integers.
column_types <- function(names, book, table) {
  stated <- book[[table]]
  type <- if (is.null(stated)) rep(NA_character_, length(names)) else stated$type[match(names, stated$variable)]
  type <- set_names(recode(type, text = "character", real = "double", count = "double"), names)
  type[indexed_base(names) %in% book$features$variable & !names %in% stated$variable] <- "double"
  type[grepl("^h[0-9]+$", names)] <- "integer"
  if (table %in% c("history", "population")) type[is.na(type)] <- "double" # weights
  if (table %in% "conditions") type["folder"[!"folder" %in% stated$variable]] <- "character"
  type[names]
}
