//! Stub.
use super::level::Level;
use crate::board::{Board, BoardSize};
use crate::features::{Feature, Move};
/// Stub.
pub struct Gauge {
    features: Vec<Feature>,
    raws: Vec<Vec<i16>>,
}
impl Gauge {
    /// Lanes.
    pub const LANES: usize = 32;
    /// New.
    #[must_use]
    pub fn new(_size: BoardSize, features: &[Feature], _level: Level) -> Gauge {
        Gauge { features: features.to_vec(), raws: vec![Vec::new(); features.len()] }
    }
    /// Measures.
    pub fn measure<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a Board, &'a Move)>) {
        self.raws.iter_mut().for_each(Vec::clear);
        for (board, played) in pairs {
            for (feature, raws) in self.features.iter().zip(&mut self.raws) {
                raws.push(feature.raw(board, Some(played)).unwrap_or(0) as i16);
            }
        }
    }
    /// Raws.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.raws[k]
    }
}
