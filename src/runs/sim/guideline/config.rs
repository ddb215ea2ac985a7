//! Configuration of guideline games: modes, clocks and start boards.

use super::super::config::check_garbage;
use crate::controller::GuidelineController;
use crate::engine::{CHECKPOINT_EVERY, checkpoint_every, one_thread};
use crate::error::setting::{
    CANDIDATES, CHEESE_ROWS, GAMES, GARBAGE, GARBAGE_EVERY, PIECES, POLICY, PPS, SEARCH, SECONDS,
    SEED, SPRINT_LINES as LINES, THREADS,
};
use crate::error::{name_problem, quoted};
use crate::features::Measured;
use crate::matrix::{ROWS, VISIBLE, WIDTH};
use crate::prelude::*;
use crate::rules::Garbage;
use crate::rules::guideline::{Input, InputPath, MoveGenerator, Moves, Placed, RuleSet};
use crate::search::guideline::{Beam, BeamPlayer, Terms, Weights};
use crate::tbp::{Bot, BotEntry};

/// Name that stands for the controller in records of games that a person plays.
pub const PERSON: &str = "person";

/// Default number of rows that wins a Sprint.
pub const SPRINT_LINES: u32 = 40;

/// Mode of a guideline game: Sprint, Blitz, cheese race or endless, with goal and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "RecordedMode", try_from = "RecordedMode")]
pub enum Mode {
    /// Sprint: won by clearing `lines` rows; fewer pieces are better.
    Sprint {
        /// Number of rows that wins the Sprint.
        lines: u32,
    },
    /// Blitz: as many points as possible until `pieces` or `time_us` is reached.
    Blitz {
        /// Number of placed pieces at which a Blitz ends at the latest.
        pieces: u32,
        /// Time limit of the Blitz in microseconds.
        time_us: u64,
    },
    /// Cheese race: won by removing `rows` garbage rows. Placements without a clear add rows.
    Cheese {
        /// Number of removed garbage rows that wins the race.
        rows: u32,
        /// Number of placed pieces at which a cheese race ends at the latest.
        pieces: u32,
    },
    /// Endless game: played until it is lost or reaches `pieces`.
    Endless {
        /// Number of placed pieces at which an endless game ends at the latest.
        pieces: u32,
    },
}

/// Game mode as stored in `run.json`, where null means no limit.
#[derive(Serialize, Deserialize)]
struct RecordedMode {
    mode: String,
    sprint_lines: Option<u32>,
    cheese_rows: Option<u32>,
    max_pieces: Option<u32>,
    seconds: Option<f64>,
}

impl From<Mode> for RecordedMode {
    fn from(mode: Mode) -> RecordedMode {
        let (pieces, time_us) = (mode.pieces(), mode.time_us());
        RecordedMode {
            mode: mode.name().to_owned(),
            sprint_lines: mode.goal(),
            cheese_rows: mode.cheese_rows(),
            max_pieces: (pieces < u32::MAX).then_some(pieces),
            seconds: (time_us < u64::MAX).then(|| time_us as f64 / 1e6),
        }
    }
}

impl TryFrom<RecordedMode> for Mode {
    type Error = Error;

    fn try_from(recorded: RecordedMode) -> Result<Mode> {
        let pieces = recorded.max_pieces.unwrap_or(u32::MAX);
        let time_us = recorded.seconds.map_or(u64::MAX, |seconds| (seconds * 1e6).round() as u64);
        match &*recorded.mode {
            "sprint" => Ok(Mode::Sprint { lines: recorded.sprint_lines.unwrap_or_default() }),
            "cheese" => Ok(Mode::Cheese { rows: recorded.cheese_rows.unwrap_or_default(), pieces }),
            "blitz" => Ok(Mode::Blitz { pieces, time_us }),
            "endless" => Ok(Mode::Endless { pieces }),
            mode => Err(Error::Config(format!("mode '{}'", quoted(mode)))),
        }
    }
}

impl Mode {
    /// Returns the name of the game mode: `sprint`, `blitz`, `cheese` or `endless`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Sprint { .. } => "sprint",
            Mode::Blitz { .. } => "blitz",
            Mode::Cheese { .. } => "cheese",
            Mode::Endless { .. } => "endless",
        }
    }

    /// Returns the number of rows that wins a Sprint, or `None` in other modes.
    #[must_use]
    pub fn goal(self) -> Option<u32> {
        match self {
            Mode::Sprint { lines } => Some(lines),
            _ => None,
        }
    }

    /// Returns the number of garbage rows of a cheese race, or `None` in other modes.
    #[must_use]
    pub fn cheese_rows(self) -> Option<u32> {
        match self {
            Mode::Cheese { rows, .. } => Some(rows),
            _ => None,
        }
    }

    /// Returns true if games are won with as few pieces as possible: Sprints and cheese races.
    #[must_use]
    pub fn is_race(self) -> bool {
        matches!(self, Mode::Sprint { .. } | Mode::Cheese { .. })
    }

    /// Returns the number of pieces at which a game of this mode ends; `u32::MAX` for a Sprint.
    #[must_use]
    pub fn pieces(self) -> u32 {
        match self {
            // A Sprint has no limit of pieces: it ends by its lines, or is lost.
            Mode::Sprint { .. } => u32::MAX,
            Mode::Blitz { pieces, .. } | Mode::Cheese { pieces, .. } | Mode::Endless { pieces } => {
                pieces
            }
        }
    }

    /// Returns the time limit of a game of this mode in microseconds; `u64::MAX` if there is none.
    #[must_use]
    pub fn time_us(self) -> u64 {
        match self {
            Mode::Blitz { time_us, .. } => time_us,
            _ => u64::MAX,
        }
    }
}

const MOST_GAMES: u64 = 100_000_000;

/// Random continuations of the queue by which a beam search looks beyond the visible pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unseen {
    /// Number of random continuations that a beam search samples; 0 to stop at the visible pieces.
    #[serde(rename = "beam_futures")]
    pub futures: u32,
    /// Number of pieces in each random continuation, after the visible pieces.
    #[serde(rename = "beam_future_pieces")]
    pub pieces: u32,
}

impl Unseen {
    /// Settings without random continuations: the beam search considers visible pieces only.
    pub const NONE: Unseen = Unseen { futures: 0, pieces: 0 };
}

/// Configuration of a run of guideline games; `run.json` stores all fields that change results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "game", rename = "guideline")]
pub struct GuidelineConfig {
    /// Controller that chooses the placements. For a bot, it has the bot's name and no weights.
    pub controller: GuidelineController,
    /// External bot that chooses the placements instead of the controller; `None` without a bot.
    pub bot: Option<Bot>,
    /// Rules of the games, such as kicks, previews and points.
    #[serde(flatten)]
    pub rules: RuleSet,
    /// Set of movements, such as only hard drops, by which a piece may reach its place.
    #[serde(rename = "movement")]
    pub moves: Moves,
    /// Width (states) and depth (pieces) of the beam search for placements; depth 1 is greedy.
    #[serde(flatten)]
    pub beam: Beam,
    /// Policy that chooses a placement by the scores: for example the best, or a random one.
    pub policy: Policy,
    /// Largest number of states that the search for a Sprint's shortest end examines per queue of
    /// pieces; 0 for no search.
    pub finisher: u32,
    /// Number of random queue continuations to search for a Sprint's shortest end; 0 for none.
    pub futures: u32,
    /// Random continuations of the queue, by which the beam search looks beyond the visible pieces.
    #[serde(flatten)]
    pub unseen: Unseen,
    /// Mode of the games, such as Sprint or Blitz, with its goal and limits.
    #[serde(flatten)]
    pub mode: Mode,
    /// Model of the time that each placement takes, such as a fixed number of pieces per second.
    #[serde(flatten)]
    pub clock: Clock,
    /// Board (matrix) from which games start; `None` for an empty one.
    #[serde(with = "tetrastat_core::names::picture")]
    pub start: Option<Matrix>,
    /// Settings of garbage rows. A cheese race never has more garbage rows than at its start.
    #[serde(flatten)]
    pub garbage: Garbage,
    /// Kind of queue that deals the pieces, for example by bags of seven.
    pub queue: QueueKind,
    /// Number of games of the whole run, over all its parts (shards).
    pub games: u64,
    /// Part (shard) of the run's games to play; `None` for all games.
    pub shard: Option<Shard>,
    /// Seed from which all random streams derive.
    #[serde(with = "tetrastat_core::names::hex_seed")]
    pub seed: u64,
    /// Settings of the log of placements; `None` if placements are not logged.
    pub log: Option<LogSettings>,
    /// Time between two checkpoints, from which a stopped run resumes.
    #[serde(skip, default = "checkpoint_every")]
    pub checkpoint_every: Duration,
    /// Number of worker threads that play the games.
    #[serde(skip, default = "one_thread")]
    pub threads: usize,
    /// SIMD instruction level of the scoring kernels; results do not depend on it.
    #[serde(skip, default = "Level::detect")]
    pub level: Level,
}

fn is_playable(start: &Matrix) -> bool {
    start.stack_height() <= VISIBLE && start.clear().1 == 0
}

impl GuidelineConfig {
    /// Returns the configuration of one endless game with all movements, greedy search, the bag
    /// queue, an empty board, seed 1, one thread and no log.
    #[must_use]
    pub fn new(controller: GuidelineController, rules: RuleSet) -> GuidelineConfig {
        GuidelineConfig {
            controller,
            bot: None,
            rules,
            moves: Moves::All,
            beam: Beam::GREEDY,
            policy: Policy::Best,
            finisher: 0,
            futures: 0,
            unseen: Unseen::NONE,
            mode: Mode::Endless { pieces: u32::MAX },
            clock: Clock::Rate(2.0),
            start: None,
            garbage: Garbage::default(),
            queue: QueueKind::Bag,
            games: 1,
            shard: None,
            seed: 1,
            log: None,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: 1,
            level: Level::detect(),
        }
    }

    /// Returns [`GuidelineConfig::new`]'s configuration for games that the external `bot` plays.
    #[must_use]
    pub fn of_bot(bot: Bot, rules: RuleSet) -> GuidelineConfig {
        let BotEntry { author, version, .. } = &bot.entry;
        let controller = GuidelineController {
            name: bot.display_name(),
            title: String::new(),
            source: format!("bot of {author}, version {version}"),
            published: None,
            note: None,
            measured: Measured::AfterClear,
            weights: Vec::new(),
            network: None,
        };
        let usual = GuidelineConfig::new(controller, rules);
        GuidelineConfig { bot: Some(bot), beam: Beam::BOT, ..usual }
    }

    /// Checks the games' settings for values that are out of range or do not fit together.
    pub fn validate(&self) -> Result<()> {
        self.rules.check()?;
        // Weights are not checked, because a person has none.
        if let Some(problem) = name_problem(&self.controller.name) {
            let name = self.controller.name.clone();
            return Err(Error::Controller { name, problem: format!("name: {problem}") });
        }
        Shard::check(self.shard, self.games)?;
        self.policy.check()?;
        self.queue.check_known_ahead("guideline games have previews and a hold")?;
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        check_garbage(&self.garbage, self.start.is_some(), VISIBLE)?;
        match self {
            GuidelineConfig { games: 0, .. } => {
                fail(&format!("games 0: play at least one, for example {GAMES} 8"))
            }
            GuidelineConfig { games, .. } if *games > MOST_GAMES => Err(Error::Config(format!(
                "games {games}: a run has at most {MOST_GAMES}, make several runs, each with its \
                 own {SEED}"
            ))),
            GuidelineConfig { threads: 0, .. } => {
                fail(&format!("threads 0: give at least one, for example {THREADS} 2"))
            }
            GuidelineConfig {
                bot: None,
                beam: Beam { width: 0, .. } | Beam { depth: 0, .. },
                ..
            } => fail("a beam keeps at least one state and looks at least one piece ahead"),
            GuidelineConfig { mode: Mode::Sprint { lines: 0 }, .. } => fail(&format!(
                "a Sprint of 0 lines is won before it starts: give {LINES} at least 1"
            )),
            GuidelineConfig { mode: Mode::Cheese { rows, .. }, garbage, .. }
                if *rows == 0 || garbage.rows == 0 =>
            {
                fail(&format!(
                    "a cheese race without garbage rows is won before it starts: give \
                     {CHEESE_ROWS} and {GARBAGE} at least 1"
                ))
            }
            GuidelineConfig { mode: Mode::Cheese { .. }, garbage, .. }
                if garbage.every.is_some() =>
            {
                fail(&format!(
                    "a cheese race adds rows when a placement removes none: leave out \
                     {GARBAGE_EVERY}"
                ))
            }
            GuidelineConfig { start: Some(start), .. } if !is_playable(start) => fail(
                "the start board has full rows or cells above the 20 rows in view: remove them",
            ),
            GuidelineConfig { bot: Some(bot), .. } if self.policy != Policy::Best => {
                Err(bot.error(format!("a bot plays its own choice: leave out {POLICY}")))
            }
            GuidelineConfig { bot: Some(bot), log: Some(log), .. } if log.candidates => {
                Err(bot.error(format!("a bot gives no scores: leave out {CANDIDATES}")))
            }
            GuidelineConfig { policy: Policy::Softmax(_), .. }
                if self.beam.depth > 1 || self.finisher > 0 =>
            {
                fail(&format!(
                    "policy softmax needs the value of every placement, which a beam and a planned \
                     finish do not have: give {POLICY} epsilon:P or misdrop:P, or {SEARCH} greedy \
                     without a finisher"
                ))
            }
            _ if self.mode.pieces() == 0 => fail(&format!(
                "a game of 0 pieces ends before it starts: give more {PIECES}, {SECONDS} or {PPS}"
            )),
            _ => Ok(()),
        }
    }

    /// Returns the start board of game number `game`, and its garbage rows if games have any.
    #[must_use]
    pub fn start(&self, game: u64) -> (Matrix, Option<Box<GarbageRows>>) {
        let race = self.mode.cheese_rows().map_or(usize::MAX, |rows| rows as usize);
        let garbage = Garbage { rows: self.garbage.rows.min(race), ..self.garbage };
        let begun = BoardSize::new(WIDTH, VISIBLE).map(|size| garbage.begin(size, self.seed, game));
        let begun = begun.and_then(|(board, rows)| Ok((Matrix::from_board(&board)?, rows)));
        let (matrix, rows) = begun.ok().unzip();
        let rows = rows.filter(|_| garbage.has_rows()).map(Box::new);
        (self.start.or(matrix).unwrap_or(Matrix::EMPTY), rows)
    }

    /// Adds due garbage rows after a placement. Returns how many garbage rows the placement
    /// removed, and true if the game is lost.
    pub fn update_garbage(
        &self,
        garbage: &mut GarbageRows,
        matrix: &mut Matrix,
        placed: &Placed,
    ) -> (u32, bool) {
        let removed = (placed.locked.full_rows().reverse_bits(), placed.lost);
        let kept = usize::from(self.rules.kept_rows).min(ROWS);
        let lift = |row| matrix.lift(row, kept);
        garbage.after_placement(&self.garbage, self.mode.cheese_rows(), WIDTH, removed, lift)
    }

    /// Returns the features that score states; some depend on the rows that a Sprint still needs.
    #[must_use]
    pub fn terms(&self) -> Terms {
        Terms::new(&self.controller, self.mode.goal())
    }

    /// Creates the beam-search player that chooses placements under these settings.
    #[must_use]
    pub fn chooser(&self) -> BeamPlayer {
        let movegen = MoveGenerator::new(*self.rules, self.moves, self.level);
        BeamPlayer::new(movegen, Weights::new(&self.controller), self.beam, self.mode.goal())
    }
}

/// Durations of key presses and movements of a piece, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputTiming {
    /// Duration of each key press (shift, turn, hold, hard drop), in microseconds.
    pub key_us: u64,
    /// Microseconds for which a shift key is held before it repeats (delayed auto shift).
    pub das_us: u64,
    /// Microseconds for each further column while a shift key is held (auto repeat rate).
    pub arr_us: u64,
    /// Microseconds for each row of a soft drop.
    pub row_us: u64,
}

impl InputTiming {
    /// Returns the microseconds of a placement's inputs `path`; `held` adds a key press.
    #[must_use]
    pub fn duration_us(&self, path: &InputPath, held: bool) -> u64 {
        let is_far = |input: &&Input| matches!(input, Input::FarLeft | Input::FarRight);
        let is_drop = |input: &&Input| matches!(input, Input::SonicDrop | Input::SoftDrop);
        let far = path.inputs.iter().filter(is_far).count() as u64;
        let drops = path.inputs.iter().filter(is_drop).count() as u64;
        let keys = path.inputs.len() as u64 - far - drops + u64::from(held);
        keys * self.key_us
            + far * self.das_us
            + (u64::from(path.far).saturating_sub(far)) * self.arr_us
            + u64::from(path.soft) * self.row_us
    }
}

/// Model of the time that each placement takes, for Blitz and for rates per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "RecordedClock", from = "RecordedClock")]
pub enum Clock {
    /// Fixed speed in pieces per second.
    Rate(f64),
    /// Time by inputs: the durations of a placement's key presses and movements, added up.
    Inputs(InputTiming),
}

#[derive(Serialize, Deserialize)]
struct RecordedClock {
    pieces_per_second: Option<f64>,
    timing: Option<InputTiming>,
}

impl From<Clock> for RecordedClock {
    fn from(clock: Clock) -> RecordedClock {
        match clock {
            Clock::Rate(rate) => RecordedClock { pieces_per_second: Some(rate), timing: None },
            Clock::Inputs(timing) => {
                RecordedClock { pieces_per_second: None, timing: Some(timing) }
            }
        }
    }
}

impl From<RecordedClock> for Clock {
    fn from(RecordedClock { pieces_per_second, timing }: RecordedClock) -> Clock {
        timing.map_or(Clock::Rate(pieces_per_second.unwrap_or(2.0)), Clock::Inputs)
    }
}

impl Clock {
    /// Returns the time that a placement takes in microseconds; `held` is true after a hold.
    #[must_use]
    pub fn duration_us(&self, path: &InputPath, held: bool) -> u64 {
        match self {
            Clock::Rate(pieces) => (1e6 / pieces).round() as u64,
            Clock::Inputs(timing) => timing.duration_us(path, held),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::piece::Piece;
    use crate::rules::guideline::{Guideline, Landing, RotationState, shortest};

    #[test]
    fn inputs_add_up_by_hand() {
        let timing = InputTiming { key_us: 50, das_us: 150, arr_us: 40, row_us: 30 };
        let time = |landing: Landing, held| {
            let path = shortest(&Guideline::capstone(), &Matrix::EMPTY, landing).unwrap();
            timing.duration_us(&path, held)
        };
        assert_eq!(
            time(Landing::new(Piece::T, RotationState::Spawn, 4, 0), false),
            50,
            "hard drop"
        );
        assert_eq!(
            time(Landing::new(Piece::T, RotationState::Spawn, 4, 0), true),
            100,
            "hold, hard drop"
        );
        // Shift held to the wall over three columns: 150 + 2 x 40; then a hard drop.
        assert_eq!(time(Landing::new(Piece::T, RotationState::Spawn, 1, 0), false), 280);
        assert_eq!(Clock::Rate(3.0).duration_us(&InputPath::default(), false), 333_333);
    }
}
