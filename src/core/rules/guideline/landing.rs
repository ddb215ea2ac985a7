//! Describes where a piece comes to rest, and with which spin.

use serde::{Deserialize, Serialize};

use super::options::Guideline;
use super::srs::{Offset, RotationState, RotationTurn, canonical, cells, kick};
use crate::matrix::{Matrix, ROWS, WIDTH, bit};
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement, Spin};

/// A placement of a guideline game: a piece, its rotation state, and the place of its centre cell.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{matrix::Matrix, piece::Piece, rules::guideline::{Landing, RotationState}};
/// let upright = Landing::new(Piece::T, RotationState::Spawn, 1, 0); // .#. over ###
/// assert_eq!((upright.left_column(), upright.low()), (0, 0));
/// assert_eq!(upright.lock(&Matrix::EMPTY).to_string(), ".#........\n###.......\n");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Landing {
    /// Piece that is placed.
    pub piece: Piece,
    /// Rotation state of the placed piece.
    pub state: RotationState,
    /// Column of the piece's centre cell, from 0.
    pub x: u8,
    /// Row of the piece's centre cell, 0 at the floor.
    pub y: u8,
    /// Best spin with which the piece can come to rest at this place.
    pub spin: Spin,
}

impl Landing {
    /// Creates a landing of `piece`, without spin, from the column and row of its centre cell.
    #[must_use]
    pub const fn new(piece: Piece, state: RotationState, x: u8, y: u8) -> Landing {
        Landing { piece, state, x, y, spin: Spin::None }
    }

    /// Creates a landing from the piece's leftmost column and lowest row, if its cells are inside
    /// the matrix.
    #[must_use]
    pub fn at(piece: Piece, state: RotationState, left: i64, low: i64) -> Option<Landing> {
        let shape = &BOUNDING_BOXES[piece.index()][state.index()];
        let centre_from = |corner: i64, offset: i32| corner.saturating_sub(offset.into());
        // All states of O fill the same cells, but the centre under SRS turns.
        let centre = if piece == Piece::O { RotationState::Spawn } else { state };
        let landing = Landing::centred(
            piece,
            centre,
            centre_from(left, shape.left),
            centre_from(low, shape.low),
        )?;
        Some(Landing { state, ..landing })
    }

    /// Creates a landing (resting place) from the piece's centre under SRS rules, if all its cells
    /// are inside the matrix.
    #[must_use]
    pub fn centred(piece: Piece, state: RotationState, x: i64, y: i64) -> Option<Landing> {
        // The centre of O is the lower left cell of its spawn state, and turns with it.
        let (right, up) = match piece {
            Piece::O => [(0, 0), (0, 1), (1, 1), (1, 0)][state.index()],
            _ => (0, 0),
        };
        let state = if piece == Piece::O { RotationState::Spawn } else { state };
        let inside = |at: i64, by: i64, size: usize| {
            u8::try_from(at.saturating_sub(by)).ok().filter(|&at| usize::from(at) < size)
        };
        let landing = Landing::new(piece, state, inside(x, right, WIDTH)?, inside(y, up, ROWS)?);
        // Negative columns and rows wrap around to huge ones.
        let fits = landing.cells().into_iter().all(|(x, y)| x < WIDTH && y < ROWS);
        fits.then_some(landing)
    }

    /// Creates the landing (resting place) in which `piece` fills `cells`, if there is one.
    #[must_use]
    pub fn from_cells(piece: Piece, mut cells: [(usize, usize); 4]) -> Option<Landing> {
        cells.sort_unstable();
        let low = cells.iter().map(|cell| cell.1).min()?;
        let at = |state| Landing::at(piece, state, cells[0].0 as i64, low as i64);
        RotationState::ALL.into_iter().filter_map(at).find(|landing| {
            let mut own = landing.cells();
            own.sort_unstable();
            own == cells
        })
    }

    /// Returns the landing with the same cells in the first rotation state that can fill them.
    #[must_use]
    pub fn canonical(self) -> Landing {
        let (state, (dx, dy)) = canonical(self.piece, self.state);
        let (x, y) = ((i32::from(self.x) + dx) as u8, (i32::from(self.y) + dy) as u8);
        Landing { state, x, y, ..self }
    }

    /// Returns the column and row of each cell of the placed piece, the centre cell first.
    #[must_use]
    pub fn cells(self) -> [(usize, usize); 4] {
        let at = |(dx, dy): Offset| (i32::from(self.x) + dx, i32::from(self.y) + dy);
        cells(self.piece, self.state).map(at).map(|(x, y)| (x as usize, y as usize))
    }

    /// Returns the row of the placed piece's lowest cell.
    #[must_use]
    pub fn low(self) -> usize {
        (i32::from(self.y) + BOUNDING_BOXES[self.piece.index()][self.state.index()].low) as usize
    }

    /// Returns the column of the placed piece's leftmost cell.
    #[must_use]
    pub fn left_column(self) -> usize {
        (i32::from(self.x) + BOUNDING_BOXES[self.piece.index()][self.state.index()].left) as usize
    }

    /// Returns `matrix` with the cells of the placed piece filled. Full rows are not removed.
    #[must_use]
    pub fn lock(self, matrix: &Matrix) -> Matrix {
        let shape = &BOUNDING_BOXES[self.piece.index()][self.state.index()];
        let (left, low) = (self.left_column(), self.low());
        let mut columns = *matrix.columns();
        for (c, cells) in shape.columns[..shape.width].iter().enumerate() {
            // Shifting bits down moves rows up, because the floor is bit 31.
            columns[left + c] |= cells >> low;
        }
        Matrix::from_columns(columns)
    }

    /// Returns the piece's leftmost column, and its cells from there on as four [`Matrix`] columns.
    #[inline]
    pub(crate) fn columns(self) -> (usize, [u32; 4]) {
        let shape = &BOUNDING_BOXES[self.piece.index()][self.state.index()];
        let low = self.low();
        (self.left_column(), shape.columns.map(|cells| cells >> low))
    }

    /// Converts the landing to a placement of a classic game: orientation, column and row.
    #[must_use]
    pub fn candidate(self) -> Candidate {
        let shape = &BOUNDING_BOXES[self.piece.index()][self.state.index()];
        let placement =
            Placement { orientation: shape.orientation, column: self.left_column() as u8 };
        Candidate { placement, row: self.low() as u8 }
    }

    /// Returns the rotation states and centre columns after one wrong input: one column too far
    /// left or right, or a missing last turn.
    pub(crate) fn neighbours(
        self,
        rules: &Guideline,
    ) -> impl Iterator<Item = (RotationState, i32)> {
        // The last turn leads from the spawn state or, without half turns, from R to 2.
        let column = i32::from(self.x);
        let turn = match self.state {
            RotationState::Spawn => None,
            RotationState::Right => Some((RotationState::Spawn, RotationTurn::Clockwise)),
            RotationState::Left => Some((RotationState::Spawn, RotationTurn::CounterClockwise)),
            RotationState::Half if rules.half_turns => {
                Some((RotationState::Spawn, RotationTurn::Half))
            }
            RotationState::Half => Some((RotationState::Right, RotationTurn::Clockwise)),
        };
        let unturned = turn
            .map(|(from, turn)| (from, column - kick(rules.kicks, self.piece, from, turn, 0).0));
        [Some((self.state, column - 1)), Some((self.state, column + 1)), unturned]
            .into_iter()
            .flatten()
    }

    /// Returns true if all cells of the placed piece are at or above `row`.
    #[must_use]
    pub fn is_above(self, row: usize) -> bool {
        self.low() >= row
    }
}

/// A list of one piece's landings (resting places), packed into four bytes each.
#[derive(Clone, Debug)]
pub struct Landings {
    piece: Piece,
    codes: Vec<u32>,
}

impl Default for Landings {
    fn default() -> Landings {
        Landings { piece: Piece::I, codes: Vec::with_capacity(CAPACITY) }
    }
}

/// Capacity of a list of one piece's landings, with 16 spare elements that vector code may
/// overwrite.
// 4 rotation states, 10 columns, and every second of 32 rows.
const CAPACITY: usize = 4 * 10 * 16 + 16;

impl Landings {
    /// Returns the landings in the list, grouped by rotation state and spin.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Landing> + '_ {
        // A T's landings are ordered by state and then spin, others by spin and then state. A group
        // has the highest landing of every column from left to right, then the second highest, and
        // so on.
        self.codes.iter().map(|&code| self.decode(code))
    }

    /// Returns the landing at position `index` of the list, or `None` beyond its end.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Landing> {
        self.codes.get(index).map(|&code| self.decode(code))
    }

    /// Returns the number of landings in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns true if the list has no landings, because the piece cannot spawn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    pub(super) fn restart(&mut self, piece: Piece) -> &mut Vec<u32> {
        self.piece = piece;
        self.codes.clear();
        // Reserving here lets the generator write without checking the capacity for each landing.
        self.codes.reserve(CAPACITY);
        &mut self.codes
    }

    /// Returns the packed code of a landing with this rotation state and spin, at row and column 0.
    ///
    /// ```text
    /// code   spin      state     row       column
    /// bits   31 .. 24  23 .. 16  15 ... 8  7 ... 0       the row and the column are added later
    /// ```
    pub(super) const fn base(state: usize, spin: Spin) -> u32 {
        (state as u32) << 16 | (spin as u32) << 24
    }

    #[inline]
    fn decode(&self, code: u32) -> Landing {
        // A mask instead of a check saves a branch per landing.
        let [x, y, state, spin] = code.to_le_bytes();
        let spin = match spin {
            0 => Spin::None,
            1 => Spin::Mini,
            _ => Spin::Full,
        };
        Landing { piece: self.piece, state: RotationState::ALL[usize::from(state & 3)], x, y, spin }
    }
}

impl std::fmt::Debug for Landing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}({},{})", self.piece, self.state.name(), self.x, self.y)?;
        match self.spin {
            Spin::None => Ok(()),
            spin => write!(f, " {}", spin.name()),
        }
    }
}

#[derive(Clone, Copy)]
struct BoundingBox {
    left: i32,
    low: i32,
    width: usize,
    /// Cells of the piece at the floor, one word for each column of its bounding box; bits are
    /// rows, as in [`Matrix`].
    columns: [u32; 4],
    orientation: u8,
}

static BOUNDING_BOXES: [[BoundingBox; 4]; 7] = {
    let empty = BoundingBox { left: 0, low: 0, width: 0, columns: [0; 4], orientation: 0 };
    let mut boxes = [[empty; 4]; 7];
    let mut piece = 0;
    while piece < 7 {
        let mut state = 0;
        while state < 4 {
            boxes[piece][state] = box_of(Piece::ALL[piece], RotationState::ALL[state]);
            state += 1;
        }
        piece += 1;
    }
    boxes
};

const fn box_of(piece: Piece, state: RotationState) -> BoundingBox {
    let cells = cells(piece, state);
    let (mut left, mut right, mut low) = (0, 0, 0);
    let mut k = 0;
    while k < 4 {
        let (x, y) = cells[k];
        left = if x < left { x } else { left };
        right = if x > right { x } else { right };
        low = if y < low { y } else { low };
        k += 1;
    }
    let mut columns = [0; 4];
    let mut k = 0;
    while k < 4 {
        let (x, y) = cells[k];
        columns[(x - left) as usize] |= bit((y - low) as usize);
        k += 1;
    }
    let width = (right - left + 1) as usize;
    BoundingBox { left, low, width, columns, orientation: orientation(piece, state) }
}

const fn orientation(piece: Piece, state: RotationState) -> u8 {
    // The pictures of I, T, S and Z in `piece` begin with an upright one.
    let by_state: [u8; 4] = match piece {
        Piece::I => [1, 0, 1, 0],
        Piece::O => [0; 4],
        Piece::T => [1, 0, 3, 2],
        Piece::S | Piece::Z => [1, 0, 1, 0],
        Piece::J => [0, 3, 2, 1],
        Piece::L => [2, 1, 0, 3],
    };
    by_state[state.index()]
}

/// Returns the orientation of classic games that has the shape of `piece` in the state `state`.
#[must_use]
pub fn shape(piece: Piece, state: RotationState) -> &'static Orientation {
    &piece.orientations()[BOUNDING_BOXES[piece.index()][state.index()].orientation as usize]
}
