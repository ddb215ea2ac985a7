//! Bytes, rows and columns on x86-64: AVX2, and AVX-512 with what it has in place of several
//! instructions.

use std::arch::x86_64::*;

use super::bytes::{Block, Bytes, Lane, OneLane, SumBlock};

/// Runs intrinsics of the level.
macro_rules! x86 {
    ($body:expr) => {{
        // SAFETY: these types are used only below entry points that own a level that has them, so the
        // CPU does too. Loads and stores go through arrays of at least the register's length.
        unsafe { $body }
    }};
}
pub(super) use x86;

/// A lane.
#[derive(Clone, Copy)]
pub(crate) struct Xmm(pub(super) __m128i);

/// Two lanes.
#[derive(Clone, Copy)]
pub(crate) struct Ymm(pub(super) __m256i);

/// Two lanes where words can be moved each by its own number of rows.
#[derive(Clone, Copy)]
pub(crate) struct YmmV(__m256i);

/// 2^(12 - r) for each row r, low bytes and high bytes: words times this have row r at bit 12.
const FACTORS: [Lane; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut row = 0;
    while row <= 12 {
        let factor = 1u16 << (12 - row);
        (low[row], high[row]) = (factor as u8, (factor >> 8) as u8);
        row += 1;
    }
    [Lane(low), Lane(high)]
};

/// Operations that have the same shape for every length of register.
macro_rules! common {
    (
        $splat:ident, $and:ident, $or:ident, $xor:ident, $andnot:ident, $add:ident, $sub:ident,
        $subs:ident, $max:ident, $min:ident, $shuffle:ident, $low:ident, $high:ident, $madd8:ident,
        $add16:ident, $packs:ident
    ) => {
        type Words = [Self; 2];

        #[inline(always)]
        fn splat(value: u8) -> Self {
            x86!(Self($splat(value as i8)))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            x86!(Self($and(self.0, other.0)))
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            x86!(Self($or(self.0, other.0)))
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            x86!(Self($xor(self.0, other.0)))
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            x86!(Self($andnot(other.0, self.0)))
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            x86!(Self($add(self.0, other.0)))
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            x86!(Self($sub(self.0, other.0)))
        }
        #[inline(always)]
        fn above(self, other: Self) -> Self {
            x86!(Self($subs(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            x86!(Self($max(self.0, other.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            x86!(Self($min(self.0, other.0)))
        }
        #[inline(always)]
        fn lookup(self, index: Self) -> Self {
            x86!(Self($shuffle(self.0, index.0)))
        }
        #[inline(always)]
        fn products(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
            x86!([
                Self($madd8($low(a[0].0, a[1].0), $low(b[0].0, b[1].0))),
                Self($madd8($high(a[0].0, a[1].0), $high(b[0].0, b[1].0))),
            ])
        }
        #[inline(always)]
        fn add_words(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
            x86!([Self($add16(a[0].0, b[0].0)), Self($add16(a[1].0, b[1].0))])
        }
        #[inline(always)]
        fn narrow(words: [Self; 2]) -> Self {
            x86!(Self($packs(words[0].0, words[1].0)))
        }
        #[inline(always)]
        fn weighed(a: [Self; 2], weights: &[Block; 2]) -> [Self; 2] {
            let (low, high) = (Self::load(&weights[0]), Self::load(&weights[1]));
            x86!([
                Self($madd8($low(a[0].0, a[1].0), low.0)),
                Self($madd8($high(a[0].0, a[1].0), high.0)),
            ])
        }
    };
}
pub(super) use common;

/// Words moved by multiplication, and summed up by pairs: all levels but those that shift each word
/// by its own.
macro_rules! by_factors {
    () => {
        type Shift = [Self; 2];

        #[inline(always)]
        fn shift(rows: Self) -> [Self; 2] {
            let low = Self::repeat(&FACTORS[0]).lookup(rows);
            let high = Self::repeat(&FACTORS[1]).lookup(rows);
            low.unpacked(high)
        }
        #[inline(always)]
        fn window(words: &[Lane; 2], from: [Self; 2]) -> Self {
            let low = Self::repeat(&words[0]).times(from[0]);
            let high = Self::repeat(&words[1]).times(from[1]);
            Self::top_four(low, high)
        }
    };
}

/// Words moved each by its own number of rows.
macro_rules! by_shifts {
    () => {
        type Shift = [Self; 2];

        #[inline(always)]
        fn shift(rows: Self) -> [Self; 2] {
            let left = Self::splat(12).sub(rows);
            left.unpacked(Self::splat(0))
        }
        #[inline(always)]
        fn window(words: &[Lane; 2], from: [Self; 2]) -> Self {
            let low = Self::repeat(&words[0]).moved_up(from[0]);
            let high = Self::repeat(&words[1]).moved_up(from[1]);
            Self::top_four(low, high)
        }
    };
}
pub(super) use by_shifts;

/// What lies below all sums that count, as the high digits' word; and above all.
macro_rules! sums {
    ($start:ident, $low8:ident, $high8:ident, $low16:ident, $high16:ident, $min16:ident, $madd16:ident, $set32:ident,
     $add32:ident, $len:expr, $sub32:ident, $max32:ident, $packs32:ident, $packs16:ident, $bits:ident, $number:ident) => {
        type Sums = [Self; 4];

        #[inline(always)]
        fn sums(
            high: [Self; 2],
            low: [Self; 2],
            base: i16,
            sound: Self,
            start: &SumBlock,
        ) -> [Self; 4] {
            let bound = Self::splat(0x80).sub(sound);
            let all = Self::splat(0xff);
            x86!({
                let a = $min16(high[0].0, $low8(all.0, bound.0));
                let b = $min16(high[1].0, $high8(all.0, bound.0));
                let digits = $set32(1 << 16 | i32::from(base));
                let [c, d] = [low[0].0, low[1].0];
                let words = [$low16(a, c), $high16(a, c), $low16(b, d), $high16(b, d)];
                // A loop: closures around intrinsics are not compiled for the level.
                let mut sums = [Self::splat(0); 4];
                for k in 0..4 {
                    let from: &[i32] = &start.0[k][..$len];
                    let from = $start(from.as_ptr().cast());
                    sums[k] = Self($add32($madd16(words[k], digits), from));
                }
                sums
            })
        }
        #[inline(always)]
        fn largest(sums: [Self; 4]) -> Self {
            let two = x86!([$max32(sums[0].0, sums[1].0), $max32(sums[2].0, sums[3].0)]);
            Self(x86!($max32(two[0], two[1]))).largest_in_all()
        }
        #[inline(always)]
        fn number(self) -> i32 {
            x86!($number(self.0))
        }
        #[inline(always)]
        fn lowered(self, by: i32) -> Self {
            x86!(Self($sub32(self.0, $set32(by))))
        }
        #[inline(always)]
        fn at_least(sums: [Self; 4], least: Self) -> u64 {
            let mut less = sums;
            for one in &mut less {
                one.0 = x86!($sub32(one.0, least.0));
            }
            // Signs survive saturation.
            x86!({
                let low = $packs32(less[0].0, less[1].0);
                let high = $packs32(less[2].0, less[3].0);
                u64::from(!(Self($packs16(low, high)).bits() as $bits))
            })
        }
        #[inline(always)]
        fn load_sums(from: &SumBlock) -> [Self; 4] {
            let mut sums = [Self::splat(0); 4];
            for (sum, four) in sums.iter_mut().zip(&from.0) {
                let four: &[i32] = &four[..$len];
                *sum = x86!(Self($start(four.as_ptr().cast())));
            }
            sums
        }
    };
}
pub(super) use sums;

impl Bytes for Xmm {
    common!(
        _mm_set1_epi8,
        _mm_and_si128,
        _mm_or_si128,
        _mm_xor_si128,
        _mm_andnot_si128,
        _mm_add_epi8,
        _mm_sub_epi8,
        _mm_subs_epu8,
        _mm_max_epu8,
        _mm_min_epu8,
        _mm_shuffle_epi8,
        _mm_unpacklo_epi8,
        _mm_unpackhi_epi8,
        _mm_maddubs_epi16,
        _mm_add_epi16,
        _mm_packs_epi16
    );
    by_factors!();
    sums!(
        _mm_loadu_si128,
        _mm_unpacklo_epi8,
        _mm_unpackhi_epi8,
        _mm_unpacklo_epi16,
        _mm_unpackhi_epi16,
        _mm_min_epi16,
        _mm_madd_epi16,
        _mm_set1_epi32,
        _mm_add_epi32,
        4,
        _mm_sub_epi32,
        _mm_max_epi32,
        _mm_packs_epi32,
        _mm_packs_epi16,
        u16,
        _mm_cvtsi128_si32
    );

    #[inline(always)]
    fn load(from: &Block) -> Xmm {
        x86!(Xmm(_mm_load_si128(from.0.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        x86!(_mm_store_si128(to.0.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn repeat(lane: &Lane) -> Xmm {
        Xmm::load_lane(lane)
    }
    #[inline(always)]
    fn equal(self, other: Xmm) -> Xmm {
        x86!(Xmm(_mm_cmpeq_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn plus_equal(self, a: Self, b: Self) -> Self {
        self.sub(a.equal(b))
    }
    #[inline(always)]
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
        self.add(a.equal(b).and(what))
    }
    #[inline(always)]
    fn select(self, yes: Xmm, no: Xmm) -> Xmm {
        x86!(Xmm(_mm_blendv_epi8(no.0, yes.0, self.0)))
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        x86!(u64::from(_mm_movemask_epi8(self.0) as u16))
    }
    #[inline(always)]
    fn store_sums(sums: [Xmm; 4], to: &mut SumBlock) {
        for (sum, four) in sums.into_iter().zip(&mut to.0) {
            let four: &mut [i32] = &mut four[..4];
            x86!(_mm_storeu_si128(four.as_mut_ptr().cast(), sum.0));
        }
    }
}

impl Xmm {
    /// The largest `i32` in the place of each.
    #[inline(always)]
    fn largest_in_all(self) -> Xmm {
        x86!({
            let two = _mm_max_epi32(self.0, _mm_shuffle_epi32::<0b01_00_11_10>(self.0));
            Xmm(_mm_max_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
        })
    }
    #[inline(always)]
    fn unpacked(self, other: Xmm) -> [Xmm; 2] {
        x86!([Xmm(_mm_unpacklo_epi8(self.0, other.0)), Xmm(_mm_unpackhi_epi8(self.0, other.0))])
    }
    #[inline(always)]
    fn times(self, other: Xmm) -> Xmm {
        x86!(Xmm(_mm_mullo_epi16(self.0, other.0)))
    }
    #[inline(always)]
    fn top_four(low: Xmm, high: Xmm) -> Xmm {
        x86!(Xmm(_mm_packus_epi16(_mm_srli_epi16::<12>(low.0), _mm_srli_epi16::<12>(high.0))))
    }
}

impl OneLane for Xmm {
    #[inline(always)]
    fn load_lane(from: &Lane) -> Xmm {
        x86!(Xmm(_mm_load_si128(from.0.as_ptr().cast())))
    }
    #[inline(always)]
    fn store_lane(self, to: &mut Lane) {
        x86!(_mm_store_si128(to.0.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn next<const D: i32>(self, beyond: Xmm) -> Xmm {
        x86!(Xmm(_mm_alignr_epi8::<D>(beyond.0, self.0)))
    }
    #[inline(always)]
    fn abs_difference(self, other: Xmm) -> Xmm {
        self.above(other).or(other.above(self))
    }
    #[inline(always)]
    fn splat_word(word: u16) -> Xmm {
        x86!(Xmm(_mm_set1_epi16(word as i16)))
    }
}

/// What both kinds of two lanes share.
macro_rules! two_lanes {
    ($name:ident, $moves:ident) => {
        impl Bytes for $name {
            common!(
                _mm256_set1_epi8,
                _mm256_and_si256,
                _mm256_or_si256,
                _mm256_xor_si256,
                _mm256_andnot_si256,
                _mm256_add_epi8,
                _mm256_sub_epi8,
                _mm256_subs_epu8,
                _mm256_max_epu8,
                _mm256_min_epu8,
                _mm256_shuffle_epi8,
                _mm256_unpacklo_epi8,
                _mm256_unpackhi_epi8,
                _mm256_maddubs_epi16,
                _mm256_add_epi16,
                _mm256_packs_epi16
            );
            $moves!();
            sums!(
                _mm256_loadu_si256,
                _mm256_unpacklo_epi8,
                _mm256_unpackhi_epi8,
                _mm256_unpacklo_epi16,
                _mm256_unpackhi_epi16,
                _mm256_min_epi16,
                _mm256_madd_epi16,
                _mm256_set1_epi32,
                _mm256_add_epi32,
                8,
                _mm256_sub_epi32,
                _mm256_max_epi32,
                _mm256_packs_epi32,
                _mm256_packs_epi16,
                u32,
                _mm256_cvtsi256_si32
            );

            #[inline(always)]
            fn load(from: &Block) -> Self {
                x86!(Self(_mm256_load_si256(from.0.as_ptr().cast())))
            }
            #[inline(always)]
            fn store(self, to: &mut Block) {
                x86!(_mm256_store_si256(to.0.as_mut_ptr().cast(), self.0));
            }
            #[inline(always)]
            fn repeat(lane: &Lane) -> Self {
                x86!(Self(_mm256_broadcastsi128_si256(_mm_load_si128(lane.0.as_ptr().cast()))))
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                x86!(Self(_mm256_cmpeq_epi8(self.0, other.0)))
            }
            #[inline(always)]
            fn plus_equal(self, a: Self, b: Self) -> Self {
                self.sub(a.equal(b))
            }
            #[inline(always)]
            fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
                self.add(a.equal(b).and(what))
            }
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                x86!(Self(_mm256_blendv_epi8(no.0, yes.0, self.0)))
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                x86!(u64::from(_mm256_movemask_epi8(self.0) as u32))
            }
            #[inline(always)]
            fn store_sums(sums: [Self; 4], to: &mut SumBlock) {
                for (sum, four) in sums.into_iter().zip(&mut to.0) {
                    let four: &mut [i32] = &mut four[..8];
                    x86!(_mm256_storeu_si256(four.as_mut_ptr().cast(), sum.0));
                }
            }
        }

        impl $name {
            /// The largest `i32` in the place of each.
            #[inline(always)]
            fn largest_in_all(self) -> Self {
                x86!({
                    let all = _mm256_permute2x128_si256::<1>(self.0, self.0);
                    let four = _mm256_max_epi32(self.0, all);
                    let two = _mm256_max_epi32(four, _mm256_shuffle_epi32::<0b01_00_11_10>(four));
                    Self(_mm256_max_epi32(two, _mm256_shuffle_epi32::<0b10_11_00_01>(two)))
                })
            }
            #[inline(always)]
            pub(super) fn unpacked(self, other: Self) -> [Self; 2] {
                x86!([
                    Self(_mm256_unpacklo_epi8(self.0, other.0)),
                    Self(_mm256_unpackhi_epi8(self.0, other.0)),
                ])
            }
            #[inline(always)]
            fn top_four(low: Self, high: Self) -> Self {
                x86!(Self(_mm256_packus_epi16(
                    _mm256_srli_epi16::<12>(low.0),
                    _mm256_srli_epi16::<12>(high.0)
                )))
            }
        }
    };
}

two_lanes!(Ymm, by_factors);
two_lanes!(YmmV, by_shifts);

impl Ymm {
    #[inline(always)]
    fn times(self, other: Ymm) -> Ymm {
        x86!(Ymm(_mm256_mullo_epi16(self.0, other.0)))
    }
}

impl YmmV {
    #[inline(always)]
    fn moved_up(self, by: YmmV) -> YmmV {
        x86!(YmmV(_mm256_sllv_epi16(self.0, by.0)))
    }
}
