//! Rules: which placements there are, when rows clear, and what ends a game.
//!
//! | | `simplified` | `standard` |
//! |---|---|---|
//! | source | MDPTetris implementation 0 (`game.c`, `board.c`) | Fahey's StandardTetris (2007 C++ source) |
//! | entry | chosen, then dropped straight from above the board | spawns inside the rows in play |
//! | placements | every orientation and column | those reached along the row below the spawn row |
//! | full rows | removed, but not by a piece that overflows | removed |
//! | the end | a piece rests above the top row | the next piece cannot spawn |
//!
//! A game needs no more than a board, a piece and this:
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, piece::Piece, placement::Placements, rules::Rules};
//! let (rules, placements) = (Rules::simplified(), Placements::new(4));
//! let board: Board = "..../..../..../###.".parse()?;
//! let mut candidates = Vec::new();
//! rules.candidates(&placements, &board, Piece::I, &mut candidates);
//! assert_eq!(candidates.len(), 5); // upright in four columns, and flat
//! let outcome = rules.play(&board, Piece::I, candidates[3]);
//! assert_eq!((outcome.played.lines, outcome.after.to_hex()), (1, "8:8:8".to_owned()));
//! # Ok::<(), tetrastat::error::Error>(())
//! ```
//!
//! [`guideline`] is a game of its own: turns with kicks, hold, previews, T-spins and points.

pub mod guideline;
mod standard;

pub(crate) use standard::spawn_column;

use std::fmt;
use std::str::FromStr;

use self::guideline::GUIDELINE_NAMES;
use crate::board::Board;
use crate::error::{Error, Result};
use crate::features::{Measured, Move};
use crate::piece::Piece;
use crate::placement::{Candidate, Placements, Step};

/// The rules of a classic game. Presets: [`Rules::simplified`] and [`Rules::standard`], which parse from
/// their names; other combinations are for experiments.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::Rules;
/// assert_eq!("standard".parse::<Rules>()?, Rules::standard());
/// let lenient = Rules { clear_on_overflow: true, ..Rules::simplified() };
/// assert_eq!(lenient.to_string(), "simplified"); // it is named by how pieces enter
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How a piece gets onto the board.
    pub entry: Entry,
    /// Whether a piece that rests above the top row still removes full rows, and the game goes on
    /// if that brings the stack down again (MDPTetris `allow_lines_after_overflow`).
    pub clear_on_overflow: bool,
}

/// How a piece gets onto the board: it decides which placements there are, and how a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Any orientation and column, dropped straight down from above; no piece is ever blocked.
    FromAbove,
    /// At the top centre inside the rows in play; the game ends when it does not fit there. It
    /// falls one row, turns, then moves sideways, then drops.
    SpawnInside(Reach),
}

/// Which columns a piece can move to from its spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those with no obstacle on the way along the row where it turns (Fahey's
    /// `DetermineAccessibleTranslationsForPieceOrientation`).
    Contiguous,
    /// All where it fits at that row, whatever lies between.
    Anywhere,
}

/// The names of the presets.
pub const RULES_NAMES: [&str; 2] = ["simplified", "standard"];

/// What a placement leads to: both boards that a feature may be measured on, and what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The board with the piece on it, before rows are removed.
    pub before: Board,
    /// The afterstate: the board that the next piece meets.
    pub after: Board,
    /// The move as features see it.
    pub played: Move,
    /// Whether the placement ends the game: the stack is higher than the board after full rows were removed.
    pub lost: bool,
}

impl Outcome {
    /// The board that features are measured on: [`Outcome::before`] or [`Outcome::after`].
    #[must_use]
    pub fn board(&self, measured: Measured) -> &Board {
        match measured {
            Measured::BeforeClear => &self.before,
            Measured::AfterClear => &self.after,
        }
    }
}

impl Rules {
    /// MDPTetris implementation 0: the rules of most research. Whatever fits is reached, so every piece has
    /// all its placements on every board.
    #[must_use]
    pub const fn simplified() -> Rules {
        Rules { entry: Entry::FromAbove, clear_on_overflow: false }
    }

    /// Fahey's original game: pieces spawn inside the rows in play, so that a high stack takes placements away
    /// before it ends the game.
    #[must_use]
    pub const fn standard() -> Rules {
        Rules { entry: Entry::SpawnInside(Reach::Contiguous), clear_on_overflow: false }
    }

    /// Writes the candidates of a piece into `out`, in the order that decides ties. None means
    /// that the piece cannot enter and the game is over.
    pub fn candidates(
        &self,
        placements: &Placements,
        board: &Board,
        piece: Piece,
        out: &mut Vec<Candidate>,
    ) {
        out.clear();
        match self.entry {
            Entry::FromAbove => {
                let heights = board.heights();
                let dropped = |&placement| Candidate::dropped(&heights, piece, placement);
                out.extend(placements.of(piece).iter().map(dropped));
            }
            Entry::SpawnInside(reach) => standard::candidates(reach, board, piece, out),
        }
    }

    /// Places a piece on a board, full rows removed: what a loop over a game needs. [`Rules::play`] tells more,
    /// and is dearer for it.
    pub fn place(&self, board: &mut Board, piece: Piece, candidate: Candidate) -> Step {
        *board = candidate.lock(board, piece);
        let full = self.removable(board, piece, candidate);
        if full != 0 {
            *board = board.without_rows(full);
        }
        // After the rows are gone: a piece above the top does not lose where its rows bring the stack down
        // again.
        let stack = board.stack_height();
        let lost = stack > board.height();
        Step { lines: full.count_ones() as u8, stack: stack as u8, lost }
    }

    /// The rows that a piece just locked removes.
    fn removable(&self, locked: &Board, piece: Piece, candidate: Candidate) -> u32 {
        // Only the piece's own rows: before it there was no full one.
        let (row, top) = (candidate.row as usize, candidate.top(piece));
        if top > locked.height() && !self.clear_on_overflow {
            return 0;
        }
        locked.full_rows_among(row..top)
    }

    /// Places a piece and tells all there is to know about it; the board given stays as it is.
    #[must_use]
    pub fn play(&self, board: &Board, piece: Piece, candidate: Candidate) -> Outcome {
        let before = candidate.lock(board, piece);
        let removable = self.removable(&before, piece, candidate);
        let after = before.without_rows(removable);
        let shape = candidate.shape(piece);
        let removed_cells = std::array::from_fn(|k| {
            let removed = removable >> (candidate.row as usize + k) & 1 == 1;
            if removed { shape.rows[k].count_ones() as u8 } else { 0 }
        });
        let lines = removable.count_ones() as u8;
        Outcome {
            before,
            after,
            played: Move { piece, candidate, lines, removed_cells },
            lost: after.stack_height() > board.height(),
        }
    }
}

impl FromStr for Rules {
    type Err = Error;

    fn from_str(name: &str) -> Result<Rules> {
        match name {
            "simplified" => Ok(Rules::simplified()),
            "standard" => Ok(Rules::standard()),
            _ if GUIDELINE_NAMES.contains(&name) => Err(Error::Config(format!(
                "rules '{name}' are of guideline games, which simulate, study, compare, estimate, train, watch, features and play have: here use one of {}",
                RULES_NAMES.join(", ")
            ))),
            _ => {
                let elsewhere = format!("or for guideline games {}", GUIDELINE_NAMES.join(", "));
                let known = RULES_NAMES.into_iter().chain([elsewhere.as_str()]);
                Err(Error::unknown("rules", name, known))
            }
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.entry {
            Entry::FromAbove => "simplified",
            Entry::SpawnInside(_) => "standard",
        })
    }
}
