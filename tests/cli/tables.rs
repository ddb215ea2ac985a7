//! The tables of a run on real files: formats, selections, going on, shards, what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{command, entries, folder, manifest, rows, small, tetrastat, text};

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
            assert_eq!(pair[0][column("next_1")], pair[1][column("piece")]);
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

const FORMATS: [&str; 4] = ["csv", "csv.gz", "csv.zst", "parquet"];

/// Two logs of so many games in each format, under names that tell format and threads.
fn play_each_format(folder: &Path, games: &str) {
    for (format, threads) in FORMATS.into_iter().flat_map(|f| [(f, "1"), (f, "2")]) {
        let out = format!("{format}-{threads}");
        let columns = "all,board_before,holes_before,d_height,well_column_before";
        let logs = ["--placements", format, "--columns", columns, "--candidates"];
        let run = ["--board", "8x8", "--games", games, "--seed", "3", "--sample", "0"];
        let more = ["--max-pieces", "1000", "--threads", threads, "--out", &out];
        let output = tetrastat(folder, &[&["simulate"][..], &run, &logs, &more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

/// Every format holds the same rows, for any number of threads, and converts to the bytes that a
/// run writes in another.
#[test]
fn formats_hold_the_same_rows_and_convert_to_each_other() {
    hold_the_same_rows("5", 20_000);
}

/// Games with more candidates than two of the largest blocks hold.
#[test]
#[ignore = "long: 40 s"]
fn long_formats_hold_the_same_rows_and_convert_to_each_other() {
    hold_the_same_rows("150", 2 << 16);
}

/// `least` is a number of candidates that the games have at least.
fn hold_the_same_rows(games: &str, least: u64) {
    let folder = folder();
    play_each_format(folder.path(), games);
    let candidates = &manifest(&folder.path().join("csv-1"))["files"][2]["rows"];
    assert!(candidates.as_u64() > Some(least), "{candidates} rows");
    let read = |run: &str, name: &str| fs::read(folder.path().join(run).join(name)).unwrap();
    for table in ["placements", "candidates"] {
        let plain = read("csv-1", &format!("{table}.csv"));
        let mut gz = Vec::new();
        let packed = read("csv.gz-1", &format!("{table}.csv.gz"));
        flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut gz).unwrap();
        let zst = zstd::stream::decode_all(&read("csv.zst-1", &format!("{table}.csv.zst"))[..]);
        assert!(gz == plain && zst.unwrap() == plain);
        assert!(packed.len() * 2 < plain.len());
        for format in FORMATS {
            let name = format!("{table}.{format}");
            assert!(read(&format!("{format}-1"), &name) == read(&format!("{format}-2"), &name));
            let printed =
                tetrastat(folder.path(), &["convert", &format!("{format}-1/{name}"), "-"]);
            assert!(printed.stdout == plain, "{name}: {}", text(&printed.stderr));
        }
    }
    for (from, to) in [("csv", "parquet"), ("parquet", "csv.zst"), ("csv.zst", "csv.gz")] {
        let out = format!("{from}-to-{to}");
        let convert = ["convert", &format!("{from}-1"), &out, "--format", to];
        let converted = tetrastat(folder.path(), &convert);
        assert!(converted.status.success(), "{}", text(&converted.stderr));
        let files = |run: &str| manifest(&folder.path().join(run))["files"].clone();
        assert_eq!(files(&out), files(&format!("{to}-1")), "{from} to {to}");
        assert!(tetrastat(folder.path(), &["verify", &out]).status.success());
    }
}

/// A folder of any game converts to the tables that its command writes in the other format.
#[test]
fn folders_of_every_game_convert() {
    let folder = folder();
    for (game, play, option) in [
        ("sprint", "simulate --rules guideline --games 3 --sprint-lines 12", "--placements"),
        ("liap", "liap simulate --rounds 300 --seed 4", "--log"),
    ] {
        let name = |format: &str| format!("{game}-{format}");
        for format in ["csv", "parquet"] {
            let out = name(format);
            let more = [option, format, "--threads", "1", "--out", &out];
            let args: Vec<&str> = play.split(' ').chain(more).collect();
            let played = tetrastat(folder.path(), &args);
            assert!(played.status.success(), "{}", text(&played.stderr));
        }
        let to = format!("{game}-converted");
        let convert = ["convert", &name("csv"), &to, "--format", "parquet"];
        let converted = tetrastat(folder.path(), &convert);
        assert!(converted.status.success(), "{}", text(&converted.stderr));
        let (copy, played) =
            (manifest(&folder.path().join(&to)), manifest(&folder.path().join(name("parquet"))));
        assert_eq!((&copy["files"], &copy["config"]), (&played["files"], &played["config"]));
        assert!(copy["files"].as_array().is_some_and(|files| files.len() > 1));
        assert!(tetrastat(folder.path(), &["verify", &to]).status.success());
        let described = |run: &str| -> serde_json::Value {
            let path = folder.path().join(run).join("datapackage.json");
            let mut package: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            // It says when the run that it is of was played.
            assert!(package["created"].take().is_string());
            package
        };
        assert_eq!(described(&to), described(&name("parquet")));
        let again = tetrastat(folder.path(), &convert);
        assert!(text(&again.stderr).contains("complete: nothing is played again"));
    }
}

#[test]
fn conversions_that_make_no_sense_are_refused() {
    let folder = folder();
    let args = small(&["5", "--placements", "csv", "--out", "run"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    fs::write(folder.path().join("run/other.csv"), "a,b\n1,2\n").unwrap();
    fs::write(folder.path().join("run/placements.parquet"), "PAR1 no PAR1").unwrap();
    fs::write(folder.path().join("run/candidates.csv"), "game,piece\n1,Q\n").unwrap();
    let before = entries(&folder.path().join("run")).len();
    for (args, words) in [
        (&["run/placements.csv", "run/x.xlsx"][..], &["ending", "parquet"][..]),
        (&["run/placements.csv", "run/games.csv"], &["exists already", "--force"]),
        (&["run/other.csv", "run/x.parquet"], &["table 'other'", "placements"]),
        (&["run/placements.parquet", "-"], &["placements.parquet", "copy the file again"]),
        (&["run/candidates.csv", "-"], &["line 2", "'Q'", "piece", "correct the cell"]),
        (&["run/nothing.csv", "-"], &["nothing.csv"]),
        (&["run", "other"], &["--format", "run"]),
        (&["run/games.csv", "run/x.csv", "--format", "csv"], &["file name"]),
    ] {
        let output = tetrastat(folder.path(), &[&["convert"][..], args].concat());
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        for word in words {
            assert!(message.contains(word), "{args:?}: {message} lacks {word}");
        }
    }
    assert_eq!(entries(&folder.path().join("run")).len(), before, "nothing half-written stays");
}

/// Runs a shell script in which `tetrastat` is the binary.
#[cfg(target_os = "linux")]
fn shell(folder: &Path, script: &str) -> std::process::Output {
    let binary = assert_cmd::cargo::cargo_bin!("tetrastat").display().to_string();
    let script = format!("tetrastat() {{ '{binary}' \"$@\"; }}; {script}");
    Command::new("bash").args(["-c", &script]).current_dir(folder).output().unwrap()
}

/// When the tables may not grow any more, the run ends with one clear line, keeps what is complete,
/// and goes on once there is room, to the bytes of a run that always had it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let simulate = "tetrastat simulate --board 10x10 --games 60 --max-pieces 3000 --seed 4 \
                    --sample 0 --checkpoint-ms 20 --columns minimal";
    // A limit on file sizes, which anyone can set, and a small file system where that is allowed.
    let limits = ["trap '' XFSZ; ulimit -f 300; ", "mount -t tmpfs -o size=700k none small && "];
    let whole = folder();
    let played = |format: &str| {
        let out = whole.path().join(format);
        if !out.exists() {
            let straight = format!("{simulate} --placements {format} --out {format}");
            assert!(shell(whole.path(), &straight).status.success());
        }
        manifest(&out)["files"].clone()
    };
    for (format, limit) in
        FORMATS.into_iter().flat_map(|format| limits.map(|limit| (format, limit)))
    {
        let folder = folder();
        fs::create_dir(folder.path().join("small")).unwrap();
        // What the small file system holds is lost with it: it is copied out before.
        let script = format!(
            "{limit}{simulate} --placements {format} --out small/full; code=$?; \
             cp -r small/full kept; exit $code"
        );
        let mounts = limit.starts_with("mount");
        let full = if mounts {
            let allowed = Command::new("unshare").args(["-rm", "true"]).status();
            if !allowed.is_ok_and(|status| status.success()) {
                eprintln!("not tried: this user may not mount a small file system");
                continue;
            }
            let binary = assert_cmd::cargo::cargo_bin!("tetrastat").display().to_string();
            let script = format!("tetrastat() {{ '{binary}' \"$@\"; }}; {script}");
            let mut unshare = Command::new("unshare");
            unshare.args(["-rm", "bash", "-c", &script]).current_dir(folder.path());
            unshare.output().unwrap()
        } else {
            shell(folder.path(), &script)
        };
        let message = text(&full.stderr);
        assert_eq!((full.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        for word in ["writing", &format!("placements.{format}"), "are kept in", "--resume"] {
            assert!(message.contains(word), "{format} {limit}: {message} lacks {word}");
        }
        assert_eq!(message.contains("free some space"), mounts, "{message}");
        let kept = manifest(&folder.path().join("kept"));
        assert!(kept["status"]["failed"].is_string(), "{kept}");
        for file in kept["files"].as_array().unwrap() {
            let convert = ["convert", &format!("kept/{}", file["name"].as_str().unwrap()), "-"];
            let printed = tetrastat(folder.path(), &convert);
            let rows = text(&printed.stdout).lines().count() as u64 - 1;
            assert_eq!(file["rows"], rows, "{format}: a table that is cut is whole all the same");
        }
        let resumed = tetrastat(folder.path(), &["simulate", "--resume", "kept"]);
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        let files = manifest(&folder.path().join("kept"))["files"].clone();
        assert_eq!(files, played(format), "{format} {limit}");
    }
}

/// Wherever the table ends that may not grow, in the first block of a game or a later one, with a checkpoint
/// that knows more rows than were kept: no row is lost, none is there twice.
#[cfg(target_os = "linux")]
#[test]
fn no_row_is_lost_when_the_disk_was_full() {
    fill_the_disk(|limits| &limits[..1]);
}

#[cfg(unix)]
#[test]
#[ignore = "long: 10 s"]
fn long_no_row_is_lost_wherever_the_disk_was_full() {
    fill_the_disk(|limits| &limits[1..]);
}

/// Plays with so many half kilobytes of disk, then goes on.
#[cfg(unix)]
fn fill_the_disk(some: impl Fn(&[u32]) -> &[u32]) {
    let pieces = "simulate --board 10x10 --games 40 --max-pieces 3000 --sample 0 --columns minimal --placements csv";
    let guideline =
        "simulate --rules guideline --mode blitz --pieces 60 --games 60 --placements csv";
    let liap = "liap simulate --rounds 3000 --log csv";
    let cases = [
        (pieces, "simulate", &[284, 298, 368, 382, 529, 711][..]),
        (guideline, "simulate", &[101, 640]),
        (liap, "liap simulate", &[101, 640]),
    ];
    for (options, command, limits) in cases {
        let begin = format!("tetrastat {options} --seed 4 --threads 1 --checkpoint-ms 0");
        let folder = folder();
        assert!(shell(folder.path(), &format!("{begin} --out straight")).status.success());
        let files = |run: &str| manifest(&folder.path().join(run))["files"].clone();
        for limit in some(limits) {
            let out = format!("full-{limit}");
            let script = format!("trap '' XFSZ; ulimit -f {limit}; {begin} --out {out}");
            assert_eq!(shell(folder.path(), &script).status.code(), Some(2));
            let resumed = shell(folder.path(), &format!("tetrastat {command} --resume {out}"));
            assert!(resumed.status.success(), "{}", text(&resumed.stderr));
            assert!(files(&out) == files("straight"), "{options}: {limit}");
        }
    }
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
    let mut lengths = std::collections::BTreeMap::<u64, u64>::new();
    all.iter().for_each(|row| *lengths.entry(key(row).0).or_default() += 1);
    let last = log("last", &["--only-last", "7"]);
    assert_eq!(last, kept(&|game, n| n + 7 > lengths[&game]));
    let some = log("some", &["--sample-games", "0.5"]);
    let games: std::collections::BTreeSet<u64> = some.iter().map(|row| key(row).0).collect();
    assert!(!games.is_empty() && games.len() < 6, "{games:?}");
    assert_eq!(some, kept(&|game, _| games.contains(&game)));
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

/// Candidates have the features of the controller and those that `--columns` selects, so that models
/// of several controllers have one set of features.
#[test]
fn candidates_have_the_selected_features() {
    let folder = folder();
    let run = |columns: &str, out: &str| -> Vec<String> {
        let logs = ["--placements", "csv", "--candidates", "--columns", columns, "--every", "20"];
        let args = small(&[&["5", "--controller", "el-tetris", "--out", out][..], &logs].concat());
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let run = folder.path().join(out);
        let candidates = rows(&run.join("candidates.csv"));
        let chosen: Vec<_> = candidates.iter().filter(|row| row["chosen"] == "TRUE").collect();
        let placements = rows(&run.join("placements.csv"));
        assert_eq!(chosen.len(), placements.len());
        for (choice, placement) in chosen.iter().zip(&placements) {
            for (name, value) in choice.iter().filter(|(name, _)| placement.contains_key(*name)) {
                assert_eq!(*value, placement[name], "{name}");
            }
        }
        let mut reader = csv::Reader::from_path(run.join("candidates.csv")).unwrap();
        reader.headers().unwrap().iter().skip(11).map(str::to_owned).collect()
    };
    let own = "landing_height rows_removed row_transitions column_transitions_floor holes wells";
    let own: Vec<&str> = own.split(' ').collect();
    assert_eq!(run("controller", "own"), own);
    assert_eq!(
        run("holes,bumpiness,eroded_cells,lines", "more"),
        [&own[..], &["bumpiness", "eroded_cells"]].concat()
    );
    let all = run("all", "all");
    assert!(all.len() > 40 && all.contains(&"pattern_diversity".to_owned()), "{all:?}");
}

#[test]
fn verify_finds_what_was_changed() {
    let folder = folder();
    for format in ["csv", "csv.gz", "csv.zst", "parquet"] {
        let args = small(&["5", "--placements", format, "--out", format]);
        assert!(tetrastat(folder.path(), &args).status.success());
        let verify = || tetrastat(folder.path(), &["verify", format]);
        let sound = verify();
        assert!(sound.status.success(), "{}", text(&sound.stderr));
        assert_eq!(text(&sound.stdout).lines().filter(|line| line.ends_with(" ok")).count(), 4);

        let table = folder.path().join(format).join(format!("placements.{format}"));
        let bytes = fs::read(&table).unwrap();
        let mut edited = bytes.clone();
        edited[bytes.len() / 2] ^= 1;
        for (changed, word) in
            [(&edited[..], "changed or damaged"), (&bytes[..bytes.len() - 9], "shortened")]
        {
            fs::write(&table, changed).unwrap();
            let output = verify();
            assert_eq!(output.status.code(), Some(2));
            assert!(text(&output.stdout).contains(word), "{}", text(&output.stdout));
            assert!(text(&output.stderr).contains("1 of 4 files"));
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
    assert!(text(&again.stderr).contains("part2 is already complete"), "{}", text(&again.stderr));
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
    refusal(&["part1", "part2", "part3"], "shard 4/4 is missing");
    refusal(&["part1", "part1", "part2", "part3"], "given twice");
    refusal(&["whole"], "not a shard");
    fs::write(folder.path().join("part4/games.csv"), "game\n").unwrap();
    refusal(&["part1", "part2", "part3", "part4"], "games.csv");
}

/// Kills a run at odd moments, goes on with it, and holds it against one that was left alone: with
/// logs, where unfinished games begin again, and without, where they go on from a snapshot.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    kill_and_go_on(&["csv"]);
}

#[cfg(unix)]
#[test]
#[ignore = "long: 20 s"]
fn long_a_killed_run_goes_on_in_every_format() {
    kill_and_go_on(&["zst", "parquet", "none", "long"]);
}

#[cfg(unix)]
fn kill_and_go_on(names: &[&str]) {
    let many = ["--board", "10x10", "--games", "60", "--max-pieces", "3000"];
    let long = ["--games", "3", "--max-pieces", "200000"];
    let often = ["--seed", "4", "--sample", "0", "--checkpoint-ms", "20"];
    let cases = [
        (
            "csv",
            &many[..],
            &["--placements", "csv", "--columns", "minimal,holes_before,d_holes"][..],
        ),
        ("zst", &many[..], &["--placements", "csv.zst", "--every", "3", "--candidates"][..]),
        ("parquet", &many[..], &["--placements", "parquet", "--candidates", "--to", "400"][..]),
        ("none", &many[..], &["--placements", "none"][..]),
        ("long", &long[..], &["--placements", "none"][..]),
    ];
    for (name, args, logs) in cases.into_iter().filter(|(name, ..)| names.contains(name)) {
        let folder = folder();
        let straight_args =
            [&["simulate"][..], args, &often, logs, &["--out", "straight"]].concat();
        let killed_args = [&["simulate"][..], args, &often, logs, &["--out", "killed"]].concat();
        assert!(tetrastat(folder.path(), &straight_args).status.success());
        let mut killed = command(folder.path(), &killed_args);
        for pause in [60, 90, 120] {
            let mut child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let begun = folder.path().join("killed/checkpoint.json");
            while !begun.exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
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
            "3000",
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
    // Well within the run, which takes a second or more.
    std::thread::sleep(Duration::from_millis(150));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        text(&output.stderr).contains("--resume stopped resumes the run"),
        "{}",
        text(&output.stderr)
    );
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
    let named_only = ["well_tied", "board_before", "holes_before", "d_holes", "split"];
    for (columns, out) in [("all", "e"), ("all,holes", "f"), ("controller,holes", "g")] {
        let names = header(columns, out);
        assert!(!names.split(',').any(|name| named_only.contains(&name)), "{names}");
    }
    assert_eq!(header("board, wells,h3", "c"), "game,piece_no,board,wells,h3");
    let sets = header("minimal,features,heights,board", "d");
    let features = "landing_height,eroded_cells,row_transitions,column_transitions,holes,wells,hole_depth,rows_with_holes";
    assert_eq!(sets, format!("{minimal},{features},h0,h1,h2,h3,h4,h5,h6,h7,h8,h9,board"));
}

/// One O on columns 2 and 3 completes row 1 and opens the hole. The controller measures its features
/// before full rows are removed, where the hole is still covered.
///
/// ```text
/// ....            ....            ....
/// ....   before   ..##   locked   ....   after
/// ##..            ####            ..##
/// .###            .###            .###
/// ```
#[test]
fn the_board_before_a_placement_by_hand() {
    let folder = folder();
    fs::write(folder.path().join("start"), "....\n....\n##..\n.###\n").unwrap();
    let facts = [
        ("row_transitions", 8, 0),
        ("column_transitions", 6, -2),
        ("holes", 1, -1),
        ("wells", 1, 0),
        ("hole_depth", 1, -1),
        ("rows_with_holes", 1, -1),
        ("aggregate_height", 6, -1),
        ("height", 2, 0),
        ("bumpiness", 1, 1),
        ("well_depth", 0, 1),
        ("i_dependencies", 0, 0),
        ("parity_check", -1, 0),
        ("parity_column", -1, 0),
    ];
    let names = facts.map(|(name, ..)| format!("{name}_before,d_{name}")).join(",");
    let columns = format!("holes,column,board,board_before,well_column_before,{names}");
    let game = ["--board-file", "start", "--queue", "script", "--script", "O", "--games", "1"];
    let log = ["--max-pieces", "1", "--placements", "csv", "--columns", &columns, "--out", "run"];
    let args = [&["simulate", "--controller", "lee"], &game[..], &log].concat();
    let output = tetrastat(folder.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let row = &rows(&folder.path().join("run/placements.csv"))[0];
    assert_eq!([&row["column"], &row["board_before"], &row["board"]], ["2", "e:3", "e:c"]);
    assert_eq!((&*row["holes"], &*row["well_column_before"]), ("1", "NA"));
    for (name, before, change) in facts {
        let found = [&row[&format!("{name}_before")], &row[&format!("d_{name}")]];
        assert_eq!(found, [&before.to_string(), &change.to_string()], "{name}");
    }
}

/// In each game the board before a placement is the board after the one before it, and a log with
/// --every has the same values.
/// Controllers play the same pieces in game i of one seed, so game i must have the same split.
#[test]
fn splits_of_games_are_equal_under_every_controller() {
    let folder = folder();
    let splits = |run: &str, options: &str| {
        let options = options.split(' ').chain(["--placements", "csv"]);
        let more = ["--games", "30", "--seed", "1", "--out", run];
        let columns = ["--columns", "piece,split"];
        let args: Vec<&str> =
            ["simulate"].into_iter().chain(options).chain(columns).chain(more).collect();
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let found = rows(&folder.path().join(run).join("placements.csv"));
        found.iter().map(|row| (row["game"].clone(), row["split"].clone())).collect()
    };
    let all: BTreeSet<(String, String)> = splits("lee", "--controller lee --max-pieces 20");
    assert_eq!(all.len(), 30, "one split for each game: {all:?}");
    for (game, split) in [("0", "train"), ("7", "test"), ("8", "validation")] {
        assert!(all.contains(&(game.to_owned(), split.to_owned())), "{all:?}");
    }
    let bag = "--controller bcts --queue bag --search next --max-pieces 9";
    assert_eq!(splits("bcts", bag), all);
    assert_eq!(splits("sprint", "--rules guideline --sprint-lines 4"), all);
}

#[test]
fn the_board_before_a_placement_is_that_after_the_last_one() {
    let folder = folder();
    let classic = small(&["5"]);
    let guideline = "simulate --rules guideline --mode endless --pieces 200 --games 2 --seed 1";
    let guideline: Vec<&str> = guideline.split(' ').collect();
    let features = [
        "holes",
        "row_transitions",
        "column_transitions",
        "hole_depth",
        "rows_with_holes",
        "aggregate_height",
        "max_height",
        "bumpiness",
    ];
    let surface = ["well_depth", "i_dependencies", "parity_check", "parity_column"];
    let terms = ["wells_by_height", "covered", "overhangs", "cavities", "t_slots_2", "ok_pieces"];
    for (game, own) in [(&classic[..], &["wells"][..]), (&guideline, &terms)] {
        let facts = [&features[..], &surface, own].concat();
        let short = |name: &str| name.strip_prefix("max_").unwrap_or(name).to_owned();
        let pair = |name: &&str| format!("{name},{0}_before,d_{0}", short(name));
        let named = facts.iter().map(pair).collect::<Vec<_>>().join(",");
        let columns = format!("board,board_before,well_column,well_column_before,{named}");
        let log = |every: &str| {
            let log = ["--placements", "csv", "--columns", &columns, "--every", every];
            let args = [game, &log, &["--out", every]].concat();
            let output = tetrastat(folder.path(), &args);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let read = rows(&folder.path().join(every).join("placements.csv"));
            fs::remove_dir_all(folder.path().join(every)).unwrap();
            read
        };
        let all = log("1");
        let is_kept = |row: &&BTreeMap<_, String>| row["piece_no"].parse::<u64>().unwrap() % 7 == 0;
        assert_eq!(all.iter().filter(is_kept).cloned().collect::<Vec<_>>(), log("7"));
        let number = |row: &BTreeMap<_, String>, name: &str| row[name].parse::<i64>().unwrap();
        for row in &all {
            for fact in &facts {
                let [before, change] =
                    [format!("{}_before", short(fact)), format!("d_{}", short(fact))];
                assert_eq!(
                    number(row, &before) + number(row, &change),
                    number(row, fact),
                    "{fact}"
                );
            }
        }
        for row in all.iter().filter(|row| row["piece_no"] == "1") {
            for name in ["holes_before", "height_before", "bumpiness_before", "parity_check_before"]
            {
                assert_eq!(row[name], "0", "{name}");
            }
            assert_eq!((number(row, "d_height") > 0, &*row["well_column_before"]), (true, "NA"));
        }
        for pair in all.windows(2).filter(|pair| pair[0]["game"] == pair[1]["game"]) {
            for name in facts.iter().chain(&["board", "well_column"]) {
                assert_eq!(pair[1][&format!("{}_before", short(name))], pair[0][*name], "{name}");
            }
        }
        assert!(all.iter().any(|row| row["d_holes"] == "1"), "some placement leaves a hole");
    }
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
