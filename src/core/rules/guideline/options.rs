//! The points on which guideline games differ: the fields of [`Guideline`], and the keys of a rules file.
//!
//! The presets are the files of `data/rules/`:
//!
//! | key | `guideline` | `capstone` |
//! |---|---|---|
//! | `i_spawn_row`: row where I spawns (0-based; all others 20) | 20 | 21 |
//! | `falls_at_once`: a piece falls one row as it spawns | yes | no |
//! | `kept_rows`: rows that are kept at a lock | 32 (of 40) | 24: cells above are lost |
//! | `lock_out`: lock out ends the game | yes | no |
//! | `front_walls`: a wall beside a front corner counts as filled | yes | no |
//! | `fifth_kick`: the fifth kick makes a full T-spin | with three corners | always |
//! | `multiplied_zero_spins`: a T-spin without lines under back-to-back | 400 | 600 |
//! | `perfect_tetris`: a tetris perfect clear under back-to-back | 1200 + 3200 | 4000 |

use serde::{Deserialize, Serialize};

use super::landing::Landing;
use super::rule_set::RuleSet;
use super::srs::Kicks;
use crate::error::{Error, Result};
use crate::matrix::{ROWS, VISIBLE};

/// When the fifth kick of a turn makes a T-spin full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FifthKick {
    /// When three corners are filled.
    WithCorners,
    /// Always.
    Alone,
}

/// What a tetris that empties the matrix earns under back-to-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerfectTetris {
    /// 1200 + 3200.
    Guideline,
    /// 4000 in all.
    #[serde(rename = "total-4000")]
    Total4000,
}

/// Most previews there can be: two bags and one piece.
pub const MAX_PREVIEWS: usize = 15;

/// Declares the rules, and a layer that sets some of them.
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

        /// A layer over other rules: the keys of a rules file, or the options of a command line. A rule that is `None`
        /// stays as it is below.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct RuleOptions {
            /// The name of the resulting rules.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Where the rules come from, for readers of the file.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source: Option<String>,
            /// The preset that a file changes, `guideline` if it names none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub preset: Option<String>,
            $($(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)+
        }

        impl RuleOptions {
            /// Returns `rules` with this layer over them.
            #[must_use]
            pub fn over(&self, rules: Guideline) -> Guideline {
                Guideline { $($field: self.$field.unwrap_or(rules.$field),)+ }
            }

            /// Returns the rules of this layer alone; `None` if one is missing.
            pub(super) fn complete(&self) -> Option<Guideline> {
                Some(Guideline { $($field: self.$field?,)+ })
            }

            /// Returns the layer that sets every rule.
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
    /// The kick table.
    kicks: Kicks,
    /// Whether half turns are allowed.
    half_turns: bool,
    /// Whether there is a hold.
    hold: bool,
    /// Pieces seen beyond the current one, 0 to [`MAX_PREVIEWS`].
    previews: u8,
    /// Row of the centre cell of I when it spawns; of all others it is 20.
    i_spawn_row: u8,
    /// Whether a piece falls one row as it spawns, where it can.
    falls_at_once: bool,
    /// Rows that are kept at a lock; cells above are lost.
    kept_rows: u8,
    /// Whether a piece that locks wholly above row 20 ends the game.
    lock_out: bool,
    /// Whether a wall or the floor beside a front corner of a T counts as filled.
    front_walls: bool,
    /// When the fifth kick of a turn makes a T-spin full.
    fifth_kick: FifthKick,
    /// Whether back-to-back multiplies a T-spin without lines.
    multiplied_zero_spins: bool,
    /// What a tetris that empties the matrix earns under back-to-back.
    perfect_tetris: PerfectTetris,
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
