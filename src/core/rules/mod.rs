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

/// The rules of a game. Presets: [`Rules::simplified`] and [`Rules::standard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How a piece gets onto the board.
    pub entry: Entry,
    /// Whether a piece that rests above the top row still removes full rows, and the game goes on
    /// if that brings the stack down again (MDPTetris `allow_lines_after_overflow`).
    pub clear_on_overflow: bool,
}

/// How a piece gets onto the board.
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

/// What a placement leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The board with the piece on it, before rows are removed.
    pub before: Board,
    /// The afterstate.
    pub after: Board,
    /// The move as features see it.
    pub played: Move,
    /// Whether the placement ends the game.
    pub lost: bool,
}

impl Outcome {
    /// The board that features are measured on.
    #[must_use]
    pub fn board(&self, measured: Measured) -> &Board {
        match measured {
            Measured::BeforeClear => &self.before,
            Measured::AfterClear => &self.after,
        }
    }
}

impl Rules {
    /// MDPTetris implementation 0: the rules of most research.
    #[must_use]
    pub const fn simplified() -> Rules {
        Rules { entry: Entry::FromAbove, clear_on_overflow: false }
    }

    /// Fahey's original game.
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

    /// Places a piece on a board, full rows removed.
    pub fn place(&self, board: &mut Board, piece: Piece, candidate: Candidate) -> Step {
        *board = candidate.lock(board, piece);
        let full = self.removable(board, piece, candidate);
        if full != 0 {
            *board = board.without_rows(full);
        }
        let stack = board.stack_height();
        let lost = stack > board.height();
        Step { lines: full.count_ones() as u8, stack: stack as u8, lost }
    }

    /// The rows that a piece just locked removes.
    fn removable(&self, locked: &Board, piece: Piece, candidate: Candidate) -> u32 {
        let (row, top) = (candidate.row as usize, candidate.top(piece));
        if top > locked.height() && !self.clear_on_overflow {
            return 0;
        }
        locked.full_rows_among(row..top)
    }

    /// Places a piece and tells all there is to know about it.
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
                let elsewhere = format!(
                    "or for guideline games (simulate, estimate, train, watch, play) {}",
                    GUIDELINE_NAMES.join(", ")
                );
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
