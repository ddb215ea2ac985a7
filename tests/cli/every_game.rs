//! What holds of the runs of every game, from one list: threads, shards, kills and a full disk leave every byte alone.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{command, folder, manifest, tetrastat, text};

/// A game: its name, the command that plays a run of it, and what it asks for in each of two formats.
struct Every {
    name: &'static str,
    run: &'static str,
    formats: [&'static str; 2],
    /// Kilobytes that are too few for one of its files.
    too_few: u32,
}

/// Less than a second of each in the test build.
const GAMES: [Every; 8] = [
    Every {
        name: "classic",
        run: "simulate --board 10x10 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3",
        formats: ["--placements csv --candidates --columns minimal", "--placements parquet"],
        too_few: 8,
    },
    Every {
        name: "guideline",
        run: "simulate --rules guideline --mode blitz --pieces 30 --games 24 --seed 5 --checkpoint-ms 3",
        formats: ["--placements csv --candidates --columns minimal", "--placements parquet"],
        too_few: 8,
    },
    Every {
        name: "epsilon",
        run: "simulate --board 10x10 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3 --policy epsilon:0.01",
        formats: [
            "--placements csv --candidates --columns minimal,best_column",
            "--placements parquet",
        ],
        too_few: 8,
    },
    Every {
        name: "misdrop",
        run: "simulate --rules guideline --mode blitz --pieces 30 --games 24 --seed 5 --checkpoint-ms 3 --policy misdrop:0.1",
        formats: [
            "--placements csv --candidates --columns minimal,best_column",
            "--placements parquet",
        ],
        too_few: 8,
    },
    Every {
        name: "garbage",
        run: "simulate --board 10x10 --garbage 3 --games 24 --max-pieces 600 --seed 4 --sample 0 --checkpoint-ms 3",
        formats: ["--placements csv --columns minimal,board_before", "--placements parquet"],
        too_few: 8,
    },
    Every {
        name: "guideline garbage",
        run: "simulate --rules guideline --mode blitz --garbage 3 --pieces 30 --games 24 --seed 5 --checkpoint-ms 3",
        formats: ["--placements csv --columns minimal,board_before", "--placements parquet"],
        too_few: 8,
    },
    Every {
        name: "liap",
        run: "liap simulate --matches 400 --seed 6 --checkpoint-ms 3",
        formats: ["--log csv", "--log parquet"],
        too_few: 8,
    },
    Every {
        name: "rollout",
        run: "rollout --from log --every 40 --replicates 20 --horizon 30 --seed 7",
        formats: ["", "--regret"],
        too_few: 2,
    },
];

/// A folder for a run of each game, with the log that rollouts begin from.
fn prepared() -> tempfile::TempDir {
    let folder = folder();
    let log = "simulate --controller lee --board 8x8 --games 4 --seed 2 --max-pieces none --placements csv --sample 0 --out log";
    done(&tetrastat(folder.path(), &words(&[log])));
    folder
}

fn words<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    parts.iter().flat_map(|part| part.split_whitespace()).collect()
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Plays a run of a game, or goes on with it.
fn play(folder: &Path, game: &Every, format: &str, more: &str) {
    done(&tetrastat(folder, &words(&[game.run, format, more])));
}

/// Name, rows, bytes and hash of each table.
fn tables(run: &Path) -> serde_json::Value {
    let manifest = manifest(run);
    assert_eq!(manifest["status"], "complete", "{}", run.display());
    manifest["files"].clone()
}

/// Does something with a run of every game in every format, whose tables are then those of a run that was left alone.
fn leaves_every_byte_alone(doing: impl Fn(&Path, &Every, &str)) {
    let folder = prepared();
    for game in &GAMES {
        for (number, format) in game.formats.into_iter().enumerate() {
            let at = folder.path().join(format!("{}-{number}", game.name));
            std::fs::create_dir(&at).unwrap();
            std::os::unix::fs::symlink(folder.path().join("log"), at.join("log")).unwrap();
            play(&at, game, format, "--threads 1 --out whole");
            doing(&at, game, format);
            assert_eq!(
                tables(&at.join("whole")),
                tables(&at.join("other")),
                "{} {format}",
                game.name
            );
            done(&tetrastat(&at, &["verify", "other"]));
        }
    }
}

#[test]
fn two_threads_write_the_bytes_of_one() {
    leaves_every_byte_alone(|at, game, format| play(at, game, format, "--threads 2 --out other"));
}

#[test]
fn shards_are_merged_to_the_bytes_of_one_run() {
    leaves_every_byte_alone(|at, game, format| {
        for shard in 1..=3 {
            play(at, game, format, &format!("--shard {shard}/3 --out part-{shard}"));
        }
        done(&tetrastat(at, &words(&["merge part-3 part-1 part-2 --out other"])));
    });
}

/// Killed twice without warning as soon as something is on disk, and played again by the same command.
#[test]
#[ignore = "long: 10 s"]
fn long_a_killed_run_goes_on_by_the_same_command() {
    let stops = std::cell::Cell::new(0);
    leaves_every_byte_alone(|at, game, format| {
        for _ in 0..2 {
            let args = words(&[game.run, format, "--threads 2 --out other"]);
            let mut child = command(at, &args).stdout(Stdio::null()).spawn().unwrap();
            let begun = || std::fs::read_dir(at.join("other")).is_ok_and(|files| files.count() > 1);
            while !begun() && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_millis(1));
            }
            sleep(Duration::from_millis(5));
            child.kill().unwrap();
            stops.set(stops.get() + u32::from(!child.wait().unwrap().success()));
        }
        play(at, game, format, "--threads 2 --out other");
    });
    assert!(stops.get() >= 12, "{} of 24 kills came in time", stops.get());
}

/// Files may not grow beyond some kilobytes: one line, exit code 2, and with room the same command goes on.
#[test]
#[ignore = "long: 13 s"]
fn long_a_full_disk_loses_nothing() {
    leaves_every_byte_alone(|at, game, format| {
        let binary = assert_cmd::cargo::cargo_bin!("tetrastat");
        let run = words(&[game.run, format, "--threads 2 --out other"]).join(" ");
        let script =
            format!("trap '' XFSZ; ulimit -f {}; '{}' {run}", game.too_few, binary.display());
        let full = Command::new("bash").args(["-c", &script]).current_dir(at).output().unwrap();
        let told = text(&full.stderr);
        assert_eq!(
            (full.status.code(), told.lines().count()),
            (Some(2), 1),
            "{}: {told}",
            game.name
        );
        assert!(told.contains("writing"), "{}: {told}", game.name);
        // Whichever file met the limit, the description of the run among them. Of a run without a unit nothing is left.
        let remedy = if at.join("other").exists() {
            "resumes the run"
        } else {
            "raise the limit on file sizes"
        };
        assert!(told.contains(remedy), "{}: {told}", game.name);
        play(at, game, format, "--threads 2 --out other");
    });
}
