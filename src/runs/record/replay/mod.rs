//! Reader of recorded games: the controller and rules of a run, and every placement of one game.
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! # let temporary = tempfile::tempdir().unwrap();
//! # let path = temporary.path().join("run");
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::controller::Controller;
//! use tetrastat::engine::{Job, Totals, play};
//! use tetrastat::record::{Columns, LogFormat, LogSettings, RunFolder, read_placements};
//! use tetrastat::sim::{ClassicConfig, Limits};
//!
//! let config = ClassicConfig {
//!     limits: Limits { pieces: Some(20), lines: None },
//!     log: Some(LogSettings::new(LogFormat::Csv, Columns::Controller)),
//!     ..ClassicConfig::new(Controller::load("bcts")?, "10x20".parse()?)
//! };
//! let (totals, stop) = (Totals::default(), AtomicBool::new(false));
//! play(&config, RunFolder::create(&path)?, None, &serde_json::Value::Null, &totals, &stop)?;
//!
//! assert_eq!(read_placements(&path, 0)?.len(), 20);
//! assert_eq!(ClassicConfig::read_entry(&path)?.size.to_string(), "10x20");
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod boards;
mod classic;
mod guideline;
mod row_reader;

use std::path::{Path, PathBuf};

pub use boards::{LoggedBoard, LoggedBoards, read_boards};
pub use classic::{LoggedPlacement, read_placements};
pub use guideline::{LoggedLanding, read_landings};

pub(crate) use self::row_reader::RowReader;
use crate::error::setting::{EVERY, FROM, GAME, ONLY_LAST, PLACEMENTS, TO};
use crate::error::{Error, Result};
use crate::record::LogFormat;
use crate::record::check_recorded;
use crate::record::read_table;

/// Returns the path of a run's placement log, in the format that was used.
fn placements_file(folder: &Path) -> Result<PathBuf> {
    let paths = LogFormat::ALL.map(|format| folder.join(format!("placements.{format}")));
    paths.into_iter().find(|path| path.exists()).ok_or_else(|| {
        Error::Config(format!(
            "{} holds no placements: play the run again with {PLACEMENTS} csv",
            folder.display()
        ))
    })
}

/// Reads the rows of the game `game`; `read` parses one row. Checks that the placement numbers,
/// which `number` returns, have no gaps.
fn rows_of<T>(
    folder: &Path,
    game: u64,
    read: impl Fn(&RowReader, usize) -> Result<T>,
    number: impl Fn(&T) -> u64,
) -> Result<Vec<T>> {
    let path = placements_file(folder)?;
    check_recorded(&path)?;
    let mut placements = Vec::new();
    let mut before = 0;
    read_table(&path, |columns, rows| {
        let reader = RowReader { path: &path, before, columns, rows: &rows };
        before += rows.len();
        for row in reader.of_game(game)? {
            placements.push(read(&reader, row)?);
        }
        Ok(())
    })?;
    check_sequence(&path, game, placements.iter().map(number))?;
    Ok(placements)
}

/// Checks that a game's rows start at its first placement and have no gaps; otherwise the game
/// can't be rebuilt.
fn check_sequence(path: &Path, game: u64, numbers: impl Iterator<Item = u64>) -> Result<()> {
    let mut last = 0;
    for number in numbers {
        if number != last + 1 {
            return Err(Error::Config(format!(
                "{}: game {game} goes from placement {last} to {number}: only a log of \
                 every placement can be played back; play the run again without {EVERY}, {FROM}, \
                 {TO} and {ONLY_LAST}, or watch it live with the same flags and seed",
                path.display()
            )));
        }
        last = number;
    }
    if last == 0 {
        return Err(Error::Config(format!(
            "{} holds no placement of game {game}: give another {GAME} (they are counted from 0)",
            path.display()
        )));
    }
    Ok(())
}
