//! The shortest inputs to a landing (finesse), and the points of its drops.

use super::positions::{Arrival, Position, spin, turns};
use super::{Guideline, Landing, Matrix, RotationTurn, Spin};
use crate::piece::Piece;

/// One input of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
    /// Left as far as it goes (the key held down).
    FarLeft,
    /// Right as far as it goes.
    FarRight,
    /// A turn.
    Turn(RotationTurn),
    /// Down to what is below, without locking.
    SonicDrop,
    /// Down one row.
    SoftDrop,
    /// Down and locked: the last input of every placement.
    HardDrop,
}

impl Input {
    /// The letter in logs: `l r L R c a h s d D`.
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

/// Inputs that bring a piece from its spawn to rest, and what the drops among them earn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InputPath {
    /// The inputs, a hard drop last.
    pub inputs: Vec<Input>,
    /// Rows fallen by soft and sonic drops: a point each.
    pub soft: u32,
    /// Rows fallen by the hard drop: two points each.
    pub hard: u32,
    /// Columns moved by keys held down.
    pub far: u32,
    /// The kick (0-based) of a turn that came last, with nothing left to fall.
    pub kick: Option<u8>,
}

impl InputPath {
    /// Points of its drops.
    #[must_use]
    pub const fn points(&self) -> u32 {
        self.soft + 2 * self.hard
    }
}

/// The kinds of arrival that a node tells apart.
const ARRIVALS: usize = 3;
/// States x columns x rows x arrivals: 3,840 nodes.
const NODES: usize = 4 * 10 * 32 * ARRIVALS;

/// The number of a node: state, column, row and arrival as digits.
fn index(at: Position, arrival: Arrival) -> usize {
    ((at.state as usize * 10 + at.x as usize) * 32 + at.y as usize) * ARRIVALS + arrival as usize
}

/// A position reached, from where and how.
struct Node {
    at: Position,
    arrival: Arrival,
    parent: usize,
    input: Input,
    kick: Option<u8>,
}

/// The fewest inputs that place a piece there with its spin; of several ways the first found,
/// breadth first, trying inputs in the order of [`Input`]. `None` when there is none.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Landing, RotationState, shortest};
/// let corner = Landing::new(Piece::T, RotationState::Spawn, 1, 0);
/// let path = shortest(&Guideline::official(), &Matrix::EMPTY, corner).unwrap();
/// let keys: String = path.inputs.iter().map(|input| input.letter()).collect();
/// assert_eq!((keys.as_str(), path.points()), ("LD", 2 * path.hard)); // held left, hard drop
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
        // Every placement ends with a hard drop, so that a node is the goal's if the piece falls to it from
        // there.
        let ground = at.fallen(matrix, piece);
        let is_there = ground.landing(piece, landing.spin).canonical() == goal;
        let spins = landing.spin == Spin::None
            // A spin counts only where the turn came last, since a piece that still falls has lost it.
            || (ground == at && spin(rules, matrix, at, arrival) == landing.spin);
        if is_there && spins {
            return Some(path_to(&nodes, next, (at.y - ground.y) as u32));
        }
        for (input, at, arrival, kick) in steps(rules, matrix, piece, (at, ground)) {
            // Breadth first, so that the first way to a node is a shortest one and needs no second look.
            if !std::mem::replace(&mut seen[index(at, arrival)], true) {
                nodes.push(Node { at, arrival, parent: next, input, kick });
            }
        }
        next += 1;
    }
    None
}

/// The way to a node, then a hard drop of so many rows.
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
    // A kick that the drop followed is not the last that happened to the piece.
    let kick = if hard == 0 { nodes[last].kick } else { None };
    InputPath { inputs, soft, hard, far, kick }
}

/// Where each input leads, in the order of [`Input`]; `ground` is the position fallen down.
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
    // Also where that is one column or none: the order of `Input` puts the single step first.
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
