//! Properties of a board's surface: its well, its dependencies on the I, its parities.

use crate::board::{Board, MAX_WIDTH};

/// Surface of a board; each property has a definition in `data/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    pub(crate) heights: [u8; MAX_WIDTH],
    /// Leftmost deepest column, and its depth below the lower neighbour.
    pub(crate) well: (usize, u8),
    /// True if another column is equally deep.
    pub(crate) well_tied: bool,
    /// Number of columns 3 or more below their lower neighbour.
    pub(crate) i_dependencies: u64,
    pub(crate) parity_check: i64,
    pub(crate) parity_column: i64,
}

/// Bit mask over four rows: cells of even columns, and cells with an even sum of column and row.
const EVEN: u64 = 0x5555_5555_5555_5555;
const CHECK: u64 = 0xaaaa_5555_aaaa_5555;

impl Surface {
    pub(crate) fn of(board: &Board) -> Surface {
        let heights = board.heights();
        let mut surface = Surface {
            heights,
            well: (0, 0),
            well_tied: false,
            i_dependencies: 0,
            parity_check: 0,
            parity_column: 0,
        };
        for (column, &depth) in depths(&heights[..board.width()]).iter().enumerate() {
            surface.well_tied |= depth == surface.well.1;
            if depth > surface.well.1 {
                surface.well_tied = false;
                surface.well = (column, depth);
            }
            surface.i_dependencies += u64::from(depth >= 3);
        }
        for four in board.rows()[..board.stack_height().next_multiple_of(4)].chunks_exact(4) {
            let mut cells = 0;
            for &row in four.iter().rev() {
                cells = cells << 16 | u64::from(row);
            }
            let count = |cells: u64| i64::from(cells.count_ones());
            surface.parity_column += 2 * count(cells & EVEN) - count(cells);
            surface.parity_check += 2 * count(cells & CHECK) - count(cells);
        }
        surface
    }

    /// Returns the leftmost deepest column if it lies at least `least` below its lower neighbour.
    pub(crate) fn well_column(&self, least: u8) -> Option<usize> {
        (self.well.1 >= least).then_some(self.well.0)
    }
}

/// Returns the depth of each column below its lower neighbour; walls count as infinitely high.
fn depths(heights: &[u8]) -> [u8; MAX_WIDTH] {
    let mut walled = [u8::MAX; MAX_WIDTH + 2];
    walled[1..=heights.len()].copy_from_slice(heights);
    let mut depths = [0; MAX_WIDTH];
    for (c, depth) in depths.iter_mut().enumerate() {
        *depth = walled[c].min(walled[c + 2]).saturating_sub(walled[c + 1]);
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_by_hand() {
        let board: Board = "....../.#..../.#...#/.##.##/.##.##".parse().unwrap();
        let surface = Surface::of(&board);
        // Heights 0 4 2 0 2 3: column 0 lies 4 below, column 3 lies 2 below.
        assert_eq!((surface.well, surface.i_dependencies), ((0, 4), 1));
        // Rows 0 and 1 have columns 1 2 4 5; row 2 has 1 5; row 3 has 1.
        assert_eq!(surface.parity_column, 4 - 7);
        // Row 0: even columns 2 4 count, 1 5 do not; row 1 the other way; row 2: -2; row 3: +1.
        assert_eq!(surface.parity_check, -1);
        assert!(!surface.well_tied);
        let twice: Board = "..../..../#.#./#.#.".parse().unwrap();
        assert_eq!((Surface::of(&twice).well, Surface::of(&twice).well_tied), ((1, 2), true));
        let flat: Board = "..../..../..../####".parse().unwrap();
        assert_eq!(Surface::of(&flat).well, (0, 0));
    }
}
