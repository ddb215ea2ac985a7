//! Defines the options of the games that the candidates of a training play, and builds their
//! configuration.

use anyhow::{Context, bail, ensure};

use crate::board::MAX_HEIGHT;
use crate::cli::commands::train::windows;
use crate::cli::options::games::{AnyGame, CLASSIC, FallingRules, OfGame};
use crate::cli::options::guideline::{AnyPlayer, GuidelineOptions};
use crate::cli::options::runs::PlayOptions;
use crate::cli::options::{PlaceOptions, USUAL};
use crate::controller::{
    Controller, ControllerPreset, GUIDELINE_PRESETS, GuidelineController, PRESETS, PatternWindow,
    Patterns, SplitWeights, Tie, split_weights,
};
use crate::estimate::Importance;
use crate::features::Measured;
use crate::rules::Rules;
use crate::rules::guideline::RuleSet;
use crate::search::{Policy, Search};
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, Limits};
use crate::text::parse::count;
use crate::train::{EstimateOptions, GuidelineTemplate, Objective, Template, TrainingGames};

/// Controller from which a training starts.
pub(crate) struct Start {
    pub(crate) name: String,
    /// Names and values of the weights.
    pub(crate) weights: Vec<(String, f64)>,
    /// Cell patterns, if it has any.
    pub(crate) patterns: Option<Patterns>,
}

/// Options of the games and the score of candidates.
#[derive(Debug, clap::Args)]
pub(crate) struct TrainingGameOptions {
    /// Features to weigh (in guideline games: terms): those of a controller (preset or file), names
    /// joined by commas, or `none` with --windows [default: those of bcts; for guideline games
    /// those of --start, else of capstone-sprint in a Sprint and of capstone-blitz in other games]
    #[arg(long, value_name = "CONTROLLER|NAMES")]
    features: Option<String>,

    /// Board on which features are measured: `after-clear` or `before-clear` [default: the
    /// controller's, or after-clear]
    #[arg(long)]
    measured: Option<Measured>,

    /// Controller with the initial weights and table entries. Features and windows that it lacks
    /// start at 0
    #[arg(long, value_name = "CONTROLLER")]
    start: Option<String>,

    /// Score of a candidate, explained in --help: `lines`, `mean-COLUMN`, `median-COLUMN`,
    /// `sprint`, `estimate` [default: lines; for guideline games sprint in a Sprint, else
    /// mean-points]
    #[arg(long)]
    objective: Option<Objective>,

    #[command(flatten)]
    estimate: EstimateSettings,

    #[command(flatten)]
    pub(crate) any: AnyGame,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: TrainingClassicOptions,

    #[command(flatten)]
    guideline: GuidelineOptions,
}

/// Settings of the estimate of a candidate. Names and meanings are those of `tetrastat estimate`.
#[derive(Debug, clap::Args)]
struct EstimateSettings {
    /// Pieces of the main path of a replication, for --objective estimate [default: 50000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    estimate_pieces: Option<u64>,

    /// Pieces at the start of a replication that are not counted [default: 2000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(..))]
    estimate_burn_in: Option<u64>,

    /// Pieces of the main path in each round of the pilot that places the levels [default: 50000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    estimate_pilot_pieces: Option<u64>,

    /// Maximum number of pieces of all paths of a replication. Paths cut off by it count as deaths
    /// [default: 20 for each of --estimate-pieces]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    estimate_most: Option<u64>,

    /// Quantity that defines the splitting levels: `cells`, `height`, `holes` or, in classic games
    /// only, `value` [default: cells]
    #[arg(long, value_name = "IMPORTANCE")]
    estimate_importance: Option<Importance>,
}

/// Default limit of all pieces of a replication (one run of the splitting estimator), as a multiple
/// of its pieces in the games without the copies made by splitting.
const DEFAULT_MOST: u64 = 20;

impl EstimateSettings {
    /// Returns `objective` with these settings if it is an estimate. Other objectives have no such
    /// settings, so giving one is an error.
    fn of(&self, objective: Objective) -> anyhow::Result<Objective> {
        let usual = EstimateOptions::default();
        let pieces = self.estimate_pieces.unwrap_or(usual.pieces);
        let options = EstimateOptions {
            importance: self.estimate_importance.unwrap_or(usual.importance),
            pieces,
            burn_in: self.estimate_burn_in.unwrap_or(usual.burn_in),
            pilot_pieces: self.estimate_pilot_pieces.unwrap_or(usual.pilot_pieces),
            most: self.estimate_most.unwrap_or(pieces.saturating_mul(DEFAULT_MOST)),
        };
        let numbers = [
            self.estimate_pieces,
            self.estimate_burn_in,
            self.estimate_pilot_pieces,
            self.estimate_most,
        ];
        let is_given = self.estimate_importance.is_some() || numbers.iter().any(Option::is_some);
        ensure!(
            !is_given || objective.estimates().is_some(),
            "--estimate-... are options of --objective estimate: give it, or leave them out"
        );
        Ok(objective.estimated(options))
    }
}

/// Classic games.
#[derive(Debug, clap::Args)]
struct TrainingClassicOptions {
    /// Rule that chooses among equally good placements: `first` or `dellacherie` [default: the
    /// controller's]
    #[arg(long, value_name = "RULE")]
    tie: Option<Tie>,

    /// Stack heights at which each feature has a weight of its own, in addition to the weight on an
    /// empty board. Heights are measured in rows before the placement; weights in between are
    /// interpolated linearly. All start at the weights of --start
    #[arg(
        long,
        value_name = "ROWS,...",
        value_delimiter = ',',
        value_parser = count::<usize>(1..=MAX_HEIGHT as u64)
    )]
    at_heights: Vec<usize>,

    /// Windows of cells that have tables (n-tuples), joined by commas: columns x rows, or a picture
    /// with its rows from the top (`##./.##`), at every place of the board. After a colon: `shared`
    /// if all rows of the board share tables, `plain` if mirrored columns share none, such as
    /// `4x4,3x3:shared:plain` [default: those of --start; else for td 4x4, for other methods those
    /// of --features, if it names a controller with windows]
    #[arg(long, value_name = "WINDOWS")]
    windows: Option<String>,

    #[command(flatten)]
    board: PlaceOptions,

    #[command(flatten)]
    play: PlayOptions,
}

impl TrainingGameOptions {
    /// Returns the rules if they belong to a classic or guideline game. Other games have no
    /// training.
    fn falling(&self) -> anyhow::Result<FallingRules> {
        Ok(self.any.rules.falling("training")?)
    }

    /// Returns the configuration of the `games` games that each candidate plays. The weights of its
    /// controller are 0.
    pub(crate) fn games(&self, games: u64) -> anyhow::Result<TrainingGames> {
        match self.falling()? {
            OfGame::Classic(rules) => self.classic(rules, games),
            OfGame::Guideline(rules) => self.guideline(&rules, games),
        }
    }

    fn classic(&self, rules: Rules, games: u64) -> anyhow::Result<TrainingGames> {
        let mut like = self.like()?;
        let TrainingClassicOptions { board, play, .. } = &self.classic;
        let windows = match (self.windows()?, self.start_patterns()?) {
            (None, None) => like.patterns.take().map(|patterns| patterns.windows().to_vec()),
            (given, of_start) => {
                like.patterns = None;
                given.or_else(|| of_start.map(|patterns| patterns.windows().to_vec()))
            }
        };
        let mut config = play.config(like.clone(), board, rules, games, &self.any)?;
        if self.objective.as_ref().is_some_and(|objective| objective.estimates().is_some()) {
            ensure!(
                !play.is_limited(),
                "--objective estimate plays no game to its end, so --max-pieces and --max-lines \
                    cut off nothing: leave them out"
            );
            config.limits = Limits::default();
        }
        if let Some(windows) = windows {
            let entries = vec![0; windows::layout(&windows, config.size)?.entries()];
            let patterns = Patterns::new(&windows, 1.0, config.size, entries);
            like.patterns = Some(patterns.map_err(anyhow::Error::msg)?);
        }
        let template = Template::new(&like, config.size)?;
        let controller = template.controller(&vec![0.0; template.dimension()])?;
        Ok(TrainingGames::Classic(ClassicConfig { controller, ..config }, template))
    }

    /// Returns the configuration of the games in which cell patterns learn. `controller` is the
    /// template of the result.
    pub(crate) fn learning_games(&self, controller: Controller) -> anyhow::Result<ClassicConfig> {
        let OfGame::Classic(rules) = self.falling()? else {
            bail!("td learns in classic games only: give --rules simplified or standard");
        };
        ensure!(
            self.any.policy == Policy::Best,
            "td has no policies other than best: leave out --policy"
        );
        ensure!(
            self.any.start.garbage == 0,
            "td starts all games from one board: leave out --garbage, or give --board-file"
        );
        let TrainingClassicOptions { board, play, .. } = &self.classic;
        let config = play.config(controller, board, rules, 1, &self.any)?;
        ensure!(
            config.search == Search::Greedy,
            "td learns by greedy placements: leave out --search"
        );
        Ok(config)
    }

    /// Returns the windows of `--windows`, if it is given.
    pub(crate) fn windows(&self) -> anyhow::Result<Option<Vec<PatternWindow>>> {
        self.classic.windows.as_deref().map(windows::windows).transpose()
    }

    /// Returns the cell patterns of `--start`, a controller of classic games, if it has any.
    fn start_patterns(&self) -> anyhow::Result<Option<Patterns>> {
        let start = self.start.as_deref().map(Controller::load).transpose()?;
        Ok(start.and_then(|start| start.patterns))
    }

    /// Returns the name or file of `--start`, if it is given.
    pub(crate) fn start_name(&self) -> Option<&str> {
        self.start.as_deref()
    }

    fn guideline(&self, rules: &RuleSet, games: u64) -> anyhow::Result<TrainingGames> {
        let like = self.guideline_like()?;
        let template = GuidelineTemplate::new(&like)?;
        let player = AnyPlayer::Controller(template.controller(&vec![0.0; like.weights.len()]));
        let config: GuidelineConfig = self.guideline.config(rules, &self.any, player, games)?;
        config.validate()?;
        Ok(TrainingGames::Guideline(config, template))
    }

    /// Returns the objective, which scores the candidates.
    pub(crate) fn objective(&self) -> anyhow::Result<Objective> {
        let objective = match (&self.objective, self.falling()?) {
            (Some(objective), _) => objective.clone(),
            (None, OfGame::Classic(_)) => DEFAULT_OBJECTIVE.parse()?,
            (None, OfGame::Guideline(_)) if self.guideline.is_sprint() => Objective::sprint(),
            (None, OfGame::Guideline(_)) => Objective::mean_score(),
        };
        self.estimate.of(objective)
    }

    /// Returns the controller that `--start` gives, or `None` without it.
    pub(crate) fn start(&self) -> anyhow::Result<Option<Start>> {
        let Some(name) = &self.start else { return Ok(None) };
        Ok(Some(match self.falling()? {
            OfGame::Classic(_) => {
                let heights: Vec<usize> =
                    self.like()?.at_height.iter().map(|at| at.height).collect();
                let start = Controller::load(name)?.spread_over(&heights);
                let weights = start.named_weights().collect();
                Start { name: start.name, weights, patterns: start.patterns }
            }
            OfGame::Guideline(_) => {
                let GuidelineController { name, weights, .. } = GuidelineController::load(name)?;
                Start { name, weights: named(weights), patterns: None }
            }
        }))
    }

    /// Returns a classic controller that has the features and settings of the candidates, for use
    /// as a template.
    fn like(&self) -> anyhow::Result<Controller> {
        let names = self.features.as_deref().unwrap_or(USUAL);
        let is_preset = |preset: &ControllerPreset| preset.name == names;
        let is_controller =
            PRESETS.iter().chain(GUIDELINE_PRESETS).any(is_preset) || names.ends_with(".toml");
        let mut like = if is_controller {
            Controller::load(names)?
        } else {
            let (weights, at_height) = match names {
                NO_FEATURES => (Vec::new(), Vec::new()),
                names => unweighed_at_heights(names)?,
            };
            let unnamed = Controller::new(String::new(), Measured::AfterClear);
            Controller { weights, at_height, ..unnamed }
        };
        like = like.spread_over(&self.classic.at_heights);
        like.name = CANDIDATE.to_owned();
        like.source = String::new();
        like.tie = self.classic.tie.unwrap_or(like.tie);
        like.measured = self.measured.unwrap_or(like.measured);
        Ok(like)
    }

    /// Returns a guideline controller that has the terms and settings of the candidates, for use as
    /// a template.
    fn guideline_like(&self) -> anyhow::Result<GuidelineController> {
        let usual = if self.guideline.is_sprint() { "capstone-sprint" } else { "capstone-blitz" };
        let features = self.features.as_deref().or(self.start.as_deref()).unwrap_or(usual);
        let is_controller = self.features.is_none()
            || GuidelineController::names().any(|name| name == features)
            // Presets of classic games are loaded, too. The error then names their game instead of
            // an unknown term.
            || PRESETS.iter().any(|preset| preset.name == features)
            || features.ends_with(".toml");
        let (measured_on, weights) = if is_controller {
            let like = GuidelineController::load(features)?;
            if like.network.is_some() {
                bail!(
                    "{features} has a network, which train does not support: name a controller \
                        without one"
                );
            }
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
            network: None,
        })
    }
}

/// Value of `--features` that selects no features, for trainings of windows only.
const NO_FEATURES: &str = "none";
/// Default objective of classic games.
const DEFAULT_OBJECTIVE: &str = "lines";
/// Name of the controllers that play as candidates in a training.
const CANDIDATE: &str = "candidate";

/// Parses feature names, joined by commas; some may have stack heights. Returns the features with
/// weights of 0.
fn unweighed_at_heights(names: &str) -> anyhow::Result<SplitWeights> {
    split_weights(names.split(',').map(|name| (name.trim(), 0.0)))
        .map_err(anyhow::Error::msg)
        .context(NAMES)
}

/// Error message for an invalid `--features`.
const NAMES: &str = "--features takes a controller (`tetrastat show controllers` lists them) or \
    names joined by commas";

/// Parses names of features or terms, joined by commas. Returns them with weights of 0.
fn unweighed<F: std::str::FromStr<Err = crate::error::Error>>(
    names: &str,
) -> anyhow::Result<Vec<(F, f64)>> {
    let features = names.split(',').map(|name| Ok((name.trim().parse::<F>()?, 0.0)));
    let features: anyhow::Result<Vec<_>> = features.collect();
    features.context(NAMES)
}

fn named<F: ToString>(weights: Vec<(F, f64)>) -> Vec<(String, f64)> {
    weights.into_iter().map(|(of, weight)| (of.to_string(), weight)).collect()
}
