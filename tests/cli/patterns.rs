//! Tests of controllers with cell patterns in the real binary. `tests/messages/patterns.md` has
//! messages.

use std::fs;
use std::path::Path;

use tetrastat::controller::{PatternLayout, PatternWindow, Patterns, TableRows, WindowPlaces};

use crate::common::{done, folder, manifest, rows};

/// Writes the controller `mine.toml` and its tables `mine.bin` for boards of 8x10. The tables
/// punish filled cells by their row, and holes.
fn write_controller(folder: &Path) -> Patterns {
    let window = PatternWindow {
        cells: "2x2".to_owned(),
        at: WindowPlaces::Everywhere,
        mirror: true,
        rows: TableRows::Own,
    };
    let size = "8x10".parse().unwrap();
    let layout = PatternLayout::new(std::slice::from_ref(&window), size).unwrap();
    let mut tables = vec![0; layout.entries()];
    for lookup in layout.lookups() {
        for cells in 0..16usize {
            // An empty cell below a filled one costs 9.
            let holes = usize::from(cells & 3 == 2) + usize::from(cells >> 2 == 2);
            let cost = 9 * holes + (1 + lookup.row) * cells.count_ones() as usize;
            tables[lookup.table + cells] = -(cost as i16);
        }
    }
    let patterns = Patterns::new(&[window], 0.25, size, tables).unwrap();
    let head = "name = \"mine\"\nmeasured = \"after-clear\"\n[weights]\nrows_removed = 1.5\n";
    let toml = format!("{head}{}", patterns.to_toml(Some("mine.bin")));
    fs::write(folder.join("mine.toml"), toml).unwrap();
    fs::write(folder.join("mine.bin"), patterns.bytes()).unwrap();
    patterns
}

const SIMULATE: &str = "simulate --controller mine.toml --board 8x10 --games 4 --max-pieces 120 \
    --seed 7 --placements csv --out";

#[test]
fn a_run_contains_its_tables() {
    let folder = folder();
    let folder = folder.path();
    let patterns = write_controller(folder);
    done(folder, &format!("{SIMULATE} one --threads 1"));
    done(folder, &format!("{SIMULATE} two --threads 2"));
    let read = |run: &str, file: &str| fs::read(folder.join(run).join(file)).unwrap();
    for file in ["games.csv", "placements.csv"] {
        assert_eq!(read("one", file), read("two", file), "{file}");
    }
    let placements = rows(&folder.join("one/placements.csv"));
    assert!(placements.len() > 100);
    for row in &placements {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        if row["score"] != "NA" {
            assert_eq!(number("score"), number("patterns") + 1.5 * number("lines"), "{row:?}");
        }
        let size = patterns.size();
        let board = tetrastat::board::Board::from_hex(size, &row["board"]).unwrap();
        assert_eq!(number("patterns"), 0.25 * patterns.value(&board) as f64);
    }
    let recorded = &manifest(&folder.join("one"))["config"]["controller"]["patterns"];
    assert_eq!((&recorded["board"], &recorded["step"]), (&"8x10".into(), &0.25.into()));
    // An O on the floor of an empty board. In a corner it has fewer windows.
    let ranked =
        done(folder, "show board --controller mine.toml --board 8x10 --piece O --format json");
    let ranked: serde_json::Value = serde_json::from_str(&ranked).unwrap();
    let best = &ranked["placements"][0];
    assert_eq!(best["score"], best["features"]["patterns"]);
    let corner = tetrastat::board::Board::from_rows(patterns.size(), &[3, 3]).unwrap();
    assert_eq!(best["score"], 0.25 * patterns.value(&corner) as f64);
    // From here on the run alone has the tables.
    fs::remove_file(folder.join("mine.bin")).unwrap();
    fs::remove_file(folder.join("mine.toml")).unwrap();
    done(folder, "data verify one");
    done(folder, "view one --out page.html");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("patterns"));
}
