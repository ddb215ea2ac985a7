//! Guideline games as runs of the engine.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::config::{GuidelineConfig, GuidelineEntry};
use super::game::{Game, Outcome};
use crate::engine::{self, Desk, Manifest, Whole};
use crate::error::Result;
use crate::record::{
    GuidelineEncoder, Rows, RunFolder, Shard, Status, TableSpec, guideline_tables,
    read_guideline_games, read_manifest,
};
use crate::sim::{AllInTables, GameTotals};

/// What a run came to: the games that ended, by index, and `run.json`.
pub type GuidelineRun = engine::Played<GuidelineConfig>;

/// A complete run, read back from its folder.
///
/// # Errors
/// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when it can't be read.
pub fn read_guideline_run(folder: &Path) -> Result<GuidelineRun> {
    let count = read_guideline_games(&folder.join("games.csv"))?;
    Ok(GuidelineRun { count, manifest: read_manifest(&folder.join("run.json"))? })
}

impl engine::Game for GuidelineConfig {
    const OF: &'static str = "a run of guideline games";
    const NAME: Option<&'static str> = Some("guideline");
    const IN_ORDER: bool = false;

    type Entry = GuidelineEntry;
    type Player = (Game, GuidelineEncoder);
    type Unit = Outcome;
    type Open = Whole;
    type Count = Vec<Outcome>;
    type Kept = AllInTables;
    type Totals = GameTotals;

    fn check(&self) -> Result<()> {
        self.validate()
    }

    fn entry(&self) -> GuidelineEntry {
        self.entry()
    }

    fn tables(&self) -> Vec<TableSpec> {
        guideline_tables(self.log)
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    fn level(&self) -> Option<String> {
        Some(self.level.to_string())
    }

    fn units(&self) -> Range<u64> {
        Shard::games(self.shard, self.games)
    }

    fn player(&self) -> Result<Self::Player> {
        Ok((Game::new(self), GuidelineEncoder::default()))
    }

    fn play(
        &self,
        (game, encoder): &mut Self::Player,
        unit: u64,
        _: Option<Whole>,
        desk: &Desk<GuidelineConfig>,
    ) -> Result<Option<(Outcome, Vec<Rows>)>> {
        let stopped = || desk.stop().load(Ordering::Relaxed);
        let outcome = game.play_unless(stopped, unit, &mut |seen| {
            if self.log.is_some() {
                encoder.see(seen);
            }
        });
        Ok(outcome.map(|outcome| {
            desk.totals().add(1, outcome.pieces.into(), outcome.lines.into());
            let rows = encoder.end(&outcome).into();
            (outcome, rows)
        }))
    }

    fn number(open: &Whole) -> u64 {
        match *open {}
    }

    fn played(&self, _: &Vec<Outcome>, first: u64) -> u64 {
        first - self.units().start
    }

    fn count(&self, from: Option<(&AllInTables, &RunFolder)>) -> Result<Vec<Outcome>> {
        let Some((_, folder)) = from else { return Ok(Vec::new()) };
        read_guideline_games(&folder.partial("games.csv"))
    }

    fn counted(&self, games: &Vec<Outcome>) -> u64 {
        self.units().start + games.len() as u64
    }

    fn take(&self, games: &mut Vec<Outcome>, _: u64, outcome: Outcome, _: &mut Vec<Rows>) -> bool {
        games.push(outcome);
        true
    }

    fn kept(_: &Vec<Outcome>) -> AllInTables {
        AllInTables {}
    }

    fn is_complete(&self, games: &Vec<Outcome>) -> bool {
        self.counted(games) >= self.units().end
    }

    fn end(games: &mut Vec<Outcome>) {
        games.sort_unstable_by_key(|outcome| outcome.game);
    }

    fn totals(games: &Vec<Outcome>) -> GameTotals {
        GameTotals {
            games: games.len() as u64,
            pieces: games.iter().map(|game| u64::from(game.pieces)).sum(),
            lines: games.iter().map(|game| u64::from(game.lines)).sum(),
        }
    }

    fn describe(manifest: &Manifest<GuidelineConfig>) -> [String; 3] {
        let Manifest { config: entry, totals, status, .. } = manifest;
        let GuidelineEntry { mode, controller, rules, search, seed, shard, .. } = entry;
        let goal = match entry.sprint_lines {
            Some(lines) => format!("won by {lines} rows"),
            None => "of as many points as possible".to_owned(),
        };
        let mut text = format!(
            "Games {goal} under {rules} rules, played by {controller} ({search}). `run.json` has the whole configuration."
        );
        if *status != Status::Complete {
            text += " The run did not come to its end: games are missing.";
        }
        let games = totals.games;
        let part = shard.as_ref().map(|shard| format!("-shard-{}", shard.replace('/', "-")));
        [
            format!("tetrastat-{mode}-{games}-games-{seed}{}", part.unwrap_or_default()),
            format!("{games} games of {mode}: {controller}"),
            text,
        ]
    }
}
