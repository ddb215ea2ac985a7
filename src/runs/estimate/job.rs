//! Plays the replications of an estimate as the work items of a job, until the stop rule is met.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    EstimateConfig, EstimateMethod, EstimateResults, EstimateSummary, Levels, Replication,
    ReplicationSetup, height_rows, level_rows, place_levels, replicate, replication_row,
};
use crate::engine::{Described, Job, Manifest, NotResumable, WorkerContext};
use crate::error::Result;
use crate::record::{
    Kind, LogFormat, Rows, RunFolder, Status, TableSpec, checkpoint_state, columns, exists,
    has_checkpoint, height_fields, level_fields, read_manifest, replication_fields, rows_of,
};
use crate::rng::{Purpose, stream_seed};
use crate::sim::Game;

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

/// An estimate whose splitting levels are chosen. Each replication is one work item. The stop rule
/// is checked after each replication, in the order of their numbers, so the result does not depend
/// on the number of threads.
#[derive(Clone, Debug)]
pub struct Estimate<G> {
    /// Game, pilot and stop rule.
    pub config: EstimateConfig<G>,
    /// Methods that a report shows.
    pub method: EstimateMethod,
    /// Levels of importance at which games split into copies.
    pub levels: Levels,
    /// Progress, for a display.
    pub watch: Arc<EstimateWatch>,
}

/// Replications of an estimate, in the order of their numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Replications {
    /// The replications.
    pub replications: Vec<Replication>,
}

/// Returns the levels recorded in `folder` by an estimate that was begun there, or `None` if the
/// folder holds no estimate.
///
/// # Errors
/// [`crate::error::Error::Config`] if the checkpoint is damaged or from another version,
/// [`crate::error::Error::Io`] if it can't be read.
pub fn recorded_levels(folder: &Path) -> Result<Option<Levels>> {
    let manifest = folder.join("run.json");
    let begun = match has_checkpoint(folder)? {
        true => checkpoint_state(folder)?,
        false if exists(&manifest)? => read_manifest(&manifest)?,
        false => return Ok(None),
    };
    Ok(Levels::deserialize(&begun["config"][ESTIMATE]["levels"]).ok())
}

/// Key of the estimate's own settings in its configuration, beside those of the game.
pub const ESTIMATE: &str = "estimate";

impl<G: Game> Estimate<G> {
    /// Plays replication number `index`. The result depends only on the configuration, the levels
    /// and `index`. From time to time, `look` receives the number of pieces placed since its last
    /// call. If `look` returns true, the replication stops and the result is `None`.
    ///
    /// # Errors
    /// The errors of [`replicate`].
    pub fn replicate(
        &self,
        player: &mut G::Player,
        index: u64,
        look: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Replication>> {
        let seed = stream_seed(self.config.run.plan().seed, Purpose::Replications, index);
        replicate(&ReplicationSetup::of(&self.config, &self.levels), player, seed, look)
    }

    /// Returns the result and the rows of replication number `index` in the form in which
    /// [`Job::play`] returns them.
    #[must_use]
    pub fn ended(&self, index: u64, found: Replication) -> (Replication, Vec<Rows>) {
        let row = replication_row(index, &found, &self.levels);
        let rows = rows_of(&replication_fields(), &[row]);
        (found, vec![rows, Rows::default(), Rows::default()])
    }

    /// Returns true if `replications`, the first ones in order, meet the stop rule.
    #[must_use]
    pub fn is_enough(&self, replications: &[Replication]) -> bool {
        self.config.stop.is_met(replications, &self.levels, self.config.splits)
    }

    fn see(&self, count: &Replications) {
        if let Ok(mut results) = self.watch.results.lock() {
            *results =
                Some(EstimateResults::of(&count.replications, &self.levels, self.config.splits));
        }
    }
}

impl<G: Game> Described for Estimate<G> {
    const KIND: Kind = Kind::Estimate;

    type Entry = Value;
    type Totals = Value;
    type Summary = EstimateSummary;

    fn describe(manifest: &Manifest<Estimate<G>>) -> [String; 3] {
        let Manifest { config, summary, status, .. } = manifest;
        let name = config["controller"]["name"].as_str().unwrap_or("a controller");
        let replications = summary.as_ref().map_or(0, |summary| summary.results.replications);
        let seed = config["seed"].as_str().unwrap_or_default();
        let mut text = format!(
            "Mean lines per game of {name}, estimated from {replications} replications. `run.json` \
             has the whole configuration, the methods and the results."
        );
        if *status != Status::Complete {
            text += " The estimate is incomplete: its stop rule is not met.";
        }
        [
            format!("tetrastat-estimate-{replications}-replications-{seed}"),
            format!("Estimated mean lines per game of {name}"),
            text,
        ]
    }
}

impl<G: Game> Job for Estimate<G> {
    const OF: &'static str = "an estimate";
    const NAME: &'static str = G::NAME;
    const HAS_FORCE: bool = false;
    const IS_EXTENDABLE: bool = true;

    type Player = G::Player;
    type ItemResult = Replication;
    type Resumable = NotResumable;
    type Count = Replications;

    fn check(&self) -> Result<()> {
        self.config.validate()
    }

    fn entry(&self) -> Value {
        let EstimateConfig { run, splits, importance, pieces, burn_in, pilot, .. } = &self.config;
        let mut entry = json!(run);
        entry[ESTIMATE] = json!({
            "splits": splits,
            "importance": importance,
            "pieces": pieces,
            "burn_in": burn_in,
            "pilot": pilot,
            "levels": self.levels,
        });
        entry
    }

    fn tables(&self) -> Vec<TableSpec> {
        [
            ("replications", columns(&replication_fields())),
            ("levels", columns(&level_fields())),
            ("heights", columns(&height_fields())),
        ]
        .map(|(name, columns)| TableSpec::new(name, LogFormat::Csv, columns))
        .into()
    }

    fn threads(&self) -> usize {
        self.config.run.plan().threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.config.run.plan().checkpoint_every
    }

    fn level(&self) -> Option<String> {
        self.config.run.plan().level.map(|level| level.to_string())
    }

    fn work_items(&self) -> Range<u64> {
        0..u64::MAX
    }

    fn number_of(open: &NotResumable) -> u64 {
        match *open {}
    }

    fn player(&self) -> Result<G::Player> {
        self.config.run.player()
    }

    fn play(
        &self,
        player: &mut G::Player,
        item: u64,
        _: Option<NotResumable>,
        context: &WorkerContext<Estimate<G>>,
    ) -> Result<Option<(Replication, Vec<Rows>)>> {
        let look = |placed| {
            self.watch.pieces.fetch_add(placed, Ordering::Relaxed);
            context.is_halted()
        };
        let found = self.replicate(player, item, &look)?;
        Ok(found.map(|found| self.ended(item, found)))
    }

    fn restore_count(&self, kept: Replications, _: &RunFolder) -> Result<Replications> {
        self.see(&kept);
        Ok(kept)
    }

    fn take(
        &self,
        count: &mut Replications,
        _: u64,
        found: Replication,
        _: &mut Vec<Rows>,
    ) -> bool {
        count.replications.push(found);
        self.see(count);
        !self.is_enough(&count.replications)
    }

    fn is_complete(&self, _: u64, count: &Replications) -> bool {
        self.is_enough(&count.replications)
    }

    fn last_rows(&self, count: &Replications) -> Vec<Rows> {
        let [rows, highest] = self.config.run.heights();
        let levels = level_rows(&count.replications, &self.levels);
        let heights = height_rows(&count.replications, rows, highest);
        vec![
            Rows::default(),
            rows_of(&level_fields(), &levels),
            rows_of(&height_fields(), &heights),
        ]
    }

    fn totals(_: &Replications) -> Value {
        json!({})
    }

    fn summary(&self, count: &Replications) -> Option<EstimateSummary> {
        let replications = &count.replications;
        (!replications.is_empty()).then(|| EstimateSummary::of(self, replications))
    }
}
