//! The tables of a group of windows, and the merging of small tables. A group is all places of one
//! `[[patterns.windows]]`.
//!
//! A controller's tables do not change, so small windows that are beside each other in a row can
//! share one larger table. This merged table has one entry for each filling of all cells that the
//! windows cover together. The entry is the sum of the entries that the windows select, so one
//! access to memory replaces several.
//!
//! A word has sixteen bits for each merged table, so that one instruction extracts an index. An
//! index has at most twelve bits; the others are zero. Its bits are ordered by rows: the upper row
//! of a window is often empty, so most indices in use are small and share cache lines.

use crate::controller::{Lookup, PatternLayout, Patterns, WindowPlaces};

/// Maximum number of cells of a merged window, which replaces several neighbouring windows. Its
/// table has 4,096 entries of four bytes. Games use few of them, and those stay in the caches.
pub(super) const MERGED_CELLS: usize = 12;
/// Number of unused entries after the merged tables of a row: a cache line. Without them, equal
/// cells of all rows would share few sets of the caches.
pub(super) const PADDING: usize = 16;
/// Largest number of entries of all tables of a kernel with merged windows.
pub(super) const LARGEST_MERGED: usize = 1 << 21;
/// Largest number of merged tables in a row: a word has sixteen bits for each.
pub(super) const MERGED_TABLES: usize = 4;
/// Number of entries of the tables of a row in the specialised copy for merged tables.
pub(super) const MERGED_ROW: usize = (MERGED_TABLES << MERGED_CELLS) + PADDING;
/// Number of unused rows of entries after the merged tables. The compiler knows only that an index
/// has sixteen bits. With the unused rows, every such index is within the tables, so the code
/// checks none. Nine rows suffice: a loop reads at most six rows, so the last is five rows above
/// the first, and an index of sixteen bits reaches at most four rows beyond it.
pub(super) const UNUSED_ROWS: usize = 9;

/// A group of windows of a layout, and the place of their tables.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Index of the group in the layout.
    pub(super) window: usize,
    /// Number of neighbouring windows that one table replaces; 1 without merging.
    pub(super) merged: usize,
    /// First entry of the group's tables.
    pub(super) first: usize,
}

/// Returns the first entry of the tables of the group `window` in `layout`.
pub(super) fn first_table(layout: &PatternLayout, window: usize) -> usize {
    layout.lookups_of(window).next().map_or(0, |lookup| lookup.table)
}

/// Returns the number of windows beside each other that one merged table can replace.
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
    /// Returns the tables of the group `window` of `layout` at their place in the layout.
    pub(super) fn of(layout: &PatternLayout, window: usize, merged: usize) -> Source {
        Source { window, merged, first: first_table(layout, window) }
    }

    /// Appends the windows' tables, as merged tables if `merged` is not 1, to `to`.
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
            to.resize(first + (row_tables << bits) + PADDING, 0);
            for (x, some) in row.chunks(self.merged).enumerate() {
                for (k, lookup) in some.iter().enumerate() {
                    let table = &mut to[first + (x << bits)..][..1 << bits];
                    for (cells, sum) in table.iter_mut().enumerate() {
                        *sum += i32::from(tables[lookup.table + own(cells, k, lookup)]);
                    }
                }
            }
        }
        to.resize(to.len() + UNUSED_ROWS * ((row_tables << bits) + PADDING), 0);
    }
}
