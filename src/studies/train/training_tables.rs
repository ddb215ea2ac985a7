//! A training's folder: tables and checkpoint while it runs, controller and manifest when it ends.

use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{TrainingIdentity, TrainingPlan, TrainingState};
use crate::error::Result;
use crate::record::{
    FileEntry, HistoryRow, PartialTables, PopulationRow, ResumePoint, RunFolder, TableCursor,
    TrainingTable, VERSION, have_changed, read_manifest,
};

/// Where a training goes on that was killed, interrupted, or is to be taken further.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainCheckpoint {
    /// Version of the program; another may play differently.
    pub version: String,
    /// What its command was asked for, in that command's own form.
    #[serde(default)]
    pub settings: Value,
    /// What is trained.
    pub plan: TrainingIdentity,
    /// What it has come to.
    pub state: TrainingState,
    tables: Vec<TableCursor>,
}

impl TrainCheckpoint {
    /// The state, if a plan is the one that it belongs to.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when it is not.
    pub fn state_of(&self, plan: &TrainingPlan) -> Result<TrainingState> {
        if self.plan != plan.entry() {
            return Err(have_changed(&self.config(), &json!(plan.entry())));
        }
        let search = plan.resume(self.state.search.clone())?;
        Ok(TrainingState { search, ..self.state.clone() })
    }
}

impl ResumePoint for TrainCheckpoint {
    const OF: &'static str = "a training";
    const HAS_FORCE: bool = false;
    const MANIFEST: &'static str = "train.json";
    const CONFIG: &'static str = "plan";

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        json!(self.plan)
    }

    fn files(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    /// A training that fails leaves its tables as long as they are.
    fn take_back(&mut self, _: &[TableCursor]) {}
}

/// The tables of a training, and its checkpoint.
pub struct TrainingTables {
    folder: RunFolder,
    /// What checkpoints remember of the command.
    settings: Value,
    plan: TrainingIdentity,
    history: TrainingTable<HistoryRow>,
    population: Option<TrainingTable<PopulationRow>>,
    /// Seconds of the earlier parts if they are known, and the start of this part.
    clock: (Option<f64>, Instant),
}

impl TrainingTables {
    /// Begins the tables, or goes on with them; the first checkpoint is written at once. A new folder in which that
    /// fails is taken back.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written, [`crate::error::Error::Config`] when they are not what the
    /// checkpoint left.
    pub fn open(
        folder: RunFolder,
        settings: Value,
        plan: &TrainingPlan,
        from: Option<&TrainCheckpoint>,
        state: &TrainingState,
    ) -> Result<TrainingTables> {
        let (history, population) = match tables(&folder, plan, from) {
            Ok(tables) => tables,
            Err(error) => {
                folder.discard();
                return Err(error);
            }
        };
        let earlier = from.map_or(Some(0.0), |_| earlier_seconds(folder.path(), state));
        let clock = (earlier, Instant::now());
        let mut tables =
            TrainingTables { folder, settings, plan: plan.entry(), history, population, clock };
        match tables.write_checkpoint(state) {
            Ok(()) => Ok(tables),
            Err(error) => {
                tables.discard();
                Err(error)
            }
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the seconds of all parts of the training, or `None` after a part that was killed, which recorded no
    /// time.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        let (earlier, began) = self.clock;
        Some(earlier? + began.elapsed().as_secs_f64())
    }

    /// Takes a new folder back, in which nothing is to be kept.
    pub fn discard(self) {
        let TrainingTables { folder, history, population, .. } = self;
        // Closed first, since some systems do not remove files that are open.
        drop((history, population));
        folder.discard();
    }

    /// Adds a generation, and the state after it.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn add(
        &mut self,
        row: HistoryRow,
        candidates: &[PopulationRow],
        state: &TrainingState,
    ) -> Result<()> {
        let generation = row.generation;
        self.history.add(generation, &[row])?;
        if let Some(population) = &mut self.population {
            population.add(generation, candidates)?;
        }
        self.write_checkpoint(state)
    }

    /// The tables first: a checkpoint never speaks of what is not on disk.
    fn write_checkpoint(&mut self, state: &TrainingState) -> Result<()> {
        let history = self.history.sync()?;
        let population = self.population.as_mut().map(TrainingTable::sync).transpose()?;
        let checkpoint = TrainCheckpoint {
            version: VERSION.to_owned(),
            settings: self.settings.clone(),
            plan: self.plan.clone(),
            state: state.clone(),
            tables: [history].into_iter().chain(population).collect(),
        };
        checkpoint.write(self.folder.path())
    }

    /// Gives the tables their names; the folder comes back.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn finish(self) -> Result<(RunFolder, Vec<FileEntry>)> {
        let TrainingTables { folder, history, population, .. } = self;
        let history = history.finish(&folder)?;
        let population = population.map(|table| table.finish(&folder)).transpose()?;
        Ok((folder, [history].into_iter().chain(population).collect()))
    }
}

/// A training's tables: generations, and candidates if they are logged.
type Tables = (TrainingTable<HistoryRow>, Option<TrainingTable<PopulationRow>>);

/// Begins the tables of a training, or goes on with them.
fn tables(
    folder: &RunFolder,
    plan: &TrainingPlan,
    from: Option<&TrainCheckpoint>,
) -> Result<Tables> {
    let names = plan.games.names();
    let partial_tables = from.map(|from| PartialTables::of(folder, &from.tables)).transpose()?;
    let partial_tables = partial_tables.as_ref();
    let history = TrainingTable::history(folder, &names, partial_tables)?;
    let population =
        plan.population_log.then(|| TrainingTable::population(folder, &names, partial_tables));
    Ok((history, population.transpose()?))
}

/// Reads the seconds of all parts before `state` from the last manifest. Returns `None` if that manifest belongs to an
/// earlier state, because a later part was killed. A checkpoint cannot keep the seconds, since its bytes must not
/// depend on time.
fn earlier_seconds(folder: &Path, state: &TrainingState) -> Option<f64> {
    let manifest: Value = read_manifest(&folder.join(TrainCheckpoint::MANIFEST)).ok()?;
    let is_of_state = manifest["games"] == state.games && manifest["pieces"] == state.pieces;
    manifest["total_s"].as_f64().filter(|_| is_of_state)
}
