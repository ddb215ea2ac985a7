//! What a training does: every setting, checked, and as its files record it.

use serde_json::{Value, json};

use super::{
    Objective, OptimiserSettings, OptimiserState, Problem, RVCE_ELITE, Racing, ResultSource,
    RobustElite, TrainingGames, config,
};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};

/// Games that are played before the next decision: all their results are in memory, some 2 GB.
const MOST_GAMES: u64 = 10_000_000;
/// Finalists of each kind at most.
const MOST_FINALISTS: usize = 10_000;

/// A training, from its optimiser to its games.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    /// The optimiser.
    pub options: OptimiserSettings,
    /// Where it looks.
    pub problem: Problem,
    /// What candidates are scored by.
    pub objective: Objective,
    /// What they play, and what they have in common: rules, board, queue, search, limits, seed,
    /// threads; `games` for each.
    pub games: TrainingGames,
    /// Generations at most.
    pub generations: u64,
    /// Whether every generation plays the games of the first.
    pub repeat_games: bool,
    /// How the games of a generation are shared among its candidates.
    pub racing: Racing,
    /// Generations between two checks; 0 for none.
    pub check_every: u64,
    /// Games of a check.
    pub check_games: u64,
    /// Finalists of each kind.
    pub finalists: usize,
    /// Games by which the result is chosen among them.
    pub final_games: u64,
    /// Games that the result is reported by.
    pub held_out_games: u64,
    /// Who competes.
    pub answer: ResultSource,
    /// Whether the elite is elected by validation games.
    pub robust_elite: bool,
    /// Whether every candidate is logged.
    pub population_log: bool,
}

impl TrainingPlan {
    /// Checks what types cannot, and begins the search.
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
                "robust-elite looks at single games, of which an estimate has none: leave it out"
                    .to_owned(),
            );
        }
        if matches!(self.answer, ResultSource::Mean | ResultSource::Average) && !self.has_mean() {
            return config(
                "answer mean and average: a genetic search has no mean, give best".to_owned(),
            );
        }
        // Two kinds, best and means, and all their games are in memory at once.
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
        // Before the games of a generation are counted: only the search knows its population.
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

    /// The search goes on from a stored one.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when it is of another training.
    pub fn resume(&self, search: OptimiserState) -> Result<OptimiserState> {
        self.start()?;
        search.resumed(&self.options, &self.problem, self.games.seed())
    }

    /// The seed of the games that a generation's candidates play.
    #[must_use]
    pub fn games_seed(&self, generation: u64) -> u64 {
        self.seed(Purpose::TrainingGames, if self.repeat_games { 0 } else { generation })
    }

    pub(super) fn seed(&self, purpose: Purpose, index: u64) -> u64 {
        stream_seed(self.games.seed(), purpose, index)
    }

    /// How the elite is elected, if by validation games.
    #[must_use]
    pub fn robust(&self) -> Option<&'static RobustElite> {
        self.robust_elite.then_some(&RVCE_ELITE)
    }

    /// Whether the optimiser samples around a mean that is worth playing: checks and finals then play it too.
    #[must_use]
    pub fn has_mean(&self) -> bool {
        !matches!(self.options, OptimiserSettings::Ga(_))
    }

    /// Games of the finals at most, those of the winner included.
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

    /// Games of one generation's candidates.
    #[must_use]
    pub fn games_of(&self, search: &OptimiserState) -> u64 {
        self.games.games().saturating_mul(search.ask().len() as u64)
    }

    /// The files of its tables.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        let population = self.population_log.then_some("population.csv");
        ["history.csv"].into_iter().chain(population).map(str::to_owned).collect()
    }

    /// Returns what decides the course of the training, as its files record it. The number of generations does not: a
    /// training that is done can be taken further.
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
            // Its controller is the template, all weights 0.
            "play": self.games.entry(),
        });
        if let Some(entry) = entry.as_object_mut() {
            entry.retain(|_, value| !value.is_null());
        }
        entry
    }
}
