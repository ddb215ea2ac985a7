//! What stackers say of a board: its well, its dependencies on the I, its parities.

use crate::board::{Board, MAX_WIDTH};

/// Properties of a board, each with a rule that anyone can compute (`data/README.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surface {
    pub(super) heights: [u8; MAX_WIDTH],
    /// The leftmost deepest column, and how far it lies below its lower neighbour.
    pub(super) well: (usize, u8),
    /// Columns 3 or more below their lower neighbour.
    pub(super) i_dependencies: u64,
    pub(super) parity_check: i64,
    pub(super) parity_column: i64,
}

/// Bits of the even columns.
const EVEN: u16 = 0x5555;

impl Surface {
    pub(super) fn of(board: &Board) -> Surface {
        let heights = board.heights();
        let mut surface =
            Surface { heights, well: (0, 0), i_dependencies: 0, parity_check: 0, parity_column: 0 };
        for column in 0..board.width() {
            let depth = depth(&heights[..board.width()], column);
            if depth > surface.well.1 {
                surface.well = (column, depth);
            }
            surface.i_dependencies += u64::from(depth >= 3);
        }
        for (row, cells) in board.rows()[..board.stack_height()].iter().enumerate() {
            let even = i64::from((cells & EVEN).count_ones());
            let odd = i64::from((cells & !EVEN).count_ones());
            surface.parity_column += even - odd;
            surface.parity_check += if row % 2 == 0 { even - odd } else { odd - even };
        }
        surface
    }
}

/// How far a column lies below its lower neighbour; a wall is no neighbour.
fn depth(heights: &[u8], column: usize) -> u8 {
    let left = column.checked_sub(1).map(|left| heights[left]);
    let right = heights.get(column + 1).copied();
    let lower = left.into_iter().chain(right).min().unwrap_or(0);
    lower.saturating_sub(heights[column])
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
        let flat: Board = "..../..../..../####".parse().unwrap();
        assert_eq!(Surface::of(&flat).well, (0, 0));
    }
}
