//! T-slots: where a T that points down can be turned in under an overhang.

use crate::matrix::{Matrix, VISIBLE, WIDTH};

/// Slots are filled and looked for again at most so often.
pub(crate) const MOST_SLOTS: usize = 3;

/// A slot with its T in it.
pub(super) struct Slot {
    /// Rows that the T clears.
    pub(super) lines: u32,
    /// Column and row of the T's centre.
    pub(super) centre: (usize, usize),
    /// The matrix with the T, its rows cleared.
    after: Matrix,
}

/// The slots one after another: the T goes into the best slot, rows are cleared, and the next slot is looked for.
pub(super) fn each_slot(matrix: &Matrix) -> impl Iterator<Item = Slot> {
    let mut matrix = *matrix;
    let next = move || {
        let slot = best(&matrix)?;
        matrix = slot.after;
        Some(slot)
    };
    std::iter::from_fn(next).take(MOST_SLOTS)
}

/// Slots whose T clears so many rows.
pub(super) fn t_slots<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_slot(matrix).filter(|slot| slot.lines == LINES).count() as i32
}

/// The matrix with a T that points down in it, nothing cleared.
pub(super) fn with_t(matrix: &Matrix, (x, y): (usize, usize)) -> Matrix {
    matrix.with(x - 1, y).with(x, y).with(x + 1, y).with(x, y - 1)
}

/// The slot whose T clears the most rows, the leftmost of several. Its tip and centre are open to
/// the sky, one neighbour column is exactly as high as the centre's row, the other has a filled cell
/// over the arm (the overhang), none beside the centre, and one beside the tip.
///
/// ```text
/// row y + 1   . . #       roof: its cell hangs over the arm of the T
/// row y       T T T       the centre is (x, y); the open column on the left is exactly y high
/// row y - 1   # T #       the tip; the roof's column is filled beside it, so that the T turns in under the roof
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
