//! Plays a run into a folder with every placement logged, and reads its first game back.
//! Run with `cargo run --example simulate`. The folder equals that of `tetrastat simulate`.

use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tetrastat::controller::Controller;
use tetrastat::engine::{Totals, play};
use tetrastat::error::{Error, Result};
use tetrastat::queue::QueueKind;
use tetrastat::record::{Columns, LogFormat, LogSettings, RunFolder, read_game};
use tetrastat::sim::{ClassicConfig, Limits};

fn main() -> Result<()> {
    let temporary = tempfile::tempdir().map_err(|e| Error::io("creating", "a folder", e))?;
    let path = temporary.path().join("run");

    let dellacherie = Controller::load("dellacherie")?;
    let config = ClassicConfig {
        queue: QueueKind::Bag,
        games: 4,
        limits: Limits { pieces: Some(500), lines: None },
        threads: 2, // the same bytes for any number
        log: Some(LogSettings::new(LogFormat::Csv, Columns::Controller)),
        ..ClassicConfig::new(dellacherie, "10x20".parse()?)
    };
    // A Ctrl-C handler would set `stop`: the run then keeps its games so far and can be resumed.
    let (totals, stop) = (Totals::default(), AtomicBool::new(false));
    let played =
        play(&config, RunFolder::create(&path)?, None, &Value::Null, &totals, &stop, None)?;
    println!(
        "lines of each game: {:?}",
        played.count.games.lifetimes().map(|l| l.lines).collect::<Vec<_>>()
    );

    let placements = read_game(&path, 0, |row| {
        if row.whole("piece_no") <= Some(5) {
            let piece = row.need("piece", row.piece("piece"))?;
            println!("{piece} {} {}", row.integer("orientation")?, row.integer("column")?);
        }
        Ok(())
    })?;
    println!("{placements} placements");
    Ok(())
}
