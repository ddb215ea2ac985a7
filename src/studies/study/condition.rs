//! The conditions of a study: runs with numbers and folders.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::engine::{Checkpoint, Comparable, Manifest};
use crate::error::setting::OUT;
use crate::error::{Error, Result};
use crate::record::{
    ConditionResults, ConditionRow, Progress, ResumePoint, Status, differences, exists,
    has_checkpoint, plain_name, remove_checkpoint, verify,
};
use crate::stats::Summary;

/// One condition.
#[derive(Clone, Debug)]
pub struct Condition<G> {
    /// Its number, from 1.
    pub number: u64,
    /// The folder of its run, in the study's.
    pub folder: String,
    /// Its run.
    pub game: G,
}

impl<G: Comparable> Condition<G> {
    /// Numbers the runs of a study and names their folders.
    ///
    /// # Errors
    /// [`Error::Config`] when two conditions are the same, or when a table could not tell who plays
    /// in them.
    pub fn all(games: Vec<G>) -> Result<Vec<Condition<G>>> {
        // As many digits for all, so that folders sorted by name are in the order of the conditions.
        let digits = games.len().to_string().len().max(3);
        let name = |(number, game): (u64, G)| {
            let folder = format!("{number:0digits$}-{}", plain_name(&game.label()));
            Condition { number, folder, game }
        };
        let mut conditions: Vec<Condition<G>> = (1..).zip(games).map(name).collect();
        refuse_twins(&conditions)?;
        refuse_names(&conditions)?;
        // Only now that all are known: tables that are read as one have the columns of all conditions.
        let numbered = conditions.iter_mut().map(|Condition { number, game, .. }| (*number, game));
        G::join(&mut numbered.collect::<Vec<_>>());
        Ok(conditions)
    }

    /// How far the condition has come in the study's folder; what is there must be its own, and
    /// unharmed.
    ///
    /// # Errors
    /// [`Error::Config`] when it is not, or [`Error::Io`] when it can't be read.
    pub fn progress(&self, study: &Path) -> Result<Progress> {
        let folder = study.join(&self.folder);
        if exists(&folder.join("run.json"))? {
            let manifest = Manifest::<G>::read(&folder)?;
            let (mine, begun) = (self.game.entry(), &manifest.config);
            // A run of fewer games is no other one: it goes on.
            let same = *begun == mine || G::begins(begun, &mine);
            self.refuse_other(&folder, begun, same)?;
            if manifest.status == Status::Complete && *begun == mine {
                // Left, whole or half, by a kill when the run had just been finished.
                remove_checkpoint(&folder);
                refuse_damaged(&folder)?;
                return Ok(Progress::Complete);
            }
            self.grow(&folder)?;
        }
        if !has_checkpoint(&folder)? {
            return Ok(Progress::Pending);
        }
        let checkpoint = Checkpoint::<G>::read(&folder)?;
        let same = checkpoint.config == self.game.entry();
        self.refuse_other(&folder, &checkpoint.config, same)?;
        Ok(Progress::Unfinished)
    }

    /// Lets a complete run of fewer games go on to those of the condition.
    fn grow(&self, folder: &Path) -> Result<()> {
        let (manifest, mine) = (Manifest::<G>::read(folder)?, self.game.entry());
        // One that was stopped has a checkpoint, from where it goes on as it is.
        if manifest.status != Status::Complete || !G::begins(&manifest.config, &mine) {
            return Ok(());
        }
        // It goes on already, and may have played games that a new checkpoint would lose.
        if has_checkpoint(folder)? && Checkpoint::<G>::read(folder)?.config == mine {
            return Ok(());
        }
        // Half a checkpoint is left by a kill while it was written.
        remove_checkpoint(folder);
        refuse_damaged(folder)?;
        let end = G::end_of(G::games(&manifest.config));
        Checkpoint::after(&manifest, end, &self.game).write(folder)
    }

    /// Games that its run was begun with in the study's folder, by its checkpoint or `run.json`.
    ///
    /// # Errors
    /// [`Error::Config`] when these can't be read.
    pub fn begun(&self, study: &Path) -> Result<Option<u64>> {
        let folder = study.join(&self.folder);
        // Before `run.json`: of a run that goes on to more games both are there, and the checkpoint is the
        // later one.
        if has_checkpoint(&folder)? {
            return Ok(Some(G::games(&Checkpoint::<G>::read(&folder)?.config)));
        }
        let played = exists(&folder.join("run.json"))?;
        played.then(|| Ok(G::games(&Manifest::<G>::read(&folder)?.config))).transpose()
    }

    /// Refuses a folder whose run is not the condition's, naming what differs.
    fn refuse_other(&self, folder: &Path, begun: &G::Entry, same: bool) -> Result<()> {
        if same {
            return Ok(());
        }
        let differing = differences(&json!(begun), &json!(self.game.entry()));
        Err(Error::Config(format!(
            "{} holds another run than condition {} is: {differing}; restore the files that it names (controllers, boards, scripts), or choose another {OUT}",
            folder.display(),
            self.number
        )))
    }

    /// Its row of `conditions.csv`.
    ///
    /// # Errors
    /// As [`Comparable::observed`].
    pub fn row(&self, study: &Path, status: Progress) -> Result<ConditionRow> {
        let folder = study.join(&self.folder);
        let results = match status {
            Progress::Complete => self.results(&folder)?,
            Progress::Pending | Progress::Unfinished => None,
        };
        // Totals of no games, since columns must be known before anything is played.
        let none = G::totals(&self.game.none());
        let measure = self.game.main_measure();
        Ok(ConditionRow {
            condition: self.number,
            folder: self.folder.clone(),
            status,
            config: json!(self.game.entry()),
            results,
            measure: measure.to_owned(),
            whole: self.game.is_whole(measure),
            counted: counts(&none).keys().cloned().collect(),
        })
    }

    /// What the games of a complete condition say; none when there are no games.
    fn results(&self, folder: &Path) -> Result<Option<ConditionResults>> {
        let manifest = Manifest::<G>::read(folder)?;
        let measure = self.game.measure_named(self.game.main_measure())?;
        let observed = self.game.observed(folder, &measure)?;
        let (is_random, seed) = (self.game.is_random(), self.game.seed());
        let summary = Summary::of_values(&observed, measure.scale, is_random, seed);
        let whole = self.game.is_whole(&measure.column);
        Ok(summary.map(|summary| results(counts(&manifest.totals), &summary, whole)))
    }
}

/// What `run.json` counts besides games.
fn counts(totals: &impl serde::Serialize) -> Map<String, Value> {
    let mut counts = match json!(totals) {
        Value::Object(counts) => counts,
        _ => Map::new(),
    };
    // It has a column of its own.
    counts.shift_remove("games");
    counts
}

/// A share or a mean has no exponential lifetime.
fn results(totals: Map<String, Value>, summary: &Summary, whole: bool) -> ConditionResults {
    // Quantiles come from the platform's logarithm: four decimals are the same on all.
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let ends = |interval: Option<crate::stats::Interval>| {
        let low = interval.map(|interval| rounded(interval.low));
        (low, interval.and_then(|interval| interval.high).map(rounded))
    };
    ConditionResults {
        games: summary.games,
        ended: summary.games - summary.censored,
        censored: summary.censored,
        totals,
        mean: summary.mean,
        exponential: ends(summary.exponential.filter(|_| whole)),
        bootstrap: ends(summary.bootstrap),
        sd: summary.sd,
        median: summary.median,
        min: summary.min,
        max: summary.max,
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

fn refuse_twins<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for Condition { number, folder, game } in conditions {
        // By what files would say, so that a different way to write the same setting makes no other condition.
        let entry = serde_json::to_string(&game.entry()).unwrap_or_default();
        if let Some(first) = seen.insert(entry, number) {
            return Err(Error::Config(format!(
                "conditions {first} and {number} ({folder}) are the same: leave one out"
            )));
        }
    }
    Ok(())
}

/// Names must tell controllers apart and fit into a table.
fn refuse_names<G: Comparable>(conditions: &[Condition<G>]) -> Result<()> {
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    for condition in conditions {
        let (name, is) = (condition.game.who(), condition.game.who_is());
        let fail = |problem: &str| {
            let (name, problem) = (name.clone(), problem.to_owned());
            Err(Error::Controller { name, problem })
        };
        if name.contains([',', '"']) {
            return fail("a table cannot hold its name: write it without commas and quotes");
        }
        // The same controller in several conditions is right; another one of its name could not be told apart
        // in the table.
        if *seen.entry(name.clone()).or_insert_with(|| is.clone()) != is {
            return fail("two controllers of the study have this name: give each its own");
        }
    }
    Ok(())
}
