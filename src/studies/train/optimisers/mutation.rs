//! Mutation of an individual's genes.

use super::{Bounds, config};
use crate::error::Result;
use crate::rng::Stream;

tetrastat_runs::kinds! {
    /// Method of mutation.
    pub enum Mutation {
        /// Each gene moves, with probability `rate`, by a normal step and is clamped to its bounds
        /// (`mutate` in `train_ga.py` of JCA374/tetris-heuristics: rate 0.2, sd 0.3).
        PerGene = "per-gene" {
            /// Probability for each gene.
            rate: f64 = 0.2,
            /// Standard deviation of the step.
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
            /// Maximum number of added mutations.
            more: u64 = 20,
        },
    }
}

impl Mutation {
    /// Mutates the `genes` of an individual. `stale` is the number of generations since the last
    /// new best score.
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

    /// Draws the number of mutations of an individual. `stale` is the number of generations since
    /// the last new best score.
    fn count(self, stale: u64, stream: &mut Stream) -> u64 {
        let Mutation::OneGene { least, most, every, more, .. } = self else { return 0 };
        let more = stale.checked_div(every).unwrap_or(0).min(more);
        least + u64::from(stream.below((most + more - least + 1) as u32))
    }

    /// Returns an error if a probability, a step or a count is invalid.
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
        /// Maximum number of mutations, since more would only shuffle the genes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::train::tests::refused;

    const UNIT: Bounds = Bounds { low: -1.0, high: 1.0 };

    fn stream() -> Stream {
        Stream::new(4, Purpose::Candidates, 0)
    }

    fn one_gene(fresh: f64, least: u64, most: u64, every: u64) -> Mutation {
        Mutation::OneGene { step: 0.1, fresh, least, most, every, more: 20 }
    }

    /// About 20 % of 10,000 genes move (4 sd: 160), by steps of sd 0.3, and stop at the bounds.
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
            one_gene(fresh, 1, 1, 0).apply(&mut genes, Some(&[UNIT; 6]), 0, &mut stream());
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

    /// Older Unity: 0 to `Mutations` - 1; newer: 1 to `Mutations` and one more per 10 stale ones.
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
}
