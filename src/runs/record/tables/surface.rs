//! Properties of a stack's surface: its well (deepest column), columns that need an I, parities.

use std::borrow::Cow;

use crate::board::MAX_WIDTH;
use crate::kernels::{BatchSurfaces, SurfaceProperty};
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    pub(crate) heights: [u8; MAX_WIDTH],
    /// Column that lies deepest below its lower neighbour (leftmost if tied), and depth in rows.
    pub(crate) well: (usize, u8),
    /// True if several columns are the deepest, so that the choice of the well is not unique.
    pub(crate) well_tied: bool,
    /// Number of columns 3 or more rows below both neighbours, which only an I fills.
    pub(crate) i_dependencies: u64,
    pub(crate) parity_check: i64,
    pub(crate) parity_column: i64,
}

/// Bit mask of the cells in even columns, in four rows of a board.
const EVEN_COLUMN_CELLS: u64 = 0x5555_5555_5555_5555;
const CHECKERBOARD_CELLS: u64 = 0xaaaa_5555_aaaa_5555;

impl Surface {
    pub(crate) fn new(board: &Board) -> Surface {
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
            surface.parity_column += 2 * count(cells & EVEN_COLUMN_CELLS) - count(cells);
            surface.parity_check += 2 * count(cells & CHECKERBOARD_CELLS) - count(cells);
        }
        surface
    }

    pub(crate) fn well_column(&self, least: u8) -> Option<usize> {
        (self.well.1 >= least).then_some(self.well.0)
    }

    fn value(&self, property: SurfaceProperty) -> i64 {
        match property {
            SurfaceProperty::Height(column) => self.heights[column].into(),
            SurfaceProperty::WellColumn => self.well.0 as i64,
            SurfaceProperty::WellDepth => self.well.1.into(),
            SurfaceProperty::WellTied => self.well_tied.into(),
            SurfaceProperty::IDependencies => self.i_dependencies as i64,
            SurfaceProperty::ParityCheck => self.parity_check,
            SurfaceProperty::ParityColumn => self.parity_column,
        }
    }
}

pub trait HasSurface {
    fn board_after(&self) -> Board;
}

/// Table column with a property of the stack's surface, missing if the well is shallower than
/// `min_depth` rows.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceColumn {
    pub(crate) property: SurfaceProperty,
    pub(crate) min_depth: u16,
}

impl From<SurfaceProperty> for SurfaceColumn {
    fn from(property: SurfaceProperty) -> SurfaceColumn {
        SurfaceColumn { property, min_depth: 0 }
    }
}

impl From<(SurfaceProperty, u16)> for SurfaceColumn {
    fn from((property, min_depth): (SurfaceProperty, u16)) -> SurfaceColumn {
        SurfaceColumn { property, min_depth }
    }
}

pub(crate) struct Surfaces {
    level: Level,
    boards: Vec<Board>,
    batch: Option<BatchSurfaces>,
    each: Vec<Surface>,
}

impl Surfaces {
    pub(crate) fn new(level: Level) -> Surfaces {
        Surfaces { level, boards: Vec::new(), batch: None, each: Vec::new() }
    }

    /// Measures the surface of the stack on the board of each record in `rows`; at most one batch
    /// of records.
    pub(crate) fn measure<S>(&mut self, rows: &[S], board: fn(&S) -> Board) {
        self.boards.clear();
        for row in rows {
            self.boards.push(board(row));
        }
        if self.level == Level::SCALAR {
            self.each = self.boards.iter().map(Surface::new).collect();
        } else if let Some(first) = self.boards.first() {
            let batch =
                self.batch.get_or_insert_with(|| BatchSurfaces::new(first.size(), self.level));
            batch.measure(self.boards.iter());
        }
    }

    /// Returns `property` for each measured board; negative numbers are in two's complement.
    pub(crate) fn values(&self, property: SurfaceProperty) -> Cow<'_, [u16]> {
        match &self.batch {
            Some(batch) => Cow::Borrowed(batch.values(property)),
            None => self.each.iter().map(|surface| surface.value(property) as u16).collect(),
        }
    }
}

/// Returns each column's depth in rows below its lower neighbour; walls are infinitely high.
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
    use crate::board::BoardSize;
    use crate::kernels::{BatchFeatures, LEVEL_NAMES};
    use crate::rng::{Purpose, Stream};

    #[test]
    fn a_surface_by_hand() {
        let board: Board = "....../.#..../.#...#/.##.##/.##.##".parse().unwrap();
        let surface = Surface::new(&board);
        // Heights 0 4 2 0 2 3: column 0 lies 4 below, column 3 lies 2 below.
        assert_eq!((surface.well, surface.i_dependencies), ((0, 4), 1));
        // Rows 0 and 1 have columns 1 2 4 5; row 2 has 1 5; row 3 has 1.
        assert_eq!(surface.parity_column, 4 - 7);
        // Row 0: even columns 2 4 count, 1 5 do not; row 1 the other way; row 2: -2; row 3: +1.
        assert_eq!(surface.parity_check, -1);
        assert!(!surface.well_tied);
        let twice: Board = "..../..../#.#./#.#.".parse().unwrap();
        assert_eq!((Surface::new(&twice).well, Surface::new(&twice).well_tied), ((1, 2), true));
        let flat: Board = "..../..../..../####".parse().unwrap();
        assert_eq!(Surface::new(&flat).well, (0, 0));
    }

    #[test]
    fn surfaces_of_a_batch_are_those_of_each_board() {
        let mut random = Stream::new(49, Purpose::Queue, 0);
        let levels = LEVEL_NAMES.iter().filter_map(|name| name.parse::<Level>().ok());
        let levels: Vec<Level> = levels.collect();
        assert!(levels.len() > 1);
        for (width, height) in (4..=MAX_WIDTH).flat_map(|width| [4, 20, 28].map(|h| (width, h))) {
            let size = BoardSize::new(width, height).unwrap();
            let mut board = |_| {
                let filled = random.below(height as u32 + 5) as usize;
                let sparse = random.below(2) == 0;
                let mut row = || {
                    let cells = random.below(1 << width);
                    (if sparse { cells & random.below(1 << width) } else { cells }) as u16
                };
                let rows: Vec<u16> = (0..filled).map(|_| row()).collect();
                Board::from_rows(size, &rows).unwrap()
            };
            let boards: Vec<Board> = (0..BatchFeatures::LANES).map(&mut board).collect();
            for &level in &levels {
                let count = 1 + (width * 7 + height) % BatchFeatures::LANES;
                let mut surfaces = Surfaces::new(level);
                // The second measurement must not contain boards of the first.
                for boards in [&boards[..], &boards[..count]] {
                    surfaces.measure(boards, |board| *board);
                    let properties = (0..width).map(SurfaceProperty::Height).chain([
                        SurfaceProperty::WellColumn,
                        SurfaceProperty::WellDepth,
                        SurfaceProperty::WellTied,
                        SurfaceProperty::IDependencies,
                        SurfaceProperty::ParityCheck,
                        SurfaceProperty::ParityColumn,
                    ]);
                    for property in properties {
                        let expected: Vec<u16> = boards
                            .iter()
                            .map(|board| Surface::new(board).value(property) as u16)
                            .collect();
                        assert_eq!(
                            surfaces.values(property)[..],
                            expected,
                            "{size} {level} {property:?}"
                        );
                    }
                }
            }
        }
    }
}
