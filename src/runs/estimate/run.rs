//! Plays replications (independent runs of the splitting estimator) on all cores, in order, until
//! the stop rule is met.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::{
    EstimateConfig, EstimateResults, Levels, Replication, ReplicationSetup, place_levels, replicate,
};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};
use crate::sim::Game;
use crate::threads::produce_and_consume;

/// Number of finished replications that may wait for the writer before workers have to wait.
const WAITING: usize = 16;

/// Progress of an estimate, for a display.
#[derive(Debug, Default)]
pub struct EstimateWatch {
    /// Name of the estimate in reports of its progress; empty if it is the only one.
    pub label: String,
    /// Results of the replications so far; `None` while the levels are being placed.
    pub results: Mutex<Option<EstimateResults>>,
    /// Number of pieces placed by this process, in the pilot and in all replications. The number is
    /// updated at intervals.
    pub pieces: AtomicU64,
    /// Number of the pilot's current round, from 1.
    pub round: AtomicU64,
}

impl EstimateWatch {
    fn see(&self, done: &[Replication], levels: &Levels) {
        if let Ok(mut results) = self.results.lock() {
            *results = Some(EstimateResults::of(done, levels));
        }
    }
}

/// Places the levels of an estimate. The result has no levels if `config` does not split games.
/// Returns `None` if `stop` is raised.
///
/// # Errors
/// The errors of [`place_levels`].
pub fn find_levels<G: Game>(
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

/// Plays the replications that follow those in `done` until the stop rule is met. Each is added to
/// `done` and passed to `keep`, in the order of indices. The rule is checked after each replication
/// in this order, so the result does not depend on the number of threads. If `stop` is raised,
/// unfinished replications are dropped.
///
/// # Errors
/// The first error of a worker or of `keep`.
pub fn run_replications<G: Game>(
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
    let halts = StopFlags { stop, halt: &halted };
    let work = |sender: &_| play(config, levels, &next, halts, watch, sender);
    let mut waiting = BTreeMap::new();
    produce_and_consume(config.run.plan().threads, WAITING, halt, work, |(index, found)| {
        // The replications are counted in the order of their indices, and later ones that are
        // already done are dropped. Otherwise the result would depend on the speed of threads.
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

/// Plays replication number `index` of an estimate. The result depends only on `config`, `levels`
/// and `index`. From time to time, `look` receives the number of pieces placed since its last call.
/// If `look` returns true, the replication stops and the result is `None`.
///
/// # Errors
/// The errors of [`replicate`].
pub fn replicate_at<G: Game>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    player: &mut G::Player,
    index: u64,
    look: &dyn Fn(u64) -> bool,
) -> Result<Option<Replication>> {
    let seed = stream_seed(config.run.plan().seed, Purpose::Replications, index);
    replicate(&ReplicationSetup::of(config, levels), player, seed, look)
}

/// Flags that end a replication early: `stop`, raised by the user, and `halt`, raised by the run
/// itself.
#[derive(Clone, Copy)]
struct StopFlags<'a> {
    stop: &'a AtomicBool,
    halt: &'a AtomicBool,
}

fn play<G: Game>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    next: &AtomicU64,
    halts: StopFlags,
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
        // Sending fails only if the receiver has ended, and then the run is over.
        let _ = sender.send((index, found));
    }
    Ok(())
}
