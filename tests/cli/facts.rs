//! Checks of facts that help, code book and documents state.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::common::{document, done, folder, rows, run};

/// Runs a command that must succeed and returns its output.
fn printed(args: &[&str]) -> String {
    run(folder().path(), args)
}

/// Returns the JSON output of `tetrastat show board` with these additional options.
fn features(args: &[&str]) -> Value {
    let all: Vec<&str> =
        ["show", "board"].iter().chain(args).chain(&["--format", "json"]).copied().collect();
    serde_json::from_str(&printed(&all)).unwrap()
}

const EMPTY: &str = "......../......../......../........";

/// Returns the cells of each orientation of a piece, as the program shows them on an empty board.
fn pictures(piece: &str, orientations: usize) -> Vec<Vec<String>> {
    let picture = |number: usize| {
        let place = format!("{number},0,0");
        let shown = features(&["--picture", EMPTY, "--piece", piece, "--place", &place]);
        let rows = shown["board"].as_array().unwrap().iter();
        let rows = rows.map(|row| row.as_str().unwrap().trim_end_matches('.'));
        let rows: Vec<&str> = rows.filter(|row| !row.is_empty()).collect();
        let width = rows.iter().map(|row| row.len()).max().unwrap();
        rows.iter().map(|row| format!("{row:.<width$}")).collect()
    };
    (0..orientations).map(picture).collect()
}

/// The drawings must number orientations as `--place` and the columns `orientation` do.
#[test]
fn orientations_are_drawn_as_place_numbers_them() {
    let counts = [("I", 2), ("O", 1), ("T", 4), ("S", 2), ("Z", 2), ("J", 4), ("L", 4)];
    let pictures = counts.map(|(piece, count)| (piece, pictures(piece, count)));
    let help = printed(&["show", "board", "--help"]);
    for (piece, pictures) in &pictures {
        let numbered = pictures.iter().enumerate();
        let words = numbered.map(|(k, rows)| format!("{:12}", format!("{k} {}", rows.join("/"))));
        let line = format!("    {piece}  {}", words.collect::<String>().trim_end());
        assert!(help.lines().any(|other| other == line), "{line}");
    }
    // Three pieces beside each other, in columns of 28 characters.
    let mut drawing =
        "   0     1     2     3         0     1     2     3         0     1\n".to_owned();
    for group in [[0, 5, 3].as_slice(), &[1, 6, 4], &[2]] {
        let heights = group.iter().flat_map(|&k| pictures[k].1.iter().map(Vec::len));
        for row in 0..heights.max().unwrap() {
            let block = |&k: &usize| {
                let (piece, all) = &pictures[k];
                let cells =
                    |rows: &Vec<String>| format!("{:6}", rows.get(row).map_or("", |row| row));
                let piece = if row == 0 { piece } else { "" };
                format!("{:28}", format!("{piece:3}{}", all.iter().map(cells).collect::<String>()))
            };
            drawing += group.iter().map(block).collect::<String>().trim_end();
            drawing += "\n";
        }
    }
    assert!(document("data/README.md").contains(&drawing), "{drawing}");
}

/// The definitions must state the row of the notebook's anchor cell, row 0 of `piece_height_unity`,
/// the walls of `wells_guide` and the H of `rbf`.
#[test]
fn definitions_of_features_have_what_their_values_need() {
    let book = document("data/README.md");
    let definition = |name: &str| {
        let row = book.lines().find(|line| {
            line.starts_with(&format!("| {name} | ")) && line.matches('|').count() == 6
        });
        row.unwrap_or_else(|| panic!("{name}")).split('|').nth(4).unwrap().trim().to_owned()
    };
    let value = |picture: &str, piece: &str, place: &str, feature: &str| {
        let shown = features(&["--picture", picture, "--piece", piece, "--place", place]);
        shown["features"][feature].as_f64().unwrap_or_else(|| panic!("{feature}: {shown}"))
    };
    let anchors = definition("landing_height_anchor");
    let (_, anchors) = anchors.split_once("by orientation from 0: ").expect(&anchors);
    assert_eq!(anchors.split(", ").count(), 7);
    for anchor in anchors.split(", ") {
        let mut words = anchor.split(' ');
        let piece = words.next().unwrap();
        for (number, row) in words.enumerate() {
            let place = format!("{number},0,0");
            let height = value(EMPTY, piece, &place, "landing_height_anchor");
            assert_eq!(height, 1.0 + row.parse::<f64>().unwrap(), "{anchor}");
        }
    }
    assert!(definition("piece_height_unity").contains("(0 at the floor)"));
    // Flat on the floor both rows are 0. Upright, the top cell of the leftmost column is in row 3
    // of the box.
    assert_eq!(
        ["1,0,0", "0,0,0"].map(|place| value(EMPTY, "I", place, "piece_height_unity")),
        [0.0, -3.0]
    );
    assert!(definition("wells_guide").ends_with("a wall counts as filled"));
    // Column 0 beside the wall has a filled neighbour in all four rows: 1 + 2 + 3 + 4. The other
    // columns have none.
    assert_eq!(value(EMPTY, "I", "0,1,0", "wells_guide"), 10.0);
    assert!(definition("rbf").contains("H the board's height in rows"));
    // The mean height is 4/8 on both boards.
    let rbf = |height: f64| {
        let (distance, spread) = (0.5 - height / 4.0, height / 5.0);
        (1e4 * (-distance * distance / (2.0 * spread * spread)).exp()).round() / 1e4
    };
    for height in [4, 8] {
        let picture = vec!["........"; height].join("/");
        assert_eq!(value(&picture, "I", "0,0,0", "rbf_1"), rbf(height as f64), "{height}");
    }
}

/// Each row of `guideline_candidates` is a distinct set of cells. `candidates` counts those that do
/// not lose.
#[test]
fn candidates_of_guideline_games_are_sets_of_cells() {
    let folder = folder();
    done(
        folder.path(),
        "simulate --rules guideline --mode blitz --controller tetrastat-blitz --search beam --beam-width 8 --games 1 --pps 0.3 --placements csv --candidates --out run",
    );
    let run = folder.path().join("run");
    let mut seen = BTreeSet::new();
    let mut moves: BTreeMap<String, u32> = BTreeMap::new();
    let mut spins = BTreeSet::new();
    for row in rows(&run.join("candidates.csv")) {
        let states: &[&str] = match &*row["piece"] {
            "O" => &["0"],
            "I" | "S" | "Z" => &["0", "R"],
            _ => &["0", "R", "2", "L"],
        };
        assert!(states.contains(&&*row["orientation"]), "{row:?}");
        let cells = ["piece_no", "piece", "orientation", "column", "landing_row"]
            .map(|name| row[name].clone());
        assert!(seen.insert(cells), "duplicate: {row:?}");
        *moves.entry(row["piece_no"].clone()).or_default() += u32::from(row["lost"] == "FALSE");
        spins.insert(row["t_spin"].clone());
    }
    assert!(spins.contains("full") && spins.contains("none"), "{spins:?}");
    for row in rows(&run.join("placements.csv")) {
        assert_eq!(row["candidates"], moves[&row["piece_no"]].to_string(), "{row:?}");
    }
}
