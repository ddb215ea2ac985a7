//! An estimate that is still running, read by other commands.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::common::{command, folder, tetrastat, text};

#[test]
fn a_reader_names_an_estimate_that_is_still_running() {
    let folder = folder();
    let path = folder.path();
    let args = "estimate --controller lee --board 6x8 --budget 1000000000000 --pieces 2000 \
                --burn-in 200 --pilot-pieces 2000 --threads 1 --out e";
    let mut running = command(path, &args.split_whitespace().collect::<Vec<_>>())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = || fs::metadata(path.join("e/replications.jsonl")).is_ok_and(|file| file.len() > 0);
    while !begun() {
        assert!(running.try_wait().unwrap().is_none(), "the estimate ended");
        thread::sleep(Duration::from_millis(20));
    }
    for args in [&["compare", "--from", "e", "--contrast", "board"][..], &["view", "e"]] {
        let output = tetrastat(path, args);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        let (before, after) = message.split_once(" replications so far").unwrap();
        assert!(before.starts_with("tetrastat: e is still being estimated ("), "{message}");
        assert_eq!(after, "): wait for its end\n", "{args:?}");
    }
    running.kill().unwrap();
    running.wait().unwrap();
}
