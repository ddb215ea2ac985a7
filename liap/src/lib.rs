//! LIAP, a card game on the engine of tetrastat: four players declare how many of eight piles they will
//! capture, and then play for them.
//!
//! It is a crate of its own, which no room of the engine knows. Whoever uses the library depends on `tetrastat`, which
//! has it as `tetrastat::liap`.
//!
//! | room | what is there |
//! |---|---|
//! | [`PieceKind`], [`Hand`], [`Play`] | 32 pieces as bits, hands as sets of them, the 166 legal plays |
//! | [`declare`] | seven versions of the declaration rule, the rules' guard, explanations |
//! | [`distribution`] | exact distributions over all 10,518,300 hands |
//! | [`CardPlayer`], [`Held`] | who plays which cards in the turns |
//! | [`Round`], [`PlayedMatch`] | deal, redeals, turns and points; a match of rounds |
//! | [`LiapConfig`], [`Tally`] | rounds as runs of the engine; what they came to |
//! | [`LiapLog`], [`LiapEncoder`] | the tables of a run, and their place in the code book |
//! | `options`, `reports` (feature `commands`) | what commands are given, and what they print |
//! | [`DeclarerComparison`] | two declarers on the same single deals, position by position; studies compare whole matches |
//!
//! What is ambiguous in the sources is decided here so: the leader's type must be matched, whatever
//! its rank; piles are pieces; a redeal raises the multiplier once, and the first accepter in play order
//! starts; who accepts is drawn for every player alike (0.8, and 0.4 for a leader by more than ten points
//! after ten rounds); hands are held in the order dealt, which is random.

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

// The rooms below, so that every room is `crate::room` as in the crates there.
use tetrastat_core::{error, rng};
use tetrastat_runs::{engine, record, stats, table, text, threads};
