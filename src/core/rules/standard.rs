//! Lists placements by Fahey's rules (StandardTetris 2007, `STBoard.cpp` and `STGame.cpp`).
//!
//! The piece spawns in its first orientation with its origin in the top row, one column right of
//! the centre of an even board. It first falls one row, so that the ceiling does not block
//! rotations. Then it turns in place, moves sideways, and drops. A piece that fits at the spawn but
//! cannot fall one row locks where it is.
//!
//! Fahey's program never removes a full *top* row, which needs a stack as high as the spawn. These
//! rules remove it.

use crate::board::Board;
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement};

use super::Reach;

/// The column and row of a piece's origin on the board, from 0.
#[derive(Clone, Copy)]
struct Origin {
    column: usize,
    row: usize,
}

/// Writes the possible placements of `piece` to `out`, ordered by orientation and then column.
/// Writes nothing if the piece cannot spawn.
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

/// Returns the column, from 0, in which a piece's origin spawns. Fahey's program counts from 1 and
/// has 1 + width/2.
pub(crate) fn spawn_column(width: usize) -> usize {
    width / 2
}

/// Returns the index of the orientation in which `piece` spawns: the one that Fahey's program
/// reaches with no turns.
fn first_orientation(piece: Piece) -> usize {
    piece.orientations().iter().position(|o| o.fahey.turns == 0).unwrap_or(0)
}

/// Returns the leftmost column and the lowest row of orientation `o` if its origin is at `origin`.
/// Returns `None` if it leaves the rows in play or touches a filled cell.
fn fit(board: &Board, o: &Orientation, origin: Origin) -> Option<(usize, usize)> {
    let column = origin.column.checked_sub(o.fahey.origin_column as usize)?;
    let row = origin.row.checked_sub(o.fahey.origin_row as usize)?;
    let inside =
        column + o.width as usize <= board.width() && row + o.height as usize <= board.height();
    (inside && board.is_free(o, column, row)).then_some((column, row))
}

/// Returns the columns, ascending, to which the origin of orientation `o` can move along the row of
/// `from`.
fn reachable(
    reach: Reach,
    board: &Board,
    o: &Orientation,
    from: Origin,
) -> impl Iterator<Item = usize> {
    // Moves in each direction end at the first obstacle.
    let fits = |column: &usize| fit(board, o, Origin { column: *column, ..from }).is_some();
    let left = (0..from.column).rev().take_while(fits).count();
    let right = (from.column + 1..board.width()).take_while(fits).count();
    let (first, last) = match reach {
        Reach::Contiguous => (from.column - left, from.column + right),
        Reach::Anywhere => (0, board.width() - 1),
    };
    (first..=last).filter(fits).collect::<Vec<_>>().into_iter()
}

/// Drops the orientation of `piece` with this `index` from `origin`, and returns the placement
/// where it comes to rest. Returns `None` if the orientation does not fit at `origin`.
fn rest(board: &Board, piece: Piece, index: usize, origin: Origin) -> Option<Candidate> {
    let o = &piece.orientations()[index];
    let (column, from) = fit(board, o, origin)?;
    // A drop computed from column heights would miss resting places under overhangs.
    let row = (0..=from).rev().take_while(|&row| board.is_free(o, column, row)).last()?;
    let placement = Placement { orientation: index as u8, column: column as u8 };
    Some(Candidate { placement, row: row as u8 })
}
