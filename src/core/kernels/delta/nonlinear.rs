//! Computes the changes of features that are no products of counts and weights: the other kinds of
//! wells, and features of the heights that are not linear.
//!
//! Most of them are sums over the columns, in which a column's part depends on its own cells and
//! those of its two neighbours. The parts of w + 2 columns, before and after a piece that is w
//! columns wide, are computed for the sixteen placements of one orientation at once.
//!
//! ```text
//! around            c-2 c-1  c  c+1 c+2 c+3      J, upright: its own columns are c and c + 1
//! changed columns        *   *   *   *           each with the columns on its left and right
//! ```
//!
//! The weighted changes are added to the constants of the placements, so that the search for the
//! best placement need not know of them.

use std::marker::PhantomData;

use super::Delta;
use super::board::{Tables, WalledColumns};
use super::counts::PieceCounts;
use super::exact::extend_down;
use super::shape::Shape;
use super::weights::{LANDING_ROW, round};
use crate::board::{BoardSize, MAX_WIDTH, ROWS};
use crate::features::rbf_of;
use crate::simd::{
    self, AllRows, Block, Blocks, BoardJob, Bytes, ColumnCells, Lane, OneLane, Rows, Words, u8x16,
};

/// Largest number of nonlinear features in a score, of which five are radial basis functions.
pub(super) const MAX_NONLINEAR: usize = 16;

/// Number of binary places of the rounded weights of nonlinear features.
const FRACTION_BITS: u32 = 4;
/// Largest rounded score change by nonlinear features that is sure to fit an `i32`.
const MOST: f64 = (1 << (30 - FRACTION_BITS)) as f64;
const INELIGIBLE: i32 = -1 << 29;
/// Height of the wall beside the board, greater than that of any column.
const WALL_HEIGHT: u8 = 63;

type Sixteen = [i16; MAX_WIDTH];

/// Feature, or part of a feature, that does not change in proportion to counts of board changes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum NonlinearTerm {
    FloorCells,
    TopCells,
    LowestHeight,
    ColumnSums,
    Rbf(usize),
    WellsByHeight,
    WellsSquared,
    WellsGuide,
    WellsOpen,
    WellsOpenRestart,
    WellsFast,
    WellCells,
}

impl NonlinearTerm {
    fn max_change(self) -> i64 {
        match self {
            NonlinearTerm::FloorCells | NonlinearTerm::TopCells => 4,
            NonlinearTerm::LowestHeight => ROWS as i64,
            NonlinearTerm::ColumnSums => 4 * ROWS as i64,
            NonlinearTerm::Rbf(_) => 10_000,
            NonlinearTerm::WellsSquared => 6 * 28 * 28,
            // Six columns of 28 rows.
            _ => 6 * 28 * 29 / 2,
        }
    }
}

struct WeightedTerm {
    kind: NonlinearTerm,
    weight: i64,
    rounded: i32,
    table: Vec<i16>,
}

#[derive(Default)]
pub(super) struct NonlinearTerms {
    terms: Vec<WeightedTerm>,
}

impl NonlinearTerms {
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub(super) fn add(&mut self, kind: NonlinearTerm, weight: i64) {
        match self.terms.iter_mut().find(|term| term.kind == kind) {
            Some(term) => term.weight += weight,
            None => self.terms.push(WeightedTerm { kind, weight, rounded: 0, table: Vec::new() }),
        }
    }

    /// Returns true if scores by nonlinear features fit an `i32` with weights multiplied by
    /// `scale`.
    pub(super) fn fit(&self, scale: f64) -> bool {
        let most =
            |term: &WeightedTerm| term.weight.abs() as f64 * scale * term.kind.max_change() as f64;
        self.terms.iter().map(most).sum::<f64>() <= MOST
    }

    pub(super) fn max_error(&self, scale: f64) -> f64 {
        let error = |term: &WeightedTerm| {
            let exact = term.weight as f64 * scale;
            let unit = f64::from(1 << FRACTION_BITS);
            let part = (exact - round(term.weight, scale * unit) as f64 / unit).abs();
            let error = part * term.kind.max_change() as f64;
            // Products lose their fraction.
            if exact.fract() == 0.0 { error } else { error + 1.0 }
        };
        self.terms.iter().map(error).sum()
    }

    pub(super) fn min_eligible(&self) -> Option<i32> {
        (!self.is_empty()).then_some(INELIGIBLE / 2)
    }

    pub(super) fn round(&mut self, size: BoardSize, scale: f64) {
        let (width, height) = (size.width(), size.height());
        for term in &mut self.terms {
            term.rounded = round(term.weight, scale * f64::from(1 << FRACTION_BITS)) as i32;
            if let NonlinearTerm::Rbf(i) = term.kind {
                let value = |sum| rbf_of(sum, width, height, i) as i16;
                term.table = (0..=(width * ROWS) as i32).map(value).collect();
            }
        }
    }

    pub(super) fn exact(&self, tables: &Tables, lane: usize) -> i64 {
        let part =
            |(term, changes): (&WeightedTerm, &[i16; 64])| term.weight * i64::from(changes[lane]);
        self.terms.iter().zip(&tables.nonlinear).map(part).sum()
    }
}

#[inline(always)]
pub(super) fn measure_nonlinear<S: Blocks, V: Bytes<S>>(
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    placed: &PieceCounts<V>,
) {
    let (mut landing, mut eligible) = (Block::ZERO, Block::ZERO);
    placed.counts[LANDING_ROW].store(&mut landing);
    placed.eligible.store(&mut eligible);
    measure_terms(MeasureJob { delta, tables, shape, landing: &landing, eligible: &eligible });
}

/// Evaluates `$found` with `$Sum` as the type of the feature `$kind`, if this feature is a sum over
/// columns.
macro_rules! for_column_sum {
    ($kind:expr, $Sum:ident => $found:expr; $($Of:ident)+) => {
        match $kind {
            $(NonlinearTerm::$Of => {
                type $Sum = $Of;
                Some($found)
            })+
            _ => None,
        }
    };
    ($kind:expr, $Sum:ident => $found:expr) => {
        for_column_sum!(
            $kind, $Sum => $found; ColumnSums WellsByHeight WellsSquared WellsGuide WellsOpen
            WellsOpenRestart WellsFast WellCells
        )
    };
}

#[cold]
#[inline(never)]
fn measure_terms(mut job: MeasureJob) {
    let (delta, height) = (job.delta, job.delta.size.height());
    for (k, term) in delta.nonlinear.terms.iter().enumerate() {
        match term.kind {
            NonlinearTerm::FloorCells => job.measure_row(k, |_| (0, 0)),
            NonlinearTerm::TopCells => job.measure_row(k, |rows| (height - rows, rows - 1)),
            NonlinearTerm::Rbf(_) => job.measure_rbf(k, &term.table),
            NonlinearTerm::LowestHeight => {
                simd::run(delta.level, LowestJob { job: &mut job, k });
            }
            kind => {
                for_column_sum!(
                    kind, C => simd::run(delta.level, ColumnsJob::<C>::new(&mut job, k))
                );
            }
        }
    }
    simd::run(delta.level, job);
}

#[cold]
#[inline(never)]
pub(super) fn nonlinear_score(delta: &Delta, rows: &[u16; ROWS]) -> i64 {
    let heights = || simd::run(delta.level, HeightsJob(rows)).unwrap_or([0; 16]);
    let mut score = 0;
    for term in &delta.nonlinear.terms {
        let raw = match term.kind {
            NonlinearTerm::FloorCells => rows[0].count_ones() as i16,
            NonlinearTerm::TopCells => {
                // Rows above the board are measured up to the highest with cells.
                let above = rows[delta.size.height()..].iter().rev().find(|&&cells| cells != 0);
                above.unwrap_or(&rows[delta.size.height() - 1]).count_ones() as i16
            }
            NonlinearTerm::LowestHeight => {
                heights()[..delta.size.width()].iter().copied().min().unwrap_or(0).into()
            }
            NonlinearTerm::Rbf(_) => {
                term.table[heights().iter().map(|&height| height as usize).sum::<usize>()]
            }
            kind => {
                let sum = for_column_sum!(
                    kind, C => simd::run(delta.level, SumJob::<C>::new(delta, rows))
                );
                sum.flatten().unwrap_or(0)
            }
        };
        score += term.weight * i64::from(raw);
    }
    score
}

#[inline(always)]
fn sixteen<T>(all: &[T], at: usize) -> &[T; 16] {
    // Always in range; `unreachable` is for the compiler.
    all.get(at..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}

#[inline(always)]
fn column<S: Blocks, T: ColumnCells<S>>(simd: S, [low, high]: &[WalledColumns; 2], at: usize) -> T {
    T::load_both(simd, low.from(at as isize - 2), high.from(at as isize - 2))
}

/// Returns the `cells` of one column of a piece, moved up to the landing row of each placement.
#[inline(always)]
fn lift_cells<S: Blocks, T: ColumnCells<S>>(simd: S, cells: u16, bits: [&[u16; 16]; 2]) -> T {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    for c in 0..16 {
        let over = ((u32::from(cells) * u32::from(bits[0][c])) >> 16) as u16;
        low[c] = cells.wrapping_mul(bits[0][c]);
        high[c] = cells.wrapping_mul(bits[1][c]) | over;
    }
    T::load_both(simd, &low, &high)
}

#[inline(always)]
fn windows_of_heights<S: Blocks>(delta: &Delta, heights: u8x16<S>) -> [u8x16<S>; 8] {
    let simd = heights.simd();
    let wall = u8x16::splat(simd, WALL_HEIGHT);
    let walls = Words::load(simd, &delta.masks.walls);
    let h = heights.or(wall.and(walls.condition()));
    [
        wall.next::<14>(h),
        wall.next::<15>(h),
        h,
        h.next::<1>(wall),
        h.next::<2>(wall),
        h.next::<3>(wall),
        h.next::<4>(wall),
        h.next::<5>(wall),
    ]
}

struct HeightsJob<'a>(&'a [u16; ROWS]);

impl BoardJob for HeightsJob<'_> {
    type Output = [u8; 16];

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> [u8; 16] {
        let rows = Rows::load(simd, self.0);
        let mut heights = Lane::ZERO;
        AllRows(rows.lower(), rows.upper()).filled_down().heights().store_lane(&mut heights);
        heights.0
    }
}

struct SumJob<'a, C> {
    delta: &'a Delta,
    rows: &'a [u16; ROWS],
    sum: PhantomData<C>,
}

impl<'a, C: ColumnSum> SumJob<'a, C> {
    fn new(delta: &'a Delta, rows: &'a [u16; ROWS]) -> Self {
        SumJob { delta, rows, sum: PhantomData }
    }

    #[inline(always)]
    fn sum<S: Blocks, T: ColumnCells<S>>(self, cells: T, stack: usize) -> i16 {
        let simd = cells.simd();
        let delta = self.delta;
        let (width, measured) = (delta.size.width(), stack.max(delta.size.height()));
        let masks = &delta.masks.walls;
        let windows = windows_of_heights(delta, cells.filled_down().heights());
        let walled = cells.or(T::load_both(simd, masks, masks));
        let cells = [walled.left_neighbour(), walled, walled.right_neighbour()];
        let heights = [windows[1], windows[2], windows[3]];
        let (mut by_cells, mut by_heights) = ([0; 16], [0; 16]);
        C::by_cells(cells).store(&mut by_cells);
        u8x16::store_words(C::by_heights(heights, measured as u8), &mut by_heights);
        let doubled = |c: usize| by_cells[c] as i16 + by_heights[c];
        (0..width).map(doubled).sum::<i16>() / 2
    }
}

impl<C: ColumnSum> BoardJob for SumJob<'_, C> {
    type Output = i16;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> i16 {
        let rows = Rows::load(simd, self.rows);
        let stack = ROWS - rows.occupied().leading_zeros() as usize;
        match stack < 16 {
            true => self.sum(rows.lower(), stack),
            false => self.sum(AllRows(rows.lower(), rows.upper()), stack),
        }
    }
}

type WordsOf<S> = <u8x16<S> as Bytes<S>>::Words;

/// Feature that sums, over all columns, one number from cells and one from heights of the column
/// and its neighbours.
// Both are doubled: 1 + ... + n is then n (n + 1). Of three elements, the middle is the column.
trait ColumnSum {
    /// Returns true if the cells `new` of a piece may change the number from cells of the column
    /// `own` beside the piece.
    #[inline(always)]
    fn changes_beside<S: Blocks, T: ColumnCells<S>>(new: T, own: T, other: T) -> bool {
        // Well cells appear only between new cells and others.
        !new.and(other).without(own).is_empty()
    }
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>([_, own, _]: [T; 3]) -> Words<S> {
        Words::splat(own.simd(), 0)
    }
    #[inline(always)]
    fn by_heights<S: Blocks>([_, own, _]: [u8x16<S>; 3], _measured: u8) -> WordsOf<S> {
        triangles(u8x16::splat(own.simd(), 0))
    }
}

struct ColumnSums;
struct WellsByHeight;
struct WellsSquared;
struct WellsOpen;
struct WellsOpenRestart;
struct WellsFast;
struct WellCells;
struct WellsGuide;

impl ColumnSum for ColumnSums {
    #[inline(always)]
    fn changes_beside<S: Blocks, T: ColumnCells<S>>(_: T, _: T, _: T) -> bool {
        false
    }
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>([_, own, _]: [T; 3]) -> Words<S> {
        triangles_of(own)
    }
}

impl ColumnSum for WellsByHeight {
    #[inline(always)]
    fn changes_beside<S: Blocks, T: ColumnCells<S>>(_: T, _: T, _: T) -> bool {
        false
    }
    #[inline(always)]
    fn by_heights<S: Blocks>([left, own, right]: [u8x16<S>; 3], _: u8) -> WordsOf<S> {
        triangles(left.min(right).saturating_sub(own))
    }
}

impl ColumnSum for WellsSquared {
    #[inline(always)]
    fn changes_beside<S: Blocks, T: ColumnCells<S>>(_: T, _: T, _: T) -> bool {
        false
    }
    #[inline(always)]
    fn by_heights<S: Blocks>([left, own, right]: [u8x16<S>; 3], _: u8) -> WordsOf<S> {
        // Columns at a wall do not count.
        let at_wall = left.max(right).equal(u8x16::splat(own.simd(), WALL_HEIGHT));
        let depth = left.min(right).abs_difference(own).without(at_wall);
        u8x16::products([depth, depth], [depth, depth])
    }
}

impl ColumnSum for WellsOpen {
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>(cells: [T; 3]) -> Words<S> {
        triangles_of(open_wells(cells))
    }
}

impl ColumnSum for WellsOpenRestart {
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>(cells: [T; 3]) -> Words<S> {
        triangles_of_runs(open_wells(cells))
    }
}

impl ColumnSum for WellsFast {
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>(cells: [T; 3]) -> Words<S> {
        triangles_of_runs(well_runs(cells))
    }
}

impl ColumnSum for WellCells {
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>(cells: [T; 3]) -> Words<S> {
        let counts = well_runs(cells).counts();
        counts.plus(counts).numbers()
    }
}

impl ColumnSum for WellsGuide {
    #[inline(always)]
    fn changes_beside<S: Blocks, T: ColumnCells<S>>(new: T, own: T, _: T) -> bool {
        !own.filled_down().without(own).and(new).is_empty()
    }
    #[inline(always)]
    fn by_cells<S: Blocks, T: ColumnCells<S>>([left, own, right]: [T; 3]) -> Words<S> {
        triangles_of_enclosed_runs(own.filled_down().without(own), left, right)
    }
    #[inline(always)]
    fn by_heights<S: Blocks>([left, own, right]: [u8x16<S>; 3], measured: u8) -> WordsOf<S> {
        let simd = own.simd();
        let depth = left.min(right).saturating_sub(own);
        let run = u8x16::splat(simd, measured).saturating_sub(own);
        triangles(run.without(depth.equal(u8x16::splat(simd, 0))))
    }
}

#[inline(always)]
fn open_wells<S: Blocks, T: ColumnCells<S>>([left, own, right]: [T; 3]) -> T {
    left.and(right).without(own.filled_down())
}

#[inline(always)]
fn well_runs<S: Blocks, T: ColumnCells<S>>([left, own, right]: [T; 3]) -> T {
    extend_down(left.and(right).without(own), own.not())
}

#[inline(always)]
fn triangles<S: Blocks>(numbers: u8x16<S>) -> WordsOf<S> {
    let simd = numbers.simd();
    let (zero, one) = (u8x16::splat(simd, 0), u8x16::splat(simd, 1));
    u8x16::products([numbers, zero], [numbers.add(one), zero])
}

#[inline(always)]
fn triangles_of<S: Blocks, T: ColumnCells<S>>(cells: T) -> Words<S> {
    let numbers = cells.counts().numbers();
    numbers.times(numbers.plus(Words::splat(cells.simd(), 1)))
}

#[inline(always)]
fn triangles_of_runs<S: Blocks, T: ColumnCells<S>>(mut cells: T) -> Words<S> {
    let simd = cells.simd();
    let mut total = Words::splat(simd, 0);
    loop {
        // In each round, cells with one more cell directly below them count 1. Few runs are longer
        // than three. The cells of three rounds are the binary digits of two counts.
        let second = cells.and(cells.down(1));
        let third = second.and(second.down(1));
        let odd = cells.xor(second).xor(third).counts();
        let twos = second.counts();
        let sum = twos.plus(twos).plus(odd);
        total = total.plus(sum.plus(sum).numbers());
        cells = third.and(third.down(1));
        if cells.is_empty() {
            return total;
        }
    }
}

/// Returns, for each column, the sum of n (n + 1) over its vertical runs of n `cells` with
/// neighbours in both `left` and `right`.
///
/// ```text
/// cells           0 0 1 1 1 0 1 0      column as a number, row 0 on the right
/// with left       0 0 0 1 0 0 0 0      a run that has any of these cells carries to the bit above
/// sum             0 1 0 0 1 0 1 0      it: bit 6
/// ```
#[inline(always)]
fn triangles_of_enclosed_runs<S: Blocks, T: ColumnCells<S>>(
    cells: T,
    left: T,
    right: T,
) -> Words<S> {
    if cells.is_empty() {
        return Words::splat(cells.simd(), 0);
    }
    let [by_left, by_right] = [cells.plus(cells.and(left)), cells.plus(cells.and(right))];
    let above = by_left.and(by_right).without(cells);
    // The n-th cell of a run, counted from the top, adds n.
    let first = above.down(1).and(cells);
    let second = first.down(1).and(cells);
    let third = second.down(1).and(cells);
    if !third.down(1).and(cells).is_empty() {
        return triangles_of_runs(extend_down(first, cells));
    }
    let (ones, twos) = (first.or(third).counts(), second.or(third).counts());
    let sum = twos.plus(twos).plus(ones);
    sum.plus(sum).numbers()
}

#[inline(always)]
fn write(to: &mut [i16; 64], o: usize, changes: &Sixteen) {
    to[16 * o..16 * o + 16].copy_from_slice(changes);
}

struct MeasureJob<'a> {
    delta: &'a Delta,
    tables: &'a mut Tables,
    shape: &'a Shape,
    landing: &'a Block,
    eligible: &'a Block,
}

impl BoardJob for MeasureJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks>(self, _: S) {
        let terms = &self.delta.nonlinear.terms;
        for o in 0..4 {
            let mut sums = [[INELIGIBLE; 4]; 4];
            if o < self.shape.widths.len() {
                for k in 0..4 {
                    sums[k].copy_from_slice(&self.shape.start.0[k][4 * o..4 * o + 4]);
                }
                for (term, changes) in terms.iter().zip(&self.tables.nonlinear) {
                    let changes = sixteen(changes, 16 * o);
                    for c in 0..16 {
                        // Only changes by bytes that are no placement may wrap.
                        let change =
                            i32::from(changes[c]).wrapping_mul(term.rounded) >> FRACTION_BITS;
                        sums[c / 4][c % 4] = sums[c / 4][c % 4].wrapping_add(change);
                    }
                }
                let eligible = sixteen(&self.eligible.0, 16 * o);
                for c in 0..16 {
                    let sum = &mut sums[c / 4][c % 4];
                    *sum = if eligible[c] == 0 { INELIGIBLE } else { *sum };
                }
            }
            for k in 0..4 {
                self.tables.start.0[k][4 * o..4 * o + 4].copy_from_slice(&sums[k]);
            }
        }
    }
}

impl MeasureJob<'_> {
    /// Counts each placement's cells in one board row. From a piece's height, `at` returns the
    /// landing row that reaches this row, and the piece's row there.
    #[inline(always)]
    fn measure_row(&mut self, k: usize, at: impl Fn(usize) -> (usize, usize)) {
        for o in 0..self.shape.widths.len() {
            let rows = sixteen(&self.landing.0, 16 * o);
            let (landing, own) = at(self.shape.heights[o] as usize);
            let cells = i16::from(self.shape.row_cells[o][own]);
            let to = rows.map(|row| if row == landing as u8 { cells } else { 0 });
            write(&mut self.tables.nonlinear[k], o, &to);
        }
    }

    #[inline(always)]
    fn measure_rbf(&mut self, k: usize, table: &[i16]) {
        let sum: usize = self.tables.heights[1].0.iter().map(|&height| height as usize).sum();
        for (o, &w) in self.shape.widths.iter().enumerate() {
            let rows = sixteen(&self.landing.0, 16 * o);
            let tops: usize = self.shape.tops[o].iter().map(|&top| top as usize).sum();
            let before = &self.tables.sums[w - 1].0;
            let mut to = [0; 16];
            for c in 0..16 {
                let after = sum + w * rows[c] as usize + tops - before[c] as usize;
                to[c] = table.get(after).map_or(0, |value| value - table[sum]);
            }
            write(&mut self.tables.nonlinear[k], o, &to);
        }
    }
}

struct LowestJob<'a, 'b> {
    job: &'b mut MeasureJob<'a>,
    k: usize,
}

impl BoardJob for LowestJob<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) {
        let MeasureJob { delta, tables, shape, landing, .. } = self.job;
        let heights = u8x16::load_lane(simd, &tables.heights[1]);
        let h = windows_of_heights(delta, heights)[2];
        let wall = u8x16::splat(simd, WALL_HEIGHT);
        // The lowest height left of each column, by doubling, then of each column and those on its
        // right.
        let mut before = wall.next::<15>(h);
        before = before.min(wall.next::<15>(before));
        before = before.min(wall.next::<14>(before));
        before = before.min(wall.next::<12>(before));
        before = before.min(wall.next::<8>(before));
        let mut after = h.min(h.next::<1>(wall));
        after = after.min(after.next::<2>(wall));
        after = after.min(after.next::<4>(wall));
        after = after.min(after.next::<8>(wall));
        let (mut left, mut right) = (Lane::ZERO, [Lane::ZERO; 5]);
        before.store_lane(&mut left);
        after.store_lane(&mut right[0]);
        after.next::<1>(wall).store_lane(&mut right[1]);
        after.next::<2>(wall).store_lane(&mut right[2]);
        after.next::<3>(wall).store_lane(&mut right[3]);
        after.next::<4>(wall).store_lane(&mut right[4]);
        let lowest = i16::from(right[0].0[0]);
        for (o, &w) in shape.widths.iter().enumerate() {
            let rows = sixteen(&landing.0, 16 * o);
            let top = shape.tops[o][..w].iter().copied().min().unwrap_or(0);
            let mut to = [0; 16];
            for c in 0..16 {
                to[c] = i16::from((rows[c] + top).min(left.0[c]).min(right[w].0[c])) - lowest;
            }
            write(&mut tables.nonlinear[self.k], o, &to);
        }
    }
}

// Each sum is a job of its own: compiled together, they would compete for registers.
struct ColumnsJob<'a, 'b, C> {
    job: &'b mut MeasureJob<'a>,
    k: usize,
    sum: PhantomData<C>,
}

impl<'a, 'b, C: ColumnSum> ColumnsJob<'a, 'b, C> {
    fn new(job: &'b mut MeasureJob<'a>, k: usize) -> Self {
        ColumnsJob { job, k, sum: PhantomData }
    }

    #[inline(always)]
    fn measure<S: Blocks, T: ColumnCells<S>>(self, simd: S) {
        let MeasureJob { delta, tables, shape, landing, .. } = self.job;
        let measured = delta.size.height() as u8;
        let windows = &windows_of_heights(delta, u8x16::load_lane(simd, &tables.heights[1]));
        let columns = &tables.columns;
        // Minus the parts of each column before the placement; the first is the one on the left.
        let mut before = [[0; MAX_WIDTH + 8]; 2];
        let (mut by_cells, mut by_heights) = ([0; 16], [0; 16]);
        let cells: [T; 3] =
            [column(simd, columns, 1), column(simd, columns, 2), column(simd, columns, 3)];
        let heights = [windows[1], windows[2], windows[3]];
        C::by_cells(cells).store(&mut by_cells);
        u8x16::store_words(C::by_heights(heights, measured), &mut by_heights);
        for c in 0..16 {
            before[0][c + 1] = by_cells[c].wrapping_neg();
            before[1][c + 1] = by_heights[c].wrapping_neg() as u16;
        }
        // The bit of each landing row. A multiplication moves the cells of a column there.
        let mut bits = [[0; 64]; 2];
        for lane in 0..64 {
            let bit = 1u32.wrapping_shl(landing.0[lane].into());
            (bits[0][lane], bits[1][lane]) = (bit as u16, (bit >> 16) as u16);
        }
        for (o, &w) in shape.widths.iter().enumerate() {
            let landing = u8x16::load_lane(simd, &Lane(*sixteen(&landing.0, 16 * o)));
            let (own, tops) = (&shape.column_cells[o & 3], &shape.tops[o & 3]);
            let bits = [sixteen(&bits[0], 16 * o), sixteen(&bits[1], 16 * o)];
            let mut cells: [T; 2] = [column(simd, columns, 0), column(simd, columns, 1)];
            let mut heights = [windows[0], windows[1]];
            let mut by_cells = Words::splat(simd, 0);
            let mut by_heights = triangles(u8x16::splat(simd, 0));
            let mut new = cells[0];
            // Pairs of neighbouring columns. The left column of a pair runs from the one left of
            // the piece to the one right of it.
            for d in 1..w + 3 {
                let (mut next, mut height) =
                    (column::<S, T>(simd, columns, d + 1), windows[(d + 1) & 7]);
                if d <= w {
                    height = landing.add(u8x16::splat(simd, tops[(d - 1) & 3]));
                    new = lift_cells(simd, own[(d - 1) & 3], bits);
                    next = next.or(new);
                }
                let around = [heights[0], heights[1], height];
                let after = C::by_heights(around, measured);
                let minus = u8x16::repeat_words(simd, sixteen(&before[1], d - 1));
                by_heights = u8x16::add_words(by_heights, u8x16::add_words(after, minus));
                let other = if d == 1 { cells[0] } else { next };
                let beside = d == 1 || d == w + 2;
                if !beside || C::changes_beside(new, cells[1], other) {
                    by_cells = by_cells.plus(C::by_cells([cells[0], cells[1], next]));
                    by_cells = by_cells.plus(Words::load(simd, sixteen(&before[0], d - 1)));
                }
                (cells, heights) = ([cells[1], next], [heights[1], height]);
            }
            let (mut change, mut more) = ([0; 16], [0; 16]);
            by_cells.store(&mut change);
            u8x16::store_words(by_heights, &mut more);
            let mut to = [0; 16];
            for c in 0..16 {
                to[c] = (change[c] as i16).wrapping_add(more[c]) >> 1;
            }
            write(&mut tables.nonlinear[self.k], o, &to);
        }
    }
}

impl<C: ColumnSum> BoardJob for ColumnsJob<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) {
        match self.job.tables.tall {
            false => self.measure::<S, Words<S>>(simd),
            true => self.measure::<S, AllRows<S>>(simd),
        }
    }
}
