//! Defines the rules of classic games: available placements, removal of rows, and the end of a
//! game.
//!
//! | | `simplified` | `standard` |
//! |---|---|---|
//! | source | MDPTetris implementation 0 (`game.c`, `board.c`) | Fahey's StandardTetris (2007) |
//! | entry | any orientation and column, dropped from above | spawns inside the rows in play |
//! | placements | every orientation and column | those reached along the row below the spawn row |
//! | full rows | removed, but not by a piece that overflows | removed |
//! | end | a piece rests above the top row | the next piece cannot spawn |
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, piece::Piece, placement::Placements, rules::Rules};
//! let (rules, placements) = (Rules::simplified(), Placements::new(4));
//! let board: Board = "..../..../..../###.".parse()?;
//! let mut candidates = Vec::new();
//! rules.candidates(&placements, &board, Piece::I, &mut candidates);
//! assert_eq!(candidates.len(), 5); // upright in each of four columns, and flat
//! let outcome = rules.play(&board, Piece::I, candidates[3]);
//! assert_eq!((outcome.played.lines, outcome.after.to_hex()), (1, "8:8:8".to_owned()));
//! # Ok::<(), tetrastat::error::Error>(())
//! ```
//!
//! Guideline games have turns with kicks, a hold, previews, T-spins and points: see [`guideline`].

mod garbage;
pub mod guideline;

pub use garbage::{Garbage, GarbageRows};

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::guideline::GUIDELINE_NAMES;
use crate::board::Board;
use crate::error::{Error, Result};
use crate::features::{Measured, Move};
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement, PlacementEffect, Placements};
use crate::queue::{Queue, QueueKind};

/// The rules of a classic game: how pieces enter the board, and when full rows are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "RecordedRules", try_from = "RecordedRules")]
pub struct Rules {
    /// Way in which a piece enters the board.
    pub entry: Entry,
    /// True if a piece above the board's top still removes full rows, which may save the game
    /// (MDPTetris `allow_lines_after_overflow`).
    pub clear_on_overflow: bool,
}

#[derive(Serialize, Deserialize)]
struct RecordedRules {
    rules: String,
    reach: Option<Reach>,
    clear_on_overflow: bool,
}

impl From<Rules> for RecordedRules {
    fn from(rules: Rules) -> RecordedRules {
        let reach = match rules.entry {
            Entry::FromAbove => None,
            Entry::SpawnInside(reach) => Some(reach),
        };
        let Rules { clear_on_overflow, .. } = rules;
        RecordedRules { rules: rules.to_string(), reach, clear_on_overflow }
    }
}

impl TryFrom<RecordedRules> for Rules {
    type Error = Error;

    fn try_from(recorded: RecordedRules) -> Result<Rules> {
        let mut rules: Rules = recorded.rules.parse()?;
        if let (Entry::SpawnInside(reach), Some(recorded)) = (&mut rules.entry, recorded.reach) {
            *reach = recorded;
        }
        rules.clear_on_overflow = recorded.clear_on_overflow;
        Ok(rules)
    }
}

/// The way in which a piece enters the board. It determines the placements and the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Any orientation and column, dropped straight down from above.
    FromAbove,
    /// Spawn at the top centre, then one row down, turns, sideways moves and a drop. A blocked
    /// spawn ends the game.
    SpawnInside(Reach),
}

/// The columns to which a piece can move from its spawn before it drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Columns that the piece reaches without a filled cell on the way (Fahey's
    /// `DetermineAccessibleTranslationsForPieceOrientation`).
    Contiguous,
    /// All columns where the piece fits in the row in which it turns.
    Anywhere,
}

/// Names of the preset rules of classic games.
pub const RULES_NAMES: [&str; 2] = ["simplified", "standard"];

/// The result of a placement in a classic game, with the boards before and after full rows are
/// removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Board with the placed piece, before full rows are removed.
    pub before: Board,
    /// Board after full rows are removed, on which the next piece is placed.
    pub after: Board,
    /// Data of the placement that features need, such as its removed rows.
    pub played: Move,
    /// True if the placement ends the game: the stack then exceeds the board.
    pub lost: bool,
}

impl Outcome {
    /// Returns the board on which features are measured: before or after full rows are removed.
    #[must_use]
    pub fn board(&self, measured: Measured) -> &Board {
        match measured {
            Measured::BeforeClear => &self.before,
            Measured::AfterClear => &self.after,
        }
    }
}

impl Rules {
    /// Returns the rules of classic games of MDPTetris implementation 0, used by most research.
    #[must_use]
    pub const fn simplified() -> Rules {
        Rules { entry: Entry::FromAbove, clear_on_overflow: false }
    }

    /// Returns the rules of classic games of Fahey's original StandardTetris.
    #[must_use]
    pub const fn standard() -> Rules {
        Rules { entry: Entry::SpawnInside(Reach::Contiguous), clear_on_overflow: false }
    }

    /// Writes the placements of `piece` on `board` into `out`, ordered by orientation and then
    /// column. If there are none, the game is over.
    pub fn candidates(
        &self,
        placements: &Placements,
        board: &Board,
        piece: Piece,
        out: &mut Vec<Candidate>,
    ) {
        // The order decides ties between equal scores.
        out.clear();
        match self.entry {
            Entry::FromAbove => {
                let heights = board.heights();
                let dropped = |&placement| Candidate::dropped(&heights, piece, placement);
                out.extend(placements.of_piece(piece).iter().map(dropped));
            }
            Entry::SpawnInside(reach) => spawn_candidates(reach, board, piece, out),
        }
    }

    /// Places a piece on `board`, removes full rows, and returns the effect on the game.
    pub fn place(&self, board: &mut Board, piece: Piece, candidate: Candidate) -> PlacementEffect {
        *board = candidate.lock(board, piece);
        let full = self.removable(board, piece, candidate);
        if full != 0 {
            *board = board.without_rows(full);
        }
        // A piece above the top row loses only if the stack still exceeds the board after the
        // removal.
        let stack = board.stack_height();
        let lost = stack > board.height();
        PlacementEffect { lines: full.count_ones() as u8, stack: stack as u8, lost }
    }

    #[inline]
    fn removable(&self, locked: &Board, piece: Piece, candidate: Candidate) -> u32 {
        // Only rows of the piece can be full, because no row was full before.
        let (row, top) = (candidate.row as usize, candidate.top(piece));
        if top > locked.height() && !self.clear_on_overflow {
            return 0;
        }
        locked.full_rows_among(row..top)
    }

    /// Returns the result of placing a piece: the boards before and after full rows are removed.
    #[must_use]
    pub fn play(&self, board: &Board, piece: Piece, candidate: Candidate) -> Outcome {
        let before = candidate.lock(board, piece);
        let removable = self.removable(&before, piece, candidate);
        let after = before.without_rows(removable);
        let shape = candidate.shape(piece);
        let mut removed_cells = [0; 4];
        // Most placements remove no row.
        if removable != 0 {
            for (k, cells) in removed_cells.iter_mut().enumerate() {
                if removable >> (candidate.row as usize + k) & 1 == 1 {
                    *cells = shape.rows[k].count_ones() as u8;
                }
            }
        }
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
                "rules '{name}' are for guideline games, which only simulate, study, compare, \
                 estimate, train, watch, features and play support: here use one of {}",
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

impl Rules {
    /// Deals the next piece of a game; an adversarial queue deals the worst piece for `board`.
    #[inline]
    pub fn deal(&self, queue: &mut Queue, board: &Board) -> Result<Piece> {
        if matches!(queue.kind(), QueueKind::Adversary) {
            return Ok(queue.deal_chosen(self.worst_piece(board)));
        }
        queue.deal()
    }

    /// Returns the piece that an adversary deals on `board`.
    ///
    /// The adversary follows HATETRIS (qntm, 2010). For each piece it finds the placement after
    /// which the stack, without full rows, is lowest, and deals the piece whose lowest stack is
    /// highest. A lost game and a missing placement count as the highest stack. The first of equal
    /// pieces in the order S Z O I L J T is dealt. In HATETRIS a piece also slides under overhangs,
    /// and later versions avoid a piece that would repeat a board.
    #[must_use]
    pub fn worst_piece(&self, board: &Board) -> Piece {
        let (placements, mut candidates) = (Placements::new(board.width()), Vec::new());
        let lowest_stack = |&piece: &Piece| {
            self.candidates(&placements, board, piece, &mut candidates);
            let stack = |&candidate| {
                let step = self.place(&mut board.clone(), piece, candidate);
                if step.lost { u8::MAX } else { step.stack }
            };
            candidates.iter().map(stack).min().unwrap_or(u8::MAX)
        };
        // The last of equal pieces is found, so the order is reversed.
        let pieces = [Piece::T, Piece::J, Piece::L, Piece::I, Piece::O, Piece::Z, Piece::S];
        pieces.into_iter().max_by_key(lowest_stack).unwrap_or(Piece::S)
    }
}

#[derive(Clone, Copy)]
struct Origin {
    column: usize,
    row: usize,
}

/// Writes the placements of `piece` by Fahey's rules (StandardTetris 2007, `STBoard.cpp` and
/// `STGame.cpp`) to `out`.
///
/// The piece spawns in its first orientation with its origin in the top row, one column right of
/// the centre of an even board. It first falls one row, so that the ceiling does not block
/// rotations, then turns in place, moves sideways, and drops. A piece that cannot fall one row
/// locks where it is. Fahey's program never removes a full *top* row, which needs a stack as high
/// as the spawn. These rules remove it.
fn spawn_candidates(reach: Reach, board: &Board, piece: Piece, out: &mut Vec<Candidate>) {
    let spawn = Origin { column: spawn_column(board.width()), row: board.height() - 1 };
    let below = Origin { row: spawn.row - 1, ..spawn };
    let first = first_orientation(piece);
    let fits = |index: usize, origin| fit(board, &piece.orientations()[index], origin).is_some();
    if !fits(first, spawn) {
        return;
    }
    if !fits(first, below) {
        out.extend(drop_piece(board, piece, first, spawn));
        return;
    }
    for index in 0..piece.orientations().len() {
        if fits(index, below) {
            let columns = reachable(reach, board, &piece.orientations()[index], below);
            out.extend(
                columns.filter_map(|column| {
                    drop_piece(board, piece, index, Origin { column, ..below })
                }),
            );
        }
    }
}

/// Returns the column in which a piece's origin, about which it turns, spawns under Fahey's rules.
pub(crate) fn spawn_column(width: usize) -> usize {
    // Fahey's program counts from 1 and has 1 + width/2.
    width / 2
}

fn first_orientation(piece: Piece) -> usize {
    piece.orientations().iter().position(|o| o.fahey.turns == 0).unwrap_or(0)
}

fn fit(board: &Board, o: &Orientation, origin: Origin) -> Option<(usize, usize)> {
    let column = origin.column.checked_sub(o.fahey.origin_column as usize)?;
    let row = origin.row.checked_sub(o.fahey.origin_row as usize)?;
    let inside =
        column + o.width as usize <= board.width() && row + o.height as usize <= board.height();
    (inside && board.is_free(o, column, row)).then_some((column, row))
}

fn reachable(
    reach: Reach,
    board: &Board,
    o: &Orientation,
    from: Origin,
) -> impl Iterator<Item = usize> {
    // Moves in each direction end at the first obstacle.
    let fits = |column: &usize| fit(board, o, Origin { column: *column, ..from }).is_some();
    let left = (0..from.column).rev().take_while(fits).count();
    let right = (from.column + 1..board.width()).take_while(fits).count();
    let (first, last) = match reach {
        Reach::Contiguous => (from.column - left, from.column + right),
        Reach::Anywhere => (0, board.width() - 1),
    };
    (first..=last).filter(fits).collect::<Vec<_>>().into_iter()
}

fn drop_piece(board: &Board, piece: Piece, index: usize, origin: Origin) -> Option<Candidate> {
    let o = &piece.orientations()[index];
    let (column, from) = fit(board, o, origin)?;
    // A drop computed from column heights would miss resting places under overhangs.
    let row = (0..=from).rev().take_while(|&row| board.is_free(o, column, row)).last()?;
    let placement = Placement { orientation: index as u8, column: column as u8 };
    Some(Candidate { placement, row: row as u8 })
}
