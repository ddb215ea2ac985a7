//! The piece that falls: where it is, and when it falls or locks.

use super::handling::{FORCED_LOCK_MS, GRAVITY_MS, LOCK_MS};
use crate::piece::Piece;
use crate::rules::guideline::positions::{Arrival, Position, spin};
use crate::rules::guideline::{Guideline, Landing, Matrix, RotationTurn, Spin};

/// A piece on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ground {
    /// When it got there.
    since: u64,
    /// When it was last shifted or turned there, or got there.
    touched: u64,
}

/// The piece that falls. Times are in milliseconds of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPiece {
    /// Which.
    pub piece: Piece,
    /// Where.
    pub at: Position,
    /// Whether it came out of the hold, or in place of a piece that went there.
    pub held: bool,
    /// Rows fallen by soft drops.
    pub soft: u32,
    /// Keys pressed for it, hold not among them.
    pub keys: u32,
    arrival: Arrival,
    /// The kick (0-based) of a turn that came last.
    kick: Option<u8>,
    /// When it falls next, if it is not on the ground.
    falls_at: u64,
    ground: Option<Ground>,
    /// Milliseconds on the ground before it left it.
    grounded_ms: u64,
}

impl TimedPiece {
    /// A piece that enters now, or `None` when it cannot.
    #[must_use]
    pub fn spawn(
        rules: &Guideline,
        matrix: &Matrix,
        piece: Piece,
        held: bool,
        now: u64,
    ) -> Option<TimedPiece> {
        let at = Position::spawn(rules, matrix, piece)?;
        let mut falling = TimedPiece {
            piece,
            at,
            held,
            soft: 0,
            keys: 0,
            arrival: Arrival::Moved,
            kick: None,
            falls_at: now + GRAVITY_MS,
            ground: None,
            grounded_ms: 0,
        };
        falling.touch(matrix, now);
        Some(falling)
    }

    /// Whether it lies on something.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }

    /// When it falls a row or locks by itself.
    #[must_use]
    pub fn due(&self) -> u64 {
        let Some(ground) = self.ground else { return self.falls_at };
        let forced = ground.since + FORCED_LOCK_MS.saturating_sub(self.grounded_ms);
        forced.min(ground.touched + LOCK_MS)
    }

    /// Shifts it by one column; whether it could.
    pub fn shift(&mut self, matrix: &Matrix, direction: i32, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, direction, 0) else { return false };
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Turns it; whether it could.
    pub fn turn(
        &mut self,
        rules: &Guideline,
        matrix: &Matrix,
        turn: RotationTurn,
        now: u64,
    ) -> bool {
        let Some((at, test)) = self.at.turned(rules, matrix, self.piece, turn) else {
            return false;
        };
        let kick = Some(test as u8);
        *self = TimedPiece { at, arrival: Arrival::by(turn, test), kick, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Lets it fall by one row; whether it could.
    pub fn fall(&mut self, matrix: &Matrix, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, 0, -1) else { return false };
        let falls_at = now + GRAVITY_MS;
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, falls_at, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Lets it fall to the ground; how many rows.
    pub fn drop_down(&mut self, matrix: &Matrix, now: u64) -> u32 {
        std::iter::repeat_with(|| self.fall(matrix, now)).take_while(|fell| *fell).count() as u32
    }

    /// Where it would land.
    #[must_use]
    pub fn ghost(&self, matrix: &Matrix) -> Landing {
        self.at.fallen(matrix, self.piece).landing(self.piece, Spin::None)
    }

    /// Where it lies, with its spin, and the kick of a turn that came last.
    #[must_use]
    pub fn landing(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, Option<u8>) {
        let spin = match self.piece {
            Piece::T => spin(rules, matrix, self.at, self.arrival),
            _ => Spin::None,
        };
        (self.at.landing(self.piece, spin), self.kick)
    }

    /// It was moved: on the ground its delay begins anew, in the air its fall.
    fn touch(&mut self, matrix: &Matrix, now: u64) {
        match (self.ground, self.at.rests(matrix, self.piece)) {
            (None, true) => self.ground = Some(Ground { since: now, touched: now }),
            (Some(ground), true) => self.ground = Some(Ground { touched: now, ..ground }),
            (Some(ground), false) => {
                self.grounded_ms += now - ground.since;
                self.ground = None;
                self.falls_at = now + GRAVITY_MS;
            }
            (None, false) => {}
        }
    }
}
