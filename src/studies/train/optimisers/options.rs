//! Settings and state of an optimiser of any method, and its problem: number of weights, start and
//! bounds.

use std::ops::{Deref, DerefMut};

use clap::ValueEnum;

use super::{
    CmaEs, CmaEsOptions, CrossEntropy, CrossEntropyOptions, Genetic, GeneticOptions, Optimiser,
    Snes, SnesOptions, VdCmaEs, VdCmaEsOptions, config, population_for,
};
use crate::prelude::*;

/// Declares every optimisation method once, by its name, settings and search.
macro_rules! optimisers {
    ($($(#[$doc:meta])* $Method:ident = $name:literal, $Options:ident, $Search:ident;)+) => {
        /// Settings of an optimiser; in TOML, `method = "cem"` and the settings of the method.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method")]
        pub enum OptimiserSettings {
            $($(#[$doc])* #[serde(rename = $name)] $Method($Options),)+
        }

        /// Names of the optimisation methods, as in the setting `method`.
        pub const METHOD_NAMES: [&str; [$($name),+].len()] = [$($name),+];

        /// Settings of one optimisation method.
        pub trait Method: Copy + clap::Args + Into<OptimiserSettings> {
            /// Name of the optimisation method, as in the setting `method`.
            const NAME: &'static str;
        }

        $(impl Method for $Options {
            const NAME: &'static str = $name;
        }

        impl From<$Options> for OptimiserSettings {
            fn from(options: $Options) -> OptimiserSettings {
                OptimiserSettings::$Method(options)
            }
        })+

        impl OptimiserSettings {
            /// Returns the name of the optimisation method.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(OptimiserSettings::$Method(_) => $name,)+
                }
            }

            /// Creates a search with these settings, before its first generation is scored.
            pub fn start(&self, problem: &Problem, seed: u64) -> Result<OptimiserState> {
                Ok(match *self {
                    $(OptimiserSettings::$Method(options) => {
                        OptimiserState::$Method($Search::new(options, problem, seed)?)
                    })+
                })
            }
        }

        /// Search in progress by any optimisation method, storable between two generations.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum OptimiserState {
            $($(#[$doc])* #[serde(rename = $name)] $Method($Search),)+
        }

        impl OptimiserState {
            /// Returns the settings that the search was started with.
            #[must_use]
            pub fn options(&self) -> OptimiserSettings {
                match self {
                    $(OptimiserState::$Method(search) => {
                        OptimiserSettings::$Method(search.options)
                    })+
                }
            }
        }

        impl Deref for OptimiserState {
            type Target = dyn Optimiser;

            fn deref(&self) -> &(dyn Optimiser + 'static) {
                match self {
                    $(OptimiserState::$Method(search) => search,)+
                }
            }
        }

        impl DerefMut for OptimiserState {
            fn deref_mut(&mut self) -> &mut (dyn Optimiser + 'static) {
                match self {
                    $(OptimiserState::$Method(search) => search,)+
                }
            }
        }
    };
}

optimisers! {
    /// Noisy cross-entropy.
    Cem = "cem", CrossEntropyOptions, CrossEntropy;
    /// A genetic algorithm.
    Ga = "ga", GeneticOptions, Genetic;
    /// Separable natural evolution strategies.
    Snes = "snes", SnesOptions, Snes;
    /// Covariance matrix adaptation.
    CmaEs = "cmaes", CmaEsOptions, CmaEs;
    /// Covariance adaptation in linear time and memory.
    VdCmaEs = "vdcmaes", VdCmaEsOptions, VdCmaEs;
}

impl OptimiserSettings {
    /// Returns true if the method draws candidates around a mean, which may also become the result.
    #[must_use]
    pub fn has_mean(&self) -> bool {
        !matches!(self, OptimiserSettings::Ga(_))
    }

    /// Returns the number of candidates in the first generation of a search for `n` weights.
    #[must_use]
    pub fn population(&self, n: usize) -> usize {
        let given = match self {
            OptimiserSettings::Cem(options) => Some(options.population),
            OptimiserSettings::Ga(options) => Some(options.population),
            OptimiserSettings::Snes(options) => options.population,
            OptimiserSettings::CmaEs(options) => options.population,
            OptimiserSettings::VdCmaEs(options) => options.population,
        };
        population_for(given, n)
    }
}

impl OptimiserState {
    /// Returns the problem (number of weights, start, bounds) of the search.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.progress().problem
    }

    /// Returns the search, read from a checkpoint, if it was started with the given settings.
    pub fn resumed(
        self,
        options: &OptimiserSettings,
        problem: &Problem,
        seed: u64,
    ) -> Result<OptimiserState> {
        let same_seed = self.progress().seed == seed;
        if self.options() != *options || self.problem() != problem || !same_seed {
            return config(
                "the checkpoint belongs to a search with other settings: give the settings it was \
                 started with, or start a new search"
                    .to_owned(),
            );
        }
        self.checked()
    }

    /// Returns the search, read from a checkpoint, if its contents are consistent.
    pub fn checked(self) -> Result<OptimiserState> {
        if !self.fits() {
            return config("the checkpoint is damaged: start a new training".to_owned());
        }
        Ok(self)
    }
}

const MAX_DRAWS: usize = 100;

/// Range of one weight, both ends included; written `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, f64)", into = "(f64, f64)")]
pub struct Bounds {
    /// Smallest value of the weight.
    pub low: f64,
    /// Largest value of the weight.
    pub high: f64,
}

impl From<(f64, f64)> for Bounds {
    fn from((low, high): (f64, f64)) -> Bounds {
        Bounds { low, high }
    }
}

impl FromStr for Bounds {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Bounds, &'static str> {
        let read = || {
            let (low, high) = text.split_once(',')?;
            Some(Bounds { low: low.trim().parse().ok()?, high: high.trim().parse().ok()? })
        };
        read().ok_or("write LOW,HIGH, for example -1,1")
    }
}

impl From<Bounds> for (f64, f64) {
    fn from(bounds: Bounds) -> (f64, f64) {
        (bounds.low, bounds.high)
    }
}

impl Bounds {
    /// Returns the value within the weight's bounds that is nearest to `value`.
    #[must_use]
    pub fn clamp(self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }

    /// Returns true if `value` lies within the weight's bounds.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Draws a value uniformly between the weight's bounds.
    pub fn draw(self, stream: &mut Stream) -> f64 {
        stream.between(self.low, self.high)
    }

    /// Refuses bounds that are not finite or not ascending; `option` names the bounds in the error.
    pub fn check(self, option: &str) -> Result<()> {
        let Bounds { low, high } = self;
        if low.is_finite() && high.is_finite() && low < high {
            return Ok(());
        }
        config(format!(
            "{option} [{low}, {high}]: give two finite numbers, the lower first, for example \
             [-1, 1]"
        ))
    }
}

/// Problem of an optimiser: the best vector of weights, from a start and within bounds.
///
/// A genetic search clamps mutated genes to their bounds. Other methods redraw candidates outside
/// the bounds, and clamp them after 100 draws (Hansen 2016, B.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// Number of weights to search, n.
    pub dimension: usize,
    /// Starting point of the search; `None` for the start in the optimiser's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<f64>>,
    /// Bounds of each weight; `None` for no bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Vec<Bounds>>,
    /// Factor of each weight's initial standard deviation; `None` for the factor 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Vec<f64>>,
}

/// Options of the search problem: bounds of the weights, and unit of their initial spread.
#[derive(Clone, Debug, clap::Args)]
pub struct ProblemOptions {
    /// Range of the weights: one pair for all, or one pair for each weight, joined by / [default:
    /// none; ga -1,1]
    #[arg(long, value_name = "LOW,HIGH[/...]", allow_hyphen_values = true)]
    pub bounds: Option<BoundsList>,

    /// Unit of --sd; `start` suits weights of very different sizes, as in guideline games
    #[arg(long, value_enum, value_name = "UNIT", default_value = "one")]
    pub scale: Scale,
}

/// Bounds joined by `/`: one pair for all weights, or one for each.
#[derive(Clone, Debug)]
pub struct BoundsList(Vec<Bounds>);

impl FromStr for BoundsList {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<BoundsList, &'static str> {
        text.split('/').map(str::parse).collect::<std::result::Result<_, _>>().map(BoundsList)
    }
}

/// Unit of the initial standard deviation of each weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Unit 1 for every weight.
    One,
    /// The absolute value of each weight in --start; for a weight of 0, the median of the others.
    Start,
}

impl ProblemOptions {
    /// Returns the problem of a search with `settings`; a genetic search always has bounds.
    pub fn problem(
        &self,
        settings: &OptimiserSettings,
        dimension: usize,
        start: Option<Vec<f64>>,
    ) -> Result<Problem> {
        let bounds = match self.bounds.as_ref().map(|BoundsList(pairs)| &pairs[..]) {
            None if settings.has_mean() => None,
            None => Some(vec![Bounds { low: -1.0, high: 1.0 }; dimension]),
            Some([all]) => Some(vec![*all; dimension]),
            Some(each) => Some(each.to_vec()),
        };
        let problem = Problem { start, bounds, ..Problem::new(dimension) };
        match (self.scale, &problem.start) {
            (Scale::One, _) => Ok(problem),
            (Scale::Start, Some(_)) => Ok(problem.scaled_by_start()),
            (Scale::Start, None) => {
                config("scale start: give the controller, --start NAME|FILE".to_owned())
            }
        }
    }
}

impl Problem {
    /// Creates a search problem without bounds; its start is defined by the optimiser's settings.
    #[must_use]
    pub fn new(dimension: usize) -> Problem {
        Problem { dimension, start: None, bounds: None, scale: None }
    }

    /// Returns the search problem with the starting point `start`.
    #[must_use]
    pub fn starting_at(self, start: Vec<f64>) -> Problem {
        Problem { start: Some(start), ..self }
    }

    /// Returns the search problem with `bounds`, one pair for each weight.
    #[must_use]
    pub fn within(self, bounds: Vec<Bounds>) -> Problem {
        Problem { bounds: Some(bounds), ..self }
    }

    /// Multiplies each weight's initial standard deviation by its absolute value at the start, or
    /// by the median of the others for a weight of 0. This unit suits weights of very different
    /// sizes. Without a start nothing changes.
    ///
    /// ```
    /// # use tetrastat_studies::train::Problem;
    /// let problem = Problem::new(4).starting_at(vec![-2.0, 0.0, 30.0, 500.0]).scaled_by_start();
    /// assert_eq!(problem.scale, Some(vec![2.0, 30.0, 30.0, 500.0]));
    /// ```
    #[must_use]
    pub fn scaled_by_start(self) -> Problem {
        let sizes = |start: &Vec<f64>| {
            let mut known: Vec<f64> =
                start.iter().map(|x| x.abs()).filter(|&size| size > 0.0).collect();
            known.sort_by(f64::total_cmp);
            let median = known.get(known.len() / 2).copied().unwrap_or(1.0);
            start.iter().map(|&x| if x == 0.0 { median } else { x.abs() }).collect()
        };
        Problem { scale: self.start.as_ref().map(sizes), ..self }
    }

    pub(super) fn first_sd(&self, sd: f64) -> Vec<f64> {
        match &self.scale {
            Some(scale) => scale.iter().map(|unit| unit * sd).collect(),
            None => vec![sd; self.dimension],
        }
    }

    pub(super) fn largest_sd(&self, sd: f64) -> f64 {
        self.first_sd(sd).into_iter().fold(0.0, f64::max)
    }

    /// Checks the settings of the search problem that types can't express.
    pub fn check(&self) -> Result<()> {
        let n = self.dimension;
        if n == 0 {
            let text = "dimension 0: there is nothing to train, name at least one feature";
            return config(text.to_owned());
        }
        let lengths = [
            ("start", self.start.as_ref().map(Vec::len)),
            ("bounds", self.bounds.as_ref().map(Vec::len)),
            ("scale", self.scale.as_ref().map(Vec::len)),
        ];
        for (option, length) in lengths {
            if let Some(given) = length.filter(|&given| given != n) {
                return config(format!("{option}: {given} given for {n} weights, give {n}"));
            }
        }
        for (i, bounds) in self.bounds.iter().flatten().enumerate() {
            bounds.check(&format!("bounds of weight {}", i + 1))?;
        }
        for (i, &unit) in self.scale.iter().flatten().enumerate() {
            if !(unit.is_finite() && unit > 0.0) {
                let weight = i + 1;
                return config(format!(
                    "scale {unit} of weight {weight}: give a finite number above 0"
                ));
            }
        }
        for (i, &value) in self.start.iter().flatten().enumerate() {
            let inside = self.bounds.as_ref().is_none_or(|bounds| bounds[i].contains(value));
            if !value.is_finite() || !inside {
                let weight = i + 1;
                return config(format!(
                    "start {value} of weight {weight}: give a finite number within its bounds"
                ));
            }
        }
        Ok(())
    }

    pub(super) fn near(&self, mean: &[f64], sd: &[f64], stream: &mut Stream) -> Vec<f64> {
        self.feasible(|| mean.iter().zip(sd).map(|(x, sd)| x + sd * stream.normal()).collect())
    }

    /// Draws points until one lies within the bounds; after too many draws, clamps the last one.
    pub(super) fn feasible(&self, mut draw: impl FnMut() -> Vec<f64>) -> Vec<f64> {
        let Some(bounds) = &self.bounds else { return draw() };
        let inside = |point: &[f64]| point.iter().zip(bounds).all(|(&x, b)| b.contains(x));
        let mut point = draw();
        // Redrawing avoids a pile of candidates on the bounds. The number of draws is limited,
        // since a mean far outside the bounds hardly ever gives a point within.
        for _ in 1..MAX_DRAWS {
            if inside(&point) {
                return point;
            }
            point = draw();
        }
        point.iter().zip(bounds).map(|(&x, b)| b.clamp(x)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::refused;
    use crate::train::{Elite, Mutation, Noise};

    // The units are powers of two, so that equal steps have equal bits in all units.
    #[test]
    fn a_scaled_search_is_the_same_in_other_units() {
        let units = [0.5, 4.0, 64.0];
        let start = vec![0.5, -4.0, 64.0];
        let scaled = Problem::new(3).starting_at(start.clone()).scaled_by_start();
        assert_eq!(scaled.scale, Some(units.to_vec()));
        let plain =
            Problem::new(3).starting_at(start.iter().zip(units).map(|(x, u)| x / u).collect());
        let in_units =
            |x: &[f64]| -> Vec<f64> { x.iter().zip(units).map(|(x, u)| x / u).collect() };
        let score = |x: &Vec<f64>| -x.iter().map(|x| (x - 0.25).powi(2)).sum::<f64>();
        let noise = Noise::None;
        for (options, generations) in [
            (
                OptimiserSettings::Cem(CrossEntropyOptions {
                    sd: 0.5,
                    noise,
                    ..Default::default()
                }),
                4,
            ),
            (OptimiserSettings::Snes(SnesOptions { sd: 0.5, ..Default::default() }), 4),
            // Later generations rotate their axes by the covariance, which depends on the units.
            (OptimiserSettings::CmaEs(CmaEsOptions { sd: 0.5, ..Default::default() }), 1),
        ] {
            let mut one = options.start(&scaled, 7).unwrap();
            let mut other = options.start(&plain, 7).unwrap();
            for _ in 0..generations {
                let asked: Vec<Vec<f64>> = one.ask().iter().map(|x| in_units(x)).collect();
                assert_eq!(asked, other.ask(), "{}", options.name());
                let scores: Vec<f64> = asked.iter().map(score).collect();
                one.tell(&scores).unwrap();
                other.tell(&scores).unwrap();
            }
            crate::train::tests::close(&in_units(&one.mean()), &other.mean(), 1e-12);
            crate::train::tests::close(&in_units(&one.sd()), &other.sd(), 1e-12);
            assert_ne!(one.mean(), start);
            assert!(one.checked().is_ok());
        }
    }

    #[test]
    fn options_are_read_from_toml() {
        let read = |text: &str| toml::from_str::<OptimiserSettings>(text);
        let noise = "noise = { kind = 'linear', a = 5.0, b = 10.0 }";
        let text = format!("method = 'cem'\npopulation = 50\nelite = 10\nsd = 3\n{noise}");
        let elite = Elite::Count(10);
        let (population, sd) = (50, 3.0);
        let noise = Noise::LINEAR;
        let want = CrossEntropyOptions { population, elite, sd, noise, ..Default::default() };
        assert_eq!(read(&text).unwrap(), OptimiserSettings::Cem(want));
        let mutation = "mutation = { kind = 'per-gene', rate = 0.1, sd = 0.2 }";
        let mutated = GeneticOptions {
            mutation: Mutation::PerGene { rate: 0.1, sd: 0.2 },
            ..Default::default()
        };
        assert_eq!(
            read(&format!("method = 'ga'\n{mutation}")).unwrap(),
            OptimiserSettings::Ga(mutated)
        );
        for name in METHOD_NAMES {
            assert!(read(&format!("method = '{name}'")).is_ok());
            assert!(read(&format!("method = '{name}'\npopulaton = 7")).is_err());
        }
        assert!(read("method = 'cem'\nelite = 0.25").is_ok());
        assert!(read("method = 'hill'").is_err());
    }

    #[test]
    fn bad_problems_name_the_option() {
        let unit = Bounds { low: 0.0, high: 1.0 };
        refused(Problem::new(0).check(), "dimension 0");
        refused(Problem::new(2).starting_at(vec![1.0]).check(), "start: 1 given for 2 weights");
        refused(Problem::new(1).starting_at(vec![f64::NAN]).check(), "start NaN of weight 1");
        refused(Problem::new(1).within(vec![unit; 2]).check(), "bounds: 2 given for 1 weights");
        let nan = Bounds { low: f64::NAN, high: 1.0 };
        refused(Problem::new(2).within(vec![unit, nan]).check(), "bounds of weight 2 [NaN, 1]");
        let outside = Problem::new(1).within(vec![unit]).starting_at(vec![2.0]);
        refused(outside.check(), "start 2 of weight 1");
        assert!(Problem::new(1).within(vec![unit]).starting_at(vec![1.0]).check().is_ok());
        let scaled = |scale| Problem { scale: Some(scale), ..Problem::new(2) };
        refused(scaled(vec![1.0]).check(), "scale: 1 given for 2 weights");
        refused(scaled(vec![1.0, 0.0]).check(), "scale 0 of weight 2");
        refused(scaled(vec![f64::INFINITY, 1.0]).check(), "scale inf of weight 1");
    }

    #[test]
    fn points_outside_are_drawn_anew_then_clamped() {
        let problem = Problem::new(1).within(vec![Bounds { low: 0.0, high: 1.0 }]);
        let mut draws = [5.0, -3.0, 0.25].into_iter();
        assert_eq!(problem.feasible(|| vec![draws.next().unwrap()]), [0.25]);
        assert_eq!(problem.feasible(|| vec![7.0]), [1.0]);
        assert_eq!(Problem::new(1).feasible(|| vec![7.0]), [7.0]);
    }
}
