//! Plans of comparisons: how many games tell players apart, by pilot games or assumed lifetimes.

use anyhow::Context;
use serde_json::json;

use crate::cli::prelude::*;
use crate::engine::Measure;
use crate::report::{Table, Value};
use crate::stats::{Better, LEVEL, PowerTarget, ends_for_half_width, games_for_power, share_ended};
use crate::study::{Pilot, PlannedMean, PlannedPair};
use crate::text::numbers::{number, significant, thousands};
use crate::text::parse::{positive, share};

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Plan {
    /// Instead of comparing, take these games as a pilot and print how many games would distinguish
    /// each pair of controllers
    #[arg(long, conflicts_with_all = ["contrast", "until_halfwidth", "until_verdict"])]
    pub(super) plan: bool,

    /// Probability of detecting the difference (power)
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        default_value = "0.8",
        requires = "plan"
    )]
    pub(super) power: f64,

    /// Probability of a false detection if the means are equal (significance level)
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        default_value = "0.05",
        requires = "plan"
    )]
    pub(super) alpha: f64,

    /// Relative difference of two means to detect, as a share of the second mean [default: the
    /// pilot's differences]
    #[arg(long, value_name = "P%", value_parser = share, requires = "plan")]
    difference: Option<f64>,

    /// Plan for the mean of each player: half the width of its 95 % confidence interval as a share
    /// of the mean, for example 3%
    #[arg(
        long,
        value_name = "P%",
        value_parser = share,
        requires = "plan",
        conflicts_with = "difference"
    )]
    halfwidth: Option<f64>,

    /// Plan without games: print how many games distinguish two means of exponential lifetimes, for
    /// example 35e6,40e6
    #[arg(
        long,
        value_name = "MEAN,MEAN",
        value_parser = means,
        requires = "plan",
        conflicts_with_all = ["controllers", "from", "difference", "halfwidth"]
    )]
    means: Option<(f64, f64)>,

    /// With --means: limit at which games are censored, in the unit of the means
    #[arg(long, value_name = "N", value_parser = positive, requires = "means")]
    censored_at: Option<f64>,
}

impl Plan {
    /// Prints how many games a comparison needs, from assumed lifetimes instead of pilot games.
    pub(super) fn print_alone(
        &self,
        console: &Console,
        format: TableFormat,
    ) -> anyhow::Result<Outcome> {
        let Plan { power, alpha, halfwidth, means, censored_at, .. } = *self;
        let mut report = Report::default();
        match (means, halfwidth) {
            (Some((first, second)), _) => {
                let ratio = first.max(second) / first.min(second);
                let ends = games_for_power(ratio, power, alpha).filter(|_| ratio > 1.0);
                let ends = ends.with_context(|| {
                    format!(
                        "{first} and {second} are too close to distinguish with 2^33 games: give \
                            means further apart"
                    )
                })?;
                // More games of the stronger player reach the limit.
                let share = censored_at.map_or(1.0, |limit| share_ended(first.max(second), limit));
                let games = (ends as f64 / share).ceil() as u64;
                report.fields(json!({
                    "means": [first, second], "power": power, "alpha": alpha,
                    "censored_at": censored_at,
                    "ends": ends, "games": games,
                }));
                let of = censored_at.map(|_| format!(" (of which {} end)", thousands(ends)));
                report.text(format!(
                    "{} games of each player{} distinguish means of {} and {} with power {power} \
                        (two-sided F test at level {alpha}, exponential lifetimes, seeds not \
                        common)",
                    thousands(games),
                    of.unwrap_or_default(),
                    number(first),
                    number(second)
                ));
            }
            (None, Some(half_width)) => {
                let ends = ends_for_half_width(half_width, LEVEL)
                    .context("this interval needs more than 2^33 games: give a wider one")?;
                report.fields(json!({ "half_width": half_width, "ends": ends }));
                report.text(format!(
                    "{} games that end give a 95 % interval of half-width {} % (exponential \
                        lifetimes)",
                    thousands(ends),
                    (1e4 * half_width).round() / 100.0
                ));
            }
            (None, None) => bail!(
                "--plan needs pilot games (two controllers that play, or --from DIR), two means to \
                    distinguish (--means 35e6,40e6), or a relative width (--halfwidth 3%)"
            ),
        }
        console.report(&report, format)?;
        Ok(Outcome::Done)
    }

    pub(super) fn print(
        &self,
        console: &Console,
        pilot: &Pilot,
        format: TableFormat,
    ) -> anyhow::Result<Outcome> {
        let Plan { power, alpha, difference, halfwidth, .. } = *self;
        let count = pilot.pair_count();
        ensure!(
            count > 0 || halfwidth.is_some(),
            "the pilot is one run, so there is nothing to compare: name another run, or give \
                --halfwidth"
        );
        // Bonferroni's method. Holm's, which a comparison uses, rejects at least as often.
        let alpha_of_each = alpha / count.max(1) as f64;
        let means = pilot.means(halfwidth);
        let pairs = match halfwidth {
            Some(_) => Vec::new(),
            None => {
                pilot.pairs(&PowerTarget { power, alpha: alpha_of_each, differ: difference })?
            }
        };
        let needed: Option<Vec<u64>> = match halfwidth {
            Some(_) => means.iter().map(|mean| mean.games_needed).collect(),
            None => pairs.iter().map(|pair| pair.to_tell.games).collect(),
        };
        let games = needed.and_then(|games| games.into_iter().max());
        let percent = |share: f64| (1e4 * share).round() / 100.0;
        let ending = match halfwidth {
            Some(width) => {
                format!(
                    "give every mean a 95 % interval of half-width {} % or less",
                    percent(width)
                )
            }
            None => {
                let of = difference.map_or("as in the pilot".to_owned(), |share| {
                    format!("of {} %", percent(share))
                });
                let together = match count {
                    1 => String::new(),
                    many => format!(" for all {many} pairs together"),
                };
                format!(
                    "distinguish every pair, each with power {power}, at a difference {of} (level \
                        {alpha}{together})"
                )
            }
        };
        let Measure { column, scale, better, .. } = pilot.measure();
        let mut report = Report::default();
        report.fields(json!({
            "measure": column, "scale": scale, "half_width": halfwidth, "power": power,
            "alpha": alpha, "alpha_of_each": alpha_of_each, "difference": difference,
            "games": games, "conditions": means, "pairs": pairs,
        }));
        report.text(match better {
            Better::More => format!("{column} per game, by a pilot"),
            Better::Fewer => format!("{column} per game, fewer are better, by a pilot"),
        });
        report.table(match halfwidth {
            Some(_) => means_table(&means),
            None => pairs_table(&pairs),
        });
        report.text(format!("\n{} games of each {ending}", games_text(games)));
        console.report(&report, format)?;
        Ok(Outcome::Done)
    }
}

fn means(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once(',').and_then(|(a, b)| Some((positive(a).ok()?, positive(b).ok()?)));
    both.ok_or_else(|| "write two numbers above 0, for example 35e6,40e6".to_owned())
}

fn games_text(games: Option<u64>) -> String {
    games.map_or("more than 2^33".to_owned(), thousands)
}

fn means_table(means: &[PlannedMean]) -> Table {
    let spread = |one: &PlannedMean| one.estimate.spread.and_then(|spread| spread.relative());
    TableOf::new("", means)
        .main()
        .with(("condition", "pilot"), |mean| &mean.condition)
        .with("ended", |mean| mean.estimate.mean.n - mean.estimate.mean.censored)
        .mean(|mean| Some(&mean.estimate.mean), |_, mean| number(mean))
        .with(("spread", "SD/mean"), |mean| Value::real(spread(mean), |sd| format!("{sd:.3}")))
        .with(("games_needed", "games needed"), |mean| {
            Value::from_data(mean.games_needed, games_text(mean.games_needed))
        })
        .into()
}

fn pairs_table(pairs: &[PlannedPair]) -> Table {
    // For censored lifetimes, the effect is the ratio of the two means.
    let effect = |pair: &PlannedPair| match pair.to_tell.test {
        "log-rank" => format!("x {}", significant(pair.to_tell.effect.exp())),
        _ => significant(pair.to_tell.effect),
    };
    let between = |[few, many]: [Option<u64>; 2]| {
        format!("{} to {}", games_text(few), many.map_or("unbounded".to_owned(), thousands))
    };
    TableOf::new("", pairs)
        .main()
        .shown("pair", |pair| format!("{} and {}", pair.first, pair.second))
        .data("first", |pair| &pair.first)
        .data("second", |pair| &pair.second)
        .with("test", |pair| pair.to_tell.test)
        .with(("effect", "difference"), |pair| Value::new(pair.to_tell.effect, effect(pair)))
        .with("correlation", |pair| {
            Value::real(pair.to_tell.correlation, |found| format!("{found:.2}"))
        })
        .with(("games", "games of each"), |pair| {
            Value::from_data(pair.to_tell.games, games_text(pair.to_tell.games))
        })
        .shown("at the ends of the pilot's interval", |pair| pair.to_tell.between.map(between))
        .into()
}
