//! What candidates of a training play: options of classic and of guideline games.

use anyhow::Context;

use super::guideline_options::GuidelineOptions;
use super::options::BoardOptions;
use super::run_options::PlayOptions;
use crate::controller::{Controller, GUIDELINE_PRESETS, GuidelineController, PRESETS, Preset, Tie};
use crate::features::{Feature, Measured};
use crate::sim::RunConfig;
use crate::sim::guideline::GuidelineConfig;
use crate::train::{Games, GuidelineTemplate, Objective, Template};

/// Names and weights of a controller.
pub(super) type Start = (String, Vec<(String, f64)>);

/// Options of one kind of games.
pub(super) trait GameOptions: clap::Args + std::fmt::Debug {
    /// Whether they are guideline games.
    const GUIDELINE: bool;

    /// The games, so many for each candidate, all weights 0.
    fn games(&self, games: u64) -> anyhow::Result<Games>;

    /// What candidates are scored by.
    fn objective(&self) -> Objective;

    /// The controller at whose weights the search starts, if one is given.
    fn start(&self) -> anyhow::Result<Option<Start>>;
}

/// Options of games under simplified or standard rules.
#[derive(Debug, clap::Args)]
pub(super) struct ClassicGames {
    /// Features to weigh: those of a controller (preset or file), or names joined by commas
    #[arg(long, value_name = "CONTROLLER|NAMES", default_value = "bcts")]
    features: String,

    /// Which board they are measured on: `after-clear` or `before-clear` [default: the controller's,
    /// or after-clear]
    #[arg(long)]
    measured: Option<Measured>,

    /// Which of several best placements is played: `first` or `dellacherie` [default: the controller's]
    #[arg(long, value_name = "RULE")]
    tie: Option<Tie>,

    /// Start at the weights of this controller; features that it does not have start at 0
    #[arg(long, value_name = "CONTROLLER")]
    start: Option<String>,

    /// What candidates are scored by: `lines`, `mean-COLUMN`, `median-COLUMN`, `sprint`
    #[arg(long, default_value = "lines")]
    objective: Objective,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    play: PlayOptions,
}

impl GameOptions for ClassicGames {
    const GUIDELINE: bool = false;

    fn games(&self, games: u64) -> anyhow::Result<Games> {
        let like = self.like()?;
        let config = self.play.config(like.clone(), &self.board, games)?;
        let template = Template::new(&like, config.size)?;
        let controller = template.controller(&vec![0.0; template.features().len()]);
        Ok(Games::Classic(RunConfig { controller, ..config }, template))
    }

    fn objective(&self) -> Objective {
        self.objective.clone()
    }

    fn start(&self) -> anyhow::Result<Option<Start>> {
        let Some(name) = &self.start else { return Ok(None) };
        let Controller { name, weights, .. } = Controller::load(name)?;
        Ok(Some((name, named(weights))))
    }
}

impl ClassicGames {
    /// A controller that the candidates are like, but for their weights.
    fn like(&self) -> anyhow::Result<Controller> {
        let is_preset = |preset: &Preset| preset.name == self.features;
        let is_controller = PRESETS.iter().chain(GUIDELINE_PRESETS).any(is_preset)
            || self.features.ends_with(".toml");
        let mut like = if is_controller {
            Controller::load(&self.features)?
        } else {
            Controller {
                name: String::new(),
                title: String::new(),
                source: String::new(),
                published: None,
                note: None,
                measured: Measured::AfterClear,
                tie: Tie::First,
                board_width: None,
                weights: unweighed::<Feature>(&self.features)?,
            }
        };
        like.name = CANDIDATE.to_owned();
        like.source = String::new();
        like.tie = self.tie.unwrap_or(like.tie);
        like.measured = self.measured.unwrap_or(like.measured);
        Ok(like)
    }
}

/// Options of games under guideline rules.
#[derive(Debug, clap::Args)]
pub(super) struct GuidelineGames {
    /// Terms to weigh: those of a controller (preset or file), or names joined by commas [default:
    /// those of --start; else of capstone-sprint in a Sprint, of capstone-blitz in other games]
    #[arg(long, value_name = "CONTROLLER|NAMES")]
    features: Option<String>,

    /// Which matrix they are measured on: `after-clear` or `before-clear` [default: the controller's,
    /// or after-clear]
    #[arg(long)]
    measured: Option<Measured>,

    /// Start at the weights of this controller; terms that it does not have start at 0
    #[arg(long, value_name = "CONTROLLER")]
    start: Option<String>,

    /// What candidates are scored by: `sprint`, `mean-COLUMN`, `median-COLUMN`, `lines` [default:
    /// sprint in a Sprint, mean-score in other games]
    #[arg(long)]
    objective: Option<Objective>,

    #[command(flatten)]
    play: GuidelineOptions,
}

impl GameOptions for GuidelineGames {
    const GUIDELINE: bool = true;

    fn games(&self, games: u64) -> anyhow::Result<Games> {
        let like = self.like()?;
        let template = GuidelineTemplate::new(&like)?;
        let controller = template.controller(&vec![0.0; like.weights.len()]);
        let config: GuidelineConfig = self.play.config(controller, games, None)?;
        Ok(Games::Guideline(config, template))
    }

    fn objective(&self) -> Objective {
        let is_sprint = self.play.is_sprint();
        let usual = || if is_sprint { Objective::sprint() } else { Objective::mean_score() };
        self.objective.clone().unwrap_or_else(usual)
    }

    fn start(&self) -> anyhow::Result<Option<Start>> {
        let Some(name) = &self.start else { return Ok(None) };
        let GuidelineController { name, weights, .. } = GuidelineController::load(name)?;
        Ok(Some((name, named(weights))))
    }
}

impl GuidelineGames {
    /// A controller that the candidates are like, but for their weights.
    fn like(&self) -> anyhow::Result<GuidelineController> {
        let usual = if self.play.is_sprint() { "capstone-sprint" } else { "capstone-blitz" };
        let features = self.features.as_deref().or(self.start.as_deref()).unwrap_or(usual);
        let is_controller = self.features.is_none()
            || GuidelineController::names().any(|name| name == features)
            || PRESETS.iter().any(|preset| preset.name == features)
            || features.ends_with(".toml");
        let (measured_on, weights) = if is_controller {
            let like = GuidelineController::load(features)?;
            (like.measured, like.weights)
        } else {
            (Measured::AfterClear, unweighed(features)?)
        };
        Ok(GuidelineController {
            name: CANDIDATE.to_owned(),
            title: String::new(),
            source: String::new(),
            published: None,
            note: None,
            measured: self.measured.unwrap_or(measured_on),
            weights,
        })
    }
}

/// The name of those who play in a training.
const CANDIDATE: &str = "candidate";

/// Features or terms by name, their weights 0.
fn unweighed<F: std::str::FromStr<Err = crate::error::Error>>(
    names: &str,
) -> anyhow::Result<Vec<(F, f64)>> {
    let features = names.split(',').map(|name| Ok((name.trim().parse::<F>()?, 0.0)));
    let features: anyhow::Result<Vec<_>> = features.collect();
    features.context("--features takes a controller (`tetrastat controllers` lists them) or names joined by commas")
}

fn named<F: ToString>(weights: Vec<(F, f64)>) -> Vec<(String, f64)> {
    weights.into_iter().map(|(of, weight)| (of.to_string(), weight)).collect()
}
