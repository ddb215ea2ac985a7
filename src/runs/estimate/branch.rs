//! A game that can branch.

use crate::board::Board;
use crate::error::Result;
use crate::placement::Step;
use crate::queue::Queue;
use crate::rng::{Purpose, Stream};
use crate::search::{Player, Search};
use crate::sim::RunConfig;

/// All that the future of a game depends on: the board, and of the queue the pieces that were seen, the
/// rest of a bag, or the counts of pieces dealt. The board's rows lie in one cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Branch {
    pub(super) board: Board,
    queue: Queue,
}

impl Branch {
    /// Game `index` before its first piece.
    pub(super) fn game(config: &RunConfig, seed: u64, index: u64) -> Branch {
        let queue = Queue::new(config.queue.clone(), seed, index);
        Branch { board: config.start_board(), queue }
    }

    /// The same game with a future of its own.
    pub(super) fn fork(&self, seed: u64, index: u64) -> Branch {
        let mut fork = self.clone();
        fork.queue.branch(Stream::new(seed, Purpose::Branches, index));
        fork
    }

    /// Places one piece. A piece that cannot enter ends the game, too.
    pub(super) fn step(&mut self, player: &mut Player, search: Search) -> Result<Step> {
        let piece = self.queue.deal()?;
        let next = if search == Search::Next { self.queue.peek(0) } else { None };
        let step = player.step(&mut self.board, piece, next);
        Ok(step.unwrap_or(Step { lines: 0, stack: self.board.stack_height() as u8, lost: true }))
    }
}
