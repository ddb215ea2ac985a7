//! Run folders of version 0.2: they are verified, watched and shown, and converted to the column names of version 0.3.
//!
//! The runs were written by version 0.2 with these commands:
//!
//! ```text
//! tetrastat simulate --games 1 --max-pieces 8 --seed 3 --placements csv --search next --columns minimal,next,board
//!     --out classic
//! tetrastat simulate --rules guideline --mode endless --games 1 --seed 3 --pieces 8 --placements csv --out guideline
//!     --columns minimal,board,drop_points,tspin,value,value_2nd,n_moves,next1,next2,hold_before,hold_after,inputs
//! ```

use std::fs;
use std::path::Path;

use crate::common::{folder, tetrastat, text};

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/version-0.2");

/// Runs a command in `folder` and returns what it prints.
fn run(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the header and the rows of a table.
fn parts(table: &Path) -> (String, String) {
    let text = fs::read_to_string(table).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    (header.to_owned(), rows.to_owned())
}

#[test]
fn runs_of_version_0_2_are_read_and_converted() {
    let classic =
        "game,piece_no,piece,orientation,column,landing_row,lines,lines_total,score,next_1,board";
    let guideline = "game,piece_no,time_ms,piece,used_hold,orientation,column,landing_row,lines,clear_type,points_total,lines_total,lost,board,points_drop,t_spin,score,rank2_score,candidates,next_1,next_2,hold_before,hold_after,input_keys";
    let folder = folder();
    for (name, names, shown) in
        [("classic", classic, "piece 3 "), ("guideline", guideline, "piece 3 ")]
    {
        let old = format!("{RUNS}/{name}");
        run(folder.path(), &["verify", &old]);
        let watched = run(folder.path(), &["watch", "--replay", &old, "--from", "3", "--text"]);
        assert!(watched.contains(shown), "{watched}");
        let page = format!("{name}.html");
        run(folder.path(), &["view", &old, "--out", &page]);
        let page = fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(page.contains("next_1") && !page.contains("x_left"));
        for format in ["csv", "parquet"] {
            let to = format!("{name}-{format}");
            run(folder.path(), &["convert", &old, &to, "--format", format]);
            run(folder.path(), &["verify", &to]);
            assert_eq!(
                run(folder.path(), &["watch", "--replay", &to, "--from", "3", "--text"]),
                watched
            );
        }
        // Only headers differ; the cells are those of version 0.2.
        for table in ["games", "placements"] {
            let table = format!("{table}.csv");
            let new = parts(&folder.path().join(format!("{name}-csv")).join(&table));
            let old = parts(&Path::new(&old).join(&table));
            assert_eq!(new.1, old.1, "{name} {table}");
            assert!(!new.0.contains("outcome"), "{}", new.0);
            if table == "placements.csv" {
                assert_eq!(new.0, names);
            }
        }
    }
}

/// An extract whose only renamed column is `score` is known by the descriptor beside it.
#[test]
fn points_of_an_extract_are_no_score() {
    let folder = folder();
    let old = Path::new(RUNS).join("guideline");
    let run = folder.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::copy(old.join("datapackage.json"), run.join("datapackage.json")).unwrap();
    fs::write(run.join("placements.csv"), "game,piece_no,score\n0,1,38\n").unwrap();
    let printed = tetrastat(folder.path(), &["convert", "run/placements.csv", "points.csv"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    assert_eq!(
        fs::read_to_string(folder.path().join("points.csv")).unwrap(),
        "game,piece_no,points_total\n0,1,38\n"
    );
}
