//! `--view`: a page of work that goes on.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;

use super::unfinished::{LONG, begin, wait};
use super::{page, run};
use crate::common::{entries, folder, manifest, rows, tetrastat, text};

/// Starts a long run whose page is drawn, and waits for one with games in it.
pub(super) fn begun(folder: &Path) -> Child {
    let mut child = begin(folder, &[&LONG[..], &["none", "--view"]].concat());
    let games = || data(&folder.join("run.html"))["outcome"]["conditions"].is_array();
    wait(&mut child, "a page with games", games);
    child
}

fn data(page: &Path) -> Value {
    let html = fs::read_to_string(page).unwrap_or_default();
    let data = html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    data.map(|(data, _)| serde_json::from_str(data).unwrap()).unwrap_or_default()
}

/// Stops a command; what it said on stderr.
#[cfg(unix)]
pub(super) fn stop(child: Child) -> String {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
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
    let while_played = data(&path.join("run.html"));
    assert!(while_played["running"]["written"].as_u64().unwrap() > 1_600_000_000);
    assert!(while_played["running"]["every_s"].as_u64().unwrap() >= 5);
    let note = while_played["notes"][0].as_str().unwrap();
    assert!(note.starts_with("So far: ") && note.ends_with(" of 10000000 games."), "{note}");
    let said = stop(child);
    assert!(said.contains("page: run.html"), "{said}");
    // In the end it is the page that `view` draws.
    let (html, data) = page(path, "run", &[]);
    assert!(fs::read_to_string(path.join("run.html")).unwrap() == html);
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
    let study = "games = 5\nboard = \"8x8\"\nplacements = \"csv\"\nmax_pieces = 300\n[[condition]]\ncontroller = \"bcts\"\n[[condition]]\ncontroller = \"lee\"\n";
    fs::write(path.join("study.toml"), study).unwrap();
    let train = "train cem --features lee --board 8x8 --population 10 --games 2 --max-pieces 60 --generations 3 --final-games 4 --held-out-games 4 --check-every 0";
    for (line, tables) in [
        (
            "simulate --board 8x8 --games 20 --max-pieces 300 --placements csv",
            &["games.csv", "placements.csv"][..],
        ),
        ("simulate --rules guideline --mode sprint --games 2", &["games.csv"]),
        ("liap simulate --matches 8", &["matches.csv"]),
        ("study study.toml", &["conditions.csv", "games.csv"]),
        (train, &["history.csv", "controller.toml"]),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        run(path, &[&words[..], &["--out", "plain"]].concat());
        run(path, &[&words[..], &["--out", "viewed", "--view"]].concat());
        for table in tables {
            let [plain, viewed] =
                ["plain", "viewed"].map(|out| fs::read(path.join(out).join(table)).unwrap());
            assert!(plain == viewed, "{line}: {table}");
        }
        let drawn = fs::read_to_string(path.join("viewed.html")).unwrap();
        assert!(drawn == page(path, "viewed", &[]).0, "{line}");
        assert!(data(&path.join("viewed.html"))["running"].is_null());
        // Given again nothing is played; the page is drawn again.
        fs::remove_file(path.join("viewed.html")).unwrap();
        run(path, &[&words[..], &["--out", "viewed", "--view"]].concat());
        assert!(drawn == fs::read_to_string(path.join("viewed.html")).unwrap(), "{line}");
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
    let words = ["simulate", "--board", "8x8", "--games", "5", "--out", "run", "--view"];
    // What is no page stays, and nothing is played.
    fs::write(path.join("run.html"), "<p>mine</p>").unwrap();
    let output = tetrastat(path, &words);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert!(message.contains("run.html") && message.contains("move it"), "{message}");
    assert_eq!(entries(path), [path.join("run.html")]);
    fs::remove_file(path.join("run.html")).unwrap();
    // A folder comes in its way while games are played.
    let child = begun(path);
    fs::create_dir(path.join("other")).unwrap();
    fs::write(path.join("other/file"), "").unwrap();
    fs::remove_file(path.join("run.html")).unwrap();
    fs::rename(path.join("other"), path.join("run.html")).unwrap();
    let said = stop(child);
    assert!(
        said.contains("note: no page is written: ") && said.contains("resumes the run"),
        "{said}"
    );
    is_kept(path);
}
