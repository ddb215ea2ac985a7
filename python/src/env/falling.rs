//! The falling piece of a guideline game by key presses. The game has no gravity and no lock delay.

use serde::{Deserialize, Serialize};
use tetrastat::piece::Piece;
use tetrastat::rules::guideline::positions::{Arrival, Position, spin};
use tetrastat::rules::guideline::{Choice, Guideline, Input, Landing, Matrix, RotationTurn, Spin};

/// A key of a guideline game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Input that moves, rotates or drops the falling piece. A hard drop also locks it.
    Input(Input),
    /// Key that swaps the falling piece with the held one, at most once per piece.
    Hold,
}

/// Keys in the order of their action numbers: the inputs in the order of their letters in logs,
/// then the hold.
pub(super) const KEYS: [Key; 11] = [
    Key::Input(Input::Left),
    Key::Input(Input::Right),
    Key::Input(Input::FarLeft),
    Key::Input(Input::FarRight),
    Key::Input(Input::Turn(RotationTurn::Clockwise)),
    Key::Input(Input::Turn(RotationTurn::CounterClockwise)),
    Key::Input(Input::Turn(RotationTurn::Half)),
    Key::Input(Input::SonicDrop),
    Key::Input(Input::SoftDrop),
    Key::Input(Input::HardDrop),
    Key::Hold,
];

/// Returns the letter that stands for `key` in logs, or `o` for the hold.
pub(super) fn letter(key: Key) -> char {
    match key {
        Key::Input(input) => input.letter(),
        Key::Hold => 'o',
    }
}

/// Falling piece of a guideline game, with its position and last movement.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Falling {
    pub choice: Choice,
    at: Position,
    arrival: Arrival,
    /// Number of rows by which soft and sonic drops have moved the piece.
    soft: u32,
}

impl Falling {
    /// Creates the piece of `choice` at its spawn position. Returns `None` if that position is
    /// blocked.
    pub fn spawn(rules: &Guideline, matrix: &Matrix, choice: Choice) -> Option<Falling> {
        let at = Position::spawn(rules, matrix, choice.piece)?;
        Some(Falling { choice, at, arrival: Arrival::Moved, soft: 0 })
    }

    /// Returns the column and row of each cell of the piece.
    pub fn cells(&self) -> [(usize, usize); 4] {
        self.at.landing(self.choice.piece, Spin::None).cells()
    }

    /// Returns true if `key` changes the position of the piece or locks it. Returns false for the
    /// hold, which this type does not handle.
    pub fn allows(&self, rules: &Guideline, matrix: &Matrix, key: Key) -> bool {
        match key {
            Key::Input(Input::HardDrop) => true,
            Key::Input(input) => self.moved(rules, matrix, input).is_some(),
            Key::Hold => false,
        }
    }

    /// Presses `key`. If the piece locks, returns its landing and the points of all its drops.
    pub fn press(
        &mut self,
        rules: &Guideline,
        matrix: &Matrix,
        key: Key,
    ) -> Option<(Landing, u32)> {
        match key {
            Key::Input(Input::HardDrop) => Some(self.locked(rules, matrix)),
            Key::Input(input) => {
                *self = self.moved(rules, matrix, input).unwrap_or(*self);
                None
            }
            Key::Hold => None,
        }
    }

    /// Returns the piece after `input`, or `None` if the input does not move it.
    fn moved(&self, rules: &Guideline, matrix: &Matrix, input: Input) -> Option<Falling> {
        let piece = self.choice.piece;
        let (to, arrival) = match input {
            Input::Left => (self.at.moved(matrix, piece, -1, 0)?, Arrival::Moved),
            Input::Right => (self.at.moved(matrix, piece, 1, 0)?, Arrival::Moved),
            Input::FarLeft => (self.at.far(matrix, piece, -1, 0), Arrival::Moved),
            Input::FarRight => (self.at.far(matrix, piece, 1, 0), Arrival::Moved),
            Input::Turn(RotationTurn::Half) if !rules.half_turns => return None,
            Input::Turn(turn) => {
                let (to, test) = self.at.turned(rules, matrix, piece, turn)?;
                (to, Arrival::by(turn, test))
            }
            Input::SonicDrop => (self.at.far(matrix, piece, 0, -1), Arrival::Moved),
            Input::SoftDrop => (self.at.moved(matrix, piece, 0, -1)?, Arrival::Moved),
            Input::HardDrop => return None,
        };
        let is_drop = matches!(input, Input::SonicDrop | Input::SoftDrop);
        let soft = self.soft + if is_drop { self.at.y.abs_diff(to.y) } else { 0 };
        (to != self.at).then_some(Falling { at: to, arrival, soft, ..*self })
    }

    /// Returns the landing of the piece if it is dropped from here, and the points of all its
    /// drops. The landing has a spin only if the drop does not move the piece.
    fn locked(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, u32) {
        let piece = self.choice.piece;
        let ground = self.at.far(matrix, piece, 0, -1);
        let spun = piece == Piece::T && ground == self.at;
        let spin = if spun { spin(rules, matrix, ground, self.arrival) } else { Spin::None };
        (ground.landing(piece, spin), self.soft + 2 * self.at.y.abs_diff(ground.y))
    }
}
