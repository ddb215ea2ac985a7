//! Formats the results of `compare`: text, JSON or one tidy table.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::engine::{About, Comparable, Measure};
use crate::report::{Report, TableOf, Value};
use crate::stats::{Better, Comparison, Mean, Pair, RankedArm, Verdict, Warning};
use crate::study::SequentialLook;
use crate::text::numbers::{counted, number_up_to, p_value, significant, thousands};

/// Reason why a comparison stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stopped {
    /// The requested number of games was played.
    Games,
    /// The intervals of all means are narrow enough.
    HalfWidth,
    /// Every pair of controllers has a verdict.
    Verdict,
    /// The maximum number of games was played.
    MostGames,
    /// No game of at least one controller ended.
    NoEnds,
    /// The time of `--minutes` is over.
    Minutes,
    /// The user interrupted the comparison.
    Interrupted,
}

/// An interim evaluation of a comparison, after a number of games.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Look {
    /// Number of games that each controller has played.
    pub(crate) games: u64,
    /// Relative half-width of the widest interval of a mean; `None` if some mean has no interval.
    pub(crate) half_width: Option<f64>,
}

/// Settings that all controllers of a comparison share.
#[derive(Default)]
pub(crate) struct CommonSettings {
    /// Shared settings as text; differing settings are left out.
    heading: Vec<String>,
    /// Shared settings as data; differing settings are null.
    shown: Map<String, Json>,
    /// Advice that is printed for a controller whose games were all censored.
    pub(crate) remedy: String,
    /// File name of the table with all games.
    table: String,
}

impl CommonSettings {
    pub(crate) fn of<G: Comparable>(games: &[G]) -> CommonSettings {
        let Some((first, others)) = games.split_first() else {
            return CommonSettings::default();
        };
        let About { mut heading, reported_keys, remedy, .. } = first.about();
        let data = |game: &G| {
            let entry = json!(game.entry());
            reported_keys.iter().map(|name| ((*name).to_owned(), entry[*name].clone())).collect()
        };
        let mut shown: Map<String, Json> = data(first);
        for other in others {
            let (words, data) = (other.about().heading, data(other));
            // The controllers' names already contain the differing settings.
            heading.retain(|word| words.contains(word));
            for (name, value) in &mut shown {
                if data.get(name) != Some(value) {
                    *value = Json::Null;
                }
            }
        }
        let table = first.result_table().map(|table| table.file).unwrap_or_default();
        CommonSettings { heading, shown, remedy, table }
    }
}

/// A finished comparison with the data of its printed report.
pub(crate) struct CompareReport<'a> {
    pub(crate) told: &'a CommonSettings,
    pub(crate) measure: &'a Measure,
    pub(crate) comparison: &'a Comparison,
    pub(crate) looks: &'a [Look],
    /// Verdict on every pair of controllers: which one is better, equal within the margin, or not
    /// distinguished yet. Empty if no verdicts were requested.
    pub(crate) verdicts: &'a [SequentialLook],
    /// Requested relative half-width of the intervals; `None` if none was requested.
    pub(crate) target: Option<f64>,
    pub(crate) stopped: Stopped,
    /// Folder with the games; `None` if they were not stored.
    pub(crate) folder: Option<&'a Path>,
}

impl CompareReport<'_> {
    pub(crate) fn report(&self) -> Report {
        let Comparison { controllers, pairs } = self.comparison;
        let (better, first) = match self.measure.better {
            Better::More => ("", "more"),
            Better::Fewer => (", fewer are better", "fewer"),
        };
        let sequential = !self.verdicts.is_empty();
        let mut report = Report::default();
        report.fields(json!({ "measure": self.measure.column, "scale": self.measure.scale }));
        report.fields(&self.told.shown);
        report.fields(json!({
            "half_width": self.target, "looks": self.looks, "stopped": self.stopped,
            "reached": self.is_reached(), "out": self.folder,
        }));
        report.fields(self.comparison);
        if sequential {
            report.data("verdicts", self.verdicts);
        }
        let mut heading = vec![format!("{} per game{better}", self.measure.column)];
        heading.extend(self.told.heading.iter().cloned());
        report.text(heading.join(" · "));
        // The largest mean sets the decimals of all means, so that columns can be compared by eye.
        let means_of = controllers.iter().filter_map(|one| one.mean().mean);
        let show = number_up_to(means_of.fold(0.0, |most, mean| most.max(mean.abs())));
        let spread = |one: &RankedArm| one.estimate.spread.and_then(|spread| spread.relative());
        report.table(
            TableOf::new("", controllers)
                .with("rank", |one| one.rank)
                .with("controller", |one| &one.controller)
                .with("ended", |one| one.mean().n - one.mean().censored)
                .mean(|one| Some(one.mean()), move |_, mean| show(mean))
                .with("+-", |one| Value::share(Some(one.mean().half_width()), 1))
                .with("SD/mean", |one| Value::real(spread(one), |sd| format!("{sd:.2}"))),
        );
        let [difference, ratio] = match sequential {
            true => ["difference", "ratio (at all looks)"],
            false => ["difference (95 %)", "ratio (95 %)"],
        };
        let sign = |pair: &Pair| if pair.differ { ">" } else { "?" };
        let wins = |pair: &Pair| [pair.paired.wins, pair.paired.known].map(thousands).join("/");
        report.table(
            TableOf::new("", pairs)
                .with("pair", |pair| format!("{} {} {}", pair.first, sign(pair), pair.second))
                .with(difference, |pair| match sequential {
                    true => Value::real(pair.paired.difference.mean, show),
                    false => Value::mean(&pair.paired.difference, show),
                })
                .with(ratio, |pair| Value::mean(&pair.paired.ratio, significant))
                .with("more in", |pair| Value::new(pair.paired.wins, wins(pair)))
                .with("p (Holm)", |pair| Value::real(pair.p_adjusted, p_value))
                .with("test", |pair| pair.test),
        );
        report.text(match sequential {
            true => format!(
                "> the first has {first} (verdict); ? no difference shown; more in: games in \
                    which the first has more / common games with a known order\n\
                 Ratios are corrected for stopping. Means and differences are those of the games \
                 played. P-values and fixed-n\n\
                 intervals are left out: they do not hold when play stops at a verdict.\n"
            ),
            false => format!(
                "> the first has {first} (adjusted p at most 0.05); ? not significant; more in: \
                    games in which the first has more / common games with a known order\n"
            ),
        });
        for ranked in controllers {
            for warning in &ranked.mean().warnings {
                // A sequential comparison has other intervals than the one that the warning names.
                if !(sequential && matches!(warning, Warning::NotExponential { .. })) {
                    report.text(format!("warning  {}: {warning}", ranked.controller));
                }
            }
        }
        self.verdicts.iter().for_each(|pair| report.text(self.verdict(pair)));
        if !self.looks.is_empty() {
            report.shown("played", self.ending());
        }
        if let Some(folder) = self.folder {
            let (folder, table) = (folder.display(), &self.told.table);
            report.shown("files", format!("{folder}: conditions.csv {table} study.toml"));
        }
        report.table(TableOf::new("", &estimates(self.comparison)).main().fields(|row| row));
        report
    }

    /// Formats the verdict on a pair of controllers, with the ratio of their means and its
    /// interval.
    fn verdict(&self, SequentialLook { first, second, look }: &SequentialLook) -> String {
        let (more, less) = match self.measure.better {
            Better::More => ("better", "worse"),
            Better::Fewer => ("worse", "better"),
        };
        let said = match look.verdict {
            Verdict::Greater => format!("{first} is {more} than {second}"),
            Verdict::Smaller => format!("{first} is {less} than {second}"),
            Verdict::Same => format!("{first} and {second} are the same within the margin"),
            Verdict::Open => format!("{first} and {second} are not distinguished yet"),
        };
        let high = if look.high.is_finite() { significant(look.high) } else { "any".to_owned() };
        let [corrected, low, observed] = [look.corrected, look.low, look.ratio].map(significant);
        format!(
            "verdict  {said}: ratio of means {corrected} ({low} to {high} at all looks, 5 % for \
                all pairs); as observed {observed}"
        )
    }

    /// Returns true if the requested half-width is reached; `None` if none was requested.
    fn is_reached(&self) -> Option<bool> {
        self.target.map(|_| self.stopped == Stopped::HalfWidth)
    }

    fn ending(&self) -> String {
        let Some(look) = self.looks.last() else { return String::new() };
        let (games, looks) = (thousands(look.games), counted(self.looks.len() as u64, "look"));
        if !self.verdicts.is_empty() {
            let mut own = self.comparison.controllers.iter().map(|one| one.mean().n);
            let of_each = match own.all(|own| own == look.games) {
                true => "games of each",
                false => "games at most, fewer of players whose pairs were decided earlier",
            };
            return format!("{games} {of_each}; {looks}");
        }
        let width = look.half_width.map_or("unbounded".to_owned(), percent);
        let target = self.target.map_or(String::new(), |target| {
            let missed = if self.is_reached() == Some(true) { "" } else { " (not reached)" };
            format!(", target {}{missed}, {looks}", percent(target))
        });
        format!("{games} games of each; widest half-width {width}{target}")
    }
}

/// Formats a share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A row of the table of estimates: a mean, or the difference or ratio of a pair.
#[derive(Serialize)]
struct EstimateRow<'a> {
    estimate: &'static str,
    first: &'a str,
    second: Option<&'a str>,
    rank: Option<usize>,
    #[serde(flatten)]
    mean: &'a Mean,
    sd: Option<f64>,
    p: Option<f64>,
    p_adjusted: Option<f64>,
    test: Option<&'static str>,
}

/// Returns a row for each mean, and two for each pair.
fn estimates<'a>(Comparison { controllers, pairs }: &'a Comparison) -> Vec<EstimateRow<'a>> {
    let mean = |one: &'a RankedArm| EstimateRow {
        estimate: "mean",
        first: &one.controller,
        second: None,
        rank: one.rank,
        mean: one.mean(),
        sd: one.estimate.spread.and_then(|spread| spread.sd),
        p: None,
        p_adjusted: None,
        test: None,
    };
    let of_pair = |pair: &'a Pair| {
        let means = [("difference", &pair.paired.difference), ("ratio", &pair.paired.ratio)];
        means.map(|(estimate, mean)| EstimateRow {
            estimate,
            first: &pair.first,
            second: Some(&pair.second),
            rank: None,
            mean,
            sd: None,
            p: pair.p,
            p_adjusted: pair.p_adjusted,
            test: pair.test,
        })
    };
    controllers.iter().map(mean).chain(pairs.iter().flat_map(of_pair)).collect()
}
