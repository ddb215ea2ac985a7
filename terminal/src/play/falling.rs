//! Models the falling piece: its position, and the times at which it falls or locks.

use super::handling::{FORCED_LOCK_MS, GRAVITY_MS, LOCK_MS};
use crate::piece::Piece;
use crate::rules::guideline::positions::{Arrival, Position, spin};
use crate::rules::guideline::{Guideline, Landing, Matrix, RotationTurn, Spin};

/// The lock-delay state of a falling piece that rests on the stack or the floor, the ground. A
/// piece locks when it has not moved there for the lock delay. Times are in milliseconds of the
/// game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ground {
    /// Time at which the piece reached the ground.
    since: u64,
    /// Time of the piece's last shift or turn on the ground, or of reaching the ground. The lock
    /// delay counts from here.
    touched: u64,
}

/// The falling piece. Times are in milliseconds of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPiece {
    /// The piece.
    pub piece: Piece,
    /// Position and rotation.
    pub at: Position,
    /// True if the piece came from the hold, or replaced a piece that went there.
    pub held: bool,
    /// Number of rows fallen by soft drops.
    pub soft: u32,
    /// Number of keys pressed for this piece, not counting hold.
    pub keys: u32,
    arrival: Arrival,
    /// Kick index (from 0) of the last move if it was a turn.
    kick: Option<u8>,
    /// Time of the next fall, if the piece is not on the ground.
    falls_at: u64,
    ground: Option<Ground>,
    /// Total milliseconds that the piece spent on the ground before it last left the ground.
    grounded_ms: u64,
}

impl TimedPiece {
    /// Creates a piece that enters at the time `now`, or returns `None` if it cannot enter.
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

    /// Returns true if the piece is on the ground.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }

    /// Returns the time at which the piece falls a row or locks without a key.
    #[must_use]
    pub fn due(&self) -> u64 {
        let Some(ground) = self.ground else { return self.falls_at };
        let forced = ground.since + FORCED_LOCK_MS.saturating_sub(self.grounded_ms);
        forced.min(ground.touched + LOCK_MS)
    }

    /// Shifts the piece by one column, to the left if `direction` is -1, to the right if it is 1.
    /// Returns `false` if the piece is blocked.
    pub fn shift(&mut self, matrix: &Matrix, direction: i32, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, direction, 0) else { return false };
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Turns the piece by `turn`. Returns `false` if the piece is blocked.
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
        *self = TimedPiece { at, arrival: Arrival::from_kick(turn, test), kick, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Moves the piece down by one row. Returns `false` if it is on the ground.
    pub fn fall(&mut self, matrix: &Matrix, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, 0, -1) else { return false };
        let falls_at = now + GRAVITY_MS;
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, falls_at, ..*self };
        self.touch(matrix, now);
        true
    }

    /// Moves the piece down to the ground, and returns the number of rows that it fell.
    pub fn drop_down(&mut self, matrix: &Matrix, now: u64) -> u32 {
        std::iter::repeat_with(|| self.fall(matrix, now)).take_while(|fell| *fell).count() as u32
    }

    /// Returns the position in which the piece would land.
    #[must_use]
    pub fn ghost(&self, matrix: &Matrix) -> Landing {
        self.at.fallen(matrix, self.piece).landing(self.piece, Spin::None)
    }

    /// Returns the landing at the current position with its spin, and the kick index of the last
    /// move if it was a turn.
    #[must_use]
    pub fn landing(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, Option<u8>) {
        let spin = spin(rules, matrix, self.piece, self.at, self.arrival);
        (self.at.landing(self.piece, spin), self.kick)
    }

    /// Updates the timers after a move. On the ground the lock delay restarts; a piece that leaves
    /// the ground gets a new fall time.
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
