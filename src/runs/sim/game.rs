//! The trait of a game. A type that implements [`Game`] can be simulated, logged, resumed, compared
//! and estimated; trainings can play it, and it can be watched.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{About, Manifest, Measure};
use crate::error::Result;
use crate::estimate::Importance;
use crate::kernels::Level;
use crate::record::{Column, Columns, Field, LogSettings, RowEncoder, Shard};
use crate::rng::Stream;
use crate::stats::Summary;

/// Kind of game: the configuration of a run of such games, as in `run.json`. Static dispatch plays
/// them, and a placement that nobody records is not copied.
pub trait Game: Clone + Debug + Serialize + DeserializeOwned + Sync + Send + 'static {
    /// Name of the game in configurations.
    const NAME: &'static str;
    /// Phrase for a run of this game in messages, with its article.
    const OF: &'static str = "a run";
    /// Reason for the end of a game in a stopped run; `None` if such a game has no row.
    const INTERRUPTED: Option<Self::End> = None;

    /// Player of a worker thread, with the memory that it keeps between placements.
    type Player;
    /// Game between two placements, from which play can continue.
    type State: Clone + Debug + Serialize + DeserializeOwned + Send + 'static;
    /// Record of a placement, from which the columns of the placements are computed.
    type Placement: Clone + Send + 'static;
    /// Context of a decision that its record lacks, such as the state before it.
    type Context<'a>;
    /// Record of a candidate: a placement that could have been chosen.
    type Candidate: 'static;
    /// Result of a game: a row of the table of games.
    type Row: Debug + Send + 'static;
    /// Reason for the end of a game.
    type End: Copy + Debug + PartialEq;
    /// Finished games, as far as totals and summary of a run need them.
    type Games: Debug + Default + Serialize + DeserializeOwned;

    /// Returns the settings that every run has.
    fn plan(&self) -> Plan;

    /// Returns a copy of the configuration for `games` games.
    fn of_games(&self, games: u64) -> Self;

    /// Returns the settings of the logs; `None` if nothing is logged.
    fn log(&self) -> Option<&LogSettings>;

    /// Returns the settings of the logs to change them.
    fn log_mut(&mut self) -> Option<&mut LogSettings>;

    /// Checks the settings. By default any are valid.
    fn validate(&self) -> Result<()> {
        Ok(())
    }

    /// Checks a configuration from a `run.json`, which may be of a person or a bot.
    fn check_recorded(&self) -> Result<()> {
        self.validate()
    }

    /// Returns the names and settings of a run for people.
    fn about(&self) -> About;

    /// Returns the name, the title and the description of the data package of a run.
    fn describe(run: &Manifest<Self>) -> [String; 3];

    /// Returns the `sources` of the data package, for example the source of the controller.
    fn sources(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Returns the interpretation of a numeric column of the games.
    fn measure(&self, column: &Column) -> Measure;

    /// Creates the player of one worker thread.
    fn player(&self) -> Result<Self::Player>;

    /// Returns game number `index` of `seed` before its first placement.
    fn begin(&self, seed: u64, index: u64) -> Self::State;

    /// Completes a state from a checkpoint with the parts that only the configuration has.
    fn restored(&self, state: Self::State) -> Result<Self::State>;

    /// Returns false if the player remembers placements, so that a game can't continue from a
    /// state.
    fn is_resumable(_: &Self::Player) -> bool {
        true
    }

    /// Makes one placement, and passes its record to `recorder` if it wants it.
    fn step<R: Recorder<Self>>(
        &self,
        player: &mut Self::Player,
        state: &mut Self::State,
        recorder: &mut R,
    ) -> Result<Stepped<Self::End>>;

    /// Draws the pieces that the player cannot see yet from `stream`.
    fn fork(state: &mut Self::State, stream: Stream);

    /// Returns the result of the game so far.
    fn row(state: &Self::State) -> &Self::Row;

    /// Returns the result of a game that ended for the reason `end`.
    fn ended(state: Self::State, end: Self::End) -> Self::Row;

    /// Returns the counts of a game.
    fn counts(row: &Self::Row) -> GameCounts;

    /// Returns the columns of the table of games.
    fn game_fields() -> Vec<Field<Self::Row>>;

    /// Returns the encoder of the placements.
    fn placements(&self, columns: &Columns) -> Result<RowEncoder<Self::Placement>>;

    /// Returns the encoder of candidates for logs with `columns`.
    fn candidates(&self, _: &Columns) -> Result<RowEncoder<Self::Candidate>> {
        Ok(RowEncoder::from_fields(Vec::new()))
    }

    /// Passes each candidate to a function, best tie first. `player` is not the one that plays.
    fn rank(
        &self,
        _: &mut Self::Player,
        _: &Self::Placement,
        _: Self::Context<'_>,
        _: &mut dyn FnMut(Self::Candidate),
    ) {
    }

    /// Adds a finished game.
    fn add(games: &mut Self::Games, row: Self::Row);

    /// Sorts the finished games by their numbers.
    fn sort(games: &mut Self::Games);

    /// Reads the finished games from the table `path`.
    fn read(path: &Path) -> Result<Self::Games>;

    /// Returns the totals of the games.
    fn totals(games: &Self::Games) -> GameTotals;

    /// Returns the summary of the games; `None` without games.
    fn summary(&self, games: &Self::Games) -> Option<Summary>;

    /// Returns the rows of the board, at which Fahey's extrapolation ends, and of the highest
    /// stack.
    fn heights(&self) -> [usize; 2];

    /// Checks that the mean lines of these games can be estimated with levels of `importance`.
    fn check_estimable(&self, _: Importance) -> Result<()> {
        self.validate()
    }

    /// Returns how close the game is to its end, by the measure `importance`.
    fn importance(
        &self,
        importance: Importance,
        player: &Self::Player,
        state: &Self::State,
    ) -> usize;
}

/// Settings that the runs of every game have.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of games of the whole run, over all shards.
    pub games: u64,
    /// Part of the games to play; all games if `None`.
    pub shard: Option<Shard>,
    /// Seed from which all random streams derive.
    pub seed: u64,
    /// Number of worker threads.
    pub threads: usize,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
    /// Instruction level of the kernels; `None` if the game uses no kernels.
    pub level: Option<Level>,
    /// Largest number of placements of the first game to return for display.
    pub sample: usize,
}

/// Effect of one step of a game, which is one placement.
#[derive(Clone, Copy, Debug)]
pub struct Stepped<E> {
    /// Number of rows that the step removed.
    pub lines: u32,
    /// Height of the stack after the step, in rows.
    pub stack: usize,
    /// Reason for the end of the game, if it is over.
    pub end: Option<E>,
}

/// Counts of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCounts {
    /// Number of the game in its run.
    pub game: u64,
    /// Number of pieces placed.
    pub pieces: u64,
    /// Number of rows removed.
    pub lines: u64,
    /// Time in microseconds; 0 for a game without time.
    pub time_us: u64,
    /// True if the game was cut off. A guideline game that is not lost counts as cut off.
    pub censored: bool,
    /// True if the game reached its goal of lines.
    pub won: bool,
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

/// Observer of a game. Placements that it does not need are played faster.
pub trait Recorder<G: Game> {
    /// True if the row of the game ([`Game::row`]) is needed. Play without it is faster.
    const KEEPS_ROW: bool = true;
    /// Returns true if the recorder needs the placement with this number.
    fn wants(&self, piece_no: u64) -> bool;
    /// Receives placement number `piece_no`, and the context of its decision.
    fn record(&mut self, piece_no: u64, placement: &G::Placement, context: G::Context<'_>);
    /// Receives the state of the game after every [`CHECKPOINT_PLACEMENTS`] placements.
    fn on_checkpoint(&mut self, _: &G::State) {}
}

/// Placements between two calls of [`Recorder::on_checkpoint`]; a power of two for speed.
pub const CHECKPOINT_PLACEMENTS: u64 = 1024;

/// Recorder that ignores everything.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl<G: Game> Recorder<G> for Unrecorded {
    fn wants(&self, _: u64) -> bool {
        false
    }

    fn record(&mut self, _: u64, _: &G::Placement, _: G::Context<'_>) {}
}

/// Recorder of games whose rows are not needed.
#[derive(Clone, Copy, Debug)]
pub struct WithoutRow;

impl<G: Game> Recorder<G> for WithoutRow {
    const KEEPS_ROW: bool = false;

    fn wants(&self, _: u64) -> bool {
        false
    }

    fn record(&mut self, _: u64, _: &G::Placement, _: G::Context<'_>) {}
}

/// Plays a game to its end and returns its row, or its state once `stop` is true.
pub fn play_game<G: Game>(
    game: &G,
    player: &mut G::Player,
    mut state: G::State,
    stop: &AtomicBool,
    recorder: &mut impl Recorder<G>,
) -> Result<std::result::Result<G::Row, G::State>> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(Err(state));
        }
        if let Some(end) = game.step(player, &mut state, recorder)?.end {
            return Ok(Ok(G::ended(state, end)));
        }
        if G::counts(G::row(&state)).pieces.is_multiple_of(CHECKPOINT_PLACEMENTS) {
            recorder.on_checkpoint(&state);
        }
    }
}

/// Recorder that passes every placement to a function.
#[derive(Clone, Copy, Debug)]
pub struct OnPlacement<F>(pub F);

impl<G: Game, F: FnMut(&G::Placement, G::Context<'_>)> Recorder<G> for OnPlacement<F> {
    fn wants(&self, _: u64) -> bool {
        true
    }

    fn record(&mut self, _: u64, placement: &G::Placement, context: G::Context<'_>) {
        self.0(placement, context);
    }
}

/// Plays the game `state` to its end and returns its row.
pub fn play_to_end<G: Game>(
    game: &G,
    player: &mut G::Player,
    mut state: G::State,
    recorder: &mut impl Recorder<G>,
) -> Result<G::Row> {
    loop {
        if let Some(end) = game.step(player, &mut state, recorder)?.end {
            return Ok(G::ended(state, end));
        }
    }
}
