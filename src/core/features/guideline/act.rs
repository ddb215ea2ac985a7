//! What a placement did, and the scalar definitions of what it earns.

use crate::piece::Piece;
use crate::placement::Spin;

/// What a placement did, as far as terms ask: the reward of a search is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
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
fn is(act: &Act, spin: Spin, lines: u8) -> i32 {
    i32::from(act.spin == spin && act.lines == lines)
}

/// A clear without spin.
pub(super) fn clear<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::None, LINES)
}

/// A mini T-spin.
pub(super) fn mini<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::Mini, LINES)
}

/// A T-spin.
pub(super) fn t_spin<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::Full, LINES)
}

/// What back-to-back asks: a tetris, or a T-spin of any kind that removes rows.
fn is_difficult(act: &Act) -> bool {
    act.lines == 4 || (act.lines > 0 && act.spin != Spin::None)
}

/// A difficult clear after another.
pub(super) fn back_to_back_clear(act: &Act) -> i32 {
    i32::from(act.back_to_back && is_difficult(act))
}

/// A clear that leaves nothing.
pub(super) fn back_to_back_lost(act: &Act) -> i32 {
    i32::from(act.back_to_back && act.lines > 0 && !is_difficult(act))
}

pub(super) fn perfect_clear(act: &Act) -> i32 {
    i32::from(act.perfect)
}

/// What clears in a row are worth, by how many there were before; 5 from the twelfth clear on.
pub(crate) const COMBO: [i32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5];

/// The worth of the clears in a row before this one, if it is one.
pub(super) fn combo(act: &Act) -> i32 {
    if act.lines == 0 { 0 } else { COMBO[usize::from(act.combo).min(COMBO.len() - 1)] }
}

/// A T placed without a spin that removes rows.
pub(super) fn wasted_t(act: &Act) -> i32 {
    i32::from(act.piece == Piece::T && (act.spin == Spin::None || act.lines == 0))
}

/// Rows of the stack above 10 after it: the risk that a placement leaves, earned once for each.
pub(super) fn jeopardy(act: &Act) -> i32 {
    (i32::from(act.height) - 10).max(0)
}

/// Its points, drops left out.
pub(super) fn points(act: &Act) -> i32 {
    act.points as i32
}

/// Its rows.
pub(super) fn rows_removed(act: &Act) -> i32 {
    act.lines.into()
}
