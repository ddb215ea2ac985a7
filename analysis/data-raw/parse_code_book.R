# Parses the code book of data/README.md. data-raw/code_book.R and a test source this file.

# Returns the cells of one row of a Markdown table.
row_cells <- function(line) trimws(strsplit(sub("^\\|(.*)\\|\\s*$", "\\1", line), "\\|")[[1]])

# Parses a Markdown table (lines that begin with `|`) into a tibble of text.
markdown_table <- function(lines) {
  lines <- lines[startsWith(lines, "|")]
  if (length(lines) < 3) return(tibble())
  header <- row_cells(lines[1])
  rows <- keep(map(lines[-(1:2)], row_cells), \(cells) length(cells) == length(header))
  as_tibble(set_names(as.data.frame(do.call(rbind, rows)), header))
}

# Parses the code book of data/README.md into one table: table, variable, type, unit, meaning,
# levels. Its headings begin with the table's name in small letters, those of the guide before it with a capital.
parse_code_book <- function(path) {
  lines <- readLines(path, encoding = "UTF-8")
  starts <- grep("^## ", lines)
  ends <- c(starts[-1] - 1, length(lines))
  names <- sub("^## ([a-z_]+).*", "\\1", lines[starts])
  tables <- keep(set_names(map2(starts, ends, \(from, to) markdown_table(lines[from:to])), names), \(table) nrow(table) > 0)
  tables <- tables[grepl("^[a-z]", names(tables))]
  columns <- c("variable", "type", "unit", "meaning", "levels")
  bind_rows(imap(tables, \(table, name) {
    table <- rename(table, any_of(c(variable = "feature", variable = "term", meaning = "definition")))
    table[setdiff(columns, names(table))] <- NA_character_
    mutate(table[columns], table = name, .before = 1)
  })) |> mutate(across(everything(), \(x) na_if(x, "-")))
}
