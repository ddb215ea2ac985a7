# Data sets that `tetrastat data set` wrote, and the data set `tiny`, which the package contains.

#' Read a data set
#'
#' Reads a table of a data set that `tetrastat data set` wrote. Placements are read lazily: verbs of
#' dplyr such as `filter()`, `group_by()` and `summarise()` are evaluated by duckdb or arrow, and
#' `collect()` returns the result as a tibble. Data sets may be larger than the memory.
#'
#' The settings of the conditions are columns too: `held_out` (the text `"true"` or `"false"`),
#' `rules`, `queue`, `board_size`, `search`, `policy` and `controller`. A filter on them skips whole
#' files. [code_book()] explains the other columns.
#'
#' @param path A string: the folder of the data set.
#' @param table A string: `"placements"`, `"candidates"` if the data set has them, `"games"` or
#'   `"conditions"`.
#' @return For `"placements"` and `"candidates"` a table of dbplyr in an in-memory duckdb, or without
#'   duckdb an arrow `Dataset`. For the other tables a tibble.
#' @seealso [open_placements()] for the log of a run. [tiny], a data set that the package contains.
#' @examples
#' \dontrun{
#' # tetrastat data set small --out small
#' read_dataset("small") |>
#'   dplyr::filter(held_out == "false", split == "train") |>
#'   dplyr::count(height_before, creates_hole = d_holes > 0) |>
#'   dplyr::collect()
#' }
#' @export
read_dataset <- function(path, table = "placements") {
  check_dataset(path)
  file <- table_file(path, table)
  if (!is.na(file)) return(read_csv_typed(file, book_of(path), table))
  folder <- file.path(path, table)
  if (!dir.exists(folder)) {
    fail(path, " has no table ", table, "; use placements, candidates, games or conditions")
  }
  lazy_table(folder)
}

# Fails unless `path` is the folder of a data set.
check_dataset <- function(path) {
  if (!is.character(path) || length(path) != 1) fail("path must be the folder of a data set")
  if (file.exists(file.path(path, "dataset.toml"))) return(invisible(path))
  fail(path, " is no data set; write one with tetrastat data set FILE --out ", path)
}

#' The data set tiny
#'
#' Placements of three published controllers on a board of 10 by 20 cells: 19,942 placements of 60
#' games. Each controller plays ten games with pieces from a uniform queue and ten with pieces from
#' a bag of seven. Games are cut off after 334 pieces. Game i of one queue has the same pieces for
#' all controllers.
#'
#' Load it by name: `tiny_placements`, `tiny_games` and `tiny_conditions`. `tetrastat data set tiny
#' --out tiny` writes the same data set as files. `tetrastat data set small --out small` writes a
#' larger one with 10 million placements.
#'
#' @format `tiny_placements` is a tibble with one row for each placement:
#' \describe{
#'   \item{condition}{number of the condition, as in `tiny_conditions`}
#'   \item{controller, queue}{player (`bcts`, `dt20` or `lee`), and queue that deals the pieces}
#'   \item{held_out}{`TRUE` for `lee`: test on it, but never train on it}
#'   \item{game, piece_no}{number of the game from 0, and of the piece in its game from 1}
#'   \item{piece}{letter of the piece}
#'   \item{orientation, column, landing_row}{placement: number of the rotation, leftmost column from
#'     0, and lowest row from 0 at the floor}
#'   \item{lines, lines_total}{rows that the placement removed, and all rows so far}
#'   \item{score, margin}{score of the placement, and its distance to the second best one}
#'   \item{candidates}{number of placements among which the controller chose}
#'   \item{lost}{`TRUE` if the placement ended the game}
#'   \item{board_before}{board before the placement; [decode_board()] reads it}
#'   \item{holes_before, height_before, d_holes}{holes and height before the placement, and the
#'     change of the holes by it}
#'   \item{split}{`train`, `validation` or `test`; all placements of a game have one split}
#'   \item{landing_height, eroded_cells, row_transitions, column_transitions, holes, wells,
#'     hole_depth, rows_with_holes, aggregate_height, max_height, bumpiness}{features of the
#'     placement, as [code_book()] defines them}
#'   \item{h0, ..., h9}{height of each column after the placement}
#' }
#' `tiny_games` has one row for each game, and `tiny_conditions` one for each condition, with the
#' columns of [read_tetrastat()]. A game whose `censored` is `TRUE` was cut off: its `lines` are a lower
#' bound.
#' @source `tetrastat data set data/datasets/tiny.toml`, through `data-raw/tiny.R` in the sources of
#'   the package. Licence: CC0 1.0.
#' @examples
#' # Share of placements that create a hole, by the height before the placement
#' tapply(tiny_placements$d_holes > 0, tiny_placements$height_before, mean)
#' @seealso [read_dataset()] for data sets in a folder.
#' @name tiny
#' @aliases tiny_placements tiny_games tiny_conditions
#' @docType data
#' @keywords datasets
NULL
