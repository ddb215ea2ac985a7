//! `tetrastat study` on real files: the same bytes as single runs, as any number of threads, and as a
//! study that was never stopped; and every mistake in one line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;
use tempfile::TempDir;

use crate::common::{command, rows, tetrastat, text};

/// Eight conditions that take a few hundredths of a second each.
const STUDY: &str = r#"
controllers = ["bcts", "dt20", "dellacherie", "files/mine.toml"]
boards = ["10x10", "8x10"]
seed = 5
games = 6
max_pieces = 2000
placements = "csv.gz"
columns = "minimal"
every = 10
"#;

const MINE: &str =
    "name = 'mine'\nmeasured = 'after-clear'\n[weights]\nholes = -4\nmax_height = -1\nwells = -1\n";

/// A folder with the study and its controller.
fn folder(study: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("files")).unwrap();
    fs::write(folder.path().join("files/mine.toml"), MINE).unwrap();
    fs::write(folder.path().join("my.toml"), study).unwrap();
    folder
}

fn play(folder: &Path, out: &str) -> String {
    let output = tetrastat(folder, &["study", "my.toml", "--out", out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "no progress when piped: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// One line on stderr that holds every word, and exit code 2.
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let output = tetrastat(folder, args);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert!(message.starts_with("tetrastat: "), "{message}");
    assert!(words.iter().all(|word| message.contains(word)), "{message} lacks one of {words:?}");
}

/// Every file of a study by its path. `run.json` and `datapackage.json` hold times: of the one the
/// tables count, of the other that it is there.
fn bytes(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![study.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("run.json") {
                let run: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                bytes = format!("{} {} {}", run["status"], run["config"], run["files"]).into();
            }
            if path.ends_with("datapackage.json") {
                bytes.clear();
            }
            let name = path.strip_prefix(study).unwrap().to_str().unwrap().to_owned();
            found.insert(name, bytes);
        }
    }
    found
}

fn same(folder: &Path, one: &str, other: &str) {
    let (one, other) = (bytes(&folder.join(one)), bytes(&folder.join(other)));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(bytes == &other[name], "{name}");
    }
}

#[test]
fn every_condition_is_the_run_that_simulate_plays() {
    let folder = folder(STUDY);
    let shown = play(folder.path(), "all");
    let study = folder.path().join("all");
    assert_eq!(fs::read_to_string(study.join("study.toml")).unwrap(), STUDY);
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
        let expected = [number.to_string(), name.to_owned(), board.to_owned()];
        assert_eq!(
            ["condition", "controller", "board"].map(|column| row[column].clone()),
            expected
        );
        let out = format!("single-{number}");
        let args = format!(
            "simulate --controller {controller} --board {board} --seed 5 --games 6 --max-pieces 2000 --placements csv.gz --columns minimal --every 10 --sample 0 --out {out}"
        );
        let args: Vec<&str> = args.split(' ').collect();
        assert!(tetrastat(folder.path(), &args).status.success());
        same(folder.path(), &out, &format!("all/{}", row["folder"]));
        let run = folder.path().join(out);
        let json: serde_json::Value =
            serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
        for (column, key) in [("games", "games"), ("pieces", "pieces"), ("lines", "lines")] {
            assert_eq!(row[column], json[key].to_string());
        }
        assert_eq!((&*row["status"], &*row["seed"]), ("complete", "0x0000000000000005"));
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

    let verify = || tetrastat(folder.path(), &["verify", "all"]);
    assert!(verify().status.success(), "{}", text(&verify().stdout));
    let package = fs::read_to_string(study.join("datapackage.json")).unwrap();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap();
    let schema = &package["resources"][1]["schema"];
    assert_eq!(schema["primaryKey"], serde_json::json!(["condition", "game"]));
    assert_eq!(schema["foreignKeys"][0]["reference"]["resource"], "conditions");
    for (edited, shown) in
        [("games.csv", "games.csv"), ("003-dt20-10x10-uniform-greedy-s5/games.csv", "003-dt20")]
    {
        let path = study.join(edited);
        let sound = fs::read_to_string(&path).unwrap();
        fs::write(&path, sound.replacen("FALSE", "TRUE", 1)).unwrap();
        let found = verify();
        let line = text(&found.stdout).lines().find(|line| !line.ends_with(" ok")).unwrap();
        assert!(found.status.code() == Some(2) && line.contains(shown), "{line}");
        fs::write(&path, sound).unwrap();
    }
}

#[test]
fn the_summary_is_that_of_simulate() {
    let folder = folder("controllers = ['bcts']\nboards = ['6x6']\ngames = 40\n");
    play(folder.path(), "all");
    let row = &rows(&folder.path().join("all/conditions.csv"))[0];
    let args = ["simulate", "--board", "6x6", "--games", "40", "--format", "json", "--out", "one"];
    let output = tetrastat(folder.path(), &args);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let summary = &json["summary"];
    let near = |column: &str, value: &serde_json::Value| {
        let (written, value) = (row[column].parse::<f64>().unwrap(), value.as_f64().unwrap());
        assert!((written - value).abs() <= 0.5e-4 + 1e-9, "{column}: {written} {value}");
    };
    near("mean", &summary["mean"]);
    near("sd", &summary["sd"]);
    near("median", &summary["median"]);
    near("min", &summary["min"]);
    near("max", &summary["max"]);
    near("mean_low", &summary["exponential"]["low"]);
    near("mean_high", &summary["exponential"]["high"]);
    near("bootstrap_low", &summary["bootstrap"]["low"]);
    near("bootstrap_high", &summary["bootstrap"]["high"]);
    assert_eq!((&*row["ended"], &*row["censored"]), ("40", "0"));
}

#[test]
fn threads_change_nothing_and_a_second_call_plays_nothing() {
    let folder = folder(STUDY);
    for threads in ["1", "2"] {
        let args = ["study", "my.toml", "--threads", threads, "--out", threads];
        assert!(tetrastat(folder.path(), &args).status.success());
    }
    same(folder.path(), "1", "2");
    let times = || {
        let run = folder.path().join("1/001-bcts-10x10-uniform-greedy-s5/run.json");
        fs::metadata(run).unwrap().modified().unwrap()
    };
    let before = times();
    play(folder.path(), "1");
    assert_eq!(before, times());
    same(folder.path(), "1", "2");
}

/// Killed again and again at odd moments, then interrupted, a study comes to the bytes of one that was
/// left alone.
#[cfg(unix)]
#[test]
fn a_study_that_was_stopped_goes_on_to_the_same_bytes() {
    let long = STUDY.replace("games = 6", "games = 60\ncheckpoint_ms = 20");
    let folder = folder(&long);
    play(folder.path(), "straight");
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
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    // A machine fast enough to end before the interruption has nothing to go on with.
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("the same command resumes the study"));
        let partial = rows(&folder.path().join("stopped/conditions.csv"));
        assert_eq!(partial.len(), 8);
        let open: Vec<_> = partial.iter().filter(|row| row["status"] != "complete").collect();
        assert!(!open.is_empty() && open.iter().all(|row| row["games"] == "NA"));
        assert!(!folder.path().join("stopped/games.csv").exists());
    }
    play(folder.path(), "stopped");
    same(folder.path(), "straight", "stopped");
}

#[test]
fn what_changed_since_it_was_begun_is_refused() {
    let folder = folder(STUDY);
    play(folder.path(), "all");
    let again = ["study", "my.toml", "--out", "all"];
    fs::write(folder.path().join("my.toml"), STUDY.replace("games = 6", "games = 7")).unwrap();
    refused(folder.path(), &again, &["started with another file", "study.toml", "--out"]);
    fs::write(folder.path().join("my.toml"), STUDY).unwrap();
    fs::write(folder.path().join("files/mine.toml"), MINE.replace("-4", "-5")).unwrap();
    refused(folder.path(), &again, &["007-mine", "condition 7", "controllers"]);
    fs::write(folder.path().join("files/mine.toml"), MINE).unwrap();
    let games = folder.path().join("all/002-bcts-8x10-uniform-greedy-s5/games.csv");
    let sound = fs::read_to_string(&games).unwrap();
    fs::write(&games, sound.replace('1', "2")).unwrap();
    refused(
        folder.path(),
        &again,
        &["002-bcts", "games.csv", "changed or damaged", "remove this folder"],
    );
    fs::remove_dir_all(games.parent().unwrap()).unwrap();
    play(folder.path(), "all");
    assert_eq!(fs::read_to_string(&games).unwrap(), sound);

    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/notes.txt"), "precious").unwrap();
    let other = ["study", "my.toml", "--out", "other"];
    refused(folder.path(), &other, &["other exists and holds no study", "--out"]);
    refused(folder.path(), &["study", "my.toml", "--out", "my.toml"], &["holds no study"]);
    assert_eq!(fs::read_dir(folder.path().join("other")).unwrap().count(), 1);
}

#[test]
fn mistakes_leave_nothing_behind() {
    for (study, words) in [
        ("controllers = [", &["my.toml", "line 1"][..]),
        ("", &["my.toml", "no conditions"]),
        ("controllers = []", &["controllers is empty"]),
        ("controllers = 'bcts'", &["controllers is a list"]),
        ("seeds = [1]\ngmes = 5", &["'gmes'", "max_pieces"]),
        ("seeds = [1]\ngames = 0", &["games", "of at least 1"]),
        ("seeds = [1, 1]", &["conditions 1 and 2", "the same"]),
        ("seeds = [1]\n[[condition]]\nsed = 1", &["condition 2", "'sed'"]),
        ("controllers = ['nope']", &["'nope'", "bcts"]),
        ("controllers = ['missing.toml']", &["missing.toml", "check the path"]),
    ] {
        let folder = folder(study);
        refused(folder.path(), &["study", "my.toml", "--out", "all"], words);
        assert!(!folder.path().join("all").exists(), "{study}");
    }
    let folder = folder(STUDY);
    refused(folder.path(), &["study", "my.toml"], &["--out"]);
    refused(
        folder.path(),
        &["study", "none.toml", "--out", "all"],
        &["none.toml", "check the path"],
    );
}

/// A condition that fails ends the study; the file may be mended as long as nothing is kept.
#[test]
fn a_failure_is_named_and_can_be_mended() {
    // One game: of several, all alike, a line would say so.
    let script = "seeds = [1]\ngames = 1\nscript = 'IOTS'\n";
    let folder = folder(script);
    let args = ["study", "my.toml", "--out", "all"];
    refused(folder.path(), &args, &["001-bcts", "after 4 pieces", "0 of 1 conditions"]);
    fs::write(folder.path().join("my.toml"), format!("{script}max_pieces = 4\n")).unwrap();
    play(folder.path(), "all");
}

#[test]
fn a_dry_run_lists_the_conditions_and_json_holds_them() {
    let folder = folder(STUDY);
    let args = ["study", "my.toml", "--dry-run", "--out", "all"];
    let output = tetrastat(folder.path(), &args);
    let listed = text(&output.stdout);
    assert_eq!(listed.lines().count(), 9, "{listed}");
    assert!(listed.starts_with("001-bcts-10x10-uniform-greedy-s5\n"), "{listed}");
    assert!(listed.ends_with("8 conditions\n"), "{listed}");
    assert!(!folder.path().join("all").exists());
    let args = ["study", "my.toml", "--dry-run", "--format", "json"];
    let json: serde_json::Value =
        serde_json::from_slice(&tetrastat(folder.path(), &args).stdout).unwrap();
    assert_eq!(json["conditions"][7]["config"]["controller"]["name"], "mine");
    assert_eq!(json["conditions"][7]["status"], "pending");
    let args = ["study", "my.toml", "--out", "all", "--format", "json"];
    let json: serde_json::Value =
        serde_json::from_slice(&tetrastat(folder.path(), &args).stdout).unwrap();
    assert_eq!(json["conditions"][0]["results"]["games"], 6);
}

/// A Parquet table's rows by column name, and of each column its type and whether it may be missing.
type Table = (Vec<BTreeMap<String, Field>>, BTreeMap<String, (String, bool)>);

fn parquet(path: &Path) -> Table {
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

/// Two widths and two controllers are one table: the same columns of the same types everywhere, each row with its
/// condition's number, and missing what its board or controller does not have.
#[test]
fn parquet_tables_of_a_study_are_read_as_one() {
    let study = "controllers = ['bcts', 'dt20']\nboards = ['10x10', '8x10']\ngames = 2\nmax_pieces = 40\nplacements = 'parquet'\ncandidates = true\n";
    let folder = folder(study);
    play(folder.path(), "all");
    let all = folder.path().join("all");
    let conditions = rows(&all.join("conditions.csv"));
    assert_eq!(conditions.len(), 4);
    for table in ["placements", "candidates"] {
        let name = format!("{table}.parquet");
        let mut columns: Option<BTreeMap<String, (String, bool)>> = None;
        for condition in &conditions {
            let (cells, own) = parquet(&all.join(&condition["folder"]).join(&name));
            assert_eq!(columns.get_or_insert(own.clone()), &own, "{}", condition["folder"]);
            let number: i64 = condition["condition"].parse().unwrap();
            assert!(
                cells.len() > 40 && cells.iter().all(|row| row["condition"] == Field::Long(number))
            );
            let is_missing = |column: &str| {
                let missing = cells.iter().filter(|row| row[column] == Field::Null).count();
                assert!(missing == 0 || missing == cells.len(), "{column}");
                missing > 0
            };
            if table == "placements" {
                let narrow = condition["board"] == "8x10";
                assert_eq!(["h7", "h8", "h9"].map(is_missing), [false, narrow, narrow]);
            }
            // The one feature of dt20 that bcts does not have.
            assert_eq!(is_missing("pattern_diversity"), condition["controller"] == "bcts");
            assert!(!is_missing("holes"));
        }
        let required: Vec<String> = columns
            .unwrap()
            .into_iter()
            .filter(|(_, (_, optional))| !optional)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(required, ["condition", "game", "piece_no"]);
    }
    // A run of its own, and CSV, have neither the column nor others' columns.
    let single = "simulate --board 8x10 --games 2 --max-pieces 40 --placements parquet --sample 0 --out single";
    assert!(tetrastat(folder.path(), &single.split(' ').collect::<Vec<_>>()).status.success());
    let (_, own) = parquet(&folder.path().join("single/placements.parquet"));
    assert!(!own.contains_key("condition") && !own.contains_key("h8"));
    // Other commands read them.
    let verified = tetrastat(folder.path(), &["verify", "all"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    let narrow = format!("all/{}/placements.parquet", conditions[1]["folder"]);
    let printed = tetrastat(folder.path(), &["convert", &narrow, "-"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let header = text(&printed.stdout).lines().next().unwrap();
    assert!(header.ends_with(",condition") && header.contains(",h8,"), "{header}");
}

/// The same of guideline games: controllers have their own terms, and only bags are numbered.
#[test]
fn parquet_tables_of_a_guideline_study_are_read_as_one() {
    let study = "rules = 'guideline'\nmode = 'blitz'\npieces = 12\ncontrollers = ['tetrastat-blitz-greedy', 'capstone-sprint']\nqueues = ['bag', 'uniform']\ngames = 2\nplacements = 'parquet'\ncandidates = true\n";
    let folder = folder(study);
    play(folder.path(), "all");
    let all = folder.path().join("all");
    let conditions = rows(&all.join("conditions.csv"));
    assert_eq!(conditions.len(), 4);
    let mut tables: BTreeMap<&str, BTreeMap<String, (String, bool)>> = BTreeMap::new();
    for condition in &conditions {
        let run = all.join(&condition["folder"]);
        let number: i64 = condition["condition"].parse().unwrap();
        for table in ["placements", "candidates"] {
            let (cells, own) = parquet(&run.join(format!("{table}.parquet")));
            assert_eq!(tables.entry(table).or_insert(own.clone()), &own, "{table} {number}");
            let all_have =
                |column: &str, is: bool| cells.iter().all(|row| (row[column] != Field::Null) == is);
            assert!(cells.len() > 20);
            assert!(cells.iter().all(|row| row["condition"] == Field::Long(number)));
            if table == "placements" {
                assert!(all_have("bag_no", !condition["folder"].contains("uniform")));
            } else {
                let sprint = condition["controller"] == "capstone-sprint";
                assert!(all_have("complete_rows", sprint) && all_have("holes", true));
                assert!(all_have("cavities", !sprint));
            }
        }
    }
    let verified = tetrastat(folder.path(), &["verify", "all"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
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

/// `-` is standard input; paths in it are seen from the working folder.
#[test]
fn a_study_comes_through_a_pipe() {
    let folder = folder(STUDY);
    play(folder.path(), "file");
    let mut piped = command(folder.path(), &["study", "-", "--out", "pipe"]);
    let mut piped = piped.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut piped.stdin.take().unwrap(), STUDY.as_bytes()).unwrap();
    assert!(piped.wait().unwrap().success());
    assert_eq!(bytes(&folder.path().join("file")), bytes(&folder.path().join("pipe")));
    let output = command(folder.path(), &["study", "-", "--dry-run"]).output().unwrap();
    let message = text(&output.stderr);
    assert!(message.starts_with("tetrastat: standard input: "), "{message}");
}

/// Conditions that were played by jobs of their own, each in a folder of its own, put together.
#[test]
fn conditions_played_apart_are_the_study() {
    let folder = folder(&STUDY.replace(", \"dellacherie\", \"files/mine.toml\"", ""));
    let folder = folder.path();
    play(folder, "whole");
    let parts = folder.join("parts");
    fs::create_dir(&parts).unwrap();
    for number in ["1", "2", "3", "4"] {
        let job = folder.join(format!("job-{number}"));
        let args = ["study", "my.toml", "--condition", number, "--out", job.to_str().unwrap()];
        let output = tetrastat(folder, &args);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
        fs::rename(job.join("study.toml"), parts.join("study.toml")).unwrap();
        let played = fs::read_dir(&job).unwrap().map(|entry| entry.unwrap().path());
        let played: Vec<PathBuf> = played.filter(|path| path.is_dir()).collect();
        assert_eq!(played.len(), 1, "one condition and no other: {played:?}");
        fs::rename(&played[0], parts.join(played[0].file_name().unwrap())).unwrap();
    }
    play(folder, "parts");
    assert_eq!(bytes(&folder.join("whole")), bytes(&parts));
    let none = ["study", "my.toml", "--condition", "5", "--out", "no"];
    refused(folder, &none, &["--condition 5", "conditions 1 to 4"]);
    assert!(!folder.join("no").exists());
}

/// A study that ends by time must keep its complete conditions, and the same command must continue it.
#[test]
fn a_study_of_some_minutes_keeps_what_is_complete() {
    let folder = crate::common::folder();
    let file = "controllers = [\"lee\", \"bdu\"]\nboard = \"10x8\"\ngames = 2\nplacements = \"none\"\n\n\
                [[condition]]\ncontroller = \"dellacherie\"\ngames = 100000000\n";
    fs::write(folder.path().join("long.toml"), file).unwrap();
    for _ in 0..2 {
        let args = ["study", "long.toml", "--out", "s", "--minutes", "0.05"];
        let output = tetrastat(folder.path(), &args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(
            said.contains("the time of --minutes is over: 2 of 3 conditions are complete"),
            "{said}"
        );
        assert_eq!(rows(&folder.path().join("s/conditions.csv")).len(), 3);
    }
}
