//! Candidates under Fahey's rules (StandardTetris 2007, `STBoard.cpp` and `STGame.cpp`).
//!
//! The piece spawns in its first orientation with its origin in the top row, one column right of
//! the centre of an even board. It falls one row before it is moved, so that rotations are not
//! blocked by the ceiling; then it turns in place, slides, and drops. A piece that fits at the
//! spawn but cannot fall one row locks where it is. Fahey's program never removes a full *top*
//! row; ours does (such a row needs a stack that reaches the spawn).

use crate::board::Board;
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement};

use super::Reach;

/// Where a piece's origin is: 0-based column and row.
#[derive(Clone, Copy)]
struct Origin {
    column: usize,
    row: usize,
}

/// Writes the candidates of a piece into `out`, in the order that decides ties; none when it cannot spawn.
pub(super) fn candidates(reach: Reach, board: &Board, piece: Piece, out: &mut Vec<Candidate>) {
    let spawn = Origin { column: spawn_column(board.width()), row: board.height() - 1 };
    let below = Origin { row: spawn.row - 1, ..spawn };
    let first = first_orientation(piece);
    let fits = |index: usize, origin| fit(board, &piece.orientations()[index], origin).is_some();
    if !fits(first, spawn) {
        return;
    }
    if !fits(first, below) {
        out.extend(rest(board, piece, first, spawn));
        return;
    }
    for index in 0..piece.orientations().len() {
        if fits(index, below) {
            let columns = reachable(reach, board, &piece.orientations()[index], below);
            out.extend(
                columns.filter_map(|column| rest(board, piece, index, Origin { column, ..below })),
            );
        }
    }
}

/// Column of the origin at the spawn, 0-based: Fahey's 1 + width/2, 1-based.
pub(crate) fn spawn_column(width: usize) -> usize {
    width / 2
}

/// The orientation in which a piece spawns: that of no turns in Fahey's program.
fn first_orientation(piece: Piece) -> usize {
    piece.orientations().iter().position(|o| o.fahey.turns == 0).unwrap_or(0)
}

/// The column and lowest row of an orientation with this origin, if it lies inside the rows in
/// play and touches nothing.
fn fit(board: &Board, o: &Orientation, origin: Origin) -> Option<(usize, usize)> {
    let column = origin.column.checked_sub(o.fahey.origin_column as usize)?;
    let row = origin.row.checked_sub(o.fahey.origin_row as usize)?;
    let inside =
        column + o.width as usize <= board.width() && row + o.height as usize <= board.height();
    (inside && board.is_free(o, column, row)).then_some((column, row))
}

/// The origin columns an orientation can move to, ascending.
fn reachable(
    reach: Reach,
    board: &Board,
    o: &Orientation,
    from: Origin,
) -> impl Iterator<Item = usize> {
    // Each way from where it turned until something is in the way.
    let fits = |column: &usize| fit(board, o, Origin { column: *column, ..from }).is_some();
    let left = (0..from.column).rev().take_while(fits).count();
    let right = (from.column + 1..board.width()).take_while(fits).count();
    let (first, last) = match reach {
        Reach::Contiguous => (from.column - left, from.column + right),
        Reach::Anywhere => (0, board.width() - 1),
    };
    (first..=last).filter(fits).collect::<Vec<_>>().into_iter()
}

/// Drops an orientation from its origin as far as it goes.
fn rest(board: &Board, piece: Piece, index: usize, origin: Origin) -> Option<Candidate> {
    let o = &piece.orientations()[index];
    let (column, from) = fit(board, o, origin)?;
    // Row by row from where it is, and not from above as a drop onto heights: it may be under an overhang.
    let row = (0..=from).rev().take_while(|&row| board.is_free(o, column, row)).last()?;
    let placement = Placement { orientation: index as u8, column: column as u8 };
    Some(Candidate { placement, row: row as u8 })
}
