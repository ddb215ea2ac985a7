//! Options of the candidates of a training, the controllers whose weights an optimiser tries.

use anyhow::Context;

use crate::board::MAX_HEIGHT;
use crate::cli::options::guideline::{AnyPlayer, GuidelineOptions};
use crate::cli::options::runs::PlayOptions;
use crate::cli::options::{CLASSIC, ClassicOptions, DEFAULT_CONTROLLER};
use crate::cli::prelude::*;
use crate::controller::{
    GUIDELINE_PRESETS, GuidelineController, PRESETS, PatternLayout, PatternWindow, Patterns,
    TableRows, Tie, WindowPlaces, split_weights,
};
use crate::error::quoted;
use crate::features::Measured;
use crate::sim::Limits;
use crate::text::parse::count;
use crate::train::{
    EstimateOptions, GuidelineTemplate, LostGame, Objective, Template, TrainingGames,
};

#[derive(Clone, Debug, clap::Args)]
pub(super) struct CandidateOptions {
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

    /// Minimise the objective instead of maximising it
    #[arg(long)]
    minimise: bool,

    /// Value of a lost game in mean-COLUMN and median-COLUMN: a number, or `observed`, explained
    /// in --help [default: 1000000 with --minimise, else observed]
    #[arg(long, value_name = "VALUE|observed", allow_negative_numbers = true)]
    lost: Option<LostGame>,

    /// Games of each candidate in a generation
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = count::<u64>(1..))]
    games: u64,

    #[command(flatten)]
    estimate: EstimateOptions,

    #[command(flatten)]
    pub(super) any: AnyGameOptions,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: CandidateClassicOptions,

    #[command(flatten)]
    guideline: GuidelineOptions,
}

#[derive(Clone, Debug, clap::Args)]
struct CandidateClassicOptions {
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
    /// `4x4,3x3:shared:plain` [default: those of --start, else those of --features, if it names a
    /// controller with windows]
    #[arg(long, value_name = "WINDOWS")]
    windows: Option<String>,

    #[command(flatten)]
    classic: ClassicOptions,

    #[command(flatten)]
    play: PlayOptions,
}

impl CandidateOptions {
    pub(super) fn games(&self) -> anyhow::Result<TrainingGames> {
        match self.any.rules.falling("training")? {
            ByGame::Classic(rules) => self.classic(rules),
            ByGame::Guideline(rules) => self.guideline(&rules),
        }
    }

    fn classic(&self, rules: Rules) -> anyhow::Result<TrainingGames> {
        let mut model = self.model()?;
        let CandidateClassicOptions { windows, classic, play, .. } = &self.classic;
        let windows = windows.as_deref().map(parse_windows).transpose()?;
        let of_start = match &self.start {
            Some(start) if windows.is_none() => Controller::load(start)?.patterns,
            _ => None,
        };
        let patterns = of_start.or_else(|| model.patterns.take());
        let windows = windows.or_else(|| patterns.map(|patterns| patterns.windows().to_vec()));
        model.patterns = None;
        let mut config =
            play.config(model.clone(), &classic.board, rules, self.games, &self.any)?;
        if self.objective.as_ref().is_some_and(|objective| objective.estimates().is_some()) {
            ensure!(
                !play.is_limited(),
                "--objective estimate plays no game to its end, so --max-pieces and --max-lines \
                    cut off nothing: leave them out"
            );
            config.limits = Limits::default();
        }
        if let Some(windows) = windows {
            let entries = vec![0; layout(&windows, config.size)?.entries()];
            let patterns = Patterns::new(&windows, 1.0, config.size, entries);
            model.patterns = Some(patterns.map_err(anyhow::Error::msg)?);
        }
        let template = Template::new(&model, config.size)?;
        let controller = template.controller(&vec![0.0; template.dimension()])?;
        Ok(TrainingGames::Classic(ClassicConfig { controller, ..config }, template))
    }

    fn guideline(&self, rules: &RuleSet) -> anyhow::Result<TrainingGames> {
        let model = self.guideline_model()?;
        let template = GuidelineTemplate::new(&model)?;
        let player = AnyPlayer::Controller(template.controller(&vec![0.0; model.weights.len()]));
        let config = self.guideline.config(rules, &self.any, player, self.games)?;
        config.validate()?;
        Ok(TrainingGames::Guideline(config, template))
    }

    pub(super) fn objective(
        &self,
        settings: &Settings,
        games: &TrainingGames,
    ) -> anyhow::Result<Objective> {
        let objective = match (&self.objective, games) {
            (Some(objective), _) => objective.clone(),
            (None, TrainingGames::Classic(..)) => "lines".parse()?,
            (None, _) if self.guideline.is_sprint() => Objective::sprint(),
            (None, _) => Objective::mean_score(),
        };
        ensure!(
            objective.estimates().is_some()
                || !settings.names().any(|name| name.starts_with("estimate_")),
            "--estimate-... are options of --objective estimate: give it, or leave them out"
        );
        Ok(objective.estimated(self.estimate).directed(self.minimise, self.lost, games)?)
    }

    pub(super) fn start_point(&self, games: &TrainingGames) -> anyhow::Result<Option<Vec<f64>>> {
        let Some(name) = &self.start else { return Ok(None) };
        let (known, patterns): (Vec<(String, f64)>, _) = match games {
            TrainingGames::Classic(config, _) => {
                let heights: Vec<usize> =
                    config.controller.at_height.iter().map(|at| at.height).collect();
                let start = Controller::load(name)?.spread_over(&heights);
                (start.named_weights().collect(), start.patterns)
            }
            TrainingGames::Guideline(..) => {
                let weights = GuidelineController::load(name)?.weights;
                (weights.into_iter().map(|(of, weight)| (of.to_string(), weight)).collect(), None)
            }
        };
        let weight = |name: &String| known.iter().find(|(of, _)| of == name).map_or(0.0, |of| of.1);
        let mut weights: Vec<f64> = games.names().iter().map(weight).collect();
        if let Some(layout) = games.layout() {
            weights.extend(first_entries(layout, patterns.as_ref())?);
        }
        ensure!(
            weights.iter().any(|&weight| weight != 0.0),
            "--start {name} has no weight for the features: give a controller that has one"
        );
        Ok(Some(weights))
    }

    fn model(&self) -> anyhow::Result<Controller> {
        let unnamed = Controller::new(String::new(), Measured::AfterClear);
        let model = match self.features.as_deref().unwrap_or(DEFAULT_CONTROLLER) {
            NO_FEATURES => unnamed,
            name if is_controller(name) => Controller::load(name)?,
            names => {
                let names = names.split(',').map(|name| (name.trim(), 0.0));
                let weights =
                    split_weights(names).map_err(anyhow::Error::msg).context(UNKNOWN_FEATURES);
                let (weights, at_height) = weights?;
                Controller { weights, at_height, ..unnamed }
            }
        };
        let CandidateClassicOptions { at_heights, classic, .. } = &self.classic;
        let tie: Tie = classic.tie.unwrap_or(model.tie);
        let measured = self.measured.unwrap_or(model.measured);
        let (name, source) = (CANDIDATE_NAME.to_owned(), String::new());
        Ok(Controller { name, source, tie, measured, ..model.spread_over(at_heights) })
    }

    fn guideline_model(&self) -> anyhow::Result<GuidelineController> {
        let default = if self.guideline.is_sprint() { "capstone-sprint" } else { "capstone-blitz" };
        let features = self.features.as_deref().or(self.start.as_deref()).unwrap_or(default);
        let (measured, weights) = if self.features.is_none() || is_controller(features) {
            let model = GuidelineController::load(features)?;
            ensure!(
                model.network.is_none(),
                "{features} has a network, which train does not support: name a controller without \
                    one"
            );
            (model.measured, model.weights)
        } else {
            let terms = features.split(',').map(|name| Ok((name.trim().parse()?, 0.0)));
            let terms: anyhow::Result<Vec<_>> = terms.collect();
            (Measured::AfterClear, terms.context(UNKNOWN_FEATURES)?)
        };
        Ok(GuidelineController {
            name: CANDIDATE_NAME.to_owned(),
            title: String::new(),
            source: String::new(),
            published: None,
            note: None,
            measured: self.measured.unwrap_or(measured),
            weights,
            network: None,
        })
    }
}

/// Returns true if `features` names a controller (preset or TOML file), not features.
fn is_controller(features: &str) -> bool {
    let mut presets = PRESETS.iter().chain(GUIDELINE_PRESETS);
    presets.any(|preset| preset.name == features) || features.ends_with(".toml")
}

const NO_FEATURES: &str = "none";
const CANDIDATE_NAME: &str = "candidate";
const UNKNOWN_FEATURES: &str = "--features takes a controller (`tetrastat show controllers` \
    lists them) or names joined by commas";

pub(super) fn parse_windows(text: &str) -> anyhow::Result<Vec<PatternWindow>> {
    text.split(',')
        .map(|text| {
            let mut words = text.trim().split(':');
            let mut window = PatternWindow {
                cells: words.next().unwrap_or_default().to_owned(),
                at: WindowPlaces::Everywhere,
                mirror: true,
                rows: TableRows::Own,
            };
            for word in words {
                match word {
                    "shared" => window.rows = TableRows::Shared,
                    "plain" => window.mirror = false,
                    other => bail!(
                        "--windows: '{}' is no kind of window: write shared or plain after a colon",
                        quoted(other)
                    ),
                }
            }
            Ok(window)
        })
        .collect()
}

pub(super) fn layout(windows: &[PatternWindow], size: BoardSize) -> anyhow::Result<PatternLayout> {
    PatternLayout::new(windows, size).map_err(|problem| anyhow!("--windows: {problem}"))
}

/// Returns the initial entries of the pattern tables: those in the tables of `start`, else 0.
fn first_entries(layout: &PatternLayout, start: Option<&Patterns>) -> anyhow::Result<Vec<f64>> {
    let mut entries = vec![0.0; layout.entries()];
    let Some(start) = start else { return Ok(entries) };
    let (of_start, size) = (start.size(), layout.size());
    if of_start != size {
        bail!("--start has windows on boards of {of_start}, not {size}: give --board {of_start}");
    }
    for (index, window) in start.windows().iter().enumerate() {
        let target = layout.windows().iter().position(|other| other == window);
        let Some(target) = target else {
            bail!(
                "--start has windows of {}, which --windows lacks: add them, or leave out \
                 --windows",
                quoted(&window.cells)
            );
        };
        let (from, to) = (
            first_entry_from_window(start.layout(), index),
            first_entry_from_window(layout, target),
        );
        let count = first_entry_from_window(start.layout(), index + 1) - from;
        let values = start.tables()[from..from + count].iter();
        for (entry, value) in entries[to..].iter_mut().zip(values) {
            *entry = f64::from(*value) * start.step();
        }
    }
    Ok(entries)
}

fn first_entry_from_window(layout: &PatternLayout, window: usize) -> usize {
    let of_window = layout.lookups().iter().filter(|lookup| lookup.window >= window);
    of_window.map(|lookup| lookup.table).min().unwrap_or(layout.entries())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that training starts with all tables of a controller, in any order of the windows.
    #[test]
    fn tables_of_the_start_keep_their_entries() {
        let size: BoardSize = "6x5".parse().unwrap();
        let layout = |text| layout(&parse_windows(text).unwrap(), size).unwrap();
        let start = layout("1x2:shared,2x1:plain");
        let tables = (0..start.entries() as i16).collect();
        let start = Patterns::new(start.windows(), 0.5, size, tables).unwrap();
        let other = layout("3x1,2x1:plain,2x1,1x2:shared");
        let entries = first_entries(&other, Some(&start)).unwrap();
        let patterns = |entries: &[f64]| {
            let tables = entries.iter().map(|entry| (entry * 2.0) as i16).collect();
            Patterns::new(other.windows(), 0.5, size, tables).unwrap()
        };
        let grown = patterns(&entries);
        let mut differs = false;
        for cells in 0..64u16 {
            let rows = [cells, cells.reverse_bits() >> 10, 0b10010];
            let board = crate::board::Board::from_rows(size, &rows).unwrap();
            assert_eq!(grown.value(&board), start.value(&board), "{cells:b}");
            differs |= grown.value(&board) != grown.value(&crate::board::Board::empty(size));
        }
        assert!(differs);
        assert!(first_entries(&other, None).unwrap().iter().all(|&entry| entry == 0.0));
        let error = first_entries(&layout("1x2:shared,2x1"), Some(&start)).unwrap_err();
        assert!(error.to_string().contains("--start has windows of 2x1"), "{error}");
    }
}
