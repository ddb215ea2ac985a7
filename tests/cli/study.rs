//! `tetrastat study` on real files: the same bytes as single runs and as a study that was never
//! stopped, and Parquet tables that are read as one. The rest stands in study.md and
//! study-refused.md in tests/messages/.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use tempfile::TempDir;

use crate::common::{assert_same, command, interrupt, lasting_files, rows, tetrastat, text};

/// Eight conditions that take a few hundredths of a second each.
const STUDY: &str = include_str!("../messages/study.in/my.toml");

/// A folder with the study and its controller.
fn folder(study: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("files")).unwrap();
    let mine = include_str!("../messages/study.in/files/mine.toml");
    fs::write(folder.path().join("files/mine.toml"), mine).unwrap();
    fs::write(folder.path().join("my.toml"), study).unwrap();
    folder
}

/// Runs a command that succeeds without a word on stderr. Returns what it prints.
fn done(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.stderr.is_empty(), "no progress when piped: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn same(folder: &Path, one: &str, other: &str) {
    let [one, other] = [one, other].map(|name| lasting_files(&folder.join(name)));
    assert_same(&one, &other);
}

#[test]
fn every_condition_is_the_run_that_simulate_plays() {
    let folder = folder(STUDY);
    let shown = done(folder.path(), "study my.toml --out all");
    let study = folder.path().join("all");
    let conditions = rows(&study.join("conditions.csv"));
    let games = rows(&study.join("games.csv"));
    assert_eq!((conditions.len(), games.len()), (8, 48));
    let header = fs::read_to_string(study.join("games.csv")).unwrap();
    let mut joined = header.lines().next().unwrap().to_owned() + "\n";
    let controllers = ["bcts", "dt20", "dellacherie", "files/mine.toml"];
    let product = controllers.iter().flat_map(|c| [(c, "10x10"), (c, "8x10")]);
    for (number, (controller, board)) in (1..).zip(product) {
        let row = &conditions[number - 1];
        let name = if *controller == "files/mine.toml" { "mine" } else { controller };
        assert_eq!(row["folder"], format!("00{number}-{name}-{board}-uniform-greedy-s5"));
        assert!(shown.contains(&row["folder"]), "{shown}");
        let cells = ["condition", "controller", "board", "status", "seed"].map(|cell| &*row[cell]);
        assert_eq!(cells, [&*number.to_string(), name, board, "complete", "0x0000000000000005"]);
        let out = format!("single-{number}");
        done(
            folder.path(),
            &format!(
                "simulate --controller {controller} --board {board} --seed 5 --games 6 --max-pieces 2000 --placements csv.gz --columns minimal --every 10 --sample 0 --out {out}"
            ),
        );
        same(folder.path(), &out, &format!("all/{}", row["folder"]));
        let run = folder.path().join(out);
        let json = crate::common::manifest(&run);
        for (column, key) in [("n", "games"), ("pieces", "pieces"), ("lines", "lines")] {
            assert_eq!(row[column], json[key].to_string());
        }
        let own = fs::read_to_string(run.join("games.csv")).unwrap();
        own.lines().skip(1).for_each(|line| joined += &format!("{number},{line}\n"));
    }
    assert_eq!(fs::read_to_string(study.join("games.csv")).unwrap(), joined);
    // Common random numbers: game i has the same stream in every condition.
    let seeds = |number: &str| {
        let own = games.iter().filter(|game| game["condition"] == number);
        own.map(|game| game["stream_seed"].clone()).collect::<Vec<_>>()
    };
    assert!((2..=8).all(|number| seeds("1") == seeds(&number.to_string())));
}

#[test]
fn the_summary_is_that_of_simulate() {
    let folder = folder("controllers = ['bcts']\nboards = ['6x6']\ngames = 40\n");
    done(folder.path(), "study my.toml --out all");
    let row = &rows(&folder.path().join("all/conditions.csv"))[0];
    let json = done(folder.path(), "simulate --board 6x6 --games 40 --format json --out one");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (column, place) in [
        ("mean", "lines/mean"),
        ("low", "lines/low"),
        ("high", "lines/high"),
        ("n", "lines/n"),
        ("sd", "spread/lines/sd"),
        ("median", "spread/lines/median"),
        ("min", "spread/lines/min"),
        ("max", "spread/lines/max"),
    ] {
        let value = json.pointer(&format!("/run/summary/{place}")).unwrap().as_f64().unwrap();
        let written = row[column].parse::<f64>().unwrap();
        assert!((written - value).abs() <= 0.5e-4 + 1e-9, "{column}: {written} {value}");
    }
    assert_eq!((&*row["n"], &*row["censored"]), ("40", "0"));
}

/// Killed again and again at odd moments, then interrupted, a study comes to the bytes of one that
/// was left alone.
#[cfg(unix)]
#[test]
fn a_study_that_was_stopped_goes_on_to_the_same_bytes() {
    let long = STUDY.replace("games = 6", "games = 60\ncheckpoint_ms = 20");
    let folder = folder(&long);
    done(folder.path(), "study my.toml --out straight");
    let study = || {
        let mut command = command(folder.path(), &["study", "my.toml", "--out", "stopped"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for pause in [30, 60, 90, 120, 150] {
        let mut child = study();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // It listens to signals before it writes.
    let before = newest(&folder.path().join("stopped"));
    let mut child = study();
    while child.try_wait().unwrap().is_none() && newest(&folder.path().join("stopped")) == before {
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    // A machine fast enough to end before the interruption has nothing to go on with.
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("the same command resumes the study"));
        let partial = rows(&folder.path().join("stopped/conditions.csv"));
        assert_eq!(partial.len(), 8);
        let open: Vec<_> = partial.iter().filter(|row| row["status"] != "complete").collect();
        assert!(!open.is_empty() && open.iter().all(|row| row["n"] == "NA"));
        assert!(!folder.path().join("stopped/games.csv").exists());
    }
    done(folder.path(), "study my.toml --out stopped");
    same(folder.path(), "straight", "stopped");
}

/// The rows of a Parquet table by column name.
type Cells = Vec<BTreeMap<String, Field>>;

/// The type of each column, and whether it may be missing.
type Columns = BTreeMap<String, (String, bool)>;

fn parquet(path: &Path) -> (Cells, Columns) {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let column = |field: &Arc<Type>| {
        let kind = format!(
            "{:?} {:?}",
            field.get_physical_type(),
            field.get_basic_info().logical_type_ref()
        );
        (field.name().to_owned(), (kind, field.is_optional()))
    };
    let columns = schema.get_fields().iter().map(column).collect();
    let row =
        |row: Row| row.get_column_iter().map(|(name, cell)| (name.clone(), cell.clone())).collect();
    (reader.get_row_iter(None).unwrap().map(|found| row(found.unwrap())).collect(), columns)
}

/// The line of a condition in `conditions.csv`, and the rows of its table.
type Played = (BTreeMap<String, String>, Cells);

/// Reads a table of every condition of a study: its columns, which must have the same types
/// everywhere, and the rows of each condition, which must have its number.
fn played(study: &Path, table: &str) -> (Columns, Vec<Played>) {
    let mut columns: Option<Columns> = None;
    let conditions = rows(&study.join("conditions.csv")).into_iter().map(|condition| {
        let run = study.join(&condition["folder"]);
        let (cells, own) = parquet(&run.join(format!("{table}.parquet")));
        assert_eq!(columns.get_or_insert(own.clone()), &own, "{table} {}", condition["folder"]);
        let number = Field::Long(condition["condition"].parse().unwrap());
        assert!(cells.len() > 20 && cells.iter().all(|row| row["condition"] == number));
        (condition, cells)
    });
    let conditions: Vec<_> = conditions.collect();
    assert_eq!(conditions.len(), 4);
    (columns.unwrap(), conditions)
}

/// Returns `true` if a column has no value in any row, and fails if it has some.
fn is_missing(cells: &Cells, column: &str) -> bool {
    let missing = cells.iter().filter(|row| row[column] == Field::Null).count();
    assert!(missing == 0 || missing == cells.len(), "{column}");
    missing > 0
}

/// Two widths and two controllers are one table: missing is what a board or a controller does not
/// have.
#[test]
fn parquet_tables_of_a_study_are_read_as_one() {
    let study = "controllers = ['bcts', 'dt20']\nboards = ['10x10', '8x10']\ngames = 2\nmax_pieces = 40\nplacements = 'parquet'\ncandidates = true\n";
    let folder = folder(study);
    done(folder.path(), "study my.toml --out all");
    let all = folder.path().join("all");
    for table in ["placements", "candidates"] {
        let (columns, conditions) = played(&all, table);
        for (condition, cells) in &conditions {
            let is_missing = |column: &str| is_missing(cells, column);
            if table == "placements" {
                let narrow = condition["board"] == "8x10";
                assert_eq!(["h7", "h8", "h9"].map(is_missing), [false, narrow, narrow]);
            }
            // The one feature of dt20 that bcts does not have.
            assert_eq!(is_missing("pattern_diversity"), condition["controller"] == "bcts");
            assert!(!is_missing("holes") && cells.len() > 40);
        }
        let required = columns.iter().filter(|(_, (_, optional))| !optional);
        let required: Vec<&String> = required.map(|(name, _)| name).collect();
        assert_eq!(required, ["condition", "game", "piece_no"]);
    }
    // A run of its own, and CSV, have neither the column nor others' columns.
    done(
        folder.path(),
        "simulate --board 8x10 --games 2 --max-pieces 40 --placements parquet --sample 0 --out single",
    );
    let (_, own) = parquet(&folder.path().join("single/placements.parquet"));
    assert!(!own.contains_key("condition") && !own.contains_key("h8"));
    // Other commands read them.
    done(folder.path(), "data verify all");
    let narrow = "all/002-bcts-8x10-uniform-greedy-s1/placements.parquet";
    let printed = done(folder.path(), &format!("data convert {narrow} -"));
    let header = printed.lines().next().unwrap();
    assert!(header.ends_with(",condition") && header.contains(",h8,"), "{header}");
}

/// The same of guideline games: controllers have their own terms, and only bags are numbered.
#[test]
fn parquet_tables_of_a_guideline_study_are_read_as_one() {
    let study = "rules = 'guideline'\nmode = 'blitz'\npieces = 12\ncontrollers = ['tetrastat-blitz-greedy', 'capstone-sprint']\nqueues = ['bag', 'uniform']\ngames = 2\nplacements = 'parquet'\ncandidates = true\n";
    let folder = folder(study);
    done(folder.path(), "study my.toml --out all");
    let all = folder.path().join("all");
    for (condition, cells) in played(&all, "placements").1 {
        assert_eq!(is_missing(&cells, "bag_no"), condition["folder"].contains("uniform"));
    }
    for (condition, cells) in played(&all, "candidates").1 {
        let sprint = condition["controller"] == "capstone-sprint";
        let missing =
            ["complete_rows", "cavities", "holes"].map(|column| is_missing(&cells, column));
        assert_eq!(missing, [!sprint, sprint, false]);
    }
    done(folder.path(), "data verify all");
}

/// When anything below a folder was last written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let of = |path: PathBuf| {
        let own = fs::metadata(&path).and_then(|data| data.modified()).ok();
        if path.is_dir() { own.max(newest(&path)) } else { own }
    };
    let entries = fs::read_dir(folder).ok()?;
    entries.filter_map(|entry| of(entry.ok()?.path())).max()
}
