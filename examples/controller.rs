//! Compares a new controller with a published one on the same pieces.
//! Run with `cargo run --example controller`.

use std::sync::atomic::AtomicBool;

use tetrastat::controller::Controller;
use tetrastat::engine::{Totals, each};
use tetrastat::error::Result;
use tetrastat::sim::ClassicConfig;

const MINE: &str = r#"
name = "mine"
measured = "after-clear"
[weights]
holes = -8.0
landing_height = -2.0
eroded_cells = 1.0
row_transitions = -1.0
column_transitions = -3.0
wells = -1.0
"#;

/// Returns the lines of games 0 to 99 of one seed. Game i gets the same pieces with every
/// controller.
fn lines(controller: Controller) -> Result<Vec<u64>> {
    let config =
        ClassicConfig { games: 100, threads: 2, ..ClassicConfig::new(controller, "8x10".parse()?) };
    let mut lines = vec![0; config.games as usize];
    each(&config, &Totals::default(), &AtomicBool::new(false), |game| {
        lines[game.row.game as usize] = game.row.lines;
        Ok(true)
    })?;
    Ok(lines)
}

fn main() -> Result<()> {
    let mine = lines(Controller::parse("mine", MINE)?)?;
    let theirs = lines(Controller::load("dellacherie")?)?;
    let mean = |lines: &[u64]| lines.iter().sum::<u64>() as f64 / lines.len() as f64;
    let won = mine.iter().zip(&theirs).filter(|(mine, theirs)| mine > theirs).count();
    println!("mean lines: mine {:.0}, dellacherie {:.0}", mean(&mine), mean(&theirs));
    println!("mine lasted longer in {won} of {} games", mine.len());
    Ok(())
}
