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

fn is(act: &Act, spin: Spin, lines: u8) -> i32 {
    i32::from(act.spin == spin && act.lines == lines)
}

pub(super) fn clear<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::None, LINES)
}

pub(super) fn mini<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::Mini, LINES)
}

pub(super) fn t_spin<const LINES: u8>(act: &Act) -> i32 {
    is(act, Spin::Full, LINES)
}

fn is_difficult(act: &Act) -> bool {
    act.lines == 4 || (act.lines > 0 && act.spin != Spin::None)
}

pub(super) fn back_to_back_clear(act: &Act) -> i32 {
    i32::from(act.back_to_back && is_difficult(act))
}

pub(super) fn back_to_back_lost(act: &Act) -> i32 {
    i32::from(act.back_to_back && act.lines > 0 && !is_difficult(act))
}

pub(super) fn perfect_clear(act: &Act) -> i32 {
    i32::from(act.perfect)
}

/// What clears in a row are worth, by how many there were before; 5 from 12 on.
pub(super) const COMBO: [i32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5];

pub(super) fn combo(act: &Act) -> i32 {
    if act.lines == 0 { 0 } else { COMBO[usize::from(act.combo).min(COMBO.len() - 1)] }
}

pub(super) fn wasted_t(act: &Act) -> i32 {
    i32::from(act.piece == Piece::T && (act.spin == Spin::None || act.lines == 0))
}

pub(super) fn jeopardy(act: &Act) -> i32 {
    (i32::from(act.height) - 10).max(0)
}

pub(super) fn points(act: &Act) -> i32 {
    act.points as i32
}

pub(super) fn rows_removed(act: &Act) -> i32 {
    act.lines.into()
}
