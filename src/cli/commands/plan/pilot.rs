//! Runs `tetrastat plan --pilot`: computes the number of games from earlier runs.

use std::path::Path;

use anyhow::ensure;
use serde_json::json;

use crate::cli::commands::plan::Args;
use crate::cli::console::Console;
use crate::cli::options::games::for_game;
use crate::cli::options::study_file::played;
use crate::cli::reports::compare::MIN_NAME_WIDTH;
use crate::engine::Comparable;
use crate::stats::{Better, Method, PowerTarget};
use crate::study::{Condition, Pilot, PlannedMean, PlannedPair};
use crate::text::numbers::{number, significant, thousands};
use crate::text::table::{NA, ReportTable, or_na};

impl Args {
    /// Prints the plan based on the runs of the pilot folders.
    pub(super) fn by_pilot(&self, console: &Console) -> anyhow::Result<()> {
        self.check_power()?;
        for_game!(played(&self.pilot)?, conditions => self.of(console, &conditions))
    }

    fn of<G: Comparable>(
        &self,
        console: &Console,
        conditions: &[Condition<G>],
    ) -> anyhow::Result<()> {
        let first = &conditions[0].game;
        let measure =
            first.measure_named(self.measure.as_deref().unwrap_or(first.main_measure()))?;
        let pilot = Pilot::read(conditions, Path::new(""), measure)?;
        let means = pilot.means(self.halfwidth);
        if self.halfwidth.is_some() {
            return self.print_means(console, &pilot, &means);
        }
        ensure!(
            pilot.pair_count() > 0,
            "the pilot is one run, so there is nothing to compare: name another run, or give \
                --halfwidth"
        );
        let (power, differ) = (self.power, self.difference);
        let each = PowerTarget { power, alpha: self.alpha_of_each(&pilot), differ };
        self.print_pairs(console, &pilot, &means, &pilot.pairs(&each)?)
    }

    /// Returns the significance level of each pair by Bonferroni's method. Holm's method, which a
    /// comparison uses, rejects at least as often.
    fn alpha_of_each(&self, pilot: &Pilot) -> f64 {
        self.alpha / pilot.pair_count() as f64
    }

    fn print_means(
        &self,
        console: &Console,
        pilot: &Pilot,
        means: &[PlannedMean],
    ) -> anyhow::Result<()> {
        let most = most(means.iter().map(|mean| mean.games_needed));
        let text = || {
            let width = 100.0 * self.halfwidth.unwrap_or_default();
            let ending = format!(
                "{} games of each give every mean a 95 % interval of half-width {} % or less\n",
                games_text(most),
                (100.0 * width).round() / 100.0
            );
            heading(pilot) + &means_text(means, true) + "\n" + &ending
        };
        let json = json!({
            "measure": pilot.measure().column, "scale": pilot.measure().scale,
            "half_width": self.halfwidth, "games": most, "conditions": means,
        });
        self.format.print(console, text, json)
    }

    fn print_pairs(
        &self,
        console: &Console,
        pilot: &Pilot,
        means: &[PlannedMean],
        pairs: &[PlannedPair],
    ) -> anyhow::Result<()> {
        let Args { power, alpha, difference: differ, .. } = self;
        let most = most(pairs.iter().map(|pair| pair.to_tell.games));
        let text = || {
            let of = match differ {
                Some(share) => format!("of {} %", (1e4 * share).round() / 100.0),
                None => "as in the pilot".to_owned(),
            };
            let together = match pairs.len() {
                1 => String::new(),
                many => format!(" for all {many} pairs together"),
            };
            let (heading, means, pairs) =
                (heading(pilot), means_text(means, false), pairs_text(pairs));
            format!(
                "{heading}{means}\n{pairs}{} games of each distinguish every pair, each with power \
                    {power}, at a difference {of} (level {alpha}{together})\n",
                games_text(most)
            )
        };
        let json = json!({
            "measure": pilot.measure().column, "scale": pilot.measure().scale,
            "power": power, "alpha": alpha, "alpha_of_each": self.alpha_of_each(pilot),
            "difference": differ, "games": most, "conditions": means, "pairs": pairs,
        });
        self.format.print(console, text, json)
    }
}

/// Returns the maximum of `games`. Returns `None` if one number is `None`, that is, too large to
/// compute.
fn most(games: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    games.collect::<Option<Vec<u64>>>().and_then(|games| games.into_iter().max())
}

fn games_text(games: Option<u64>) -> String {
    games.map_or("more than 2^33".to_owned(), thousands)
}

fn heading(pilot: &Pilot) -> String {
    let better = match pilot.measure().better {
        Better::More => "",
        Better::Fewer => ", fewer are better",
    };
    format!("{} per game{better}, by a pilot\n\n", pilot.measure().column)
}

fn means_text(means: &[PlannedMean], with_games: bool) -> String {
    let mut table = ReportTable::new(means)
        .fitted("pilot", MIN_NAME_WIDTH, |mean| mean.condition.clone())
        .right("games", 9, |mean| thousands(mean.estimate.mean.n))
        .right("ended", 9, |mean| thousands(mean.estimate.mean.n - mean.estimate.mean.censored))
        .right("mean", 12, |mean| or_na(mean.estimate.mean.mean.map(number)))
        .right("SD/mean", 8, |mean| {
            let spread = mean.estimate.spread.and_then(|spread| spread.relative());
            or_na(spread.map(|spread| format!("{spread:.3}")))
        })
        .right("interval", 11, |mean| mean.estimate.mean.method.map_or(NA, Method::name));
    if with_games {
        table = table.right("games needed", 14, |mean| games_text(mean.games_needed));
    }
    table.text()
}

fn pairs_text(pairs: &[PlannedPair]) -> String {
    // For censored lifetimes, the effect is the ratio of the two means.
    let effect = |pair: &PlannedPair| match pair.to_tell.test {
        "log-rank" => format!("x {}", significant(pair.to_tell.effect.exp())),
        _ => significant(pair.to_tell.effect),
    };
    let between = |[few, many]: [Option<u64>; 2]| {
        format!("{} to {}", games_text(few), many.map_or("unbounded".to_owned(), thousands))
    };
    ReportTable::new(pairs)
        .fitted("pair", MIN_NAME_WIDTH, |pair| format!("{} and {}", pair.first, pair.second))
        .right("test", 10, |pair| pair.to_tell.test)
        .right("difference", 12, effect)
        .right("correlation", 11, |pair| {
            or_na(pair.to_tell.correlation.map(|found| format!("{found:.2}")))
        })
        .right("games of each", 15, |pair| games_text(pair.to_tell.games))
        .plain(" at the ends of the pilot's interval", |pair| {
            format!(" {}", or_na(pair.to_tell.between.map(between)))
        })
        .text()
}
