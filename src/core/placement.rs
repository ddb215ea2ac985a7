//! Placements: where a piece comes to rest.
//!
//! A [`Placement`] says how a piece is turned and in which column it stands, a [`Candidate`] also in which
//! row it comes to rest, and a [`Step`] what that did to the game. Under rules without slides a placement
//! has one row; it is kept apart because it depends on the board, and the list of placements does not.

use serde::{Deserialize, Serialize};

use std::array;

use crate::board::{Board, MAX_WIDTH};
use crate::piece::{Orientation, Piece};

/// An orientation and the column of the piece's leftmost cell: what a player of classic games chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// Index into [`Piece::orientations`]: 0 to 3.
    pub orientation: u8,
    /// Leftmost column, 0-based: at most the board's width less the orientation's.
    pub column: u8,
}

/// A placement with the row where the piece comes to rest.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Orientation and column.
    pub placement: Placement,
    /// Row of the piece's lowest cell, 0-based.
    pub row: u8,
}

/// What a placement did to the game, without its boards: what a loop over a whole game needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Rows removed, 0 to 4.
    pub lines: u8,
    /// Height of the stack afterwards, in rows; above the board's height when the game is lost.
    pub stack: u8,
    /// Whether it ended the game.
    pub lost: bool,
}

/// Most candidates a piece can have: the T on a board 16 wide has 58.
pub const MAX_CANDIDATES: usize = 64;

/// All placements of every piece on boards of one width, in the order that decides ties:
/// orientation, then column. On 10 columns: I 17, O 9, T 34, S 17, Z 17, J 34, L 34.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{piece::Piece, placement::Placements};
/// let placements = Placements::new(10);
/// assert_eq!(Piece::ALL.map(|piece| placements.of(piece).len()), [17, 9, 34, 17, 17, 34, 34]);
/// ```
#[derive(Clone, Debug)]
pub struct Placements {
    lists: [Vec<Placement>; 7],
}

impl Placements {
    /// The placements on boards of this width, 4 to 16 columns.
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

    /// The placements of one piece.
    #[must_use]
    pub fn of(&self, piece: Piece) -> &[Placement] {
        &self.lists[piece.index()]
    }
}

impl Candidate {
    /// A placement dropped straight down from above; `heights` are those of [`Board::heights`].
    #[must_use]
    pub fn dropped(heights: &[u8; MAX_WIDTH], piece: Piece, placement: Placement) -> Candidate {
        let orientation = &piece.orientations()[placement.orientation as usize];
        let row = Board::landing_row(heights, orientation, placement.column as usize);
        Candidate { placement, row: row as u8 }
    }

    /// The shape that comes to rest: the orientation of this piece that the placement names.
    #[must_use]
    pub fn shape(self, piece: Piece) -> &'static Orientation {
        &piece.orientations()[self.placement.orientation as usize]
    }

    /// Rows from the floor to the top of the piece: more than the board's height is an overflow.
    #[must_use]
    pub fn top(self, piece: Piece) -> usize {
        self.row as usize + self.shape(piece).height as usize
    }

    /// The board with the piece on it, nothing cleared.
    #[must_use]
    pub fn lock(self, board: &Board, piece: Piece) -> Board {
        board.lock(self.shape(piece), self.placement.column as usize, self.row as usize)
    }
}

crate::names! {
    /// What a T did last: names in order of worth. Only guideline games know spins.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    #[repr(u8)]
    pub enum Spin {
        /// No spin.
        #[default]
        None = "none",
        /// A mini T-spin.
        Mini = "mini",
        /// A T-spin.
        Full = "full",
    }
}
