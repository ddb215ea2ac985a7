//! Rounds of LIAP as runs of the engine, whose units are batches of matches.

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::config::{Length, LiapConfig, LiapEntry};
use super::tally::Tally;
use crate::engine::{self, Desk, Game, Manifest, Whole};
use crate::error::Result;
use crate::record::{LiapEncoder, Rows, RunFolder, Status, TableSpec, liap_tables};

/// What a run came to: its counts, and `run.json`.
pub type LiapRun = engine::Played<LiapConfig>;

/// Where a run goes on.
pub type LiapCheckpoint = engine::Checkpoint<LiapConfig>;

/// What the batches so far came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Counted {
    /// The batch after those that are counted.
    pub batches: u64,
    /// What they came to.
    pub tally: Tally,
}

/// What `run.json` says of the rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiapTotals {
    /// Matches, the cut one included.
    pub matches: u64,
    /// Rounds.
    pub rounds: u64,
}

impl Length {
    /// How much of it was played.
    fn of(self, tally: &Tally) -> u64 {
        match self {
            Length::Rounds(_) => tally.rounds,
            Length::Matches(_) => tally.matches(),
        }
    }
}

impl Game for LiapConfig {
    const OF: &'static str = "a LIAP run";
    const NAME: Option<&'static str> = Some("liap");
    // Which match is cut depends on the rounds before it.
    const IN_ORDER: bool = true;

    type Entry = LiapEntry;
    type Player = LiapEncoder;
    type Unit = Batch;
    type Open = Whole;
    type Count = Counted;
    type Kept = Counted;
    type Totals = LiapTotals;

    fn check(&self) -> Result<()> {
        self.validate()
    }

    fn entry(&self) -> LiapEntry {
        self.entry()
    }

    fn tables(&self) -> Vec<TableSpec> {
        liap_tables(self.log.as_ref())
    }

    /// Declarations and rounds stand before it.
    fn results(&self) -> usize {
        if self.log.is_some() { 2 } else { 0 }
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    fn level(&self) -> Option<String> {
        None
    }

    fn units(&self) -> Range<u64> {
        self.batches()
    }

    fn player(&self) -> Result<LiapEncoder> {
        Ok(LiapEncoder::new(self.log.as_ref()))
    }

    fn play(
        &self,
        encoder: &mut LiapEncoder,
        unit: u64,
        _: Option<Whole>,
        desk: &Desk<LiapConfig>,
    ) -> Result<Option<(Batch, Vec<Rows>)>> {
        let batch = Batch::play(self, unit, self.length.rounds().unwrap_or(u64::MAX));
        desk.totals().add(self.length.of(&batch.tally), 0, 0);
        let rows = encoder.columns(&batch.rows, self.log.is_some());
        Ok(Some((batch, rows)))
    }

    fn number(open: &Whole) -> u64 {
        match *open {}
    }

    fn played(&self, count: &Counted, _: u64) -> u64 {
        self.length.of(&count.tally)
    }

    fn count(&self, from: Option<(&Counted, &RunFolder)>) -> Result<Counted> {
        let (batches, tally) = (self.units().start, Tally::new(self.kinds().len()));
        // What a longer run knows of a complete shorter one is its tables: it counts anew.
        let kept = from.map(|(kept, _)| kept.clone()).filter(|kept| kept.batches > batches);
        Ok(kept.unwrap_or(Counted { batches, tally }))
    }

    fn counted(&self, count: &Counted) -> u64 {
        count.batches
    }

    fn take(
        &self,
        count: &mut Counted,
        number: u64,
        mut batch: Batch,
        rows: &mut Vec<Rows>,
    ) -> bool {
        let left = self.length.rounds().map(|rounds| rounds - count.tally.rounds);
        if let Some(left) = left.filter(|left| batch.tally.rounds > *left) {
            batch = Batch::play(self, number, left);
            *rows = LiapEncoder::new(self.log.as_ref()).columns(&batch.rows, self.log.is_some());
        }
        count.tally.add(&batch.tally);
        count.batches = number + 1;
        !self.is_complete(count)
    }

    fn kept(count: &Counted) -> Counted {
        count.clone()
    }

    fn is_complete(&self, count: &Counted) -> bool {
        match self.length {
            Length::Rounds(rounds) => count.tally.rounds >= rounds,
            Length::Matches(_) => count.batches >= self.units().end,
        }
    }

    fn totals(count: &Counted) -> LiapTotals {
        LiapTotals { matches: count.tally.matches(), rounds: count.tally.rounds }
    }

    fn describe(manifest: &Manifest<LiapConfig>) -> [String; 3] {
        let Manifest { config: entry, totals, status, .. } = manifest;
        let (kinds, seed, rounds) = (entry.kinds().join(", "), &entry.seed, totals.rounds);
        let mut text = format!(
            "Rounds of four players of LIAP, who declare how many of eight piles they will capture: {kinds}. \
             `run.json` has the whole configuration. The match whose `end` is `cut` was not played to its end."
        );
        if entry.logged.is_some() {
            text +=
                " Not every declaration is logged: `config.logged` in `run.json` says which are.";
        }
        if *status != Status::Complete {
            text += " The run did not come to its end: rounds are missing.";
        }
        let part = entry.shard.as_ref().map(|shard| format!("-shard-{}", shard.replace('/', "-")));
        let name = format!("tetrastat-liap-{rounds}-rounds-{seed}{}", part.unwrap_or_default());
        [name, format!("{rounds} rounds of LIAP: {kinds}"), text]
    }
}
