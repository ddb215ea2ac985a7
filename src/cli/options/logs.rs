//! Defines the options that choose the rows and columns of a log, for the runs of every game.

use std::str::FromStr;

use crate::error::Error;
use crate::liap::LiapLog;
use crate::record::{Columns, LogFormat, Selection};
use crate::text::parse::count;

/// Format of a log; `None` for no log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogOrNone(pub(crate) Option<LogFormat>);

impl FromStr for LogOrNone {
    type Err = Error;

    fn from_str(name: &str) -> Result<LogOrNone, Error> {
        if name == "none" { Ok(LogOrNone(None)) } else { name.parse().map(Some).map(LogOrNone) }
    }
}

/// Options for the columns and rows of a log. In LIAP, declarations take the role of placements and
/// matches that of games.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LogOptions {
    /// Columns of the log: `minimal`, `controller` (all but features that the controller does not
    /// use; of guideline games and LIAP all), `all` (every feature), or names joined by commas, among them the sets
    /// `minimal`, `features` (the controller's) and `heights`
    #[arg(long, default_value = "controller", value_name = "SET|NAMES")]
    pub(crate) columns: Columns,

    /// Log each K-th placement of a game; here and below, of LIAP each K-th declaration of a match
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = count::<u64>(1..))]
    every: u64,

    /// Log from this placement of a game on
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = count::<u64>(1..))]
    from: u64,

    /// Log up to this placement of a game
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    to: Option<u64>,

    /// Log only the last N placements of a game: how games end
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    only_last: Option<u64>,

    /// Log this share of the games, drawn by the seed
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    sample_games: f64,
}

impl LogOptions {
    /// Returns the selection of placements to log.
    pub(crate) fn selection(&self) -> Selection {
        let LogOptions { every, from, to, only_last, sample_games, .. } = *self;
        Selection { every, from, to, only_last, sample_games }
    }

    /// Returns the log of a LIAP run: in the `given` format, else in CSV if `few` is set.
    pub(crate) fn liap(&self, given: Option<LogOrNone>, few: bool) -> Option<LiapLog> {
        let usual = few.then_some(LogFormat::Csv);
        let format = given.map_or(usual, |LogOrNone(format)| format)?;
        Some(LiapLog { format, columns: self.columns.clone(), selection: self.selection() })
    }
}
