//! Features of classic games, measured for many boards at once. Values are in the units in which
//! the features are defined.

use tetrastat::board::{Board, BoardSize};
use tetrastat::error::Result;
use tetrastat::features::{Feature, Measured, Move};
use tetrastat::kernels::{BatchFeatures, Level};
use tetrastat::rules::Outcome;

/// Features to measure, and the size and the state of the boards (before or after the clear).
#[derive(Clone, Debug)]
pub(super) struct FeatureSelection {
    pub features: Vec<Feature>,
    pub measured: Measured,
    pub size: BoardSize,
}

impl FeatureSelection {
    /// Parses the feature `names` for boards of `size`. `measured` is `after-clear` or
    /// `before-clear`.
    pub fn new(names: &[String], measured: &str, size: BoardSize) -> Result<FeatureSelection> {
        let features = names.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(FeatureSelection { features, measured: measured.parse()?, size })
    }

    pub fn meter(&self) -> Meter {
        Meter { batch_features: None, wanted: self.clone() }
    }
}

/// Meter that computes features. Each thread has its own meter.
pub(super) struct Meter {
    /// Measurement of many boards at once, created by its first use. Most clones of a game measure
    /// nothing.
    batch_features: Option<BatchFeatures>,
    wanted: FeatureSelection,
}

impl Meter {
    /// Writes the features of placements to `out`. The number in each pair is the row of `out` for
    /// the outcome.
    pub fn measure(&mut self, outcomes: &[(usize, Outcome)], out: &mut [f32]) {
        let FeatureSelection { features, measured, size } = &self.wanted;
        let batch_features = self
            .batch_features
            .get_or_insert_with(|| BatchFeatures::new(*size, features, Level::detect()));
        for some in outcomes.chunks(BatchFeatures::LANES) {
            batch_features.measure(some.iter().map(|(_, o)| (o.board(*measured), &o.played)));
            for (k, feature) in features.iter().enumerate() {
                for ((row, _), &raw) in some.iter().zip(batch_features.raws(k)) {
                    out[row * features.len() + k] =
                        feature.in_units(raw.into(), size.width()) as f32;
                }
            }
        }
    }

    /// Writes the features of one board to `out`. Features that need a placement are 0 if `played`
    /// is `None`.
    pub fn of_board(&self, board: &Board, played: Option<&Move>, out: &mut [f32]) {
        let FeatureSelection { features, size, .. } = &self.wanted;
        for (feature, value) in features.iter().zip(out) {
            *value = feature.in_units(feature.raw(board, played).unwrap_or(0), size.width()) as f32;
        }
    }
}
