//! Classic games as runs of the engine.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::log::{GameLog, RowBuilders};
use super::sample::{Sample, Shown};
use super::{ClassicConfig, Snapshot, play_game};
use crate::engine::{self, Comparable, Game, Measure, Resumable, WorkerContext};
use crate::error::Result;
use crate::record::{
    Column, ColumnType, ConfigEntry, EndReason, EndedRow, GameRow, Lifetime, LogFormat, LogTable,
    Logs, Rows, RunFolder, TableSpec, all_columns, columns, games_fields, read_games,
};
use crate::search::Player;
use crate::stats::{Better, Scale};

/// A run of classic games, with what it logs.
#[derive(Clone, Debug)]
pub struct ClassicGames {
    config: ClassicConfig,
    logs: Logs,
    /// Placements of the first game to keep for a person to see.
    sample: usize,
    entry: ConfigEntry,
}

/// `run.json` of classic games.
pub type ClassicManifest = engine::Manifest<ClassicGames>;

/// Where a run of classic games goes on.
pub type ClassicCheckpoint = engine::Checkpoint<ClassicGames>;

/// What a run of classic games came to: its games, and `run.json`.
pub type ClassicRun = engine::Played<ClassicGames>;

/// The games that were played so far. A checkpoint keeps nothing of them: their table has them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameSums {
    /// Lines of each game by its index; in order when the run has ended.
    #[serde(skip)]
    lifetimes: Vec<(u64, Lifetime)>,
    /// Those that came to their end or limit.
    pub ended: u64,
    pieces: u64,
    lines: u64,
    /// Some placements of the first game, for a person to see.
    #[serde(skip)]
    pub sample: Vec<Shown>,
}

/// What `run.json` says of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTotals {
    /// Games that ended, or reached a limit.
    pub games: u64,
    /// Their pieces.
    pub pieces: u64,
    /// Their lines.
    pub lines: u64,
}

/// A game that ended or was cut off, and what a person is to see of it.
#[derive(Debug)]
pub struct EndedGame {
    /// Its row.
    pub row: GameRow,
    sample: Vec<Shown>,
}

impl ClassicGames {
    /// A run whose parts fit together.
    ///
    /// # Errors
    /// As [`ClassicConfig::validate`] and [`crate::record::Selection::validate`].
    pub fn new(config: ClassicConfig, logs: Logs, sample: usize) -> Result<ClassicGames> {
        let entry = ConfigEntry::of(&config, &logs);
        let job = ClassicGames { config, logs, sample, entry };
        job.check()?;
        Ok(job)
    }

    /// A run that logs nothing.
    ///
    /// # Errors
    /// As [`ClassicConfig::validate`].
    pub fn unlogged(config: ClassicConfig) -> Result<ClassicGames> {
        ClassicGames::new(config, Logs::default(), 0)
    }

    /// What is played.
    #[must_use]
    pub fn config(&self) -> &ClassicConfig {
        &self.config
    }

    /// What it logs.
    #[must_use]
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    fn join_study(&mut self, table: LogTable, condition: u64, all: &[Column]) {
        self.logs.join_study(table, condition, all);
        // Anew, since the entry names the columns.
        self.entry = ConfigEntry::of(&self.config, &self.logs);
    }

    /// The first game whose placements are logged, if any is.
    #[must_use]
    pub fn logged_game(&self) -> Option<u64> {
        let keeps = |game: &u64| self.logs.selection.keeps_game(self.config.seed, *game);
        self.logs.placements.as_ref().and_then(|_| self.config.game_range().find(keeps))
    }
}

impl GameSums {
    /// Lines of each game, in order of the games when the run has ended.
    pub fn lifetimes(&self) -> impl Iterator<Item = Lifetime> {
        self.lifetimes.iter().map(|(_, lifetime)| *lifetime)
    }

    fn recall(folder: &RunFolder) -> Result<GameSums> {
        let mut games = GameSums::default();
        for EndedRow { game, pieces, lifetime } in read_games(&folder.partial("games.csv"))? {
            games.add(game, pieces, lifetime);
            games.ended += 1;
        }
        Ok(games)
    }

    fn add(&mut self, game: u64, pieces: u64, lifetime: Lifetime) {
        self.lifetimes.push((game, lifetime));
        // Saturating, since a table that was changed may name any numbers.
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
    const NAME: Option<&'static str> = None;
    const IN_ORDER: bool = false;

    type Player = (Player, RowBuilders);
    type ItemResult = Box<EndedGame>;
    type Resumable = Snapshot;
    type Count = GameSums;

    fn check(&self) -> Result<()> {
        self.config.validate()?;
        self.logs.selection.validate()
    }

    fn entry(&self) -> ConfigEntry {
        self.entry.clone()
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
            // How many pieces a game will have is not known until it ends: "only the last" is logged when it is
            // played again.
            selection: (logged && selection.only_last.is_none()).then_some(*selection),
            told: (0, 0),
            tells: true,
            looked: Instant::now(),
            every: checkpoint_every,
            sample: (game == self.work_items().start).then(|| Sample::new(self.sample)),
        };
        let from = from.unwrap_or_else(|| Snapshot::first(&self.config, game));
        let row = play_game(&self.config, player, from, context.stop(), &mut log)?;
        log.tally(&row);
        let sample = log.sample.take().map(Sample::shown).unwrap_or_default();
        if logged && selection.only_last.is_some() {
            // The same seed plays the same game, so its last placements are found by playing again.
            log.selection = Some(selection.of_game(row.pieces));
            log.tells = false;
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

    fn recall(&self, _: GameSums, folder: &RunFolder) -> Result<GameSums> {
        GameSums::recall(folder)
    }

    fn take(&self, games: &mut GameSums, _: u64, ended: Box<EndedGame>, _: &mut Vec<Rows>) -> bool {
        let EndedGame { row, sample } = *ended;
        games.add(row.game, row.pieces, row.lifetime());
        // One that was cut off has a row, and is played again by a run that goes on.
        games.ended += u64::from(row.end_reason != EndReason::Interrupted);
        if !sample.is_empty() {
            games.sample = sample;
        }
        true
    }

    fn end(games: &mut GameSums) {
        // They end in any order on several threads.
        games.lifetimes.sort_unstable_by_key(|(game, _)| *game);
    }

    fn totals(games: &GameSums) -> GameTotals {
        let GameSums { pieces, lines, .. } = *games;
        GameTotals { games: games.lifetimes.len() as u64, pieces, lines }
    }
}

/// What classic games are compared by unless somebody says otherwise.
pub const MAIN_MEASURE: &str = "lines";

/// How a column of numbers of classic games is to be understood.
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
        ClassicGames { entry: ConfigEntry::of(&config, &self.logs), config, ..self.clone() }
    }

    fn games(entry: &ConfigEntry) -> u64 {
        entry.games()
    }

    fn seed(&self) -> u64 {
        self.config.seed
    }

    fn is_random(&self) -> bool {
        self.config.queue.is_random()
    }

    fn who(&self) -> String {
        self.config.controller.name.clone()
    }

    fn who_is(&self) -> Value {
        let mut controller = json!(self.entry.controller);
        // The same player with another rule for ties goes by the same name.
        controller["tie"] = Value::Null;
        controller
    }

    /// Rules only when they are not the usual ones.
    fn label(&self) -> String {
        let ClassicConfig { controller, rules, size, queue, search, seed, .. } = &self.config;
        let rules = match rules.to_string().as_str() {
            "simplified" => String::new(),
            other => format!("-{other}"),
        };
        format!("{}{rules}-{size}-{queue}-{search}-s{seed}", controller.name)
    }

    fn main_measure(&self) -> &'static str {
        MAIN_MEASURE
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(column)
    }

    fn begins(entry: &ConfigEntry, longer: &ConfigEntry) -> bool {
        entry.begins(longer)
    }

    /// Each has the columns of all, and its condition's number.
    fn join(conditions: &mut [(u64, &mut ClassicGames)]) {
        for table in LogTable::ALL {
            let shared = conditions.iter().filter_map(|(_, job)| job.logs.shared_columns(table));
            let all = all_columns(shared);
            conditions.iter_mut().for_each(|(number, job)| job.join_study(table, *number, &all));
        }
    }
}
