//! Where a run that was killed or interrupted goes on.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Game;
use crate::error::Result;
use crate::record::{ResumePoint, TableMark, have_changed, shorten};

/// The state of a run between two units. Units whose rows are not all in every table are played again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Checkpoint<G: Game> {
    /// Version of the program; another may play differently.
    pub version: String,
    /// What its command was asked for, as [`crate::record::settings`].
    #[serde(default)]
    pub settings: Value,
    /// What is played.
    pub config: G::Entry,
    /// What no table has of the units that were counted.
    #[serde(flatten)]
    pub kept: G::Kept,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
}

impl<G: Game> Checkpoint<G> {
    /// Makes sure that the checkpoint is of this game.
    pub(super) fn fits(&self, game: &G) -> Result<()> {
        let entry = game.entry();
        if self.config == entry {
            return Ok(());
        }
        Err(have_changed(&json!(self.config), &json!(entry)))
    }

    /// The first unit whose rows are not all in every table, or that is not counted.
    pub(super) fn first(&self, counted: u64) -> u64 {
        let marks = self.tables.iter().map(|table| table.mark.game);
        marks.min().unwrap_or(counted).min(counted)
    }
}

impl<G: Game> ResumePoint for Checkpoint<G> {
    const OF: &'static str = G::OF;
    const GAME: Option<&'static str> = Some(G::NAME);

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        json!(self.config)
    }

    fn files(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    fn take_back(&mut self, marks: &[TableMark]) {
        shorten(&mut self.tables, marks);
    }
}
