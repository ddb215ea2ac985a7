//! The attack's own chance: each case has its stream, so that any case can be repeated alone.

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Chance(u64);

impl Chance {
    /// The stream of a case of one kind of attack.
    pub fn of(seed: u64, kind: &str, case: u64) -> Chance {
        let kind = kind.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(257) + u64::from(byte));
        let mut mixed = Chance(seed);
        let mixed = Chance(mixed.next() ^ kind).next() ^ case;
        Chance(Chance(mixed).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    pub fn of_all<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
