//! Finds landings by following one position at a time, as the specification of the fast generator.
//! The search for shortest inputs uses the positions too.
//!
//! A position is a rotation state and the place of the centre cell. Shifts by one column, soft
//! drops by one row, and turns with kicks lead from the spawn to other positions. A piece can lock
//! where it rests. A T that came to rest by a turn may have a spin.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::landing::Landing;
use super::options::{FifthKick, Guideline, Spins};
use super::srs::{RotationState, RotationTurn, cells, kick, tests};
use crate::matrix::Matrix;
use crate::piece::Piece;
use crate::placement::Spin;

/// Column of the centre cell at the spawn.
pub const SPAWN_COLUMN: i32 = 4;
/// Row of the centre cell at the spawn, except for I, whose row is [`Guideline::i_spawn_row`].
pub const SPAWN_ROW: i32 = 20;

/// A piece somewhere in the matrix, not necessarily at rest.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, positions::Position};
/// let spawn = Position::spawn(&Guideline::official(), &Matrix::EMPTY, Piece::T).unwrap();
/// assert_eq!((spawn.x, spawn.y), (4, 19)); // it falls one row at once
/// assert_eq!(spawn.fallen(&Matrix::EMPTY, Piece::T).y, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Rotation state of the piece at the position.
    pub state: RotationState,
    /// Column of the piece's centre cell.
    pub x: i32,
    /// Row of the piece's centre cell.
    pub y: i32,
}

/// The last movement of a piece, which determines its spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Arrival {
    /// A shift, a drop, or the spawn.
    Moved,
    /// A turn whose kick was not the fifth of a quarter turn.
    Turned,
    /// A turn by the fifth kick of a quarter turn.
    Fifth,
}

impl Position {
    /// Returns the position in which `piece` enters, or `None` if a cell of its spawn is filled
    /// (block out). Under rules with `falls_at_once` this is one row below the spawn, if the piece
    /// fits there.
    #[must_use]
    pub fn spawn(rules: &Guideline, matrix: &Matrix, piece: Piece) -> Option<Position> {
        let y = if piece == Piece::I { i32::from(rules.i_spawn_row) } else { SPAWN_ROW };
        let spawn = Position { state: RotationState::Spawn, x: SPAWN_COLUMN, y };
        if !spawn.fits(matrix, piece) {
            return None;
        }
        // A piece that cannot fall stays at its spawn.
        let fallen = if rules.falls_at_once { spawn.moved(matrix, piece, 0, -1) } else { None };
        Some(fallen.unwrap_or(spawn))
    }

    /// Returns true if all cells of `piece` at this position are free.
    #[must_use]
    pub fn fits(self, matrix: &Matrix, piece: Piece) -> bool {
        let free = |(dx, dy)| !matrix.is_blocked(self.x + dx, self.y + dy);
        cells(piece, self.state).into_iter().all(free)
    }

    /// Returns the position moved by `dx` columns and `dy` rows, or `None` if the piece does not
    /// fit there.
    #[must_use]
    pub fn moved(self, matrix: &Matrix, piece: Piece, dx: i32, dy: i32) -> Option<Position> {
        let to = Position { x: self.x + dx, y: self.y + dy, ..self };
        to.fits(matrix, piece).then_some(to)
    }

    /// Returns the position after falling as far as possible. The distance is the smallest number
    /// of free cells below any cell of the piece.
    #[must_use]
    pub fn fallen(self, matrix: &Matrix, piece: Piece) -> Position {
        let way = |(dx, dy)| matrix.free_below(self.x + dx, self.y + dy);
        let way = cells(piece, self.state).into_iter().map(way).min().unwrap_or(0);
        Position { y: self.y - way, ..self }
    }

    /// Returns the position after as many moves by `dx` columns and `dy` rows as fit.
    #[must_use]
    pub fn far(self, matrix: &Matrix, piece: Piece, dx: i32, dy: i32) -> Position {
        std::iter::successors(Some(self), |p| p.moved(matrix, piece, dx, dy)).last().unwrap_or(self)
    }

    /// Returns the position after `turn` and the number, from 0, of the first kick that fits.
    /// Returns `None` if no kick fits. O does not turn.
    #[must_use]
    pub fn turned(
        self,
        rules: &Guideline,
        matrix: &Matrix,
        piece: Piece,
        turn: RotationTurn,
    ) -> Option<(Position, usize)> {
        if piece == Piece::O {
            return None;
        }
        let state = self.state.turned(turn);
        // The order of kicks is part of the rules: only the first that fits counts.
        (0..tests(turn)).find_map(|test| {
            let (dx, dy) = kick(rules.kicks, piece, self.state, turn, test);
            let to = Position { state, x: self.x + dx, y: self.y + dy };
            to.fits(matrix, piece).then_some((to, test))
        })
    }

    /// Returns true if the piece cannot fall one row.
    #[must_use]
    pub fn rests(self, matrix: &Matrix, piece: Piece) -> bool {
        self.moved(matrix, piece, 0, -1).is_none()
    }

    /// Returns the landing of a piece that locks at this position.
    #[must_use]
    pub fn landing(self, piece: Piece, spin: Spin) -> Landing {
        Landing { piece, state: self.state, x: self.x as u8, y: self.y as u8, spin }
    }
}

impl From<Landing> for Position {
    fn from(landing: Landing) -> Position {
        Position { state: landing.state, x: landing.x.into(), y: landing.y.into() }
    }
}

impl Arrival {
    /// Returns the arrival by the kick with number `test` (from 0) of `turn`.
    #[must_use]
    pub fn by(turn: RotationTurn, test: usize) -> Arrival {
        if test == 4 && turn != RotationTurn::Half { Arrival::Fifth } else { Arrival::Turned }
    }
}

/// Offsets of the four corners around a T's centre, by rotation state: the two front corners
/// (beside the stem), then the two back corners.
const CORNERS: [[(i32, i32); 4]; 4] = [
    [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    [(1, -1), (-1, -1), (1, 1), (-1, 1)],
    [(-1, -1), (-1, 1), (1, -1), (1, 1)],
];

/// Returns the spin of a `piece` whose last movement, `arrival`, led to the position `at`.
///
/// By its corners, a T needs a turn as its last movement. Full spins have both front corners and
/// one back corner filled, mini spins one front corner and both back corners. The fifth kick makes
/// a spin full, under some rules even without filled corners.
///
/// Rules with spins of all pieces look at a resting piece that cannot move ([`Spins`]). Neither a
/// shift nor a fall leads there, so the piece came by a turn.
///
/// ```text
/// F#F    spawn state: F are the front corners (beside the stem),
/// ###    B the back corners
/// B.B
/// ```
#[must_use]
pub fn spin(
    rules: &Guideline,
    matrix: &Matrix,
    piece: Piece,
    at: Position,
    arrival: Arrival,
) -> Spin {
    let is_stuck = || {
        [(-1, 0), (1, 0), (0, 1)]
            .into_iter()
            .all(|(dx, dy)| at.moved(matrix, piece, dx, dy).is_none())
    };
    let of_corners = || corner_spin(rules, matrix, at, arrival);
    match rules.spins {
        Spins::T if piece == Piece::T => of_corners(),
        Spins::T => Spin::None,
        Spins::AllMini if piece == Piece::T && of_corners() != Spin::None => of_corners(),
        Spins::AllMini if is_stuck() => Spin::Mini,
        Spins::All if is_stuck() => Spin::Full,
        Spins::AllMini | Spins::All => Spin::None,
    }
}

/// Returns the spin of a T by the corners around it.
fn corner_spin(rules: &Guideline, matrix: &Matrix, at: Position, arrival: Arrival) -> Spin {
    if arrival == Arrival::Moved {
        return Spin::None;
    }
    let filled = |(dx, dy): (i32, i32), walls: bool| {
        let (x, y) = (at.x + dx, at.y + dy);
        let wall = !(0..10).contains(&x) || y < 0;
        i32::from(if wall { walls } else { matrix.is_blocked(x, y) })
    };
    let [a, b, c, d] = CORNERS[at.state.index()];
    let front = filled(a, rules.front_walls) + filled(b, rules.front_walls);
    // Walls behind a T count in all games, but walls in front only under some rules.
    let back = filled(c, true) + filled(d, true);
    let corners = front + back >= 3;
    let fifth = arrival == Arrival::Fifth;
    match rules.fifth_kick {
        FifthKick::Alone if fifth => Spin::Full,
        FifthKick::WithCorners if fifth && corners => Spin::Full,
        _ if corners && front == 2 => Spin::Full,
        _ if corners => Spin::Mini,
        _ => Spin::None,
    }
}

/// Returns every landing that `piece` reaches from its spawn, each with its best spin, in ascending
/// order. All rotation states are listed separately. The search follows one position at a time.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, positions::landings};
/// assert_eq!(landings(&Guideline::official(), &Matrix::EMPTY, Piece::T).len(), 34);
/// ```
#[must_use]
pub fn landings(rules: &Guideline, matrix: &Matrix, piece: Piece) -> Vec<Landing> {
    Position::spawn(rules, matrix, piece)
        .map_or(Vec::new(), |spawn| landings_from(rules, matrix, piece, spawn))
}

/// Returns every landing that `piece` reaches from the position `start`, in the form of
/// [`landings`].
#[must_use]
pub fn landings_from(
    rules: &Guideline,
    matrix: &Matrix,
    piece: Piece,
    start: Position,
) -> Vec<Landing> {
    // Each position keeps its best arrival so far. A position reached again by a better arrival is
    // followed again, since it may be a spin.
    let mut seen = BTreeMap::from([(start, Arrival::Moved)]);
    let mut best: BTreeMap<Landing, Spin> = BTreeMap::new();
    let mut waiting = VecDeque::from([(start, Arrival::Moved)]);
    while let Some((at, arrival)) = waiting.pop_front() {
        if at.rests(matrix, piece) {
            let spin = spin(rules, matrix, piece, at, arrival);
            let here = best.entry(at.landing(piece, Spin::None)).or_default();
            *here = (*here).max(spin);
        }
        for (to, arrival) in steps(rules, matrix, piece, at) {
            let known = seen.get(&to).copied();
            if known.is_none_or(|known| known < arrival) {
                seen.insert(to, arrival);
                waiting.push_back((to, arrival));
            }
        }
    }
    best.into_iter().map(|(landing, spin)| Landing { spin, ..landing }).collect()
}

/// Returns the positions that one shift, one soft drop or one turn reaches from `at`, each with its
/// arrival.
fn steps(
    rules: &Guideline,
    matrix: &Matrix,
    piece: Piece,
    at: Position,
) -> Vec<(Position, Arrival)> {
    // Far moves are omitted, because they consist of single moves.
    let moves = [(-1, 0), (1, 0), (0, -1)];
    let moved = moves.into_iter().filter_map(|(dx, dy)| at.moved(matrix, piece, dx, dy));
    let mut to: Vec<(Position, Arrival)> = moved.map(|to| (to, Arrival::Moved)).collect();
    to.extend(turns(rules).iter().filter_map(|&turn| {
        let (to, test) = at.turned(rules, matrix, piece, turn)?;
        Some((to, Arrival::by(turn, test)))
    }));
    to
}

/// Returns the turns that the rules allow.
#[must_use]
pub fn turns(rules: &Guideline) -> &'static [RotationTurn] {
    if rules.half_turns { &RotationTurn::ALL } else { &RotationTurn::QUARTERS }
}
