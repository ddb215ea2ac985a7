//! Runs LIAP on the engine, with batches of matches as units of work.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::config::{Length, LiapConfig};
use super::reports::LiapSummary;
use super::round::Seat;
use super::tally::Tally;
use crate::engine::{self, Described, Job, Manifest, NotResumable, WorkerContext};
use crate::error::Result;
use crate::record::{Rows, Selection, Status, TableSpec};
use crate::tables::{LiapEncoder, liap_tables};

/// The result of a run: its counts, and the contents of `run.json`.
pub type LiapRun = engine::Played<LiapConfig>;

/// Totals of a run, as in `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiapTotals {
    /// Number of matches, including one that was cut off.
    pub matches: u64,
    /// Number of rounds.
    pub rounds: u64,
}

impl Length {
    /// Returns the number of rounds or matches in `tally`, by the unit of the length.
    fn of(self, tally: &Tally) -> u64 {
        match self {
            Length::Rounds(_) => tally.rounds,
            Length::Matches(_) => tally.matches(),
        }
    }
}

impl Described for LiapConfig {
    type Entry = LiapConfig;
    type Totals = LiapTotals;
    type Summary = LiapSummary;

    fn check_entry(config: &LiapConfig) -> Result<()> {
        config.validate()
    }

    fn merged(_: &LiapConfig, _: &Path, parts: Vec<LiapSummary>) -> Result<Option<LiapSummary>> {
        let mut parts = parts.into_iter();
        let Some(LiapSummary { kinds, mut tally }) = parts.next() else { return Ok(None) };
        parts.for_each(|part| tally.add(&part.tally));
        let kinds = kinds.into_iter().map(|kind| [kind.declarer, kind.player]);
        Ok(Some(LiapSummary::of(kinds.collect(), tally)))
    }

    fn describe(manifest: &Manifest<LiapConfig>) -> [String; 3] {
        let Manifest { config, totals, status, .. } = manifest;
        let kind = |kind: &Seat| format!("{} ({})", kind.declarer, kind.player);
        let kinds = config.kinds().iter().map(kind).collect::<Vec<_>>().join(", ");
        let (seed, rounds) = (config.seed, totals.rounds);
        let mut text = format!(
            "Rounds of four players of LIAP, who declare how many of eight piles they \
             will capture: {kinds}. \
             `run.json` has the whole configuration. The match whose `end` is `cut` was \
             not played to its end."
        );
        if config.log.as_ref().is_some_and(|log| log.selection != Selection::default()) {
            text += " Not every declaration is logged: `config.log` in `run.json` says which are.";
        }
        if *status != Status::Complete {
            text += " The run is incomplete: rounds are missing.";
        }
        let part = config.shard.map(|shard| format!("-shard-{}-{}", shard.part, shard.of));
        let name =
            format!("tetrastat-liap-{rounds}-rounds-0x{seed:016x}{}", part.unwrap_or_default());
        [name, format!("{rounds} rounds of LIAP: {kinds}"), text]
    }
}

impl Job for LiapConfig {
    const OF: &'static str = "a LIAP run";
    const NAME: &'static str = "liap";
    // All earlier rounds decide where the last match is cut off, so items are counted in order.
    const IN_ORDER: bool = true;

    type Player = LiapEncoder;
    type ItemResult = Batch;
    type Resumable = NotResumable;
    type Count = Tally;

    fn check(&self) -> Result<()> {
        self.validate()
    }

    fn entry(&self) -> LiapConfig {
        self.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        liap_tables(self.log.as_ref())
    }

    /// Returns the index of the table of matches. The tables of declarations and rounds, if
    /// written, come first.
    fn results(&self) -> usize {
        if self.log.is_some() { 2 } else { 0 }
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    fn work_items(&self) -> Range<u64> {
        self.batches()
    }

    fn player(&self) -> Result<LiapEncoder> {
        Ok(LiapEncoder::new(self.log.as_ref()))
    }

    fn number_of(open: &NotResumable) -> u64 {
        match *open {}
    }

    fn play(
        &self,
        encoder: &mut LiapEncoder,
        item: u64,
        _: Option<NotResumable>,
        context: &WorkerContext<LiapConfig>,
    ) -> Result<Option<(Batch, Vec<Rows>)>> {
        let batch = Batch::play(self, item, self.length.rounds().unwrap_or(u64::MAX));
        context.totals().add(self.length.of(&batch.tally), 0, 0);
        let rows = encoder.columns(&batch.rows, self.log.is_some());
        Ok(Some((batch, rows)))
    }

    fn played(&self, tally: &Tally, _: u64) -> u64 {
        self.length.of(tally)
    }

    fn empty_count(&self) -> Tally {
        Tally::new(self.kinds().len())
    }

    fn take(&self, tally: &mut Tally, number: u64, mut batch: Batch, rows: &mut Vec<Rows>) -> bool {
        let left = self.length.rounds().map(|rounds| rounds - tally.rounds);
        if let Some(left) = left.filter(|left| batch.tally.rounds > *left) {
            batch = Batch::play(self, number, left);
            *rows = LiapEncoder::new(self.log.as_ref()).columns(&batch.rows, self.log.is_some());
        }
        tally.add(&batch.tally);
        self.length.rounds().is_none_or(|rounds| tally.rounds < rounds)
    }

    fn is_complete(&self, counted: u64, tally: &Tally) -> bool {
        match self.length {
            Length::Rounds(rounds) => tally.rounds >= rounds,
            Length::Matches(_) => counted >= self.work_items().end,
        }
    }

    fn summary(&self, tally: &Tally) -> Option<LiapSummary> {
        let kinds = self.kinds();
        let names = kinds.iter().map(|kind| [kind.declarer.name(), kind.player.name()]);
        let names = names.map(|names| names.map(str::to_owned));
        Some(LiapSummary::of(names.collect(), tally.clone()))
    }

    fn totals(tally: &Tally) -> LiapTotals {
        LiapTotals { matches: tally.matches(), rounds: tally.rounds }
    }
}
