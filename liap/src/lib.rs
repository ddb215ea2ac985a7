//! Simulates LIAP, a card game, on the engine of tetrastat. Four players declare how many of the
//! eight piles of a round they will capture. Points depend on how exactly each player meets the
//! declaration.
//!
//! The crate is separate, and no module of the engine depends on it. Library users depend on
//! `tetrastat`, which re-exports this crate as `tetrastat::liap`.
//!
//! | items | contents |
//! |---|---|
//! | [`Hand`], [`Cards`] | hands of the 32 pieces as bit sets, and in the order held |
//! | [`Declarer`] | seven versions of the declaration rule |
//! | [`CardPlayer`] | strategies for playing cards |
//! | [`Deal`], [`Round`] | deals with redeals, declarations, turns and points |
//! | [`LiapConfig`], [`Tally`] | configuration of a run, and counts of its rounds |
//! | [`LiapLog`], [`TABLES`] | tables of a run, and their entries in the code book |
//! | `options`, `reports` | options of the commands, and their output |
//! | [`DeclarerComparison`] | comparison of two declarers on the same deals, by position |
//!
//! Functions fail with `Error::Config` for an invalid setting, whose message names the remedy.
//!
//! The sources of the rules are ambiguous in some points. This crate decides them as follows.
//!
//! - A play can only beat the leader's play if both have the same type, whatever the ranks of the
//!   types.
//! - A pile is one piece: the winner of a turn of n pieces per player captures n piles.
//! - A redeal raises the multiplier of points by 1, however many players accept it. The first
//!   player in play order who accepts starts the round.
//! - A player whose pieces have at most 9 points each (a weak hand) accepts a redeal with
//!   probability 0.8.
//! - After at least ten rounds, a player who leads by more than ten points accepts a redeal with
//!   probability 0.4 instead.
//! - Players hold their pieces in the order dealt, which is random.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]

mod compare;
mod config;
mod declare;
mod hand;
pub mod options;
mod play;
mod player;
pub mod reports;
mod round;
mod run;
mod tables;
mod tally;

pub use compare::{DeclarerComparison, Switch};
pub use config::{Length, LiapConfig};
pub use declare::{Context, Declarer};
pub use hand::{Cards, Hand};
pub use player::CardPlayer;
pub use round::{Deal, MatchRules, Round, RoundStart, SEATS, Seat};
pub use run::{LiapRun, MAIN_MEASURE, SECTION, liap_checksum, measure};
pub use tables::{LiapLog, TABLES, liap_measures};
pub use tally::Tally;

// Re-exports of the engine's modules, so that `crate::module` works as in the engine's crates.
use tetrastat_core::{error, rng};
use tetrastat_runs::{engine, record, report, stats, table, text, threads};
