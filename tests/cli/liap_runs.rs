//! LIAP as runs like those of any other game: compared, studied, sharded, merged, logged by selection, timed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, manifest, rows, tetrastat, text};

/// What a command prints, a line of it split at spaces.
fn printed(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(folder, &format!("{line} --format json"))).unwrap()
}

type Row = BTreeMap<String, String>;

fn number(row: &Row, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name} is {}", row[name]))
}

/// The columns that matches have had from the beginning, and then what they are measured by.
#[test]
fn matches_hold_what_they_are_measured_by() {
    let folder = folder();
    printed(
        folder.path(),
        "liap simulate --rounds 400 --declarers v1,v2,v2-late,v1-rich --out run",
    );
    let table = |name: &str| rows(&folder.path().join("run").join(name));
    let header = fs::read_to_string(folder.path().join("run/matches.csv")).unwrap();
    let first = "match,deals_seed,rounds,end,winners,score_0,score_1,score_2,score_3,";
    assert!(header.starts_with(&format!("{first}hits,points,hit_rate,mean_points\n")), "{header}");
    let declarations = table("declarations.csv");
    for row in table("matches.csv") {
        let own = declarations.iter().filter(|one| one["match"] == row["match"]);
        let own: Vec<&Row> = own.collect();
        let hits = own.iter().filter(|one| one["hit"] == "TRUE").count() as f64;
        let points = own.iter().map(|one| number(one, "points")).sum::<f64>();
        assert_eq!((number(&row, "hits"), number(&row, "points")), (hits, points));
        assert_eq!(own.len() as f64, 4.0 * number(&row, "rounds"));
        let n = own.len() as f64;
        let close = |name: &str, value: f64| (number(&row, name) - value).abs() < 1e-9;
        assert!(close("hit_rate", hits / n) && close("mean_points", points / n), "{row:?}");
    }
}

/// Declarers are ranked by the code that ranks controllers, whose means are those of the tables; more matches go on
/// where fewer ended.
#[test]
fn declarers_are_compared_by_their_matches() {
    let folder = folder();
    let line = "compare v1 v2-late v1,v2,v2,v1 --rules liap --games 100";
    let found = json(folder.path(), &format!("{line} --out out"));
    assert_eq!((&found["measure"], &found["target"]), (&"hit_rate".into(), &50.into()));
    let ranked = found["controllers"].as_array().unwrap();
    let order: Vec<&str> = ranked.iter().map(|one| one["controller"].as_str().unwrap()).collect();
    // 0.47 and 0.36 of the declarations are hit in 1,000,000 rounds each; those of 100 matches have a standard error
    // below 0.01.
    assert_eq!((order.len(), order[0]), (3, "v2-late"), "{order:?}");
    let late = rows(&folder.path().join("out/002-v2-late-bot-to-50-s1/matches.csv"));
    let mean = late.iter().map(|row| number(row, "hit_rate")).sum::<f64>() / 100.0;
    assert!((ranked[0]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((mean - 0.47).abs() < 0.05, "{mean}");
    let alone =
        "simulate --rules liap --controller v2-late --games 100 --placements none --out alone";
    printed(folder.path(), alone);
    let read = |path: &str| fs::read(folder.path().join(path)).unwrap();
    let kept = "out/002-v2-late-bot-to-50-s1/matches.csv";
    assert!(read(kept) == read("alone/matches.csv"));

    let more = line.replace("100", "150");
    let found = json(folder.path(), &format!("{more} --out out --measure points"));
    assert_eq!(found["controllers"][0]["games"], 150);
    printed(folder.path(), &alone.replace("100", "150").replace("alone", "longer"));
    assert!(read(kept) == read("longer/matches.csv"), "matches go on to the same bytes");
    let counted = |run: &str| manifest(&folder.path().join(run))["rounds"].clone();
    assert_eq!(counted("out/002-v2-late-bot-to-50-s1"), counted("longer"));

    let again = json(folder.path(), "compare --from out --measure mean_points");
    assert_eq!(
        (&again["measure"], &again["controllers"][0]["games"]),
        (&"mean_points".into(), &150.into())
    );
    assert_eq!(rows(&folder.path().join("out/matches.csv")).len(), 450);
    assert!(tetrastat(folder.path(), &["verify", "out"]).status.success());
    let package = fs::read_to_string(folder.path().join("out/datapackage.json")).unwrap();
    let package: Value = serde_json::from_str(&package).unwrap();
    assert_eq!(package["title"], "Study of LIAP matches: 3 conditions");
    let schema = &package["resources"][1]["schema"];
    assert_eq!(schema["primaryKey"], serde_json::json!(["condition", "match"]));
    let shown = printed(folder.path(), "compare --from out");
    assert!(shown.starts_with("hit_rate per game · LIAP matches"), "{shown}");
    assert!(shown.contains("0.47") || shown.contains("0.46") || shown.contains("0.48"), "{shown}");
}

#[test]
fn a_verdict_is_given_on_declarers() {
    let folder = folder();
    let found = json(folder.path(), "compare v1 v2-late --rules liap --until-verdict");
    assert_eq!(
        (&found["stopped"], &found["verdicts"][0]["verdict"]),
        (&"verdict".into(), &"smaller".into())
    );
}

/// Lists of who sits where, a mean that is a share, and its interval stand in the table of conditions.
#[test]
fn a_study_varies_declarers_and_players() {
    let folder = folder();
    let file = "rules = 'liap'\ngames = 30\nplacements = 'none'\nmax_rounds = 10\ncontrollers = ['v1', 'v2,v1,v1,v1']\nplayers = ['bot', 'basic']\n";
    fs::write(folder.path().join("my.toml"), file).unwrap();
    let shown = printed(folder.path(), "study my.toml --out out");
    assert!(shown.contains("mean hit_rate") && shown.contains("bootstrap-t"), "{shown}");
    let conditions = rows(&folder.path().join("out/conditions.csv"));
    assert_eq!(conditions.len(), 4);
    let third = &conditions[2];
    assert_eq!((&*third["declarers"], &*third["players"]), ("v2;v1;v1;v1", "bot;bot;bot;bot"));
    assert_eq!((&*third["game"], &*third["matches"], &*third["max_rounds"]), ("liap", "30", "10"));
    let (low, mean) = (number(third, "bootstrap_low"), number(third, "mean"));
    assert!(low > 0.2 && low < mean && mean < number(third, "bootstrap_high"));
    assert!(number(third, "min") < mean && mean < number(third, "max"));
    assert_eq!(third["mean_low"], "NA");
    assert_eq!(printed(folder.path(), "study my.toml --out out"), shown, "nothing is played again");
    for (more, words) in [
        ("board = '6x8'", &["board", "classic games", "LIAP"][..]),
        ("controller = 'bcts'", &["exclude"]),
        ("search = 'next'", &["LIAP has no searches"]),
    ] {
        fs::write(folder.path().join("bad.toml"), format!("{file}{more}\n")).unwrap();
        let output = tetrastat(folder.path(), &["study", "bad.toml", "--dry-run"]);
        let message = text(&output.stderr);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

/// Shards of matches become the bytes of one run, whatever they split; a missing one is named with its command.
#[test]
fn shards_of_matches_are_merged() {
    let folder = folder();
    let run =
        "liap simulate --matches 200 --declarers v1,v2,v2,v2-late --seed 9 --log csv.gz --every 3";
    printed(folder.path(), &format!("{run} --out whole"));
    for part in 1..=3 {
        printed(folder.path(), &format!("{run} --shard {part}/3 --out part-{part}"));
    }
    let output = tetrastat(folder.path(), &["merge", "part-3", "part-1", "--out", "joined"]);
    let command = format!("tetrastat {run} --shard 2/3 --out PART-2");
    assert!(text(&output.stderr).contains(&command), "{}", text(&output.stderr));
    let said = printed(folder.path(), "merge part-3 part-1 part-2 --out joined");
    assert!(said.starts_with("3 shards, 200 matches, "), "{said}");
    for table in ["matches.csv", "rounds.csv.gz", "declarations.csv.gz"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(table)).unwrap();
        assert!(read("joined") == read("whole"), "{table}");
    }
    let of = |run: &str| manifest(&folder.path().join(run));
    for key in ["config", "matches", "rounds", "files"] {
        assert_eq!(of("joined")[key], of("whole")[key], "{key}");
    }
    printed(folder.path(), "verify joined");
}

/// Declarations are numbered in their match, from 1; kept are those that every option keeps, and their rounds.
#[test]
fn declarations_are_logged_by_selection() {
    let folder = folder();
    let run = |out: &str, more: &str| {
        printed(folder.path(), &format!("liap simulate --matches 80 --seed 4 --out {out}{more}"));
        ["declarations.csv", "rounds.csv", "matches.csv"]
            .map(|table| rows(&folder.path().join(out).join(table)))
    };
    let keys = |rows: &[Row]| -> BTreeSet<(u64, u64, u64)> {
        let place = |row: &Row| row.get("position").map_or(0.0, |_| number(row, "position"));
        let key = |row: &Row| (number(row, "match"), number(row, "round"), place(row));
        rows.iter().map(key).map(|(a, b, c)| (a as u64, b as u64, c as u64)).collect()
    };
    let [all, _, matches] = run("all", "");
    let number_of = |&(_, round, position): &(u64, u64, u64)| 4 * (round - 1) + position + 1;
    let kept = |keeps: &dyn Fn(&(u64, u64, u64)) -> bool| -> BTreeSet<(u64, u64, u64)> {
        keys(&all).into_iter().filter(|key| keeps(key)).collect()
    };
    let [some, rounds, same] = run("some", " --every 3 --from 5 --to 20");
    let expected = kept(&|key| {
        let number = number_of(key);
        number % 3 == 0 && (5..=20).contains(&number)
    });
    assert_eq!(keys(&some), expected);
    let of: BTreeSet<_> = expected.iter().map(|&(index, round, _)| (index, round, 0)).collect();
    assert_eq!((keys(&rounds), same), (of, matches.clone()));

    let [last, _, _] = run("last", " --only-last 5");
    let length = |index: u64| 4 * number(&matches[index as usize], "rounds") as u64;
    assert_eq!(keys(&last), kept(&|key| number_of(key) + 5 > length(key.0)));

    let [sample, _, same] = run("sample", " --sample-games 0.3 --columns minimal,points");
    let games: BTreeSet<u64> = keys(&sample).iter().map(|key| key.0).collect();
    assert_eq!(keys(&sample), kept(&|key| games.contains(&key.0)));
    assert!((8..45).contains(&games.len()) && same == matches, "{games:?}");
    let columns = "match round position seat declarer hand_mask declared captured points";
    let config = manifest(&folder.path().join("sample"))["config"].clone();
    assert_eq!(config["columns"], serde_json::json!(columns.split(' ').collect::<Vec<_>>()));
    assert_eq!(config["logged"]["sample_games"], 0.3);
    printed(folder.path(), "convert sample packed --format parquet");
    printed(folder.path(), "verify packed");
}

/// The benchmark times rounds, and says by one number how the game is played.
#[test]
fn rounds_are_timed() {
    let folder = folder();
    let line = "bench --sections liap --sample-ms 1 --repeats 1";
    let found = json(folder.path(), line);
    // How LIAP is played: a commit that changes it says so.
    assert_eq!(found["liap_checksum"], "c32bd3fc8986d167");
    let rows = found["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["case"]), (7, &"v1".into()));
    assert!(rows.iter().all(|row| row["rounds_per_s"].as_f64().unwrap() > 0.0));
    let shown = printed(folder.path(), line);
    assert!(shown.contains("rounds/s") && shown.contains("v2-late"), "{shown}");
}
