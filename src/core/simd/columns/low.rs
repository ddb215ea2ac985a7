//! Implements [`Columns`] for rows 0 to 15 of all columns, with one register of AVX2.

use std::arch::x86_64::*;

use super::{Columns, ColumnsJob, WIDTH};

/// Runs a job with [`Low`] sets, compiled for AVX2 and its instructions that count bits and zeros.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<J: ColumnsJob>(job: J) -> J::Output {
    job.run::<Low>()
}

/// A set in ten of the sixteen lanes of a 256-bit register, one lane for each column. The other six
/// lanes are zero unless a set was moved: lanes rotate, and there are more spare lanes than columns
/// to move by.
///
/// ```text
/// lane   0 ... 7 | 8 9 | 10 ... 15       16 bits each, row r at bit 15 - r
/// column 0 ... 7 | 8 9 | none
/// ```
#[derive(Clone, Copy)]
struct Low(__m256i);

macro_rules! avx2 {
    ($body:expr) => {{
        // SAFETY: this type is used only below `run`, whose caller owns the level. Loads go through
        // arrays of at least the vector's length, and stores are checked against the room of a
        // list.
        unsafe { $body }
    }};
}

/// Sixteen lanes in aligned memory.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct LowLanes([u16; 16]);

/// Mask of the ten lanes that are columns.
static COLUMNS: LowLanes = {
    let mut lanes = [0; 16];
    let mut column = 0;
    while column < WIDTH {
        lanes[column] = u16::MAX;
        column += 1;
    }
    LowLanes(lanes)
};

/// Byte selectors that move a set by -2 to 2 columns. Each move has one for bytes from the same
/// half of the register, and one for bytes from the other half.
static SHIFTS: [[[u8; 16]; 2]; 8] = {
    // Eight entries, so that no index is out of range.
    let mut shifted = [[[0x80; 16]; 2]; 8];
    let mut way = 0;
    while way < 5 {
        let mut byte = 0;
        while byte < 16 {
            let from = byte as i32 - 2 * (way as i32 - 2);
            let half = if from < 0 || from >= 16 { 1 } else { 0 };
            shifted[way][half][byte] = (from & 15) as u8;
            byte += 1;
        }
        way += 1;
    }
    shifted
};

/// Factors that move a set by -3 to 3 rows up. The moved word is the low half of word x low, or the
/// high half of word x high; the other product is 0.
///
/// ```text
/// entry    -3   -2   -1    0    1     2     3
/// low x     8    4    2    1    0     0     0
/// high x    0    0    0    0   2^15  2^14  2^13        (w x 2^15) >> 16 = w >> 1
/// ```
///
/// AVX2 shifts all words by one number. If that number varies, it takes a branch or a register, but
/// factors are loaded by index.
static UP: [[LowLanes; 2]; 8] = [
    [LowLanes([8; 16]), LowLanes([0; 16])],
    [LowLanes([4; 16]), LowLanes([0; 16])],
    [LowLanes([2; 16]), LowLanes([0; 16])],
    [LowLanes([1; 16]), LowLanes([0; 16])],
    [LowLanes([0; 16]), LowLanes([1 << 15; 16])],
    [LowLanes([0; 16]), LowLanes([1 << 14; 16])],
    [LowLanes([0; 16]), LowLanes([1 << 13; 16])],
    [LowLanes([0; 16]), LowLanes([0; 16])],
];

/// Masks of the rows that a set gains from above if it is seen from -3 to 3 rows below. They stand
/// for the open sky above row 15.
///
/// ```text
/// up      -3..0     1     2     3        moving down by `up` empties the lowest bits, which are
/// bits      0     0b001 0b011 0b111      the highest rows: they stand for rows above 15, all empty
/// ```
static SKY: [LowLanes; 8] = {
    let mut sky = [LowLanes([0; 16]); 8];
    let mut up = 1;
    while up <= 3 {
        let mut column = 0;
        while column < WIDTH {
            sky[3 + up].0[column] = (1 << up) - 1;
            column += 1;
        }
        up += 1;
    }
    sky
};

/// Indices of the set bits of each byte value, lowest first.
///
/// `PLACES[0b0010_0110]` is `[1, 2, 5, 0, ...]`: it lists the columns of a half that have a member,
/// without a loop.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                places[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

impl Low {
    /// Returns the number of set bits of each byte.
    #[inline(always)]
    fn bits(self) -> __m256i {
        avx2!({
            let table = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
            let (table, four) = (_mm256_broadcastsi128_si256(table), _mm256_set1_epi8(15));
            let low = _mm256_shuffle_epi8(table, _mm256_and_si256(self.0, four));
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), four);
            _mm256_add_epi8(low, _mm256_shuffle_epi8(table, high))
        })
    }

    /// Adds the rows of open sky that a set gains from above if it is seen from `up` rows below.
    #[inline(always)]
    fn under_sky(self, up: i32) -> Low {
        let sky = &SKY[(up + 3) as usize & 7];
        avx2!(Low(_mm256_or_si256(self.0, _mm256_load_si256(sky.0.as_ptr().cast()))))
    }

    /// Moves all members `dy` rows up, -3 to 3, by a table of factors.
    #[inline(always)]
    fn up_by(self, dy: i32) -> Low {
        let [low, high] = &UP[(dy + 3) as usize & 7];
        avx2!({
            let low = _mm256_mullo_epi16(self.0, _mm256_load_si256(low.0.as_ptr().cast()));
            let high = _mm256_mulhi_epu16(self.0, _mm256_load_si256(high.0.as_ptr().cast()));
            Low(_mm256_or_si256(low, high))
        })
    }

    /// Moves all members `dx` columns to the right, -2 to 2, by a table of byte selectors.
    #[inline(always)]
    fn right_by(self, dx: i32) -> Low {
        let [own, other] = &SHIFTS[(dx + 2) as usize & 7];
        avx2!({
            // 0x80 selects 0: each shuffle gives 0 for the bytes of the other.
            let own = _mm256_broadcastsi128_si256(_mm_loadu_si128(own.as_ptr().cast()));
            let other = _mm256_broadcastsi128_si256(_mm_loadu_si128(other.as_ptr().cast()));
            let own = _mm256_shuffle_epi8(self.0, own);
            Low(_mm256_or_si256(own, _mm256_shuffle_epi8(self.swapped(), other)))
        })
    }

    /// Returns the register with its halves exchanged.
    #[inline(always)]
    fn swapped(self) -> __m256i {
        avx2!(_mm256_permute2x128_si256::<1>(self.0, self.0))
    }
}

impl Columns for Low {
    const IS_LOW: bool = true;

    #[inline(always)]
    fn load(columns: &[u32; WIDTH]) -> Low {
        let [first @ .., a, b] = columns;
        avx2!({
            let first = _mm256_loadu_si256(first.as_ptr().cast());
            // The upper halves of 32 bits are rows 0 to 15. Packing works on halves; the
            // permutation corrects that.
            let last = _mm256_castsi128_si256(_mm_setr_epi32(*a as i32, *b as i32, 0, 0));
            let last = _mm256_inserti128_si256::<1>(last, _mm_setzero_si128());
            let (first, last) = (_mm256_srli_epi32::<16>(first), _mm256_srli_epi32::<16>(last));
            Low(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(first, last)))
        })
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        let mut lanes = LowLanes([0; 16]);
        avx2!(_mm256_store_si256(lanes.0.as_mut_ptr().cast(), self.0));
        std::array::from_fn(|column| u32::from(lanes.0[column]) << 16)
    }

    #[inline(always)]
    fn rows(rows: u32) -> Low {
        avx2!({
            let columns = _mm256_load_si256(COLUMNS.0.as_ptr().cast());
            Low(_mm256_and_si256(columns, _mm256_set1_epi16((rows >> 16) as i16)))
        })
    }

    #[inline(always)]
    fn and(self, other: Low) -> Low {
        avx2!(Low(_mm256_and_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Low) -> Low {
        avx2!(Low(_mm256_or_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Low) -> Low {
        avx2!(Low(_mm256_andnot_si256(other.0, self.0)))
    }

    #[inline(always)]
    fn plus(self, other: Low) -> Low {
        avx2!(Low(_mm256_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> Low {
        avx2!({
            // With a constant `dx` one branch is left. The swapped halves follow each half, so
            // lanes rotate.
            let shifted = match dx {
                -2 => _mm256_alignr_epi8::<4>(self.swapped(), self.0),
                -1 => _mm256_alignr_epi8::<2>(self.swapped(), self.0),
                1 => _mm256_alignr_epi8::<14>(self.0, self.swapped()),
                2 => _mm256_alignr_epi8::<12>(self.0, self.swapped()),
                _ => self.0,
            };
            Low(match dy {
                0 => shifted,
                up if up > 0 => _mm256_srl_epi16(shifted, _mm_cvtsi32_si128(up)),
                down => _mm256_sll_epi16(shifted, _mm_cvtsi32_si128(-down)),
            })
        })
    }

    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> Low {
        self.up_by(dy).right_by(dx)
    }

    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Low {
        // Rows first, so that the sky is added where columns are before they move sideways.
        let there = self.moved(0, -dy);
        if dy > 0 { there.under_sky(dy).moved(-dx, 0) } else { there.moved(-dx, 0) }
    }

    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Low {
        self.up_by(-dy).under_sky(dy).right_by(-dx)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx2!(_mm256_testz_si256(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn total(sets: &[Low; 4]) -> u32 {
        avx2!({
            let mut sum = _mm256_setzero_si256();
            for set in sets {
                // Bytes suffice: four sets have at most 32 bits in a byte's place.
                sum = _mm256_add_epi8(sum, set.bits());
            }
            let sums = _mm256_sad_epu8(sum, _mm256_setzero_si256());
            let low = _mm256_castsi256_si128(sums);
            let two = _mm_add_epi64(low, _mm256_extracti128_si256::<1>(sums));
            _mm_cvtsi128_si32(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))) as u32
        })
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        let mut len = out.len();
        avx2!({
            let zero = _mm256_setzero_si256();
            let mut set = self.0;
            loop {
                // One bit for each column: packed by halves, columns 8 and 9 are bits 16 and 17.
                let empty = _mm256_packs_epi16(_mm256_cmpeq_epi16(set, zero), zero);
                let some = !_mm256_movemask_epi8(empty) as u32;
                let halves = [some & 255, some >> 16 & 3];
                if halves == [0, 0] {
                    break;
                }
                // From the lowest bit up, a column has one bit for each row up to its highest
                // member.
                let upward = Low(_mm256_or_si256(set, _mm256_sub_epi16(zero, set)));
                let ones = _mm256_set1_epi8(1);
                let rows = _mm256_maddubs_epi16(upward.bits(), ones);
                let rows = _mm256_sub_epi8(_mm256_packus_epi16(rows, rows), ones);
                let rows = [_mm256_castsi256_si128(rows), _mm256_extracti128_si256::<1>(rows)];
                // Whole registers are written, and the next overwrites the excess: hence the room.
                assert!(len + 16 <= out.capacity(), "room for 16 more");
                for half in 0..2 {
                    let places = _mm_loadl_epi64(PLACES[halves[half] as usize].as_ptr().cast());
                    let codes = _mm_unpacklo_epi8(places, _mm_shuffle_epi8(rows[half], places));
                    let base = _mm256_set1_epi32((base + 8 * half as u32) as i32);
                    let codes = _mm256_add_epi32(_mm256_cvtepu16_epi32(codes), base);
                    _mm256_storeu_si256(out.as_mut_ptr().add(len).cast(), codes);
                    len += halves[half].count_ones() as usize;
                }
                // Clears the lowest bit of each column: x & (x - 1), which keeps 0.
                set = _mm256_and_si256(set, _mm256_add_epi16(set, _mm256_set1_epi16(-1)));
            }
            out.set_len(len);
        });
    }
}
