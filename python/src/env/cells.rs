//! Cells as bytes, for planes of a network.

/// Most rows of a plane, and the bytes that a row is spread to.
const MOST_ROWS: usize = 28;
const SPREAD: usize = 16;

/// Writes one plane, a byte of 0 or 1 for each cell: rows from the top, each from its leftmost column (bit 0).
pub(super) fn write_plane(rows: impl Iterator<Item = u16>, width: usize, out: &mut [u8]) {
    // Each row writes sixteen bytes; those beyond the width are the next row's, which overwrites them.
    let mut wide = [0; (MOST_ROWS + 1) * SPREAD];
    for (k, row) in rows.enumerate() {
        wide[k * width..k * width + SPREAD].copy_from_slice(&spread(row));
    }
    out.copy_from_slice(&wide[..out.len()]);
}

/// Writes which actions are legal, a byte of 0 or 1 for each; bit 0 is action 0.
pub(super) fn write_mask(legal: u64, out: &mut [u8]) {
    for (k, eight) in out.chunks_mut(8).enumerate() {
        eight.copy_from_slice(&spread_byte((legal >> (8 * k)) as u8)[..eight.len()]);
    }
}

fn spread(bits: u16) -> [u8; SPREAD] {
    let [low, high] = bits.to_le_bytes().map(spread_byte);
    std::array::from_fn(|k| if k < 8 { low[k] } else { high[k - 8] })
}

/// A byte for each bit: copies of the bits, one kept in each byte, then carried to the byte's top and back down.
fn spread_byte(bits: u8) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let kept = (u64::from(bits) * ONES) & DIAGONAL;
    (((kept + 0x7f * ONES) >> 7) & ONES).to_le_bytes()
}
