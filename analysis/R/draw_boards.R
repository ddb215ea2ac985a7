# Draws boards: decodes hexadecimal rows, and shows pieces before they rest and the last placements
# of games.

#' Cells of logged boards
#'
#' Decodes boards from the hexadecimal text of the logs.
#'
#' @param board A character vector of boards in the format of the logs: hexadecimal rows from the
#'   floor up, joined by `":"`, bit 0 is the leftmost column.
#' @param width A whole number: columns of the board.
#' @return A tibble with one row per filled cell: `board` (index into the argument), `x` (column)
#'   and `y` (row), both counted from 0 at the lower left.
#' @examples
#' decode_board(c("3fe:201", "0"), width = 10)
#' @export
decode_board <- function(board, width = 10) {
  digits <- ceiling(width / 4)
  rows <- max(0, (nchar(board) + 1) %/% (digits + 1), na.rm = TRUE)
  cells <- map(seq_len(rows) - 1L, \(y) {
    bits <- board_row(board, y, width)
    map(seq_len(width) - 1L, \(x) {
      on <- which(bitwAnd(bits, bitwShiftL(1L, x)) > 0)
      if (length(on) > 0) tibble(board = on, x = x, y = y)
    })
  })
  found <- bind_rows(unlist(cells, recursive = FALSE))
  if (nrow(found) == 0) return(tibble(board = integer(), x = integer(), y = integer()))
  arrange(found, .data$board, .data$y, .data$x)
}

#' Boards in ggplot
#'
#' A layer of filled cells. Map `x` and `y` to the columns that [decode_board()] returns; `fill` is
#' optional.
#'
#' @param mapping,data,... Arguments of [ggplot2::geom_tile()].
#' @return A layer to add to a ggplot.
#' @examples
#' library(ggplot2)
#' ggplot(decode_board("3fe:3f1:201", 10), aes(x, y)) + geom_board() + coord_equal()
#' @export
geom_board <- function(mapping = NULL, data = NULL, ...) {
  given <- list(...)
  if (is.null(given$fill) && !"fill" %in% names(mapping)) given$fill <- "#8A8A8A"
  do.call(geom_tile, c(list(mapping = mapping, data = data, width = 0.94, height = 0.94), given))
}

# Sets the size and the floor of a board.
scale_board <- function(width = 10, height = 20) {
  list(coord_equal(xlim = c(-0.5, width - 0.5), ylim = c(-0.5, height - 0.5), expand = FALSE),
       scale_x_continuous(breaks = seq(0, width - 1, by = 3)), scale_y_continuous(breaks = whole_breaks(5)))
}

# The usual colours of pieces, darkened for a white background.
piece_colours <- c(I = "#1CA3B8", O = "#C9A400", T = "#9B3FB5", S = "#3E9B35", Z = "#D1344B", J = "#2F5FC4", L = "#DB7B1C")

#' Pictures of the placements of a game
#'
#' Draws the board before each placement, and the piece where it comes to rest.
#'
#' The log must contain boards: the column `board` of each placement of the span, or `board_before`
#' if the log was thinned with `--every`. `--columns controller` does not include `board_before`, so
#' it must be named.
#'
#' @param x A run of classic games, or its folder.
#' @param game A whole number: number of the game, from 0. Default: the first finished game.
#' @param last A whole number: logged placements before the end of the game. Used if `pieces` is `NULL`.
#' @param pieces Whole numbers: numbers of pieces to draw, from 1.
#' @return A ggplot with one panel per placement, and with [figure_data()].
#' @examples
#' plot_boards(example_run("choices"), game = 0, pieces = 100)
#' @export
plot_boards <- function(x, game = NULL, last = 12, pieces = NULL) {
  dir <- run_folder(x)
  draw_pieces(dir, shown_game(dir, game), pieces, check_count(last, "last"))
}

# Returns the number of the game to draw: the first finished one if `game` is NULL.
shown_game <- function(dir, game) {
  games <- read_games(dir)
  if (is.null(game)) {
    if (all(games$censored)) fail("no finished game in ", dir, ": all games are censored; name one with game = 0")
    return(games$game[!games$censored][1])
  }
  if (length(game) != 1 || !game %in% games$game) fail("no game ", paste(game, collapse = ", "), " in ", dir, "; it has the games ", min(games$game), " to ", max(games$game))
  game
}

# Draws these pieces of a game, or its last logged ones.
draw_pieces <- function(dir, game, pieces, last = 12) {
  path <- table_file(dir, "placements")
  boards <- if (is.na(path)) "board" else intersect(c("board", "board_before"), csv_header(path))
  rows <- read_placements(dir, c("piece", "orientation", "column", "landing_row", "lines", if (length(boards) == 0) "board" else boards), games = game)
  size <- as.integer(strsplit(read_manifest(dir)$config$board %||% "10x20", "x")[[1]])
  width <- size[1]
  height <- size[2]
  shown <- if (is.null(pieces)) tail(rows, last) else filter(rows, .data$piece_no %in% pieces)
  absent <- setdiff(pieces, shown$piece_no)
  if (length(absent) > 0) fail("game ", game, " has no placement ", paste(head(absent, 5), collapse = ", "), " in the log of ", dir)
  before <- if ("board_before" %in% boards) shown$board_before else rows$board[match(shown$piece_no - 1, rows$piece_no)]
  before[shown$piece_no == 1] <- "0"
  known <- !is.na(before)
  labels <- paste0(tidy_number(shown$piece_no), " ", shown$piece, if_else(shown$lines > 0, paste0(" (", shown$lines, if_else(shown$lines == 1, " line)", " lines)")), ""))
  labels <- factor(labels, unique(labels))
  settled <- decode_board(if_else(known, before, shown[["board"]] %||% before), width) |> mutate(panel = labels[.data$board])
  piece <- inner_join(mutate(shown, panel = labels), piece_cells(), by = c("piece", "orientation")) |>
    mutate(x = .data$column + .data$dx, y = .data$landing_row + .data$dy)
  plot <- ggplot(settled, aes(.data$x, .data$y)) + geom_board() +
    geom_board(aes(fill = .data$piece), data = piece) + facet_wrap(~panel, ncol = min(6, nrow(shown)), drop = FALSE) +
    scale_fill_manual(values = piece_colours, guide = "none") + scale_board(width, max(height, piece$y + 1)) +
    labs(title = paste("Game", game), subtitle = "Each panel: piece number, piece, lines cleared", x = NULL, y = NULL) + theme_tetrastat() +
    theme(panel.grid = element_blank(), panel.border = element_rect(fill = NA, colour = quiet), strip.text = element_text(size = rel(0.8)), strip.clip = "off", panel.spacing = unit(8, "pt"), panel.spacing.x = unit(8, "pt"))
  columns <- min(6, nrow(shown))
  page <- max(3.4, 0.9 + 1.6 * columns) # as high as boards that fill the page width
  figure(plot, page, 2.1 + (0.35 + (page - 0.75) / columns * height / width) * panel_rows(nrow(shown), columns),
    if (all(known)) "Grey: the board before the placement. Coloured: the piece where it comes to rest." else
      "Grey: the board before the placement if it was logged, else the board after it. Coloured: the piece where it comes to rest.",
    paste("Boards of game", game))
}

#' Animation of the last placements of a game
#'
#' Writes an animated GIF with one frame per placement. It needs the package gifski.
#'
#' @inheritParams plot_boards
#' @param out A string: path of the GIF file.
#' @param delay A number: seconds per frame.
#' @return `out`, invisibly.
#' @export
animate_death <- function(x, out, game = NULL, last = 40, delay = 0.4) {
  need_packages("gifski")
  dir <- run_folder(x)
  game <- shown_game(dir, game)
  pieces <- tail(read_placements(dir, "piece", games = game)$piece_no, last)
  frames <- map(pieces, \(piece_no) draw_pieces(dir, game, piece_no))
  folder <- tempfile("frames")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- file.path(folder, sprintf("%04d.png", seq_along(frames)))
  walk2(frames, files, \(frame, file) save_figure(frame, file, dpi = 100))
  facts <- figure_facts(frames[[1]])
  gifski::gifski(files, out, width = 100 * facts$width, height = 100 * facts$height, delay = delay, progress = FALSE)
  invisible(out)
}
