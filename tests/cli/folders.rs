//! Output folders: the same command goes on, a different one is refused, `--force` replaces a run of the same
//! kind and nothing else, and nothing that was damaged is believed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{command, folder, tetrastat, text};

const CLASSIC: &str = "simulate --board 6x8 --games 40 --max-pieces 300 --seed 5 --sample 0 --placements csv.gz --checkpoint-ms 1";
const GUIDELINE: &str =
    "simulate --rules guideline --mode blitz --pieces 30 --games 60 --seed 5 --checkpoint-ms 1";
const LIAP: &str = "liap simulate --rounds 20000 --seed 5 --checkpoint-ms 1";
const TRAIN: &str = "train cem --features holes,landing_height --board 6x8 --population 10 --elite 3 --generations 12 --games 4 --max-pieces 200 --check-every 0 --final-games 20 --held-out-games 20 --seed 5";
const ESTIMATE: &str =
    "estimate --board 6x8 --pieces 2000 --burn-in 100 --pilot-pieces 5000 --budget 60000 --seed 5";
const STUDY: &str = "controllers = ['bcts', 'dellacherie']\nboard = '6x8'\ngames = 30\nmax_pieces = 300\nseed = 5\nplacements = 'csv'\n";

fn words(line: &str, out: &str) -> Vec<String> {
    let out = ["--out", out];
    line.split_whitespace().chain(out).map(str::to_owned).collect()
}

fn run(folder: &Path, line: &str, out: &str) -> std::process::Output {
    let words = words(line, out);
    tetrastat(folder, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn done(folder: &Path, line: &str, out: &str) -> String {
    let output = run(folder, line, out);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stderr).to_owned()
}

/// Runs what must be refused in one line that has all these words, and must change no file.
fn refuses(folder: &Path, line: &str, out: &str, has: &[&str]) {
    let before = everything(&folder.join(out));
    let output = run(folder, line, out);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{line}: {message}");
    for word in has {
        assert!(message.contains(word), "{line}: {message} lacks {word}");
    }
    assert!(before == everything(&folder.join(out)), "{line} changed something in {out}");
}

/// Every file below a folder with its bytes.
fn everything(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        // A run at work takes files away between two looks.
        let Ok(path) = entry.map(|entry| entry.path()) else { continue };
        if path.is_dir() {
            found.extend(everything(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            found.insert(path.display().to_string(), bytes);
        }
    }
    found
}

/// The tables of a folder by name, with those of its runs.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let prefix = folder.display().to_string();
    let is_table = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or_default();
        name.contains(".csv") || name.ends_with(".parquet") || name == "controller.toml"
    };
    let all = everything(folder).into_iter();
    all.map(|(name, bytes)| (name[prefix.len()..].to_owned(), bytes))
        .filter(|(name, _)| is_table(name))
        .collect()
}

#[test]
fn force_replaces_a_run_of_the_same_kind_and_nothing_else() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("s.toml"), STUDY).unwrap();
    done(path, "study s.toml", "study");
    done(path, TRAIN, "trained");
    done(path, GUIDELINE, "blitz");
    done(path, LIAP, "liap");
    fs::create_dir(path.join("mine")).unwrap();
    fs::write(path.join("mine/games.csv"), "precious\n").unwrap();
    let force = format!("{CLASSIC} --force");
    refuses(path, &force, "study", &["study holds", "--force replaces nothing but a run"]);
    refuses(path, &force, "trained", &["trained holds", "another --out"]);
    refuses(path, &force, "blitz", &["blitz holds a run of guideline games"]);
    refuses(path, &force, "liap", &["liap holds a run of liap games"]);
    refuses(path, &force, "mine", &["mine holds games.csv, and no run.json"]);
    refuses(path, CLASSIC, "mine", &["mine holds games.csv, but no run", "another --out"]);
    let force = format!("{GUIDELINE} --force");
    refuses(path, &force, "liap", &["liap holds a run of liap games"]);
    refuses(path, &format!("{LIAP} --force"), "blitz", &["a run of guideline games"]);

    done(path, CLASSIC, "run");
    fs::write(path.join("run/notes.txt"), "mine").unwrap();
    let other = format!("{CLASSIC} --every 2 --force");
    refuses(path, &other, "run", &["run holds notes.txt"]);
    fs::remove_file(path.join("run/notes.txt")).unwrap();
    let said = done(path, &other, "run");
    assert!(said.contains("replacing the run in run that was started 20"), "{said}");
    let said = done(path, &format!("{} --force", GUIDELINE.replace("60", "3")), "blitz");
    assert!(said.contains("replacing the run in blitz"), "{said}");
}

#[test]
fn a_stray_file_in_a_study_is_found() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("s.toml"), STUDY).unwrap();
    done(path, "study s.toml", "study");
    let verify = || tetrastat(path, &["verify", "study"]);
    assert!(verify().status.success());
    let run = fs::read_dir(path.join("study")).unwrap().map(|entry| entry.unwrap().path());
    let run = run.filter(|path| path.is_dir()).min().unwrap();
    fs::copy(run.join("run.json"), path.join("study/run.json")).unwrap();
    assert_eq!(verify().status.code(), Some(2));
    assert!(
        text(&verify().stdout).contains("does not belong to a study"),
        "{}",
        text(&verify().stdout)
    );
}

/// Every command with --out: killed as soon as there is something to go on from, the same command goes on to
/// the bytes of one that was left alone; given again it plays nothing; a different one is refused, naming what
/// differs.
#[cfg(unix)]
#[test]
fn the_same_command_goes_on_and_another_is_refused() {
    let compare = "compare bcts dellacherie --board 6x8 --games 60 --max-pieces 300 --seed 5";
    for (line, differing, named) in [
        (CLASSIC, "--seed 6", "seed is 0x0000000000000005 there, 0x0000000000000006 here"),
        (CLASSIC, "--placements parquet", "placements.csv.gz there"),
        (
            "simulate --board 6x8 --games 40 --max-pieces 300 --checkpoint-ms 1 --shard 2/3",
            "--max-pieces 200",
            "max_pieces is 300 there, 200 here",
        ),
        (GUIDELINE, "--games 61", "games is 60 there, 61 here"),
        (LIAP, "--declarers v1", "declarers is"),
        (TRAIN, "--games 5", "play.games is 4 there, 5 here"),
        (ESTIMATE, "--burn-in 101", "burn_in is 100 there, 101 here"),
        (compare, "--max-pieces 200", "max_pieces is 300 there, 200 here"),
    ] {
        let folder = folder();
        let path = folder.path();
        done(path, line, "straight");
        // An empty folder is a fresh one.
        fs::create_dir(path.join("killed")).unwrap();
        let killed = words(line, "killed");
        let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
        for pause in [0, 30] {
            let mut child = command(path, &killed);
            let child = child.stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            let begun = || !everything(&path.join("killed")).is_empty();
            while !begun() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        done(path, line, "killed");
        assert!(tables(&path.join("straight")) == tables(&path.join("killed")), "{line}");
        done(path, line, "killed");
        assert!(tables(&path.join("straight")) == tables(&path.join("killed")), "{line}");
        // The later of two options counts for a training; elsewhere the word itself is changed.
        let (option, value) = differing.split_once(' ').unwrap();
        let mut other: Vec<&str> = line.split_whitespace().collect();
        match other.iter().position(|word| *word == option) {
            Some(place) => other[place + 1] = value,
            None => other.extend([option, value]),
        }
        refuses(path, &other.join(" "), "killed", &["killed", named, "another --out"]);
    }
}

#[test]
fn what_was_damaged_is_not_believed() {
    for (line, tables) in [
        (CLASSIC, &["games.csv", "placements.csv.gz"][..]),
        (GUIDELINE, &["games.csv", "placements.csv"]),
        (LIAP, &["matches.csv", "rounds.csv", "declarations.csv"]),
        (TRAIN, &["history.csv"]),
    ] {
        let folder = folder();
        let path = folder.path();
        let mut child =
            command(path, &words(line, "run").iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let size = |name: &str| {
            let file = path.join("run").join(format!("{name}.partial"));
            fs::metadata(file).map_or(0, |file| file.len())
        };
        // Rows of each table are on disk, and a checkpoint that knows them.
        let state = || fs::read_to_string(path.join("run/checkpoint.json")).unwrap_or_default();
        let known = || {
            state().split("\"bytes\":").skip(1).any(|rest| {
                rest.starts_with(|c: char| ('1'..='9').contains(&c)) && rest.find(',') > Some(3)
            })
        };
        while !(known() && size(tables[0]) > 1000) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if !path.join("run/checkpoint.json").exists() || path.join("run/run.json").exists() {
            continue;
        }
        for name in tables
            .iter()
            .map(|table| format!("{table}.partial"))
            .chain(["checkpoint.json".to_owned()])
        {
            let file = path.join("run").join(&name);
            let whole = fs::read(&file).unwrap();
            let mut changed = whole.clone();
            // Near the beginning: behind what a checkpoint knows of, bytes are written again.
            changed[12] ^= 1;
            for damaged in [changed, Vec::new()] {
                fs::write(&file, damaged).unwrap();
                refuses(
                    path,
                    line,
                    "run",
                    &["run", &name, "restore it from a copy, or remove run"],
                );
            }
            fs::remove_file(&file).unwrap();
            if name != "checkpoint.json" {
                let finished = name.trim_end_matches(".partial");
                refuses(path, line, "run", &[finished, "is missing"]);
            }
            fs::write(&file, whole).unwrap();
        }
        done(path, line, "run");
        done(path, line, "straight");
        assert!(self::tables(&path.join("run")) == self::tables(&path.join("straight")), "{line}");
    }
}

#[test]
fn a_damaged_estimate_is_not_believed() {
    let folder = folder();
    let path = folder.path();
    done(path, ESTIMATE, "run");
    for name in ["plan.json", "replications.jsonl"] {
        let file = path.join("run").join(name);
        let whole = fs::read_to_string(&file).unwrap();
        let place = whole.find(|c: char| ('2'..='8').contains(&c)).unwrap();
        for place in [place, whole.len() / 2] {
            let mut changed = whole.clone().into_bytes();
            changed[place] ^= 1;
            fs::write(&file, changed).unwrap();
            refuses(path, ESTIMATE, "run", &[name, "is damaged", "remove run"]);
        }
        let mut lines: Vec<&str> = whole.split_inclusive('\n').collect();
        if lines.len() > 2 {
            lines.swap(0, 1);
            fs::write(&file, lines.concat()).unwrap();
            refuses(path, ESTIMATE, "run", &[name, "is damaged"]);
        }
        fs::write(&file, whole).unwrap();
    }
    // Whole lines that are gone are played again.
    let before = tables(&path.join("run"));
    let file = path.join("run/replications.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let half = text.split_inclusive('\n').take(2).collect::<String>();
    fs::write(&file, half + "{\"sha256").unwrap();
    done(path, ESTIMATE, "run");
    assert!(before == tables(&path.join("run")));
}

#[test]
fn an_edited_manifest_is_found() {
    let folder = folder();
    let path = folder.path();
    done(path, CLASSIC, "run");
    let file = path.join("run/run.json");
    let whole = fs::read_to_string(&file).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let lines = format!("\"lines\": {}", manifest["lines"]);
    fs::write(&file, whole.replacen(&lines, "\"lines\": 7", 1)).unwrap();
    let output = tetrastat(path, &["verify", "run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stdout).contains("does not match its checksum"),
        "{}",
        text(&output.stdout)
    );
    refuses(path, CLASSIC, "run", &["run holds this run, but it is damaged", "--force"]);
    fs::write(&file, whole.replacen("\"checksum\"", "\"checksun\"", 1)).unwrap();
    refuses(path, CLASSIC, "run", &["run holds this run, but it is damaged", "--force"]);
    let description = path.join("run/datapackage.json");
    let described = fs::read_to_string(&description).unwrap();
    fs::write(&file, whole).unwrap();
    fs::write(&description, described.replacen("bcts", "bctz", 1)).unwrap();
    refuses(path, CLASSIC, "run", &["run holds this run, but it is damaged", "datapackage.json"]);
}

/// `merge` names the part that is missing or unfinished, and the command that plays it.
#[cfg(unix)]
#[test]
fn merge_says_how_to_get_the_part_that_it_lacks() {
    let folder = folder();
    let path = folder.path();
    let line = "simulate --board 6x8 --games 30 --max-pieces 300 --seed 5 --placements csv";
    done(path, line, "whole");
    done(path, &format!("{line} --shard 1/3"), "a");
    done(path, &format!("{line} --shard=3/3 --force"), "c");
    let refuses = |parts: &str, has: &[&str]| {
        refuses(path, &format!("merge {parts}"), "merged", has);
        assert!(!path.join("merged").exists());
    };
    let plays = format!("tetrastat {line} --shard 2/3 --out");
    refuses("a c", &["shard 2/3 is missing", &format!("{plays} PART-2")]);
    refuses("a b c", &["shard 2/3 is missing", &format!("{plays} b")]);
    refuses("a a c", &["1/3 is given twice"]);
    refuses("a whole", &["whole is a whole run"]);
    refuses("x y", &["x holds no shard", "--shard I/N"]);

    let many = line.replace("--games 30", "--games 3000");
    let part = format!("{many} --shard 2/3 --checkpoint-ms 1");
    let words = words(&part, "b");
    let mut child = command(path, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !path.join("b/checkpoint.json").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(path.join("b/checkpoint.json").exists(), "killed before it was done");
    refuses("a b c", &["b is unfinished", "tetrastat simulate --resume b"]);
    fs::remove_dir_all(path.join("b")).unwrap();

    done(path, &format!("{line} --shard 2/3"), "b");
    done(path, "merge a c b", "merged");
    assert!(tables(&path.join("merged")) == tables(&path.join("whole")));
    let again = done(path, "merge a b c", "merged");
    assert!(again.contains("merged is already complete"), "{again}");
    // Left by a kill between two tables.
    fs::rename(path.join("merged/placements.csv"), path.join("merged/placements.csv.partial"))
        .unwrap();
    let manifest = fs::read_to_string(path.join("merged/run.json")).unwrap();
    fs::remove_file(path.join("merged/run.json")).unwrap();
    let output = run(path, "merge a b c", "merged");
    assert!(text(&output.stderr).contains("merged holds"), "no checkpoint of a merge: not touched");
    fs::write(path.join("merged/run.json"), manifest).unwrap();
}

/// Array jobs play shards into a common folder. Their Parquet logs become the parts of one table, which every
/// command reads as it reads a file.
#[test]
fn merge_keeps_parquet_logs_as_parts() {
    let folder = folder();
    let path = folder.path();
    let line = "simulate --board 6x8 --games 30 --max-pieces 300 --seed 5 --placements parquet";
    done(path, line, "whole");
    for shard in 1..=4 {
        done(path, &format!("{line} --shard {shard}/4"), &format!("job-{shard}"));
    }
    done(path, "merge job-4 job-2 job-1 job-3 --parts", "run");
    let part =
        |run: &str, file: &str| fs::read(path.join(run).join("placements.parquet").join(file));
    let parts = everything(&path.join("run/placements.parquet"));
    assert_eq!(parts.len(), 4);
    for shard in 1..=4 {
        let played = fs::read(path.join(format!("job-{shard}/placements.parquet"))).unwrap();
        assert!(part("run", &format!("part-0000{shard}.parquet")).unwrap() == played);
    }
    let read = |file: &str| fs::read(path.join(file)).unwrap();
    assert!(read("run/games.csv") == read("whole/games.csv"));
    let json = |file: &str| serde_json::from_slice::<serde_json::Value>(&read(file)).unwrap();
    let (run, whole) = (json("run/run.json"), json("whole/run.json"));
    for key in ["config", "games", "lines", "pieces"] {
        assert_eq!(run[key], whole[key], "{key}");
    }
    assert_eq!(run["files"][1]["rows"], whole["files"][1]["rows"]);
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let succeeds = |line: &str| {
        let words = words(line);
        let output = tetrastat(path, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    succeeds("verify run");
    succeeds("convert run one --format parquet");
    assert!(read("one/placements.parquet") == read("whole/placements.parquet"));
    let selection = "--columns game,holes --where holes>1";
    let table = |run: &str| succeeds(&format!("convert {run}/placements.parquet - {selection}"));
    assert!(table("run") == table("whole"));
    succeeds("convert run/placements.parquet/part-00002.parquet second.csv");
    succeeds("view run --out run.html");
    succeeds("view whole --out whole.html");
    let tables = |page: &str| {
        let page = String::from_utf8(read(page)).unwrap();
        page[page.find("\"tables\"").unwrap()..].to_owned()
    };
    assert!(tables("run.html") == tables("whole.html"), "the pages show the same rows");
    let again = done(path, "merge job-1 job-2 job-3 job-4 --parts", "run");
    assert!(again.contains("run is already complete"), "{again}");

    // Every file in the folder is a part for other programs.
    let added = path.join("run/placements.parquet/part-00005.parquet");
    fs::copy(path.join("job-1/placements.parquet"), &added).unwrap();
    let fails = |line: &str, has: &str| {
        let words = words(line);
        let output = tetrastat(path, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!output.status.success() && told.contains(has), "{line}: {told}");
    };
    fails("verify run", "part-00005.parquet is no part of the run");
    fails("convert run other --format csv", "part-00005.parquet is no part of the run");
    fs::remove_file(added).unwrap();
    let mut changed = part("run", "part-00002.parquet").unwrap();
    changed[100] ^= 1;
    let second = path.join("run/placements.parquet/part-00002.parquet");
    fs::remove_file(&second).unwrap();
    fs::write(&second, changed).unwrap();
    fails("verify run", "part-00002.parquet: the recorded checksum differs");
    fails("convert run/placements.parquet -", "does not match its checksum in run.json");

    // A run of one machine replaces the parts, and parts replace its file.
    done(path, &format!("{line} --force"), "run");
    assert!(read("run/placements.parquet") == read("whole/placements.parquet"));
    succeeds("verify run");
    for shard in 1..=2 {
        let csv = line.replace("parquet", "csv");
        done(path, &format!("{csv} --shard {shard}/2"), &format!("csv-{shard}"));
    }
    refuses(
        path,
        "merge csv-1 csv-2 --parts",
        "joined",
        &["no Parquet tables", "--placements parquet"],
    );
}
