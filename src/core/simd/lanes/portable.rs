//! Implements [`Lanes`] with arrays, which the compiler vectorises with the target's baseline. On
//! targets with intrinsics in this module, the arrays are the specification in tests.

use super::super::arrays::{Array, lane_by_lane};
use super::{LANES, Lanes, Lanes16};

/// Number of lanes, equal to that of the vectors of SSE2 and NEON.
const COUNT: usize = 8;

pub(crate) type Portable = Array<u16, COUNT>;

impl Lanes for Portable {
    const COUNT: usize = COUNT;
    type Sums = [i32; COUNT];

    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        xor: |a, b| a ^ b,
        without: |a, b| a & !b,
        add: u16::wrapping_add,
        sub: u16::wrapping_sub,
        max: u16::max,
        equal: |a, b| if a == b { u16::MAX } else { 0 },
    }

    #[inline]
    fn splat(value: u16) -> Portable {
        Array([value; COUNT])
    }

    #[inline]
    fn load(from: &Lanes16, at: usize) -> Portable {
        let mut lanes = [0; COUNT];
        lanes.copy_from_slice(&from.0[at..at + COUNT]);
        Array(lanes)
    }

    #[inline]
    fn store(self, to: &mut Lanes16, at: usize) {
        to.0[at..at + COUNT].copy_from_slice(&self.0);
    }

    #[inline]
    fn shl(self, bits: u32) -> Portable {
        self.map(|a| a << bits)
    }

    #[inline]
    fn shr(self, bits: u32) -> Portable {
        self.map(|a| a >> bits)
    }

    #[inline]
    fn popcount(self) -> Portable {
        self.map(|a| a.count_ones() as u16)
    }

    #[inline]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, lane| all | lane) != 0
    }

    #[inline]
    fn no_sums() -> [i32; COUNT] {
        [0; COUNT]
    }

    #[inline]
    fn dot(mut sums: [i32; COUNT], a: Portable, b: Portable, weights: [i16; 2]) -> [i32; COUNT] {
        let [first, second] = weights.map(i32::from);
        for (sum, (a, b)) in sums.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *sum += first * i32::from(a as i16) + second * i32::from(b as i16);
        }
        sums
    }

    #[inline]
    fn store_sums(sums: [i32; COUNT], to: &mut [i32; LANES], at: usize) {
        to[at..at + COUNT].copy_from_slice(&sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{LanesJob, Level, run_lanes};
    use proptest::prelude::*;

    /// Runs every operation on two lines; returns lanes and numbers.
    fn all<V: Lanes>(
        a: &Lanes16,
        b: &Lanes16,
        bits: u32,
        weights: [i16; 2],
    ) -> (Vec<u16>, Vec<i32>) {
        let (mut lines, mut sums, mut any) = ([Lanes16::ZERO; 13], [0; LANES], [false; 2]);
        for at in (0..LANES).step_by(V::COUNT) {
            let (a, b) = (V::load(a, at), V::load(b, at));
            let equal = a.and(V::splat(3)).equal(b.and(V::splat(3)));
            let results = [
                V::splat(7),
                a.and(b),
                a.or(b),
                a.xor(b),
                a.without(b),
                a.add(b),
                a.sub(b),
                a.max(b),
                a.shl(bits),
                a.shr(bits),
                equal,
                a.popcount(),
                equal.select(a, b),
            ];
            for (line, result) in lines.iter_mut().zip(results) {
                result.store(line, at);
            }
            any[0] |= equal.any();
            any[1] |= V::zero().any();
            let once = V::dot(V::no_sums(), a, b, weights);
            V::store_sums(V::dot(once, b, a, weights), &mut sums, at);
        }
        let numbers = any.into_iter().map(i32::from).chain(sums).collect();
        (lines.iter().flat_map(|line| line.0).collect(), numbers)
    }

    /// Job that runs `all` and stores its results.
    struct AllJob<'a>(&'a Lanes16, &'a Lanes16, u32, [i16; 2], &'a mut (Vec<u16>, Vec<i32>));

    impl LanesJob for AllJob<'_> {
        fn run<V: Lanes>(self) {
            *self.4 = all::<V>(self.0, self.1, self.2, self.3);
        }
    }

    proptest! {
        #[test]
        fn every_level_does_what_arrays_do(
            a in prop::collection::vec(any::<u16>(), LANES),
            b in prop::collection::vec(any::<u16>(), LANES),
            bits in 0u32..16,
            weights in prop::array::uniform2(-8192i16..8192),
        ) {
            let line = |lanes: Vec<u16>| Lanes16(std::array::from_fn(|k| lanes[k]));
            let (a, b) = (line(a), line(b));
            let want = all::<Portable>(&a, &b, bits, weights);
            for level in Level::available() {
                let mut found = (Vec::new(), Vec::new());
                run_lanes(level, AllJob(&a, &b, bits, weights, &mut found));
                prop_assert_eq!(&found, &want, "{}", level);
            }
        }
    }
}
