//! Selects some placements of a game, evenly spaced, for display.

use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::PlacementRecord;

/// A placement for display.
#[derive(Clone, Debug)]
pub struct Shown {
    /// 1-based number of the piece in its game.
    pub piece_no: u64,
    /// Piece that was placed.
    pub piece: Piece,
    /// Final position of the piece.
    pub candidate: Candidate,
    /// Number of rows removed by the placement.
    pub lines: u64,
    /// Number of rows removed in the game so far.
    pub lines_total: u64,
    /// Value of the placement under the search, in units of score.
    pub score: Option<f64>,
    /// Score minus that of the best other placement.
    pub margin: Option<f64>,
    /// Column heights after the placement.
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

/// Sample of at most `most` evenly spaced placements of one game, whose length is unknown while it
/// is played.
#[derive(Debug)]
pub(super) struct Sample {
    most: usize,
    /// Distance between kept placements. It doubles when twice `most` placements are kept.
    stride: u64,
    kept: Vec<Shown>,
}

impl Sample {
    pub(super) fn new(most: usize) -> Sample {
        Sample { most, stride: 1, kept: Vec::new() }
    }

    pub(super) fn wants(&self, piece_no: u64) -> bool {
        // The stride is a power of two, so the check for every piece of every game needs no
        // division.
        self.most > 0 && piece_no & (self.stride - 1) == 0
    }

    pub(super) fn offer(&mut self, placement: &PlacementRecord) {
        if self.wants(placement.piece_no) {
            self.kept.push(Shown::of(placement));
            // Thinning waits until there are twice as many, so that enough remain afterwards.
            if self.kept.len() / 2 == self.most {
                self.thin();
            }
        }
    }

    /// Returns the kept placements, at most `most`.
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
