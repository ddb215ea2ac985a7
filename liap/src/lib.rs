//! LIAP, a card game on the engine of tetrastat. Four players declare how many of eight piles they
//! will capture, and then play for them.
//!
//! The crate is separate, and no module of the engine depends on it. Library users depend on
//! `tetrastat`, which re-exports it as `tetrastat::liap`.
//!
//! | items | contents |
//! |---|---|
//! | [`PieceKind`], [`Hand`], [`Play`] | 32 pieces as bits, hands as bit sets, the 166 legal plays
//! |
//! | [`declare`] | seven versions of the declaration rule, the guard, explanations |
//! | [`distribution`] | exact distributions over all 10,518,300 hands |
//! | [`CardPlayer`], [`Held`] | strategies for playing cards in the turns |
//! | [`Round`], [`PlayedMatch`] | deal, redeals, turns and points; matches of rounds |
//! | [`LiapConfig`], [`Tally`] | configuration of a run, and its counts |
//! | [`LiapLog`], [`LiapEncoder`] | tables of a run, and their entries in the code book |
//! | `options`, `reports` (feature `commands`) | options of the commands, and their output |
//! | [`DeclarerComparison`] | two declarers on the same single deals, position by position |
//!
//! The sources are ambiguous in some points, which this crate decides as follows.
//!
//! - The leader's type must be matched, whatever its rank.
//! - Piles are pieces.
//! - A redeal raises the multiplier once, and the first accepter in play order starts.
//! - Every player with a weak hand accepts a redeal with probability 0.8.
//! - A leader by more than ten points accepts with probability 0.4 after ten rounds.
//! - Hands are held in the order dealt, which is random.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]

mod batch;
mod bench;
mod comparable;
mod compare;
mod config;
mod contest;
pub mod declare;
pub mod distribution;
mod hand;
mod held;
#[cfg(feature = "commands")]
pub mod options;
mod piece;
mod play;
mod player;
#[cfg(feature = "commands")]
pub mod reports;
mod round;
mod run;
mod tables;
mod tally;

pub use batch::Batch;
pub use bench::{SECTION, liap_checksum};
pub use comparable::{MAIN_MEASURE, measure};
pub use compare::{
    Compared, DeclarationMeasure, DeclarerComparison, DeclarerEstimate, PairedSums, PositionRow,
    Switch,
};
pub use config::{Length, LiapConfig, LiapEntry, read_liap_config};
pub use contest::{End, LONGEST, MatchRules, PlayedMatch, TARGET};
pub use declare::{Context, DeclarationChoice, Declarer};
pub use hand::{Cards, HAND_SIZE, Hand};
pub use held::Held;
pub use piece::{Name, PieceKind};
pub use play::{PLAY_COUNT, PLAYS, Play, PlayType};
pub use player::{CardPlayer, TurnView};
pub use round::{Deal, Declaration, Reason, Round, RoundStart, SEATS, Seat, base_points, deal};
pub use run::{LiapCheckpoint, LiapRun, LiapTotals};
pub use tables::{
    DeclarationRow, LiapEncoder, LiapLog, LiapRows, MatchRow, Moved, RoundRow, TABLES,
    liap_measures, liap_tables,
};
pub use tally::{Tally, TallyCell};

// Re-exports of the engine's modules, so that `crate::module` works as in the engine's crates.
use tetrastat_core::{error, rng};
use tetrastat_runs::{engine, record, stats, table, text, threads};
