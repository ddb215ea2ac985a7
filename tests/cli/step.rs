//! `tetrastat step`: the notebook's printed answers, and mistakes in one line.

use crate::common::pictures::{M, Q1};
use crate::common::{folder, tetrastat, text};
use serde_json::Value;

fn stdout(args: &[&str]) -> String {
    let output = tetrastat(folder().path(), args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// As the notebook prints them: weights 1 1 1 1, horizon 1000, seed 42: 58 lines, the end with the 181st piece.
#[test]
fn the_notebooks_game_has_58_lines() {
    let args = ["step", "--notebook", "--seed", "42", "--controller", "notebook-ones"];
    let report = stdout(&args);
    assert!(
        report.ends_with("notebook-ones: 58 lines, 181 pieces, 739 steps, game over\n"),
        "{report}"
    );
    let found: Value =
        serde_json::from_str(&stdout(&[&args[..], &["--format", "json"]].concat())).unwrap();
    assert_eq!((found["lines"].as_u64(), found["done"].as_bool()), (Some(58), Some(true)));
}

/// Lines, pieces and steps of the notebook's own Python, game by game.
#[test]
fn the_notebooks_python_plays_the_same_games() {
    let golden = include_str!("../golden/notebook_games.csv");
    let rows = golden.lines().filter(|line| !line.starts_with('#')).skip(1);
    let (mut compared, mut wrong) = (0, String::new());
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let [seed, lines, pieces, steps, done] = cells[..] else { panic!("{row}") };
        let end = if done == "TRUE" { "game over" } else { "horizon reached" };
        let expected =
            format!("notebook-ones: {lines} lines, {pieces} pieces, {steps} steps, {end}\n");
        let report =
            stdout(&["step", "--notebook", "--seed", seed, "--controller", "notebook-ones"]);
        if !report.ends_with(&expected) {
            wrong += &format!("seed {seed}: {}", report.lines().last().unwrap_or_default());
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(compared, 41);
}

/// Quiz 1: T at (3, 1): left, left, ccw, drop.
#[test]
fn actions_by_name_and_number_are_drawn() {
    let play = |actions| {
        stdout(&["step", "--picture", Q1, "--piece", "T", "--at", "3,1", "--actions", actions])
    };
    let pictures = play("left,left,ccw,drop");
    assert_eq!(pictures, play("1,1,3,5"));
    let last: Vec<&str> = pictures.lines().rev().take(6).collect();
    assert_eq!(last[3..], ["###....", "###....", ".##...."]);
    assert!(pictures.contains("\ndrop: rests\n"), "{pictures}");
}

/// `next_moves` of T on board M: 14, the first at anchor (1, 3); the first action of the notebook's AI.
#[test]
fn resting_places_and_first_action() {
    let places = stdout(&["step", "--picture", M, "--piece", "T", "--at", "0,0", "--moves"]);
    let lines: Vec<&str> = places.lines().collect();
    assert_eq!((lines.len(), lines[1]), (15, "(1, 3) as it is"));
    let folder = folder();
    let file = "name = \"w\"\nmeasured = \"before-clear\"\n[weights]\naggregate_height = -0.17\ncomplete_rows = 0.55\nholes = -0.16\nbumpiness = -0.12\n";
    std::fs::write(folder.path().join("w.toml"), file).unwrap();
    let args = [
        "step",
        "--picture",
        M,
        "--piece",
        "T",
        "--at",
        "1,2",
        "--controller",
        "w.toml",
        "--horizon",
        "1",
        "--trace",
    ];
    let output = tetrastat(folder.path(), &args);
    assert!(text(&output.stdout).contains("\nccw\n"), "{}", text(&output.stdout));
}
