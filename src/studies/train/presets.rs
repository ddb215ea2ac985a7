//! The sources' own settings, as they are published or stand in their programs.

use super::cem::{CrossEntropyOptions, Elite};
use super::genetic::GeneticOptions;
use super::mutation::{Adaptive, Mutation};
use super::noise::{Noise, NoiseTiming};
use super::progress::BestTie;
use super::selection::ParentSelection;
use super::snes::SnesOptions;
use super::{Bounds, OptimiserSettings, Problem, ResultSource};
use crate::error::{Error, Result};

/// How one source trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingPreset {
    /// The name to use.
    pub name: &'static str,
    /// Where the settings come from.
    pub source: &'static str,
    /// The controller preset whose features it weighs, in that order, measured as there.
    pub features: &'static str,
    /// Whether its games are guideline games; the features are terms then.
    pub guideline: bool,
    /// The optimiser.
    pub options: OptimiserSettings,
    /// The bounds of each weight; one pair stands for all; none for no bounds.
    pub bounds: &'static [Bounds],
    /// Generations.
    pub generations: u64,
    /// Games played by each candidate.
    pub games: u64,
    /// What its source played and scored.
    pub objective: &'static str,
    /// What is played and scored here: keys of a training file. Where it differs from the source, the
    /// comment above the preset says so.
    pub play: &'static str,
    /// What it handed out.
    pub answer: ResultSource,
    /// What it reported.
    pub reported: &'static str,
}

impl TrainingPreset {
    /// The preset of a name.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the names there are.
    pub fn named(name: &str) -> Result<&'static TrainingPreset> {
        let names = || PRESETS.iter().map(|preset| preset.name);
        let found = PRESETS.iter().find(|preset| preset.name == name);
        found.ok_or_else(|| Error::unknown("training preset", name, names()))
    }

    /// The search problem for the preset's number of weights.
    #[must_use]
    pub fn problem(&self, dimension: usize) -> Problem {
        let problem = Problem::new(dimension);
        match self.bounds {
            [] => problem,
            [all] => problem.within(vec![*all; dimension]),
            each => problem.within(each.to_vec()),
        }
    }
}

/// How RV-CE picks the elite that it learns from ([`super::CrossEntropy::tell_elite`]): candidates
/// of several kinds play validation games and are ranked by mean - `sd_penalty` x SD
/// (`final-ce.properties`; its further terms, 0.10 x relative training score and 0.15 x behavioural
/// distance, lie between 0 and 1 line).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustElite {
    /// Candidates by training score.
    pub by_training: usize,
    /// Candidates from the pool of earlier elites.
    pub by_history: usize,
    /// Random candidates of the generation.
    pub random: usize,
    /// Validation games of each, the same for all generations.
    pub games: u64,
    /// Weight of the standard deviation of its games.
    pub sd_penalty: f64,
    /// Size of the pool of earlier elites.
    pub pool: usize,
    /// Share of the pool in the fit up to iteration `late_after`, and after it.
    pub pool_share: (f64, f64),
    /// See `pool_share`; iterations count from 1.
    pub late_after: u64,
    /// Every so many iterations the best play `deep_games` more.
    pub deep_every: u64,
    /// See `deep_every`.
    pub deep_games: u64,
}

/// RV-CE's own numbers.
pub const RVCE_ELITE: RobustElite = RobustElite {
    by_training: 30,
    by_history: 10,
    random: 10,
    games: 300,
    sd_penalty: 0.35,
    pool: 30,
    pool_share: (0.50, 0.35),
    late_after: 30,
    deep_every: 10,
    deep_games: 1000,
};

/// Every preset. What a source leaves open is named in `source`.
pub const PRESETS: &[TrainingPreset] = &[
    NOTEBOOK,
    GUIDE,
    CAPSTONE,
    CAPSTONE_SPRINT,
    CAPSTONE_BLITZ,
    CAPSTONE_BLITZ_FULL,
    UNITY,
    UNITY_NEWER,
    THIERY_SCHERRER,
    RVCE,
];

/// `policy_search(epochs=50, batch=10, horizon=1000, repeat=1)`; its defaults are 100 and 100. Mean 0,
/// standard deviation 1, `int(batch * 0.2)` elites, `np.std` (divisor n), `extra_std` 2. Here all candidates
/// play the same game, in every generation, of 200 pieces, about 1,000 of its actions.
const NOTEBOOK: TrainingPreset = TrainingPreset {
    name: "notebook",
    source: "EmilieChen/tetris_ia, policy_search as called in the notebook",
    features: "notebook-4",
    guideline: false,
    options: OptimiserSettings::Cem(CrossEntropyOptions {
        population: 10,
        elite: Elite::Share(0.2),
        mean: 0.0,
        sd: 1.0,
        noise: Noise::falling(4.0, 0.6 * 50.0),
        timing: NoiseTiming::Sampling,
        variance_floor: 0.0,
        tie: BestTie::Later,
    }),
    bounds: &[],
    generations: 50,
    games: 1,
    objective: "lines of one game of 1,000 steps (actions, several to a piece), the game of candidate i \
                seeded 42 + i in every generation; the best weights are divided by their sum",
    play: "objective = 'mean-lines'\nqueue = 'least-dealt'\nboard = '10x20'\nmax_pieces = 200\nrepeat_games = true",
    answer: ResultSource::Best,
    reported: "about 80 lines",
};

/// `train_ga.py`'s defaults, without look-ahead.
const GUIDE: TrainingPreset = TrainingPreset {
    name: "guide",
    source: "JCA374/tetris-heuristics, train_ga.py",
    features: "guide-ga",
    guideline: false,
    options: OptimiserSettings::Ga(GeneticOptions {
        population: 50,
        elite: 5,
        immigrants: 0,
        selection: ParentSelection::Tournament { size: 5 },
        crossover: 0.7,
        mutation: Mutation::PerGene { rate: 0.2, sd: 0.3 },
        initial: None,
    }),
    bounds: &[
        Bounds { low: -2.0, high: 0.0 },
        Bounds { low: 0.0, high: 2.0 },
        Bounds { low: -10.0, high: 0.0 },
        Bounds { low: -2.0, high: 0.0 },
    ],
    generations: 50,
    games: 5,
    objective: "mean lines",
    play: "objective = 'lines'\nboard = '10x20'",
    answer: ResultSource::Best,
    reported: "3,493.6 lines, the mean of generation 17's best over its 5 training games",
};

/// The published run: population 60, 60 generations = 3,600 games (the repository's last version: 50,
/// sd 0.25, 50). EvoTorch draws the initial centre within `initial_bounds` (-1, 1). Here without hold,
/// previews and SRS: those are in [`CAPSTONE_SPRINT`].
const CAPSTONE: TrainingPreset = TrainingPreset {
    name: "capstone",
    source: "Camden-Bergquist/Capstone, train_sprint_heuristic.py, and EvoTorch's SNES",
    features: "capstone-sprint",
    guideline: false,
    options: OptimiserSettings::Snes(SnesOptions {
        population: Some(60),
        mean: 0.0,
        initial: Some(UNIT),
        sd: 0.5,
        eta_mu: 1.0,
        eta_sigma: None,
    }),
    bounds: &[],
    generations: 60,
    games: 1,
    objective: "Sprint of 40 lines: -pieces when won, pieces + 5 lines - 550 when lost",
    play: "objective = 'sprint'\nqueue = 'bag'\nboard = '10x20'\nmax_lines = 40",
    answer: ResultSource::Best,
    reported: "100-115 pieces a Sprint, median 106-107",
};

/// The same in the game itself: 7-bag, hold, SRS, hard drops.
const CAPSTONE_SPRINT: TrainingPreset = TrainingPreset {
    name: "capstone-sprint",
    guideline: true,
    play: "rules = 'capstone'\nmode = 'sprint'\nmovement = 'hard-drop'\nobjective = 'sprint'",
    ..CAPSTONE
};

/// The Blitz player. The centre is drawn within its bounds of +-100; population, generations and spread
/// (half of the bounds) are the Sprint's, as its source names none. It rounds weights to integers, which
/// is not done here, and weighs well depth, well columns and row transitions without reading them:
/// they are left out. Hard drops only, which no T-spin comes of.
const CAPSTONE_BLITZ: TrainingPreset = TrainingPreset {
    name: "capstone-blitz",
    source: "Camden-Bergquist/Capstone, the Blitz chapter and tetris_thinker, and EvoTorch's SNES; hard drops \
             only, population, generations and spread of the Sprint are ours",
    features: "capstone-blitz",
    guideline: true,
    options: OptimiserSettings::Snes(SnesOptions {
        population: Some(60),
        mean: 0.0,
        initial: Some(Bounds { low: -100.0, high: 100.0 }),
        sd: 50.0,
        eta_mu: 1.0,
        eta_sigma: None,
    }),
    objective: "points of a Blitz of 360 pieces (at first of 70), two a second for three minutes",
    play: "rules = 'capstone'\nmode = 'blitz'\nmovement = 'hard-drop'\nobjective = 'mean-score'",
    reported: "just under 61,000 points in 360 pieces, with soft drops and spins",
    ..CAPSTONE
};

/// The same with the placements that its source searches: soft drops, tucks and spins.
const CAPSTONE_BLITZ_FULL: TrainingPreset = TrainingPreset {
    name: "capstone-blitz-full",
    source: "Camden-Bergquist/Capstone, the Blitz chapter and tetris_thinker, and EvoTorch's SNES; \
             population, generations and spread of the Sprint are ours",
    play: "rules = 'capstone'\nmode = 'blitz'\nmovement = 'full'\nobjective = 'mean-score'",
    ..CAPSTONE_BLITZ
};

/// From -1 to 1: the clamp of Unity's genes, the capstone's first means.
const UNIT: Bounds = Bounds { low: -1.0, high: 1.0 };

/// The older `EvolutionSystem`: best 1 unchanged, others are copies of random survivors with
/// `Random.Range(0, Mutations)` mutations, which excludes `Mutations`.
const UNITY: TrainingPreset = TrainingPreset {
    name: "unity",
    source: "Alan Zucconi's Unity package (older EvolutionSystem, ArrayGenome) and the student's world; \
             population, SurvivalRate, Mutations and Generations are set in the scene and not \
             published: 50, 0.25, 3 and 100 are ours",
    features: "unity",
    guideline: false,
    options: OptimiserSettings::Ga(GeneticOptions {
        population: 50,
        elite: 1,
        immigrants: 0,
        selection: ParentSelection::Truncation { survival_rate: 0.25 },
        crossover: 0.0,
        mutation: Mutation::OneGene { step: 0.1, fresh: 0.1, least: 0, most: 2, adaptive: None },
        initial: Some(Bounds { low: 0.0, high: 1.0 }),
    }),
    bounds: &[UNIT],
    generations: 100,
    games: 50,
    objective: "median turns (the student's GetScore, 50 games)",
    play: "objective = 'median-pieces'\nboard = '10x20'",
    answer: ResultSource::Best,
    reported: "no weights",
};

/// The newer `EvolutionSystem`: 1 to `Mutations` mutations, more while nothing improves.
const UNITY_NEWER: TrainingPreset = TrainingPreset {
    name: "unity-newer",
    source: "Alan Zucconi's Unity package (newer EvolutionSystem: TopK 1, RandomGenomes 0, adaptive \
             mutations, truncation; tournaments of 4 and fitness-proportionate on request) and the \
             student's world; population, SurvivalRate, Mutations and Generations are ours as in unity",
    options: OptimiserSettings::Ga(GeneticOptions {
        population: 50,
        elite: 1,
        immigrants: 0,
        selection: ParentSelection::Truncation { survival_rate: 0.25 },
        crossover: 0.0,
        mutation: Mutation::OneGene {
            step: 0.1,
            fresh: 0.1,
            least: 1,
            most: 3,
            adaptive: Some(Adaptive::UNITY),
        },
        initial: Some(Bounds { low: 0.0, high: 1.0 }),
    }),
    ..UNITY
};

/// MDPTetris' defaults with the constant noise 4 of its record runs (`simulations_ce.py`).
const THIERY_SCHERRER: TrainingPreset = TrainingPreset {
    name: "thiery-scherrer",
    source: "Thiery & Scherrer 2009 and brunoscherrer/mdptetris, cross_entropy_parameters.c",
    features: "bcts",
    guideline: false,
    options: OptimiserSettings::Cem(CrossEntropyOptions {
        population: 100,
        elite: Elite::Share(0.1),
        mean: 0.0,
        sd: 10.0,
        noise: Noise::CONSTANT,
        timing: NoiseTiming::Update,
        variance_floor: 0.0,
        tie: BestTie::Earlier,
    }),
    bounds: &[],
    generations: 200,
    games: 1,
    objective: "lines on 10x20; after each update the mean plays 30 games, and the best such mean stays",
    play: "objective = 'lines'\nboard = '10x20'\nmax_pieces = 'none'\ncheck_every = 1\ncheck_games = 30",
    answer: ResultSource::Mean,
    reported: "35,000,000 lines +-20 % (BCTS)",
};

/// `final-ce.properties` of the released program; the elite by [`RVCE_ELITE`].
const RVCE: TrainingPreset = TrainingPreset {
    name: "rvce",
    source: "GameAI-NJUPT/Robust-Validation-Cross-Entropy, final-ce.properties and ce_final.cpp",
    features: "rvce",
    guideline: false,
    options: OptimiserSettings::Cem(CrossEntropyOptions {
        population: 100,
        elite: Elite::Share(0.1),
        mean: 0.0,
        sd: 10.0,
        noise: Noise::None,
        timing: NoiseTiming::Update,
        variance_floor: 1e-8,
        tie: BestTie::Earlier,
    }),
    bounds: &[],
    generations: 60,
    games: 100,
    objective: "mean lines on 10x10, the same 100 games for all candidates of a generation",
    play: "objective = 'lines'\nboard = '10x10'\nmax_pieces = 'none'\ncheck_games = 1000\nrobust_elite = true",
    answer: ResultSource::Best,
    reported: "5,379 lines over 100,000 games",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Controller, GuidelineController};

    #[test]
    fn every_preset_starts_with_its_features() {
        for preset in PRESETS {
            let features = match preset.guideline {
                false => Controller::load(preset.features).unwrap().weights.len(),
                true => GuidelineController::load(preset.features).unwrap().weights.len(),
            };
            let problem = preset.problem(features);
            let search = preset.options.start(&problem, 1).unwrap();
            assert_eq!(search.problem().dimension, features);
            assert_eq!(TrainingPreset::named(preset.name).unwrap(), preset);
        }
        assert!(TrainingPreset::named("none").unwrap_err().to_string().contains("thiery-scherrer"));
    }

    /// The guide's bounds are stated by feature: height, lines, holes, bumpiness.
    #[test]
    fn the_guides_bounds_stand_in_the_order_of_its_features() {
        let controller = Controller::load(GUIDE.features).unwrap();
        let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
        assert_eq!(names, ["aggregate_height", "complete_rows", "holes", "bumpiness"]);
        for ((_, weight), bounds) in controller.weights.iter().zip(GUIDE.bounds) {
            assert!(bounds.contains(*weight));
        }
    }
}
