//! Implements [`Bytes`] with registers of NEON, one lane each. Pieces use two or four registers, as
//! pairs.
//!
//! Every `aarch64` processor for which Rust has a standard library has NEON.

use std::arch::aarch64::*;

use super::bytes::{Block, Bytes, Half, INELIGIBLE, Lane, Neighbours, OneLane, SumBlock, Windows};
use super::bytes_pair::Pair;

macro_rules! neon {
    ($body:expr) => {{
        // SAFETY: every `aarch64` processor that has a standard library has NEON. Loads and stores
        // go through arrays and slices of exactly the register's length.
        unsafe { $body }
    }};
}
pub(super) use neon;

/// A register of NEON with one lane of sixteen bytes.
#[derive(Clone, Copy)]
pub(crate) struct Q(pub(super) uint8x16_t);

/// Bit of each byte in a mask of eight bytes: byte k has bit k % 8.
///
/// NEON cannot gather the highest bits of all bytes. Each byte selects its own bit of eight, and
/// adding neighbours three times combines eight bytes into one.
const BITS: Lane = Lane([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);

#[inline(always)]
fn loaded(from: &[u8; 16]) -> uint8x16_t {
    neon!(vld1q_u8(from.as_ptr()))
}

/// Loads four numbers of a [`SumBlock`]: those of one orientation of a piece in four adjacent
/// columns.
#[inline(always)]
fn loaded_sums(from: &[i32; 4]) -> int32x4_t {
    neon!(vld1q_s32(from.as_ptr()))
}

/// Returns the sixteen bytes of a block that belong to the orientation number `lane`. `lane` is
/// below four, so the compiler omits the zeros for a number beyond the block.
#[inline(always)]
fn lane_of(block: &Block, lane: usize) -> &[u8; 16] {
    block.0[16 * lane..].first_chunk().unwrap_or(&[0; 16])
}

/// Adds each two adjacent bytes. The first eight bytes of the result are the sums within `a`, the
/// last eight those within `b`.
#[inline(always)]
fn pairs(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    neon!(vpaddq_u8(a, b))
}

impl Q {
    /// Returns bit k % 8 in each byte k whose highest bit is set, and 0 in all others.
    #[inline(always)]
    fn placed_bits(self) -> uint8x16_t {
        neon!(vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(self.0)), loaded(&BITS.0)))
    }

    /// Widens bytes to words: columns 0 to 7, then 8 to 15.
    #[inline(always)]
    fn widened(self) -> [int16x8_t; 2] {
        neon!({
            let low = vmovl_u8(vget_low_u8(self.0));
            [vreinterpretq_s16_u16(low), vreinterpretq_s16_u16(vmovl_high_u8(self.0))]
        })
    }

    #[inline(always)]
    fn signed(self) -> int8x16_t {
        neon!(vreinterpretq_s8_u8(self.0))
    }

    #[inline(always)]
    fn of_numbers(numbers: int32x4_t) -> Q {
        neon!(Q(vreinterpretq_u8_s32(numbers)))
    }

    #[inline(always)]
    fn numbers(self) -> int32x4_t {
        neon!(vreinterpretq_s32_u8(self.0))
    }
}

/// Defines methods of two operands that are one instruction each.
macro_rules! on_two {
    ($($name:ident = $instruction:ident,)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                neon!(Q($instruction(self.0, other.0)))
            }
        )*
    };
}

impl Bytes for Q {
    const LANES: usize = 1;
    /// Words of columns 0 to 7, then 8 to 15.
    type Words = [int16x8_t; 2];
    type Sums = [int32x4_t; 4];

    on_two! {
        and = vandq_u8, or = vorrq_u8, xor = veorq_u8, without = vbicq_u8, add = vaddq_u8,
        sub = vsubq_u8, saturating_sub = vqsubq_u8, max = vmaxq_u8, min = vminq_u8,
        mean = vrhaddq_u8, equal = vceqq_u8, lookup = vqtbl1q_u8,
    }

    #[inline(always)]
    fn splat(value: u8) -> Q {
        neon!(Q(vdupq_n_u8(value)))
    }
    #[inline(always)]
    fn load_at(from: &Block, lane: usize) -> Q {
        Q(loaded(lane_of(from, lane)))
    }
    #[inline(always)]
    fn store_at(self, to: &mut Block, lane: usize) {
        neon!(if let Some(to) = to.0[16 * lane..].first_chunk_mut::<16>() {
            vst1q_u8(to.as_mut_ptr(), self.0)
        })
    }
    #[inline(always)]
    fn repeat(lane: &Lane) -> Q {
        Q(loaded(&lane.0))
    }
    #[inline(always)]
    fn select(self, yes: Q, no: Q) -> Q {
        neon!(Q(vbslq_u8(self.0, yes.0, no.0)))
    }
    #[inline(always)]
    fn lookup_in_both(low: Q, high: Q, index: Q) -> Q {
        // One look-up in 32 bytes instead of two and an OR as on x86-64.
        neon!(Q(vqtbl2q_u8(uint8x16x2_t(low.0, high.0), index.0)))
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        neon!({
            let four = pairs(self.placed_bits(), self.placed_bits());
            let two = pairs(four, four);
            u64::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(pairs(two, two))))
        })
    }
    #[inline(always)]
    fn products(a: [Q; 2], b: [Q; 2]) -> [int16x8_t; 2] {
        neon!({
            let ([a, c], [b, d]) = (a.map(Q::signed), b.map(Q::signed));
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
            [
                vmlal_s8(low, vget_low_s8(c), vget_low_s8(d)),
                vmlal_high_s8(vmull_high_s8(a, b), c, d),
            ]
        })
    }
    #[inline(always)]
    fn add_words(a: [int16x8_t; 2], b: [int16x8_t; 2]) -> [int16x8_t; 2] {
        neon!([vaddq_s16(a[0], b[0]), vaddq_s16(a[1], b[1])])
    }
    #[inline(always)]
    fn repeat_words(from: &[u16; 16]) -> [int16x8_t; 2] {
        let (halves, _) = from.as_chunks::<8>();
        neon!({
            let [low, high] = [vld1q_u16(halves[0].as_ptr()), vld1q_u16(halves[1].as_ptr())];
            [vreinterpretq_s16_u16(low), vreinterpretq_s16_u16(high)]
        })
    }
    #[inline(always)]
    fn narrow(words: [int16x8_t; 2]) -> Q {
        neon!(Q(vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(words[0]), words[1]))))
    }
    #[inline(always)]
    fn weighed_at(a: [Q; 2], weights: &Block, lane: usize) -> [int16x8_t; 2] {
        neon!({
            // The weights are equal for all columns, so the first two bytes suffice.
            let weights = vreinterpretq_s8_u8(loaded(lane_of(weights, lane)));
            let weights = vmovl_s8(vget_low_s8(weights));
            let ([a, b], [c, d]) = (a[0].widened(), a[1].widened());
            [
                vmlaq_laneq_s16::<1>(vmulq_laneq_s16::<0>(a, weights), c, weights),
                vmlaq_laneq_s16::<1>(vmulq_laneq_s16::<0>(b, weights), d, weights),
            ]
        })
    }
    #[inline(always)]
    fn sums_at(
        high: [int16x8_t; 2],
        low: [int16x8_t; 2],
        base: i16,
        eligible: Q,
        start: &SumBlock,
        lane: usize,
    ) -> [int32x4_t; 4] {
        neon!({
            // The high byte of the bound: that of `INELIGIBLE`, or 0x7f, which is above all sums.
            let bound = vsubq_u8(vdupq_n_u8((INELIGIBLE >> 8) as u8), eligible.0);
            let all = vdupq_n_u8(INELIGIBLE as u8);
            let a = vminq_s16(high[0], vreinterpretq_s16_u8(vzip1q_u8(all, bound)));
            let b = vminq_s16(high[1], vreinterpretq_s16_u8(vzip2q_u8(all, bound)));
            let start = Q::load_sums_at(start, lane);
            let (c, d) = (low[0], low[1]);
            [
                // Widening additions and multiply-adds need no interleaving of words as on x86-64.
                vmlal_n_s16(vaddw_s16(start[0], vget_low_s16(c)), vget_low_s16(a), base),
                vmlal_high_n_s16(vaddw_high_s16(start[1], c), a, base),
                vmlal_n_s16(vaddw_s16(start[2], vget_low_s16(d)), vget_low_s16(b), base),
                vmlal_high_n_s16(vaddw_high_s16(start[3], d), b, base),
            ]
        })
    }
    #[inline(always)]
    fn largest(sums: [int32x4_t; 4]) -> Q {
        neon!({
            let four = vmaxq_s32(vmaxq_s32(sums[0], sums[1]), vmaxq_s32(sums[2], sums[3]));
            Q::of_numbers(vdupq_n_s32(vmaxvq_s32(four)))
        })
    }
    #[inline(always)]
    fn only_less(mut sums: [int32x4_t; 4], than: Q) -> [int32x4_t; 4] {
        for one in &mut sums {
            *one = neon!({
                let less = vcltq_s32(*one, than.numbers());
                vbslq_s32(less, *one, vdupq_n_s32(i32::MIN))
            });
        }
        sums
    }
    #[inline(always)]
    fn number(self) -> i32 {
        neon!(vgetq_lane_s32::<0>(self.numbers()))
    }
    #[inline(always)]
    fn lowered(self, by: i32) -> Q {
        neon!(Q::of_numbers(vsubq_s32(self.numbers(), vdupq_n_s32(by))))
    }
    #[inline(always)]
    fn less(sums: [int32x4_t; 4], than: Q) -> Q {
        neon!({
            let than = than.numbers();
            let low = [vcltq_s32(sums[0], than), vcltq_s32(sums[1], than)];
            let high = [vcltq_s32(sums[2], than), vcltq_s32(sums[3], than)];
            let low = vuzp1q_u16(vreinterpretq_u16_u32(low[0]), vreinterpretq_u16_u32(low[1]));
            let high = vuzp1q_u16(vreinterpretq_u16_u32(high[0]), vreinterpretq_u16_u32(high[1]));
            Q(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)))
        })
    }
    #[inline(always)]
    fn load_sums_at(from: &SumBlock, lane: usize) -> [int32x4_t; 4] {
        neon!({
            let mut sums = [vdupq_n_s32(0); 4];
            for (sum, four) in sums.iter_mut().zip(&from.0) {
                *sum = loaded_sums(four[4 * lane..].first_chunk().unwrap_or(&[0; 4]));
            }
            sums
        })
    }
    #[inline(always)]
    fn store_sums_at(sums: [int32x4_t; 4], to: &mut SumBlock, lane: usize) {
        neon!({
            for (sum, four) in sums.into_iter().zip(&mut to.0) {
                if let Some(four) = four[4 * lane..].first_chunk_mut::<4>() {
                    vst1q_s32(four.as_mut_ptr(), sum)
                }
            }
        })
    }
}

/// Returns the larger of the two sums at each position.
#[inline(always)]
fn larger(mut a: [int32x4_t; 4], b: [int32x4_t; 4]) -> [int32x4_t; 4] {
    neon!({
        for (a, b) in a.iter_mut().zip(b) {
            *a = vmaxq_s32(*a, b);
        }
        a
    })
}

impl Half for Q {
    #[inline(always)]
    fn larger(a: [int32x4_t; 4], b: [int32x4_t; 4]) -> [int32x4_t; 4] {
        larger(a, b)
    }
    #[inline(always)]
    fn bits_of_both(a: Q, b: Q) -> u64 {
        neon!({
            let four = pairs(a.placed_bits(), b.placed_bits());
            let two = pairs(four, four);
            u64::from(vgetq_lane_u32::<0>(vreinterpretq_u32_u8(pairs(two, two))))
        })
    }
}

impl Half for Pair<Q> {
    #[inline(always)]
    fn larger(a: Pair<[int32x4_t; 4]>, b: Pair<[int32x4_t; 4]>) -> Pair<[int32x4_t; 4]> {
        Pair(larger(a.0, b.0), larger(a.1, b.1))
    }
    #[inline(always)]
    fn bits_of_both(a: Pair<Q>, b: Pair<Q>) -> u64 {
        neon!({
            let first = pairs(a.0.placed_bits(), a.1.placed_bits());
            let second = pairs(b.0.placed_bits(), b.1.placed_bits());
            let two = pairs(first, second);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(pairs(two, two)))
        })
    }
}

/// Shifts each word of `words` to the right by its own distance, and returns the lowest four bits
/// of each result as a byte. `from` has minus the distance of each word.
#[inline(always)]
fn moved(words: [uint16x8_t; 2], from: [int16x8_t; 2]) -> Q {
    neon!({
        let (low, high) = (vshlq_u16(words[0], from[0]), vshlq_u16(words[1], from[1]));
        // The low byte of each word has the four rows and four above them.
        let low_bytes = vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
        Q(vandq_u8(low_bytes, vdupq_n_u8(15)))
    })
}

impl Windows for Q {
    /// Number of rows to shift each word up: minus the row, since NEON shifts right by a negative
    /// left shift.
    type Shift = [int16x8_t; 2];

    #[inline(always)]
    fn shift(rows: Q) -> [int16x8_t; 2] {
        neon!({
            // A left shift by a negative number is a right shift.
            let down = vnegq_s8(rows.signed());
            [vmovl_s8(vget_low_s8(down)), vmovl_high_s8(down)]
        })
    }
    #[inline(always)]
    fn window(neighbours: &Neighbours, column: usize, from: [int16x8_t; 2]) -> Q {
        let [low, high] = neighbours.beside(column);
        let words =
            neon!([vreinterpretq_u16_u8(loaded(&low.0)), vreinterpretq_u16_u8(loaded(&high.0))]);
        moved(words, from)
    }
}

impl OneLane for Q {
    #[inline(always)]
    fn store_lane(self, to: &mut Lane) {
        neon!(vst1q_u8(to.0.as_mut_ptr(), self.0))
    }
    #[inline(always)]
    fn store_words(words: [int16x8_t; 2], to: &mut [i16; 16]) {
        let (halves, _) = to.as_chunks_mut::<8>();
        neon!({
            vst1q_s16(halves[0].as_mut_ptr(), words[0]);
            vst1q_s16(halves[1].as_mut_ptr(), words[1]);
        })
    }
    #[inline(always)]
    fn next<const D: i32>(self, beyond: Q) -> Q {
        neon!(Q(vextq_u8::<D>(self.0, beyond.0)))
    }
    #[inline(always)]
    fn abs_difference(self, other: Q) -> Q {
        neon!(Q(vabdq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn window_of(word: u16, rows: Q) -> Q {
        let words = neon!(vdupq_n_u16(word));
        moved([words, words], Q::shift(rows))
    }
}
