# Reads tables into typed tibbles. The one place that knows file formats.

# The file of table `name` in `dir`, in the first format present; NA when there is none.
table_file <- function(dir, name) {
  files <- file.path(dir, paste0(name, c(".csv", ".csv.gz", ".csv.zst", ".parquet")))
  files[file.exists(files)][1]
}

#' The engine's program
#'
#' What the environment variable `TETRASTAT` names, else what `PATH` has.
#' @return The path of the program; `""` when there is none.
#' @examples
#' tetrastat_program()
#' @export
tetrastat_program <- function() {
  named <- Sys.getenv("TETRASTAT")
  if (nzchar(named) && !dir.exists(named) && file.access(named, 1) == 0) return(normalizePath(named))
  unname(Sys.which("tetrastat"))
}

# What reads Parquet here: "duckdb", "arrow", "nanoparquet" or "convert" (the program); NA when nothing does.
parquet_route <- function() {
  installed <- keep(c("duckdb", "arrow", "nanoparquet"), \(name) requireNamespace(name, quietly = TRUE))
  c(installed, if (nzchar(tetrastat_program())) "convert")[1]
}

# The shell command that prints the table `path` as CSV. Where the program prints it (see `by_program`), only `columns`, in that
# order, and no game before the first of `games` or after the last.
csv_command <- function(path, columns = NULL, games = NULL) {
  if (endsWith(path, ".csv")) return(paste("cat", shQuote(path)))
  if (endsWith(path, ".gz")) return(paste("gzip -dc", shQuote(path)))
  if (!by_program(path)) return(paste("zstd -dcq", shQuote(path), "2>/dev/null"))
  if (nzchar(tetrastat_program())) {
    part <- c(if (!is.null(columns)) c("--columns", shQuote(paste(columns, collapse = ","))),
        if (!is.null(games)) c("--where", shQuote(sprintf("game>=%.0f and game<=%.0f", min(games), max(games)))))
    return(paste(c(shQuote(tetrastat_program()), "convert", shQuote(path), "-", part, "2>/dev/null"), collapse = " "))
  }
  need <- if (endsWith(path, ".zst")) "the program zstd (apt-get install zstd)"
    else "the R package nanoparquet, arrow or duckdb (install.packages(\"nanoparquet\"))"
  fail(path, " needs ", need, ", or tetrastat on PATH or named by TETRASTAT, to be read")
}

# Whether a table is printed by the engine's program, for want of anything else that can.
by_program <- function(path) endsWith(path, ".parquet") || (endsWith(path, ".zst") && !nzchar(Sys.which("zstd")))

# What readr can read for `path`: the path itself, or a pipe that prints it as CSV.
csv_source <- function(path) {
  if (grepl("[.](zst|parquet)$", path)) pipe(csv_command(path)) else path
}

csv_header <- function(path) {
  source <- csv_source(path)
  if (is.character(source)) source <- gzfile(source) # reads plain files as well
  on.exit(close(source))
  open(source, "rt")
  line <- readLines(source, n = 1)
  if (length(line) == 0) fail(path, " is empty or damaged; check it with tetrastat verify ", dirname(path))
  gsub("\"", "", strsplit(line, ",")[[1]])
}

# A readr collector for a type of `column_types`.
collector <- function(type, levels) {
  switch(type %||% NA_character_,
    factor = readr::col_factor(levels), integer = readr::col_integer(),
    double = readr::col_double(), logical = readr::col_logical(),
    character = readr::col_character(), readr::col_guess()
  )
}

# Reads one CSV table with the book's types; stops when a cell does not fit its type.
read_csv_typed <- function(path, book, table, skip = character(), n_max = Inf) {
  header <- csv_header(path)
  columns <- table_columns(path, header)
  type <- column_types(columns, book, table)
  levels <- factor_levels(book, table)
  types <- map(set_names(columns, header), \(name) {
    if (name %in% skip) readr::col_skip() else collector(type[[name]], levels[[name]])
  })
  rows <- suppressWarnings(readr::read_csv(csv_source(path), col_types = do.call(readr::cols, types),
    n_max = n_max, na = "NA", progress = FALSE, num_threads = 2, lazy = FALSE))
  check_problems(readr::problems(rows), path, header)
  set_names(rows, setdiff(columns, skip))
}

check_problems <- function(problems, path, header) {
  if (nrow(problems) == 0) return(invisible())
  first <- problems[1, ]
  fail(path, " line ", first$row, ", column ", header[first$col], ": found '", first$actual, "' instead of ",
       first$expected, "; the code book and the file disagree")
}

# Reads one Parquet table; without a package for it, through the program's CSV.
read_parquet_typed <- function(path, book, table, skip = character(), n_max = Inf, route = parquet_route()) {
  if (!route %in% c("nanoparquet", "arrow", "duckdb")) return(read_csv_typed(path, book, table, skip, n_max))
  rows <- switch(route, nanoparquet = nanoparquet::read_parquet(path),
    arrow = arrow::read_parquet(path, col_select = !dplyr::any_of(skip)), duckdb = duckdb_rows(path))
  rows <- set_names(as_tibble(rows), table_columns(path, names(rows)))
  rows <- rows[setdiff(names(rows), skip)]
  as_typed(rows[seq_len(min(n_max, nrow(rows))), ], book, table)
}

# Rows of a Parquet file by DuckDB: of `columns` (all) where `condition` (SQL) holds.
duckdb_rows <- function(path, columns = NULL, condition = NULL) {
  connection <- DBI_connect()
  on.exit(getExportedValue("DBI", "dbDisconnect")(connection, shutdown = TRUE))
  quote <- \(name) paste0('"', gsub('"', '""', name), '"')
  sql <- paste0("SELECT ", if (is.null(columns)) "*" else paste(quote(columns), collapse = ", "), " FROM read_parquet('", gsub("'", "''", path), "')",
      if (!is.null(condition)) paste(" WHERE", condition))
  getExportedValue("DBI", "dbGetQuery")(connection, sql)
}

# A DuckDB in memory; DBI comes with the package duckdb.
DBI_connect <- function() getExportedValue("DBI", "dbConnect")(duckdb::duckdb())

# Gives a table's columns the types that a CSV of it would have.
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

# Reads table `name` of a folder, or NULL when it has none. A table shorter than the manifest says
# is an error, since a cut compressed file may read without one.
read_table <- function(dir, name, book = book_of(dir), skip = character(), n_max = Inf) {
  path <- table_file(dir, name)
  if (is.na(path)) return(NULL)
  read <- if (endsWith(path, ".parquet")) read_parquet_typed else read_csv_typed
  rows <- read(path, book, name, skip, n_max)
  stated <- stated_rows(dir, basename(path))
  if (!is.na(stated) && nrow(rows) != min(stated, n_max)) {
    fail(path, " has ", nrow(rows), " of the ", min(stated, n_max), " rows that ", manifest_name(dir), " states; ",
         if (manifest_name(dir) == "run.json") paste("check it with tetrastat verify", dir) else "train again, or copy it afresh")
  }
  run_columns(rows)
}

# A table of a study's condition without what the study added to it: the condition's number, and before that the
# columns that only other conditions have, which are missing in every row.
run_columns <- function(rows) {
  if (nrow(rows) == 0 || !all(c("condition", "piece_no") %in% names(rows))) return(rows)
  rows <- rows[setdiff(names(rows), "condition")]
  filled <- which(!vapply(rows, \(values) all(is.na(values)), logical(1)))
  rows[seq_len(max(filled))]
}

# The manifest of a folder: train.json of a training, else run.json.
manifest_name <- function(dir) if (file.exists(file.path(dir, "train.json"))) "train.json" else "run.json"

# The rows of `file` by the folder's manifest; NA where that says nothing.
stated_rows <- function(dir, file) {
  files <- read_manifest(dir, manifest_name(dir))$files
  if (is.null(files$rows)) NA_real_ else as.numeric(files$rows[match(file, files$name)])
}
