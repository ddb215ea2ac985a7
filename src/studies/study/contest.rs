//! A contest: controllers that play the same seeds, a number of games that grows, and a comparison.

use std::path::{Path, PathBuf};

use super::{Condition, Study};
use crate::error::{Error, Result};
use crate::record::{adds_up, read_game_values};
use crate::sim::{Job, RunConfig};
use crate::stats::{Comparison, Entrant, Observed, Scale};

/// Controllers compared by one column of `games`, in a folder that is a study's.
#[derive(Debug)]
pub struct Contest {
    path: PathBuf,
    configs: Vec<RunConfig>,
    column: String,
    scale: Scale,
}

impl Contest {
    /// A contest of runs that differ in nothing but their controllers; their number of games is not
    /// looked at.
    ///
    /// # Errors
    /// [`Error::Config`] with fewer than two runs, [`Error::Unknown`] when there is no such column of
    /// numbers, and as [`Condition::all`] and [`Job::new`].
    pub fn new(path: &Path, configs: Vec<RunConfig>, column: &str) -> Result<Contest> {
        if configs.len() < 2 {
            let text =
                "compare needs two controllers or more: for example tetrastat compare bcts dt20";
            return Err(Error::Config(text.to_owned()));
        }
        let scale = if adds_up(column)? { Scale::Total } else { Scale::PerGame };
        let (path, column) = (path.to_owned(), column.to_owned());
        let contest = Contest { path, configs, column, scale };
        contest.conditions(1)?;
        Ok(contest)
    }

    /// How the column's values come about.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The most games that any controller has been asked for in the folder; 0 in a new one.
    ///
    /// # Errors
    /// [`Error::Config`] when a run there can't be read.
    pub fn begun(&self) -> Result<u64> {
        let conditions = self.conditions(1)?;
        let begun = conditions.iter().map(|condition| condition.begun(&self.path));
        Ok(begun.collect::<Result<Vec<_>>>()?.into_iter().flatten().max().unwrap_or(0))
    }

    /// Opens the folder for so many games of each controller; games played before are kept.
    ///
    /// # Errors
    /// As [`Study::open`].
    pub fn open(&self, games: u64) -> Result<Study> {
        let conditions = self.conditions(games)?;
        let folders: Vec<&str> = conditions.iter().map(|condition| &*condition.folder).collect();
        let text = format!(
            "# Begun by `tetrastat compare`; the run.json of each folder says what was played.\nfolders = {folders:?}\n"
        );
        Study::open(&self.path, &text, conditions)
    }

    /// Compares the games that are in the folder.
    ///
    /// # Errors
    /// As [`read_game_values`].
    pub fn compare(&self) -> Result<Comparison> {
        let conditions = self.conditions(1)?;
        let entrants = conditions.iter().map(|condition| self.entrant(condition));
        let RunConfig { queue, seed, .. } = &self.configs[0];
        let entrants = entrants.collect::<Result<Vec<_>>>()?;
        Ok(Comparison::of(entrants, self.scale, queue.is_random(), *seed))
    }

    /// A controller's games; one without a value, as a mean height without a piece, counts as 0.
    fn entrant(&self, condition: &Condition) -> Result<Entrant> {
        let values = read_game_values(&self.path.join(&condition.folder), &self.column)?;
        let observed = |(value, censored): (f64, bool)| Observed {
            value: if value.is_nan() { 0.0 } else { value },
            censored,
        };
        let games = values.into_iter().map(observed).collect();
        Ok(Entrant { name: condition.job.config().controller.name.clone(), games })
    }

    fn conditions(&self, games: u64) -> Result<Vec<Condition>> {
        let job = |config: &RunConfig| Job::unlogged(RunConfig { games, ..config.clone() });
        Condition::all(self.configs.iter().map(job).collect::<Result<Vec<_>>>()?)
    }
}
