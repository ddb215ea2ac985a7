//! Features of classic games in whole units, measured for many boards at once.

use tetrastat::board::{Board, BoardSize};
use tetrastat::error::Result;
use tetrastat::features::{Feature, Measured, Move};
use tetrastat::kernels::{BatchFeatures, Level};
use tetrastat::rules::Outcome;

/// Features to measure, and the board to measure them on.
#[derive(Clone, Debug)]
pub(super) struct FeatureSelection {
    pub features: Vec<Feature>,
    pub measured: Measured,
    pub size: BoardSize,
}

impl FeatureSelection {
    /// Parses feature names, for boards of one size. `measured` is `after-clear` or `before-clear`.
    pub fn new(names: &[String], measured: &str, size: BoardSize) -> Result<FeatureSelection> {
        let features = names.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(FeatureSelection { features, measured: measured.parse()?, size })
    }

    pub fn meter(&self) -> Meter {
        let batch_features = BatchFeatures::new(self.size, &self.features, Level::detect());
        Meter { batch_features, wanted: self.clone() }
    }
}

/// Meter of features, one for each thread.
pub(super) struct Meter {
    batch_features: BatchFeatures,
    wanted: FeatureSelection,
}

impl Meter {
    /// Writes the features of placements. Each outcome carries the number of its row in `out`.
    pub fn measure(&mut self, outcomes: &[(usize, Outcome)], out: &mut [f32]) {
        let FeatureSelection { features, measured, size } = &self.wanted;
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

    /// Writes the features of a single board. Features of a placement are 0 if `played` is `None`.
    pub fn of_board(&self, board: &Board, played: Option<&Move>, out: &mut [f32]) {
        let FeatureSelection { features, size, .. } = &self.wanted;
        for (feature, value) in features.iter().zip(out) {
            *value = feature.in_units(feature.raw(board, played).unwrap_or(0), size.width()) as f32;
        }
    }
}
