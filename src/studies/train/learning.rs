//! Trainings by temporal differences, which learn cell patterns. [`crate::learn`] plays and learns;
//! this module adds the folder: checkpoints, `history.csv`, the controller, held-out games and
//! `run.json`.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::Value;

use crate::controller::{Controller, PatternLayout, Patterns};
use crate::engine::{Described, FolderWriter};
use crate::learn::{Learner, LearnerState, LearningSettings};
use crate::prelude::*;
use crate::record::{
    Checkpoint, CheckpointState, FileEntry, GameRow, Kind, LearningRow, LogFormat, Provenance,
    TableSpec, check_listed_name, checksum, columns, learning_fields, open_tables, rows_of,
};
use crate::rng::stream_seed;
use crate::sim::{ClassicConfig, Game, Unrecorded, play_game};
use crate::stats::{Method, Observed, Scale, mean_by};
use crate::threads::thread_pool;
use crate::train::TrainingInvocation;
use crate::train::outcome::{controller_text, describe_training, earlier_seconds};
use crate::train::run::put_controller;

/// Name of the method of temporal differences, as in the setting `method`.
pub const TEMPORAL_DIFFERENCES: &str = "td";

/// Largest number of games that measure the learned controller, because memory holds all results.
const MOST_GAMES: u64 = 10_000_000;

/// Plan of a training by temporal differences: its games, settings and limits.
#[derive(Clone, Debug)]
pub struct LearningPlan {
    /// Settings of the method of temporal differences.
    pub settings: LearningSettings,
    /// Windows (groups of cells) for which the training learns tables of pattern values.
    pub layout: PatternLayout,
    /// Pattern tables from which learning starts; `None` if all table entries start equal.
    pub start: Option<Patterns>,
    /// Configuration of the games to learn from; the controller gets the learned pattern tables.
    pub config: ClassicConfig,
    /// Limits of placements and games at which learning ends.
    pub ends: LearningEnds,
    /// Minimum number of placements between two rows of `history.csv`.
    pub report_every: u64,
    /// Number of games, played after learning, that measure the learned controller.
    pub held_out_games: u64,
}

/// Numbers of placements and games after which learning ends, once the current round is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningEnds {
    /// Total number of placements after which learning ends; `None` for no limit.
    pub placements: Option<u64>,
    /// Total number of ended games after which learning ends; `None` for no limit.
    pub games: Option<u64>,
}

impl LearningEnds {
    /// Returns true if these numbers of `placements` and `games` end the learning.
    #[must_use]
    pub fn are_reached(&self, placements: u64, games: u64) -> bool {
        self.placements.is_some_and(|limit| placements >= limit)
            || self.games.is_some_and(|limit| games >= limit)
    }

    /// Returns the finished share of learning, 0 to 1, or `None` if it has no limit.
    #[must_use]
    pub fn share(&self, placements: u64, games: u64) -> Option<f64> {
        let share = |done: u64, limit: Option<u64>| Some(done as f64 / limit?.max(1) as f64);
        let shares = [share(placements, self.placements), share(games, self.games)];
        shares.into_iter().flatten().reduce(f64::max).map(|share| share.min(1.0))
    }
}

impl LearningPlan {
    /// Checks the learning plan and returns a learner before its first round.
    pub fn start(&self) -> Result<Learner> {
        self.config.validate()?;
        let counts = [("report-every", self.report_every), ("held-out-games", self.held_out_games)];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(Error::Config(format!("{name} 0: give at least 1")));
        }
        if self.held_out_games > MOST_GAMES {
            let count = self.held_out_games;
            return Err(Error::Config(format!(
                "held-out-games {count}: give at most {MOST_GAMES}"
            )));
        }
        let (settings, config) = (self.settings, self.config.clone());
        Learner::new(settings, config, &self.layout, self.start.as_ref())
    }

    /// Returns the settings that affect what is learned, without the limits that end learning.
    #[must_use]
    pub fn recorded_config(&self) -> Value {
        let start = self.start.as_ref().map(|start| checksum(&[&start.to_toml(None)]));
        let mut entry = json!({
            "method": TEMPORAL_DIFFERENCES,
            "windows": self.layout.windows(),
            "start_sha256": start,
            "learning": self.settings,
            "report_every": self.report_every,
            "held_out_games": self.held_out_games,
            "play": self.config,
        });
        if let Some(entry) = entry.as_object_mut() {
            entry.retain(|_, value| !value.is_null());
        }
        entry
    }

    /// Returns rules, board and queue of the games in words, separated by `comma`.
    #[must_use]
    pub fn describe(&self, comma: &str) -> String {
        let ClassicConfig { rules, size, queue, .. } = &self.config;
        format!("{rules} {size}{comma}queue {queue}")
    }
}

/// Returns the windows (groups of cells) of `layout` in words, such as `4x4, 3x3`.
#[must_use]
pub fn describe_windows(layout: &PatternLayout) -> String {
    let windows = layout.windows().iter().map(|window| &*window.cells);
    windows.collect::<Vec<_>>().join(", ")
}

/// State of a training by temporal differences, from which a checkpoint resumes the training.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearningState {
    pub(super) learner: LearnerState,
    pub(super) reports: u64,
    pub(super) learned: Option<FileEntry>,
}

impl CheckpointState for LearningState {
    const OF: &'static str = "a training by temporal differences";
    const KIND: Kind = Kind::Training;
    type Config = Value;
}

/// Names of the files of learned tables, used in turn so that the last checkpoint stays complete.
const LEARNED_FILES: [&str; 2] = ["learned-0.bin", "learned-1.bin"];
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Counters of a learning run, shared with a progress display.
#[derive(Debug, Default)]
pub struct LearningWatch {
    /// Numbers of ended games and of placements so far, in learning and in the final measurement.
    pub totals: Totals,
    /// True once the held-out games, which only measure the result, have begun.
    pub is_held_out: AtomicBool,
    /// Mean lines per game in the last report, as the bits of an `f64`; 0 before the first report.
    mean_lines: AtomicU64,
}

impl LearningWatch {
    /// Returns the mean lines per game in the last report of learning, if there was one.
    #[must_use]
    pub fn mean_lines(&self) -> Option<f64> {
        let bits = self.mean_lines.load(Ordering::Relaxed);
        (bits != 0).then(|| f64::from_bits(bits))
    }
}

/// Performance of a learned controller in games that it did not learn from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearnedResult {
    pub(super) lines: Mean,
}

impl LearnedResult {
    /// Returns the mean lines in games not learned from, their interval and the number of games.
    #[must_use]
    pub fn describe(&self) -> String {
        let Mean { n: games, censored, mean, .. } = &self.lines;
        let mean = mean.map_or("unknown".to_owned(), |mean| format!("{mean:.1}"));
        let interval = match self.lines.interval() {
            None => "no interval".to_owned(),
            Some(interval) => match interval.high {
                None => format!("95 % interval {:.1} to unbounded", interval.low),
                Some(high) => format!("95 % interval {:.1} to {high:.1}", interval.low),
            },
        };
        format!(
            "mean lines {mean}, {interval}, {games} held-out games, {censored} of them cut off by \
             a limit"
        )
    }
}

/// Totals of a training by temporal differences.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearningTotals {
    /// Number of placements made while learning.
    pub placements: u64,
    /// Number of games that ended while learning.
    pub games: u64,
    /// Elapsed seconds of learning; for a resumed training, those since the last resume.
    pub learning_s: f64,
    /// Seconds of learning before and after resumes; `None` if a killed process left them unknown.
    pub total_s: Option<f64>,
}

impl Described for LearningPlan {
    const KIND: Kind = Kind::Training;
    type Entry = Value;
    type Totals = LearningTotals;
    type Summary = LearnedResult;

    fn describe(manifest: &Manifest<LearningPlan>) -> [String; 3] {
        describe_training(&manifest.config["method"])
    }
}

struct LearningRun<'a> {
    plan: &'a LearningPlan,
    invocation: TrainingInvocation,
    files: FolderWriter,
    learner: Learner,
    reports: u64,
    learned: Option<FileEntry>,
    reported: u64,
}

/// Runs a training by temporal differences in `folder`, or resumes it from its checkpoint `from`.
///
/// If `stop` becomes true, learning ends after the current round, and the measuring games are
/// played until `cut` becomes true. A new folder is deleted if nothing was learned.
pub fn learn(
    plan: &LearningPlan,
    invocation: TrainingInvocation,
    folder: RunFolder,
    from: Option<&Checkpoint<LearningState>>,
    watch: &LearningWatch,
    stop: &AtomicBool,
    cut: &AtomicBool,
) -> Result<Manifest<LearningPlan>> {
    let earlier = from.map_or(Some(0.0), |from| {
        earlier_seconds(folder.path(), &[("placements", from.state.learner.placements)])
    });
    let pool = thread_pool(plan.config.threads)?;
    let (files, learner) = FolderWriter::begin(folder, |folder| {
        let history = TableSpec::new("history", LogFormat::Csv, columns(&learning_fields()));
        let cursors = from.map(|from| &*from.tables);
        let tables = open_tables(folder, vec![history], 1, cursors, 0)?;
        Ok((tables, restored(plan, folder.path(), from)?))
    })?;
    let reports = from.map_or(0, |from| from.state.reports);
    let learned = from.and_then(|from| from.state.learned.clone());
    let reported = learner.placements() / plan.report_every;
    let mut run = LearningRun { plan, invocation, files, learner, reports, learned, reported };
    let played = run.play(&pool, watch, stop);
    let learning_s = run.files.elapsed_s();
    if let Err(error) = played {
        run.give_up();
        return Err(error);
    }
    if run.learner.placements() == 0 {
        run.give_up();
        let text = "interrupted before the first round was done: nothing is kept";
        return Err(Error::Config(text.to_owned()));
    }
    run.finish(&pool, watch, cut, (learning_s, earlier, from.is_some()))
}

fn restored(
    plan: &LearningPlan,
    folder: &Path,
    from: Option<&Checkpoint<LearningState>>,
) -> Result<Learner> {
    let learner = plan.start()?;
    let Some((from, learned)) = from.and_then(|from| Some((from, from.state.learned.as_ref()?)))
    else {
        return Ok(learner);
    };
    check_listed_name(folder, &learned.name)?;
    let path = folder.join(&learned.name);
    if FileEntry::from_file(folder, &learned.name)? != *learned {
        let text = format!(
            "{} does not match the checkpoint: restore both from a copy, or start a new training",
            path.display()
        );
        return Err(Error::Config(text));
    }
    let bytes = fs::read(&path).map_err(|error| Error::io("reading", &path, error))?;
    learner.restored(from.state.learner.clone(), &bytes)
}

impl LearningRun<'_> {
    fn play(&mut self, pool: &ThreadPool, watch: &LearningWatch, stop: &AtomicBool) -> Result<()> {
        self.write_checkpoint()?;
        let ends = self.plan.ends;
        while !stop.load(Ordering::Relaxed)
            && !ends.are_reached(self.learner.placements(), self.learner.games())
        {
            self.learner.play_round(pool)?;
            watch.totals.pieces.store(self.learner.placements(), Ordering::Relaxed);
            watch.totals.played.store(self.learner.games(), Ordering::Relaxed);
            let reported = self.learner.placements() / self.plan.report_every;
            if reported > self.reported {
                self.reported = reported;
                self.report(watch)?;
            }
            if self.files.is_checkpoint_due(CHECKPOINT_INTERVAL) {
                self.write_checkpoint()?;
            }
        }
        self.write_checkpoint()?;
        // The number of checkpoints depends on time, and the name of the last file must not.
        match &self.learned {
            Some(learned) if learned.name != LEARNED_FILES[0] => self.write_checkpoint(),
            _ => Ok(()),
        }
    }

    fn report(&mut self, watch: &LearningWatch) -> Result<()> {
        let interval = self.learner.take_interval();
        let row = LearningRow {
            report: self.reports,
            placements: self.learner.placements(),
            games: self.learner.games(),
            finished: interval.games,
            cut: interval.cut,
            mean_lines: interval.mean_lines(),
            mean_error: interval.mean_error(),
            alpha: self.learner.rate(),
        };
        let mean = row.mean_lines.unwrap_or_default();
        watch.mean_lines.store(mean.to_bits(), Ordering::Relaxed);
        self.files.end(self.reports, vec![rows_of(&learning_fields(), &[row])])?;
        self.reports += 1;
        Ok(())
    }

    /// Writes the learned tables to a file, then the checkpoint that refers to it.
    fn write_checkpoint(&mut self) -> Result<()> {
        let before = self.learned.take();
        if self.learner.placements() > 0 {
            let is_other = |name: &&str| before.as_ref().is_none_or(|before| before.name != *name);
            let name = LEARNED_FILES.into_iter().find(is_other).unwrap_or(LEARNED_FILES[0]);
            let folder = self.files.folder();
            folder.put(name, self.learner.bytes())?;
            self.learned = Some(FileEntry::from_file(folder.path(), name)?);
        }
        let LearningRun { files, plan, invocation, learner, reports, learned, .. } = self;
        files.write_checkpoint(true, |tables| {
            let (learner, learned) = (learner.state(), learned.clone());
            let state = LearningState { learner, reports: *reports, learned };
            Checkpoint::new(invocation.settings.clone(), plan.recorded_config(), tables, state)
        })?;
        if let Some(before) = before {
            // The checkpoint no longer refers to this file, so a leftover does no harm.
            let _ = fs::remove_file(files.folder().path().join(before.name));
        }
        Ok(())
    }

    fn give_up(self) {
        if self.learner.placements() == 0 {
            self.files.discard();
        }
    }

    fn finish(
        self,
        pool: &ThreadPool,
        watch: &LearningWatch,
        cut: &AtomicBool,
        (learning_s, earlier, resumed): (f64, Option<f64>, bool),
    ) -> Result<Manifest<LearningPlan>> {
        let LearningRun { plan, invocation, files, learner, learned, .. } = self;
        let patterns = learner.patterns(plan.start.is_some())?;
        let controller =
            Controller { patterns: Some(patterns.clone()), ..plan.config.controller.clone() };
        watch.is_held_out.store(true, Ordering::Relaxed);
        let held_out = held_out(plan, controller, pool, &watch.totals, cut)?;
        let (placements, games) = (learner.placements(), learner.games());
        let is_complete = plan.ends.are_reached(placements, games) && held_out.is_some();
        let source = format!(
            "{}; seed {}; {games} games, {placements} placements",
            invocation.course.join(" "),
            plan.config.seed
        );
        let windows = describe_windows(&plan.layout);
        let title = format!("Trained by td: {}, windows {windows}", plan.describe(", "));
        let measured = plan.config.controller.measured.to_string();
        let text = controller_text(
            [&invocation.name, &title, &source],
            [
                ("published", held_out.as_ref().map(|held_out| held_out.describe().into())),
                ("measured", Some(measured.into())),
            ],
            plan.config.controller.named_weights(),
        );
        let controller = put_controller(files.folder(), text, Some(&patterns))?;
        let mut finished = files.finish(0)?;
        finished.problem.take().map_or(Ok(()), Err)?;
        finished.files.splice(0..0, controller);
        finished.files.extend(learned);
        let machine = (plan.config.threads, Some(plan.config.level.to_string()));
        let provenance = finished.provenance(machine, resumed);
        let provenance = Provenance { command: invocation.command, ..provenance };
        let status = if is_complete { Status::Complete } else { Status::Interrupted };
        let total_s = earlier.map(|earlier| earlier + learning_s);
        let totals = LearningTotals { placements, games, learning_s, total_s };
        finished.publish(provenance, status, plan.recorded_config(), totals, held_out)
    }
}

/// Plays the games that measure the learned controller; returns `None` if `cut` becomes true.
fn held_out(
    plan: &LearningPlan,
    controller: Controller,
    pool: &ThreadPool,
    totals: &Totals,
    cut: &AtomicBool,
) -> Result<Option<LearnedResult>> {
    let seed = stream_seed(plan.config.seed, Purpose::HeldOutGames, 0);
    let config = ClassicConfig { controller, seed, ..plan.config.clone() };
    let games = (0..plan.held_out_games).into_par_iter();
    let play = || {
        games
            .map_init(
                || config.player(),
                |player, game| {
                    let player = match player {
                        Ok(player) => player,
                        // The error of a player is the same each time.
                        Err(_) => return config.player().map(|_| None),
                    };
                    let first = config.begin(config.seed, game);
                    let row = play_game(&config, player, first, cut, &mut Unrecorded)?.ok();
                    row.iter().for_each(|row| totals.add(1, row.pieces, row.lines));
                    Ok(row)
                },
            )
            .collect::<Result<Option<Vec<GameRow>>>>()
    };
    let Some(rows) = pool.install(play)? else { return Ok(None) };
    let games: Vec<Observed> = rows.iter().map(|row| row.lifetime().into()).collect();
    let lines = || mean_by(Method::Bootstrap, &games, Scale::Total, config.queue.is_random(), seed);
    Ok((!games.is_empty()).then(|| LearnedResult { lines: lines() }))
}
