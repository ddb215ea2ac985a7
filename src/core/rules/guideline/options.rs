//! Defines the options of guideline games: fields of [`Guideline`], and keys of a rules file.
//!
//! The presets are the files of `data/rules/`:
//!
//! | key | `guideline` | `capstone` |
//! |---|---|---|
//! | `i_spawn_row`: row where I spawns (from 0; all others at row 20) | 20 | 21 |
//! | `falls_at_once`: a piece falls one row as it spawns | yes | no |
//! | `kept_rows`: rows kept at a lock | 32 (of 40) | 24: cells above are lost |
//! | `lock_out`: a piece locked wholly above row 20 ends the game | yes | no |
//! | `front_walls`: a wall beside a front corner counts as filled | yes | no |
//! | `fifth_kick`: the fifth kick makes a full T-spin | with three corners | always |
//! | `multiplied_zero_spins`: points of a T-spin without lines under back-to-back | 400 | 600 |
//! | `perfect_tetris`: points of a tetris perfect clear under back-to-back | 1200 + 3200 | 4000 |
//!
//! The presets `jstris`, `botris`, `tetrio-1`, `tetrio-2` and `puyo-puyo-tetris` differ from
//! `guideline` in attack, spins, kicks and previews.

use serde::{Deserialize, Serialize};

use super::attack::AttackTable;
use super::landing::Landing;
use super::rule_set::RuleSet;
use super::srs::Kicks;
use crate::error::{Error, Result};
use crate::matrix::{ROWS, VISIBLE};

/// The condition under which the fifth kick of a turn makes a T-spin full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FifthKick {
    /// The T-spin is full if three corners are filled.
    WithCorners,
    /// The T-spin is always full.
    Alone,
}

/// The points of a tetris that empties the matrix under back-to-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerfectTetris {
    /// 1200 points for the tetris and 3200 for the perfect clear.
    Guideline,
    /// 4000 points for the tetris and the perfect clear together.
    #[serde(rename = "total-4000")]
    Total4000,
}

/// The pieces that can spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spins {
    /// Only T spins, by the corners around it.
    T,
    /// T spins by its corners. A piece that rests where it cannot move left, right or up has a mini
    /// spin, unless it is a T with a full one.
    AllMini,
    /// A piece that rests where it cannot move left, right or up has a full spin. The corners
    /// around a T do not matter.
    All,
}

/// Largest number of previews: two bags and one piece.
pub const MAX_PREVIEWS: usize = 15;

/// Declares the struct of rules, and a struct of options that changes some of them.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)+) => {
        /// The rules of a guideline game. [`super::RuleSet`] reads them from a preset or a file.
        ///
        /// ```
        /// # extern crate tetrastat_core as tetrastat;
        /// use tetrastat::rules::guideline::Guideline;
        /// let rules = Guideline { hold: false, previews: 1, ..Guideline::official() };
        /// rules.check()?;
        /// assert!(Guideline { previews: 16, ..rules }.check().is_err());
        /// # Ok::<(), tetrastat::error::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Guideline {
            $($(#[$doc])* pub $field: $type,)+
        }

        /// A layer of changes to other rules: the keys of a rules file, or the options of a command
        /// line. Rules that are `None` keep their value.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct RuleOptions {
            /// Name of the resulting rules.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Source of the rules, for readers of the file.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source: Option<String>,
            /// Name of the preset that a rules file changes; `guideline` if missing.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub preset: Option<String>,
            $($(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)+
        }

        impl RuleOptions {
            /// Returns `rules` with the changes of this layer.
            #[must_use]
            pub fn merge_over(&self, rules: Guideline) -> Guideline {
                Guideline { $($field: self.$field.unwrap_or(rules.$field),)+ }
            }

            /// Returns the rules that this layer sets, or `None` if it leaves one unset.
            pub(super) fn complete(&self) -> Option<Guideline> {
                Some(Guideline { $($field: self.$field?,)+ })
            }

            /// Returns the layer called `name` that sets every rule to its value in `rules`.
            #[must_use]
            pub(super) fn all(name: &str, rules: Guideline) -> RuleOptions {
                RuleOptions {
                    name: Some(name.to_owned()),
                    $($field: Some(rules.$field),)+
                    ..RuleOptions::default()
                }
            }
        }
    };
}

rules! {
    /// Kick table of turns.
    kicks: Kicks,
    /// True if half turns are allowed.
    half_turns: bool,
    /// True if the player has a hold.
    hold: bool,
    /// Number of visible pieces after the current one, 0 to [`MAX_PREVIEWS`].
    previews: u8,
    /// Row of the centre cell of I at its spawn; all other pieces spawn at row 20.
    i_spawn_row: u8,
    /// True if a piece falls one row as it spawns, if it can.
    falls_at_once: bool,
    /// Number of rows kept at a lock; cells above are lost.
    kept_rows: u8,
    /// True if a piece that locks wholly above row 20 ends the game.
    lock_out: bool,
    /// True if a front corner of a T counts as filled when it lies outside the board, in a wall or
    /// the floor.
    front_walls: bool,
    /// Condition under which the fifth kick of a turn makes a T-spin full.
    fifth_kick: FifthKick,
    /// True if back-to-back multiplies the points of a T-spin without lines.
    multiplied_zero_spins: bool,
    /// Points of a tetris that empties the matrix under back-to-back.
    perfect_tetris: PerfectTetris,
    /// The pieces that can spin.
    spins: Spins,
    /// Rows of garbage that placements send to an opponent.
    attack: AttackTable,
}

impl Guideline {
    /// Returns the rules of the preset `guideline`.
    #[must_use]
    pub fn official() -> Guideline {
        *RuleSet::official()
    }

    /// Returns the rules of the preset `capstone`.
    #[must_use]
    pub fn capstone() -> Guideline {
        *RuleSet::capstone()
    }

    /// Returns true if a piece that locks at `landing` ends the game.
    #[must_use]
    #[inline]
    pub fn loses(&self, landing: Landing) -> bool {
        self.lock_out && landing.is_above(VISIBLE)
    }

    /// Checks that every option is in range.
    ///
    /// # Errors
    /// Returns [`Error::Config`] for an option out of range.
    pub fn check(&self) -> Result<()> {
        let fail = |problem: String| Err(Error::Config(problem));
        if usize::from(self.previews) > MAX_PREVIEWS {
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
