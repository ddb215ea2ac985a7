//! The points on which guideline games differ, each a named option, and the two presets.
//!
//! | option | `guideline` | `capstone` |
//! |---|---|---|
//! | spawn row of I (0-based; all others 20) | 20 | 21 |
//! | a piece falls one row as it spawns | yes | no |
//! | rows that are kept at a lock | 32 (of 40) | 24: cells above are lost |
//! | lock out ends the game | yes | no |
//! | a wall beside a front corner counts as filled | yes | no |
//! | the fifth kick makes a full T-spin | with three corners | always |
//! | a T-spin without lines under back-to-back | 400 | 600 |
//! | a tetris perfect clear under back-to-back | 1200 + 3200 | 4000 |
//!
//! The guideline's side: 2009 Tetris Design Guideline, chapters 3 and 12; tetris.wiki T-Spin and
//! Scoring. The capstone's: its `game.py` and `game_class.py`. Of its faults these are no options:
//! that an empty hold throws away a piece of the queue at each decision, and that the first
//! rotation of the held piece is judged by the current piece's cells.

use std::fmt;
use std::str::FromStr;

use super::landing::Landing;
use super::srs::Kicks;
use crate::error::{Error, Result};
use crate::matrix::{ROWS, VISIBLE};
use crate::rules::RULES_NAMES;

/// When the fifth kick of a turn makes a T-spin full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FifthKick {
    /// When three corners are filled.
    WithCorners,
    /// Always.
    Alone,
}

/// What a tetris that empties the matrix earns under back-to-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerfectTetris {
    /// 1200 + 3200.
    Guideline,
    /// 4000 in all.
    Total4000,
}

/// The rules of a guideline game: a preset, [`Guideline::official`] or [`Guideline::capstone`], with any
/// field changed.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::Guideline;
/// let rules = Guideline { hold: false, previews: 1, ..Guideline::official() };
/// rules.check()?;
/// assert_eq!(rules.preset(), Some("guideline"));
/// assert!(Guideline { previews: 16, ..rules }.check().is_err());
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guideline {
    /// The kick table.
    pub kicks: Kicks,
    /// Whether half turns are allowed.
    pub half_turns: bool,
    /// Row of the centre cell of I when it spawns; of all others it is 20.
    pub i_spawn_row: u8,
    /// Whether a piece falls one row as it spawns, where it can.
    pub falls_at_once: bool,
    /// Rows that are kept at a lock; cells above are lost.
    pub kept_rows: u8,
    /// Whether a piece that locks wholly above row 20 ends the game.
    pub lock_out: bool,
    /// Whether a wall or the floor beside a front corner of a T counts as filled.
    pub front_walls: bool,
    /// When the fifth kick of a turn makes a T-spin full.
    pub fifth_kick: FifthKick,
    /// Whether back-to-back multiplies a T-spin without lines.
    pub multiplied_zero_spins: bool,
    /// What a tetris that empties the matrix earns under back-to-back.
    pub perfect_tetris: PerfectTetris,
    /// Whether there is a hold.
    pub hold: bool,
    /// Pieces seen beyond the current one, 0 to [`MAX_PREVIEWS`].
    pub previews: u8,
}

/// Most previews there can be: two bags and one piece.
pub const MAX_PREVIEWS: u8 = 15;

/// The names of the presets.
pub const GUIDELINE_NAMES: [&str; 2] = ["guideline", "capstone"];

impl Guideline {
    /// As the 2009 guideline and tetris.wiki have it.
    #[must_use]
    pub const fn official() -> Guideline {
        Guideline {
            kicks: Kicks::Srs,
            half_turns: false,
            i_spawn_row: 20,
            falls_at_once: true,
            kept_rows: ROWS as u8,
            lock_out: true,
            front_walls: true,
            fifth_kick: FifthKick::WithCorners,
            multiplied_zero_spins: false,
            perfect_tetris: PerfectTetris::Guideline,
            hold: true,
            previews: 5,
        }
    }

    /// As the capstone's game has it.
    #[must_use]
    pub const fn capstone() -> Guideline {
        Guideline {
            i_spawn_row: 21,
            falls_at_once: false,
            kept_rows: 24,
            lock_out: false,
            front_walls: false,
            fifth_kick: FifthKick::Alone,
            multiplied_zero_spins: true,
            perfect_tetris: PerfectTetris::Total4000,
            ..Guideline::official()
        }
    }

    /// The preset that a kick table, half turns, the hold and previews were laid over; `None` when more
    /// was changed.
    #[must_use]
    pub fn preset(&self) -> Option<&'static str> {
        let Guideline { kicks, half_turns, hold, previews, .. } = *self;
        let presets =
            GUIDELINE_NAMES.into_iter().zip([Guideline::official(), Guideline::capstone()]);
        let is_base = |preset| Guideline { kicks, half_turns, hold, previews, ..preset } == *self;
        presets.into_iter().find(|&(_, preset)| is_base(preset)).map(|(name, _)| name)
    }

    /// Whether a piece that locks here ends the game.
    #[must_use]
    #[inline]
    pub fn loses(&self, landing: Landing) -> bool {
        self.lock_out && landing.is_above(VISIBLE)
    }

    /// Checks that the options can be played.
    ///
    /// # Errors
    /// [`Error::Config`] for one out of range.
    pub fn check(&self) -> Result<()> {
        let fail = |problem: String| Err(Error::Config(problem));
        if self.previews > MAX_PREVIEWS {
            return fail(format!("{} previews: use 0 to {MAX_PREVIEWS}", self.previews));
        }
        if !(20..=22).contains(&self.i_spawn_row) {
            return fail(format!("I spawns at row {}: use 20 to 22", self.i_spawn_row));
        }
        if !(22..=ROWS as u8).contains(&self.kept_rows) {
            return fail(format!("{} rows kept: use 22 to {ROWS}", self.kept_rows));
        }
        Ok(())
    }
}

impl FromStr for Guideline {
    type Err = Error;

    fn from_str(name: &str) -> Result<Guideline> {
        match name {
            "guideline" => Ok(Guideline::official()),
            "capstone" => Ok(Guideline::capstone()),
            _ if RULES_NAMES.contains(&name) => Err(Error::Config(format!(
                "rules '{name}' are of classic games, not of guideline games: here use one of {}",
                GUIDELINE_NAMES.join(", ")
            ))),
            _ => Err(Error::unknown("guideline rules", name, GUIDELINE_NAMES)),
        }
    }
}

impl fmt::Display for Guideline {
    /// The preset's name, or `guideline (changed)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let preset = |preset: Guideline| {
            Guideline { hold: self.hold, previews: self.previews, ..preset } == *self
        };
        f.write_str(match () {
            () if preset(Guideline::official()) => "guideline",
            () if preset(Guideline::capstone()) => "capstone",
            () => "guideline (changed)",
        })
    }
}
