//! Compares every implementation of sets with arrays.

use proptest::prelude::*;

use super::arrays::ArrayColumns;
use super::*;

/// Every operation on one pair of sets; the sets are low if the last field is true.
#[derive(Clone, Copy)]
struct All([u32; WIDTH], [u32; WIDTH], bool);

impl All {
    fn rows(self) -> u32 {
        if self.2 { 0xffff_0000 } else { u32::MAX }
    }
}

/// Returns the positions from which a member is seen, as [`Columns::seen`] defines for low sets.
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
