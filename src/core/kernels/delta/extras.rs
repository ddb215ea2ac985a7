//! Computes the changes of features that are no products of counts and weights: the other kinds of
//! wells, and features of the heights that are not linear.
//!
//! Most of them are sums over the columns, and a column's part depends on its own cells and those of
//! its two neighbours. A piece that is w columns wide thus changes w + 2 columns. Their parts before
//! and after the placement are computed for sixteen placements at once: those of one orientation.
//!
//! ```text
//! around            c-2 c-1  c  c+1 c+2 c+3      J, upright: its own columns are c and c + 1
//! changed columns        *   *   *   *           each with the columns on its left and right
//! ```
//!
//! The changes are stored in [`Tables`]. Their weighted sums are added to the constants of the
//! placements, so that the search for the best placement need not know of them.

use super::Delta;
use super::board::{Tables, filled_down};
use super::place::PlacedPiece;
use super::shape::Shape;
use super::value::{All, ColumnCells, Low, down_from};
use super::weights::{LANDING_ROW, round};
use crate::board::{BoardSize, MAX_WIDTH, ROWS};
use crate::features::rbf_of;
use crate::simd::{self, Block, BoardJob, Bytes, Lane, OneLane, Rows, Simd, SumBlock, Words};

/// Maximum number of terms: eleven, and five radial basis functions.
pub(super) const MOST_EXTRAS: usize = 16;

/// Number of fraction bits of the rounded weights.
const FRACTION: u32 = 4;
/// Maximum weighted and rounded change by one placement. With it, no product of a change and a
/// rounded weight exceeds an `i32`.
const MOST: f64 = (1 << (30 - FRACTION)) as f64;
/// Initial sum of placements that are not eligible: below all others.
const INELIGIBLE: i32 = -1 << 29;
/// Height of a wall, which no column reaches.
const WALL: i16 = 63;

/// A sequence of sixteen values, one for each column or for each placement of an orientation.
type Sixteen = [i16; MAX_WIDTH];

/// An addend of a feature.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Extra {
    /// Cells in row 0.
    FloorCells,
    /// Cells in the highest measured row.
    TopCells,
    /// Height of the lowest column.
    LowestHeight,
    /// Sum of 1 + ... + n over the columns, where n is a column's number of cells.
    ColumnSums,
    /// Radial basis function of the mean height.
    Rbf(usize),
    WellsByHeight,
    WellsSquared,
    WellsGuide,
    WellsOpen,
    WellsOpenRestart,
    WellsFast,
    WellCells,
}

impl Extra {
    /// Returns the maximum change by one placement.
    fn max_change(self) -> i64 {
        match self {
            Extra::FloorCells | Extra::TopCells => 4,
            Extra::LowestHeight => ROWS as i64,
            Extra::ColumnSums => 4 * ROWS as i64,
            Extra::Rbf(_) => 10_000,
            Extra::WellsSquared => 6 * 28 * 28,
            // Six columns of 28 rows.
            _ => 6 * 28 * 29 / 2,
        }
    }
}

/// An addend with its weight.
struct Term {
    extra: Extra,
    weight: i64,
    /// The weight times the scale of the rounded sums, with [`FRACTION`] bits after the point.
    rounded: i32,
    /// Values of a radial basis function, indexed by the sum of the heights.
    table: Vec<i16>,
}

/// The weighted addends of a controller.
#[derive(Default)]
pub(super) struct Extras(Vec<Term>);

impl Extras {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds `weight` to the weight of `extra`.
    pub(super) fn add(&mut self, extra: Extra, weight: i64) {
        match self.0.iter_mut().find(|term| term.extra == extra) {
            Some(term) => term.weight += weight,
            None => self.0.push(Term { extra, weight, rounded: 0, table: Vec::new() }),
        }
    }

    /// Returns true if all sums fit if weights are multiplied by `scale`.
    pub(super) fn fit(&self, scale: f64) -> bool {
        let most = |term: &Term| term.weight.abs() as f64 * scale * term.extra.max_change() as f64;
        self.0.iter().map(most).sum::<f64>() <= MOST
    }

    /// Returns the maximum error of a placement's sum if weights are multiplied by `scale` and
    /// rounded.
    pub(super) fn max_error(&self, scale: f64) -> f64 {
        let error = |term: &Term| {
            let exact = term.weight as f64 * scale;
            let unit = f64::from(1 << FRACTION);
            let part = (exact - round(term.weight, scale * unit) as f64 / unit).abs();
            let error = part * term.extra.max_change() as f64;
            // Products lose their fraction.
            if exact.fract() == 0.0 { error } else { error + 1.0 }
        };
        self.0.iter().map(error).sum()
    }

    /// Returns the least sum of an eligible placement; `None` without terms.
    pub(super) fn min_eligible(&self) -> Option<i32> {
        (!self.is_empty()).then_some(INELIGIBLE / 2)
    }

    /// Multiplies the weights by `scale` and rounds them, for boards of size `size`.
    pub(super) fn round(&mut self, size: BoardSize, scale: f64) {
        let (width, height) = (size.width(), size.height());
        for term in &mut self.0 {
            term.rounded = round(term.weight, scale * f64::from(1 << FRACTION)) as i32;
            if let Extra::Rbf(i) = term.extra {
                let value = |sum| rbf_of(sum, width, height, i) as i16;
                term.table = (0..=(width * ROWS) as i32).map(value).collect();
            }
        }
    }

    /// Returns the exact part of the score change by the placement in byte `lane`.
    pub(super) fn exact(&self, tables: &Tables, lane: usize) -> i64 {
        let part = |(term, changes): (&Term, &[i16; 64])| term.weight * i64::from(changes[lane]);
        self.0.iter().zip(&tables.extras).map(part).sum()
    }

    /// Adds the rounded part of each placement's score change to `sums`. Placements that are not
    /// `eligible` get sums below all others.
    #[inline(always)]
    pub(super) fn add_to(&self, tables: &Tables, eligible: &Block, sums: &mut SumBlock) {
        for lane in 0..64 {
            let (k, at) = SumBlock::place(lane);
            if eligible.0[lane] == 0 {
                sums.0[k][at] = INELIGIBLE;
            }
        }
        for (term, changes) in self.0.iter().zip(&tables.extras) {
            for o in 0..4 {
                for c in 0..MAX_WIDTH {
                    let (k, at) = SumBlock::place(16 * o + c);
                    sums.0[k][at] += i32::from(changes[16 * o + c]) * term.rounded >> FRACTION;
                }
            }
        }
    }
}

/// Measures the extras of all placements and writes them to `tables`. It is compiled separately
/// because few controllers need it.
#[inline(always)]
pub(super) fn measure_extras<V: Bytes>(
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    placed: &PlacedPiece<V>,
) {
    let mut landing = Block::ZERO;
    placed.counts[LANDING_ROW].store(&mut landing);
    measure(MeasureJob { delta, tables, shape, landing });
}

#[cold]
#[inline(never)]
fn measure(job: MeasureJob) {
    simd::run(job.delta.level, job);
}

/// Returns the weighted sum of the extras on the board `rows`.
#[cold]
#[inline(never)]
pub(super) fn board_score(delta: &Delta, rows: &[u16; ROWS]) -> i64 {
    simd::run(delta.level, ScoreJob { delta, rows }).unwrap_or(0)
}

/// The columns of a board and their heights, with walls on both sides. Element i belongs to column
/// i - 2.
struct Walled {
    /// Rows 0 to 15 of each column, then rows 16 to 31.
    cells: [[u16; MAX_WIDTH + 8]; 2],
    heights: [i16; MAX_WIDTH + 8],
    /// -1 for columns between two others, 0 for those at a wall and the walls.
    inner: [i16; MAX_WIDTH + 8],
    /// Number of measured rows.
    measured: i16,
}

impl Walled {
    /// Adds walls to `cells`, the columns of a board `width` wide, and to their `heights`.
    #[inline(always)]
    fn new(cells: &[[u16; 16]; 2], heights: &Lane, delta: &Delta, measured: usize) -> Walled {
        let width = delta.size.width();
        let mut walled = Walled {
            cells: [[u16::MAX; MAX_WIDTH + 8]; 2],
            heights: [WALL; MAX_WIDTH + 8],
            inner: [0; MAX_WIDTH + 8],
            measured: measured as i16,
        };
        for half in 0..2 {
            walled.cells[half][2..18].copy_from_slice(&cells[half]);
        }
        for c in 0..width {
            walled.heights[c + 2] = i16::from(heights.0[c]);
        }
        walled.inner[3..width + 1].fill(-1);
        walled
    }

    /// Returns sixteen columns; the first is column `at` - 2.
    #[inline(always)]
    fn load<T: ColumnCells>(&self, at: usize) -> T {
        T::load(sixteen(&self.cells[0], at), sixteen(&self.cells[1], at))
    }

    /// Returns the sum of the heights of the columns.
    #[inline(always)]
    fn sum_of_heights(&self, width: usize) -> usize {
        self.heights[2..width + 2].iter().map(|&height| height as usize).sum()
    }
}

/// Returns the sixteen elements of `all` from index `at` on.
#[inline(always)]
fn sixteen<T>(all: &[T], at: usize) -> &[T; 16] {
    // Always in range; `unreachable` is for the compiler.
    all.get(at..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}

/// Returns 1 + ... + n.
#[inline(always)]
fn triangle(n: i16) -> i16 {
    n.wrapping_mul(n + 1) >> 1
}

/// Job that computes the weighted sum of the extras on the board `rows`.
struct ScoreJob<'a> {
    delta: &'a Delta,
    rows: &'a [u16; ROWS],
}

impl BoardJob for ScoreJob<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Simd>(self) -> i64 {
        let ScoreJob { delta, rows } = self;
        let all = S::Rows::load(rows);
        let stack = ROWS - all.occupied().leading_zeros() as usize;
        let walls = S::Words::load(&delta.masks.walls);
        let mut cells = [[0; 16]; 2];
        all.lower().or(walls).store(&mut cells[0]);
        all.upper().or(walls).store(&mut cells[1]);
        let mut heights = Lane::ZERO;
        if stack < 16 {
            filled_down(all.lower()).heights().store_lane(&mut heights);
        } else {
            All(all.lower(), all.upper()).filled_down().heights().store_lane(&mut heights);
        }
        let measured = stack.max(delta.size.height());
        let board = Walled::new(&cells, &heights, delta, measured);
        let width = delta.size.width();
        let columns = &board.heights[2..width + 2];
        let mut score = 0;
        for term in &delta.extras.0 {
            let raw = match term.extra {
                Extra::FloorCells => rows[0].count_ones() as i16,
                Extra::TopCells => rows[measured - 1].count_ones() as i16,
                Extra::LowestHeight => columns.iter().copied().min().unwrap_or(0),
                Extra::Rbf(_) => term.table[board.sum_of_heights(width)],
                extra if stack < 16 => {
                    of_board::<S, Low<S::Words>>(extra, &board)[..width].iter().sum()
                }
                extra => of_board::<S, All<S::Words>>(extra, &board)[..width].iter().sum(),
            };
            score += term.weight * i64::from(raw);
        }
        score
    }
}

/// Returns the part of each column in `extra`.
#[inline(always)]
fn of_board<S: Simd, T: ColumnCells<Words = S::Words>>(extra: Extra, board: &Walled) -> Sixteen {
    let mut parts = [0; 16];
    let cells = [1, 2, 3].map(|at| board.load::<T>(at));
    let heights = [1, 2, 3].map(|at| sixteen(&board.heights, at));
    add_parts::<S, T>(extra, cells, heights, sixteen(&board.inner, 2), board.measured, &mut parts);
    parts
}

/// Adds the part of sixteen columns in `extra` to `to`. The columns' own `cells` and `heights` are
/// in the middle, those of their left and right neighbours beside them. `inner` is -1 for columns
/// that are not at a wall, and `measured` the number of measured rows.
#[inline(always)]
fn add_parts<S: Simd, T: ColumnCells<Words = S::Words>>(
    extra: Extra,
    [left, own, right]: [T; 3],
    heights: [&Sixteen; 3],
    inner: &Sixteen,
    measured: i16,
    to: &mut Sixteen,
) {
    let wells = left.and(right).without(own);
    let [l, o, r] = heights;
    match extra {
        Extra::WellsByHeight => {
            for c in 0..16 {
                to[c] += triangle((l[c].min(r[c]) - o[c]).max(0));
            }
        }
        Extra::WellsSquared => {
            for c in 0..16 {
                let depth = l[c].min(r[c]) - o[c];
                to[c] += depth.wrapping_mul(depth) & inner[c];
            }
        }
        Extra::WellsGuide => {
            for c in 0..16 {
                // The run above the column, to the highest row.
                let open = if l[c].min(r[c]) > o[c] { triangle(measured - o[c]) } else { 0 };
                to[c] += open;
            }
            let holes = own.filled_down().without(own);
            let touched = run_of(holes.and(left), holes).and(run_of(holes.and(right), holes));
            add_triangles::<S, T>(touched, to);
        }
        Extra::WellsOpen => add_lane(wells.without(own.filled_down()).heights(), to, triangle),
        Extra::WellsOpenRestart => add_triangles::<S, T>(wells.without(own.filled_down()), to),
        Extra::WellsFast => add_triangles::<S, T>(down_from(wells, own.not()), to),
        Extra::WellCells => add_lane(down_from(wells, own.not()).heights(), to, |count| count),
        Extra::ColumnSums => add_lane(own.heights(), to, triangle),
        _ => {}
    }
}

/// Adds `part` of each byte of `counts` to `to`.
#[inline(always)]
fn add_lane<L: OneLane>(counts: L, to: &mut Sixteen, part: impl Fn(i16) -> i16) {
    let mut lane = Lane::ZERO;
    counts.store_lane(&mut lane);
    for c in 0..16 {
        to[c] += part(i16::from(lane.0[c]));
    }
}

/// Returns all cells of the vertical runs of `cells` that have a cell in `some`.
#[inline(always)]
fn run_of<T: ColumnCells>(mut some: T, cells: T) -> T {
    loop {
        let more = some.up().or(some.down()).and(cells).without(some);
        if more.is_empty() {
            return some;
        }
        some = some.or(more);
    }
}

/// Adds 1 + ... + n to each column for each of its vertical runs of n cells.
#[inline(always)]
fn add_triangles<S: Simd, T: ColumnCells<Words = S::Words>>(mut cells: T, to: &mut Sixteen) {
    // In round k, the cells that have k cells directly below them count 1.
    loop {
        // Four rounds before each check: a byte takes the counts of seven.
        let mut sum = cells.heights();
        for _ in 0..3 {
            cells = cells.and(cells.down());
            sum = sum.add(cells.heights());
        }
        cells = cells.and(cells.down());
        add_lane(sum, to, |count| count);
        if cells.is_empty() {
            return;
        }
    }
}

/// Job that measures the extras of all placements.
struct MeasureJob<'a> {
    delta: &'a Delta,
    tables: &'a mut Tables,
    shape: &'a Shape,
    /// Landing row of each placement.
    landing: Block,
}

impl BoardJob for MeasureJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        match self.tables.tall {
            false => self.measure::<S, Low<S::Words>>(),
            true => self.measure::<S, All<S::Words>>(),
        }
    }
}

impl MeasureJob<'_> {
    #[inline(always)]
    fn measure<S: Simd, T: ColumnCells<Words = S::Words>>(self) {
        let MeasureJob { delta, tables, shape, landing } = self;
        let size = delta.size;
        let board = Walled::new(&tables.columns, &tables.heights[1], delta, size.height());
        // The part of each column before the placement, numbered as in `board`.
        let mut before = [[0; MAX_WIDTH + 8]; MOST_EXTRAS];
        for (term, before) in delta.extras.0.iter().zip(&mut before) {
            before[2..18].copy_from_slice(&of_board::<S, T>(term.extra, &board));
        }
        for (o, &w) in shape.widths.iter().enumerate() {
            let rows = sixteen(&landing.0, 16 * o);
            // The columns from the second on the left of the piece to the second on its right.
            let (mut cells, mut heights) = ([board.load::<T>(0); 8], [[0; 16]; 8]);
            for d in 0..w + 4 {
                cells[d] = board.load(d);
                heights[d] = *sixteen(&board.heights, d);
            }
            for j in 0..w {
                let (bottom, thickness) = (shape.bottom[j].0[16 * o], shape.thickness[j].0[16 * o]);
                let own = ((1u32 << thickness) - 1) << bottom;
                let mut piece = [[0; 16]; 2];
                for c in 0..16 {
                    let moved = own.wrapping_shl(u32::from(rows[c]));
                    (piece[0][c], piece[1][c]) = (moved as u16, (moved >> 16) as u16);
                    heights[j + 2][c] = i16::from(rows[c] + bottom + thickness);
                }
                cells[j + 2] = cells[j + 2].or(T::load(&piece[0], &piece[1]));
            }
            let terms = delta.extras.0.iter().zip(&before);
            for ((term, before), changes) in terms.zip(&mut tables.extras) {
                let mut to = [0; 16];
                let own_row = |k: usize| i16::from(shape.row_cells[o][k]);
                match term.extra {
                    Extra::FloorCells => {
                        for c in 0..16 {
                            to[c] = if rows[c] == 0 { own_row(0) } else { 0 };
                        }
                    }
                    Extra::TopCells => {
                        let height = shape.heights[o];
                        let lowest = (size.height() as u8).wrapping_sub(height);
                        let top = own_row(height as usize - 1);
                        for c in 0..16 {
                            to[c] = if rows[c] == lowest { top } else { 0 };
                        }
                    }
                    Extra::LowestHeight => to = lowest_changes(&board, size.width(), w, &heights),
                    Extra::Rbf(_) => {
                        let sum = board.sum_of_heights(size.width());
                        let value = |sum: usize| term.table.get(sum).copied().unwrap_or(0);
                        for c in 0..16 {
                            let rise = |j: usize| heights[j][c] - board.heights[c + j];
                            let rise: i16 = (2..w + 2).map(rise).sum();
                            to[c] = value(sum.wrapping_add_signed(rise.into())) - value(sum);
                        }
                    }
                    extra => {
                        // Sums of columns do not depend on the neighbours, which may be walls.
                        let beside = usize::from(extra != Extra::ColumnSums);
                        for d in 2 - beside..w + 2 + beside {
                            let cells = [cells[d - 1], cells[d], cells[d + 1]];
                            let heights = [&heights[d - 1], &heights[d], &heights[d + 1]];
                            let inner = sixteen(&board.inner, d);
                            add_parts::<S, T>(
                                extra,
                                cells,
                                heights,
                                inner,
                                board.measured,
                                &mut to,
                            );
                            let before = sixteen(before, d);
                            for c in 0..16 {
                                to[c] -= before[c];
                            }
                        }
                    }
                }
                changes[16 * o..16 * o + 16].copy_from_slice(&to);
            }
        }
    }
}

/// Returns the change of the lowest height by sixteen placements of a piece `w` columns wide.
/// `heights` has the heights after the placements, from the second column on the left of the piece.
#[inline(always)]
fn lowest_changes(board: &Walled, width: usize, w: usize, heights: &[Sixteen; 8]) -> Sixteen {
    // The lowest height left of each column, and of each column and those on its right.
    let (mut left, mut right) = ([WALL; MAX_WIDTH + 8], [WALL; MAX_WIDTH + 8]);
    for c in 0..width {
        left[c + 1] = left[c].min(board.heights[c + 2]);
    }
    for c in (0..width).rev() {
        right[c] = right[c + 1].min(board.heights[c + 2]);
    }
    let mut changes = [0; 16];
    for c in 0..16 {
        let own = (2..w + 2).map(|d| heights[d][c]).fold(WALL, i16::min);
        changes[c] = own.min(left[c]).min(right[c + w]) - right[0];
    }
    changes
}
