//! Draws garbage rows, at the start of a game and from below while it is played.

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardSize};
use crate::rng::{Purpose, Stream};

/// Settings of a game's garbage rows, which enter from below and are full but for one hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Garbage {
    /// Number of garbage rows on the board at the start of a game.
    #[serde(rename = "garbage")]
    pub rows: usize,
    /// Probability that a garbage row's hole is not in the column of the previous hole; `None`
    /// makes all columns equally likely.
    #[serde(rename = "garbage_messiness")]
    pub messiness: Option<f64>,
    /// Number of placed pieces after which one garbage row enters from below; `None` for no rows.
    #[serde(rename = "garbage_every")]
    pub every: Option<u32>,
}

/// The state of a game's garbage rows, which are the lowest rows of its board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarbageRows {
    stream: Stream,
    /// Column of the hole in the latest garbage row at the floor; `None` before the first garbage
    /// row.
    hole: Option<u32>,
    /// Number of garbage rows that have entered, including those at the start.
    entered: u32,
    left: u32,
    /// Number of pieces placed since a garbage row entered.
    pieces: u32,
}

impl Garbage {
    /// Returns true if games start with garbage rows or get them from below.
    #[must_use]
    pub fn has_rows(&self) -> bool {
        self.rows > 0 || self.every.is_some()
    }

    /// Returns the board at the start of game `game`, with its garbage rows, and the state of these
    /// rows.
    ///
    /// Garbage settings do not change the dealt pieces, which come from a separate random stream.
    #[must_use]
    pub fn begin(&self, size: BoardSize, run_seed: u64, game: u64) -> (Board, GarbageRows) {
        let stream = Stream::new(run_seed, Purpose::Garbage, game);
        let mut garbage = GarbageRows { stream, hole: None, entered: 0, left: 0, pieces: 0 };
        let mut board = Board::empty(size);
        // Holes are drawn from the floor up, so that a game with more garbage starts with the same
        // lowest rows. The first entering row follows the row at the floor.
        let mut lowest = None;
        for row in board.rows_mut().iter_mut().take(self.rows.min(size.height())) {
            *row = garbage.enter(self, size.width());
            lowest = lowest.or(garbage.hole);
        }
        garbage.hole = lowest;
        (board, garbage)
    }
}

impl GarbageRows {
    /// Returns the number of garbage rows still on the board.
    #[must_use]
    pub fn remaining(&self) -> u32 {
        self.left
    }

    /// Returns true if `rows` garbage rows or more have entered and none is left on the board.
    #[must_use]
    pub fn are_removed(&self, rows: u32) -> bool {
        self.left == 0 && self.entered >= rows
    }

    /// Returns how many of the removed rows (bit mask `removed`) are garbage. Garbage fills the
    /// lowest `remaining` rows of the board.
    #[must_use]
    pub fn count_removed(remaining: u32, removed: u32) -> u32 {
        let lowest = u32::MAX.checked_shl(remaining).map_or(u32::MAX, |above| !above);
        (removed & lowest).count_ones()
    }

    /// Counts a placement and inserts the garbage rows then due. Returns the number of removed
    /// garbage rows, and true if the game is lost.
    pub fn after_placement(
        &mut self,
        settings: &Garbage,
        race: Option<u32>,
        width: usize,
        (removed, mut lost): (u32, bool),
        mut lift: impl FnMut(u16) -> bool,
    ) -> (u32, bool) {
        // Bit r of `removed` is row r. `lift` puts a row below the board and returns false if that
        // ends the game. `race` is the number of rows in a cheese race.
        let cleared = GarbageRows::count_removed(self.left, removed);
        self.left -= cleared;
        self.pieces = self.pieces.saturating_add(1);
        let mut due = match (race, settings.every) {
            // A race adds rows up to the number at the start.
            (Some(rows), _) if removed == 0 => (settings.rows as u32)
                .saturating_sub(self.left)
                .min(rows.saturating_sub(self.entered)),
            (None, Some(every)) => u32::from(self.pieces >= every),
            _ => 0,
        };
        while due > 0 && !lost {
            due -= 1;
            self.pieces = 0;
            lost = !lift(self.enter(settings, width));
        }
        (cleared, lost)
    }

    fn enter(&mut self, settings: &Garbage, width: usize) -> u16 {
        let width = width as u32;
        let hole = match (self.hole, settings.messiness) {
            (Some(last), Some(messiness)) if self.stream.unit() < messiness => {
                let other = self.stream.below(width - 1);
                other + u32::from(other >= last)
            }
            (Some(last), Some(_)) => last.min(width - 1),
            _ => self.stream.below(width),
        };
        self.hole = Some(hole);
        self.entered = self.entered.saturating_add(1);
        self.left = self.left.saturating_add(1);
        (u16::MAX >> (16 - width)) & !(1 << hole)
    }
}
