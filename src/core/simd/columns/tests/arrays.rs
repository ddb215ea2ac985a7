//! Implements [`Columns`] with plain arrays: the specification in tests.

use super::{Columns, WIDTH};

/// A set as an array of one word for each column.
#[derive(Clone, Copy)]
pub(super) struct ArrayColumns(pub(super) [u32; WIDTH]);

impl ArrayColumns {
    fn zip(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        ArrayColumns(std::array::from_fn(|x| f(self.0[x], other.0[x])))
    }
}

impl Columns for ArrayColumns {
    const IS_LOW: bool = false;
    type Simd = ();

    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
    fn plus(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_add)
    }
    fn load((): (), columns: &[u32; WIDTH]) -> ArrayColumns {
        ArrayColumns(*columns)
    }

    fn store(self) -> [u32; WIDTH] {
        self.0
    }

    fn rows((): (), rows: u32) -> ArrayColumns {
        ArrayColumns([rows; WIDTH])
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
        ArrayColumns(to)
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
