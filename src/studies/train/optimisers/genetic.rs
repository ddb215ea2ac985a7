//! Genetic algorithms: keep the best individuals (the elite), select parents, cross parents, mutate
//! children.
//!
//! The program `train_ga.py` of the guide JCA374/tetris-heuristics uses tournaments, uniform
//! crossover and normal steps per gene. Alan Zucconi's Unity `EvolutionSystem`, in its older and
//! newer version, uses truncation, no crossover and mutations of one gene at a time.

use super::progress::{BestTie, Progress, moments};
use super::{Bounds, Optimiser, Problem, Stop, check_population, config};
use crate::prelude::*;
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
        /// Selection of parents: `tournament:SIZE` (best of SIZE), `truncation:SHARE` (any of the
        /// best SHARE) or `fitness-proportionate` (probability proportional to the score)
        pub selection: ParentSelection = ParentSelection::Tournament { size: 5 },
        /// Probability that a child has two parents; each gene then comes from either
        pub crossover: f64 = 0.7,
        /// Mutation of every child: `per-gene:RATE:SD`, or `one-gene:STEP:FRESH:LEAST:MOST` (LEAST
        /// to MOST mutations; with probability FRESH, the gene is drawn anew). `:EVERY:MORE` at the
        /// end adds up to MORE mutations, one per EVERY generations without a new best score
        pub mutation: Mutation = Mutation::PerGene { rate: 0.2, sd: 0.3 },
        /// Range of random genes [default: --bounds]
        #[arg(value_name = "LOW,HIGH", allow_hyphen_values = true)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub initial: Option<Bounds>,
    }
}

impl GeneticOptions {
    /// Checks the settings of a genetic search that types can't express.
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

/// Genetic search. The first generation is random or mutated from a start. Later generations have
/// the elite, new random individuals and children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genetic {
    pub(super) options: GeneticOptions,
    pub(super) progress: Progress,
}

impl Genetic {
    /// Creates a genetic search before its first generation.
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

    fn sd(&self) -> Vec<f64> {
        self.moments().1.into_iter().map(f64::sqrt).collect()
    }

    fn stop(&self) -> Option<Stop> {
        self.progress.flatness(self.options.population)
    }
}

tetrastat_runs::kinds! {
    /// Method of mutation.
    pub enum Mutation {
        /// Each gene moves, with probability `rate`, by a normal step and is clamped to its bounds,
        /// as in `train_ga.py` (JCA374/tetris-heuristics).
        PerGene = "per-gene" {
            /// Probability that the mutation changes a gene.
            rate: f64 = 0.2,
            /// Standard deviation of the normal step by which a mutated gene moves.
            sd: f64 = 0.3,
        },
        /// An individual gets `least` to `most` mutations, each number equally likely. Each
        /// mutation changes one gene, drawn at random.
        ///
        /// The mutation moves the gene by a uniform step in `[-step, step)` and clamps it to its
        /// bounds. With probability `fresh` it draws the gene anew between its bounds instead.
        /// Source: Unity's `ArrayGenome.Mutate` (step 0.1, fresh 0.1, bounds -1 and 1). Its newer
        /// version adds one mutation per 10 generations without a new best score, at most 20
        /// (`AdaptiveMutationPerGeneration`, `MaxAdaptiveMutations`).
        OneGene = "one-gene" {
            /// Largest distance by which a mutation moves a gene.
            step: f64 = 0.1,
            /// Probability that a gene is drawn anew.
            fresh: f64 = 0.1,
            /// Minimum number of mutations: 0 in the older Unity version, 1 in the newer.
            least: u64 = 1,
            /// Maximum number of mutations: `Mutations` - 1 in the older Unity version,
            /// `Mutations` in the newer.
            most: u64 = 3,
            /// Number of generations without a new best score that add one mutation; 0 for none.
            every: u64 = 0,
            /// Maximum number of mutations added after generations without a new best score.
            more: u64 = 20,
        },
    }
}

impl Mutation {
    /// Mutates a candidate's `genes`; `stale` counts the generations without a new best score.
    pub(super) fn apply(
        self,
        genes: &mut [f64],
        bounds: Option<&[Bounds]>,
        stale: u64,
        stream: &mut Stream,
    ) {
        match self {
            Mutation::PerGene { rate, sd } => {
                for i in 0..genes.len() {
                    // Every gene takes one draw that decides whether it changes, and a changed gene
                    // takes further draws for its step.
                    if stream.unit() < rate {
                        let moved = genes[i] + sd * stream.normal();
                        genes[i] = bounds.map_or(moved, |bounds| bounds[i].clamp(moved));
                    }
                }
            }
            Mutation::OneGene { step, fresh, .. } => {
                for _ in 0..self.count(stale, stream) {
                    let i = stream.below(genes.len() as u32) as usize;
                    // The bounds exist, which was checked when the search started: a new gene is
                    // drawn between them.
                    let Some(bounds) = bounds.map(|bounds| bounds[i]) else { continue };
                    genes[i] = if stream.unit() < fresh {
                        bounds.draw(stream)
                    } else {
                        bounds.clamp(genes[i] + stream.between(-step, step))
                    };
                }
            }
        }
    }

    fn count(self, stale: u64, stream: &mut Stream) -> u64 {
        let Mutation::OneGene { least, most, every, more, .. } = self else { return 0 };
        let more = stale.checked_div(every).unwrap_or(0).min(more);
        least + u64::from(stream.below((most + more - least + 1) as u32))
    }

    pub(super) fn check(self) -> Result<()> {
        let (probability, length) = match self {
            Mutation::PerGene { rate, sd } => (("rate", rate), ("sd", sd)),
            Mutation::OneGene { step, fresh, .. } => (("fresh", fresh), ("step", step)),
        };
        let (name, value) = probability;
        if !(0.0..=1.0).contains(&value) {
            return config(format!("mutation {name} {value}: give a probability from 0 to 1"));
        }
        let (name, value) = length;
        if !(value.is_finite() && value > 0.0) {
            return config(format!("mutation {name} {value}: give a finite number above 0"));
        }
        self.check_counts()
    }

    fn check_counts(self) -> Result<()> {
        /// Largest number of mutations of a candidate; more would only shuffle its genes.
        const MOST: u64 = 1_000_000;
        let Mutation::OneGene { least, most, more, .. } = self else { return Ok(()) };
        if least > most || most.max(more) > MOST {
            return config(format!(
                "mutation least {least}, most {most}, more {more}: least must not exceed most, \
                 nor most and more {MOST}"
            ));
        }
        Ok(())
    }
}

tetrastat_runs::kinds! {
    /// Method of parent selection.
    pub enum ParentSelection {
        /// The best of `size` distinct individuals drawn at random, of equals the first drawn
        /// (`train_ga.py`: size 5; newer version of the Unity program: size 4).
        Tournament = "tournament" {
            /// Number of individuals that compete in a tournament.
            size: usize = 5,
        },
        /// A uniform draw from the best individuals: the share `survival_rate` of the population,
        /// rounded down (Unity program).
        Truncation = "truncation" {
            /// Share of the population that survives, Unity's `SurvivalRate`.
            survival_rate: f64 = 0.25,
        },
        /// A draw with probability proportional to the score, negative scores counting as zero;
        /// uniform if no score is above zero (newer Unity version).
        FitnessProportionate = "fitness-proportionate",
    }
}

impl ParentSelection {
    pub(super) fn pick(self, ranking: &[usize], scores: &[f64], stream: &mut Stream) -> usize {
        match self {
            ParentSelection::Tournament { size } => tournament(size, scores, stream),
            ParentSelection::Truncation { survival_rate } => {
                ranking[stream.below(survivors(ranking.len(), survival_rate) as u32) as usize]
            }
            ParentSelection::FitnessProportionate => proportionate(scores, stream),
        }
    }

    pub(super) fn check(self, population: usize) -> Result<()> {
        match self {
            ParentSelection::Tournament { size } if !(1..=population).contains(&size) => {
                config(format!(
                    "selection size {size}: a tournament of population {population} has 1 to \
                 {population} competitors"
                ))
            }
            ParentSelection::Truncation { survival_rate: rate }
                if !(rate <= 1.0 && survivors(population, rate) > 0) =>
            {
                config(format!(
                    "selection survival-rate {rate} of population {population}: at least one \
                     must survive, give a share up to 1, for example 0.25"
                ))
            }
            _ => Ok(()),
        }
    }
}

fn survivors(population: usize, rate: f64) -> usize {
    (population as f64 * rate) as usize
}

/// Returns the index of the best of `size` distinct candidates drawn at random.
fn tournament(size: usize, scores: &[f64], stream: &mut Stream) -> usize {
    let mut pool: Vec<usize> = (0..scores.len()).collect();
    let mut draw = |drawn: usize| {
        let other = drawn + stream.below((pool.len() - drawn) as u32) as usize;
        pool.swap(drawn, other);
        pool[drawn]
    };
    // Each individual is drawn from those that were not drawn before.
    let first = draw(0);
    let better = |best: usize, next: usize| if scores[next] > scores[best] { next } else { best };
    (1..size).fold(first, |best, drawn| better(best, draw(drawn)))
}

fn proportionate(scores: &[f64], stream: &mut Stream) -> usize {
    let total: f64 = scores.iter().map(|score| score.max(0.0)).sum();
    if total <= 0.0 {
        return stream.below(scores.len() as u32) as usize;
    }
    let mut left = stream.unit() * total;
    for (i, score) in scores.iter().enumerate() {
        left -= score.max(0.0);
        if left < 0.0 {
            return i;
        }
    }
    // Rounding may leave a small remainder, which falls to the last individual.
    scores.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::train::tests::{functions, hill_climb, refused, straight_equals_resumed};
    use crate::train::{Mutation, OptimiserSettings};

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

    const UNIT_BOUNDS: Bounds = Bounds { low: -1.0, high: 1.0 };

    fn stream() -> Stream {
        Stream::new(4, Purpose::Candidates, 0)
    }

    fn one_gene(fresh: f64, least: u64, most: u64, every: u64) -> Mutation {
        Mutation::OneGene { step: 0.1, fresh, least, most, every, more: 20 }
    }

    // About 20 % of 10,000 genes move (4 sd: 160), by steps of sd 0.3, and stop at the bounds.
    #[test]
    fn normal_steps_by_hand() {
        let mutate = |start: f64, high: f64| {
            let mut genes = vec![start; 10_000];
            let bounds = vec![Bounds { low: -9.0, high }; 10_000];
            let mutation = Mutation::PerGene { rate: 0.2, sd: 0.3 };
            mutation.apply(&mut genes, Some(&bounds), 0, &mut stream());
            genes
        };
        let moved: Vec<f64> = mutate(0.0, 9.0).into_iter().filter(|&gene| gene != 0.0).collect();
        assert!((1840..=2160).contains(&moved.len()), "{}", moved.len());
        let variance = moved.iter().map(|x| x * x).sum::<f64>() / moved.len() as f64;
        assert!((variance / 0.09 - 1.0).abs() < 0.13, "{variance}"); // 4 sd of sqrt(2/2000)
        assert!(mutate(1.0, 1.0).iter().all(|&gene| gene <= 1.0));
        let mut same = stream();
        let first = (0..).find(|_| same.unit() < 0.2).unwrap();
        assert_eq!(mutate(0.0, 9.0)[first], 0.3 * same.normal());
    }

    #[test]
    fn one_gene_moves_a_little_or_is_fresh() {
        let mutate = |fresh| {
            let mut genes = vec![0.95; 6];
            one_gene(fresh, 1, 1, 0).apply(&mut genes, Some(&[UNIT_BOUNDS; 6]), 0, &mut stream());
            genes
        };
        for (fresh, hand) in [(0.0, true), (1.0, false)] {
            let genes = mutate(fresh);
            let changed: Vec<f64> = genes.into_iter().filter(|&gene| gene != 0.95).collect();
            assert_eq!(changed.len(), 1);
            let mut same = stream();
            let _ = (same.below(1), same.below(6), same.unit());
            let want = if hand {
                (0.95 + same.between(-0.1, 0.1)).min(1.0)
            } else {
                same.between(-1.0, 1.0)
            };
            assert_eq!(changed[0], want);
        }
    }

    // Older Unity: 0 to `Mutations` - 1; newer: 1 to `Mutations` and one more per 10 stale ones.
    #[test]
    fn counts_by_hand() {
        let seen = |mutation: Mutation, stale| {
            let mut stream = stream();
            let counts: Vec<u64> = (0..500).map(|_| mutation.count(stale, &mut stream)).collect();
            (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
        };
        assert_eq!(seen(one_gene(0.1, 0, 2, 0), 99), (0, 2));
        let newer = one_gene(0.1, 1, 3, 10);
        assert_eq!(seen(newer, 9), (1, 3));
        assert_eq!(seen(newer, 25), (1, 5));
        assert_eq!(seen(newer, 9999), (1, 23));
    }

    #[test]
    fn bad_mutations_are_refused() {
        refused(Mutation::PerGene { rate: 1.5, sd: 0.3 }.check(), "mutation rate 1.5");
        refused(Mutation::PerGene { rate: 0.2, sd: 0.0 }.check(), "mutation sd 0");
        refused(one_gene(f64::NAN, 1, 1, 0).check(), "mutation fresh NaN");
        refused(one_gene(0.1, 2, 1, 0).check(), "mutation least 2, most 1");
        assert_eq!("one-gene:0.1:0.1:1:3:10".parse(), Ok(one_gene(0.1, 1, 3, 10)));
        assert_eq!(one_gene(0.1, 1, 3, 10).to_string(), "one-gene:0.1:0.1:1:3:10:20");
        assert_eq!("per-gene:x".parse::<Mutation>(), Err("'x' is no rate".to_owned()));
        assert_eq!("per-gene:1:2:3".parse::<Mutation>(), Err("leave out ':3'".to_owned()));
    }

    const SCORES: [f64; 4] = [1.0, 4.0, 2.0, 3.0];
    const RANKING: [usize; 4] = [1, 3, 2, 0];

    fn counts(selection: ParentSelection, scores: &[f64]) -> [f64; 4] {
        let mut stream = Stream::new(2, Purpose::Candidates, 0);
        let mut counts = [0.0; 4];
        for _ in 0..12_000 {
            counts[selection.pick(&RANKING, scores, &mut stream)] += 1.0;
        }
        counts
    }

    /// Checks that drawn counts are within 4 standard deviations of the expected counts.
    fn near(got: [f64; 4], want: [f64; 4]) {
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 220.0), "{got:?}, not {want:?}");
    }

    // In the 6 pairs, individual 1 wins 3, 3 wins 2, 2 wins 1. A tournament of all has one winner.
    #[test]
    fn tournaments_by_hand() {
        let pairs = counts(ParentSelection::Tournament { size: 2 }, &SCORES);
        near(pairs, [0.0, 6000.0, 2000.0, 4000.0]);
        assert_eq!(pairs[0], 0.0);
        assert_eq!(counts(ParentSelection::Tournament { size: 4 }, &SCORES)[1], 12_000.0);
        near(counts(ParentSelection::Tournament { size: 1 }, &SCORES), [3000.0; 4]);
    }

    #[test]
    fn truncation_by_hand() {
        let half = counts(ParentSelection::Truncation { survival_rate: 0.5 }, &SCORES);
        near(half, [0.0, 6000.0, 0.0, 6000.0]);
        assert_eq!((half[0], half[2]), (0.0, 0.0));
        assert_eq!(survivors(50, 0.25), 12);
    }

    #[test]
    fn proportions_by_hand() {
        let proportionate = |scores| counts(ParentSelection::FitnessProportionate, scores);
        near(proportionate(&SCORES), [1200.0, 4800.0, 2400.0, 3600.0]);
        near(proportionate(&[-5.0, 1.0, 0.0, 1.0]), [0.0, 6000.0, 0.0, 6000.0]);
        near(proportionate(&[0.0, -1.0, 0.0, 0.0]), [3000.0; 4]);
    }

    #[test]
    fn bad_selections_are_refused() {
        refused(ParentSelection::Tournament { size: 0 }.check(10), "selection size 0");
        refused(ParentSelection::Tournament { size: 11 }.check(10), "selection size 11");
        for survival_rate in [0.0, 0.09, 1.5, f64::NAN] {
            refused(
                ParentSelection::Truncation { survival_rate }.check(10),
                &format!("selection survival-rate {survival_rate}"),
            );
        }
    }
}
