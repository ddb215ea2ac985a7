//! Runs of any [`Game`] on the run engine ([`crate::engine`]): rows, checkpoints, totals, and
//! sampled placements for display.

use std::slice;
use std::time::Instant;

use serde_json::Value;

use super::game::{Game, GameTotals, Recorder, play_game};
use crate::engine::{About, Comparable, Described, Job, Manifest, Measure, WorkerContext};
use crate::prelude::*;
use crate::record::{LogTable, RowBuilder, Selection, StudyTables, all_columns, columns, rows_of};
use crate::stats::Summary;

type Encoders<G> =
    (Option<RowEncoder<<G as Game>::Placement>>, Option<RowEncoder<<G as Game>::Candidate>>);

fn encoders<G: Game>(game: &G) -> Result<Encoders<G>> {
    let Some(log) = game.log() else { return Ok((None, None)) };
    let mut placements = log.placements.then(|| game.placements(&log.columns)).transpose()?;
    let mut candidates = log.candidates.then(|| game.candidates(&log.columns)).transpose()?;
    if let Some(StudyTables { condition, columns: [of_placements, of_candidates] }) =
        log.study.as_deref()
    {
        placements.iter_mut().for_each(|one| one.join_study(*condition, of_placements));
        candidates.iter_mut().for_each(|one| one.join_study(*condition, of_candidates));
    }
    Ok((placements, candidates))
}

fn log_columns<G: Game>(game: &G) -> [Option<Vec<Column>>; 2] {
    // The settings were checked, so the encoders exist.
    let (placements, candidates) = encoders(game).unwrap_or_default();
    [placements.map(|one| one.columns()), candidates.map(|one| one.columns())]
}

/// Builders of table rows (games, placements and candidates) for one worker thread.
pub struct RowBuilders<G: Game> {
    games: Vec<Field<G::Row>>,
    placements: Option<RowBuilder<G::Placement>>,
    /// Player that ranks the candidate placements, and builder of the rows of their log.
    candidates: Option<(G::Player, RowBuilder<G::Candidate>)>,
}

impl<G: Game> RowBuilders<G> {
    /// Creates empty builders of rows for the tables that a run writes.
    pub fn new(game: &G) -> Result<RowBuilders<G>> {
        let level = game.plan().level.unwrap_or(Level::SCALAR);
        let (placements, candidates) = encoders(game)?;
        let ranker = candidates.map(|one| Ok::<_, Error>((game.player()?, one.rows(level))));
        Ok(RowBuilders {
            games: G::game_fields(),
            placements: placements.map(|encoder| encoder.rows(level)),
            candidates: ranker.transpose()?,
        })
    }

    fn rank(&mut self, game: &G, placement: &G::Placement, context: G::Context<'_>) {
        if let Some((ranker, rows)) = &mut self.candidates {
            game.rank(ranker, placement, context, &mut |candidate| rows.push(candidate));
        }
    }

    /// Adds the row of a placement to the log, if placements are logged.
    pub fn push(&mut self, placement: &G::Placement) {
        if let Some(rows) = &mut self.placements {
            rows.push(placement.clone());
        }
    }

    /// Returns true if enough log rows are collected to be written as a block.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.placements.as_ref().is_some_and(RowBuilder::is_full)
            || self.candidates.as_ref().is_some_and(|(_, rows)| rows.is_full())
    }

    /// Removes and returns the collected log rows: first of placements, then of candidates.
    pub fn logged(&mut self) -> impl Iterator<Item = Rows> {
        let placements = self.placements.as_mut().map(RowBuilder::take);
        let candidates = self.candidates.as_mut().map(|(_, rows)| rows.take());
        [placements, candidates].into_iter().flatten()
    }

    /// Returns a finished game's row for the table of games, followed by its remaining log rows.
    #[must_use]
    pub fn end(&mut self, row: &G::Row) -> Vec<Rows> {
        [rows_of(&self.games, slice::from_ref(row))].into_iter().chain(self.logged()).collect()
    }
}

/// Results of a run's games that ended or were cut off.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PlayedGames<G: Game> {
    /// Results of the finished games, sorted by the games' numbers once the run has ended.
    pub games: G::Games,
    /// Number of games that ended or reached a limit.
    pub ended: u64,
    /// Evenly spaced placements of the first game, to be shown to the user.
    #[serde(skip, default = "Vec::new")]
    pub sample: Vec<G::Placement>,
}

impl<G: Game> Default for PlayedGames<G> {
    fn default() -> PlayedGames<G> {
        PlayedGames { games: G::Games::default(), ended: 0, sample: Vec::new() }
    }
}

/// Result of a game that ended or was cut off, with placements to be shown to the user.
#[derive(Debug)]
pub struct EndedGame<G: Game> {
    /// Row of the ended game in the table of games, with counts such as pieces and lines.
    pub row: G::Row,
    /// True if the run was stopped during this game, so that a resumed run plays it again.
    is_cut: bool,
    sample: Vec<G::Placement>,
}

impl<G: Game> Described for G {
    type Entry = G;
    type Totals = GameTotals;
    type Summary = Summary;

    fn check_entry(game: &G) -> Result<()> {
        game.check_recorded()
    }

    fn describe(run: &Manifest<G>) -> [String; 3] {
        G::describe(run)
    }

    fn merged(game: &G, folder: &Path, _: Vec<Summary>) -> Result<Option<Summary>> {
        Ok(Game::summary(game, &G::read(&folder.join("games.csv"))?))
    }

    fn sources(game: &G) -> Vec<Value> {
        Game::sources(game)
    }
}

impl<G: Game> Job for G {
    const OF: &'static str = <G as Game>::OF;
    const NAME: &'static str = <G as Game>::NAME;
    const IN_ORDER: bool = false;

    type Player = (G::Player, RowBuilders<G>);
    type ItemResult = Box<EndedGame<G>>;
    type Resumable = G::State;
    type Count = PlayedGames<G>;

    fn check(&self) -> Result<()> {
        self.validate()?;
        self.log().map_or(Ok(()), |log| log.selection.validate())?;
        encoders(self).map(|_| ())
    }

    fn recorded_config(&self) -> G {
        self.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        let games = TableSpec::new("games", LogFormat::Csv, columns(&G::game_fields()));
        let format = self.log().map(|log| log.format).unwrap_or_default();
        let logs = LogTable::ALL.into_iter().zip(log_columns(self));
        let logs = logs
            .filter_map(|(table, columns)| Some(TableSpec::new(table.name(), format, columns?)));
        [games].into_iter().chain(logs).collect()
    }

    // Lists the names directly, because the default creates an encoder for each table.
    fn files(&self) -> Vec<String> {
        let games = TableSpec::name("games", LogFormat::Csv);
        [games].into_iter().chain(self.log().into_iter().flat_map(LogSettings::files)).collect()
    }

    fn threads(&self) -> usize {
        self.plan().threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.plan().checkpoint_every
    }

    fn level(&self) -> Option<String> {
        self.plan().level.map(|level| level.to_string())
    }

    fn work_items(&self) -> Range<u64> {
        let plan = self.plan();
        Shard::games(plan.shard, plan.games)
    }

    fn player(&self) -> Result<(G::Player, RowBuilders<G>)> {
        Ok((Game::player(self)?, RowBuilders::new(self)?))
    }

    fn play(
        &self,
        (player, rows): &mut (G::Player, RowBuilders<G>),
        item: u64,
        from: Option<G::State>,
        context: &WorkerContext<G>,
    ) -> Result<Option<(Box<EndedGame<G>>, Vec<Rows>)>> {
        let plan = self.plan();
        let logged = self.log().map(|log| log.selection);
        let logged = logged.filter(|selection| selection.keeps_game(plan.seed, item));
        let mut pass = GamePass {
            game: self,
            context,
            rows,
            // The number of pieces is unknown until a game ends, so "only the last" is logged when
            // the game is played again.
            selection: logged.filter(|selection| selection.only_last.is_none()),
            is_first: true,
            is_resumable: G::is_resumable(player),
            reported: (0, 0),
            saved_at: Instant::now(),
            every: plan.checkpoint_every,
            sample: (item == self.work_items().start).then(|| Sample::new(plan.sample)),
        };
        let state = from.unwrap_or_else(|| self.begin(plan.seed, item));
        let played = play_game(self, player, state, context.stop(), &mut pass)?;
        let (row, is_cut) = match (played, G::INTERRUPTED) {
            (Ok(row), _) => (row, false),
            (Err(state), Some(end)) => (G::ended(state, end), true),
            (Err(state), None) => {
                pass.send_checkpoint_state(&state);
                return Ok(None);
            }
        };
        pass.tally(&row);
        let sample = pass.sample.take().map(Sample::into_placements).unwrap_or_default();
        if let Some(selection @ Selection { only_last: Some(_), .. }) = logged {
            // A seed always plays the same game, so a second pass finds its last placements.
            pass.selection = Some(selection.for_length(G::counts(&row).pieces));
            pass.is_first = false;
            let again = self.begin(plan.seed, item);
            if play_game(self, player, again, context.stop(), &mut pass)?.is_err() && !is_cut {
                return Ok(None);
            }
        }
        context.totals().add(1, 0, 0);
        let rows = rows.end(&row);
        Ok(Some((Box::new(EndedGame { row, is_cut, sample }), rows)))
    }

    fn is_cut(ended: &Box<EndedGame<G>>) -> bool {
        ended.is_cut
    }

    fn number_of(state: &G::State) -> u64 {
        G::counts(G::row(state)).game
    }

    fn restore_item(&self, state: G::State) -> Result<G::State> {
        self.restored(state)
    }

    fn restore_count(&self, _: PlayedGames<G>, folder: &RunFolder) -> Result<PlayedGames<G>> {
        let games = G::read(&folder.partial("games.csv"))?;
        let ended = G::totals(&games).games;
        Ok(PlayedGames { games, ended, sample: Vec::new() })
    }

    fn take(
        &self,
        played: &mut PlayedGames<G>,
        _: u64,
        ended: Box<EndedGame<G>>,
        _: &mut Vec<Rows>,
    ) -> bool {
        let EndedGame { row, is_cut, sample } = *ended;
        G::add(&mut played.games, row);
        // A game that was cut off may have a row, too, and a resumed run plays it again.
        played.ended += u64::from(!is_cut);
        if !sample.is_empty() {
            played.sample = sample;
        }
        true
    }

    fn end(played: &mut PlayedGames<G>) {
        // Several threads end games in any order.
        G::sort(&mut played.games);
    }

    fn summary(&self, played: &PlayedGames<G>) -> Option<Summary> {
        Game::summary(self, &played.games)
    }

    fn totals(played: &PlayedGames<G>) -> GameTotals {
        <G as Game>::totals(&played.games)
    }
}

impl<G: Game> Comparable for G {
    fn of_games(&self, games: u64) -> G {
        Game::of_games(self, games)
    }

    fn about(&self) -> About {
        Game::about(self)
    }

    fn measure(&self, column: &Column) -> Measure {
        Game::measure(self, column)
    }

    /// Gives the Parquet logs of a study's runs equal columns, so that the logs can be read
    /// together. Leaves CSV logs unchanged.
    fn unify_log_columns(conditions: &mut [(u64, &mut G)]) {
        let is_joined = |log: &LogSettings| log.format == LogFormat::Parquet;
        let joined = conditions.iter().filter(|(_, game)| game.log().is_some_and(is_joined));
        let logs: Vec<_> = joined.map(|(_, game)| log_columns(&**game)).collect();
        let columns = [0, 1].map(|table| {
            all_columns(logs.iter().filter_map(|columns: &[_; 2]| columns[table].clone()))
        });
        for (condition, game) in conditions {
            if let Some(log) = game.log_mut().filter(|log| is_joined(log)) {
                let tables = StudyTables { condition: *condition, columns: columns.clone() };
                log.study = Some(Box::new(tables));
            }
        }
    }
}

/// Recorder of one pass through a game. A log of only the last placements needs a second pass.
struct GamePass<'a, 'b, G: Game> {
    game: &'a G,
    context: &'a WorkerContext<'b, G>,
    rows: &'a mut RowBuilders<G>,
    selection: Option<Selection>,
    /// True in the first pass through a game, the only one that adds to totals and checkpoints.
    is_first: bool,
    is_resumable: bool,
    reported: (u64, u64),
    saved_at: Instant,
    every: Duration,
    sample: Option<Sample<G::Placement>>,
}

impl<G: Game> GamePass<'_, '_, G> {
    #[inline]
    fn logs(&self, piece_no: u64) -> bool {
        self.selection.is_some_and(|selection| selection.keeps(piece_no))
    }

    fn tally(&mut self, row: &G::Row) {
        let now = G::counts(row);
        let (pieces, lines) = self.reported;
        self.context.totals().add(0, now.pieces - pieces, now.lines - lines);
        self.reported = (now.pieces, now.lines);
    }

    /// Sends an unfinished game's state for checkpoints if this pass is resumable and logs nothing.
    fn send_checkpoint_state(&self, state: &G::State) {
        if self.is_first && self.selection.is_none() && self.is_resumable {
            self.context.open(state.clone());
        }
    }
}

impl<G: Game> Recorder<G> for GamePass<'_, '_, G> {
    #[inline]
    fn wants(&self, piece_no: u64) -> bool {
        self.logs(piece_no) || self.sample.as_ref().is_some_and(|sample| sample.wants(piece_no))
    }

    fn record(&mut self, piece_no: u64, placement: &G::Placement, context: G::Context<'_>) {
        if let Some(sample) = &mut self.sample {
            sample.offer(piece_no, placement);
        }
        if self.logs(piece_no) {
            self.rows.rank(self.game, placement, context);
            self.rows.push(placement);
            if self.rows.is_full() {
                // Index 0 is the table of games, which gets its row when the game has ended.
                for (index, rows) in self.rows.logged().enumerate() {
                    self.context.rows(index + 1, rows);
                }
            }
        }
    }

    fn on_checkpoint(&mut self, state: &G::State) {
        if self.is_first {
            self.tally(G::row(state));
            if self.saved_at.elapsed() >= self.every {
                self.saved_at = Instant::now();
                self.send_checkpoint_state(state);
            }
        }
    }
}

/// Sample of evenly spaced placements of a game whose length is unknown in advance.
#[derive(Debug)]
pub(super) struct Sample<P> {
    most: usize,
    /// Distance in placements between two sampled ones; doubles whenever the sample is full.
    stride: u64,
    stored: Vec<(u64, P)>,
}

impl<P: Clone> Sample<P> {
    pub(super) fn new(most: usize) -> Sample<P> {
        Sample { most, stride: 1, stored: Vec::new() }
    }

    pub(super) fn wants(&self, piece_no: u64) -> bool {
        // The stride is a power of two, so the check, which is made for every piece of every game,
        // needs no division.
        self.most > 0 && piece_no & (self.stride - 1) == 0
    }

    pub(super) fn offer(&mut self, piece_no: u64, placement: &P) {
        if self.wants(piece_no) {
            self.stored.push((piece_no, placement.clone()));
            // Every second placement is removed only when twice `most` are stored, so that `most`
            // remain.
            if self.stored.len() / 2 == self.most {
                self.thin();
            }
        }
    }

    pub(super) fn into_placements(mut self) -> Vec<P> {
        if self.stored.len() > self.most {
            self.thin();
        }
        self.stored.into_iter().map(|(_, placement)| placement).collect()
    }

    fn thin(&mut self) {
        self.stride *= 2;
        self.stored.retain(|(piece_no, _)| piece_no.is_multiple_of(self.stride));
    }
}
