//! Reports of comparisons and of contrasts (ratios of means), as text, JSON or one tidy table.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::cli::prelude::*;
use crate::engine::{About, Comparable, Measure};
use crate::record::{CellMean, ContrastRow};
use crate::report::Value;
use crate::stats::{Better, Comparison, Mean, Pair, RankedArm, Scale, Verdict, Warning};
use crate::study::SequentialLook;
use crate::text::numbers::{counted, number, number_up_to, p_value, significant, thousands};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StopReason {
    Games,
    HalfWidth,
    Verdict,
    MostGames,
    NoEnds,
    Minutes,
    Interrupted,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct InterimResult {
    pub(crate) games: u64,
    /// Half-width of the widest confidence interval of a mean, as a share of that mean; `None` if
    /// no mean has an interval.
    pub(crate) half_width: Option<f64>,
}

#[derive(Default)]
pub(crate) struct CommonSettings {
    /// Settings that all compared runs of games share, as text for people.
    heading: Vec<String>,
    /// Settings of the compared runs of games, as JSON; null where the runs differ.
    shown: Map<String, Json>,
    pub(crate) remedy: String,
    table: String,
}

impl CommonSettings {
    pub(crate) fn new<G: Comparable>(games: &[G]) -> CommonSettings {
        let Some((first, others)) = games.split_first() else {
            return CommonSettings::default();
        };
        let About { mut heading, reported_keys, remedy, .. } = first.about();
        let data = |game: &G| {
            let entry = json!(game.recorded_config());
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

pub(crate) struct CompareReport<'a> {
    pub(crate) common: &'a CommonSettings,
    pub(crate) measure: &'a Measure,
    pub(crate) comparison: &'a Comparison,
    pub(crate) looks: &'a [InterimResult],
    pub(crate) verdicts: &'a [SequentialLook],
    pub(crate) target: Option<f64>,
    pub(crate) stopped: StopReason,
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
        report.fields(&self.common.shown);
        report.fields(json!({
            "half_width": self.target, "looks": self.looks, "stopped": self.stopped,
            "reached": self.is_reached(), "out": self.folder,
        }));
        report.fields(self.comparison);
        if sequential {
            report.data("verdicts", self.verdicts);
        }
        let mut heading = vec![format!("{} per game{better}", self.measure.column)];
        heading.extend(self.common.heading.iter().cloned());
        report.text(heading.join(" · "));
        // The largest mean sets the decimals of all means, so that columns can be compared by eye.
        let means_of = controllers.iter().filter_map(|one| one.mean().mean);
        let show = number_up_to(means_of.fold(0.0, |most, mean| most.max(mean.abs())));
        let spread = |one: &RankedArm| one.estimate.spread.and_then(|spread| spread.relative());
        let has_limits = self.measure.scale == Scale::Total;
        report.table(
            TableOf::new("", controllers)
                .with("rank", |one| one.rank)
                .with("controller", |one| &one.controller)
                .with_if(has_limits, "ended", |one| one.mean().n - one.mean().censored)
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
            let (folder, table) = (folder.display(), &self.common.table);
            report.shown("files", format!("{folder}: conditions.csv {table} study.toml"));
        }
        report.table(TableOf::new("", &estimates(self.comparison)).main().fields(|row| row));
        report
    }

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

    fn is_reached(&self) -> Option<bool> {
        self.target.map(|_| self.stopped == StopReason::HalfWidth)
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

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

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

/// Reports ratios of a measure's mean between settings of a study. `not_worse` is the largest
/// relative loss that still counts as not worse.
pub(crate) fn contrast_report(
    measure: &str,
    means: &[CellMean],
    rows: &[ContrastRow],
    not_worse: Option<f64>,
) -> Report {
    let mut report = Report::default();
    report.data("measure", measure);
    report.data("conditions", means);
    report.data("contrasts", rows);
    report.text(format!("{measure} per game"));
    report.table(
        TableOf::new("", means)
            .with("condition", |row| &row.condition)
            .mean(|row| Some(&row.mean), |_, mean| number(mean)),
    );
    // The test for non-inferiority is about the first value, which must stay the first.
    let shown = |row: &ContrastRow| match not_worse {
        None => larger_over_smaller(row),
        Some(_) => (row.levels.clone(), row.found.as_ref().map(|found| found.ratio.clone())),
    };
    let within = |row: &ContrastRow| Some(row.within.clone()).filter(|it| !it.is_empty());
    let real = |of: fn(&ContrastRow) -> Option<f64>| {
        move |row: &ContrastRow| Value::real(of(row), p_value)
    };
    report.table(
        TableOf::new("", rows)
            .main()
            .with("contrast", |row| &row.contrast)
            .data("levels", |row| &row.levels)
            .shown("compared", |row| shown(row).0)
            .with("within", within)
            .data("ratio", real(|row| row.found.as_ref()?.ratio.mean))
            .data("low", real(|row| row.found.as_ref()?.ratio.low))
            .data("high", real(|row| row.found.as_ref()?.ratio.high))
            .shown("ratio (95 %)", |row| shown(row).1.map(|it| Value::mean(&it, significant)))
            .data("log_error", real(|row| Some(row.found.as_ref()?.log_error)))
            .data("df", real(|row| Some(row.found.as_ref()?.df)))
            .with("p", real(|row| Some(row.found.as_ref()?.p)))
            .with(("p_adjusted", "p (Holm)"), real(|row| row.p_adjusted))
            .with_if(
                not_worse.is_some(),
                ("p_not_worse", "p not worse"),
                real(|row| row.p_not_worse),
            ),
    );
    report.text(
        "For `a / b`, the ratio is the mean at a divided by the mean at b. For `a / b, c / d`, \
         it is the ratio a / b at c,\ndivided by the ratio a / b at d. Holm's method adjusts p \
         for the number of rows in this table.",
    );
    if let Some(margin) = not_worse {
        report.text(format!(
            "p not worse: one-sided p of the hypothesis that the first value is worse by more \
             than {}, by Holm's method; a small p shows that it is not.",
            percent(margin)
        ));
    }
    if rows.iter().any(|row| row.found.is_none()) {
        report.text(
            "NA: no game of a condition ended, so that its mean is unknown: raise max_pieces, \
             or use `tetrastat estimate`",
        );
    }
    report
}

/// Returns label and value of a ratio of two means, inverted to `b / a` if `a / b` is below 1.
fn larger_over_smaller(row: &ContrastRow) -> (String, Option<Mean>) {
    let Some(found) = &row.found else { return (row.levels.clone(), None) };
    let (ratio, value) = (found.ratio.clone(), found.ratio.mean.unwrap_or_default());
    let (first, others) = match row.levels.split_once(", ") {
        Some((first, others)) => (first, format!(", {others}")),
        None => (&*row.levels, String::new()),
    };
    match first.split_once(" / ") {
        Some((one, other)) if value > 0.0 && value < 1.0 => {
            let low = Some(ratio.high.map_or(0.0, |high| 1.0 / high));
            let high = found.ratio.low.map(|low| 1.0 / low).filter(|high| high.is_finite());
            (
                format!("{other} / {one}{others}"),
                Some(Mean { mean: Some(1.0 / value), low, high, ..ratio }),
            )
        }
        _ => (row.levels.clone(), Some(ratio)),
    }
}
