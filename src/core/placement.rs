//! Describes placements. A [`Placement`] is an orientation and a column, a [`Candidate`] adds the
//! row where the piece comes to rest, and a [`PlacementEffect`] is the effect on the game.

use serde::{Deserialize, Serialize};

use std::array;

use crate::board::{Board, MAX_WIDTH};
use crate::piece::{Orientation, Piece};

/// A placement of a classic game: the orientation and column that a player chooses for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    /// Orientation of the placed piece, an index into [`Piece::orientations`]: 0 to 3.
    pub orientation: u8,
    /// Column of the placed piece's leftmost cell, from 0.
    pub column: u8,
}

/// A placement of a classic game, with the row where the piece comes to rest.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, piece::Piece};
/// use tetrastat::placement::{Candidate, Placement};
/// let board: Board = "..../..../..../##..".parse()?;
/// let flat = Placement { orientation: 0, column: 0 }; // J with its long side down
/// let candidate = Candidate::dropped(&board.heights(), Piece::J, flat);
/// assert_eq!((candidate.row, candidate.top(Piece::J)), (1, 3));
/// assert_eq!(candidate.lock(&board, Piece::J).to_string(), "....\n#...\n###.\n##..\n");
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Orientation and column of the placed piece.
    pub placement: Placement,
    /// Row of the placed piece's lowest cell, 0 at the floor.
    pub row: u8,
}

/// The effect of a placement on a classic game: rows removed, height of the stack, and loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacementEffect {
    /// Number of rows that the placement removed, 0 to 4.
    pub lines: u8,
    /// Height of the stack after the placement, in rows; above the board's height in a lost game.
    pub stack: u8,
    /// True if the placement ended the game.
    pub lost: bool,
}

/// Capacity of lists of one piece's placements; a T on 16 columns has the most, 58.
pub const MAX_CANDIDATES: usize = 64;

/// All placements of each piece on one board width, by orientation, then column: the tie order.
#[derive(Clone, Debug)]
pub struct Placements {
    lists: [Vec<Placement>; 7],
}

impl Placements {
    /// Lists the placements of every piece on boards of `width` columns, 4 to 16.
    #[must_use]
    pub fn new(width: usize) -> Placements {
        debug_assert!((4..=MAX_WIDTH).contains(&width));
        let list = |piece: Piece| {
            let of = |(index, o): (usize, &Orientation)| {
                (0..=width as u8 - o.width)
                    .map(move |column| Placement { orientation: index as u8, column })
            };
            piece.orientations().iter().enumerate().flat_map(of).collect()
        };
        Placements { lists: array::from_fn(|index| list(Piece::ALL[index])) }
    }

    /// Returns all orientations and columns in which `piece` can be placed on the board's width.
    #[must_use]
    pub fn of_piece(&self, piece: Piece) -> &[Placement] {
        &self.lists[piece.index()]
    }
}

impl Candidate {
    /// Returns `placement` with the row where `piece` rests after a drop on columns of `heights`.
    #[must_use]
    pub fn dropped(heights: &[u8; MAX_WIDTH], piece: Piece, placement: Placement) -> Candidate {
        let orientation = &piece.orientations()[placement.orientation as usize];
        let row = Board::landing_row(heights, orientation, placement.column as usize);
        Candidate { placement, row: row as u8 }
    }

    /// Returns the orientation of the placed `piece`, which the placement stores as an index.
    #[must_use]
    #[inline]
    pub fn shape(self, piece: Piece) -> &'static Orientation {
        &piece.orientations()[self.placement.orientation as usize]
    }

    /// Returns the number of rows from the floor to the top of the placed `piece`.
    #[must_use]
    #[inline]
    pub fn top(self, piece: Piece) -> usize {
        self.row as usize + self.shape(piece).height as usize
    }

    /// Returns column and row of each cell of the placed `piece`.
    #[must_use]
    pub fn cells(self, piece: Piece) -> [(usize, usize); 4] {
        let (left, shape) = (usize::from(self.placement.column), self.shape(piece));
        let mut cells = (0..4).flat_map(|k| {
            let filled = (0..4).filter(move |column| shape.rows[k] >> column & 1 == 1);
            filled.map(move |column| (left + column, usize::from(self.row) + k))
        });
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    }

    /// Returns `board` with the cells of the placed `piece` filled. Full rows are not removed.
    #[must_use]
    #[inline]
    pub fn lock(self, board: &Board, piece: Piece) -> Board {
        board.lock(self.shape(piece), self.placement.column as usize, self.row as usize)
    }
}

crate::names! {
    /// The kind of spin of a placement in a guideline game, in increasing order of points.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    #[repr(u8)]
    pub enum Spin {
        /// A placement without a spin.
        #[default]
        None = "none",
        /// A placement with a mini spin.
        Mini = "mini",
        /// A placement with a full spin.
        Full = "full",
    }
}
