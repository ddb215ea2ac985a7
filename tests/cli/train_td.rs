//! `tetrastat train td`: the same bytes for 1 and 2 threads and after an extension.

use std::fs;
use std::path::Path;

use crate::common::{folder, number, rows};
use crate::train::{json, trained};

/// About a second.
const LEARN: &str = "train td --windows 2x3 --board 6x8 --max-pieces 300 --initial-value 5 \
    --streams 2 --round 500 --report-every 5000 --held-out-games 50 --seed 3 --placements";

/// The files that neither clock nor threads may change. The last one has the tables of the learner.
fn bytes(training: &Path) -> Vec<Vec<u8>> {
    let files = json(&training.join("run.json"))["files"].as_array().unwrap().clone();
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
    trained(path, &format!("{LEARN} 40000 --threads 1 --out one"));
    trained(path, &format!("{LEARN} 40000 --threads 2 --out two"));
    assert!(bytes(&path.join("one")) == bytes(&path.join("two")), "threads");
    trained(path, &format!("{LEARN} 20000 --threads 2 --out parts"));
    assert!(bytes(&path.join("one"))[1..] != bytes(&path.join("parts"))[1..], "half of it");
    trained(path, "train td --resume parts --placements 40000 --threads 1");
    assert!(bytes(&path.join("one")) == bytes(&path.join("parts")), "in two parts");
    let history = rows(&path.join("one/history.csv"));
    assert_eq!(history.len(), 8);
    let [first, last] = [0, 7].map(|row| number(&history[row], "mean_lines"));
    assert!(last > 1.5 * first, "{first} {last}");
    assert!(trained(path, "data verify parts").contains("learned-"));
}
