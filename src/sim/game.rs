//! One game from its first piece to its end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::RunConfig;
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::queue::Queue;
use crate::record::{EndReason, GameRow};
use crate::search::{Decision, Player, Search};

/// One piece placed, as a recorder sees it.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Index of the game in its run.
    pub game: u64,
    /// 1-based number of the piece in its game.
    pub piece_no: u64,
    /// The piece.
    pub piece: Piece,
    /// The next piece, when the search knew it.
    pub next: Option<Piece>,
    /// Lines of the game, this placement's included.
    pub lines_total: u64,
    /// The choice and what it led to.
    pub decision: &'a Decision,
    /// The board that the controller measured.
    pub measured: &'a Board,
}

/// Why a game has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Plays game `index` of a run and hands each turn to `record`. `Ok(Err(Stopped))` when `stop`
/// was raised before the end.
///
/// # Errors
/// [`crate::error::Error::ScriptEnded`], or what `record` returns.
pub fn play_game(
    config: &RunConfig,
    player: &mut Player,
    index: u64,
    stop: &AtomicBool,
    mut record: impl FnMut(&Turn) -> Result<()>,
) -> Result<std::result::Result<GameRow, Stopped>> {
    let mut queue = Queue::new(config.queue.clone(), config.seed, index);
    let mut board = config.start_board();
    let mut row = GameRow::new(index, config.seed);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(Err(Stopped));
        }
        let piece = queue.deal()?;
        let next = if config.search == Search::Next { queue.peek(0) } else { None };
        let Some(decision) = player.decide(&board, piece, next) else {
            return Ok(Ok(row.ended(EndReason::SpawnBlocked)));
        };
        board = decision.outcome.after;
        row.place(piece, u64::from(decision.outcome.played.lines), board.stack_height());
        record(&Turn {
            game: index,
            piece_no: row.pieces,
            piece,
            next,
            lines_total: row.lines,
            decision: &decision,
            measured: player.measured_board(&decision.outcome),
        })?;
        if decision.outcome.lost {
            return Ok(Ok(row.ended(EndReason::TopOut)));
        }
        if config.limits.lines.is_some_and(|limit| row.lines >= limit) {
            return Ok(Ok(row.ended(EndReason::LineLimit)));
        }
        if config.limits.pieces.is_some_and(|limit| row.pieces >= limit) {
            return Ok(Ok(row.ended(EndReason::PieceLimit)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::kernels::Level;
    use crate::queue::QueueKind;
    use crate::rules::Rules;
    use crate::sim::Limits;

    fn config(queue: QueueKind, rules: Rules) -> RunConfig {
        RunConfig {
            controller: Controller::load("bcts").unwrap(),
            rules,
            size: "10x20".parse().unwrap(),
            start: None,
            queue,
            search: Search::Greedy,
            games: 1,
            limits: Limits::default(),
            seed: 1,
            threads: 1,
            level: Level::detect(),
        }
    }

    fn play(config: &RunConfig) -> GameRow {
        let mut player =
            Player::new(&config.controller, config.rules, config.search, config.size, config.level)
                .unwrap();
        let go = AtomicBool::new(false);
        play_game(config, &mut player, 0, &go, |_| Ok(())).unwrap().unwrap()
    }

    /// Five O side by side fill two rows; ten of them leave the board empty.
    #[test]
    fn ten_squares_clear_four_lines() {
        let script = QueueKind::script("OOOOOOOOOO", false).unwrap();
        let limits = Limits { pieces: Some(10), lines: None };
        let row = play(&RunConfig { limits, ..config(script, Rules::simplified()) });
        assert_eq!((row.pieces, row.lines, row.clears), (10, 4, [0, 2, 0, 0]));
        assert_eq!((row.end_reason, row.height_max), (EndReason::PieceLimit, 2));
        assert!(row.end_reason.is_censored());
        assert_eq!(row.pieces_of[Piece::O.index()], 10);
    }

    #[test]
    fn a_line_limit_censors() {
        let limits = Limits { pieces: None, lines: Some(3) };
        let squares = QueueKind::script("O", true).unwrap();
        let row = play(&RunConfig { limits, ..config(squares, Rules::simplified()) });
        assert_eq!((row.lines, row.end_reason), (4, EndReason::LineLimit));
    }

    /// S and Z alone end every game, by overflow here and by a blocked spawn there.
    #[test]
    fn the_adversary_ends_the_game_under_both_rules() {
        let row = play(&config(QueueKind::SandZ, Rules::simplified()));
        assert_eq!(row.end_reason, EndReason::TopOut);
        assert!(row.lines > 0 && row.height_max > 20);
        let row = play(&config(QueueKind::SandZ, Rules::standard()));
        assert_eq!(row.end_reason, EndReason::SpawnBlocked);
        assert!(row.height_max <= 20);
    }

    #[test]
    fn a_stopped_game_has_no_result() {
        let config = config(QueueKind::Uniform, Rules::simplified());
        let mut player =
            Player::new(&config.controller, config.rules, config.search, config.size, config.level)
                .unwrap();
        let stop = AtomicBool::new(true);
        assert_eq!(play_game(&config, &mut player, 0, &stop, |_| Ok(())).unwrap(), Err(Stopped));
    }
}
