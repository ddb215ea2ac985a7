//! Lanes as arrays, which the compiler turns into the vectors of the target's baseline (NEON on
//! aarch64). Where that is SSE2 they serve as its specification in tests.
//!
//! Operations are `inline`, not `inline(always)`: so each loop is unrolled once, before it is inlined,
//! and not again wherever it is used, which took minutes.

use super::{LANES, Lanes, Line};

/// As many as the vectors of SSE2 and NEON have.
const COUNT: usize = 8;

#[derive(Clone, Copy)]
pub(crate) struct Portable([u16; COUNT]);

impl Portable {
    #[inline]
    fn map(mut self, f: impl Fn(u16) -> u16) -> Portable {
        for a in &mut self.0 {
            *a = f(*a);
        }
        self
    }

    #[inline]
    fn zip(mut self, other: Portable, f: impl Fn(u16, u16) -> u16) -> Portable {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        self
    }
}

impl Lanes for Portable {
    const COUNT: usize = COUNT;
    type Sums = [i32; COUNT];

    #[inline]
    fn splat(value: u16) -> Portable {
        Portable([value; COUNT])
    }

    #[inline]
    fn load(from: &Line, at: usize) -> Portable {
        let mut lanes = [0; COUNT];
        lanes.copy_from_slice(&from.0[at..at + COUNT]);
        Portable(lanes)
    }

    #[inline]
    fn store(self, to: &mut Line, at: usize) {
        to.0[at..at + COUNT].copy_from_slice(&self.0);
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
    fn xor(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline]
    fn without(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a & !b)
    }

    #[inline]
    fn add(self, other: Portable) -> Portable {
        self.zip(other, u16::wrapping_add)
    }

    #[inline]
    fn sub(self, other: Portable) -> Portable {
        self.zip(other, u16::wrapping_sub)
    }

    #[inline]
    fn max(self, other: Portable) -> Portable {
        self.zip(other, u16::max)
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
    fn equal(self, other: Portable) -> Portable {
        self.zip(other, |a, b| if a == b { u16::MAX } else { 0 })
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::simd::lanes::sse2::Sse2;
    use proptest::prelude::*;

    /// Every operation on two vectors, as lanes and sums.
    fn all<V: Lanes>(a: &Line, b: &Line, bits: u32, weights: [i16; 2]) -> (Vec<u16>, Vec<i32>) {
        let (mut lanes, mut numbers) = (Vec::new(), Vec::new());
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
            for result in results {
                let mut to = Line::ZERO;
                result.store(&mut to, at);
                lanes.extend_from_slice(&to.0);
            }
            numbers.extend([i32::from(equal.any()), i32::from(V::zero().any())]);
            let mut sums = [0; LANES];
            V::store_sums(
                V::dot(V::dot(V::no_sums(), a, b, weights), b, a, weights),
                &mut sums,
                at,
            );
            numbers.extend(sums);
        }
        (lanes, numbers)
    }

    proptest! {
        #[test]
        fn sse2_does_what_arrays_do(
            a in prop::collection::vec(any::<u16>(), LANES),
            b in prop::collection::vec(any::<u16>(), LANES),
            bits in 0u32..16,
            weights in prop::array::uniform2(-8192i16..8192),
        ) {
            let line = |lanes: Vec<u16>| Line(std::array::from_fn(|k| lanes[k]));
            let (a, b) = (line(a), line(b));
            prop_assert_eq!(all::<Sse2>(&a, &b, bits, weights), all::<Portable>(&a, &b, bits, weights));
        }
    }
}
