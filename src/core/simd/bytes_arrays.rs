//! Implements the traits of `bytes` with plain arrays, and compares every other implementation with
//! them in tests.

use super::Simd;
use super::arrays::{Array, lane_by_lane};
use super::bytes::{
    Block, Bytes, INELIGIBLE, Lane, Neighbours, OneLane, Rows, SumBlock, Windows, Words,
};
use crate::board::ROWS;

/// A SIMD level whose registers are plain arrays.
struct Scalar;

impl Simd for Scalar {
    const JOINED: bool = false;
    type Narrow = Array<u8, 32>;
    type Wide = Array<u8, 64>;
    type Rows = Array<u16, ROWS>;
    type Words = Array<u16, 16>;
    type Lane = Array<u8, 16>;
}

/// Builds an array from a function of the index.
fn build<T, const N: usize>(f: impl FnMut(usize) -> T) -> Array<T, N> {
    Array(std::array::from_fn(f))
}

impl<const N: usize> Bytes for Array<u8, N> {
    const LANES: usize = N / 16;
    type Words = Array<i16, N>;
    type Sums = Array<i32, N>;

    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        xor: |a, b| a ^ b,
        without: |a, b| a & !b,
        add: u8::wrapping_add,
        sub: u8::wrapping_sub,
        saturating_sub: u8::saturating_sub,
        max: u8::max,
        min: u8::min,
        mean: |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8,
        equal: |a, b| if a == b { 255 } else { 0 },
    }

    fn splat(value: u8) -> Self {
        Array([value; N])
    }
    fn load_at(from: &Block, lane: usize) -> Self {
        build(|k| from.0[16 * lane + k])
    }
    fn store_at(self, to: &mut Block, lane: usize) {
        to.0[16 * lane..][..N].copy_from_slice(&self.0);
    }
    fn repeat(lane: &Lane) -> Self {
        build(|k| lane.0[k % 16])
    }
    fn select(self, yes: Self, no: Self) -> Self {
        build(|k| if self.0[k] == 255 { yes.0[k] } else { no.0[k] })
    }
    fn lookup(self, index: Self) -> Self {
        build(|k| match index.0[k] {
            at @ 0..16 => self.0[k / 16 * 16 + at as usize],
            at => {
                assert!(at >= 128, "index {at}");
                0
            }
        })
    }
    fn lookup_in_both(low: Self, high: Self, index: Self) -> Self {
        build(|k| match index.0[k] {
            at @ 0..16 => low.0[k / 16 * 16 + at as usize],
            at => high.0[k / 16 * 16 + at as usize - 16],
        })
    }
    fn bits(self) -> u64 {
        (0..N).map(|k| u64::from(self.0[k] >> 7) << k).sum()
    }
    fn products(a: [Self; 2], b: [Self; 2]) -> Array<i16, N> {
        let product = |k: usize, j: usize| i16::from(a[j].0[k]) * i16::from(b[j].0[k] as i8);
        build(|k| product(k, 0) + product(k, 1))
    }
    fn add_words(a: Array<i16, N>, b: Array<i16, N>) -> Array<i16, N> {
        a.zip(b, i16::wrapping_add)
    }
    fn repeat_words(from: &[u16; 16]) -> Array<i16, N> {
        build(|k| from[k % 16] as i16)
    }
    fn narrow(words: Array<i16, N>) -> Self {
        build(|k| words.0[k].clamp(-128, 127) as u8)
    }
    fn weighed_at(a: [Self; 2], weights: &Block, lane: usize) -> Array<i16, N> {
        let product = |k: usize, j: usize| {
            let weight = weights.0[16 * (lane + k / 16) + j] as i8;
            i16::from(a[j].0[k]) * i16::from(weight)
        };
        build(|k| product(k, 0) + product(k, 1))
    }
    fn sums_at(
        high: Array<i16, N>,
        low: Array<i16, N>,
        base: i16,
        eligible: Self,
        start: &SumBlock,
        lane: usize,
    ) -> Array<i32, N> {
        let start = Self::load_sums_at(start, lane);
        build(|k| {
            let high = if eligible.0[k] == 1 { high.0[k] } else { high.0[k].min(INELIGIBLE) };
            i32::from(high) * i32::from(base) + i32::from(low.0[k]) + start.0[k]
        })
    }
    fn largest(sums: Array<i32, N>) -> Self {
        let most = sums.0.into_iter().fold(i32::MIN, i32::max);
        build(|k| most.to_le_bytes()[k % 4])
    }
    fn only_less(sums: Array<i32, N>, than: Self) -> Array<i32, N> {
        build(|k| if sums.0[k] < than.number() { sums.0[k] } else { i32::MIN })
    }
    fn number(self) -> i32 {
        i32::from_le_bytes([self.0[0], self.0[1], self.0[2], self.0[3]])
    }
    /// Subtracts `by` from one number and repeats it: all numbers are equal, since they come from
    /// [`Bytes::largest`] or [`Bytes::splat`].
    fn lowered(self, by: i32) -> Self {
        let number = self.number() - by;
        build(|k| number.to_le_bytes()[k % 4])
    }
    fn less(sums: Array<i32, N>, than: Self) -> Self {
        build(|k| if sums.0[k] < than.number() { 255 } else { 0 })
    }
    fn load_sums_at(from: &SumBlock, lane: usize) -> Array<i32, N> {
        build(|k| {
            let (four, at) = SumBlock::place(16 * lane + k);
            from.0[four][at]
        })
    }
    fn store_sums_at(sums: Array<i32, N>, to: &mut SumBlock, lane: usize) {
        for (k, sum) in sums.0.into_iter().enumerate() {
            let (four, at) = SumBlock::place(16 * lane + k);
            to.0[four][at] = sum;
        }
    }
}

impl OneLane for Array<u8, 16> {
    fn store_lane(self, to: &mut Lane) {
        to.0 = self.0;
    }
    fn store_words(words: Array<i16, 16>, to: &mut [i16; 16]) {
        *to = words.0;
    }
    fn next<const D: i32>(self, beyond: Self) -> Self {
        build(|k| [self.0, beyond.0].as_flattened()[k + D as usize])
    }
    fn window_of(word: u16, rows: Self) -> Self {
        build(|k| (word >> rows.0[k] & 15) as u8)
    }
}

impl<const N: usize> Windows for Array<u8, N> {
    type Shift = Self;

    fn shift(rows: Self) -> Self {
        rows
    }
    fn window(neighbours: &Neighbours, column: usize, from: Self) -> Self {
        let words = neighbours.beside(column);
        let word = |column: usize| {
            let at = 2 * (column % 8);
            u16::from_le_bytes([words[column / 8].0[at], words[column / 8].0[at + 1]])
        };
        build(|k| (word(k % 16) >> from.0[k] & 15) as u8)
    }
}

impl Words for Array<u16, 16> {
    type Lane = Array<u8, 16>;
    type Counts = Array<u8, 32>;

    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        xor: |a, b| a ^ b,
        without: |a, b| a & !b,
    }

    fn splat(column: u16) -> Self {
        Array([column; 16])
    }
    fn load(from: &[u16; 16]) -> Self {
        Array(*from)
    }
    fn store(self, to: &mut [u16; 16]) {
        *to = self.0;
    }
    fn up<const N: i32>(self) -> Self {
        self.map(|column| column << N)
    }
    fn down<const N: i32>(self) -> Self {
        self.map(|column| column >> N)
    }
    fn right_neighbour(self) -> Self {
        build(|k| self.0.get(k + 1).copied().unwrap_or(u16::MAX))
    }
    fn left_neighbour(self) -> Self {
        build(|k| if k == 0 { u16::MAX } else { self.0[k - 1] })
    }
    fn upward(self) -> Self {
        let from = |column: u16| u16::MAX.checked_shl(column.trailing_zeros()).unwrap_or(0);
        self.map(from)
    }
    fn whole_if_empty(self) -> Self {
        self.map(|column| if column == 0 { u16::MAX } else { 0 })
    }
    fn heights(self) -> Array<u8, 16> {
        build(|k| self.0[k].count_ones() as u8)
    }
    fn condition(self) -> Array<u8, 16> {
        build(|k| if self.0[k] == 0 { 0 } else { 255 })
    }
    fn any_column(self) -> u16 {
        self.0.into_iter().fold(0, |all, column| all | column)
    }
    fn is_empty(self) -> bool {
        self.0 == [0; 16]
    }
    fn counts(self) -> Array<u8, 32> {
        build(|k| (self.0[k / 2] >> (k % 2 * 8) & 255).count_ones() as u8)
    }
    fn add_counts(a: Array<u8, 32>, b: Array<u8, 32>) -> Array<u8, 32> {
        a.zip(b, u8::wrapping_add)
    }
    fn numbers(counts: Array<u8, 32>) -> Self {
        build(|k| u16::from(counts.0[2 * k]) + u16::from(counts.0[2 * k + 1]))
    }
    fn plus(self, other: Self) -> Self {
        self.zip(other, u16::wrapping_add)
    }
    fn times(self, other: Self) -> Self {
        self.zip(other, u16::wrapping_mul)
    }
    fn totals(counts: [Array<u8, 32>; 4]) -> [i64; 4] {
        counts.map(|some| some.0.into_iter().map(i64::from).sum())
    }
    fn halves(self) -> [Array<u8, 16>; 2] {
        [0, 8].map(|first| build(|k| self.0[first + k / 2].to_le_bytes()[k % 2]))
    }
}

/// Returns the sixteen columns of sixteen rows, transposed bit by bit.
fn transposed(rows: &[u16]) -> Array<u16, 16> {
    build(|column| (0..16).map(|row| (rows[row] >> column & 1) << row).sum())
}

impl Rows for Array<u16, ROWS> {
    type Words = Array<u16, 16>;

    fn load(from: &[u16; ROWS]) -> Self {
        Array(*from)
    }
    fn store(self, to: &mut [u16; ROWS]) {
        *to = self.0;
    }
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        build(|k| self.0[k] | cells[k] << columns)
    }
    fn equal(self, row: u16) -> u32 {
        (0..ROWS).map(|k| u32::from(self.0[k] == row) << k).sum()
    }
    fn same(self, other: Self) -> bool {
        self.0 == other.0
    }
    fn occupied(self) -> u32 {
        !self.equal(0)
    }
    fn removed(self, rows: u32) -> Self {
        let mut left = (0..ROWS).filter(|k| rows >> k & 1 == 0).map(|k| self.0[k]);
        build(|_| left.next().unwrap_or(0))
    }
    fn counts(self) -> [Array<u8, 16>; 2] {
        [0, 16].map(|first| build(|k| self.0[first + k].count_ones() as u8))
    }
    fn lower(self) -> Array<u16, 16> {
        transposed(&self.0[..16])
    }
    fn upper(self) -> Array<u16, 16> {
        transposed(&self.0[16..])
    }
}

mod tests {
    use super::*;
    use crate::simd::{BoardJob, Level, run};
    use proptest::prelude::*;

    type Results = Vec<(&'static str, Vec<i64>)>;

    /// Inputs of every operation of a level.
    #[derive(Clone)]
    struct Inputs {
        bytes: [Block; 4],
        sums: SumBlock,
        rows: [[u16; ROWS]; 2],
        /// Sixteen columns with few bits, so that some are empty.
        columns: [[u16; 16]; 2],
    }

    impl Inputs {
        fn new(random: &[u8]) -> Inputs {
            let word = |k: usize| u16::from_le_bytes([random[2 * k], random[2 * k + 1]]);
            let byte = |k: usize, j: usize| random[64 * k + j];
            let few = |k: usize| word(k) & word(k + 1) & word(k + 2);
            Inputs {
                bytes: [0, 1, 2, 3].map(|k| Block(std::array::from_fn(|j| byte(k, j)))),
                sums: SumBlock(
                    [0, 1, 2, 3]
                        .map(|k| std::array::from_fn(|j| i32::from(word(32 * k + j) as i16) * 37)),
                ),
                // Rows with few bits, so that some are equal and some empty.
                rows: [64, 100].map(|k| std::array::from_fn(|j| word(k + j) & word(k) & 0x8021)),
                columns: [0, 90].map(|k| std::array::from_fn(|j| few(k + 2 * j))),
            }
        }

        fn of_bytes<V: Bytes>(&self, found: &mut Results) {
            let [a, b, c, d] = self.bytes.each_ref().map(V::load);
            let low = |v: V, mask: u8| v.and(V::splat(mask));
            let mut record = |name, value: V| found.push((name, stored(value)));
            record("splat", V::splat(7));
            record("load and store", a);
            record("repeat", V::repeat(&self.lane(0)));
            record("and", a.and(b));
            record("or", a.or(b));
            record("xor", a.xor(b));
            record("without", a.without(b));
            record("add", a.add(b));
            record("sub", a.sub(b));
            record("saturating_sub", a.saturating_sub(b));
            record("max", a.max(b));
            record("min", a.min(b));
            record("mean", a.mean(b));
            let (few, others) = (low(a, 3), low(b, 3));
            record("equal", few.equal(others));
            record("plus_equal", c.plus_equal(few, others));
            record("plus_where_equal", c.plus_where_equal(d, few, others));
            record("select", few.equal(others).select(c, d));
            let gone = low(c, 128).equal(V::splat(128)).and(low(d, 127).or(V::splat(128)));
            record("lookup", a.lookup(low(c, 15).or(gone)));
            record("lookup_in_both", V::lookup_in_both(a, b, low(c, 31)));
            let words = V::products([low(a, 127), low(b, 127)], [c, d]);
            record("narrow", V::narrow(words));
            let mut record = |name, value: Vec<i64>| found.push((name, value));
            record("bits", vec![a.bits() as i64, few.equal(others).bits() as i64]);
            record("products", numbers::<V>(words));
            record("add_words", numbers::<V>(V::add_words(words, words)));
            record("repeat_words", numbers::<V>(V::repeat_words(&self.columns[0])));
            let weights = self.weights();
            let (high, more) = (V::weighed([a, b], &weights), V::weighed([c, d], &weights));
            record("weighed", numbers::<V>(high));
            let sums = V::sums(high, more, 128, low(a, 1), &self.sums);
            record("sums", stored_sums::<V>(sums));
            record("load_sums", stored_sums::<V>(V::load_sums_at(&self.sums, 0)));
            let most = V::largest(sums);
            record("largest", stored(most));
            record("only_less", stored_sums::<V>(V::only_less(sums, most)));
            record("number", vec![most.number().into(), most.lowered(-3).number().into()]);
            let least = most.lowered(1 << 20);
            record("lowered", stored(least));
            record(
                "at_least",
                vec![V::at_least(sums, most) as i64, V::at_least(sums, least) as i64],
            );
        }

        fn of_lane<V: OneLane>(&self, found: &mut Results) {
            let (a, b) = (V::load_lane(&self.lane(0)), V::load_lane(&self.lane(1)));
            let mut record = |name, value: V| {
                let mut lane = Lane::ZERO;
                value.store_lane(&mut lane);
                found.push((name, lane.0.map(i64::from).to_vec()));
            };
            record("load_lane", a);
            record("next 1", a.next::<1>(b));
            record("next 4", a.next::<4>(b));
            record("next 12", a.next::<12>(b));
            record("next 15", a.next::<15>(b));
            record("abs_difference", a.abs_difference(b));
            record("window_of", V::window_of(0x9234, a.and(V::splat(15)).min(V::splat(12))));
            let mut words = [0; 16];
            V::store_words(V::repeat_words(&self.columns[0]), &mut words);
            found.push(("store_words", words.map(i64::from).to_vec()));
        }

        fn of_words<W: Words>(&self, found: &mut Results) {
            let (a, b) = (W::load(&self.columns[0]), W::load(&self.columns[1]));
            let mut record = |name, value: W| {
                let mut columns = [0; 16];
                value.store(&mut columns);
                found.push((name, columns.map(i64::from).to_vec()));
            };
            record("splat of words", W::splat(0x1234));
            record("and of words", a.and(b));
            record("or of words", a.or(b));
            record("xor of words", a.xor(b));
            record("without of words", a.without(b));
            record("up", a.up::<1>().or(a.up::<4>()));
            record("down", a.down::<1>().or(b.down::<15>()));
            record("right_neighbour", a.right_neighbour());
            record("left_neighbour", a.left_neighbour());
            record("upward", a.upward());
            record("whole_if_empty", a.whole_if_empty());
            record("numbers", W::numbers(W::add_counts(a.counts(), b.counts())));
            record("plus", a.plus(b));
            record("times", a.times(b));
            let mut record = |name, value: Vec<i64>| found.push((name, value));
            record("heights", stored(a.heights()));
            record("condition", stored(a.whole_if_empty().condition()));
            record("any_column", vec![a.any_column().into()]);
            record("is_empty", vec![a.is_empty().into(), a.without(a).is_empty().into()]);
            let counts = W::add_counts(a.counts(), b.counts());
            let none = W::splat(0).counts();
            record("totals", W::totals([counts, a.counts(), none, b.counts()]).to_vec());
        }

        /// Stores shifted columns at a level and reads them by its registers.
        fn of_windows<W: Words, V: Windows>(&self, found: &mut Results) {
            let mut neighbours = Neighbours::ZERO;
            W::load(&self.columns[0]).store_neighbours(&mut neighbours);
            let from = V::shift(V::load(&self.bytes[0]).and(V::splat(15)).min(V::splat(12)));
            for column in 0..8 {
                found.push(("window", stored(V::window(&neighbours, column, from))));
            }
        }

        fn of_rows<R: Rows>(&self, found: &mut Results) {
            let (a, b) = (R::load(&self.rows[0]), R::load(&self.rows[1]));
            let mut record = |name, value: R| {
                let mut rows = [0; ROWS];
                value.store(&mut rows);
                found.push((name, rows.map(i64::from).to_vec()));
            };
            record("load of rows", a);
            record("with", a.with(&self.rows[1], 5));
            record("removed", a.removed(b.occupied()));
            record("removed, four", a.removed(0x1100_0003));
            let mut record = |name, value: Vec<i64>| found.push((name, value));
            record("equal of rows", vec![a.equal(0x20).into(), a.equal(self.rows[0][0]).into()]);
            record("same", vec![a.same(b).into(), a.same(a).into()]);
            record("occupied", vec![a.occupied().into()]);
            let [low, high] = a.counts();
            record("counts", [stored(low), stored(high)].concat());
            let mut columns = [[0; 16]; 2];
            a.lower().store(&mut columns[0]);
            a.upper().store(&mut columns[1]);
            record("columns", columns.as_flattened().iter().map(|&c| c.into()).collect());
        }

        fn lane(&self, k: usize) -> Lane {
            Lane(std::array::from_fn(|j| self.bytes[k].0[j]))
        }

        /// Returns weights small enough that two products fit a word.
        fn weights(&self) -> Block {
            let weight = |j: usize| self.bytes[3].0[j / 16 * 16 + j % 2] as i8 / 2;
            Block(std::array::from_fn(|j| weight(j) as u8))
        }
    }

    impl BoardJob for Inputs {
        type Output = Results;

        fn run<S: Simd>(self) -> Results {
            let mut found = Vec::new();
            self.of_bytes::<S::Narrow>(&mut found);
            self.of_bytes::<S::Wide>(&mut found);
            self.of_bytes::<S::Lane>(&mut found);
            self.of_lane::<S::Lane>(&mut found);
            self.of_words::<S::Words>(&mut found);
            self.of_windows::<S::Words, S::Narrow>(&mut found);
            self.of_windows::<S::Words, S::Wide>(&mut found);
            self.of_rows::<S::Rows>(&mut found);
            found
        }
    }

    fn stored<V: Bytes>(value: V) -> Vec<i64> {
        let mut block = Block::ZERO;
        value.store(&mut block);
        block.0[..16 * V::LANES].iter().map(|&byte| byte.into()).collect()
    }

    fn stored_sums<V: Bytes>(sums: V::Sums) -> Vec<i64> {
        let mut block = SumBlock([[0; 16]; 4]);
        V::store_sums(sums, &mut block);
        let number = |k| {
            let (four, at) = SumBlock::place(k);
            block.0[four][at].into()
        };
        (0..16 * V::LANES).map(number).collect()
    }

    fn numbers<V: Bytes>(words: V::Words) -> Vec<i64> {
        let zero = V::splat(0);
        let nothing = V::products([zero, zero], [zero, zero]);
        let start = SumBlock([[0; 16]; 4]);
        stored_sums::<V>(V::sums(words, nothing, 1, V::splat(1), &start))
    }

    proptest! {
        #[test]
        fn every_level_does_what_arrays_do(random in prop::collection::vec(any::<u8>(), 320)) {
            let every = Inputs::new(&random);
            let want = every.clone().run::<Scalar>();
            for level in Level::available().filter(|level| level.has_bytes()) {
                let found = run(level, every.clone()).unwrap_or_default();
                prop_assert_eq!(found.len(), want.len());
                for (found, want) in found.iter().zip(&want) {
                    prop_assert_eq!(found, want, "{}", level);
                }
            }
        }
    }
}
