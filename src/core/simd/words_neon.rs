//! Implements [`Rows`] and [`Words`] with registers of NEON, eight 16-bit words each.

use std::arch::aarch64::*;

use super::bytes::{Bytes, Half, Lane, Rows, Words};
use super::bytes_neon::{Q, neon};
use crate::board::ROWS;

/// Sixteen columns of a board in two registers: 0 to 7, then 8 to 15.
#[derive(Clone, Copy)]
pub(crate) struct TwoHalves([uint16x8_t; 2]);

/// The 32 rows of a board, eight in each of four registers.
#[derive(Clone, Copy)]
pub(crate) struct FourQuarters([uint16x8_t; 4]);

#[inline(always)]
fn loaded(from: &[u16; 8]) -> uint16x8_t {
    neon!(vld1q_u16(from.as_ptr()))
}

#[inline(always)]
fn stored(words: uint16x8_t, to: &mut [u16; 8]) {
    neon!(vst1q_u16(to.as_mut_ptr(), words))
}

/// Reinterprets eight words as sixteen bytes; no instruction.
#[inline(always)]
fn bytes(words: uint16x8_t) -> uint8x16_t {
    neon!(vreinterpretq_u8_u16(words))
}

#[inline(always)]
fn low_bytes(low: uint16x8_t, high: uint16x8_t) -> Q {
    neon!(Q(vuzp1q_u8(bytes(low), bytes(high))))
}

/// Returns the number of set bits of each word, as bytes.
#[inline(always)]
fn counted(low: uint16x8_t, high: uint16x8_t) -> Q {
    neon!(Q(vpaddq_u8(vcntq_u8(bytes(low)), vcntq_u8(bytes(high)))))
}

#[inline(always)]
fn is_zero(words: uint16x8_t) -> bool {
    neon!(vmaxvq_u32(vreinterpretq_u32_u16(words)) == 0)
}

/// Defines methods of two operands that are one instruction for each register.
macro_rules! on_two {
    ($($name:ident = $instruction:ident,)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                neon!({
                let ([a, b], [c, d]) = (self.0, other.0);
                TwoHalves([$instruction(a, c), $instruction(b, d)])
                })
            }
        )*
    };
}

impl Words for TwoHalves {
    type Lane = Q;
    type Counts = [uint8x16_t; 2];

    on_two! { and = vandq_u16, or = vorrq_u16, xor = veorq_u16, without = vbicq_u16, }
    on_two! { plus = vaddq_u16, times = vmulq_u16, }

    #[inline(always)]
    fn splat(column: u16) -> Self {
        neon!(TwoHalves([vdupq_n_u16(column); 2]))
    }
    #[inline(always)]
    fn load(from: &[u16; 16]) -> Self {
        let (halves, _) = from.as_chunks::<8>();
        TwoHalves([loaded(&halves[0]), loaded(&halves[1])])
    }
    #[inline(always)]
    fn store(self, to: &mut [u16; 16]) {
        let (halves, _) = to.as_chunks_mut::<8>();
        stored(self.0[0], &mut halves[0]);
        stored(self.0[1], &mut halves[1]);
    }
    #[inline(always)]
    fn up<const N: i32>(self) -> Self {
        neon!({
            let by = vdupq_n_s16(N as i16);
            TwoHalves([vshlq_u16(self.0[0], by), vshlq_u16(self.0[1], by)])
        })
    }
    #[inline(always)]
    fn down<const N: i32>(self) -> Self {
        neon!(TwoHalves([vshrq_n_u16::<N>(self.0[0]), vshrq_n_u16::<N>(self.0[1])]))
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        neon!({
            let ([low, high], wall) = (self.0, vdupq_n_u16(u16::MAX));
            // Eight words of two registers from word 1 on; the wall follows the last column.
            TwoHalves([vextq_u16::<1>(low, high), vextq_u16::<1>(high, wall)])
        })
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        neon!({
            let ([low, high], wall) = (self.0, vdupq_n_u16(u16::MAX));
            TwoHalves([vextq_u16::<7>(wall, low), vextq_u16::<7>(low, high)])
        })
    }
    #[inline(always)]
    fn upward(self) -> Self {
        neon!({
            // x | -x: all bits from the lowest set bit up.
            let negative = |words| vreinterpretq_u16_s16(vnegq_s16(vreinterpretq_s16_u16(words)));
            self.or(TwoHalves([negative(self.0[0]), negative(self.0[1])]))
        })
    }
    #[inline(always)]
    fn whole_if_empty(self) -> Self {
        neon!(TwoHalves([vceqzq_u16(self.0[0]), vceqzq_u16(self.0[1])]))
    }
    #[inline(always)]
    fn heights(self) -> Q {
        counted(self.0[0], self.0[1])
    }
    #[inline(always)]
    fn condition(self) -> Q {
        low_bytes(self.0[0], self.0[1])
    }
    #[inline(always)]
    fn any_column(self) -> u16 {
        neon!({
            // The OR of all columns: first of two numbers of four columns each, then twice of the
            // halves of a number.
            let eight = vreinterpretq_u64_u16(vorrq_u16(self.0[0], self.0[1]));
            let four = vgetq_lane_u64::<0>(eight) | vgetq_lane_u64::<1>(eight);
            let two = four | four >> 32;
            (two | two >> 16) as u16
        })
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        neon!(is_zero(vorrq_u16(self.0[0], self.0[1])))
    }
    #[inline(always)]
    fn counts(self) -> [uint8x16_t; 2] {
        neon!([vcntq_u8(bytes(self.0[0])), vcntq_u8(bytes(self.0[1]))])
    }
    #[inline(always)]
    fn add_counts(a: [uint8x16_t; 2], b: [uint8x16_t; 2]) -> [uint8x16_t; 2] {
        neon!([vaddq_u8(a[0], b[0]), vaddq_u8(a[1], b[1])])
    }
    #[inline(always)]
    fn numbers(counts: [uint8x16_t; 2]) -> Self {
        neon!(TwoHalves([vpaddlq_u8(counts[0]), vpaddlq_u8(counts[1])]))
    }
    #[inline(always)]
    fn totals(counts: [[uint8x16_t; 2]; 4]) -> [i64; 4] {
        neon!({
            // Widened to words at once, since the sum of sixteen bytes does not fit a byte.
            let eight = |[low, high]: [uint8x16_t; 2]| vpadalq_u8(vpaddlq_u8(low), high);
            let [a, b, c, d] = counts.map(eight);
            let four = vpaddq_u16(vpaddq_u16(a, b), vpaddq_u16(c, d));
            let one = vpaddlq_u16(four);
            [
                i64::from(vgetq_lane_u32::<0>(one)),
                i64::from(vgetq_lane_u32::<1>(one)),
                i64::from(vgetq_lane_u32::<2>(one)),
                i64::from(vgetq_lane_u32::<3>(one)),
            ]
        })
    }
    #[inline(always)]
    fn halves(self) -> [Q; 2] {
        self.0.map(|half| Q(bytes(half)))
    }
}

/// Exchanges the bits of each 64-bit number selected by `lower` with the bits `N` places above.
/// `transposed_by_steps` in `words_x86` shows the use.
#[inline(always)]
fn exchanged<const N: i32>(squares: uint8x16_t, lower: u64) -> uint8x16_t {
    neon!({
        let (x, lower) = (vreinterpretq_u64_u8(squares), vdupq_n_u64(lower));
        let t = vandq_u64(veorq_u64(x, vshrq_n_u64::<N>(x)), lower);
        vreinterpretq_u8_u64(veorq_u64(veorq_u64(x, t), vshlq_n_u64::<N>(t)))
    })
}

/// Transposes eight rows: returns one byte for each of the sixteen columns.
#[inline(always)]
fn transposed(rows: uint16x8_t) -> uint8x16_t {
    neon!({
        const APART: Lane = Lane([0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]);
        // Squares of eight rows and columns: bits change places across the diagonal, by ones, twos
        // and fours.
        let squares = vqtbl1q_u8(bytes(rows), Q::repeat(&APART).0);
        let squares = exchanged::<7>(squares, 0x00aa_00aa_00aa_00aa);
        let squares = exchanged::<14>(squares, 0x0000_cccc_0000_cccc);
        exchanged::<28>(squares, 0x0000_0000_f0f0_f0f0)
    })
}

#[inline(always)]
fn columns(low: uint16x8_t, high: uint16x8_t) -> TwoHalves {
    neon!({
        let (low, high) = (transposed(low), transposed(high));
        let together = [vzip1q_u8(low, high), vzip2q_u8(low, high)];
        TwoHalves(together.map(|words| vreinterpretq_u16_u8(words)))
    })
}

impl FourQuarters {
    /// Returns one bit for each row of a condition.
    #[inline(always)]
    fn bits(conditions: [uint16x8_t; 4]) -> u32 {
        let [a, b, c, d] = conditions;
        Q::bits_of_both(low_bytes(a, b), low_bytes(c, d)) as u32
    }
}

impl Rows for FourQuarters {
    type Words = TwoHalves;

    #[inline(always)]
    fn load(from: &[u16; ROWS]) -> Self {
        let (quarters, _) = from.as_chunks::<8>();
        let [a, b, c, d] = [&quarters[0], &quarters[1], &quarters[2], &quarters[3]];
        FourQuarters([loaded(a), loaded(b), loaded(c), loaded(d)])
    }
    #[inline(always)]
    fn store(self, to: &mut [u16; ROWS]) {
        let (quarters, _) = to.as_chunks_mut::<8>();
        for (quarter, to) in self.0.into_iter().zip(quarters) {
            stored(quarter, to);
        }
    }
    #[inline(always)]
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        neon!({
            let (mut rows, cells) = (self, Self::load(cells));
            let columns = vdupq_n_s16(columns as i16);
            for (row, cells) in rows.0.iter_mut().zip(cells.0) {
                *row = vorrq_u16(*row, vshlq_u16(cells, columns));
            }
            rows
        })
    }
    #[inline(always)]
    fn equal(self, row: u16) -> u32 {
        neon!({
            let row = vdupq_n_u16(row);
            Self::bits(self.0.map(|rows| vceqq_u16(rows, row)))
        })
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        neon!({
            let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
            let low = vorrq_u16(veorq_u16(a, e), veorq_u16(b, f));
            is_zero(vorrq_u16(low, vorrq_u16(veorq_u16(c, g), veorq_u16(d, h))))
        })
    }
    #[inline(always)]
    fn occupied(self) -> u32 {
        neon!(Self::bits(self.0.map(|rows| vtstq_u16(rows, rows))))
    }
    /// Looks up the rows that remain in a table of all 32 rows, 64 bytes. The index into the table
    /// grows by one from each removed row on.
    #[inline(always)]
    fn removed(self, mut rows: u32) -> Self {
        neon!({
            const INDEX: [Lane; 2] = [
                Lane([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
                Lane([16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]),
            ];
            let index = [Q::repeat(&INDEX[0]).0, Q::repeat(&INDEX[1]).0];
            let mut from = index;
            let mut gone = 0;
            while rows != 0 {
                // From this row on, one more row below is gone.
                let row = vdupq_n_u8(rows.trailing_zeros() as u8 - gone);
                rows &= rows - 1;
                gone += 1;
                from[0] = vsubq_u8(from[0], vcgeq_u8(index[0], row));
                from[1] = vsubq_u8(from[1], vcgeq_u8(index[1], row));
            }
            // Two bytes for each row; an index from 64 on gives 0.
            let [a, b, c, d] = self.0.map(bytes);
            let all = uint8x16x4_t(a, b, c, d);
            let mut left = self.0;
            for half in 0..2 {
                // Row k is bytes 2 k and 2 k + 1 of the table.
                let low = vshlq_n_u8::<1>(from[half]);
                let high = vorrq_u8(low, vdupq_n_u8(1));
                left[2 * half] = vreinterpretq_u16_u8(vqtbl4q_u8(all, vzip1q_u8(low, high)));
                left[2 * half + 1] = vreinterpretq_u16_u8(vqtbl4q_u8(all, vzip2q_u8(low, high)));
            }
            FourQuarters(left)
        })
    }
    #[inline(always)]
    fn counts(self) -> [Q; 2] {
        let [a, b, c, d] = self.0;
        [counted(a, b), counted(c, d)]
    }
    #[inline(always)]
    fn lower(self) -> TwoHalves {
        columns(self.0[0], self.0[1])
    }
    #[inline(always)]
    fn upper(self) -> TwoHalves {
        columns(self.0[2], self.0[3])
    }
}
