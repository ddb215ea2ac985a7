//! Implements [`Columns`] with plain arrays, for targets for which this module has no intrinsics.

use super::super::arrays::{Array, lane_by_lane};
use super::{Columns, WIDTH, list};

/// A set as an array of one word for each column.
pub(super) type PortableColumns = Array<u32, WIDTH>;

impl Columns for PortableColumns {
    const IS_LOW: bool = false;

    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        without: |a, b| a & !b,
        plus: u32::wrapping_add,
    }

    #[inline]
    fn load(columns: &[u32; WIDTH]) -> PortableColumns {
        Array(*columns)
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        self.0
    }

    #[inline]
    fn rows(rows: u32) -> PortableColumns {
        Array([rows; WIDTH])
    }

    #[inline]
    fn moved(self, dx: i32, dy: i32) -> PortableColumns {
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

    #[inline]
    fn moved_by(self, (dx, dy): (i32, i32)) -> PortableColumns {
        self.moved(dx, dy)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, column| any | column) == 0
    }

    #[inline]
    fn total(sets: &[PortableColumns; 4]) -> u32 {
        sets.iter().flat_map(|set| set.0).map(u32::count_ones).sum()
    }

    #[inline]
    fn list(mut self, base: u32, out: &mut Vec<u32>) {
        list(&mut self.0, base, out);
    }
}
