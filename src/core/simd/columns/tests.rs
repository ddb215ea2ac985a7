//! Compares every implementation of sets of matrix cells with sets in arrays.

use proptest::prelude::*;

use super::*;

/// Every operation on one pair of sets of cells; the sets are low if the last field is true.
#[derive(Clone, Copy)]
struct All([u32; WIDTH], [u32; WIDTH], bool);

impl All {
    fn rows(self) -> u32 {
        if self.2 { 0xffff_0000 } else { u32::MAX }
    }
}

fn seen<C: Columns>(is_low: bool, set: C, dx: i32, dy: i32, by_data: bool) -> C {
    let there = if by_data { set.seen_by((dx, dy)) } else { set.seen(dx, dy) };
    if !is_low || C::IS_LOW || dy <= 0 {
        return there;
    }
    let sky = C::rows(set.simd(), ((1 << dy) - 1) << 16);
    there.or(sky.and(C::rows(set.simd(), u32::MAX).moved(-dx, 0)))
}

impl ColumnsJob for All {
    type Output = Vec<[u32; WIDTH]>;

    fn run<C: Columns>(self, simd: C::Simd) -> Vec<[u32; WIDTH]> {
        let (a, b) = (C::load(simd, &self.0), C::load(simd, &self.1));
        let all = C::rows(simd, u32::MAX);
        let mut out = vec![a.and(b), a.or(b), a.without(b), a.plus(b), a.and(b).fallen(b)];
        for dx in -2..=2 {
            for dy in -3..=3 {
                out.extend([a.moved(dx, dy).and(all), a.moved_by((dx, dy)).and(all)]);
                out.push(seen(self.2, a, dx, dy, false).and(all));
                out.push(seen(self.2, a, dx, dy, true).and(all));
            }
        }
        let mut out: Vec<[u32; WIDTH]> =
            out.into_iter().map(|set| set.store().map(|column| column & self.rows())).collect();
        let mut list = Vec::new();
        a.list(7 << 16, &mut list);
        list.resize(10 * 32, 0);
        out.extend(list.chunks_exact(WIDTH).map(|codes| std::array::from_fn(|k| codes[k])));
        let mut numbers = [0; WIDTH];
        numbers[0] = C::total(&[a, b, a.and(b), a.without(b)]);
        numbers[1] = u32::from(a.is_empty());
        numbers[2] = u32::from(a.without(a).is_empty());
        out.push(numbers);
        out
    }
}

#[test]
fn falling_goes_down_each_run_of_free_cells() {
    let mut free = [0u32; WIDTH];
    free[3] = 0b0011_1101;
    let mut start = [0; WIDTH];
    start[3] = 0b0000_1001; // row bits: the highest is the floor
    let want = {
        let mut w = [0; WIDTH];
        w[3] = 0b0011_1001;
        w
    };
    assert_eq!(ArrayColumns(start).fallen(ArrayColumns(free)).0, want);
}

proptest! {
    #[test]
    fn levels_agree(
        a in prop::array::uniform10(any::<u32>()),
        b in prop::array::uniform10(any::<u32>()),
        few in any::<bool>(),
        is_low in any::<bool>(),
    ) {
        let rows = All(a, b, is_low).rows();
        let thin = |k: usize| if few { b[(k + 1) % WIDTH] & b[(k + 3) % WIDTH] } else { u32::MAX };
        let a = std::array::from_fn(|k| a[k] & rows & thin(k));
        let all = All(a, b.map(|column| column & rows), is_low);
        let want = all.run::<ArrayColumns>(());
        for level in Level::available() {
            prop_assert_eq!(&run(level, is_low, all), &want, "{}", level);
        }
    }
}

/// Set of matrix cells as an array of one word for each column, the specification of all others.
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
