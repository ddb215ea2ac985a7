//! `tetrastat plan --pilot`: how many games a question takes, by games that were played before.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::console::output::{Format, Outcome, number, print, print_json, thousands};
use crate::cli::options::games::for_game;
use crate::cli::options::study_file::played;
use crate::cli::reports::compare::width;
use crate::engine::Comparable;
use crate::error::Error;
use crate::stats::{Better, Method, Question};
use crate::study::{Condition, Pilot, PlannedMean, PlannedPair};

/// What a pilot is asked.
pub(crate) struct AskedPilot<'a> {
    /// Run folders and folders of studies.
    pub(crate) folders: &'a [PathBuf],
    /// A column of games; the game's main measure without.
    pub(crate) measure: Option<&'a str>,
    /// Chances and difference, `alpha` that of all pairs together.
    pub(crate) question: Question,
    /// The relative half-width of each mean's interval, if that is asked instead.
    pub(crate) half_width: Option<f64>,
    /// How to print the plan.
    pub(crate) format: Format,
}

impl AskedPilot<'_> {
    /// Plans by the runs of the folders.
    pub(crate) fn answer(&self) -> anyhow::Result<Outcome> {
        for_game!(played(self.folders)?, conditions => self.of(&conditions))
    }

    fn of<G: Comparable>(&self, conditions: &[Condition<G>]) -> anyhow::Result<Outcome> {
        let first = &conditions[0].game;
        let measure = first.measure_named(self.measure.unwrap_or(first.main_measure()))?;
        let pilot = Pilot::read(conditions, Path::new(""), measure)?;
        let means = pilot.means(self.half_width);
        if self.half_width.is_some() {
            self.print_means(&pilot, &means)?;
            return Ok(Outcome::Done);
        }
        if pilot.pair_count() == 0 {
            let text = "the pilot is one run, so there is nothing to tell apart: name another run, or give --halfwidth";
            return Err(Error::Config(text.to_owned()).into());
        }
        let each = Question { alpha: self.alpha_of_each(&pilot), ..self.question };
        self.print_pairs(&pilot, &means, &pilot.pairs(&each)?)?;
        Ok(Outcome::Done)
    }

    /// Bonferroni's level: what it finds Holm's method finds, too.
    fn alpha_of_each(&self, pilot: &Pilot) -> f64 {
        self.question.alpha / pilot.pair_count() as f64
    }

    fn print_means(&self, pilot: &Pilot, means: &[PlannedMean]) -> anyhow::Result<()> {
        let most = most(means.iter().map(|mean| mean.games_needed));
        if self.format == Format::Json {
            return print_json(&json!({
                "measure": pilot.measure().column, "scale": pilot.measure().scale,
                "half_width": self.half_width, "games": most, "conditions": means,
            }));
        }
        let width = 100.0 * self.half_width.unwrap_or_default();
        let ending = format!(
            "{} games of each give every mean a 95 % interval of half-width {} % or less\n",
            games_text(most),
            (100.0 * width).round() / 100.0
        );
        Ok(print(&(heading(pilot) + &means_text(means, true) + "\n" + &ending))?)
    }

    fn print_pairs(
        &self,
        pilot: &Pilot,
        means: &[PlannedMean],
        pairs: &[PlannedPair],
    ) -> anyhow::Result<()> {
        let Question { power, alpha, differ } = self.question;
        let most = most(pairs.iter().map(|pair| pair.to_tell.games));
        if self.format == Format::Json {
            return print_json(&json!({
                "measure": pilot.measure().column, "scale": pilot.measure().scale,
                "power": power, "alpha": alpha, "alpha_of_each": self.alpha_of_each(pilot),
                "difference": differ, "games": most, "conditions": means, "pairs": pairs,
            }));
        }
        let of = match differ {
            Some(share) => format!("of {} %", (1e4 * share).round() / 100.0),
            None => "as the pilot's".to_owned(),
        };
        let together = match pairs.len() {
            1 => String::new(),
            many => format!(" for all {many} pairs together"),
        };
        let ending = format!(
            "{} games of each tell every pair apart, each with chance {power}, at a difference {of} (level {alpha}{together})\n",
            games_text(most)
        );
        let text =
            [heading(pilot), means_text(means, false), "\n".to_owned(), pairs_text(pairs), ending];
        Ok(print(&text.concat())?)
    }
}

/// The most of some numbers of games; `None` when one of them is too large to be known.
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
    let wide = width(means.iter().map(|mean| &*mean.condition));
    let asked = |text: String| if with_games { text } else { String::new() };
    let mut text = format!(
        "{:wide$} {:>9} {:>9} {:>12} {:>8} {:>11}{}\n",
        "pilot",
        "games",
        "ended",
        "mean",
        "SD/mean",
        "interval",
        asked(format!(" {:>14}", "games needed"))
    );
    for PlannedMean { condition, estimate, games_needed } in means {
        let _ = writeln!(
            text,
            "{condition:wide$} {:>9} {:>9} {:>12} {:>8} {:>11}{}",
            thousands(estimate.games),
            thousands(estimate.games - estimate.censored),
            estimate.mean.map_or("NA".to_owned(), number),
            estimate.spread.map_or("NA".to_owned(), |spread| format!("{spread:.3}")),
            estimate.method.map_or("NA", Method::name),
            asked(format!(" {:>14}", games_text(*games_needed)))
        );
    }
    text
}

fn pairs_text(pairs: &[PlannedPair]) -> String {
    let names: Vec<String> =
        pairs.iter().map(|pair| format!("{} and {}", pair.first, pair.second)).collect();
    let wide = width(names.iter().map(|name| &**name));
    let mut text = format!(
        "{:wide$} {:>10} {:>12} {:>11} {:>15}  at the ends of the pilot's interval\n",
        "pair", "test", "difference", "correlation", "games of each"
    );
    for (pair, name) in pairs.iter().zip(names) {
        let plan = &pair.to_tell;
        // Of lifetimes that were cut off it is the ratio of means that is looked at.
        let effect = match plan.test {
            "log-rank" => format!("x {:.3}", plan.effect.exp()),
            _ => format!("{:.4}", plan.effect),
        };
        let between = plan.between.map_or("NA".to_owned(), |[few, many]| {
            let many = many.map_or("unbounded".to_owned(), thousands);
            format!("{} to {many}", games_text(few))
        });
        let _ = writeln!(
            text,
            "{name:wide$} {:>10} {effect:>12} {:>11} {:>15}  {between}",
            plan.test,
            plan.correlation.map_or("NA".to_owned(), |found| format!("{found:.2}")),
            games_text(plan.games)
        );
    }
    text
}
