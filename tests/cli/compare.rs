//! `tetrastat compare` and `plan` on the real binary: the games are those of `simulate`, growing and being
//! stopped change no byte, and every mistake is one line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, folder, refused, tetrastat, text};

const THREE: [&str; 6] = ["compare", "bcts", "dt20", "dellacherie", "--board", "8x8"];

fn three<'a>(more: &[&'a str]) -> Vec<&'a str> {
    THREE.into_iter().chain(more.iter().copied()).collect()
}

fn compare(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let args = [args, &["--format", "json"]].concat();
    serde_json::from_str(&compare(folder, &args)).unwrap()
}

/// Every table of a comparison's folder by its path, and of each `run.json` what was played.
fn tables(out: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![out.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut text = fs::read_to_string(&path).unwrap();
            if path.ends_with("run.json") {
                let run: Value = serde_json::from_str(&text).unwrap();
                text = format!("{} {} {}", run["status"], run["config"], run["files"]);
            }
            if path.ends_with("datapackage.json") {
                text.clear();
            }
            found.insert(path.strip_prefix(out).unwrap().display().to_string(), text);
        }
    }
    found
}

#[test]
fn it_plays_until_intervals_are_narrow_and_the_games_are_those_of_simulate() {
    let folder = folder();
    let until = three(&["--until-halfwidth", "12%", "--out", "out"]);
    let found = json(folder.path(), &until);
    assert_eq!(found["stopped"], "half_width");
    let looks = found["looks"].as_array().unwrap();
    let games = looks.last().unwrap()["games"].as_u64().unwrap();
    assert!(looks.len() > 1 && looks[0]["games"] == 32 && games >= 200, "{looks:?}");
    for ranked in found["controllers"].as_array().unwrap() {
        let ends = ["low", "high"].map(|end| ranked["interval"][end].as_f64().unwrap());
        assert!(ends[1] - ends[0] <= 0.24 * ranked["mean"].as_f64().unwrap(), "{ranked}");
        assert_eq!(ranked["games"], games);
    }
    let played = games.to_string();
    let simulate = ["simulate", "--controller", "dt20", "--board", "8x8", "--placements", "none"];
    compare(folder.path(), &[&simulate[..], &["--games", &played, "--out", "one"]].concat());
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let grown = "out/002-dt20-8x8-uniform-greedy-s1";
    assert_eq!(read(&format!("{grown}/games.csv")), read("one/games.csv"));
    let verified = compare(folder.path(), &["verify", "out"]);
    assert!(verified.contains("games.csv"), "{verified}");
    // The same again plays nothing; a narrower interval plays on from there.
    let before = tables(&folder.path().join("out"));
    assert_eq!(json(folder.path(), &until)["controllers"], found["controllers"]);
    assert_eq!(tables(&folder.path().join("out")), before);
}

#[test]
fn threads_and_growing_change_nothing() {
    let folder = folder();
    let fixed = three(&["--games", "60"]);
    let one = json(folder.path(), &[&fixed[..], &["--threads", "1"]].concat());
    assert_eq!(one, json(folder.path(), &[&fixed[..], &["--threads", "3"]].concat()));
    for games in ["10", "25", "60"] {
        json(folder.path(), &three(&["--games", games, "--out", "grown"]));
    }
    let straight = json(folder.path(), &three(&["--games", "60", "--out", "straight"]));
    assert_eq!(straight["controllers"], one["controllers"]);
    let [grown, straight] = ["grown", "straight"].map(|out| tables(&folder.path().join(out)));
    assert_eq!(grown, straight);
    // Fewer games than there are: all are compared.
    let fewer = json(folder.path(), &three(&["--games", "5", "--out", "grown"]));
    assert_eq!(fewer["controllers"], one["controllers"]);
    let other = three(&["--games", "60", "--seed", "2", "--out", "grown"]);
    let output = tetrastat(folder.path(), &other);
    assert_eq!(output.status.code(), Some(2), "another seed is another comparison");
}

/// The numbers of the printed JSON by hand, from the games.
#[test]
fn means_pairs_and_tables_agree_with_the_games() {
    let folder = folder();
    let args =
        ["compare", "dellacherie", "bcts", "--board", "8x8", "--games", "50", "--out", "out"];
    let found = json(folder.path(), &args);
    let lines = |run: &str| {
        let path = folder.path().join(format!("out/{run}-8x8-uniform-greedy-s1/games.csv"));
        let rows = csv::Reader::from_path(path).unwrap().into_deserialize();
        let rows = rows.map(|row: Result<BTreeMap<String, String>, _>| row.unwrap());
        rows.map(|row| row["lines"].parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (dellacherie, bcts) = (lines("001-dellacherie"), lines("002-bcts"));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (first, second) = (mean(&bcts), mean(&dellacherie));
    assert!(first > second, "bcts ranks first: {first} {second}");
    assert_eq!(found["controllers"][0]["controller"], "bcts");
    assert_eq!(found["controllers"][0]["mean"], first);
    let pair = &found["pairs"][0];
    assert_eq!(
        (&pair["difference"], &pair["ratio"]),
        (&(first - second).into(), &(first / second).into())
    );
    let more = bcts.iter().zip(&dellacherie).filter(|(a, b)| a > b).count();
    assert_eq!(pair["wins"], more);
    assert_eq!(pair["p"], pair["p_adjusted"], "one pair needs no adjustment");
    let table = compare(folder.path(), &[&args[..], &["--format", "csv"]].concat());
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(table.as_bytes()).into_records().map(Result::unwrap).collect();
    let kinds: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(kinds, ["mean", "mean", "difference", "ratio"]);
    assert_eq!(rows[0][6].parse::<f64>().unwrap(), first);
    let shown = compare(folder.path(), &args);
    for word in ["rank", "SD/mean", "bcts", "dellacherie", "sign-flip", "files    out"] {
        assert!(shown.contains(word), "{shown}");
    }
}

#[test]
fn other_columns_and_censored_games() {
    let folder = folder();
    let heights = json(folder.path(), &three(&["--games", "30", "--measure", "height_mean"]));
    assert_eq!(
        (&heights["scale"], &heights["controllers"][0]["method"]),
        (&"per_game".into(), &"bootstrap".into())
    );
    let cut = json(folder.path(), &three(&["--games", "60", "--max-pieces", "150"]));
    assert_eq!(cut["pairs"][0]["test"], "log-rank");
    let sz = json(folder.path(), &three(&["--queue", "sz", "--games", "2"]));
    assert_eq!(sz["controllers"][0]["warnings"][0]["kind"], "same_games");
    assert!(sz["pairs"][0]["p"].is_null());
}

/// The result of a comparison that misses its half-width, and what it says on stderr.
fn missed(folder: &Path, args: &[&str]) -> (String, String) {
    let output = tetrastat(folder, args);
    let said = text(&output.stderr).to_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
    (text(&output.stdout).to_owned(), said)
}

/// No game ends: nobody has a rank in any format, and one line names the limit to raise.
#[test]
fn without_an_end_nobody_is_ranked_and_the_width_is_missed() {
    let folder = folder();
    let args = ["compare", "bcts", "dt20", "--max-pieces", "99", "--until-halfwidth", "5%"];
    let (shown, said) = missed(folder.path(), &args);
    assert!(said.contains("the half-width of 5 % was not reached"), "{said}");
    assert!(said.contains("no game of") && said.contains("raise --max-pieces (99;"), "{said}");
    // No limit is large enough for means of billions of lines, so both messages name the estimate.
    assert!(said.contains("or run `tetrastat estimate`"), "{said}");
    assert!(
        shown.contains("(or give none), take a smaller --board, or run `tetrastat estimate`"),
        "{shown}"
    );
    assert!(shown.contains("none of the 32 games ended") && shown.contains("unbounded"), "{shown}");
    assert!(shown.contains("target 5.0 % (not reached)"), "{shown}");
    let ranks = shown.lines().filter(|line| line.starts_with("  NA ")).count();
    assert_eq!(ranks, 2, "{shown}");
    let (json, _) = missed(folder.path(), &[&args[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["reached"], &json["stopped"]), (&false.into(), &"no_ends".into()));
    assert!(json["controllers"].as_array().unwrap().iter().all(|one| one["rank"].is_null()));
    let (table, _) = missed(folder.path(), &[&args[..], &["--format", "csv"]].concat());
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(table.as_bytes()).into_records().map(Result::unwrap).collect();
    assert!(rows[..2].iter().all(|row| &row[0] == "mean" && &row[3] == "NA"), "{table}");
}

/// The most games are played and the interval is still wide: exit 3 with ranks that rest on ends; one that
/// is reached exits with 0.
#[test]
fn most_games_that_miss_the_width_are_said() {
    let folder = folder();
    let until = |width, most| three(&["--until-halfwidth", width, "--most-games", most]);
    let (shown, said) = missed(folder.path(), &until("1%", "40"));
    assert!(said.contains("raise --most-games (40)"), "{said}");
    assert!(shown.contains("target 1.0 % (not reached)"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("   1 ")), "{shown}");
    let reached = json(folder.path(), &until("60%", "100"));
    assert_eq!(
        (&reached["reached"], &reached["controllers"][2]["rank"]),
        (&true.into(), &3.into())
    );
    let fixed = json(folder.path(), &three(&["--games", "4"]));
    assert!(fixed["reached"].is_null(), "no width was asked for");
}

/// Killed twice and interrupted while it grows, a comparison comes to the bytes of one left alone.
#[cfg(unix)]
#[test]
fn a_comparison_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = folder();
    let args = |games: &'static str, out: &'static str| {
        ["compare", "bcts", "dt20", "--board", "10x10", "--games", games, "--out", out]
    };
    compare(folder.path(), &args("80", "straight"));
    compare(folder.path(), &args("8", "stopped"));
    let begin = || {
        let mut command = command(folder.path(), &args("80", "stopped"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for pause in [20, 60] {
        let mut child = begin();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = begin();
    std::thread::sleep(Duration::from_millis(80));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    // A machine fast enough to end before the interruption has nothing to go on with; one so slow that
    // the signal came before it was listened to is killed by it.
    if output.status.code() == Some(130) {
        assert!(text(&output.stderr).contains("the same command resumes the comparison"));
        assert!(text(&output.stdout).contains("bcts"), "what is done is printed");
    }
    compare(folder.path(), &args("80", "stopped"));
    let [stopped, straight] = ["stopped", "straight"].map(|out| tables(&folder.path().join(out)));
    assert_eq!(stopped, straight);
}

/// A kill can come while a checkpoint is written, at any time.
#[test]
fn half_a_checkpoint_is_in_nobodys_way() {
    let folder = folder();
    let of = |games: &str| compare(folder.path(), &three(&["--games", games, "--out", "c"]));
    let eight = of("8");
    let runs = || {
        crate::common::entries(&folder.path().join("c")).into_iter().filter(|path| path.is_dir())
    };
    let leave =
        || runs().for_each(|run| fs::write(run.join("checkpoint.json.partial"), "{").unwrap());
    assert_eq!(runs().count(), 3);
    leave();
    assert_eq!(of("8"), eight);
    assert!(runs().all(|run| !run.join("checkpoint.json.partial").exists()));
    leave();
    assert!(of("16").contains("16 games of each"));
}

#[test]
fn plans_as_in_r() {
    let folder = folder();
    let tell = json(folder.path(), &["plan", "--tell", "35e6,40e6", "--power", "0.8"]);
    assert_eq!((&tell["ends"], &tell["games"]), (&881.into(), &881.into()));
    let cut = json(folder.path(), &["plan", "--tell", "40e6,35e6", "--limit", "1e7"]);
    // 881 / (1 - exp(-1/4))
    assert_eq!(cut["games"], 3983);
    let know = compare(folder.path(), &["plan", "--halfwidth", "5%"]);
    assert!(know.starts_with("1,541 games"), "{know}");
}

#[test]
fn mistakes_are_one_line_and_leave_nothing() {
    for share in ["3x", "0%", "100%", "-1%", "%", "nan"] {
        let given = format!("--until-halfwidth={share}");
        refused(&["compare", "bcts", "dt20", &given], &["percentage", "3%"]);
    }
    let certain = ["compare", "bcts", "dt20", "--queue", "sz", "--until-halfwidth", "3%"];
    refused(&certain, &["queue sz", "--games 1"]);
}

/// A comparison that ends by time must have games of all controllers and their intervals. The same command without a
/// time budget must then produce the bytes of an uninterrupted one.
#[test]
fn a_comparison_of_some_minutes_compares_what_was_played() {
    let folder = folder();
    // These games never end, and there are more of them than can be played.
    let args = ["compare", "lee", "dellacherie", "--board", "10x8", "--games", "1000000000"];
    let timed = [&args[..], &["--minutes", "0.05", "--format", "json"]].concat();
    let output = tetrastat(folder.path(), &timed);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(said.contains("the time of --minutes is over: the games are not kept"), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], "minutes");
    let controllers = found["controllers"].as_array().unwrap();
    assert!(controllers.iter().all(|one| one["games"].as_u64() >= Some(8)), "{found}");
    assert!(controllers.iter().all(|one| one["interval"].is_object()), "{found}");
    let missed = [&args[..5], &["--until-halfwidth", "0.01%", "--minutes", "0.01"]].concat();
    let output = tetrastat(folder.path(), &missed);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("was not reached: the time of --minutes is over"), "{said}");
}
