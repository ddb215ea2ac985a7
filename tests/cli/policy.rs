//! Tests of players that do not always play the best placement (`--policy`): their records, logs,
//! interruptions, and messages.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{command, folder, manifest, refused, rows, tetrastat, text};

fn words<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    parts.iter().flat_map(|part| part.split_whitespace()).collect()
}

/// Runs a command that succeeds and returns what it prints.
fn run(folder: &Path, parts: &[&str]) -> String {
    let output = tetrastat(folder, &words(parts));
    assert!(output.status.success(), "{parts:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

type Row = BTreeMap<String, String>;

/// The candidates of each placement, in the order of the placements.
fn candidates(run: &Path, placements: &[Row]) -> Vec<Vec<Row>> {
    let mut all = rows(&run.join("candidates.csv")).into_iter().peekable();
    let key = |row: &Row| (row["game"].clone(), row["piece_no"].clone());
    placements
        .iter()
        .map(|placement| {
            std::iter::from_fn(|| all.next_if(|row| key(row) == key(placement))).collect()
        })
        .collect()
}

fn score(row: &Row, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// Checks the log in `run`: one candidate is marked as played, the columns `best_...` name the best
/// candidate, and scores and ranks are those of the played one. `place` names the columns that
/// distinguish candidates. Returns the number of placements that are not the best, and of all.
fn check_log(run: &Path, place: &[&str]) -> (usize, usize) {
    let placements = rows(&run.join("placements.csv"));
    let all = candidates(run, &placements);
    let mut others = 0;
    for (placement, own) in placements.iter().zip(&all) {
        let chosen: Vec<&Row> = own.iter().filter(|row| row["chosen"] == "TRUE").collect();
        assert_eq!(chosen.len(), 1, "{placement:?}");
        let of = |row: &Row, prefix: &str| -> Vec<String> {
            place.iter().map(|name| row[&format!("{prefix}{name}")].clone()).collect()
        };
        assert_eq!(of(chosen[0], ""), of(placement, ""));
        assert_eq!(chosen[0]["score"], placement["score"]);
        // Of equal candidates, the first is the best one.
        let most = own.iter().filter_map(|row| score(row, "score")).max_by(f64::total_cmp);
        let best = own.iter().find(|row| score(row, "score") == most).unwrap();
        assert_eq!(of(best, ""), of(placement, "best_"));
        let rest = own.iter().filter(|row| row["chosen"] == "FALSE");
        let second = rest.filter_map(|row| score(row, "score")).max_by(f64::total_cmp);
        assert_eq!(score(placement, "rank2_score"), second);
        others += usize::from(of(placement, "") != of(placement, "best_"));
    }
    (others, placements.len())
}

#[test]
fn a_classic_log_names_the_best_placement() {
    let folder = folder();
    let best =
        "simulate --board 8x10 --games 5 --max-pieces 200 --seed 3 --sample 0 --placements csv";
    let log = "--candidates --columns all,best_orientation,best_column";
    run(folder.path(), &[best, log, "--out best"]);
    let pieces = |run: &str| -> BTreeMap<(String, String), String> {
        let rows = rows(&folder.path().join(run).join("placements.csv")).into_iter();
        rows.map(|row| ((row["game"].clone(), row["piece_no"].clone()), row["piece"].clone()))
            .collect()
    };
    let dealt = pieces("best");
    for (policy, name) in
        [("best", "same"), ("epsilon:0.3", "e"), ("softmax:5", "s"), ("misdrop:0.3", "m")]
    {
        run(folder.path(), &[best, log, "--policy", policy, "--out", name]);
        let at = folder.path().join(name);
        let (others, all) = check_log(&at, &["orientation", "column"]);
        assert_eq!(others > all / 50, policy != "best", "{policy}: {others} of {all}");
        for row in rows(&at.join("placements.csv")) {
            let Some(margin) = score(&row, "margin") else { continue };
            let difference = score(&row, "score").unwrap() - score(&row, "rank2_score").unwrap();
            assert!((margin - difference).abs() < 1e-6, "{row:?}");
            let is_best = (&row["orientation"], &row["column"])
                == (&row["best_orientation"], &row["best_column"]);
            assert!(if is_best { margin >= 0.0 } else { margin <= 0.0 }, "{row:?}");
        }
        let same = pieces(name).into_iter().filter(|(key, _)| dealt.contains_key(key));
        assert!(same.into_iter().all(|(key, piece)| dealt[&key] == piece), "{policy}");
    }
    for file in ["games.csv", "placements.csv", "candidates.csv"] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert_eq!(read("best"), read("same"));
    }
}

/// No word of `--columns` stands for the columns of the best placement, also beside other names.
#[test]
fn the_best_placement_is_logged_only_by_name() {
    let folder = folder();
    for (name, game) in
        [("c", "simulate --board 8x10"), ("g", "simulate --rules guideline --sprint-lines 2")]
    {
        for (number, columns) in ["all", "all,lines", "controller,lines"].into_iter().enumerate() {
            let out =
                format!("--games 1 --placements csv --columns {columns} --out {name}{number}");
            run(folder.path(), &[game, &out]);
            let file = folder.path().join(format!("{name}{number}/placements.csv"));
            let header = std::fs::read_to_string(file).unwrap();
            assert!(!header.lines().next().unwrap().contains("best_"), "{columns}: {header}");
        }
    }
}

#[test]
fn a_guideline_log_names_the_best_placement() {
    let folder = folder();
    let blitz = "simulate --rules guideline --mode blitz --pieces 60 --games 4 --seed 3 --placements csv --candidates";
    let log = "--columns all,best_piece,best_orientation,best_column,best_landing_row";
    let place = ["piece", "orientation", "column", "landing_row"];
    for (policy, name) in
        [("best", "b"), ("epsilon:0.3", "e"), ("softmax:20", "s"), ("misdrop:0.3", "m")]
    {
        run(folder.path(), &[blitz, log, "--policy", policy, "--out", name]);
        let (others, all) = check_log(&folder.path().join(name), &place);
        assert_eq!(others > all / 50, policy != "best", "{policy}: {others} of {all}");
        assert!(
            rows(&folder.path().join(name).join("placements.csv"))
                .iter()
                .all(|row| row["lost"] == "FALSE")
        );
    }
    // A beam has no score for a placement with which none of its lines begins.
    let beam = "--search beam --beam-width 4 --policy epsilon:0.3 --out beam";
    run(folder.path(), &[blitz, log, beam]);
    let beam = rows(&folder.path().join("beam/placements.csv"));
    let missing = beam.iter().filter(|row| score(row, "score").is_none()).count();
    assert!(missing > beam.len() / 50, "{missing}");
}

#[test]
fn records_hold_a_policy_other_than_best() {
    let folder = folder();
    for (name, game) in [
        ("classic", "simulate --board 10x10 --games 3 --max-pieces 100 --sample 0"),
        ("guideline", "simulate --rules guideline --games 3 --sprint-lines 4"),
    ] {
        let out = |more: &str| format!("{more} --out {name}{}", more.len());
        let best = run(folder.path(), &[game, &out("")]);
        let drawn = run(folder.path(), &[game, &out("--policy misdrop:0.250")]);
        let config = |more: &str| {
            manifest(&folder.path().join(format!("{name}{}", more.len())))["config"].clone()
        };
        assert!(config("").get("policy").is_none() && !best.contains("policy"), "{best}");
        assert_eq!(config("--policy misdrop:0.250")["policy"], "misdrop:0.25");
        assert!(drawn.contains("policy misdrop:0.25"), "{drawn}");
        run(folder.path(), &["verify", &format!("{name}22")]);
        let watched = run(folder.path(), &["watch --text --replay", &format!("{name}22")]);
        assert!(watched.contains(" · misdrop:0.25 · "), "{watched}");
        let package =
            std::fs::read_to_string(folder.path().join(format!("{name}22/datapackage.json")))
                .unwrap();
        assert!(package.contains("policy misdrop:0.25"));
    }
    // A live game is that of the run.
    let game = "watch --board 10x10 --text --from 20 --policy epsilon:0.5 --seed 2";
    let live = run(folder.path(), &[game]);
    run(
        folder.path(),
        &[
            "simulate --board 10x10 --games 1 --policy epsilon:0.5 --seed 2 --placements csv --out live",
        ],
    );
    let replayed = run(folder.path(), &["watch --text --from 20 --replay live"]);
    let without_title = |shown: &str| shown.split_once('\n').unwrap().1.to_owned();
    assert_eq!(without_title(&live), without_title(&replayed));
}

/// A run that is killed in the middle of its only game takes its policy from the checkpoint.
#[test]
fn a_long_game_is_resumed_with_its_draws() {
    for game in [
        "simulate --games 1 --max-pieces 60000 --seed 5 --sample 0 --placements none --policy misdrop:0.003",
        "simulate --rules guideline --mode endless --pieces 6000 --games 1 --placements none --policy epsilon:0.01",
    ] {
        let folder = folder();
        run(folder.path(), &[game, "--out whole"]);
        let args = words(&[game, "--checkpoint-ms 5 --out run"]);
        let mut child = command(folder.path(), &args).stdout(Stdio::null()).spawn().unwrap();
        // The first checkpoint may stand before the game begins; a second one holds some of it.
        let checkpoint = folder.path().join("run/checkpoint.json");
        let (mut first, mut now) = (None, None);
        while (first.is_none() || first == now) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
            now = std::fs::read(&checkpoint).ok();
            first = first.or_else(|| now.clone());
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the game ended too early to be killed");
        run(folder.path(), &["simulate --resume run"]);
        let table = |run: &str| std::fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert_eq!(table("whole"), table("run"), "{game}");
        let config = |run: &str| manifest(&folder.path().join(run))["config"].clone();
        assert_eq!(config("whole"), config("run"));
    }
}

#[test]
fn policies_are_an_axis_of_studies_and_differ_in_comparisons() {
    let folder = folder();
    let text = "policies = ['best', 'epsilon:0.2', 'misdrop:0.2']\nboard = '10x10'\ngames = 12\nmax_pieces = 3000\n";
    std::fs::write(folder.path().join("my.toml"), text).unwrap();
    run(folder.path(), &["study my.toml --out study"]);
    let conditions = rows(&folder.path().join("study/conditions.csv"));
    let column = |name: &str| conditions.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("policy"), ["best", "epsilon:0.2", "misdrop:0.2"]);
    assert_eq!(column("folder")[1], "002-bcts-10x10-uniform-greedy-epsilon_0_2-s1");
    let means: Vec<f64> = column("mean").iter().map(|mean| mean.parse().unwrap()).collect();
    assert!(means[0] > 5.0 * means[1] && means[0] > 5.0 * means[2], "{means:?}");
    // Guideline conditions list it under the same name, also where the first has none.
    let text =
        "policies = ['best', 'softmax:2']\nrules = 'guideline'\nsprint_lines = 4\ngames = 3\n";
    std::fs::write(folder.path().join("my.toml"), text).unwrap();
    run(folder.path(), &["study my.toml --out other"]);
    let names = std::fs::read_to_string(folder.path().join("other/conditions.csv")).unwrap();
    assert!(names.lines().next().unwrap().ends_with(",policy"), "{names}");
    assert_eq!(rows(&folder.path().join("other/conditions.csv"))[1]["policy"], "softmax:2");
    // Without a policy the table has no such column.
    std::fs::write(folder.path().join("my.toml"), "seeds = [1, 2]\nboard = '10x10'\ngames = 3\n")
        .unwrap();
    run(folder.path(), &["study my.toml --out plain"]);
    assert!(!rows(&folder.path().join("plain/conditions.csv"))[0].contains_key("policy"));
    let compared = run(
        folder.path(),
        &["compare bcts bcts:policy=misdrop:0.1,search=greedy --board 10x10 --games 20"],
    );
    assert!(compared.contains("misdrop:0.1"), "{compared}");
}

/// Candidates of a training play by the policy, too; a training is resumed with it.
#[test]
fn trainings_play_by_a_policy() {
    let folder = folder();
    let train = "train cem --board 6x10 --elite 3 --generations 2 --population 6 --games 2 --max-pieces 200 \
                 --finalists 2 --final-games 4 --held-out-games 4";
    run(folder.path(), &[train, "--out best"]);
    run(folder.path(), &[train, "--policy epsilon:0.2 --out drawn"]);
    let record =
        |run: &str| std::fs::read_to_string(folder.path().join(run).join("train.json")).unwrap();
    assert!(
        !record("best").contains("policy")
            && record("drawn").contains("\"policy\": \"epsilon:0.2\"")
    );
    let table = |run: &str| std::fs::read(folder.path().join(run).join("history.csv")).unwrap();
    assert_ne!(table("best"), table("drawn"));
}

#[test]
fn mistakes_are_refused_in_one_line() {
    for (policy, words) in [
        ("epsilon:2", &["'epsilon:2'", "a probability from 0 to 1", "--policy epsilon:0.05"][..]),
        ("misdrop", &["'misdrop'", "a probability from 0 to 1", "--policy misdrop:0.05"]),
        ("softmax:0", &["'softmax:0'", "a number above 0", "--policy softmax:10"]),
        ("softmax:nan", &["'softmax:nan'", "a number above 0"]),
        ("greedy", &["'greedy'", "best, epsilon:P, softmax:T, misdrop:P"]),
    ] {
        refused(&["simulate", "--policy", policy], words);
    }
    let refuse = |args: &str, remedy: &[&str]| refused(&words(&[args]), remedy);
    refuse("simulate --rules liap --policy epsilon:0.1", &["LIAP", "leave out --policy"]);
    refuse(
        "simulate --rules guideline --search beam --policy softmax:1",
        &["--policy epsilon:P", "beam"],
    );
    refuse("estimate --policy misdrop:0.1", &["leave out --policy", "simulate"]);
    refuse("estimate --rules guideline --policy misdrop:0.1", &["leave out --policy", "simulate"]);
    refuse(
        "train cem --objective estimate --policy misdrop:0.1",
        &["leave out --policy", "simulate"],
    );
    refuse("compare bcts bcts:policy=epsilon:2", &["epsilon:2", "probability from 0 to 1"]);
}

/// Advice to use `estimate` would be refused there.
#[test]
fn a_report_gives_advice_that_the_policy_allows() {
    let folder = folder();
    let one = "simulate --board 10x10 --games 1 --max-pieces none --placements none";
    let said = run(folder.path(), &[one, "--out a"]);
    assert!(said.contains("tetrastat estimate"), "{said}");
    let said = run(folder.path(), &[one, "--policy misdrop:0.05 --out b"]);
    assert!(!said.contains("tetrastat estimate") && said.contains("give more --games"), "{said}");
    let said =
        run(folder.path(), &["simulate --games 2 --max-pieces 50 --policy misdrop:0.01 --out c"]);
    assert!(!said.contains("tetrastat estimate") && said.contains("a smaller --board"), "{said}");
}

/// `expect` prefers fewer deadly next pieces, and compares scores only between equals. The columns
/// of candidates state this order, so the chosen candidate has rank 1 in every decision.
#[test]
fn candidates_state_the_order_of_a_search_with_look_ahead() {
    for (search, most) in [("expect", 7), ("next", 1)] {
        let folder = folder();
        let game = "simulate --controller lee --board 6x8 --games 60 --max-pieces 300 --sample 0 --placements csv";
        let log = "--candidates --columns minimal,rank2_score,deadly_next,rank";
        run(folder.path(), &[game, log, "--search", search, "--out run"]);
        let run = folder.path().join("run");
        let placements = rows(&run.join("placements.csv"));
        let mut not_highest = 0;
        for (placement, own) in placements.iter().zip(candidates(&run, &placements)) {
            // A candidate that loses comes after all others.
            let order = |row: &Row| {
                let deadly = score(row, "deadly_next").unwrap_or(8.0);
                assert!(deadly <= f64::from(most) || row["lost"] == "TRUE", "{row:?}");
                (deadly, score(row, "score"))
            };
            let is_above = |one: &Row, other: &Row| {
                let ((deadly, score), (other_deadly, other_score)) = (order(one), order(other));
                deadly < other_deadly || (deadly == other_deadly && score > other_score)
            };
            let chosen = own.iter().find(|row| row["chosen"] == "TRUE").unwrap();
            assert_eq!([&*chosen["rank"], &*placement["rank"]], ["1", "1"], "{placement:?}");
            assert_eq!(chosen["deadly_next"], placement["deadly_next"]);
            for row in own.iter().filter(|row| score(row, "score").is_some()) {
                let above = own.iter().filter(|other| is_above(other, row)).count();
                assert_eq!(row["rank"], (above + 1).to_string(), "{row:?}");
            }
            let is_higher = |row: &&Row| score(row, "score") > score(chosen, "score");
            not_highest += usize::from(own.iter().any(|row| is_higher(&row)));
        }
        assert!(placements.len() > 2_000, "{}", placements.len());
        assert_eq!(not_highest > 20, search == "expect", "{search}: {not_highest}");
    }
    // Without look-ahead, `lost` and `score` are the whole order.
    let folder = folder();
    run(
        folder.path(),
        &["simulate --games 1 --max-pieces 2 --placements csv --candidates --out run"],
    );
    assert!(!rows(&folder.path().join("run/candidates.csv"))[0].contains_key("deadly_next"));
}
