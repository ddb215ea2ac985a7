//! Trait of a kind of game. A type that implements [`Game`] can be simulated, logged, resumed,
//! compared and estimated; trainings can play it, and it can be watched.

use std::fmt::Debug;
use std::sync::atomic::Ordering;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::engine::{About, Manifest, Measure};
use crate::estimate::Importance;
use crate::prelude::*;
use crate::stats::Summary;

/// Kind of game, such as classic games, implemented by the configuration of a run of these games.
pub trait Game: Clone + Debug + Serialize + DeserializeOwned + Sync + Send + 'static {
    /// Name of this kind of game in configuration files.
    const NAME: &'static str;
    /// Words for a run of this kind of game in messages to the user, such as "a run".
    const OF: &'static str = "a run";
    /// End reason of games cut off by a stop of the run; `None` if results omit these games.
    const INTERRUPTED: Option<Self::End> = None;

    /// Player of a worker thread, which chooses placements, with its memory between them.
    type Player;
    /// State of a game between two placements, from which play can continue.
    type State: Clone + Debug + Serialize + DeserializeOwned + Send + 'static;
    /// Record of a placement, from which the columns of the log are computed.
    type Placement: Clone + Send + 'static;
    /// Data on a decision for the log, such as the state of the game before the placement.
    type Context<'a>;
    /// Record of a candidate: a placement that could have been chosen in a decision.
    type Candidate: 'static;
    /// Counts of a game, such as pieces and lines: its row in the table of games.
    type Row: Debug + Send + 'static;
    /// Reason for the end of a game, such as a loss or a limit.
    type End: Copy + Debug + PartialEq;
    /// Results of a run's finished games, from which totals and summary are computed.
    type Games: Debug + Default + Serialize + DeserializeOwned;

    /// Returns the settings that all kinds of games have, such as games, seed and threads.
    fn plan(&self) -> Plan;

    /// Returns a copy of this configuration with the number of games set to `games`.
    fn of_games(&self, games: u64) -> Self;

    /// Returns the settings for logging placements; `None` if nothing is logged.
    fn log(&self) -> Option<&LogSettings>;

    /// Returns the settings for logging placements, to be changed; `None` if nothing is logged.
    fn log_mut(&mut self) -> Option<&mut LogSettings>;

    /// Checks the settings of a run of games; by default all are valid.
    fn validate(&self) -> Result<()> {
        Ok(())
    }

    /// Checks a run's settings read from `run.json`, where the player may be a person or a bot.
    fn check_recorded(&self) -> Result<()> {
        self.validate()
    }

    /// Returns the names and settings of the run as people read them in reports.
    fn about(&self) -> About;

    /// Returns name, title and description for the `datapackage.json` of a run.
    fn describe(run: &Manifest<Self>) -> [String; 3];

    /// Returns sources as JSON for `datapackage.json`, for example the controller's origin.
    fn sources(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Returns how runs compare by a column of the table of games, for example if more is better.
    fn measure(&self, column: &Column) -> Measure;

    /// Creates the player with which one worker thread plays games.
    fn player(&self) -> Result<Self::Player>;

    /// Returns game number `index` before its first placement; `seed` decides the game's pieces.
    fn begin(&self, seed: u64, index: u64) -> Self::State;

    /// Completes a game's state, read from a checkpoint, with data that only the configuration has.
    fn restored(&self, state: Self::State) -> Result<Self::State>;

    /// Returns false if the player remembers earlier placements, so that no game can be resumed
    /// from a stored state.
    fn is_resumable(_: &Self::Player) -> bool {
        true
    }

    /// Makes one placement in the game `state`; `recorder` receives the placements that it wants.
    /// Fails with [`crate::error::Error::ScriptEnded`] after the last piece of a script.
    fn step<R: Recorder<Self>>(
        &self,
        player: &mut Self::Player,
        state: &mut Self::State,
        recorder: &mut R,
    ) -> Result<Stepped<Self::End>>;

    /// Lets `stream` draw the game's unseen pieces, so that a copy of the game gets other pieces.
    fn fork(state: &mut Self::State, stream: Stream);

    /// Returns the counts of an unfinished game, such as pieces and lines.
    fn row(state: &Self::State) -> &Self::Row;

    /// Returns a finished game's row for the table of games; `end` is the reason for its end.
    fn ended(state: Self::State, end: Self::End) -> Self::Row;

    /// Returns those counts of a game that all kinds of games have, such as pieces and lines.
    fn counts(row: &Self::Row) -> GameCounts;

    /// Returns the columns of the table of games, each with the function that computes it.
    fn game_fields() -> Vec<Field<Self::Row>>;

    /// Creates the encoder of rows with the given `columns` for the log of placements.
    fn placements(&self, columns: &Columns) -> Result<RowEncoder<Self::Placement>>;

    /// Creates the encoder of rows for the log of candidates: placements that could be chosen.
    fn candidates(&self, _: &Columns) -> Result<RowEncoder<Self::Candidate>> {
        Ok(RowEncoder::from_fields(Vec::new()))
    }

    /// Passes all possible placements of a logged decision, with scores, to a function. Needs a
    /// separate player, because ranking changes the player's memory.
    fn rank(
        &self,
        _: &mut Self::Player,
        _: &Self::Placement,
        _: Self::Context<'_>,
        _: &mut dyn FnMut(Self::Candidate),
    ) {
    }

    /// Adds the row of a finished game to the results `games`.
    fn add(games: &mut Self::Games, row: Self::Row);

    /// Sorts the results of the finished games by the games' numbers.
    fn sort(games: &mut Self::Games);

    /// Reads the results of finished games from the table file `path`.
    fn read(path: &Path) -> Result<Self::Games>;

    /// Returns the total numbers of games, pieces and lines of a run's finished games.
    fn totals(games: &Self::Games) -> GameTotals;

    /// Returns means and other statistics of a run's finished games; `None` without games.
    fn summary(&self, games: &Self::Games) -> Option<Summary>;

    /// Returns two heights in rows: the board height for Fahey's extrapolation of game lengths, and
    /// the greatest possible stack height.
    fn heights(&self) -> [usize; 2];

    /// Checks that multilevel splitting can estimate the games' mean lines.
    fn check_estimable(&self, _: Importance) -> Result<()> {
        self.validate()
    }

    /// Returns how close an unfinished game is to its loss, by the measure `importance`.
    fn importance(
        &self,
        importance: Importance,
        player: &Self::Player,
        state: &Self::State,
    ) -> usize;
}

/// Settings that runs of all kinds of games have.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of games of the whole run, over all its parts (shards).
    pub games: u64,
    /// Part (shard) of the run's games to play; `None` for all games.
    pub shard: Option<Shard>,
    /// Seed from which all random streams derive.
    pub seed: u64,
    /// Number of worker threads that play the games.
    pub threads: usize,
    /// Time between two checkpoints, from which a stopped run resumes.
    pub checkpoint_every: Duration,
    /// SIMD instruction level of the scoring kernels; `None` if the game uses none.
    pub level: Option<Level>,
    /// Largest number of placements of the first game that are kept to be shown to the user.
    pub sample: usize,
}

/// Effect of one placement in a game.
#[derive(Clone, Copy, Debug)]
pub struct Stepped<E> {
    /// Number of rows that the placement removed.
    pub lines: u32,
    /// Height of the stack after the placement, in rows.
    pub stack: usize,
    /// Reason for the end of the game by the placement; `None` if the game goes on.
    pub end: Option<E>,
}

/// Counts of a game that all kinds of games have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCounts {
    /// Number of the game in its run.
    pub game: u64,
    /// Number of pieces placed in the game.
    pub pieces: u64,
    /// Number of rows removed in the game.
    pub lines: u64,
    /// Time of play in microseconds; 0 if the kind of game has no clock.
    pub time_us: u64,
    /// True if the game was cut off, or is a guideline game that was not lost.
    pub censored: bool,
    /// True if the game reached its goal of lines, or is a guideline game that was not lost.
    pub won: bool,
}

/// Total numbers of games, pieces and lines of a run, as stored in `run.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTotals {
    /// Number of games in the run's table of games, including interrupted ones.
    pub games: u64,
    /// Number of pieces placed in all games of the run.
    pub pieces: u64,
    /// Number of lines removed in all games of the run.
    pub lines: u64,
}

/// Observer of a game that gets the placements it asks for; other placements are played faster.
pub trait Recorder<G: Game> {
    /// True if the game counts pieces and lines; without counts, no limit ends the game.
    const KEEPS_ROW: bool = true;
    /// Returns true if the game's placement number `piece_no` must be recorded.
    fn wants(&self, piece_no: u64) -> bool;
    /// Receives the record of placement number `piece_no` and the `context` of its decision.
    fn record(&mut self, piece_no: u64, placement: &G::Placement, context: G::Context<'_>);
    /// Receives the game's state at regular intervals, to resume an interrupted game.
    fn on_checkpoint(&mut self, _: &G::State) {}
}

/// Number of placements between two offers of a game's state for a checkpoint; a power of two.
pub const CHECKPOINT_PLACEMENTS: u64 = 1024;

/// Recorder that ignores all placements of a game.
#[derive(Clone, Copy, Debug)]
pub struct Unrecorded;

impl<G: Game> Recorder<G> for Unrecorded {
    fn wants(&self, _: u64) -> bool {
        false
    }

    fn record(&mut self, _: u64, _: &G::Placement, _: G::Context<'_>) {}
}

/// Recorder that ignores all placements of a game and lets the game skip its counts.
#[derive(Clone, Copy, Debug)]
pub struct WithoutRow;

impl<G: Game> Recorder<G> for WithoutRow {
    const KEEPS_ROW: bool = false;

    fn wants(&self, _: u64) -> bool {
        false
    }

    fn record(&mut self, _: u64, _: &G::Placement, _: G::Context<'_>) {}
}

/// Plays the game `state` to its end and returns its counts, or its state once `stop` is true.
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

/// Recorder that passes every placement of a game to a function.
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

/// Plays the game `state` to its end and returns its counts.
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
