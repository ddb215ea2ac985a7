//! Text of boards: what is read is a board, and reads back from what it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::matrix::Matrix;
use tetrastat_core::queue::QueueKind;

fuzz_target!(|text: &str| {
    if let Ok(board) = text.parse::<Board>() {
        assert_eq!(board.validate(), Ok(()));
        assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
        assert_eq!(Board::from_hex(board.size(), &board.to_hex()).unwrap(), board);
        let (after, _) = board.clear();
        assert_eq!(after.full_rows(), 0);
    }
    if let Ok(matrix) = text.parse::<Matrix>() {
        assert_eq!(matrix.to_string().parse::<Matrix>().unwrap(), matrix);
    }
    if let Some((size, hex)) = text.split_once(' ')
        && let Ok(size) = size.parse::<BoardSize>()
        && let Ok(board) = Board::from_hex(size, hex)
    {
        assert_eq!(board.validate(), Ok(()));
    }
    if let Ok(queue) = QueueKind::described(text) {
        assert_eq!(QueueKind::described(&queue.describe()).unwrap(), queue);
    }
});
