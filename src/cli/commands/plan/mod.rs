//! Runs `tetrastat plan`: computes the number of games that a question needs.

pub(crate) mod pilot;

use std::path::PathBuf;

use anyhow::{bail, ensure};
use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::help::prose;
use crate::stats::{ends_for_half_width, games_for_power, share_ended};
use crate::text::numbers::{number, thousands};
use crate::text::parse::{positive, share};

const HELP: &str = "--tell and --halfwidth use means only, and assume exponential lifetimes.

--pilot reads earlier runs of any game, from `simulate`, a study or a comparison. It plans the test
that `compare` would use for the same measure. For a sign-flip test, the means of two runs with
difference d need n = ((z(1 - alpha/2) + z(power)) s/d)^2 + z(1 - alpha/2)^2/2 games of each, where
s is the SD of the differences game by game. If two runs share a seed, s is that of common seeds,
reduced by their correlation. If games were cut off, the test is log-rank and
n = (z(1 - alpha/2) + z(power))^2 (1/p1 + 1/p2) / (ln ratio)^2, where p1 and p2 are the shares of
games that end. With several pairs, each is planned at alpha / pairs. The difference in a pilot is
uncertain, so the games for both ends of its 95 % interval are printed, too. --difference replaces
the pilot's difference.";

/// Compute the number of games that a question needs
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// Two means to distinguish, for example lines per game: 35e6,40e6
    #[arg(long, value_name = "MEAN,MEAN", value_parser = means)]
    tell: Option<(f64, f64)>,

    /// Folders of earlier runs, studies or comparisons, all of one game. Their spread, their
    /// censored games and the effect of common seeds determine the number of games
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "tell")]
    pilot: Vec<PathBuf>,

    /// Measure of the pilot: a numeric column of the table of games [default: lines; for a Sprint
    /// pieces; for other guideline games points]
    #[arg(long, value_name = "COLUMN", requires = "pilot")]
    measure: Option<String>,

    /// Relative difference of two means to detect, as a share of the second mean [default: the
    /// pilot's differences]
    #[arg(
        long,
        value_name = "P%",
        value_parser = share,
        requires = "pilot",
        conflicts_with = "halfwidth"
    )]
    difference: Option<f64>,

    /// Probability of detecting the difference (power)
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.8")]
    power: f64,

    /// Probability of a false detection if the means are equal (significance level)
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.05")]
    alpha: f64,

    /// Half the width of a 95 % confidence interval as a share of its mean, for example 3%
    #[arg(long, value_name = "P%", value_parser = share, conflicts_with = "tell")]
    halfwidth: Option<f64>,

    /// Limit that censors games, in units of the measure
    #[arg(long, value_name = "N", value_parser = positive, requires = "tell")]
    limit: Option<f64>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        if !self.pilot.is_empty() {
            return self.by_pilot(console);
        }
        match (self.tell, self.halfwidth) {
            (Some((first, second)), _) => self.tell(console, first, second),
            (None, Some(half_width)) => self.know(console, half_width),
            (None, None) => {
                bail!(
                    "give two means to distinguish (--tell 35e6,40e6), a width (--halfwidth 3%), \
                        or earlier runs (--pilot DIR)"
                )
            }
        }
    }

    /// Returns an error if the power does not exceed the significance level.
    fn check_power(&self) -> anyhow::Result<()> {
        let (power, alpha) = (self.power, self.alpha);
        ensure!(power > alpha, "power {power} is no more than alpha {alpha}: give more");
        Ok(())
    }

    fn tell(&self, console: &Console, first: f64, second: f64) -> anyhow::Result<()> {
        self.check_power()?;
        let (power, alpha) = (self.power, self.alpha);
        let ratio = first.max(second) / first.min(second);
        let ends = games_for_power(ratio, power, alpha).filter(|_| ratio > 1.0);
        let Some(ends) = ends else {
            bail!(
                "{first} and {second} are too close to distinguish with 2^33 games: give means \
                    further apart"
            );
        };
        // More games of the stronger controller reach the limit.
        let share = self.limit.map_or(1.0, |limit| share_ended(first.max(second), limit));
        let games = (ends as f64 / share).ceil() as u64;
        let text = || {
            let of = if share < 1.0 {
                format!(" (of which {} end)", thousands(ends))
            } else {
                String::new()
            };
            format!(
                "{} games of each controller{of} distinguish means of {} and {} with power {power} \
                    (two-sided F test at level {alpha}, exponential lifetimes, seeds not common)\n",
                thousands(games),
                number(first),
                number(second)
            )
        };
        let json = json!({
            "means": [first, second], "power": power, "alpha": alpha, "limit": self.limit,
            "ends": ends, "games": games,
        });
        self.format.print(console, text, json)
    }

    fn know(&self, console: &Console, half_width: f64) -> anyhow::Result<()> {
        let Some(ends) = ends_for_half_width(half_width, 0.95) else {
            bail!("this interval needs more than 2^33 games: give a wider one");
        };
        let text = || {
            format!(
                "{} games that end give a 95 % interval of half-width {} % (exponential \
                    lifetimes)\n",
                thousands(ends),
                (1e4 * half_width).round() / 100.0
            )
        };
        self.format.print(console, text, json!({ "half_width": half_width, "ends": ends }))
    }
}

/// Parses two positive numbers, joined by a comma.
fn means(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once(',').and_then(|(a, b)| Some((positive(a).ok()?, positive(b).ok()?)));
    both.ok_or_else(|| "write two numbers above 0, for example 35e6,40e6".to_owned())
}
