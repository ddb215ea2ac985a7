# The code book (data/README.md) as data: types and factor levels come from it, not from guesses.

#' Levels used where no code book is at hand; in the code book's order.
known_levels <- list(
  piece = c("I", "O", "T", "S", "Z", "J", "L"),
  next_piece = c("I", "O", "T", "S", "Z", "J", "L"),
  end_reason = c("top_out", "spawn_blocked", "piece_limit", "line_limit", "interrupted"),
  clear_type = c("none", "single", "double", "triple", "tetris"),
  status = c("pending", "unfinished", "complete"), tie = c("first", "dellacherie"),
  kind = c("measured", "rerun", "quoted", "projected"), verdict = c("agrees", "lower", "higher", "open")
)

#' The cells of one Markdown table row.
row_cells <- function(line) trimws(strsplit(sub("^\\|(.*)\\|\\s*$", "\\1", line), "\\|")[[1]])

#' One Markdown table (a run of lines that begin with `|`) as a tibble of text.
markdown_table <- function(lines) {
  lines <- lines[startsWith(lines, "|")]
  if (length(lines) < 3) return(tibble())
  header <- row_cells(lines[1])
  rows <- keep(map(lines[-(1:2)], row_cells), \(cells) length(cells) == length(header))
  as_tibble(set_names(as.data.frame(do.call(rbind, rows)), header))
}

#' Reads the code book: one tibble (variable, type, levels, ...) per table, by table name.
#' Without a file the result is empty, and the reader falls back on `known_levels`.
read_code_book <- function(path) {
  if (!file.exists(path)) return(list())
  lines <- readLines(path, encoding = "UTF-8")
  starts <- grep("^## ", lines)
  ends <- c(starts[-1] - 1, length(lines))
  names <- sub("^## ([a-z_]+).*", "\\1", lines[starts])
  compact_tables(set_names(map2(starts, ends, \(from, to) markdown_table(lines[from:to])), names))
}

compact_tables <- function(tables) keep(tables, \(table) nrow(table) > 0)

#' Levels of each factor of one table: the code book's, and `known_levels` for what it lacks.
factor_levels <- function(book, table) {
  known <- set_names(known_levels, sub("next_piece", "next", names(known_levels)))
  columns <- book[[table]]
  if (is.null(columns)) return(known)
  factors <- filter(columns, .data$type == "factor")
  stated <- set_names(strsplit(factors$levels, " +"), factors$variable)
  c(stated, known[setdiff(names(known), names(stated))])
}

#' Type of each column of `names`: "factor", "integer", "double", "logical", "character" or NA
#' (to be guessed). Whole numbers that can pass 2^31 in a long run (`count`) are doubles; features
#' and scores are doubles; heights and small indices are integers.
column_types <- function(names, book, table) {
  stated <- book[[table]]
  type <- if (is.null(stated)) rep(NA_character_, length(names)) else stated$type[match(names, stated$variable)]
  type <- set_names(recode(type, text = "character", real = "double", count = "double"), names)
  type[indexed_base(names) %in% book$features$feature & !names %in% stated$variable] <- "double"
  type[grepl("^h[0-9]+$", names)] <- "integer"
  if (table %in% c("history", "population")) type[is.na(type)] <- "double" # weights
  unstated_types(type)
}

#' Fills the types that the code book does not state, so that older and newer runs read alike.
unstated_types <- function(type) {
  fallback <- c(
    piece = "factor", "next" = "factor", end_reason = "factor", clear_type = "factor",
    stream_seed = "character", board = "character", cleared_rows = "character",
    censored = "logical", perfect = "logical", lost = "logical", chosen = "logical",
    condition = "double", folder = "character", status = "factor", controller = "character", tie = "factor",
    rules = "character", reach = "character", clear_on_overflow = "logical", start = "character",
    queue = "character", search = "character", seed = "character",
    score = "double", margin = "double", rank2_score = "double", game = "double",
    pieces = "double", piece_no = "double", lines_total = "double",
    kind = "factor", verdict = "factor", source = "character", place = "character", note = "character",
    games = "double", ended = "double", mean = "double", mean_low = "double", mean_high = "double",
    published_games = "double", published = "double", published_low = "double", published_high = "double",
    ratio = "double", ratio_low = "double", ratio_high = "double", finished = "character", commit = "character"
  )
  open <- is.na(type) & names(type) %in% names(fallback)
  type[open] <- fallback[names(type)[open]]
  type
}
