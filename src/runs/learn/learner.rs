//! Learner of board values, which plays games in rounds and averages what it learned.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::LearningSettings;
use super::player::{LearningSetup, StreamPlayer, StreamState};
use super::tables::{LearnedTables, StreamTables, WindowFinder, combine, move_towards};
use crate::controller::{PatternLayout, Patterns};
use crate::kernels::PatternKernel;
use crate::placement::Placements;
use crate::prelude::*;
use crate::rules::Entry;
use crate::sim::ClassicConfig;

const AVERAGE_EVERY: u64 = 1 << 20;
/// Parameter eta by which late tables weigh more in the average (Shamir & Zhang 2013).
const LATE_TABLE_WEIGHT: f64 = 8.0;

/// Largest value of a learned table entry, in lines; only learning that diverges exceeds it.
const LARGEST: f32 = 1e9;

/// Counts of games and prediction errors of learning since its last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Number of finished learning games since the last report.
    pub games: u64,
    /// Number of learning games that a limit cut off since the last report.
    pub cut: u64,
    /// Number of lines in finished and cut-off learning games since the last report.
    pub lines: u64,
    /// Number of boards whose predicted value was corrected.
    pub errors: u64,
    /// Sum of the absolute errors of predicted board values, in lines.
    pub error: f64,
}

impl Interval {
    pub(super) fn add_error(&mut self, error: f32) {
        self.errors += 1;
        self.error += f64::from(error.abs());
    }

    pub(super) fn add_game(&mut self, lines: u64) {
        self.games += 1;
        self.lines += lines;
    }

    pub(super) fn add_cut_game(&mut self, lines: u64) {
        self.cut += 1;
        self.lines += lines;
    }

    fn add(&mut self, other: Interval) {
        self.games += other.games;
        self.cut += other.cut;
        self.lines += other.lines;
        self.errors += other.errors;
        self.error += other.error;
    }

    /// Returns the lines since the last report divided by the finished games, an estimate of the
    /// mean lines; `None` without finished games.
    #[must_use]
    pub fn mean_lines(&self) -> Option<f64> {
        (self.games > 0).then(|| self.lines as f64 / self.games as f64)
    }

    /// Returns the mean absolute error of predicted board values in lines; `None` if none exist.
    #[must_use]
    pub fn mean_error(&self) -> Option<f64> {
        (self.errors > 0).then(|| self.error / self.errors as f64)
    }
}

/// State of a learner of board values between two rounds of games, without its tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearnerState {
    /// Number of decisions in all streams (parallel sequences of games that learn).
    pub placements: u64,
    /// Number of finished games in all streams that learn, including those that a limit cut off.
    pub games: u64,
    /// Counts of learning games and prediction errors since the last report.
    pub interval: Interval,
    averaged: u64,
    streams: Vec<StreamState>,
}

/// Learner of the values of boards (lines to come) from games that it plays itself.
pub struct Learner {
    setup: LearningSetup,
    layout: PatternLayout,
    first: Vec<f32>,
    shared: LearnedTables,
    average: Vec<f32>,
    streams: Vec<StreamPlayer>,
    placements: u64,
    games: u64,
    interval: Interval,
    averaged: u64,
}

impl Learner {
    /// Creates a learner of values of cell patterns. The learner plays games of `config` and begins
    /// with the tables `start`, if any.
    pub fn new(
        settings: LearningSettings,
        config: ClassicConfig,
        layout: &PatternLayout,
        start: Option<&Patterns>,
    ) -> Result<Learner> {
        settings.check()?;
        if config.rules.entry != Entry::FromAbove {
            return Err(Error::Config(
                "td learns under simplified rules only: leave out rules".to_owned(),
            ));
        }
        let windows = WindowFinder::new(layout);
        let share = settings.initial_value / windows.count() as f64;
        let first: Vec<f32> = match start {
            Some(start) => {
                let step = start.step();
                start.tables().iter().map(|&entry| (f64::from(entry) * step) as f32).collect()
            }
            None => vec![share as f32; layout.entries()],
        };
        let shared = LearnedTables::new(first.clone(), settings.coherence);
        let placements = Placements::new(config.size.width());
        let measured = config.controller.measured;
        let kernel =
            PatternKernel::new(layout, measured, config.rules.clear_on_overflow, config.level);
        let setup = LearningSetup { settings, config, kernel, windows, placements };
        let player = |number| StreamPlayer::new(&setup, number, StreamTables::new(&shared));
        let streams = (0..setup.settings.streams as u64).map(player).collect();
        let average = if setup.settings.average { first.clone() } else { Vec::new() };
        let (interval, layout) = (Interval::default(), layout.clone());
        Ok(Learner {
            setup,
            layout,
            first,
            shared,
            average,
            streams,
            placements: 0,
            games: 0,
            interval,
            averaged: 0,
        })
    }

    /// Continues an earlier learner of the same settings from its `state` and tables (`bytes`).
    pub fn restored(mut self, state: LearnerState, bytes: &[u8]) -> Result<Learner> {
        let expected = 4 * (self.arrays().map(Vec::len).sum::<usize>());
        if bytes.len() != expected || state.streams.len() != self.streams.len() {
            let text = "the checkpoint is damaged: start a new training";
            return Err(Error::Config(text.to_owned()));
        }
        let mut numbers = bytes
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        for array in 0..3 {
            self.shared.array_mut(array).fill_with(|| numbers.next().unwrap_or_default());
        }
        self.average.fill_with(|| numbers.next().unwrap_or_default());
        let (setup, shared) = (&self.setup, &self.shared);
        let streams = state.streams.into_iter();
        self.streams = streams
            .map(|stream| StreamPlayer::restored(setup, stream, StreamTables::new(shared)))
            .collect();
        (self.placements, self.games) = (state.placements, state.games);
        (self.interval, self.averaged) = (state.interval, state.averaged);
        Ok(self)
    }

    fn arrays(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.shared.arrays().into_iter().chain([&self.average])
    }

    /// Returns the state of the learner of board values, without its tables, for a checkpoint.
    #[must_use]
    pub fn state(&self) -> LearnerState {
        LearnerState {
            placements: self.placements,
            games: self.games,
            interval: self.interval,
            averaged: self.averaged,
            streams: self.streams.iter().map(|stream| stream.state().clone()).collect(),
        }
    }

    /// Returns the learned tables as bytes: single-precision numbers, little-endian.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.arrays().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Returns the number of decisions in all streams (parallel sequences of games that learn).
    #[must_use]
    pub fn placements(&self) -> u64 {
        self.placements
    }

    /// Returns the number of finished games in all learning streams, with those that were cut off.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the current learning rate: the part of an error by which board values are corrected.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.setup.settings.rate(self.placements)
    }

    /// Returns the number of placements in one round of learning, over all streams of games.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.setup.settings.round * self.streams.len() as u64
    }

    /// Returns the counts of games and errors since the last report, and begins to count anew.
    pub fn take_interval(&mut self) -> Interval {
        std::mem::take(&mut self.interval)
    }

    /// Plays one round of games on all streams (parallel sequences of games); merges their tables.
    pub fn play_round(&mut self, pool: &ThreadPool) -> Result<()> {
        let rate = self.rate();
        let exploration = self.setup.settings.exploration(self.placements);
        let round = self.round();
        let Learner { setup, shared, average, streams, .. } = self;
        let count = setup.settings.round;
        pool.install(|| {
            streams
                .par_iter_mut()
                .try_for_each(|stream| stream.play(setup, rate, exploration, count))
        })?;
        let mut copies: Vec<_> = streams.iter_mut().map(|stream| &mut stream.own).collect();
        pool.install(|| combine(shared, &mut copies));
        for stream in &mut *streams {
            let interval = std::mem::take(&mut stream.interval);
            self.games += interval.games + interval.cut;
            self.interval.add(interval);
        }
        let before = self.placements / AVERAGE_EVERY;
        self.placements += round;
        if setup.settings.average && self.placements / AVERAGE_EVERY > before {
            self.averaged += 1;
            let share = (LATE_TABLE_WEIGHT + 1.0) / (self.averaged as f64 + LATE_TABLE_WEIGHT);
            pool.install(|| move_towards(average, &shared.values, share as f32));
        }
        Ok(())
    }

    /// Returns the learned tables, or their average, rounded to integer steps. Unless `has_start`
    /// is true, entries that never changed become 0.
    pub fn patterns(&self, has_start: bool) -> Result<Patterns> {
        let learned = if self.averaged > 0 { &self.average } else { &self.shared.values };
        let changed = learned.iter().zip(&self.first);
        let values: Vec<f32> = changed
            .map(|(&value, &first)| if has_start || value != first { value } else { 0.0 })
            .collect();
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        if values.iter().any(|value| value.is_nan()) || largest > LARGEST {
            return Err(Error::Config(format!(
                "the values grew beyond all bounds ({largest:e} lines): train again into a new \
                    folder, with a smaller --alpha"
            )));
        }
        let step = rounded_step_size(f64::from(largest));
        let entries = values.iter().map(|&value| (f64::from(value) / step).round() as i16);
        let (windows, size) = (self.layout.windows(), self.layout.size());
        Patterns::new(windows, step, size, entries.collect()).map_err(Error::Config)
    }
}

fn rounded_step_size(largest: f64) -> f64 {
    let least = (largest / f64::from(i16::MAX)).max(1e-9);
    let mut power = 1.0;
    while least * power < 10.0 {
        power *= 10.0;
    }
    (least * power).ceil() / power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Controller, PatternWindow, TableRows, WindowPlaces};
    use crate::queue::QueueKind;
    use crate::sim::Limits;
    use crate::threads::thread_pool;

    fn layout(rows: TableRows) -> PatternLayout {
        let window = PatternWindow {
            cells: "2x3".to_owned(),
            at: WindowPlaces::Everywhere,
            mirror: true,
            rows,
        };
        PatternLayout::new(&[window], "6x10".parse().unwrap()).unwrap()
    }

    fn learner(settings: &LearningSettings) -> Learner {
        learner_of(&layout(TableRows::Own), settings)
    }

    fn learner_of(layout: &PatternLayout, settings: &LearningSettings) -> Learner {
        let controller = Controller::load("bcts").unwrap();
        let config = ClassicConfig {
            queue: QueueKind::Uniform,
            limits: Limits { pieces: Some(500), lines: None },
            ..ClassicConfig::new(controller, layout.size())
        };
        Learner::new(*settings, config, layout, None).unwrap()
    }

    fn settings() -> Vec<LearningSettings> {
        let usual = LearningSettings { streams: 3, round: 200, alpha: 0.5, ..Default::default() };
        let traced = LearningSettings { lambda: 0.7, gamma: 0.95, explore: 0.01, ..usual };
        let half_life = Some(20_000);
        let own = LearningSettings { coherence: true, average: true, half_life, ..usual };
        vec![usual, traced, own]
    }

    #[test]
    fn threads_and_checkpoints_change_nothing() {
        let (one, two) = (thread_pool(1).unwrap(), thread_pool(2).unwrap());
        for settings in settings() {
            let mut learned = learner(&settings);
            let mut resumed = learner(&settings);
            for round in 0..30 {
                learned.play_round(&one).unwrap();
                resumed.play_round(&two).unwrap();
                if round % 10 == 7 {
                    let state = serde_json::to_string(&resumed.state()).unwrap();
                    let state = serde_json::from_str(&state).unwrap();
                    let bytes = resumed.bytes();
                    resumed = learner(&settings).restored(state, &bytes).unwrap();
                }
            }
            assert_eq!(learned.bytes(), resumed.bytes());
            let text = |learner: &Learner| serde_json::to_string(&learner.state()).unwrap();
            assert_eq!(text(&learned), text(&resumed));
            let other = LearningSettings { round: 201, ..settings };
            let mut other = learner(&other);
            (0..30).for_each(|_| other.play_round(&one).unwrap());
            assert_ne!(learned.bytes(), other.bytes());
        }
    }

    #[test]
    fn games_become_longer() {
        let pool = thread_pool(1).unwrap();
        for settings in settings() {
            let mut learner = learner(&settings);
            let mut play = |rounds| {
                (0..rounds).for_each(|_| learner.play_round(&pool).unwrap());
                learner.take_interval()
            };
            let first = play(10).mean_lines().unwrap();
            play(90);
            let last = play(10).mean_lines().unwrap();
            assert!(last > 1.5 * first, "{settings:?}: {first} {last}");
            let patterns = learner.patterns(false).unwrap();
            let largest = patterns.tables().iter().map(|entry| entry.unsigned_abs()).max();
            assert!(largest.is_some_and(|largest| largest > 20_000), "{largest:?}");
            assert!(patterns.tables().contains(&0));
        }
    }

    #[test]
    fn tables_that_rows_share_learn_at_the_default_rate() {
        let pool = thread_pool(1).unwrap();
        let settings = LearningSettings { streams: 3, round: 200, ..Default::default() };
        let mut learner = learner_of(&layout(TableRows::Shared), &settings);
        let mut play = |rounds| {
            (0..rounds).for_each(|_| learner.play_round(&pool).unwrap());
            learner.take_interval().mean_lines().unwrap()
        };
        let first = play(1);
        play(40);
        let last = play(10);
        assert!(last > 1.5 * first, "{first} {last}");
        assert!(learner.patterns(false).is_ok());
    }

    #[test]
    fn learning_that_diverges_is_named() {
        let pool = thread_pool(1).unwrap();
        let settings = LearningSettings { alpha: 10.0, ..settings()[0] };
        let mut learner = learner(&settings);
        (0..30).for_each(|_| learner.play_round(&pool).unwrap());
        let problem = learner.patterns(false).unwrap_err().to_string();
        assert!(problem.contains("with a smaller --alpha"), "{problem}");
    }

    #[test]
    fn damaged_checkpoints_are_refused() {
        let mut learned = learner(&settings()[0]);
        learned.play_round(&thread_pool(1).unwrap()).unwrap();
        let (state, bytes) = (learned.state(), learned.bytes());
        let restored = learner(&settings()[0]).restored(state, &bytes[4..]);
        assert!(restored.is_err_and(|error| error.to_string().contains("damaged")));
    }

    #[test]
    fn steps_have_two_digits() {
        assert_eq!(rounded_step_size(32_767.0), 1.0);
        assert_eq!(rounded_step_size(12.3), 0.00038);
        assert_eq!(rounded_step_size(40_000.0), 1.3);
        assert_eq!(rounded_step_size(1e6), 31.0);
        assert_eq!(rounded_step_size(0.0), 1e-9);
    }
}
