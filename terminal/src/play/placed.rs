//! What a person placed, as the tables of guideline runs have it.

use crate::piece::Piece;
use crate::record::GuidelinePlacement;
use crate::rules::guideline::{ComboState, Hold, InputPath, Landing, MAX_PREVIEWS, Placed};

/// A placement of a person's game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonPlacement {
    /// Number of the piece in its game, from 1.
    pub piece_no: u32,
    /// When it locked, in microseconds.
    pub time_us: u64,
    /// Where, with its spin.
    pub landing: Landing,
    /// Whether the hold was used.
    pub held: bool,
    /// The hold before and after.
    pub hold: [Hold; 2],
    /// The pieces seen when it locked, the next one first.
    pub next: [Option<Piece>; MAX_PREVIEWS],
    /// Pieces since the last I, 0 for an I.
    pub since_i: u32,
    /// Its number in the queue, from 1.
    pub number: u64,
    /// What it inherits.
    pub before: ComboState,
    /// What it did.
    pub placed: Placed,
    /// The shortest inputs, and the rows that it fell by the person's drops.
    pub path: InputPath,
    /// Points so far, its own among them.
    pub score: u32,
}

impl PersonPlacement {
    /// The placement as the tables take it.
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
