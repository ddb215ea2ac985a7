//! Runs an estimate as a [`Job`] of the engine: each replication is a work item, until the stop
//! rule is met. Also computes the results of the replications so far, and their tables.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::{
    EstimateConfig, EstimateMethod, EstimateSummary, Extrapolation, Levels, Ratio, Replication,
    ReplicationSetup, fitted_heights, place_levels, replicate,
};
use crate::engine::{Described, Job, Manifest, NotResumable, WorkerContext};
use crate::prelude::*;
use crate::record::{
    HeightRow, LevelRow, ReplicationRow, checkpoint_state, columns, exists, has_checkpoint,
    height_fields, level_fields, read_manifest, replication_fields, rows_of,
};
use crate::rng::stream_seed;
use crate::sim::Game;
use crate::stats::{LEVEL, Mean, Method, exponential_mean};

/// Progress of an estimate of mean lines, shared with the progress display.
#[derive(Debug, Default)]
pub struct EstimateWatch {
    /// Name of the estimate in progress reports; empty if only one estimate runs.
    pub label: String,
    /// Results of the independent runs so far; `None` during the trial games before them.
    pub results: Mutex<Option<EstimateResults>>,
    /// Number of pieces placed by this process, in trial games and in all independent runs.
    pub pieces: AtomicU64,
    /// Current round, from 1, of the trial games that determine when games split into copies.
    pub round: AtomicU64,
}

/// Plays trial games to choose the levels at which games split into copies; `None` if stopped.
pub fn find_levels<G: Game>(
    config: &EstimateConfig<G>,
    watch: &EstimateWatch,
    stop: &AtomicBool,
) -> Result<Option<Levels>> {
    let none = Levels::default();
    if !config.splits {
        return Ok(Some(none));
    }
    let (setup, mut player) = (ReplicationSetup::for_estimate(config, &none), config.run.player()?);
    let on_pieces = |placed: u64| {
        watch.pieces.fetch_add(placed, Ordering::Relaxed);
        stop.load(Ordering::Relaxed)
    };
    let begin = |round: u64| watch.round.store(round, Ordering::Relaxed);
    place_levels(&setup, &config.pilot, &mut player, &begin, &on_pieces)
}

/// Estimate of the mean lines per game from independent runs, with splitting levels already chosen.
/// The number of threads does not change the result.
#[derive(Clone, Debug)]
pub struct Estimate<G> {
    /// Game, options of the splitting levels, and stop rule of the estimate.
    pub config: EstimateConfig<G>,
    /// Estimation methods whose results a report shows.
    pub method: EstimateMethod,
    /// Levels of importance (closeness to a game's end) at which games split into copies.
    pub levels: Levels,
    /// Progress of the estimate, shared with the progress display.
    pub watch: Arc<EstimateWatch>,
}

/// Replications (independent runs) of an estimate, ordered by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Replications {
    /// Counts of each replication (independent run), ordered by number.
    pub replications: Vec<Replication>,
}

/// Returns the splitting levels recorded in `folder` by an estimate begun earlier, if any.
pub fn recorded_levels(folder: &Path) -> Result<Option<Levels>> {
    let manifest = folder.join("run.json");
    let begun = match has_checkpoint(folder)? {
        true => checkpoint_state(folder)?,
        false if exists(&manifest)? => read_manifest(&manifest)?,
        false => return Ok(None),
    };
    Ok(Levels::deserialize(&begun["config"][ESTIMATE]["levels"]).ok())
}

/// JSON key of an estimate's own settings in a run's recorded configuration.
pub const ESTIMATE: &str = "estimate";

impl<G: Game> Estimate<G> {
    /// Plays the independent run number `index` of an estimate. Passes numbers of new pieces to
    /// `on_pieces`, and stops with `None` if `on_pieces` returns true.
    pub fn replicate(
        &self,
        player: &mut G::Player,
        index: u64,
        on_pieces: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Replication>> {
        let seed = stream_seed(self.config.run.plan().seed, Purpose::Replications, index);
        replicate(
            &ReplicationSetup::for_estimate(&self.config, &self.levels),
            player,
            seed,
            on_pieces,
        )
    }

    /// Returns a finished replication (independent run) with its rows for the output tables.
    #[must_use]
    pub fn ended(&self, index: u64, found: Replication) -> (Replication, Vec<Rows>) {
        let row = replication_row(index, &found, &self.levels);
        let rows = rows_of(&replication_fields(), &[row]);
        (found, vec![rows, Rows::default(), Rows::default()])
    }

    /// Returns true if the estimate's first `replications` (independent runs) meet its stop rule.
    #[must_use]
    pub fn is_enough(&self, replications: &[Replication]) -> bool {
        self.config.stop.is_met(replications, &self.levels, self.config.splits)
    }

    fn update_watch(&self, count: &Replications) {
        if let Ok(mut results) = self.watch.results.lock() {
            *results =
                Some(EstimateResults::new(&count.replications, &self.levels, self.config.splits));
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

    fn recorded_config(&self) -> Value {
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
        let on_pieces = |placed| {
            self.watch.pieces.fetch_add(placed, Ordering::Relaxed);
            context.is_halted()
        };
        let found = self.replicate(player, item, &on_pieces)?;
        Ok(found.map(|found| self.ended(item, found)))
    }

    fn restore_count(&self, kept: Replications, _: &RunFolder) -> Result<Replications> {
        self.update_watch(&kept);
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
        self.update_watch(count);
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
        (!replications.is_empty()).then(|| EstimateSummary::new(self, replications))
    }
}

/// Estimate of mean lines without splitting; the interval is exact for a constant risk per line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectEstimate {
    /// Number of lines removed by the original games, played one after another.
    pub lines: u64,
    /// Number of games that ended, not counting copies of split games.
    pub deaths: u64,
    /// Mean lines per game: `lines` divided by `deaths`, with its interval ([`exponential_mean`]).
    #[serde(flatten)]
    pub mean: Mean,
}

/// Estimate of the mean lines per game by multilevel splitting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Splitting {
    /// Estimated mean lines per game, with an interval from the variation between independent runs.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Number of original games and copies that ended.
    pub deaths: u64,
    /// Number of deadly excursions: stretches of a game near its end in which the game or a copy of
    /// it ended.
    pub deadly_excursions: u64,
    /// Effective number of game-ending stretches of play with weights w: (sum w)^2 / sum w^2.
    pub effective_excursions: f64,
    /// Number of pieces that play without splitting would need for the same relative error.
    pub direct_pieces: f64,
}

/// Results of an estimate of mean lines, computed from its independent runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateResults {
    /// Number of replications (independent runs of the estimator).
    pub replications: usize,
    /// Number of pieces placed by the original games of all independent runs.
    pub main_pieces: u64,
    /// Number of pieces placed by the original games and all copies of split games.
    pub pieces: u64,
    /// Number of lines removed per piece in the original games.
    pub lines_per_piece: f64,
    /// Estimate by splitting; `None` without splitting, lines, deaths or two independent runs.
    pub splitting: Option<Splitting>,
    /// Estimate of mean lines by direct play, from the original games without copies.
    pub direct: DirectEstimate,
}

impl DirectEstimate {
    /// Creates the direct estimate of mean lines from removed `lines` and `deaths` (ended games).
    #[must_use]
    pub fn new(lines: u64, deaths: u64) -> DirectEstimate {
        let interval = exponential_mean(lines as f64, deaths, true, LEVEL);
        let mean = (deaths > 0).then(|| lines as f64 / deaths as f64);
        let mean = Mean::new(mean, Some(interval), Method::Exponential, deaths);
        DirectEstimate { lines, deaths, mean }
    }
}

impl EstimateResults {
    /// Computes an estimate's results from independent runs; `splits` is false without splitting.
    #[must_use]
    pub fn new(replications: &[Replication], levels: &Levels, splits: bool) -> EstimateResults {
        let sum = |of: fn(&Replication) -> u64| replications.iter().map(of).sum::<u64>();
        let (lines, main_pieces) = (sum(|found| found.lines), sum(|found| found.main_pieces));
        let lines_per_piece = lines as f64 / main_pieces.max(1) as f64;
        EstimateResults {
            replications: replications.len(),
            main_pieces,
            pieces: sum(|found| found.pieces),
            lines_per_piece,
            splitting: splits.then(|| splitting(replications, levels, lines_per_piece)).flatten(),
            direct: DirectEstimate::new(lines, sum(|found| found.main_deaths)),
        }
    }
}

fn splitting(
    replications: &[Replication],
    levels: &Levels,
    lines_per_piece: f64,
) -> Option<Splitting> {
    // Each replication is one independent observation. The copies of a game in one replication are
    // not independent of each other.
    let pair = |found: &Replication| (found.lines as f64, found.weighted_deaths(levels));
    let pairs: Vec<(f64, f64)> = replications.iter().map(pair).collect();
    let ratio = Ratio::new(&pairs, LEVEL)?;
    let weight: f64 = pairs.iter().map(|pair| pair.1).sum();
    let squares: f64 = replications.iter().map(|found| found.squares).sum();
    // The relative error of play without splitting is one over the root of its number of games, so
    // this is games times pieces per game.
    let direct_pieces = ratio.mean.mean? / lines_per_piece / ratio.relative_error.powi(2);
    Some(Splitting {
        ratio,
        deaths: replications.iter().flat_map(|found| &found.deaths).sum(),
        deadly_excursions: replications.iter().map(|found| found.deadly_excursions).sum(),
        effective_excursions: weight * weight / squares,
        direct_pieces,
    })
}

/// Extrapolates the pieces per game by a line through the log frequencies of the games' stack
/// heights. Returns `None` if too few heights occurred.
#[must_use]
pub fn extrapolation(replications: &[Replication], rows: usize) -> Option<Extrapolation> {
    let counts = totals(replications, |found| &found.main_heights);
    Extrapolation::fit(&counts, fitted_heights(rows), rows)
}

pub(super) fn height_rows(
    replications: &[Replication],
    rows: usize,
    highest: usize,
) -> Vec<HeightRow> {
    let main = totals(replications, |found| &found.main_heights);
    let weighted = totals(replications, |found| &found.heights);
    let (all, all_weighted) = (main.iter().sum::<u64>() as f64, weighted.iter().sum::<f64>());
    let line = extrapolation(replications, rows);
    let row = |height: usize| HeightRow {
        height,
        main_placements: at(&main, height),
        main_share: at(&main, height) as f64 / all,
        weighted_share: at(&weighted, height) / all_weighted,
        fahey_share: line.map(|line| (line.slope * height as f64 + line.intercept).exp()),
    };
    (0..=highest).map(row).collect()
}

fn at<T: Copy + Default>(list: &[T], index: usize) -> T {
    list.get(index).copied().unwrap_or_default()
}

fn totals<T: Copy + Default + std::ops::AddAssign>(
    replications: &[Replication],
    of: impl Fn(&Replication) -> &Vec<T>,
) -> Vec<T> {
    let longest = replications.iter().map(|found| of(found).len()).max().unwrap_or(0);
    let mut sums = vec![T::default(); longest];
    for found in replications {
        for (sum, &value) in sums.iter_mut().zip(of(found)) {
            *sum += value;
        }
    }
    sums
}

pub(super) fn replication_row(index: u64, found: &Replication, levels: &Levels) -> ReplicationRow {
    ReplicationRow {
        replication: index,
        main_pieces: found.main_pieces,
        lines: found.lines,
        main_deaths: found.main_deaths,
        pieces: found.pieces,
        deaths: found.deaths.iter().sum(),
        weighted_deaths: found.weighted_deaths(levels),
        deadly_excursions: found.deadly_excursions,
    }
}

pub(super) fn level_rows(replications: &[Replication], levels: &Levels) -> Vec<LevelRow> {
    let rises_seen = totals(replications, |found| &found.rises_seen);
    let rises = totals(replications, |found| &found.rises);
    let pieces = totals(replications, |found| &found.pieces_at);
    let deaths = totals(replications, |found| &found.deaths);
    let main: u64 = replications.iter().map(|found| found.main_pieces).sum();
    let weights = levels.weights();
    let last = levels.count();
    let rate = |level: usize| match level {
        0 => main as f64,
        level if level > last => at(&deaths, last) as f64 * weights[last],
        level => at(&rises, levels.thresholds[level - 1]),
    };
    let row = |level: usize| LevelRow {
        level,
        threshold: if level == 0 { 0 } else { levels.thresholds[level - 1] },
        factor: if level == 0 { 1 } else { levels.factors[level - 1] },
        weight: weights[level],
        rises: if level == 0 { 0 } else { at(&rises_seen, levels.thresholds[level - 1]) },
        rises_per_piece: rate(level) / main.max(1) as f64,
        onward: (rate(level) > 0.0).then(|| rate(level + 1) / rate(level)),
        pieces: at(&pieces, level),
        deaths: at(&deaths, level),
    };
    (0..=levels.count()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // 1,000 pieces; 40 rises to importance 5, 20 of them by weight; from there 6 to importance 7
    // (1.5 by weight). One death is in level 1 (weight 1/2) and 4 are in level 2 (weight 1/8).
    #[test]
    fn levels_by_hand_and_none_without_replications() {
        let levels = Levels { thresholds: vec![5, 7], factors: vec![2, 4] };
        let found = Replication {
            main_pieces: 1000,
            pieces_at: vec![900, 70, 30],
            deaths: vec![0, 1, 4],
            rises_seen: vec![0, 0, 0, 0, 0, 40, 20, 6],
            rises: vec![0.0, 0.0, 0.0, 0.0, 0.0, 20.0, 10.0, 1.5],
            ..Replication::default()
        };
        let rows = level_rows(&[found], &levels);
        assert_eq!(rows.iter().map(|row| row.weight).collect::<Vec<_>>(), [1.0, 0.5, 0.125]);
        assert_eq!(
            rows.iter().filter_map(|row| row.onward).collect::<Vec<_>>(),
            [0.02, 0.075, 0.5 / 1.5]
        );
        assert_eq!(rows.iter().map(|row| row.rises).collect::<Vec<_>>(), [0, 40, 6]);
        let none = |row: &LevelRow| row.pieces == 0 && row.onward.is_none();
        assert!(level_rows(&[], &levels).iter().all(none));
    }
}
