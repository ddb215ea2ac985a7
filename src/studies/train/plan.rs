//! Plan of a training: its settings, their checks, the form in which files store them, and presets
//! (`data/presets/`), the settings of a publication or program.
//!
//! Frozen: bytes of the plan (`tests/golden/train_plan.json`).

use std::ops::Deref;

use serde_json::Value;
use toml::Table;

use super::{
    Objective, OptimiserSettings, OptimiserState, Problem, RVCE_ELITE, Racing, ResultSource,
    RobustElite, config,
};
use crate::error::toml_problem;
use crate::prelude::*;
use crate::rng::stream_seed;
use crate::settings;
use crate::text::parse::count;

/// Largest number of games whose results are in memory at once; these results take 2 GB.
const MOST_GAMES: u64 = 10_000_000;
const MOST_FINALISTS: usize = 10_000;
/// Largest number of weights and table entries of all candidates in a generation.
const MOST_NUMBERS: usize = 4_000_000;

settings! {
    /// Course of a training: generations of candidates, checks, and final games for the result.
    pub struct ScheduleOptions {
        /// Maximum number of generations
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        #[serde(skip)]
        pub generations: u64 = 50,
        /// Play the games of the first generation in every generation
        pub repeat_games: bool,
        /// Games per candidate: `none` (equal) or `halving:ROUNDS` (in each round, the better half
        /// doubles its games; 3 rounds by default)
        #[arg(value_name = "WAY")]
        #[serde(skip_serializing_if = "is_no_race")]
        pub racing: Racing = Racing::None,
        /// Generations between two checks (held-out games of the mean; ga: of the best candidate);
        /// 0 for none
        #[arg(value_name = "K", value_parser = count::<u64>(..))]
        pub check_every: u64 = 10,
        /// Number of held-out games in a check
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        pub check_games: u64 = 100,
        /// Number of best candidates, and of best means, in the finals
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        pub finalists: usize = 10,
        /// Games of each finalist, by which the result is chosen
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        pub final_games: u64 = 300,
        /// Held-out games, from which the score of the result is reported
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        pub held_out_games: u64 = 1000,
        /// Finalists
        #[arg(value_enum)]
        pub answer: ResultSource = ResultSource::Any,
        /// Choose the elite (candidates to learn from) by validation games, as RV-CE does
        pub robust_elite: bool,
        /// Write population.csv with every candidate and its score
        pub population_log: bool,
    }
}

fn is_no_race(racing: &Racing) -> bool {
    *racing == Racing::None
}

/// Settings of a training, from its optimiser to its games.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// Settings of the optimiser.
    pub options: OptimiserSettings,
    /// Search problem: number, start and bounds of the weights.
    pub problem: Problem,
    /// Objective that scores candidates.
    pub objective: Objective,
    /// Games that each candidate plays, with their number.
    pub games: TrainingGames,
    /// Course of the training: generations of candidates, checks, and final games for the result.
    pub schedule: ScheduleOptions,
}

impl Deref for TrainingPlan {
    type Target = ScheduleOptions;

    fn deref(&self) -> &ScheduleOptions {
        &self.schedule
    }
}

impl TrainingPlan {
    /// Checks the training plan and returns a search before its first generation.
    pub fn start(&self) -> Result<OptimiserState> {
        self.games.validate()?;
        self.objective.check(&self.games)?;
        self.racing.check(self.games.plan().games)?;
        let counts = [
            ("generations", self.generations, u64::MAX),
            ("finalists", self.finalists as u64, MOST_FINALISTS as u64),
            ("check-games", self.check_games, MOST_GAMES),
            ("final-games", self.final_games, u64::MAX),
            ("held-out-games", self.held_out_games, MOST_GAMES),
            ("games", self.games.plan().games, MOST_GAMES),
        ];
        if let Some((name, _, _)) = counts.into_iter().find(|(_, count, _)| *count == 0) {
            return config(format!("{name} 0: give at least 1"));
        }
        if let Some((name, count, most)) = counts.into_iter().find(|(_, count, most)| count > most)
        {
            return config(format!("{name} {count}: give at most {most}"));
        }
        if self.robust_elite && !matches!(self.options, OptimiserSettings::Cem(_)) {
            return config("robust-elite is for cem: leave it out".to_owned());
        }
        if self.robust_elite && self.objective.estimates().is_some() {
            return config(
                "robust-elite needs single games, which an estimate does not have: leave it out"
                    .to_owned(),
            );
        }
        if matches!(self.answer, ResultSource::Mean | ResultSource::Average)
            && !self.options.has_mean()
        {
            return config(
                "answer mean and average: a genetic search has no mean, give best".to_owned(),
            );
        }
        // There are two kinds, best and means, and all their games are in memory at once.
        let finals = self.final_games.saturating_mul(2 * MOST_FINALISTS.min(self.finalists) as u64);
        if finals > MOST_GAMES {
            return config(format!(
                "final-games {} of {} finalists: give fewer, at most {MOST_GAMES} games together",
                self.final_games, self.finalists
            ));
        }
        // Checked before the search allocates its candidates.
        if let Some(layout) = self.games.layout() {
            let (n, entries) = (self.problem.dimension, layout.entries());
            let population = self.options.population(n);
            if population.saturating_mul(n) > MOST_NUMBERS {
                return config(format!(
                    "windows with {entries} table entries, population {population}: give smaller \
                     windows, windows that all rows share (WINDOW:shared), or fewer candidates; or \
                     train td"
                ));
            }
        }
        // Only a started search knows its population, which the number of games depends on.
        let search = self.options.start(&self.problem, self.games.plan().seed)?;
        if self.games_of(&search) > MOST_GAMES {
            return config(format!(
                "games {} of population {}: give fewer, at most {MOST_GAMES} games together",
                self.games.plan().games,
                search.ask().len()
            ));
        }
        Ok(search)
    }

    /// Returns a checkpoint's `search` after checking that it has the training plan's settings.
    pub fn resume(&self, search: OptimiserState) -> Result<OptimiserState> {
        self.start()?;
        search.resumed(&self.options, &self.problem, self.games.plan().seed)
    }

    /// Returns the seed of the games that a generation's candidates play.
    #[must_use]
    pub fn games_seed(&self, generation: u64) -> u64 {
        self.seed(Purpose::TrainingGames, if self.repeat_games { 0 } else { generation })
    }

    pub(super) fn seed(&self, purpose: Purpose, index: u64) -> u64 {
        stream_seed(self.games.plan().seed, purpose, index)
    }

    pub(super) fn robust(&self) -> Option<&'static RobustElite> {
        self.robust_elite.then_some(&RVCE_ELITE)
    }

    /// Returns the maximum number of games that choose the training's result and measure it.
    #[must_use]
    pub fn most_finals(&self) -> u64 {
        let (best, checked) =
            (self.finalists as u64, self.finalists as u64 * u64::from(self.check_every > 0));
        let finalists = match self.answer {
            ResultSource::Mean => checked + 1,
            ResultSource::Average => 1,
            ResultSource::Any if self.options.has_mean() => best + checked + 1,
            ResultSource::Best | ResultSource::Any => best,
        };
        finalists.saturating_mul(self.final_games).saturating_add(self.held_out_games)
    }

    /// Returns the number of games of a generation in which every candidate plays all its games.
    #[must_use]
    pub fn games_of(&self, search: &OptimiserState) -> u64 {
        self.games.plan().games.saturating_mul(search.ask().len() as u64)
    }

    /// Returns the names of the files of the training's tables.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        let population = self.population_log.then_some("population.csv");
        ["history.csv"].into_iter().chain(population).map(str::to_owned).collect()
    }

    /// Returns the training's settings that affect the results, without the number of generations,
    /// which may be extended.
    #[must_use]
    pub fn recorded_config(&self) -> Value {
        let mut entry = json!({
            "optimiser": self.options,
            "problem": self.problem,
            "features": self.games.names(),
            "measured": self.games.measured(),
            "objective": self.objective.to_string(),
            "minimise": self.objective.minimise(),
            "lost": self.objective.lost(),
            "estimate": self.objective.estimates(),
        });
        if let (Some(entry), Value::Object(course)) = (entry.as_object_mut(), json!(self.schedule))
        {
            entry.extend(course);
            // This entry's controller is the template, with all weights 0.
            entry.insert("play".to_owned(), json!(self.games.recorded_config()));
            entry.retain(|_, value| !value.is_null());
        }
        entry
    }
}

/// Preset: the training settings of one publication or program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingPreset {
    /// Name of the preset's file.
    #[serde(skip)]
    pub name: &'static str,
    /// Publication or program from which the settings come, with remarks on unpublished details.
    pub source: String,
    /// Games and score with which the publication or program trained.
    pub objective: String,
    /// Result that the publication or program reported for its training.
    pub reported: String,
    /// Optimisation method and options of the preset, as in a settings file.
    pub options: Table,
}

impl TrainingPreset {
    /// Reads the training preset called `name`.
    pub fn named(name: &str) -> Result<TrainingPreset> {
        let names = || PRESETS.iter().map(|(name, _)| *name);
        let found = PRESETS.iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| Error::unknown("training preset", name, names()))?;
        let damaged = |e| Error::Config(format!("{name}.toml: {}", toml_problem(text, &e)));
        Ok(TrainingPreset { name, ..toml::from_str(text).map_err(damaged)? })
    }

    /// Returns the names of the training presets for the optimisation method `method`.
    pub fn names(method: &str) -> impl Iterator<Item = &'static str> {
        // Every command lists them when the program starts, so no file is parsed here.
        let line = format!("method = \"{method}\"");
        let is_of = move |(_, text): &&(&str, &str)| text.lines().any(|other| other == line);
        PRESETS.iter().filter(is_of).map(|(name, _)| *name)
    }
}

macro_rules! presets {
    ($($name:literal)*) => {
        /// Name of every preset, with the content of its file.
        pub const PRESETS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../data/presets/", $name, ".toml")))),*];
    };
}

presets! {
    "notebook" "guide" "capstone" "capstone-sprint" "capstone-blitz" "capstone-blitz-full"
    "unity" "unity-newer"
    "thiery-scherrer" "rvce"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::train::Bounds;

    // The guide's bounds are in the order of its features: height, lines, holes, bumpiness.
    #[test]
    fn the_guides_bounds_stand_in_the_order_of_its_features() {
        assert!(TrainingPreset::named("none").unwrap_err().to_string().contains("thiery-scherrer"));
        let guide = TrainingPreset::named("guide").unwrap();
        let bounds = guide.options["bounds"].as_str().unwrap().split('/');
        let bounds = bounds.map(|bounds| bounds.parse::<Bounds>().unwrap());
        let controller = Controller::load("guide-ga").unwrap();
        let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
        assert_eq!(names, ["aggregate_height", "complete_rows", "holes", "bumpiness"]);
        for ((_, weight), bounds) in controller.weights.iter().zip(bounds) {
            assert!(bounds.contains(*weight));
        }
    }

    #[test]
    fn every_preset_has_a_method() {
        let of_methods = crate::train::METHOD_NAMES.into_iter().flat_map(TrainingPreset::names);
        assert_eq!(of_methods.count(), PRESETS.len());
    }
}
