//! Guideline games (Sprint, Blitz, cheese races and endless games), the summary of their results,
//! and the meaning of their columns in comparisons.

mod bot;
mod config;
mod game;

use crate::engine::Measure;
use crate::prelude::*;
use crate::record::{CLEARS, GuidelineGameRow};
use crate::stats::{Better, Estimate, LEVEL, Mean, Method, Observed, PerGameSums, Scale, Summary};

pub use bot::{BotReply, GuidelineBot};
pub use config::{Clock, GuidelineConfig, InputTiming, Mode, PERSON, SPRINT_LINES, Unseen};
pub use game::{GuidelinePlayer, InPlay, fill_previews, play};

/// Returns statistics of finished games; `None` without games. In races, the means of pieces, lines
/// and inputs are over won games only.
pub(super) fn summary(config: &GuidelineConfig, games: &[GuidelineGameRow]) -> Option<Summary> {
    if games.is_empty() {
        return None;
    }
    let (goal, is_endless) = (config.mode.goal(), matches!(config.mode, Mode::Endless { .. }));
    let is_race = config.mode.is_race();
    let n = games.len() as u64;
    let count = |is: &dyn Fn(&GuidelineGameRow) -> bool| {
        games.iter().filter(|game| is(game)).count() as u64
    };
    let share = |hits: u64| Mean::of_share(hits, n);
    let lost = count(&|game| game.is_lost());
    let mut found = Summary::default();
    type Value = fn(&GuidelineGameRow) -> u32;
    let values: [(&str, Value); 6] = [
        ("pieces", |game| game.pieces),
        ("lines", |game| game.lines),
        ("points", |game| game.points.total()),
        ("attack", |game| game.attack),
        ("inputs", |game| game.inputs),
        ("garbage_cleared", |game| game.garbage_cleared),
    ];
    for (name, value) in &values[..5 + usize::from(config.garbage.has_rows())] {
        let counts = |game: &&GuidelineGameRow| {
            !is_race || ["points", "attack", "garbage_cleared"].contains(name) || game.is_won()
        };
        let observed = |game| Observed { value: f64::from(value(game)), censored: false };
        let observed: Vec<Observed> = games.iter().filter(counts).map(observed).collect();
        let mut estimate = Estimate::new(&observed, Scale::PerGame, true, config.seed);
        estimate.mean.censored = if is_endless { n - lost } else { 0 };
        found.add(name, estimate);
    }
    found.means.insert("lost".to_owned(), share(lost));
    if is_race && goal.is_none() {
        found.means.insert("won".to_owned(), share(count(&|game| game.is_won())));
    }
    let fewest = goal.map(|lines| (10 * lines).div_ceil(4));
    for pieces in fewest.into_iter().flat_map(|fewest| fewest..fewest + 3) {
        let won = count(&|game| !game.is_lost() && game.pieces == pieces);
        found.means.insert(format!("won_in_{pieces}_pieces"), share(won));
    }
    let total = |value: Value| games.iter().map(|game| u64::from(value(game))).sum::<u64>();
    let (keys, pieces) = (total(|game| game.inputs), total(|game| game.pieces).max(1));
    let us: u64 = games.iter().map(|game| game.time_us).sum();
    let per_piece = Some(keys as f64 / pieces as f64);
    let per_second = (us > 0).then(|| 1e6 * pieces as f64 / us as f64);
    for (name, rate) in [("inputs_per_piece", per_piece), ("pieces_per_second", per_second)] {
        let rate = rate.map(|rate| Mean::new(Some(rate), None, Method::T, pieces));
        found.means.extend(rate.map(|rate| (name.to_owned(), rate)));
    }
    let mean = |event, value: &dyn Fn(&GuidelineGameRow) -> u32| {
        let sums: PerGameSums = games.iter().map(|game| f64::from(value(game))).collect();
        sums.mean(LEVEL, event)
    };
    let points: [(&str, Value); 5] = [
        ("base", |game| game.points.base),
        ("b2b", |game| game.points.back_to_back),
        ("combo", |game| game.points.combo),
        ("perfect", |game| game.points.perfect),
        ("drop", |game| game.points.drop),
    ];
    for (name, value) in points {
        found.points_by.extend(mean(None, &value).map(|mean| (name.to_owned(), mean)));
    }
    for (name, spin, lines, _) in CLEARS {
        let mean = mean(Some(1.0), &|game| game.clears[spin][lines]);
        found.clears.extend(mean.map(|mean| (name.to_owned(), mean)));
    }
    let perfect = mean(Some(1.0), &|game| game.perfect_clears);
    found.clears.extend(perfect.map(|mean| ("perfect_clears".to_owned(), mean)));
    Some(found)
}

/// Returns the column by which runs are compared by default: `pieces` for a race, else `points`.
#[must_use]
pub fn main_measure(is_race: bool) -> &'static str {
    if is_race { "pieces" } else { "points" }
}

/// Returns how to compare guideline games by a column: more is better, except for `garbage_left`.
/// In a race, costs such as pieces are summed over all games per won game, and less is better.
#[must_use]
pub fn measure(is_race: bool, column: &Column) -> Measure {
    const COST_COLUMNS: [&str; 4] = ["pieces", "time_ms", "inputs", "holds"];
    // A cost counts until the race is won. In other games, a larger number means a longer game.
    let is_cost = is_race && COST_COLUMNS.contains(&&*column.name);
    Measure {
        column: column.name.clone(),
        scale: if is_cost { Scale::Total } else { Scale::PerGame },
        better: if is_cost || column.name == "garbage_left" { Better::Fewer } else { Better::More },
        ended: is_cost.then_some(("end_reason", &["won"])),
    }
}
