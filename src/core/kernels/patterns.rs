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
//! | for a board | sums of all windows left of and below each place, up to four rows above the stack |
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

use std::ops::{Add, AddAssign, Sub};

use super::board_batch::PlayRules;
use super::shapes::Shapes;
use crate::board::{Board, BoardSize, MAX_WIDTH, ROWS, full_row};
use crate::controller::{Lookup, PatternLayout, TableRows, WindowPlaces, WindowShape, mirrored_rows};
use crate::features::Measured;
use crate::piece::Piece;
use crate::simd::LANES;

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
/// use tetrastat::{board::Board, features::Measured, kernels::PatternKernel, piece::Piece};
/// let window = PatternWindow {
///     cells: "3x3".to_owned(),
///     at: WindowPlaces::Everywhere,
///     mirror: true,
///     rows: TableRows::Own,
/// };
/// let size = "10x20".parse()?;
/// let layout = PatternLayout::new(&[window], size)?;
/// let kernel = PatternKernel::new(&layout, Measured::AfterClear, false);
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
    play: PlayRules,
    shapes: Vec<Shapes>,
    grids: Vec<Grid>,
    /// Windows that are in no grid.
    singles: Vec<Single>,
}

/// A full rectangle at every place of a board.
struct Grid {
    /// Number of rows of the rectangle.
    height: usize,
    /// Number of places beside each other.
    columns: usize,
    /// Number of places above each other.
    rows: usize,
    /// Mask of an index.
    mask: u32,
    /// Spread cells of the lower and the upper eight columns of a row.
    spread: [[u64; 256]; 2],
    /// Position of the lowest bit of each column's windows in a word.
    shifts: [u32; MAX_WIDTH],
    /// First entry of each column's table, from the first entry of its row.
    tables: [u32; MAX_WIDTH],
    /// First entry of the tables of row 0.
    first: u32,
    /// Number of entries between the tables of two rows; 0 if rows share tables.
    row_entries: u32,
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
    /// Sums of the windows left of and below each place.
    sums: [[E::Sum; MAX_WIDTH + 1]; ROWS + 1],
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
    /// controller and the rules.
    #[must_use]
    pub fn new(
        layout: &PatternLayout,
        measured: Measured,
        clear_on_overflow: bool,
    ) -> PatternKernel {
        let size = layout.size();
        let shapes: Vec<Shapes> =
            Piece::ALL.map(|piece| Shapes::new(size.width(), piece)).into();
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
        PatternKernel { size, play, shapes, grids, singles }
    }

    /// Returns working memory for one thread, prepared for `tables`.
    #[must_use]
    pub fn scratch<E: TableEntry>(&self, tables: &[E]) -> PatternScratch<E> {
        let zero = E::Sum::default();
        let grid = |_: &Grid| GridScratch {
            words: [0; ROWS],
            sums: [[zero; MAX_WIDTH + 1]; ROWS + 1],
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
            for y in (0..grid.rows).rev() {
                let row = grid.row_sum(tables, y, 0);
                memory.empty[y] = memory.empty[y + 1] + row;
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
        self.begin(tables, board, scratch);
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
        let lanes = (0..shapes.count).map(|lane| (lane, rows[lane] as usize));
        self.evaluate_lanes(tables, board, piece, lanes, scratch);
        scratch.rows = rows;
        shapes.count
    }

    /// Computes the value of the board after each of `candidates`: an index of the piece's
    /// placements and a landing row.
    pub(super) fn evaluate_lanes<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        piece: Piece,
        candidates: impl Iterator<Item = (usize, usize)>,
        scratch: &mut PatternScratch<E>,
    ) {
        self.begin(tables, board, scratch);
        let shapes = &self.shapes[piece.index()];
        let (full, height) = (full_row(self.size.width()), self.size.height());
        let stack = scratch.board.map_or(ROWS, |(_, stack)| stack);
        // Sums are known up to four rows above the stack.
        let highest = height.min(stack + 4);
        scratch.lost = 0;
        for (at, (lane, row)) in candidates.enumerate() {
            let (at, lane) = (at % LANES, lane % LANES);
            let top = row + shapes.height[lane] as usize;
            let mut removed = 0u32;
            for k in 0..shapes.height[lane] as usize {
                let cells = board.rows()[(row + k) % ROWS] | shapes.rows[k % 4].0[lane];
                removed |= u32::from(cells == full) << ((row + k) % ROWS);
            }
            let stays = top > height && !self.play.clear_on_overflow;
            if stays {
                removed = 0;
            }
            let is_summed = removed != 0 && self.play.measured == Measured::AfterClear;
            if top > highest || removed != 0 {
                let locked = Board::lock_rows(board, row, lane, shapes);
                let after = locked.without_rows(removed);
                let is_lost = after.stack_height() > height;
                scratch.lost |= u64::from(is_lost) << at;
                let measured = if is_summed { &after } else { &locked };
                if top > highest || is_summed {
                    scratch.values[at] = self.sum_from(tables, measured, row, scratch);
                    scratch.lines[at] = removed.count_ones() as u8;
                    continue;
                }
            } else {
                scratch.lost |= u64::from(stack > height) << at;
            }
            scratch.lines[at] = removed.count_ones() as u8;
            let mut value = scratch.total;
            for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
                value += grid.change(tables, piece, lane, row, memory);
            }
            if !self.singles.is_empty() {
                value += self.change_of_singles(tables, board, shapes, lane, row, scratch);
            }
            scratch.values[at] = value;
        }
    }

    /// Computes the sums of `board`, unless `scratch` has them.
    fn begin<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        scratch: &mut PatternScratch<E>,
    ) {
        debug_assert_eq!(board.size(), self.size);
        if scratch.board.is_some_and(|(known, _)| known == *board) {
            return;
        }
        let stack = board.stack_height();
        scratch.board = Some((*board, stack));
        scratch.total = E::Sum::default();
        for (grid, memory) in self.grids.iter().zip(&mut scratch.grids) {
            scratch.total += grid.sum_board(tables, board.rows(), stack, memory);
        }
        if !self.singles.is_empty() {
            let mirrored = mirrored_rows(board);
            for (single, entry) in self.singles.iter().zip(&mut scratch.singles) {
                *entry = single.entry(tables, board.rows(), &mirrored);
                scratch.total += *entry;
            }
        }
    }

    /// Returns the value of `board`, which is equal to the board of `scratch` below row `row`.
    fn sum_from<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        row: usize,
        scratch: &PatternScratch<E>,
    ) -> E::Sum {
        let mut value = E::Sum::default();
        let stack = board.stack_height();
        for (grid, memory) in self.grids.iter().zip(&scratch.grids) {
            let top = stack.min(grid.rows);
            let from = (row + 1).saturating_sub(grid.height).min(top);
            value += memory.sums[from][grid.columns] + memory.empty[top];
            for y in from..top {
                value += grid.row_sum(tables, y, grid.word(board.rows(), y));
            }
        }
        if !self.singles.is_empty() {
            let mirrored = mirrored_rows(board);
            for single in &self.singles {
                value += single.entry(tables, board.rows(), &mirrored);
            }
        }
        value
    }

    /// Returns the change of the value of the windows in no grid by placement `lane` on `row`.
    #[cold]
    fn change_of_singles<E: TableEntry>(
        &self,
        tables: &[E],
        board: &Board,
        shapes: &Shapes,
        lane: usize,
        row: usize,
        scratch: &PatternScratch<E>,
    ) -> E::Sum {
        let after = Board::lock_rows(board, row, lane, shapes);
        let mirrored = mirrored_rows(&after);
        let cells = shapes.rows.iter().fold(0, |cells, rows| cells | rows.0[lane]);
        let top = row + shapes.height[lane] as usize;
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

impl Board {
    /// Returns the board with placement `lane` of `shapes` on row `row`.
    fn lock_rows(&self, row: usize, lane: usize, shapes: &Shapes) -> Board {
        let mut board = *self;
        for k in 0..shapes.height[lane] as usize {
            board.rows_mut()[row + k] |= shapes.rows[k].0[lane];
        }
        board
    }
}

impl Grid {
    /// Prepares the window number `window` of `layout`. Returns `None` if it is no full rectangle
    /// at every place, or if the board is too small.
    fn new(layout: &PatternLayout, window: usize, shapes: &[Shapes]) -> Option<Grid> {
        let (size, shape) = (layout.size(), &layout.shapes()[window]);
        let of = &layout.windows()[window];
        let (columns, rows) =
            (size.width() - shape.columns + 1, size.height() - shape.rows + 1);
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
            mask: (1 << shape.cells.len()) - 1,
            spread: [[0; 256]; 2],
            shifts: [0; MAX_WIDTH],
            tables: [0; MAX_WIDTH],
            first: first as u32,
            row_entries: row_entries as u32,
            pieces: Vec::new(),
        };
        for (x, lookup) in lookups[..columns].iter().enumerate() {
            let part = if lookup.is_mirrored { used * height } else { 0 };
            grid.shifts[x] = (part + height * lookup.column) as u32;
            grid.tables[x] = (lookup.table - first) as u32;
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

    /// Returns the first entry of the tables of row `y`.
    #[inline(always)]
    fn row_first(&self, y: usize) -> u32 {
        self.first + y as u32 * self.row_entries
    }

    /// Returns the entry of the window in column `x` of a word. `first` is [`Grid::row_first`].
    #[inline(always)]
    fn entry<E: TableEntry>(&self, tables: &[E], first: u32, x: usize, word: u64) -> E::Sum {
        let cells = (word >> self.shifts[x % MAX_WIDTH]) as u32 & self.mask;
        tables[(first + self.tables[x % MAX_WIDTH] + cells) as usize].sum()
    }

    /// Returns the sum of the entries of all windows of a word.
    fn row_sum<E: TableEntry>(&self, tables: &[E], y: usize, word: u64) -> E::Sum {
        let first = self.row_first(y);
        let mut sum = E::Sum::default();
        for x in 0..self.columns {
            sum += self.entry(tables, first, x, word);
        }
        sum
    }

    /// Stores the words and the sums of a board with the rows `rows`, and returns its value.
    fn sum_board<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        stack: usize,
        memory: &mut GridScratch<E>,
    ) -> E::Sum {
        // Blocks at the floor are up to `height` + 3 rows high.
        let top = (stack + 4).max(self.height + 3).min(self.rows);
        for y in 0..top {
            let word = self.word(rows, y);
            memory.words[y] = word;
            let first = self.row_first(y);
            let (below, own) = memory.sums.split_at_mut(y + 1);
            let (below, own) = (&below[y], &mut own[0]);
            let mut sum = E::Sum::default();
            for x in 0..self.columns.min(MAX_WIDTH) {
                sum += self.entry(tables, first, x, word);
                own[x + 1] = below[x + 1] + sum;
            }
        }
        memory.sums[top][self.columns] + memory.empty[top]
    }

    /// Returns the change of the value by placement `lane` of `piece` on row `row`.
    #[inline(always)]
    fn change<E: TableEntry>(
        &self,
        tables: &[E],
        piece: Piece,
        lane: usize,
        row: usize,
        memory: &GridScratch<E>,
    ) -> E::Sum {
        let piece = &self.pieces[piece.index()];
        let Block { column, columns, rows } = piece.blocks[lane];
        let (column, columns, rows) = (usize::from(column), usize::from(columns), rows.into());
        let y = (row + 1).saturating_sub(self.height).min(self.rows - rows);
        let skipped = y + 2 * (self.height - 1) - row;
        let words = &piece.words[piece.stride * lane + skipped..][..rows];
        // Copies of the code for blocks of fixed size, those of squares of 3 and 4 cells. They are
        // unrolled.
        macro_rules! sized {
            ($(($columns:literal, $rows:literal))*) => {
                match (columns, rows) {
                    $(($columns, $rows) =>
                        self.block_sum::<E, $rows>(tables, words, memory, column, $columns, y),)*
                    _ => self.block_sum::<E, 0>(tables, words, memory, column, columns, y),
                }
            };
        }
        let new = sized!(
            (3, 6) (6, 3) (4, 4) (5, 4) (4, 5)
            (4, 7) (7, 4) (5, 5) (6, 5) (5, 6)
        );
        let (low, high) = (&memory.sums[y], &memory.sums[y + rows]);
        let (left, right) = (column % MAX_WIDTH, (column + columns) % (MAX_WIDTH + 1));
        new - ((high[right] - high[left]) - (low[right] - low[left]))
    }

    /// Returns the sum of the entries of a block of windows after the placement with the words
    /// `words`. `ROWS_IN_BLOCK` is the number of rows, or 0 if it is not known when compiling.
    #[inline(always)]
    fn block_sum<E: TableEntry, const ROWS_IN_BLOCK: usize>(
        &self,
        tables: &[E],
        words: &[u64],
        memory: &GridScratch<E>,
        column: usize,
        columns: usize,
        y: usize,
    ) -> E::Sum {
        let before = &memory.words[y..];
        let mut sum = E::Sum::default();
        let rows = if ROWS_IN_BLOCK == 0 { words.len() } else { ROWS_IN_BLOCK };
        for (k, (word, before)) in words[..rows].iter().zip(&before[..rows]).enumerate() {
            let (word, first) = (word | before, self.row_first(y + k));
            for x in column..column + columns {
                sum += self.entry(tables, first, x, word);
            }
        }
        sum
    }
}

impl PieceWords {
    /// Spreads the cells of all placements in `shapes`.
    fn new(grid: &Grid, window: &WindowShape, shapes: &Shapes) -> PieceWords {
        let below = 2 * (grid.height - 1);
        let stride = below + grid.height + 3;
        let (mut words, mut blocks) = (vec![0; stride * shapes.count], Vec::new());
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
            blocks.push(Block {
                column: column as u8,
                columns: columns as u8,
                rows: (height + grid.height - 1) as u8,
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
