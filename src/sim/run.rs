//! The worker threads of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::sample::{Sample, Shown};
use super::{Recorder, RunConfig, Turn, play_game};
use crate::error::{Error, Result};
use crate::record::{GameRow, PlacementEncoder};
use crate::search::Player;

/// Bytes of placement rows that a worker collects before it hands them over.
const CHUNK_BYTES: usize = 1 << 18;
/// Events that may wait for the writer before workers wait in turn.
const WAITING_EVENTS: usize = 64;
/// Turns after which a worker adds to the running totals.
const TALLY_EVERY: u64 = 1024;

/// What workers tell the writer.
#[derive(Debug)]
pub enum Event {
    /// Encoded placement rows of a game in play.
    Rows {
        /// Which game.
        game: u64,
        /// Its rows since the last event.
        bytes: Vec<u8>,
        /// How many they are.
        rows: u64,
    },
    /// Some placements of the first game, for a person to see.
    Sample(Vec<Shown>),
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

/// Plays all games of a run. Games start in order of their index and end in any order; `write` is
/// called on this thread with their events. Up to `sample` placements of the first game come as
/// one event. When `stop` is raised, games in play end as interrupted.
///
/// # Errors
/// The first error of a worker or of `write`; `stop` is raised then.
pub fn run(
    config: &RunConfig,
    encoder: Option<&PlacementEncoder>,
    sample: usize,
    totals: &Totals,
    stop: &AtomicBool,
    mut write: impl FnMut(Event) -> Result<()>,
) -> Result<()> {
    config.validate()?;
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(config.threads).build().map_err(|error| {
            Error::Config(format!("starting threads: {error}; try fewer --threads"))
        })?;
    let fail = || stop.store(true, Ordering::Relaxed);
    let next_game = AtomicU64::new(0);
    let (sender, receiver): (_, Receiver<Event>) = sync_channel(WAITING_EVENTS);
    std::thread::scope(|scope| {
        let workers = scope.spawn(|| {
            let sender = sender;
            let results = pool.broadcast(|_| {
                let worker =
                    Worker { config, encoder, sample, totals, halt: stop, sender: sender.clone() };
                worker.play_games(&next_game).inspect_err(|_| fail())
            });
            results.into_iter().collect::<Result<Vec<()>>>()
        });
        let mut written = Ok(());
        for event in receiver {
            if written.is_ok() {
                written = write(event).inspect_err(|_| fail());
            }
        }
        let played = workers.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(played.map(|_| ()))
    })
}

struct Worker<'a> {
    config: &'a RunConfig,
    encoder: Option<&'a PlacementEncoder>,
    sample: usize,
    totals: &'a Totals,
    halt: &'a AtomicBool,
    sender: SyncSender<Event>,
}

impl Worker<'_> {
    fn play_games(&self, next_game: &AtomicU64) -> Result<()> {
        let config = self.config;
        let mut player = Player::new(
            &config.controller,
            config.rules,
            config.search,
            config.size,
            config.level,
        )?;
        loop {
            let game = next_game.fetch_add(1, Ordering::Relaxed);
            if game >= config.games || self.halt.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.play(&mut player, game)?;
        }
    }

    fn play(&self, player: &mut Player, game: u64) -> Result<()> {
        let mut log = GameLog {
            worker: self,
            game,
            bytes: Vec::new(),
            rows: 0,
            told: (0, 0),
            sample: (game == 0).then(|| Sample::new(self.sample)),
        };
        let row = play_game(self.config, player, game, self.halt, &mut log)?;
        log.tally(&row);
        log.send_rows();
        if let Some(sample) = log.sample {
            self.send(Event::Sample(sample.shown()));
        }
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
struct GameLog<'a> {
    worker: &'a Worker<'a>,
    game: u64,
    bytes: Vec<u8>,
    rows: u64,
    /// Pieces and lines that the totals know of.
    told: (u64, u64),
    /// Of the first game.
    sample: Option<Sample>,
}

impl Recorder for GameLog<'_> {
    fn wants(&self, piece_no: u64) -> bool {
        self.logs(piece_no) || self.shows(piece_no)
    }

    fn see(&mut self, turn: Turn) {
        if let Some(sample) = &mut self.sample {
            sample.offer(&turn);
        }
        if let Some(encoder) = self.worker.encoder
            && self.logs(turn.piece_no)
        {
            encoder.encode(turn, &mut self.bytes);
            self.rows += 1;
            if self.bytes.len() >= CHUNK_BYTES {
                self.send_rows();
            }
        }
    }

    fn tell(&mut self, row: &GameRow) {
        if row.pieces.is_multiple_of(TALLY_EVERY) {
            self.tally(row);
        }
    }
}

impl GameLog<'_> {
    fn logs(&self, piece_no: u64) -> bool {
        self.worker.encoder.is_some_and(|encoder| encoder.keeps(piece_no))
    }

    fn shows(&self, piece_no: u64) -> bool {
        self.sample.as_ref().is_some_and(|sample| sample.wants(piece_no))
    }

    fn tally(&mut self, row: &GameRow) {
        let totals = self.worker.totals;
        totals.pieces.fetch_add(row.pieces - self.told.0, Ordering::Relaxed);
        totals.lines.fetch_add(row.lines - self.told.1, Ordering::Relaxed);
        self.told = (row.pieces, row.lines);
    }

    fn send_rows(&mut self) {
        if let Some(encoder) = self.worker.encoder
            && self.rows > 0
        {
            let bytes = encoder.format().pack(std::mem::take(&mut self.bytes));
            let rows = std::mem::take(&mut self.rows);
            self.worker.send(Event::Rows { game: self.game, bytes, rows });
        }
    }
}
