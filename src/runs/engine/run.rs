//! The units of a run on all cores, into a folder.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Instant, SystemTime};

use super::{Checkpoint, Game, Manifest};
use crate::error::Result;
use crate::record::{
    FinishedTables, OpenTables, ResumePoint, Rows, RunFolder, Standings, Status, VERSION, publish,
    settings,
};
use crate::threads::share;

/// Units that may wait for the writer before workers wait in turn.
const WAITING: usize = 64;

/// What a run came to.
#[derive(Debug)]
pub struct Played<G: Game> {
    /// What its units came to.
    pub count: G::Count,
    /// `run.json` as written.
    pub manifest: Manifest<G>,
}

/// Plays a run into a folder, or goes on with it from a checkpoint there. `played` counts for eyes; when `stop`
/// is raised, the units that have ended are kept, and so they are after an error. A folder in which nothing would
/// be kept is taken back.
///
/// # Errors
/// [`crate::error::Error::Config`] when the configuration makes no sense or the checkpoint is of another run;
/// otherwise the error that ended the run before any unit was kept.
pub fn play<G: Game>(
    game: &G,
    folder: RunFolder,
    from: Option<&Checkpoint<G>>,
    played: &AtomicU64,
    stop: &AtomicBool,
) -> Result<Played<G>> {
    let started = (SystemTime::now(), Instant::now());
    let mut writer = match Writer::begin(game, &folder, from) {
        Ok(writer) => writer,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    game.show(&writer.count, writer.first, played);
    let ended = units(game, writer.first, played, stop, |number, unit, rows| {
        writer.take(number, unit, rows)
    });
    let status = match ended {
        Err(error) if writer.taken == 0 => {
            drop(writer);
            folder.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if game.is_complete(&writer.count) => Status::Complete,
        Ok(()) => Status::Interrupted,
    };
    writer.finish(started, status)
}

/// A unit with its number and rows.
type Ended<G> = (u64, <G as Game>::Unit, Vec<Rows>);

/// Plays the units from one on, and hands each that has ended on to `take` until it has enough: in order where the
/// game says so, else in the order of ending.
fn units<G: Game>(
    game: &G,
    first: u64,
    played: &AtomicU64,
    stop: &AtomicBool,
    mut take: impl FnMut(u64, G::Unit, Vec<Rows>) -> Result<bool>,
) -> Result<()> {
    let (next, enough) = (AtomicU64::new(first), AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    let halt = || enough.store(true, Ordering::Relaxed);
    let work = |sender: &SyncSender<Ended<G>>| {
        let mut player = game.player();
        while !halted() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= game.units().end {
                break;
            }
            let Some((unit, rows)) = game.play(&mut player, number, &halted) else { break };
            played.fetch_add(G::steps(&unit), Ordering::Relaxed);
            // A writer that has enough, or has failed, has gone away.
            let _ = sender.send((number, unit, rows));
        }
        Ok(())
    };
    let (mut waiting, mut expected, mut more) = (BTreeMap::new(), first, true);
    share(game.threads(), WAITING, halt, work, |(number, unit, rows)| {
        if !G::IN_ORDER {
            more = more && take(number, unit, rows)?;
        } else if more {
            waiting.insert(number, (unit, rows));
            while more && let Some((unit, rows)) = waiting.remove(&expected) {
                more = take(expected, unit, rows)?;
                expected += 1;
            }
        }
        if !more {
            halt();
            waiting.clear();
        }
        Ok(())
    })
}

/// A run on its way into its folder.
struct Writer<'a, G: Game> {
    game: &'a G,
    folder: &'a RunFolder,
    tables: OpenTables,
    /// The first unit to play.
    first: u64,
    /// The first unit that was not counted when the run went on.
    recalled: u64,
    /// Units in the count.
    taken: u64,
    count: G::Count,
    checkpointed: Instant,
    resumed: bool,
}

impl<'a, G: Game> Writer<'a, G> {
    fn begin(
        game: &'a G,
        folder: &'a RunFolder,
        from: Option<&Checkpoint<G>>,
    ) -> Result<Writer<'a, G>> {
        game.check()?;
        from.map_or(Ok(()), |from| from.fits(game))?;
        let standings = from.map(|from| Standings::of(folder, &from.tables)).transpose()?;
        let first = game.units().start;
        let tables =
            OpenTables::open(folder, game.tables(), game.threads(), standings.as_ref(), first)?;
        let count = game.count(from.map(|from| (&from.kept, folder)))?;
        let recalled = game.counted(&count);
        let mut writer = Writer {
            game,
            folder,
            tables,
            first: from.map_or(first, |from| from.first(recalled)),
            recalled,
            taken: recalled - first,
            count,
            checkpointed: Instant::now(),
            resumed: from.is_some(),
        };
        writer.write_checkpoint()?;
        Ok(writer)
    }

    /// Takes a unit; whether there is more to come. Of one that was counted before the checkpoint, only rows
    /// are missing.
    fn take(&mut self, number: u64, unit: G::Unit, mut rows: Vec<Rows>) -> Result<bool> {
        let mut more = true;
        if number >= self.recalled {
            more = self.game.take(&mut self.count, number, unit, &mut rows);
            self.taken += 1;
        }
        self.tables.add(number, rows)?;
        // A checkpoint never has a unit that was cut: what comes before it would not be known.
        if more && self.checkpointed.elapsed() >= self.game.checkpoint_every() {
            self.write_checkpoint()?;
        }
        Ok(more)
    }

    fn write_checkpoint(&mut self) -> Result<()> {
        let checkpoint = Checkpoint::<G> {
            version: VERSION.to_owned(),
            settings: settings(),
            config: self.game.entry(),
            kept: G::kept(&self.count),
            tables: self.tables.sync()?,
        };
        checkpoint.write(self.folder.path())?;
        self.checkpointed = Instant::now();
        Ok(())
    }

    /// Finishes the tables and writes `run.json`.
    fn finish(mut self, started: (SystemTime, Instant), mut status: Status) -> Result<Played<G>> {
        if status == Status::Interrupted {
            self.write_checkpoint()?;
        }
        let Writer { game, folder, tables, mut count, resumed, .. } = self;
        G::end(&mut count);
        let FinishedTables { files, problem, taken_back } = tables.finish(folder)?;
        if let (Some(problem), Status::Complete | Status::Interrupted) = (problem, &status) {
            status = Status::Failed(problem.to_string());
        }
        let mut manifest = Manifest::new(game, &count, status, started, resumed);
        manifest.files = files;
        publish(folder, &manifest, &manifest.described(), &manifest.files)?;
        let complete = manifest.status == Status::Complete;
        Checkpoint::<G>::settle(folder.path(), complete, &taken_back);
        Ok(Played { count, manifest })
    }
}
