//! The difference kernel: features of a placement that clears nothing differ from its parent's only
//! where the piece touches, so each difference is read from a few rows of a few columns.
//!
//! Every placement has one byte of a register: orientation o in column c is byte 16 o + c. A lane of
//! sixteen bytes holds one orientation, so that tables may belong to the orientation, columns are moved
//! once for all of them, and the order of bytes is the order that decides ties. Placements that fill
//! rows are played, and their boards valued whole: half of all pieces have one.
//!
//! ```text
//! byte         0 ........... 15 | 16 .......... 31 | 32 .......... 47 | 48 .......... 63
//! orientation         0         |        1         |        2         |        3
//! column       0 ........... 15 | 0 ........... 15 | 0 ........... 15 | 0 ........... 15
//!
//! J on ten columns: placements are bytes 0-7, 16-24, 32-39 and 48-56; the others run too and are masked out.
//! `index` = the place in canonical order: 0-7, 8-16, 17-24, 25-33
//! ```
//!
//! Why a few bytes are enough. Let a piece of w columns rest on row r, column j of it beginning at row r + b_j
//! with t_j cells, on a column of height h_j. It fills no row, so that nothing else moves, and:
//!
//! | feature | changes by | because |
//! |---|---|---|
//! | holes | w r + sum b_j - sum h_j | what lies between a column and the piece is covered |
//! | aggregate height | the same + 4 | a column now ends t_j above that |
//! | row transitions | 2 x empty cells beside the piece - 2 x its rows | in a row its cells are one run |
//! | column transitions | 2 w - 2 x columns it rests on | a gap below adds two changes, none adds nothing |
//! | hole depth | 4 - its cells in columns without a hole that it rests on | a cell counts with any hole below it |
//! | rows with holes | rows that get their first hole | rows between the lowest column and r, and below overhangs |
//! | wells | well cells that come and go, each by its depth | by their two neighbours: in five columns, rows r to r + 3 (and above an upright I) |
//! | bumpiness | two new steps at its ends + those within it - the old ones | steps elsewhere stay |
//! | maximum height | how far its top is above the stack | |
//!
//! So a score's difference is a constant of the orientation (`Shape::exact`), a multiple of r
//! (`Shape::of_row`), and nine counts times weights (`weights`): each count fits a byte.
//!
//! | file | what it holds |
//! |---|---|
//! | `weights` | the weights, exact and rounded to two digits |
//! | `shape` | a piece's placements: tables by orientation |
//! | `board` | a parent: its columns and rows |
//! | `place`, `fast` | what each placement changes; of fast wells |
//! | `by_column` | heights and steps that have a weight for each column |
//! | `choose` | the best placement, by rounded scores of all and exact ones of a few |
//! | `counted` | what was counted, looked up: exact scores |
//! | `settle` | the wells exactly, where a hole is among them |
//! | `clear`, `value` | placements that fill rows; the score of a single board |
//! | `survey` | all placements of a piece, for look-ahead and for logs |

// Loops go by index: what iterators take are closures, and closures around intrinsics are not compiled
// for the level.
#![allow(clippy::needless_range_loop)]

mod board;
mod by_column;
mod choose;
mod clear;
mod counted;
mod fast;
mod place;
mod settle;
mod shape;
mod survey;
mod value;
mod weights;

use std::sync::atomic::{AtomicU64, Ordering};

use super::board_batch::Play;
use super::shapes::LANDING;
use crate::board::{Board, BoardSize, MAX_WIDTH};
use crate::features::Feature;
use crate::piece::Piece;
use crate::placement::Step;
use crate::simd::{self, Lane, Level};
pub(super) use board::Tables;
use by_column::ByColumn;
pub(super) use choose::Found;
use choose::{Choose, Wish};
use shape::Shape;
pub(super) use survey::TopTwo;
use survey::{Ahead, Contend};
use weights::{ANY_WELLS, BY_COLUMN, DeltaFeature, HEIGHTS, Rounded, Weights};

/// Columns as masks: of words, one of bytes.
///
/// ```text
/// width 10:  column  0 1 2 3 4 5 6 7 8 9 | 10 ... 15
/// walls              0 . . . . . . . . . | ffff ffff     full columns: neighbours that are filled
/// floor              1 1 1 1 1 1 1 1 1 1 | 0    0        the cell below row 0, moved up by one
/// inner              ffff ......... ffff 0 | 0  0        columns that have a right neighbour
/// steps              0 ff ff ... ff ff ff | 0   0        columns that have a left neighbour
/// ```
struct Masks {
    /// Beyond the last column.
    walls: [u16; MAX_WIDTH],
    /// Row 0 of the columns that are there.
    floor: [u16; MAX_WIDTH],
    /// All columns but the last.
    inner: [u16; MAX_WIDTH],
    /// The sixteenth.
    last: [u16; MAX_WIDTH],
    /// All columns that have one on their left.
    steps: Lane,
}

impl Masks {
    /// The masks of boards of this width, 4 to 16.
    fn new(width: usize) -> Masks {
        let mut masks = Masks {
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

/// A controller whose features are all known here, on boards of one size.
pub(super) struct Delta {
    /// Unlike all others'.
    ///
    /// A thread's [`Tables`] keep the score of the board played last; two controllers may share a thread, and
    /// the score of one says nothing to the other.
    id: u64,
    level: Level,
    size: BoardSize,
    play: Play,
    /// The set of features, one bit each ([`DeltaFeature::bit`], [`BY_COLUMN`]).
    set: u32,
    weights: Weights,
    by_column: ByColumn,
    rounded: Rounded,
    shapes: Vec<Shape>,
    masks: Masks,
}

/// What a placement leads to.
#[derive(Clone, Copy)]
pub(super) struct After {
    /// The board, rows removed; of no use when the placement loses.
    pub(super) board: Board,
    pub(super) score: i64,
    /// The part of the score that the move earned.
    pub(super) of_move: i64,
    /// The score of the board alone, where it is known.
    pub(super) own: Option<i64>,
    /// The landing row.
    pub(super) row: u8,
    pub(super) lost: bool,
}

impl Delta {
    /// The kernel for weighted features, if the level has what it needs and all are known.
    pub(super) fn new(
        size: BoardSize,
        play: Play,
        terms: &[(Feature, i64)],
        level: Level,
    ) -> Option<Delta> {
        if !level.has_bytes() {
            return None;
        }
        let (mut weights, mut by_column) = (Weights::default(), ByColumn::default());
        let mut set = 0;
        let mut landing = None;
        for &(feature, weight) in terms {
            let name = feature.definition().name;
            if let Some(known) = DeltaFeature::named(name) {
                weights.known[known] += weight;
                set |= known.bit();
            } else if let Some(k) = LANDING.iter().position(|&(other, _)| other == name) {
                // One landing feature is provided for: a second has other steps to a row and another constant.
                if landing.is_some_and(|other| other != k) {
                    return None;
                }
                landing = Some(k);
                weights.landing += weight;
                weights.landing_steps = i64::from(LANDING[k].1);
            } else {
                match name {
                    "eroded_cells" => weights.eroded += weight,
                    "eroded_cells_guide" => weights.eroded_alone += weight,
                    "rows_removed" => weights.lines += weight,
                    "constant" => weights.constant += weight,
                    // Counted as `aggregate_height`, since raw values are equal and only units differ.
                    "mean_height" => {
                        weights.known[DeltaFeature::AggregateHeight] += weight;
                        set |= HEIGHTS;
                    }
                    "height" => {
                        by_column.heights[feature.index()] += weight;
                        set |= BY_COLUMN;
                    }
                    "height_diff" => {
                        // The weight goes to the column on the right of the step, since placements ask about
                        // the step into a column.
                        by_column.steps[feature.index() + 1] += weight;
                        set |= BY_COLUMN;
                    }
                    _ => return None,
                }
            }
        }
        // Both kinds of wells would need two counts: there is one byte for them.
        if set & ANY_WELLS == ANY_WELLS {
            return None;
        }
        weights.settle();
        let shape = |piece| Shape::new(size, piece, landing, &weights, &by_column);
        let mut shapes: Vec<Shape> = Piece::ALL.map(shape).into();
        let starts =
            |shape: &Shape| shape.lanes().map(|lane| shape.exact[lane]).collect::<Vec<i64>>();
        let starts = shapes.iter().flat_map(starts).collect::<Vec<i64>>();
        let rounded = weights.rounded(&starts, &by_column);
        by_column.round(rounded.scale);
        shapes.iter_mut().for_each(|shape| shape.round(&weights, &rounded));
        let masks = Masks::new(size.width());
        // Relaxed, since numbers are only told apart and never ordered.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Delta { id, level, size, play, set, weights, by_column, rounded, shapes, masks })
    }

    /// A rounded sum below which a placement makes less than this difference.
    #[inline(always)]
    fn least_sum(&self, difference: i64) -> i32 {
        let counted = difference.saturating_sub(self.weights.always);
        // Rounding takes less than the slack from a sum, and the cast up to 1 more.
        ((counted as f64 * self.rounded.scale) as i32).saturating_sub(self.rounded.slack + 1)
    }

    /// What a placement of this rounded sum makes at most.
    #[inline(always)]
    fn at_most(&self, sum: i32) -> i64 {
        let sum = f64::from(sum) + f64::from(self.rounded.slack);
        // 1 more, since the cast cuts off.
        (sum / self.rounded.scale) as i64 + 1 + self.weights.always
    }

    /// The placements of a piece.
    fn shape(&self, piece: Piece) -> &Shape {
        &self.shapes[piece.index()]
    }

    /// Finds the best placement of a piece; None where the kernel does not lead.
    #[inline]
    pub(super) fn find(&self, board: &Board, piece: Piece, tables: &mut Tables) -> Option<Found> {
        let job = Choose { delta: self, pieces: &[piece], tables, wish: Wish::Which(board) };
        simd::run(self.level, job).flatten()
    }

    /// Plays the best placement of a piece; None where the kernel does not lead.
    #[inline]
    pub(super) fn step(
        &self,
        board: &mut Board,
        piece: Piece,
        tables: &mut Tables,
    ) -> Option<Step> {
        let job = Choose { delta: self, pieces: &[piece], tables, wish: Wish::Play(board) };
        let found = simd::run(self.level, job).flatten()?;
        Some(Step { lines: found.lines, stack: found.stack, lost: found.lost })
    }

    /// Finds the best score of each piece on a board, whose own score may be known; None where it
    /// loses; false where the kernel does not lead. Scores whose sum is below the floor may be others whose sum is.
    #[inline]
    pub(super) fn scores(
        &self,
        (board, own): (&Board, Option<i64>),
        pieces: &[Piece],
        floor: Option<i64>,
        tables: &mut Tables,
        scores: &mut [Option<i64>],
    ) -> bool {
        let wish = Wish::Scores(board, scores, own, floor);
        let job = Choose { delta: self, pieces, tables, wish };
        simd::run(self.level, job).flatten().is_some()
    }

    /// Scores all placements and makes the boards they lead to; false where the kernel does not
    /// lead.
    #[inline]
    pub(super) fn afterstates(
        &self,
        board: &Board,
        piece: Piece,
        tables: &mut Tables,
        after: &mut [After],
    ) -> bool {
        simd::run(self.level, Ahead { delta: self, board, piece, tables, after }).unwrap_or(false)
    }

    /// Scores the placements that can be best or second, and tells which they are; None where the
    /// kernel does not lead.
    #[inline]
    pub(super) fn top_two(&self, board: &Board, piece: Piece, scratch: TopTwo<'_>) -> Option<u64> {
        simd::run(self.level, Contend { delta: self, board, piece, scratch }).flatten()
    }
}
