//! Functions that write planes of cells and action masks with one byte per value, as neural
//! networks read them.

/// Number of bytes to which one row of 16 bits is expanded.
const SPREAD: usize = 16;

tetrastat_core::names! {
    /// Order of the rows in a plane of cells.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum RowOrder as "row_order" {
        /// Row 0 of a plane is the floor.
        FloorFirst = "floor",
        /// Row 0 of a plane is the top row.
        TopFirst = "top",
    }
}

impl RowOrder {
    /// Returns the index in a plane of `height` rows at which the board's row `row` is shown. The
    /// same function converts the index back.
    pub fn row(self, row: usize, height: usize) -> usize {
        match self {
            RowOrder::FloorFirst => row,
            RowOrder::TopFirst => height - 1 - row,
        }
    }
}

/// Writes a plane of cells to `out`, with one byte (0 or 1) per cell. `rows` begins with the floor,
/// and bit 0 of a row is the leftmost column.
pub(super) fn write_plane(rows: &[u16], width: usize, order: RowOrder, out: &mut [u8]) {
    for k in 0..rows.len() {
        let row = rows[order.row(k, rows.len())];
        let (low, high) = (spread(row as u8), spread((row >> 8) as u8));
        let rest = &mut out[k * width..];
        // Sixteen bytes are stored even if the row is narrower, because the next row overwrites the
        // bytes beyond the width. The last rows have no space for sixteen bytes, so exactly `width`
        // bytes are copied. Storing two words is three times as fast as joining them first.
        if let Some((first, second)) = rest.first_chunk_mut::<SPREAD>().and_then(halves) {
            (*first, *second) = (low.to_le_bytes(), high.to_le_bytes());
        } else {
            let cells = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
            rest[..width].copy_from_slice(&cells[..width]);
        }
    }
}

fn halves(bytes: &mut [u8; SPREAD]) -> Option<(&mut [u8; 8], &mut [u8; 8])> {
    let (first, second) = bytes.split_first_chunk_mut::<8>()?;
    Some((first, second.first_chunk_mut::<8>()?))
}

/// Writes an action mask to `out`, with one byte (0 or 1) per action. Bit 0 of `legal` belongs to
/// action 0.
pub(super) fn write_mask(legal: u64, out: &mut [u8]) {
    for (k, eight) in out.chunks_mut(8).enumerate() {
        let cells = spread((legal >> (8 * k)) as u8).to_le_bytes();
        eight.copy_from_slice(&cells[..eight.len()]);
    }
}

/// Expands 8 bits to 8 bytes of 0 or 1. The multiplication copies the 8 bits to every byte, and the
/// mask keeps bit k of byte k. Adding 0x7f carries it to the top bit of its byte, and the shift
/// moves it down to bit 0.
#[inline(always)]
fn spread(bits: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let kept = (u64::from(bits) * ONES) & DIAGONAL;
    ((kept + 0x7f * ONES) >> 7) & ONES
}
