//! `tetrastat compare --plan`: the planned numbers of games are those of the documented formulas.

use crate::common::{done, folder, json, rows};

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Two Sprints on common seeds are planned by the differences of their games.
#[test]
fn sprints_are_planned_by_what_common_seeds_say() {
    let folder = folder();
    let [one, two] =
        [("tetrastat-sprint", "a"), ("tetrastat-blitz-greedy", "b")].map(|(of, out)| {
            let sprint =
                "simulate --rules guideline --sprint-lines 8 --games 40 --seed 3 --placements none";
            done(folder.path(), &format!("{sprint} --controller {of} --out {out}"));
            let games = rows(&folder.path().join(out).join("games.csv"));
            games.iter().map(|game| game["pieces"].parse().unwrap()).collect::<Vec<f64>>()
        });
    let differences: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one - two).collect();
    let (mean, sd) = moments(&differences);
    let pair = &json(folder.path(), "compare --plan --from a b")["pairs"][0];
    assert!((pair["effect"].as_f64().unwrap() - mean).abs() < 1e-9, "{pair}");
    let (z, power) = (1.959_963_985_f64, 0.841_621_234);
    let games = |effect: f64| (((z + power) * sd / effect).powi(2) + z * z / 2.0).ceil() as u64;
    assert_eq!(pair["games"], games(mean).max(10));
    let asked = json(folder.path(), "compare --plan --from a b --difference 2%");
    assert_eq!(asked["games"], games(0.02 * moments(&two).0).max(10));
}

/// Games that were cut off are planned by log-rank.
#[test]
fn a_comparison_is_a_pilot() {
    let folder = folder();
    done(folder.path(), "compare bcts dt20 --board 6x8 --games 60 --max-pieces 400 --out kept");
    let found = json(folder.path(), "compare --plan --from kept --power 90%");
    let [one, two] = [0, 1].map(|place| {
        let condition = &found["conditions"][place];
        let of = |name: &str| condition[name].as_f64().unwrap();
        ((of("n") - of("censored")) / of("n"), of("mean"))
    });
    assert!(one.0 < 1.0, "{found}");
    let log = (one.1 / two.1).ln();
    let games = ((1.959_964_f64 + 1.281_552).powi(2) * (1.0 / one.0 + 1.0 / two.0)) / (log * log);
    let planned = found["pairs"][0]["games"].as_f64().unwrap();
    assert!((planned / games - 1.0).abs() < 0.01, "{found}");
}
