//! `--view`: a page of work that goes on.

use std::fs;
use std::path::Path;
use std::process::Child;

use serde_json::Value;

use super::unfinished::{LONG, begin, wait};
use super::{CONDITIONS, TRAIN, data, page};
use crate::common::{done, entries, fails, folder, interrupt, manifest, read, rows, text};

/// Starts a long run whose page is drawn, and waits for one with games in it.
pub(super) fn begun(folder: &Path) -> Child {
    let mut child = begin(folder, &format!("{LONG} none --view"));
    let games = || shown(folder, "run.html")["outcome"]["conditions"].is_array();
    wait(&mut child, "a page with games", games);
    child
}

fn shown(folder: &Path, page: &str) -> Value {
    data(&fs::read_to_string(folder.join(page)).unwrap_or_default())
}

/// Stops a command; what it said on stderr.
#[cfg(unix)]
pub(super) fn stop(child: Child) -> String {
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    text(&output.stderr).to_owned()
}

/// The games of a run that was stopped are those that its manifest says.
fn is_kept(folder: &Path) {
    let files = &manifest(&folder.join("run"))["files"];
    let games = rows(&folder.join("run/games.csv")).len();
    assert!(games > 0 && files[0]["rows"] == games, "{games}: {files}");
}

#[cfg(unix)]
#[test]
fn a_page_is_drawn_while_a_run_goes_on() {
    let folder = folder();
    let path = folder.path();
    let child = begun(path);
    let while_played = shown(path, "run.html");
    assert!(while_played["running"]["written"].as_u64().unwrap() > 1_600_000_000);
    assert!(while_played["running"]["every_s"].as_u64().unwrap() >= 5);
    let note = while_played["notes"][0].as_str().unwrap();
    assert!(note.starts_with("So far: ") && note.ends_with(" of 10000000 games."), "{note}");
    let said = stop(child);
    assert!(said.contains("page: run.html"), "{said}");
    // In the end it is the page that `view` draws.
    let (html, data) = page(path, "run", &[]);
    assert!(read(path, "run.html") == html);
    let note = data["notes"][0].as_str().unwrap();
    assert!(note.starts_with("The run was stopped: "), "{note}");
    assert!(note.ends_with("To resume: tetrastat simulate --resume run"), "{note}");
    assert!(data["running"].is_null());
    is_kept(path);
}

#[test]
fn a_page_changes_nothing_of_what_is_played() {
    let folder = folder();
    let path = folder.path();
    let study =
        format!("games = 5\nboard = '8x8'\nplacements = 'csv'\nmax_pieces = 300\n{CONDITIONS}");
    fs::write(path.join("study.toml"), study).unwrap();
    let train = format!("{TRAIN} --generations 3 --check-every 0");
    for (line, tables) in [
        ("simulate --board 8x8 --games 20 --max-pieces 300 --placements csv", "games placements"),
        ("simulate --rules guideline --mode sprint --games 2", "games"),
        ("simulate --rules liap --games 8", "matches"),
        ("study study.toml", "conditions games"),
        (&train, "history controller"),
    ] {
        done(path, &format!("{line} --out plain"));
        done(path, &format!("{line} --out viewed --view"));
        for table in tables.split(' ') {
            let name = format!("{table}.{}", if table == "controller" { "toml" } else { "csv" });
            let [plain, viewed] = ["plain", "viewed"].map(|out| read(&path.join(out), &name));
            assert!(plain == viewed, "{line}: {name}");
        }
        let drawn = read(path, "viewed.html");
        assert!(drawn == page(path, "viewed", &[]).0, "{line}");
        assert!(data(&drawn)["running"].is_null());
        // Given again nothing is played; the page is drawn again.
        fs::remove_file(path.join("viewed.html")).unwrap();
        done(path, &format!("{line} --out viewed --view"));
        assert!(drawn == read(path, "viewed.html"), "{line}");
        for out in ["plain", "viewed"] {
            fs::remove_dir_all(path.join(out)).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_page_that_cannot_be_written_loses_nothing() {
    let folder = folder();
    let path = folder.path();
    // What is no page stays, and nothing is played.
    fs::write(path.join("run.html"), "<p>mine</p>").unwrap();
    let words = ["simulate", "--board", "8x8", "--games", "5", "--out", "run", "--view"];
    fails(path, &words, &["run.html", "move it"]);
    assert_eq!(entries(path), [path.join("run.html")]);
    fs::remove_file(path.join("run.html")).unwrap();
    // A folder comes in its way while games are played.
    let child = begun(path);
    fs::create_dir(path.join("other")).unwrap();
    fs::write(path.join("other/file"), "").unwrap();
    fs::remove_file(path.join("run.html")).unwrap();
    fs::rename(path.join("other"), path.join("run.html")).unwrap();
    let said = stop(child);
    assert!(said.contains("note: no page is written: "), "{said}");
    assert!(said.contains("resumes the run"), "{said}");
    is_kept(path);
}
