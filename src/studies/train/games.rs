//! Games of a training, classic or guideline, their results, and the template: a controller whose
//! weights and table entries are the unknowns.

use std::iter::zip;

use serde_json::Value;

use super::config;
use crate::board::BoardSize;
use crate::controller::{
    Controller, GuidelineController, HeightWeight, PatternLayout, Patterns, Tie,
};
use crate::features::guideline::Term;
use crate::features::{Feature, Measured};
use crate::prelude::*;
use crate::record::Lifetime;
use crate::search::Policy;
use crate::sim::game::Plan;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, Game};

/// Games that score the candidates of a training, with the properties that all candidates share.
#[derive(Clone, Debug)]
pub enum TrainingGames {
    /// Games under simplified or standard rules.
    Classic(ClassicConfig, Template),
    /// Games under guideline rules.
    Guideline(GuidelineConfig, GuidelineTemplate),
}

/// Evaluates `$body` with the configuration of the training's classic or guideline games.
macro_rules! for_config {
    ($games:expr, $config:pat => $body:expr) => {
        match $games {
            $crate::train::TrainingGames::Classic($config, _) => $body,
            $crate::train::TrainingGames::Guideline($config, _) => $body,
        }
    };
}

pub(super) use for_config;

impl TrainingGames {
    /// Returns the seed, the number of games per candidate, and the number of threads.
    #[must_use]
    pub fn plan(&self) -> Plan {
        for_config!(self, config => config.plan())
    }

    /// Returns the policy by which candidates choose placements.
    #[must_use]
    pub fn policy(&self) -> Policy {
        for_config!(self, config => config.policy)
    }

    /// Checks the settings of the training's games that types can't express.
    pub fn validate(&self) -> Result<()> {
        for_config!(self, config => config.validate())
    }

    /// Returns the limits of a game: pieces, lines, time in microseconds; `None` for no limit.
    pub(super) fn limits(&self) -> [Option<u64>; 3] {
        for_config!(self, config => config.about().limits)
    }

    pub(super) fn recorded_config(&self) -> Value {
        for_config!(self, config => json!(config))
    }

    /// Returns the names of a candidate's weights in order, such as names of features.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            TrainingGames::Classic(_, template) => template.names(),
            TrainingGames::Guideline(_, template) => template.names(),
        }
    }

    /// Returns how many numbers define a candidate: weights and entries of pattern tables.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            TrainingGames::Classic(_, template) => template.dimension(),
            TrainingGames::Guideline(_, template) => template.names().len(),
        }
    }

    /// Returns the layout of the tables that score cell patterns; `None` without pattern tables.
    #[must_use]
    pub fn layout(&self) -> Option<&PatternLayout> {
        match self {
            TrainingGames::Classic(_, template) => template.layout(),
            TrainingGames::Guideline(..) => None,
        }
    }

    /// Returns the cell patterns with table entries from `weights`; `None` without pattern tables.
    pub fn patterns(&self, weights: &[f64]) -> Result<Option<Patterns>> {
        match self {
            TrainingGames::Classic(_, template) => Ok(template.controller(weights)?.patterns),
            TrainingGames::Guideline(..) => Ok(None),
        }
    }

    /// Returns whether features are measured on the board before or after full rows are removed.
    #[must_use]
    pub fn measured(&self) -> Measured {
        for_config!(self, config => config.controller.measured)
    }

    /// Returns the named weights of a candidate, scaled and rounded as in a controller file.
    #[must_use]
    pub fn weights(&self, weights: &[f64]) -> Vec<(String, f64)> {
        match self {
            TrainingGames::Classic(_, template) => template.named_weights(weights),
            TrainingGames::Guideline(_, template) => {
                let weights = template.controller(weights).weights.into_iter();
                weights.map(|(term, weight)| (term.to_string(), weight)).collect()
            }
        }
    }

    /// Returns the maximum number of decimals of a candidate's weights in a controller file.
    #[must_use]
    pub fn decimals(&self) -> i32 {
        match self {
            TrainingGames::Classic(..) => WEIGHT_DECIMALS,
            TrainingGames::Guideline(..) => GUIDELINE_DECIMALS,
        }
    }

    /// Returns a controller's rule for ties and its board width, each `None` if it is the default.
    #[must_use]
    pub fn file_settings(&self) -> (Option<Tie>, Option<usize>) {
        match self {
            TrainingGames::Classic(
                ClassicConfig { controller: Controller { tie, board_width, .. }, .. },
                _,
            ) => (Some(*tie).filter(|tie| *tie != Tie::First), *board_width),
            TrainingGames::Guideline(..) => (None, None),
        }
    }

    /// Returns the board size of classic games or the mode of guideline games.
    #[must_use]
    pub fn board_or_mode(&self) -> String {
        match self {
            TrainingGames::Classic(config, _) => config.size.to_string(),
            TrainingGames::Guideline(config, _) => config.mode.name().to_owned(),
        }
    }

    /// Returns the games' rules, board or mode, and search in words, separated by `comma`.
    #[must_use]
    pub fn describe(&self, comma: &str) -> String {
        let policy = self.policy().label(&format!("{comma}policy "));
        match self {
            TrainingGames::Classic(ClassicConfig { rules, size, queue, search, .. }, _) => {
                format!("{rules} {size}{comma}queue {queue}{comma}search {search}{policy}")
            }
            TrainingGames::Guideline(config, _) => {
                let GuidelineConfig { rules, mode, moves, .. } = config;
                let (mode, search) = (mode.name(), config.beam.name());
                format!("{rules} {mode}{comma}{moves} movement{comma}search {search}{policy}")
            }
        }
    }
}

/// Result of one game of a candidate, or of one run of an estimate by multilevel splitting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedGame {
    /// Objective's value of the game; in a splitting estimate, the weighted number of lost games.
    pub value: f64,
    /// Number of lines; in a run of a splitting estimate, lines in copies of games do not count.
    pub lines: u64,
    /// Number of pieces; in a run of a splitting estimate, pieces in copies of games count too.
    pub pieces: u64,
    /// True if the game ended without a loss, or if a splitting run stopped at its limit of pieces.
    pub censored: bool,
}

/// Results of one candidate's games in a training, in the order of the games' numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateGames(pub Vec<PlayedGame>);

impl CandidateGames {
    /// Returns the number of the candidate's games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the objective's value of each of the candidate's games.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.0.iter().map(|game| game.value).collect()
    }

    /// Returns the total number of pieces in the candidate's games.
    #[must_use]
    pub fn pieces(&self) -> u64 {
        self.0.iter().map(|game| game.pieces).sum()
    }

    /// Returns the lines of each of the candidate's games, and whether the game ended without a
    /// loss.
    #[must_use]
    pub fn lifetimes(&self) -> Vec<Lifetime> {
        let lifetime = |game: &PlayedGame| Lifetime { lines: game.lines, censored: game.censored };
        self.0.iter().map(lifetime).collect()
    }

    /// Returns the number of the candidate's games that ended without a loss.
    #[must_use]
    pub fn censored(&self) -> u64 {
        self.0.iter().filter(|game| game.censored).count() as u64
    }
}

pub(super) const WEIGHT_DECIMALS: i32 = 9;
const MAX_WEIGHT_STEPS: f64 = 8e12;

/// Template of a training: a controller whose weights and table entries the search fills in.
///
/// **Weights.** Only their direction matters. They are divided by their Euclidean length and
/// rounded to 9 decimals, or fewer if a feature has very fine steps. The scorer represents them
/// without further rounding, so a player loaded from a controller file plays exactly like the
/// candidate. The optimiser keeps the unrounded numbers.
///
/// **Table entries** of cell patterns follow the weights and are divided by the same length. They
/// become 16-bit integers, whose unit is the smallest multiple of the last decimal of a weight with
/// which the largest fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    like: Controller,
    decimals: i32,
}

impl Template {
    /// Creates a template for boards of `size`: the controller `like`, with weights to be found.
    pub fn new(like: &Controller, size: BoardSize) -> Result<Template> {
        let names: Vec<String> = like.named_weights().map(|(name, _)| name).collect();
        if !names.is_empty() || like.patterns.is_none() {
            check_distinct(&names)?;
        }
        like.check(size)?;
        let denominator = |feature: &Feature| feature.definition().unit.denominator(size.width());
        // Common denominator of all features: scores are integer multiples of its inverse.
        let units: f64 =
            like.features().map(|feature| f64::from(denominator(&feature))).fold(1.0, lcm);
        // Weights of length 1 sum to at most the square root of their number, and each is a
        // multiple of 10^-d. At a single height there are fewer weights. No entry is larger than 1,
        // and rounding adds less than two steps to their sum.
        let lookups = like.patterns.as_ref().map(|patterns| patterns.layout().lookups().len() + 2);
        let length = (names.len() as f64).sqrt() + lookups.unwrap_or(0) as f64;
        let fits = |d: &i32| length * units * 10f64.powi(*d) <= MAX_WEIGHT_STEPS;
        Ok(Template {
            decimals: (1..=WEIGHT_DECIMALS).rev().find(fits).unwrap_or(1),
            like: Controller {
                title: String::new(),
                source: String::new(),
                published: None,
                note: None,
                ..like.clone()
            },
        })
    }

    /// Returns the names of a candidate's weights, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.like.named_weights().map(|(name, _)| name).collect()
    }

    /// Returns the layout of the tables that score cell patterns; `None` without pattern tables.
    #[must_use]
    pub fn layout(&self) -> Option<&PatternLayout> {
        self.like.patterns.as_ref().map(Patterns::layout)
    }

    /// Returns the number of weights and table entries of a candidate.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.weight_count() + self.layout().map_or(0, PatternLayout::entries)
    }

    /// Returns the weights of a candidate with their names, without table entries.
    #[must_use]
    pub fn named_weights(&self, weights: &[f64]) -> Vec<(String, f64)> {
        self.linear(&normalised(weights)).named_weights().collect()
    }

    /// Returns the controller with a candidate's `weights`, scaled and rounded ([`Template`]).
    pub fn controller(&self, weights: &[f64]) -> Result<Controller> {
        let (given, needed) = (weights.len(), self.dimension());
        if given != needed {
            return config(format!("{given} weights and table entries: give {needed}"));
        }
        let weights = normalised(weights);
        let patterns = self.patterns(&weights[self.weight_count()..])?;
        Ok(Controller { patterns, ..self.linear(&weights) })
    }

    fn weight_count(&self) -> usize {
        self.like.weights.len() + self.like.at_height.len()
    }

    fn linear(&self, weights: &[f64]) -> Controller {
        let mut weights = rounded(weights, self.decimals).into_iter();
        Controller {
            weights: self.like.features().zip(weights.by_ref()).collect(),
            at_height: zip(&self.like.at_height, weights)
                .map(|(at, weight)| HeightWeight { weight, ..*at })
                .collect(),
            ..self.like.clone()
        }
    }

    fn patterns(&self, entries: &[f64]) -> Result<Option<Patterns>> {
        let Some(layout) = self.layout() else { return Ok(None) };
        let power = 10f64.powi(self.decimals);
        let largest = entries.iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
        let step = (largest * power / f64::from(i16::MAX)).ceil().max(1.0) / power;
        let tables = entries.iter().map(|entry| (entry / step).round() as i16).collect();
        let patterns = Patterns::new(layout.windows(), step, layout.size(), tables);
        patterns.map(Some).map_err(Error::Config)
    }
}

pub(super) const GUIDELINE_DECIMALS: i32 = 7;

/// Template of a training on guideline games: a controller whose weights the search fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineTemplate {
    like: GuidelineController,
}

impl GuidelineTemplate {
    /// Creates a template from the guideline controller `like`, whose weights are searched.
    pub fn new(like: &GuidelineController) -> Result<GuidelineTemplate> {
        let terms: Vec<Term> = like.weights.iter().map(|(term, _)| *term).collect();
        check_distinct(&terms)?;
        Ok(GuidelineTemplate { like: like.clone() })
    }

    /// Returns the names of the terms (features of guideline games), in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.like.weights.iter().map(|(term, _)| term.to_string()).collect()
    }

    /// Returns the controller with a candidate's `weights`, scaled to length 1 and rounded.
    #[must_use]
    pub fn controller(&self, weights: &[f64]) -> GuidelineController {
        let terms = self.like.weights.iter().map(|(term, _)| *term);
        let weights = terms.zip(rounded(&normalised(weights), GUIDELINE_DECIMALS)).collect();
        GuidelineController { weights, ..self.like.clone() }
    }
}

fn check_distinct<F: PartialEq + std::fmt::Display>(features: &[F]) -> Result<()> {
    if features.is_empty() {
        return config("features: name at least one, for example holes".to_owned());
    }
    for (index, feature) in features.iter().enumerate() {
        if features[..index].contains(feature) {
            return config(format!("features: {feature} occurs twice, name it once"));
        }
    }
    Ok(())
}

fn rounded(weights: &[f64], decimals: i32) -> Vec<f64> {
    let power = 10f64.powi(decimals);
    // Adding 0 makes a negative zero positive.
    let round = |weight: f64| (weight * power).round() / power + 0.0;
    weights.iter().copied().map(round).collect()
}

/// Returns the weights scaled to Euclidean length 1; zeros stay zero.
pub(super) fn normalised(weights: &[f64]) -> Vec<f64> {
    // Squares of huge numbers would overflow.
    let largest = weights.iter().fold(0.0f64, |largest, weight| largest.max(weight.abs()));
    if largest == 0.0 {
        return weights.to_vec();
    }
    let scaled: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
    let length = scaled.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
    scaled.into_iter().map(|weight| weight / length).collect()
}

fn lcm(a: f64, b: f64) -> f64 {
    let (mut x, mut y) = (a, b);
    while y != 0.0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{PatternWindow, Scorer, TableRows, WindowPlaces};
    use crate::rng::{Purpose, Stream};
    use crate::train::tests::refused;

    fn size(text: &str) -> BoardSize {
        text.parse().unwrap()
    }

    #[test]
    fn weights_have_length_one_and_survive_their_text() {
        let template = Template::new(&Controller::load("bcts").unwrap(), size("10x10")).unwrap();
        let controller = template.controller(&[3.0, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0]);
        let controller = controller.unwrap();
        let weights: Vec<f64> = controller.weights.iter().map(|(_, weight)| *weight).collect();
        assert_eq!(weights, [0.6, -0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let huge = template.controller(&[3e299, 1e-300, 0.0, 0.0, 0.0, 0.0, 0.0, 4e299]);
        let huge = huge.unwrap();
        assert_eq!(huge.weights[0].1, 0.6);
        let zero = template.controller(&[0.0; 8]).unwrap();
        assert!(zero.weights.iter().all(|(_, weight)| *weight == 0.0));
        refused(template.controller(&[0.0; 9]), "9 weights and table entries: give 8");
    }

    #[test]
    fn exact_scores_hold_every_candidate_as_it_is() {
        let mut stream = Stream::new(1, Purpose::Candidates, 0);
        for width in 4..=16 {
            let size = BoardSize::new(width, 20).unwrap();
            let all: Vec<Feature> = Feature::all(size).collect();
            let none: Option<&str> = None;
            for (features, cells) in [
                (&all[..], none),
                (&all[..1], none),
                (&all[3..9], none),
                (&all[..], Some("3x3")),
                (&all[3..9], Some("2x2")),
                (&[], Some("4x1")),
            ] {
                let weights = features.iter().map(|&feature| (feature, 0.0)).collect();
                let patterns = cells.map(|cells| patterns(cells, size));
                let like = Controller { weights, patterns, ..Controller::load("bcts").unwrap() };
                let template = Template::new(&like, size).unwrap();
                let draw = |_| stream.normal() * libm::exp(10.0 * stream.normal());
                let candidate: Vec<f64> = (0..template.dimension()).map(draw).collect();
                let controller = template.controller(&candidate).unwrap();
                let scorer = Scorer::new(&controller, size).unwrap();
                for ((feature, weight), (_, steps)) in
                    controller.weights.iter().zip(scorer.terms(0))
                {
                    let units = f64::from(feature.definition().unit.denominator(width));
                    let back = *steps as f64 * units / scorer.scale();
                    assert!((back - weight).abs() < 1e-15, "{feature}: {weight}, {back}");
                }
                if let Some((patterns, steps)) = scorer.patterns() {
                    let step = patterns.step();
                    assert!((steps as f64 / scorer.scale() - step).abs() < 1e-15, "{step}");
                }
            }
        }
    }

    fn patterns(cells: &str, size: BoardSize) -> Patterns {
        let window = PatternWindow {
            cells: cells.to_owned(),
            at: WindowPlaces::Everywhere,
            mirror: true,
            rows: TableRows::Shared,
        };
        let layout = PatternLayout::new(std::slice::from_ref(&window), size).unwrap();
        Patterns::new(&[window], 1.0, size, vec![0; layout.entries()]).unwrap()
    }

    #[test]
    fn entries_follow_the_weights() {
        let size = size("6x8");
        let mut like = Controller::load("notebook-4").unwrap();
        like.patterns = Some(patterns("1x2", size));
        let template = Template::new(&like, size).unwrap();
        let weights = like.weights.len();
        // Six columns share three tables of four entries.
        assert_eq!(template.dimension(), weights + 12);
        let mut candidate = vec![0.0; weights + 12];
        (candidate[0], candidate[weights + 1], candidate[weights + 11]) = (2.0, -6.0, 3.0);
        let controller = template.controller(&candidate).unwrap();
        assert_eq!(controller.weights[0].1, 0.285_714_286);
        let found = controller.patterns.unwrap();
        let value = |entry: usize| f64::from(found.tables()[entry]) * found.step();
        assert!((value(1) + 6.0 / 7.0).abs() < found.step(), "{}", value(1));
        assert!((value(11) - 3.0 / 7.0).abs() < found.step(), "{}", value(11));
        assert!(found.tables()[1] < -32_000, "{}", found.tables()[1]);
        assert_eq!(found.tables().iter().filter(|&&entry| entry != 0).count(), 2);
        let zero = template.controller(&vec![0.0; weights + 12]).unwrap();
        assert!(zero.patterns.unwrap().tables().iter().all(|&entry| entry == 0));
        like.weights.clear();
        assert_eq!(Template::new(&like, size).unwrap().dimension(), 12, "patterns alone");
    }

    #[test]
    fn wrong_features_are_refused() {
        let mut like = Controller::load("bcts").unwrap();
        like.weights.push(like.weights[0]);
        refused(Template::new(&like, size("10x10")), "features: landing_height occurs twice");
        like.weights.clear();
        refused(Template::new(&like, size("10x10")), "features: name at least one");
    }
}
