//! Options of environments from Python dictionaries, and functions that create their games.

use std::io::ErrorKind;

use tetrastat::kernels::Level;
use tetrastat::queue::QueueKind;
use tetrastat::rules::Rules;
use tetrastat::rules::guideline::{MAX_PREVIEWS, MoveGenerator, RuleOptions, RuleSet};
use tetrastat::sim::guideline::Mode;

use super::batch::{AnyBatch, Autoreset, Game, Setup, Shape, sessions};
use super::classic::{KeyGame, PlacementGame};
use super::guideline::GuidelineGame;
use super::observed::{GameOptions, ObservationKinds, Widths};
use crate::conversion::argument_error;
use crate::prelude::*;

/// Upper bound for the memory of one game's state in an environment, in bytes.
const GAME_BYTES: usize = 4096;

pub(super) struct Games {
    pub batch: Box<dyn AnyBatch>,
    pub num_envs: usize,
    pub shape: Shape,
    pub features: usize,
    pub kinds: ObservationKinds,
    /// True if the info of a step holds the features of all afterstates (boards after placements).
    pub informs_afterstates: bool,
    /// True if an ended game's last observation is kept while its next game starts.
    pub keeps_last: bool,
}

impl Clone for Games {
    fn clone(&self) -> Games {
        Games { batch: self.batch.boxed_clone(), ..*self }
    }
}

impl Games {
    pub fn widths(&self, kinds: ObservationKinds) -> Widths {
        Widths::new(self.shape, self.features, kinds)
    }
}

/// Creates the environment games that the dictionary `options` describes. Its entry `game` is
/// `placements`, `keys` or `guideline`.
pub(super) fn create(options: &Bound<'_, PyAny>) -> PyResult<Games> {
    let shared: Shared = options.extract()?;
    let game: String = options.get_item("game")?.extract()?;
    let created = match game.as_str() {
        "guideline" => options.extract::<GuidelineOptions>()?.guideline(&shared),
        "keys" => options.extract::<KeysOptions>()?.keys(&shared),
        _ => options.extract::<PlacementOptions>()?.placements(&shared),
    };
    created.map_err(|error| argument_error(&error))
}

fn named<T: Copy, const N: usize>(
    what: &'static str,
    given: &str,
    known: [(&'static str, T); N],
) -> Result<T> {
    let found = known.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| *value).ok_or_else(|| Error::unknown(what, given, known.map(|it| it.0)))
}

fn check(is_valid: bool, text: &str) -> Result<()> {
    if is_valid { Ok(()) } else { Err(Error::Config(text.to_owned())) }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Shared {
    num_envs: usize,
    threads: usize,
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
    observation: String,
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

    fn previews(&self, default: usize) -> Result<usize> {
        let previews = self.previews.unwrap_or(default);
        let text = format!("{previews} previews: use 0 to {MAX_PREVIEWS}");
        check(previews <= MAX_PREVIEWS, &text)?;
        Ok(previews)
    }

    /// Creates the environment's games of the kind `game`. Placements are rewarded by their points
    /// if `has_points`.
    fn create<G: Game>(
        &self,
        game: G,
        options: GameOptions,
        selection: Selection,
        has_points: bool,
    ) -> Result<Games> {
        let (autoreset, illegal) = (self.autoreset.parse()?, self.illegal.parse()?);
        let order = self.row_order.parse()?;
        let kinds = ObservationKinds { afterstates: self.afterstates, ..Default::default() };
        let observations = [
            ("planes", ObservationKinds { planes: true, ..kinds }),
            ("features", ObservationKinds { features: true, ..kinds }),
            ("afterstates", ObservationKinds { afterstates: true, ..kinds }),
        ];
        let kinds = named("observation", &self.observation, observations)?;
        let text = "max_steps 0 ends every game before it starts: give at least 1";
        check(self.max_steps != Some(0), text)?;
        let rewards = self.reward.iter().map(|reward| ("reward", *reward));
        let rewards = rewards.chain([("lost", self.lost), ("illegal_reward", self.illegal_reward)]);
        for (name, reward) in rewards {
            let text = format!("{name} {reward}: give a finite number, for example 1");
            check(reward.is_finite(), &text)?;
        }
        check(self.num_envs > 0, "no games: give num_envs at least 1")?;
        let (num_envs, shape, features) = (self.num_envs, game.shape(), selection.len());
        // Games and arrays allocate memory later, which cannot be reserved in advance. Reserving
        // and releasing it here shows that there is enough memory for all of it.
        let keeps_last = autoreset == Autoreset::SameStep;
        let arrays = (1 + usize::from(keeps_last)) * Widths::new(shape, features, kinds).bytes();
        let bytes = num_envs.checked_mul(GAME_BYTES + arrays);
        if bytes.is_none_or(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_err()) {
            return Err(Error::Io {
                action: "making",
                path: format!("{num_envs} games").into(),
                cause: ErrorKind::OutOfMemory.into(),
                remedy: "give a smaller num_envs".to_owned(),
            });
        }
        let setup = Setup {
            game,
            options,
            selection: Arc::new(selection),
            order,
            autoreset,
            illegal,
            illegal_reward: self.illegal_reward,
            max_steps: self.max_steps,
            by_lines: (!has_points).then_some(self.reward),
            lost: self.lost,
        };
        let batch = sessions(setup, num_envs, self.threads)?;
        let informs_afterstates = self.afterstates;
        Ok(Games { batch, num_envs, shape, features, kinds, informs_afterstates, keeps_last })
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PlacementOptions {
    board: String,
    measured: String,
    rules: String,
}

impl PlacementOptions {
    fn placements(&self, shared: &Shared) -> Result<Games> {
        let rules: Rules = self.rules.parse()?;
        let (size, measured) = (self.board.parse()?, self.measured.parse()?);
        let selection = Selection::features(Some(&shared.features), measured, size)?;
        let (queue, previews) = (shared.queue()?, shared.previews(0)?);
        if previews > 0 {
            queue.check_known_ahead("previews show the next pieces")?;
        }
        let options = GameOptions::new([
            ("actions", "placements".to_owned()),
            ("board", size.to_string()),
            ("queue", queue.describe()),
            ("rules", rules.to_string()),
        ]);
        shared.create(PlacementGame::new(rules, size, queue, previews), options, selection, false)
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct KeysOptions {
    board: String,
    measured: String,
    /// True if the generator of the teaching notebook `tetris_ia` deals the pieces.
    notebook: bool,
}

impl KeysOptions {
    /// Creates classic games by key presses, which allow only features of boards.
    fn keys(&self, shared: &Shared) -> Result<Games> {
        let queue = if self.notebook { None } else { Some(shared.queue()?) };
        let is_script = matches!(queue, Some(QueueKind::Script { cycle: false, .. }));
        check(!is_script, "a game played by keys needs a script that repeats: give cycle=True")?;
        let (size, measured) = (self.board.parse()?, self.measured.parse()?);
        let selection = Selection::features(Some(&shared.features), measured, size)?;
        if let Some(feature) = selection.first_of_placement() {
            return Err(Error::Config(format!(
                "feature '{feature}' needs a placement: games played by keys have only board \
                 features"
            )));
        }
        let options = GameOptions::new([
            ("actions", "keys".to_owned()),
            ("board", size.to_string()),
            ("queue", queue.as_ref().map_or("notebook".to_owned(), QueueKind::describe)),
        ]);
        let game = KeyGame { size, queue, previews: shared.previews(0)? };
        shared.create(game, options, selection, false)
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct GuidelineOptions {
    rules: String,
    kicks: Option<String>,
    half_turns: Option<bool>,
    hold: Option<bool>,
    movement: String,
    mode: String,
    sprint_lines: u32,
    max_pieces: u32,
    points: bool,
    slots: Option<usize>,
}

impl GuidelineOptions {
    /// Creates guideline games by placements, or by key presses if `slots` is `None`.
    fn guideline(&self, shared: &Shared) -> Result<Games> {
        let preset: RuleSet = self.rules.parse()?;
        let rules = preset.with(&RuleOptions {
            kicks: self.kicks.as_deref().map(str::parse).transpose()?,
            half_turns: self.half_turns,
            hold: self.hold,
            previews: Some(shared.previews(preset.previews.into())? as u8),
            ..RuleOptions::default()
        });
        let (lines, pieces) = (self.sprint_lines, self.max_pieces);
        check(lines > 0 && pieces > 0, "sprint_lines and max_pieces: give at least 1")?;
        check(self.slots != Some(0), "slots 0 leaves no action: give at least 1, for example 256")?;
        let modes = [
            ("sprint", Mode::Sprint { lines }),
            ("blitz", Mode::Blitz { pieces, time_us: u64::MAX }),
            ("endless", Mode::Endless { pieces }),
        ];
        let mode = named("mode", &self.mode, modes)?;
        let features = Some(&shared.features[..]);
        let selection = Selection::terms(features, Measured::AfterClear, mode.goal())?;
        let queue = shared.queue()?;
        queue.check_known_ahead("guideline games have previews and a hold")?;
        let actions = if self.slots.is_some() { "guideline placements" } else { "guideline keys" };
        let options = GameOptions::new([
            ("actions", actions.to_owned()),
            ("queue", queue.describe()),
            ("rules", format!("{rules:?}")),
            ("movement", self.movement.clone()),
            ("mode", format!("{} {lines} {pieces}", self.mode)),
            ("slots", self.slots.map_or("none".to_owned(), |slots| slots.to_string())),
        ]);
        let movegen = MoveGenerator::new(*rules, self.movement.parse()?, Level::detect());
        let drops = self.points || self.slots.is_none();
        let game = GuidelineGame { movegen, queue, mode, drops, slots: self.slots };
        shared.create(game, options, selection, self.points)
    }
}
