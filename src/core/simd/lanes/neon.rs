//! Implements [`Lanes`] with 128-bit vectors of NEON, which every `aarch64` processor has.

use std::arch::aarch64::*;

use super::super::bytes_neon::neon;
use super::{LANES, Lanes, Lanes16};

#[derive(Clone, Copy)]
pub(crate) struct Neon(uint16x8_t);

/// Defines methods of two operands that are one instruction each.
macro_rules! on_two {
    ($($name:ident = $instruction:ident,)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Neon) -> Neon {
                neon!(Neon($instruction(self.0, other.0)))
            }
        )*
    };
}

impl Neon {
    /// Reinterprets the lanes as signed numbers; no instruction.
    #[inline(always)]
    fn signed(self) -> int16x8_t {
        neon!(vreinterpretq_s16_u16(self.0))
    }
}

impl Lanes for Neon {
    const COUNT: usize = 8;
    /// Sums of lanes 0-3, then 4-7.
    type Sums = [int32x4_t; 2];

    on_two! {
        and = vandq_u16, or = vorrq_u16, xor = veorq_u16, without = vbicq_u16, add = vaddq_u16,
        sub = vsubq_u16, max = vmaxq_u16, equal = vceqq_u16,
    }

    #[inline(always)]
    fn splat(value: u16) -> Neon {
        neon!(Neon(vdupq_n_u16(value)))
    }

    #[inline(always)]
    fn load(from: &Lanes16, at: usize) -> Neon {
        neon!({
            let from = &from.0[at..at + 8];
            Neon(vld1q_u16(from.as_ptr()))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes16, at: usize) {
        neon!({
            let to = &mut to.0[at..at + 8];
            vst1q_u16(to.as_mut_ptr(), self.0)
        })
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Neon {
        neon!(Neon(vshlq_u16(self.0, vdupq_n_s16(bits as i16))))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Neon {
        // NEON shifts right by a variable through a negative left shift.
        neon!(Neon(vshlq_u16(self.0, vdupq_n_s16(-(bits as i16)))))
    }

    #[inline(always)]
    fn popcount(self) -> Neon {
        neon!(Neon(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u16(self.0)))))
    }

    #[inline(always)]
    fn any(self) -> bool {
        // The largest of four 32-bit numbers takes fewer steps than that of eight words.
        neon!(vmaxvq_u32(vreinterpretq_u32_u16(self.0)) != 0)
    }

    #[inline(always)]
    fn no_sums() -> [int32x4_t; 2] {
        neon!([vdupq_n_s32(0); 2])
    }

    #[inline(always)]
    fn dot(sums: [int32x4_t; 2], a: Neon, b: Neon, weights: [i16; 2]) -> [int32x4_t; 2] {
        neon!({
            let (a, b, [first, second]) = (a.signed(), b.signed(), weights);
            let low = vmlal_n_s16(sums[0], vget_low_s16(a), first);
            let high = vmlal_high_n_s16(sums[1], a, first);
            [vmlal_n_s16(low, vget_low_s16(b), second), vmlal_high_n_s16(high, b, second)]
        })
    }

    #[inline(always)]
    fn store_sums(sums: [int32x4_t; 2], to: &mut [i32; LANES], at: usize) {
        neon!({
            let (first, second) = to[at..at + 8].split_at_mut(4);
            vst1q_s32(first.as_mut_ptr(), sums[0]);
            vst1q_s32(second.as_mut_ptr(), sums[1]);
        })
    }
}
