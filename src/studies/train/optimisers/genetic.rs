//! Genetic algorithms: keep the best individuals (the elite), select parents, cross parents, mutate
//! children.
//!
//! One search implements the operators of two sources. The program `train_ga.py` of the guide
//! JCA374/tetris-heuristics uses tournaments, uniform crossover and normal steps per gene. Alan
//! Zucconi's Unity `EvolutionSystem`, in its older and newer version, uses truncation, no crossover
//! and mutations of one gene at a time.

use serde::{Deserialize, Serialize};

use super::mutation::Mutation;
use super::progress::{BestTie, Progress, moments};
use super::selection::ParentSelection;
use super::{Bounds, Optimiser, Problem, Stop, check_population, config};
use crate::error::Result;
use crate::rng::Stream;
use crate::settings;
use crate::text::parse::count;

settings! {
    /// Settings of a genetic search, with the defaults of `train_ga.py`
    /// (`GeneticAlgorithm.__init__` in JCA374/tetris-heuristics).
    pub struct GeneticOptions {
        /// Candidates per generation
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        pub population: usize = 50,
        /// Best candidates that are kept unchanged
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        pub elite: usize = 5,
        /// New random candidates in every generation
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        pub immigrants: usize = 0,
        /// Selection of parents: `tournament:SIZE`, `truncation:SHARE` (one of the best, each
        /// equally likely) or `fitness-proportionate` (with a probability proportional to the
        /// score)
        pub selection: ParentSelection = ParentSelection::Tournament { size: 5 },
        /// Probability that a child has two parents; each gene then comes from either
        pub crossover: f64 = 0.7,
        /// Mutation of every child: `per-gene:RATE:SD`, or `one-gene:STEP:FRESH:LEAST:MOST` (LEAST
        /// to MOST mutations of one gene each, which is drawn anew with probability FRESH). With
        /// `:EVERY:MORE` at the end, EVERY generations without a new best score add a mutation, at
        /// most MORE
        pub mutation: Mutation = Mutation::PerGene { rate: 0.2, sd: 0.3 },
        /// Range of random genes [default: --bounds]
        #[arg(value_name = "LOW,HIGH", allow_hyphen_values = true)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub initial: Option<Bounds>,
    }
}

impl GeneticOptions {
    /// Validates the settings that types can't express.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn check(&self) -> Result<()> {
        check_population(self.population)?;
        let GeneticOptions { population, elite, immigrants, crossover, .. } = *self;
        if elite.saturating_add(immigrants) >= population {
            return config(format!(
                "elite {elite} and immigrants {immigrants} of population {population}: leave at \
                 least one place for children"
            ));
        }
        if !(0.0..=1.0).contains(&crossover) {
            return config(format!("crossover {crossover}: give a probability from 0 to 1"));
        }
        if let Some(initial) = self.initial {
            initial.check("initial")?;
        }
        self.selection.check(population)?;
        self.mutation.check()
    }

    fn check_with(&self, problem: &Problem) -> Result<()> {
        self.check()?;
        problem.check()?;
        let fresh_genes =
            matches!(self.mutation, Mutation::OneGene { .. }) || self.initial.is_none();
        if problem.bounds.is_none() && fresh_genes {
            return config(
                "bounds: genetic search draws fresh genes between them, give each weight's, for \
                 example [-1, 1]"
                    .to_owned(),
            );
        }
        if problem.scale.is_some() {
            return config(
                "scale: a genetic search has no standard deviation, leave it out".to_owned(),
            );
        }
        Ok(())
    }
}

/// A genetic search. The first generation is random, or consists of a problem's start and mutated
/// copies of that start (Unity's `FirstGenome`). Later generations consist, in this order, of the
/// elite, new random individuals and children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genetic {
    pub(super) options: GeneticOptions,
    pub(super) progress: Progress,
}

impl Genetic {
    /// Creates a search before its first generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn new(options: GeneticOptions, problem: &Problem, seed: u64) -> Result<Self> {
        options.check_with(problem)?;
        let mut search = Genetic { options, progress: Progress::new(problem, seed)? };
        let mut stream = search.progress.stream();
        let first = |i: usize| match &problem.start {
            None => search.random(&mut stream),
            Some(start) if i == 0 => start.clone(),
            Some(start) => search.mutated(start.clone(), &mut stream),
        };
        search.progress.population = (0..options.population).map(first).collect();
        Ok(search)
    }

    fn random(&self, stream: &mut Stream) -> Vec<f64> {
        let bounds = |i: usize| self.progress.problem.bounds.as_ref().map(|bounds| bounds[i]);
        let gene = |i| match self.options.initial.or(bounds(i)) {
            Some(range) => range.draw(stream),
            None => 0.0,
        };
        (0..self.progress.problem.dimension).map(gene).collect()
    }

    fn mutated(&self, mut genes: Vec<f64>, stream: &mut Stream) -> Vec<f64> {
        let bounds = self.progress.problem.bounds.as_deref();
        self.options.mutation.apply(&mut genes, bounds, self.progress.stale, stream);
        genes
    }

    fn child(&self, ranking: &[usize], scores: &[f64], stream: &mut Stream) -> Vec<f64> {
        let GeneticOptions { selection, crossover, .. } = self.options;
        let population = &self.progress.population;
        let two = stream.unit() < crossover;
        let first = &population[selection.pick(ranking, scores, stream)];
        let genes = if two {
            let second = &population[selection.pick(ranking, scores, stream)];
            uniform_crossover(first, second, stream)
        } else {
            first.clone()
        };
        self.mutated(genes, stream)
    }

    fn moments(&self) -> (Vec<f64>, Vec<f64>) {
        let whole: Vec<_> = self.ask().iter().map(|x| (x.as_slice(), 1.0)).collect();
        moments(&whole, self.progress.problem.dimension)
    }
}

/// Returns a child that takes each gene from `first` or from `second`, with probability 1/2 each.
fn uniform_crossover(first: &[f64], second: &[f64], stream: &mut Stream) -> Vec<f64> {
    let mut either = |(&a, &b)| if stream.unit() < 0.5 { a } else { b };
    first.iter().zip(second).map(&mut either).collect()
}

impl Optimiser for Genetic {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn fits(&self) -> bool {
        self.options.check_with(&self.progress.problem).is_ok()
            && self.progress.fits(self.options.population)
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        let ranking = self.progress.rank(scores)?;
        // The generation advances first: the children are drawn from the next generation's stream.
        self.progress.advance(&ranking, scores, BestTie::Earlier);
        let mut stream = self.progress.stream();
        let GeneticOptions { population, elite, immigrants, .. } = self.options;
        let mut next: Vec<Vec<f64>> =
            ranking[..elite].iter().map(|&i| self.progress.population[i].clone()).collect();
        next.extend((0..immigrants).map(|_| self.random(&mut stream)));
        while next.len() < population {
            next.push(self.child(&ranking, scores, &mut stream));
        }
        self.progress.population = next;
        Ok(())
    }

    fn mean(&self) -> Vec<f64> {
        self.moments().0
    }

    /// Computes the standard deviation of each gene in the current population, with the number of
    /// individuals as divisor.
    fn sd(&self) -> Vec<f64> {
        self.moments().1.into_iter().map(f64::sqrt).collect()
    }

    fn stop(&self) -> Option<Stop> {
        self.progress.flatness(self.options.population)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::train::Mutation;
    use crate::train::OptimiserSettings;
    use crate::train::tests::{functions, hill_climb, refused, straight_equals_resumed};

    fn bounded(n: usize, low: f64, high: f64) -> Problem {
        Problem::new(n).within(vec![Bounds { low, high }; n])
    }

    fn unity() -> GeneticOptions {
        GeneticOptions {
            population: 40,
            elite: 1,
            immigrants: 2,
            selection: ParentSelection::Truncation { survival_rate: 0.25 },
            crossover: 0.0,
            mutation: Mutation::OneGene {
                step: 0.1,
                fresh: 0.1,
                least: 1,
                most: 3,
                every: 10,
                more: 20,
            },
            initial: Some(Bounds { low: 0.0, high: 1.0 }),
        }
    }

    #[test]
    fn crossover_takes_each_gene_from_either_parent() {
        let mut stream = Stream::new(1, Purpose::Candidates, 0);
        let expected: Vec<f64> = {
            let mut same = stream.clone();
            (0..1000).map(|_| if same.unit() < 0.5 { 1.0 } else { 2.0 }).collect()
        };
        let child = uniform_crossover(&[1.0; 1000], &[2.0; 1000], &mut stream);
        assert_eq!(child, expected);
        let firsts = child.iter().filter(|&&gene| gene == 1.0).count();
        assert!((437..=563).contains(&firsts), "{firsts}"); // 500 +- 4 sd of 15.8
    }

    #[test]
    fn the_elite_goes_on_and_children_come_from_parents() {
        let still = Mutation::PerGene { rate: 0.0, sd: 0.3 };
        let options =
            GeneticOptions { population: 6, elite: 2, mutation: still, ..Default::default() };
        let mut search = Genetic::new(options, &bounded(3, -2.0, 2.0), 1).unwrap();
        let before = search.ask().to_vec();
        search.tell(&[0.0, 5.0, 1.0, 4.0, 5.0, 2.0]).unwrap();
        assert_eq!(search.ask()[..2], [before[1].clone(), before[4].clone()]);
        for child in &search.ask()[2..] {
            for (i, gene) in child.iter().enumerate() {
                assert!(before.iter().any(|parent| parent[i] == *gene));
            }
        }
    }

    #[test]
    fn a_start_is_the_first_individual_and_the_others_are_near() {
        let problem = bounded(4, -1.0, 1.0).starting_at(vec![0.5; 4]);
        let search = Genetic::new(unity(), &problem, 1).unwrap();
        assert_eq!(search.ask()[0], [0.5; 4]);
        let changed = |x: &Vec<f64>| x.iter().filter(|&&gene| gene != 0.5).count();
        assert!(search.ask()[1..].iter().all(|x| (1..=3).contains(&changed(x))));
    }

    #[test]
    fn genes_begin_in_their_range() {
        let search = Genetic::new(unity(), &bounded(4, -1.0, 1.0), 1).unwrap();
        assert!(search.ask().concat().iter().all(|gene| (0.0..1.0).contains(gene)));
        assert!(search.mean().iter().all(|mean| (mean - 0.5).abs() < 0.2));
    }

    #[test]
    fn it_climbs_the_known_hills() {
        for options in [GeneticOptions::default(), unity()] {
            let options = OptimiserSettings::Ga(options);
            let sphere = hill_climb(&options, &bounded(3, -2.0, 2.0), 300, functions::sphere);
            // Unity's clamp at 1 suits this optimum; the guide's steps of sd 0.3 are coarse.
            assert!(sphere.error < 1e-3, "{sphere:?}");
            let valley = hill_climb(&options, &bounded(2, -2.0, 2.0), 300, functions::rosenbrock);
            assert!(valley.error < 1e-2, "{valley:?}");
            let linear = hill_climb(&options, &bounded(4, -1.0, 1.0), 60, functions::noisy_linear);
            assert!(linear.distance < 0.3, "{linear:?}");
        }
    }

    #[test]
    fn a_checkpoint_resumes_exactly() {
        straight_equals_resumed(&OptimiserSettings::Ga(GeneticOptions::default()));
        straight_equals_resumed(&OptimiserSettings::Ga(unity()));
    }

    #[test]
    fn bad_options_are_refused() {
        let bad = |options: GeneticOptions, text| {
            refused(Genetic::new(options, &bounded(2, -1.0, 1.0), 1), text);
        };
        bad(GeneticOptions { population: 1, ..unity() }, "population 1");
        bad(GeneticOptions { elite: 38, ..unity() }, "elite 38 and immigrants 2 of population 40");
        bad(GeneticOptions { crossover: f64::NAN, ..unity() }, "crossover NaN");
        let initial = Some(Bounds { low: 1.0, high: 0.0 });
        bad(GeneticOptions { initial, ..unity() }, "initial [1, 0]");
        let free = Problem::new(2);
        refused(Genetic::new(unity(), &free, 1), "bounds: genetic search draws fresh genes");
        refused(Genetic::new(GeneticOptions::default(), &free, 1), "bounds: genetic search");
        let scaled = bounded(1, -1.0, 1.0).starting_at(vec![0.5]).scaled_by_start();
        refused(Genetic::new(unity(), &scaled, 1), "scale: a genetic search has no");
    }
}
