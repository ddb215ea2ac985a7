//! The tables of a group of windows, and the merging of small tables.
//!
//! A controller's tables do not change, so small windows beside each other are merged: one larger
//! table has the sums of their entries for all cells of both. A word then has sixteen bits for each
//! merged table, so that one instruction extracts an index. Its bits are ordered by rows: the upper
//! row of a window is often empty, so most indices in use are small and share cache lines.

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
/// Number of entries in the tables of a row of [`MergedRows`].
pub(super) const MERGED_ROW: usize = (MERGED_TABLES << MERGED_CELLS) + PADDING;
/// Number of unused rows after the merged tables. With them, no index of sixteen bits in the
/// highest rows is beyond the end, so none is checked.
pub(super) const UNUSED_ROWS: usize = 9;

/// The windows of one group of a layout, and the place of their tables.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Index of the windows in the layout.
    pub(super) window: usize,
    /// Number of neighbouring windows that one larger window replaces; 1 without merging.
    pub(super) step: usize,
    /// First entry of their tables.
    pub(super) first: usize,
}

/// Returns the first entry of the tables of the group `window` in `layout`.
pub(super) fn first_table(layout: &PatternLayout, window: usize) -> usize {
    let mut of_window = layout.lookups().iter().filter(|lookup| lookup.window == window);
    of_window.next().map_or(0, |lookup| lookup.table)
}

/// Returns the number of windows beside each other that one merged table can replace.
pub(super) fn merged_windows(layout: &PatternLayout, window: usize) -> usize {
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
    pub(super) fn of(layout: &PatternLayout, window: usize, step: usize) -> Source {
        Source { window, step, first: first_table(layout, window) }
    }

    /// Appends the windows' tables, merged if `step` is not 1, to `to`.
    pub(super) fn append(self, patterns: &Patterns, to: &mut Vec<i32>) {
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
