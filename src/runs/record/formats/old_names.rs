//! Names of columns in files that versions before 0.3 wrote.

use std::path::Path;

use crate::error::Result;
use crate::record::folder::data_package::stated_columns;

/// Renamed columns: table, name before version 0.3, name since then. Only old names that the table
/// no longer uses are listed.
const RENAMED: [(&str, &str, &str); 31] = [
    ("games", "outcome", "end_reason"),
    ("games", "score", "points"),
    ("placements", "next", "next_1"),
    ("placements", "sim_time_ms", "time_ms"),
    ("placements", "next1", "next_1"),
    ("placements", "next2", "next_2"),
    ("placements", "next3", "next_3"),
    ("placements", "next4", "next_4"),
    ("placements", "next5", "next_5"),
    ("placements", "rot", "orientation"),
    ("placements", "x_left", "column"),
    ("placements", "y_low", "landing_row"),
    ("placements", "tspin", "t_spin"),
    ("placements", "inputs", "input_keys"),
    ("placements", "n_rot", "n_turns"),
    ("placements", "n_shift", "n_shifts"),
    ("placements", "base_points", "points_base"),
    ("placements", "b2b_points", "points_b2b"),
    ("placements", "combo_points", "points_combo"),
    ("placements", "perfect_points", "points_perfect"),
    ("placements", "drop_points", "points_drop"),
    ("placements", "value", "score"),
    ("placements", "value_2nd", "rank2_score"),
    ("placements", "n_moves", "candidates"),
    ("placements", "well_col", "well_column"),
    ("placements", "n_dep3", "i_dependencies"),
    ("placements", "n_ok_pieces", "ok_pieces"),
    ("placements", "parity_col", "parity_column"),
    ("placements", "lock_out", "lost"),
    ("candidates", "rot", "orientation"),
    ("candidates", "tspin", "t_spin"),
];

/// Returns the current names of the columns `names`. `path` is the table's file and `table` its
/// name.
///
/// Before version 0.3, `score` in guideline placements was the number of points so far, now called
/// `points_total`. It is translated if another old name is present, or if the `datapackage.json`
/// beside the table gives its unit as points.
///
/// # Errors
/// The errors of [`crate::record::read_manifest`].
pub(crate) fn current_names(path: &Path, table: &str, names: &[String]) -> Result<Vec<String>> {
    let renamed = |name: &String| {
        let of_table = |(of, old, _): &&(&str, &str, &str)| *of == table && old == name;
        RENAMED.iter().find(of_table).map(|(_, _, new)| *new)
    };
    let is_points = || -> Result<bool> {
        let score = ["score".to_owned()];
        if table != "placements" || !names.contains(&score[0]) {
            return Ok(false);
        }
        // A table with only the old name `next` holds classic games, whose score is not in points.
        if names.iter().any(|name| name != "next" && renamed(name).is_some()) {
            return Ok(true);
        }
        let stated = stated_columns(path, &score)?;
        Ok(stated.is_some_and(|columns| columns.iter().any(|column| column.unit == "points")))
    };
    let is_points = is_points()?;
    let current = |name: &String| match renamed(name) {
        Some(new) => new.to_owned(),
        None if is_points && name == "score" => "points_total".to_owned(),
        None => name.clone(),
    };
    Ok(names.iter().map(current).collect())
}
