//! Implements [`Columns`] with three registers of NEON, which every `aarch64` processor has.

use std::arch::aarch64::*;

use super::super::bytes_neon::neon;
use super::{Columns, WIDTH, list};

/// A set in ten of the twelve lanes of three registers, one lane for each column. The last two
/// lanes are zero after a load, and meaningless after other operations.
#[derive(Clone, Copy)]
pub(super) struct NeonColumns([uint32x4_t; 3]);

impl NeonColumns {
    #[inline(always)]
    fn of(lanes: &[u32; 12]) -> NeonColumns {
        neon!({
            let four = |at: usize| vld1q_u32(lanes[at..at + 4].as_ptr());
            NeonColumns([four(0), four(4), four(8)])
        })
    }

    /// Returns the number of members, without those in the two lanes that are no columns.
    #[inline(always)]
    fn count(self) -> u32 {
        neon!({
            let [a, b, c] = self.0.map(|four| vcntq_u8(vreinterpretq_u8_u32(four)));
            // Without lanes 10 and 11, which may have members after a move.
            let last = vcombine_u8(vget_low_u8(c), vdup_n_u8(0));
            u32::from(vaddlvq_u8(vaddq_u8(vaddq_u8(a, b), last)))
        })
    }

    /// Returns the ten columns, followed by the two lanes that are no columns.
    #[inline(always)]
    fn lanes(self) -> [u32; 12] {
        neon!({
            let mut lanes = [0; 12];
            for (to, from) in lanes.chunks_exact_mut(4).zip(self.0) {
                vst1q_u32(to.as_mut_ptr(), from);
            }
            lanes
        })
    }
}

/// Defines methods of two sets that are one instruction for each register.
macro_rules! on_two {
    ($($name:ident = $instruction:ident,)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: NeonColumns) -> NeonColumns {
                neon!({
                let ([a, b, c], [d, e, f]) = (self.0, other.0);
                NeonColumns([$instruction(a, d), $instruction(b, e), $instruction(c, f)])
                })
            }
        )*
    };
}

impl Columns for NeonColumns {
    const IS_LOW: bool = false;

    on_two! { and = vandq_u32, or = vorrq_u32, without = vbicq_u32, plus = vaddq_u32, }

    #[inline(always)]
    fn load(columns: &[u32; WIDTH]) -> NeonColumns {
        let mut lanes = [0; 12];
        lanes[..WIDTH].copy_from_slice(columns);
        NeonColumns::of(&lanes)
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        std::array::from_fn(|k| self.lanes()[k])
    }

    #[inline(always)]
    fn rows(rows: u32) -> NeonColumns {
        neon!({
            let two = vcombine_u32(vdup_n_u32(rows), vdup_n_u32(0));
            NeonColumns([vdupq_n_u32(rows), vdupq_n_u32(rows), two])
        })
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> NeonColumns {
        neon!({
            let ([a, b, c], zero) = (self.0, vdupq_n_u32(0));
            let shifted = match dx {
                -2 => [vextq_u32::<2>(a, b), vextq_u32::<2>(b, c), vextq_u32::<2>(c, zero)],
                -1 => [vextq_u32::<1>(a, b), vextq_u32::<1>(b, c), vextq_u32::<1>(c, zero)],
                1 => [vextq_u32::<3>(zero, a), vextq_u32::<3>(a, b), vextq_u32::<3>(b, c)],
                2 => [vextq_u32::<2>(zero, a), vextq_u32::<2>(a, b), vextq_u32::<2>(b, c)],
                _ => [a, b, c],
            };
            if dy == 0 {
                return NeonColumns(shifted);
            }
            // Rows further up are at lower bits; a left shift by a negative number is a right
            // shift.
            let by = vdupq_n_s32(-dy);
            NeonColumns(shifted.map(|four| vshlq_u32(four, by)))
        })
    }

    /// Calls `moved`: NEON shifts rows by a number in a register anyway, and the move of columns is
    /// one branch.
    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> NeonColumns {
        self.moved(dx, dy)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        neon!({
            let [a, b, c] = self.0;
            vmaxvq_u32(vorrq_u32(vorrq_u32(a, b), c)) == 0
        })
    }

    #[inline(always)]
    fn total(sets: &[NeonColumns; 4]) -> u32 {
        let mut sum = 0;
        for set in sets {
            sum += set.count();
        }
        sum
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        list(&mut self.lanes()[..WIDTH], base, out);
    }
}
