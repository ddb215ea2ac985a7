//! Finds T-slots: places where a T that points down can be turned in under an overhang.

use crate::matrix::{Matrix, VISIBLE, WIDTH};

/// Largest number of T-slots that are counted in a matrix. After each T-slot found, a T is placed
/// in it and full rows are removed before the next search.
pub(crate) const MAX_SLOTS: usize = 3;

/// A T-slot, with the effect of placing a T there.
pub(super) struct Slot {
    /// Number of rows that the T clears.
    pub(super) lines: u32,
    /// Column and row of the T's centre.
    pub(super) centre: (usize, usize),
    /// Matrix with the T, after full rows are removed.
    after: Matrix,
}

/// Returns at most [`MAX_SLOTS`] T-slots: finds the best slot, fills it with a T, removes full
/// rows, and repeats.
pub(super) fn each_slot(matrix: &Matrix) -> impl Iterator<Item = Slot> {
    let mut matrix = *matrix;
    let next = move || {
        let slot = best(&matrix)?;
        matrix = slot.after;
        Some(slot)
    };
    std::iter::from_fn(next).take(MAX_SLOTS)
}

/// Returns the number of T-slots whose T clears `LINES` rows.
pub(super) fn t_slots<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_slot(matrix).filter(|slot| slot.lines == LINES).count() as i32
}

/// Returns `matrix` with a T that points down and has its centre at (`x`, `y`), without removing
/// full rows.
pub(super) fn with_t(matrix: &Matrix, (x, y): (usize, usize)) -> Matrix {
    matrix.with(x - 1, y).with(x, y).with(x + 1, y).with(x, y - 1)
}

/// Returns the T-slot whose T clears the most rows, the leftmost if there are several, or `None`
/// without a slot.
///
/// The tip and the centre of the T are open to the sky. The top of one neighbour column is directly
/// below the arm of the T. The other neighbour column has a filled cell above the arm (the
/// overhang), none beside the centre, and one beside the tip.
///
/// ```text
/// row y + 1   . . #       the overhang: a cell above the arm of the T
/// row y       T T T       the centre is (x, y); the open column on the left has height y
/// row y - 1   # T #       the tip, with a filled cell in the overhang's column beside it
///               x
/// ```
fn best(matrix: &Matrix) -> Option<Slot> {
    let heights = matrix.heights().map(usize::from);
    let mut best: Option<Slot> = None;
    for x in 1..WIDTH - 1 {
        for (open, roof) in [(x - 1, x + 1), (x + 1, x - 1)] {
            let y = heights[open];
            let is_slot = y >= 1
                && heights[x] < y
                && y < VISIBLE + 2
                && matrix.is_filled(roof, y + 1)
                && !matrix.is_filled(roof, y)
                && matrix.is_filled(roof, y - 1);
            if is_slot {
                let (after, lines) = with_t(matrix, (x, y)).clear();
                if best.as_ref().is_none_or(|best| lines > best.lines) {
                    best = Some(Slot { lines, centre: (x, y), after });
                }
            }
        }
    }
    best
}
