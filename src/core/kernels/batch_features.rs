//! Batch features: those of many boards at once, where [`Evaluator`](super::Evaluator) has many placements on one.
//!
//! Lanes are boards, each with the move that led to it: those of different turns or games stand
//! side by side in one batch, so that one sweep measures all of a log's next rows.

use super::board_batch::BoardBatch;
use super::passes::Sweeps;
use super::slots::{Raws, slot_of};
use crate::board::{Board, BoardSize};
use crate::features::{Feature, FeatureFunction, Move};
use crate::simd::LANES;
use crate::simd::Level;

/// Measures features of boards and of the moves that led to them. One per thread: it keeps its
/// working memory, about 25 KiB.
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
    /// Each with where the sweep leaves its values.
    features: Vec<(Feature, usize)>,
    sweeps: Sweeps,
    batch: Box<BoardBatch>,
    raws: Box<Raws>,
    /// Of each feature: the values measured last, by lane.
    values: Vec<[i16; LANES]>,
    count: usize,
}

impl BatchFeatures {
    /// How many boards are measured at once, at most.
    pub const LANES: usize = LANES;

    /// A batch of these features on boards of one size.
    #[must_use]
    pub fn new(size: BoardSize, features: &[Feature], level: Level) -> BatchFeatures {
        // Without those of moves, since a move is known already and its features are a few additions.
        let of_board = features.iter().copied().filter(|feature| !feature.is_of_move());
        BatchFeatures {
            level,
            features: features.iter().map(|&feature| (feature, slot_of(feature))).collect(),
            sweeps: Sweeps::new(size, level, of_board),
            batch: Box::new(BoardBatch::new(size)),
            raws: Box::new(Raws::ZERO),
            values: vec![[0; LANES]; features.len()],
            count: 0,
        }
    }

    /// Measures boards as they stand, full rows included, each with the move that led to it: at
    /// most [`BatchFeatures::LANES`], any more are passed over.
    pub fn measure<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a Board, &'a Move)>) {
        debug_assert!(pairs.len() <= LANES);
        // Collected first, since they are walked several times and what the caller gives need not be `Clone`.
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

    /// Raw values of the k-th feature, in the order in which the boards were given.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.values[k][..self.count]
    }

    /// The specification: one board after another.
    fn measure_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, _), values) in self.features.iter().zip(&mut self.values) {
            for (value, (board, played)) in values.iter_mut().zip(pairs.clone()) {
                *value = feature.raw(board, Some(played)).unwrap_or(0) as i16;
            }
        }
    }

    /// Takes the values of boards from the sweep, those of moves from the scalar functions.
    fn keep<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, slot), values) in self.features.iter().zip(&mut self.values) {
            if let FeatureFunction::Move(function) = feature.definition().measure {
                for (value, (_, played)) in values.iter_mut().zip(pairs.clone()) {
                    *value = function(played) as i16;
                }
            } else {
                // Signed, since words that wrapped are negative values: every raw value fits an `i16` (see
                // `features`).
                *values = self.raws.0[*slot].0.map(|raw| raw as i16);
            }
        }
    }
}
