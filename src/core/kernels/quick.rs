//! The quick way (AVX-512): features of a placement that clears nothing differ from its parent's
//! only where the piece touches, so each difference is read from a few rows of a few columns.
//! Every placement of a piece has one byte of a register: orientation o in column c is byte
//! 4 c + o, so that what lies in the next column lies in the next 32 bits.

mod shape;
mod weights;

use super::plan::Workspace;
use super::shapes::LANDING;
use super::sheet::Play;
use crate::board::{Board, BoardSize};
use crate::features::Feature;
use crate::piece::Piece;
use crate::placement::Step;
pub(super) use shape::{Bytes, LOWEST, RUNS, Shape};
pub(super) use weights::{SLOTS, Weights};

/// Features the quick way knows, in the order of their weights.
pub(super) const KNOWN: [&str; 10] = [
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "aggregate_height",
    "bumpiness",
    "complete_rows",
    "pattern_diversity",
];

/// Sets of features that the quick way is compiled for, as bits of [`KNOWN`].
pub(super) const DIVERSITY: u32 = 1 << 9;
pub(super) const DELLACHERIE: u32 = 0b00_1111;
pub(super) const BCTS: u32 = 0b11_1111;
pub(super) const DT: u32 = BCTS | DIVERSITY;
pub(super) const LEE: u32 = 0b1_1100_0100;

/// The weights and tables of the quick way.
pub(super) struct Quick {
    pub(super) set: u32,
    pub(super) size: BoardSize,
    pub(super) play: Play,
    pub(super) shapes: Vec<Shape>,
    pub(super) weights: Weights,
}

impl Quick {
    /// The quick way for weighted features, if it knows them all.
    pub(super) fn new(size: BoardSize, play: Play, terms: &[(Feature, i64)]) -> Option<Quick> {
        let mut weights = Weights::default();
        let mut set = 0;
        let mut landing = None;
        for &(feature, weight) in terms {
            let name = feature.definition().name;
            if let Some(known) = KNOWN.iter().position(|&other| other == name) {
                weights.known[known] += weight;
                set |= 1 << known;
            } else if let Some(k) = LANDING.iter().position(|&(other, _)| other == name) {
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
                    _ => return None,
                }
            }
        }
        let set = [DELLACHERIE, BCTS, DT, LEE].into_iter().find(|known| set & !known == 0)?;
        weights.split(set)?;
        let shape = |piece| Shape::new(size.width(), piece, landing, &weights);
        let shapes = Piece::ALL.map(shape).into();
        Some(Quick { set, size, play, shapes, weights })
    }
}

/// What the quick way finds: the first best of the placements that do not lose, or the first.
pub(super) struct Found {
    pub(super) index: usize,
    /// Its landing row.
    pub(super) row: u8,
    pub(super) lost: bool,
}

/// Finds the best placement of a piece; None where the quick way does not lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn find(quick: &Quick, board: &Board, piece: Piece) -> Option<Found> {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::find(quick, board, piece) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn find(_: &Quick, _: &Board, _: Piece) -> Option<Found> {
    None
}

/// Plays the best placement of a piece; None where the quick way does not lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn step(quick: &Quick, board: &mut Board, piece: Piece) -> Option<Step> {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::step(quick, board, piece) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn step(_: &Quick, _: &mut Board, _: Piece) -> Option<Step> {
    None
}

/// Scores the placements that can be best or second, and tells which they are; None where the
/// quick way does not lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn contenders(
    quick: &Quick,
    board: &Board,
    piece: Piece,
    space: &mut Workspace,
) -> Option<u64> {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::contenders(quick, board, piece, space) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn contenders(_: &Quick, _: &Board, _: Piece, _: &mut Workspace) -> Option<u64> {
    None
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

/// Finds the best score of each piece on a board, whose own score may be known; None where it
/// loses; false where the quick way does not lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn scores(
    quick: &Quick,
    board: (&Board, Option<i64>),
    pieces: &[Piece],
    scores: &mut [Option<i64>],
) -> bool {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::scores(quick, board, pieces, scores) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn scores(
    _: &Quick,
    _: (&Board, Option<i64>),
    _: &[Piece],
    _: &mut [Option<i64>],
) -> bool {
    false
}

/// Scores all placements and makes the boards they lead to; false where the quick way does not
/// lead.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn afterstates(quick: &Quick, board: &Board, piece: Piece, after: &mut [After]) -> bool {
    // SAFETY: a plan has a quick way only if it owns a level of AVX-512.
    unsafe { super::quick512::afterstates(quick, board, piece, after) }
}

/// No level other than AVX-512 has a quick way.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn afterstates(_: &Quick, _: &Board, _: Piece, _: &mut [After]) -> bool {
    false
}
