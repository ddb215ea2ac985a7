//! T-slots: where a T that points down can be turned in under an overhang.

use crate::matrix::{Matrix, VISIBLE, WIDTH};

/// Slots are filled and looked for again at most so often.
const MOST: usize = 3;

/// The rows that the T of each slot clears, slot by slot: the T goes into the best slot, rows are
/// cleared, and the next slot is looked for.
pub(super) fn each_slot(matrix: &Matrix) -> impl Iterator<Item = u32> {
    let mut matrix = *matrix;
    let next = move || {
        let (lines, after) = best(&matrix)?;
        matrix = after;
        Some(lines)
    };
    std::iter::from_fn(next).take(MOST)
}

pub(super) fn t_slots<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_slot(matrix).filter(|&lines| lines == LINES).count() as i32
}

/// The slot whose T clears the most rows, the leftmost of several. Its tip and centre are open to
/// the sky, one neighbour column is exactly as high as the centre's row, the other has a filled cell
/// over the arm (the overhang), none beside the centre, and one beside the tip.
fn best(matrix: &Matrix) -> Option<(u32, Matrix)> {
    let heights = matrix.heights().map(usize::from);
    let mut best: Option<(u32, Matrix)> = None;
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
                let t = matrix.with(x - 1, y).with(x, y).with(x + 1, y).with(x, y - 1);
                let (after, lines) = t.clear();
                if best.is_none_or(|(most, _)| lines > most) {
                    best = Some((lines, after));
                }
            }
        }
    }
    best
}
