//! Implements runs of rollouts for the run engine ([`crate::engine`]). A work item is one board of
//! the log, with all games from it.

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outlook::RolloutResults;
use super::{RolloutConfig, RolloutEntry};
use crate::engine::{Described, Job, Manifest, NotResumable, WorkerContext};
use crate::error::Result;
use crate::record::{
    GameRow, LABELS, LabelSource, LogFormat, LoggedBoard, ROLLOUT_TABLES, RolloutCandidateRow,
    RolloutEncoder, RolloutRow, Rows, Status, TableSpec,
};
use crate::search::{Player, Ranked};
use crate::sim::Game;

/// Totals of a run of rollouts, as stored in `run.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolloutTotals {
    /// Number of boards from which games were played.
    pub boards: u64,
    /// Number of games from the boards, without the games after candidate placements.
    pub continuations: u64,
    /// Number of the games in `continuations` that ended within the horizon.
    pub deaths: u64,
    /// Number of pieces placed in all games, including those after candidate placements.
    pub pieces: u64,
}

/// Number of the first game that only decides on numbers of games. Results have lower numbers.
const FIRST_DECIDING: u64 = 1 << 40;

/// Candidate placements with the results of the games after each.
type Candidates = Vec<(Ranked, RolloutResults)>;

/// Player and row encoder of one worker thread.
pub struct Worker {
    player: Player,
    encoder: RolloutEncoder,
}

impl RolloutConfig {
    /// Returns the encoder of the rows of the run's tables.
    fn encoder(&self) -> RolloutEncoder {
        match self.labels_of {
            Some(_) => RolloutEncoder::labels(),
            None => RolloutEncoder::new(self.candidates),
        }
    }

    /// Plays games after each placement of the next piece on the board `start`. Returns each
    /// placement with its games' results, and the number of pieces that deciding on the numbers of
    /// games took. Returns `None` if the run is stopped.
    fn candidates(
        &self,
        player: &mut Player,
        start: &LoggedBoard,
        context: &WorkerContext<RolloutConfig>,
    ) -> Result<Option<(Candidates, u64)>> {
        let Some(piece) = start.next else { return Ok(Some((Vec::new(), 0))) };
        let ranking: Vec<Ranked> = player.rank(&start.board, piece, None).into_iter().collect();
        player.check_external()?;
        let mut games = |place: usize, replicates: Range<u64>| {
            // The games start after the candidate's placement, so the rows that this placement
            // removes must be added for the comparison.
            let ranked = &ranking[place];
            let (after, lines) = (ranked.outcome.after, u64::from(ranked.outcome.played.lines));
            if ranked.outcome.lost {
                // All candidates must have the same number of endings, so that differences can be
                // taken pair by pair.
                return Ok(Some(RolloutResults::lost(replicates.end - replicates.start, lines)));
            }
            RolloutResults::of(self, player, (after, lines), replicates, context.stop())
        };
        let Some((results, pieces)) = self.race(ranking.len(), &mut games)? else {
            return Ok(None);
        };
        Ok(Some((ranking.into_iter().zip(results).collect(), pieces)))
    }

    /// Returns the results of each of `candidates` candidates, and the number of pieces in the
    /// games that decided on the numbers of games. `games` plays the games with the given numbers
    /// after a candidate, and returns `None` if the run is stopped.
    ///
    /// Games that decide who plays on would make the mean of candidates that stopped early too low,
    /// and the mean of the others too high. The results are therefore of other games.
    fn race(
        &self,
        candidates: usize,
        games: &mut impl FnMut(usize, Range<u64>) -> Result<Option<RolloutResults>>,
    ) -> Result<Option<(Vec<RolloutResults>, u64)>> {
        let mut counts = vec![self.replicates; candidates];
        let mut pieces = 0;
        if self.max_replicates > self.replicates {
            let deciding =
                |games: Range<u64>| FIRST_DECIDING + games.start..FIRST_DECIDING + games.end;
            let mut all = Vec::with_capacity(candidates);
            for place in 0..candidates {
                let Some(results) = games(place, deciding(0..self.replicates))? else {
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
                for place in contenders {
                    let Some(further) = games(place, deciding(more.clone()))? else {
                        return Ok(None);
                    };
                    all[place].extend(further);
                }
            }
            counts = all.iter().map(RolloutResults::len).collect();
            pieces = all.iter().map(RolloutResults::pieces).sum();
        }
        let mut results = Vec::with_capacity(candidates);
        for (place, count) in counts.into_iter().enumerate() {
            let Some(played) = games(place, 0..count)? else { return Ok(None) };
            results.push(played);
        }
        Ok(Some((results, pieces)))
    }

    /// Returns the indices of the candidates with `played` games that need more: those that may
    /// have the most lines, with a mean that is not precise yet. Returns no index if the best
    /// candidate is clear.
    fn contenders(&self, all: &[RolloutResults], played: u64) -> Vec<usize> {
        let lines = |&a: &usize, &b: &usize| all[a].lines().value.total_cmp(&all[b].lines().value);
        let Some(leader) = (0..all.len()).max_by(lines) else { return Vec::new() };
        let mut contenders: Vec<usize> =
            (0..all.len()).filter(|&k| !all[k].is_behind(&all[leader])).collect();
        if contenders.len() < 2 {
            return Vec::new();
        }
        let is_precise = |k: usize| self.precision.is_some_and(|goal| all[k].is_precise(goal));
        contenders.retain(|&k| all[k].len() == played && !is_precise(k));
        contenders
    }

    /// Returns one table row for each candidate placement in `all`, compared with the controller's
    /// choice on the board `start`.
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
        let place =
            all.iter().position(|(ranked, _)| Some(ranked.outcome.played.candidate) == chosen);
        let Some((place, (_, best))) = place.map(|place| (place, &all[place])) else {
            return Vec::new();
        };
        let scale = player.scorer().scale();
        let source = self.labels_of.map(|(condition, seed)| LabelSource {
            condition,
            stream_seed: GameRow::new(start.game, seed).stream_seed,
        });
        let row =
            |(number, (ranked, outlook)): (usize, &(Ranked, RolloutResults))| RolloutCandidateRow {
                game: start.game,
                piece_no: start.piece_no + 1,
                board: start.board,
                source,
                piece,
                candidate: number as u64 + 1,
                placement: ranked.outcome.played.candidate.placement,
                chosen: number == place,
                lost: ranked.outcome.lost,
                score: ranked.value.score(scale),
                p_death: outlook.p_death().value,
                lines_mean: outlook.lines().value,
                death_difference: outlook.death_difference(best),
                lines_difference: outlook.lines_difference(best),
                replicates: outlook.len(),
                p_death_se: outlook.p_death_error(),
                lines_se: outlook.lines_error(),
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

    fn entry(&self) -> RolloutEntry {
        self.entry()
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
        let outlook =
            RolloutResults::of(self, player, (start.board, 0), replicates, context.stop())?;
        let Some(outlook) = outlook else { return Ok(None) };
        let candidates = if self.candidates {
            self.candidates(player, start, context)?
        } else {
            Some((Vec::new(), 0))
        };
        let Some((candidates, deciding)) = candidates else { return Ok(None) };
        let rows = self.candidate_rows(player, start, &candidates);
        let (continuations, deaths) = (outlook.len(), outlook.deaths());
        let after = candidates.iter().map(|(_, after)| after.pieces()).sum::<u64>();
        let pieces = outlook.pieces() + after + deciding;
        let row = RolloutRow {
            game: start.game,
            piece_no: start.piece_no,
            board: start.board,
            replicates: continuations,
            deaths,
            p_death: outlook.p_death(),
            lines: outlook.lines(),
            pieces_mean: outlook.pieces() as f64 / continuations as f64,
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
    use super::super::outlook::RolloutGame;
    use super::*;
    use crate::board::BoardSize;
    use crate::controller::Controller;
    use crate::record::LoggedBoards;
    use crate::rng::{Purpose, Stream};
    use crate::sim::ClassicConfig;

    /// Plays invented games with 1,000 candidates in groups of four, whose mean lines are 300, 294,
    /// 288 and 282 and whose standard deviation is 16. Means of 20 games have a standard error of
    /// 3.6, so the race stops many candidates at 20 games by chance. Neither the candidates that
    /// stop early nor those that play on may be off the truth by more than 4 standard errors (one
    /// false alarm in 8,000 seeds).
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
            let mut games = |place: usize, numbers: Range<u64>| {
                let game = |number: u64| {
                    let mut stream = Stream::new(board * 4 + place as u64, Purpose::Queue, number);
                    let bits: u32 = (0..4).map(|_| stream.bits().count_ones()).sum();
                    // The number of set bits among 256 has the mean 128 and the deviation 8.
                    let lines = 300 - 6 * place as u64 + 2 * u64::from(bits) - 256;
                    RolloutGame { died: true, lines, pieces: 1 }
                };
                Ok(Some(RolloutResults::of_games(numbers.map(game).collect())))
            };
            let (results, _) = config.race(4, &mut games).unwrap().unwrap();
            for (place, results) in results.iter().enumerate() {
                let (games, truth) = (results.len(), 300.0 - 6.0 * place as f64);
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
