//! Implements [`Columns`] with plain arrays: the specification in tests.

use super::super::arrays::{Array, lane_by_lane};
use super::{Columns, WIDTH};

/// A set as an array of one word for each column.
pub(super) type ArrayColumns = Array<u32, WIDTH>;

impl Columns for ArrayColumns {
    const IS_LOW: bool = false;
    type Simd = ();

    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        without: |a, b| a & !b,
        plus: u32::wrapping_add,
    }

    fn load((): (), columns: &[u32; WIDTH]) -> ArrayColumns {
        Array(*columns)
    }

    fn store(self) -> [u32; WIDTH] {
        self.0
    }

    fn rows((): (), rows: u32) -> ArrayColumns {
        Array([rows; WIDTH])
    }

    fn simd(self) {}

    fn moved(self, dx: i32, dy: i32) -> ArrayColumns {
        let mut to = [0; WIDTH];
        for (k, column) in to.iter_mut().enumerate() {
            let from = k as i32 - dx;
            if (0..WIDTH as i32).contains(&from) {
                let cells = self.0[from as usize];
                *column = if dy < 0 { cells << -dy } else { cells >> dy };
            }
        }
        Array(to)
    }

    fn moved_by(self, (dx, dy): (i32, i32)) -> ArrayColumns {
        self.moved(dx, dy)
    }

    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, column| any | column) == 0
    }

    fn total(sets: &[ArrayColumns; 4]) -> u32 {
        sets.iter().flat_map(|set| set.0).map(u32::count_ones).sum()
    }

    fn list(mut self, base: u32, out: &mut Vec<u32>) {
        while self.0.iter().any(|&column| column != 0) {
            for (x, column) in (0..).zip(self.0.iter_mut()) {
                if *column != 0 {
                    // The lowest bit is the highest row.
                    let row = 31 - column.trailing_zeros();
                    out.push(base | x | row << 8);
                    *column &= *column - 1;
                }
            }
        }
    }
}
