# Openings of guideline games: the first formation, the first attacks, and known openers.

#' Openings of guideline games
#'
#' Describes the opening of each game of a run by three properties:
#' * The *formation* is the stack after seven pieces, or before the first clear if that is earlier.
#'   A formation and its mirror image count as one.
#' * The *attacks* are the tetrises, T-spins that clear rows, and perfect clears within the first
#'   `pieces` pieces, in order of occurrence. Their names are those of players: `TSS`, `TSD`, `TST`
#'   (T-spin single, double, triple), `mini`, `tetris`. A following `PC` means that the board is
#'   empty afterwards; `PC` alone is a perfect clear by other means.
#' * The *opener* is the opener of Cold Clear's opening book that the game builds: after the same
#'   number of pieces its stack equals that of the opener or its mirror image, cell by cell. The file
#'   `extdata/openers.csv` of the package has the openers: the stack of the first five to seven pieces,
#'   before the first T-spin or perfect clear.
#'
#' @param x A run of guideline games in which every placement from the first piece on was logged, a study,
#'   the folder of either, or a list of these.
#' @param pieces A whole number: pieces of the opening. Default: 21, three bags.
#' @return A tibble with one row per game. Several runs have the column `run` first.
#' * `game`: number of the game.
#' * `formation`: a board in the format of the logs; of the two mirror images the first in
#'   alphabetical order.
#' * `formation_pieces`: pieces of the formation.
#' * `attacks`: names of the attacks, `"none"` if there are none.
#' * `first_attack`: number of the piece of the first attack, or `NA`.
#' * `opener`: name of the opener, or `NA`.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   run <- simulate_games("tetrastat-sprint", rules = "guideline", games = 20, placements = "csv")
#'   dplyr::count(openings(run), attacks, opener, sort = TRUE)
#' }
#' @export
openings <- function(x, pieces = 21) {
  check_count(pieces, "pieces")
  by_folder(x, \(dir) openings_in(dir, pieces))
}

openings_in <- function(dir, pieces = 21) {
  check_guideline_dir(dir)
  if (!logs_openings(dir, pieces)) fail(dir, " does not log all placements of the openings; run the simulation again with --placements csv.gz and without --every, --from, --to and --only-last")
  known <- opener_boards()
  rows <- read_placements(dir, c("lines", "t_spin", "perfect", "board"), until = pieces)
  if (nrow(rows) == 0) return(tibble(game = numeric(), formation = character(), formation_pieces = integer(), attacks = character(), first_attack = integer(), opener = character()))
  rows |>
    mutate(board = coalesce(.data$board, ""), attack = attack_names(.data$lines, .data$t_spin, .data$perfect)) |>
    group_by(.data$game) |>
    summarise(
      formation_pieces = min(7L, n(), which(.data$lines > 0) - 1L), formation = c("", .data$board)[.data$formation_pieces + 1],
      attacks = if (any(!is.na(.data$attack))) paste(.data$attack[!is.na(.data$attack)], collapse = ", ") else "none",
      first_attack = .data$piece_no[match(FALSE, is.na(.data$attack))], opener = opener_of(.data$board, .data$lines, known), .groups = "drop"
    ) |>
    mutate(formation = one_of_mirrored(.data$formation)) |>
    select("game", "formation", "formation_pieces", "attacks", "first_attack", "opener")
}

# Returns TRUE if a run logged all of the first `pieces` placements of its games.
logs_openings <- function(dir, pieces) {
  logged <- logged_part(read_manifest(dir))
  logged$every == 1 && logged$from == 1 && logged$to >= pieces && logged$only_last == Inf
}

# Returns the formations of the openers in the opening book of Cold Clear: name, board (in the format of
# the logs), pieces, source. Players use variations; these are the forms in the book.
known_openers <- function() {
  path <- system.file("extdata", "openers.csv", package = "tetrastat", mustWork = TRUE)
  drawn <- utils::read.csv(path, colClasses = "character")
  rows <- strsplit(drawn$rows, "/", fixed = TRUE)
  tibble(name = drawn$name, board = vapply(rows, board_of_picture, ""), pieces = vapply(rows, \(row) sum(nchar(gsub("[^#]", "", row))), 0) / 4, source = drawn$source)
}

# Converts the rows of a picture, top row first, into a board in the format of the logs.
board_of_picture <- function(rows) {
  value <- vapply(strsplit(rows, ""), \(cells) sum(bitwShiftL(1L, which(cells == "#") - 1L)), 0)
  paste(sprintf("%03x", rev(as.integer(value))), collapse = ":")
}

# Returns the mirror images of boards that are ten columns wide.
mirror_board <- function(boards) {
  turned <- integer(1024)
  for (bit in 0:9) turned <- bitwOr(turned, bitwShiftL(bitwAnd(bitwShiftR(0:1023, bit), 1L), 9L - bit))
  vapply(strsplit(boards, ":", fixed = TRUE), \(rows) paste(sprintf("%03x", turned[strtoi(rows, 16L) + 1L]), collapse = ":"), "")
}

# Returns the alphabetically first of each board and its mirror image.
one_of_mirrored <- function(boards) {
  unique <- unique(boards)
  pmin(unique, mirror_board(unique))[match(boards, unique)]
}

# Returns the names of clears that count as attacks, and NA for all others.
attack_names <- function(lines, t_spin, perfect) {
  spin <- c(NA, "TSS", "TSD", "TST")[pmin(lines, 3) + 1]
  name <- if_else(t_spin == "full", spin, if_else(t_spin == "mini" & lines > 0, "mini", NA_character_))
  name <- if_else(lines == 4, "tetris", name)
  if_else(perfect, if_else(is.na(name), "PC", paste(name, "PC")), name)
}

# Returns the name of the opener in `known` (see `opener_boards()`) that the boards of a game
# contain, or NA.
opener_of <- function(boards, lines, known) {
  # No opener clears rows before its formation is complete.
  before <- cumsum(lines) == 0
  found <- which(known$pieces <= length(boards) & known$board == boards[known$pieces] & before[known$pieces])
  if (length(found) == 0) NA_character_ else known$name[found[1]]
}

# Returns both mirror images of the known openers, longest first, so that a game which extends a
# short opener to a long one gets the name of the long one.
opener_boards <- function() {
  known <- known_openers()
  bind_rows(known, mutate(known, board = mirror_board(.data$board))) |> distinct() |> arrange(-.data$pieces)
}

# Binds `openings()` of the runs that logged them, with `run`, a factor; NULL if there is none.
openings_by_run <- function(dirs, pieces = 21) {
  bind_dirs(dirs, map(dirs, \(dir) if (!is.na(table_file(dir, "placements")) && logs_openings(dir, pieces)) openings_in(dir, pieces)))
}

# Returns the most frequent values of a column of openings for each run: `run`, the column, n, share
# with Wilson's interval.
commonest <- function(openings, column, most = 8) {
  openings |>
    filter(!is.na(.data[[column]])) |>
    count(.data$run, .data[[column]], name = "n") |>
    left_join(count(openings, .data$run, name = "games"), by = "run") |>
    group_by(.data$run) |>
    slice_max(.data$n, n = most, with_ties = FALSE) |>
    ungroup() |>
    mutate(wilson_interval(.data$n, .data$games), games = NULL)
}
