//! Runs a study: conditions over common seeds, in one folder with one table of games for R.
//! Run with `cargo run --example study`. Calling it again resumes an interrupted study.

use std::sync::atomic::AtomicBool;

use tetrastat::controller::Controller;
use tetrastat::engine::Totals;
use tetrastat::error::{Error, Result};
use tetrastat::search::Search;
use tetrastat::sim::ClassicConfig;
use tetrastat::study::{Condition, Study};

fn main() -> Result<()> {
    let temporary = tempfile::tempdir().map_err(|e| Error::io("creating", "a folder", e))?;
    let path = temporary.path().join("study");

    let mut jobs = Vec::new();
    for name in ["lee", "el-tetris"] {
        for search in [Search::Greedy, Search::Next] {
            let config = ClassicConfig::new(Controller::load(name)?, "6x8".parse()?);
            jobs.push(ClassicConfig { search, games: 40, threads: 2, ..config });
        }
    }
    // The folder stores this text; resuming with another text fails.
    let mut study = Study::open(&path, "lee, el-tetris; greedy, next", Condition::all(jobs)?)?;
    for place in 0..study.conditions().len() {
        study.play(place, &Totals::default(), &AtomicBool::new(false))?;
    }
    study.collect()?;
    for row in study.rows() {
        let mean =
            row.results.as_ref().and_then(|results| results.estimate.mean.mean).unwrap_or(f64::NAN);
        println!("{} {}: mean lines {mean:.1}", row.condition, row.folder);
    }
    Ok(())
}
