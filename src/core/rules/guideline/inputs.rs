//! Finds the shortest inputs that lead to a landing (finesse), and the points of their drops.

use super::positions::{Arrival, Position, spin, turns};
use super::{Guideline, Landing, Matrix, RotationTurn, Spin};
use crate::piece::Piece;

/// A single input of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Moves one column to the left.
    Left,
    /// Moves one column to the right.
    Right,
    /// Moves to the left as far as possible (the key is held down).
    FarLeft,
    /// Moves to the right as far as possible (the key is held down).
    FarRight,
    /// Turns the piece.
    Turn(RotationTurn),
    /// Falls as far as possible, without locking.
    SonicDrop,
    /// Falls one row.
    SoftDrop,
    /// Falls as far as possible and locks: the last input of every placement.
    HardDrop,
}

impl Input {
    /// Returns the letter used in logs: `l r L R` for moves, `c a h` for turns (clockwise,
    /// counter-clockwise, half) and `s d D` for drops.
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
    /// Inputs in order; the last is a hard drop.
    pub inputs: Vec<Input>,
    /// Number of rows fallen by soft and sonic drops, each worth one point.
    pub soft: u32,
    /// Number of rows fallen by the hard drop, each worth two points.
    pub hard: u32,
    /// Number of columns moved by keys held down.
    pub far: u32,
    /// Number of the kick (from 0) if the last movement was a turn, otherwise `None`.
    pub kick: Option<u8>,
}

impl InputPath {
    /// Returns the points of all drops: one per row of soft and sonic drops, two per row of the
    /// hard drop.
    #[must_use]
    pub const fn points(&self) -> u32 {
        self.soft + 2 * self.hard
    }
}

/// Number of values of [`Arrival`].
const ARRIVALS: usize = 3;
/// Number of nodes of the search, 3,840: states x columns x rows x kinds of arrival.
const NODES: usize = 4 * 10 * 32 * ARRIVALS;

/// Returns the index of the node with this position and arrival, from 0 to [`NODES`] - 1.
fn index(at: Position, arrival: Arrival) -> usize {
    ((at.state as usize * 10 + at.x as usize) * 32 + at.y as usize) * ARRIVALS + arrival as usize
}

/// A reached position, with the index of the node before it (`parent`) and the input that leads
/// from there.
struct Node {
    at: Position,
    arrival: Arrival,
    parent: usize,
    input: Input,
    kick: Option<u8>,
}

/// Returns the shortest sequence of inputs that brings the piece from its spawn to `landing` with
/// the landing's spin. Returns `None` if the landing cannot be reached. Of several shortest
/// sequences it returns the first found, breadth first in the order of [`Input`].
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
    let piece = landing.piece;
    let at = Position::spawn(rules, matrix, piece)?;
    let goal = landing.canonical();
    let mut seen = vec![false; NODES];
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
        for (input, at, arrival, kick) in steps(rules, matrix, piece, (at, ground)) {
            // In a breadth-first search the first way to a node is a shortest one.
            if !std::mem::replace(&mut seen[index(at, arrival)], true) {
                nodes.push(Node { at, arrival, parent: next, input, kick });
            }
        }
        next += 1;
    }
    None
}

/// Returns the path from the start to the node with index `last`, followed by a hard drop of `hard`
/// rows.
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

/// Returns every possible next input with the position, arrival and kick number after it, in the
/// order of [`Input`]. `ground` is the position that a fall from `at` reaches.
fn steps(
    rules: &Guideline,
    matrix: &Matrix,
    piece: Piece,
    (at, ground): (Position, Position),
) -> Vec<(Input, Position, Arrival, Option<u8>)> {
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
            to.push((Input::Turn(turn), turned, Arrival::by(turn, test), kick));
        }
    }
    to.push(moved(Input::SonicDrop, ground));
    to.extend(at.moved(matrix, piece, 0, -1).map(|to| moved(Input::SoftDrop, to)));
    to
}
