//! Selects some placements of a game, evenly spaced, for display.

use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::PlacementRecord;

/// A placement shown to the user after a run.
#[derive(Clone, Debug)]
pub struct SampledPlacement {
    /// 1-based number of the piece in its game.
    pub piece_no: u64,
    /// Piece that was placed.
    pub piece: Piece,
    /// Final position of the piece.
    pub candidate: Candidate,
    /// Number of rows removed by the placement.
    pub lines: u64,
    /// Number of rows removed in the game so far, including this placement.
    pub lines_total: u64,
    /// Score of the placement, or its value under the search if that looks ahead. `None` if the
    /// placement, or every placement of the next piece after it, ends the game.
    pub score: Option<f64>,
    /// Score minus that of the best other placement; `None` if the two are not comparable.
    pub margin: Option<f64>,
    /// Column heights after the placement.
    pub heights: Vec<u8>,
}

impl SampledPlacement {
    fn of(placement: &PlacementRecord) -> SampledPlacement {
        let outcome = &placement.decision.outcome;
        SampledPlacement {
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
    /// Distance between stored placements, in pieces. It doubles when twice `most` placements are
    /// stored.
    stride: u64,
    kept: Vec<SampledPlacement>,
}

impl Sample {
    pub(super) fn new(most: usize) -> Sample {
        Sample { most, stride: 1, kept: Vec::new() }
    }

    pub(super) fn wants(&self, piece_no: u64) -> bool {
        // The stride is a power of two, so the check, which is made for every piece of every game,
        // needs no division.
        self.most > 0 && piece_no & (self.stride - 1) == 0
    }

    pub(super) fn offer(&mut self, placement: &PlacementRecord) {
        if self.wants(placement.piece_no) {
            self.kept.push(SampledPlacement::of(placement));
            // Every second placement is removed only when twice `most` are stored, so that `most`
            // remain.
            if self.kept.len() / 2 == self.most {
                self.thin();
            }
        }
    }

    /// Returns the sampled placements, at most `most`.
    pub(super) fn shown(mut self) -> Vec<SampledPlacement> {
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
