//! Options from Python, read from a dictionary, and functions that create games from them.

use std::io::ErrorKind;
use std::sync::Arc;

use pyo3::prelude::*;
use tetrastat::board::BoardSize;
use tetrastat::error::{Error, Result};
use tetrastat::features::guideline::Term;
use tetrastat::kernels::Level;
use tetrastat::queue::QueueKind;
use tetrastat::rules::guideline::{MAX_PREVIEWS, MoveGenerator, RuleOptions, RuleSet};
use tetrastat::sim::guideline::Mode;

use super::arrays::ObservationKinds;
use super::batch::{AnyBatch, Autoreset, Batch, Illegal, Policy};
use super::cells::RowOrder;
use super::game::Reward;
use super::guideline::{RewardRule, Setup as GuidelineSetup, Stacking};
use super::keys::{Keys, Setup as KeySetup};
use super::meter::FeatureSelection;
use super::placing::{Placing, Setup as PlacingSetup};
use super::state::GameOptions;

/// Upper bound for the memory of one game in bytes: its state and its observations, without the
/// features of afterstates.
const GAME_BYTES: usize = 4096;

/// Options that every kind of game has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Shared {
    pub num_envs: usize,
    pub threads: usize,
    queue: String,
    script: Option<String>,
    cycle: bool,
    previews: Option<usize>,
    reward: [f64; 5],
    lost: f64,
    max_steps: Option<u64>,
    illegal: String,
    illegal_reward: f64,
    autoreset: String,
    pub observation: String,
    row_order: String,
    features: Vec<String>,
    afterstates: bool,
}

impl Shared {
    fn queue(&self) -> Result<QueueKind> {
        match &self.script {
            Some(letters) => QueueKind::script(letters, self.cycle),
            None => self.queue.parse(),
        }
    }

    fn reward(&self) -> Reward {
        Reward { by_lines: self.reward, lost: self.lost }
    }

    fn order(&self) -> Result<RowOrder> {
        self.row_order.parse()
    }

    /// Returns the number of next pieces that are shown. Returns `default` if the option was not
    /// given.
    fn previews(&self, default: usize) -> Result<usize> {
        let previews = self.previews.unwrap_or(default);
        if previews > MAX_PREVIEWS {
            return Err(Error::Config(format!("{previews} previews: use 0 to {MAX_PREVIEWS}")));
        }
        Ok(previews)
    }

    fn policy(&self) -> Result<Policy> {
        let autoreset = match self.autoreset.as_str() {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            other => {
                let known = ["NextStep", "SameStep", "Disabled"];
                return Err(Error::unknown("autoreset mode", other, known));
            }
        };
        let illegal = match self.illegal.as_str() {
            "ignore" => Illegal::Ignore,
            "end" => Illegal::End,
            "raise" => Illegal::Raise,
            other => {
                let known = ["ignore", "end", "raise"];
                return Err(Error::unknown("answer to illegal actions", other, known));
            }
        };
        if self.max_steps == Some(0) {
            let text = "max_steps 0 ends every game before it starts: give at least 1";
            return Err(Error::Config(text.to_owned()));
        }
        let rewards = self.reward.iter().map(|reward| ("reward", *reward));
        let rewards = rewards.chain([("lost", self.lost), ("illegal_reward", self.illegal_reward)]);
        for (name, reward) in rewards {
            if !reward.is_finite() {
                let text = format!("{name} {reward}: give a finite number, for example 1");
                return Err(Error::Config(text));
            }
        }
        let (illegal_reward, max_steps) = (self.illegal_reward, self.max_steps);
        Ok(Policy { autoreset, illegal, illegal_reward, max_steps })
    }

    /// Returns the kinds of observations that were requested. The action mask is always written and
    /// has no kind.
    pub fn asked(&self) -> Result<ObservationKinds> {
        let known = ["planes", "features", "afterstates"];
        if !known.contains(&self.observation.as_str()) {
            return Err(Error::unknown("observation", &self.observation, known));
        }
        let is = |name| self.observation == name;
        let afterstates = self.afterstates || is("afterstates");
        Ok(ObservationKinds { planes: is("planes"), features: is("features"), afterstates })
    }

    /// Returns true if the info holds the features of all afterstates.
    pub fn informs_afterstates(&self) -> bool {
        self.afterstates
    }

    /// Returns true if the last observation of an ended game is kept while the next game starts.
    pub fn keeps_last(&self) -> bool {
        self.autoreset == "SameStep"
    }

    /// Creates a batch of games with `game`, after a check that there is enough memory.
    fn batch<G: super::game::Game + 'static>(
        &self,
        game: impl Fn() -> Result<G>,
    ) -> Result<Box<dyn AnyBatch>> {
        let mut games = Vec::new();
        let fits = self.num_envs.checked_mul(GAME_BYTES).is_some_and(|bytes| {
            let mut room = Vec::<u8>::new();
            room.try_reserve_exact(bytes).is_ok()
        });
        // Games allocate memory later, which cannot be reserved in advance. Reserving and releasing
        // it here shows that there is enough memory for all games.
        if !fits || games.try_reserve_exact(self.num_envs).is_err() {
            return Err(Error::Io {
                action: "making",
                path: format!("{} games", self.num_envs).into(),
                cause: ErrorKind::OutOfMemory.into(),
                remedy: "give a smaller num_envs".to_owned(),
            });
        }
        for _ in 0..self.num_envs {
            games.push(game()?);
        }
        Ok(Box::new(Batch::new(games, self.policy()?, self.threads)?))
    }
}

/// Options that only classic games have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Classic {
    board: String,
    measured: String,
}

impl Classic {
    fn wanted(&self, shared: &Shared) -> Result<FeatureSelection> {
        let size: BoardSize = self.board.parse()?;
        FeatureSelection::new(&shared.features, &self.measured, size)
    }

    /// Creates a batch of classic games by placements.
    pub fn placing(&self, shared: &Shared, rules: &str) -> Result<Box<dyn AnyBatch>> {
        let (rules, wanted) = (rules.parse()?, self.wanted(shared)?);
        let (queue, previews) = (shared.queue()?, shared.previews(0)?);
        if previews > 0 {
            queue.check_known_ahead("previews show the next pieces")?;
        }
        let setup =
            PlacingSetup::new(rules, queue, previews, shared.reward(), wanted, shared.order()?);
        let setup = Arc::new(setup);
        shared.batch(|| Ok(Placing::new(setup.clone())))
    }

    /// Creates a batch of classic games in which each action is a key press. If `notebook` is true,
    /// the piece generator of the teaching notebook `tetris_ia` deals the pieces.
    pub fn keys(&self, shared: &Shared, notebook: bool) -> Result<Box<dyn AnyBatch>> {
        let queue = if notebook { None } else { Some(shared.queue()?) };
        if matches!(queue, Some(QueueKind::Script { cycle: false, .. })) {
            let text = "a game played by keys needs a script that repeats: give cycle=True";
            return Err(Error::Config(text.to_owned()));
        }
        let wanted = self.wanted(shared)?;
        let setup =
            KeySetup::new(queue, shared.previews(0)?, shared.reward(), wanted, shared.order()?)?;
        let setup = Arc::new(setup);
        shared.batch(|| Keys::new(setup.clone()))
    }
}

/// Options that only guideline games have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct GuidelineGame {
    rules: String,
    kicks: Option<String>,
    half_turns: Option<bool>,
    hold: Option<bool>,
    movement: String,
    mode: String,
    sprint_lines: u32,
    max_pieces: u32,
    points: bool,
    drop_points: bool,
    slots: Option<usize>,
}

impl GuidelineGame {
    fn mode(&self) -> Result<Mode> {
        let pieces = self.max_pieces;
        if self.sprint_lines == 0 || pieces == 0 {
            let text = "sprint_lines and max_pieces: give at least 1";
            return Err(Error::Config(text.to_owned()));
        }
        match self.mode.as_str() {
            "sprint" => Ok(Mode::Sprint { lines: self.sprint_lines }),
            "blitz" => Ok(Mode::Blitz { pieces, time_us: u64::MAX }),
            "endless" => Ok(Mode::Endless { pieces }),
            other => Err(Error::unknown("mode", other, ["sprint", "blitz", "endless"])),
        }
    }

    /// Creates a batch of guideline games by placements, or by key presses if `slots` is `None`.
    pub fn stacking(&self, shared: &Shared) -> Result<Box<dyn AnyBatch>> {
        let preset: RuleSet = self.rules.parse()?;
        let rules = preset.with(&RuleOptions {
            kicks: self.kicks.as_deref().map(str::parse).transpose()?,
            half_turns: self.half_turns,
            hold: self.hold,
            previews: Some(shared.previews(preset.previews.into())? as u8),
            ..RuleOptions::default()
        });
        if self.slots == Some(0) {
            let text = "slots 0 leaves no action: give at least 1, for example 256";
            return Err(Error::Config(text.to_owned()));
        }
        let worth = if self.points {
            RewardRule::Points(shared.lost)
        } else {
            RewardRule::Lines(shared.reward())
        };
        let terms = shared.features.iter().map(|name| name.parse()).collect::<Result<Vec<Term>>>();
        let queue = shared.queue()?;
        queue.check_known_ahead("guideline games have previews and a hold")?;
        let slots = self.slots.map_or("none".to_owned(), |slots| slots.to_string());
        let options = GameOptions::new([
            (
                "actions",
                if self.slots.is_some() { "guideline placements" } else { "guideline keys" }
                    .to_owned(),
            ),
            ("queue", queue.describe()),
            ("rules", format!("{rules:?}")),
            ("movement", self.movement.clone()),
            ("mode", format!("{} {} {}", self.mode, self.sprint_lines, self.max_pieces)),
            ("slots", slots),
        ]);
        let setup = Arc::new(GuidelineSetup {
            options,
            movegen: MoveGenerator::new(*rules, self.movement.parse()?, Level::detect()),
            queue,
            mode: self.mode()?,
            worth,
            drops: self.drop_points,
            slots: self.slots,
            terms: terms?,
            order: shared.order()?,
        });
        shared.batch(|| Ok(Stacking::new(setup.clone())))
    }
}
