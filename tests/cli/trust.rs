//! Folders from an untrusted source: their manifests must not lead to files outside, and changes in them must be
//! noticed.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::common::{folder, tetrastat, text};

const RUN: &str = "simulate --board 6x8 --games 3 --max-pieces 30 --placements csv --sample 0";
const STUDY: &str =
    "controllers = ['bcts', 'dt20']\nboards = ['6x8']\ngames = 12\nmax_pieces = 60\n";

fn run(folder: &Path, line: &str) -> Output {
    tetrastat(folder, &line.split(' ').collect::<Vec<_>>())
}

fn done(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Asserts one line on stderr that contains `words`, exit code 2, and no text of the canary anywhere.
fn refuses(folder: &Path, line: &str, words: &[&str]) {
    let output = run(folder, line);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}: {message}");
    assert_eq!(message.lines().count(), 1, "{line}: {message}");
    for word in words {
        assert!(message.contains(word), "{line}: {message} lacks {word}");
    }
}

/// Edits a manifest and updates its checksum, as a forger can.
fn reseal(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    edit(&mut manifest);
    manifest.as_object_mut().unwrap().shift_remove("checksum");
    let text = serde_json::to_string_pretty(&manifest).unwrap();
    manifest["checksum"] = tetrastat::record::checksum(&[&text]).into();
    fs::write(path, serde_json::to_string_pretty(&manifest).unwrap() + "\n").unwrap();
}

/// Edits the state of a checkpoint and updates its checksum.
fn reseal_checkpoint(path: &Path, edit: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(path).unwrap();
    let mut state: Value =
        serde_json::from_str(tetrastat::record::verify_checksum(text.as_bytes()).unwrap()).unwrap();
    edit(&mut state);
    fs::write(path, tetrastat::record::write_checksum(&state.to_string())).unwrap();
}

fn verified(folder: &Path, out: &str) -> (Option<i32>, String) {
    let output = run(folder, &format!("verify {out}"));
    (output.status.code(), text(&output.stdout).to_owned())
}

#[test]
fn a_manifest_cannot_make_force_or_resumption_delete_a_file_outside() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("home")).unwrap();
    let canary = at.join("home/thesis.txt");
    fs::write(&canary, "precious").unwrap();
    let absolute = canary.to_str().unwrap().to_owned();
    for (command, first) in [
        (RUN, "games.csv"),
        (
            "simulate --rules guideline --mode blitz --pieces 20 --games 3 --placements csv",
            "games.csv",
        ),
        ("liap simulate --rounds 40 --log csv", "matches.csv"),
    ] {
        for name in ["../home/thesis.txt", &absolute] {
            let _ = fs::remove_dir_all(at.join("r"));
            done(at, &format!("{command} --out r"));
            let path = at.join("r/run.json");
            let whole = fs::read_to_string(&path).unwrap();
            let listed = format!("\"name\": \"{first}\"");
            assert!(whole.contains(&listed), "{whole}");
            fs::write(&path, whole.replacen(&listed, &format!("\"name\": \"{name}\""), 1)).unwrap();
            refuses(at, &format!("{command} --out r --force"), &["run.json lists", "restore it"]);
            refuses(at, &format!("{command} --out r"), &["run.json lists", "restore it"]);
            assert_eq!(fs::read_to_string(&canary).unwrap(), "precious");
        }
    }
}

#[test]
fn a_checkpoint_cannot_lead_out_of_its_folder() {
    let folder = folder();
    let at = folder.path();
    let train = "train snes --features bcts --board 6x8 --population 4 --generations 2 --games 2 --final-games 4 --held-out-games 4 --threads 1";
    done(at, &format!("{train} --out t"));
    let checkpoint = at.join("t/checkpoint.json");
    reseal_checkpoint(&checkpoint, |state| state["tables"][0]["name"] = "../x.csv".into());
    fs::remove_file(at.join("t/train.json")).unwrap();
    refuses(at, &format!("{train} --out t"), &["checkpoint.json lists '../x.csv'", "restore it"]);
    refuses(at, "train --resume t", &["checkpoint.json lists '../x.csv'"]);
    refuses(at, "view t", &["checkpoint.json lists '../x.csv'"]);
}

#[test]
fn a_manifest_with_a_right_checksum_cannot_lead_out() {
    let folder = folder();
    let at = folder.path();
    let canary = at.join("placements.csv");
    done(at, &format!("{RUN} --out d"));
    fs::copy(at.join("d/placements.csv"), &canary).unwrap();
    let target = at.join("placements.parquet");
    fs::write(&target, "precious").unwrap();
    for name in
        [canary.to_str().unwrap(), "../placements.csv", "..\\placements.csv", "C:placements.csv"]
    {
        reseal(&at.join("d/run.json"), |manifest| manifest["files"][1]["name"] = name.into());
        for line in [
            "convert d y --format parquet",
            "verify d",
            "view d",
            "rollout --from d --out s",
            "watch --replay d --text",
            "plan --pilot d",
            "merge d d --out m",
        ] {
            refuses(at, line, &["run.json lists", "restore it from a copy"]);
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }
}

#[test]
fn a_table_of_conditions_cannot_lead_out() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("s.toml"), STUDY).unwrap();
    done(at, "study s.toml --out s");
    done(at, &format!("{RUN} --out elsewhere"));
    let path = at.join("s/conditions.csv");
    let whole = fs::read_to_string(&path).unwrap();
    let first = whole.lines().nth(1).unwrap().split(',').nth(1).unwrap();
    for name in ["../elsewhere", at.join("elsewhere").to_str().unwrap(), "..", ""] {
        fs::write(&path, whole.replacen(&format!(",{first},"), &format!(",{name},"), 1)).unwrap();
        for line in ["verify s", "view s", "compare --from s", "plan --pilot s"] {
            refuses(at, line, &["conditions.csv lists", "restore it"]);
        }
    }
    assert!(!at.join("s.html").exists());
}

/// `verify` must not reveal which files exist: it opens no other file if the manifest was edited.
#[test]
fn verify_opens_no_file_that_an_edited_manifest_lists() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{RUN} --out d"));
    let path = at.join("d/run.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(at.join("d/secret.csv"), "secret").unwrap();
    fs::write(&path, whole.replacen("\"placements.csv\"", "\"secret.csv\"", 1)).unwrap();
    let (code, said) = verified(at, "d");
    assert_eq!(code, Some(2));
    assert!(said.contains("checksum") && !said.contains("secret"), "{said}");
    refuses(at, "convert d y --format parquet", &["run.json", "checksum"]);
}

/// Reading a device never ends, and a fifo waits for a writer: this test would hang.
#[cfg(unix)]
#[test]
fn verify_reads_no_device() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("s.toml"), STUDY).unwrap();
    done(at, "study s.toml --out s");
    done(at, &format!("{RUN} --out d"));
    let endless = |path: &Path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    };
    reseal(&at.join("s/datapackage.json"), |package| {
        package["resources"][0]["path"] = "/dev/zero".into();
        package["resources"][0].as_object_mut().unwrap().shift_remove("bytes");
    });
    refuses(at, "verify s", &["datapackage.json lists '/dev/zero'"]);
    reseal(&at.join("s/datapackage.json"), |package| {
        package["resources"][0]["path"] = "games.csv".into();
    });
    endless(&at.join("s/games.csv"));
    assert!(verified(at, "s").1.contains("no regular file"));
    reseal(&at.join("d/run.json"), |manifest| manifest["files"][1]["bytes"] = 0.into());
    for name in ["placements.csv", "datapackage.json", "run.json"] {
        endless(&at.join("d").join(name));
        let output = run(at, "verify d");
        assert_eq!(output.status.code(), Some(2));
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(said.contains("no regular file: restore it"), "{said}");
    }
}

/// Changes one byte of a file at many places; `verify` must report each change.
fn every_change_is_noticed(at: &Path, out: &str, name: &str) {
    let path = at.join(out).join(name);
    let whole = fs::read(&path).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 12 + 1) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&path, changed).unwrap();
        let output = run(at, &format!("verify {out}"));
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert_eq!(output.status.code(), Some(2), "{name}, byte {place}: {said}");
        assert!(said.contains(name), "{name}, byte {place}: {said}");
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(verified(at, out).0, Some(0));
}

#[test]
fn verify_notices_a_changed_study_file_and_description() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("s.toml"), STUDY).unwrap();
    done(at, "study s.toml --out s");
    every_change_is_noticed(at, "s", "study.toml");
    every_change_is_noticed(at, "s", "datapackage.json");
}

/// Versions up to 0.2.0 kept no checksum of a study's description, so it is recomputed from the conditions.
#[test]
fn an_older_study_is_verified_as_far_as_it_can_be() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("s.toml"), STUDY).unwrap();
    done(at, "study s.toml --out s");
    let path = at.join("s/datapackage.json");
    let mut package: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for key in ["checksum", "files"] {
        assert!(package.as_object_mut().unwrap().shift_remove(key).is_some(), "{key}");
    }
    let older = serde_json::to_string_pretty(&package).unwrap() + "\n";
    fs::write(&path, &older).unwrap();
    let (code, said) = verified(at, "s");
    assert_eq!(code, Some(0), "{said}");
    let line = |name: &str| said.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(
        line("study.toml").contains("not checked") && line("datapackage.json").ends_with(" ok")
    );
    fs::write(&path, older.replacen("index of the game", "number of the game", 1)).unwrap();
    let (code, said) = verified(at, "s");
    assert!(code == Some(2) && said.contains("it was changed or damaged"), "{said}");
}

#[test]
fn verify_notices_a_changed_checkpoint_of_a_finished_training() {
    let folder = folder();
    let at = folder.path();
    let train = "train snes --features bcts --board 6x8 --population 4 --generations 2 --games 2 --final-games 4 --held-out-games 4 --threads 1";
    done(at, &format!("{train} --out t"));
    every_change_is_noticed(at, "t", "checkpoint.json");
    done(at, &format!("{train} --seed 9 --out other"));
    fs::copy(at.join("other/checkpoint.json"), at.join("t/checkpoint.json")).unwrap();
    let (code, said) = verified(at, "t");
    assert!(code == Some(2) && said.contains("does not match history.csv"), "{said}");
}

/// Every command that reads a log must reject one with a flipped bit, in every format. A log that was edited on purpose
/// can be read after moving it to another folder.
#[test]
fn a_log_with_other_bytes_than_were_written_is_refused() {
    let folder = folder();
    let at = folder.path();
    for format in ["csv", "csv.gz", "csv.zst", "parquet"] {
        let _ = fs::remove_dir_all(at.join("d"));
        done(
            at,
            &format!(
                "{} --columns all --out d",
                RUN.replace("--placements csv", &format!("--placements {format}"))
            ),
        );
        let log = format!("d/placements.{format}");
        let whole = fs::read(at.join(&log)).unwrap();
        let commands = [
            format!("convert {log} -"),
            format!("convert {log} out.csv"),
            "rollout --from d --every 5 --replicates 2 --out s".to_owned(),
            format!("rollout --from {log} --every 5 --replicates 2 --out s"),
            "watch --replay d --text".to_owned(),
            "view d --force".to_owned(),
        ];
        for place in [whole.len() / 3, whole.len() / 2, whole.len() - 2] {
            let mut flipped = whole.clone();
            flipped[place] ^= 4;
            fs::write(at.join(&log), flipped).unwrap();
            for command in &commands {
                refuses(at, command, &[&*format!("placements.{format}"), "restore it", "--where"]);
            }
        }
        fs::write(at.join(&log), &whole).unwrap();
        for command in &commands {
            done(at, command);
        }
        fs::remove_dir_all(at.join("s")).unwrap();
        fs::remove_file(at.join("out.csv")).unwrap();
    }
    // The remedy that the message names.
    done(at, "convert d part --format csv --where game<1");
    done(at, "verify part");
    let whole = fs::read_to_string(at.join("d/games.csv")).unwrap();
    let edited: String = whole.split_inclusive('\n').take(3).collect();
    fs::write(at.join("d/games.csv"), &edited).unwrap();
    refuses(
        at,
        "convert d/games.csv -",
        &["games.csv", "tetrastat convert DIR NEW --format csv --where ROWS"],
    );
    fs::write(at.join("games.csv"), &edited).unwrap();
    assert_eq!(done(at, "convert games.csv -"), edited);
}

#[test]
fn verify_checks_every_file_of_an_estimate() {
    let folder = folder();
    let at = folder.path();
    done(
        at,
        "estimate --board 10x10 --pieces 500 --burn-in 50 --pilot-pieces 1000 --budget 20000 --threads 1 --out e",
    );
    let names = [
        "estimate.json",
        "plan.json",
        "replications.jsonl",
        "levels.csv",
        "replications.csv",
        "heights.csv",
    ];
    let listed: Vec<String> = verified(at, "e").1.lines().map(str::to_owned).collect();
    for (line, name) in listed.iter().zip(names) {
        assert!(line.starts_with(name) && line.ends_with(" ok"), "{line}");
    }
    assert_eq!(listed.len(), names.len());
    for name in names {
        every_change_is_noticed(at, "e", name);
    }
    let path = at.join("e/estimate.json");
    let whole = fs::read_to_string(&path).unwrap();
    reseal(&path, |report| report["files"][2]["name"] = "../x.csv".into());
    for line in ["verify e", "view e"] {
        refuses(at, line, &["estimate.json lists '../x.csv'"]);
    }
    let mut report: Value = serde_json::from_str(&whole).unwrap();
    report["plan"]["version"] = "0.2.0".into();
    for key in ["files", "checksum"] {
        report.as_object_mut().unwrap().shift_remove(key).unwrap();
    }
    fs::write(&path, report.to_string()).unwrap();
    let (code, said) = verified(at, "e");
    assert!(code == Some(0) && said.contains("not checked"), "{said}");
    for name in ["plan.json", "replications.jsonl"] {
        every_change_is_noticed(at, "e", name);
    }
    fs::remove_file(path).unwrap();
    refuses(at, "verify e", &["e is an unfinished estimate"]);
}

#[test]
fn a_folder_that_is_none_is_told_how_to_name_one() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("junk")).unwrap();
    for command in ["verify", "view"] {
        refuses(
            at,
            &format!("{command} junk"),
            &["junk holds no run", "give the folder that a command wrote"],
        );
        refuses(at, &format!("{command} nowhere"), &["nowhere is no folder", "check the path"]);
    }
}
