//! Computes the pattern values of all placements of a piece from the windows that each one changes.
//!
//! A grid is a full rectangle at every place of the board. Row r of the board is spread, so that
//! the windows of a board row are runs of bits of one word (`h` is the rectangle's height):
//!
//! ```text
//! spread(row)     bit h x is column x of the row
//! word(y)         spread(row y) | spread(row y + 1) << 1 | ... (h rows)
//! index(x, y)     word(y) >> h x, cut to the bits of one table
//! ```
//!
//! Columns that share tables read the mirrored board. Its spread rows are in the upper part of the
//! same word, so all columns differ only in their shift and their table.
//!
//! | step | work |
//! |---|---|
//! | for a board | sums of all windows left of and below each place, to four rows above the stack |
//! | for a placement | new entries of the windows around the piece, minus their sum before |
//! | if it removes rows or ends above the top | the entries of all windows from its lowest row on |
//!
//! The block of windows around a piece has the same size at every place. Near walls and floor it
//! includes windows that do not change, whose difference is zero. Loops therefore have no branch
//! that depends on the place.
//!
//! Windows of other shapes, at listed places, or on small boards are looked up cell by cell. The
//! values are sums of table entries, so they are equal on every machine. Entries may have another
//! type than that of a controller: a learner has its own tables of `f32` in the same layout.

// Loops use an index: iterators take closures, which are not compiled for the instruction level.
#![allow(clippy::needless_range_loop)]

use std::ops::{Add, AddAssign, Range, Sub};

use super::board_batch::PlayRules;
use super::shapes::Shapes;
use crate::board::{Board, BoardSize, MAX_WIDTH, ROWS, full_row};
use crate::controller::{
    Lookup, PatternLayout, TableRows, WindowPlaces, WindowShape, mirrored_rows,
};
use crate::features::Measured;
use crate::piece::Piece;
use crate::simd::{LANES, Level, LoopsJob, run_loops};

/// A type of table entries.
pub trait TableEntry: Copy {
    /// Type of sums of entries.
    type Sum: Copy + Default + Add<Output = Self::Sum> + Sub<Output = Self::Sum> + AddAssign;

    /// Returns the entry as a sum of one entry.
    fn sum(self) -> Self::Sum;
}

impl TableEntry for i16 {
    type Sum = i32;

    #[inline(always)]
    fn sum(self) -> i32 {
        i32::from(self)
    }
}

impl TableEntry for f32 {
    type Sum = f64;

    #[inline(always)]
    fn sum(self) -> f64 {
        f64::from(self)
    }
}

/// Windows prepared for all pieces on boards of one size. It holds no table values.
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
/// tables[1] = 0.5; // only the lowest left cell of the lowest left window is filled
/// let mut scratch = kernel.scratch(&tables);
/// let count = kernel.evaluate(&tables, &Board::empty(size), Piece::I, &mut scratch);
/// assert_eq!(count, 17);
/// assert_eq!(scratch.values()[..2], [0.0, 0.0]); // upright: cells above the lowest one, too
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PatternKernel {
    size: BoardSize,
    level: Level,
    play: PlayRules,
    shapes: Vec<Shapes>,
    /// Cells of each piece's placements, indexed by [`Piece::index`].
    cells: Vec<Vec<LaneCells>>,
    grids: Vec<Grid>,
    /// Windows that are in no grid.
    singles: Vec<Single>,
}

/// The cells of a placement on its own.
#[derive(Clone, Copy)]
struct LaneCells {
    /// The piece's four rows, the lowest in the lowest sixteen bits.
    rows: u64,
    /// Number of rows of the piece.
    height: usize,
}

/// A full rectangle at every place of a board.
struct Grid {
    /// Number of rows of the rectangle.
    height: usize,
    /// Number of places beside each other.
    columns: usize,
    /// Number of places above each other.
    rows: usize,
    /// All bits of a word except those of the windows' highest rows.
    lower: u64,
    /// Mask of an index.
    mask: u64,
    /// Spread cells of the lower and the upper eight columns of a row.
    spread: [[u64; 256]; 2],
    /// Position of the lowest bit of each column's windows in a word.
    shifts: [u64; MAX_WIDTH],
    /// First entry of each column's table, from the first entry of its row.
    tables: [u64; MAX_WIDTH],
    /// First entry of the tables of each row.
    firsts: [u64; ROWS],
    /// Words of the pieces, indexed by [`Piece::index`].
    pieces: Vec<PieceWords>,
}

/// The cells of all placements of a piece as words of a grid.
struct PieceWords {
    /// Number of words of a placement. Word k belongs to the windows 2 (h - 1) - k rows below the
    /// piece's lowest row; words beyond its cells are zero.
    stride: usize,
    words: Vec<u64>,
    blocks: Vec<Block>,
}

/// The block of windows to look up anew for a placement.
#[derive(Clone, Copy)]
struct Block {
    /// First column of windows.
    column: u8,
    columns: u8,
    rows: u8,
    /// Index of the copy of the code for blocks of this size.
    copy: u8,
}

/// A window at one place that is in no grid.
struct Single {
    lookup: Lookup,
    shape: WindowShape,
    /// Column of the window's left side on the board itself.
    column: usize,
}

/// Working memory of a [`PatternKernel`] for one thread, and the results of the last evaluation.
///
/// Element l of the results belongs to the l-th placement in canonical order (orientation, then
/// column), or to the l-th candidate given. Elements beyond the number of candidates are stale.
pub struct PatternScratch<E: TableEntry> {
    grids: Vec<GridScratch<E>>,
    /// Entry of each of the kernel's single windows.
    singles: Vec<E::Sum>,
    /// Value of `board`.
    total: E::Sum,
    /// Board for which the sums are valid, with its stack height.
    board: Option<(Board, usize)>,
    values: [E::Sum; LANES],
    lines: [u8; LANES],
    rows: [u8; LANES],
    lost: u64,
}

/// Sums of a board's windows in one grid.
struct GridScratch<E: TableEntry> {
    words: [u64; ROWS],
    /// Indices of the entries of the blocks of up to sixteen placements.
    indices: [[u64; LARGEST_BLOCK]; MAX_WIDTH],
    /// Sums of the windows left of and below each place. The arrays are longer than needed, so that
    /// masks replace index checks.
    sums: [[E::Sum; 2 * MAX_WIDTH]; 2 * ROWS],
    /// Number of rows of places whose sums are known.
    top: usize,
    /// Sums of the empty windows from the first one to each one of its row.
    empty_rows: [[E::Sum; MAX_WIDTH]; ROWS],
    /// Sums of all windows from each row on, if they are empty.
    empty: [E::Sum; ROWS + 1],
}

impl<E: TableEntry> PatternScratch<E> {
    /// Returns the values of the boards after all placements.
    #[must_use]
    pub fn values(&self) -> &[E::Sum; LANES] {
        &self.values
    }

    /// Returns the number of rows that each placement removes.
    #[must_use]
    pub fn lines(&self) -> &[u8; LANES] {
        &self.lines
    }

    /// Returns the landing row of each placement.
    #[must_use]
    pub fn rows(&self) -> &[u8; LANES] {
        &self.rows
    }

    /// Returns the placements that end the game, one bit each.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl PatternKernel {
    /// Prepares the windows of `layout`. `measured` and `clear_on_overflow` are those of the
    /// controller and the rules. `level` affects only the speed.
    #[must_use]
    pub fn new(
        layout: &PatternLayout,
        measured: Measured,
        clear_on_overflow: bool,
        level: Level,
    ) -> PatternKernel {
        let size = layout.size();
        let shapes: Vec<Shapes> = Piece::ALL.map(|piece| Shapes::new(size.width(), piece)).into();
        let cells = |shapes: &Shapes| {
            let lane = |lane: usize| LaneCells {
                rows: four_rows(std::array::from_fn(|k| shapes.rows[k].0[lane])),
                height: shapes.height[lane].into(),
            };
            (0..shapes.count).map(lane).collect()
        };
        let cells = shapes.iter().map(cells).collect();
        let (mut grids, mut singles) = (Vec::new(), Vec::new());
        for window in 0..layout.windows().len() {
            match Grid::new(layout, window, &shapes) {
                Some(grid) => grids.push(grid),
                None => {
                    let shape = &layout.shapes()[window];
                    let of_window = layout.lookups().iter().filter(|l| l.window == window);
                    singles.extend(of_window.map(|lookup| Single::new(size, lookup, shape)));
                }
            }
        }
        let play = PlayRules { measured, clear_on_overflow };
        PatternKernel { size, level, play, shapes, cells, grids, singles }
    }

    /// Returns working memory for one thread, prepared for `tables`.
    #[must_use]
    pub fn scratch<E: TableEntry>(&self, tables: &[E]) -> PatternScratch<E> {
        let zero = E::Sum::default();
        let grid = |_: &Grid| GridScratch {
            words: [0; ROWS],
            indices: [[0; LARGEST_BLOCK]; MAX_WIDTH],
            sums: [[zero; 2 * MAX_WIDTH]; 2 * ROWS],
            top: 0,
            empty_rows: [[zero; MAX_WIDTH]; ROWS],
            empty: [zero; ROWS + 1],
        };
        let mut scratch = PatternScratch {
            grids: self.grids.iter().map(grid).collect(),
            singles: vec![zero; self.singles.len()],
            total: zero,
            board: None,
            values: [zero; LANES],
            lines: [0; LANES],
            rows: [0; LANES],
            lost: 0,
        };
        self.refresh(tables, &mut scratch);
        scratch
    }

    /// Prepares `scratch` for changed tables. Must be called after every change of `tables`.
    pub fn refresh<E: TableEntry>(&self, tables: &[E], scratch: &mut PatternScratch<E>) {
        scratch.board = None;
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            memory.top = 0;
            for y in (0..grid.rows).rev() {
                let mut sum = E::Sum::default();
                for x in 0..grid.columns {
                    sum += tables[(grid.firsts[y] + grid.tables[x]) as usize].sum();
                    memory.empty_rows[y][x] = sum;
                }
                memory.empty[y] = memory.empty[y + 1] + sum;
            }
        }
    }

    /// Returns the value of `board`: the sum of the entries that its windows select.
    #[must_use]
    pub fn value<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E>,
    ) -> E::Sum {
        run_loops(self.level, BeginJob { kernel: self, tables, board, scratch });
        scratch.total
    }

    /// Computes the value of the board after every placement of `piece` dropped from above, in
    /// canonical order. Returns the number of placements; the results are in `scratch`.
    pub fn evaluate<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        scratch: &mut PatternScratch<E>,
    ) -> usize {
        let shapes = &self.shapes[piece.index()];
        let rows = shapes.landing_rows(&board.heights());
        let lanes = std::array::from_fn(|lane| lane as u8);
        self.evaluate_lanes(tables, board, piece, (&lanes, &rows, shapes.count), scratch);
        scratch.rows = rows;
        shapes.count
    }

    /// Computes the value of the board after each of a number of placements. They are given by the
    /// index among the piece's placements, the landing row, and their number.
    pub(super) fn evaluate_lanes<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (lanes, rows, count): (&[u8; LANES], &[u8; LANES], usize),
        scratch: &mut PatternScratch<E>,
    ) {
        let count = count.min(LANES);
        let candidates = Candidates { piece, lanes, rows, count, apart: 0 };
        let mut job = EvaluateJob { kernel: self, tables, board, candidates, scratch };
        run_loops(self.level, &mut job);
        if self.singles.is_empty() {
            return;
        }
        let (apart, scratch) = (job.candidates.apart, job.scratch);
        for at in 0..count {
            let (lane, row) = (lanes[at].into(), rows[at].into());
            if apart >> at & 1 == 0 {
                let change = self.change_of_singles(tables, board, piece, lane, row, scratch);
                scratch.values[at] += change;
            }
        }
    }

    /// Computes the values of all candidates that fill no row and end below the top. Marks the
    /// others.
    #[inline(always)]
    fn evaluate_plain<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        candidates: &mut Candidates,
        scratch: &mut PatternScratch<E>,
    ) {
        let &mut Candidates { piece, lanes, rows, count, .. } = candidates;
        let cells = &self.cells[piece.index()][..];
        let height = self.size.height();
        let full = four_rows([full_row(self.size.width()); 4]);
        let stack = match scratch.board {
            Some((_, stack)) => stack,
            None => ROWS,
        };
        // Sums are known up to four rows above the stack.
        let highest = height.min(stack + 4);
        let mut apart = 0;
        for at in 0..count {
            let (cells, row) = (&cells[usize::from(lanes[at])], usize::from(rows[at]));
            let mut others = 0;
            if let Some(rows) = board.rows()[row % ROWS..].first_chunk() {
                others = four_rows(*rows);
            }
            let missing = (others | cells.rows) ^ full;
            let is_apart = row + cells.height > highest || has_zero(missing);
            apart |= u64::from(is_apart) << at;
        }
        candidates.apart = apart;
        scratch.lines = [0; LANES];
        scratch.lost = if stack > height { u64::MAX } else { 0 };
        scratch.values = [scratch.total; LANES];
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            grid.add_changes(tables, candidates, memory, &mut scratch.values);
        }
        while apart != 0 {
            let at = apart.trailing_zeros() as usize % LANES;
            apart &= apart - 1;
            let candidate = (at, lanes[at].into(), rows[at].into());
            self.place_apart(tables, board, piece, candidate, scratch);
        }
    }

    /// Writes the results of a placement that may fill rows or end above the top, as candidate
    /// number `at`.
    #[inline(always)]
    fn place_apart<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (at, lane, row): (usize, usize, usize),
        scratch: &mut PatternScratch<E>,
    ) {
        let (height, full) = (self.size.height(), full_row(self.size.width()));
        let LaneCells { rows: own, height: own_height } = self.cells[piece.index()][lane];
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

    /// Returns the board with placement `lane` of `piece` on row `row`, and the piece's top.
    fn locked(&self, board: &Board, piece: Piece, lane: usize, row: usize) -> (Board, usize) {
        let candidate = self.shapes[piece.index()].candidate(lane, row as u8);
        (candidate.lock(board, piece), candidate.top(piece))
    }

    /// Computes the sums of `board`, unless `scratch` has them.
    #[inline(always)]
    fn begin<E: TableEntry>(&self, tables: &[E], board: &Board, scratch: &mut PatternScratch<E>) {
        debug_assert_eq!(board.size(), self.size);
        // The sums of rows below the lowest row that differs stay.
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
            self.begin_singles(tables, board, scratch);
        }
    }

    /// Looks up the windows of `board` that are in no grid.
    #[inline(never)]
    fn begin_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E>,
    ) {
        let mirrored = mirrored_rows(board.rows(), self.size.width());
        for (single, entry) in self.singles.iter().zip(&mut scratch.singles) {
            *entry = single.entry(tables, board.rows(), &mirrored);
            scratch.total += *entry;
        }
    }

    /// Returns the value of the board with the rows `rows` and the stack height `stack`. It is
    /// equal to the board of `scratch` below row `row`.
    #[inline(always)]
    fn sum_from<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        stack: usize,
        row: usize,
        scratch: &PatternScratch<E>,
    ) -> E::Sum {
        let mut value = E::Sum::default();
        for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
            let top = stack.min(grid.rows);
            let from = (row + 1).saturating_sub(grid.height).min(top).min(memory.top);
            value += memory.sums[from][grid.columns] + memory.empty[top];
            for y in from..top {
                value += grid.row_sum(tables, y, grid.word(rows, y));
            }
        }
        if !self.singles.is_empty() {
            value += self.sum_singles(tables, rows);
        }
        value
    }

    /// Returns the value of the windows in no grid of the board with the rows `rows`.
    #[inline(never)]
    fn sum_singles<E: TableEntry>(&self, tables: &[E], rows: &[u16; ROWS]) -> E::Sum {
        let mirrored = mirrored_rows(rows, self.size.width());
        let mut value = E::Sum::default();
        for single in &self.singles {
            value += single.entry(tables, rows, &mirrored);
        }
        value
    }

    /// Returns the change of the value of the windows in no grid by placement `lane` on `row`.
    #[inline(never)]
    fn change_of_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        lane: usize,
        row: usize,
        scratch: &PatternScratch<E>,
    ) -> E::Sum {
        let (after, top) = self.locked(board, piece, lane, row);
        let mirrored = mirrored_rows(after.rows(), self.size.width());
        let rows = self.cells[piece.index()][lane].rows;
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

/// Placements of one piece to evaluate.
struct Candidates<'a> {
    piece: Piece,
    /// Index of each placement among the piece's.
    lanes: &'a [u8; LANES],
    /// Landing row of each placement.
    rows: &'a [u8; LANES],
    count: usize,
    /// Placements that may fill rows or end above the top, one bit each.
    apart: u64,
}

struct BeginJob<'a, E: TableEntry> {
    kernel: &'a PatternKernel,
    tables: &'a [E],
    board: &'a Board,
    scratch: &'a mut PatternScratch<E>,
}

impl<E: TableEntry> LoopsJob for BeginJob<'_, E> {
    #[inline(always)]
    fn run(self) {
        self.kernel.begin(self.tables, self.board, self.scratch);
    }
}

struct EvaluateJob<'a, E: TableEntry> {
    kernel: &'a PatternKernel,
    tables: &'a [E],
    board: &'a Board,
    candidates: Candidates<'a>,
    scratch: &'a mut PatternScratch<E>,
}

impl<E: TableEntry> LoopsJob for &mut EvaluateJob<'_, E> {
    #[inline(always)]
    fn run(self) {
        let EvaluateJob { kernel, tables, board, candidates, scratch } = self;
        kernel.begin(tables, board, scratch);
        kernel.evaluate_plain(tables, board, candidates, scratch);
    }
}

/// Returns four rows in one word, the first in the lowest sixteen bits.
#[inline(always)]
fn four_rows(rows: [u16; 4]) -> u64 {
    let [a, b, c, d] = rows.map(u64::from);
    a | b << 16 | c << 32 | d << 48
}

/// Returns true if one of the four rows in `rows` is zero.
#[inline(always)]
fn has_zero(rows: u64) -> bool {
    const LOWEST: u64 = 0x0001_0001_0001_0001;
    rows.wrapping_sub(LOWEST) & !rows & LOWEST << 15 != 0
}

impl Grid {
    /// Prepares the window number `window` of `layout`. Returns `None` if it is no full rectangle
    /// at every place, or if the board is too small.
    fn new(layout: &PatternLayout, window: usize, shapes: &[Shapes]) -> Option<Grid> {
        let (size, shape) = (layout.size(), &layout.shapes()[window]);
        let of = &layout.windows()[window];
        let (columns, rows) = (size.width() - shape.columns + 1, size.height() - shape.rows + 1);
        // A block of windows around any piece must fit the board.
        let fits = columns >= shape.columns + 3 && rows >= shape.rows + 3;
        if of.at != WindowPlaces::Everywhere || !shape.is_full() || !fits {
            return None;
        }
        let height = shape.rows;
        // Columns of the board that each half of a word describes.
        let used = if of.mirror { columns.div_ceil(2) - 1 + shape.columns } else { size.width() };
        let parts = if of.mirror { 2 } else { 1 };
        if parts * used * height > u64::BITS as usize {
            return None;
        }
        let lookups: Vec<&Lookup> =
            layout.lookups().iter().filter(|lookup| lookup.window == window).collect();
        let first = lookups[0].table;
        let row_entries = match of.rows {
            TableRows::Own => lookups[columns].table - first,
            TableRows::Shared => 0,
        };
        let mut grid = Grid {
            height,
            columns,
            rows,
            lower: 0,
            mask: (1 << shape.cells.len()) - 1,
            spread: [[0; 256]; 2],
            shifts: [0; MAX_WIDTH],
            tables: [0; MAX_WIDTH],
            firsts: std::array::from_fn(|y| (first + y * row_entries) as u64),
            pieces: Vec::new(),
        };
        for (x, lookup) in lookups[..columns].iter().enumerate() {
            let part = if lookup.is_mirrored { used * height } else { 0 };
            grid.shifts[x] = (part + height * lookup.column) as u64;
            grid.tables[x] = (lookup.table - first) as u64;
        }
        for column in 0..size.width() {
            let mut bits = 0;
            if column < used {
                bits |= 1u64 << (height * column);
            }
            let opposite = size.width() - 1 - column;
            if of.mirror && opposite < used {
                bits |= 1u64 << (used * height + height * opposite);
            }
            grid.lower |= (bits << (height - 1)) - bits;
            for (cells, spread) in grid.spread[column / 8].iter_mut().enumerate() {
                *spread |= if cells >> (column % 8) & 1 == 1 { bits } else { 0 };
            }
        }
        let words = |piece: &Shapes| PieceWords::new(&grid, shape, piece);
        grid.pieces = shapes.iter().map(words).collect();
        Some(grid)
    }

    #[inline(always)]
    fn spread(&self, row: u16) -> u64 {
        self.spread[0][usize::from(row & 255)] | self.spread[1][usize::from(row >> 8)]
    }

    /// Returns the word of the windows whose lowest row is `y`.
    #[inline(always)]
    fn word(&self, rows: &[u16; ROWS], y: usize) -> u64 {
        let mut word = 0;
        for k in 0..self.height {
            word |= self.spread(rows[(y + k) % ROWS]) << k;
        }
        word
    }

    /// Returns the indices of the entries of the windows of `word` in row `y`, by column.
    #[inline(always)]
    fn indices(&self, y: usize, word: u64) -> [u64; MAX_WIDTH] {
        let first = self.firsts[y % ROWS];
        let mut indices = [0; MAX_WIDTH];
        for x in 0..MAX_WIDTH {
            let cells = word >> (self.shifts[x] & 63) & self.mask;
            indices[x] = cells + self.tables[x] + first;
        }
        indices
    }

    /// Returns the sum of the entries of all windows of a word.
    #[inline(always)]
    fn row_sum<E: TableEntry>(&self, tables: &[E], y: usize, word: u64) -> E::Sum {
        let indices = self.indices(y, word);
        let mut sum = E::Sum::default();
        for &index in &indices[..self.columns] {
            sum += tables[index as usize].sum();
        }
        sum
    }

    /// Stores the words and the sums of a board with the rows `rows`, and returns its value. The
    /// lowest `known` rows are those of the last board.
    #[inline(always)]
    fn sum_board<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        known: usize,
        stack: usize,
        memory: &mut GridScratch<E>,
    ) -> E::Sum {
        // Blocks at the floor are up to `height` + 3 rows high.
        let top = (stack + 4).max(self.height + 3).min(self.rows);
        let from = (known + 1).saturating_sub(self.height).min(memory.top).min(top);
        memory.top = top;
        let mut word = 0;
        if stack > top {
            word = self.word(rows, top);
        }
        for y in (from..top).rev() {
            word = self.spread(rows[y % ROWS]) | (word & self.lower) << 1;
            memory.words[y] = word;
        }
        for y in from..top {
            let (below, own) = memory.sums.split_at_mut(y + 1);
            let (below, own) = (&below[y], &mut own[0]);
            let below: &[E::Sum; 2 * MAX_WIDTH] = below;
            if y >= stack {
                for x in 0..MAX_WIDTH {
                    own[x + 1] = below[x + 1] + memory.empty_rows[y][x];
                }
                continue;
            }
            let indices = self.indices(y, memory.words[y]);
            let mut sum = E::Sum::default();
            for x in 0..self.columns.min(MAX_WIDTH) {
                sum += tables[indices[x] as usize].sum();
                own[x + 1] = below[x + 1] + sum;
            }
        }
        memory.sums[top][self.columns] + memory.empty[top]
    }

    /// Adds the change of the value by each of the candidates to `values`, except by those apart.
    #[inline(always)]
    fn add_changes<E: TableEntry>(
        &self,
        tables: &[E],
        candidates: &Candidates,
        memory: &mut GridScratch<E>,
        values: &mut [E::Sum; LANES],
    ) {
        let blocks = &self.pieces[candidates.piece.index()].blocks;
        let copy_at = |at: usize| blocks[usize::from(candidates.lanes[at])].copy;
        let (mut from, count) = (0, candidates.count);
        // Placements of one orientation follow each other and share a copy of the code.
        while from < count {
            let copy = copy_at(from);
            let mut to = from + 1;
            while to < count && copy_at(to) == copy {
                to += 1;
            }
            macro_rules! sized {
                ($($copy:literal: $columns:literal $rows:literal $padded:literal,)*) => {
                    match copy {
                        $($copy => self.add_fixed::<E, $columns, $rows, $padded>(
                            tables, candidates, from..to, memory, values,
                        ),)*
                        _ => self.add_any(tables, candidates, from..to, memory, values),
                    }
                };
            }
            sized!(
                1: 3 6 8, 2: 6 3 4, 3: 4 4 4, 4: 5 4 4, 5: 4 5 8,
                6: 4 7 8, 7: 7 4 4, 8: 5 5 8, 9: 6 5 8, 10: 5 6 8,
            );
            from = to;
        }
    }

    /// Adds the changes by the candidates in `range`, whose blocks have `COLUMNS` x `R` windows.
    /// `PADDED` is `R` rounded up to a multiple of four, so that vectors have whole registers.
    #[inline(always)]
    fn add_fixed<E: TableEntry, const COLUMNS: usize, const R: usize, const PADDED: usize>(
        &self,
        tables: &[E],
        candidates: &Candidates,
        range: Range<usize>,
        memory: &mut GridScratch<E>,
        values: &mut [E::Sum; LANES],
    ) {
        let piece = &self.pieces[candidates.piece.index()];
        let mask = self.mask;
        // Indices first, entries then: two loops, so that the compiler keeps vectors in the first.
        for at in range.clone() {
            let (lane, row) = (candidates.lanes[at].into(), candidates.rows[at].into());
            let (y, word) = self.block(piece, lane, row, R);
            let column = usize::from(piece.blocks[lane].column) % MAX_WIDTH;
            let y = y.min(ROWS - PADDED);
            let (Some(own), Some(before), Some(firsts), Some(shifts), Some(starts)) = (
                piece.words[word..].first_chunk::<PADDED>(),
                memory.words[y % ROWS..].first_chunk::<PADDED>(),
                self.firsts[y % ROWS..].first_chunk::<PADDED>(),
                self.shifts[column..].first_chunk::<COLUMNS>(),
                self.tables[column..].first_chunk::<COLUMNS>(),
            ) else {
                continue;
            };
            let indices = &mut memory.indices[at % MAX_WIDTH];
            for x in 0..COLUMNS {
                for k in 0..PADDED {
                    let cells = (own[k] | before[k]) >> (shifts[x] & 63) & mask;
                    indices[x * PADDED + k] = cells + firsts[k] + starts[x];
                }
            }
            values[at] = values[at] - memory.block_sum(column, COLUMNS, y, R);
        }
        for at in range {
            let indices = &memory.indices[at % MAX_WIDTH];
            let mut sum = E::Sum::default();
            for x in 0..COLUMNS {
                for k in 0..R {
                    sum += tables[indices[x * PADDED + k] as usize].sum();
                }
            }
            values[at] += sum;
        }
    }

    /// Adds the changes like [`Grid::add_fixed`], for blocks of any size.
    #[inline(never)]
    fn add_any<E: TableEntry>(
        &self,
        tables: &[E],
        candidates: &Candidates,
        range: Range<usize>,
        memory: &mut GridScratch<E>,
        values: &mut [E::Sum; LANES],
    ) {
        let piece = &self.pieces[candidates.piece.index()];
        for at in range {
            if candidates.apart >> at & 1 == 1 {
                continue;
            }
            let (lane, row) = (candidates.lanes[at].into(), candidates.rows[at].into());
            let Block { column, columns, rows, .. } = piece.blocks[lane];
            let (column, columns, rows) = (usize::from(column), columns.into(), rows.into());
            let (y, word) = self.block(piece, lane, row, rows);
            let mut sum = E::Sum::default();
            for k in 0..rows {
                let indices = self.indices(y + k, piece.words[word + k] | memory.words[y + k]);
                for &index in &indices[column..column + columns] {
                    sum += tables[index as usize].sum();
                }
            }
            values[at] += sum - memory.block_sum(column, columns, y, rows);
        }
    }

    /// Returns the lowest row of the block of `rows` rows around placement `lane` on row `row`, and
    /// the index of the piece's word in this row.
    #[inline(always)]
    fn block(&self, piece: &PieceWords, lane: usize, row: usize, rows: usize) -> (usize, usize) {
        let y = (row + 1).saturating_sub(self.height).min(self.rows - rows);
        // The result is never used for a row so high that the difference would be negative.
        (y, piece.stride * lane + (y + 2 * (self.height - 1)).saturating_sub(row))
    }
}

impl<E: TableEntry> GridScratch<E> {
    /// Returns the sum of a block of windows before a placement.
    #[inline(always)]
    fn block_sum(&self, column: usize, columns: usize, y: usize, rows: usize) -> E::Sum {
        let (low, high) = (&self.sums[y % ROWS], &self.sums[(y + rows) % (2 * ROWS)]);
        let (left, right) = (column % MAX_WIDTH, (column + columns) % (2 * MAX_WIDTH));
        (high[right] - high[left]) - (low[right] - low[left])
    }
}

/// Largest product of the columns and the padded rows of a block in [`COPIES`].
const LARGEST_BLOCK: usize = 48;

/// Sizes of blocks, columns x rows, for which the code has copies: those of squares of 3 and 4
/// cells.
const COPIES: [(usize, usize); 10] =
    [(3, 6), (6, 3), (4, 4), (5, 4), (4, 5), (4, 7), (7, 4), (5, 5), (6, 5), (5, 6)];

impl PieceWords {
    /// Spreads the cells of all placements in `shapes`.
    fn new(grid: &Grid, window: &WindowShape, shapes: &Shapes) -> PieceWords {
        let below = 2 * (grid.height - 1);
        let stride = below + grid.height + 3;
        // Blocks are read in whole registers, up to three words beyond the last one.
        let (mut words, mut blocks) = (vec![0; stride * shapes.count + 3], Vec::new());
        for lane in 0..shapes.count {
            let height = shapes.height[lane] as usize;
            let mut cells = 0u16;
            for k in 0..height {
                cells |= shapes.rows[k].0[lane];
                let spread = grid.spread(shapes.rows[k].0[lane]);
                for window_row in 0..grid.height {
                    words[stride * lane + below + k - window_row] |= spread << window_row;
                }
            }
            let left = cells.trailing_zeros() as usize;
            let columns = cells.count_ones() as usize + window.columns - 1;
            let column = (left + 1).saturating_sub(window.columns).min(grid.columns - columns);
            let rows = height + grid.height - 1;
            let copy = COPIES.iter().position(|size| *size == (columns, rows));
            blocks.push(Block {
                column: column as u8,
                columns: columns as u8,
                rows: rows as u8,
                copy: copy.map_or(0, |place| place as u8 + 1),
            });
        }
        PieceWords { stride, words, blocks }
    }
}

impl Single {
    fn new(size: BoardSize, lookup: &Lookup, shape: &WindowShape) -> Single {
        let opposite = size.width() - shape.columns - lookup.column;
        let column = if lookup.is_mirrored { opposite } else { lookup.column };
        Single { lookup: *lookup, shape: shape.clone(), column }
    }

    /// Returns the entry for a board with the rows `rows`, and `mirrored` with its columns in
    /// reverse order.
    fn entry<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        mirrored: &[u16; ROWS],
    ) -> E::Sum {
        let rows = if self.lookup.is_mirrored { mirrored } else { rows };
        tables[self.lookup.index(&self.shape, rows) as usize].sum()
    }
}
