//! The real binary on real files: results, bad input, closed pipes and interruption.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

fn tetrastat(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tetrastat"));
    command.current_dir(folder).args(args);
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs a mistake: one line on stderr that holds every word of `remedy`, exit code 2, nothing left.
fn refused(args: &[&str], remedy: &[&str]) {
    let folder = folder();
    let output = tetrastat(folder.path(), args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    assert!(message.starts_with("tetrastat: "), "{message}");
    for word in remedy {
        assert!(message.contains(word), "{args:?}: {message} lacks {word}");
    }
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new(), "{args:?} left something");
}

const SMALL: [&str; 8] =
    ["simulate", "--board", "10x10", "--games", "6", "--max-pieces", "2000", "--seed"];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn the_default_run_plays_writes_and_can_be_repeated() {
    let folder = folder();
    for number in ["001", "002"] {
        let output = tetrastat(folder.path(), &["simulate", "--max-pieces", "200"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let summary = text(&output.stdout);
        for word in ["bcts", "95 % interval", "exponential", "bootstrap", "pieces/s", "censored"] {
            assert!(summary.contains(word), "{summary}");
        }
        let run = folder.path().join(format!("runs/bcts-10x20-uniform-greedy-{number}"));
        let rows = |name: &str| csv::Reader::from_path(run.join(name)).unwrap().records().count();
        assert_eq!((rows("games.csv"), rows("placements.csv")), (8, 1600));
        let manifest = manifest(&run);
        assert_eq!(manifest["status"], "complete");
        assert_eq!(manifest["files"][1]["rows"], 1600);
        assert_eq!(entries(&run).len(), 4, "tables and their descriptions, no partial file");
    }
}

fn manifest(run: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(run.join("run.json")).unwrap()).unwrap()
}

#[test]
fn one_and_two_threads_write_the_same_bytes() {
    for search in ["greedy", "next"] {
        let folder = folder();
        for threads in ["1", "2"] {
            let args = small(&[
                "7",
                "--search",
                search,
                "--threads",
                threads,
                "--out",
                threads,
                "--placements",
                "csv",
            ]);
            assert!(tetrastat(folder.path(), &args).status.success());
        }
        for name in ["games.csv", "placements.csv"] {
            let read = |threads| fs::read(folder.path().join(threads).join(name)).unwrap();
            assert_eq!(read("1"), read("2"), "{search} {name}");
        }
        let files = |threads| manifest(&folder.path().join(threads))["files"].clone();
        assert_eq!(files("1"), files("2"));
        let other = small(&["8", "--search", search, "--out", "other"]);
        assert!(tetrastat(folder.path(), &other).status.success());
        let read = |run| fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert_ne!(read("1"), read("other"), "another seed plays other games");
    }
}

/// The tables are held against each other: lines, pieces and the last board of each game.
#[test]
fn the_tables_agree() {
    let folder = folder();
    let args = small(&["3", "--placements", "csv", "--out", "run", "--search", "next"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    let run = folder.path().join("run");
    let mut games = csv::Reader::from_path(run.join("games.csv")).unwrap();
    let mut placements = csv::Reader::from_path(run.join("placements.csv")).unwrap();
    let header = placements.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let placements: Vec<csv::StringRecord> = placements.records().map(Result::unwrap).collect();
    for game in games.records().map(Result::unwrap) {
        let own: Vec<_> = placements.iter().filter(|row| row[0] == game[0]).collect();
        assert_eq!(own.len().to_string(), game[2]);
        let last = own.last().unwrap();
        assert_eq!(last[column("lines_total")], game[3]);
        for pair in own.windows(2) {
            assert_eq!(pair[0][column("next")], pair[1][column("piece")]);
        }
        for row in &own {
            let heights: u32 = (0..10).map(|c| row[column("h0") + c].parse::<u32>().unwrap()).sum();
            let rows = row[column("board")].split(':').map(|r| u16::from_str_radix(r, 16).unwrap());
            let cells: u32 = rows.map(u16::count_ones).sum();
            let holes: u32 = row[column("holes")].parse().unwrap();
            assert_eq!(heights, cells + holes, "height = filled cells + holes");
        }
    }
}

/// The compressed tables hold the plain one, byte for byte, for any number of threads.
#[test]
fn compressed_placements_read_back() {
    let folder = folder();
    for (format, threads) in
        [("csv", "1"), ("csv.gz", "1"), ("csv.zst", "1"), ("csv.gz", "2"), ("csv.zst", "2")]
    {
        let out = format!("{format}-{threads}");
        let args = small(&["5", "--placements", format, "--threads", threads, "--out", &out]);
        assert!(tetrastat(folder.path(), &args).status.success());
    }
    let read = |run: &str, name: &str| fs::read(folder.path().join(run).join(name)).unwrap();
    let plain = read("csv-1", "placements.csv");
    let mut gz = Vec::new();
    let packed = read("csv.gz-1", "placements.csv.gz");
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut gz).unwrap();
    let zst = zstd::stream::decode_all(&read("csv.zst-1", "placements.csv.zst")[..]).unwrap();
    assert!(gz == plain && zst == plain);
    assert!(packed.len() * 2 < plain.len());
    assert!(packed == read("csv.gz-2", "placements.csv.gz"));
    assert!(read("csv.zst-1", "placements.csv.zst") == read("csv.zst-2", "placements.csv.zst"));
}

/// Each selection is a part of the whole log.
#[test]
fn selections_keep_what_they_say() {
    let folder = folder();
    let log = |out: &str, more: &[&str]| -> Vec<String> {
        let args = [&small(&["5", "--placements", "csv", "--out", out])[..], more].concat();
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let table = fs::read_to_string(folder.path().join(out).join("placements.csv")).unwrap();
        table.lines().skip(1).map(str::to_owned).collect()
    };
    let key = |row: &String| -> (u64, u64) {
        let mut cells = row.split(',').map(|cell| cell.parse().unwrap());
        (cells.next().unwrap(), cells.next().unwrap())
    };
    let all = log("all", &[]);
    let kept = |keeps: &dyn Fn(u64, u64) -> bool| -> Vec<String> {
        all.iter().filter(|row| keeps(key(row).0, key(row).1)).cloned().collect()
    };
    assert_eq!(
        log("window", &["--from", "10", "--to", "20"]),
        kept(&|_, n| (10..=20).contains(&n))
    );
    let length = |game: u64| all.iter().map(key).filter(|k| k.0 == game).count() as u64;
    let last = log("last", &["--only-last", "7"]);
    assert_eq!(last, kept(&|game, n| n + 7 > length(game)));
    let some = log("some", &["--sample-games", "0.5"]);
    let games: std::collections::BTreeSet<u64> = some.iter().map(|row| key(row).0).collect();
    assert!(!games.is_empty() && games.len() < 6, "{games:?}");
    assert_eq!(some, kept(&|game, _| games.contains(&game)));
    refused(&["simulate", "--from", "9", "--to", "8"], &["--from 9", "--to 8"]);
    refused(&["simulate", "--sample-games", "2"], &["share from 0 to 1"]);
}

/// One chosen candidate a decision; it has the best score and the features of the placements table.
#[test]
fn candidates_hold_every_choice() {
    let folder = folder();
    let args =
        small(&["5", "--placements", "csv", "--candidates", "--every", "20", "--out", "run"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    let read = |name: &str| -> Vec<std::collections::BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(folder.path().join("run").join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    };
    let (placements, candidates) = (read("placements.csv"), read("candidates.csv"));
    let rows = &manifest(&folder.path().join("run"))["files"];
    assert_eq!(rows[2]["rows"], candidates.len());
    let mut start = 0;
    for placement in &placements {
        let count: usize = placement["candidates"].parse().unwrap();
        let own = &candidates[start..start + count];
        start += count;
        let chosen: Vec<_> = own.iter().filter(|row| row["chosen"] == "TRUE").collect();
        assert_eq!(chosen.len(), 1);
        for name in [
            "game",
            "piece_no",
            "piece",
            "orientation",
            "column",
            "score",
            "lines",
            "wells",
            "holes",
        ] {
            assert_eq!(chosen[0][name], placement[name], "{name}");
        }
        let score =
            |row: &std::collections::BTreeMap<String, String>| row["score"].parse::<f64>().ok();
        let best = own.iter().filter_map(score).max_by(f64::total_cmp);
        assert_eq!(score(chosen[0]), best);
    }
    assert_eq!(start, candidates.len());
}

#[test]
fn verify_finds_what_was_changed() {
    let folder = folder();
    for format in ["csv", "csv.gz", "csv.zst"] {
        let args = small(&["5", "--placements", format, "--out", format]);
        assert!(tetrastat(folder.path(), &args).status.success());
        let verify = || tetrastat(folder.path(), &["verify", format]);
        let sound = verify();
        assert!(sound.status.success(), "{}", text(&sound.stderr));
        assert_eq!(text(&sound.stdout).lines().filter(|line| line.ends_with(" ok")).count(), 3);

        let table = folder.path().join(format).join(format!("placements.{format}"));
        let bytes = fs::read(&table).unwrap();
        let mut edited = bytes.clone();
        edited[bytes.len() / 2] ^= 1;
        for (changed, word) in [(&edited[..], "edited"), (&bytes[..bytes.len() - 9], "cut")] {
            fs::write(&table, changed).unwrap();
            let output = verify();
            assert_eq!(output.status.code(), Some(2));
            assert!(text(&output.stdout).contains(word), "{}", text(&output.stdout));
            assert!(text(&output.stderr).contains("1 of 3 files"));
        }
        fs::remove_file(&table).unwrap();
        assert!(text(&verify().stdout).contains("check the path"));
        fs::write(&table, &bytes).unwrap();
        fs::write(folder.path().join(format).join("games.csv.partial"), "").unwrap();
        assert!(text(&verify().stdout).contains("unfinished"));
    }
    fs::write(folder.path().join("csv/run.json"), "{").unwrap();
    let broken = tetrastat(folder.path(), &["verify", "csv"]);
    assert!(text(&broken.stderr).contains("restore it"), "{}", text(&broken.stderr));
    refused(&["verify", "nowhere"], &["nowhere", "check the path"]);
}

#[test]
fn shards_join_to_the_bytes_of_one_run() {
    let folder = folder();
    let play = |more: &[&str]| {
        let args =
            [&small(&["5", "--placements", "csv.gz", "--candidates", "--every", "40"])[..], more]
                .concat();
        tetrastat(folder.path(), &args)
    };
    assert!(play(&["--out", "whole"]).status.success());
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        let out = format!("part{}", &shard[..1]);
        assert!(play(&["--shard", shard, "--out", &out, "--threads", "2"]).status.success());
    }
    let again = play(&["--shard", "2/4", "--out", "part2"]);
    assert!(text(&again.stdout).contains("played already"), "{}", text(&again.stderr));
    let other = play(&["--shard", "3/4", "--out", "part2"]);
    assert_eq!(other.status.code(), Some(2), "another shard does not overwrite it");

    let merge = |parts: &[&str], out: &str| {
        tetrastat(folder.path(), &[&["merge"][..], parts, &["--out", out]].concat())
    };
    let merged = merge(&["part3", "part1", "part4", "part2"], "joined");
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    for name in ["games.csv", "placements.csv.gz", "candidates.csv.gz"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(read("joined") == read("whole"), "{name}");
    }
    assert!(tetrastat(folder.path(), &["verify", "joined"]).status.success());
    let refusal = |parts: &[&str], word: &str| {
        let output = merge(parts, "no");
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.contains(word), "{message}");
        assert!(!folder.path().join("no").exists());
    };
    refusal(&["part1", "part2", "part4"], "missing");
    refusal(&["part1", "part2", "part3"], "3 of 4 shards");
    refusal(&["part1", "part1", "part2", "part3"], "given twice");
    refusal(&["whole"], "not a shard");
    fs::write(folder.path().join("part4/games.csv"), "game\n").unwrap();
    refusal(&["part1", "part2", "part3", "part4"], "games.csv");
    refused(&["simulate", "--shard", "5/4", "--out", "x"], &["5/4", "1/4"]);
    refused(&["simulate", "--games", "2", "--shard", "1/4", "--out", "x"], &["without any"]);
}

/// Kills a run at odd moments, goes on with it, and holds it against one that was left alone: with
/// logs, where unfinished games begin again, and without, where they go on from a snapshot.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let many = ["--board", "10x10", "--games", "60", "--max-pieces", "3000"];
    let long = ["--games", "3", "--max-pieces", "200000"];
    let often = ["--seed", "4", "--sample", "0", "--checkpoint-ms", "20"];
    for (name, args, logs) in [
        ("csv", &many[..], &["--placements", "csv", "--columns", "minimal"][..]),
        ("zst", &many[..], &["--placements", "csv.zst", "--every", "3", "--candidates"][..]),
        ("none", &many[..], &["--placements", "none"][..]),
        ("long", &long[..], &["--placements", "none"][..]),
    ] {
        let folder = folder();
        let straight_args =
            [&["simulate"][..], args, &often, logs, &["--out", "straight"]].concat();
        let killed_args = [&["simulate"][..], args, &often, logs, &["--out", "killed"]].concat();
        assert!(tetrastat(folder.path(), &straight_args).status.success());
        let mut killed = command(folder.path(), &killed_args);
        for pause in [60, 90, 120] {
            let mut child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();
            killed = command(folder.path(), &["simulate", "--resume", "killed"]);
        }
        let last = killed.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        let (straight, killed) = (folder.path().join("straight"), folder.path().join("killed"));
        // A machine fast enough to end before the last kill leaves nothing to go on with.
        if !last.status.success() {
            assert!(text(&last.stderr).contains("no checkpoint"), "{name}: {}", text(&last.stderr));
        }
        assert_eq!(manifest(&straight)["files"], manifest(&killed)["files"], "{name}");
        assert!(tetrastat(folder.path(), &["verify", "killed"]).status.success(), "{name}");
        let names = |run: &Path| {
            let mut names: Vec<_> =
                entries(run).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&straight), names(&killed), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_and_a_changed_one_does_not() {
    let folder = folder();
    fs::write(folder.path().join("mine.toml"), "name='mine'\nmeasured='after-clear'\n[weights]\nholes=-4\nmax_height=-1\nrow_transitions=-1\nwells=-1").unwrap();
    let run = |out: &str| {
        let args = [
            "simulate",
            "--controller",
            "mine.toml",
            "--board",
            "10x10",
            "--games",
            "400",
            "--max-pieces",
            "2000",
            "--placements",
            "csv.gz",
            "--every",
            "10",
            "--sample",
            "0",
            "--seed",
            "3",
            "--out",
        ];
        command(folder.path(), &[&args[..], &[out]].concat())
    };
    assert!(run("straight").output().unwrap().status.success());
    let child = run("stopped").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(text(&output.stderr).contains("--resume stopped goes on"), "{}", text(&output.stderr));
    let resume = || tetrastat(folder.path(), &["simulate", "--resume", "stopped"]);

    let own = fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    fs::write(folder.path().join("mine.toml"), own.replace("-4", "-5")).unwrap();
    let changed = resume();
    assert!(text(&changed.stderr).contains("have changed"), "{}", text(&changed.stderr));
    fs::write(folder.path().join("mine.toml"), own).unwrap();
    let resumed = resume();
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    let files = |run: &str| manifest(&folder.path().join(run))["files"].clone();
    assert_eq!(files("straight"), files("stopped"));
    let again = resume();
    assert!(text(&again.stderr).contains("no checkpoint"), "{}", text(&again.stderr));
    refused(&["simulate", "--resume", "nowhere"], &["nowhere", "no checkpoint"]);
    refused(&["simulate", "--resume", "x", "--seed", "2"], &["--resume"]);
}

#[test]
fn columns_are_chosen_by_set_or_name() {
    let folder = folder();
    let header = |columns: &str, out: &str| {
        let args = small(&["5", "--placements", "csv", "--columns", columns, "--out", out]);
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let table = fs::read_to_string(folder.path().join(out).join("placements.csv")).unwrap();
        table.lines().next().unwrap().to_owned()
    };
    let minimal = "game,piece_no,piece,orientation,column,landing_row,lines,lines_total,score";
    assert_eq!(header("minimal", "a"), minimal);
    let all = header("all", "b");
    for name in ["wells_guide", "rbf_4", "height_9", "h9", "well_column", "board", "bag_no"] {
        assert!(all.split(',').any(|column| column == name), "{name}: {all}");
    }
    assert_eq!(header("board, wells,h3", "c"), "game,piece_no,board,wells,h3");
    refused(&["simulate", "--columns", "wells,wels"], &["'wels'", "wells_open", "minimal"]);
}

#[test]
fn every_keeps_each_kth_placement() {
    let folder = folder();
    let args = small(&["3", "--placements", "csv", "--every", "100", "--out", "run"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    let mut rows = csv::Reader::from_path(folder.path().join("run/placements.csv")).unwrap();
    let numbers: Vec<u64> = rows.records().map(|row| row.unwrap()[1].parse().unwrap()).collect();
    assert!(!numbers.is_empty() && numbers.iter().all(|n| n % 100 == 0));
}

#[test]
fn json_is_one_object() {
    let folder = folder();
    let output = tetrastat(folder.path(), &small(&["3", "--format", "json", "--out", "run"]));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["run"]["config"]["controller"]["weights"]["holes"], -13.08335);
    assert_eq!(value["summary"]["games"], 6);
    assert!(output.stderr.is_empty(), "no progress when piped");
}

#[test]
fn wrong_words_and_numbers_are_refused() {
    refused(&["simulate", "--controller", "nope"], &["'nope'", "bcts", ".toml"]);
    refused(&["simulate", "--board", "40x3"], &["40x3", "4-16", "10x20"]);
    refused(&["simulate", "--games", "0"], &["--games", "1.."]);
    refused(&["simulate", "--queue", "nine"], &["'nine'", "bag"]);
    refused(&["simulate", "--rules", "house"], &["'house'", "simplified"]);
    refused(&["simulate", "--search", "far"], &["'far'", "expect"]);
    refused(&["simulate", "--placements", "xlsx"], &["'xlsx'", "csv.zst"]);
    refused(&["simulate", "--max-pieces", "0"], &["whole number from 1"]);
    refused(&["simulate", "--seed", "-1"], &["--seed"]);
    refused(&["simulate", "--sed", "1"], &["--sed", "--seed"]);
    refused(&["simulate", "--controller", "bdu", "--board", "8x20"], &["bdu", "10 wide, not 8"]);
    refused(&["simulate", "--controller", "missing.toml"], &["missing.toml", "check the path"]);
    refused(&["simulate", "--reach-anywhere"], &["--rules standard"]);
    refused(&["simulate", "--board-file", "none.txt"], &["none.txt", "check the path"]);
    refused(&["features", "--piece", "X"], &["'X'", "I O T S Z J L"]);
    refused(&["features", "--picture", "..../..x."], &["board"]);
    refused(&["features", "--piece", "T", "--search", "next"], &["--next"]);
    refused(&["controllers", "nope"], &["'nope'", "dellacherie"]);
}

#[test]
fn scripts_that_end_or_are_wrong_are_refused() {
    refused(&["simulate", "--queue", "script", "--script", "IOX"], &["'X'", "I O T S Z J L"]);
    refused(&["simulate", "--queue", "script"], &["--script"]);
    refused(&["simulate", "--queue", "bag", "--script", "IO"], &["--queue bag"]);
    refused(&["simulate", "--script", "IOTS"], &["after 4 pieces", "--cycle", "--max-pieces 4"]);
    let folder = folder();
    let fits = ["simulate", "--script", "IOTS", "--max-pieces", "4"];
    assert!(tetrastat(folder.path(), &fits).status.success());
    let cycles = ["simulate", "--script", "OOOOO", "--cycle", "--max-pieces", "100"];
    assert!(tetrastat(folder.path(), &cycles).status.success());
}

#[test]
fn controller_files_are_read_and_their_mistakes_named() {
    let folder = folder();
    let head = "name = 'mine'\nmeasured = 'after-clear'\n[weights]\n";
    for (weights, words) in [
        ("hoels = 1", ["hoels", "holes"]),
        ("holes = 'abc'", ["abc", "finite number"]),
        ("holes = abc", ["line 4", "data/controllers"]),
    ] {
        fs::write(folder.path().join("mine.toml"), format!("{head}{weights}")).unwrap();
        let output = tetrastat(folder.path(), &["simulate", "--controller", "mine.toml"]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(
            message.contains("mine.toml") && words.iter().all(|w| message.contains(w)),
            "{message}"
        );
        assert_eq!(entries(folder.path()).len(), 1);
    }
    fs::write(folder.path().join("mine.toml"), format!("{head}holes = -1\nmax_height = -0.5"))
        .unwrap();
    let args = small(&["1", "--controller", "mine.toml", "--out", "run", "--placements", "csv"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    let header = fs::read_to_string(folder.path().join("run/placements.csv")).unwrap();
    assert!(header.lines().next().unwrap().contains(",lost,holes,max_height,h0,"), "{header}");
}

#[test]
fn outputs_are_never_overwritten_unasked() {
    let folder = folder();
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/games.csv"), "precious").unwrap();
    let output = tetrastat(folder.path(), &small(&["1", "--out", "run"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--force"));
    assert_eq!(fs::read_to_string(folder.path().join("run/games.csv")).unwrap(), "precious");
    assert!(tetrastat(folder.path(), &small(&["1", "--out", "run", "--force"])).status.success());
    assert_ne!(fs::read_to_string(folder.path().join("run/games.csv")).unwrap(), "precious");
    let under_file = small(&["1", "--out", "run/games.csv/deeper"]);
    let output = tetrastat(folder.path(), &under_file);
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1));
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_refused() {
    refused(&["simulate", "--out", "/proc/tetrastat-run"], &["/proc/tetrastat-run", "creating"]);
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = folder();
    let mut child = command(folder.path(), &small(&["1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(errors, "");
}

/// A million games take minutes; the run is stopped after a second and a half.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_ended() {
    let folder = folder();
    let args = [
        "simulate",
        "--board",
        "10x10",
        "--games",
        "1000000",
        "--placements",
        "csv",
        "--every",
        "50",
        "--out",
        "run",
        "--sample",
        "0",
    ];
    let mut child = command(folder.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("keeping what is done"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let run = folder.path().join("run");
    let manifest = manifest(&run);
    assert_eq!(manifest["status"], "interrupted");
    let mut games = csv::Reader::from_path(run.join("games.csv")).unwrap();
    let ended: Vec<String> = games.records().map(|row| row.unwrap()[0].to_owned()).collect();
    assert!(!ended.is_empty(), "a 10x10 game takes a few hundredths of a second");
    assert_eq!(manifest["games"], ended.len());
    let mut placements = csv::Reader::from_path(run.join("placements.csv")).unwrap();
    for row in placements.records() {
        assert!(ended.contains(&row.unwrap()[0].to_owned()));
    }
    assert_eq!(entries(&run).len(), 5, "tables, descriptions and a checkpoint, no partial file");
}

#[test]
fn features_draws_the_board_and_ranks_placements() {
    let folder = folder();
    let picture = "....../....../#.####/#.####";
    let output = tetrastat(
        folder.path(),
        &["features", "--picture", picture, "--piece", "I", "--controller", "dellacherie"],
    );
    let shown = text(&output.stdout);
    assert!(shown.starts_with("......\n......\n#.####\n#.####\n"), "{shown}");
    assert!(shown.lines().any(|line| line.split_whitespace().eq(["wells", "3"])), "{shown}");
    let first = shown.lines().skip_while(|line| !line.contains("best first")).nth(2).unwrap();
    assert!(first.split_whitespace().take(4).eq(["0", "1", "0", "2"]), "{shown}");
    let output = tetrastat(
        folder.path(),
        &["features", "--picture", picture, "--piece", "I", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["features"]["wells"], 3.0);
    assert_eq!(json["placements"].as_array().unwrap().len(), 6 + 3);
}

#[test]
fn controllers_lists_and_shows() {
    let folder = folder();
    let list = tetrastat(folder.path(), &["controllers"]);
    assert!(["bcts", "rvce", "unity"].iter().all(|name| text(&list.stdout).contains(name)));
    let one = tetrastat(folder.path(), &["controllers", "bcts"]);
    let shown = text(&one.stdout);
    assert!(shown.contains("record_du.dat") && shown.contains("-24.04087"), "{shown}");
    let unity = tetrastat(folder.path(), &["controllers", "unity"]);
    assert!(text(&unity.stdout).contains("published no weights"));
}

#[test]
fn every_level_plays_the_same_games_and_a_wrong_one_is_refused() {
    let folder = folder();
    let mut tables = Vec::new();
    for level in tetrastat::kernels::Level::available() {
        let name = level.to_string();
        let args = small(&["9", "--simd", &name, "--out", &name, "--placements", "csv"]);
        assert!(tetrastat(folder.path(), &args).status.success());
        let run = folder.path().join(&name);
        assert_eq!(manifest(&run)["simd"], name);
        tables.push(fs::read(run.join("games.csv")).unwrap());
        tables.push(fs::read(run.join("placements.csv")).unwrap());
    }
    assert!(tables.chunks(2).all(|pair| pair == &tables[..2]));
    refused(&["simulate", "--simd", "mmx"], &["'mmx'", "scalar", "avx512"]);
}

#[test]
fn the_environment_forces_a_level() {
    let folder = folder();
    let run = |value: &str| {
        let args = small(&["9", "--out", value, "--placements", "none"]);
        command(folder.path(), &args).env("TETRASTAT_SIMD", value).output().unwrap()
    };
    assert!(run("portable").status.success());
    assert_eq!(manifest(&folder.path().join("portable"))["simd"], "portable");
    let wrong = run("nonsense");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("nonsense"));
}

#[test]
fn bench_prints_a_table_csv_and_json() {
    let folder = folder();
    let bench = |more: &[&str]| {
        let args =
            [&["bench", "--board", "10x10", "--sample-ms", "1", "--repeats", "1"], more].concat();
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let table = bench(&["--sections", "levels,search"]);
    assert!(
        table.contains("the same at every level") && table.contains("ratio to scalar"),
        "{table}"
    );
    let rows = bench(&["--sections", "features", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let features = reader.records().map(|row| row.unwrap()[1].to_owned()).collect::<Vec<_>>();
    assert_eq!(features.iter().filter(|name| *name == "wells_guide").count(), 2);
    let json: serde_json::Value =
        serde_json::from_str(&bench(&["--sections", "threads", "--format", "json"])).unwrap();
    assert_eq!(json["checksum"].as_str().unwrap().len(), 16);
    assert_eq!(json["rows"][0]["threads"], 1);
}

/// The behaviour of the whole engine over fixed games. A commit that changes it says so and why.
#[test]
fn the_behaviour_checksum_is_frozen() {
    for level in tetrastat::kernels::Level::available() {
        assert_eq!(tetrastat::bench::checksum(level).unwrap(), "4d21bc1feb27cd62", "{level}");
    }
}
