//! Defines the Super Rotation System: the cells of each state, and the kicks of each turn.
//!
//! x increases to the right and y upward. The place of a piece is that of its *centre cell*, about
//! which SRS turns J, L, S, T and Z. A kick is the displacement of the centre cell.
//!
//! Sources: tetris.fandom.com/wiki/SRS; tetris.wiki/User:Zircean/SRS_wallkicks; for SRS+ (TETR.IO)
//! the tables of `Kixenon/cobra-movegen`, `src/gen.hpp`.

use serde::{Deserialize, Serialize};

use crate::piece::Piece;

/// A displacement, or a cell relative to another: x columns to the right, y rows up.
pub(crate) type Offset = (i32, i32);

pub(crate) const QUARTER_KICK_COUNT: usize = 5;
pub(crate) const HALF_KICK_COUNT: usize = 6;

crate::names! {
    /// The rotation state of a piece, counted clockwise from its spawn state.
    ///
    /// ```text
    /// Spawn (0)   Right (R)   Half (2)    Left (L)
    ///    .#.         .#.         ...         .#.
    ///    #C#         .C#         #C#         #C.      C: the centre cell of a T,
    ///    ...         .#.         .#.         .#.      which keeps its place
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    pub enum RotationState {
        /// The rotation state in which the piece spawns.
        Spawn = "0",
        /// A quarter turn clockwise from the spawn state.
        Right = "R",
        /// Half a turn from the spawn state, upside down.
        Half = "2",
        /// A quarter turn counter-clockwise from the spawn state.
        Left = "L",
    }
}

impl RotationState {
    /// Returns the rotation state's clockwise quarter turns from the spawn state, 0 to 3.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the rotation state of a piece after `turn`.
    #[must_use]
    pub const fn turned(self, turn: RotationTurn) -> RotationState {
        RotationState::ALL[(self.index() + turn.quarters()) % 4]
    }
}

/// A turn of a piece. The guideline has no half turns, but some games do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RotationTurn {
    /// A quarter turn clockwise.
    Clockwise,
    /// A quarter turn counter-clockwise.
    CounterClockwise,
    /// Half a turn.
    Half,
}

impl RotationTurn {
    /// The two quarter turns of every guideline game.
    pub const QUARTERS: [RotationTurn; 2] =
        [RotationTurn::Clockwise, RotationTurn::CounterClockwise];
    /// All turns of a piece: two quarter turns and the half turn.
    pub const ALL: [RotationTurn; 3] =
        [RotationTurn::Clockwise, RotationTurn::CounterClockwise, RotationTurn::Half];

    /// Returns the number of clockwise quarter turns that give this turn, 1 to 3.
    #[must_use]
    pub const fn quarters(self) -> usize {
        match self {
            RotationTurn::Clockwise => 1,
            RotationTurn::CounterClockwise => 3,
            RotationTurn::Half => 2,
        }
    }
}

crate::names! {
    /// A table of kicks: the displacements that a turning piece tries.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[repr(u8)]
    pub enum Kicks as "kick table" {
        /// The kick table of the guideline, the Super Rotation System.
        #[default]
        Srs = "srs",
        /// The kick table of TETR.IO, with mirror-symmetric kicks of I. Half turns have the kicks
        /// of TETR.IO under `srs`, too.
        #[serde(rename = "srs+")]
        SrsPlus = "srs+",
    }
}

/// Cells of each piece in its spawn state, by [`Piece::index`], the centre cell first.
///
/// ```text
/// I  #C##    O  ##    T  .#.    S  .##    Z  ##.    J  #..    L  ..#    C: the centre cell, (0, 0)
///               C#       #C#       #C.       .C#       #C#       #C#
/// ```
const SPAWN_CELLS: [[Offset; 4]; 7] = [
    [(0, 0), (-1, 0), (1, 0), (2, 0)],  // I
    [(0, 0), (1, 0), (0, 1), (1, 1)],   // O
    [(0, 0), (-1, 0), (1, 0), (0, 1)],  // T
    [(0, 0), (-1, 0), (0, 1), (1, 1)],  // S
    [(0, 0), (-1, 1), (0, 1), (1, 0)],  // Z
    [(0, 0), (-1, 0), (1, 0), (-1, 1)], // J
    [(0, 0), (-1, 0), (1, 0), (1, 1)],  // L
];

/// Returns the cells of a rotated piece relative to its centre cell, which comes first.
#[must_use]
pub(crate) const fn cells(piece: Piece, state: RotationState) -> [Offset; 4] {
    // O has its spawn cells in every state.
    let mut cells = SPAWN_CELLS[piece as usize];
    if matches!(piece, Piece::O) {
        return cells;
    }
    let mut turn = 0;
    while turn < state.index() {
        let mut k = 0;
        while k < 4 {
            // A clockwise quarter turn about the centre maps (x, y) to (y, -x).
            cells[k] = (cells[k].1, -cells[k].0);
            k += 1;
        }
        turn += 1;
    }
    cells
}

/// Returns the first rotation state in which `piece` can fill the same cells, and the centre cell's
/// displacement in that state.
///
/// ```text
/// S  spawn   .##     half   .C#      the same cells one row lower, and the centre
///            #C.            ##.      in the upper row: (x, y) of half is (x, y - 1) of spawn
/// ```
#[must_use]
pub(crate) const fn canonical(piece: Piece, state: RotationState) -> (RotationState, Offset) {
    match (piece, state) {
        (Piece::O, _) => (RotationState::Spawn, (0, 0)),
        (Piece::I, RotationState::Half) => (RotationState::Spawn, (-1, 0)),
        (Piece::I, RotationState::Left) => (RotationState::Right, (0, 1)),
        (Piece::S | Piece::Z, RotationState::Half) => (RotationState::Spawn, (0, -1)),
        (Piece::S | Piece::Z, RotationState::Left) => (RotationState::Right, (-1, 0)),
        _ => (state, (0, 0)),
    }
}

#[must_use]
pub(crate) const fn shapes(piece: Piece) -> usize {
    match piece {
        Piece::O => 1,
        Piece::I | Piece::S | Piece::Z => 2,
        Piece::T | Piece::J | Piece::L => 4,
    }
}

/// Offsets of J, L, S, T and Z by rotation state and kick. Kick i is offset i of the old state
/// minus offset i of the new state.
// Source: tetris.fandom.com/wiki/SRS, "true rotation". From Spawn to Right, kick 2 is (0, 0) - (1,
// -1) = (-1, 1): one column left and one row up.
const OFFSETS: [[Offset; QUARTER_KICK_COUNT]; 4] = [
    [(0, 0); QUARTER_KICK_COUNT],
    [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)],
    [(0, 0); QUARTER_KICK_COUNT],
    [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
];

/// Offsets of I by rotation state and kick. A kick is the old state's offset minus the new one's.
// Kick 0 moves the centre cell too, because SRS turns I about a corner between cells.
const OFFSETS_OF_I: [[Offset; QUARTER_KICK_COUNT]; 4] = [
    [(0, 0), (-1, 0), (2, 0), (-1, 0), (2, 0)],
    [(-1, 0), (0, 0), (0, 0), (0, 1), (0, -2)],
    [(-1, 1), (1, 1), (-2, 1), (1, 0), (-2, 0)],
    [(0, 1), (0, 1), (0, 1), (0, -1), (0, 2)],
];

/// Kicks of I in TETR.IO by turn (clockwise, counter-clockwise) and old rotation state.
const PLUS_KICKS_OF_I: [[[Offset; QUARTER_KICK_COUNT]; 4]; 2] = [
    [
        [(1, 0), (2, 0), (-1, 0), (-1, -1), (2, 2)],
        [(0, -1), (-1, -1), (2, -1), (-1, 1), (2, -2)],
        [(-1, 0), (1, 0), (-2, 0), (1, 1), (-2, -2)],
        [(0, 1), (1, 1), (-2, 1), (1, -1), (-2, 2)],
    ],
    [
        [(0, -1), (-1, -1), (2, -1), (2, -2), (-1, 1)],
        [(-1, 0), (-2, 0), (1, 0), (-2, -2), (1, 1)],
        [(0, 1), (-2, 1), (1, 1), (-2, 2), (1, -1)],
        [(1, 0), (2, 0), (-1, 0), (2, 2), (-1, -1)],
    ],
];

/// Kicks of half turns by old rotation state; for I, the displacement of the centre cell is added.
const HALF_KICKS: [[Offset; HALF_KICK_COUNT]; 4] = [
    [(0, 0), (0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0)],
    [(0, 0), (1, 0), (1, 2), (1, 1), (0, 2), (0, 1)],
    [(0, 0), (0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0)],
    [(0, 0), (-1, 0), (-1, 2), (-1, 1), (0, 2), (0, 1)],
];

#[must_use]
pub(crate) const fn kick_count(turn: RotationTurn) -> usize {
    match turn {
        RotationTurn::Half => HALF_KICK_COUNT,
        _ => QUARTER_KICK_COUNT,
    }
}

/// Returns the displacement of a piece's centre cell by kick number `test` (from 0) of a turn.
#[must_use]
pub(crate) const fn kick(
    kicks: Kicks,
    piece: Piece,
    from: RotationState,
    turn: RotationTurn,
    test: usize,
) -> Offset {
    let to = from.turned(turn);
    let is_i = matches!(piece, Piece::I);
    if matches!(turn, RotationTurn::Half) {
        let kick = HALF_KICKS[from.index()][test];
        // The centre cell of I changes its place in the bounding box with every state.
        let way = if is_i { difference(&OFFSETS_OF_I, from, to, 0) } else { (0, 0) };
        return (kick.0 + way.0, kick.1 + way.1);
    }
    match (is_i, kicks) {
        (false, _) => difference(&OFFSETS, from, to, test),
        (true, Kicks::Srs) => difference(&OFFSETS_OF_I, from, to, test),
        (true, Kicks::SrsPlus) => {
            PLUS_KICKS_OF_I[matches!(turn, RotationTurn::CounterClockwise) as usize][from.index()]
                [test]
        }
    }
}

const fn difference(
    offsets: &[[Offset; QUARTER_KICK_COUNT]; 4],
    from: RotationState,
    to: RotationState,
    test: usize,
) -> Offset {
    let (a, b) = (offsets[from.index()][test], offsets[to.index()][test]);
    (a.0 - b.0, a.1 - b.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::Orientation;

    type Row = (RotationState, RotationTurn, [Offset; 5]);

    const OTHERS: [Row; 8] = [
        (
            RotationState::Spawn,
            RotationTurn::Clockwise,
            [(0, 0), (-1, 0), (-1, 1), (0, -2), (-1, -2)],
        ),
        (
            RotationState::Right,
            RotationTurn::CounterClockwise,
            [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)],
        ),
        (RotationState::Right, RotationTurn::Clockwise, [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)]),
        (
            RotationState::Half,
            RotationTurn::CounterClockwise,
            [(0, 0), (-1, 0), (-1, 1), (0, -2), (-1, -2)],
        ),
        (RotationState::Half, RotationTurn::Clockwise, [(0, 0), (1, 0), (1, 1), (0, -2), (1, -2)]),
        (
            RotationState::Left,
            RotationTurn::CounterClockwise,
            [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
        ),
        (
            RotationState::Left,
            RotationTurn::Clockwise,
            [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
        ),
        (
            RotationState::Spawn,
            RotationTurn::CounterClockwise,
            [(0, 0), (1, 0), (1, 1), (0, -2), (1, -2)],
        ),
    ];

    const I: [Row; 8] = [
        (
            RotationState::Spawn,
            RotationTurn::Clockwise,
            [(0, 0), (-2, 0), (1, 0), (-2, -1), (1, 2)],
        ),
        (
            RotationState::Right,
            RotationTurn::CounterClockwise,
            [(0, 0), (2, 0), (-1, 0), (2, 1), (-1, -2)],
        ),
        (
            RotationState::Right,
            RotationTurn::Clockwise,
            [(0, 0), (-1, 0), (2, 0), (-1, 2), (2, -1)],
        ),
        (
            RotationState::Half,
            RotationTurn::CounterClockwise,
            [(0, 0), (1, 0), (-2, 0), (1, -2), (-2, 1)],
        ),
        (RotationState::Half, RotationTurn::Clockwise, [(0, 0), (2, 0), (-1, 0), (2, 1), (-1, -2)]),
        (
            RotationState::Left,
            RotationTurn::CounterClockwise,
            [(0, 0), (-2, 0), (1, 0), (-2, -1), (1, 2)],
        ),
        (RotationState::Left, RotationTurn::Clockwise, [(0, 0), (1, 0), (-2, 0), (1, -2), (-2, 1)]),
        (
            RotationState::Spawn,
            RotationTurn::CounterClockwise,
            [(0, 0), (-1, 0), (2, 0), (-1, 2), (2, -1)],
        ),
    ];

    /// Displacement of I's centre cell by a clockwise turn of its box, by old rotation state.
    const WAY_OF_I: [Offset; 4] = [(1, 0), (0, -1), (-1, 0), (0, 1)];

    #[test]
    fn the_offsets_give_the_published_tables() {
        for (from, turn, tests) in OTHERS {
            for (test, want) in tests.into_iter().enumerate() {
                assert_eq!(kick(Kicks::Srs, Piece::T, from, turn, test), want, "{from:?} {turn:?}");
            }
        }
        for (from, turn, tests) in I {
            let (x, y) = match turn {
                RotationTurn::Clockwise => WAY_OF_I[from.index()],
                _ => WAY_OF_I.map(|(x, y)| (-x, -y))[from.turned(turn).index()],
            };
            for (test, (dx, dy)) in tests.into_iter().enumerate() {
                let got = kick(Kicks::Srs, Piece::I, from, turn, test);
                assert_eq!(got, (x + dx, y + dy), "{from:?} {turn:?} {test}");
            }
        }
    }

    /// Checks that mirrored clockwise SRS+ kicks of I are the counter-clockwise kicks. `a` and `b`
    /// correct for the centre cell, which is not in the middle of I.
    #[test]
    fn the_plus_table_is_symmetric() {
        let a = |state: RotationState| [-1, 0, 1, 0][state.index()];
        let b = |state: RotationState| [0, -1, 0, 1][state.index()];
        for from in RotationState::ALL {
            for test in 0..QUARTER_KICK_COUNT {
                let mirror = RotationState::ALL[(4 - from.index()) % 4];
                let (x, y) = kick(Kicks::SrsPlus, Piece::I, from, RotationTurn::Clockwise, test);
                let other =
                    kick(Kicks::SrsPlus, Piece::I, mirror, RotationTurn::CounterClockwise, test);
                let to = from.turned(RotationTurn::Clockwise);
                let want = (-x + a(to) - a(from), y + b(to) - b(from));
                assert_eq!(other, want, "{from:?} {test}");
            }
        }
    }

    #[test]
    fn canonical_states_fill_the_same_cells() {
        let filled = |piece, state, (x, y): Offset| {
            let mut cells = cells(piece, state).map(|(a, b)| (a + x, b + y));
            cells.sort_unstable();
            cells
        };
        for piece in Piece::ALL {
            let mut distinct = Vec::new();
            for state in RotationState::ALL {
                let (first, way) = canonical(piece, state);
                assert_eq!(
                    filled(piece, state, (0, 0)),
                    filled(piece, first, way),
                    "{piece} {state:?}"
                );
                if first == state {
                    distinct.push(state);
                }
            }
            assert_eq!(distinct.len(), shapes(piece));
            assert_eq!(distinct, RotationState::ALL[..shapes(piece)]);
        }
    }

    #[test]
    fn states_have_the_shapes_of_the_pieces() {
        for piece in Piece::ALL {
            for state in RotationState::ALL {
                let cells = cells(piece, state);
                let left = cells.iter().map(|c| c.0).min().unwrap();
                let low = cells.iter().map(|c| c.1).min().unwrap();
                let mut rows = [0u16; 4];
                for (x, y) in cells {
                    rows[(y - low) as usize] |= 1 << (x - left);
                }
                let known = |o: &Orientation| o.rows == rows;
                assert!(piece.orientations().iter().any(known), "{piece} {state:?}");
            }
        }
    }
}
