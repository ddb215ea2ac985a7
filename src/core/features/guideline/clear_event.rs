//! Describes the effect of a placement, and defines the scalar functions of the terms that count
//! it.

use serde::{Deserialize, Serialize};

use crate::piece::Piece;
use crate::placement::Spin;

/// The effect of a placement, from which the terms of its reward are computed.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{piece::Piece, rules::guideline::*};
/// let rules = Guideline::official();
/// let state = GuidelineState::default();
/// let [current, _] = state.choices(&rules, &[Piece::I, Piece::T]);
/// let flat = Landing::at(Piece::I, RotationState::Spawn, 0, 0).unwrap();
/// let event = state.place(&rules, &current.unwrap(), flat).event;
/// assert_eq!((event.piece, event.lines, event.height), (Piece::I, 0, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearEvent {
    /// Piece that was placed.
    pub piece: Piece,
    /// Number of rows removed, 0 to 4.
    pub lines: u8,
    /// Spin of the placement.
    pub spin: Spin,
    /// True if the matrix is empty after the placement.
    pub perfect: bool,
    /// Number of consecutive clears before the placement.
    pub combo: u8,
    /// True if the last clear before the placement was difficult (a tetris, or a T-spin with rows).
    pub back_to_back: bool,
    /// Height of the stack after the placement, in rows.
    pub height: u8,
    /// Points of the placement, without the points of soft and hard drops.
    pub points: u32,
    /// Rows of garbage that the placement sends to an opponent.
    pub attack: u32,
}

/// Returns 1 if the placement has the spin `spin` and removes `lines` rows, otherwise 0.
fn is(event: &ClearEvent, spin: Spin, lines: u8) -> i32 {
    i32::from(event.spin == spin && event.lines == lines)
}

/// Returns 1 for a clear of `LINES` rows without spin, otherwise 0.
pub(super) fn clear<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::None, LINES)
}

/// Returns 1 for a mini T-spin that removes `LINES` rows, otherwise 0.
pub(super) fn mini<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::Mini, LINES)
}

/// Returns 1 for a full T-spin that removes `LINES` rows, otherwise 0.
pub(super) fn t_spin<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::Full, LINES)
}

/// Returns true for a clear that continues back-to-back: a tetris, or any T-spin that removes rows.
fn is_difficult(event: &ClearEvent) -> bool {
    event.lines == 4 || (event.lines > 0 && event.spin != Spin::None)
}

/// Returns 1 for a difficult clear if the previous clear was difficult too, otherwise 0.
pub(super) fn back_to_back_clear(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && is_difficult(event))
}

/// Returns 1 for a clear that is not difficult and so ends back-to-back, otherwise 0.
pub(super) fn back_to_back_lost(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && event.lines > 0 && !is_difficult(event))
}

pub(super) fn perfect_clear(event: &ClearEvent) -> i32 {
    i32::from(event.perfect)
}

/// Values of the term `combo`, indexed by the number of consecutive clears before the placement.
/// The value is 5 from the twelfth clear on.
pub(crate) const COMBO: [i32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5];

/// Returns the value in [`COMBO`] if the placement removes rows, otherwise 0.
pub(super) fn combo(event: &ClearEvent) -> i32 {
    if event.lines == 0 { 0 } else { COMBO[usize::from(event.combo).min(COMBO.len() - 1)] }
}

/// Returns 1 if the piece is a T and the placement is not a T-spin that removes rows, otherwise 0.
pub(super) fn wasted_t(event: &ClearEvent) -> i32 {
    i32::from(event.piece == Piece::T && (event.spin == Spin::None || event.lines == 0))
}

/// Returns the number of rows by which the stack exceeds 10 rows after the placement. A search adds
/// up this risk over all placements.
pub(super) fn jeopardy(event: &ClearEvent) -> i32 {
    (i32::from(event.height) - 10).max(0)
}

/// Returns the points of the placement, without points of drops.
pub(super) fn points(event: &ClearEvent) -> i32 {
    event.points as i32
}

/// Returns the rows of garbage that the placement sends to an opponent.
pub(super) fn attack(event: &ClearEvent) -> i32 {
    event.attack as i32
}

pub(super) fn rows_removed(event: &ClearEvent) -> i32 {
    event.lines.into()
}
