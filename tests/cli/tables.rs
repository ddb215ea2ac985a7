//! The tables of a run on real files: how they agree, formats, full disks, killed runs, candidates.
//! What is printed about selections, columns, shards and damage is in tests/messages: tables.md,
//! shards.md, verify.md, convert-refused.md.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{
    command, done, entries, fails, folder, interrupt, manifest, rows, run, small, text,
};

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> i64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The files of a run with their rows and checksums.
fn files(folder: &Path, run: &str) -> Value {
    manifest(&folder.join(run))["files"].clone()
}

/// The tables are held against each other: lines, pieces and the last board of each game.
#[test]
fn the_tables_agree() {
    let folder = folder();
    run(folder.path(), &small(&["3", "--placements", "csv", "--out", "run", "--search", "next"]));
    let placements = rows(&folder.path().join("run/placements.csv"));
    for game in rows(&folder.path().join("run/games.csv")) {
        let own: Vec<_> = placements.iter().filter(|row| row["game"] == game["game"]).collect();
        assert_eq!(own.len().to_string(), game["pieces"]);
        assert_eq!(own.last().unwrap()["lines_total"], game["lines"]);
        assert!(own.windows(2).all(|pair| pair[0]["next_1"] == pair[1]["piece"]));
        for row in &own {
            let heights: i64 = (0..10).map(|c| number(row, &format!("h{c}"))).sum();
            let rows = row["board"].split(':').map(|r| u16::from_str_radix(r, 16).unwrap());
            let cells: u32 = rows.map(u16::count_ones).sum();
            assert_eq!(heights, i64::from(cells) + number(row, "holes"), "filled cells + holes");
        }
    }
}

const FORMATS: [&str; 4] = ["csv", "csv.gz", "csv.zst", "parquet"];

/// Two logs of so many games in each format, under names that tell format and threads.
fn play_each_format(folder: &Path, games: &str) {
    let columns = "all,board_before,holes_before,d_height,well_column_before";
    for (format, threads) in FORMATS.into_iter().flat_map(|f| [(f, "1"), (f, "2")]) {
        let game = format!("--board 8x8 --games {games} --seed 3 --sample 0 --max-pieces 1000");
        let log = format!("--placements {format} --columns {columns} --candidates");
        done(
            folder,
            &format!("simulate {game} {log} --threads {threads} --out {format}-{threads}"),
        );
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
    let candidates = &files(folder.path(), "csv-1")[2]["rows"];
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
            let printed = done(folder.path(), &format!("data convert {format}-1/{name} -"));
            assert!(printed.as_bytes() == plain, "{name}");
        }
    }
    for (from, to) in [("csv", "parquet"), ("parquet", "csv.zst"), ("csv.zst", "csv.gz")] {
        let out = format!("{from}-to-{to}");
        done(folder.path(), &format!("data convert {from}-1 {out} --format {to}"));
        assert_eq!(files(folder.path(), &out), files(folder.path(), &format!("{to}-1")), "{out}");
        done(folder.path(), &format!("data verify {out}"));
    }
}

/// Runs a shell script in which `tetrastat` is the binary.
#[cfg(unix)]
fn shell(folder: &Path, shell: &[&str], script: &str) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("tetrastat").display().to_string();
    let script = format!("tetrastat() {{ '{binary}' \"$@\"; }}; {script}");
    let args = [shell, &["-c", &script]].concat();
    Command::new(args[0]).args(&args[1..]).current_dir(folder).output().unwrap()
}

/// When the tables may not grow any more, the run ends with one clear line, keeps what is complete,
/// and goes on once there is room, to the bytes of a run that always had it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let simulate = "simulate --board 10x10 --games 60 --max-pieces 3000 --seed 4 \
                    --sample 0 --checkpoint-ms 20 --columns minimal";
    let allowed = Command::new("unshare").args(["-rm", "true"]).status();
    let may_mount = allowed.is_ok_and(|status| status.success());
    // A limit on file sizes, which anyone can set, and a small file system where that is allowed.
    let limits = [
        (&["bash"][..], "trap '' XFSZ; ulimit -f 300"),
        (&["unshare", "-rm", "bash"], "mount -t tmpfs -o size=700k none small"),
    ];
    for format in FORMATS {
        let folder = folder();
        let played = format!("{simulate} --placements {format} --out");
        done(folder.path(), &format!("{played} whole"));
        fs::create_dir(folder.path().join("small")).unwrap();
        for (bash, limit) in limits {
            let mounts = bash.len() > 1;
            if mounts && !may_mount {
                eprintln!("not tried: this user may not mount a small file system");
                continue;
            }
            // What the small file system holds is lost with it: it is copied out before.
            let script = format!(
                "{limit} && tetrastat {played} small/full; code=$?; \
                 rm -rf kept; cp -r small/full kept; exit $code"
            );
            let full = shell(folder.path(), bash, &script);
            let message = text(&full.stderr);
            assert_eq!((full.status.code(), message.lines().count()), (Some(2), 1), "{message}");
            for word in ["writing", &format!("placements.{format}"), "are kept in", "--resume"] {
                assert!(message.contains(word), "{format} {limit}: {message} lacks {word}");
            }
            assert_eq!(message.contains("free some space"), mounts, "{message}");
            let kept = manifest(&folder.path().join("kept"));
            assert!(kept["status"]["failed"].is_string(), "{kept}");
            for file in kept["files"].as_array().unwrap() {
                let name = file["name"].as_str().unwrap();
                let rows =
                    done(folder.path(), &format!("data convert kept/{name} -")).lines().count() - 1;
                assert_eq!(
                    file["rows"], rows,
                    "{format}: a table that is cut is whole all the same"
                );
            }
            done(folder.path(), "simulate --resume kept");
            let [kept, whole] = ["kept", "whole"].map(|run| files(folder.path(), run));
            assert_eq!(kept, whole, "{format} {limit}");
        }
    }
}

/// Wherever the table ends that may not grow, in the first block of a game or a later one, with a
/// checkpoint that knows more rows than were kept: no row is lost, none is there twice.
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
    let liap = "simulate --rules liap --rounds 3000 --placements csv";
    let cases = [
        (pieces, &[284, 298, 368, 382, 529, 711][..]),
        (guideline, &[101, 640]),
        (liap, &[101, 640]),
    ];
    for (options, limits) in cases {
        let begin = format!("{options} --seed 4 --threads 1 --checkpoint-ms 0");
        let folder = folder();
        done(folder.path(), &format!("{begin} --out straight"));
        let straight = files(folder.path(), "straight");
        for limit in some(limits) {
            let out = format!("full-{limit}");
            let script = format!("trap '' XFSZ; ulimit -f {limit}; tetrastat {begin} --out {out}");
            assert_eq!(shell(folder.path(), &["bash"], &script).status.code(), Some(2));
            done(folder.path(), &format!("simulate --resume {out}"));
            assert!(files(folder.path(), &out) == straight, "{options}: {limit}");
        }
    }
}

/// One chosen candidate a decision; it has the best score and the features of the placements table.
/// Candidates have the features of the controller and those that `--columns` selects, so that
/// models of several controllers have one set.
#[test]
fn candidates_hold_every_choice_with_the_selected_features() {
    let folder = folder();
    let own = [
        "landing_height",
        "rows_removed",
        "row_transitions",
        "column_transitions_floor",
        "holes",
        "wells",
    ];
    let bcts = ["landing_height", "eroded_cells", "row_transitions", "column_transitions"];
    let bcts = [&bcts[..], &["holes", "wells", "hole_depth", "rows_with_holes"]].concat();
    for (controller, columns, expected) in [
        ("bcts", "controller", Some(bcts)),
        ("el-tetris", "controller", Some(own.to_vec())),
        (
            "el-tetris",
            "holes,bumpiness,eroded_cells,lines",
            Some([&own[..], &["bumpiness", "eroded_cells"]].concat()),
        ),
        ("el-tetris", "all", None),
    ] {
        let log = ["--placements", "csv", "--candidates", "--every", "20", "--columns", columns];
        let more = ["5", "--controller", controller, "--force", "--out", "run"];
        run(folder.path(), &small(&[&more[..], &log].concat()));
        let table = |name: &str| rows(&folder.path().join("run").join(name));
        let (placements, candidates) = (table("placements.csv"), table("candidates.csv"));
        assert_eq!(files(folder.path(), "run")[2]["rows"], candidates.len());
        let decision = |row: &Row| (row["game"].clone(), row["piece_no"].clone());
        let decisions: Vec<&[Row]> =
            candidates.chunk_by(|one, other| decision(one) == decision(other)).collect();
        assert_eq!(decisions.len(), placements.len());
        for (placement, own) in placements.iter().zip(decisions) {
            let mut chosen = own.iter().filter(|row| row["chosen"] == "TRUE");
            let (choice, other) = (chosen.next().unwrap(), chosen.next());
            assert!(other.is_none(), "{other:?}");
            for (name, value) in choice.iter().filter(|(name, _)| placement.contains_key(*name)) {
                assert_eq!(*value, placement[name], "{name}");
            }
            if ["controller", "all"].contains(&columns) {
                assert_eq!(placement["candidates"], own.len().to_string());
            }
            let score = |row: &Row| row["score"].parse::<f64>().ok();
            assert_eq!(score(choice), own.iter().filter_map(score).max_by(f64::total_cmp));
        }
        let mut reader = csv::Reader::from_path(folder.path().join("run/candidates.csv")).unwrap();
        let features: Vec<&str> = reader.headers().unwrap().iter().skip(11).collect();
        match expected {
            Some(expected) => assert_eq!(features, expected),
            None => {
                assert!(
                    features.len() > 40 && features.contains(&"pattern_diversity"),
                    "{features:?}"
                );
            }
        }
    }
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
    let many = "--board 10x10 --games 60 --max-pieces 3000";
    let long = "--games 3 --max-pieces 200000";
    for (name, games, logs) in [
        ("csv", many, "--placements csv --columns minimal,holes_before,d_holes"),
        ("zst", many, "--placements csv.zst --every 3 --candidates"),
        ("parquet", many, "--placements parquet --candidates --to 400"),
        ("none", many, "--placements none"),
        ("long", long, "--placements none"),
    ] {
        if !names.contains(&name) {
            continue;
        }
        let folder = folder();
        let begin = format!("simulate {games} --seed 4 --sample 0 --checkpoint-ms 20 {logs} --out");
        done(folder.path(), &format!("{begin} straight"));
        let begin = format!("{begin} killed");
        let mut killed = command(folder.path(), &begin.split(' ').collect::<Vec<_>>());
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
        // A machine fast enough to end before the last kill leaves nothing to go on with.
        if !last.status.success() {
            assert!(text(&last.stderr).contains("no checkpoint"), "{name}: {}", text(&last.stderr));
        }
        let [straight, killed] = ["straight", "killed"].map(|run| files(folder.path(), run));
        assert_eq!(straight, killed, "{name}");
        done(folder.path(), "data verify killed");
        let [straight, killed] = ["straight", "killed"].map(|run| {
            let mut names: Vec<_> = entries(&folder.path().join(run))
                .iter()
                .map(|path| path.file_name().unwrap().to_owned())
                .collect();
            names.sort();
            names
        });
        assert_eq!(straight, killed, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_and_a_changed_one_does_not() {
    let folder = folder();
    let mine = folder.path().join("mine.toml");
    let own = "name='mine'\nmeasured='after-clear'\n[weights]\nholes=-4\nmax_height=-1\nrow_transitions=-1\nwells=-1";
    fs::write(&mine, own).unwrap();
    let run = "simulate --controller mine.toml --board 10x10 --games 2000 --max-pieces 2000 \
               --placements csv.gz --every 10 --sample 0 --seed 3 --out";
    done(folder.path(), &format!("{run} straight"));
    let stopped = format!("{run} stopped");
    let child = command(folder.path(), &stopped.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Well within the run, which takes a second or more.
    std::thread::sleep(Duration::from_millis(150));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert!(message.contains("--resume stopped resumes the run"), "{message}");
    let resume = ["simulate", "--resume", "stopped"];
    fs::write(&mine, own.replace("-4", "-5")).unwrap();
    fails(folder.path(), &resume, &["have changed"]);
    fs::write(&mine, own).unwrap();
    crate::common::run(folder.path(), &resume);
    let [straight, stopped] = ["straight", "stopped"].map(|run| files(folder.path(), run));
    assert_eq!(straight, stopped);
    fails(folder.path(), &resume, &["no checkpoint"]);
}

/// In each game the board before a placement is the board after the one before it, and a log with
/// --every has the same values.
#[test]
fn the_board_before_a_placement_is_that_after_the_last_one() {
    let folder = folder();
    let classic = small(&["5"]).join(" ");
    let guideline = "simulate --rules guideline --mode endless --pieces 200 --games 2 --seed 1";
    let facts = "holes row_transitions column_transitions hole_depth rows_with_holes aggregate_height max_height \
        bumpiness well_depth i_dependencies parity_check parity_column";
    let terms = "wells_by_height covered overhangs cavities t_slots_2 ok_pieces";
    for (game, own) in [(&*classic, "wells"), (guideline, terms)] {
        let facts: Vec<&str> = facts.split_whitespace().chain(own.split(' ')).collect();
        let short = |name: &str| name.strip_prefix("max_").unwrap_or(name).to_owned();
        let pair = |name: &&str| format!("{name},{0}_before,d_{0}", short(name));
        let named = facts.iter().map(pair).collect::<Vec<_>>().join(",");
        let columns = format!("board,board_before,well_column,well_column_before,{named}");
        let log = |every: &str| {
            let log = format!("--placements csv --columns {columns} --every {every} --out {every}");
            done(folder.path(), &format!("{game} {log}"));
            let read = rows(&folder.path().join(every).join("placements.csv"));
            fs::remove_dir_all(folder.path().join(every)).unwrap();
            read
        };
        let all = log("1");
        let is_kept = |row: &&Row| number(row, "piece_no") % 7 == 0;
        assert_eq!(all.iter().filter(is_kept).cloned().collect::<Vec<_>>(), log("7"));
        for row in &all {
            for fact in &facts {
                let before = number(row, &format!("{}_before", short(fact)));
                let change = number(row, &format!("d_{}", short(fact)));
                assert_eq!(before + change, number(row, fact), "{fact}");
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
