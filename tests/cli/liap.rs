//! The second game through the real binary: declarations, runs, comparisons, exact distributions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{
    command, entries, folder, manifest, refused, rows, tetrastat, text, unsealed_manifest,
};
use tetrastat::liap::{Cards, Context, Declarer};

fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(folder, &[args, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn a_hand_is_declared_and_explained() {
    let folder = folder();
    let declare = ["liap", "declare", "ASSrhcss"];
    assert_eq!(stdout(folder.path(), &declare), "1\n");
    let upstream = [&declare[..], &["--declarer", "v2-upstream"]].concat();
    assert_eq!(stdout(folder.path(), &upstream), "4\n");
    let third = ["--position", "2", "--previous", "5,4", "--explain"];
    let explained = stdout(folder.path(), &[&declare[..], &third].concat());
    for line in
        ["role        not the starter, position 2", "previous    5 4 (sum 9)", "declared    0"]
    {
        assert!(explained.contains(line), "{explained}");
    }
    let last = ["--previous", "2,3,3", "--nonzero", "--declarer", "v2-upstream"];
    let value = json(folder.path(), &[&declare[..], &last].concat());
    assert_eq!((&value["raw"], &value["declared"]), (&0.into(), &1.into()), "the guard moved it");
}

#[test]
fn bad_hands_and_contexts_are_refused() {
    let declare = |hand: &'static str, more: &[&'static str], remedy: &[&str]| {
        refused(&[&["liap", "declare", hand][..], more].concat(), remedy);
    };
    declare("ASSrhcsss", &[], &["9 pieces are too many", "1 to 8"]);
    declare("AAASrhcs", &[], &["2 red advisors", "not more"]);
    declare("AXSrhcss", &[], &["'X' is no piece", "G A E R H C S"]);
    declare("", &[], &["no pieces"]);
    declare("A", &["--position", "2"], &["position 2", "--previous has 0"]);
    declare("A", &["--previous", "1,9"], &["9", "0 to 8"]);
    declare("A", &["--previous", "1,1,1,1"], &["at most three"]);
    declare("A", &["--declarer", "v3"], &["'v3'", "v2-late"]);
}

const RUN: [&str; 6] =
    ["liap", "simulate", "--declarers", "v1,v2,v2-late,v2-literal-singles", "--seed", "7"];

/// A run of so many rounds.
fn run_of(rounds: &str, folder: &Path, out: &str, more: &[&str]) {
    stdout(folder, &[&RUN[..], &["--rounds", rounds, "--out", out], more].concat());
}

fn run(folder: &Path, out: &str, more: &[&str]) {
    run_of("1500", folder, out, more);
}

/// Declarations, rounds and matches are held against each other and against the rules.
#[test]
fn the_tables_agree() {
    let folder = folder();
    run(folder.path(), "run", &["--players", "bot,basic,random,bot"]);
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
    run_of("40", folder.path(), "run", &[]);
    let declarations = rows(&folder.path().join("run/declarations.csv"));
    for row in declarations.iter().step_by(7) {
        let previous = row["previous"].replace(';', ",");
        let mut args = vec!["liap", "declare", &row["hand"], "--declarer", &row["declarer"]];
        if previous != "NA" {
            args.extend(["--previous", &previous]);
        }
        if row["forbidden"].split(';').any(|value| value == "0") && row["sum_before"] != "8" {
            args.push("--nonzero");
        }
        let value = json(folder.path(), &args);
        let shown = |name: &str| value[name].to_string();
        assert_eq!(
            (shown("raw"), shown("declared")),
            (row["raw"].clone(), row["declared"].clone())
        );
        let plan = value["plan"].as_str().unwrap();
        assert_eq!(if plan.is_empty() { "NA" } else { plan }, row["plan"]);
    }
}

#[test]
fn threads_and_formats_hold_the_same_rows() {
    let folder = folder();
    run(folder.path(), "one", &["--threads", "1"]);
    run(folder.path(), "three", &["--threads", "3"]);
    let read = |run: &str, name: &str| fs::read(folder.path().join(run).join(name)).unwrap();
    for name in ["declarations.csv", "rounds.csv", "matches.csv"] {
        assert!(read("one", name) == read("three", name), "{name}");
    }
    for format in ["csv.gz", "csv.zst", "parquet"] {
        run(folder.path(), format, &["--log", format]);
        for table in ["declarations", "rounds"] {
            let convert = ["convert", &format!("{format}/{table}.{format}"), "-"];
            assert!(
                stdout(folder.path(), &convert).as_bytes() == read("one", &format!("{table}.csv"))
            );
        }
        stdout(folder.path(), &["verify", format]);
    }
    run(folder.path(), "none", &["--log", "none"]);
    assert!(read("none", "matches.csv") == read("one", "matches.csv"));
    assert_eq!(entries(&folder.path().join("none")).len(), 3, "matches and two descriptions");
    let args = ["--rounds", "1500", "--declarers", "v1,v2,v2-late,v2-literal-singles"];
    let other = [&["liap", "simulate", "--seed", "8", "--out", "other"][..], &args].concat();
    stdout(folder.path(), &other);
    assert!(
        read("other", "matches.csv") != read("one", "matches.csv"),
        "another seed, other deals"
    );
}

#[test]
fn a_run_describes_itself() {
    let folder = folder();
    run(folder.path(), "run", &[]);
    let run = folder.path().join("run");
    let (described, config) = (manifest(&run), manifest(&run)["config"].clone());
    assert_eq!((&described["status"], &described["rounds"]), (&"complete".into(), &1500.into()));
    assert_eq!(config["declarers"][3], "v2-literal-singles");
    assert_eq!(described["files"][0]["rows"], 6000);
    let package = fs::read_to_string(run.join("datapackage.json")).unwrap();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap();
    let keys = &package["resources"][0]["schema"];
    assert_eq!(keys["primaryKey"], serde_json::json!(["match", "round", "position"]));
    assert_eq!(keys["foreignKeys"][0]["reference"]["resource"], "rounds");
    let convert = tetrastat(folder.path(), &["convert", "run", "new", "--format", "parquet"]);
    assert!(convert.status.success(), "{}", text(&convert.stderr));
    let config = &manifest(&folder.path().join("new"))["config"];
    assert_eq!((&config["log"], &config["game"]), (&"parquet".into(), &"liap".into()));
    fs::write(run.join("rounds.csv"), "match\n").unwrap();
    assert_eq!(tetrastat(folder.path(), &["verify", "run"]).status.code(), Some(2));
    let again = tetrastat(folder.path(), &[&RUN[..], &["--out", "run"]].concat());
    assert!(text(&again.stderr).contains("--force"));
}

/// 4,000 rounds of four bots: hit rates lie within 4 standard errors (0.0079 each) of those of
/// 263,000 rounds, 0.381, 0.459, 0.449 and 0.406, and the intervals are about as wide as that says.
#[test]
fn hit_rates_are_as_known() {
    let folder = folder();
    let run = json(folder.path(), &["liap", "simulate", "--rounds", "4000", "--out", "run"]);
    let positions = run["kinds"][0]["positions"].as_array().unwrap();
    for (row, known) in positions.iter().zip([0.381, 0.459, 0.449, 0.406]) {
        let rate = row["hit_rate"].as_f64().unwrap();
        assert!((rate - known).abs() < 4.0 * 0.0079, "{row}");
        let end = |name: &str| row["hit_rate_interval"][name].as_f64().unwrap();
        assert!((end("low")..=end("high")).contains(&rate) && end("high") - end("low") < 0.032);
    }
    assert_eq!(run["tally"]["rounds"], 4000);
}

#[test]
fn declarers_are_compared_on_the_same_deals() {
    let folder = folder();
    let args = ["liap", "compare", "v1", "v2", "--rounds", "4000", "--threads"];
    let one = json(folder.path(), &[&args[..], &["1"]].concat());
    assert_eq!(one, json(folder.path(), &[&args[..], &["2"]].concat()));
    let points = &one["positions"][1]["base_points"];
    assert!(points["difference"].as_f64().unwrap() > 0.5, "{points}");
    assert!(points["interval"]["low"].as_f64().unwrap() > 0.0);
    let text = stdout(folder.path(), &[&args[..], &["2", "--switch", "one"]].concat());
    assert!(text.contains("one position at a time") && text.contains("McNemar"), "{text}");
    assert!(text.contains("McNemar p <0.001") && !text.contains("e0"), "no p-value is 0: {text}");
}

#[test]
fn distributions_count_every_hand() {
    let folder = folder();
    let args = ["liap", "distribution", "--declarers", "v2,v2-late", "--previous", "2"];
    let found = json(folder.path(), &args);
    let late = &found["declarers"][1]["hands"];
    assert_eq!(late[4], 1_762_048);
    assert_eq!(
        late.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>(),
        10_518_300
    );
    let guarded = ["liap", "distribution", "--declarers", "v2-literal-singles", "--guard"];
    let text = stdout(folder.path(), &guarded);
    assert!(text.contains("1,034,570"), "439,399 and 595,171 above 8: {text}");
}

/// Every declarer gives what the source's own code gives where values are forbidden; the rows say how they were made.
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

/// The source's last form takes two advisors of one kind for two openers, whatever the order of the hand.
#[test]
fn two_openers_of_one_kind_are_two() {
    let folder = folder();
    for hand in ["ssRAAHcR", "AAssRHcR", "RcHAsRAs", "AsRHcRsA"] {
        let args =
            ["liap", "declare", hand, "--previous", "2,2,1", "--declarer", "v2-late", "--explain"];
        assert_eq!(stdout(folder.path(), &args[..args.len() - 1]), "2\n", "{hand}");
        let explained = stdout(folder.path(), &args);
        assert!(explained.contains("declared    2"), "{explained}");
    }
}

/// What was played is shown, and that it is not all.
#[test]
fn a_comparison_that_is_interrupted_shows_what_was_played() {
    let folder = folder();
    for format in ["text", "json"] {
        let args = ["liap", "compare", "v1", "v2", "--rounds", "1000000000", "--format", format];
        let child = command(folder.path(), &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.lines().last().unwrap().starts_with("interrupted: "), "{said}");
        assert!(said.contains("of 1,000,000,000 deals were played"), "{said}");
        if format == "json" {
            let found: serde_json::Value = serde_json::from_str(shown).unwrap();
            let rounds = found["rounds"].as_u64().unwrap();
            assert!(rounds > 0 && rounds < 1_000_000_000);
            assert_eq!(found["complete"], false);
        } else {
            assert!(shown.starts_with("v2 against v1 on the same "), "{shown}");
            assert!(shown.contains("hit") && !shown.contains("NaN"), "{shown}");
        }
    }
}

/// `out`, `summary` and `run` are where every `simulate` has them.
#[test]
fn the_summary_for_programs_is_built_like_that_of_other_games() {
    let folder = folder();
    let found = json(folder.path(), &["liap", "simulate", "--rounds", "300", "--out", "run"]);
    assert_eq!((&found["out"], &found["summary"]["rounds"]), (&"run".into(), &300.into()));
    assert_eq!(found["run"], unsealed_manifest(&folder.path().join("run")));
    assert_eq!(found["summary"]["kinds"], found["kinds"]);
    assert_eq!(found["summary"]["matches"], found["tally"]["matches"]);
}
