//! T-slots and places of T-spin triples in matrices side by side: [`super::matrix_batch`] counts them.

use super::matrix_batch::{Line, SIDE, each_column};
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};
use crate::simd::LoopsJob;

/// Matrices whose best T-slot is looked for.
#[repr(C, align(64))]
pub(super) struct Slots {
    pub(super) columns: [Line; WIDTH],
    /// 1 + the rows that its T clears; 0 without a slot.
    pub(super) best: Line,
    /// Its centre.
    x: Line,
    y: Line,
    /// The matrix of the batch that it comes from.
    pub(super) of: [u8; SIDE],
}

impl Default for Slots {
    fn default() -> Slots {
        let line = [0; SIDE];
        Slots { columns: [line; WIDTH], best: line, x: line, y: line, of: [0; SIDE] }
    }
}

impl Slots {
    /// Puts the T of a matrix into its slot, removes full rows, and writes it to another place.
    pub(super) fn fill(&mut self, place: usize, to: usize) {
        let (x, y) = (self.x[place] as usize, self.y[place] as usize);
        let mut columns = [0; WIDTH];
        for (column, line) in columns.iter_mut().zip(&self.columns) {
            *column = line[place];
        }
        let matrix = Matrix::from_columns(columns);
        let filled = matrix.with(x - 1, y).with(x, y).with(x + 1, y).with(x, y - 1).clear().0;
        for (line, column) in self.columns.iter_mut().zip(filled.columns()) {
            line[to] = *column;
        }
    }
}

/// The rows that are full in all columns before each column, and in each column and all after it; before the first, and
/// after the last, all are.
#[inline(always)]
pub(super) fn full_beside(columns: &[u32; WIDTH]) -> [[u32; WIDTH + 1]; 2] {
    let (mut before, mut from) = ([u32::MAX; WIDTH + 1], [u32::MAX; WIDTH + 1]);
    each_column!(C => {
        before[C + 1] = before[C] & columns[C];
        from[WIDTH - 1 - C] = from[WIDTH - C] & columns[WIDTH - 1 - C];
    });
    [before, from]
}

/// Looks for the best slot of each matrix.
pub(super) struct Slotting<'a>(pub(super) &'a mut Slots);

impl LoopsJob for Slotting<'_> {
    #[inline(always)]
    fn run(self) {
        let Slots { columns, best, x, y, .. } = self.0;
        for l in 0..SIDE {
            let mut k = [0u32; WIDTH];
            each_column!(C => k[C] = columns[C][l]);
            let [before, from] = full_beside(&k);
            let mut found = (0, 0, 0);
            each_column!(C => {
                if C != 0 && C + 1 != WIDTH {
                    let (left, right) = (C.saturating_sub(1), (C + 1) % WIDTH);
                    let others = before[left] & from[right + 1];
                    let centre = (C as u32, k[C]);
                    found = better(found, centre, (k[left], k[right]), others);
                    found = better(found, centre, (k[right], k[left]), others);
                }
            });
            (best[l], x[l], y[l]) = found;
        }
    }
}

/// The better of a slot that was found and the one of this centre, open column and column with the overhang.
#[inline(always)]
fn better(
    found: (u32, u32, u32),
    (x, centre): (u32, u32),
    (open, roof): (u32, u32),
    others: u32,
) -> (u32, u32, u32) {
    let y = ROWS as u32 - open.trailing_zeros();
    let height = ROWS as u32 - centre.trailing_zeros();
    // The roof's cells beside the tip, beside the centre and above that.
    let beside = roof.wrapping_shl(y.wrapping_sub(1)) >> 29;
    // One condition, not one after another: a branch would end the vectors.
    let is_slot = (y >= 1) & (height < y) & (y < VISIBLE as u32 + 2) & (beside == 0b101);
    let row = (1u32 << 31).wrapping_shr(y);
    let full = others & (open | row) & (roof | row) & (centre | row | row << 1);
    let score = if is_slot { 1 + full.count_ones() } else { 0 };
    let is_better = score > found.0;
    (
        if is_better { score } else { found.0 },
        if is_better { x } else { found.1 },
        if is_better { y } else { found.2 },
    )
}

/// The rows that a T would clear, 0 where there is no place for it: the column that it stands in, the one that
/// its tip is in, the one beyond, and the rows that are full but for the first two.
#[inline(always)]
pub(super) fn triple(column: u32, beside: u32, beyond: u32, others: u32) -> u32 {
    let y = (ROWS as u32 - beside.trailing_zeros()).wrapping_sub(2);
    let highest = ROWS as u32 - beyond.trailing_zeros();
    // Rows y - 1 to y + 3 from the highest bit on: of the column that it stands in the last alone is filled.
    let stands = column.wrapping_shl(y.wrapping_sub(1)) >> 27 == 0b00001;
    let row = (1u32 << 31).wrapping_shr(y);
    let is_in = (y >= 1) & (y < VISIBLE as u32);
    let fits = is_in & stands & (beside & row == 0) & (highest <= y.wrapping_add(2));
    let rows = row | row << 1 | row >> 1;
    let full = others & (beside | row) & rows;
    if fits { full.count_ones() } else { 0 }
}
