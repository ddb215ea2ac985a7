//! Defines guideline rules: ten columns, bags of seven, hold, previews, SRS kicks, T-spins.
//!
//! | file | content |
//! |---|---|
//! | this one | a game between two placements: matrix, hold, back-to-back and combo |
//! | `options` | the rules in which games differ: presets of `data/rules/`, and users' files |
//! | `srs` | rotation states, cells and kicks of a piece |
//! | `landing` | resting positions with their spin (landings), and packed lists of landings |
//! | [`positions`] | a slow search, the specification of `movegen`; shortest inputs |
//! | `movegen` | the fast generator of landings |
//! | `perft` | numbers of placement sequences, and boards with known numbers |
//! | `points` | points of a placement, and rows of garbage that it sends |
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{kernels::Level, piece::Piece, rules::guideline::*};
//! let rules = Guideline::official();
//! let matrix = "##########\n.#########".parse()?;
//! let state = GuidelineState { matrix, ..GuidelineState::default() };
//! let [current, _] = state.choices(&rules, &[Piece::I, Piece::T]);
//! let choice = current.expect("the dealt piece may be placed");
//! let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
//! let mut landings = Landings::default();
//! movegen.landings(&state.matrix, choice.piece, &mut landings);
//! let flat = landings.iter().find(|landing| landing.low() == 2).unwrap();
//! let placed = state.place(&rules, &choice, flat);
//! assert_eq!((placed.clear.lines, placed.points.total(), placed.after.lines), (1, 100, 1));
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

mod landing;
mod movegen;
mod options;
mod perft;
mod points;
pub mod positions;
mod srs;

pub use crate::matrix::Matrix;
pub use crate::placement::Spin;
pub use landing::{Landing, Landings, shape};
pub use movegen::{MoveGenerator, Moves};
pub use options::{
    FifthKick, GUIDELINE_NAMES, Guideline, MAX_PREVIEWS, PerfectTetris, RuleOptions, RuleSet, Spins,
};
pub use perft::{PERFT_BOARDS, PerftBoard, perft, perft_matrix};
pub use points::{AttackTable, Clear, ComboState, PerfectAttack, Points, points};
pub use positions::{Input, InputPath, shortest};
pub use srs::{Kicks, RotationState, RotationTurn};

use serde::{Deserialize, Serialize};

use crate::features::guideline::ClearEvent;
use crate::piece::Piece;

/// The content of the hold, where a player keeps a piece for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Hold {
    /// No piece, because the hold has not been used since the start of the game.
    #[default]
    Empty,
    /// A known piece in the hold.
    Piece(Piece),
    /// An unknown piece, held by a search that looks beyond the previews.
    Unknown,
}

impl Hold {
    /// Returns the piece in the hold, or `None` if the hold is empty or the piece is unknown.
    #[must_use]
    pub fn piece(self) -> Option<Piece> {
        if let Hold::Piece(piece) = self { Some(piece) } else { None }
    }
}

/// The state of a guideline game between two placements, without the queue of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct GuidelineState {
    /// Matrix with the settled cells.
    pub matrix: Matrix,
    /// Content of the hold in this state of the game.
    pub hold: Hold,
    /// Number of queue pieces that a search has placed or held; 0 at its start and in a game.
    pub taken: u32,
    /// Back-to-back and combo, which affect the points of the next placement.
    pub combo_state: ComboState,
    /// Number of rows removed since the start of the game.
    pub lines: u32,
}

/// A piece that may be placed next, and the effect of this choice on hold and queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Piece to be placed.
    pub piece: Piece,
    /// True if placing the piece uses the hold.
    pub held: bool,
    /// Content of the hold after this piece is placed.
    pub hold: Hold,
    /// Number of pieces that a search has taken from the queue once this piece is placed.
    pub taken: u32,
}

/// The effect of a placement in a guideline game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// State of the game after the placement.
    pub after: GuidelineState,
    /// Matrix with the placed piece, before full rows are removed.
    pub locked: Matrix,
    /// Rows removed, spin and perfect clear of the placement.
    pub clear: Clear,
    /// Data of the placement from which a controller computes its terms (features).
    pub event: ClearEvent,
    /// Points of the placement, without points of soft and hard drops.
    pub points: Points,
    /// Rows of garbage that the placement sends to an opponent ([`AttackTable`]).
    pub attack: u32,
    /// True if the placement ended the game by lock out.
    pub lost: bool,
}

impl Placed {
    /// Returns the game's state after the placement, with the number of pieces taken from the queue
    /// set to 0.
    #[must_use]
    pub fn next_state(&self) -> GuidelineState {
        GuidelineState { taken: 0, ..self.after }
    }
}

impl GuidelineState {
    /// Returns the piece to place next, and the piece that the hold gives instead, if different.
    /// `known` is the queue of known pieces, including those already taken.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::piece::Piece;
    /// use tetrastat::rules::guideline::{Guideline, GuidelineState};
    /// let state = GuidelineState::default();
    /// let choices = state.choices(&Guideline::official(), &[Piece::T, Piece::I]);
    /// let pieces = choices.map(|choice| choice.map(|choice| (choice.piece, choice.held)));
    /// assert_eq!(pieces, [Some((Piece::T, false)), Some((Piece::I, true))]);
    /// ```
    #[must_use]
    pub fn choices(&self, rules: &Guideline, known: &[Piece]) -> [Option<Choice>; 2] {
        let [plain, swapped] = [false, true].map(|held| self.choice(rules, known, held));
        // Holding an equal piece leads to equal states, which would be searched twice.
        let is_other = |choice: &Choice| plain.is_none_or(|plain| plain.piece != choice.piece);
        [plain, swapped.filter(is_other)]
    }

    /// Returns the choice of the current piece or, if `held`, of the hold's piece (with an empty
    /// hold, the next piece). Returns `None` if it is unknown, or if the rules forbid the hold.
    #[must_use]
    pub fn choice(&self, rules: &Guideline, known: &[Piece], held: bool) -> Option<Choice> {
        let at = |ahead: u32| known.get((self.taken + ahead) as usize).copied();
        let current = at(0);
        if !held {
            let taken = self.taken + 1;
            return current.map(|piece| Choice { piece, held, hold: self.hold, taken });
        }
        let (piece, used) = match self.hold {
            Hold::Piece(piece) => (piece, 1),
            // With an empty hold the current piece is held and the next placed: two are taken.
            Hold::Empty if current.is_some() => (at(1)?, 2),
            Hold::Empty | Hold::Unknown => return None,
        };
        // A search beyond the last preview holds an unknown piece.
        let hold = current.map_or(Hold::Unknown, Hold::Piece);
        rules.hold.then_some(Choice { piece, held, hold, taken: self.taken + used })
    }

    /// Returns a hash of the game's state, equal on all machines, for ties in a beam search.
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
            | u64::from(self.combo_state.chain) << 16);
        key ^ key >> 29
    }

    /// Returns `matrix` with the landed piece, without cells above the rows that the rules keep.
    #[must_use]
    #[inline]
    pub(crate) fn locked(matrix: &Matrix, rules: &Guideline, landing: Landing) -> Matrix {
        let locked = landing.lock(matrix);
        let is_cut = usize::from(rules.kept_rows) < crate::matrix::ROWS;
        if is_cut { locked.without_rows_from(rules.kept_rows.into()) } else { locked }
    }

    /// Returns the effect of placing a piece at `landing` in this state of the game.
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
            combo_state: self.combo_state.after(rules, clear),
            lines: self.lines + lines,
        };
        let lost = rules.loses(landing);
        let points = points(rules, clear, self.combo_state);
        let attack = rules.attack.lines_sent(clear, self.combo_state);
        let event = ClearEvent {
            piece: landing.piece,
            lines: clear.lines,
            spin: clear.spin,
            perfect: clear.perfect,
            // Earlier clears determine the points, so the event has the back-to-back and combo
            // before this one.
            combo: self.combo_state.combo,
            back_to_back: self.combo_state.back_to_back(),
            height: matrix.stack_height() as u8,
            points: points.total(),
            attack,
        };
        Placed { after, locked, clear, event, points, attack, lost }
    }
}
