//! Features of classic games in whole units, many boards at once.

use tetrastat::board::{Board, BoardSize};
use tetrastat::error::Result;
use tetrastat::features::{Feature, Measured, Move};
use tetrastat::kernels::{BatchFeatures, Level};
use tetrastat::rules::Outcome;

/// Which features are measured, and on which board.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub features: Vec<Feature>,
    pub measured: Measured,
    pub size: BoardSize,
}

impl Wanted {
    /// Features by name, on boards of one size.
    pub fn new(names: &[String], measured: &str, size: BoardSize) -> Result<Wanted> {
        let features = names.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(Wanted { features, measured: measured.parse()?, size })
    }

    pub fn meter(&self) -> Meter {
        let batch_features = BatchFeatures::new(self.size, &self.features, Level::detect());
        Meter { batch_features, wanted: self.clone() }
    }
}

/// Measures them. One per thread.
pub(super) struct Meter {
    batch_features: BatchFeatures,
    wanted: Wanted,
}

impl Meter {
    /// The features of placements, each into the row of `out` that belongs to it.
    pub fn measure(&mut self, outcomes: &[(usize, Outcome)], out: &mut [f32]) {
        let Wanted { features, measured, size } = &self.wanted;
        for some in outcomes.chunks(BatchFeatures::LANES) {
            self.batch_features.measure(some.iter().map(|(_, o)| (o.board(*measured), &o.played)));
            for (k, feature) in features.iter().enumerate() {
                for ((row, _), &raw) in some.iter().zip(self.batch_features.raws(k)) {
                    out[row * features.len() + k] =
                        feature.in_units(raw.into(), size.width()) as f32;
                }
            }
        }
    }

    /// The features of a board that no placement led to: those of a move are 0.
    pub fn of_board(&self, board: &Board, played: Option<&Move>, out: &mut [f32]) {
        let Wanted { features, size, .. } = &self.wanted;
        for (feature, value) in features.iter().zip(out) {
            *value = feature.in_units(feature.raw(board, played).unwrap_or(0), size.width()) as f32;
        }
    }
}
