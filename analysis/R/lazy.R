# Lazy tables: filters, selections and groups are evaluated where the file is read. Data sets,
# `open_placements()` and the readers of Parquet share this file.

#' Open the placements of a run as a lazy table
#'
#' Returns a table of dbplyr in DuckDB that reads no rows yet. Verbs of dplyr such as `filter()`,
#' `select()`, `group_by()` and `summarise()` are evaluated by DuckDB, which reads only the columns
#' and the parts of the files that the query needs. `collect()` returns the result as a tibble. Logs
#' may be larger than the memory.
#'
#' All formats of logs work: Parquet, and CSV that is plain or compressed by gzip or Zstandard.
#' Factors of [code_book()] are text in a lazy table. [read_placements()] returns typed rows.
#'
#' @param run One of:
#'   * a run or a study that [read_tetrastat()] returns;
#'   * a character vector of folders: of runs, of shards of a run, of a study, or of runs in it;
#'   * a character vector of files of placements;
#'   * the folder of a data set ([read_dataset()]).
#' @return A lazy table. If there is more than one file, its first column `label` is the label of
#'   the condition or shard, or the path of the file. Without DuckDB, but with arrow, one Parquet
#'   file is an arrow `Dataset`.
#' @seealso [read_placements()], which needs no other package.
#' @examples
#' if (requireNamespace("duckdb", quietly = TRUE) && requireNamespace("dbplyr", quietly = TRUE)) {
#'   open_placements(example_run("games")) |>
#'     dplyr::filter(piece_no > 20) |>
#'     dplyr::group_by(piece) |>
#'     dplyr::summarise(holes = mean(holes, na.rm = TRUE)) |>
#'     dplyr::collect()
#' }
#' @export
open_placements <- function(run) {
  if (is.character(run) && length(run) == 1 && file.exists(file.path(run, "dataset.toml"))) {
    return(read_dataset(run))
  }
  files <- placement_files(run)
  lazy_table(files)
}

# Returns the files of placements of runs. The names are the labels, if there are several files.
placement_files <- function(run) {
  if (is.character(run) && length(run) > 0 && all(file.exists(run) & !dir.exists(run))) {
    files <- set_names(run)
  } else {
    conditions <- if (inherits(run, "tetrastat_study")) run$conditions
      else read_conditions(if (is.character(run)) run else run_folder(run))
    files <- set_names(map_chr(conditions$dir, table_file, "placements"), conditions$label)
    absent <- conditions$dir[is.na(files)]
    if (length(absent) > 0) {
      fail("no placements table in ", absent[1],
           "; run the simulation again with --placements parquet")
    }
  }
  if (length(files) == 1) unname(files) else files
}

has_packages <- function(...) all(vapply(c(...), requireNamespace, logical(1), quietly = TRUE))

# Returns the lazy table of `paths`: files, or one folder of Parquet files in hive partitions.
# Names of `paths` become the column `label`.
lazy_table <- function(paths) {
  if (has_packages("duckdb", "dbplyr")) {
    connection <- duckdb_connection()
    scans <- map_chr(paths, scan_sql, connection)
    if (!is.null(names(paths))) {
      scans <- paste0("SELECT ", sql_text(names(paths)), " AS label, * FROM (", scans, ")")
    }
    return(dplyr::tbl(connection, dplyr::sql(paste(scans, collapse = " UNION ALL BY NAME "))))
  }
  for_arrow <- length(paths) == 1 && (dir.exists(paths) || is_parquet(paths))
  if (for_arrow && has_packages("arrow")) return(arrow::open_dataset(paths))
  fail("a lazy table of ", if (for_arrow) "Parquet is read by the R package arrow, or by "
       else "CSV or of several files is read by the R packages ",
       "duckdb and dbplyr; run install.packages(c(\"duckdb\", \"dbplyr\"))")
}

is_parquet <- function(path) endsWith(path, ".parquet")

# Connects to an in-memory DuckDB.
duckdb_connection <- function() {
  DBI::dbConnect(suppressMessages(duckdb::duckdb()))
}

sql_text <- function(text) paste0("'", gsub("'", "''", text), "'")

# Returns the query of all rows of a table file, or of all files of a folder. Cells of a CSV have the
# types of the code book.
scan_sql <- function(path, connection) {
  if (dir.exists(path)) {
    files <- sql_text(file.path(path, "**", "*.parquet"))
    return(paste0("SELECT * FROM read_parquet(", files, ", hive_partitioning = true)"))
  }
  csv <- \(...) paste0("read_csv(", sql_text(path), ", header = true, nullstr = 'NA'", ..., ")")
  source <- if (is_parquet(path)) paste0("read_parquet(", sql_text(path), ")")
    else csv(", all_varchar = true")
  describe <- paste("DESCRIBE SELECT * FROM", source)
  header <- tryCatch(DBI::dbGetQuery(connection, describe)$column_name,
    error = \(e) fail(path, " cannot be read as a table; check it with tetrastat data verify ",
                      dirname(path)))
  if (!is_parquet(path)) {
    known <- c(factor = "VARCHAR", character = "VARCHAR", integer = "INTEGER", double = "DOUBLE",
               logical = "BOOLEAN")
    type <- known[column_types(header, book_of(dirname(path)), "placements")]
    typed <- paste0(sql_text(header), ": ", sql_text(type))[!is.na(type)]
    source <- csv(", types = {", paste(typed, collapse = ", "), "}")
  }
  paste("SELECT * FROM", source)
}
