//! LIAP as runs like those of any other game: measured, compared, logged by selection. The rest
//! stands in tests/messages/liap-runs.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::common::{done, folder, json, manifest, number, rows};

type Row = BTreeMap<String, String>;

/// The columns that matches have had from the beginning, and then what they are measured by.
#[test]
fn matches_hold_what_they_are_measured_by() {
    let folder = folder();
    done(
        folder.path(),
        "simulate --rules liap --rounds 400 --controller v1,v2,v2-late,v1-rich --out run",
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

/// Declarers are ranked by the code that ranks controllers, whose means are those of the tables.
#[test]
fn declarers_are_compared_by_their_matches() {
    let folder = folder();
    let line = "compare v1 v2-late v1,v2,v2,v1 --rules liap --games 100 --out out";
    let found = json(folder.path(), line);
    assert_eq!((&found["measure"], &found["target"]), (&"hit_rate".into(), &50.into()));
    let ranked = found["controllers"].as_array().unwrap();
    // 0.47 and 0.36 of the declarations are hit in 1,000,000 rounds each; those of 100 matches have a standard error
    // below 0.01.
    assert_eq!((ranked.len(), &ranked[0]["controller"]), (3, &"v2-late".into()), "{found}");
    let late = rows(&folder.path().join("out/002-v2-late-bot-to-50-s1/matches.csv"));
    let mean = late.iter().map(|row| number(row, "hit_rate")).sum::<f64>() / 100.0;
    assert!((ranked[0]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((mean - 0.47).abs() < 0.05, "{mean}");
}

/// Declarations are numbered in their match, from 1; kept are those that every option keeps, and
/// their rounds.
#[test]
fn declarations_are_logged_by_selection() {
    let folder = folder();
    let run = |out: &str, more: &str| {
        done(
            folder.path(),
            &format!("simulate --rules liap --games 80 --seed 4 --out {out}{more}"),
        );
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
    done(folder.path(), "data convert sample packed --format parquet");
    done(folder.path(), "data verify packed");
}
