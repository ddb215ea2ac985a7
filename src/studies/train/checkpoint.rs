//! Checkpoint and tables of a training.

use serde_json::Value;

use super::{TrainingPlan, TrainingState};
use crate::controller::PatternLayout;
use crate::error::Result;
use crate::record::{
    Checkpoint, CheckpointState, HistoryRow, Kind, PartialTables, PopulationRow, RunFolder,
    TrainingTable, history_fields, population_fields,
};

impl CheckpointState for TrainingState {
    const OF: &'static str = "a training";
    const KIND: Kind = Kind::Training;
    type Config = Value;
}

impl TrainingPlan {
    /// Returns the state in `checkpoint` if it belongs to a training with this plan.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the checkpoint belongs to another plan.
    pub fn state_in(&self, checkpoint: &Checkpoint<TrainingState>) -> Result<TrainingState> {
        checkpoint.check_config(&self.entry())?;
        let search = self.resume(checkpoint.state.search.clone())?;
        Ok(TrainingState { search, ..checkpoint.state.clone() })
    }
}

/// Tables of a training: one with a row per generation, and one with a row per candidate if
/// candidates are logged.
pub(super) type Tables = (TrainingTable<HistoryRow>, Option<TrainingTable<PopulationRow>>);

/// Creates the tables of a training. If `from` is the checkpoint of a training to resume, opens its
/// tables and appends to them.
pub(super) fn tables(
    folder: &RunFolder,
    plan: &TrainingPlan,
    from: Option<&Checkpoint<TrainingState>>,
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
