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
    let begun = || fs::read_to_string(path.join("e/checkpoint.json")).unwrap_or_default();
    while !begun().contains("main_pieces") {
        assert!(running.try_wait().unwrap().is_none(), "the estimate ended");
        thread::sleep(Duration::from_millis(20));
    }
    let output = tetrastat(path, &["compare", "--from", "e", "--contrast", "board"]);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert_eq!(message, "tetrastat: another process writes in e: wait for it, or stop it\n");
    let output = tetrastat(path, &["view", "e", "-o", "page.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(path.join("page.html")).unwrap();
    assert!(page.contains("replications"), "the page shows what is stored");
    running.kill().unwrap();
    running.wait().unwrap();
}
