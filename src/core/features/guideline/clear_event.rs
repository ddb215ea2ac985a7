//! What a placement did, and the scalar definitions of what it earns.

use crate::piece::Piece;
use crate::placement::Spin;

/// What a placement did, as far as terms ask: the reward of a search is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearEvent {
    /// The piece placed.
    pub piece: Piece,
    /// Rows removed.
    pub lines: u8,
    /// Its spin.
    pub spin: Spin,
    /// Whether it left nothing.
    pub perfect: bool,
    /// Clears in a row before it.
    pub combo: u8,
    /// Whether the last clear before it was a difficult one (a tetris, or a T-spin with rows).
    pub back_to_back: bool,
    /// Height of the stack after it.
    pub height: u8,
    /// Its points, drops left out.
    pub points: u32,
}

/// 1 for this spin and number of rows.
fn is(event: &ClearEvent, spin: Spin, lines: u8) -> i32 {
    i32::from(event.spin == spin && event.lines == lines)
}

/// A clear without spin.
pub(super) fn clear<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::None, LINES)
}

/// A mini T-spin.
pub(super) fn mini<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::Mini, LINES)
}

/// A T-spin.
pub(super) fn t_spin<const LINES: u8>(event: &ClearEvent) -> i32 {
    is(event, Spin::Full, LINES)
}

/// What back-to-back asks: a tetris, or a T-spin of any kind that removes rows.
fn is_difficult(event: &ClearEvent) -> bool {
    event.lines == 4 || (event.lines > 0 && event.spin != Spin::None)
}

/// A difficult clear after another.
pub(super) fn back_to_back_clear(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && is_difficult(event))
}

/// A clear that leaves nothing.
pub(super) fn back_to_back_lost(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && event.lines > 0 && !is_difficult(event))
}

pub(super) fn perfect_clear(event: &ClearEvent) -> i32 {
    i32::from(event.perfect)
}

/// What clears in a row are worth, by how many there were before; 5 from the twelfth clear on.
pub(crate) const COMBO: [i32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5];

/// The worth of the clears in a row before this one, if it is one.
pub(super) fn combo(event: &ClearEvent) -> i32 {
    if event.lines == 0 { 0 } else { COMBO[usize::from(event.combo).min(COMBO.len() - 1)] }
}

/// A T placed without a spin that removes rows.
pub(super) fn wasted_t(event: &ClearEvent) -> i32 {
    i32::from(event.piece == Piece::T && (event.spin == Spin::None || event.lines == 0))
}

/// Rows of the stack above 10 after it: the risk that a placement leaves, earned once for each.
pub(super) fn jeopardy(event: &ClearEvent) -> i32 {
    (i32::from(event.height) - 10).max(0)
}

/// Its points, drops left out.
pub(super) fn points(event: &ClearEvent) -> i32 {
    event.points as i32
}

/// Its rows.
pub(super) fn rows_removed(event: &ClearEvent) -> i32 {
    event.lines.into()
}
