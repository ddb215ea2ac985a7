//! The second game through the real binary: runs against the rules, declarations against the
//! source, known hit rates and counts. The rest stands in liap-declarations.md and liap-runs.md in
//! tests/messages/.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{command, done, folder, interrupt, json, rows, text, unsealed_manifest};
use tetrastat::liap::{Cards, Context, Declarer};

const RUN: &str =
    "simulate --rules liap --controller v1,v2,v2-late,v2-literal-singles --seed 7 --out run";

/// Declarations, rounds and matches are held against each other and against the rules.
#[test]
fn the_tables_agree() {
    let folder = folder();
    done(folder.path(), &format!("{RUN} --rounds 1500 --players bot,basic,random,bot"));
    let run = folder.path().join("run");
    let table = |name: &str| rows(&run.join(name));
    let (declarations, rounds, matches) =
        (table("declarations.csv"), table("rounds.csv"), table("matches.csv"));
    assert_eq!((declarations.len(), rounds.len()), (6000, 1500));
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<i64>().unwrap();
    let mut scores: BTreeMap<i64, [i64; 4]> = BTreeMap::new();
    for (round, own) in rounds.iter().zip(declarations.chunks(4)) {
        let sum = |name: &str| own.iter().map(|row| number(row, name)).sum::<i64>();
        assert_eq!(sum("captured"), 8);
        assert_eq!(sum("declared"), number(round, "declared"));
        assert_ne!(sum("declared"), 8);
        let hits = own.iter().filter(|row| row["hit"] == "TRUE").count() as i64;
        assert!(hits <= 3 && hits == number(round, "hits"));
        assert_eq!(own[0]["seat"], round["starter"]);
        let hands = own.iter().map(|row| u32::from_str_radix(&row["hand_mask"][2..], 16).unwrap());
        assert_eq!(hands.fold(0, |all, hand| all ^ hand), u32::MAX);
        for (position, row) in own.iter().enumerate() {
            assert_eq!((&row["match"], &row["round"]), (&round["match"], &round["round"]));
            assert_eq!(number(row, "position"), position as i64);
            assert_eq!(number(row, "error"), number(row, "captured") - number(row, "declared"));
            let points = number(row, "base_points") * number(round, "multiplier");
            assert_eq!(number(row, "points"), points);
            let moved = row["raw"] != row["declared"];
            assert_eq!(moved, row["moved"] != "no");
            let seat = number(row, "seat") as usize;
            scores.entry(number(round, "match")).or_default()[seat] += points;
        }
    }
    for (index, row) in matches.iter().enumerate() {
        let own = scores[&(index as i64)];
        assert_eq!(own, [0, 1, 2, 3].map(|seat| number(row, &format!("score_{seat}"))));
        let cut = index + 1 == matches.len();
        assert_eq!(row["end"] == "cut", cut, "only the last match is cut");
        assert_eq!(row["winners"] == "NA", cut);
    }
    assert_eq!(matches.iter().map(|row| number(row, "rounds")).sum::<i64>(), 1500);
}

/// The values of the table are those that `liap declare` gives for the same hand and context.
#[test]
fn a_declaration_of_a_run_can_be_asked_for_again() {
    let folder = folder();
    done(folder.path(), &format!("{RUN} --rounds 40"));
    let declarations = rows(&folder.path().join("run/declarations.csv"));
    for row in declarations.iter().step_by(7) {
        let mut line = format!("liap declare {} --declarer {}", row["hand"], row["declarer"]);
        if row["previous"] != "NA" {
            line += &format!(" --previous {}", row["previous"].replace(';', ","));
        }
        if row["forbidden"].split(';').any(|value| value == "0") && row["sum_before"] != "8" {
            line += " --nonzero";
        }
        let value = json(folder.path(), &line);
        let shown = ["raw", "declared"].map(|name| value[name].to_string());
        assert_eq!(shown, ["raw", "declared"].map(|name| row[name].clone()), "{line}");
        let plan = value["plan"].as_str().unwrap();
        assert_eq!(if plan.is_empty() { "NA" } else { plan }, row["plan"]);
    }
}

/// 4,000 rounds of four bots: hit rates lie within 4 standard errors (0.0079 each) of those of
/// 263,000 rounds, 0.381, 0.459, 0.449 and 0.406, and the intervals are about as wide as that says.
#[test]
fn hit_rates_are_as_known() {
    let folder = folder();
    let run = json(folder.path(), "simulate --rules liap --rounds 4000 --out run");
    let positions = run["run"]["summary"]["kinds"][0]["positions"].as_array().unwrap();
    for (row, known) in positions.iter().zip([0.381, 0.459, 0.449, 0.406]) {
        let rate = row["hit_rate"]["mean"].as_f64().unwrap();
        assert!((rate - known).abs() < 4.0 * 0.0079, "{row}");
        let end = |name: &str| row["hit_rate"][name].as_f64().unwrap();
        assert!((end("low")..=end("high")).contains(&rate) && end("high") - end("low") < 0.032);
    }
    assert_eq!(run["run"]["summary"]["tally"]["rounds"], 4000);
}

#[test]
fn distributions_count_every_hand() {
    let folder = folder();
    let found = json(folder.path(), "liap distribution --declarers v2,v2-late --previous 2");
    let late = found["declarers"][1]["hands"].as_array().unwrap();
    assert_eq!(late[4], 1_762_048);
    assert_eq!(late.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 10_518_300);
    let text = done(folder.path(), "liap distribution --declarers v2-literal-singles --guard");
    assert!(text.contains("1,034,570"), "439,399 and 595,171 above 8: {text}");
}

/// Every declarer gives what the source's own code gives where values are forbidden; the rows say
/// how they were made.
#[test]
fn forbidden_values_are_avoided_as_in_the_source() {
    let golden = include_str!("../golden/liap_forbidden.csv");
    let mut rows = golden.lines().filter(|line| !line.starts_with('#'));
    let declarers: Vec<Declarer> =
        rows.next().unwrap().split(',').skip(4).map(|name| name.parse().unwrap()).collect();
    assert_eq!(declarers.len(), Declarer::ALL.len());
    let (mut compared, mut wrong) = (0, String::new());
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let cards: Cards = cells[0].parse().unwrap();
        let previous: Vec<u8> = cells[2].split_whitespace().map(|v| v.parse().unwrap()).collect();
        let context = Context::new(&previous, cells[3] == "TRUE").unwrap();
        assert_eq!(context.position().to_string(), cells[1]);
        for (declarer, expected) in declarers.iter().zip(&cells[4..]) {
            let got = declarer.decide(&cards, &context).value.to_string();
            if got != **expected {
                wrong += &format!("\n{declarer} {row}: {got}");
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared >= 7 * 200, "{compared}");
}

/// After Ctrl-C the deals played are shown, and a message says that they are not all.
#[test]
fn a_comparison_that_is_interrupted_shows_what_was_played() {
    let folder = folder();
    for format in ["text", "json"] {
        let line = format!("liap compare v1 v2 --rounds 1000000000 --format {format}");
        let mut command = command(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(1));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.lines().last().unwrap().starts_with("interrupted: "), "{said}");
        assert!(said.contains("of 1,000,000,000 deals were played"), "{said}");
        if format == "json" {
            let found: serde_json::Value = serde_json::from_str(shown).unwrap();
            assert!((1..1_000_000_000).contains(&found["rounds"].as_u64().unwrap()));
            assert_eq!(found["complete"], false);
        } else {
            assert!(shown.starts_with("v2 against v1 on the same "), "{shown}");
            assert!(shown.contains("hit") && !shown.contains("NaN"), "{shown}");
        }
    }
}

/// `out` and `run` with its `summary` are where every `simulate` has them.
#[test]
fn the_summary_for_programs_is_built_like_that_of_other_games() {
    let folder = folder();
    let found = json(folder.path(), "simulate --rules liap --rounds 300 --out run");
    let rounds = &found["run"]["summary"]["tally"]["rounds"];
    assert_eq!((&found["out"], rounds), (&"run".into(), &300.into()));
    assert_eq!(found["run"], unsealed_manifest(&folder.path().join("run")));
}
