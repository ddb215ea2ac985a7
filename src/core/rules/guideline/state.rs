//! The state of a guideline game between two pieces, and what a placement makes of it.

use serde::{Deserialize, Serialize};

use super::{Guideline, Landing, Matrix};
use crate::features::guideline::ClearEvent;
use crate::piece::Piece;

use super::points::{Clear, ComboState, Points, points};

/// What lies in the hold. A search that looks past the pieces it knows may hold one that it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Hold {
    /// Nothing yet.
    #[default]
    Empty,
    /// A piece.
    Piece(Piece),
    /// A piece that a search put there without knowing it.
    Unknown,
}

/// A game between two pieces: all that decides what may come of it, but for the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct GuidelineState {
    /// The settled cells.
    pub matrix: Matrix,
    /// The hold.
    pub hold: Hold,
    /// Pieces of the known ones that a search has placed; 0 in a game, whose known pieces begin with the next one.
    pub taken: u32,
    /// What the next placement inherits.
    pub combo_state: ComboState,
    /// Rows removed so far.
    pub lines: u32,
}

/// A piece that may be placed now, with what taking it does to hold and queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The piece.
    pub piece: Piece,
    /// Whether the hold is used for it.
    pub held: bool,
    /// The hold afterwards.
    pub hold: Hold,
    /// Pieces taken from the queue afterwards.
    pub taken: u32,
}

/// What a placement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The state after it.
    pub after: GuidelineState,
    /// The matrix with the piece on it, before rows were removed.
    pub locked: Matrix,
    /// Rows, spin, perfect.
    pub clear: Clear,
    /// The same as terms ask for it.
    pub event: ClearEvent,
    /// Its points, drops left out.
    pub points: Points,
    /// Whether it ended the game by lock out.
    pub lost: bool,
}

impl Placed {
    /// Returns the state in which the game continues: its known pieces begin with the next one.
    #[must_use]
    pub fn next_state(&self) -> GuidelineState {
        GuidelineState { taken: 0, ..self.after }
    }
}

impl GuidelineState {
    /// The pieces that may be placed now: the current one, then what the hold gives in its place,
    /// if that is another piece. `known` holds the queue from its first piece on.
    #[must_use]
    pub fn choices(&self, rules: &Guideline, known: &[Piece]) -> [Option<Choice>; 2] {
        let at = |ahead: u32| known.get((self.taken + ahead) as usize).copied();
        let current = at(0);
        let plain = current.map(|piece| Choice {
            piece,
            held: false,
            hold: self.hold,
            taken: self.taken + 1,
        });
        // A search that looks past the last preview holds a piece it does not know.
        let kept = current.map_or(Hold::Unknown, Hold::Piece);
        let other = match self.hold {
            Hold::Piece(piece) => Some((piece, 1)),
            // With an empty hold the current piece goes there and the next one is placed: two are taken.
            Hold::Empty if current.is_some() => at(1).map(|piece| (piece, 2)),
            Hold::Empty | Hold::Unknown => None,
        };
        // The same piece from the hold leads to the same states, and would be searched twice.
        let swapped = other.filter(|(piece, _)| rules.hold && Some(*piece) != current).map(
            |(piece, used)| Choice { piece, held: true, hold: kept, taken: self.taken + used },
        );
        [plain, swapped]
    }

    /// A number that tells states apart, nearly always; the same on every machine. A beam keeps the smaller of
    /// states that are worth the same.
    #[must_use]
    pub fn key(&self) -> u64 {
        let mut key = u64::from(self.taken) << 32 | u64::from(self.lines);
        let mut mix =
            |word: u64| key = (key.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for pair in self.matrix.columns().chunks_exact(2) {
            mix(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        }
        let hold = match self.hold {
            Hold::Empty => 7,
            Hold::Unknown => 8,
            Hold::Piece(piece) => piece as u64,
        };
        mix(hold
            | u64::from(self.combo_state.combo) << 8
            | u64::from(self.combo_state.back_to_back) << 16);
        key ^ key >> 29
    }

    /// A matrix with a piece on it, before rows are removed.
    #[must_use]
    #[inline]
    pub(crate) fn locked(matrix: &Matrix, rules: &Guideline, landing: Landing) -> Matrix {
        let locked = landing.lock(matrix);
        let is_cut = usize::from(rules.kept_rows) < crate::matrix::ROWS;
        if is_cut { locked.cut(rules.kept_rows.into()) } else { locked }
    }

    /// The state after a choice is placed.
    #[must_use]
    #[inline]
    pub fn place(&self, rules: &Guideline, choice: &Choice, landing: Landing) -> Placed {
        let locked = GuidelineState::locked(&self.matrix, rules, landing);
        let (matrix, lines) = locked.clear();
        let clear = Clear {
            lines: lines as u8,
            spin: landing.spin,
            perfect: lines > 0 && matrix.is_empty(),
        };
        let after = GuidelineState {
            matrix,
            hold: choice.hold,
            taken: choice.taken,
            combo_state: self.combo_state.after(clear),
            lines: self.lines + lines,
        };
        let lost = rules.loses(landing);
        let points = points(rules, clear, self.combo_state);
        let event = ClearEvent {
            piece: landing.piece,
            lines: clear.lines,
            spin: clear.spin,
            perfect: clear.perfect,
            // Of the chain before it: what this placement earns is counted by the clears before.
            combo: self.combo_state.combo,
            back_to_back: self.combo_state.back_to_back,
            height: matrix.stack_height() as u8,
            points: points.total(),
        };
        Placed { after, locked, clear, event, points, lost }
    }
}
