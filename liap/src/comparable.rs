//! Defines how studies and other comparisons compare LIAP runs, match by match.

use serde_json::json;

use super::batch::MATCHES_PER_BATCH;
use super::config::{Length, LiapConfig};
use crate::engine::{About, Comparable, Measure};
use crate::record::Column;
use crate::stats::{Better, Scale};

/// Name of the column by which comparisons measure a match by default.
pub const MAIN_MEASURE: &str = "hit_rate";

/// Returns the interpretation of a column of the `matches` table in comparisons. The columns
/// `rounds` and `hits` (declarations equal to the piles captured) only grow during a match, so they
/// are totals. The means of other columns also include matches that were cut off.
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

/// Returns the common name of all seats, or the four names joined by `+` if they differ.
fn common_or_each(of_seats: [&str; 4]) -> String {
    let [first, others @ ..] = of_seats;
    if others.iter().all(|other| *other == first) { first.to_owned() } else { of_seats.join("+") }
}
