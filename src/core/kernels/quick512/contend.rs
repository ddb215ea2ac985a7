//! The placements that can be best or second, with exact scores.

use super::place::{Placed, place};
use super::registers::store;
use super::score::{Counted, lanes_near_best};
use super::tables::{Tables, tables};
use super::value::value;
use super::{BCTS, CONTENDERS, DELLACHERIE, DT, LEE};
use super::{by_set, clearing, features, read, settle_all, settle_near};
use crate::board::Board;
use crate::kernels::contenders::SetBits;
use crate::kernels::plan::Workspace;
use crate::kernels::quick::{Quick, SLOTS, Shape};
use crate::piece::Piece;

features! {
/// Scores the placements that can be best or second, and tells which they are; None where the
/// quick way does not lead.
pub(in crate::kernels) fn contenders(
    quick: &Quick,
    board: &Board,
    piece: Piece,
    space: &mut Workspace,
) -> Option<u64> {
    by_set!(quick, contenders_set(quick, board, piece, space))
}}

features! {
#[inline]
fn contenders_set<const SET: u32>(
    quick: &Quick,
    board: &Board,
    piece: Piece,
    space: &mut Workspace,
) -> Option<u64> {
    let rows = read(quick, board)?;
    let tables = tables::<SET>(quick, rows);
    let parent = value::<SET>(quick, rows, true);
    let shape = &quick.shapes[piece.index()];
    let (placed, near) = if piece == Piece::I {
        near_second::<SET, true>(quick, &tables, shape)
    } else {
        near_second::<SET, false>(quick, &tables, shape)
    };
    let landing = store(placed.landing).0;
    let counted = Counted::new(&placed);
    let mut some = 0u64;
    for lane in SetBits(near) {
        let index = shape.index(lane);
        space.rows[index] = landing[lane];
        space.scores[index] = parent + counted.sum(quick, shape, lane);
        some |= 1 << index;
    }
    for lane in SetBits(placed.full) {
        let row = landing[lane];
        if let Some(cleared) = clearing::<SET>(quick, rows, shape, lane, row as usize) {
            let index = shape.index(lane);
            space.rows[index] = row;
            space.scores[index] = cleared.of_move + cleared.board;
            some |= 1 << index;
        }
    }
    space.lost = 0;
    Some(if some.count_ones() < 2 { with_losers(some, shape, &landing, space) } else { some })
}}

features! {
/// Places a piece and finds who can be best or second among those that fill no row.
#[inline]
fn near_second<const SET: u32, const WIDE: bool>(
    quick: &Quick,
    tables: &Tables,
    shape: &Shape,
) -> (Placed, u64) {
    let mut placed = place::<SET, WIDE, CONTENDERS>(quick, tables, shape);
    if quick.weights.exact[SLOTS] > 0 {
        settle_all::<WIDE>(tables, shape, &mut placed);
    }
    let mut near = lanes_near_best::<SET, 2>(quick, shape, &placed);
    if near & placed.unsettled != 0 {
        let mut exact = placed;
        near = settle_near::<SET, WIDE, 2>(quick, tables, shape, &mut exact, near);
        placed.wells = exact.wells;
    }
    (placed, near)
}}

/// Where fewer than two placements survive, the first that do not are best or second.
#[cold]
fn with_losers(mut some: u64, shape: &Shape, landing: &[u8; 64], space: &mut Workspace) -> u64 {
    for (index, &lane) in shape.lanes.iter().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            space.rows[index] = landing[lane as usize];
            space.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
