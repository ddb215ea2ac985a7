//! Tests of every game, from one list: threads, shards, kills and a full disk change no byte of a
//! run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{command, done, folder, manifest, text};

/// The name of each game, the command that plays a run of it in less than a second, and what it
/// asks for in each of two formats.
const GAMES: &str = "
classic | simulate --board 10x10 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3 | --placements csv --candidates --columns minimal | --placements parquet
guideline | simulate --rules guideline --mode blitz --pieces 30 --games 24 --seed 5 --checkpoint-ms 3 | --placements csv --candidates --columns minimal | --placements parquet
epsilon | simulate --board 10x10 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3 --policy epsilon:0.01 | --placements csv --candidates --columns minimal,best_column | --placements parquet
misdrop | simulate --rules guideline --mode blitz --pieces 30 --games 24 --seed 5 --checkpoint-ms 3 --policy misdrop:0.1 | --placements csv --candidates --columns minimal,best_column | --placements parquet
garbage | simulate --board 10x10 --garbage 3 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3 | --placements csv --columns minimal,board_before | --placements parquet
guideline garbage | simulate --rules guideline --mode blitz --garbage 3 --pieces 30 --games 24 --seed 5 --checkpoint-ms 3 | --placements csv --columns minimal,board_before | --placements parquet
rising | simulate --board 10x10 --garbage 2 --garbage-every 12 --garbage-messiness 0.4 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3 | --placements csv --columns minimal,board_before,garbage_cleared | --placements parquet
cheese | simulate --rules guideline --mode cheese --cheese-rows 9 --garbage 4 --games 24 --seed 5 --checkpoint-ms 3 | --placements csv --columns minimal,board_before,garbage_cleared | --placements parquet
liap | simulate --rules liap --games 400 --seed 6 --checkpoint-ms 3 | --placements csv | --placements parquet
rollout | label --from log --every 40 --replicates 20 --horizon 30 --seed 7 | | --regret";

/// Name, rows, bytes and hash of each table.
fn tables(run: &Path) -> serde_json::Value {
    let manifest = manifest(run);
    assert_eq!(manifest["status"], "complete", "{}", run.display());
    manifest["files"].clone()
}

/// Does something with a run of every game in every format, whose tables are then those of a run
/// that was left alone. The third argument is the command without its last options.
fn leaves_every_byte_alone(doing: impl Fn(&Path, &str, &str)) {
    let folder = folder();
    // The log that rollouts begin from.
    done(
        folder.path(),
        "simulate --controller lee --board 8x8 --games 4 --seed 2 --max-pieces none --placements csv --sample 0 --out log",
    );
    for line in GAMES.trim().lines() {
        let [name, run, formats @ ..] = &line.split('|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        for (number, format) in formats.iter().enumerate() {
            let at = folder.path().join(format!("{name}-{number}"));
            std::fs::create_dir(&at).unwrap();
            std::os::unix::fs::symlink(folder.path().join("log"), at.join("log")).unwrap();
            let run = format!("{run} {format}");
            done(&at, &format!("{run} --threads 1 --out whole"));
            doing(&at, name, &run);
            assert_eq!(tables(&at.join("whole")), tables(&at.join("other")), "{run}");
            done(&at, "data verify other");
        }
    }
}

#[test]
fn two_threads_write_the_bytes_of_one() {
    leaves_every_byte_alone(|at, _, run| {
        done(at, &format!("{run} --threads 2 --out other"));
    });
}

#[test]
fn shards_are_merged_to_the_bytes_of_one_run() {
    leaves_every_byte_alone(|at, _, run| {
        for shard in 1..=3 {
            done(at, &format!("{run} --shard {shard}/3 --out part-{shard}"));
        }
        done(at, "data merge part-3 part-1 part-2 --out other");
    });
}

/// Killed twice without warning as soon as something is on disk, and played again by the same
/// command.
#[test]
#[ignore = "long: 10 s"]
fn long_a_killed_run_goes_on_by_the_same_command() {
    let stops = std::cell::Cell::new(0);
    leaves_every_byte_alone(|at, _, run| {
        let run = format!("{run} --threads 2 --out other");
        for _ in 0..2 {
            let args: Vec<&str> = run.split_whitespace().collect();
            let mut child = command(at, &args).stdout(Stdio::null()).spawn().unwrap();
            let begun = || std::fs::read_dir(at.join("other")).is_ok_and(|files| files.count() > 1);
            while !begun() && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_millis(1));
            }
            sleep(Duration::from_millis(5));
            child.kill().unwrap();
            stops.set(stops.get() + u32::from(!child.wait().unwrap().success()));
        }
        done(at, &run);
    });
    assert!(stops.get() >= 12, "{} of 24 kills came in time", stops.get());
}

/// Files may not grow beyond some kilobytes: one line, exit code 2, and with room the same command
/// goes on.
#[test]
#[ignore = "long: 13 s"]
fn long_a_full_disk_loses_nothing() {
    leaves_every_byte_alone(|at, name, run| {
        let run = format!("{run} --threads 2 --out other");
        // Too few for one of its files.
        let kilobytes = if name == "rollout" { 2 } else { 8 };
        let binary = assert_cmd::cargo::cargo_bin!("tetrastat").display();
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; '{binary}' {run}");
        let full = Command::new("bash").args(["-c", &script]).current_dir(at).output().unwrap();
        let told = text(&full.stderr);
        assert_eq!((full.status.code(), told.lines().count()), (Some(2), 1), "{name}: {told}");
        // Whichever file met the limit, the description of the run among them. Of a run without a
        // unit nothing is left.
        let is_there = at.join("other").exists();
        let remedy = if is_there { "resumes the run" } else { "raise the limit on file sizes" };
        assert!(told.contains("writing") && told.contains(remedy), "{name}: {told}");
        done(at, &run);
    });
}
