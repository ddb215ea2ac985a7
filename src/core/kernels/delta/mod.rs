//! Computes how much each placement changes a board's score: the difference kernel.
//!
//! All placements of a piece are computed at once, one byte of a vector register each. A lane is
//! sixteen bytes and holds one orientation: byte 16 o + c is orientation o in column c. Lookup
//! tables can then differ by orientation, and one load of the board serves every orientation. Bytes
//! without a placement are computed too and masked out. Among equal scores the lowest byte wins, as
//! in canonical order.
//!
//! ```text
//! byte         0 ........... 15 | 16 .......... 31 | 32 .......... 47 | 48 .......... 63
//! orientation         0         |        1         |        2         |        3
//! column       0 ........... 15 | 0 ........... 15 | 0 ........... 15 | 0 ........... 15
//!
//! J on ten columns: its placements are bytes 0-7, 16-24, 32-39 and 48-56.
//! ```
//!
//! Let a piece of w columns land on row r. Its column j begins at row r + b_j, has t_j cells, and
//! stands over a board column of height h_j. If the piece fills no row, the board changes only
//! where the piece touches it:
//!
//! | feature | change | reason |
//! |---|---|---|
//! | holes | w r + sum b_j - sum h_j | cells between a column and the piece are covered |
//! | aggregate height | change of holes + 4 | each column now ends t_j above those cells |
//! | row transitions | 2 x empty cells beside it - 2 x its rows | its cells in a row are one run |
//! | column transitions | 2 w - 2 x columns it rests on | only a gap below the piece adds two |
//! | hole depth | 4 - its cells on columns without holes | any hole below a cell counts it |
//! | rows with holes | rows that get their first hole | below the piece and below its overhangs |
//! | wells | appearing minus vanishing well cells, by depth | five columns, rows r to r + 3 |
//! | bumpiness | new steps at and within the piece - old ones | all other steps stay |
//! | maximum height | rows that the piece's top exceeds the stack by | |
//! | occupied cells | 4 | |
//! | weighted cells | 4 r + a constant | each cell counts its row |
//! | row flips | row transitions + 2 n in the first column + n in the last - 2 x rows | n: cells |
//! | column transitions, floor | column transitions - n in the top row | |
//! | column transitions, ceiling | column transitions - 2 n in the top row + columns | |
//! | column transitions, open | those of `floor` + n in row 0 - columns | |
//! | depth of all holes | weighted cells - sum over the columns of n (n + 1) / 2 | |
//! | height range | maximum height - lowest height | |
//!
//! The change of the score has three parts: a constant of the placement (`Shape::exact`), r times a
//! weight (`Shape::row_weight`), and nine byte-sized counts times their weights (`weights`).
//! Placements that fill rows, which half of all pieces have, are played, and the resulting board is
//! scored as a whole.
//!
//! | step | file | contents |
//! |---|---|---|
//! | 1 | `weights` | the exact weights, and the weights rounded to two digits |
//! | 2 | `shape` | the placements of a piece: lookup tables by orientation |
//! | 3 | `board` | tables of the parent board's columns and rows |
//! | 4 | `counts` | the counts of each placement |
//! | 5 | `nonlinear` | parts of the score that are no sums of weighted counts |
//! | 6 | `choose` | the best placements, by rounded scores of all and exact scores of a few |
//! | 7 | `exact` | exact scores from the counts, and of boards whose rows were removed |

// Loops use an index: iterators take closures, which are compiled for the instruction level only if
// they are inlined.
#![allow(clippy::needless_range_loop)]

mod board;
mod choose;
mod counts;
mod exact;
mod nonlinear;
mod shape;
mod weights;

use std::sync::atomic::{AtomicU64, Ordering};

use super::evaluator::PlayRules;
use super::shapes::LANDING_FEATURES;
use crate::board::{Board, BoardSize, MAX_WIDTH};
use crate::features::Feature;
use crate::piece::Piece;
use crate::simd::{self, Lane, Level};
pub(super) use board::Tables;
use choose::{AfterstatesJob, PlayJob, ScoresJob, TopTwoJob};
pub(super) use choose::{Choice, TopTwo};
use nonlinear::{NonlinearTerm, NonlinearTerms};
use shape::Shape;
use weights::{
    BCTS, BY_COLUMN, CELLS, CellWeights, ColumnWeights, DeltaFeature, NONLINEAR, Rounded, Weights,
};

/// Masks that select columns of a board, for example those with a neighbour on the right.
///
/// ```text
/// width 10:  column  0 1 2 3 4 5 6 7 8 9 | 10 ... 15
/// walls              0 . . . . . . . . . | ffff ffff     full columns: neighbours that are filled
/// floor              1 1 1 1 1 1 1 1 1 1 | 0    0        the cell below row 0, moved up by one
/// inner              ffff ......... ffff 0 | 0  0        columns that have a right neighbour
/// steps              0 ff ff ... ff ff ff | 0   0        columns that have a left neighbour
/// ```
struct ColumnMasks {
    walls: [u16; MAX_WIDTH],
    floor: [u16; MAX_WIDTH],
    inner: [u16; MAX_WIDTH],
    last: [u16; MAX_WIDTH],
    steps: Lane,
}

impl ColumnMasks {
    fn new(width: usize) -> ColumnMasks {
        let mut masks = ColumnMasks {
            walls: [0; MAX_WIDTH],
            floor: [0; MAX_WIDTH],
            inner: [0; MAX_WIDTH],
            last: [0; MAX_WIDTH],
            steps: Lane::ZERO,
        };
        masks.last[MAX_WIDTH - 1] = u16::MAX;
        masks.walls[width..].fill(u16::MAX);
        masks.floor[..width].fill(1);
        masks.inner[..width - 1].fill(u16::MAX);
        masks.steps.0[1..width].fill(u8::MAX);
        masks
    }
}

/// Kernel that scores a piece's placements by how they change the board. Methods return `None` or
/// false for boards that the kernel cannot score.
pub(super) struct Delta {
    /// Identifier of this kernel in the process: a stored score is valid only for the kernel that
    /// computed it.
    id: u64,
    level: Level,
    size: BoardSize,
    play: PlayRules,
    /// Set of the features in use, one bit each ([`DeltaFeature::bit`], [`BY_COLUMN`]).
    set: u32,
    weights: Weights,
    by_column: ColumnWeights,
    nonlinear: NonlinearTerms,
    rounded: Rounded,
    shapes: Vec<Shape>,
    masks: ColumnMasks,
}

#[derive(Clone, Copy)]
pub(super) struct Afterstate {
    /// Board after a placement, without its full rows; meaningless if the placement loses.
    pub(super) board: Board,
    pub(super) score: i64,
    pub(super) of_move: i64,
    pub(super) board_score: Option<i64>,
    pub(super) row: u8,
    pub(super) lost: bool,
}

impl Delta {
    /// Creates a kernel; `None` at the instruction level `scalar` or for an unsupported feature.
    pub(super) fn new(
        size: BoardSize,
        play: PlayRules,
        terms: &[(Feature, i64)],
        level: Level,
    ) -> Option<Delta> {
        if level == Level::SCALAR {
            return None;
        }
        let (mut weights, mut by_column) = (Weights::default(), ColumnWeights::default());
        let mut set = 0;
        let mut nonlinear = NonlinearTerms::default();
        let uses_wells = terms.iter().any(|(feature, _)| feature.definition().name == "wells");
        for &(feature, weight) in terms {
            let name = feature.definition().name;
            let mut add = |known: DeltaFeature| {
                weights.features[known] += weight;
                set |= known.bit();
            };
            // The table in the module's documentation explains the sums.
            match name {
                // Two kinds of wells would need two counts, but there is one byte for wells.
                "wells_fast" if uses_wells => nonlinear.add(NonlinearTerm::WellsFast, weight),
                "row_flips_unity" => add(DeltaFeature::RowTransitions),
                "column_transitions_floor"
                | "column_transitions_ceiling"
                | "column_transitions_open" => add(DeltaFeature::ColumnTransitions),
                // The raw value of the mean is the sum, too; only its unit differs.
                "mean_height" | "aggregate_top_index" => add(DeltaFeature::AggregateHeight),
                "height_range" => add(DeltaFeature::MaxHeight),
                _ => DeltaFeature::named(name).into_iter().for_each(add),
            }
            let width = size.width() as i64;
            match name {
                "eroded_cells" => weights.eroded += weight,
                "eroded_cells_guide" => weights.eroded_alone += weight,
                "rows_removed" => weights.lines += weight,
                "constant" => weights.constant += weight,
                "aggregate_top_index" => weights.constant -= width * weight,
                "row_flips_unity" => {
                    weights.cells.first += 2 * weight;
                    weights.cells.last += weight;
                    weights.cells.measured -= 2 * weight;
                }
                "column_transitions_floor" => nonlinear.add(NonlinearTerm::TopCells, -weight),
                "column_transitions_ceiling" => {
                    nonlinear.add(NonlinearTerm::TopCells, -2 * weight);
                    weights.constant += width * weight;
                }
                "column_transitions_open" => {
                    nonlinear.add(NonlinearTerm::TopCells, -weight);
                    nonlinear.add(NonlinearTerm::FloorCells, weight);
                    weights.constant -= width * weight;
                }
                "occupied_cells" => weights.cells.each += weight,
                "weighted_cells" => weights.cells.row += weight,
                "hole_depth_all" => {
                    weights.cells.row += weight;
                    nonlinear.add(NonlinearTerm::ColumnSums, -weight);
                }
                "height_range" => nonlinear.add(NonlinearTerm::LowestHeight, -weight),
                "height" => {
                    by_column.heights[feature.index()] += weight;
                    set |= BY_COLUMN;
                }
                "height_diff" => {
                    // The step between two columns is stored at the right one, where placements
                    // look it up.
                    by_column.steps[feature.index() + 1] += weight;
                    set |= BY_COLUMN;
                }
                "rbf" => nonlinear.add(NonlinearTerm::Rbf(feature.index()), weight),
                "wells_open" => nonlinear.add(NonlinearTerm::WellsOpen, weight),
                "wells_open_restart" => nonlinear.add(NonlinearTerm::WellsOpenRestart, weight),
                "wells_by_height" => nonlinear.add(NonlinearTerm::WellsByHeight, weight),
                "wells_guide" => nonlinear.add(NonlinearTerm::WellsGuide, weight),
                "wells_squared" => nonlinear.add(NonlinearTerm::WellsSquared, weight),
                "well_cells" => nonlinear.add(NonlinearTerm::WellCells, weight),
                "mean_height" => {}
                _ => {
                    if let Some(k) = LANDING_FEATURES.iter().position(|&(other, _)| other == name) {
                        weights.landing[k] += weight;
                    } else {
                        DeltaFeature::named(name)?;
                    }
                }
            }
        }
        if weights.cells != CellWeights::default() {
            set |= CELLS;
        }
        if !nonlinear.is_empty() {
            set |= NONLINEAR;
        }
        weights.set_count_weights();
        let shape = |piece| Shape::new(size, piece, &weights, &by_column);
        let mut shapes: Vec<Shape> = Piece::ALL.map(shape).into();
        let starts =
            |shape: &Shape| shape.lanes().map(|lane| shape.exact[lane]).collect::<Vec<i64>>();
        let starts = shapes.iter().flat_map(starts).collect::<Vec<i64>>();
        let rounded = weights.rounded(&starts, &by_column, &nonlinear);
        by_column.round(rounded.scale);
        nonlinear.round(size, rounded.scale);
        shapes.iter_mut().for_each(|shape| shape.round(&weights, &rounded));
        let masks = ColumnMasks::new(size.width());
        // Relaxed, since identifiers only have to differ.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Delta {
            id,
            level,
            size,
            play,
            set,
            weights,
            by_column,
            nonlinear,
            rounded,
            shapes,
            masks,
        })
    }

    /// Returns a lower bound for the rounded score change of placements with an exact score change
    /// of at least `difference`.
    #[inline(always)]
    fn min_sum(&self, difference: i64) -> i32 {
        let counted = difference.saturating_sub(self.weights.common);
        // Rounding changes a sum by less than the slack, and the cast by up to 1 more.
        ((counted as f64 * self.rounded.scale) as i32).saturating_sub(self.rounded.slack + 1)
    }

    /// Returns an upper bound for the exact score change if the rounded score change is `sum`.
    #[inline(always)]
    fn upper_bound(&self, sum: i32) -> i64 {
        let sum = f64::from(sum) + f64::from(self.rounded.slack);
        // 1 more, since the cast rounds toward zero.
        (sum / self.rounded.scale) as i64 + 1 + self.weights.common
    }

    #[inline(always)]
    fn set_or<const SET: u32>(&self) -> u32 {
        if SET == 0 { self.set } else { SET }
    }

    fn shape(&self, piece: Piece) -> &Shape {
        &self.shapes[piece.index()]
    }

    #[inline]
    pub(super) fn play(
        &self,
        board: &mut Board,
        piece: Piece,
        tables: &mut Tables,
    ) -> Option<Choice> {
        match self.set {
            BCTS => self.play_set::<BCTS>(board, piece, tables),
            _ => self.play_set::<0>(board, piece, tables),
        }
    }

    #[inline(always)]
    fn play_set<const SET: u32>(
        &self,
        board: &mut Board,
        piece: Piece,
        tables: &mut Tables,
    ) -> Option<Choice> {
        simd::run(self.level, PlayJob::<SET> { delta: self, piece, tables, board }).flatten()
    }

    /// Writes the best score of each piece on `board`, which itself has the score `board_score`, if
    /// known. Scores that sum to less than `floor` may be inexact.
    #[inline]
    pub(super) fn scores(
        &self,
        (board, board_score): (&Board, Option<i64>),
        pieces: &[Piece],
        floor: Option<i64>,
        tables: &mut Tables,
        scores: &mut [Option<i64>],
    ) -> bool {
        let job = ScoresJob { delta: self, board, board_score, pieces, floor, tables, scores };
        simd::run(self.level, job).unwrap_or(false)
    }

    #[inline]
    pub(super) fn afterstates(
        &self,
        board: &Board,
        piece: Piece,
        tables: &mut Tables,
        after: &mut [Afterstate],
    ) -> bool {
        simd::run(self.level, AfterstatesJob { delta: self, board, piece, tables, after })
            .unwrap_or(false)
    }

    /// Returns a mask of the placements that may be best or second best, one bit each.
    #[inline]
    pub(super) fn top_two(&self, board: &Board, piece: Piece, scratch: TopTwo<'_>) -> Option<u64> {
        simd::run(self.level, TopTwoJob { delta: self, board, piece, scratch }).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Measured;

    #[test]
    fn every_feature_has_a_rule() {
        let size = BoardSize::new(10, 20).unwrap();
        let play = PlayRules { measured: Measured::AfterClear, clear_on_overflow: false };
        for level in Level::available().filter(|&level| level != Level::SCALAR) {
            for feature in Feature::all(size) {
                assert!(Delta::new(size, play, &[(feature, 1)], level).is_some(), "{feature}");
            }
        }
    }
}
