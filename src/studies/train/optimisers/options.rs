//! Settings and state of an optimiser of any method.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::{
    CmaEs, CmaEsOptions, CrossEntropy, CrossEntropyOptions, Genetic, GeneticOptions, Optimiser,
    Problem, Snes, SnesOptions, VdCmaEs, VdCmaEsOptions, config, population_for,
};
use crate::error::Result;

/// Declares every optimiser once: name, settings and search.
macro_rules! optimisers {
    ($($(#[$doc:meta])* $Method:ident = $name:literal, $Options:ident, $Search:ident;)+) => {
        /// Settings of an optimiser. In TOML: `method = "cem"` and the settings of the method.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method")]
        pub enum OptimiserSettings {
            $($(#[$doc])* #[serde(rename = $name)] $Method($Options),)+
        }

        /// Names of the optimisation methods, as in the setting `method`.
        pub const METHOD_NAMES: [&str; [$($name),+].len()] = [$($name),+];

        /// Settings of one optimisation method.
        pub trait Method: Copy + clap::Args + Into<OptimiserSettings> {
            /// Name of the method.
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
            ///
            /// # Errors
            /// [`crate::error::Error::Config`] naming the setting to change.
            pub fn start(&self, problem: &Problem, seed: u64) -> Result<OptimiserState> {
                Ok(match *self {
                    $(OptimiserSettings::$Method(options) => {
                        OptimiserState::$Method($Search::new(options, problem, seed)?)
                    })+
                })
            }
        }

        /// A search in progress, by any method. It can be serialised between two generations and
        /// continued later.
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
    /// Returns true if the optimiser draws its candidates around a mean. The mean then plays in
    /// checks and finals. A genetic search has no such mean.
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
    /// Returns the problem that the search was started with.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.progress().problem
    }

    /// Returns this search, read from a checkpoint, if it was started with `options`, `problem` and
    /// `seed`.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the search was started with other values or is damaged.
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

    /// Returns this search, read from a checkpoint, if its parts are consistent.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the search is damaged.
    pub fn checked(self) -> Result<OptimiserState> {
        if !self.fits() {
            return config("the checkpoint is damaged: start a new training".to_owned());
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Elite, Mutation, Noise};

    /// The units are powers of two, so that equal steps have equal bits in all units.
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
}
