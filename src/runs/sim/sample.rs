//! Selects some placements of a game, evenly spaced, for display.

/// Sample of at most `most` evenly spaced placements of one game, whose length is unknown while it
/// is played.
#[derive(Debug)]
pub(super) struct Sample<P> {
    most: usize,
    /// Distance between stored placements, in pieces. It doubles when twice `most` placements are
    /// stored.
    stride: u64,
    kept: Vec<(u64, P)>,
}

impl<P: Clone> Sample<P> {
    pub(super) fn new(most: usize) -> Sample<P> {
        Sample { most, stride: 1, kept: Vec::new() }
    }

    pub(super) fn wants(&self, piece_no: u64) -> bool {
        // The stride is a power of two, so the check, which is made for every piece of every game,
        // needs no division.
        self.most > 0 && piece_no & (self.stride - 1) == 0
    }

    pub(super) fn offer(&mut self, piece_no: u64, placement: &P) {
        if self.wants(piece_no) {
            self.kept.push((piece_no, placement.clone()));
            // Every second placement is removed only when twice `most` are stored, so that `most`
            // remain.
            if self.kept.len() / 2 == self.most {
                self.thin();
            }
        }
    }

    /// Returns the sampled placements, at most `most`.
    pub(super) fn shown(mut self) -> Vec<P> {
        if self.kept.len() > self.most {
            self.thin();
        }
        self.kept.into_iter().map(|(_, placement)| placement).collect()
    }

    fn thin(&mut self) {
        self.stride *= 2;
        self.kept.retain(|(piece_no, _)| piece_no.is_multiple_of(self.stride));
    }
}
