//! Computes features of the column heights, which are stored as binary digits for each column.

use super::counter::Counter;
use crate::features::Feature;
use crate::kernels::slots::{FeatureLanes, HEIGHT, HEIGHT_DIFF, RBF, slot};
use crate::kernels::surfaces::{SurfaceProperty, surface_slot};
use crate::kernels::sweep::{BatchSlice, Group};
use crate::simd::{LANES, Lanes};

/// Group for the sum, maximum and range of the column heights, and for each single height.
pub(in crate::kernels) struct Heights<V>(Columns<V>);

/// Group for features of the height steps between neighbouring columns.
pub(in crate::kernels) struct Steps<V>(Columns<V>);

/// Group for the properties of a surface ([`SurfaceProperty`]).
pub(in crate::kernels) struct Surfaces<V> {
    columns: Columns<V>,
    parity_check: V,
    parity_column: V,
}

/// The heights of all columns of each board. A height is written when the first filled cell of its
/// column is read.
struct Columns<V> {
    cover: V,
    /// Heights of the columns; 0 before the first filled cell.
    heights: Counter<V, 6>,
}

impl<V: Lanes> Columns<V> {
    #[inline(always)]
    fn start() -> Self {
        Columns { cover: V::zero(), heights: Counter::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        // Rows come from the top down, so a column's first cell is its highest, and its row + 1 is
        // the height. The binary digits of this height are written for the columns whose first cell
        // is here.
        let new = cells.without(self.cover);
        self.cover = self.cover.or(cells);
        for (b, digit) in self.heights.0.iter_mut().enumerate() {
            if (row + 1) >> b & 1 == 1 {
                *digit = digit.or(new);
            }
        }
    }

    /// Returns the lowest height of each board. Each digit, from the highest down, is 0 if it is 0
    /// in any remaining column; only those columns then remain.
    #[inline(always)]
    fn lowest(&self, frame: &BatchSlice<V>) -> V {
        let mut left = frame.full;
        let mut lowest = V::zero();
        for (b, &digit) in self.heights.0.iter().enumerate().rev() {
            let low = left.without(digit);
            // If no remaining column has a 0, the digit is 1 in all of them: the result gets a 1
            // and all columns remain.
            let none = low.equal(V::zero());
            left = none.select(left, low);
            lowest = lowest.or(none.and(V::splat(1 << b)));
        }
        lowest
    }
}

/// Returns the highest number of `counter` in the columns `left` of each board, and the columns
/// that have it. Each digit, from the highest down, is 1 if it is 1 in any remaining column; only
/// those columns then remain.
#[inline(always)]
fn highest<V: Lanes, const P: usize>(counter: &Counter<V, P>, mut left: V) -> (V, V) {
    let mut highest = V::zero();
    for (b, &digit) in counter.0.iter().enumerate().rev() {
        let high = left.and(digit);
        let none = high.equal(V::zero());
        left = none.select(left, high);
        highest = highest.or(V::splat(1 << b).without(none));
    }
    (highest, left)
}

impl<V: Lanes> Group<V> for Heights<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        Heights(Columns::start())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        let sum = self.0.heights.sum();
        let highest = V::load(&frame.batch.stack, frame.at);
        frame.put(raws, const { slot("aggregate_height") }, sum);
        // The raw value is this sum, too; only its unit differs: 1 / columns.
        frame.put(raws, const { slot("mean_height") }, sum);
        frame.put(
            raws,
            const { slot("aggregate_top_index") },
            sum.sub(V::splat(frame.width as u16)),
        );
        frame.put(raws, const { slot("max_height") }, highest);
        frame.put(raws, const { slot("height_range") }, highest.sub(self.0.lowest(frame)));
        for column in 0..frame.width {
            frame.put(raws, HEIGHT + column, number(&self.0.heights, column));
        }
    }
}

/// Returns the number that `counter` has for column `column` of each board.
#[inline(always)]
fn number<V: Lanes, const P: usize>(counter: &Counter<V, P>, column: usize) -> V {
    let mut value = V::zero();
    for digit in counter.0.iter().rev() {
        let bit = digit.shr(column as u32).and(V::splat(1));
        value = value.add(value).or(bit);
    }
    value
}

/// Returns, for each column, the number that `counter` has for its right neighbour.
#[inline(always)]
fn of_right<V: Lanes>(counter: &Counter<V, 6>) -> Counter<V, 6> {
    let mut right = *counter;
    for digit in &mut right.0 {
        *digit = digit.shr(1);
    }
    right
}

/// Returns `a - b` for each column as six binary digits, and the columns in which it is negative.
///
/// The subtraction is bitwise, in two's complement. The last borrow is the sign: set if `a` is
/// less.
#[inline(always)]
fn difference<V: Lanes>(a: &Counter<V, 6>, b: &Counter<V, 6>) -> (Counter<V, 6>, V) {
    let mut borrow = V::zero();
    let mut digits = [V::zero(); 6];
    for ((digit, &a), &b) in digits.iter_mut().zip(&a.0).zip(&b.0) {
        let either = a.xor(b);
        *digit = either.xor(borrow);
        // A borrow arises if b's digit is larger, or if both are equal and the digit below
        // borrowed.
        borrow = b.without(a).or(borrow.without(either));
    }
    (Counter(digits), borrow)
}

/// Returns the absolute value of a result of [`difference`], for each column.
#[inline(always)]
fn absolute<V: Lanes>((digits, negative): &(Counter<V, 6>, V)) -> Counter<V, 6> {
    // -n = not n + 1, in the negative columns.
    let mut size = Counter(digits.0.map(|digit| digit.xor(*negative)));
    size.count(*negative);
    size
}

/// Returns, for each board, the number of distinct steps from -2 to 2 in `columns`. A step is given
/// as its absolute value `size` and its sign `negative`.
#[inline(always)]
fn diversity<V: Lanes>(size: &Counter<V, 6>, negative: V, columns: V) -> V {
    let [one, two, rest @ ..] = size.0;
    let large = rest.into_iter().fold(V::zero(), V::or);
    let small = columns.without(large).without(one.and(two));
    // A true condition is 0xffff, which is -1: five, less one for each step that no column has.
    let mut found = V::splat(5);
    for steps in [
        small.without(one).without(two),
        small.and(one).without(negative),
        small.and(one).and(negative),
        small.and(two).without(negative),
        small.and(two).and(negative),
    ] {
        found = found.add(steps.equal(V::zero()));
    }
    found
}

impl<V: Lanes> Group<V> for Steps<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        Steps(Columns::start())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        let own = self.0.heights;
        let right = of_right(&own);
        let step = difference(&right, &own);
        // The last column has no right neighbour; the bit shifted in there is no height.
        let columns = frame.full.without(frame.last);
        let mut size = absolute(&step);
        size.keep(columns);
        frame.put(raws, const { slot("bumpiness") }, size.sum());
        frame.put(raws, const { slot("pattern_diversity") }, diversity(&size, step.1, columns));
        for column in 0..frame.width - 1 {
            frame.put(raws, HEIGHT_DIFF + column, number(&size, column));
        }
        below_neighbours(frame, &own, &right, raws);
    }
}

/// Returns the depth of each column below its lower neighbour, and the columns in which it is
/// negative. `own` has the heights of the columns and `right` those of their right neighbours.
#[inline(always)]
fn depths<V: Lanes>(
    frame: &BatchSlice<V>,
    own: &Counter<V, 6>,
    right: &Counter<V, 6>,
) -> (Counter<V, 6>, V) {
    // A wall is 63 high, so it is never the lower neighbour.
    let (mut lower, mut left) = (*right, *own);
    for (digit, left) in lower.0.iter_mut().zip(&mut left.0) {
        *digit = digit.or(frame.last);
        *left = left.shl(1).or(frame.first);
    }
    let (_, left_lower) = difference(&left, &lower);
    for (digit, left) in lower.0.iter_mut().zip(left.0) {
        *digit = left_lower.select(left, *digit);
    }
    difference(&lower, own)
}

/// Computes `wells_by_height` and `wells_squared` from the heights `own` of the columns and `right`
/// of their right neighbours.
#[inline(always)]
fn below_neighbours<V: Lanes>(
    frame: &BatchSlice<V>,
    own: &Counter<V, 6>,
    right: &Counter<V, 6>,
    raws: &mut FeatureLanes,
) {
    let depth = depths(frame, own, right);
    let inner = frame.full.without(frame.first).without(frame.last);
    frame.put(raws, const { slot("wells_squared") }, absolute(&depth).squares(inner));
    // Only columns lower than their lower neighbour: in all others the difference is negative.
    let sunk = frame.full.without(depth.1);
    frame.put(raws, const { slot("wells_by_height") }, depth.0.triangles(sunk));
}

impl<V: Lanes> Group<V> for Surfaces<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        Surfaces { columns: Columns::start(), parity_check: V::zero(), parity_column: V::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.columns.row(frame, row);
        // Filled cells of even columns plus empty cells of odd ones, of which there are eight in
        // sixteen columns: one count instead of two.
        let even = frame.row(row).xor(V::splat(0xaaaa)).popcount().sub(V::splat(8));
        self.parity_column = self.parity_column.add(even);
        self.parity_check = match row % 2 {
            0 => self.parity_check.add(even),
            _ => self.parity_check.sub(even),
        };
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        let own = self.columns.heights;
        for column in 0..frame.width {
            frame.put(raws, HEIGHT + column, number(&own, column));
        }
        let right = of_right(&own);
        let (mut depth, negative) = depths(frame, &own, &right);
        depth.keep(frame.full.without(negative));
        let (deepest, columns) = highest(&depth, frame.full);
        let [one, two, rest @ ..] = depth.0;
        let mut three = one.and(two);
        for digit in rest {
            three = three.or(digit);
        }
        // Subtracting 1 changes the lowest set bit and the zeros below it.
        let less = columns.sub(V::splat(1));
        let is_single = columns.and(less).equal(V::zero());
        let mut put = |property, value| frame.put(raws, surface_slot(property), value);
        put(SurfaceProperty::WellColumn, less.without(columns).popcount());
        put(SurfaceProperty::WellDepth, deepest);
        put(SurfaceProperty::WellTied, V::splat(1).without(is_single));
        put(SurfaceProperty::IDependencies, three.popcount());
        put(SurfaceProperty::ParityCheck, self.parity_check);
        put(SurfaceProperty::ParityColumn, self.parity_column);
    }
}

/// Computes the radial basis function `feature` for the first `count` boards. `table` has its
/// values, indexed by aggregate height.
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
