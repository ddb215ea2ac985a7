//! Measures features of many boards at once, for logs. ([`Evaluator`](super::Evaluator) measures
//! many placements on one board.)
//!
//! Each lane of a vector is a board with the move that led to it. Boards of different turns or
//! games share a batch, so one sweep serves several rows of a log.

use super::board_batch::BoardBatch;
use super::passes::Sweeps;
use super::slots::{FeatureLanes, slot_of};
use crate::board::{Board, BoardSize};
use crate::features::{Feature, FeatureFunction, Move};
use crate::simd::LANES;
use crate::simd::Level;

/// A feature calculator for many boards and the moves that led to them. Each thread needs its own:
/// it contains about 16 KiB of working memory.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, features::Feature, kernels::{BatchFeatures, Level}, piece::Piece};
/// use tetrastat::{placement::Placements, rules::Rules};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let (rules, mut candidates) = (Rules::simplified(), Vec::new());
/// rules.candidates(&Placements::new(6), &board, Piece::O, &mut candidates);
/// let outcomes: Vec<_> = candidates.iter().map(|&at| rules.play(&board, Piece::O, at)).collect();
/// let features: [Feature; 2] = ["holes".parse()?, "max_height".parse()?];
/// let mut batch = BatchFeatures::new(board.size(), &features, Level::detect());
/// batch.measure(outcomes.iter().map(|outcome| (&outcome.after, &outcome.played)));
/// assert_eq!(batch.raws(0), [1, 1, 1, 0, 0]); // by the column of the square: what it covers
/// assert_eq!(batch.raws(1), [4, 3, 3, 3, 3]);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BatchFeatures {
    level: Level,
    /// Features to measure, each with the slot of its raw values.
    features: Vec<(Feature, usize)>,
    sweeps: Sweeps,
    batch: Box<BoardBatch>,
    raws: Box<FeatureLanes>,
    /// Results of the last measurement: for each feature, one raw value for each board.
    values: Vec<[i16; LANES]>,
    count: usize,
}

impl BatchFeatures {
    /// Maximum number of boards in one call of [`BatchFeatures::measure`].
    pub const LANES: usize = LANES;

    /// Prepares the measurement of `features` on boards of the given `size`.
    #[must_use]
    pub fn new(size: BoardSize, features: &[Feature], level: Level) -> BatchFeatures {
        // Features of moves are a few additions each and need no sweep.
        let of_board = features.iter().copied().filter(|feature| !feature.is_of_move());
        BatchFeatures {
            level,
            features: features.iter().map(|&feature| (feature, slot_of(feature))).collect(),
            sweeps: Sweeps::new(size, level, of_board),
            batch: Box::new(BoardBatch::new(size)),
            raws: Box::new(FeatureLanes::ZERO),
            values: vec![[0; LANES]; features.len()],
            count: 0,
        }
    }

    /// Measures the features of each pair in `pairs`: a board and the move that led to it. Full
    /// rows of a board are not removed.
    ///
    /// At most [`BatchFeatures::LANES`] pairs are measured; any more are ignored.
    pub fn measure<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a Board, &'a Move)>) {
        debug_assert!(pairs.len() <= LANES);
        // Collected first: the pairs are iterated several times, and the iterator need not be
        // `Clone`.
        let mut given = [None; LANES];
        self.count = 0;
        for (to, pair) in given.iter_mut().zip(pairs) {
            *to = Some(pair);
            self.count += 1;
        }
        let pairs = given[..self.count].iter().flatten().copied();
        if self.level == Level::SCALAR {
            return self.measure_each(pairs);
        }
        self.batch.fill(pairs.clone().map(|(board, _)| board));
        self.sweeps.run(&self.batch, &mut self.raws);
        self.keep(pairs);
    }

    /// Returns the raw values of the `k`-th feature, in the order in which the boards were given.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.values[k][..self.count]
    }

    /// Measures one pair after another with the scalar functions, which are the specification.
    fn measure_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, _), values) in self.features.iter().zip(&mut self.values) {
            for (value, (board, played)) in values.iter_mut().zip(pairs.clone()) {
                *value = feature.raw(board, Some(played)).unwrap_or(0) as i16;
            }
        }
    }

    /// Stores the results of a sweep in `values`. Features of moves, which the sweep omits, are
    /// computed with the scalar functions.
    fn keep<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, slot), values) in self.features.iter().zip(&mut self.values) {
            if let FeatureFunction::Move(function) = feature.definition().measure {
                for (value, (_, played)) in values.iter_mut().zip(pairs.clone()) {
                    *value = function(played) as i16;
                }
            } else {
                // Read as signed: every raw value fits an `i16` (see `features`).
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = self.raws.0[*slot].0[lane] as i16;
                }
            }
        }
    }
}
