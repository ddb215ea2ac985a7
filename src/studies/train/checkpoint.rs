//! Checkpoint and tables of a training.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TrainingPlan, TrainingState};
use crate::controller::PatternLayout;
use crate::error::Result;
use crate::record::{
    HistoryRow, Kind, PartialTables, PopulationRow, ResumePoint, RunFolder, TableCursor,
    TrainingTable, have_changed, history_fields, population_fields,
};

/// Checkpoint of a training, from which the training is resumed or extended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainCheckpoint {
    /// Version of the program; another version may play differently.
    pub version: String,
    /// Kind of work.
    pub kind: Kind,
    /// Options of the command that started the training. The command defines their form.
    pub settings: Value,
    /// Plan of the training as JSON, from [`TrainingPlan::entry`].
    pub config: Value,
    /// State of the training.
    pub state: TrainingState,
    pub(super) tables: Vec<TableCursor>,
}

impl TrainCheckpoint {
    /// Returns the stored state if the checkpoint belongs to a training with the plan `plan`.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the checkpoint belongs to another plan.
    pub fn state_of(&self, plan: &TrainingPlan) -> Result<TrainingState> {
        if self.config != plan.entry() {
            return Err(have_changed(&self.config, &plan.entry()));
        }
        let search = plan.resume(self.state.search.clone())?;
        Ok(TrainingState { search, ..self.state.clone() })
    }
}

impl ResumePoint for TrainCheckpoint {
    const OF: &'static str = "a training";
    const KIND: Kind = Kind::Training;
    const HAS_FORCE: bool = false;

    fn is_of(state: &Value) -> bool {
        state["config"].is_object() && state["config"]["method"].is_null()
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        self.config.clone()
    }

    fn files(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    /// Does nothing: a training that fails keeps the rows of its tables.
    fn take_back(&mut self, _: &[TableCursor]) {}
}

/// Tables of a training: one with a row per generation, and one with a row per candidate if
/// candidates are logged.
pub(super) type Tables = (TrainingTable<HistoryRow>, Option<TrainingTable<PopulationRow>>);

/// Creates the tables of a training. If `from` is the checkpoint of a training to resume, opens its
/// tables and appends to them.
pub(super) fn tables(
    folder: &RunFolder,
    plan: &TrainingPlan,
    from: Option<&TrainCheckpoint>,
) -> Result<Tables> {
    let names = plan.games.names();
    let partial_tables = from.map(|from| PartialTables::of(folder, &from.tables)).transpose()?;
    let partial_tables = partial_tables.as_ref();
    let history =
        TrainingTable::open(folder, "history.csv", history_fields(&names), partial_tables)?;
    let population = plan.population_log.then(|| {
        let entries = plan.games.layout().map_or(0, PatternLayout::entries);
        let entries = (0..entries).map(|entry| format!("entry_{entry}"));
        let all: Vec<String> = names.iter().cloned().chain(entries).collect();
        TrainingTable::open(folder, "population.csv", population_fields(&all), partial_tables)
    });
    Ok((history, population.transpose()?))
}
