//! Sums the table entries of rectangular pattern windows at every position of a board.
//!
//! Row r of the board is *spread*, so that the windows of a board row are runs of bits of one word
//! (`h` is the rectangle's height). Columns that share tables read the mirrored board, whose spread
//! rows are in the upper part of the same word.
//!
//! ```text
//! spread(row)     bit h x is column x of the row
//! word(y)         spread(row y) | spread(row y + 1) << 1 | ... (h rows)
//! index(x, y)     word(y) >> h x, cut to the bits of one table
//! ```
//!
//! The *block* of a placement is the rows of windows that can contain its cells: equally many for
//! an orientation wherever it lands.
//!
//! Small windows that are beside each other can share one *merged* table, if tables do not change:
//! the entry of all cells together is the sum of the windows' entries. A word has sixteen bits for
//! each merged table, so that one instruction extracts an index. The bits of an index are ordered
//! by rows: the upper row of a window is often empty, so most indices in use are small and share
//! cache lines.

use std::ops::Range;

use super::{Candidates, TableEntry};
use crate::board::{MAX_WIDTH, ROWS};
use crate::controller::{Lookup, PatternLayout, Patterns, TableRows, WindowPlaces};
use crate::kernels::shapes::Shapes;
use crate::simd::LANES;

/// Layouts of pattern tables, on boards ten columns wide, that have a specialised copy of the code.
// Each has the distance of two indices in a word, bits of an index, tables in a row, mirrored ones.
const SPECIALISED_LAYOUTS: [(usize, usize, usize, usize); 3] =
    [(16, MERGED_CELLS, MERGED_TABLES, 0), (3, 9, 4, 4), (4, 16, 4, 3)];

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

/// Lookup of a rectangular pattern window at every position of a board; neighbouring windows may
/// share a table.
pub(super) struct Grid {
    height: usize,
    /// Number of positions of the pattern window in a row of the board.
    columns: usize,
    /// Number of board rows in which the pattern window can begin.
    rows: usize,
    /// Mask that clears the highest row of every pattern window in a word of window cells.
    lower: u64,
    mask: u64,
    /// Number of bits between a cell and the cell above it in a word of pattern-window cells.
    rise: usize,
    spread: [[u64; 256]; 2],
    /// Index of the bit at which the mirrored board begins, in a word of pattern-window cells.
    mirrored: u64,
    /// Index in [`SPECIALISED_LAYOUTS`] of the layout in use, plus 1; 0 for the general code.
    copy: usize,
    /// Position of the first bit of each column's pattern window in a word of window cells.
    shifts: [u64; MAX_WIDTH],
    /// Offset of each column's pattern table within the tables of a board row.
    tables: [u64; MAX_WIDTH],
    /// Index of the first pattern table entry of each board row.
    firsts: [u64; ROWS],
    pieces: Vec<PieceWords>,
}

struct PieceWords {
    /// Cells of the piece in each placement, packed like words of pattern-window cells.
    words: Vec<u64>,
    first: [u16; LANES],
    /// Number of rows of pattern windows that overlap each placement.
    rows: [u8; LANES],
}

pub(super) struct GridScratch<S> {
    words: [u64; 2 * ROWS],
    /// Sum of the pattern table entries of all windows below each row of the board.
    sums: [S; 2 * ROWS],
    top: usize,
    /// Sum of the pattern table entries of empty windows in each board row.
    empty_rows: [S; ROWS],
    empty: [S; ROWS + 1],
}

impl Grid {
    /// Creates a grid of pattern windows; `None` unless they are full rectangles at every position
    /// and the board size fits.
    pub(super) fn new(layout: &PatternLayout, source: Source, shapes: &[Shapes]) -> Option<Grid> {
        let Source { window, merged, first } = source;
        let (size, shape) = (layout.size(), &layout.shapes()[window]);
        let of = &layout.windows()[window];
        let (columns, rows) = (size.width() - shape.columns + 1, size.height() - shape.rows + 1);
        // The block of a piece of four rows must fit the board.
        let fits = rows >= shape.rows + 3;
        if of.at != WindowPlaces::Everywhere || !shape.is_full() || !fits {
            return None;
        }
        let (height, width) = (shape.rows, shape.columns + merged - 1);
        // Merged tables are not mirrored.
        let mirror = of.mirror && merged == 1;
        // Columns of the board that each half of a word describes.
        let used = if mirror { columns.div_ceil(2) - 1 + shape.columns } else { size.width() };
        let parts = if mirror { 2 } else { 1 };
        if merged == 1 && parts * used * height > u64::BITS as usize {
            return None;
        }
        let lookups: Vec<&Lookup> = layout.lookups_of(window).collect();
        let entries = 1 << (height * width);
        let row_places = columns.div_ceil(merged);
        let row_entries = match of.rows {
            _ if merged > 1 => row_places * entries + CACHE_PADDING,
            TableRows::Own => lookups[columns].table - lookups[0].table,
            TableRows::Shared => 0,
        };
        let mut grid = Grid {
            height,
            columns: row_places,
            rows,
            lower: 0,
            mask: entries as u64 - 1,
            rise: if merged > 1 { width } else { 1 },
            mirrored: (used * height) as u64 % 64,
            copy: 0,
            spread: [[0; 256]; 2],
            shifts: [0; MAX_WIDTH],
            tables: [0; MAX_WIDTH],
            firsts: std::array::from_fn(|y| (first + y * row_entries) as u64),
            pieces: Vec::new(),
        };
        for x in 0..row_places {
            let lookup = lookups[x];
            let (shift, table) = if merged > 1 {
                (16 * x, x * entries)
            } else {
                let part = if lookup.is_mirrored { used * height } else { 0 };
                (part + height * lookup.column, lookup.table - lookups[0].table)
            };
            (grid.shifts[x], grid.tables[x]) = (shift as u64, table as u64);
        }
        let is_mirrored = |lookup: &&&Lookup| merged == 1 && lookup.is_mirrored;
        let mirrored = lookups[..row_places].iter().filter(is_mirrored).count();
        let unmirrored = row_places - mirrored;
        // Copies with mirrored windows are for unmerged tables, the other copy is for merged ones.
        if (merged > 1) == (mirrored == 0) {
            let distance = if merged > 1 { 16 } else { height };
            let own = (distance, height * width, unmirrored, mirrored);
            let copy = SPECIALISED_LAYOUTS.iter().position(|copy| *copy == own);
            grid.copy = copy.map_or(0, |place| place + 1);
        }
        for column in 0..size.width() {
            let mut bits = 0;
            if merged > 1 {
                for x in 0..row_places {
                    if (merged * x..merged * x + width).contains(&column) {
                        bits |= 1u64 << (grid.shifts[x] + (column - merged * x) as u64);
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

    pub(super) fn scratch<S: Copy + Default>(&self) -> GridScratch<S> {
        let zero = S::default();
        GridScratch {
            words: [0; 2 * ROWS],
            sums: [zero; 2 * ROWS],
            top: 0,
            empty_rows: [zero; ROWS],
            empty: [zero; ROWS + 1],
        }
    }

    pub(super) fn refresh<E: TableEntry>(&self, tables: &[E], memory: &mut GridScratch<E::Sum>) {
        memory.top = 0;
        for y in (0..self.rows).rev() {
            let sum = self.any_rows(tables).sum(y, 0);
            memory.empty_rows[y] = sum;
            memory.empty[y] = memory.empty[y + 1] + sum;
        }
    }

    #[inline(always)]
    fn spread(&self, row: u16) -> u64 {
        self.spread[0][usize::from(row & 255)] | self.spread[1][usize::from(row >> 8)]
    }

    /// Returns the cells of all pattern windows whose lowest row is `y`, packed into one word.
    #[inline(always)]
    fn word(&self, rows: &[u16; ROWS], y: usize) -> u64 {
        let mut word = 0;
        for k in 0..self.height {
            word |= self.spread(rows[(y + k) % ROWS]) << (k * self.rise);
        }
        word
    }

    #[inline(always)]
    fn next_word(&self, rows: &[u16; ROWS], y: usize, above: u64) -> u64 {
        self.spread(rows[y % ROWS]) | (above & self.lower) << self.rise
    }

    #[inline(always)]
    fn any_rows<'a, E: TableEntry>(&'a self, tables: &'a [E]) -> AnyRows<'a, E> {
        AnyRows { grid: self, tables }
    }

    #[inline(always)]
    fn merged_rows<'a, E: TableEntry>(&self, tables: &'a [E]) -> MergedRows<'a, E> {
        MergedRows(tables[self.firsts[0] as usize..].as_chunks().0)
    }

    #[inline(always)]
    fn fixed_rows<
        'a,
        E: TableEntry,
        const ROW: usize,
        const BITS: usize,
        const DISTANCE: usize,
        const UNMIRRORED: usize,
        const MIRRORED: usize,
    >(
        &'a self,
        tables: &'a [E],
    ) -> FixedRows<'a, E, ROW, BITS, DISTANCE, UNMIRRORED, MIRRORED> {
        let (rows, _) = tables[self.firsts[0] as usize..].as_chunks();
        let is_own = self.firsts[1] != self.firsts[0];
        let rows = if is_own { rows } else { &rows[..1] };
        let row_mask = if is_own { usize::MAX } else { 0 };
        FixedRows { rows, row_mask, mirrored: self.mirrored }
    }

    /// Returns a board's sum of pattern table entries, and stores sums by row in `memory`. The
    /// lowest `known` rows must equal the last evaluated board's.
    #[inline(always)]
    pub(super) fn sum_board<E: TableEntry>(
        &self,
        tables: &[E],
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
        with_rows!(self, tables, windows => {
            for y in from..top {
                if y < stack {
                    sum += windows.sum(y, memory.words[y]);
                } else {
                    sum += memory.empty_rows[y];
                }
                memory.sums[y + 1] = sum;
            }
        });
        sum + memory.empty[top]
    }

    /// Returns the sum of pattern table entries for `rows`, which equal the last evaluated board
    /// below row `row`.
    #[inline(always)]
    pub(super) fn sum_from<E: TableEntry>(
        &self,
        tables: &[E],
        rows: &[u16; ROWS],
        stack: usize,
        row: usize,
        memory: &GridScratch<E::Sum>,
    ) -> E::Sum {
        let top = stack.min(self.rows);
        let from = (row + 1).saturating_sub(self.height).min(top).min(memory.top);
        let mut sum = memory.sums[from] + memory.empty[top];
        let mut word = 0;
        if stack > top {
            word = self.word(rows, top);
        }
        with_rows!(self, tables, windows => {
            for y in (from..top).rev() {
                word = self.next_word(rows, y, word);
                sum += windows.sum(y, word);
            }
        });
        sum
    }

    /// Adds to `values` how much each placement changes the sum of pattern table entries. The
    /// values of placements that fill rows or end above the top are invalid.
    #[inline(always)]
    pub(super) fn add_changes<E: TableEntry>(
        &self,
        tables: &[E],
        candidates: &Candidates,
        memory: &GridScratch<E::Sum>,
        values: &mut [E::Sum; LANES],
    ) {
        with_rows!(self, tables, windows => self.add_runs(windows, candidates, memory, values));
    }

    #[inline(always)]
    fn add_runs<E: TableEntry>(
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

    /// Returns the lowest row of windows that overlap a placement, and its index in `piece.words`.
    #[inline(always)]
    fn block(&self, piece: &PieceWords, lane: usize, row: usize, rows: usize) -> (usize, usize) {
        let y = (row + 1).saturating_sub(self.height).min(self.rows - rows);
        // The difference may be negative for a placement that ends above the top. The sum of such
        // a placement is not used: `evaluate_candidates` calls `place_apart` for its value.
        (y, (usize::from(piece.first[lane % LANES]) + y).wrapping_sub(row))
    }
}

/// Access to pattern tables that sums the entries of all windows in one board row.
trait WindowRows<E: TableEntry>: Copy {
    fn sum(self, y: usize, word: u64) -> E::Sum;

    #[inline(always)]
    fn sum_rows<const R: usize>(self, y: usize, words: [u64; R]) -> E::Sum {
        let mut sum = E::Sum::default();
        for k in 0..R {
            sum += self.sum(y + k, words[k]);
        }
        sum
    }
}

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

#[derive(Clone, Copy)]
struct MergedRows<'a, E>(&'a [[E; MERGED_ROW_ENTRIES]]);

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
                of_row += entries[MERGED_ROW_ENTRIES * k + (x << MERGED_CELLS) + cells].sum();
            }
            sum += of_row;
        }
        sum
    }
}

/// Pattern tables of constant number and size, so that the compiler removes index checks.
// `UNMIRRORED` tables of 2^`BITS` entries, `ROW` together, the first `MIRRORED` also for mirrored
// windows, which are `DISTANCE` bits apart in a word.
#[derive(Clone, Copy)]
struct FixedRows<
    'a,
    E,
    const ROW: usize,
    const BITS: usize,
    const DISTANCE: usize,
    const UNMIRRORED: usize,
    const MIRRORED: usize,
> {
    rows: &'a [[E; ROW]],
    row_mask: usize,
    mirrored: u64,
}

impl<
    E: TableEntry,
    const ROW: usize,
    const BITS: usize,
    const DISTANCE: usize,
    const UNMIRRORED: usize,
    const MIRRORED: usize,
> WindowRows<E> for FixedRows<'_, E, ROW, BITS, DISTANCE, UNMIRRORED, MIRRORED>
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
    const UNMIRRORED: usize,
    const MIRRORED: usize,
> FixedRows<'_, E, ROW, BITS, DISTANCE, UNMIRRORED, MIRRORED>
{
    #[inline(always)]
    fn sum_row(self, row: &[E; ROW], word: u64) -> E::Sum {
        let mirrored = word >> (self.mirrored & 63);
        let mut sum = E::Sum::default();
        for x in 0..UNMIRRORED {
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
    fn new(grid: &Grid, shapes: &Shapes) -> PieceWords {
        // A block begins up to `height` - 1 rows below the placement. Near the top of the board it
        // is shifted down by up to as many rows again, as no window begins in the highest rows.
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

/// Largest number of cells of neighbouring pattern windows that share one table, so that the tables
/// suit the processor's caches.
pub(super) const MERGED_CELLS: usize = 12;
/// Number of unused entries after the merged tables of each board row, so that tables do not evict
/// each other from caches.
pub(super) const CACHE_PADDING: usize = 16;
pub(super) const MAX_MERGED_ENTRIES: usize = 1 << 21;
pub(super) const MERGED_TABLES: usize = 4;
pub(super) const MERGED_ROW_ENTRIES: usize = (MERGED_TABLES << MERGED_CELLS) + CACHE_PADDING;
/// Number of unused table rows after the merged pattern tables, so that indices need no checks.
// A loop reads at most six rows, so the last is five rows above the first, and an index of sixteen
// bits reaches at most four rows beyond.
pub(super) const UNUSED_ROWS: usize = 9;

/// All pattern windows of one `[[patterns.windows]]` entry of a controller file, with their tables.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) window: usize,
    /// Number of neighbouring pattern windows that share one merged table; 1 without merging.
    pub(super) merged: usize,
    pub(super) first: usize,
}

pub(super) fn first_table(layout: &PatternLayout, window: usize) -> usize {
    layout.lookups_of(window).next().map_or(0, |lookup| lookup.table)
}

pub(super) fn merged_windows(layout: &PatternLayout, window: usize) -> usize {
    let (size, shape) = (layout.size(), &layout.shapes()[window]);
    let is_everywhere = layout.windows()[window].at == WindowPlaces::Everywhere;
    let can_merge = is_everywhere && shape.is_full() && size.height() >= 2 * shape.rows + 2;
    let columns = (MERGED_CELLS / shape.rows).min(size.width());
    let merged = (columns + 1).saturating_sub(shape.columns).max(1);
    let row_tables = (size.width() - shape.columns + 1).div_ceil(merged);
    if can_merge && row_tables <= MERGED_TABLES { merged } else { 1 }
}

impl Source {
    pub(super) fn new(layout: &PatternLayout, window: usize, merged: usize) -> Source {
        Source { window, merged, first: first_table(layout, window) }
    }

    pub(super) fn append(self, patterns: &Patterns, to: &mut Vec<i32>) {
        let (layout, tables) = (patterns.layout(), patterns.tables());
        let shape = &layout.shapes()[self.window];
        let lookups: Vec<&Lookup> = layout.lookups_of(self.window).collect();
        if self.merged == 1 {
            let tables_of = |lookup: &&Lookup| lookup.table + shape.entries();
            let end = lookups.iter().map(tables_of).max().unwrap_or(self.first);
            to.extend(tables[self.first..end].iter().map(|&entry| i32::from(entry)));
            return;
        }
        let columns = layout.size().width() - shape.columns + 1;
        let width = shape.columns + self.merged - 1;
        // The bits of a window in the order of its own table, from the bits of the merged one.
        let own = |cells: usize, k: usize, lookup: &Lookup| {
            let bit = |x: usize, y: usize| {
                let from = if lookup.is_mirrored { shape.columns - 1 - x } else { x };
                (cells >> (width * y + k + from) & 1) << (shape.rows * x + y)
            };
            let bits = (0..shape.columns).flat_map(|x| (0..shape.rows).map(move |y| bit(x, y)));
            bits.sum::<usize>()
        };
        let (bits, row_tables) = (shape.rows * width, columns.div_ceil(self.merged));
        for row in lookups.chunks(columns) {
            let first = to.len();
            to.resize(first + (row_tables << bits) + CACHE_PADDING, 0);
            for (x, some) in row.chunks(self.merged).enumerate() {
                for (k, lookup) in some.iter().enumerate() {
                    let table = &mut to[first + (x << bits)..][..1 << bits];
                    for (cells, sum) in table.iter_mut().enumerate() {
                        *sum += i32::from(tables[lookup.table + own(cells, k, lookup)]);
                    }
                }
            }
        }
        to.resize(to.len() + UNUSED_ROWS * ((row_tables << bits) + CACHE_PADDING), 0);
    }
}
