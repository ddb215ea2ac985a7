//! Converts a human player's placements to the form of the guideline tables.

use crate::piece::Piece;
use crate::record::GuidelinePlacement;
use crate::rules::guideline::{ComboState, Hold, InputPath, Landing, MAX_PREVIEWS, Placed};

/// A placement by a human player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonPlacement {
    /// Number of the piece in its game, from 1.
    pub piece_no: u32,
    /// Time of locking, in microseconds.
    pub time_us: u64,
    /// Position of the piece with its spin.
    pub landing: Landing,
    /// True if the hold was used.
    pub held: bool,
    /// Hold before and after the placement.
    pub hold: [Hold; 2],
    /// Visible next pieces when the piece locked, the next one first.
    pub next: [Option<Piece>; MAX_PREVIEWS],
    /// Number of pieces since the last I, or 0 for an I.
    pub since_i: u32,
    /// Number of the piece in the queue, from 1.
    pub number: u64,
    /// Combo and back-to-back state before the placement.
    pub before: ComboState,
    /// Result of the placement.
    pub placed: Placed,
    /// Shortest inputs, and the rows fallen by the player's drops.
    pub path: InputPath,
    /// Points so far, including this placement's.
    pub score: u32,
}

impl PersonPlacement {
    /// Returns the placement in the form of the tables.
    #[must_use]
    pub fn seen(&self, game: u64) -> GuidelinePlacement<'_> {
        GuidelinePlacement {
            game,
            piece_no: self.piece_no,
            time_us: self.time_us,
            landing: self.landing,
            held: self.held,
            hold: self.hold,
            next: self.next,
            since_i: self.since_i,
            dealt: self.number,
            decision: None,
            before: self.before,
            placed: &self.placed,
            path: &self.path,
            found: None,
            score: self.score,
        }
    }
}
