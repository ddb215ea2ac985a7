//! Runs LIAP on the engine, in batches of matches; compares runs match by match, and times rounds.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use tetrastat_runs::bench::{BenchCase, BenchRow, Section};

use super::config::{Length, LiapConfig};
use super::round::PlayedMatch;
use super::tables::{Batch, MATCHES_PER_BATCH};
use super::tally::{LiapSummary, Tally};
use crate::engine::{
    self, About, Comparable, Described, Job, Manifest, Measure, NotResumable, WorkerContext,
};
use crate::error::Result;
use crate::record::{Column, Rows, Selection, Status, TableSpec};
use crate::stats::{Better, Scale};
use crate::tables::{LiapEncoder, liap_tables};
use crate::{CardPlayer, Declarer, MatchRules, SEATS, Seat};

/// The result of a run of LIAP: its counts, and the contents of `run.json`.
pub type LiapRun = engine::Played<LiapConfig>;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiapTotals {
    pub matches: u64,
    pub rounds: u64,
}

impl Length {
    fn count(self, tally: &Tally) -> u64 {
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
        Ok(Some(LiapSummary::new(kinds.collect(), tally)))
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

    fn recorded_config(&self) -> LiapConfig {
        self.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        liap_tables(self.log.as_ref())
    }

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
        context.totals().add(self.length.count(&batch.tally), 0, 0);
        let rows = encoder.columns(&batch.rows, self.log.is_some());
        Ok(Some((batch, rows)))
    }

    fn played(&self, tally: &Tally, _: u64) -> u64 {
        self.length.count(tally)
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
        Some(LiapSummary::new(names.collect(), tally.clone()))
    }

    fn totals(tally: &Tally) -> LiapTotals {
        LiapTotals { matches: tally.matches(), rounds: tally.rounds }
    }
}

/// Name of the column of the match table that comparisons of LIAP runs use by default.
pub const MAIN_MEASURE: &str = "hit_rate";

/// Returns how comparisons of LIAP matches use a column: as a total that grows during a match, or
/// as a mean.
#[must_use]
pub fn measure(column: &Column) -> Measure {
    const COUNTS: [&str; 2] = ["rounds", "hits"];
    let adds_up = COUNTS.contains(&&*column.name);
    Measure {
        column: column.name.clone(),
        scale: if adds_up { Scale::Total } else { Scale::PerGame },
        better: Better::More,
        ended: Some(("end", &["target", "round_cap"])),
    }
}

impl Comparable for LiapConfig {
    const PLAYED: &'static str = "LIAP matches";
    const GAMES: &'static str = "matches";

    fn of_games(&self, games: u64) -> LiapConfig {
        LiapConfig { length: Length::Matches(games), ..self.clone() }
    }

    fn about(&self) -> About {
        // The declarer of all seats, or the four names joined by `+` if they differ.
        let player = common_or_each(self.seats.map(|seat| seat.declarer.name()));
        let names = self.seats.map(|seat| seat.player.name());
        let (target, seed, units) = (self.rules.target, self.seed, self.asked());
        About {
            label: format!("{player}-{}-to-{target}-s{seed}", common_or_each(names)),
            player,
            identity: json!(self.seats.map(|seat| seat.declarer.name())),
            folder: "liap".to_owned(),
            heading: vec![
                "LIAP matches".to_owned(),
                format!("players {}", names.join(" ")),
                format!("to {target} points"),
                format!("seed {seed}"),
            ],
            reported_keys: &["players", "target", "max_rounds", "guard", "seed"],
            fixed_queue: None,
            seed,
            units,
            limits: [None; 3],
            remedy: "raise --max-rounds".to_owned(),
            // Totals would mislead, because better players end a match sooner.
            measure: MAIN_MEASURE,
        }
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(column)
    }

    fn extension_point(games: u64) -> (u64, u64) {
        (games / MATCHES_PER_BATCH, games % MATCHES_PER_BATCH)
    }
}

fn common_or_each(of_seats: [&str; 4]) -> String {
    let [first, others @ ..] = of_seats;
    if others.iter().all(|other| *other == first) { first.to_owned() } else { of_seats.join("+") }
}

const SEED: u64 = 1;
const NOT_APPLICABLE: &str = "NA";

/// Section of the benchmark command that times rounds of the card game LIAP.
pub const SECTION: Section = Section {
    name: "liap",
    measures: "Rounds of LIAP by every declarer",
    cases: |_| Ok(cases()),
    is_base: |_, base| base.case == "v1",
    counts_rounds: true,
};

/// Returns a benchmark case for each declaration rule: LIAP rounds played by four bots.
fn cases() -> Vec<BenchCase<'static>> {
    let case = |declarer: Declarer| {
        let row = BenchRow {
            level: NOT_APPLICABLE.to_owned(),
            search: NOT_APPLICABLE.to_owned(),
            ..BenchRow::new(SECTION, declarer.to_string())
        };
        let seats = [Seat { declarer, player: CardPlayer::Bot }; SEATS];
        let run = move |rounds: u64| {
            let (mut played, mut index) = (0, 0);
            while played < rounds {
                let at = (SEED, index);
                let left = rounds - played;
                let played_match =
                    PlayedMatch::play(&seats, &MatchRules::default(), at, left, |_, _| ());
                played += u64::from(played_match.rounds);
                index += 1;
            }
            (0, played)
        };
        BenchCase { row, run: Box::new(run) }
    };
    Declarer::ALL.into_iter().map(case).collect()
}

/// Returns a checksum of the results of four LIAP matches for each declaration rule with each
/// playing strategy.
#[must_use]
pub fn liap_checksum() -> String {
    let mut hash = Sha256::new();
    for declarer in Declarer::ALL {
        for player in CardPlayer::ALL {
            let seats = [Seat { declarer, player }; SEATS];
            for index in 0..4 {
                let at = (SEED, index);
                PlayedMatch::play(&seats, &MatchRules::default(), at, u64::MAX, |_, round| {
                    hash.update([round.deal.starter as u8, round.last_winner as u8]);
                    hash.update(round.declarations.map(|one| one.declared));
                    hash.update(round.captured);
                });
            }
        }
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
