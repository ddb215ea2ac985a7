# Reads tables into typed tibbles. Only this file knows file formats.

# Returns the file of table `name` in `dir`, in the first format present; NA if there is none.
table_file <- function(dir, name) {
  files <- file.path(dir, paste0(name, c(".csv", ".csv.gz", ".csv.zst", ".parquet")))
  files[file.exists(files)][1]
}

#' Path of the engine
#'
#' Returns the program that the environment variable `TETRASTAT` names, and otherwise the program
#' `tetrastat` on `PATH`.
#'
#' @return A string: the path of the program, or `""` if there is none.
#' @examples
#' tetrastat_program()
#' @export
tetrastat_program <- function() {
  named <- Sys.getenv("TETRASTAT")
  if (nzchar(named) && !dir.exists(named) && file.access(named, 1) == 0) return(normalizePath(named))
  unname(Sys.which("tetrastat"))
}

# Returns the available reader of Parquet: "duckdb" (with dbplyr), "arrow", "nanoparquet" or
# "convert" (the engine); NA if there is none.
parquet_route <- function() {
  installed <- c(duckdb = has_packages("duckdb", "dbplyr"), arrow = has_packages("arrow"),
                 nanoparquet = has_packages("nanoparquet"))
  c(names(installed)[installed], if (nzchar(tetrastat_program())) "convert")[1]
}

# Returns the shell command that prints the table `path` as CSV. If the engine prints it (see
# `by_program()`), the output contains only `columns`, in that order, and no game before the first
# or after the last of `games`.
csv_command <- function(path, columns = NULL, games = NULL) {
  if (endsWith(path, ".csv")) return(paste("cat", shQuote(path)))
  if (endsWith(path, ".gz")) return(paste("gzip -dc", shQuote(path)))
  if (!by_program(path)) return(paste("zstd -dcq", shQuote(path), "2>/dev/null"))
  if (nzchar(tetrastat_program())) {
    part <- c(if (!is.null(columns)) c("--columns", shQuote(paste(columns, collapse = ","))),
        if (!is.null(games)) c("--where", shQuote(sprintf("game>=%.0f and game<=%.0f", min(games), max(games)))))
    return(paste(c(shQuote(tetrastat_program()), "data convert", shQuote(path), "-", part, "2>/dev/null"), collapse = " "))
  }
  need <- if (endsWith(path, ".zst")) "the program zstd (apt-get install zstd)"
    else "the R package nanoparquet, arrow or duckdb (install.packages(\"nanoparquet\"))"
  fail(path, " cannot be read: install ", need, "; alternatively, put tetrastat on PATH or set TETRASTAT to its path")
}

# Returns TRUE if only the engine can print the table.
by_program <- function(path) is_parquet(path) || (endsWith(path, ".zst") && !nzchar(Sys.which("zstd")))

# Returns a source for readr: the path itself, or a pipe that prints the table as CSV.
csv_source <- function(path) {
  if (grepl("[.](zst|parquet)$", path)) pipe(csv_command(path)) else path
}

csv_header <- function(path) {
  source <- csv_source(path)
  if (is.character(source)) source <- gzfile(source) # reads uncompressed files as well
  on.exit(close(source))
  open(source, "rt")
  line <- readLines(source, n = 1)
  if (length(line) == 0) fail(path, " is empty or damaged; check it with tetrastat data verify ", dirname(path))
  gsub("\"", "", strsplit(line, ",")[[1]])
}

# Returns the readr collector for a type of `column_types()`.
collector <- function(type, levels) {
  switch(type %||% NA_character_,
    factor = readr::col_factor(levels), integer = readr::col_integer(),
    double = readr::col_double(), logical = readr::col_logical(),
    character = readr::col_character(), readr::col_guess()
  )
}

# Reads one CSV table with the types of the code book; stops if a cell does not have the type of its
# column.
read_csv_typed <- function(path, book, table, skip = character(), n_max = Inf) {
  header <- csv_header(path)
  type <- column_types(header, book, table)
  levels <- factor_levels(book, table)
  types <- map(set_names(header), \(name) {
    if (name %in% skip) readr::col_skip() else collector(type[[name]], levels[[name]])
  })
  rows <- suppressWarnings(readr::read_csv(csv_source(path), col_types = do.call(readr::cols, types),
    n_max = n_max, na = "NA", progress = FALSE, num_threads = 2, lazy = FALSE, name_repair = "minimal"))
  check_problems(readr::problems(rows), path, header)
  # `games` is a setting and a result of guideline conditions. Both have the same value.
  rows[!duplicated(names(rows))]
}

check_problems <- function(problems, path, header) {
  if (nrow(problems) == 0) return(invisible())
  first <- problems[1, ]
  fail(path, " line ", first$row, ", column ", header[first$col], ": found '", first$actual, "' instead of ",
       first$expected, "; the file does not match the code book")
}

# Returns the files of a Parquet table: the table itself, or its parts if it is a folder.
parquet_files <- function(path) {
  if (dir.exists(path)) list.files(path, "^part-.*[.]parquet$", full.names = TRUE) else path
}

# Reads a Parquet table with nanoparquet. `...` are arguments of its reader.
nano_rows <- function(path, ...) {
  bind_rows(map(parquet_files(path), \(file) nanoparquet::read_parquet(file, ...)))
}

# Reads one Parquet table; without a package for it, through the CSV output of the engine.
read_parquet_typed <- function(path, book, table, skip = character(), n_max = Inf, route = parquet_route()) {
  if (!route %in% c("nanoparquet", "arrow", "duckdb")) return(read_csv_typed(path, book, table, skip, n_max))
  rows <- if (route == "nanoparquet") nano_rows(path) else lazy_table(path)
  if (is.finite(n_max)) rows <- head(rows, n_max)
  rows <- collect(select(rows, !any_of(skip)))
  as_typed(as_tibble(rows), book, table)
}

# Converts the columns of a table to the types that a CSV of it would have.
as_typed <- function(rows, book, table) {
  type <- column_types(names(rows), book, table)
  levels <- factor_levels(book, table)
  convert <- function(values, name) {
    switch(type[[name]] %||% NA_character_,
      factor = factor(as.character(values), levels[[name]]), integer = as.integer(values),
      double = as.double(values), logical = as.logical(values),
      character = as.character(values), values
    )
  }
  imap(rows, convert) |> as_tibble()
}

# Reads table `name` of a folder, or returns NULL if there is none. A table that is shorter than the
# manifest states is an error, since a truncated compressed file may be read without one.
read_table <- function(dir, name, book = book_of(dir), skip = character(), n_max = Inf) {
  path <- table_file(dir, name)
  if (is.na(path)) return(NULL)
  read <- if (is_parquet(path)) read_parquet_typed else read_csv_typed
  rows <- read(path, book, name, skip, n_max)
  stated <- stated_rows(dir, basename(path))
  if (!is.na(stated) && nrow(rows) != min(stated, n_max)) {
    fail(path, " has ", nrow(rows), " of the ", min(stated, n_max), " rows that run.json states; check it with tetrastat data verify ", dir)
  }
  run_columns(rows)
}

# Removes what a study adds to the table of a condition: the number of the condition, and the
# trailing columns that only other conditions have, which are NA in every row.
run_columns <- function(rows) {
  if (nrow(rows) == 0 || !all(c("condition", "piece_no") %in% names(rows))) return(rows)
  rows <- rows[setdiff(names(rows), "condition")]
  filled <- which(!vapply(rows, \(values) all(is.na(values)), logical(1)))
  rows[seq_len(max(filled))]
}

# Returns the number of rows of `file` that the manifest of the folder states; NA if it states none.
stated_rows <- function(dir, file) {
  files <- read_manifest(dir)$files
  if (is.null(files$rows)) NA_real_ else as.numeric(files$rows[match(file, files$name)])
}
