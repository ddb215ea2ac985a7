//! What a worker keeps and hands over of the game it plays.

use std::time::{Duration, Instant};

use super::sample::Sample;
use super::{ClassicGames, Recorder, Snapshot};
use crate::engine::WorkerContext;
use crate::error::{Error, Result};
use crate::kernels::Level;
use crate::record::{
    CandidateEncoder, Considered, GameEncoder, GameRow, Logs, PlacedTurn, PlacementEncoder,
    RowBuilder, Rows, Selection, Sight,
};
use crate::search::Player;

/// The rows that a worker makes.
pub struct Building {
    games: GameEncoder,
    placements: Option<RowBuilder<Sight>>,
    /// With one who ranks candidates, so that the one who plays is not disturbed.
    candidates: Option<(CandidateEncoder, Player, RowBuilder<Considered>)>,
}

impl Building {
    /// No rows yet; `judge` makes one who ranks candidates.
    pub(super) fn new(
        logs: &Logs,
        level: Level,
        judge: impl Fn() -> Result<Player>,
    ) -> Result<Building> {
        let candidates = logs.candidates.as_ref().map(|encoder| {
            let judge = judge()?;
            Ok::<_, Error>((encoder.clone(), judge, encoder.rows(level)))
        });
        Ok(Building {
            games: GameEncoder::default(),
            placements: logs.placements.as_ref().map(|encoder| encoder.rows(level)),
            candidates: candidates.transpose()?,
        })
    }

    /// The last rows of a game, in the order of its run's tables.
    pub(super) fn take(&mut self, row: &GameRow) -> Vec<Rows> {
        [self.games.rows(row)].into_iter().chain(self.logged()).collect()
    }

    /// The rows of the logs, in the order of their tables.
    fn logged(&mut self) -> impl Iterator<Item = Rows> {
        let placements = self.placements.as_mut().map(RowBuilder::take);
        let candidates = self.candidates.as_mut().map(|(_, _, rows)| rows.take());
        [placements, candidates].into_iter().flatten()
    }
}

/// A game on its way into the tables.
pub(super) struct GameLog<'a, 'b> {
    pub(super) context: &'a WorkerContext<'b, ClassicGames>,
    pub(super) building: &'a mut Building,
    /// Which placements are logged, if any of this game.
    pub(super) selection: Option<Selection>,
    /// Pieces and lines that the totals know of.
    pub(super) told: (u64, u64),
    /// Whether the totals are told.
    pub(super) tells: bool,
    /// When the state was handed over last.
    pub(super) looked: Instant,
    /// Time between two of them.
    pub(super) every: Duration,
    /// Of the first game.
    pub(super) sample: Option<Sample>,
}

impl Recorder for GameLog<'_, '_> {
    fn wants(&self, piece_no: u64) -> bool {
        self.logs(piece_no) || self.sample.as_ref().is_some_and(|sample| sample.wants(piece_no))
    }

    fn see(&mut self, turn: &PlacedTurn) {
        if let Some(sample) = &mut self.sample {
            sample.offer(turn);
        }
        if self.logs(turn.piece_no) {
            self.log(turn);
        }
    }

    fn look(&mut self, game: &Snapshot) {
        if self.tells {
            self.tally(&game.row);
        }
        // Of a logged game no state is handed over, since rows before it would be missing: it is played again
        // from the beginning.
        if self.selection.is_none() && self.tells && self.looked.elapsed() >= self.every {
            self.looked = Instant::now();
            self.context.open(game.clone());
        }
    }
}

impl GameLog<'_, '_> {
    /// Whether the placement of this number is logged.
    fn logs(&self, piece_no: u64) -> bool {
        self.selection.is_some_and(|selection| selection.keeps(piece_no))
    }

    /// Turns a placement, and its candidates if they are logged, into rows.
    fn log(&mut self, turn: &PlacedTurn) {
        let Building { placements, candidates, .. } = &mut *self.building;
        let mut full = false;
        if let Some((encoder, judge, rows)) = candidates {
            let ranked = judge.rank(turn.board, turn.piece, turn.next);
            encoder.see(turn, &ranked, rows);
            full = rows.is_full();
        }
        if let Some(rows) = placements {
            PlacementEncoder::see(turn, rows);
            full |= rows.is_full();
        }
        if full {
            // The table of games is the first, and gets its row when the game has ended.
            for (place, rows) in self.building.logged().enumerate() {
                self.context.rows(place + 1, rows);
            }
        }
    }

    /// Tells the totals what was played since the last time.
    pub(super) fn tally(&mut self, row: &GameRow) {
        self.context.totals().add(0, row.pieces - self.told.0, row.lines - self.told.1);
        self.told = (row.pieces, row.lines);
    }
}
