//! Implements runs of classic games for the run engine ([`crate::engine`]).

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::garbage_label;
use super::log::{GameLog, RowBuilders};
use super::sample::{Sample, SampledPlacement};
use super::{ClassicConfig, Snapshot, play_game};
use crate::engine::{self, Comparable, Game, Measure, Resumable, WorkerContext};
use crate::error::Result;
use crate::record::{
    CLEARS, Column, ColumnType, EndReason, EndedRow, GameRow, Lifetime, LogFormat, LogTable, Logs,
    Rows, RunFolder, TableSpec, all_columns, columns, games_fields, read_games,
};
use crate::search::Player;
use crate::stats::{
    Better, Estimate, LEVEL, Method, Observed, PerGameSums, Scale, Summary, mean_by,
};

/// A run of classic games: configuration and logs.
#[derive(Clone, Debug)]
pub struct ClassicGames {
    config: ClassicConfig,
    logs: Logs,
    /// Maximum number of placements of the first game to return for display.
    sample: usize,
}

/// Contents of `run.json` for classic games.
pub type ClassicManifest = engine::Manifest<ClassicGames>;

/// Checkpoint of a run of classic games.
pub type ClassicCheckpoint = engine::Checkpoint<ClassicGames>;

/// Result of a run of classic games: its games, and `run.json`.
pub type ClassicRun = engine::Played<ClassicGames>;

/// Results of the games played so far. A checkpoint does not store them, because the table of games
/// does.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameSums {
    /// Index and lines of each game, in the order of ending; sorted by index after the run.
    #[serde(skip)]
    lifetimes: Vec<(u64, Lifetime)>,
    /// Number of games that ended or reached a limit.
    pub ended: u64,
    pieces: u64,
    lines: u64,
    /// Numbers of clears of one to four rows per game.
    #[serde(skip)]
    clears: [PerGameSums; 4],
    /// Evenly spaced placements of the first game for display.
    #[serde(skip)]
    pub sample: Vec<SampledPlacement>,
}

/// Totals of a run, as stored in `run.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTotals {
    /// Number of games with a row in the results, including interrupted ones.
    pub games: u64,
    /// Number of pieces placed.
    pub pieces: u64,
    /// Number of lines removed.
    pub lines: u64,
}

/// Result of a game that ended or was cut off, with placements for display.
#[derive(Debug)]
pub struct EndedGame {
    /// Row of the game in the results.
    pub row: GameRow,
    sample: Vec<SampledPlacement>,
}

impl ClassicGames {
    /// Creates a run and checks it. `sample` is the maximum number of placements of the first game
    /// to return for display.
    ///
    /// # Errors
    /// The errors of [`ClassicConfig::validate`] and [`crate::record::Selection::validate`].
    pub fn new(config: ClassicConfig, logs: Logs, sample: usize) -> Result<ClassicGames> {
        let config = ClassicConfig { log: logs.settings(), ..config };
        let job = ClassicGames { config, logs, sample };
        job.check()?;
        Ok(job)
    }

    /// Creates a run without logs.
    ///
    /// # Errors
    /// The errors of [`ClassicConfig::validate`].
    pub fn unlogged(config: ClassicConfig) -> Result<ClassicGames> {
        ClassicGames::new(config, Logs::default(), 0)
    }

    /// Returns the configuration of the games.
    #[must_use]
    pub fn config(&self) -> &ClassicConfig {
        &self.config
    }

    /// Returns the logs of the run.
    #[must_use]
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    fn join_study(&mut self, table: LogTable, condition: u64, all: &[Column]) {
        self.logs.join_study(table, condition, all);
        // The settings name the columns.
        self.config.log = self.logs.settings();
    }

    /// Returns the index of the first game whose placements are logged, or `None` if no game is
    /// logged.
    #[must_use]
    pub fn logged_game(&self) -> Option<u64> {
        let keeps = |game: &u64| self.logs.selection.keeps_game(self.config.seed, *game);
        self.logs.placements.as_ref().and_then(|_| self.config.game_range().find(keeps))
    }
}

impl GameSums {
    /// Returns the lines of each game, in the order of ending; after the run, in the order of the
    /// games' indices.
    pub fn lifetimes(&self) -> impl Iterator<Item = Lifetime> {
        self.lifetimes.iter().map(|(_, lifetime)| *lifetime)
    }

    /// Reads the results of games from the table `path`.
    ///
    /// # Errors
    /// The errors of [`read_games`].
    pub fn read(path: &Path) -> Result<GameSums> {
        let mut games = GameSums::default();
        for row in read_games(path)? {
            games.add(row);
            games.ended += 1;
        }
        // A table of an unfinished run has its games in the order of their ends.
        games.lifetimes.sort_unstable_by_key(|(game, _)| *game);
        Ok(games)
    }

    /// Returns the summary of the games; `None` without games. `lines` has the interval that
    /// comparisons choose, and the other method's interval stands beside it. If `is_random` is
    /// false, games do not differ by chance. `seed` seeds the bootstrap.
    #[must_use]
    pub fn summary(&self, is_random: bool, seed: u64) -> Option<Summary> {
        if self.lifetimes.is_empty() {
            return None;
        }
        let games: Vec<Observed> = self.lifetimes().map(Observed::from).collect();
        let lines = Estimate::of(&games, Scale::Total, is_random, seed);
        let (name, method) = match lines.mean.method {
            Some(Method::Bootstrap) => ("lines_exponential", Method::Exponential),
            _ => ("lines_bootstrap", Method::Bootstrap),
        };
        let mut summary = Summary::default();
        let other = mean_by(method, &games, Scale::Total, is_random, seed);
        summary.means.insert(name.to_owned(), other);
        summary.add("lines", lines);
        for ((name, ..), sums) in CLEARS.iter().zip(&self.clears) {
            summary
                .clears
                .extend(sums.mean(LEVEL, Some(1.0)).map(|mean| ((*name).to_owned(), mean)));
        }
        Some(summary)
    }

    fn add(&mut self, EndedRow { game, pieces, lifetime, clears }: EndedRow) {
        self.lifetimes.push((game, lifetime));
        for (sums, clears) in self.clears.iter_mut().zip(clears) {
            sums.add(clears as f64);
        }
        // An edited table may contain numbers whose sum overflows, so the addition saturates.
        self.pieces = self.pieces.saturating_add(pieces);
        self.lines = self.lines.saturating_add(lifetime.lines);
    }
}

impl Resumable for Snapshot {
    fn number(&self) -> u64 {
        self.row.game
    }
}

impl Game for ClassicGames {
    const NAME: &'static str = "classic";
    const IN_ORDER: bool = false;

    type Player = (Player, RowBuilders);
    type ItemResult = Box<EndedGame>;
    type Resumable = Snapshot;
    type Count = GameSums;

    fn check(&self) -> Result<()> {
        self.config.validate()?;
        self.logs.selection.validate()
    }

    fn entry(&self) -> ClassicConfig {
        self.config.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        let games = TableSpec::new("games", LogFormat::Csv, columns(&games_fields()));
        let logged = |table: LogTable| {
            Some(TableSpec::new(table.name(), self.logs.format, self.logs.columns(table)?))
        };
        [games].into_iter().chain(LogTable::ALL.into_iter().filter_map(logged)).collect()
    }

    fn threads(&self) -> usize {
        self.config.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.config.checkpoint_every
    }

    fn level(&self) -> Option<String> {
        Some(self.config.level.to_string())
    }

    fn work_items(&self) -> Range<u64> {
        self.config.game_range()
    }

    fn player(&self) -> Result<(Player, RowBuilders)> {
        let player = || self.config.player();
        Ok((player()?, RowBuilders::new(&self.logs, self.config.level, player)?))
    }

    fn play(
        &self,
        (player, builders): &mut (Player, RowBuilders),
        game: u64,
        from: Option<Snapshot>,
        context: &WorkerContext<ClassicGames>,
    ) -> Result<Option<(Box<EndedGame>, Vec<Rows>)>> {
        let ClassicConfig { seed, checkpoint_every, .. } = self.config;
        let selection = &self.logs.selection;
        let logged = self.logs.any() && selection.keeps_game(seed, game);
        let mut log = GameLog {
            context,
            builders,
            // The number of pieces is unknown until a game ends, so "only the last" is logged when
            // the game is played again.
            selection: (logged && selection.only_last.is_none()).then_some(*selection),
            reported: (0, 0),
            reports: true,
            saved_at: Instant::now(),
            every: checkpoint_every,
            sample: (game == self.work_items().start).then(|| Sample::new(self.sample)),
        };
        let from = from.unwrap_or_else(|| Snapshot::first(&self.config, game));
        let row = play_game(&self.config, player, from, context.stop(), &mut log)?;
        log.tally(&row);
        let sample = log.sample.take().map(Sample::shown).unwrap_or_default();
        if logged && selection.only_last.is_some() {
            // A seed always plays the same game, so a second pass finds its last placements.
            log.selection = Some(selection.of_game(row.pieces));
            log.reports = false;
            let again = Snapshot::first(&self.config, game);
            play_game(&self.config, player, again, context.stop(), &mut log)?;
        }
        context.totals().add(1, 0, 0);
        let rows = builders.take(&row);
        Ok(Some((Box::new(EndedGame { row, sample }), rows)))
    }

    fn is_cut(ended: &Box<EndedGame>) -> bool {
        ended.row.end_reason == EndReason::Interrupted
    }

    fn reopened(&self, open: Snapshot) -> Result<Snapshot> {
        open.restored(&self.config.queue, &self.config)
    }

    fn restore_count(&self, _: GameSums, folder: &RunFolder) -> Result<GameSums> {
        GameSums::read(&folder.partial("games.csv"))
    }

    fn take(&self, games: &mut GameSums, _: u64, ended: Box<EndedGame>, _: &mut Vec<Rows>) -> bool {
        let EndedGame { row, sample } = *ended;
        let (game, pieces, lifetime) = (row.game, row.pieces, row.lifetime());
        games.add(EndedRow { game, pieces, lifetime, clears: row.clears });
        // A game that was cut off has a row, too, and a resumed run plays it again.
        games.ended += u64::from(row.end_reason != EndReason::Interrupted);
        if !sample.is_empty() {
            games.sample = sample;
        }
        true
    }

    fn end(games: &mut GameSums) {
        // Several threads end games in any order.
        games.lifetimes.sort_unstable_by_key(|(game, _)| *game);
    }

    fn summary(&self, games: &GameSums) -> Option<Summary> {
        games.summary(self.config.queue.is_random(), self.config.seed)
    }

    fn totals(games: &GameSums) -> GameTotals {
        let GameSums { pieces, lines, .. } = *games;
        GameTotals { games: games.lifetimes.len() as u64, pieces, lines }
    }
}

/// Name of the column that comparisons of classic games use by default.
pub const MAIN_MEASURE: &str = "lines";

/// Returns the interpretation of a numeric column of classic games: a count is a total, and a
/// greater mean is better.
#[must_use]
pub fn measure(column: &Column) -> Measure {
    // Counts add up while a game is played.
    let adds_up = column.kind == ColumnType::Count;
    Measure {
        column: column.name.clone(),
        scale: if adds_up { Scale::Total } else { Scale::PerGame },
        better: Better::More,
        ended: Some(("censored", &["FALSE"])),
    }
}

impl Comparable for ClassicGames {
    fn of_games(&self, games: u64) -> ClassicGames {
        let config = ClassicConfig { games, ..self.config.clone() };
        ClassicGames { config, ..self.clone() }
    }

    fn seed(&self) -> u64 {
        self.config.seed
    }

    fn is_random(&self) -> bool {
        self.config.queue.is_random()
    }

    fn player_name(&self) -> String {
        self.config.controller.name.clone()
    }

    fn player_identity(&self) -> Value {
        let mut controller = json!(self.config.controller);
        // Players that differ only in the tie rule share a name, so the tie rule is ignored.
        controller["tie"] = Value::Null;
        controller
    }

    /// Returns the label of the run: controller, rules, board, garbage, queue, search, policy and
    /// seed. The rules, the garbage and the policy are left out if they are the default.
    fn label(&self) -> String {
        let ClassicConfig { controller, rules, size, queue, search, policy, seed, .. } =
            &self.config;
        let rules = match rules.to_string().as_str() {
            "simplified" => String::new(),
            other => format!("-{other}"),
        };
        let (garbage, policy) = (garbage_label(self.config.garbage), policy.label("-"));
        format!("{}{rules}-{size}{garbage}-{queue}-{search}{policy}-s{seed}", controller.name)
    }

    fn main_measure(&self) -> &'static str {
        MAIN_MEASURE
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(column)
    }

    /// Gives the logs of a study's classic runs common columns. The log of each run gets the
    /// columns of all runs' logs, and the number of the run's condition.
    fn join(conditions: &mut [(u64, &mut ClassicGames)]) {
        for table in LogTable::ALL {
            let shared = conditions.iter().filter_map(|(_, job)| job.logs.shared_columns(table));
            let all = all_columns(shared);
            conditions.iter_mut().for_each(|(number, job)| job.join_study(table, *number, &all));
        }
    }
}
