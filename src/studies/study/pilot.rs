//! Sample-size planning from finished runs: the number of games that a comparison needs.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::Condition;
use super::run_comparison::names;
use crate::engine::{About, Comparable, Measure};
use crate::error::{Error, Result};
use crate::record::read_values;
use crate::stats::{
    DetectionPlan, Estimate, FEWEST, Observed, PilotPair, PowerTarget, games_for_half_width,
};

/// Finished runs of one kind of game, from which the number of games of a comparison is planned.
#[derive(Debug)]
pub struct Pilot {
    measure: Measure,
    runs: Vec<PilotRun>,
}

#[derive(Debug)]
struct PilotRun {
    name: String,
    seed: u64,
    /// Measured value of each game, by the number of the game.
    games: BTreeMap<u64, Observed>,
    estimate: Estimate,
}

/// Mean of one run, and the number of games that an interval of the requested width needs.
#[derive(Debug, Serialize)]
pub struct PlannedMean {
    /// Name of the run.
    pub condition: String,
    /// Estimate of the mean from the games of the finished run.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Number of games after which the interval of the mean has the requested relative half-width.
    /// `None` if no half-width was requested or if more than 2^33 games are needed.
    pub games_needed: Option<u64>,
}

/// Two runs and the number of games that distinguishes their means.
#[derive(Debug, Serialize)]
pub struct PlannedPair {
    /// Name of the first run.
    pub first: String,
    /// Name of the second run.
    pub second: String,
    /// Number of games that distinguishes the means.
    #[serde(flatten)]
    pub to_tell: DetectionPlan,
}

impl Pilot {
    /// Reads the games of the finished runs `conditions`, measured by `measure`. Their folders are
    /// relative to `root`.
    ///
    /// # Errors
    /// [`Error::Config`] if the queue of a run deals every game the same pieces, so that its games
    /// do not differ. Also the errors of [`Comparable::observed`].
    pub fn read<G: Comparable>(
        conditions: &[Condition<G>],
        root: &Path,
        measure: Measure,
    ) -> Result<Pilot> {
        let run = |(condition, name): (&Condition<G>, String)| {
            let game = &condition.game;
            let About { seed, fixed_queue, .. } = game.about();
            if fixed_queue.is_some() {
                return Err(Error::Config(format!(
                    "{name}: its queue deals every game the same pieces, so one game is enough: \
                     there is nothing to plan"
                )));
            }
            let games = numbered(game, &root.join(&condition.folder), &measure)?;
            let values: Vec<Observed> = games.values().copied().collect();
            let estimate = Estimate::of(&values, measure.scale, true, seed);
            Ok(PilotRun { name, seed, games, estimate })
        };
        let runs = conditions.iter().zip(names(conditions)).map(run).collect::<Result<_>>()?;
        Ok(Pilot { measure, runs })
    }

    /// Returns the measure by which the games of the runs are compared.
    #[must_use]
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// Returns the mean of every run, and the number of games after which its interval has the
    /// relative half-width `half_width`.
    #[must_use]
    pub fn means(&self, half_width: Option<f64>) -> Vec<PlannedMean> {
        let mean = |run: &PilotRun| {
            let games: Vec<Observed> = run.games.values().copied().collect();
            let needed =
                |width| games_for_half_width(&run.estimate.mean, &games, self.measure.scale, width);
            PlannedMean {
                condition: run.name.clone(),
                estimate: run.estimate.clone(),
                games_needed: half_width.and_then(needed),
            }
        };
        self.runs.iter().map(mean).collect()
    }

    /// Returns the number of pairs of runs.
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.runs.len() * self.runs.len().saturating_sub(1) / 2
    }

    /// Computes, for each pair of runs, the number of games that distinguishes their means as
    /// `question` requires. Games of two runs with the same seed are paired by their number.
    ///
    /// # Errors
    /// [`Error::Config`] naming a run with too few finished games.
    pub fn pairs(&self, question: &PowerTarget) -> Result<Vec<PlannedPair>> {
        let mut pairs = Vec::with_capacity(self.pair_count());
        for (place, first) in self.runs.iter().enumerate() {
            for second in &self.runs[place + 1..] {
                let (one, other, common) = first.beside(second);
                let pair = PilotPair { first: &one, second: &other, common };
                let to_tell = pair.detection_plan(self.measure.scale, question);
                let to_tell = to_tell.ok_or_else(|| too_few(first, second))?;
                let (first, second) = (first.name.clone(), second.name.clone());
                pairs.push(PlannedPair { first, second, to_tell });
            }
        }
        Ok(pairs)
    }
}

impl PilotRun {
    /// Returns the games of this run and of `other`, and true if they are paired. If the seeds are
    /// equal, only games whose numbers occur in both runs are returned, in pairs. If the seeds
    /// differ or no number is common, all games are returned unpaired.
    fn beside(&self, other: &PilotRun) -> (Vec<Observed>, Vec<Observed>, bool) {
        let all = |run: &PilotRun| run.games.values().copied().collect::<Vec<_>>();
        let shared = self.games.iter().filter_map(|(number, game)| {
            other.games.get(number).filter(|_| self.seed == other.seed).map(|same| (*game, *same))
        });
        let (one, same): (Vec<_>, Vec<_>) = shared.unzip();
        match one.is_empty() {
            true => (all(self), all(other), false),
            false => (one, same, true),
        }
    }

    fn ended(&self) -> u64 {
        self.estimate.mean.n - self.estimate.mean.censored
    }
}

fn too_few(first: &PilotRun, second: &PilotRun) -> Error {
    let less = if first.ended() <= second.ended() { first } else { second };
    Error::Config(format!(
        "{}: {} games in common with the other run ended, of {}: a plan needs {FEWEST} or more, \
         play a longer pilot",
        less.name,
        less.ended(),
        less.estimate.mean.n
    ))
}

/// Returns the measured value of each game of the run in `folder`, by the number of the game. The
/// first column of the run's first table contains the numbers.
fn numbered<G: Comparable>(
    game: &G,
    folder: &Path,
    measure: &Measure,
) -> Result<BTreeMap<u64, Observed>> {
    let observed = game.observed(folder, measure)?;
    let Some(table) = game.tables().into_iter().next() else { return Ok(BTreeMap::new()) };
    let Some(number) = table.columns.first() else { return Ok(BTreeMap::new()) };
    let numbers = read_values(&folder.join(&table.file), &number.name, None)?;
    Ok(numbers.into_iter().map(|(number, _)| number as u64).zip(observed).collect())
}
