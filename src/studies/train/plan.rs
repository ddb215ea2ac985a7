//! Plan of a training: its settings, their validation, and the form in which the training's files
//! store them.

use serde_json::{Value, json};

use super::{
    Objective, OptimiserSettings, OptimiserState, Problem, RVCE_ELITE, Racing, ResultSource,
    RobustElite, TrainingGames, config,
};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};

/// Maximum number of games that are played before a decision, for example in a generation. The
/// results of all of them are in memory, about 2 GB.
const MOST_GAMES: u64 = 10_000_000;
const MOST_FINALISTS: usize = 10_000;
/// Maximum number of weights and table entries of all candidates of a generation. Every checkpoint
/// contains them, as about 20 bytes each.
const MOST_NUMBERS: usize = 4_000_000;

/// Settings of a training, from its optimiser to its games.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// Settings of the optimiser.
    pub options: OptimiserSettings,
    /// Search problem: dimension, start and bounds.
    pub problem: Problem,
    /// Objective that scores candidates.
    pub objective: Objective,
    /// Games of the candidates and their shared settings: rules, board, queue, search, limits,
    /// seed, threads. Its number of games is per candidate.
    pub games: TrainingGames,
    /// Maximum number of generations.
    pub generations: u64,
    /// True if every generation plays the games of the first generation again, instead of new
    /// games.
    pub repeat_games: bool,
    /// Rule that shares the games of a generation among its candidates.
    pub racing: Racing,
    /// Number of generations between two checks; 0 for no checks. A check plays validation games
    /// with the mean of the search, or with the best candidate of a genetic search.
    pub check_every: u64,
    /// Number of games in a check.
    pub check_games: u64,
    /// Maximum number of finalists of each kind (best candidates, means).
    pub finalists: usize,
    /// Number of games per finalist in the finals.
    pub final_games: u64,
    /// Number of held-out games, which are used for no choice. They measure the performance of the
    /// result.
    pub held_out_games: u64,
    /// Kind of candidates that compete to become the result.
    pub answer: ResultSource,
    /// True if validation games select the elite of a cross-entropy search ([`RobustElite`]).
    pub robust_elite: bool,
    /// True if every candidate is written to `population.csv`.
    pub population_log: bool,
}

impl TrainingPlan {
    /// Validates the plan and returns a search before its first generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn start(&self) -> Result<OptimiserState> {
        self.games.validate()?;
        self.objective.check(&self.games)?;
        self.racing.check(self.games.games())?;
        let counts = [
            ("generations", self.generations),
            ("check-games", self.check_games),
            ("finalists", self.finalists as u64),
            ("final-games", self.final_games),
            ("held-out-games", self.held_out_games),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return config(format!("{name} 0: give at least 1"));
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
        if matches!(self.answer, ResultSource::Mean | ResultSource::Average) && !self.has_mean() {
            return config(
                "answer mean and average: a genetic search has no mean, give best".to_owned(),
            );
        }
        // There are two kinds, best and means, and all their games are in memory at once.
        let finals = self.final_games.saturating_mul(2 * MOST_FINALISTS.min(self.finalists) as u64);
        let bounds = [
            ("finalists", self.finalists as u64, MOST_FINALISTS as u64),
            ("check-games", self.check_games, MOST_GAMES),
            ("held-out-games", self.held_out_games, MOST_GAMES),
            ("games", self.games.games(), MOST_GAMES),
        ];
        if let Some((name, count, most)) = bounds.into_iter().find(|(_, count, most)| count > most)
        {
            return config(format!("{name} {count}: give at most {most}"));
        }
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
        let search = self.options.start(&self.problem, self.games.seed())?;
        if self.games_of(&search) > MOST_GAMES {
            return config(format!(
                "games {} of population {}: give fewer, at most {MOST_GAMES} games together",
                self.games.games(),
                search.ask().len()
            ));
        }
        Ok(search)
    }

    /// Validates the plan and returns `search`, read from a checkpoint, if it belongs to the plan.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the plan is invalid or the search belongs to another
    /// training.
    pub fn resume(&self, search: OptimiserState) -> Result<OptimiserState> {
        self.start()?;
        search.resumed(&self.options, &self.problem, self.games.seed())
    }

    /// Returns the seed of the games that a generation's candidates play.
    #[must_use]
    pub fn games_seed(&self, generation: u64) -> u64 {
        self.seed(Purpose::TrainingGames, if self.repeat_games { 0 } else { generation })
    }

    pub(super) fn seed(&self, purpose: Purpose, index: u64) -> u64 {
        stream_seed(self.games.seed(), purpose, index)
    }

    /// Returns the settings of robust elite selection; `None` if the plan does not use it.
    #[must_use]
    pub fn robust(&self) -> Option<&'static RobustElite> {
        self.robust_elite.then_some(&RVCE_ELITE)
    }

    /// Returns true if the optimiser draws its candidates around a mean. The mean then plays in
    /// checks and finals. A genetic search has no such mean.
    #[must_use]
    pub fn has_mean(&self) -> bool {
        !matches!(self.options, OptimiserSettings::Ga(_))
    }

    /// Returns the maximum number of games in the finals, including the winner's held-out games.
    #[must_use]
    pub fn most_finals(&self) -> u64 {
        let (best, checked) =
            (self.finalists as u64, self.finalists as u64 * u64::from(self.check_every > 0));
        let finalists = match self.answer {
            ResultSource::Mean => checked + 1,
            ResultSource::Average => 1,
            ResultSource::Any if self.has_mean() => best + checked + 1,
            ResultSource::Best | ResultSource::Any => best,
        };
        finalists.saturating_mul(self.final_games).saturating_add(self.held_out_games)
    }

    /// Returns the number of games that the candidates of a generation of `search` play together,
    /// without racing.
    #[must_use]
    pub fn games_of(&self, search: &OptimiserState) -> u64 {
        self.games.games().saturating_mul(search.ask().len() as u64)
    }

    /// Returns the file names of the training's tables.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        let population = self.population_log.then_some("population.csv");
        ["history.csv"].into_iter().chain(population).map(str::to_owned).collect()
    }

    /// Returns the settings that affect the results of the training, as JSON for its files. The
    /// number of generations is left out, since a finished training can be extended.
    #[must_use]
    pub fn entry(&self) -> Value {
        let mut entry = json!({
            "optimiser": self.options,
            "problem": self.problem,
            "features": self.games.names(),
            "measured": self.games.measured(),
            "objective": self.objective.to_string(),
            "minimise": self.objective.minimise(),
            "lost": self.objective.lost(),
            "estimate": self.objective.estimates(),
            "repeat_games": self.repeat_games,
            "racing": Some(self.racing).filter(|racing| *racing != Racing::None),
            "check_every": self.check_every,
            "check_games": self.check_games,
            "finalists": self.finalists,
            "final_games": self.final_games,
            "held_out_games": self.held_out_games,
            "answer": self.answer,
            "robust_elite": self.robust_elite,
            "population_log": self.population_log,
            // The entry's controller is the template, with all weights 0.
            "play": self.games.entry(),
        });
        if let Some(entry) = entry.as_object_mut() {
            entry.retain(|_, value| !value.is_null());
        }
        entry
    }
}
