//! `tetrastat plan`: how many games a question takes.

use anyhow::bail;
use serde_json::json;

use super::options::{positive, share};
use super::output::{Format, Outcome, number, print, print_json, thousands};
use crate::error::Error;
use crate::stats::{ends_for_half_width, ends_to_tell, share_ended};

/// Say how many games it takes to tell two means apart, or to know one, for exponential lifetimes
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Two means, for example lines per game: 35e6,40e6
    #[arg(long, value_name = "MEAN,MEAN", value_parser = means)]
    tell: Option<(f64, f64)>,

    /// Chance that they are told apart
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.8")]
    power: f64,

    /// Chance that two equal means are told apart
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.05")]
    alpha: f64,

    /// Half the width of a 95 % interval over its mean, for example 3%
    #[arg(long, value_name = "P%", value_parser = share, conflicts_with = "tell")]
    halfwidth: Option<f64>,

    /// Games are cut off at so many of what is counted
    #[arg(long, value_name = "N", value_parser = positive, requires = "tell")]
    limit: Option<f64>,

    /// How to print the plan
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        match (self.tell, self.halfwidth) {
            (Some((first, second)), _) => self.tell(first, second),
            (None, Some(half_width)) => self.know(half_width),
            (None, None) => {
                let text =
                    "give two means to tell apart (--tell 35e6,40e6) or a width (--halfwidth 3%)";
                bail!(Error::Config(text.to_owned()))
            }
        }
    }

    fn tell(&self, first: f64, second: f64) -> anyhow::Result<Outcome> {
        let (power, alpha) = (self.power, self.alpha);
        if power <= alpha {
            bail!(Error::Config(format!("power {power} is no more than alpha {alpha}: give more")));
        }
        let ratio = first.max(second) / first.min(second);
        let ends = ends_to_tell(ratio, power, alpha).filter(|_| ratio > 1.0);
        let Some(ends) = ends else {
            bail!(Error::Config(format!(
                "{first} and {second} are too near to be told apart by 2^33 games: give means further apart"
            )));
        };
        // The stronger controller loses more games to the limit.
        let share = self.limit.map_or(1.0, |limit| share_ended(first.max(second), limit));
        let games = (ends as f64 / share).ceil() as u64;
        if self.format == Format::Json {
            print_json(&json!({
                "means": [first, second], "power": power, "alpha": alpha, "limit": self.limit,
                "ends": ends, "games": games,
            }))?;
            return Ok(Outcome::Done);
        }
        let of = if share < 1.0 {
            format!(" (of which {} end)", thousands(ends))
        } else {
            String::new()
        };
        print(&format!(
            "{} games of each controller{of} tell means of {} and {} apart with chance {power} (two-sided F test at level {alpha}, exponential lifetimes, seeds not common)\n",
            thousands(games),
            number(first),
            number(second)
        ))?;
        Ok(Outcome::Done)
    }

    fn know(&self, half_width: f64) -> anyhow::Result<Outcome> {
        let Some(ends) = ends_for_half_width(half_width, 0.95) else {
            let text = "so narrow an interval takes more than 2^33 games: give a wider one";
            bail!(Error::Config(text.to_owned()));
        };
        match self.format {
            Format::Json => print_json(&json!({ "half_width": half_width, "ends": ends }))?,
            Format::Text => print(&format!(
                "{} games that end give a 95 % interval of half-width {} % (exponential lifetimes)\n",
                thousands(ends),
                (1e4 * half_width).round() / 100.0
            ))?,
        }
        Ok(Outcome::Done)
    }
}

/// Two positive numbers, joined by a comma.
fn means(text: &str) -> Result<(f64, f64), String> {
    let both = text.split_once(',').and_then(|(a, b)| Some((positive(a).ok()?, positive(b).ok()?)));
    both.ok_or_else(|| "write two numbers above 0, for example 35e6,40e6".to_owned())
}
