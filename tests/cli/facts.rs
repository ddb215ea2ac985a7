//! Checks of facts that help, code book and documents state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, rows, tetrastat, text};

/// Reads a document of the repository.
fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Runs a command that must succeed and returns its output.
fn printed(args: &[&str]) -> String {
    let output = tetrastat(folder().path(), args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the JSON output of `tetrastat features` with these additional options.
fn features(args: &[&str]) -> Value {
    let all: Vec<&str> =
        ["features"].iter().chain(args).chain(&["--format", "json"]).copied().collect();
    serde_json::from_str(&printed(&all)).unwrap()
}

/// Returns the rows of a board, top row first.
fn board(shown: &Value) -> Vec<&str> {
    shown["board"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect()
}

/// Replaces each run of blanks by one, since help is wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses `picture[piece][orientation]`, with rows joined by `/`, from the drawing below a line of
/// numbers.
fn drawn_orientations(page: &str) -> BTreeMap<char, Vec<String>> {
    let lines: Vec<&str> = page.lines().collect();
    let head = lines.iter().position(|line| line.trim_start().starts_with("0     1     2     3"));
    let head = head.expect("the drawing of orientations");
    let numbers = lines[head];
    let indent = numbers.find('0').unwrap() - 3;
    // Start columns of the pictures: three groups of pieces, each with one column per orientation.
    let starts: Vec<usize> =
        numbers.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let mut drawn: BTreeMap<char, Vec<String>> = BTreeMap::new();
    let mut current = [None; 3];
    for line in
        lines[head + 1..].iter().take_while(|line| !line.is_empty() && !line.starts_with("```"))
    {
        let at = |from: usize, to: usize| line.get(from..to.min(line.len())).unwrap_or("");
        for (block, first) in [(0, indent), (1, indent + 28), (2, indent + 56)] {
            if let Some(piece) = at(first, first + 1).chars().next().filter(|c| c.is_alphabetic()) {
                current[block] = Some(piece);
            }
        }
        for (k, &start) in starts.iter().enumerate() {
            let block = if k < 4 {
                0
            } else if k < 8 {
                1
            } else {
                2
            };
            let orientation = if k < 8 { k % 4 } else { k - 8 };
            let cells = at(start, start + 4).trim_end();
            let Some(piece) = current[block].filter(|_| !cells.is_empty()) else { continue };
            let pictures = drawn.entry(piece).or_default();
            while pictures.len() <= orientation {
                pictures.push(String::new());
            }
            let picture = &mut pictures[orientation];
            *picture =
                if picture.is_empty() { cells.to_owned() } else { format!("{picture}/{cells}") };
        }
    }
    drawn
}

/// Parses the map of [`drawn_orientations`] from lines such as `    O  0 ##/##`.
fn listed_orientations(help: &str) -> BTreeMap<char, Vec<String>> {
    let is_piece = |line: &&str| {
        let word = line.strip_prefix("    ").and_then(|rest| rest.split_once("  0 "));
        word.is_some_and(|(piece, _)| piece.len() == 1 && "IOTSZJL".contains(piece))
    };
    let listed = help.lines().filter(is_piece).map(|line| {
        let words: Vec<&str> = line[5..].split_whitespace().collect();
        let numbers: Vec<&str> = words.iter().step_by(2).copied().collect();
        assert_eq!(numbers, ["0", "1", "2", "3"][..numbers.len()], "{line}");
        (
            line.chars().nth(4).unwrap(),
            words.iter().skip(1).step_by(2).map(|word| (*word).to_owned()).collect(),
        )
    });
    listed.collect()
}

/// The drawings must number orientations as `--place` and the columns `orientation` do.
#[test]
fn orientations_are_drawn_as_place_numbers_them() {
    let listed = listed_orientations(&printed(&["features", "--help"]));
    for drawn in [listed, drawn_orientations(&document("data/README.md"))] {
        let counts: Vec<(char, usize)> =
            drawn.iter().map(|(piece, all)| (*piece, all.len())).collect();
        let expected = [('I', 2), ('J', 4), ('L', 4), ('O', 1), ('S', 2), ('T', 4), ('Z', 2)];
        assert_eq!(counts, expected, "{drawn:?}");
        for (piece, pictures) in drawn {
            for (number, picture) in pictures.iter().enumerate() {
                let (piece, place) = (piece.to_string(), format!("{number},0,0"));
                let empty = "......../......../......../........";
                let shown = features(&["--picture", empty, "--piece", &piece, "--place", &place]);
                let cells: Vec<&str> = board(&shown)
                    .into_iter()
                    .map(|row| row.trim_end_matches('.'))
                    .filter(|row| !row.is_empty())
                    .collect();
                let drawn: Vec<&str> =
                    picture.split('/').map(|row| row.trim_end_matches('.')).collect();
                assert_eq!(cells, drawn, "{piece} {number}");
            }
        }
    }
}

#[test]
fn place_shows_the_board_before_or_after_clearing_as_the_controller_measures() {
    let help = unwrapped(&printed(&["features", "--help"]));
    assert!(
        help.contains("Full rows are removed first, unless the controller measures before-clear")
    );
    let rows = |controller: &str| {
        let picture = "......./......./......./######.";
        let args =
            ["--controller", controller, "--picture", picture, "--piece", "I", "--place", "0,6,0"];
        board(&features(&args)).iter().filter(|row| row.contains('#')).count()
    };
    assert_eq!((rows("bcts"), rows("lee")), (3, 4));
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
    let empty = "......../......../......../........";
    let anchors = definition("landing_height_anchor");
    let (_, anchors) = anchors.split_once("by orientation from 0: ").expect(&anchors);
    assert_eq!(anchors.split(", ").count(), 7);
    for anchor in anchors.split(", ") {
        let mut words = anchor.split(' ');
        let piece = words.next().unwrap();
        for (number, row) in words.enumerate() {
            let place = format!("{number},0,0");
            let height = value(empty, piece, &place, "landing_height_anchor");
            assert_eq!(height, 1.0 + row.parse::<f64>().unwrap(), "{anchor}");
        }
    }
    assert!(definition("piece_height_unity").contains("(0 at the floor)"));
    // Flat on the floor both rows are 0. Upright, the top cell of the leftmost column is in row 3
    // of the box.
    assert_eq!(
        ["1,0,0", "0,0,0"].map(|place| value(empty, "I", place, "piece_height_unity")),
        [0.0, -3.0]
    );
    assert!(definition("wells_guide").ends_with("a wall counts as filled"));
    // Column 0 beside the wall has a filled neighbour in all four rows: 1 + 2 + 3 + 4. The other
    // columns have none.
    assert_eq!(value(empty, "I", "0,1,0", "wells_guide"), 10.0);
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

#[test]
fn perft_says_that_it_counts_locks_above_the_board() {
    let help = unwrapped(&printed(&["perft", "--help"]));
    let counted = printed(&["perft", "IIIIII"]);
    let total = counted.lines().last().unwrap().split_whitespace().nth(2).unwrap();
    assert!(
        help.contains(&format!("IIIIII has {total} ways, of which 20 end with such a lock")),
        "{help}"
    );
    let capstone = printed(&["perft", "IIIIII", "--rules", "capstone"]);
    let total = capstone.lines().last().unwrap().split_whitespace().nth(2).unwrap();
    assert!(help.contains(&format!("(`--rules capstone`: {total})")), "{help}");
    assert!(
        unwrapped(&document("docs/how-to/guideline-games.md"))
            .contains("counts landings that would end a game by lock out")
    );
}

/// Each row of `guideline_candidates` is a distinct set of cells. `candidates` counts those that do
/// not lose.
#[test]
fn candidates_of_guideline_games_are_sets_of_cells() {
    assert!(
        document("data/README.md")
            .contains("A candidate is a set of four cells, not a way to reach them")
    );
    let folder = folder();
    let args = "simulate --rules guideline --mode blitz --controller tetrastat-blitz --search beam \
                --beam-width 8 --games 1 --pps 0.3 --placements csv --candidates --out run";
    let args: Vec<&str> = args.split(' ').collect();
    assert!(tetrastat(folder.path(), &args).status.success());
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

#[test]
fn an_empty_board_is_a_row_of_zeros() {
    let book = document("data/README.md");
    assert!(
        book.contains("`000` if the board is empty, as after a perfect clear")
            && book.contains("an empty board is one row of zeros")
    );
    let folder = folder();
    fs::write(folder.path().join("b.txt"), "####..####\n####..####\n").unwrap();
    let args = "simulate --rules guideline --mode blitz --pps 0.01 --script OIII \
                --board-file b.txt --games 1 --placements csv --out run";
    let args: Vec<&str> = args.split(' ').collect();
    assert!(tetrastat(folder.path(), &args).status.success());
    let table = rows(&folder.path().join("run/placements.csv"));
    assert_eq!((&*table[0]["perfect"], &*table[0]["board"]), ("TRUE", "000"));
}

#[test]
fn folders_hold_the_files_that_documents_name() {
    let folder = folder();
    let estimate = "estimate --board 6x8 --controller bcts --budget 20000 --out est";
    let args: Vec<&str> = estimate.split(' ').collect();
    let output = tetrastat(folder.path(), &args);
    assert!(output.status.code().is_some_and(|code| code != 2), "{}", text(&output.stderr));
    let book = unwrapped(&document("data/README.md"));
    let (_, sentence) = book.split_once("| an estimate | ").unwrap();
    let (sentence, _) = sentence.split_once(" | ").unwrap();
    let named: BTreeSet<&str> = sentence.split('`').skip(1).step_by(2).collect();
    let there = fs::read_dir(folder.path().join("est")).unwrap();
    let there: BTreeSet<String> =
        there.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(there, named.iter().map(|name| (*name).to_owned()).collect(), "{sentence}");
    let help = unwrapped(&printed(&["estimate", "--help"]));
    assert!(there.iter().all(|name| help.contains(&**name)), "{help}");
}
