# Reads the data set `tiny`. data-raw/tiny.R and a test source this file.

# Reads the data set `tiny` in the folder `path` as the tables that the package contains. The engine
# converts the placements, so no other reader of Parquet is needed.
tiny_tables <- function(path) {
  conditions <- read_dataset(path, "conditions")
  files <- file.path(path, conditions$file)
  rows <- map(files, \(file) read_csv_typed(file, shipped_book(), "placements"))
  in_order <- \(names) factor(names, unique(names))
  settings <- tibble(
    condition = conditions$condition, controller = in_order(conditions$controller),
    queue = in_order(conditions$queue), held_out = grepl("/held_out=true/", files, fixed = TRUE))
  tables <- list(
    tiny_placements = left_join(settings, bind_rows(rows), by = "condition"),
    tiny_games = left_join(settings, read_dataset(path, "games"), by = "condition"),
    tiny_conditions = select(conditions, -"file"))
  map(tables, as_plain)
}

# Removes the attributes that a reader adds and the columns without values. Stores whole numbers as
# integers, which need half of the memory.
as_plain <- function(rows) {
  is_whole <- \(values) all(is.na(values) | (values == round(values) & abs(values) < 2^31))
  narrow <- \(values) if (is.double(values) && is_whole(values)) as.integer(values) else values
  as_tibble(discard(lapply(rows, narrow), \(values) all(is.na(values))))
}
