//! The conditions of a study: jobs with numbers and folders.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::controller::{Controller, Tie};
use crate::engine::Game;
use crate::error::{Error, Result};
use crate::record::{
    Column, ConditionRow, ConfigEntry, LogTable, Progress, Results, ResumePoint, Status,
    differences, exists, has_checkpoint, plain_name, read_lifetimes, remove_checkpoint, verify,
};
use crate::sim::{AllInTables, ClassicCheckpoint, ClassicManifest, GameTotals, Job, RunConfig};
use crate::stats::Summary;

/// One condition.
#[derive(Debug)]
pub struct Condition {
    /// Its number, from 1.
    pub number: u64,
    /// The folder of its run, in the study's.
    pub folder: String,
    /// Its run.
    pub job: Job,
}

impl Condition {
    /// Numbers the jobs of a study and names their folders.
    ///
    /// # Errors
    /// [`Error::Config`] when two conditions are the same, or when a table could not tell their
    /// controllers apart.
    pub fn all(jobs: Vec<Job>) -> Result<Vec<Condition>> {
        let digits = jobs.len().to_string().len().max(3);
        let name = |(number, job): (u64, Job)| {
            let folder = format!("{number:0digits$}-{}", plain_name(&label(job.config())));
            Condition { number, folder, job }
        };
        let mut conditions: Vec<Condition> = (1..).zip(jobs).map(name).collect();
        refuse_twins(&conditions)?;
        refuse_names(&conditions)?;
        LogTable::ALL.into_iter().for_each(|table| join(&mut conditions, table));
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
            let manifest = ClassicManifest::read(&folder)?;
            let (mine, begun) = (self.job.entry(), &manifest.config);
            let same = *begun == mine || begun.begins(&mine);
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
        let checkpoint = ClassicCheckpoint::read(&folder)?;
        let same = checkpoint.config == self.job.entry();
        self.refuse_other(&folder, &checkpoint.config, same)?;
        Ok(Progress::Unfinished)
    }

    /// Lets a complete run of fewer games go on to those of the condition.
    fn grow(&self, folder: &Path) -> Result<()> {
        let (manifest, mine) = (ClassicManifest::read(folder)?, self.job.entry());
        if manifest.status != Status::Complete || !manifest.config.begins(&mine) {
            return Ok(());
        }
        if has_checkpoint(folder)? && ClassicCheckpoint::read(folder)?.config == mine {
            return Ok(());
        }
        // Half a checkpoint is left by a kill while it was written.
        remove_checkpoint(folder);
        refuse_damaged(folder)?;
        let played = manifest.config.games();
        ClassicCheckpoint::after(&manifest, played, &self.job, AllInTables {}).write(folder)
    }

    /// Games that its run was begun with in the study's folder, by its checkpoint or `run.json`.
    ///
    /// # Errors
    /// [`Error::Config`] when these can't be read.
    pub fn begun(&self, study: &Path) -> Result<Option<u64>> {
        let folder = study.join(&self.folder);
        if has_checkpoint(&folder)? {
            return Ok(Some(ClassicCheckpoint::read(&folder)?.config.games()));
        }
        let played = exists(&folder.join("run.json"))?;
        played.then(|| Ok(ClassicManifest::read(&folder)?.config.games())).transpose()
    }

    fn refuse_other(&self, folder: &Path, begun: &ConfigEntry, same: bool) -> Result<()> {
        if same {
            return Ok(());
        }
        let differing = differences(&json!(begun), &json!(self.job.entry()));
        Err(Error::Config(format!(
            "{} holds another run than condition {} is: {differing}; restore the files that it names (controllers, boards, scripts), or choose another --out",
            folder.display(),
            self.number
        )))
    }

    /// Its row of `conditions.csv`.
    ///
    /// # Errors
    /// As [`read_lifetimes`].
    pub fn row(&self, study: &Path, status: Progress) -> Result<ConditionRow> {
        let folder = study.join(&self.folder);
        let results = match status {
            Progress::Complete => self.results(&folder)?,
            Progress::Pending | Progress::Unfinished => None,
        };
        let (condition, folder) = (self.number, self.folder.clone());
        Ok(ConditionRow { condition, folder, status, config: self.job.entry(), results })
    }

    fn results(&self, folder: &Path) -> Result<Option<Results>> {
        let manifest = ClassicManifest::read(folder)?;
        let config = self.job.config();
        let lifetimes = read_lifetimes(folder)?;
        let summary = Summary::of(&lifetimes, config.queue.is_random(), config.seed);
        Ok(summary.map(|summary| results(manifest.totals, &summary)))
    }
}

/// Lets the conditions' tables be read as one: each has the columns of all, and its condition's number.
fn join(conditions: &mut [Condition], table: LogTable) {
    let mut all: Vec<Column> = Vec::new();
    for column in conditions.iter().filter_map(|c| c.job.logs().shared_columns(table)).flatten() {
        if all.iter().all(|known| known.name != column.name) {
            all.push(column);
        }
    }
    conditions.iter_mut().for_each(|c| c.job.join_study(table, c.number, &all));
}

fn results(totals: GameTotals, summary: &Summary) -> Results {
    // Quantiles come from the platform's logarithm: four decimals are the same on all.
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let ends = |interval: Option<crate::stats::Interval>| {
        let low = interval.map(|interval| rounded(interval.low));
        (low, interval.and_then(|interval| interval.high).map(rounded))
    };
    Results {
        games: summary.games,
        ended: summary.games - summary.censored,
        censored: summary.censored,
        pieces: totals.pieces,
        lines: totals.lines,
        mean: summary.mean,
        exponential: ends(summary.exponential),
        bootstrap: ends(summary.bootstrap),
        sd: summary.sd,
        median: summary.median,
        min: summary.min,
        max: summary.max,
    }
}

/// What a folder is named after; rules only when they are not the usual ones.
fn label(config: &RunConfig) -> String {
    let RunConfig { controller, rules, size, queue, search, seed, .. } = config;
    let rules = match rules.to_string().as_str() {
        "simplified" => String::new(),
        other => format!("-{other}"),
    };
    format!("{}{rules}-{size}-{queue}-{search}-s{seed}", controller.name)
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

fn refuse_twins(conditions: &[Condition]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for Condition { number, folder, job } in conditions {
        let entry = serde_json::to_string(&job.entry()).unwrap_or_default();
        if let Some(first) = seen.insert(entry, number) {
            return Err(Error::Config(format!(
                "conditions {first} and {number} ({folder}) are the same: leave one out"
            )));
        }
    }
    Ok(())
}

/// Names must tell controllers apart and fit into a table.
fn refuse_names(conditions: &[Condition]) -> Result<()> {
    let plays_as = |controller: &Controller| Controller { tie: Tie::First, ..controller.clone() };
    let mut seen: BTreeMap<&str, &Controller> = BTreeMap::new();
    for condition in conditions {
        let controller = &condition.job.config().controller;
        let fail = |problem: &str| {
            let (name, problem) = (controller.name.clone(), problem.to_owned());
            Err(Error::Controller { name, problem })
        };
        if controller.name.contains([',', '"']) {
            return fail("a table cannot hold its name: write it without commas and quotes");
        }
        let first = *seen.entry(&controller.name).or_insert(controller);
        if plays_as(first) != plays_as(controller) {
            return fail("two controllers of the study have this name: give each its own");
        }
    }
    Ok(())
}
