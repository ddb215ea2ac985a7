//! Matrices side by side, measured and weighed at once.
//!
//! A beam looks at thousands of matrices for one decision, and all that it asks of each is one number. So
//! they are laid out column by column, and every term is found for all of them by the same straight line
//! of operations on words: [`crate::features::guideline::values`] for many, held to it by tests of the beam. With
//! it, and with states that are built only where they are kept, a Blitz by a beam of 32 takes 0.28 s of CPU time where
//! it took 1.72, a Sprint by one of 16 0.027 s where it took 0.18 (one core of a shared Xeon with AVX-512, one run of each).

use super::evaluation::{MatrixWeights, NO_WELL};
use super::spins::{Slots, Slotting, full_beside, triple};
use crate::features::guideline::{DEEPEST, MATRIX_TERMS, PERFECT_ROWS, SLOT_TERMS, TRIPLE_TERMS};
use crate::kernels::Level;
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};
use crate::simd::{LoopsJob, run_loops};

/// Matrices of a batch.
pub(super) const SIDE: usize = 64;
/// T-slots are filled and looked for again at most so often.
const ROUNDS: usize = 3;

/// A word for each matrix.
pub(super) type Line = [u32; SIDE];
/// A term of each matrix.
type Values = [i32; SIDE];

/// Matrices side by side.
#[repr(C, align(64))]
pub(super) struct MatrixBatch {
    columns: [Line; WIDTH],
    /// The rows that are over the goal.
    over: Line,
    terms: [Values; MATRIX_TERMS],
    /// Which column is the well, and [`NO_WELL`] where it has no depth.
    wells: Line,
    worth: [i64; SIDE],
    len: usize,
    slots: Box<Slots>,
}

/// Runs an expression for each column, as a constant: a loop would stay one inside of the loop over
/// matrices, which then were no vectors.
macro_rules! each_column {
    ($c:ident => $do:expr) => {{
        each_column!(@ $c $do, 0 1 2 3 4 5 6 7 8 9);
    }};
    (@ $c:ident $do:expr, $($at:literal)*) => {
        $({
            const $c: usize = $at;
            $do
        })*
    };
}

pub(super) use each_column;

impl Default for MatrixBatch {
    fn default() -> MatrixBatch {
        MatrixBatch {
            columns: [[0; SIDE]; WIDTH],
            over: [0; SIDE],
            terms: [[0; SIDE]; MATRIX_TERMS],
            wells: [0; SIDE],
            worth: [0; SIDE],
            len: 0,
            slots: Box::default(),
        }
    }
}

impl MatrixBatch {
    /// How many matrices there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no room for another.
    pub(super) fn is_full(&self) -> bool {
        self.len == SIDE
    }

    /// Adds a matrix, which has room; `left` is how many rows are still to be cleared, if the game has an end.
    #[inline(always)]
    pub(super) fn put(&mut self, matrix: &Matrix, left: Option<u32>) {
        let place = self.len % SIDE;
        for (line, column) in self.columns.iter_mut().zip(matrix.columns()) {
            line[place] = *column;
        }
        self.over[place] = left.map_or(0, |left| u32::MAX.checked_shr(left).unwrap_or(0));
        self.len += 1;
    }

    /// Adds the same with a piece on it: its leftmost column, and its cells from there on. No row may be full.
    #[inline(always)]
    pub(super) fn put_piece(
        &mut self,
        matrix: &Matrix,
        (left, cells): (usize, [u32; 4]),
        rows: Option<u32>,
    ) {
        let place = self.len % SIDE;
        self.put(matrix, rows);
        for (line, cells) in self.columns[left..].iter_mut().zip(cells) {
            line[place] |= cells;
        }
    }

    /// Removes all.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// A matrix.
    #[inline]
    fn matrix(&self, place: usize) -> Matrix {
        let mut columns = [0; WIDTH];
        for (column, line) in columns.iter_mut().zip(&self.columns) {
            *column = line[place];
        }
        Matrix::from_columns(columns)
    }

    /// Finds what each matrix is worth.
    pub(super) fn weigh(&mut self, level: Level, weights: &MatrixWeights) {
        if level == Level::SCALAR {
            for place in 0..self.len {
                let left = Some(self.over[place].leading_zeros());
                let matrix = self.matrix(place);
                self.worth[place] = weights.worth(&matrix, left);
                self.terms[1][place] = matrix.stack_height() as i32;
            }
            return;
        }
        run_loops(level, Measuring(self));
        if weights.covers() {
            run_loops(level, Covering(self));
        }
        if weights.slots() {
            self.find_slots(level);
        }
        if weights.triples() {
            run_loops(level, Tripling(self));
        }
        run_loops(level, Weighing(self, weights));
        for place in 0..self.len {
            self.worth[place] += weights.well(self.wells[place] as usize);
        }
    }

    /// What a matrix is worth.
    #[inline]
    pub(super) fn worth(&self, place: usize) -> i64 {
        self.worth[place]
    }

    /// How high the stack of a matrix is, once they are weighed.
    #[inline]
    pub(super) fn height(&self, place: usize) -> i32 {
        self.terms[1][place]
    }

    /// Finds T-slots: the best of each matrix, whose T is put there, and so on.
    fn find_slots(&mut self, level: Level) {
        for line in &mut self.terms[SLOT_TERMS] {
            *line = [0; SIDE];
        }
        let slots = &mut *self.slots;
        slots.columns = self.columns;
        for (place, of) in slots.of.iter_mut().enumerate().take(self.len) {
            *of = place as u8;
        }
        let mut len = self.len;
        for round in 1..=ROUNDS {
            run_loops(level, Slotting(slots));
            let mut kept = 0;
            for place in 0..len {
                let Some(lines) = slots.best[place].checked_sub(1) else { continue };
                let of = slots.of[place];
                self.terms[SLOT_TERMS.start + lines as usize][usize::from(of)] += 1;
                if round < ROUNDS {
                    // What is written lies before what is still to be read.
                    slots.fill(place, kept);
                    slots.of[kept] = of;
                    kept += 1;
                }
            }
            len = kept;
            if len == 0 {
                return;
            }
            for line in &mut slots.columns {
                line[len..].fill(0);
            }
        }
    }
}

/// All terms but the two of covered holes and T-slots.
struct Measuring<'a>(&'a mut MatrixBatch);

impl LoopsJob for Measuring<'_> {
    #[inline(always)]
    fn run(self) {
        let MatrixBatch { columns, over, terms: v, wells, .. } = self.0;
        for l in 0..SIDE {
            let (mut k, mut h) = ([0u32; WIDTH], [0i32; WIDTH]);
            each_column!(C => {
                k[C] = columns[C][l];
                h[C] = 32 - k[C].trailing_zeros() as i32;
            });
            heights(&h, v, l);
            let (mut well, mut low) = (0u32, h[0]);
            each_column!(C => {
                well = if h[C] < low { C as u32 } else { well };
                low = low.min(h[C]);
            });
            let mut last = if well == 0 { h[1] } else { h[0] };
            let (mut steps, mut squares, mut others) = (0, 0, u32::MAX);
            each_column!(C => {
                let is_well = well == C as u32;
                let step = if is_well { 0 } else { h[C] - last };
                last += step;
                steps += step.abs();
                squares += step * step;
                others &= k[C] | if is_well { u32::MAX } else { 0 };
            });
            let _ = last;
            v[4][l] = steps;
            v[5][l] = squares;
            let from_well = if low < 32 { others << (low & 31) } else { 0 };
            let depth = ((!from_well).leading_zeros() as i32).min(DEEPEST as i32);
            v[17][l] = depth;
            wells[l] = if depth > 0 { well } else { NO_WELL as u32 };
            transitions(&k, v, l);
            holes(&k, &h, v, l);
            let (mut beyond, mut cells, mut full) = (0, 0, u32::MAX);
            each_column!(C => {
                beyond += (k[C] & over[l]).count_ones();
                cells += k[C].count_ones();
                full &= k[C];
            });
            v[33][l] = beyond as i32;
            v[34][l] = cells as i32;
            v[35][l] = full.count_ones() as i32;
            let is_left = (v[1][l] <= PERFECT_ROWS) & (v[2][l] == 0) & (cells % 4 == 0);
            v[38][l] = if is_left { cells as i32 } else { 0 };
        }
    }
}

/// What is asked of heights alone: their sum, the highest, steps, wells and the rows above 10 and 15.
///
/// A wall is as high as the matrix, so that the outer columns are wells as the others are.
#[inline(always)]
fn heights(h: &[i32; WIDTH], v: &mut [Values; MATRIX_TERMS], l: usize) {
    let (mut sum, mut max, mut bumps, mut wells) = (0, 0, 0, 0);
    each_column!(C => {
        let before = if C == 0 { ROWS as i32 } else { h[C.saturating_sub(1)] };
        let after = if C + 1 == WIDTH { ROWS as i32 } else { h[(C + 1) % WIDTH] };
        sum += h[C];
        max = max.max(h[C]);
        bumps += if C == 0 { 0 } else { (h[C] - before).abs() };
        let depth = (before.min(after) - h[C]).max(0);
        wells += depth * (depth + 1) / 2;
    });
    v[0][l] = sum;
    v[1][l] = max;
    v[3][l] = bumps;
    v[15][l] = (max - 10).max(0);
    v[16][l] = (max - 15).max(0);
    v[32][l] = wells;
}

/// Borders between filled and empty cells: along columns, and across rows with a wall at either end.
///
/// Rows are those up to the stack, and the visible ones at least: an empty row between walls has two.
#[inline(always)]
fn transitions(k: &[u32; WIDTH], v: &mut [Values; MATRIX_TERMS], l: usize) {
    let (mut any, mut along, mut across) = (0, 0, 0);
    each_column!(C => {
        any |= k[C];
        along += (k[C] ^ (k[C] >> 1 | 1 << 31)).count_ones();
        across += if C == 0 { 0 } else { (k[C] ^ k[C.saturating_sub(1)]).count_ones() };
    });
    let rows = (ROWS as u32 - any.trailing_zeros()).max(VISIBLE as u32);
    let wall = u32::MAX << ((ROWS as u32 - rows) & 31);
    let walls = (!k[0] & wall).count_ones() + (!k[WIDTH - 1] & wall).count_ones();
    v[6][l] = (across + walls) as i32;
    v[7][l] = along as i32;
}

/// Holes, and those that a piece could still be tucked into: two columns on one side are no higher.
#[inline(always)]
fn holes(k: &[u32; WIDTH], h: &[i32; WIDTH], v: &mut [Values; MATRIX_TERMS], l: usize) {
    let (mut rows, mut all, mut hanging) = (0, 0, 0);
    each_column!(C => {
        let holes = (k[C] | k[C].wrapping_neg()) & !k[C];
        rows |= holes;
        all += holes.count_ones();
        // From this row up two columns on one side are low enough.
        let left = if C < 2 { 32 } else { h[C.saturating_sub(1)].max(h[C.saturating_sub(2)]) };
        let right = if C + 2 >= WIDTH { 32 } else { h[(C + 1) % WIDTH].max(h[(C + 2) % WIDTH]) };
        let from = left.min(right);
        let open = if from < 32 { u32::MAX >> (from & 31) } else { 0 };
        hanging += (holes & open).count_ones();
    });
    let (all, hanging) = (all as i32, hanging as i32);
    v[2][l] = all;
    v[8][l] = rows.count_ones() as i32;
    v[9][l] = all - hanging;
    v[10][l] = (all - hanging) * (all - hanging);
    v[11][l] = hanging;
    v[12][l] = hanging * hanging;
}

/// The two terms of covered holes.
struct Covering<'a>(&'a mut MatrixBatch);

/// Filled cells above a hole that count.
macro_rules! each_cover {
    ($k:ident => $do:expr) => {{
        each_cover!(@ $k $do, 1 2 3 4 5 6);
    }};
    (@ $k:ident $do:expr, $($at:literal)*) => {
        $({
            const $k: u32 = $at;
            $do
        })*
    };
}

impl LoopsJob for Covering<'_> {
    #[inline(always)]
    fn run(self) {
        let MatrixBatch { columns, terms: v, .. } = self.0;
        for l in 0..SIDE {
            let (mut sum, mut squares) = (0, 0);
            each_column!(C => {
                let free = !columns[C][l];
                let mut top = columns[C][l];
                // Holes with at least so many filled cells above: each adds one, and its square the
                // difference of two squares.
                each_cover!(K => {
                    top &= if K == 1 { u32::MAX } else { top.wrapping_sub(1) };
                    let covered = (free & (top ^ top.wrapping_neg())).count_ones();
                    sum += covered;
                    squares += covered * (2 * K - 1);
                });
            });
            v[13][l] = sum as i32;
            v[14][l] = squares as i32;
        }
    }
}

/// The two terms of T-spin triples.
struct Tripling<'a>(&'a mut MatrixBatch);

impl LoopsJob for Tripling<'_> {
    #[inline(always)]
    fn run(self) {
        let MatrixBatch { columns, terms: v, .. } = self.0;
        for l in 0..SIDE {
            let mut k = [0u32; WIDTH];
            each_column!(C => k[C] = columns[C][l]);
            let [before, from] = full_beside(&k);
            let (mut two, mut three) = (0, 0);
            each_column!(C => {
                if C + 2 < WIDTH {
                    let (beside, beyond) = ((C + 1) % WIDTH, (C + 2) % WIDTH);
                    let lines = triple(k[C], k[beside], k[beyond], before[C] & from[beside + 1]);
                    two += i32::from(lines == 2);
                    three += i32::from(lines == 3);
                }
                if C != 0 && C != 1 {
                    let (beside, beyond) = (C.saturating_sub(1), C.saturating_sub(2));
                    let lines = triple(k[C], k[beside], k[beyond], before[beside] & from[C + 1]);
                    two += i32::from(lines == 2);
                    three += i32::from(lines == 3);
                }
            });
            v[TRIPLE_TERMS.start][l] = two;
            v[TRIPLE_TERMS.start + 1][l] = three;
        }
    }
}

/// Adds up what terms are worth.
struct Weighing<'a>(&'a mut MatrixBatch, &'a MatrixWeights);

impl LoopsJob for Weighing<'_> {
    #[inline(always)]
    fn run(self) {
        let MatrixBatch { worth, terms, .. } = self.0;
        *worth = [0; SIDE];
        for &(term, weight) in self.1.listed() {
            let values = &terms[term % MATRIX_TERMS];
            for l in 0..SIDE {
                worth[l] += i64::from(values[l]) * weight;
            }
        }
    }
}
