//! Registers of bytes in lanes of sixteen, the columns of boards, and their rows: what the difference
//! kernel is written over.
//!
//! A lane holds one orientation of a piece and a byte of it one column, so that looking up and moving
//! stay inside lanes, which every instruction set can do.

use crate::board::ROWS;

/// One byte for each column, or for each of sixteen rows; aligned, so that loads need not be told apart.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Lane(pub(crate) [u8; 16]);

/// One byte for each column of up to four orientations.
///
/// ```text
/// byte    0 .. 15 | 16 .. 31 | 32 .. 47 | 48 .. 63        byte 16 o + c: orientation o in column c
/// lane       0    |    1     |    2     |    3
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

/// One `i32` for each byte of a block: those of columns 0 to 3 of all lanes, of columns 4 to 7, and so on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct SumBlock(pub(crate) [[i32; 16]; 4]);

/// Sixteen columns from two left of each to five right, as the level's [`Windows`] read them.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Aside(pub(super) [Lane; 16]);

impl Aside {
    pub(crate) const ZERO: Aside = Aside([Lane::ZERO; 16]);

    /// The words of columns 0 to 7, and of 8 to 15, of those that stand so far aside.
    #[inline(always)]
    pub(super) fn beside(&self, column: usize) -> [&Lane; 2] {
        [&self.0[2 * column], &self.0[2 * column + 1]]
    }
    /// The words of columns 0 to 3 and 8 to 11, then of 4 to 7 and 12 to 15. The second are the first of those that
    /// stand four further on.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn by_four(&self, column: usize) -> [&Lane; 2] {
        let at = 3 * (column % 4) + column / 4;
        [&self.0[at], &self.0[at + 1]]
    }
}

impl Lane {
    pub(crate) const ZERO: Lane = Lane([0; 16]);
}

impl Block {
    pub(crate) const ZERO: Block = Block([0; 64]);
}

impl SumBlock {
    /// Where a byte of a block has its sum.
    ///
    /// ```text
    /// byte 16 o + c  ->  [c / 4][4 o + c % 4]
    ///
    /// [0]   c 0-3 of o 0 | c 0-3 of o 1 | c 0-3 of o 2 | c 0-3 of o 3      unpacking bytes to words and words to
    /// [1]   c 4-7 of o 0 | c 4-7 of o 1 | ...                              sums leaves them so, since it stays
    /// [2]   c 8-11 ...                                                     inside lanes: no register is put
    /// [3]   c 12-15 ...                                                    in order again
    /// ```
    pub(crate) fn place(byte: usize) -> (usize, usize) {
        (byte % 16 / 4, byte / 16 * 4 + byte % 4)
    }
}

/// The high word of a placement that is not sound, at most: its sum is far below all others.
///
/// -32,513, and with 1 taken from its high byte 0x7fff, the largest word: a byte of `sound` makes the bound or
/// none. See `kernels::delta::weights` for what sums of other placements are.
pub(super) const UNSOUND: i16 = 0x80ff_u16 as i16;

/// A register of bytes, or several. Arithmetic wraps; a condition is a byte of 0 or 255.
///
/// | instance | lanes | made of | used for |
/// |---|---|---|---|
/// | `Xmm`, `Q` | 1 | a register of SSE or NEON | what is known of a board: a byte for each column or row |
/// | `Ymm` | 2 | a register of AVX2 | I O S Z |
/// | `YmmV`, `YmmM` | 2 | the same at AVX-512, which shifts each word by its own number; with VBMI | I |
/// | `Zmm`, `ZmmM` | 4 | a register of AVX-512; with VBMI | T J L; O S Z, too, where pieces are joined |
/// | `Pair<Ymm>` | 4 | two registers of AVX2 | T J L |
/// | `Pair<Q>`, `Pair<Pair<Q>>` | 2, 4 | two or four registers of NEON | the same |
///
/// As with [`Lanes`](super::Lanes), methods are reached only through [`run`](super::run) and its like.
/// What they mean is written down as arrays in `bytes_array`, which every instance is tested against.
pub(crate) trait Bytes: Copy {
    /// How many lanes: the first of a block.
    const LANES: usize;
    /// A 16-bit word for each byte.
    /// Two registers for one of bytes: columns 0 to 7 of each lane, then 8 to 15.
    type Words: Copy;
    /// An `i32` for each byte.
    /// Four registers for one of bytes, in the order of [`SumBlock`].
    type Sums: Copy;

    /// The same byte everywhere.
    fn splat(value: u8) -> Self;
    /// The lanes of a block from one on.
    fn load_at(from: &Block, lane: usize) -> Self;
    /// Writes the lanes of a block from one on.
    fn store_at(self, to: &mut Block, lane: usize);
    /// The same lane in all.
    ///
    /// ```text
    /// lane         a b c d e ...                    what is known of a board by column serves every orientation:
    /// register     a b c d e ... | a b c d e ...    one load, and all placements look at their own column
    /// ```
    fn repeat(lane: &Lane) -> Self;
    /// Bits that are set in both.
    fn and(self, other: Self) -> Self;
    /// Bits that are set in either.
    fn or(self, other: Self) -> Self;
    /// Bits that are set in one of both alone.
    fn xor(self, other: Self) -> Self;
    /// `self & !other`
    fn without(self, other: Self) -> Self;
    /// The sum modulo 256: all that is counted here stays below.
    fn add(self, other: Self) -> Self;
    /// The difference modulo 256, where [`Bytes::above`] would cut it off at 0.
    fn sub(self, other: Self) -> Self;
    /// The difference, or 0 where that is negative.
    fn above(self, other: Self) -> Self;
    /// The larger of two unsigned bytes.
    fn max(self, other: Self) -> Self;
    /// The smaller of two unsigned bytes.
    fn min(self, other: Self) -> Self;
    /// The mean, rounded up.
    fn mean(self, other: Self) -> Self;
    /// 255 where both are equal, else 0.
    fn equal(self, other: Self) -> Self;
    /// One more where both others are equal.
    #[inline(always)]
    fn plus_equal(self, a: Self, b: Self) -> Self {
        self.sub(a.equal(b))
    }
    /// More by `what` where both others are equal.
    #[inline(always)]
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
        self.add(a.equal(b).and(what))
    }
    /// Where the condition holds `yes`, elsewhere `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Each index below 16 replaced by the byte of its lane of `self`, those from 128 on by 0.
    ///
    /// ```text
    /// self     t0 t1 ... t15 | u0 u1 ... u15       tables by orientation: a lane looks up in its own
    /// index     2  2 ...  0  |  2  7 ...  1
    /// result   t2 t2 ... t0  | u2 u7 ... u1        indices from 16 to 127 are not given: instances differ there
    /// ```
    fn lookup(self, index: Self) -> Self;
    /// Each index below 16 replaced by the byte of its lane of `low`, those from 16 to 31 by that of `high`.
    fn lookup_in_both(low: Self, high: Self, index: Self) -> Self;
    /// The highest bit of each byte: bit 16 o + c, so that the lowest that is set is the first placement.
    fn bits(self) -> u64;

    /// `a[0] * b[0] + a[1] * b[1]`, `a` from 0 to 127 and `b` signed. Not up to 255, since NEON multiplies
    /// signed bytes by signed ones.
    fn products(a: [Self; 2], b: [Self; 2]) -> Self::Words;
    /// Sums of signed words modulo 2^16.
    fn add_words(a: Self::Words, b: Self::Words) -> Self::Words;
    /// A word of each column, the same in all lanes.
    fn repeat_words(from: &[u16; 16]) -> Self::Words;
    /// Words as signed bytes, in the order of columns; -128 or 127 where a word is less or more.
    fn narrow(words: Self::Words) -> Self;
    /// `a[0] * weights[0] + a[1] * weights[1]`, `a` unsigned and the weights signed: bytes in turn, the same for all
    /// columns of a lane, and no sum exceeds a word. A register that is not the first reads its lanes from `lane`
    /// on.
    fn weighed_at(a: [Self; 2], weights: &Block, lane: usize) -> Self::Words;
    /// `high * base + low + start`, `high` at most [`UNSOUND`] where a byte of `sound` is 0 and not 1.
    fn sums_at(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        sound: Self,
        start: &SumBlock,
        lane: usize,
    ) -> Self::Sums;
    /// The largest sum in the place of each, so that it can be compared with all of them where it is.
    fn largest(sums: Self::Sums) -> Self;
    /// The sums that are less, the least number in the place of the others.
    fn only_less(sums: Self::Sums, than: Self) -> Self::Sums;
    /// The first `i32`: of what [`Bytes::largest`] found, that number.
    fn number(self) -> i32;
    /// Each `i32` less by some.
    fn lowered(self, by: i32) -> Self;
    /// The highest bit of the bytes whose sums are less.
    fn less(sums: Self::Sums, than: Self) -> Self;
    /// The sums of the lanes from one on.
    fn load_sums_at(from: &SumBlock, lane: usize) -> Self::Sums;
    /// Writes them.
    fn store_sums_at(sums: Self::Sums, to: &mut SumBlock, lane: usize);

    /// The first lanes of a block.
    #[inline(always)]
    fn load(from: &Block) -> Self {
        Self::load_at(from, 0)
    }
    /// Writes the first lanes of a block.
    #[inline(always)]
    fn store(self, to: &mut Block) {
        self.store_at(to, 0);
    }
    /// As [`Bytes::weighed_at`], with the weights of the first lanes.
    #[inline(always)]
    fn weighed(a: [Self; 2], weights: &Block) -> Self::Words {
        Self::weighed_at(a, weights, 0)
    }
    /// As [`Bytes::sums_at`], starting from the sums of the first lanes.
    #[inline(always)]
    fn sums(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        sound: Self,
        start: &SumBlock,
    ) -> Self::Sums {
        Self::sums_at(high, low, base, sound, start, 0)
    }
    /// One bit for each sum that is no less, of bytes that are no placements maybe too.
    #[inline(always)]
    fn at_least(sums: Self::Sums, least: Self) -> u64 {
        !Self::less(sums, least).bits() & (u64::MAX >> (64 - 16 * Self::LANES))
    }
    /// Writes the sums of the first lanes.
    #[inline(always)]
    fn store_sums(sums: Self::Sums, to: &mut SumBlock) {
        Self::store_sums_at(sums, to, 0);
    }
}

/// What each placement sees of the columns around it.
pub(crate) trait Windows: Bytes {
    /// Made of rows, to move words by.
    type Shift: Copy;

    /// Makes rows of 0 to 12 ready to move words by.
    fn shift(rows: Self) -> Self::Shift;
    /// Four rows from a row on of the column that stands beside each: 0 is the second on its left, 2 its own, 7 the
    /// fifth on its right.
    ///
    /// ```text
    /// word of column c    .... .... ...d cba. ....      rows r to r + 3 at bits r to r + 3
    /// byte of column c                   0000 dcba      whatever its orientation's r is
    /// ```
    fn window(aside: &Aside, column: usize, from: Self::Shift) -> Self;
}

/// Registers that may stand side by side in twos.
///
/// What a pair finds over both is not what each finds alone: the largest sum, and the bits of a condition.
pub(crate) trait Half: Bytes {
    /// The larger of each two sums.
    fn larger(a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// The highest bits of both.
    #[inline(always)]
    fn bits_of_both(a: Self, b: Self) -> u64 {
        a.bits() | b.bits() << (16 * Self::LANES)
    }
}

/// One lane: what is known of a board, a byte for each column or row.
pub(crate) trait OneLane: Bytes {
    /// Sixteen bytes from memory.
    #[inline(always)]
    fn load_lane(from: &Lane) -> Self {
        Self::repeat(from)
    }
    /// Writes its sixteen bytes.
    fn store_lane(self, to: &mut Lane);
    /// What lies `D` bytes further on, from `beyond` past the last; `D` up to 15.
    ///
    /// ```text
    /// self        a b c d ... p       next::<1>(beyond)    b c d ... p A     the right neighbour of each column
    /// beyond      A B C ...           zero.next::<15>(self)  0 a b c ... o   the left neighbour, 0 at the wall
    /// ```
    fn next<const D: i32>(self, beyond: Self) -> Self;
    /// How far two unsigned bytes are apart.
    ///
    /// One of both differences is cut off at 0, so that the other stands in the or.
    #[inline(always)]
    fn abs_difference(self, other: Self) -> Self {
        self.above(other).or(other.above(self))
    }
    /// For each row from 0 to 12, four rows of a word from it on.
    fn window_of(word: u16, rows: Self) -> Self;
}

/// All rows of a board.
///
/// Row r is word r, bit c its column c, as `board` has it.
pub(crate) trait Rows: Copy {
    /// Its columns, sixteen rows at a time.
    type Words: Words;
    /// All rows from memory, row 0 first.
    fn load(from: &[u16; ROWS]) -> Self;
    /// Writes all rows, row 0 first.
    fn store(self, to: &mut [u16; ROWS]);
    /// With cells that are given as rows, moved right by some columns.
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self;
    /// The rows that are equal to one, a bit for each.
    fn equal(self, row: u16) -> u32;
    /// Whether all rows are the same.
    fn same(self, other: Self) -> bool;
    /// The rows that have cells.
    fn occupied(self) -> u32;
    /// Without some rows, those above moved down and empty ones added at the top.
    ///
    /// ```text
    /// rows     a b c d e ...     row 0 first
    /// without  0b00110           rows 1 and 2
    /// left     a d e ... . .
    /// ```
    fn removed(self, rows: u32) -> Self;
    /// The cells in each row: rows 0 to 15, then 16 to 31.
    fn counts(self) -> [<Self::Words as Words>::Lane; 2];
    /// The columns of rows 0 to 15: rows and columns exchanged, bit r of word c is bit c of row r.
    fn lower(self) -> Self::Words;
    /// The columns of rows 16 to 31.
    fn upper(self) -> Self::Words;
}

/// Sixteen rows of sixteen columns, a word for each column: bit r is row r.
pub(crate) trait Words: Copy {
    /// A byte for each column: heights and conditions.
    type Lane: OneLane;
    /// Numbers of bits, a byte for each eight rows.
    type Counts: Copy;
    /// The same rows in every column.
    fn splat(column: u16) -> Self;
    /// Sixteen columns from memory, the leftmost first.
    fn load(from: &[u16; 16]) -> Self;
    /// Writes the columns, the leftmost first.
    fn store(self, to: &mut [u16; 16]);
    /// Cells that are set in both.
    fn and(self, other: Self) -> Self;
    /// Cells that are set in either.
    fn or(self, other: Self) -> Self;
    /// Cells that are set in one of both alone: between neighbours, the transitions.
    fn xor(self, other: Self) -> Self;
    /// `self & !other`
    fn without(self, other: Self) -> Self;
    /// Everything `N` rows up; what leaves row 15 is lost, and what comes in at row 0 is empty.
    fn up<const N: i32>(self) -> Self;
    /// Everything `N` rows down.
    fn down<const N: i32>(self) -> Self;
    /// Each column in the place of the one on its left, a wall in the last: what stands on the right of each.
    fn right_neighbour(self) -> Self;
    /// Each column in the place of the one on its right, a wall in the first: what stands on the left of each.
    fn left_neighbour(self) -> Self;
    /// In each column the bits from the lowest that is set on.
    ///
    /// `x | -x`: the negative of a number has its lowest bit and, above it, the opposite of all its bits.
    fn upward(self) -> Self;
    /// All rows of the columns that have none, no row of the others: as a condition of a word for each column.
    fn whole_if_empty(self) -> Self;
    /// The bits of each column.
    ///
    /// How many there are: of columns filled down that is the height.
    fn heights(self) -> Self::Lane;
    /// 255 for the columns of which a condition holds.
    fn condition(self) -> Self::Lane;
    /// Rows that have a bit in any column.
    fn any_column(self) -> u16;
    /// Whether no cell is set.
    fn is_empty(self) -> bool;
    /// How many cells are set, for each eight rows of each column.
    fn counts(self) -> Self::Counts;
    /// Sums of counts; as bytes, so that at most 31 of them may be added.
    fn add_counts(a: Self::Counts, b: Self::Counts) -> Self::Counts;
    /// Four totals, over all columns and rows.
    /// Together, since the sums over bytes and lanes of four cost little more than those of one.
    fn totals(counts: [Self::Counts; 4]) -> [i64; 4];
    /// The words of columns 0 to 7, and of 8 to 15.
    fn halves(self) -> [Self::Lane; 2];
    /// Columns moved, from two left of each to five right, walls outside.
    #[inline(always)]
    fn aside(self, to: &mut Aside) {
        in_order(self, to);
    }
}

/// [`Words::aside`] by columns 0 to 7 and 8 to 15.
#[inline(always)]
pub(super) fn in_order<W: Words>(words: W, to: &mut Aside) {
    let [low, high] = words.halves();
    let wall = W::Lane::splat(u8::MAX);
    let to = &mut to.0;
    // Words are two bytes: 12 bytes further on in walls and then columns are two columns back.
    wall.next::<12>(low).store_lane(&mut to[0]);
    low.next::<12>(high).store_lane(&mut to[1]);
    wall.next::<14>(low).store_lane(&mut to[2]);
    low.next::<14>(high).store_lane(&mut to[3]);
    low.store_lane(&mut to[4]);
    high.store_lane(&mut to[5]);
    low.next::<2>(high).store_lane(&mut to[6]);
    high.next::<2>(wall).store_lane(&mut to[7]);
    low.next::<4>(high).store_lane(&mut to[8]);
    high.next::<4>(wall).store_lane(&mut to[9]);
    low.next::<6>(high).store_lane(&mut to[10]);
    high.next::<6>(wall).store_lane(&mut to[11]);
    low.next::<8>(high).store_lane(&mut to[12]);
    high.next::<8>(wall).store_lane(&mut to[13]);
    low.next::<10>(high).store_lane(&mut to[14]);
    high.next::<10>(wall).store_lane(&mut to[15]);
}
