//! `tetrastat train td` on real files: the same bytes for 1 and 2 threads and after an extension, a
//! controller that other commands play, and every mistake in one line.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, refused, rows, tetrastat, text};

/// About a second.
const LEARN: &str = "train td --windows 2x3 --board 6x8 --max-pieces 300 --initial-value 5 \
    --streams 2 --round 500 --report-every 5000 --held-out-games 50 --seed 3";

fn learn(folder: &Path, more: &str) -> String {
    let all = format!("{LEARN} {more}");
    run(folder, &all)
}

fn run(folder: &Path, args: &str) -> String {
    let args: Vec<&str> = args.split_whitespace().collect();
    let output = tetrastat(folder, &args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The files that neither clock nor threads may change. The last one has the tables of the learner.
fn bytes(training: &Path) -> Vec<Vec<u8>> {
    let files = json(&training.join("train.json"))["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 4);
    files
        .iter()
        .map(|file| fs::read(training.join(file["name"].as_str().unwrap())).unwrap())
        .collect()
}

#[test]
fn threads_and_extensions_change_no_byte() {
    let folder = folder();
    let path = folder.path();
    let said = learn(path, "--placements 40000 --threads 1 --out one");
    assert!(said.contains("windows    2x3") && said.contains("held out   mean lines"), "{said}");
    learn(path, "--placements 40000 --threads 2 --out two");
    assert!(bytes(&path.join("one")) == bytes(&path.join("two")), "threads");
    learn(path, "--placements 20000 --threads 2 --out parts");
    assert!(bytes(&path.join("one"))[1..] != bytes(&path.join("parts"))[1..], "half of it");
    run(path, "train --resume parts --placements 40000 --threads 1");
    assert!(bytes(&path.join("one")) == bytes(&path.join("parts")), "in two parts");
    let history = rows(&path.join("one/history.csv"));
    assert_eq!(history.len(), 8);
    let lines = |row: usize| history[row]["mean_lines"].parse::<f64>().unwrap();
    assert!(lines(7) > 1.5 * lines(0), "{} {}", lines(0), lines(7));
    for training in ["one", "parts"] {
        assert!(run(path, &format!("verify {training}")).contains("learned-"));
    }
}

#[test]
fn the_result_is_a_controller_and_a_start() {
    let folder = folder();
    let path = folder.path();
    learn(path, "--games 2000 --average --half-life 30000 --hold 10000 --out one");
    let simulated =
        run(path, "simulate --controller one/controller.toml --board 6x8 --games 20 --out games");
    assert!(simulated.contains("td-6x8"), "{simulated}");
    let more = "train td --start one/controller.toml --board 6x8 --placements 5000 \
        --held-out-games 20 --coherence --lambda 0.5 --gamma 0.95 --out two";
    run(path, more);
    let history = fs::read_to_string(path.join("two/controller.toml")).unwrap();
    assert!(history.contains("rows_removed = 1.052632"), "{history}");
    let dry = run(path, "train td --windows 3x3 --board 6x8 --minutes 1 --dry-run");
    assert!(dry.contains("\"method\": \"td\""), "{dry}");
}

#[test]
fn mistakes_are_named() {
    let wrong = |args: &str, remedy: &[&str]| {
        let args: Vec<&str> = args.split_whitespace().collect();
        refused(&args, remedy);
    };
    let td = "train td --board 6x8";
    wrong(td, &["give --placements, --games or --minutes"]);
    let td = "train td --board 6x8 --placements 1000";
    wrong(&format!("{td} --population 7"), &["td has no --population"]);
    wrong(&format!("{td} --generations 7"), &["td has no --generations"]);
    wrong(&format!("{td} --objective lines"), &["td has no --objective"]);
    wrong(&format!("{td} --windows 5x5"), &["--windows: window 1: cells", "1 to 16 cells"]);
    wrong(&format!("{td} --windows 1x9"), &["do not fit a board of 6x8: use at most 6 columns"]);
    wrong(&format!("{td} --windows 3x3:half"), &["half", "shared or plain"]);
    wrong(&format!("{td} --alpha 0"), &["alpha 0"]);
    wrong(&format!("{td} --lambda 1"), &["lambda 1"]);
    wrong(&format!("{td} --start bcts"), &["bcts has no patterns"]);
    wrong(&format!("{td} --rules standard"), &["simplified rules only"]);
    wrong(&format!("{td} --search next"), &["leave out --search"]);
    wrong("train td --rules guideline --minutes 1", &["classic games only"]);
    wrong("train cem --board 6x8 --alpha 1", &["--alpha is an option of td"]);
}
