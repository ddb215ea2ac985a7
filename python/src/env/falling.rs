//! A piece of a guideline game that moves by key presses alone: no gravity, no lock delay.

use tetrastat::piece::Piece;
use tetrastat::rules::guideline::positions::{Arrival, Position, spin};
use tetrastat::rules::guideline::{Choice, Guideline, Input, Landing, Matrix, RotationTurn, Spin};

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Moves, or drops and locks, the piece that falls.
    Input(Input),
    /// Swaps it with the hold, once a piece.
    Hold,
}

/// All keys, by number: the engine's inputs in the order of its logs' letters, then the hold.
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

/// The letter of a key: as in logs, `o` for the hold.
pub(super) fn letter(key: Key) -> char {
    match key {
        Key::Input(input) => input.letter(),
        Key::Hold => 'o',
    }
}

/// A piece on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Falling {
    pub choice: Choice,
    at: Position,
    arrival: Arrival,
    /// Rows fallen by soft and sonic drops.
    soft: u32,
}

impl Falling {
    /// A piece that enters, or `None` when it cannot.
    pub fn spawn(rules: &Guideline, matrix: &Matrix, choice: Choice) -> Option<Falling> {
        let at = Position::spawn(rules, matrix, choice.piece)?;
        Some(Falling { choice, at, arrival: Arrival::Moved, soft: 0 })
    }

    /// Columns and rows of its cells.
    pub fn cells(&self) -> [(usize, usize); 4] {
        self.at.landing(self.choice.piece, Spin::None).cells()
    }

    /// Whether a key does anything.
    pub fn allows(&self, rules: &Guideline, matrix: &Matrix, key: Key) -> bool {
        match key {
            Key::Input(Input::HardDrop) => true,
            Key::Input(input) => self.moved(rules, matrix, input).is_some(),
            Key::Hold => false,
        }
    }

    /// Presses a key; where the piece locks and the points of its drops, if it does.
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

    /// After an input, if it does anything.
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

    /// Where it locks, with its spin, and the points of all its drops. A piece that still falls then has no spin.
    fn locked(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, u32) {
        let piece = self.choice.piece;
        let ground = self.at.far(matrix, piece, 0, -1);
        let spun = piece == Piece::T && ground == self.at;
        let spin = if spun { spin(rules, matrix, ground, self.arrival) } else { Spin::None };
        (ground.landing(piece, spin), self.soft + 2 * self.at.y.abs_diff(ground.y))
    }
}
