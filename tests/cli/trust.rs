//! Changes in folders must be noticed.

use std::fs;
use std::path::Path;

use crate::common::{done, fails, folder, tetrastat, text};

const RUN: &str = "simulate --board 6x8 --games 3 --max-pieces 30 --columns all --sample 0";
const STUDY: &str =
    "controllers = ['bcts', 'dt20']\nboards = ['6x8']\ngames = 12\nmax_pieces = 60\n";
const TRAIN: &str = "train snes --features bcts --board 6x8 --population 4 --generations 2 --games 2 --final-games 4 --held-out-games 4 --threads 1";

/// Makes a study in the folder `s`.
fn studied(at: &Path) {
    fs::write(at.join("s.toml"), STUDY).unwrap();
    done(at, "study s.toml --out s");
}

/// Returns the exit code and the output of `data verify`.
fn verified(folder: &Path, out: &str) -> (Option<i32>, String) {
    let output = tetrastat(folder, &["data", "verify", out]);
    (output.status.code(), [text(&output.stdout), text(&output.stderr)].concat())
}

/// Changes one byte of a file at many places; `data verify` must report each change.
fn every_change_is_noticed(at: &Path, out: &str, name: &str) {
    let path = at.join(out).join(name);
    let whole = fs::read(&path).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 12 + 1) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&path, changed).unwrap();
        let (code, said) = verified(at, out);
        assert!(code == Some(2) && said.contains(name), "{name}, byte {place}: {said}");
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(verified(at, out).0, Some(0));
}

#[test]
fn verify_notices_a_changed_study_file_and_description() {
    let folder = folder();
    let at = folder.path();
    studied(at);
    every_change_is_noticed(at, "s", "study.toml");
    every_change_is_noticed(at, "s", "datapackage.json");
}

#[test]
fn verify_notices_a_changed_checkpoint_of_a_finished_training() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{TRAIN} --out t"));
    every_change_is_noticed(at, "t", "checkpoint.json");
    done(at, &format!("{TRAIN} --seed 9 --out other"));
    fs::copy(at.join("other/checkpoint.json"), at.join("t/checkpoint.json")).unwrap();
    let (code, said) = verified(at, "t");
    assert!(code == Some(2) && said.contains("does not match history.csv"), "{said}");
}

/// Every command that reads a log must reject one with a flipped bit, in every format. A log that
/// was edited on purpose can be read after moving it to another folder.
#[test]
fn a_log_with_other_bytes_than_were_written_is_refused() {
    let folder = folder();
    let at = folder.path();
    for format in ["csv", "csv.gz", "csv.zst", "parquet"] {
        let _ = fs::remove_dir_all(at.join("d"));
        done(at, &format!("{RUN} --placements {format} --out d"));
        let log = format!("d/placements.{format}");
        let whole = fs::read(at.join(&log)).unwrap();
        let commands = [
            format!("data convert {log} -"),
            format!("data convert {log} out.csv"),
            "label --from d --every 5 --replicates 2 --out s".to_owned(),
            format!("label --from {log} --every 5 --replicates 2 --out s"),
            "watch --replay d --text".to_owned(),
            "view d --force".to_owned(),
        ];
        for place in [whole.len() / 3, whole.len() / 2, whole.len() - 2] {
            let mut flipped = whole.clone();
            flipped[place] ^= 4;
            fs::write(at.join(&log), flipped).unwrap();
            for command in &commands {
                let words: Vec<&str> = command.split(' ').collect();
                fails(at, &words, &[&log[2..], "restore it", "--where"]);
            }
        }
        fs::write(at.join(&log), &whole).unwrap();
        commands.iter().for_each(|command| drop(done(at, command)));
        fs::remove_dir_all(at.join("s")).unwrap();
        fs::remove_file(at.join("out.csv")).unwrap();
    }
}

#[test]
fn verify_checks_every_file_of_an_estimate() {
    let folder = folder();
    let at = folder.path();
    let estimate = "estimate --board 10x10 --pieces 500 --burn-in 50 --pilot-pieces 1000 --budget 20000 --threads 1";
    done(at, &format!("{estimate} --out e"));
    let names = "run.json checkpoint.json datapackage.json levels.csv replications.csv heights.csv";
    names.split(' ').for_each(|name| every_change_is_noticed(at, "e", name));
}
