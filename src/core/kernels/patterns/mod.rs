//! Computes the pattern values of all placements of a piece from the windows that each one changes.
//!
//! | windows | code |
//! |---|---|
//! | full rectangles at every position, on boards that are high enough | [`grid`] |
//! | the same, if they are small and their tables do not learn | [`grid`], merged |
//! | all others | [`SingleWindow`], looked up cell by cell |
//!
//! | step | work |
//! |---|---|
//! | for a board | sums of all windows below each row, to four rows above the stack |
//! | for a placement | entries of all windows in the rows it touches, minus their sum before |
//! | if it removes rows or ends above the top | the entries of all windows from its lowest row on |
//!
//! The values are sums of table entries, so they are equal on every machine. Entries may have
//! another type than that of a controller: a learner has its own tables of `f32`.

// Loops use an index: iterators take closures, which are not compiled for the instruction level.
#![allow(clippy::needless_range_loop)]

mod grid;

use std::ops::{Add, AddAssign, Sub};

use fearless_simd::Simd;

use self::grid::{Grid, GridScratch, MAX_MERGED_ENTRIES, Source, first_table, merged_windows};
use super::evaluator::PlayRules;
use super::shapes::Shapes;
use crate::board::{Board, BoardSize, ROWS, full_row};
use crate::controller::{Lookup, PatternLayout, Patterns, WindowShape, mirrored_rows};
use crate::features::Measured;
use crate::piece::Piece;
use crate::simd::{LANES, Level, VectorJob, run_vectors};

/// Number type of the entries of pattern tables, such as `i16` or `f32`.
pub trait TableEntry: Copy {
    /// Number type of sums of pattern table entries.
    type Sum: Copy + Default + Add<Output = Self::Sum> + Sub<Output = Self::Sum> + AddAssign;

    /// Converts a pattern table entry to the number type in which entries are added up.
    fn sum(self) -> Self::Sum;
}

impl TableEntry for i16 {
    type Sum = i32;

    #[inline(always)]
    fn sum(self) -> i32 {
        i32::from(self)
    }
}

/// An entry of merged pattern tables: a sum of several `i16`.
impl TableEntry for i32 {
    type Sum = i32;

    #[inline(always)]
    fn sum(self) -> i32 {
        self
    }
}

impl TableEntry for f32 {
    type Sum = f64;

    #[inline(always)]
    fn sum(self) -> f64 {
        f64::from(self)
    }
}

/// Calculator of the pattern values after all placements of a piece, on boards of one size.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::{PatternLayout, PatternWindow, TableRows, WindowPlaces};
/// use tetrastat::{board::Board, features::Measured, piece::Piece};
/// use tetrastat::kernels::{Level, PatternKernel};
/// let window = PatternWindow {
///     cells: "3x3".to_owned(),
///     at: WindowPlaces::Everywhere,
///     mirror: true,
///     rows: TableRows::Own,
/// };
/// let size = "10x20".parse()?;
/// let layout = PatternLayout::new(&[window], size)?;
/// let kernel = PatternKernel::new(&layout, Measured::AfterClear, false, Level::detect());
/// let mut tables = vec![0.0f32; layout.entries()];
/// tables[1 + 8 + 64] = 0.5; // the lowest left window, if only its lowest three cells are filled
/// let mut scratch = kernel.scratch(&tables);
/// let count = kernel.evaluate(&tables, &Board::empty(size), Piece::I, &mut scratch);
/// assert_eq!(count, 17); // ten upright placements, then seven flat ones
/// let values = scratch.values();
/// let better: Vec<usize> = (0..count).filter(|&placement| values[placement] == 0.5).collect();
/// assert_eq!(better, [10, 16]); // flat in a corner: the right windows share the left tables
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PatternKernel {
    size: BoardSize,
    level: Level,
    play: PlayRules,
    shapes: Vec<Shapes>,
    cells: Vec<PieceCells>,
    grids: Vec<Grid>,
    singles: Vec<SingleWindow>,
}

struct PieceCells {
    rows: [u64; LANES],
    heights: [u64; LANES],
}

/// Working memory and results of a [`PatternKernel`], for one thread.
///
/// Element i of each result belongs to the i-th evaluated placement, by default by orientation and
/// then column. Further elements are meaningless.
pub struct PatternScratch<S> {
    grids: Vec<GridScratch<S>>,
    singles: Vec<S>,
    total: S,
    board: Option<(Board, usize)>,
    values: [S; LANES],
    lines: [u8; LANES],
    rows: [u8; LANES],
    lost: u64,
    /// Bit mask of the placements that may fill rows or reach above the top of the board.
    apart: u64,
}

impl<S> PatternScratch<S> {
    /// Returns the pattern value (sum of pattern table entries) of the board after each placement.
    #[must_use]
    pub fn values(&self) -> &[S; LANES] {
        &self.values
    }

    /// Returns the number of rows that each placement removes.
    #[must_use]
    pub fn lines(&self) -> &[u8; LANES] {
        &self.lines
    }

    /// Returns the row of the lowest cell of each placement in the last evaluation.
    #[must_use]
    pub fn rows(&self) -> &[u8; LANES] {
        &self.rows
    }

    /// Returns a mask of the placements that end the game, one bit each.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl PatternKernel {
    /// Creates a kernel for the pattern windows of `layout`, on boards before or after the removal
    /// of full rows (`measured`). With `clear_on_overflow`, a piece above the top still removes
    /// full rows.
    #[must_use]
    pub fn new(
        layout: &PatternLayout,
        measured: Measured,
        clear_on_overflow: bool,
        level: Level,
    ) -> PatternKernel {
        let play = PlayRules { measured, clear_on_overflow };
        let unmerged = |window: usize| Source::new(layout, window, 1);
        PatternKernel::from_sources(layout, play, level, unmerged)
    }

    /// Creates a faster kernel in which neighbouring windows share merged tables; `None` if no
    /// windows merge or tables grow too large.
    pub(super) fn merged(
        patterns: &Patterns,
        play: PlayRules,
        level: Level,
    ) -> Option<(PatternKernel, Box<[i32]>)> {
        let layout = patterns.layout();
        let mut tables = Vec::new();
        let mut sources = Vec::new();
        for window in 0..layout.windows().len() {
            let source = Source::new(layout, window, merged_windows(layout, window));
            sources.push(Source { first: tables.len(), ..source });
            source.append(patterns, &mut tables);
            if tables.len() > MAX_MERGED_ENTRIES {
                return None;
            }
        }
        sources.iter().any(|source| source.merged > 1).then(|| {
            let kernel = PatternKernel::from_sources(layout, play, level, |window| sources[window]);
            (kernel, tables.into())
        })
    }

    fn from_sources(
        layout: &PatternLayout,
        play: PlayRules,
        level: Level,
        source: impl Fn(usize) -> Source,
    ) -> PatternKernel {
        let size = layout.size();
        let shapes: Vec<Shapes> = Piece::ALL.map(|piece| Shapes::new(size.width(), piece)).into();
        let cells = |shapes: &Shapes| PieceCells {
            rows: std::array::from_fn(|lane| {
                four_rows(shapes.rows.each_ref().map(|row| row.0[lane]))
            }),
            heights: shapes.height.map(u64::from),
        };
        let cells = shapes.iter().map(cells).collect();
        let (mut grids, mut singles) = (Vec::new(), Vec::new());
        for window in 0..layout.windows().len() {
            let source = source(window);
            match Grid::new(layout, source, &shapes) {
                Some(grid) => grids.push(grid),
                None => {
                    let shape = &layout.shapes()[window];
                    let first = first_table(layout, window);
                    for lookup in layout.lookups_of(window) {
                        let table = lookup.table - first + source.first;
                        singles.push(SingleWindow::new(size, &Lookup { table, ..*lookup }, shape));
                    }
                }
            }
        }
        PatternKernel { size, level, play, shapes, cells, grids, singles }
    }

    /// Returns working memory of the pattern kernel for one thread, prepared for `tables`.
    #[must_use]
    pub fn scratch<E: TableEntry>(&self, tables: &[E]) -> PatternScratch<E::Sum> {
        let zero = E::Sum::default();
        let mut scratch = PatternScratch {
            grids: self.grids.iter().map(Grid::scratch).collect(),
            singles: vec![zero; self.singles.len()],
            total: zero,
            board: None,
            values: [zero; LANES],
            lines: [0; LANES],
            rows: [0; LANES],
            lost: 0,
            apart: 0,
        };
        self.refresh(tables, &mut scratch);
        scratch
    }

    /// Updates `scratch` after a change of the pattern `tables`, before the next evaluation.
    pub fn refresh<E: TableEntry>(&self, tables: &[E], scratch: &mut PatternScratch<E::Sum>) {
        scratch.board = None;
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            grid.refresh(tables, memory);
        }
    }

    /// Returns the pattern value of `board`: the sum of the entries that its windows select.
    #[must_use]
    pub fn value<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E::Sum>,
    ) -> E::Sum {
        run_vectors(self.level, SumJob { kernel: self, tables, board, scratch });
        scratch.total
    }

    /// Computes in `scratch` the pattern value after each placement of `piece` dropped from above,
    /// by orientation, then column. Returns the number of placements.
    pub fn evaluate<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        scratch: &mut PatternScratch<E::Sum>,
    ) -> usize {
        let job = EvaluateJob { kernel: self, tables, board, piece, given: None, scratch };
        run_vectors(self.level, job);
        let (shapes, rows) = (&self.shapes[piece.index()], scratch.rows);
        if !self.singles.is_empty() {
            let given = (&ALL_LANES, &rows, shapes.count);
            self.add_singles(tables, board, piece, given, scratch);
        }
        shapes.count
    }

    /// Computes the pattern value of the board after each of the given placements of a piece.
    pub(super) fn evaluate_lanes<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (lanes, rows, count): (&[u8; LANES], &[u8; LANES], usize),
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        let given = (lanes, rows, count.min(LANES));
        let job = EvaluateJob { kernel: self, tables, board, piece, given: Some(given), scratch };
        run_vectors(self.level, job);
        if !self.singles.is_empty() {
            self.add_singles(tables, board, piece, given, scratch);
        }
    }

    #[inline(never)]
    fn add_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (lanes, rows, count): PlacementList,
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        for at in 0..count {
            let (lane, row) = (lanes[at].into(), rows[at].into());
            if scratch.apart >> at & 1 == 0 {
                let change = self.change_of_singles(tables, board, piece, lane, row, scratch);
                scratch.values[at] += change;
            }
        }
    }

    /// Computes pattern values of the `candidates`, but adds changes of single windows only to
    /// placements that may fill rows or overflow.
    #[inline(always)]
    fn evaluate_candidates<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        candidates: &Candidates,
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        let &Candidates { piece, lanes, rows, count } = candidates;
        let cells = &self.cells[piece.index()];
        let height = self.size.height();
        let full = four_rows([full_row(self.size.width()); 4]);
        let stack = match scratch.board {
            Some((_, stack)) => stack,
            None => ROWS,
        };
        // Sums are known up to four rows above the stack.
        let highest = height.min(stack + 4) as u64;
        let mut others = [0; 2 * ROWS];
        others[..ROWS].copy_from_slice(board.rows());
        let mut apart = 0;
        for at in 0..count {
            let (lane, row) = (usize::from(lanes[at]) % LANES, usize::from(rows[at]) % ROWS);
            let others =
                four_rows([others[row], others[row + 1], others[row + 2], others[row + 3]]);
            let missing = (others | cells.rows[lane]) ^ full;
            let is_apart = (row as u64 + cells.heights[lane] > highest) | has_zero_row(missing);
            apart |= u64::from(is_apart) << at;
        }
        scratch.apart = apart;
        scratch.lines = [0; LANES];
        scratch.lost = if stack > height { u64::MAX } else { 0 };
        scratch.values = [scratch.total; LANES];
        for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
            grid.add_changes(tables, candidates, memory, &mut scratch.values);
        }
        let mut left = apart;
        while left != 0 {
            let at = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            let candidate = (at, lanes[at].into(), rows[at].into());
            self.place_apart(tables, board, piece, candidate, scratch);
        }
    }

    #[inline(always)]
    fn place_apart<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (at, lane, row): (usize, usize, usize),
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        let (height, full) = (self.size.height(), full_row(self.size.width()));
        let cells = &self.cells[piece.index()];
        let (own, own_height) = (cells.rows[lane % LANES], cells.heights[lane % LANES] as usize);
        let (stack, top) = (scratch.board.map_or(ROWS, |(_, stack)| stack), row + own_height);
        let stack = stack.max(top).min(ROWS);
        let mut rows = *board.rows();
        let stays = top > height && !self.play.clear_on_overflow;
        let mut removed = 0u32;
        for k in 0..own_height {
            let cells = &mut rows[(row + k) % ROWS];
            *cells |= (own >> (16 * k)) as u16;
            removed |= u32::from(*cells == full && !stays) << ((row + k) % ROWS);
        }
        let locked = rows;
        let mut to = row;
        for from in row..stack {
            rows[to] = rows[from];
            to += usize::from(removed >> from & 1 == 0);
        }
        rows[to..stack].fill(0);
        while to > 0 && rows[to - 1] == 0 {
            to -= 1;
        }
        scratch.lost = scratch.lost & !(1 << at) | u64::from(to > height) << at;
        scratch.lines[at] = removed.count_ones() as u8;
        scratch.values[at] = match self.play.measured {
            Measured::BeforeClear => self.sum_from(tables, &locked, stack, row, scratch),
            Measured::AfterClear => self.sum_from(tables, &rows, to, row, scratch),
        };
    }

    #[inline(always)]
    fn sum_board<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        debug_assert_eq!(board.size(), self.size);
        // Rows below the first row that differs from the last board keep their sums.
        let known = match &scratch.board {
            None => 0,
            Some((known, _)) => {
                let mut row = 0;
                while row < ROWS && board.rows()[row] == known.rows()[row] {
                    row += 1;
                }
                if row == ROWS {
                    return;
                }
                row
            }
        };
        let stack = board.stack_height();
        scratch.board = Some((*board, stack));
        scratch.total = E::Sum::default();
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            scratch.total += grid.sum_board(tables, board.rows(), known, stack, memory);
        }
        if !self.singles.is_empty() {
            self.start_singles(tables, board, scratch);
        }
    }

    #[inline(never)]
    fn start_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        let mirrored = mirrored_rows(board.rows(), self.size.width());
        for (single, entry) in self.singles.iter().zip(&mut scratch.singles) {
            *entry = single.entry(tables, board.rows(), &mirrored);
            scratch.total += *entry;
        }
    }

    /// Returns the pattern value of `rows`, which equal the last evaluated board below row `row`.
    #[inline(always)]
    fn sum_from<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        stack: usize,
        row: usize,
        scratch: &PatternScratch<E::Sum>,
    ) -> E::Sum {
        let mut value = E::Sum::default();
        for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
            value += grid.sum_from(tables, rows, stack, row, memory);
        }
        if !self.singles.is_empty() {
            value += self.sum_singles(tables, rows);
        }
        value
    }

    #[inline(never)]
    fn sum_singles<E: TableEntry>(&self, tables: &[E], rows: &[u16; ROWS]) -> E::Sum {
        let mirrored = mirrored_rows(rows, self.size.width());
        let mut value = E::Sum::default();
        for single in &self.singles {
            value += single.entry(tables, rows, &mirrored);
        }
        value
    }

    #[inline(never)]
    fn change_of_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        lane: usize,
        row: usize,
        scratch: &PatternScratch<E::Sum>,
    ) -> E::Sum {
        let candidate = self.shapes[piece.index()].candidate(lane, row as u8);
        let (after, top) = (candidate.lock(board, piece), candidate.top(piece));
        let mirrored = mirrored_rows(after.rows(), self.size.width());
        let rows = self.cells[piece.index()].rows[lane];
        let cells = rows | rows >> 32;
        let cells = (cells | cells >> 16) as u16;
        let mut change = E::Sum::default();
        for (single, &before) in self.singles.iter().zip(&scratch.singles) {
            let WindowShape { columns, rows, .. } = single.shape;
            let is_beside = u32::from(cells) >> single.column & ((1 << columns) - 1) == 0;
            let is_touched =
                single.lookup.row < top && single.lookup.row + rows > row && !is_beside;
            if is_touched {
                change += single.entry(tables, after.rows(), &mirrored) - before;
            }
        }
        change
    }
}

/// List of placements of one piece: their indices, their landing rows, and their number.
type PlacementList<'a> = (&'a [u8; LANES], &'a [u8; LANES], usize);

struct Candidates<'a> {
    piece: Piece,
    lanes: &'a [u8; LANES],
    rows: &'a [u8; LANES],
    count: usize,
}

const ALL_LANES: [u8; LANES] = {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = lane as u8;
        lane += 1;
    }
    lanes
};

struct SumJob<'a, E: TableEntry> {
    kernel: &'a PatternKernel,
    tables: &'a [E],
    board: &'a Board,
    scratch: &'a mut PatternScratch<E::Sum>,
}

impl<E: TableEntry> VectorJob for SumJob<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.kernel.sum_board(self.tables, self.board, self.scratch);
    }
}

struct EvaluateJob<'a, E: TableEntry> {
    kernel: &'a PatternKernel,
    tables: &'a [E],
    board: &'a Board,
    piece: Piece,
    /// Placements to evaluate, or `None` for all placements that are dropped from above.
    given: Option<PlacementList<'a>>,
    scratch: &'a mut PatternScratch<E::Sum>,
}

impl<E: TableEntry> VectorJob for EvaluateJob<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let EvaluateJob { kernel, tables, board, piece, given, scratch } = self;
        kernel.sum_board(tables, board, scratch);
        let from_above;
        let (lanes, rows, count) = match given {
            Some(given) => given,
            None => {
                let shapes = &kernel.shapes[piece.index()];
                from_above = shapes.landing_rows(&board.heights());
                scratch.rows = from_above;
                (&ALL_LANES, &from_above, shapes.count.min(LANES))
            }
        };
        let candidates = Candidates { piece, lanes, rows, count };
        kernel.evaluate_candidates(tables, board, &candidates, scratch);
    }
}

#[inline(always)]
fn four_rows(rows: [u16; 4]) -> u64 {
    let [a, b, c, d] = rows.map(u64::from);
    a | b << 16 | c << 32 | d << 48
}

#[inline(always)]
fn has_zero_row(rows: u64) -> bool {
    const LOWEST: u64 = 0x0001_0001_0001_0001;
    rows.wrapping_sub(LOWEST) & !rows & LOWEST << 15 != 0
}

/// Pattern window at a single position of the board, looked up cell by cell.
pub(super) struct SingleWindow {
    pub(super) lookup: Lookup,
    pub(super) shape: WindowShape,
    pub(super) column: usize,
}

impl SingleWindow {
    pub(super) fn new(size: BoardSize, lookup: &Lookup, shape: &WindowShape) -> SingleWindow {
        let opposite = size.width() - shape.columns - lookup.column;
        let column = if lookup.is_mirrored { opposite } else { lookup.column };
        SingleWindow { lookup: *lookup, shape: shape.clone(), column }
    }

    /// Returns the pattern table entry that the cells of the window select. `mirrored` holds the
    /// board `rows` with the columns in reverse order.
    pub(super) fn entry<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        mirrored: &[u16; ROWS],
    ) -> E::Sum {
        let rows = if self.lookup.is_mirrored { mirrored } else { rows };
        tables[self.lookup.index(&self.shape, rows) as usize].sum()
    }
}
