//! Kernels on any board: at every instruction level a decision is that of the scalar functions, whether it is found by
//! differences alone (`step`) or with the values of all placements (`rank`).
#![no_main]

use libfuzzer_sys::fuzz_target;
use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::controller::{Controller, PRESETS};
use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::Rules;
use tetrastat_core::search::{Player, Ranked, Search, Value};

/// Preset, piece, width, height, then rows of two bytes each.
fn position(bytes: &[u8]) -> Option<(Controller, Piece, Board)> {
    let [preset, piece, width, height, rows @ ..] = bytes else { return None };
    let controller = PRESETS[usize::from(*preset) % PRESETS.len()].controller().ok()?;
    let width = controller.board_width.unwrap_or(4 + usize::from(width % 13));
    let size = BoardSize::new(width, 4 + usize::from(height % 25)).ok()?;
    let full = u16::MAX >> (16 - width);
    let rows = rows.chunks_exact(2).take(size.height());
    let rows = rows.map(|pair| u16::from_le_bytes([pair[0], pair[1]]) & full);
    let board = Board::from_rows(size, &rows.collect::<Vec<_>>()).ok()?;
    Some((controller, Piece::ALL[usize::from(piece % 7)], board))
}

/// The board after the step, and every placement with its value.
fn decided(position: &(Controller, Piece, Board), level: Level) -> Option<(Board, Vec<Value>)> {
    let (controller, piece, board) = position;
    let rules = Rules::simplified();
    let mut player = Player::new(controller, rules, Search::Greedy, board.size(), level).ok()?;
    let mut after = *board;
    player.step(&mut after, *piece, None)?;
    let ranked = player.rank(board, *piece, None);
    let decision = player.decide(board, *piece, None)?;
    assert_eq!(after, decision.outcome.after, "{level}: step and decide");
    Some((after, ranked.iter().map(|Ranked { value, .. }| *value).collect()))
}

fuzz_target!(|bytes: &[u8]| {
    let Some(position) = position(bytes) else { return };
    let expected = decided(&position, Level::SCALAR);
    for level in Level::available() {
        assert_eq!(decided(&position, level), expected, "{level}");
    }
});
