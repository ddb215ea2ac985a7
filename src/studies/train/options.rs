//! One of the optimisers, as settings and as a search in progress.

use serde::{Deserialize, Serialize};

use super::{
    BestCandidate, CmaEs, CmaEsOptions, CrossEntropy, CrossEntropyOptions, Genetic, GeneticOptions,
    Optimiser, Problem, Snes, SnesOptions, Stop, config,
};
use crate::error::Result;

/// Which optimiser, with its settings. In TOML: `method = "cem"` beside the settings' own names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase")]
pub enum OptimiserSettings {
    /// Noisy cross-entropy.
    Cem(CrossEntropyOptions),
    /// A genetic algorithm.
    Ga(GeneticOptions),
    /// Separable natural evolution strategies.
    Snes(SnesOptions),
    /// Covariance matrix adaptation.
    CmaEs(CmaEsOptions),
}

/// The names of the methods.
pub const METHOD_NAMES: [&str; 4] = ["cem", "ga", "snes", "cmaes"];

impl OptimiserSettings {
    /// The method's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            OptimiserSettings::Cem(_) => METHOD_NAMES[0],
            OptimiserSettings::Ga(_) => METHOD_NAMES[1],
            OptimiserSettings::Snes(_) => METHOD_NAMES[2],
            OptimiserSettings::CmaEs(_) => METHOD_NAMES[3],
        }
    }

    /// A search before its first generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn start(&self, problem: &Problem, seed: u64) -> Result<OptimiserState> {
        Ok(match *self {
            OptimiserSettings::Cem(options) => {
                OptimiserState::Cem(CrossEntropy::new(options, problem, seed)?)
            }
            OptimiserSettings::Ga(options) => {
                OptimiserState::Ga(Genetic::new(options, problem, seed)?)
            }
            OptimiserSettings::Snes(options) => {
                OptimiserState::Snes(Snes::new(options, problem, seed)?)
            }
            OptimiserSettings::CmaEs(options) => {
                OptimiserState::CmaEs(CmaEs::new(options, problem, seed)?)
            }
        })
    }
}

/// A search in progress, of any method: serialise it between generations to go on from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimiserState {
    /// Noisy cross-entropy.
    Cem(CrossEntropy),
    /// A genetic algorithm.
    Ga(Genetic),
    /// Separable natural evolution strategies.
    Snes(Snes),
    /// Covariance matrix adaptation.
    CmaEs(CmaEs),
}

macro_rules! each {
    ($search:expr, $method:ident => $result:expr) => {
        match $search {
            OptimiserState::Cem($method) => $result,
            OptimiserState::Ga($method) => $result,
            OptimiserState::Snes($method) => $result,
            OptimiserState::CmaEs($method) => $result,
        }
    };
}

impl OptimiserState {
    /// The settings it was started with.
    #[must_use]
    pub fn options(&self) -> OptimiserSettings {
        match self {
            OptimiserState::Cem(search) => OptimiserSettings::Cem(search.options),
            OptimiserState::Ga(search) => OptimiserSettings::Ga(search.options),
            OptimiserState::Snes(search) => OptimiserSettings::Snes(search.options),
            OptimiserState::CmaEs(search) => OptimiserSettings::CmaEs(search.options),
        }
    }

    /// What it seeks.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        each!(self, search => &search.progress.problem)
    }

    /// How often it has begun anew.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        match self {
            OptimiserState::CmaEs(search) => search.restarts(),
            _ => 0,
        }
    }

    /// A stored search that is to go on under these settings.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when it was started with others, or is damaged.
    pub fn resumed(
        self,
        options: &OptimiserSettings,
        problem: &Problem,
        seed: u64,
    ) -> Result<OptimiserState> {
        let same_seed = each!(&self, search => search.progress.seed == seed);
        if self.options() != *options || self.problem() != problem || !same_seed {
            return config(
                "the checkpoint belongs to a search with other settings: give it the settings it \
                 was started with, or start anew"
                    .to_owned(),
            );
        }
        self.checked()
    }

    /// A stored search, if its parts fit together.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when it is damaged.
    pub fn checked(self) -> Result<OptimiserState> {
        if !each!(&self, search => search.fits()) {
            return config("the checkpoint is damaged: start the training anew".to_owned());
        }
        Ok(self)
    }
}

impl Optimiser for OptimiserState {
    fn ask(&self) -> &[Vec<f64>] {
        each!(self, search => search.ask())
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        each!(self, search => search.tell(scores))
    }

    fn generation(&self) -> u64 {
        each!(self, search => search.generation())
    }

    fn mean(&self) -> Vec<f64> {
        each!(self, search => search.mean())
    }

    fn sd(&self) -> Vec<f64> {
        each!(self, search => search.sd())
    }

    fn best(&self) -> Option<&BestCandidate> {
        each!(self, search => search.best())
    }

    fn stop(&self) -> Option<Stop> {
        each!(self, search => search.stop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Elite, Mutation, Noise};

    /// Units that are powers of two, so that the same steps in other units are the same bits.
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
            // Later ones turn their axes as their covariance has them, in other units elsewhere.
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
}
