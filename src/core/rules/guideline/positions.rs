//! Finds landings by following one position at a time, as the specification of the fast generator,
//! and the shortest inputs that lead to a landing (finesse).
//!
//! A position is a rotation state and the place of the centre cell. Shifts by one column, soft
//! drops by one row, and turns with kicks lead from the spawn to other positions.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::landing::Landing;
use super::options::{FifthKick, Guideline, Spins};
use super::srs::{RotationState, RotationTurn, cells, kick, kick_count};
use crate::matrix::Matrix;
use crate::piece::Piece;
use crate::placement::Spin;

/// Column of a piece's centre cell when it spawns.
pub const SPAWN_COLUMN: i32 = 4;
/// Row of a piece's centre cell when it spawns; for I see [`Guideline::i_spawn_row`].
pub const SPAWN_ROW: i32 = 20;

/// The position of a piece in the matrix, at rest or not: rotation state and centre cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Rotation state of the piece at the position.
    pub state: RotationState,
    /// Column of the piece's centre cell, from 0.
    pub x: i32,
    /// Row of the piece's centre cell, 0 at the floor.
    pub y: i32,
}

/// The last movement of a piece, which determines its spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Arrival {
    /// The last movement was a shift, a drop, or the spawn.
    Moved,
    /// The last movement was a turn, but not by the fifth kick of a quarter turn.
    Turned,
    /// The last movement was a quarter turn by its fifth kick.
    Fifth,
}

impl Position {
    /// Returns the position where `piece` enters the matrix, or `None` if filled cells block its
    /// spawn (block out).
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

    /// Returns a piece's position moved by `dx` columns and `dy` rows, if the piece fits there.
    #[must_use]
    pub fn moved(self, matrix: &Matrix, piece: Piece, dx: i32, dy: i32) -> Option<Position> {
        let to = Position { x: self.x + dx, y: self.y + dy, ..self };
        to.fits(matrix, piece).then_some(to)
    }

    /// Returns the position of the piece after it falls as far as possible.
    #[must_use]
    pub fn fallen(self, matrix: &Matrix, piece: Piece) -> Position {
        let way = |(dx, dy)| matrix.free_below(self.x + dx, self.y + dy);
        let way = cells(piece, self.state).into_iter().map(way).min().unwrap_or(0);
        Position { y: self.y - way, ..self }
    }

    /// Returns the piece's position after as many moves by `dx` columns and `dy` rows as fit.
    #[must_use]
    pub fn far(self, matrix: &Matrix, piece: Piece, dx: i32, dy: i32) -> Position {
        std::iter::successors(Some(self), |p| p.moved(matrix, piece, dx, dy)).last().unwrap_or(self)
    }

    /// Returns a piece's position after a turn, and the number (from 0) of its first fitting kick.
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
        (0..kick_count(turn)).find_map(|test| {
            let (dx, dy) = kick(rules.kicks, piece, self.state, turn, test);
            let to = Position { state, x: self.x + dx, y: self.y + dy };
            to.fits(matrix, piece).then_some((to, test))
        })
    }

    /// Returns true if the piece is at rest, that is, cannot fall one row.
    #[must_use]
    pub fn rests(self, matrix: &Matrix, piece: Piece) -> bool {
        self.moved(matrix, piece, 0, -1).is_none()
    }

    /// Returns the landing (place and spin) of a piece that locks at this position.
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
    /// Classifies the last movement of a piece, a `turn` that used kick number `test` (from 0).
    #[must_use]
    pub fn from_kick(turn: RotationTurn, test: usize) -> Arrival {
        if test == 4 && turn != RotationTurn::Half { Arrival::Fifth } else { Arrival::Turned }
    }
}

/// Offsets of the corners around a T's centre, by rotation state: two front corners, two back
/// corners.
const CORNERS: [[(i32, i32); 4]; 4] = [
    [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    [(1, -1), (-1, -1), (1, 1), (-1, 1)],
    [(-1, -1), (-1, 1), (1, -1), (1, 1)],
];

/// Returns the spin (none, mini or full) of a piece whose last movement, `arrival`, led to `at`.
///
/// A T with a turn as its last movement has a full spin with both front corners and one back corner
/// filled, a mini spin with one front corner and both back corners. The fifth kick makes a spin
/// full, under some rules even without filled corners.
///
/// Under rules with spins of all pieces ([`Spins`]), a piece that cannot move left, right or up has
/// a spin, since only a turn leads there.
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
    let by_corners = || corner_spin(rules, matrix, at, arrival);
    match rules.spins {
        Spins::T if piece == Piece::T => by_corners(),
        Spins::T => Spin::None,
        Spins::AllMini if piece == Piece::T && by_corners() != Spin::None => by_corners(),
        Spins::AllMini if is_stuck() => Spin::Mini,
        Spins::All if is_stuck() => Spin::Full,
        Spins::AllMini | Spins::All => Spin::None,
    }
}

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

/// Returns every landing (resting place) that `piece` reaches, with its best spin, in ascending
/// order. Rotation states are listed separately.
#[must_use]
pub fn landings(rules: &Guideline, matrix: &Matrix, piece: Piece) -> Vec<Landing> {
    let Some(start) = Position::spawn(rules, matrix, piece) else { return Vec::new() };
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
        Some((to, Arrival::from_kick(turn, test)))
    }));
    to
}

/// Returns the turns that the rules allow: the quarter turns, and perhaps the half turn.
#[must_use]
pub fn turns(rules: &Guideline) -> &'static [RotationTurn] {
    if rules.half_turns { &RotationTurn::ALL } else { &RotationTurn::QUARTERS }
}

/// A single input (key press) of a player in a guideline game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Moves the piece one column to the left.
    Left,
    /// Moves the piece one column to the right.
    Right,
    /// Moves the piece as far to the left as possible (the key is held down).
    FarLeft,
    /// Moves the piece as far to the right as possible (the key is held down).
    FarRight,
    /// Turns the piece by a quarter or half turn.
    Turn(RotationTurn),
    /// Drops the piece as far as possible, without locking it.
    SonicDrop,
    /// Drops the piece by one row.
    SoftDrop,
    /// Drops the piece as far as possible and locks it.
    HardDrop,
}

impl Input {
    /// Returns the input's letter in logs: `l r L R` for moves, `c a h` turns, `s d D` drops.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Input::Left => 'l',
            Input::Right => 'r',
            Input::FarLeft => 'L',
            Input::FarRight => 'R',
            Input::Turn(RotationTurn::Clockwise) => 'c',
            Input::Turn(RotationTurn::CounterClockwise) => 'a',
            Input::Turn(RotationTurn::Half) => 'h',
            Input::SonicDrop => 's',
            Input::SoftDrop => 'd',
            Input::HardDrop => 'D',
        }
    }
}

/// The inputs that bring a piece from its spawn to rest, and the rows of its drops.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InputPath {
    /// Inputs of the player in order; the last is a hard drop.
    pub inputs: Vec<Input>,
    /// Number of rows that the piece fell by soft and sonic drops, each worth one point.
    pub soft: u32,
    /// Number of rows that the piece fell by the hard drop, each worth two points.
    pub hard: u32,
    /// Number of columns that the piece moved while a key was held down.
    pub far: u32,
    /// Number of the kick (from 0) if the piece's last movement was a turn, else `None`.
    pub kick: Option<u8>,
}

impl InputPath {
    /// Returns the points of all drops: one per row of soft and sonic drops, two of the hard drop.
    #[must_use]
    pub const fn points(&self) -> u32 {
        self.soft + 2 * self.hard
    }
}

const ARRIVALS: usize = 3;
/// Number of nodes in the search for shortest inputs: one for each position and last movement.
const NODE_COUNT: usize = 4 * 10 * 32 * ARRIVALS;

fn index(at: Position, arrival: Arrival) -> usize {
    ((at.state as usize * 10 + at.x as usize) * 32 + at.y as usize) * ARRIVALS + arrival as usize
}

struct Node {
    at: Position,
    arrival: Arrival,
    parent: usize,
    input: Input,
    kick: Option<u8>,
}

/// Returns the shortest inputs (key presses) that bring the piece from its spawn to `landing` with
/// its spin, if there are any.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Landing, RotationState, shortest};
/// let corner = Landing::new(Piece::T, RotationState::Spawn, 1, 0);
/// let path = shortest(&Guideline::official(), &Matrix::EMPTY, corner).unwrap();
/// let keys: String = path.inputs.iter().map(|input| input.letter()).collect();
/// assert_eq!((keys.as_str(), path.points()), ("LD", 2 * path.hard)); // hold left, hard drop
/// ```
#[must_use]
pub fn shortest(rules: &Guideline, matrix: &Matrix, landing: Landing) -> Option<InputPath> {
    // Of several the first is returned, breadth first in the order of `Input`.
    let piece = landing.piece;
    let at = Position::spawn(rules, matrix, piece)?;
    let goal = landing.canonical();
    let mut seen = vec![false; NODE_COUNT];
    let arrival = Arrival::Moved;
    let mut nodes = vec![Node { at, arrival, parent: 0, input: Input::HardDrop, kick: None }];
    seen[index(at, arrival)] = true;
    let mut next = 0;
    while next < nodes.len() {
        let Node { at, arrival, .. } = nodes[next];
        // A node is a goal if a hard drop from there ends at the landing, since placements end with
        // a hard drop.
        let ground = at.fallen(matrix, piece);
        let is_there = ground.landing(piece, landing.spin).canonical() == goal;
        let spins = landing.spin == Spin::None
            // A spin needs a turn as the last movement; a piece that falls afterwards has lost it.
            || (ground == at && spin(rules, matrix, piece, at, arrival) == landing.spin);
        if is_there && spins {
            return Some(path_to(&nodes, next, (at.y - ground.y) as u32));
        }
        for (input, at, arrival, kick) in next_inputs(rules, matrix, piece, (at, ground)) {
            // In a breadth-first search the first way to a node is a shortest one.
            if !std::mem::replace(&mut seen[index(at, arrival)], true) {
                nodes.push(Node { at, arrival, parent: next, input, kick });
            }
        }
        next += 1;
    }
    None
}

fn path_to(nodes: &[Node], last: usize, hard: u32) -> InputPath {
    let mut inputs = vec![Input::HardDrop];
    let (mut soft, mut far) = (0, 0);
    let mut node = last;
    while node != 0 {
        let Node { at, parent, input, .. } = &nodes[node];
        let before = nodes[*parent].at;
        match input {
            Input::SonicDrop | Input::SoftDrop => soft += before.y.abs_diff(at.y),
            Input::FarLeft | Input::FarRight => far += before.x.abs_diff(at.x),
            _ => {}
        }
        inputs.push(*input);
        node = *parent;
    }
    inputs.reverse();
    // A kick followed by a fall is not the last movement of the piece.
    let kick = if hard == 0 { nodes[last].kick } else { None };
    InputPath { inputs, soft, hard, far, kick }
}

fn next_inputs(
    rules: &Guideline,
    matrix: &Matrix,
    piece: Piece,
    (at, ground): (Position, Position),
) -> Vec<(Input, Position, Arrival, Option<u8>)> {
    // `ground` is where a fall from the position `at` ends.
    let mut to = Vec::with_capacity(9);
    let moved = |input, to| (input, to, Arrival::Moved, None);
    for (input, dx) in [(Input::Left, -1), (Input::Right, 1)] {
        to.extend(at.moved(matrix, piece, dx, 0).map(|to| moved(input, to)));
    }
    // Far moves of at most one column are included, after the single moves.
    to.push(moved(Input::FarLeft, at.far(matrix, piece, -1, 0)));
    to.push(moved(Input::FarRight, at.far(matrix, piece, 1, 0)));
    for &turn in turns(rules) {
        if let Some((turned, test)) = at.turned(rules, matrix, piece, turn) {
            let kick = Some(test as u8);
            to.push((Input::Turn(turn), turned, Arrival::from_kick(turn, test), kick));
        }
    }
    to.push(moved(Input::SonicDrop, ground));
    to.extend(at.moved(matrix, piece, 0, -1).map(|to| moved(Input::SoftDrop, to)));
    to
}
