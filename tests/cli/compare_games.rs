//! `tetrastat compare` and `study` over players of any game, with options of their own, and verdicts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, refused, rows, tetrastat, text};

fn json(folder: &Path, line: &str) -> Value {
    let args: Vec<&str> = line.split(' ').chain(["--format", "json"]).collect();
    let output = tetrastat(folder, &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn printed(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Sprints are measured by their pieces, and the fewer the better; the games are those of `simulate`.
#[test]
fn sprints_are_compared_by_their_pieces() {
    let folder = folder();
    let line = "compare tetrastat-sprint tetrastat-blitz-greedy --rules guideline --sprint-lines 12 --games 12 --seed 3";
    let found = json(folder.path(), &format!("{line} --out out"));
    assert_eq!((&found["measure"], &found["mode"]), (&"pieces".into(), &"sprint".into()));
    let players = found["controllers"].as_array().unwrap();
    let mean = |place: usize| players[place]["mean"].as_f64().unwrap();
    assert!(mean(0) <= mean(1), "{players:?}");
    assert_eq!(players[0]["rank"], 1);
    let of_ours = players.iter().find(|one| one["controller"] == "tetrastat-sprint").unwrap();

    let alone = "simulate --rules guideline --sprint-lines 12 --games 12 --seed 3 --placements none --out alone";
    json(folder.path(), alone);
    let games = rows(&folder.path().join("alone/games.csv"));
    let pieces = games.iter().map(|game| game["pieces"].parse::<f64>().unwrap()).sum::<f64>();
    let won = games.iter().filter(|game| game["end_reason"] == "won").count();
    assert!(won > 0);
    assert!((of_ours["mean"].as_f64().unwrap() - pieces / won as f64).abs() < 1e-9);
    let played = folder.path().join("out/001-tetrastat-sprint-sprint-greedy-s3/games.csv");
    assert_eq!(fs::read(played).unwrap(), fs::read(folder.path().join("alone/games.csv")).unwrap());

    // More games go on where these ended, and other measures can be chosen.
    let more = line.replace("--games 12", "--games 15");
    let found = json(folder.path(), &format!("{more} --out out --measure time_ms"));
    assert_eq!(
        (&found["measure"], &found["controllers"][0]["games"]),
        (&"time_ms".into(), &15.into())
    );
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
    assert_eq!(rows(&folder.path().join("out/games.csv")).len(), 30);
}

#[test]
fn guideline_games_are_studied() {
    let folder = folder();
    let file = "rules = 'guideline'\nmode = 'blitz'\npieces = 30\ngames = 3\nplacements = 'none'\ncontrollers = ['tetrastat-blitz-greedy', 'tetrastat-sprint']\nseeds = [1, 2]\n";
    fs::write(folder.path().join("my.toml"), file).unwrap();
    let args = ["study", "my.toml", "--out", "out"];
    let output = tetrastat(folder.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("mean points"), "{}", text(&output.stdout));
    let conditions = rows(&folder.path().join("out/conditions.csv"));
    assert_eq!(conditions.len(), 4);
    let games = rows(&folder.path().join("out/games.csv"));
    assert_eq!(games.len(), 12);
    let first = &conditions[0];
    assert_eq!((&*first["mode"], &*first["status"], &*first["games"]), ("blitz", "complete", "3"));
    let points = |game: &&std::collections::BTreeMap<String, String>| game["condition"] == "1";
    let points: f64 =
        games.iter().filter(points).map(|g| g["points"].parse::<f64>().unwrap()).sum();
    assert!((first["mean"].parse::<f64>().unwrap() - points / 3.0).abs() < 1e-9);
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
    let again = tetrastat(folder.path(), &args);
    assert_eq!(text(&again.stdout), text(&output.stdout));

    let mixed =
        file.replace("seeds = [1, 2]", "[[condition]]\nrules = 'simplified'\ncontroller = 'bcts'");
    let mixed = mixed.replace("mode = 'blitz'\npieces = 30\n", "");
    fs::write(folder.path().join("mixed.toml"), mixed).unwrap();
    let output = tetrastat(folder.path(), &["study", "mixed.toml", "--dry-run"]);
    let message = text(&output.stderr);
    assert!(!output.status.success() && message.contains("one study for each game"), "{message}");
}

/// A player's own options lie over those of all.
#[test]
fn players_have_options_of_their_own() {
    let folder = folder();
    // Where labels do not tell them apart, folders do.
    let line = "compare bcts bcts:max_lines=9 --board 6x8 --games 20";
    let found = json(folder.path(), line);
    let ranked = found["controllers"].as_array().unwrap();
    let one = |number: &str| {
        ranked.iter().any(|one| one["controller"] == format!("{number}-bcts-6x8-uniform-greedy-s1"))
    };
    assert!(one("001") && one("002"), "{ranked:?}");

    let line = "compare bcts bcts:search=next,max_lines=200 --board 6x8 --games 30 --out out";
    let found = json(folder.path(), line);
    let names: Vec<&str> = found["controllers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["controller"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bcts-6x8-uniform-next-s1", "bcts-6x8-uniform-greedy-s1"]);
    assert_eq!((&found["search"], &found["board"]), (&Value::Null, &"6x8".into()));
    json(
        folder.path(),
        "simulate --controller bcts --search next --max-lines 200 --board 6x8 --games 30 --placements none --out alone",
    );
    let read = |path: &str| fs::read(folder.path().join(path)).unwrap();
    assert!(read("out/002-bcts-6x8-uniform-next-s1/games.csv") == read("alone/games.csv"));
}

#[test]
fn verdicts_are_given_as_soon_as_they_can_be() {
    let folder = folder();
    let line = "compare bcts lee --board 8x10 --max-pieces none --until-verdict";
    let found = json(folder.path(), line);
    assert_eq!(
        (&found["stopped"], found["verdicts"].as_array().unwrap().len()),
        (&"verdict".into(), 1)
    );
    let verdict = &found["verdicts"][0];
    let greater = if verdict["first"] == "bcts" { "greater" } else { "smaller" };
    assert_eq!(verdict["verdict"], greater, "{verdict}");
    let (low, high) = (verdict["low"].as_f64().unwrap(), verdict["high"].as_f64().unwrap());
    assert!(low > 1.0 || high < 1.0);
    // Play that stops at a verdict has no p-values and no intervals for a number of games fixed in advance.
    let pair = &found["pairs"][0];
    for key in ["p", "p_adjusted", "test", "difference_interval", "sign_p", "sign_flip", "log_rank"]
    {
        assert_eq!(pair[key], Value::Null, "{key} in {pair}");
    }
    let swapped = pair["first"] != verdict["first"];
    let corrected = verdict["corrected"].as_f64().unwrap();
    let expected = if swapped { 1.0 / corrected } else { corrected };
    assert!((pair["ratio"].as_f64().unwrap() / expected - 1.0).abs() < 1e-12, "{pair}");
    let end = if swapped { 1.0 / high } else { low };
    assert!((pair["ratio_interval"]["low"].as_f64().unwrap() / end - 1.0).abs() < 1e-12, "{pair}");
    assert!(pair["ratio_interval"]["low"].as_f64().unwrap() > 1.0, "{pair}");
    let observed = verdict["ratio"].as_f64().unwrap();
    let (near, far) = (corrected.ln().abs(), observed.ln().abs());
    assert!(near > 0.0 && near < far, "a ratio that ended play is corrected towards 1: {verdict}");
    assert_eq!(found["controllers"][0]["method"], "confidence_sequence");
    let shown = printed(folder.path(), line);
    assert!(shown.contains("ratio (at all looks)") && !shown.contains("p (Holm)"), "{shown}");
    let table = printed(folder.path(), &format!("{line} --format csv"));
    let ratio = table.lines().find(|line| line.starts_with("ratio,")).unwrap();
    assert!(ratio.contains(",confidence_sequence,NA,NA,NA,NA"), "{ratio}");
    assert!(!table.contains("bootstrap") && !table.contains("sign-flip"), "{table}");
    // A later comparison of these games as if their number had been fixed prints a warning.
    let shown = printed(folder.path(), &format!("{line} --out kept"));
    assert!(shown.contains("ratio (at all looks)"), "{shown}");
    for more in [&[][..], &["--contrast", "controller"]] {
        let output = tetrastat(folder.path(), &[&["compare", "--from", "kept"], more].concat());
        let said = text(&output.stderr);
        assert!(output.status.success() && said.contains("--until-verdict"), "{said}");
    }
    // The same player twice, but for how ties are broken: it takes more games than these to say so.
    let line =
        "compare bcts bcts:tie=dellacherie --board 6x8 --until-verdict --margin 1% --most-games 40";
    let args: Vec<&str> = line.split(' ').collect();
    let output = tetrastat(folder.path(), &args);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("--most-games"), "{}", text(&output.stderr));
}

/// bcts is far better than the others, so it plays the first round only. The others need many rounds.
/// If a folder of the last round is lost, the same command plays only that folder again.
#[test]
fn decided_players_play_no_further_games() {
    let folder = folder();
    let line = "compare bcts lee guide-basic --board 6x10 --max-pieces none --until-verdict --margin 20% --out kept";
    let found = json(folder.path(), line);
    assert_eq!(found["stopped"], "verdict");
    let games = |found: &Value, name: &str| {
        let players = found["controllers"].as_array().unwrap();
        let own = players.iter().find(|one| one["controller"] == name).unwrap();
        own["games"].as_u64().unwrap()
    };
    let all = games(&found, "lee");
    assert_eq!((games(&found, "guide-basic"), games(&found, "bcts")), (all, 32), "{found}");
    assert!(all > 100, "{all}");
    let verdicts = found["verdicts"].as_array().unwrap();
    let common: Vec<_> = verdicts.iter().map(|pair| pair["games"].as_u64().unwrap()).collect();
    assert_eq!(common, [32, 32, all], "{verdicts:?}");
    // Means over the same games as `simulate` plays.
    let alone = "simulate --controller bcts --board 6x10 --max-pieces none --games 32 --placements none --out alone";
    printed(folder.path(), alone);
    let read = |path: &str| fs::read(folder.path().join(path)).unwrap();
    assert!(read("kept/001-bcts-6x10-uniform-greedy-s1/games.csv") == read("alone/games.csv"));
    let lost = "kept/003-guide-basic-6x10-uniform-greedy-s1";
    let (before, conditions) = (read(&format!("{lost}/games.csv")), read("kept/conditions.csv"));
    fs::remove_dir_all(folder.path().join(lost)).unwrap();
    let again = json(folder.path(), line);
    assert!(
        before == read(&format!("{lost}/games.csv")) && conditions == read("kept/conditions.csv")
    );
    assert_eq!(again["controllers"], found["controllers"]);
    let shown = printed(folder.path(), line);
    assert!(shown.contains("games at most"), "{shown}");
    // A comparison with a fixed number of games needs all of them.
    let line = line.replace("--until-verdict --margin 20%", &format!("--games {all}"));
    assert_eq!(games(&json(folder.path(), &line), "bcts"), all);
}

/// What a comparison found is found again in its games, and so in those of a study that varies anything.
#[test]
fn games_that_were_played_are_compared() {
    let folder = folder();
    let line = "compare bcts dt20 lee --board 6x8 --games 60 --queue bag";
    let played = json(folder.path(), &format!("{line} --out out"));
    let found = json(folder.path(), "compare --from out");
    for key in ["controllers", "pairs", "measure", "board", "queue"] {
        assert_eq!(found[key], played[key], "{key}");
    }
    let pieces = json(folder.path(), "compare --from out --measure pieces");
    assert_ne!(pieces["controllers"], found["controllers"]);
    let file = "controller = 'bcts'\nboards = ['6x8', '6x10']\ngames = 20\nplacements = 'none'\n";
    fs::write(folder.path().join("my.toml"), file).unwrap();
    assert!(tetrastat(folder.path(), &["study", "my.toml", "--out", "study"]).status.success());
    let found = json(folder.path(), "compare --from study");
    assert_eq!(found["controllers"][0]["controller"], "bcts-6x10-uniform-greedy-s1");
    for (line, words) in [
        ("compare --from nowhere", &["nowhere", "a study"][..]),
        ("compare --from out --games 9", &["leave out --games"]),
        ("compare", &["NAME|FILE"]),
    ] {
        let output = tetrastat(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn mistakes_of_players_take_one_line() {
    for (line, words) in [
        ("compare bcts bcts:serch=next", &["bcts:serch=next", "'serch'", "search"][..]),
        ("compare bcts bcts:search=", &["search has no value"]),
        ("compare bcts bcts:seed=2", &["seed is the same for all", "--seed"]),
        ("compare bcts bcts:clear_on_overflow=no", &["clear_on_overflow takes no value"]),
        ("compare bcts bcts:search=sideways", &["bcts:search=sideways", "sideways", "expect"]),
        ("compare bcts tetrastat-sprint:rules=guideline", &["one --rules at a time"]),
        ("compare bcts bcts", &["are the same"]),
        ("compare bcts dt20 --mode sprint", &["--mode", "guideline games"]),
        ("compare bcts dt20 --most-games 9", &["--most-games", "--until-verdict"]),
        ("compare bcts dt20 --until-verdict --queue sz", &["queue sz", "--games 1"]),
        (
            "compare tetrastat-sprint capstone-sprint --rules guideline --measure lins",
            &["'lins'", "did you mean 'lines'?"],
        ),
    ] {
        refused(&line.split(' ').collect::<Vec<_>>(), words);
    }
}
