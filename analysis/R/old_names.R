# Column names in files of version 0.2. All readers return the names of version 0.3.

# Columns that version 0.3 renamed, by kind of table: new name = name in files of version 0.2.
renamed_columns <- list(
  placements = c(next_1 = "next"),
  guideline_games = c(end_reason = "outcome", points = "score"),
  guideline_placements = c(
    time_ms = "sim_time_ms", next_1 = "next1", next_2 = "next2", next_3 = "next3", next_4 = "next4", next_5 = "next5",
    orientation = "rot", column = "x_left", landing_row = "y_low", input_keys = "inputs", n_turns = "n_rot", n_shifts = "n_shift",
    t_spin = "tspin", points_base = "base_points", points_b2b = "b2b_points", points_combo = "combo_points",
    points_perfect = "perfect_points", points_drop = "drop_points", points_total = "score", well_column = "well_col",
    i_dependencies = "n_dep3", ok_pieces = "n_ok_pieces", parity_column = "parity_col", candidates = "n_moves", score = "value",
    rank2_score = "value_2nd", lost = "lock_out"),
  guideline_candidates = c(orientation = "rot", t_spin = "tspin")
)

# Returns the version 0.3 names of `columns`, the columns of a table of the kind `kind`. `is_old`
# decides if no column has a name that exists in only one version.
current_names <- function(columns, kind, is_old) {
  renamed <- renamed_columns[[kind]]
  only_old <- setdiff(renamed, names(renamed))
  only_new <- setdiff(names(renamed), renamed)
  if (is.null(renamed) || (!any(only_old %in% columns) && (any(only_new %in% columns) || !is_old))) return(columns)
  at <- match(columns, renamed)
  if_else(is.na(at), columns, names(renamed)[at])
}

# Returns the version 0.3 names of the columns of the table file `path`, whose own names are
# `header`.
table_columns <- function(path, header = csv_header(path)) {
  dir <- dirname(path)
  table <- sub("[.].*$", "", basename(path))
  current_names(header, if (is_guideline(dir)) paste0("guideline_", table) else table, is_old = score_is_points(dir, table))
}

# Returns TRUE if the datapackage.json of `dir` states the unit points for the column `score` of
# `table`, as version 0.2 did.
score_is_points <- function(dir, table) {
  path <- file.path(dir, "datapackage.json")
  stated <- if (file.exists(path)) read_datapackage(path)[[table]]
  any(stated$variable == "score" & stated$unit %in% "points")
}
