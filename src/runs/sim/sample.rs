//! Some placements of a game, evenly spread over it, for a person to see.

use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::PlacementRecord;

/// A placement for a person to see.
#[derive(Clone, Debug)]
pub struct Shown {
    /// 1-based number of the piece in its game.
    pub piece_no: u64,
    /// The piece.
    pub piece: Piece,
    /// Where it came to rest.
    pub candidate: Candidate,
    /// Rows removed.
    pub lines: u64,
    /// Rows removed in the game so far.
    pub lines_total: u64,
    /// Value under the search, in units of score.
    pub score: Option<f64>,
    /// Score minus the best other placement's.
    pub margin: Option<f64>,
    /// Column heights afterwards.
    pub heights: Vec<u8>,
}

impl Shown {
    fn of(placement: &PlacementRecord) -> Shown {
        let outcome = &placement.decision.outcome;
        Shown {
            piece_no: placement.piece_no,
            piece: placement.piece,
            candidate: outcome.played.candidate,
            lines: u64::from(outcome.played.lines),
            lines_total: placement.lines_total,
            score: placement.decision.score(placement.scale),
            margin: placement.decision.margin(placement.scale),
            heights: outcome.after.heights()[..outcome.after.width()].to_vec(),
        }
    }
}

/// Keeps up to a number of placements, evenly spread, of a game whose length is not known.
#[derive(Debug)]
pub(super) struct Sample {
    most: usize,
    /// Each how many placements one is kept; doubles when there are twice too many.
    stride: u64,
    kept: Vec<Shown>,
}

impl Sample {
    pub(super) fn new(most: usize) -> Sample {
        Sample { most, stride: 1, kept: Vec::new() }
    }

    pub(super) fn wants(&self, piece_no: u64) -> bool {
        // The stride is a power of two, so that asking for every piece of every game costs no division.
        self.most > 0 && piece_no & (self.stride - 1) == 0
    }

    pub(super) fn offer(&mut self, placement: &PlacementRecord) {
        if self.wants(placement.piece_no) {
            self.kept.push(Shown::of(placement));
            // Once there are twice as many, so that thinning out leaves as many as were asked for.
            if self.kept.len() / 2 == self.most {
                self.thin();
            }
        }
    }

    /// What is kept, at most the number asked for.
    pub(super) fn shown(mut self) -> Vec<Shown> {
        if self.kept.len() > self.most {
            self.thin();
        }
        self.kept
    }

    fn thin(&mut self) {
        self.stride *= 2;
        self.kept.retain(|shown| shown.piece_no.is_multiple_of(self.stride));
    }
}
