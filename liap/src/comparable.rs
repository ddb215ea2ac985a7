//! Makes LIAP runs comparable in studies and comparisons, match by match.

use serde_json::{Value, json};

use super::batch::MATCHES_PER_BATCH;
use super::config::{Length, LiapConfig, LiapEntry};
use crate::engine::{Comparable, Measure};
use crate::record::Column;
use crate::stats::{Better, Scale};

/// Default measure of a match in comparisons.
pub const MAIN_MEASURE: &str = "hit_rate";

/// Returns how to compare the numbers of a column of `matches`. Rounds and hits only grow during a
/// match, so they are totals. Other columns are compared as they are.
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

    fn of_games(&self, games: u64) -> LiapConfig {
        LiapConfig { length: Length::Matches(games), ..self.clone() }
    }

    fn games(entry: &LiapEntry) -> u64 {
        entry.matches.unwrap_or(0)
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the declarer of all seats, or the declarer of each.
    fn who(&self) -> String {
        common_or_each(self.seats.map(|seat| seat.declarer.name()))
    }

    fn who_is(&self) -> Value {
        json!(self.seats.map(|seat| seat.declarer.name()))
    }

    fn label(&self) -> String {
        let players = common_or_each(self.seats.map(|seat| seat.player.name()));
        let target = self.rules.target;
        format!("{}-{players}-to-{target}-s{}", self.who(), self.seed)
    }

    /// Better players end a match sooner, so a match is measured by its share of hits.
    fn main_measure(&self) -> &'static str {
        MAIN_MEASURE
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(column)
    }

    fn begins(entry: &LiapEntry, longer: &LiapEntry) -> bool {
        entry.begins(longer)
    }

    fn end_of(games: u64) -> (u64, u64) {
        (games / MATCHES_PER_BATCH, games % MATCHES_PER_BATCH)
    }
}

/// Returns the common name of all seats, or the names joined if they differ.
fn common_or_each(of_seats: [&str; 4]) -> String {
    let [first, others @ ..] = of_seats;
    if others.iter().all(|other| *other == first) { first.to_owned() } else { of_seats.join("+") }
}
