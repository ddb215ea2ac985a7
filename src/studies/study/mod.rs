//! A study: a table of conditions (controller and game) over common seeds, in one folder.
//!
//! A condition is a run with a number and a folder of its own. Conditions with the same seed and
//! queue have common random numbers: game i has the same pieces in all of them, whatever the
//! controller, rules, board and search are. The games can therefore be compared one by one.
//!
//! | file or folder | content |
//! |---|---|
//! | `study.toml` | the study's file, as given |
//! | `001-bcts-10x10-uniform-greedy-s1/` ... | one run folder per condition |
//! | `conditions.csv` | one row per condition, rewritten after each condition |
//! | `games.csv` | the games of all conditions, written when all are complete |
//!
//! ```
//! # mod tetrastat {
//! #     pub use {tetrastat_core::*, tetrastat_runs::*, tetrastat_studies::*};
//! # }
//! # let temporary = tempfile::tempdir().unwrap();
//! # let path = temporary.path().join("study");
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::{controller::Controller, engine::Totals, search::Search};
//! use tetrastat::{sim::ClassicConfig, study::{Condition, Study}};
//!
//! let job = |search| {
//!     let config = ClassicConfig::new(Controller::load("lee")?, "6x8".parse()?);
//!     Ok::<_, tetrastat::error::Error>(ClassicConfig { search, games: 20, ..config })
//! };
//! let conditions = Condition::all(vec![job(Search::Greedy)?, job(Search::Next)?])?;
//! let mut study = Study::open(&path, "greedy and next", conditions)?;
//! for index in 0..study.conditions().len() {
//!     study.play(index, &Totals::default(), &AtomicBool::new(false))?;
//! }
//! study.collect()?;
//! assert!(path.join("games.csv").exists());
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! A [`RunComparison`] is a study whose number of games grows until it is precise enough, and a
//! [`Pilot`] plans that number from finished runs. [`Contrasts`] compares ratios of means, and
//! [`reproduced`] compares with published values.

mod condition;
mod contrasts;
mod published;
mod run_comparison;

use std::fs;
use std::io::ErrorKind;
use std::iter::repeat;

use serde_json::Value;

use crate::engine::{Comparable, Played, play_or_resume};
use crate::error::setting::OUT;
use crate::prelude::*;
use crate::record::{
    ConditionRow, Progress, TableSpec, describe_study, exists, study_description, write_conditions,
    write_games,
};

pub use condition::{AXES, Condition, conditions, parse};
pub use contrasts::Contrasts;
pub use published::{PUBLISHED_STUDIES, Published, published_study, reproduced};
pub use run_comparison::{Pilot, PlannedMean, PlannedPair, RunComparison, SequentialLook, compare};

const STUDY_FILE: &str = "study.toml";

/// Study in progress: its folder, its conditions, and one table row per condition.
#[derive(Debug)]
pub struct Study<G> {
    folder: RunFolder,
    conditions: Vec<Condition<G>>,
    rows: Vec<ConditionRow>,
}

impl<G: Comparable> Study<G> {
    /// Starts a study in the folder `path`, or resumes the study there; `text` is the study file.
    pub fn open(path: &Path, text: &str, conditions: Vec<Condition<G>>) -> Result<Study<G>> {
        let folder = open(path, text)?;
        let row = |condition: &Condition<G>| condition.row(path, condition.progress(path)?);
        let rows = conditions.iter().map(row).collect::<Result<Vec<_>>>()?;
        // If all conditions are estimated, there is no `conditions.csv`.
        if !rows.is_empty() {
            write_conditions(&folder, &rows)?;
        }
        Ok(Study { folder, conditions, rows })
    }

    /// Returns the folder of the study.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the study's conditions (settings to compare) in the order of their numbers.
    #[must_use]
    pub fn conditions(&self) -> &[Condition<G>] {
        &self.conditions
    }

    /// Returns the rows of the study's `conditions.csv`, one per condition, in order.
    #[must_use]
    pub fn rows(&self) -> &[ConditionRow] {
        &self.rows
    }

    /// Returns the number of the study's conditions (settings) whose games are all played.
    #[must_use]
    pub fn complete(&self) -> usize {
        self.rows.iter().filter(|row| row.status == Progress::Complete).count()
    }

    /// Plays or resumes the study's condition at `index` (from 0) and rewrites `conditions.csv`.
    pub fn play(&mut self, index: usize, totals: &Totals, stop: &AtomicBool) -> Result<Played<G>> {
        let condition = &self.conditions[index];
        let path = self.folder.path().join(&condition.folder);
        let played = play_or_resume(&condition.game, &path, totals, stop)?;
        let status = match &played.manifest.status {
            Status::Complete => Progress::Complete,
            Status::Interrupted | Status::Failed(_) => Progress::Unfinished,
        };
        self.rows[index] = condition.row(self.folder.path(), status)?;
        write_conditions(&self.folder, &self.rows)?;
        match played.manifest.status {
            Status::Failed(error) => Err(Error::Config(error)),
            Status::Complete | Status::Interrupted => Ok(played),
        }
    }

    /// Writes the study's `games.csv` and `datapackage.json` if all conditions are complete.
    pub fn collect(&self) -> Result<()> {
        if self.complete() < self.rows.len() {
            return Ok(());
        }
        let Some(games) = result_table(&self.conditions) else { return Ok(()) };
        write_games(&self.folder, &games.file, &self.rows)?;
        let told = (G::PLAYED, &*players(&self.conditions));
        describe_study(&self.folder, (&games.file, &games.columns), &self.rows, told)
    }
}

/// Returns the `datapackage.json` of a complete study, without file checksums; `None` if the study
/// has no tables of games.
pub fn description<G: Comparable>(
    study: &Path,
    conditions: &[Condition<G>],
) -> Result<Option<Value>> {
    let Some(games) = result_table(conditions) else { return Ok(None) };
    let row = |condition: &Condition<G>| condition.row(study, Progress::Complete);
    let rows = conditions.iter().map(row).collect::<Result<Vec<_>>>()?;
    let told = (G::PLAYED, &*players(conditions));
    study_description(study, (&games.file, &games.columns), &rows, told).map(Some)
}

fn result_table<G: Comparable>(conditions: &[Condition<G>]) -> Option<TableSpec> {
    conditions.first().and_then(|condition| condition.game.result_table())
}

fn players<G: Comparable>(conditions: &[Condition<G>]) -> Vec<String> {
    conditions.iter().map(|one| one.game.about().player).collect()
}

/// Opens a study's folder and stores the study file; refuses a changed file once runs exist.
fn open(path: &Path, text: &str) -> Result<RunFolder> {
    let holds_no_study = || {
        let shown = path.display();
        Error::Config(format!("{shown} exists and holds no study: choose another {OUT}"))
    };
    if exists(path)? && !path.is_dir() {
        return Err(holds_no_study());
    }
    let folder = RunFolder::lock(path)?;
    let copy = path.join(STUDY_FILE);
    match fs::read_to_string(&copy) {
        Ok(begun) if begun == text => return Ok(folder),
        Ok(begun) if holds(path, |entry| entry.is_dir())? => {
            return Err(Error::Config(format!(
                "{} was started with another file ({}): restore it (the copy is {}), or choose \
                 another {OUT}",
                path.display(),
                first_difference(&begun, text),
                copy.display()
            )));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let partial = folder.partial(STUDY_FILE);
            if holds(path, |entry| entry != partial)? {
                return Err(holds_no_study());
            }
        }
        Err(error) => return Err(Error::io("reading", &copy, error)),
    }
    folder.put(STUDY_FILE, text)?;
    Ok(folder)
}

fn first_difference(begun: &str, given: &str) -> String {
    let lines = begun.lines().map(Some).chain(repeat(None));
    let others = given.lines().map(Some).chain(repeat(None));
    let longest = begun.lines().count().max(given.lines().count());
    let mut pairs = (1..=longest).zip(lines.zip(others));
    let differing = pairs.find(|(_, (one, other))| one != other);
    let shown = |line: Option<&str>| {
        line.map_or("missing".to_owned(), |line| {
            format!("'{}'", line.chars().take(80).collect::<String>())
        })
    };
    // Texts with equal lines can only differ in the last line end.
    differing.map_or("its end".to_owned(), |(number, (one, other))| {
        format!("line {number} is {} there, {} here", shown(one), shown(other))
    })
}

fn holds(path: &Path, is_such: impl Fn(&Path) -> bool) -> Result<bool> {
    let entries = fs::read_dir(path).map_err(|e| Error::io("reading", path, e))?;
    Ok(entries.filter_map(std::result::Result::ok).any(|entry| is_such(&entry.path())))
}
