//! Draws start boards with garbage rows.

use crate::board::{Board, BoardSize};
use crate::rng::{Purpose, Stream};

/// Returns the board from which game number `game` of the run with seed `run_seed` starts if the
/// lowest `rows` rows are garbage. A garbage row is full but for one hole, and each column is
/// equally likely to be the hole's.
///
/// The holes come from a stream of their own, from the floor up. So a seed deals the same pieces
/// whatever `rows` is, and a game with more garbage starts with the same lowest rows.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::garbage_board;
/// let size = "10x20".parse()?;
/// assert_eq!(garbage_board(size, 3, 1, 0).to_hex(), "2ff:3fe:2ff");
/// assert_eq!(garbage_board(size, 2, 1, 0).to_hex(), "2ff:3fe");
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[must_use]
pub fn garbage_board(size: BoardSize, rows: usize, run_seed: u64, game: u64) -> Board {
    let mut stream = Stream::new(run_seed, Purpose::Garbage, game);
    let mut board = Board::empty(size);
    for row in 0..rows.min(size.height()) {
        let hole = stream.below(size.width() as u32) as usize;
        let filled = (0..size.width()).filter(|&column| column != hole);
        board = filled.fold(board, |board, column| board.with(column, row));
    }
    board
}
