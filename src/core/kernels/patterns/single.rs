//! Windows that are in no grid, looked up cell by cell.

use super::TableEntry;
use crate::board::{BoardSize, ROWS};
use crate::controller::{Lookup, WindowShape};

/// A window at one place that is in no grid.
pub(super) struct Single {
    pub(super) lookup: Lookup,
    pub(super) shape: WindowShape,
    /// Column of the window's left side on the board itself.
    pub(super) column: usize,
}

impl Single {
    pub(super) fn new(size: BoardSize, lookup: &Lookup, shape: &WindowShape) -> Single {
        let opposite = size.width() - shape.columns - lookup.column;
        let column = if lookup.is_mirrored { opposite } else { lookup.column };
        Single { lookup: *lookup, shape: shape.clone(), column }
    }

    /// Returns the entry for a board with the rows `rows`, and `mirrored` with its columns in
    /// reverse order.
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
