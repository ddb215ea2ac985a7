//! Checkpoint and tables of a training.

use serde_json::Value;

use super::{TrainingPlan, TrainingState};
use crate::controller::PatternLayout;
use crate::error::Result;
use crate::record::{
    Checkpoint, CheckpointState, Field, HistoryRow, Kind, LogFormat, PopulationRow, Rows,
    TableSpec, columns, history_fields, population_fields, rows_of,
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

/// Columns of the tables of a training: one table with a row per generation, and one with a row per
/// candidate if candidates are logged.
pub(super) struct TrainingFields {
    history: Vec<Field<HistoryRow>>,
    population: Option<Vec<Field<PopulationRow>>>,
}

impl TrainingFields {
    pub(super) fn new(plan: &TrainingPlan) -> TrainingFields {
        let mut names = plan.games.names();
        let history = history_fields(&names);
        let population = plan.population_log.then(|| {
            let entries = plan.games.layout().map_or(0, PatternLayout::entries);
            names.extend((0..entries).map(|entry| format!("entry_{entry}")));
            population_fields(&names)
        });
        TrainingFields { history, population }
    }

    pub(super) fn tables(&self) -> Vec<TableSpec> {
        let table = |name, columns| TableSpec::new(name, LogFormat::Csv, columns);
        let population = self.population.as_ref().map(|fields| ("population", columns(fields)));
        let all = [("history", columns(&self.history))].into_iter().chain(population);
        all.map(|(name, columns)| table(name, columns)).collect()
    }

    /// Returns the rows of a generation, for each table.
    pub(super) fn rows(&self, row: HistoryRow, population: &[PopulationRow]) -> Vec<Rows> {
        let rows = rows_of(&self.history, &[row]);
        let candidates = self.population.as_ref().map(|fields| rows_of(fields, population));
        [rows].into_iter().chain(candidates).collect()
    }
}
