//! Studies whose conditions are estimated: the real binary on real study files.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{command, rows, tetrastat, text};

/// Study of two controllers on two boards. On the larger board, games of bcts reach the limit of
/// pieces.
const STUDY: &str = r#"
controllers = ["lee", "bcts"]
boards = ["6x8", "8x12"]
games = 30
max_pieces = 2000
placements = "none"
method = "auto"
budget = 60000
pieces = 4000
burn_in = 200
pilot_pieces = 4000
"#;

fn study(folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let output = tetrastat(folder, &[&["study", "study.toml"], more].concat());
    (output.status.code(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

#[test]
fn long_conditions_are_estimated_like_the_command_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("study.toml"), STUDY).unwrap();
    let (code, listed, _) = study(path, &["--dry-run"]);
    assert_eq!(code, Some(0));
    assert!(
        listed.contains("004-bcts-8x12-uniform-greedy-s1 (estimated)\n4 conditions"),
        "{listed}"
    );
    let (code, shown, said) = study(path, &["--out", "s", "--threads", "2"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("estimates.csv"), "{shown}");
    let estimates = rows(&path.join("s/estimates.csv"));
    let played = rows(&path.join("s/conditions.csv"));
    assert_eq!((played.len(), estimates.len()), (3, 1), "{shown}");
    assert_eq!((&*estimates[0]["status"], &*estimates[0]["condition"]), ("complete", "4"));
    // The estimate has the bytes of the command.
    let args = "estimate --controller bcts --board 8x12 --budget 60000 --pieces 4000 --burn-in 200 \
                --pilot-pieces 4000 --out single";
    let output = tetrastat(path, &args.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{}", text(&output.stderr));
    for file in ["replications.csv", "levels.csv", "heights.csv", "plan.json"] {
        let one = fs::read(path.join("single").join(file)).unwrap();
        let folder = path.join("s/004-bcts-8x12-uniform-greedy-s1");
        assert!(one == fs::read(folder.join(file)).unwrap(), "{file}");
    }
    // A second call runs nothing again, and other commands read the folder.
    let before = fs::metadata(path.join("s/004-bcts-8x12-uniform-greedy-s1/replications.jsonl"));
    let (code, again, _) = study(path, &["--out", "s"]);
    assert_eq!((code, again), (Some(0), shown));
    let after = fs::metadata(path.join("s/004-bcts-8x12-uniform-greedy-s1/replications.jsonl"));
    assert_eq!(before.unwrap().modified().unwrap(), after.unwrap().modified().unwrap());
    let output = tetrastat(path, &["verify", "s"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("004-bcts-8x12-uniform-greedy-s1/replications.csv"));
    let output = tetrastat(path, &["compare", "--from", "s", "--contrast", "controller:board"]);
    let found = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(found.contains("bcts / lee, 8x12 / 6x8") && found.contains("estimate"), "{found}");
    // All conditions are in one table, and all pairs in another.
    let means = rows(&path.join("s/means.csv"));
    let methods: Vec<&str> = means.iter().map(|row| &*row["method"]).collect();
    assert_eq!(methods, ["play", "play", "play", "estimate"]);
    assert_eq!(
        (&means[3]["name"], &means[3]["mean"]),
        (&"bcts 8x12".to_owned(), &estimates[0]["mean"])
    );
    let contrasts = rows(&path.join("s/contrasts.csv"));
    assert_eq!(contrasts.len(), 6);
    let output = tetrastat(path, &["compare", "--from", "s", "--format", "csv"]);
    assert_eq!(text(&output.stdout), fs::read_to_string(path.join("s/contrasts.csv")).unwrap());
    let page = path.join("page.html");
    let output = tetrastat(path, &["view", "s", "--out", "page.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("effective_excursions"));
    let (_, data) = html.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let table = |name: &str| {
        let mut tables = data["tables"].as_array().unwrap().iter();
        tables.find(|table| table["name"] == name).unwrap()["rows"].clone()
    };
    assert_eq!([table("means"), table("contrasts")], [json!(4), json!(6)]);
    // An unfinished condition is named, with its replications.
    let estimate = path.join("s/004-bcts-8x12-uniform-greedy-s1");
    fs::remove_file(estimate.join("estimate.json")).unwrap();
    let output = tetrastat(path, &["compare", "--from", "s"]);
    let count = fs::read_to_string(estimate.join("replications.jsonl")).unwrap().lines().count();
    let expected = format!(
        "tetrastat: s/004-bcts-8x12-uniform-greedy-s1 is an unfinished estimate ({count} \
         replications so far): run its command again to resume it\n"
    );
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), &*expected));
    fs::remove_dir_all(&estimate).unwrap();
    let output = tetrastat(path, &["compare", "--from", "s"]);
    assert!(text(&output.stderr).contains("run the study to its end first"));
}

#[test]
fn a_reader_names_an_estimate_that_is_still_running() {
    let folder = tempfile::tempdir().unwrap();
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

#[test]
fn a_study_may_only_estimate_and_single_conditions_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text_of = STUDY.replace("\"auto\"", "\"estimate\"");
    fs::write(path.join("study.toml"), text_of).unwrap();
    let (code, _, said) = study(path, &["--out", "s", "--condition", "2"]);
    assert_eq!(code, Some(0), "{said}");
    let statuses = || {
        let rows = rows(&path.join("s/estimates.csv"));
        rows.iter().map(|row| row["status"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(), ["pending", "complete", "pending", "pending"]);
    assert_eq!(study(path, &["--out", "s", "--condition", "5"]).0, Some(2));
    let (code, shown, said) = study(path, &["--out", "s"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(statuses(), ["complete"; 4]);
    assert!(shown.contains("estimated condition") && !shown.contains("conditions.csv"), "{shown}");
    assert!(!path.join("s/conditions.csv").exists());
    for args in [&["verify", "s"][..], &["compare", "--from", "s", "--contrast", "board"]] {
        let output = tetrastat(path, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn wrong_methods_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let cases = [
        ("method = \"guess\"", "write \"play\", \"estimate\" or \"auto\""),
        ("method = \"auto\"\nmax_pieces = \"none\"", "give max_pieces a number"),
        ("method = \"estimate\"\nrules = \"guideline\"", "classic games only"),
        ("method = \"estimate\"\npolicy = \"misdrop:0.1\"", "policy"),
        ("method = \"estimate\"\nbudgte = 5", "unknown key 'budgte'"),
        ("budget = 5", "unknown key 'budget'"),
    ];
    for (setting, expected) in cases {
        fs::write(path.join("study.toml"), format!("seeds = [1, 2]\n{setting}\n")).unwrap();
        let (code, _, said) = study(path, &["--out", "s"]);
        assert_eq!(code, Some(2), "{setting}: {said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{setting}: {said}");
        assert!(!path.join("s").exists(), "{setting}");
    }
}
