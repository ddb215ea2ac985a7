//! One game from its first piece to its end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Limits, RunConfig};
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::queue::Queue;
use crate::record::{EndReason, GameRow};
use crate::rules::Step;
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

/// Looks on while a game is played. What it does not want to see is played faster.
pub trait Recorder {
    /// Whether it wants to see the placement of this number.
    fn wants(&self, piece_no: u64) -> bool;
    /// Sees a placement.
    fn see(&mut self, turn: &Turn);
    /// Hears what the game has come to, after each placement.
    fn tell(&mut self, _row: &GameRow) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl Recorder for Unrecorded {
    fn wants(&self, _: u64) -> bool {
        false
    }

    fn see(&mut self, _: &Turn) {}
}

/// A board whose rows lie in one cache line.
#[repr(C, align(64))]
struct Aligned(Board);

/// Plays game `index` of a run while `recorder` looks on, to its end or until `stop` is raised.
///
/// # Errors
/// [`crate::error::Error::ScriptEnded`].
pub fn play_game(
    config: &RunConfig,
    player: &mut Player,
    index: u64,
    stop: &AtomicBool,
    recorder: &mut impl Recorder,
) -> Result<GameRow> {
    let mut queue = Queue::new(config.queue.clone(), config.seed, index);
    let Aligned(board) = &mut Aligned(config.start_board());
    let mut row = GameRow::new(index, config.seed);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(row.ended(EndReason::Interrupted));
        }
        let piece = queue.deal()?;
        let next = if config.search == Search::Next { queue.peek(0) } else { None };
        let step = if recorder.wants(row.pieces + 1) {
            let decision = player.decide(board, piece, next);
            if let Some(decision) = &decision {
                *board = decision.outcome.after;
                recorder.see(&Turn {
                    game: index,
                    piece_no: row.pieces + 1,
                    piece,
                    next,
                    lines_total: row.lines + u64::from(decision.outcome.played.lines),
                    decision,
                    measured: player.measured_board(&decision.outcome),
                });
            }
            decision.as_ref().map(Decision::step)
        } else {
            player.step(board, piece, next)
        };
        let Some(step) = step else {
            return Ok(row.ended(EndReason::SpawnBlocked));
        };
        row.place(piece, u64::from(step.lines), usize::from(step.stack));
        recorder.tell(&row);
        if let Some(reason) = end(step, &row, &config.limits) {
            return Ok(row.ended(reason));
        }
    }
}

fn end(step: Step, row: &GameRow, limits: &Limits) -> Option<EndReason> {
    let reached = |limit: Option<u64>, count| limit.is_some_and(|limit| count >= limit);
    match () {
        () if step.lost => Some(EndReason::TopOut),
        () if reached(limits.lines, row.lines) => Some(EndReason::LineLimit),
        () if reached(limits.pieces, row.pieces) => Some(EndReason::PieceLimit),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::kernels::Level;
    use crate::queue::QueueKind;
    use crate::rules::Rules;

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
        play_game(config, &mut player, 0, &go, &mut Unrecorded).unwrap()
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
    fn a_stopped_game_is_censored() {
        let config = config(QueueKind::Uniform, Rules::simplified());
        let mut player =
            Player::new(&config.controller, config.rules, config.search, config.size, config.level)
                .unwrap();
        let stop = AtomicBool::new(true);
        let row = play_game(&config, &mut player, 0, &stop, &mut Unrecorded).unwrap();
        assert_eq!((row.pieces, row.end_reason), (0, EndReason::Interrupted));
        assert!(row.lifetime().censored);
    }
}
