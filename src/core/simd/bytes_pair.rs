//! Four lanes in two registers of AVX2.

use std::arch::x86_64::*;

use super::bytes::{Block, Bytes, Lane, Pair, SumBlock};
use super::bytes_x86::{Ymm, x86};

/// The same of both.
macro_rules! both {
    ($f:ident($($a:expr),*) , ($($b:expr),*)) => {
        Pair(Ymm::$f($($a),*), Ymm::$f($($b),*))
    };
}

/// The second half of a block.
#[inline(always)]
fn upper(block: &Block) -> __m256i {
    let half: &[u8] = &block.0[32..];
    x86!(_mm256_load_si256(half.as_ptr().cast()))
}

impl Bytes for Pair<Ymm> {
    type Words = Pair<[Ymm; 2]>;
    type Shift = Pair<[Ymm; 2]>;
    type Sums = Pair<[Ymm; 4]>;

    #[inline(always)]
    fn splat(value: u8) -> Self {
        both!(splat(value), (value))
    }
    #[inline(always)]
    fn load(from: &Block) -> Self {
        Pair(Ymm::load(from), Ymm(upper(from)))
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        self.0.store(to);
        let half: &mut [u8] = &mut to.0[32..];
        x86!(_mm256_store_si256(half.as_mut_ptr().cast(), self.1.0));
    }
    #[inline(always)]
    fn repeat(lane: &Lane) -> Self {
        let both = Ymm::repeat(lane);
        Pair(both, both)
    }
    #[inline(always)]
    fn and(self, o: Self) -> Self {
        both!(and(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn or(self, o: Self) -> Self {
        both!(or(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        both!(xor(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn without(self, o: Self) -> Self {
        both!(without(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        both!(add(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        both!(sub(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn above(self, o: Self) -> Self {
        both!(above(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        both!(max(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        both!(min(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn equal(self, o: Self) -> Self {
        both!(equal(self.0, o.0), (self.1, o.1))
    }
    #[inline(always)]
    fn plus_equal(self, a: Self, b: Self) -> Self {
        self.sub(a.equal(b))
    }
    #[inline(always)]
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
        self.add(a.equal(b).and(what))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        both!(select(self.0, yes.0, no.0), (self.1, yes.1, no.1))
    }
    #[inline(always)]
    fn lookup(self, index: Self) -> Self {
        both!(lookup(self.0, index.0), (self.1, index.1))
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.0.bits() | self.1.bits() << 32
    }
    #[inline(always)]
    fn shift(rows: Self) -> Pair<[Ymm; 2]> {
        both!(shift(rows.0), (rows.1))
    }
    #[inline(always)]
    fn window(words: &[Lane; 2], from: Pair<[Ymm; 2]>) -> Self {
        both!(window(words, from.0), (words, from.1))
    }
    #[inline(always)]
    fn products(a: [Self; 2], b: [Self; 2]) -> Pair<[Ymm; 2]> {
        both!(products([a[0].0, a[1].0], [b[0].0, b[1].0]), ([a[0].1, a[1].1], [b[0].1, b[1].1]))
    }
    #[inline(always)]
    fn add_words(a: Pair<[Ymm; 2]>, b: Pair<[Ymm; 2]>) -> Pair<[Ymm; 2]> {
        both!(add_words(a.0, b.0), (a.1, b.1))
    }
    #[inline(always)]
    fn narrow(words: Pair<[Ymm; 2]>) -> Self {
        both!(narrow(words.0), (words.1))
    }
    #[inline(always)]
    fn weighed(a: [Self; 2], weights: &[Block; 2]) -> Pair<[Ymm; 2]> {
        let second = [Ymm(upper(&weights[0])), Ymm(upper(&weights[1]))];
        let [low, high] = a[0].1.unpacked(a[1].1);
        let second = x86!([
            Ymm(_mm256_maddubs_epi16(low.0, second[0].0)),
            Ymm(_mm256_maddubs_epi16(high.0, second[1].0)),
        ]);
        Pair(Ymm::weighed([a[0].0, a[1].0], weights), second)
    }
    #[inline(always)]
    fn sums(
        high: Pair<[Ymm; 2]>,
        low: Pair<[Ymm; 2]>,
        base: i16,
        sound: Self,
        start: &SumBlock,
    ) -> Pair<[Ymm; 4]> {
        let first = Ymm::sums(high.0, low.0, base, sound.0, start);
        let mut second = [Ymm::splat(0); 4];
        let zero = SumBlock([[0; 16]; 4]);
        let plain = Ymm::sums(high.1, low.1, base, sound.1, &zero);
        for k in 0..4 {
            let from: &[i32] = &start.0[k][8..];
            second[k] =
                x86!(Ymm(_mm256_add_epi32(plain[k].0, _mm256_loadu_si256(from.as_ptr().cast()))));
        }
        Pair(first, second)
    }
    #[inline(always)]
    fn largest(sums: Pair<[Ymm; 4]>) -> Self {
        let mut most = sums.0;
        for (most, other) in most.iter_mut().zip(sums.1) {
            *most = x86!(Ymm(_mm256_max_epi32(most.0, other.0)));
        }
        let most = Ymm::largest(most);
        Pair(most, most)
    }
    #[inline(always)]
    fn number(self) -> i32 {
        self.0.number()
    }
    #[inline(always)]
    fn lowered(self, by: i32) -> Self {
        both!(lowered(self.0, by), (self.1, by))
    }
    #[inline(always)]
    fn at_least(sums: Pair<[Ymm; 4]>, least: Self) -> u64 {
        Ymm::at_least(sums.0, least.0) | Ymm::at_least(sums.1, least.1) << 32
    }
    #[inline(always)]
    fn load_sums(from: &SumBlock) -> Pair<[Ymm; 4]> {
        let mut second = [Ymm::splat(0); 4];
        for (sum, four) in second.iter_mut().zip(&from.0) {
            let four: &[i32] = &four[8..];
            *sum = x86!(Ymm(_mm256_loadu_si256(four.as_ptr().cast())));
        }
        Pair(Ymm::load_sums(from), second)
    }
    #[inline(always)]
    fn store_sums(sums: Pair<[Ymm; 4]>, to: &mut SumBlock) {
        Ymm::store_sums(sums.0, to);
        for (sum, four) in sums.1.into_iter().zip(&mut to.0) {
            let four: &mut [i32] = &mut four[8..];
            x86!(_mm256_storeu_si256(four.as_mut_ptr().cast(), sum.0));
        }
    }
}
