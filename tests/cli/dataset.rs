//! `tetrastat data set` on real files: the same bytes for any number of threads and after kills, the
//! columns and statistics of the partitions, and the description. tests/messages: dataset.md and
//! dataset-refused.md have the rest.

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

use crate::common::{
    assert_same, command, document, done, files, folder, read, rows, tetrastat, text,
};

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

fn same(folder: &Path, one: &str, other: &str) {
    assert_same(&files(&folder.join(one)), &files(&folder.join(other)));
}

fn value(row: &Row, column: &str) -> Field {
    row.get_column_iter().find(|(name, _)| *name == column).unwrap().1.clone()
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

#[test]
fn a_data_set_has_partitions_a_description_and_checksums() {
    let folder = folder();
    fs::write(folder.path().join("d.toml"), format!("{SETTINGS}{DATASET}")).unwrap();
    done(folder.path(), "data set d.toml --out out --threads 1");
    let out = folder.path().join("out");
    // Every game has one split, which is the same in all conditions.
    let games = rows(&out.join("games.csv"));
    let mut splits: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    let package = json(&out, "datapackage.json");
    let sums = read(&out, "SHA256SUMS");
    for condition in rows(&out.join("conditions.csv")) {
        let (number, part) = (&condition["condition"], &condition["file"]);
        let file = File::open(out.join(part)).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut keys = Vec::new();
        for row in reader.get_row_iter(None).unwrap().map(Result::unwrap) {
            let [Field::Long(game), Field::Long(piece_no), Field::Long(of), Field::Str(split)] =
                ["game", "piece_no", "condition", "split"].map(|column| value(&row, column))
            else {
                panic!("{row}")
            };
            assert_eq!(of.to_string(), *number);
            splits.entry(game).or_default().insert(split);
            // All controllers have the feature columns that the data set states.
            for column in ["holes", "bumpiness", "board_before", "d_holes", "h9", "lines"] {
                assert_ne!(value(&row, column), Field::Null, "{column}");
            }
            keys.push((game, piece_no));
        }
        assert!(keys.is_sorted() && !keys.is_empty());
        let of_condition = games.iter().filter(|game| game["condition"] == *number);
        let pieces: usize = of_condition.map(|game| game["pieces"].parse::<usize>().unwrap()).sum();
        assert_eq!(keys.len(), pieces);
        let group = reader.metadata().row_group(0);
        let column = |name: &str| {
            group.columns().iter().find(|one| one.column_descr().name() == name).unwrap()
        };
        assert!(matches!(column("game").statistics(), Some(Statistics::Int64(_))));
        assert!(column("split").dictionary_page_offset().is_some());
        let resources = package["resources"].as_array().unwrap();
        let resource = resources.iter().find(|one| one["path"] == **part).unwrap();
        let sum = resource["hash"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        assert!(sums.contains(&format!("{sum}  {part}\n")), "{sum}: {sums}");
    }
    assert_eq!(splits.len(), 12);
    assert!(splits.values().all(|splits| splits.len() == 1), "{splits:?}");
    assert_eq!(splits[&7], BTreeSet::from(["test".to_owned()]));
    croissant_describes(&out, &package, &sums);
}

/// Checks that `croissant.json` lists every file with its checksum, and every column of `package`.
fn croissant_describes(out: &Path, package: &Value, sums: &str) {
    let croissant = json(out, "croissant.json");
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
    let folder = folder();
    fs::write(folder.path().join("d.toml"), format!("{settings}{DATASET}{LABELS}")).unwrap();
    let write = |more: &str| done(folder.path(), &format!("data set d.toml --out {more}"));
    write("one --threads 1");
    write("two --threads 2");
    same(folder.path(), "one", "two");

    for pause in [30, 60, 90, 120, 150, 400, 700] {
        let args = ["data", "set", "d.toml", "--out", "killed", "--threads", "2"];
        let mut child = command(folder.path(), &args);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    write("killed");
    same(folder.path(), "one", "killed");

    // Each job plays one condition in a folder of its own.
    let study = |out: &str| -> PathBuf { folder.path().join(out).join("study") };
    fs::create_dir_all(study("jobs")).unwrap();
    for number in 1..=4 {
        let job = format!("job-{number}");
        write(&format!("{job} --condition {number}"));
        fs::copy(study(&job).join("study.toml"), study("jobs").join("study.toml")).unwrap();
        for entry in fs::read_dir(study(&job)).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                fs::rename(entry.path(), study("jobs").join(entry.file_name())).unwrap();
            }
        }
    }
    write("jobs");
    same(folder.path(), "one", "jobs");

    // On a complete data set the same command plays nothing. It removes the folder `study`, which
    // remains if the first command is killed at its end.
    fs::create_dir(study("one")).unwrap();
    let again = tetrastat(folder.path(), &["data", "set", "d.toml", "--out", "one"]);
    assert!(again.status.success() && text(&again.stderr).contains("nothing is played again"));
    same(folder.path(), "one", "two");
}

/// The program writes the data set `tiny` with the committed checksums. If a change of the bytes is
/// intended, the variable `TETRASTAT_WRITE` makes this test write the file of `tiny`. The file of
/// `small` then needs the checksums of the tables in `tetrastat data set small --out small`.
#[test]
fn the_data_set_tiny_has_the_committed_checksums() {
    let folder = folder();
    let shown = done(folder.path(), "data set tiny --out out");
    assert!(shown.starts_with("19,942 placements"), "{shown}");
    let sums = read(folder.path(), "out/SHA256SUMS");
    let is_table =
        |line: &&str| line.trim_end().ends_with(".csv") || line.trim_end().ends_with(".parquet");
    let tables: String = sums.split_inclusive('\n').filter(is_table).collect();
    let tiny = "data/datasets/tiny.sha256";
    if std::env::var_os("TETRASTAT_WRITE").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(tiny), &tables).unwrap();
    }
    assert_eq!(tables, document(tiny));
    // Both files list the same tables as far as both data sets have them.
    let small = document("data/datasets/small.sha256");
    assert_eq!((tables.lines().count(), small.lines().count()), (8, 24));
}

/// Files of the repository are valid data sets, with the stated number of conditions.
#[test]
fn the_data_sets_of_the_repository_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/datasets");
    for (file, conditions) in
        [("tiny", 6), ("small", 22), ("full", 22), ("labelled", 8), ("tasks", 10)]
    {
        let shown = done(&folder, &format!("data set {file}.toml --dry-run"));
        assert!(shown.ends_with(&format!("{conditions} conditions\n")), "{shown}");
    }
}
