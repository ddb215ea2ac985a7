//! The worker threads of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::sample::{Sample, Shown};
use super::{Recorder, RunConfig, Snapshot, Start, play_game};
use crate::error::Result;
use crate::record::{
    CandidateEncoder, Considered, GameRow, LogTable, Logs, PlacementEncoder, RowBuilder, Rows,
    Selection, Sight, Turn,
};
use crate::search::Player;
use crate::threads::share;

/// Events that may wait for the writer before workers wait in turn.
const WAITING_EVENTS: usize = 64;

/// What workers tell the writer.
#[derive(Debug)]
pub enum Event {
    /// Rows of a game in play.
    Rows {
        /// Of which table.
        table: LogTable,
        /// Which game.
        game: u64,
        /// Its rows since the last event.
        rows: Rows,
    },
    /// Some placements of the first game, for a person to see.
    Sample(Vec<Shown>),
    /// A game in play, now and then; not while placements are logged, whose rows it would lack.
    Snapshot(Box<Snapshot>),
    /// A game that ended or was interrupted; all its rows were sent before.
    Ended(Box<GameRow>),
}

/// Running totals over all workers, for progress displays.
#[derive(Debug, Default)]
pub struct Totals {
    /// Games ended.
    pub games: AtomicU64,
    /// Pieces placed.
    pub pieces: AtomicU64,
    /// Lines removed.
    pub lines: AtomicU64,
}

/// Plays all games of a run from where it begins. Games start in order of their index and end in any order; `write` is
/// called on this thread with their events. Up to `sample` placements of the first game come as
/// one event. When `stop` is raised, games in play end as interrupted.
///
/// # Errors
/// The first error of a worker or of `write`; `stop` is raised then.
pub fn run(
    config: &RunConfig,
    logs: &Logs,
    sample: usize,
    start: Start,
    totals: &Totals,
    stop: &AtomicBool,
    write: impl FnMut(Event) -> Result<()>,
) -> Result<()> {
    config.validate()?;
    let fail = || stop.store(true, Ordering::Relaxed);
    let next_game = AtomicU64::new(start.first);
    let start = &start;
    let work = |sender: &SyncSender<Event>| {
        Worker { config, logs, sample, start, totals, halt: stop, sender }.play_games(&next_game)
    };
    share(config.threads, WAITING_EVENTS, fail, work, write)
}

struct Worker<'a> {
    config: &'a RunConfig,
    logs: &'a Logs,
    sample: usize,
    start: &'a Start,
    totals: &'a Totals,
    halt: &'a AtomicBool,
    sender: &'a SyncSender<Event>,
}

impl Worker<'_> {
    fn player(&self) -> Result<Player> {
        let RunConfig { controller, rules, search, size, level, .. } = self.config;
        Player::new(controller, *rules, *search, *size, *level)
    }

    fn play_games(&self, next_game: &AtomicU64) -> Result<()> {
        let mut player = self.player()?;
        let mut building = self.building()?;
        loop {
            let game = next_game.fetch_add(1, Ordering::Relaxed);
            if game >= self.config.game_range().end || self.halt.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.play(&mut player, &mut building, game)?;
        }
    }

    fn building(&self) -> Result<Building<'_>> {
        let level = self.config.level;
        let candidates = self.logs.candidates.as_ref().map(|encoder| {
            let judge = self.player()?;
            Ok((encoder, judge, encoder.rows(level)))
        });
        Ok(Building {
            placements: self.logs.placements.as_ref().map(|encoder| encoder.rows(level)),
            candidates: candidates.transpose()?,
        })
    }

    fn play(&self, player: &mut Player, building: &mut Building, game: u64) -> Result<()> {
        let selection = &self.logs.selection;
        let logged = self.logs.any() && selection.keeps_game(self.config.seed, game);
        let mut log = GameLog {
            worker: self,
            building,
            game,
            selection: (logged && selection.only_last.is_none()).then_some(*selection),
            told: (0, 0),
            tells: true,
            looked: Instant::now(),
            sample: (game == self.config.game_range().start).then(|| Sample::new(self.sample)),
        };
        let from = self.start.games.get(&game).cloned();
        let from = from.unwrap_or_else(|| Snapshot::first(self.config, game));
        let row = play_game(self.config, player, from, self.halt, &mut log)?;
        log.tally(&row);
        if let Some(sample) = log.sample.take() {
            self.send(Event::Sample(sample.shown()));
        }
        if logged && selection.only_last.is_some() {
            // The same seed plays the same game, so its last placements are found by playing again.
            log.selection = Some(selection.of_game(row.pieces));
            log.tells = false;
            let again = Snapshot::first(self.config, game);
            play_game(self.config, player, again, self.halt, &mut log)?;
        }
        log.send_rows();
        self.totals.games.fetch_add(1, Ordering::Relaxed);
        self.send(Event::Ended(Box::new(row)));
        Ok(())
    }

    /// A writer that has gone away has raised `stop`; there is nothing left to tell it.
    fn send(&self, event: Event) {
        let _ = self.sender.send(event);
    }
}

/// What a worker keeps of the game it plays.
struct GameLog<'a, 'b> {
    worker: &'a Worker<'a>,
    building: &'a mut Building<'b>,
    game: u64,
    /// Which placements are logged, if any of this game.
    selection: Option<Selection>,
    /// Pieces and lines that the totals know of.
    told: (u64, u64),
    /// Whether the totals are told.
    tells: bool,
    /// When the last snapshot was sent.
    looked: Instant,
    /// Of the first game.
    sample: Option<Sample>,
}

/// The rows that a worker makes.
struct Building<'a> {
    placements: Option<RowBuilder<Sight>>,
    /// With one who ranks candidates, so that the one who plays is not disturbed.
    candidates: Option<(&'a CandidateEncoder, Player, RowBuilder<Considered>)>,
}

impl Recorder for GameLog<'_, '_> {
    fn wants(&self, piece_no: u64) -> bool {
        self.logs(piece_no) || self.sample.as_ref().is_some_and(|sample| sample.wants(piece_no))
    }

    fn see(&mut self, turn: &Turn) {
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
        if self.selection.is_none()
            && self.tells
            && self.looked.elapsed() >= self.worker.config.checkpoint_every
        {
            self.looked = Instant::now();
            self.worker.send(Event::Snapshot(Box::new(game.clone())));
        }
    }
}

impl GameLog<'_, '_> {
    fn logs(&self, piece_no: u64) -> bool {
        self.selection.is_some_and(|selection| selection.keeps(piece_no))
    }

    fn log(&mut self, turn: &Turn) {
        let Building { placements, candidates } = &mut *self.building;
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
            self.send_rows();
        }
    }

    fn tally(&mut self, row: &GameRow) {
        let totals = self.worker.totals;
        totals.pieces.fetch_add(row.pieces - self.told.0, Ordering::Relaxed);
        totals.lines.fetch_add(row.lines - self.told.1, Ordering::Relaxed);
        self.told = (row.pieces, row.lines);
    }

    fn send_rows(&mut self) {
        let Building { placements, candidates } = &mut *self.building;
        let placements = placements.as_mut().map(RowBuilder::take);
        let candidates = candidates.as_mut().map(|(_, _, rows)| rows.take());
        let tables = [(LogTable::Placements, placements), (LogTable::Candidates, candidates)];
        for (table, rows) in tables {
            if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
                self.worker.send(Event::Rows { table, game: self.game, rows });
            }
        }
    }
}
