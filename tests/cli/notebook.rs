//! Every value that the notebook prints, asked at the command line as a student of the notebook
//! would; its players are asked in `step.rs`.

use crate::common::pictures::{A, A7, B, C, D, H, M, Q1};
use crate::common::{folder, run};
use serde_json::Value;

fn answer(args: &[&str]) -> String {
    run(folder().path(), args)
}

/// The value on the line of a feature.
fn value(report: &str, feature: &str) -> f64 {
    let line = report.lines().find(|line| line.split_whitespace().next() == Some(feature));
    let words: Vec<&str> =
        line.unwrap_or_else(|| panic!("{feature} in {report}")).split_whitespace().collect();
    words[1].parse().unwrap()
}

#[test]
fn features_of_boards() {
    for picture in [A, A7] {
        let report = answer(&["show", "board", "--picture", picture]);
        let heights: Vec<f64> =
            (0..11).map(|column| value(&report, &format!("height_{column}"))).collect();
        assert_eq!(heights, [3.0, 0.0, 5.0, 5.0, 5.0, 6.0, 6.0, 5.0, 4.0, 4.0, 5.0]);
    }
    for (picture, feature, expected) in [
        (A, "aggregate_height", 48.0),
        (B, "complete_rows", 2.0),
        (A, "complete_rows", 0.0),
        (A, "holes", 4.0),
        (B, "bumpiness", 6.0),
        (A, "bumpiness", 12.0),
        (C, "row_transitions", 20.0),
        (C, "column_transitions_ceiling", 22.0),
        (C, "wells_open", 6.0),
        (D, "wells_open", 24.0),
        (C, "hole_depth_all", 4.0),
        (D, "hole_depth_all", 7.0),
        (C, "rows_with_holes", 2.0),
        (D, "rows_with_holes", 4.0),
    ] {
        let report = answer(&["show", "board", "--picture", picture]);
        assert_eq!(value(&report, feature), expected, "{feature} of {picture}");
    }
}

/// `compute_score`, all weights 1.
#[test]
fn scores_of_boards() {
    for (picture, expected) in [(B, "-56"), (A, "-64")] {
        let args = ["show", "board", "--picture", picture, "--controller", "notebook-ones"];
        let report = answer(&args);
        let line = format!("score by notebook-ones  {expected}\n");
        assert!(report.ends_with(&line), "{report}");
        let json: Value =
            serde_json::from_str(&answer(&[&args[..], &["--format", "json"]].concat())).unwrap();
        assert_eq!(json["score"].as_f64(), expected.parse().ok());
    }
}

/// The notebook's `T_left`, its anchor at (1, 2) or (1, 7) from the top: orientation 2, leftmost
/// column 0, lowest row two below the anchor's.
#[test]
fn landing_height_and_erosion() {
    let of = |picture, place| {
        let place = ["--piece", "T", "--place", place, "--controller", "notebook-8"];
        answer(&[&["show", "board", "--picture", picture][..], &place].concat())
    };
    for (picture, place, landing) in [(B, "2,0,2", 4.0), (A, "2,0,2", 4.0), (Q1, "2,0,3", 5.0)] {
        let report = of(picture, place);
        assert_eq!(value(&report, "landing_height_anchor"), landing, "{picture}\n{report}");
    }
    for (picture, erosion) in [(A, 1.0), (C, 6.0), (H, 2.0)] {
        assert_eq!(value(&of(picture, "2,0,2"), "eroded_cells"), erosion, "{picture}");
    }
}

/// Quiz 1 and `next_moves`: 14 = 3 + 4 + 4 + 3, in the order as it is, cw, ccw, over.
#[test]
fn moves_of_the_game() {
    let keys = |picture, at, more: &[&str]| {
        let piece = ["--picture", picture, "--piece", "T", "--at", at];
        answer(&[&["play", "--keys"][..], &piece, more].concat())
    };
    let pictures = keys(Q1, "3,1", &["--actions", "left,left,ccw,drop"]);
    let last: Vec<&str> = pictures.lines().rev().take(6).collect();
    assert_eq!(last[3..], ["###....", "###....", ".##...."]);
    let places = keys(M, "0,0", &["--moves"]);
    let lines: Vec<&str> = places.lines().collect();
    assert_eq!((lines.len(), lines[3]), (17, "(1, 3)  as it is"));
    let turned =
        |turn: &str| lines[3..].iter().filter(|line| line.ends_with(&format!(")  {turn}"))).count();
    assert_eq!(["as it is", "cw", "ccw", "over"].map(turned), [3, 4, 4, 3]);
    let turns: Vec<&str> =
        lines[3..].iter().filter_map(|line| line.split_once(")  ")).map(|pair| pair.1).collect();
    assert!(turns.windows(2).filter(|pair| pair[0] != pair[1]).count() == 3, "{turns:?}");
}
