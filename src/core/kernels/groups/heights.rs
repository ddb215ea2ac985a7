//! Computes feature groups of column heights on many boards side by side; heights are stored as
//! binary digits for each column.

use fearless_simd::{Select, Simd, SimdBase, SimdInt};

use super::ColumnCounter;
use crate::features::Feature;
use crate::kernels::batch_features::{
    BatchSlice, FeatureLanes, Group, HEIGHT, HEIGHT_DIFF, Lanes, RBF, SurfaceProperty, condition,
    slot, surface_slot,
};
use crate::simd::LANES;

pub(in crate::kernels) struct Heights<S: Simd>(Columns<S>);

pub(in crate::kernels) struct Steps<S: Simd>(Columns<S>);

pub(in crate::kernels) struct Surfaces<S: Simd> {
    columns: Columns<S>,
    parity_check: Lanes<S>,
    parity_column: Lanes<S>,
}

/// Heights of all columns of many boards, found while the rows are read from the top down.
struct Columns<S: Simd> {
    cover: Lanes<S>,
    heights: ColumnCounter<S, 6>,
}

impl<S: Simd> Columns<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Columns { cover: frame.zero(), heights: ColumnCounter::zero(frame.simd) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        // Rows come from the top down, so a column's first cell is its highest, and its row + 1 is
        // the height. The binary digits of this height are written for the columns whose first cell
        // is here.
        let new = cells & !self.cover;
        self.cover |= cells;
        for (b, digit) in self.heights.0.iter_mut().enumerate() {
            if (row + 1) >> b & 1 == 1 {
                *digit |= new;
            }
        }
    }

    // Each digit, from the highest down, is 0 if it is so in any column left; only those remain.
    #[inline(always)]
    fn lowest(&self, frame: &BatchSlice<S>) -> Lanes<S> {
        let mut left = frame.full;
        let mut lowest = frame.zero();
        for (b, &digit) in self.heights.0.iter().enumerate().rev() {
            let low = left & !digit;
            // If no remaining column has a 0, the digit is 1 in all of them: the result gets a 1
            // and all columns remain.
            let none = low.simd_eq(0);
            left = none.select(left, low);
            lowest |= condition::<S>(none) & (1 << b);
        }
        lowest
    }
}

/// Returns the largest column counter of each board, and the columns that have this value.
#[inline(always)]
fn highest_number<S: Simd>(
    frame: &BatchSlice<S>,
    counter: &ColumnCounter<S, 6>,
) -> (Lanes<S>, Lanes<S>) {
    let (mut left, mut highest) = (frame.full, frame.zero());
    for (b, &digit) in counter.0.iter().enumerate().rev() {
        let high = left & digit;
        let none = high.simd_eq(0);
        left = none.select(left, high);
        highest |= !condition::<S>(none) & (1 << b);
    }
    (highest, left)
}

impl<S: Simd> Group<S> for Heights<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Heights(Columns::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        let sum = self.0.heights.sum();
        let highest = frame.load(&frame.batch.stack);
        frame.put(raws, const { slot("aggregate_height") }, sum);
        // The raw value is this sum, too; only its unit differs: 1 / columns.
        frame.put(raws, const { slot("mean_height") }, sum);
        frame.put(raws, const { slot("aggregate_top_index") }, sum - frame.width as u16);
        frame.put(raws, const { slot("max_height") }, highest);
        frame.put(raws, const { slot("height_range") }, highest - self.0.lowest(frame));
        for column in 0..frame.width {
            frame.put(raws, HEIGHT + column, number(frame, &self.0.heights, column));
        }
    }
}

#[inline(always)]
fn number<S: Simd>(
    frame: &BatchSlice<S>,
    counter: &ColumnCounter<S, 6>,
    column: usize,
) -> Lanes<S> {
    let mut value = frame.zero();
    for &digit in counter.0.iter().rev() {
        value = (value + value) | ((digit >> column as u32) & 1);
    }
    value
}

#[inline(always)]
fn right_neighbours<S: Simd>(counter: &ColumnCounter<S, 6>) -> ColumnCounter<S, 6> {
    let mut right = *counter;
    for digit in &mut right.0 {
        *digit >>= 1;
    }
    right
}

/// Subtracts `b` from `a` column by column; also returns the columns with negative results.
#[inline(always)]
fn subtract_columns<S: Simd>(
    frame: &BatchSlice<S>,
    a: &ColumnCounter<S, 6>,
    b: &ColumnCounter<S, 6>,
) -> (ColumnCounter<S, 6>, Lanes<S>) {
    let mut borrow = frame.zero();
    let mut digits = [borrow; 6];
    for ((digit, &a), &b) in digits.iter_mut().zip(&a.0).zip(&b.0) {
        let either = a ^ b;
        *digit = either ^ borrow;
        // A borrow arises if b's digit is larger, or if both are equal and the digit below
        // borrowed.
        borrow = (b & !a) | (borrow & !either);
    }
    (ColumnCounter(digits), borrow)
}

#[inline(always)]
fn absolute<S: Simd>((digits, negative): &(ColumnCounter<S, 6>, Lanes<S>)) -> ColumnCounter<S, 6> {
    // -n = not n + 1, in the negative columns.
    let mut size = ColumnCounter(digits.0.map(
        #[inline(always)]
        |digit| digit ^ *negative,
    ));
    size.count(*negative);
    size
}

#[inline(always)]
fn diversity<S: Simd>(
    frame: &BatchSlice<S>,
    size: &ColumnCounter<S, 6>,
    negative: Lanes<S>,
    columns: Lanes<S>,
) -> Lanes<S> {
    let [one, two, four, eight, sixteen, more] = size.0;
    let small = columns & !(four | eight | sixteen | more) & !(one & two);
    // A true condition is 0xffff, which is -1: five, less one for each step that no column has.
    let mut found = frame.splat(5);
    for steps in [
        small & !one & !two,
        small & one & !negative,
        small & one & negative,
        small & two & !negative,
        small & two & negative,
    ] {
        found += condition::<S>(steps.simd_eq(0));
    }
    found
}

impl<S: Simd> Group<S> for Steps<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Steps(Columns::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        let own = self.0.heights;
        let right = right_neighbours(&own);
        let step = subtract_columns(frame, &right, &own);
        // The last column has no right neighbour; the bit shifted in there is no height.
        let columns = frame.full & !frame.last;
        let mut size = absolute(&step);
        size.retain(columns);
        frame.put(raws, const { slot("bumpiness") }, size.sum());
        frame.put(
            raws,
            const { slot("pattern_diversity") },
            diversity(frame, &size, step.1, columns),
        );
        for column in 0..frame.width - 1 {
            frame.put(raws, HEIGHT_DIFF + column, number(frame, &size, column));
        }
        below_neighbours(frame, &own, &right, raws);
    }
}

/// Returns the depth of each column below its lower neighbour, and the columns that lie above their
/// lower neighbour.
#[inline(always)]
fn depths<S: Simd>(
    frame: &BatchSlice<S>,
    own: &ColumnCounter<S, 6>,
    right: &ColumnCounter<S, 6>,
) -> (ColumnCounter<S, 6>, Lanes<S>) {
    // A wall is 63 high, so it is never the lower neighbour.
    let (mut lower, mut left) = (*right, *own);
    for (digit, left) in lower.0.iter_mut().zip(&mut left.0) {
        *digit |= frame.last;
        *left = (*left << 1) | frame.first;
    }
    let (_, left_lower) = subtract_columns(frame, &left, &lower);
    for (digit, left) in lower.0.iter_mut().zip(left.0) {
        *digit = (left_lower & left) | (*digit & !left_lower);
    }
    subtract_columns(frame, &lower, own)
}

#[inline(always)]
fn below_neighbours<S: Simd>(
    frame: &BatchSlice<S>,
    own: &ColumnCounter<S, 6>,
    right: &ColumnCounter<S, 6>,
    raws: &mut FeatureLanes,
) {
    let depth = depths(frame, own, right);
    let inner = frame.full & !frame.first & !frame.last;
    frame.put(raws, const { slot("wells_squared") }, absolute(&depth).squares(inner));
    // Only columns lower than their lower neighbour: in all others the difference is negative.
    let sunk = frame.full & !depth.1;
    frame.put(raws, const { slot("wells_by_height") }, depth.0.triangles(sunk));
}

impl<S: Simd> Group<S> for Surfaces<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        let zero = frame.zero();
        Surfaces { columns: Columns::start(frame), parity_check: zero, parity_column: zero }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.columns.row(frame, row);
        // Filled cells of even columns plus empty cells of odd ones, of which there are eight in
        // sixteen columns: one count instead of two.
        let even = (frame.row(row) ^ 0xaaaa).count_ones() - 8;
        self.parity_column += even;
        match row % 2 {
            0 => self.parity_check += even,
            _ => self.parity_check -= even,
        }
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        let own = self.columns.heights;
        for column in 0..frame.width {
            frame.put(raws, HEIGHT + column, number(frame, &own, column));
        }
        let right = right_neighbours(&own);
        let (mut depth, negative) = depths(frame, &own, &right);
        depth.retain(frame.full & !negative);
        let (deepest, columns) = highest_number(frame, &depth);
        let [one, two, four, eight, sixteen, more] = depth.0;
        let three = (one & two) | four | eight | sixteen | more;
        // Subtracting 1 changes the lowest set bit and the zeros below it.
        let less = columns - 1;
        let is_tied = condition::<S>((columns & less).simd_ne(0));
        let mut put = |property, value| frame.put(raws, surface_slot(property), value);
        put(SurfaceProperty::WellColumn, (less & !columns).count_ones());
        put(SurfaceProperty::WellDepth, deepest);
        put(SurfaceProperty::WellTied, is_tied & 1);
        put(SurfaceProperty::IDependencies, three.count_ones());
        put(SurfaceProperty::ParityCheck, self.parity_check);
        put(SurfaceProperty::ParityColumn, self.parity_column);
    }
}

pub(in crate::kernels) fn rbf(
    raws: &mut FeatureLanes,
    count: usize,
    feature: Feature,
    table: &[u16],
) {
    let sums = raws.0[const { slot("aggregate_height") }];
    let values = &mut raws.0[RBF + feature.index()];
    // One board at a time, since a table of hundreds of values fits no register.
    for lane in 0..count.min(LANES) {
        values.0[lane] = table[sums.0[lane] as usize];
    }
}
