//! Builds the log rows of a classic game during play and sends them to the writer.

use std::slice;
use std::time::{Duration, Instant};

use super::sample::Sample;
use super::{ClassicGames, Recorder, Snapshot};
use crate::engine::WorkerContext;
use crate::error::{Error, Result};
use crate::kernels::Level;
use crate::record::{
    Considered, Field, GameRow, Logs, PlacementRecord, RowBuilder, Rows, Selection, games_fields,
    rows_of,
};
use crate::search::Player;

/// Builders of the table rows of one worker thread.
pub struct RowBuilders {
    games: Vec<Field<GameRow>>,
    placements: Option<RowBuilder<PlacementRecord>>,
    /// Builder of the candidates' rows, with a separate player that ranks candidates. The playing
    /// one is therefore not disturbed.
    candidates: Option<(Player, RowBuilder<Considered>)>,
}

impl RowBuilders {
    /// Creates builders that contain no rows; `ranker` creates the player that ranks candidates.
    pub(super) fn new(
        logs: &Logs,
        level: Level,
        ranker: impl Fn() -> Result<Player>,
    ) -> Result<RowBuilders> {
        let candidates = logs
            .candidates
            .as_ref()
            .map(|encoder| Ok::<_, Error>((ranker()?, encoder.rows(level))));
        Ok(RowBuilders {
            games: games_fields(),
            placements: logs.placements.as_ref().map(|encoder| encoder.rows(level)),
            candidates: candidates.transpose()?,
        })
    }

    /// Returns the rows at the end of a game, one [`Rows`] per table: the game's own row, then the
    /// log rows not yet taken.
    pub(super) fn take(&mut self, row: &GameRow) -> Vec<Rows> {
        [rows_of(&self.games, slice::from_ref(row))].into_iter().chain(self.logged()).collect()
    }

    /// Returns the log rows built so far and removes them: those of placements, then those of
    /// candidates.
    fn logged(&mut self) -> impl Iterator<Item = Rows> {
        let placements = self.placements.as_mut().map(RowBuilder::take);
        let candidates = self.candidates.as_mut().map(|(_, rows)| rows.take());
        [placements, candidates].into_iter().flatten()
    }
}

pub(super) struct GameLog<'a, 'b> {
    pub(super) context: &'a WorkerContext<'b, ClassicGames>,
    pub(super) builders: &'a mut RowBuilders,
    /// Selection of the placements to log; `None` if no placement of this game is logged.
    pub(super) selection: Option<Selection>,
    /// Numbers of pieces and of lines of this game that were already added to the run's totals.
    pub(super) reported: (u64, u64),
    pub(super) reports: bool,
    /// Time at which the state of the game was last sent for a checkpoint.
    pub(super) saved_at: Instant,
    pub(super) every: Duration,
    pub(super) sample: Option<Sample>,
}

impl Recorder for GameLog<'_, '_> {
    fn wants(&self, piece_no: u64) -> bool {
        self.logs(piece_no) || self.sample.as_ref().is_some_and(|sample| sample.wants(piece_no))
    }

    fn see(&mut self, placement: &PlacementRecord) {
        if let Some(sample) = &mut self.sample {
            sample.offer(placement);
        }
        if self.logs(placement.piece_no) {
            self.log(placement);
        }
    }

    fn look(&mut self, game: &Snapshot) {
        if self.reports {
            self.tally(&game.row);
        }
        // The state of a logged game is not sent for a checkpoint, because earlier rows would be
        // missing. A resumed run plays the game again from the beginning.
        if self.selection.is_none() && self.reports && self.saved_at.elapsed() >= self.every {
            self.saved_at = Instant::now();
            self.context.open(game.clone());
        }
    }
}

impl GameLog<'_, '_> {
    fn logs(&self, piece_no: u64) -> bool {
        self.selection.is_some_and(|selection| selection.keeps(piece_no))
    }

    /// Builds the row of a placement, and the rows of its candidates if they are logged. Full
    /// blocks of rows are sent to the writer.
    fn log(&mut self, placement: &PlacementRecord) {
        let RowBuilders { placements, candidates, .. } = &mut *self.builders;
        let mut full = false;
        if let Some((ranker, rows)) = candidates {
            let ranked = ranker.rank(&placement.before, placement.piece, placement.next);
            Considered::of(placement, ranked).for_each(|row| rows.push(row));
            full = rows.is_full();
        }
        if let Some(rows) = placements {
            rows.push(*placement);
            full |= rows.is_full();
        }
        if full {
            // Index 0 is the table of games, which gets its row when the game has ended.
            for (place, rows) in self.builders.logged().enumerate() {
                self.context.rows(place + 1, rows);
            }
        }
    }

    /// Adds the pieces and lines played since the last call to the run's totals. `row` is the
    /// result of the game so far.
    pub(super) fn tally(&mut self, row: &GameRow) {
        self.context.totals().add(0, row.pieces - self.reported.0, row.lines - self.reported.1);
        self.reported = (row.pieces, row.lines);
    }
}
