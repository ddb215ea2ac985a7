//! Sets as plain arrays, for targets without vectors of ours. As in `lanes::portable`, operations are
//! `inline` and not `inline(always)`, so that their loops are unrolled once.

use super::{Columns, WIDTH, list};

#[derive(Clone, Copy)]
pub(super) struct Portable(pub(super) [u32; WIDTH]);

impl Portable {
    #[inline]
    fn zip(self, other: Portable, f: impl Fn(u32, u32) -> u32) -> Portable {
        Portable(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl Columns for Portable {
    const IS_LOW: bool = false;

    #[inline]
    fn load(columns: &[u32; WIDTH]) -> Portable {
        Portable(*columns)
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        self.0
    }

    #[inline]
    fn rows(rows: u32) -> Portable {
        Portable([rows; WIDTH])
    }

    #[inline]
    fn and(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a & b)
    }

    #[inline]
    fn or(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a | b)
    }

    #[inline]
    fn without(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a & !b)
    }

    #[inline]
    fn plus(self, other: Portable) -> Portable {
        self.zip(other, u32::wrapping_add)
    }

    #[inline]
    fn moved(self, dx: i32, dy: i32) -> Portable {
        let mut to = [0; WIDTH];
        for (k, column) in to.iter_mut().enumerate() {
            let from = k as i32 - dx;
            if (0..WIDTH as i32).contains(&from) {
                let cells = self.0[from as usize];
                *column = if dy < 0 { cells << -dy } else { cells >> dy };
            }
        }
        Portable(to)
    }

    #[inline]
    fn moved_by(self, (dx, dy): (i32, i32)) -> Portable {
        self.moved(dx, dy)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, column| any | column) == 0
    }

    #[inline]
    fn total(sets: &[Portable; 4]) -> u32 {
        sets.iter().flat_map(|set| set.0).map(u32::count_ones).sum()
    }

    #[inline]
    fn list(mut self, base: u32, out: &mut Vec<u32>) {
        list(&mut self.0, base, out);
    }
}
