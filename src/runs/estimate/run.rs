//! Replications on all cores, in order, until they are enough.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::{
    EstimateConfig, EstimateResults, Levels, Replication, ReplicationSetup, Splittable,
    place_levels, replicate,
};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};
use crate::threads::share;

/// Replications that may wait for the writer before workers wait in turn.
const WAITING: usize = 16;

/// What a progress display may look at.
#[derive(Debug, Default)]
pub struct EstimateWatch {
    /// What the replications so far say; nothing while levels are placed.
    pub results: Mutex<Option<EstimateResults>>,
    /// Pieces that were placed now, by all paths and those of the pilot, told now and then.
    pub pieces: AtomicU64,
    /// The pilot's round.
    pub round: AtomicU64,
}

impl EstimateWatch {
    fn see(&self, done: &[Replication], levels: &Levels) {
        if let Ok(mut results) = self.results.lock() {
            *results = Some(EstimateResults::of(done, levels));
        }
    }
}

/// Places the levels of an estimate; none when its paths do not split. `None` when `stop` is raised.
///
/// # Errors
/// As [`place_levels`].
pub fn find_levels<G: Splittable>(
    config: &EstimateConfig<G>,
    watch: &EstimateWatch,
    stop: &AtomicBool,
) -> Result<Option<Levels>> {
    let none = Levels::default();
    if !config.splits {
        return Ok(Some(none));
    }
    let (setup, mut player) = (ReplicationSetup::of(config, &none), config.run.player()?);
    let look = |placed: u64| {
        watch.pieces.fetch_add(placed, Ordering::Relaxed);
        stop.load(Ordering::Relaxed)
    };
    let begin = |round: u64| watch.round.store(round, Ordering::Relaxed);
    place_levels(&setup, &config.pilot, &mut player, &begin, &look)
}

/// Plays replications after those that are `done`, on `threads` of the configuration, until its stop rule is met by the
/// first so many of them, whatever the number of threads; `keep` is called with each in
/// order. When `stop` is raised, those in play are dropped.
///
/// # Errors
/// The first error of a worker or of `keep`.
pub fn run_replications<G: Splittable>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    done: &mut Vec<Replication>,
    watch: &EstimateWatch,
    stop: &AtomicBool,
    mut keep: impl FnMut(&Replication) -> Result<()>,
) -> Result<()> {
    watch.see(done, levels);
    let enough = |done: &[Replication]| config.stop.is_met(done, levels, config.splits);
    if enough(done) {
        return Ok(());
    }
    let halted = AtomicBool::new(false);
    let halt = || halted.store(true, Ordering::Relaxed);
    let next = AtomicU64::new(done.len() as u64);
    let halts = Halts { stop, halt: &halted };
    let work = |sender: &_| play(config, levels, &next, halts, watch, sender);
    let mut waiting = BTreeMap::new();
    share(config.run.threads(), WAITING, halt, work, |(index, found)| {
        // In the order of numbers, and stopped by the first so many that are enough: later ones that happen to
        // be done are dropped, or the result would depend on how fast threads are.
        waiting.insert(index, found);
        while !halted.load(Ordering::Relaxed) {
            let Some(found) = waiting.remove(&(done.len() as u64)) else { break };
            let kept = keep(&found);
            done.push(found);
            watch.see(done, levels);
            kept?;
            if enough(done) {
                halt();
            }
        }
        Ok(())
    })
}

/// Plays a replication by its number, on which and on the configuration alone it depends. Now and then `look` is told of
/// the pieces placed since it was told last; `None` when it says to stop.
///
/// # Errors
/// As [`replicate`].
pub fn replicate_at<G: Splittable>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    player: &mut G::Player,
    index: u64,
    look: &dyn Fn(u64) -> bool,
) -> Result<Option<Replication>> {
    let seed = stream_seed(config.run.seed(), Purpose::Replications, index);
    replicate(&ReplicationSetup::of(config, levels), player, seed, look)
}

/// The flags that end a replication: the user's and the run's own.
#[derive(Clone, Copy)]
struct Halts<'a> {
    stop: &'a AtomicBool,
    halt: &'a AtomicBool,
}

fn play<G: Splittable>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    next: &AtomicU64,
    halts: Halts,
    watch: &EstimateWatch,
    sender: &SyncSender<(u64, Replication)>,
) -> Result<()> {
    let mut player = config.run.player()?;
    let halted = || halts.stop.load(Ordering::Relaxed) || halts.halt.load(Ordering::Relaxed);
    let look = |placed: u64| {
        watch.pieces.fetch_add(placed, Ordering::Relaxed);
        halted()
    };
    while !halted() {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(found) = replicate_at(config, levels, &mut player, index, &look)? else { break };
        // A receiver that has gone away has halted the run.
        let _ = sender.send((index, found));
    }
    Ok(())
}
