//! Mean lines on 10x10 against those of the original C program (`spec/classic.md` section 6).
//!
//! Slow: `cargo test --release --test reference -- --ignored --nocapture` plays 50,000 games.

use std::sync::atomic::AtomicBool;

use tetrastat::controller::Controller;
use tetrastat::kernels::Level;
use tetrastat::queue::QueueKind;
use tetrastat::record::{Lifetime, Logs};
use tetrastat::rules::Rules;
use tetrastat::search::Search;
use tetrastat::sim::{CHECKPOINT_EVERY, Event, Limits, RunConfig, Start, Totals, run};

const GAMES: u64 = 10_000;

/// Controller, mean lines of the C program, and its 95 % half-width in percent.
const REFERENCE: [(&str, f64, f64); 5] = [
    ("dellacherie", 2418.0, 2.1),
    ("bcts", 3884.0, 2.2),
    ("dt10", 4911.0, 2.0),
    ("dt20", 4406.0, 1.9),
    ("rvce", 5421.0, 3.9),
];

/// Five tests at four standard errors of the difference: a right program fails once in 3,000 seeds.
#[test]
#[ignore = "plays 50,000 games"]
fn mean_lines_are_those_of_the_c_program() {
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
    let config = RunConfig {
        controller: Controller::load(name).unwrap(),
        rules: Rules::simplified(),
        size: "10x10".parse().unwrap(),
        start: None,
        queue: QueueKind::Uniform,
        search: Search::Greedy,
        games: GAMES,
        shard: None,
        checkpoint_every: CHECKPOINT_EVERY,
        limits: Limits::default(),
        seed: 2009,
        level: Level::detect(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut lines = Vec::new();
    let go = AtomicBool::new(false);
    run(&config, &Logs::default(), 0, Start::of(&config), &Totals::default(), &go, |event| {
        if let Event::Ended(row) = event {
            assert_eq!(row.lifetime(), Lifetime { lines: row.lines, censored: false });
            lines.push(row.lines as f64);
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(lines.len() as u64, GAMES);
    lines
}
