//! Defines the options that choose the rows and columns of a log. Runs of every game have them.

use std::str::FromStr;

use crate::cli::options::help::LOGS;
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
    /// Columns of the log: `minimal`, `controller` (all except features that the controller does
    /// not use), `all` (every feature), or names joined by commas. Names may include the sets
    /// `minimal`, `features` (the controller's) and `heights`. In guideline games and LIAP,
    /// `controller` equals `all`
    #[arg(long, default_value = "controller", value_name = "SET|NAMES", help_heading = LOGS)]
    pub(crate) columns: Columns,

    /// Log every K-th placement of a game (in LIAP: declaration of a match, also for the options
    /// below)
    #[arg(
        long,
        default_value_t = 1,
        value_name = "K",
        value_parser = count::<u64>(1..),
        help_heading = LOGS
    )]
    every: u64,

    /// First placement of a game to log
    #[arg(
        long,
        default_value_t = 1,
        value_name = "N",
        value_parser = count::<u64>(1..),
        help_heading = LOGS
    )]
    from: u64,

    /// Last placement of a game to log
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), help_heading = LOGS)]
    to: Option<u64>,

    /// Log only the last N placements of a game
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), help_heading = LOGS)]
    only_last: Option<u64>,

    /// Fraction of games to log, sampled with the run's seed
    #[arg(long, default_value_t = 1.0, value_name = "SHARE", help_heading = LOGS)]
    sample_games: f64,
}

impl LogOptions {
    /// Returns the selection of placements to log.
    pub(crate) fn selection(&self) -> Selection {
        let LogOptions { every, from, to, only_last, sample_games, .. } = *self;
        Selection { every, from, to, only_last, sample_games }
    }

    /// Returns the log settings of a LIAP run, or `None` for no log. `given` is the requested
    /// format. If it is `None`, the log is a CSV if `few` is true, and there is no log otherwise.
    pub(crate) fn liap(&self, given: Option<LogOrNone>, few: bool) -> Option<LiapLog> {
        let usual = few.then_some(LogFormat::Csv);
        let format = given.map_or(usual, |LogOrNone(format)| format)?;
        Some(LiapLog { format, columns: self.columns.clone(), selection: self.selection() })
    }
}
