//! Trains weights with CMA-ES: the optimiser proposes candidates, and this program scores them by
//! games.
//! Run with `cargo run --release --example train`.

use std::sync::atomic::AtomicBool;

use tetrastat::controller::Controller;
use tetrastat::engine::{Totals, each};
use tetrastat::error::Result;
use tetrastat::sim::ClassicConfig;
use tetrastat::train::{CmaEsOptions, OptimiserSettings, Problem, Template};

/// Returns the mean lines of 20 games. All candidates of a generation play the same 20, so luck is
/// equal.
fn score(controller: Controller, generation: u64) -> Result<f64> {
    let config = ClassicConfig::new(controller, "6x8".parse()?);
    let job = ClassicConfig { games: 20, seed: generation, ..config };
    let mut lines = 0;
    each(&job, &Totals::default(), &AtomicBool::new(false), |game| {
        lines += game.row.lines;
        Ok(true)
    })?;
    Ok(lines as f64 / 20.0)
}

fn main() -> Result<()> {
    let template = Template::new(&Controller::load("lee")?, "6x8".parse()?)?;
    let options = OptimiserSettings::CmaEs(CmaEsOptions { sd: 0.5, ..CmaEsOptions::default() });
    let mut search = options.start(&Problem::new(4), 1)?;
    for generation in 0..20 {
        let play = |weights: &Vec<f64>| score(template.controller(weights)?, generation);
        let scores = search.ask().iter().map(play).collect::<Result<Vec<_>>>()?;
        search.tell(&scores)?;
    }
    let found = template.controller(&search.mean())?;
    println!("mean lines on fresh games: {}", score(found.clone(), 1000)?);
    for (feature, weight) in &found.weights {
        println!("{feature} = {weight}");
    }
    Ok(())
}
