//! Tests of controllers with cell patterns in the real binary: files, logs, replays and messages.

use std::fs;
use std::path::Path;

use tetrastat::controller::{PatternLayout, PatternWindow, Patterns, TableRows, WindowPlaces};

use crate::common::{folder, manifest, rows, tetrastat, text};

/// Runs a command that succeeds and returns what it prints.
fn run(folder: &Path, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = tetrastat(folder, &words);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

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
    run(folder, &format!("{SIMULATE} one --threads 1"));
    run(folder, &format!("{SIMULATE} two --threads 2"));
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
    // From here on the run alone has the tables.
    fs::remove_file(folder.join("mine.bin")).unwrap();
    fs::remove_file(folder.join("mine.toml")).unwrap();
    run(folder, "verify one");
    run(folder, "view one --out page.html");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("patterns"));
}

#[test]
fn commands_describe_the_patterns() {
    let folder = folder();
    let folder = folder.path();
    let patterns = write_controller(folder);
    let shown = run(folder, "controllers mine.toml");
    // Seven columns share four tables in each of nine rows.
    // The file has neither a title nor a source.
    assert!(shown.starts_with("mine\nmeasured   after-clear\n"), "{shown}");
    assert!(shown.contains("on 8x10: 63 windows, 576 table entries in steps of 0.25"), "{shown}");
    assert!(shown.contains("2x2 at 63 (every place); tables: own rows, mirrored"), "{shown}");
    let json = run(folder, "controllers mine.toml --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["patterns"]["entries"], 576);
    let ranked =
        run(folder, "features --controller mine.toml --board 8x10 --piece O --format json");
    let ranked: serde_json::Value = serde_json::from_str(&ranked).unwrap();
    let best = &ranked["placements"][0];
    assert_eq!(best["score"], best["features"]["patterns"]);
    // An O on the floor of an empty board. In a corner it has fewer windows.
    let corner = "8x10".parse().unwrap();
    let corner = tetrastat::board::Board::from_rows(corner, &[3, 3]).unwrap();
    assert_eq!(best["score"], 0.25 * patterns.value(&corner) as f64);
}

#[test]
fn wrong_files_end_in_one_line() {
    let folder = folder();
    let folder = folder.path();
    write_controller(folder);
    let bytes = fs::read(folder.join("mine.bin")).unwrap();
    let refused = |word: &str, line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = tetrastat(folder, &words);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains(word), "{message}");
        assert!(!folder.join("run").exists());
    };
    let simulate = SIMULATE.to_owned() + " run";
    refused("boards of 8x10 only", &simulate.replace("8x10", "10x20"));
    refused(
        "at most 200 weights and table entries",
        "train cmaes --features mine.toml --board 8x10 --out run",
    );
    for bytes in [&bytes[..bytes.len() - 1], b"not a table at all"] {
        fs::write(folder.join("mine.bin"), bytes).unwrap();
        refused("[patterns] tables", &simulate);
    }
    fs::write(folder.join("mine.bin"), vec![0; 36 << 20]).unwrap();
    refused("mine.bin has more than", &simulate);
    fs::remove_file(folder.join("mine.bin")).unwrap();
    let missing = "controller mine.toml: [patterns] tables = \"mine.bin\": there is no such file: \
        keep it beside the controller file";
    refused(missing, &simulate);
    refused(missing, "controllers mine.toml");
    fs::write(folder.join("mine.bin"), &bytes).unwrap();
    let toml = fs::read_to_string(folder.join("mine.toml")).unwrap();
    for (from, to, words) in [
        ("\"mine.bin\"", "\".\"", ": name a file of tables in the same folder"),
        ("\"mine.bin\"", "\"mine2\"", "name a file with a dot in its name, such as mine.bin"),
        ("\"2x2\"", "\"2x11\"", "window 1: cells \"2x11\": the window has 22 cells"),
        ("\"2x2\"", "\"1x11\"", "do not fit a board of 8x10: use at most 8 columns and 10 rows"),
        ("step", "stepp", "(see docs/reference/evaluators.md)"),
    ] {
        assert!(toml.contains(from), "{from}");
        fs::write(folder.join("mine.toml"), toml.replacen(from, to, 1)).unwrap();
        refused(words, &simulate);
    }
}

/// A fifo in place of the tables, which would keep the program waiting, is refused.
#[cfg(unix)]
#[test]
fn tables_are_a_regular_file() {
    let folder = folder();
    write_controller(folder.path());
    fs::remove_file(folder.path().join("mine.bin")).unwrap();
    for name in ["mine.bin", "log.parquet"] {
        let fifo = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status();
        assert!(fifo.unwrap().success());
    }
    for line in [&format!("{SIMULATE} one"), "convert log.parquet log.csv"] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = tetrastat(folder.path(), &words);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.contains("no regular file") && !message.contains("restore"), "{message}");
    }
}
