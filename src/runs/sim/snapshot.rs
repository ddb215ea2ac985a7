//! A game in play, complete enough to go on with.

use serde::{Deserialize, Serialize};

use super::ClassicConfig;
use crate::board::Board;
use crate::error::{Error, Result};
use crate::queue::{Queue, QueueKind};
use crate::record::GameRow;

/// A game between two pieces. Its board's rows lie in one cache line: worth about 2.5 % of greedy play.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Snapshot {
    /// The board.
    pub board: Board,
    /// The pieces to come.
    pub queue: Queue,
    /// What was played.
    pub row: GameRow,
    /// Number of the last I, if there was one.
    pub last_i: Option<u64>,
}

impl Snapshot {
    /// A game before its first piece.
    #[must_use]
    pub fn first(config: &ClassicConfig, game: u64) -> Snapshot {
        Snapshot {
            board: config.start_board(),
            queue: Queue::new(config.queue.clone(), config.seed, game),
            row: GameRow::new(game, config.seed),
            last_i: None,
        }
    }

    /// A snapshot that was stored without the kind of its queue.
    ///
    /// # Errors
    /// [`Error::Config`] when it is none of this run.
    pub fn restored(mut self, kind: &QueueKind, config: &ClassicConfig) -> Result<Snapshot> {
        let fits = self.board.validate().is_ok() && self.board.size() == config.size;
        if !fits || GameRow::new(self.row.game, config.seed).stream_seed != self.row.stream_seed {
            let text = "the checkpoint holds a game of another run: start the run anew";
            return Err(Error::Config(text.to_owned()));
        }
        self.queue.set_kind(kind.clone());
        Ok(self)
    }
}
