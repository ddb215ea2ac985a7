//! `tetrastat play --keys --notebook` plays the games of the notebook.

use crate::common::{folder, run};

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
        let args =
            ["play", "--keys", "--notebook", "--seed", seed, "--controller", "notebook-ones"];
        let report = run(folder().path(), &args);
        if !report.ends_with(&expected) {
            wrong += &format!("seed {seed}: {}", report.lines().last().unwrap_or_default());
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(compared, 41);
}
