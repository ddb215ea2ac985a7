//! Combines two registers into one of twice as many lanes: the lanes of the first, then those of
//! the second.

use super::bytes::{Block, Bytes, Half, Lane, Neighbours, SumBlock, Windows};

/// Two registers, each of which may be a pair itself.
///
/// All operations except `bits` and `largest` run on both registers separately. Four orientations
/// are a pair of two lanes each on AVX2, and a pair of pairs on NEON.
#[derive(Clone, Copy)]
pub(crate) struct Pair<V>(pub(super) V, pub(super) V);

/// Calls a function on both registers, with separate arguments.
macro_rules! both {
    ($f:ident($($a:expr),*), ($($b:expr),*)) => {
        Pair(V::$f($($a),*), V::$f($($b),*))
    };
}

/// Defines methods of two operands that run on both registers separately.
macro_rules! on_two {
    ($($f:ident)*) => {
        $(
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                both!($f(self.0, other.0), (self.1, other.1))
            }
        )*
    };
}

impl<V: Half> Bytes for Pair<V> {
    const LANES: usize = 2 * V::LANES;
    type Words = Pair<V::Words>;
    type Sums = Pair<V::Sums>;

    on_two!(and or xor without add sub saturating_sub max min mean equal lookup);

    #[inline(always)]
    fn splat(value: u8) -> Self {
        let one = V::splat(value);
        Pair(one, one)
    }
    #[inline(always)]
    fn load_at(from: &Block, lane: usize) -> Self {
        both!(load_at(from, lane), (from, lane + V::LANES))
    }
    #[inline(always)]
    fn store_at(self, to: &mut Block, lane: usize) {
        self.0.store_at(to, lane);
        self.1.store_at(to, lane + V::LANES);
    }
    #[inline(always)]
    fn repeat(lane: &Lane) -> Self {
        let one = V::repeat(lane);
        Pair(one, one)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        both!(select(self.0, yes.0, no.0), (self.1, yes.1, no.1))
    }
    #[inline(always)]
    fn lookup_in_both(low: Self, high: Self, index: Self) -> Self {
        both!(lookup_in_both(low.0, high.0, index.0), (low.1, high.1, index.1))
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        V::bits_of_both(self.0, self.1)
    }
    #[inline(always)]
    fn products(a: [Self; 2], b: [Self; 2]) -> Pair<V::Words> {
        both!(products([a[0].0, a[1].0], [b[0].0, b[1].0]), ([a[0].1, a[1].1], [b[0].1, b[1].1]))
    }
    #[inline(always)]
    fn add_words(a: Pair<V::Words>, b: Pair<V::Words>) -> Pair<V::Words> {
        both!(add_words(a.0, b.0), (a.1, b.1))
    }
    #[inline(always)]
    fn repeat_words(from: &[u16; 16]) -> Pair<V::Words> {
        let one = V::repeat_words(from);
        Pair(one, one)
    }
    #[inline(always)]
    fn narrow(words: Pair<V::Words>) -> Self {
        both!(narrow(words.0), (words.1))
    }
    #[inline(always)]
    fn weighed_at(a: [Self; 2], weights: &Block, lane: usize) -> Pair<V::Words> {
        let next = lane + V::LANES;
        both!(weighed_at([a[0].0, a[1].0], weights, lane), ([a[0].1, a[1].1], weights, next))
    }
    #[inline(always)]
    fn sums_at(
        high: Pair<V::Words>,
        low: Pair<V::Words>,
        base: i16,
        eligible: Self,
        start: &SumBlock,
        lane: usize,
    ) -> Pair<V::Sums> {
        let next = lane + V::LANES;
        both!(
            sums_at(high.0, low.0, base, eligible.0, start, lane),
            (high.1, low.1, base, eligible.1, start, next)
        )
    }
    #[inline(always)]
    fn largest(sums: Pair<V::Sums>) -> Self {
        // First the larger of the two sums at each position, so that only one register is searched.
        let most = V::largest(V::larger(sums.0, sums.1));
        Pair(most, most)
    }
    #[inline(always)]
    fn only_less(sums: Pair<V::Sums>, than: Self) -> Pair<V::Sums> {
        both!(only_less(sums.0, than.0), (sums.1, than.1))
    }
    #[inline(always)]
    fn number(self) -> i32 {
        // The first, since only numbers that are equal in all places are read.
        self.0.number()
    }
    #[inline(always)]
    fn lowered(self, by: i32) -> Self {
        both!(lowered(self.0, by), (self.1, by))
    }
    #[inline(always)]
    fn less(sums: Pair<V::Sums>, than: Self) -> Self {
        both!(less(sums.0, than.0), (sums.1, than.1))
    }
    #[inline(always)]
    fn load_sums_at(from: &SumBlock, lane: usize) -> Pair<V::Sums> {
        both!(load_sums_at(from, lane), (from, lane + V::LANES))
    }
    #[inline(always)]
    fn store_sums_at(sums: Pair<V::Sums>, to: &mut SumBlock, lane: usize) {
        V::store_sums_at(sums.0, to, lane);
        V::store_sums_at(sums.1, to, lane + V::LANES);
    }
}

impl<V: Half + Windows> Windows for Pair<V> {
    type Shift = Pair<V::Shift>;

    #[inline(always)]
    fn shift(rows: Self) -> Pair<V::Shift> {
        both!(shift(rows.0), (rows.1))
    }
    #[inline(always)]
    fn window(neighbours: &Neighbours, column: usize, from: Pair<V::Shift>) -> Self {
        both!(window(neighbours, column, from.0), (neighbours, column, from.1))
    }
}
