//! Conditions of a study: numbered runs, each with a folder.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::engine::{About, Comparable, Manifest, RunState, is_same};
use crate::error::setting::OUT;
use crate::error::{Error, Result};
use crate::record::{
    Checkpoint, ConditionResults, ConditionRow, Progress, Status, differences, exists,
    has_checkpoint, plain_name, remove_checkpoint, rounded, verify,
};
use crate::stats::Estimate;

/// Condition of a study: a run with a number and a folder of its own.
#[derive(Clone, Debug)]
pub struct Condition<G> {
    /// Number of the condition, from 1.
    pub number: u64,
    /// Name of the run's folder within the study's folder.
    pub folder: String,
    /// Configuration of the run.
    pub game: G,
}

impl<G: Comparable> Condition<G> {
    /// Creates the conditions of a study from its runs (`games`): numbers the runs from 1 and names
    /// their folders.
    ///
    /// # Errors
    /// [`Error::Config`] if two conditions are equal. [`Error::Controller`] if two different
    /// controllers have the same name, or a name contains a comma or a quote.
    pub fn all(games: Vec<G>) -> Result<Vec<Condition<G>>> {
        let is_kept = vec![true; games.len()];
        let [conditions, _] = Condition::split(games, &is_kept)?;
        Ok(conditions)
    }

    /// Creates the conditions of a study like [`Condition::all`], and splits them into those whose
    /// `is_kept` is true, which are played, and the others.
    ///
    /// # Errors
    /// The errors of [`Condition::all`].
    pub fn split(games: Vec<G>, is_kept: &[bool]) -> Result<[Vec<Condition<G>>; 2]> {
        // All numbers have the same width, so that folders sort in the order of the conditions.
        let digits = games.len().to_string().len().max(3);
        let name = |(number, game): (u64, G)| {
            let folder = format!("{number:0digits$}-{}", plain_name(&game.about().label));
            Condition { number, folder, game }
        };
        let conditions: Vec<Condition<G>> = (1..).zip(games).map(name).collect();
        check_distinct(&conditions)?;
        refuse_names(&conditions)?;
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        for (condition, &is_kept) in conditions.into_iter().zip(is_kept) {
            if is_kept { &mut kept } else { &mut others }.push(condition);
        }
        // Tables of different runs are read as one, so they get equal columns. That needs all runs.
        let numbered = kept.iter_mut().map(|Condition { number, game, .. }| (*number, game));
        G::join(&mut numbered.collect::<Vec<_>>());
        Ok([kept, others])
    }

    /// Returns the progress of the condition's run in the study folder `study`. The run must be
    /// intact and belong to this condition. A complete run with fewer games is made resumable.
    ///
    /// # Errors
    /// [`Error::Config`] if the run is damaged or belongs to another condition, [`Error::Io`] if it
    /// can't be read.
    pub fn progress(&self, study: &Path) -> Result<Progress> {
        let folder = study.join(&self.folder);
        if exists(&folder.join("run.json"))? {
            let manifest = Manifest::<G>::read(&folder)?;
            let (mine, begun) = (self.game.entry(), &manifest.config);
            // A run of fewer games is still the condition's run: it will be extended.
            let same = is_same(begun, &mine) || G::begins(begun, &mine);
            self.refuse_other(&folder, begun, same)?;
            if manifest.status == Status::Complete && is_same(begun, &mine) {
                // If the program was killed just after the end of the run, a checkpoint may remain,
                // whole or in part.
                remove_checkpoint(&folder);
                refuse_damaged(&folder)?;
                return Ok(Progress::Complete);
            }
            self.grow(&folder)?;
        }
        if !has_checkpoint(&folder)? {
            return Ok(Progress::Pending);
        }
        let checkpoint = Checkpoint::<RunState<G>>::read(&folder)?;
        let same = is_same(&checkpoint.config, &self.game.entry());
        self.refuse_other(&folder, &checkpoint.config, same)?;
        Ok(Progress::Unfinished)
    }

    /// Makes a complete run of fewer games resumable up to the condition's number of games.
    fn grow(&self, folder: &Path) -> Result<()> {
        let (manifest, mine) = (Manifest::<G>::read(folder)?, self.game.entry());
        // A stopped run has a checkpoint, from which it resumes as it is.
        if manifest.status != Status::Complete || !G::begins(&manifest.config, &mine) {
            return Ok(());
        }
        // The run was extended already; a new checkpoint would lose the games played since then.
        if has_checkpoint(folder)?
            && is_same(&Checkpoint::<RunState<G>>::read(folder)?.config, &mine)
        {
            return Ok(());
        }
        // A kill during the write leaves half a checkpoint.
        remove_checkpoint(folder);
        refuse_damaged(folder)?;
        let end = G::end_of(G::games(&manifest.config));
        Checkpoint::after(&manifest, end, &self.game).write(folder)
    }

    /// Returns the number of games that the condition's run in the study folder `study` was started
    /// with; `None` if it was not started. The number is read from the checkpoint, or from
    /// `run.json` without a checkpoint.
    ///
    /// # Errors
    /// [`Error::Config`] if the file can't be read.
    pub fn begun(&self, study: &Path) -> Result<Option<u64>> {
        let folder = study.join(&self.folder);
        // The checkpoint comes first: an extended run has both files, and the checkpoint is newer.
        if has_checkpoint(&folder)? {
            return Ok(Some(G::games(&Checkpoint::<RunState<G>>::read(&folder)?.config)));
        }
        let played = exists(&folder.join("run.json"))?;
        played.then(|| Ok(G::games(&Manifest::<G>::read(&folder)?.config))).transpose()
    }

    /// Returns an error unless `same` is true, that is, unless the run in `folder` belongs to the
    /// condition. The error names the differences between `begun`, the recorded configuration, and
    /// the condition's configuration.
    fn refuse_other(&self, folder: &Path, begun: &G::Entry, same: bool) -> Result<()> {
        if same {
            return Ok(());
        }
        let differing = differences(&json!(begun), &json!(self.game.entry()));
        Err(Error::Config(format!(
            "{} holds another run than condition {}: {differing}; restore the files that the \
             condition names (controllers, boards, scripts), or choose another {OUT}",
            folder.display(),
            self.number
        )))
    }

    /// Returns the condition's row of `conditions.csv`; it has results if `status` is `Complete`.
    ///
    /// # Errors
    /// The errors of [`Comparable::observed`].
    pub fn row(&self, study: &Path, status: Progress) -> Result<ConditionRow> {
        let folder = study.join(&self.folder);
        let results = match status {
            Progress::Complete => self.results(&folder)?,
            Progress::Pending | Progress::Unfinished => None,
        };
        // Columns must be known before a game is played, so empty totals define them.
        let none = G::totals(&self.game.none());
        let measure = self.game.about().measure;
        Ok(ConditionRow {
            condition: self.number,
            folder: self.folder.clone(),
            status,
            config: json!(self.game.entry()),
            results,
            measure: measure.to_owned(),
            whole: self.game.is_whole(measure),
            counted: self.counts(&none).keys().cloned().collect(),
        })
    }

    /// Returns the results of a complete condition, read from its run in `folder`; `None` if the
    /// run has no games.
    fn results(&self, folder: &Path) -> Result<Option<ConditionResults>> {
        let manifest = Manifest::<G>::read(folder)?;
        let about = self.game.about();
        let measure = self.game.measure_named(about.measure)?;
        let observed = self.game.observed(folder, &measure)?;
        let (is_random, seed) = (about.is_random(), about.seed);
        let estimate = Estimate::of(&observed, measure.scale, is_random, seed);
        let estimate = Estimate { mean: rounded(estimate.mean), ..estimate };
        let totals = self.counts(&manifest.totals);
        Ok((!observed.is_empty()).then_some(ConditionResults { estimate, totals }))
    }

    /// Returns the total counts of a run as in `run.json`, such as its pieces, without the number
    /// of games (the rows of the results), which counts as `n`.
    fn counts(&self, totals: &G::Totals) -> Map<String, Value> {
        let mut counts = match json!(totals) {
            Value::Object(counts) => counts,
            _ => Map::new(),
        };
        let results = self.game.result_table().map(|table| table.file).unwrap_or_default();
        counts.shift_remove(results.split('.').next().unwrap_or_default());
        counts
    }
}

fn refuse_damaged(folder: &Path) -> Result<()> {
    let damaged = verify(folder)?.into_iter().find(|finding| finding.problem.is_some());
    let Some(finding) = damaged else { return Ok(()) };
    let (folder, problem) = (folder.display(), finding.problem.unwrap_or_default());
    Err(Error::Config(format!(
        "{folder}: {}: {problem}: remove this folder, and the study plays it again",
        finding.name
    )))
}

fn check_distinct<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for Condition { number, folder, game } in conditions {
        // Recorded configurations are compared, so that two spellings of one setting count as
        // equal.
        let entry = serde_json::to_string(&game.entry()).unwrap_or_default();
        if let Some(first) = seen.insert(entry, number) {
            return Err(Error::Config(format!(
                "conditions {first} and {number} ({folder}) are the same: leave one out"
            )));
        }
    }
    Ok(())
}

/// Returns an error if two different controllers have the same name. Also refuses a name with a
/// comma or a quote, which a table can't store.
fn refuse_names<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    for condition in conditions {
        let About { player: name, identity: is, .. } = condition.game.about();
        let fail = |problem: &str| {
            let (name, problem) = (name.clone(), problem.to_owned());
            Err(Error::Controller { name, problem })
        };
        if name.contains([',', '"']) {
            return fail("a table cannot hold its name: write it without commas and quotes");
        }
        // A controller may occur in several conditions; two controllers must not share a name.
        if *seen.entry(name.clone()).or_insert_with(|| is.clone()) != is {
            return fail("two controllers of the study have this name: give each its own");
        }
    }
    Ok(())
}
