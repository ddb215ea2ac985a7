//! Implements runs of guideline games for the run engine ([`crate::engine`]).

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::config::{GuidelineConfig, Mode};
use super::game::{GuidelinePlayer, InPlay};
use crate::engine::{self, Comparable, Described, Manifest, Measure, Resumable, WorkerContext};
use crate::error::Result;
use crate::queue::QueueKind;
use crate::record::{
    CLEARS, Column, GuidelineDecision, GuidelineEncoder, GuidelineGameRow, LogFormat, LogTable,
    Rows, RunFolder, Selection, Shard, Status, StudyTables, TableSpec, all_columns,
    guideline_tables, read_guideline_games,
};
use crate::search::Policy;
use crate::search::guideline::BeamPlayer;
use crate::sim::{GameTotals, garbage_label};
use crate::stats::{
    Better, Estimate, LEVEL, Mean, Method, Observed, PerGameSums, Scale, Summary, share_interval,
};

/// Result of a run of guideline games: the finished games in the order of their indices, and
/// `run.json`.
pub type GuidelineRun = engine::Played<GuidelineConfig>;

impl Described for GuidelineConfig {
    type Entry = GuidelineConfig;
    type Totals = GameTotals;
    type Summary = Summary;

    fn check_entry(config: &GuidelineConfig) -> Result<()> {
        config.check_recorded()
    }

    fn merged(config: &GuidelineConfig, folder: &Path, _: Vec<Summary>) -> Result<Option<Summary>> {
        let games = read_guideline_games(&folder.join("games.csv"))?;
        Ok(summary(config, &games))
    }

    fn describe(manifest: &Manifest<GuidelineConfig>) -> [String; 3] {
        let Manifest { config, totals, status, .. } = manifest;
        let GuidelineConfig { mode, rules, seed, shard, policy, .. } = config;
        let (controller, search, name) = (&config.controller.name, config.beam.name(), mode.name());
        let goal = match mode.goal() {
            Some(lines) => format!("won by {lines} rows"),
            None => "of as many points as possible".to_owned(),
        };
        let mut text = format!(
            "Games {goal} under {rules} rules, played by {controller} ({search}). `run.json` has \
             the whole configuration."
        );
        if *policy != Policy::Best {
            text += &format!(" Placements are chosen by the policy {policy}.");
        }
        if *status != Status::Complete {
            text += " The run is incomplete: games are missing.";
        }
        let games = totals.games;
        let part = shard.map(|shard| format!("-shard-{}-{}", shard.part, shard.of));
        [
            format!("tetrastat-{name}-{games}-games-0x{seed:016x}{}", part.unwrap_or_default()),
            format!("{games} games of {name}: {controller}"),
            text,
        ]
    }
}

impl Resumable for InPlay {
    fn number(&self) -> u64 {
        self.row().game
    }
}

/// Player and row buffers of one worker thread.
pub struct GuidelineWorker {
    player: GuidelinePlayer,
    encoder: GuidelineEncoder,
    /// Player that ranks the logged candidates. It is separate from `player`, whose working memory
    /// it must not disturb.
    ranker: BeamPlayer,
}

impl engine::Game for GuidelineConfig {
    const OF: &'static str = "a run of guideline games";
    const NAME: &'static str = "guideline";
    const IN_ORDER: bool = false;

    type Player = GuidelineWorker;
    type ItemResult = GuidelineGameRow;
    type Resumable = InPlay;
    type Count = Vec<GuidelineGameRow>;

    fn check(&self) -> Result<()> {
        self.validate()
    }

    fn entry(&self) -> GuidelineConfig {
        self.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        guideline_tables(self.log.as_ref(), &self.logged_games())
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    fn level(&self) -> Option<String> {
        Some(self.level.to_string())
    }

    fn work_items(&self) -> Range<u64> {
        Shard::games(self.shard, self.games)
    }

    fn player(&self) -> Result<Self::Player> {
        let encoder = GuidelineEncoder::new(self.log.as_ref(), &self.logged_games(), self.level)?;
        let player = GuidelinePlayer::new(self);
        let player = if encoder.logs_values() { player } else { player.stopping_early() };
        Ok(GuidelineWorker { player, encoder, ranker: self.chooser() })
    }

    fn play(
        &self,
        worker: &mut GuidelineWorker,
        item: u64,
        from: Option<InPlay>,
        context: &WorkerContext<GuidelineConfig>,
    ) -> Result<Option<(GuidelineGameRow, Vec<Rows>)>> {
        let logged = self.log.as_ref().map(|log| log.selection);
        let logged = logged.filter(|selection| selection.keeps_game(self.seed, item));
        // The last placements of a game can't be selected yet: their numbers are known only after
        // its end.
        let now = logged.filter(|selection| selection.only_last.is_none());
        let game = from.unwrap_or_else(|| worker.player.begin(item));
        let mut pass = GamePass { context, worker, selection: now, is_first: true };
        let Some(outcome) = pass.play(game, self.checkpoint_every)? else {
            return Ok(None);
        };
        if let (Some(selection), None) = (logged, now) {
            // A seed always plays the same game, so a second pass finds its last placements.
            pass.selection = Some(selection.of_game(outcome.pieces.into()));
            pass.is_first = false;
            let again = pass.worker.player.begin(item);
            if pass.play(again, self.checkpoint_every)?.is_none() {
                return Ok(None);
            }
        }
        context.totals().add(1, 0, 0);
        let rows = worker.encoder.end(&outcome);
        Ok(Some((outcome, rows)))
    }

    fn reopened(&self, open: InPlay) -> Result<InPlay> {
        open.restored(self)
    }

    fn restore_count(
        &self,
        _: Vec<GuidelineGameRow>,
        folder: &RunFolder,
    ) -> Result<Vec<GuidelineGameRow>> {
        read_guideline_games(&folder.partial("games.csv"))
    }

    fn take(
        &self,
        games: &mut Vec<GuidelineGameRow>,
        _: u64,
        outcome: GuidelineGameRow,
        _: &mut Vec<Rows>,
    ) -> bool {
        games.push(outcome);
        true
    }

    fn end(games: &mut Vec<GuidelineGameRow>) {
        // Several threads end games in any order.
        games.sort_unstable_by_key(|outcome| outcome.game);
    }

    fn summary(&self, games: &Vec<GuidelineGameRow>) -> Option<Summary> {
        summary(self, games)
    }

    fn totals(games: &Vec<GuidelineGameRow>) -> GameTotals {
        GameTotals {
            games: games.len() as u64,
            pieces: games.iter().map(|game| u64::from(game.pieces)).sum(),
            lines: games.iter().map(|game| u64::from(game.lines)).sum(),
        }
    }
}

/// Returns the summary of `games`; `None` without games. In a Sprint, pieces, rows and inputs cover
/// only won games, because a lost game does not show how many it would have needed. Other values
/// cover all games. In endless games that were not lost, a limit cut off the game, so their values
/// are lower bounds.
fn summary(config: &GuidelineConfig, games: &[GuidelineGameRow]) -> Option<Summary> {
    if games.is_empty() {
        return None;
    }
    let (goal, is_endless) = (config.mode.goal(), matches!(config.mode, Mode::Endless { .. }));
    let n = games.len() as u64;
    let count = |is: &dyn Fn(&GuidelineGameRow) -> bool| {
        games.iter().filter(|game| is(game)).count() as u64
    };
    let share = |hits: u64| {
        let interval = share_interval(hits, n, LEVEL);
        Mean::new(Some(hits as f64 / n as f64), interval, Method::Wilson, n)
    };
    let lost = count(&|game| game.is_lost());
    let mut found = Summary::default();
    type Value = fn(&GuidelineGameRow) -> u32;
    let values: [(&str, Value); 4] = [
        ("pieces", |game| game.pieces),
        ("lines", |game| game.lines),
        ("points", |game| game.points.total()),
        ("inputs", |game| game.inputs),
    ];
    for (name, value) in values {
        let counts =
            |game: &&GuidelineGameRow| goal.is_none() || name == "points" || !game.is_lost();
        let observed = |game| Observed { value: f64::from(value(game)), censored: false };
        let observed: Vec<Observed> = games.iter().filter(counts).map(observed).collect();
        let mut estimate = Estimate::of(&observed, Scale::PerGame, true, config.seed);
        estimate.mean.censored = if is_endless { n - lost } else { 0 };
        found.add(name, estimate);
    }
    found.means.insert("lost".to_owned(), share(lost));
    let fewest = goal.map(|lines| (10 * lines).div_ceil(4));
    for pieces in fewest.into_iter().flat_map(|fewest| fewest..fewest + 3) {
        let won = count(&|game| !game.is_lost() && game.pieces == pieces);
        found.means.insert(format!("won_in_{pieces}_pieces"), share(won));
    }
    let total = |value: Value| games.iter().map(|game| u64::from(value(game))).sum::<u64>();
    let (keys, pieces) = (total(|game| game.inputs), total(|game| game.pieces).max(1));
    let us: u64 = games.iter().map(|game| game.time_us).sum();
    let per_piece = Some(keys as f64 / pieces as f64);
    let per_second = (us > 0).then(|| 1e6 * pieces as f64 / us as f64);
    for (name, rate) in [("inputs_per_piece", per_piece), ("pieces_per_second", per_second)] {
        let rate = rate.map(|rate| Mean::new(Some(rate), None, Method::T, pieces));
        found.means.extend(rate.map(|rate| (name.to_owned(), rate)));
    }
    let mean = |event, value: &dyn Fn(&GuidelineGameRow) -> u32| {
        let sums: PerGameSums = games.iter().map(|game| f64::from(value(game))).collect();
        sums.mean(LEVEL, event)
    };
    let points: [(&str, Value); 5] = [
        ("base", |game| game.points.base),
        ("b2b", |game| game.points.back_to_back),
        ("combo", |game| game.points.combo),
        ("perfect", |game| game.points.perfect),
        ("drop", |game| game.points.drop),
    ];
    for (name, value) in points {
        found.points_by.extend(mean(None, &value).map(|mean| (name.to_owned(), mean)));
    }
    for (name, spin, lines, _) in CLEARS {
        let mean = mean(Some(1.0), &|game| game.clears[spin][lines]);
        found.clears.extend(mean.map(|mean| (name.to_owned(), mean)));
    }
    let perfect = mean(Some(1.0), &|game| game.perfect_clears);
    found.clears.extend(perfect.map(|mean| ("perfect_clears".to_owned(), mean)));
    Some(found)
}

/// Returns the name of the column that comparisons use by default: `pieces` if `has_goal` is true
/// (a Sprint), otherwise `points`.
#[must_use]
pub fn main_measure(has_goal: bool) -> &'static str {
    if has_goal { "pieces" } else { "points" }
}

/// Returns the interpretation of a numeric column; `has_goal` is true for a Sprint.
///
/// For the costs of a Sprint, such as pieces and time, a smaller mean is better. The mean is the
/// cost of all Sprints, lost ones included, divided by the number of won ones. For all other
/// columns every game counts, and a greater mean is better.
#[must_use]
pub fn measure(has_goal: bool, column: &Column) -> Measure {
    const COSTS: [&str; 4] = ["pieces", "time_ms", "inputs", "holds"];
    // A cost counts until the Sprint is won. In other games, a larger number means a longer game.
    let is_cost = has_goal && COSTS.contains(&&*column.name);
    Measure {
        column: column.name.clone(),
        scale: if is_cost { Scale::Total } else { Scale::PerGame },
        better: if is_cost { Better::Fewer } else { Better::More },
        ended: is_cost.then_some(("end_reason", &["won"])),
    }
}

impl Comparable for GuidelineConfig {
    fn of_games(&self, games: u64) -> GuidelineConfig {
        GuidelineConfig { games, ..self.clone() }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn is_random(&self) -> bool {
        self.queue.is_random()
    }

    fn player_name(&self) -> String {
        self.controller.name.clone()
    }

    fn player_identity(&self) -> Value {
        match &self.bot {
            Some(bot) => json!(bot),
            None => json!(self.controller),
        }
    }

    /// Returns the label of the run: controller, mode, queue, search, policy and seed. The queue is
    /// left out if it is the bag, and the policy if it is `best`.
    fn label(&self) -> String {
        let (controller, mode, search) =
            (&self.controller.name, self.mode.name(), self.beam.name());
        let queue = match &self.queue {
            QueueKind::Bag => String::new(),
            other => format!("-{other}"),
        };
        let (garbage, policy) = (garbage_label(self.garbage), self.policy.label("-"));
        format!("{controller}-{mode}{garbage}{queue}-{search}{policy}-s{}", self.seed)
    }

    /// Returns `pieces` for a Sprint, which should take few pieces, otherwise `points`.
    fn main_measure(&self) -> &'static str {
        main_measure(self.mode.goal().is_some())
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(self.mode.goal().is_some(), column)
    }

    /// Gives the Parquet logs of a study's guideline runs common columns. The log of each run gets
    /// the columns of all runs' logs, and the number of the run's condition. Otherwise the columns
    /// would differ, because the runs differ in queues and controllers.
    fn join(conditions: &mut [(u64, &mut GuidelineConfig)]) {
        let columns = LogTable::ALL.map(|table| {
            all_columns(conditions.iter().filter_map(|(_, config)| {
                config.log.as_ref()?.shared_columns(table, &config.logged_games())
            }))
        });
        for (condition, config) in conditions {
            if let Some(log) = config.log.as_mut().filter(|log| log.format == LogFormat::Parquet) {
                let tables = StudyTables { condition: *condition, columns: columns.clone() };
                log.study = Some(Box::new(tables));
            }
        }
    }
}

/// Number of placements of a guideline game between two updates of the run's totals. After an
/// update, the state of the game may also be stored for a checkpoint.
const LOOK_EVERY: u32 = 1024;

/// One pass over a guideline game. A second pass is needed if the last placements of a game are
/// logged.
struct GamePass<'a, 'b> {
    context: &'a WorkerContext<'b, GuidelineConfig>,
    worker: &'a mut GuidelineWorker,
    /// Selection of the placements to log; `None` if this pass logs no placement.
    selection: Option<Selection>,
    /// True for the first pass over the game. Only this pass counts for the run's totals and stores
    /// the game for checkpoints.
    is_first: bool,
}

impl GamePass<'_, '_> {
    /// Plays `game` to its end and returns the result, or `None` if the run is stopped before.
    /// Between two states for checkpoints, at least the time `every` passes.
    fn play(&mut self, mut game: InPlay, every: Duration) -> Result<Option<GuidelineGameRow>> {
        let (mut reported, mut saved_at) = ((0, 0), Instant::now());
        loop {
            if self.context.stop().load(Ordering::Relaxed) {
                self.hand_over(&game);
                return Ok(None);
            }
            let GuidelineWorker { player, encoder, ranker } = &mut *self.worker;
            let selection = self.selection;
            let end = player.place_next(
                &mut game,
                &mut |seen, GuidelineDecision { state, outlook }| {
                    // Most placements are not selected, so the selection is checked before the row
                    // is built.
                    if selection.is_some_and(|selection| selection.keeps(seen.piece_no.into())) {
                        encoder.see(seen, || ranker.rank(state, outlook));
                    }
                },
            )?;
            if encoder.is_full() {
                for (place, rows) in encoder.logged().enumerate() {
                    self.context.rows(place + 1, rows);
                }
            }
            if end.is_some() || game.row().pieces.is_multiple_of(LOOK_EVERY) {
                self.tally(game.row(), &mut reported);
                if end.is_none() && saved_at.elapsed() >= every {
                    saved_at = Instant::now();
                    self.hand_over(&game);
                }
            }
            if let Some(end) = end {
                return Ok(Some(game.ended(end)));
            }
        }
    }

    /// Sends the state of `game` to the writer for the run's next checkpoint, unless placements of
    /// the game are logged or a bot plays it.
    fn hand_over(&self, game: &InPlay) {
        // A bot gets no more than the state at `start`. If it begins every game anew, what it
        // remembers of the game is the same in a resumed run.
        if self.is_first && self.selection.is_none() && !self.worker.player.has_bot() {
            self.context.open(game.clone());
        }
    }

    /// Adds the pieces and lines played since the last call to the run's totals. `reported`
    /// contains the pieces and lines of this game that were added so far.
    fn tally(&self, row: &GuidelineGameRow, reported: &mut (u64, u64)) {
        if self.is_first {
            let now = (row.pieces.into(), row.lines.into());
            self.context.totals().add(0, now.0 - reported.0, now.1 - reported.1);
            *reported = now;
        }
    }
}
