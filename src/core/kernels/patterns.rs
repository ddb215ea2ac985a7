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
//! | for a board | sums of all windows below each row, to four rows above the stack |
//! | for a placement | entries of all windows in the rows it touches, minus their sum before |
//! | if it removes rows or ends above the top | the entries of all windows from its lowest row on |
//!
//! The rows of windows around an orientation are equally many at every place. Rows near the floor
//! may include windows that do not change, whose difference is zero.
//!
//! A controller's tables do not change, so small windows beside each other are merged: one larger
//! table has the sums of their entries for all cells of both. A word then has sixteen bits for each
//! merged table, so that one instruction extracts an index. Its bits are ordered by rows: the upper
//! row of a window is often empty, so most indices in use are small and share cache lines.
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
    Lookup, PatternLayout, Patterns, TableRows, WindowPlaces, WindowShape, mirrored_rows,
};
use crate::features::Measured;
use crate::piece::Piece;
use crate::simd::{LANES, Level, LoopsJob, run_loops};

/// Bits of an index and numbers of plain and mirrored windows in a row for which the code has
/// copies: squares of 3 cells, merged in pairs or not, and squares of 4 cells, all on boards of ten
/// columns.
const COPIES: [(usize, usize, usize); 3] =
    [(MERGED_CELLS, MERGED_TABLES, 0), (9, 4, 4), (16, 4, 3)];

/// Runs `$body` with `$rows` bound to the sums of rows of `$grid`.
macro_rules! with_rows {
    ($grid:expr, $tables:expr, $rows:ident => $body:expr) => {
        match $grid.copy {
            1 => {
                let $rows = $grid.merged_rows::<E>($tables);
                $body
            }
            2 => {
                let $rows = $grid.fixed_rows::<E, { 4 * (1 << 9) }, 9, 3, 4, 4>($tables);
                $body
            }
            3 => {
                let $rows = $grid.fixed_rows::<E, { 4 * (1 << 16) }, 16, 4, 4, 3>($tables);
                $body
            }
            _ => {
                let $rows = $grid.any_rows($tables);
                $body
            }
        }
    };
}

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

/// An entry of merged tables: a sum of several entries of type `i16`.
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
    cells: Vec<PieceCells>,
    grids: Vec<Grid>,
    /// Windows that are in no grid.
    singles: Vec<Single>,
}

/// The cells of a piece's placements, by the placement's index.
struct PieceCells {
    /// The four rows of each placement, the lowest in the lowest sixteen bits.
    rows: [u64; LANES],
    /// Number of rows of each placement.
    heights: [u64; LANES],
}

/// Maximum number of cells of a merged window, which replaces several neighbouring windows. Its
/// table has 4,096 entries of four bytes. Games use few of them, and those stay in the caches.
const MERGED_CELLS: usize = 12;
/// Number of unused entries after the merged tables of a row: a cache line. Without them, equal
/// cells of all rows would share few sets of the caches.
const PADDING: usize = 16;
/// Largest number of entries of all tables of a kernel with merged windows.
const LARGEST_MERGED: usize = 1 << 21;
/// Largest number of merged tables in a row: a word has sixteen bits for each.
const MERGED_TABLES: usize = 4;
/// Number of entries in the tables of a row of [`MergedRows`].
const MERGED_ROW: usize = (MERGED_TABLES << MERGED_CELLS) + PADDING;
/// Number of unused rows after the merged tables. With them, no index of sixteen bits in the
/// highest rows is beyond the end, so none is checked.
const UNUSED_ROWS: usize = 9;

/// The windows of one group of a layout, and the place of their tables.
#[derive(Clone, Copy)]
struct Source {
    /// Index of the windows in the layout.
    window: usize,
    /// Number of neighbouring windows that one larger window replaces; 1 without merging.
    step: usize,
    /// First entry of their tables.
    first: usize,
}

/// Returns the first entry of the tables of the group `window` in `layout`.
fn first_table(layout: &PatternLayout, window: usize) -> usize {
    let mut of_window = layout.lookups().iter().filter(|lookup| lookup.window == window);
    of_window.next().map_or(0, |lookup| lookup.table)
}

/// Returns the number of windows beside each other that one merged table can replace.
fn merged_windows(layout: &PatternLayout, window: usize) -> usize {
    let (size, shape) = (layout.size(), &layout.shapes()[window]);
    let is_everywhere = layout.windows()[window].at == WindowPlaces::Everywhere;
    let can_merge = is_everywhere && shape.is_full() && size.height() >= 2 * shape.rows + 2;
    let columns = (MERGED_CELLS / shape.rows).min(size.width());
    let step = (columns + 1).saturating_sub(shape.columns).max(1);
    let groups = (size.width() - shape.columns + 1).div_ceil(step);
    if can_merge && groups <= MERGED_TABLES { step } else { 1 }
}

impl Source {
    /// Returns the tables of the group `window` of `layout` at their place in the layout.
    fn of(layout: &PatternLayout, window: usize, step: usize) -> Source {
        Source { window, step, first: first_table(layout, window) }
    }

    /// Appends the windows' tables, merged if `step` is not 1, to `to`.
    fn append(self, patterns: &Patterns, to: &mut Vec<i32>) {
        let (layout, tables) = (patterns.layout(), patterns.tables());
        let shape = &layout.shapes()[self.window];
        let of_window = layout.lookups().iter().filter(|lookup| lookup.window == self.window);
        let lookups: Vec<&Lookup> = of_window.collect();
        if self.step == 1 {
            let tables_of = |lookup: &&Lookup| lookup.table + shape.entries();
            let end = lookups.iter().map(tables_of).max().unwrap_or(self.first);
            to.extend(tables[self.first..end].iter().map(|&entry| i32::from(entry)));
            return;
        }
        let columns = layout.size().width() - shape.columns + 1;
        let width = shape.columns + self.step - 1;
        // The bits of a window in the order of its own table, from the bits of the merged one.
        let own = |cells: usize, k: usize, lookup: &Lookup| {
            let bit = |x: usize, y: usize| {
                let from = if lookup.is_mirrored { shape.columns - 1 - x } else { x };
                (cells >> (width * y + k + from) & 1) << (shape.rows * x + y)
            };
            let bits = (0..shape.columns).flat_map(|x| (0..shape.rows).map(move |y| bit(x, y)));
            bits.sum::<usize>()
        };
        let (bits, groups) = (shape.rows * width, columns.div_ceil(self.step));
        for row in lookups.chunks(columns) {
            let first = to.len();
            to.resize(first + (groups << bits) + PADDING, 0);
            for (x, some) in row.chunks(self.step).enumerate() {
                for (k, lookup) in some.iter().enumerate() {
                    let merged = &mut to[first + (x << bits)..][..1 << bits];
                    for (cells, sum) in merged.iter_mut().enumerate() {
                        *sum += i32::from(tables[lookup.table + own(cells, k, lookup)]);
                    }
                }
            }
        }
        to.resize(to.len() + UNUSED_ROWS * ((groups << bits) + PADDING), 0);
    }
}

/// A full rectangle at every place of a board, or at every `step`-th column.
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
    /// Distance of the bits of a cell and the cell above it in a word.
    rise: usize,
    /// Spread cells of the lower and the upper eight columns of a row.
    spread: [[u64; 256]; 2],
    /// Position of the lowest bit of the mirrored board in a word.
    mirrored: u64,
    /// Index of the copy of the code for this grid.
    copy: usize,
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
    /// The words of all placements, equally many of each. Words beyond the cells are zero.
    words: Vec<u64>,
    /// Index in `words` of the lowest row of each placement.
    first: [u16; LANES],
    /// Number of rows of windows around each placement.
    rows: [u8; LANES],
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
pub struct PatternScratch<S> {
    grids: Vec<GridScratch<S>>,
    /// Entry of each of the kernel's single windows.
    singles: Vec<S>,
    /// Value of `board`.
    total: S,
    /// Board for which the sums are valid, with its stack height.
    board: Option<(Board, usize)>,
    values: [S; LANES],
    lines: [u8; LANES],
    rows: [u8; LANES],
    lost: u64,
    /// Candidates that may fill rows or end above the top, one bit each.
    apart: u64,
}

/// Sums of a board's windows in one grid.
struct GridScratch<S> {
    words: [u64; 2 * ROWS],
    /// Sums of the windows below each row. The array is longer than needed, so that masks replace
    /// index checks.
    sums: [S; 2 * ROWS],
    /// Number of rows of places whose sums are known.
    top: usize,
    /// Sums of the windows in each row, if they are empty.
    empty_rows: [S; ROWS],
    /// Sums of all windows from each row on, if they are empty.
    empty: [S; ROWS + 1],
}

impl<S> PatternScratch<S> {
    /// Returns the values of the boards after all placements.
    #[must_use]
    pub fn values(&self) -> &[S; LANES] {
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
        let play = PlayRules { measured, clear_on_overflow };
        let plain = |window: usize| Source::of(layout, window, 1);
        PatternKernel::of_sources(layout, play, level, plain)
    }

    /// Prepares the windows of `patterns` like [`PatternKernel::new`], with windows beside each
    /// other merged. Returns the kernel and its tables, or `None` if no windows can be merged or
    /// the tables would be large.
    pub(super) fn merged(
        patterns: &Patterns,
        play: PlayRules,
        level: Level,
    ) -> Option<(PatternKernel, Box<[i32]>)> {
        let layout = patterns.layout();
        let mut tables = Vec::new();
        let mut sources = Vec::new();
        for window in 0..layout.windows().len() {
            let source = Source::of(layout, window, merged_windows(layout, window));
            sources.push(Source { first: tables.len(), ..source });
            source.append(patterns, &mut tables);
            if tables.len() > LARGEST_MERGED {
                return None;
            }
        }
        sources.iter().any(|source| source.step > 1).then(|| {
            let kernel = PatternKernel::of_sources(layout, play, level, |window| sources[window]);
            (kernel, tables.into())
        })
    }

    /// Prepares the windows of `layout`, whose tables `source` describes by the window's number.
    fn of_sources(
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
                    for lookup in layout.lookups().iter().filter(|l| l.window == window) {
                        let table = lookup.table - first + source.first;
                        singles.push(Single::new(size, &Lookup { table, ..*lookup }, shape));
                    }
                }
            }
        }
        PatternKernel { size, level, play, shapes, cells, grids, singles }
    }

    /// Returns working memory for one thread, prepared for `tables`.
    #[must_use]
    pub fn scratch<E: TableEntry>(&self, tables: &[E]) -> PatternScratch<E::Sum> {
        let zero = E::Sum::default();
        let grid = |_: &Grid| GridScratch {
            words: [0; 2 * ROWS],
            sums: [zero; 2 * ROWS],
            top: 0,
            empty_rows: [zero; ROWS],
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
            apart: 0,
        };
        self.refresh(tables, &mut scratch);
        scratch
    }

    /// Prepares `scratch` for changed tables. Must be called after every change of `tables`.
    pub fn refresh<E: TableEntry>(&self, tables: &[E], scratch: &mut PatternScratch<E::Sum>) {
        scratch.board = None;
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            memory.top = 0;
            for y in (0..grid.rows).rev() {
                let sum = grid.any_rows(tables).sum(y, 0);
                memory.empty_rows[y] = sum;
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
        scratch: &mut PatternScratch<E::Sum>,
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
        scratch: &mut PatternScratch<E::Sum>,
    ) -> usize {
        let job = EvaluateJob { kernel: self, tables, board, piece, given: None, scratch };
        run_loops(self.level, job);
        let (shapes, rows) = (&self.shapes[piece.index()], scratch.rows);
        if !self.singles.is_empty() {
            let given = (&ALL_LANES, &rows, shapes.count);
            self.add_singles(tables, board, piece, given, scratch);
        }
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
        scratch: &mut PatternScratch<E::Sum>,
    ) {
        let given = (lanes, rows, count.min(LANES));
        let job = EvaluateJob { kernel: self, tables, board, piece, given: Some(given), scratch };
        run_loops(self.level, job);
        if !self.singles.is_empty() {
            self.add_singles(tables, board, piece, given, scratch);
        }
    }

    /// Adds the changes of the windows in no grid to the values of all candidates except those
    /// evaluated apart.
    #[inline(never)]
    fn add_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        (lanes, rows, count): Given,
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

    /// Computes the values of all candidates that fill no row and end below the top. Marks the
    /// others.
    #[inline(always)]
    fn evaluate_plain<E: TableEntry>(
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
            let is_apart = (row as u64 + cells.heights[lane] > highest) | has_zero(missing);
            apart |= u64::from(is_apart) << at;
        }
        scratch.apart = apart;
        scratch.lines = [0; LANES];
        scratch.lost = if stack > height { u64::MAX } else { 0 };
        scratch.values = [scratch.total; LANES];
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            with_rows!(grid, tables, rows => {
                grid.add_changes(rows, candidates, memory, &mut scratch.values);
            });
        }
        let mut left = apart;
        while left != 0 {
            let at = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
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

    /// Returns the board with placement `lane` of `piece` on row `row`, and the piece's top.
    fn locked(&self, board: &Board, piece: Piece, lane: usize, row: usize) -> (Board, usize) {
        let candidate = self.shapes[piece.index()].candidate(lane, row as u8);
        (candidate.lock(board, piece), candidate.top(piece))
    }

    /// Computes the sums of `board`, unless `scratch` has them.
    #[inline(always)]
    fn begin<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E::Sum>,
    ) {
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
            with_rows!(grid, tables, rows => {
                scratch.total += grid.sum_board(rows, board.rows(), known, stack, memory);
            });
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
        scratch: &mut PatternScratch<E::Sum>,
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
        scratch: &PatternScratch<E::Sum>,
    ) -> E::Sum {
        let mut value = E::Sum::default();
        for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
            let top = stack.min(grid.rows);
            let from = (row + 1).saturating_sub(grid.height).min(top).min(memory.top);
            value += memory.sums[from] + memory.empty[top];
            let mut word = 0;
            if stack > top {
                word = grid.word(rows, top);
            }
            with_rows!(grid, tables, windows => {
                for y in (from..top).rev() {
                    word = grid.next_word(rows, y, word);
                    value += windows.sum(y, word);
                }
            });
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
        scratch: &PatternScratch<E::Sum>,
    ) -> E::Sum {
        let (after, top) = self.locked(board, piece, lane, row);
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

/// Placements of one piece: the index of each among the piece's, its landing row, and their number.
type Given<'a> = (&'a [u8; LANES], &'a [u8; LANES], usize);

/// Placements of one piece to evaluate.
struct Candidates<'a> {
    piece: Piece,
    /// Index of each placement among the piece's.
    lanes: &'a [u8; LANES],
    /// Landing row of each placement.
    rows: &'a [u8; LANES],
    count: usize,
}

/// Index of each placement of a piece.
const ALL_LANES: [u8; LANES] = {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = lane as u8;
        lane += 1;
    }
    lanes
};

struct BeginJob<'a, E: TableEntry> {
    kernel: &'a PatternKernel,
    tables: &'a [E],
    board: &'a Board,
    scratch: &'a mut PatternScratch<E::Sum>,
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
    piece: Piece,
    /// Placements to evaluate; `None` for all that are dropped from above.
    given: Option<Given<'a>>,
    scratch: &'a mut PatternScratch<E::Sum>,
}

impl<E: TableEntry> LoopsJob for EvaluateJob<'_, E> {
    #[inline(always)]
    fn run(self) {
        let EvaluateJob { kernel, tables, board, piece, given, scratch } = self;
        kernel.begin(tables, board, scratch);
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
        kernel.evaluate_plain(tables, board, &candidates, scratch);
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
    /// Creates the grid of the windows of `source`. Returns `None` unless they are full rectangles
    /// at every position, on a board that is high enough and not too wide.
    fn new(layout: &PatternLayout, source: Source, shapes: &[Shapes]) -> Option<Grid> {
        let Source { window, step, first } = source;
        let (size, shape) = (layout.size(), &layout.shapes()[window]);
        let of = &layout.windows()[window];
        let (columns, rows) = (size.width() - shape.columns + 1, size.height() - shape.rows + 1);
        // A block of windows around any piece must fit the board.
        let fits = rows >= shape.rows + 3;
        if of.at != WindowPlaces::Everywhere || !shape.is_full() || !fits {
            return None;
        }
        let (height, width) = (shape.rows, shape.columns + step - 1);
        // Merged tables are not mirrored.
        let mirror = of.mirror && step == 1;
        // Columns of the board that each half of a word describes.
        let used = if mirror { columns.div_ceil(2) - 1 + shape.columns } else { size.width() };
        let parts = if mirror { 2 } else { 1 };
        if step == 1 && parts * used * height > u64::BITS as usize {
            return None;
        }
        let lookups: Vec<&Lookup> =
            layout.lookups().iter().filter(|lookup| lookup.window == window).collect();
        let entries = 1 << (height * width);
        let groups = columns.div_ceil(step);
        let row_entries = match of.rows {
            _ if step > 1 => groups * entries + PADDING,
            TableRows::Own => lookups[columns].table - lookups[0].table,
            TableRows::Shared => 0,
        };
        let mut grid = Grid {
            height,
            columns: groups,
            rows,
            lower: 0,
            mask: entries as u64 - 1,
            rise: if step > 1 { width } else { 1 },
            mirrored: (used * height) as u64 % 64,
            copy: 0,
            spread: [[0; 256]; 2],
            shifts: [0; MAX_WIDTH],
            tables: [0; MAX_WIDTH],
            firsts: std::array::from_fn(|y| (first + y * row_entries) as u64),
            pieces: Vec::new(),
        };
        for x in 0..groups {
            let lookup = lookups[x];
            let (shift, table) = if step > 1 {
                (16 * x, x * entries)
            } else {
                let part = if lookup.is_mirrored { used * height } else { 0 };
                (part + height * lookup.column, lookup.table - lookups[0].table)
            };
            (grid.shifts[x], grid.tables[x]) = (shift as u64, table as u64);
        }
        let is_mirrored = |lookup: &&&Lookup| step == 1 && lookup.is_mirrored;
        let mirrored = lookups[..groups].iter().filter(is_mirrored).count();
        let plain = groups - mirrored;
        // The copies with mirrored windows have plain tables, the others merged ones.
        if (step > 1) == (mirrored == 0) {
            let own = (height * width, plain, mirrored);
            let copy = COPIES.iter().position(|copy| *copy == own);
            grid.copy = copy.map_or(0, |place| place + 1);
        }
        for column in 0..size.width() {
            let mut bits = 0;
            if step > 1 {
                for x in 0..groups {
                    if (step * x..step * x + width).contains(&column) {
                        bits |= 1u64 << (grid.shifts[x] + (column - step * x) as u64);
                    }
                }
            } else if column < used {
                bits |= 1u64 << (height * column);
            }
            let opposite = size.width() - 1 - column;
            if mirror && opposite < used {
                bits |= 1u64 << (used * height + height * opposite);
            }
            for k in 0..height - 1 {
                grid.lower |= bits << (k * grid.rise);
            }
            for (cells, spread) in grid.spread[column / 8].iter_mut().enumerate() {
                *spread |= if cells >> (column % 8) & 1 == 1 { bits } else { 0 };
            }
        }
        let words = |piece: &Shapes| PieceWords::new(&grid, piece);
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
            word |= self.spread(rows[(y + k) % ROWS]) << (k * self.rise);
        }
        word
    }

    /// Returns the word of row `y` from the word of the row above.
    #[inline(always)]
    fn next_word(&self, rows: &[u16; ROWS], y: usize, above: u64) -> u64 {
        self.spread(rows[y % ROWS]) | (above & self.lower) << self.rise
    }

    /// Returns the sums of rows of windows, computed without constants.
    #[inline(always)]
    fn any_rows<'a, E: TableEntry>(&'a self, tables: &'a [E]) -> AnyRows<'a, E> {
        AnyRows { grid: self, tables }
    }

    /// Returns the sums of rows of merged windows.
    #[inline(always)]
    fn merged_rows<'a, E: TableEntry>(&self, tables: &'a [E]) -> MergedRows<'a, E> {
        MergedRows(tables[self.firsts[0] as usize..].as_chunks().0)
    }

    /// Returns the sums of rows of windows for a grid with these constants.
    #[inline(always)]
    fn fixed_rows<
        'a,
        E: TableEntry,
        const ROW: usize,
        const BITS: usize,
        const DISTANCE: usize,
        const PLAIN: usize,
        const MIRRORED: usize,
    >(
        &'a self,
        tables: &'a [E],
    ) -> FixedRows<'a, E, ROW, BITS, DISTANCE, PLAIN, MIRRORED> {
        let (rows, _) = tables[self.firsts[0] as usize..].as_chunks();
        let is_own = self.firsts[1] != self.firsts[0];
        let rows = if is_own { rows } else { &rows[..1] };
        let row_mask = if is_own { usize::MAX } else { 0 };
        FixedRows { rows, row_mask, mirrored: self.mirrored }
    }

    /// Stores the words and the sums of a board with the rows `rows`, and returns its value. The
    /// lowest `known` rows are those of the last board.
    #[inline(always)]
    fn sum_board<E: TableEntry>(
        &self,
        windows: impl WindowRows<E>,
        rows: &[u16; ROWS],
        known: usize,
        stack: usize,
        memory: &mut GridScratch<E::Sum>,
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
            word = self.next_word(rows, y, word);
            memory.words[y] = word;
        }
        let mut sum = memory.sums[from];
        for y in from..top {
            if y < stack {
                sum += windows.sum(y, memory.words[y]);
            } else {
                sum += memory.empty_rows[y];
            }
            memory.sums[y + 1] = sum;
        }
        sum + memory.empty[top]
    }

    /// Adds the change of the value by each of the candidates to `values`, except by those apart.
    #[inline(always)]
    fn add_changes<E: TableEntry>(
        &self,
        windows: impl WindowRows<E>,
        candidates: &Candidates,
        memory: &GridScratch<E::Sum>,
        values: &mut [E::Sum; LANES],
    ) {
        let piece = &self.pieces[candidates.piece.index()];
        let mut from = 0;
        while from < candidates.count {
            // Placements of an orientation follow each other: few switches between copies of code.
            let rows = piece.rows[usize::from(candidates.lanes[from])];
            let mut to = from + 1;
            while to < candidates.count && piece.rows[usize::from(candidates.lanes[to])] == rows {
                to += 1;
            }
            let run = (candidates, from..to);
            match rows {
                3 => self.add_run::<E, 3>(windows, piece, run, memory, values),
                4 => self.add_run::<E, 4>(windows, piece, run, memory, values),
                5 => self.add_run::<E, 5>(windows, piece, run, memory, values),
                6 => self.add_run::<E, 6>(windows, piece, run, memory, values),
                _ => self.add_any_run(windows, piece, run, memory, values),
            }
            from = to;
        }
    }

    /// Adds the changes by some candidates like [`Grid::add_changes`], each with `R` rows of
    /// windows.
    #[inline(always)]
    fn add_run<E: TableEntry, const R: usize>(
        &self,
        windows: impl WindowRows<E>,
        piece: &PieceWords,
        (candidates, range): (&Candidates, Range<usize>),
        memory: &GridScratch<E::Sum>,
        values: &mut [E::Sum; LANES],
    ) {
        for at in range {
            let at = at % LANES;
            let (lane, row) = (candidates.lanes[at].into(), candidates.rows[at].into());
            let (y, word) = self.block(piece, lane, row, R);
            let y = y % ROWS;
            let Some(own) = piece.words.get(word..).and_then(|own| own.first_chunk::<R>()) else {
                continue;
            };
            let mut words = [0; R];
            for k in 0..R {
                words[k] = own[k] | memory.words[y + k];
            }
            let sum = windows.sum_rows(y, words);
            values[at] += sum - (memory.sums[y + R] - memory.sums[y]);
        }
    }

    /// Adds the changes by some candidates like [`Grid::add_changes`].
    #[inline(always)]
    fn add_any_run<E: TableEntry>(
        &self,
        windows: impl WindowRows<E>,
        piece: &PieceWords,
        (candidates, range): (&Candidates, Range<usize>),
        memory: &GridScratch<E::Sum>,
        values: &mut [E::Sum; LANES],
    ) {
        for at in range {
            let (lane, row) = (candidates.lanes[at].into(), candidates.rows[at].into());
            let rows = usize::from(piece.rows[lane]);
            let (y, word) = self.block(piece, lane, row, rows);
            let end = (y + rows) % (2 * ROWS);
            let mut sum = E::Sum::default();
            let Some(own) = piece.words.get(word..) else { continue };
            for k in 0..rows.min(own.len()) {
                let y = (y + k) % ROWS;
                sum += windows.sum(y, own[k] | memory.words[y]);
            }
            values[at] += sum - (memory.sums[end] - memory.sums[y % ROWS]);
        }
    }

    /// Returns the lowest row of the block of `rows` rows around placement `lane` on row `row`, and
    /// the index of the piece's word in this row.
    #[inline(always)]
    fn block(&self, piece: &PieceWords, lane: usize, row: usize, rows: usize) -> (usize, usize) {
        let y = (row + 1).saturating_sub(self.height).min(self.rows - rows);
        // The result is never used for a row so high that the difference would be negative.
        (y, (usize::from(piece.first[lane % LANES]) + y).wrapping_sub(row))
    }
}

/// Sums of the entries of all windows in a row of a grid.
trait WindowRows<E: TableEntry>: Copy {
    /// Returns the sum for row `y` with the word `word`.
    fn sum(self, y: usize, word: u64) -> E::Sum;

    /// Returns the sum of `R` rows from row `y` on with the words `words`.
    #[inline(always)]
    fn sum_rows<const R: usize>(self, y: usize, words: [u64; R]) -> E::Sum {
        let mut sum = E::Sum::default();
        for k in 0..R {
            sum += self.sum(y + k, words[k]);
        }
        sum
    }
}

/// The rows of any grid.
#[derive(Clone, Copy)]
struct AnyRows<'a, E> {
    grid: &'a Grid,
    tables: &'a [E],
}

impl<E: TableEntry> WindowRows<E> for AnyRows<'_, E> {
    #[inline(always)]
    fn sum(self, y: usize, word: u64) -> E::Sum {
        let Grid { columns, mask, firsts, shifts, tables, .. } = self.grid;
        let first = firsts[y % ROWS];
        let mut sum = E::Sum::default();
        for x in 0..(*columns).min(MAX_WIDTH) {
            let cells = word >> (shifts[x] & 63) & mask;
            sum += self.tables[(first + tables[x] + cells) as usize].sum();
        }
        sum
    }
}

/// The rows of four merged tables, for example of squares of 3 cells on boards of ten columns.
#[derive(Clone, Copy)]
struct MergedRows<'a, E>(&'a [[E; MERGED_ROW]]);

impl<E: TableEntry> WindowRows<E> for MergedRows<'_, E> {
    #[inline(always)]
    fn sum(self, y: usize, word: u64) -> E::Sum {
        self.sum_rows(y, [word])
    }

    #[inline(always)]
    fn sum_rows<const R: usize>(self, y: usize, words: [u64; R]) -> E::Sum {
        let mut sum = E::Sum::default();
        let rows = self.0.get(y..).and_then(|rows| rows.first_chunk::<{ 1 + UNUSED_ROWS }>());
        let Some(rows) = rows else { return sum };
        let entries = rows.as_flattened();
        for k in 0..R {
            let mut of_row = E::Sum::default();
            for x in 0..MERGED_TABLES {
                let cells = usize::from((words[k] >> (16 * x)) as u16);
                of_row += entries[MERGED_ROW * k + (x << MERGED_CELLS) + cells].sum();
            }
            sum += of_row;
        }
        sum
    }
}

/// The rows of a grid with constants, so that neither indices nor loops need checks.
///
/// A row has `PLAIN` tables of 2^`BITS` entries, `ROW` together. The first `MIRRORED` of them also
/// serve mirrored windows. Windows are `DISTANCE` bits apart in a word.
#[derive(Clone, Copy)]
struct FixedRows<
    'a,
    E,
    const ROW: usize,
    const BITS: usize,
    const DISTANCE: usize,
    const PLAIN: usize,
    const MIRRORED: usize,
> {
    rows: &'a [[E; ROW]],
    /// Zero if all rows share the only element of `rows`, otherwise all bits.
    row_mask: usize,
    /// Position of the lowest bit of the mirrored board.
    mirrored: u64,
}

impl<
    E: TableEntry,
    const ROW: usize,
    const BITS: usize,
    const DISTANCE: usize,
    const PLAIN: usize,
    const MIRRORED: usize,
> WindowRows<E> for FixedRows<'_, E, ROW, BITS, DISTANCE, PLAIN, MIRRORED>
{
    #[inline(always)]
    fn sum(self, y: usize, word: u64) -> E::Sum {
        self.sum_row(&self.rows[y & self.row_mask], word)
    }

    #[inline(always)]
    fn sum_rows<const R: usize>(self, y: usize, words: [u64; R]) -> E::Sum {
        let mut sum = E::Sum::default();
        if let Some(rows) = self.rows.get(y..y + R) {
            for k in 0..R {
                sum += self.sum_row(&rows[k], words[k]);
            }
        } else {
            // All rows share their tables.
            for k in 0..R {
                sum += self.sum_row(&self.rows[0], words[k]);
            }
        }
        sum
    }
}

impl<
    E: TableEntry,
    const ROW: usize,
    const BITS: usize,
    const DISTANCE: usize,
    const PLAIN: usize,
    const MIRRORED: usize,
> FixedRows<'_, E, ROW, BITS, DISTANCE, PLAIN, MIRRORED>
{
    #[inline(always)]
    fn sum_row(self, row: &[E; ROW], word: u64) -> E::Sum {
        let mirrored = word >> (self.mirrored & 63);
        let mut sum = E::Sum::default();
        for x in 0..PLAIN {
            let cells = (word >> (DISTANCE * x)) as usize % (1 << BITS);
            sum += row[(x << BITS) + cells].sum();
        }
        for x in 0..MIRRORED {
            let cells = (mirrored >> (DISTANCE * x)) as usize % (1 << BITS);
            sum += row[(x << BITS) + cells].sum();
        }
        sum
    }
}

impl PieceWords {
    /// Spreads the cells of all placements in `shapes`.
    fn new(grid: &Grid, shapes: &Shapes) -> PieceWords {
        let below = 2 * (grid.height - 1);
        let stride = below + grid.height + 3;
        let mut words = vec![0; stride * shapes.count];
        for lane in 0..shapes.count {
            let height = shapes.height[lane] as usize;
            for k in 0..height {
                let spread = grid.spread(shapes.rows[k].0[lane]);
                for window_row in 0..grid.height {
                    words[stride * lane + below + k - window_row] |=
                        spread << (window_row * grid.rise);
                }
            }
        }
        let rows = shapes.height.map(|height| height + grid.height as u8 - 1);
        let first = std::array::from_fn(|lane| (stride * lane + below) as u16);
        PieceWords { words, first, rows }
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
