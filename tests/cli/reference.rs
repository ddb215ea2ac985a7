//! Every preset has a reference value here, or stands here as without one, with the reason.
//!
//! Reference values are mean lines on 10x10 of another program: the original C program of
//! MDPTetris, or, where it was not run, a published table.
//! Slow: `cargo test --release --test cli reference:: -- --ignored --nocapture` plays 90,000 games.

use std::sync::atomic::AtomicBool;

use tetrastat::controller::{Controller, GUIDELINE_PRESETS, PRESETS};
use tetrastat::engine::{Totals, each};
use tetrastat::record::Lifetime;
use tetrastat::sim::ClassicConfig;

const GAMES: u64 = 10_000;

/// Controller, reference mean, and its 95 % half-width in percent: by the games that
/// `data/published.csv` states; that of bdu also holds the table's rounding to hundreds. How many
/// games the C program played with the weights of El-Tetris is not known: 4 % is of 2,400.
const REFERENCE: [(&str, f64, f64); 9] = [
    ("dellacherie", 2418.0, 2.1),
    ("bcts", 3884.0, 2.2),
    ("bdu", 4200.0, 3.2),
    ("dt10", 4911.0, 2.0),
    ("dt10-wells", 5137.0, 2.0),
    ("dt20", 4406.0, 1.9),
    ("dt20-wells", 4576.0, 1.9),
    ("rvce", 5421.0, 3.9),
    ("el-tetris-sky", 3003.0, 4.0),
];

const LONG: &str =
    "published for 10x20 alone, in games too long to play here: data/estimates has it by splitting";
const OTHER_FEATURES: &str = "no program at hand that plays these features was run, and its source reports too few games to hold against";
const OURS: &str = "our own: no other program plays it";
const OTHER_GAME: &str = "published under its source's own rules, which are not played on 10x10";

/// Presets without a reference, and why.
const WITHOUT: [(&str, &str); 12] = [
    (LONG, "dellacherie-ce"),
    ("its source prints weights, no score", "dellacherie-cmaes"),
    (
        "its author's claim of 16 M lines is of 10x20, and of another program than his JavaScript: see el-tetris-sky",
        "el-tetris",
    ),
    ("nobody published a score of it: tetrastat estimate is all there is", "el-tetris-eroded"),
    (OTHER_FEATURES, "lee guide-basic guide-ga"),
    ("its source projects scores and measures none", "guide-dellacherie guide-thiery"),
    (OTHER_GAME, "notebook-4 notebook-8"),
    (
        "held against the notebook's printed run, key press by key press: tests/cli/step.rs",
        "notebook-ones",
    ),
    ("its source published neither weights nor a score", "unity"),
    (
        "published for its own program, which throws away pieces of the queue that ours plays",
        "capstone-sprint",
    ),
    ("its source prints the default weights without their score", "capstone-blitz"),
    (
        OURS,
        "tetrastat-10x10 tetrastat-10x10-columns tetrastat-10x20 tetrastat-sz tetrastat-sprint tetrastat-blitz \
         tetrastat-blitz-greedy tetrastat-blitz-hold tetrastat-blitz-network tetrastat-blitz-triples \
         tetrastat-attack",
    ),
];

/// A preset that is added needs a line above.
#[test]
fn every_preset_has_a_reference_or_a_reason() {
    let presets = PRESETS.iter().chain(GUIDELINE_PRESETS).map(|preset| preset.name);
    let mut presets: Vec<&str> = presets.collect();
    let with = REFERENCE.iter().map(|(name, ..)| *name);
    let without = WITHOUT.iter().flat_map(|(_, names)| names.split_whitespace());
    let mut listed: Vec<&str> = with.chain(without).collect();
    presets.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, presets, "tests/cli/reference.rs lists every preset once");
    assert!(WITHOUT.iter().all(|(reason, _)| reason.len() > 20), "each says why");
}

/// Nine tests at four standard errors of the difference: a right program fails once in 1,700 seeds.
#[test]
#[ignore = "plays 90,000 games"]
fn mean_lines_are_those_of_the_reference() {
    println!(
        "{:>12} {:>10} {:>8} {:>10} {:>8} {:>6}",
        "controller", "mean", "SE", "reference", "SE", "z"
    );
    let mut worst: f64 = 0.0;
    for (name, reference, half_width) in REFERENCE {
        let lines = lines_of(name);
        let mean = lines.iter().sum::<f64>() / GAMES as f64;
        let squares: f64 = lines.iter().map(|x| (x - mean).powi(2)).sum();
        let error = (squares / (GAMES - 1) as f64 / GAMES as f64).sqrt();
        let reference_error = reference * half_width / 100.0 / 1.96;
        let z = (mean - reference) / error.hypot(reference_error);
        println!(
            "{name:>12} {mean:>10.1} {error:>8.1} {reference:>10} {reference_error:>8.1} {z:>6.2}"
        );
        worst = worst.max(z.abs());
    }
    assert!(worst < 4.0, "z = {worst}");
}

fn lines_of(name: &str) -> Vec<f64> {
    let config = ClassicConfig {
        games: GAMES,
        seed: 2009,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..ClassicConfig::new(Controller::load(name).unwrap(), "10x10".parse().unwrap())
    };
    let mut lines = Vec::new();
    let go = AtomicBool::new(false);
    each(&config, &Totals::default(), &go, |ended| {
        let row = &ended.row;
        assert_eq!(row.lifetime(), Lifetime { lines: row.lines, censored: false });
        lines.push(row.lines as f64);
        Ok(true)
    })
    .unwrap();
    assert_eq!(lines.len() as u64, GAMES);
    lines
}
