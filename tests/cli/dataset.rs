//! `tetrastat dataset` on real files: the same bytes for any number of threads and after kills, the
//! columns and partitions, the description, and every mistake in one line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::statistics::Statistics;
use parquet::record::{Field, Row};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{command, rows, tetrastat, text};

const SETTINGS: &str = "
controllers = ['bcts', 'lee']
queues = ['uniform', 'bag']
board = '10x10'
games = 12
max_pieces = 300
";

const DATASET: &str = "
[dataset]
name = 'my-decisions'
version = '1.2.0'
title = 'Decisions of two controllers'
description = 'Placements on one board.'
held_out_controllers = ['lee']
";

const LABELS: &str = "
[dataset.labels]
every = 3000
replicates = 8
max_replicates = 20
precision = 0.05
horizon = 20
controller = 'dt20'
";

/// Returns a folder with the file `d.toml`.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("d.toml"), text).unwrap();
    folder
}

/// Writes the data set of `d.toml` into `out` and returns stdout.
fn write(folder: &Path, out: &str, more: &[&str]) -> String {
    let output = tetrastat(folder, &[&["dataset", "d.toml", "--out", out], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the files below `folder` by their paths.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn same(folder: &Path, one: &str, other: &str) {
    let [one, other] = [one, other].map(|name| files(&folder.join(name)));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name}");
    }
}

fn reader(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

fn value(row: &Row, column: &str) -> Field {
    row.get_column_iter().find(|(name, _)| *name == column).unwrap().1.clone()
}

#[test]
fn a_data_set_has_partitions_a_description_and_checksums() {
    let folder = folder(&format!("{SETTINGS}{DATASET}"));
    let shown = write(folder.path(), "out", &["--threads", "1"]);
    assert!(shown.contains("placements, 11 files"), "{shown}");
    let out = folder.path().join("out");
    // Commands that read runs and studies say what the folder is.
    for args in [
        &["view", "out"][..],
        &["compare", "--from", "out"],
        &["plan", "--pilot", "out"],
        &["convert", "out", "copy", "--format", "csv"],
    ] {
        let output = tetrastat(folder.path(), args);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.starts_with("tetrastat: out is a data set"), "{args:?}: {message}");
    }
    let part = |held_out: bool, queue: &str, controller: &str, number: u64| {
        format!(
            "placements/held_out={held_out}/rules=simplified/queue={queue}/board_size=10x10/\
             search=greedy/policy=best/controller={controller}/part-{number:04}.parquet"
        )
    };
    let parts = [
        part(false, "uniform", "bcts", 1),
        part(false, "bag", "bcts", 2),
        part(true, "uniform", "lee", 3),
        part(true, "bag", "lee", 4),
    ];
    let described = [
        "croissant.json",
        "datapackage.json",
        "dataset.toml",
        "README.md",
        "games.csv",
        "conditions.csv",
    ];
    let all: BTreeSet<String> = files(&out).into_keys().collect();
    let names = parts.iter().cloned().chain(described.map(str::to_owned));
    assert_eq!(all, names.chain(["SHA256SUMS".to_owned()]).collect());

    // Every game has one split, which is the same in all conditions.
    let games = rows(&out.join("games.csv"));
    let mut splits: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    let package: Value =
        serde_json::from_slice(&fs::read(out.join("datapackage.json")).unwrap()).unwrap();
    let sums = fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    for (number, part) in (1..).zip(&parts) {
        let reader = reader(&out.join(part));
        let mut keys = Vec::new();
        for row in reader.get_row_iter(None).unwrap().map(Result::unwrap) {
            let (Field::Long(game), Field::Long(piece_no)) =
                (value(&row, "game"), value(&row, "piece_no"))
            else {
                panic!("{row}")
            };
            assert_eq!(value(&row, "condition"), Field::Long(number));
            let Field::Str(split) = value(&row, "split") else { panic!("{row}") };
            splits.entry(game).or_default().insert(split);
            // All controllers have the feature columns that the data set states.
            for column in ["holes", "bumpiness", "board_before", "d_holes", "h9", "lines"] {
                assert_ne!(value(&row, column), Field::Null, "{column}");
            }
            keys.push((game, piece_no));
        }
        assert!(keys.is_sorted() && !keys.is_empty());
        let of_condition = games.iter().filter(|game| game["condition"] == number.to_string());
        let pieces: usize = of_condition.map(|game| game["pieces"].parse::<usize>().unwrap()).sum();
        assert_eq!(keys.len(), pieces);
        let group = reader.metadata().row_group(0);
        let game = group.columns().iter().find(|one| one.column_descr().name() == "game").unwrap();
        assert!(matches!(game.statistics(), Some(Statistics::Int64(_))));
        let split = group.columns().iter().find(|one| one.column_descr().name() == "split");
        assert!(split.unwrap().dictionary_page_offset().is_some());
        let resources = package["resources"].as_array().unwrap();
        let resource = resources.iter().find(|one| one["path"] == **part).unwrap();
        let sum = resource["hash"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        assert!(sums.contains(&format!("{sum}  {part}\n")), "{sum}: {sums}");
    }
    assert_eq!(splits.len(), 12);
    assert!(splits.values().all(|splits| splits.len() == 1), "{splits:?}");
    assert_eq!(splits[&7], BTreeSet::from(["test".to_owned()]));

    assert_eq!((&package["name"], &package["version"]), (&"my-decisions".into(), &"1.2.0".into()));
    assert_eq!(package["conditions"][2]["held_out"], true);
    let card = fs::read_to_string(out.join("README.md")).unwrap();
    for words in ["# Decisions of two controllers", "CC0", "| board_before |", "censored", "lee"] {
        assert!(card.contains(words), "{words}: {card}");
    }

    // Each condition names its placements, and no folder of a run.
    let conditions = rows(&out.join("conditions.csv"));
    let named: Vec<&str> = conditions.iter().map(|row| &*row["file"]).collect();
    assert_eq!(named, parts);
    assert!(!conditions[0].contains_key("folder") && !conditions[0].contains_key("status"));

    // Tables of the data set are read with the columns that it describes.
    let table = out.join("games.csv");
    let shown = tetrastat(folder.path(), &["convert", table.to_str().unwrap(), "-"]);
    assert_eq!(shown.stdout, fs::read(&table).unwrap(), "{}", text(&shown.stderr));

    let part = out.join(&parts[0]);
    let shown = tetrastat(
        folder.path(),
        &["convert", part.to_str().unwrap(), "-", "--columns", "piece_no", "--where", "game=0"],
    );
    assert!(text(&shown.stdout).starts_with("piece_no\n1\n2\n3\n"), "{}", text(&shown.stderr));

    croissant_describes(&out, &package, &sums);

    let verified = tetrastat(folder.path(), &["verify", "out"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    #[cfg(target_os = "linux")]
    {
        let mut sums = std::process::Command::new("sha256sum");
        let output = sums.args(["-c", "SHA256SUMS"]).current_dir(&out).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    fs::write(out.join("games.csv"), "game\n").unwrap();
    let verified = tetrastat(folder.path(), &["verify", "out"]);
    assert_eq!(verified.status.code(), Some(2));
    assert!(text(&verified.stdout).contains("games.csv"), "{}", text(&verified.stdout));
}

/// Checks that `croissant.json` lists every file with its checksum, and every column of `package`.
fn croissant_describes(out: &Path, package: &Value, sums: &str) {
    let croissant: Value =
        serde_json::from_slice(&fs::read(out.join("croissant.json")).unwrap()).unwrap();
    for key in ["name", "description", "version"] {
        assert_eq!(croissant[key], package[key], "{key}");
    }
    assert!(croissant["license"].as_str().unwrap().contains("creativecommons.org"));
    let distribution = croissant["distribution"].as_array().unwrap();
    let (files, sets): (Vec<&Value>, Vec<&Value>) =
        distribution.iter().partition(|one| one["@type"] == "cr:FileObject");
    let listed: BTreeSet<String> = files
        .iter()
        .map(|file| format!("{}  {}", text_of(file, "sha256"), text_of(file, "contentUrl")))
        .collect();
    let others = sums.lines().filter(|line| !line.ends_with("croissant.json"));
    assert_eq!(listed, others.map(str::to_owned).collect());
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0]["includes"], "placements/**/*.parquet");

    let records = croissant["recordSet"].as_array().unwrap();
    let names: Vec<&str> = records.iter().map(|records| text_of(records, "name")).collect();
    assert_eq!(names, ["conditions", "games", "placements"]);
    for (records, table) in records.iter().zip(package["resources"].as_array().unwrap()) {
        let of_table = table["schema"]["fields"].as_array().unwrap();
        let fields = records["field"].as_array().unwrap();
        assert_eq!(fields.len(), of_table.len());
        for (field, column) in fields.iter().zip(of_table) {
            assert_eq!(field["source"]["extract"]["column"], column["name"]);
            let id = format!("{}/{}", text_of(records, "name"), text_of(column, "name"));
            assert_eq!(field["@id"], id);
            let kind = match text_of(column, "type") {
                "integer" => "sc:Integer",
                "number" => "sc:Float",
                "boolean" => "sc:Boolean",
                _ => "sc:Text",
            };
            assert_eq!(field["dataType"], kind, "{id}");
        }
    }
    assert_eq!(records[1]["field"][0]["source"]["fileObject"]["@id"], "games.csv");
    assert_eq!(records[2]["field"][0]["source"]["fileSet"]["@id"], sets[0]["@id"]);
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

#[test]
#[ignore = "long: 11 s"]
fn long_threads_kills_and_jobs_change_no_byte() {
    let settings = SETTINGS.replace("games = 12", "games = 60\ncheckpoint_ms = 20");
    let folder = folder(&format!("{settings}{DATASET}{LABELS}"));
    write(folder.path(), "one", &["--threads", "1"]);
    write(folder.path(), "two", &["--threads", "2"]);
    same(folder.path(), "one", "two");

    for pause in [30, 60, 90, 120, 150, 400, 700] {
        let args = ["dataset", "d.toml", "--out", "killed", "--threads", "2"];
        let mut child = command(folder.path(), &args);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    write(folder.path(), "killed", &[]);
    same(folder.path(), "one", "killed");

    // Each job plays one condition in a folder of its own.
    let study = |out: &str| -> PathBuf { folder.path().join(out).join("study") };
    fs::create_dir_all(study("jobs")).unwrap();
    for number in 1..=4 {
        let job = format!("job-{number}");
        write(folder.path(), &job, &["--condition", &number.to_string()]);
        fs::copy(study(&job).join("study.toml"), study("jobs").join("study.toml")).unwrap();
        for entry in fs::read_dir(study(&job)).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                fs::rename(entry.path(), study("jobs").join(entry.file_name())).unwrap();
            }
        }
    }
    write(folder.path(), "jobs", &[]);
    same(folder.path(), "one", "jobs");

    // On a complete data set the same command plays nothing. It removes the folder `study`, which
    // remains if the first command is killed at its end.
    fs::create_dir(study("one")).unwrap();
    let again = tetrastat(folder.path(), &["dataset", "d.toml", "--out", "one"]);
    assert!(again.status.success() && text(&again.stderr).contains("nothing is played again"));
    same(folder.path(), "one", "two");
}

/// Labels are the results of `rollout --regret` from the same decisions.
#[test]
fn labels_are_the_results_of_rollouts() {
    let settings = SETTINGS.replace("games = 12", "games = 3");
    let folder = folder(&format!("{settings}{DATASET}{}", LABELS.replace("3000", "60")));
    let shown = write(folder.path(), "out", &[]);
    assert!(shown.contains("labelled candidates, 15 files"), "{shown}");
    for (number, controller, queue) in [(1, "bcts", "uniform"), (4, "lee", "bag")] {
        let run = format!(
            "simulate --controller {controller} --queue {queue} --board 10x10 --games 3 --max-pieces 300 --sample 0 \
             --placements csv --columns piece,lost,board_before --out run-{number}"
        );
        let rollout = format!(
            "rollout --from run-{number} --every 60 --regret --replicates 8 --max-replicates 20 --precision 0.05 --horizon 20 \
             --controller dt20 --seed 2 --out roll-{number}"
        );
        for command in [run, rollout] {
            let output = tetrastat(folder.path(), &command.split_whitespace().collect::<Vec<_>>());
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        let expected = rows(&folder.path().join(format!("roll-{number}/rollout_candidates.csv")));
        let all = files(&folder.path().join("out"));
        let part = format!("part-{number:04}.parquet");
        let part = all.keys().find(|name| name.starts_with("labels/") && name.ends_with(&part));
        let reader = reader(&folder.path().join("out").join(part.unwrap()));
        let labels: Vec<Row> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert!(labels.len() == expected.len() && labels.len() > 60, "{}", labels.len());
        for (label, expected) in labels.iter().zip(&expected) {
            for (column, cell) in expected {
                let shown = match value(label, column) {
                    Field::Str(text) => text,
                    Field::Bool(is_true) => is_true.to_string().to_uppercase(),
                    Field::Null => "NA".to_owned(),
                    Field::Double(number) => number.to_string(),
                    other => other.to_string(),
                };
                assert_eq!(shown, *cell, "{column}");
            }
            assert_eq!(value(label, "condition"), Field::Long(number));
            // A board of a placement has the split of its game, here that of games 0 to 2 of seed 1.
            assert_eq!(value(label, "split"), Field::Str("train".to_owned()));
        }
    }
    let package = fs::read(folder.path().join("out/datapackage.json")).unwrap();
    let package: Value = serde_json::from_slice(&package).unwrap();
    let resources = package["resources"].as_array().unwrap();
    let labels = resources.iter().find(|one| one["name"] == "labels-0001").unwrap();
    let key = ["condition", "game", "piece_no", "candidate"];
    assert_eq!(labels["schema"]["primaryKey"], serde_json::json!(key));
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
    let labels = format!("out/{}", labels["path"].as_str().unwrap());
    let output = tetrastat(folder.path(), &["convert", &labels, "labels.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(rows(&folder.path().join("labels.csv")).iter().all(|row| row["condition"] == "1"));
}

/// A policy has a colon, which paths of partitions contain as readers of data sets expect.
#[test]
fn policies_are_escaped_in_partitions() {
    let settings = SETTINGS.replace("games = 12", "games = 1\npolicies = ['epsilon:0.1']");
    let folder = folder(&format!("{settings}{DATASET}"));
    write(folder.path(), "out", &[]);
    let all = files(&folder.path().join("out"));
    let parts = all.keys().filter(|name| name.contains("/policy=epsilon%3A0.1/"));
    assert_eq!(parts.count(), 4);
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
    let card = fs::read_to_string(folder.path().join("out/README.md")).unwrap();
    assert!(card.contains("`epsilon:0.1` is a random placement"), "{card}");
}

#[test]
fn guideline_games_make_a_data_set_with_candidates() {
    let settings = "
        controllers = ['capstone-sprint', 'tetrastat-sprint']
        rules = ['guideline']
        games = 2
        sprint_lines = 4
        candidates = true
    ";
    let folder = folder(&format!("{settings}{}", DATASET.replace("['lee']", "[]")));
    write(folder.path(), "out", &[]);
    let all = files(&folder.path().join("out"));
    for table in ["placements", "candidates"] {
        let of_table = all.keys().filter(|name| name.starts_with(table));
        let of_table: Vec<&String> = of_table.collect();
        assert_eq!(of_table.len(), 2, "{all:?}", all = all.keys());
        assert!(of_table[0].contains("rules=guideline/queue=bag/board_size=10x20/search="));
    }
    let conditions = String::from_utf8(all["conditions.csv"].clone()).unwrap();
    let columns: Vec<&str> = conditions.lines().next().unwrap().split(',').collect();
    assert_eq!(columns.iter().collect::<BTreeSet<_>>().len(), columns.len(), "{columns:?}");
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
}

#[test]
fn mistakes_are_one_line_with_a_remedy() {
    let whole = format!("{SETTINGS}{DATASET}");
    let wrong = |from: &str, to: &str| {
        assert!(whole.contains(from));
        whole.replace(from, to)
    };
    let mistake = |file: &str, words: &[&str]| {
        let folder = folder(file);
        let output = tetrastat(folder.path(), &["dataset", "d.toml", "--out", "out"]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message} lacks {words:?}");
        assert!(!folder.path().join("out").exists(), "{message}");
    };
    for (file, words) in [
        (SETTINGS.to_owned(), &["d.toml", "no table [dataset]", "title"][..]),
        (wrong("title", "titel"), &["[dataset]", "titel", "`title`"]),
        (wrong("title = 'Decisions of two controllers'", ""), &["[dataset]", "title", "--help"]),
        (wrong("my-decisions", "My Decisions"), &["name", "lower-case"]),
        (wrong("'1.2.0'", "2"), &["[dataset]", "string", "--help"]),
        (wrong("['lee']", "['dt20']"), &["held_out_controllers", "'dt20'", "bcts"]),
        (wrong("games = 12", "gmes = 12"), &["condition 1", "'gmes'", "max_pieces"]),
        (wrong("games = 12", "placements = 'csv'"), &["placements", "csv", "leave it out"]),
        (wrong("board =", "rules = ['liap']\nboard ="), &["d.toml"]),
    ] {
        mistake(&file, words);
    }
    let labels = |from: &str, to: &str| {
        assert!(LABELS.contains(from));
        format!("{whole}{}", LABELS.replace(from, to))
    };
    for (file, words) in [
        (labels("every = 3000", "every = 0"), &["[dataset.labels]", "every", "at least 1"][..]),
        (labels("every = 3000", ""), &["[dataset.labels]", "every", "see the example"]),
        (labels("replicates = 8", "replicates = 1"), &["[dataset.labels]", "at least 2"]),
        (
            labels("max_replicates = 20", "max_replicates = 2"),
            &["[dataset.labels]: max_replicates 2 is less than replicates 8"],
        ),
        (
            labels("max_replicates = 20", "max_replicates = 2000000"),
            &["[dataset.labels]: replicates or max_replicates 2000000: give at most 1000000"],
        ),
        (labels("'dt20'", "'nobody'"), &["[dataset.labels]", "nobody"]),
        (labels("'dt20'", "'dt20'\nsearch = 'next'"), &["[dataset.labels]", "greedy"]),
    ] {
        mistake(&file, words);
    }
    let folder = folder(&whole.replace("games = 12", "games = 1"));
    let refused = |out: &str, words: &[&str]| {
        let output = tetrastat(folder.path(), &["dataset", "d.toml", "--out", out]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message} lacks {words:?}");
    };
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/notes.txt"), "kept").unwrap();
    refused("mine", &["mine exists", "another --out"]);
    write(folder.path(), "begun", &["--condition", "1"]);
    write(folder.path(), "done", &[]);
    fs::write(folder.path().join("d.toml"), whole).unwrap();
    refused("begun", &["was started with another file", "--out"]);
    refused("done", &["was made from another file", "--out"]);
}

/// The data card shows no HTML and no hidden characters of the author's texts.
#[test]
fn the_data_card_escapes_the_texts_of_its_author() {
    let file = format!("{SETTINGS}{DATASET}")
        .replace("games = 12", "games = 1")
        .replace("'1.2.0'", "'1 <b>'")
        .replace("'Decisions of two controllers'", "'<script>alert(1)</script>'")
        .replace("'Placements on one board.'", r#""One\n<i>\u001b[31mred\u202Etext\u0000""#);
    let folder = folder(&file);
    write(folder.path(), "out", &[]);
    let card = fs::read_to_string(folder.path().join("out/README.md")).unwrap();
    assert!(card.starts_with("# &lt;script>alert(1)&lt;/script>\n\nOne\n&lt;i>\\u{1b}[31mred"));
    assert!(card.contains("\\u{202e}text\\u{0}\n\nVersion 1 &lt;b> of the data set"), "{card}");
    assert!(!card.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'));
}

/// The program writes the data set `tiny` with the committed checksums. If a change of the bytes is
/// intended, the variable `TETRASTAT_WRITE` makes this test write the file of `tiny`. The file of
/// `small` then needs the checksums of the tables in `tetrastat dataset small --out small`.
#[test]
fn the_data_set_tiny_has_the_committed_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let output = tetrastat(folder.path(), &["dataset", "tiny", "--out", "out"]);
    assert!(text(&output.stdout).starts_with("19,942 placements"), "{}", text(&output.stderr));
    let sums = fs::read_to_string(folder.path().join("out/SHA256SUMS")).unwrap();
    let tables: String = sums
        .split_inclusive('\n')
        .filter(|line| [".csv", ".parquet"].iter().any(|end| line.trim_end().ends_with(end)))
        .collect();
    let datasets = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/datasets");
    if std::env::var_os("TETRASTAT_WRITE").is_some() {
        fs::write(datasets.join("tiny.sha256"), &tables).unwrap();
    }
    assert_eq!(tables, fs::read_to_string(datasets.join("tiny.sha256")).unwrap());
    // Both files list the same tables as far as both data sets have them.
    let small = fs::read_to_string(datasets.join("small.sha256")).unwrap();
    assert_eq!((tables.lines().count(), small.lines().count()), (8, 24));
}

/// Files of the repository are valid data sets, with the stated number of conditions.
#[test]
fn the_data_sets_of_the_repository_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/datasets");
    for (file, conditions) in [
        ("tiny.toml", 6),
        ("small.toml", 22),
        ("full.toml", 22),
        ("labelled.toml", 8),
        ("tasks.toml", 10),
    ] {
        let output = tetrastat(&folder, &["dataset", file, "--dry-run"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).ends_with(&format!("{conditions} conditions\n")));
    }
}
