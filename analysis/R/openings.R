# Openings of guideline games: which formation is built first, what the first attacks are, and which known opener it is.

#' Openings of guideline games
#'
#' What each game of a run begins with. Its *formation* is the stack after seven pieces, or before the first rows are removed where that
#' comes earlier; a formation and its mirror image count as one. Its *attacks* are the tetrises, T-spins that remove rows and perfect
#' clears within the first `pieces` pieces, in their order, as players write them: `TSS`, `TSD`, `TST` (T-spin single, double, triple),
#' `mini`, `tetris`, each with `PC` behind it where nothing is left; `PC` alone for a perfect clear by other means. A game *plays* a
#' known opener if after as many pieces as the opener has its stack is the opener's, cell by cell, or its mirror image
#' ([known_openers()]).
#'
#' @param run A run of guideline games with every placement logged from the first piece on, or its folder.
#' @param pieces Pieces that count as the opening: three bags.
#' @return A tibble with a row per game: `game`, `formation` (a board as logs have it, of the two mirror images the first in
#'   the alphabet), `formation_pieces`, `attacks` (`"none"` where there are none), `first_attack` (its piece; `NA`), `opener` (its name; `NA`).
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   run <- simulate_games("tetrastat-sprint", rules = "guideline", games = 20, placements = "csv")
#'   dplyr::count(openings(run), attacks, opener, sort = TRUE)
#' }
#' @export
openings <- function(run, pieces = 21) {
  check_count(pieces, "pieces")
  dir <- run_folder(run)
  check_guideline_dir(dir)
  if (!logs_openings(dir, pieces)) fail(dir, " lacks placements of its games' beginnings; play again with --placements csv.gz and without --every and its kin")
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

# Whether the placements that a run logged are all of the first `pieces` of their games.
logs_openings <- function(dir, pieces) {
  logged <- logged_part(read_manifest(dir))
  logged$every == 1 && logged$from == 1 && logged$to >= pieces && logged$only_last == Inf
}

#' Openers that players know by name
#'
#' The formations of the openers in the opening book of Cold Clear, as stacks of their first five to seven pieces before the first T-spin or
#' perfect clear. Players vary them; these are the forms that the book has.
#'
#' @return A tibble: `name`, `board` (as logs have it), `pieces`, `source`.
#' @examples
#' known_openers()
#' @export
known_openers <- function() {
  path <- system.file("extdata", "openers.csv", package = "tetrastat", mustWork = TRUE)
  drawn <- utils::read.csv(path, colClasses = "character")
  rows <- strsplit(drawn$rows, "/", fixed = TRUE)
  tibble(name = drawn$name, board = vapply(rows, board_of_picture, ""), pieces = vapply(rows, \(row) sum(nchar(gsub("[^#]", "", row))), 0) / 4, source = drawn$source)
}

# A board as logs have it, of its picture's rows, top row first.
board_of_picture <- function(rows) {
  value <- vapply(strsplit(rows, ""), \(cells) sum(bitwShiftL(1L, which(cells == "#") - 1L)), 0)
  paste(sprintf("%03x", rev(as.integer(value))), collapse = ":")
}

# The mirror image of boards ten columns wide.
mirror_board <- function(boards) {
  turned <- integer(1024)
  for (bit in 0:9) turned <- bitwOr(turned, bitwShiftL(bitwAnd(bitwShiftR(0:1023, bit), 1L), 9L - bit))
  vapply(strsplit(boards, ":", fixed = TRUE), \(rows) paste(sprintf("%03x", turned[strtoi(rows, 16L) + 1L]), collapse = ":"), "")
}

# Of each board and its mirror image the one that comes first.
one_of_mirrored <- function(boards) {
  unique <- unique(boards)
  pmin(unique, mirror_board(unique))[match(boards, unique)]
}

# The names of clears that count as attacks; NA for all others.
attack_names <- function(lines, t_spin, perfect) {
  spin <- c(NA, "TSS", "TSD", "TST")[pmin(lines, 3) + 1]
  name <- if_else(t_spin == "full", spin, if_else(t_spin == "mini" & lines > 0, "mini", NA_character_))
  name <- if_else(lines == 4, "tetris", name)
  if_else(perfect, if_else(is.na(name), "PC", paste(name, "PC")), name)
}

# The name of the opener, of those `known` (`opener_boards()`), that the boards of a game pass through; NA of none.
opener_of <- function(boards, lines, known) {
  # No opener removes rows before its formation stands.
  before <- cumsum(lines) == 0
  found <- which(known$pieces <= length(boards) & known$board == boards[known$pieces] & before[known$pieces])
  if (length(found) == 0) NA_character_ else known$name[found[1]]
}

# Both mirror images of the known openers, those of most pieces first: a game that went on to one of seven is that one.
opener_boards <- function() {
  known <- known_openers()
  bind_rows(known, mutate(known, board = mirror_board(.data$board))) |> distinct() |> arrange(-.data$pieces)
}

# Openings of runs together, those whose placements have them: `openings()` with `run`, a factor; NULL of none.
openings_by_run <- function(dirs, pieces = 21) {
  bind_dirs(dirs, map(dirs, \(dir) if (!is.na(table_file(dir, "placements")) && logs_openings(dir, pieces)) openings(dir, pieces)))
}

# The commonest of each run in a column of openings: `run`, the column, n, share with Wilson's interval.
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
