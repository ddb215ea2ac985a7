//! Lanes as arrays, which the compiler turns into the vectors of the target's baseline (SSE2 on
//! x86-64, NEON on aarch64).

use super::lanes::{LANES, Lanes, Line};

/// As many as the vectors of SSE2 and NEON have.
const COUNT: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Portable([u16; COUNT]);

impl Portable {
    #[inline(always)]
    fn map(mut self, f: impl Fn(u16) -> u16) -> Portable {
        for a in &mut self.0 {
            *a = f(*a);
        }
        self
    }

    #[inline(always)]
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

    #[inline(always)]
    fn splat(value: u16) -> Portable {
        Portable([value; COUNT])
    }

    #[inline(always)]
    fn load(from: &Line, at: usize) -> Portable {
        let mut lanes = [0; COUNT];
        lanes.copy_from_slice(&from.0[at..at + COUNT]);
        Portable(lanes)
    }

    #[inline(always)]
    fn store(self, to: &mut Line, at: usize) {
        to.0[at..at + COUNT].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn and(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn without(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn add(self, other: Portable) -> Portable {
        self.zip(other, u16::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Portable) -> Portable {
        self.zip(other, u16::wrapping_sub)
    }

    #[inline(always)]
    fn max(self, other: Portable) -> Portable {
        self.zip(other, u16::max)
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Portable {
        self.map(|a| a << bits)
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Portable {
        self.map(|a| a >> bits)
    }

    #[inline(always)]
    fn equal(self, other: Portable) -> Portable {
        self.zip(other, |a, b| if a == b { u16::MAX } else { 0 })
    }

    #[inline(always)]
    fn popcount(self) -> Portable {
        self.map(|a| a.count_ones() as u16)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, lane| all | lane) != 0
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        let bit = |(lane, &all): (usize, &u16)| all & 1 << lane;
        self.0.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }

    #[inline(always)]
    fn no_sums() -> [i32; COUNT] {
        [0; COUNT]
    }

    #[inline(always)]
    fn dot(mut sums: [i32; COUNT], a: Portable, b: Portable, weights: [i16; 2]) -> [i32; COUNT] {
        let [first, second] = weights.map(i32::from);
        for (sum, (a, b)) in sums.iter_mut().zip(a.0.into_iter().zip(b.0)) {
            *sum += first * i32::from(a as i16) + second * i32::from(b as i16);
        }
        sums
    }

    #[inline(always)]
    fn store_sums(sums: [i32; COUNT], to: &mut [i32; LANES], at: usize) {
        to[at..at + COUNT].copy_from_slice(&sums);
    }
}
