//! Planes of cells and action masks with one byte per value, as networks read them.

/// Number of bytes that one row expands to.
const SPREAD: usize = 16;

/// The order of a plane's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOrder {
    /// Row 0 of a plane is the floor.
    FloorFirst,
    /// Row 0 of a plane is the top row.
    TopFirst,
}

impl RowOrder {
    /// Returns the row of the plane that shows the board's row `row`, for planes of `height` rows.
    /// The mapping is its own inverse.
    pub fn row(self, row: usize, height: usize) -> usize {
        match self {
            RowOrder::FloorFirst => row,
            RowOrder::TopFirst => height - 1 - row,
        }
    }
}

/// Writes one plane with one byte, 0 or 1, per cell. `rows` begins with the floor; bit 0 is the
/// leftmost column.
pub(super) fn write_plane(rows: &[u16], width: usize, order: RowOrder, out: &mut [u8]) {
    for k in 0..rows.len() {
        let row = rows[order.row(k, rows.len())];
        let (low, high) = (spread(row as u8), spread((row >> 8) as u8));
        let rest = &mut out[k * width..];
        // Both words are stored even if the row is narrower: the next row overwrites the bytes
        // beyond the width. The last rows have no room for them and copy the exact number of bytes.
        // Storing two words is three times as fast as joining them to sixteen bytes first.
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

/// Writes an action mask with one byte, 0 or 1, per action. Bit 0 of `legal` is action 0.
pub(super) fn write_mask(legal: u64, out: &mut [u8]) {
    for (k, eight) in out.chunks_mut(8).enumerate() {
        let cells = spread((legal >> (8 * k)) as u8).to_le_bytes();
        eight.copy_from_slice(&cells[..eight.len()]);
    }
}

/// Expands 8 bits to 8 bytes of 0 or 1. The multiplication copies all bits to every byte and the
/// mask keeps one bit in each; the addition carries it to the top of its byte, and the shift moves
/// it down.
#[inline(always)]
fn spread(bits: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let kept = (u64::from(bits) * ONES) & DIAGONAL;
    ((kept + 0x7f * ONES) >> 7) & ONES
}
