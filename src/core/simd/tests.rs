//! Compares vector operations at every instruction level with the definition of each operation.

use proptest::prelude::*;

use super::bytes::INELIGIBLE;
use super::*;
use crate::board::ROWS;

#[derive(Clone)]
struct Inputs {
    bytes: [Block; 4],
    sums: SumBlock,
    /// Rows of two boards with few bits, so that some are equal and some empty.
    rows: [[u16; ROWS]; 2],
    /// Sixteen columns of two boards with few bits, so that some are empty.
    columns: [[u16; 16]; 2],
}

impl Inputs {
    fn new(random: &[u8]) -> Inputs {
        let word = |k: usize| u16::from_le_bytes([random[2 * k], random[2 * k + 1]]);
        let byte = |k: usize, j: usize| random[64 * k + j];
        let few = |k: usize| word(k) & word(k + 1) & word(k + 2);
        let sum = |k: usize, j: usize| i32::from(word(32 * k + j) as i16) * 37;
        Inputs {
            bytes: [0, 1, 2, 3].map(|k| Block(std::array::from_fn(|j| byte(k, j)))),
            sums: SumBlock([0, 1, 2, 3].map(|k| std::array::from_fn(|j| sum(k, j)))),
            rows: [64, 100].map(|k| std::array::from_fn(|j| word(k + j) & word(k) & 0x8021)),
            columns: [0, 90].map(|k| std::array::from_fn(|j| few(k + 2 * j))),
        }
    }

    fn check_bytes<S: Blocks, V: Bytes<S>>(&self, simd: S) {
        let n = 16 * V::LANES;
        let [a, b, c, d] = self.bytes.each_ref().map(|block| block.0);
        let [va, vb, vc, vd] = self.bytes.each_ref().map(|block| V::load(simd, block));
        let same = |name: &str, value: V, want: &dyn Fn(usize) -> u8| {
            assert_eq!(stored(value), (0..n).map(want).collect::<Vec<u8>>(), "{name}");
        };
        same("splat", V::splat(simd, 7), &|_| 7);
        same("repeat", V::repeat(simd, &self.lane(0)), &|k| a[k % 16]);
        same("and", va.and(vb), &|k| a[k] & b[k]);
        same("or", va.or(vb), &|k| a[k] | b[k]);
        same("xor", va.xor(vb), &|k| a[k] ^ b[k]);
        same("without", va.without(vb), &|k| a[k] & !b[k]);
        same("add", va.add(vb), &|k| a[k].wrapping_add(b[k]));
        same("sub", va.sub(vb), &|k| a[k].wrapping_sub(b[k]));
        same("saturating_sub", va.saturating_sub(vb), &|k| a[k].saturating_sub(b[k]));
        same("max", va.max(vb), &|k| a[k].max(b[k]));
        same("min", va.min(vb), &|k| a[k].min(b[k]));
        same("half", va.half(), &|k| a[k] / 2);
        let low = |v: V, mask: u8| v.and(V::splat(simd, mask));
        let (few, others) = (low(va, 3), low(vb, 3));
        let is_equal = |k: usize| a[k] & 3 == b[k] & 3;
        same("equal", few.equal(others), &|k| if is_equal(k) { 255 } else { 0 });
        same("plus_equal", vc.plus_equal(few, others), &|k| c[k].wrapping_add(is_equal(k).into()));
        same("plus_where_equal", vc.plus_where_equal(vd, few, others), &|k| {
            if is_equal(k) { c[k].wrapping_add(d[k]) } else { c[k] }
        });
        let select = few.equal(others).select(vc, vd);
        same("select", select, &|k| if is_equal(k) { c[k] } else { d[k] });
        // Every second index is from 128 on.
        let odd = |k: usize| if k % 2 == 1 { 128 | d[k] } else { c[k] & 15 };
        let index = V::load(simd, &Block(std::array::from_fn(odd)));
        let found = |table: &[u8; 64], k: usize, at: u8| table[k / 16 * 16 + at as usize];
        same("lookup", va.lookup(index), &|k| if k % 2 == 1 { 0 } else { found(&a, k, c[k] & 15) });
        same("lookup_in_both", V::lookup_in_both(va, vb, low(vc, 31)), &|k| match c[k] & 31 {
            at @ 0..16 => found(&a, k, at),
            at => found(&b, k, at - 16),
        });
        let bits = |of: &dyn Fn(usize) -> bool| (0..n).map(|k| u64::from(of(k)) << k).sum::<u64>();
        assert_eq!(va.bits(), bits(&|k| a[k] >= 128), "bits");
        let signed = |byte: u8| i32::from(byte as i8);
        let product =
            |k: usize| i32::from(a[k] & 127) * signed(c[k]) + i32::from(b[k] & 127) * signed(d[k]);
        let products = V::products([low(va, 127), low(vb, 127)], [vc, vd]);
        same("narrow", V::narrow(products), &|k| product(k).clamp(-128, 127) as u8);
        let same_words = |name: &str, value: V::Words, want: &dyn Fn(usize) -> i32| {
            let word = |k| i32::from(want(k) as i16);
            assert_eq!(numbers::<S, V>(value), (0..n).map(word).collect::<Vec<i32>>(), "{name}");
        };
        same_words("products", products, &product);
        same_words("add_words", V::add_words(products, products), &|k| 2 * product(k));
        let columns = self.columns[0];
        same_words("repeat_words", V::repeat_words(simd, &columns), &|k| columns[k % 16].into());
        let weights = self.weights();
        let weighed = |k: usize, [a, b]: [&[u8; 64]; 2]| {
            let weight = |j: usize| signed(weights.0[k / 16 * 16 + j]);
            i32::from(a[k]) * weight(0) + i32::from(b[k]) * weight(1)
        };
        let (high, more) = (V::weighed([va, vb], &weights), V::weighed([vc, vd], &weights));
        same_words("weighed", high, &|k| weighed(k, [&a, &b]));
        let sums = V::sums(high, more, 128, low(va, 1), &self.sums);
        let sum = |k: usize| {
            let high = weighed(k, [&a, &b]);
            let high = if a[k] & 1 == 1 { high } else { high.min(INELIGIBLE.into()) };
            let (four, at) = SumBlock::index(k);
            high * 128 + weighed(k, [&c, &d]) + self.sums.0[four][at]
        };
        let want: Vec<i32> = (0..n).map(sum).collect();
        assert_eq!(stored_sums::<S, V>(sums), want, "sums");
        let most = want.iter().copied().max().unwrap_or(0);
        assert_eq!(V::largest(sums), most, "largest");
        let less = |sum: &i32| if *sum < most { *sum } else { i32::MIN };
        let only_less = stored_sums::<S, V>(V::only_less(sums, most));
        assert_eq!(only_less, want.iter().map(less).collect::<Vec<i32>>(), "only_less");
        for least in [most, most - (1 << 20), 0] {
            assert_eq!(V::at_least(sums, least), bits(&|k| want[k] >= least), "at_least");
        }
        // Columns that are stored with their neighbours, and read by windows.
        let mut neighbours = Neighbours::ZERO;
        Words::load(simd, &columns).store_neighbours(&mut neighbours);
        let from = V::window_factors(low(va, 15).min(V::splat(simd, 12)));
        for column in 0..8 {
            let word = |c: usize| match (c + column).checked_sub(2) {
                Some(c @ 0..16) => columns[c],
                _ => u16::MAX,
            };
            let want = |k: usize| (word(k % 16) >> (a[k] & 15).min(12) & 15) as u8;
            same("window", V::window(simd, &neighbours, column, from), &want);
        }
    }

    fn check_lane<S: Blocks>(&self, simd: S) {
        let (a, b) = (self.lane(0).0, self.lane(1).0);
        let (va, vb) = (u8x16::load_lane(simd, &Lane(a)), u8x16::load_lane(simd, &Lane(b)));
        let same = |name: &str, value: u8x16<S>, want: &dyn Fn(usize) -> u8| {
            let mut lane = Lane::ZERO;
            value.store_lane(&mut lane);
            assert_eq!(lane.0, std::array::from_fn(want), "{name}");
        };
        let next = |k: usize| if k < 16 { a[k] } else { b[k - 16] };
        same("next 1", va.next::<1>(vb), &|k| next(k + 1));
        same("next 4", va.next::<4>(vb), &|k| next(k + 4));
        same("next 12", va.next::<12>(vb), &|k| next(k + 12));
        same("next 15", va.next::<15>(vb), &|k| next(k + 15));
        same("abs_difference", va.abs_difference(vb), &|k| a[k].abs_diff(b[k]));
        same("splat_word", u8x16::splat_word(simd, 0x9234), &|k| [0x34, 0x92][k % 2]);
        let mut words = [0; 16];
        u8x16::store_words(u8x16::repeat_words(simd, &self.columns[0]), &mut words);
        assert_eq!(words.map(i16::cast_unsigned), self.columns[0], "store_words");
    }

    fn check_words<S: Blocks>(&self, simd: S) {
        let [a, b] = self.columns;
        let (va, vb) = (Words::load(simd, &a), Words::load(simd, &b));
        let same = |name: &str, value: Words<S>, want: &dyn Fn(usize) -> u16| {
            let mut columns = [0; 16];
            value.store(&mut columns);
            assert_eq!(columns, std::array::from_fn(want), "{name}");
        };
        let neighbour = |k: usize| a.get(k).copied().unwrap_or(u16::MAX);
        let whole = |is: bool| if is { u16::MAX } else { 0 };
        let ones = |word: u16| word.count_ones() as u16;
        same("splat of words", Words::splat(simd, 0x1234), &|_| 0x1234);
        same("and of words", va.and(vb), &|k| a[k] & b[k]);
        same("or of words", va.or(vb), &|k| a[k] | b[k]);
        same("xor of words", va.xor(vb), &|k| a[k] ^ b[k]);
        same("without of words", va.without(vb), &|k| a[k] & !b[k]);
        same("not", va.not(), &|k| !a[k]);
        same("up", va.up(1).or(va.up(4)), &|k| a[k] << 1 | a[k] << 4);
        same("down", va.down(1).or(vb.down(15)), &|k| a[k] >> 1 | b[k] >> 15);
        same("right_neighbour", va.right_neighbour(), &|k| neighbour(k + 1));
        same("left_neighbour", va.left_neighbour(), &|k| neighbour(k.wrapping_sub(1)));
        let below = |word: u16| u16::MAX.checked_shr(word.leading_zeros()).unwrap_or(0);
        same("filled_down", va.filled_down(), &|k| below(a[k]));
        same("upward", va.upward(), &|k| a[k] | a[k].wrapping_neg());
        same("whole_if_empty", va.whole_if_empty(), &|k| whole(a[k] == 0));
        same("whole_unless_empty", va.whole_unless_empty(), &|k| whole(a[k] != 0));
        let counts = va.counts().plus(vb.counts());
        same("numbers", counts.numbers(), &|k| ones(a[k]) + ones(b[k]));
        same("plus", va.plus(vb), &|k| a[k].wrapping_add(b[k]));
        same("times", va.times(vb), &|k| a[k].wrapping_mul(b[k]));
        assert_eq!(stored(va.heights()), a.map(|word| word.count_ones() as u8), "heights");
        let bytes = stored(va.whole_if_empty().condition());
        assert_eq!(bytes, a.map(|word| whole(word == 0) as u8), "condition");
        assert_eq!(
            va.any_column(),
            a.iter().fold(0, |all, &word| all | u32::from(word)),
            "any_column"
        );
        assert_eq!(va.is_empty(), a == [0; 16], "is_empty");
        assert!(va.without(va).is_empty(), "is_empty");
        let total = |columns: &[u16; 16]| columns.iter().map(|word| i64::from(ones(*word))).sum();
        let (a, b): (i64, i64) = (total(&a), total(&b));
        let none = Words::splat(simd, 0).counts();
        let totals = Counts::totals([counts, va.counts(), none, vb.counts()]);
        assert_eq!(totals, [a + b, a, 0, b], "totals");
    }

    fn check_all<S: Blocks>(&self, simd: S) {
        let [low, high] = self.columns;
        let joined = |low: &[u16; 16], high: &[u16; 16]| -> [u32; 16] {
            std::array::from_fn(|k| u32::from(low[k]) | u32::from(high[k]) << 16)
        };
        let (a, b) = (joined(&low, &high), joined(&high, &low));
        let (va, vb) =
            (AllRows::load_both(simd, &low, &high), AllRows::load_both(simd, &high, &low));
        let same = |name: &str, value: AllRows<S>, want: &dyn Fn(usize) -> u32| {
            let (mut low, mut high) = ([0; 16], [0; 16]);
            value.0.store(&mut low);
            value.1.store(&mut high);
            assert_eq!(joined(&low, &high), std::array::from_fn(want), "{name} of all");
        };
        let neighbour = |k: usize| a.get(k).copied().unwrap_or(u32::MAX);
        let below = |word: u32| u32::MAX.checked_shr(word.leading_zeros()).unwrap_or(0);
        same("and", va.and(vb), &|k| a[k] & b[k]);
        same("or", va.or(vb), &|k| a[k] | b[k]);
        same("xor", va.xor(vb), &|k| a[k] ^ b[k]);
        same("without", va.without(vb), &|k| a[k] & !b[k]);
        same("not", va.not(), &|k| !a[k]);
        same("up", va.up(3), &|k| a[k] << 3);
        same("down", va.down(1), &|k| a[k] >> 1);
        same("left_neighbour", va.left_neighbour(), &|k| neighbour(k.wrapping_sub(1)));
        same("right_neighbour", va.right_neighbour(), &|k| neighbour(k + 1));
        same("filled_down", va.filled_down(), &|k| below(a[k]));
        same("upward", va.upward(), &|k| a[k] | a[k].wrapping_neg());
        same("plus", va.plus(vb), &|k| a[k].wrapping_add(b[k]));
        assert_eq!(stored(va.heights()), a.map(|word| word.count_ones() as u8), "heights of all");
        assert_eq!(va.any_column(), a.iter().fold(0, |all, word| all | word), "any_column of all");
        assert_eq!(va.is_empty(), a == [0; 16], "is_empty of all");
    }

    fn check_rows<S: Blocks>(&self, simd: S) {
        let [a, b] = self.rows;
        let (va, vb) = (Rows::load(simd, &a), Rows::load(simd, &b));
        let same = |name: &str, value: Rows<S>, want: [u16; ROWS]| {
            let mut rows = [0; ROWS];
            value.store(&mut rows);
            assert_eq!(rows, want, "{name}");
        };
        let bits = |of: &dyn Fn(usize) -> bool| (0..ROWS).map(|r| u32::from(of(r)) << r).sum();
        let remaining = |removed: u32| {
            let mut rows = [0; ROWS];
            let kept = (0..ROWS).filter(|row| removed >> row & 1 == 0);
            rows.iter_mut().zip(kept).for_each(|(to, row)| *to = a[row]);
            rows
        };
        same("load of rows", va, a);
        same("with", va.with(&b, 5), std::array::from_fn(|r| a[r] | b[r] << 5));
        let occupied: u32 = bits(&|r| b[r] != 0);
        assert_eq!(vb.occupied(), occupied, "occupied");
        same("removed", va.removed(occupied), remaining(occupied));
        same("removed, four", va.removed(0x1100_0003), remaining(0x1100_0003));
        for row in [0x20, a[0]] {
            assert_eq!(va.equal(row), bits(&|r| a[r] == row), "equal of rows");
        }
        assert!(va.is_equal(va), "is_equal");
        assert_eq!(va.is_equal(vb), a == b, "is_equal");
        let counts = va.counts().map(stored).concat();
        assert_eq!(counts, a.map(|row| row.count_ones() as u8), "counts");
        for (half, columns) in [va.lower(), va.upper()].into_iter().enumerate() {
            let mut found = [0; 16];
            columns.store(&mut found);
            let bit = |c: usize, r: usize| (a[16 * half + r] >> c & 1) << r;
            assert_eq!(found, std::array::from_fn(|c| (0..16).map(|r| bit(c, r)).sum()), "columns");
        }
    }

    fn lane(&self, k: usize) -> Lane {
        Lane(std::array::from_fn(|j| self.bytes[k].0[j]))
    }

    /// Returns random byte weights so small that the sum of two products fits a word.
    fn weights(&self) -> Block {
        let weight = |j: usize| self.bytes[3].0[j / 16 * 16 + j % 2] as i8 / 2;
        Block(std::array::from_fn(|j| weight(j) as u8))
    }
}

impl BoardJob for Inputs {
    type Output = ();

    fn run<S: Blocks>(self, simd: S) {
        self.check_bytes::<S, u8x16<S>>(simd);
        self.check_bytes::<S, u8x32<S>>(simd);
        self.check_bytes::<S, u8x64<S>>(simd);
        self.check_lane(simd);
        self.check_words(simd);
        self.check_all(simd);
        self.check_rows(simd);
    }
}

fn stored<S: Blocks, V: Bytes<S>>(value: V) -> Vec<u8> {
    let mut block = Block::ZERO;
    value.store(&mut block);
    block.0[..16 * V::LANES].to_vec()
}

fn stored_sums<S: Blocks, V: Bytes<S>>(sums: V::Sums) -> Vec<i32> {
    let mut block = SumBlock([[0; 16]; 4]);
    V::store_sums(sums, &mut block);
    let number = |k| {
        let (four, at) = SumBlock::index(k);
        block.0[four][at]
    };
    (0..16 * V::LANES).map(number).collect()
}

fn numbers<S: Blocks, V: Bytes<S>>(words: V::Words) -> Vec<i32> {
    let simd = V::narrow(words).simd();
    let zero = V::splat(simd, 0);
    let nothing = V::products([zero, zero], [zero, zero]);
    let start = SumBlock([[0; 16]; 4]);
    stored_sums::<S, V>(V::sums(words, nothing, 1, V::splat(simd, 1), &start))
}

proptest! {
    #[test]
    fn every_level_does_what_operations_mean(random in prop::collection::vec(any::<u8>(), 320)) {
        let inputs = Inputs::new(&random);
        for level in Level::available() {
            prop_assert_eq!(run(level, inputs.clone()).is_some(), level != Level::SCALAR);
        }
    }
}
