//! Defines the seven pieces and their orientations.
//!
//! Orientations, the distinct rotations of a piece, are numbered in the order of MDPTetris
//! (`data/pieces4.dat`), which decides ties between placements with equal scores.
//!
//! ```text
//!    0     1     2     3         0     1     2     3         0     1
//! I  #     ####               J  #..   .#    ###   ##     S  #.    .##
//!    #                           ###   .#    ..#   #.        ##    ##.
//!    #                                 ##          #.        .#
//!    #
//! O  ##                       L  ###   #.    ..#   ##     Z  .#    ##.
//!    ##                          #..   #.    ###   .#        ##    .##
//!                                      ##          .#        #.
//! T  #.    .#.   .#    ###
//!    ##    ###   ##    .#.
//!    #.          .#
//! ```
//!
//! Programs differ in their names for S and Z, or J and L. Compare pictures, not names.

use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

crate::names! {
    /// One of the seven pieces of four cells.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::piece::Piece;
    /// let piece: Piece = "t".parse()?; // either case
    /// assert_eq!((piece, piece.index(), piece.name()), (Piece::T, 2, "T"));
    /// assert_eq!(Piece::ALL.map(|piece| piece.orientations().len()), [2, 1, 4, 2, 2, 4, 4]);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    pub enum Piece {
        /// `####`, the bar of four cells.
        I = "I",
        /// `##/##`, the square.
        O = "O",
        /// `.#./###`, three cells in a row with a fourth on their middle.
        T = "T",
        /// `.##/##.`, two pairs of cells, the upper pair to the right.
        S = "S",
        /// `##./.##`, two pairs of cells, the upper pair to the left.
        Z = "Z",
        /// `#../###`, three cells in a row with a fourth above the left one.
        J = "J",
        /// `..#/###`, three cells in a row with a fourth above the right one.
        L = "L",
    }
}

impl Piece {
    /// Returns the piece's position in [`Piece::ALL`] (I, O, T, S, Z, J, L), 0 to 6.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the piece's 1, 2 or 4 distinct rotations, in the order that decides between
    /// placements with equal scores.
    #[must_use]
    pub fn orientations(self) -> &'static [Orientation] {
        &ORIENTATIONS[self.index()]
    }
}

impl FromStr for Piece {
    type Err = Error;

    fn from_str(text: &str) -> Result<Piece> {
        Piece::ALL
            .into_iter()
            .find(|piece| text.len() == 1 && text.eq_ignore_ascii_case(piece.name()))
            .ok_or_else(|| Error::Piece { given: text.to_owned() })
    }
}

/// A distinct rotation of a piece, in its bounding box.
///
/// ```text
/// .#    T, orientation 2:  rows = [0b10, 0b11, 0b10, 0], bit 0 the left column
/// ##                       width 2, height 3
/// .#                       bottom = [1, 0], thickness = [1, 3]
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// Rows of the rotated piece's bounding box from the bottom; bit 0 is the leftmost column.
    pub rows: [u16; 4],
    /// Width of the rotated piece's bounding box, 1 to 4 columns.
    pub width: u8,
    /// Height of the rotated piece's bounding box, 1 to 4 rows.
    pub height: u8,
    /// Row of the lowest cell in each column of the piece's bounding box; 0 beyond the width.
    pub bottom: [u8; 4],
    /// Number of cells in each column of the piece's bounding box; a column's cells have no gaps.
    pub thickness: [u8; 4],
    /// Row, in the bounding box, of the cell about which the teaching notebook `tetris_ia` turns
    /// the piece.
    pub anchor_row: u8,
    /// Number of turns and origin of this rotation in Colin Fahey's StandardTetris.
    pub fahey: FaheyPose,
}

/// A piece's rotation in Colin Fahey's StandardTetris: number of turns, and origin in its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// See `STPiece.cpp`, `mPiecesXY_224`.
pub struct FaheyPose {
    /// Number of counter-clockwise quarter turns from the piece's spawn orientation, 0 to 3.
    pub turns: u8,
    /// Column, in the bounding box, of the origin about which StandardTetris turns the piece.
    pub origin_column: u8,
    /// Row, in the bounding box, of the origin about which StandardTetris turns the piece.
    pub origin_row: u8,
}

/// Pictures of a piece's rotations (top row first), each with its [`Orientation::anchor_row`].
type Pictures = &'static [(&'static str, u8)];

const PICTURES: [Pictures; 7] = [
    &[("#/#/#/#", 0), ("####", 0)],
    &[("##/##", 0)],
    &[("#./##/#.", 1), (".#./###", 0), (".#/##/.#", 1), ("###/.#.", 1)],
    &[("#./##/.#", 1), (".##/##.", 0)],
    &[(".#/##/#.", 1), ("##./.##", 0)],
    &[("#../###", 0), (".#/.#/##", 0), ("###/..#", 1), ("##/#./#.", 2)],
    &[("###/#..", 1), ("#./#./##", 0), ("..#/###", 0), ("##/.#/.#", 2)],
];

/// Cells of each piece as StandardTetris spawns it: columns right and rows up from its origin.
const FAHEY_SPAWN: [[(i8, i8); 4]; 7] = [
    [(-2, 0), (-1, 0), (0, 0), (1, 0)],
    [(-1, -1), (0, -1), (0, 0), (-1, 0)],
    [(0, -1), (-1, 0), (0, 0), (1, 0)],
    [(-1, -1), (0, -1), (0, 0), (1, 0)],
    [(0, -1), (1, -1), (-1, 0), (0, 0)],
    [(1, -1), (-1, 0), (0, 0), (1, 0)],
    [(-1, -1), (-1, 0), (0, 0), (1, 0)],
];

static ORIENTATIONS: LazyLock<[Vec<Orientation>; 7]> = LazyLock::new(|| {
    std::array::from_fn(|piece| {
        PICTURES[piece]
            .iter()
            .map(|&(picture, anchor_row)| orientation(piece, picture, anchor_row))
            .collect()
    })
});

fn orientation(piece: usize, picture: &str, anchor_row: u8) -> Orientation {
    let mut rows = [0u16; 4];
    for (row, line) in picture.split('/').rev().enumerate() {
        for (column, cell) in line.bytes().enumerate() {
            rows[row] |= u16::from(cell == b'#') << column;
        }
    }
    let width = picture.find('/').unwrap_or(picture.len());
    let column = |c: usize| (0..4).filter(move |&r| rows[r] >> c & 1 == 1);
    Orientation {
        rows,
        width: width as u8,
        height: rows.iter().filter(|&&row| row != 0).count() as u8,
        bottom: std::array::from_fn(|c| column(c).min().unwrap_or(0) as u8),
        thickness: std::array::from_fn(|c| column(c).count() as u8),
        anchor_row,
        fahey: fahey_pose(FAHEY_SPAWN[piece], &rows),
    }
}

/// Returns the StandardTetris rotation whose cells fill `rows`; the piece spawns with `cells`.
fn fahey_pose(mut cells: [(i8, i8); 4], rows: &[u16; 4]) -> FaheyPose {
    let mut turns = 0;
    loop {
        let left = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
        let low = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
        let mut shape = [0u16; 4];
        for (x, y) in cells {
            shape[(y - low) as usize] |= 1 << (x - left);
        }
        if shape == *rows {
            return FaheyPose { turns, origin_column: -left as u8, origin_row: -low as u8 };
        }
        cells = cells.map(|(x, y)| (-y, x));
        turns += 1;
        assert!(turns < 4, "every picture is a rotation of its piece");
    }
}
