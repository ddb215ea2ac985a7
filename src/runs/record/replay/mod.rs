//! Reader of recorded games: the rows of every placement of one game, and boards of a log.
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! # let temporary = tempfile::tempdir().unwrap();
//! # let path = temporary.path().join("run");
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::controller::Controller;
//! use tetrastat::engine::{Job, Totals, play};
//! use tetrastat::record::{Columns, LogFormat, LogSettings, RunFolder, read_game};
//! use tetrastat::sim::{ClassicConfig, Limits};
//!
//! let config = ClassicConfig {
//!     limits: Limits { pieces: Some(20), lines: None },
//!     log: Some(LogSettings::new(LogFormat::Csv, Columns::Controller)),
//!     ..ClassicConfig::new(Controller::load("bcts")?, "10x20".parse()?)
//! };
//! let (totals, stop) = (Totals::default(), AtomicBool::new(false));
//! play(&config, RunFolder::create(&path)?, None, &serde_json::Value::Null, &totals, &stop, None)?;
//!
//! let mut pieces = Vec::new();
//! let count = read_game(&path, 0, |row| {
//!     pieces.extend(row.piece("piece"));
//!     Ok(())
//! })?;
//! assert_eq!((count, pieces.len()), (20, 20));
//! assert_eq!(ClassicConfig::read_entry(&path)?.size.to_string(), "10x20");
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod boards;
mod logged_row;

use std::path::{Path, PathBuf};

pub use boards::{LoggedBoard, LoggedBoards, read_boards};
pub use logged_row::LoggedRow;

pub(crate) use self::logged_row::each_row;
use crate::error::setting::{EVERY, FROM, GAME, ONLY_LAST, PLACEMENTS, TO};
use crate::error::{Error, Result};
use crate::record::LogFormat;
use crate::record::check_recorded;

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

/// Passes every row of the game `game` in the placement log of a run folder to `take`, in the order
/// of the placements. Returns the number of placements.
///
/// # Errors
/// [`Error::Config`] if the log is missing or does not contain every placement of the game;
/// otherwise the errors of [`crate::record::read_table`] and of `take`.
pub fn read_game(
    folder: &Path,
    game: u64,
    mut take: impl FnMut(&LoggedRow) -> Result<()>,
) -> Result<u64> {
    let path = placements_file(folder)?;
    check_recorded(&path)?;
    let mut last = 0;
    each_row(&path, |row| {
        if row.integer("game")? != game as i64 {
            return Ok(());
        }
        let number = row.integer("piece_no")? as u64;
        if number != last + 1 {
            return Err(Error::Config(format!(
                "{}: game {game} goes from placement {last} to {number}: only a log of \
                 every placement can be played back; play the run again without {EVERY}, {FROM}, \
                 {TO} and {ONLY_LAST}, or watch it live with the same flags and seed",
                path.display()
            )));
        }
        last = number;
        take(row)
    })?;
    if last == 0 {
        return Err(Error::Config(format!(
            "{} holds no placement of game {game}: give another {GAME} (they are counted from 0)",
            path.display()
        )));
    }
    Ok(last)
}
