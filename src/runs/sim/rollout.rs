//! Rollouts: many games from each board of a log. They measure how dangerous a board is, and how
//! good each possible placement on it is.
//!
//! Game i from every board, and from every candidate placement, receives the same pieces (common
//! random numbers). A difference between two boards is therefore not due to luck of the pieces.

use serde_json::Value;

use crate::engine::{Described, Job, Manifest, NotResumable, WorkerContext};
use crate::error::setting::{
    EVERY, GARBAGE_EVERY, MAX_REPLICATES, PRECISION, QUEUE, REGRET, REPLICATES, SEARCH,
};
use crate::prelude::*;
use crate::record::{
    Estimated, GameRow, LABELS, LabelSource, LoggedBoard, LoggedBoards, ROLLOUT_TABLES,
    RolloutCandidateRow, RolloutEncoder, RolloutRow,
};
use crate::rules::Garbage;
use crate::search::{Player, Ranked};
use crate::sim::{ClassicConfig, Game, Snapshot, Unrecorded, play_game};
use crate::stats::{Interval, mean_interval, share_difference_interval, share_interval};

/// Largest allowed number of games simulated from one board or after one placement.
pub const MOST_REPLICATES: u64 = 1_000_000;

/// Configuration of rollouts: games simulated from each board of a log, to judge the board.
#[derive(Clone, Debug)]
pub struct RolloutConfig {
    /// Configuration of the simulated games; `games` is the number of boards, not of games.
    pub play: ClassicConfig,
    /// Boards of a log, from each of which games are simulated.
    pub boards: Arc<[LoggedBoard]>,
    /// SHA-256 checksum, in hexadecimal, of the log from which the boards come.
    pub log_sha256: String,
    /// Number of placements in the log from one sampled board to the next.
    pub every: u64,
    /// Number of games simulated from each board, and after each placement to be compared.
    pub replicates: u64,
    /// Largest number of games after a placement; only placements that may be best get so many.
    pub max_replicates: u64,
    /// Relative standard error of the mean lines at which a placement gets no more simulated games;
    /// `None` for no such limit.
    pub precision: Option<f64>,
    /// True if games are also simulated after each legal placement of a board's next piece.
    pub candidates: bool,
    /// Number and seed of the study setting (condition) whose boards get labels. If set, games
    /// start only after candidate placements, and only labels are written.
    pub labels_of: Option<(u64, u64)>,
}

/// Configuration of rollouts (games simulated from a log's boards) as stored in `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RolloutEntry {
    game: String,
    log_sha256: String,
    every: u64,
    /// Number of boards from which games are simulated, over all parts (shards) of the run.
    pub boards: u64,
    /// Number of games simulated from each board of a log.
    pub replicates: u64,
    /// Largest number of games after one placement; `None` if all placements get equally many.
    max_replicates: Option<u64>,
    precision: Option<f64>,
    /// Number of pieces after which a simulated game is cut off; 0 for no limit.
    pub horizon: u64,
    candidates: bool,
    condition: Option<u64>,
    shard: Option<Shard>,
    pub(super) play: ClassicConfig,
}

impl RolloutConfig {
    /// Value of the field `game` in a stored configuration of rollouts (games from a log's boards).
    pub const GAME: &str = "rollout";

    /// Creates rollouts: `replicates` games with the settings `play` from each board in `logged`.
    #[must_use]
    pub fn new(
        play: ClassicConfig,
        logged: LoggedBoards,
        every: u64,
        replicates: u64,
    ) -> RolloutConfig {
        // Games continue from the boards of a log. Rows that enter are kept, and refused later.
        let garbage = Garbage { rows: 0, messiness: None, ..play.garbage };
        let config = RolloutConfig {
            play: ClassicConfig { start: None, garbage, ..play },
            boards: Arc::default(),
            log_sha256: String::new(),
            every,
            replicates,
            max_replicates: replicates,
            precision: None,
            candidates: false,
            labels_of: None,
        };
        config.with_boards(logged)
    }

    /// Returns the same configuration of rollouts with the boards of another log.
    #[must_use]
    pub fn with_boards(mut self, logged: LoggedBoards) -> RolloutConfig {
        self.play.games = logged.boards.len() as u64;
        (self.boards, self.log_sha256) = (logged.boards.into(), logged.sha256);
        self
    }

    /// Checks the boards and settings of rollouts (games simulated from a log's boards).
    pub fn validate(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.boards.is_empty() {
            return fail(&format!("the log has no board to continue from: give a smaller {EVERY}"));
        }
        if self.candidates && self.boards.iter().all(|board| board.next.is_none()) {
            return fail(&format!(
                "{REGRET} needs the piece that came next, which a log with {EVERY} lacks: log \
                 every placement"
            ));
        }
        self.validate_settings()
    }

    /// Checks the settings of rollouts that do not depend on the log's boards.
    pub fn validate_settings(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.play.garbage.every.is_some() {
            return fail(&format!(
                "the boards of a log do not show the garbage rows that enter: label games without \
                 {GARBAGE_EVERY}"
            ));
        }
        if self.replicates < 2 {
            return fail(&format!(
                "replicates {}: an interval needs at least 2, for example {REPLICATES} 100",
                self.replicates
            ));
        }
        if self.max_replicates > MOST_REPLICATES {
            return fail(&format!(
                "{REPLICATES} or {MAX_REPLICATES} {}: give at most {MOST_REPLICATES}",
                self.max_replicates
            ));
        }
        if self.max_replicates < self.replicates {
            return fail(&format!(
                "{MAX_REPLICATES} {} is less than {REPLICATES} {}: give a greater one",
                self.max_replicates, self.replicates
            ));
        }
        if self.precision.is_some_and(|precision| !(0.0..1.0).contains(&precision)) {
            return fail(&format!(
                "{PRECISION} is a share of the mean lines: give 0.03, for example"
            ));
        }
        if !self.play.queue.is_random() {
            return fail(&format!(
                "the run's queue deals all games the same pieces: give another, for example \
                 {QUEUE} uniform"
            ));
        }
        if self.candidates && self.play.search == Search::Next {
            let what = self.labels_of.map_or(REGRET.to_string(), |_| "a label".to_owned());
            return fail(&format!(
                "{what} decides without knowing the next piece: give {SEARCH} greedy or expect"
            ));
        }
        // The number of games is that of the boards, which may not be known yet.
        ClassicConfig { games: self.play.games.max(1), ..self.play.clone() }.validate()
    }

    /// Returns the configuration of the rollouts as stored in `run.json`.
    #[must_use]
    pub fn recorded_config(&self) -> RolloutEntry {
        let play = ClassicConfig { shard: None, ..self.play.clone() };
        RolloutEntry {
            game: RolloutConfig::GAME.to_owned(),
            log_sha256: self.log_sha256.clone(),
            every: self.every,
            boards: self.play.games,
            replicates: self.replicates,
            max_replicates: Some(self.max_replicates).filter(|max| *max != self.replicates),
            precision: self.precision,
            horizon: self.play.limits.pieces.unwrap_or_default(),
            candidates: self.candidates,
            condition: self.labels_of.map(|(condition, _)| condition),
            shard: self.play.shard,
            play,
        }
    }
}

const LEVEL: f64 = 0.95;
/// Confidence level of the intervals that decide which placements get more simulated games.
const RACE_LEVEL: f64 = 0.99;

#[derive(Clone, Copy, Debug)]
struct RolloutGame {
    died: bool,
    lines: u64,
    pieces: u64,
}

/// Results of the games simulated from one board; the i-th games of all boards get equal pieces.
struct RolloutResults(Vec<RolloutGame>);

impl RolloutResults {
    /// Simulates games from a board after `lines` removed lines; `None` if stopped.
    fn play(
        config: &RolloutConfig,
        player: &mut Player,
        (board, lines): (Board, u64),
        replicates: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<Option<RolloutResults>> {
        let mut endings = Vec::with_capacity((replicates.end - replicates.start) as usize);
        for replicate in replicates {
            // The stream depends on the replicate but not on the board, so all boards have common
            // random numbers.
            let game = Snapshot { board, ..config.play.begin(config.play.seed, replicate) };
            let Ok(row) = play_game(&config.play, player, game, stop, &mut Unrecorded)? else {
                return Ok(None);
            };
            let died = !row.end_reason.is_censored();
            endings.push(RolloutGame { died, lines: lines + row.lines, pieces: row.pieces });
        }
        Ok(Some(RolloutResults(endings)))
    }

    #[cfg(test)]
    fn of_games(games: Vec<RolloutGame>) -> RolloutResults {
        RolloutResults(games)
    }

    fn lost(replicates: u64, lines: u64) -> RolloutResults {
        // The number of pieces is 0, because the candidate's own piece does not count in other
        // games either.
        let ending = RolloutGame { died: true, lines, pieces: 0 };
        RolloutResults(vec![ending; replicates as usize])
    }

    fn extend(&mut self, more: RolloutResults) {
        self.0.extend(more.0);
    }

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn deaths(&self) -> u64 {
        self.0.iter().filter(|ending| ending.died).count() as u64
    }

    fn pieces(&self) -> u64 {
        self.0.iter().map(|ending| ending.pieces).sum()
    }

    fn p_death(&self) -> Estimated {
        let interval = share_interval(self.deaths(), self.len(), LEVEL);
        estimated(self.deaths() as f64 / self.len() as f64, interval)
    }

    fn lines(&self) -> Estimated {
        mean(self.0.iter().map(|ending| ending.lines as f64), LEVEL)
    }

    fn p_death_standard_error(&self) -> f64 {
        let share = self.p_death().value;
        (share * (1.0 - share) / self.len() as f64).sqrt()
    }

    fn lines_standard_error(&self) -> f64 {
        let mean = self.lines().value;
        let squares = self.0.iter().map(|ending| (ending.lines as f64 - mean).powi(2)).sum::<f64>();
        (squares / (self.len() as f64 - 1.0) / self.len() as f64).sqrt()
    }

    fn is_precise(&self, precision: f64) -> bool {
        self.lines_standard_error() <= precision * self.lines().value
    }

    fn has_clearly_fewer_lines(&self, leader: &RolloutResults) -> bool {
        self.lines_difference_at_level(leader, RACE_LEVEL).high < 0.0
    }

    fn death_difference(&self, other: &RolloutResults) -> Estimated {
        let (mut more, mut less) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            more += u64::from(own.died && !other.died);
            less += u64::from(other.died && !own.died);
        }
        let pairs = self.len().min(other.len());
        let value = (more as f64 - less as f64) / pairs as f64;
        estimated(value, share_difference_interval(more, less, pairs, LEVEL))
    }

    fn lines_difference(&self, other: &RolloutResults) -> Estimated {
        self.lines_difference_at_level(other, LEVEL)
    }

    fn lines_difference_at_level(&self, other: &RolloutResults, level: f64) -> Estimated {
        let pairs = self.0.iter().zip(&other.0);
        mean(pairs.map(|(own, other)| own.lines as f64 - other.lines as f64), level)
    }
}

fn mean(values: impl Iterator<Item = f64>, level: f64) -> Estimated {
    let (mut sum, mut squares, mut n) = (0.0, 0.0, 0);
    for value in values {
        (sum, squares, n) = (sum + value, squares + value * value, n + 1);
    }
    estimated(sum / n as f64, mean_interval(sum, squares, n, level))
}

fn estimated(value: f64, interval: Option<Interval>) -> Estimated {
    let low = interval.map_or(f64::NAN, |interval| interval.low);
    let high = interval.and_then(|interval| interval.high).unwrap_or(f64::NAN);
    Estimated { value, low, high }
}

/// Totals of a run of rollouts (games simulated from a log's boards), as stored in `run.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolloutTotals {
    /// Number of boards from which games were simulated.
    pub boards: u64,
    /// Number of games simulated from the boards themselves, not after candidate placements.
    pub continuations: u64,
    /// Number of games simulated from the boards that were lost before the limit of pieces.
    pub deaths: u64,
    /// Number of pieces placed in all simulated games, including those after candidate placements.
    pub pieces: u64,
}

/// First number of the games whose only purpose is to decide which placements get more games.
const FIRST_DECIDING_GAME: u64 = 1 << 40;

type Candidates = Vec<(Ranked, RolloutResults)>;

/// Player of simulated games and encoder of their table rows, for one worker thread.
pub struct Worker {
    player: Player,
    encoder: RolloutEncoder,
}

impl RolloutConfig {
    fn encoder(&self) -> RolloutEncoder {
        match self.labels_of {
            Some(_) => RolloutEncoder::labels(),
            None => RolloutEncoder::new(self.candidates),
        }
    }

    /// Simulates games after each legal placement of a board's next piece; `None` if stopped.
    fn candidates(
        &self,
        player: &mut Player,
        start: &LoggedBoard,
        context: &WorkerContext<RolloutConfig>,
    ) -> Result<Option<(Candidates, u64)>> {
        let Some(piece) = start.next else { return Ok(Some((Vec::new(), 0))) };
        let ranking: Vec<Ranked> = player.rank(&start.board, piece, None).into_iter().collect();
        player.check_external()?;
        let mut games = |index: usize, replicates: Range<u64>| {
            // The games start after the candidate's placement, so the rows that this placement
            // removes must be added for the comparison.
            let ranked = &ranking[index];
            let (after, lines) = (ranked.outcome.after, u64::from(ranked.outcome.played.lines));
            if ranked.outcome.lost {
                // All candidates must have the same number of endings, so that differences can be
                // taken pair by pair.
                return Ok(Some(RolloutResults::lost(replicates.end - replicates.start, lines)));
            }
            RolloutResults::play(self, player, (after, lines), replicates, context.stop())
        };
        let Some((results, pieces)) = self.race(ranking.len(), &mut games)? else {
            return Ok(None);
        };
        Ok(Some((ranking.into_iter().zip(results).collect(), pieces)))
    }

    /// Simulates games after each candidate placement, more after those that may be best. Games
    /// that decide this would bias the results, so only their number of pieces is returned.
    fn race(
        &self,
        candidates: usize,
        games: &mut impl FnMut(usize, Range<u64>) -> Result<Option<RolloutResults>>,
    ) -> Result<Option<(Vec<RolloutResults>, u64)>> {
        let mut counts = vec![self.replicates; candidates];
        let mut pieces = 0;
        if self.max_replicates > self.replicates {
            let deciding = |games: Range<u64>| {
                FIRST_DECIDING_GAME + games.start..FIRST_DECIDING_GAME + games.end
            };
            let mut all = Vec::with_capacity(candidates);
            for index in 0..candidates {
                let Some(results) = games(index, deciding(0..self.replicates))? else {
                    return Ok(None);
                };
                all.push(results);
            }
            let mut played = self.replicates;
            while played < self.max_replicates {
                let contenders = self.contenders(&all, played);
                if contenders.is_empty() {
                    break;
                }
                let more = played..self.max_replicates.min(2 * played);
                played = more.end;
                for index in contenders {
                    let Some(further) = games(index, deciding(more.clone()))? else {
                        return Ok(None);
                    };
                    all[index].extend(further);
                }
            }
            counts = all.iter().map(RolloutResults::len).collect();
            pieces = all.iter().map(RolloutResults::pieces).sum();
        }
        let mut results = Vec::with_capacity(candidates);
        for (index, count) in counts.into_iter().enumerate() {
            let Some(played) = games(index, 0..count)? else { return Ok(None) };
            results.push(played);
        }
        Ok(Some((results, pieces)))
    }

    /// Returns the placements after which to simulate more games; none if the best is clear.
    fn contenders(&self, all: &[RolloutResults], played: u64) -> Vec<usize> {
        let lines = |&a: &usize, &b: &usize| all[a].lines().value.total_cmp(&all[b].lines().value);
        let Some(leader) = (0..all.len()).max_by(lines) else { return Vec::new() };
        let mut contenders: Vec<usize> =
            (0..all.len()).filter(|&k| !all[k].has_clearly_fewer_lines(&all[leader])).collect();
        if contenders.len() < 2 {
            return Vec::new();
        }
        let is_precise = |k: usize| self.precision.is_some_and(|goal| all[k].is_precise(goal));
        contenders.retain(|&k| all[k].len() == played && !is_precise(k));
        contenders
    }

    fn candidate_rows(
        &self,
        player: &mut Player,
        start: &LoggedBoard,
        all: &[(Ranked, RolloutResults)],
    ) -> Vec<RolloutCandidateRow> {
        let Some(piece) = start.next else { return Vec::new() };
        let chosen = player
            .decide(&start.board, piece, None)
            .map(|decision| decision.outcome.played.candidate);
        let index =
            all.iter().position(|(ranked, _)| Some(ranked.outcome.played.candidate) == chosen);
        let Some((index, (_, best))) = index.map(|index| (index, &all[index])) else {
            return Vec::new();
        };
        let scale = player.scorer().scale();
        let source = self.labels_of.map(|(condition, seed)| LabelSource {
            condition,
            stream_seed: GameRow::new(start.game, seed).stream_seed,
        });
        let row =
            |(number, (ranked, results)): (usize, &(Ranked, RolloutResults))| RolloutCandidateRow {
                game: start.game,
                piece_no: start.piece_no + 1,
                board: start.board,
                source,
                piece,
                candidate: number as u64 + 1,
                placement: ranked.outcome.played.candidate.placement,
                chosen: number == index,
                lost: ranked.outcome.lost,
                score: ranked.value.score(scale),
                p_death: results.p_death().value,
                lines_mean: results.lines().value,
                death_difference: results.death_difference(best),
                lines_difference: results.lines_difference(best),
                replicates: results.len(),
                p_death_se: results.p_death_standard_error(),
                lines_se: results.lines_standard_error(),
            };
        all.iter().enumerate().map(row).collect()
    }
}

impl Described for RolloutConfig {
    type Entry = RolloutEntry;
    type Totals = RolloutTotals;
    type Summary = ();

    fn describe(manifest: &Manifest<RolloutConfig>) -> [String; 3] {
        let Manifest { config, totals, status, .. } = manifest;
        let RolloutEntry { replicates, horizon, play, .. } = config;
        let (boards, controller, seed) = (totals.boards, &play.controller.name, play.seed);
        let mut text = format!(
            "From each of {boards} boards of a log {controller} played {replicates} games of at \
             most {horizon} pieces; the r-th game from every board was dealt the same pieces, so \
             that rows are not independent of each other. `run.json` has the whole configuration."
        );
        if *status != Status::Complete {
            text += " The run is incomplete: boards are missing.";
        }
        [
            format!("tetrastat-label-{boards}-boards-0x{seed:016x}"),
            format!("{boards} boards played on from by {controller}"),
            text,
        ]
    }

    fn sources(entry: &RolloutEntry) -> Vec<Value> {
        Game::sources(&entry.play)
    }
}

impl Job for RolloutConfig {
    const OF: &'static str = "a run of rollouts";
    const NAME: &'static str = RolloutConfig::GAME;

    type Player = Worker;
    type ItemResult = RolloutTotals;
    type Resumable = NotResumable;
    type Count = RolloutTotals;

    fn check(&self) -> Result<()> {
        self.validate()
    }

    fn recorded_config(&self) -> RolloutEntry {
        self.recorded_config()
    }

    fn tables(&self) -> Vec<TableSpec> {
        let columns = self.encoder().columns();
        if self.labels_of.is_some() {
            let spec = |columns| TableSpec::new(LABELS, LogFormat::Parquet, columns);
            return columns.into_iter().map(spec).collect();
        }
        let spec = |(name, columns): (&&str, _)| TableSpec::new(name, LogFormat::Csv, columns);
        ROLLOUT_TABLES.iter().zip(columns).map(spec).collect()
    }

    fn threads(&self) -> usize {
        self.play.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.play.checkpoint_every
    }

    fn level(&self) -> Option<String> {
        Some(self.play.level.to_string())
    }

    fn work_items(&self) -> Range<u64> {
        self.play.game_range()
    }

    fn number_of(open: &NotResumable) -> u64 {
        match *open {}
    }

    fn player(&self) -> Result<Worker> {
        Ok(Worker { player: Game::player(&self.play)?, encoder: self.encoder() })
    }

    fn play(
        &self,
        Worker { player, encoder }: &mut Worker,
        item: u64,
        _: Option<NotResumable>,
        context: &WorkerContext<RolloutConfig>,
    ) -> Result<Option<(RolloutTotals, Vec<Rows>)>> {
        let start = &self.boards[item as usize];
        let replicates = if self.labels_of.is_some() { 0..0 } else { 0..self.replicates };
        let results =
            RolloutResults::play(self, player, (start.board, 0), replicates, context.stop())?;
        let Some(results) = results else { return Ok(None) };
        let candidates = if self.candidates {
            self.candidates(player, start, context)?
        } else {
            Some((Vec::new(), 0))
        };
        let Some((candidates, deciding)) = candidates else { return Ok(None) };
        let rows = self.candidate_rows(player, start, &candidates);
        let (continuations, deaths) = (results.len(), results.deaths());
        let after = candidates.iter().map(|(_, after)| after.pieces()).sum::<u64>();
        let pieces = results.pieces() + after + deciding;
        let row = RolloutRow {
            game: start.game,
            piece_no: start.piece_no,
            board: start.board,
            replicates: continuations,
            deaths,
            p_death: results.p_death(),
            lines: results.lines(),
            pieces_mean: results.pieces() as f64 / continuations as f64,
        };
        // The progress display of rollouts does not show lines.
        context.totals().add(1, pieces, 0);
        let totals = RolloutTotals { boards: 1, continuations, deaths, pieces };
        Ok(Some((totals, encoder.rows(&row, &rows))))
    }

    fn take(
        &self,
        count: &mut RolloutTotals,
        _: u64,
        item: RolloutTotals,
        _: &mut Vec<Rows>,
    ) -> bool {
        count.boards += item.boards;
        count.continuations += item.continuations;
        count.deaths += item.deaths;
        count.pieces += item.pieces;
        true
    }

    fn totals(count: &RolloutTotals) -> RolloutTotals {
        *count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;
    use crate::controller::Controller;
    use crate::record::LoggedBoards;
    use crate::rng::{Purpose, Stream};
    use crate::sim::ClassicConfig;

    fn results(endings: &[(bool, u64)]) -> RolloutResults {
        let ending = |&(died, lines)| RolloutGame { died, lines, pieces: 10 };
        RolloutResults(endings.iter().map(ending).collect())
    }

    // By hand, with half a game added to each outcome: the difference is (1.5 - 0.5) / 6, with
    // standard error sqrt((2 / 6 - 1 / 36) / 6) = 0.225668.
    #[test]
    fn differences_are_of_games_on_the_same_pieces() {
        let here = results(&[(true, 1), (true, 2), (false, 3), (false, 4)]);
        let there = results(&[(false, 3), (true, 2), (false, 3), (false, 4)]);
        let death = here.death_difference(&there);
        assert!((death.value - 0.25).abs() < 1e-12 && (death.high - 0.608_967).abs() < 1e-6);
        let lines = here.lines_difference(&there);
        assert!((lines.value + 0.5).abs() < 1e-12 && (lines.low + 1.479_982).abs() < 1e-6);
        assert_eq!((here.deaths(), here.pieces(), here.p_death().value), (2, 40, 0.5));
        assert!((here.death_difference(&here).low + 0.326_661).abs() < 1e-6);
        // The numbers of lines 1, 2, 3 and 4 have the sample variance 5 / 3. A share of 1 / 2 has
        // the variance 1 / 2 * (1 - 1 / 2) = 1 / 4.
        assert!((here.lines_standard_error() - f64::sqrt(5.0 / 12.0)).abs() < 1e-12);
        assert!((here.p_death_standard_error() - 0.25).abs() < 1e-12);
        // With fewer games on one side, only the games with the same pieces are compared.
        assert_eq!(results(&[(true, 1)]).lines_difference(&there).value, -2.0);
        assert_eq!(results(&[(true, 1)]).death_difference(&there).value, 1.0);
        assert!(!here.has_clearly_fewer_lines(&there));
        assert!(results(&[(false, 1), (false, 1)]).has_clearly_fewer_lines(&there));
        let lost = RolloutResults::lost(3, 2);
        assert_eq!(
            (lost.p_death().value, lost.lines().value, lost.lines_standard_error()),
            (1.0, 2.0, 0.0)
        );
    }

    // Invented games with mean lines 300, 294, 288 and 282 and standard deviation 16, so the race
    // stops many candidates at 20 games by chance. Means differ from the true ones by at most 4
    // standard errors (one false alarm in 8,000 seeds).
    #[test]
    fn games_that_decide_on_a_race_are_not_in_its_means() {
        let size = BoardSize::new(10, 20).unwrap();
        let play = ClassicConfig::new(Controller::load("bcts").unwrap(), size);
        let logged = LoggedBoards { boards: Vec::new(), file: "log".into(), sha256: String::new() };
        let config =
            RolloutConfig { max_replicates: 160, ..RolloutConfig::new(play, logged, 1, 20) };
        // Of the candidates that stop at 20 games, and of all others: number of candidates, and
        // sums of the differences from the truth in standard errors.
        let mut groups = [(0, 0.0); 2];
        for board in 0..250u64 {
            let mut games = |index: usize, numbers: Range<u64>| {
                let game = |number: u64| {
                    let mut stream = Stream::new(board * 4 + index as u64, Purpose::Queue, number);
                    let bits: u32 = (0..4).map(|_| stream.bits().count_ones()).sum();
                    // The number of set bits among 256 has the mean 128 and the deviation 8.
                    let lines = 300 - 6 * index as u64 + 2 * u64::from(bits) - 256;
                    RolloutGame { died: true, lines, pieces: 1 }
                };
                Ok(Some(RolloutResults::of_games(numbers.map(game).collect())))
            };
            let (results, _) = config.race(4, &mut games).unwrap().unwrap();
            for (index, results) in results.iter().enumerate() {
                let (games, truth) = (results.len(), 300.0 - 6.0 * index as f64);
                let (count, sum) = &mut groups[usize::from(games > 20)];
                *count += 1;
                *sum += (results.lines().value - truth) * (games as f64).sqrt() / 16.0;
            }
        }
        for (count, sum) in groups {
            assert!(count > 100, "{groups:?}");
            assert!((sum / f64::from(count).sqrt()).abs() < 4.0, "{groups:?}");
        }
    }
}
