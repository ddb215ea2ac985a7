//! Formats the results of `compare`: text, JSON or one tidy table.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::console::Console;
use crate::cli::console::output::TableFormat;
use crate::cli::options::playable::Playable;
use crate::engine::Measure;
use crate::record::{Column, ColumnValues, Field, Rows, columns, mean_columns, rows_of};
use crate::stats::{
    Better, Comparison, Interval, Mean, Method, Pair, Paired, RankedArm, Verdict, Warning,
};
use crate::study::SequentialLook;
use crate::text::numbers::{number_up_to, p_value, significant, thousands};
use crate::text::table::{NA, ReportTable, csv_number, csv_text, or_na};

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
    shown: Map<String, Value>,
    /// Advice that is printed for a controller whose games were all censored.
    pub(crate) remedy: String,
    /// File name of the table with all games.
    table: String,
}

impl CommonSettings {
    pub(crate) fn of<G: Playable>(games: &[G]) -> CommonSettings {
        let Some((first, others)) = games.split_first() else {
            return CommonSettings::default();
        };
        let (mut heading, mut shown) = (first.heading(), first.shown());
        for other in others {
            let (words, data) = (other.heading(), other.shown());
            // The controllers' names already contain the differing settings.
            heading.retain(|word| words.contains(word));
            for (name, value) in &mut shown {
                if data.get(name) != Some(value) {
                    *value = Value::Null;
                }
            }
        }
        let table = first.result_table().map(|table| table.file).unwrap_or_default();
        CommonSettings { heading, shown, remedy: first.remedy_without_ends(), table }
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
    pub(crate) fn print(&self, console: &Console, format: TableFormat) -> anyhow::Result<()> {
        console.give_table(|| Some(table(self.comparison)));
        format.print(
            console,
            || self.text(),
            self.json(),
            || {
                let (columns, rows) = table(self.comparison);
                rows_csv(&columns, &rows)
            },
        )
    }

    fn json(&self) -> serde_json::Value {
        let Comparison { controllers, pairs } = self.comparison;
        let mut found = json!({ "measure": self.measure.column, "scale": self.measure.scale });
        let mut set = |name: &str, value: Value| found[name] = value;
        for (name, value) in &self.told.shown {
            set(name, value.clone());
        }
        set("half_width", json!(self.target));
        set("looks", json!(self.looks));
        set("stopped", json!(self.stopped));
        set("reached", json!(self.is_reached()));
        set("out", json!(self.folder));
        set("controllers", json!(controllers));
        set("pairs", json!(pairs));
        if !self.verdicts.is_empty() {
            set("verdicts", json!(self.verdicts));
        }
        found
    }

    fn text(&self) -> String {
        let (better, first) = match self.measure.better {
            Better::More => ("", "more"),
            Better::Fewer => (", fewer are better", "fewer"),
        };
        let mut heading = vec![format!("{} per game{better}", self.measure.column)];
        heading.extend(self.told.heading.iter().cloned());
        let mut text = heading.join(" · ") + "\n\n";
        // The largest mean sets the decimals of all means, so that columns can be compared by eye.
        let means_of = self.comparison.controllers.iter().filter_map(|one| one.mean().mean);
        let show = number_up_to(means_of.fold(0.0, |most, mean| most.max(mean.abs())));
        let sequential = !self.verdicts.is_empty();
        text.push_str(&means(&self.comparison.controllers, sequential, show));
        text.push('\n');
        let pairs = &self.comparison.pairs;
        text.push_str(&if sequential {
            sequential_pairs(pairs, first, show)
        } else {
            fixed_pairs(pairs, first, show)
        });
        text.push('\n');
        for ranked in &self.comparison.controllers {
            for warning in &ranked.mean().warnings {
                // A sequential comparison has other intervals than the one that the warning names.
                if sequential && matches!(warning, Warning::NotExponential { .. }) {
                    continue;
                }
                let _ = writeln!(text, "warning  {}: {warning}", ranked.controller);
            }
        }
        text.extend(self.verdicts.iter().map(|pair| self.verdict(pair)));
        text.push_str(&self.ending());
        if let Some(folder) = self.folder {
            let (folder, table) = (folder.display(), &self.told.table);
            let _ = writeln!(text, "files    {folder}: conditions.csv {table} study.toml");
        }
        text
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
                all pairs); as observed {observed}\n"
        )
    }

    /// Returns true if the requested half-width is reached; `None` if none was requested.
    fn is_reached(&self) -> Option<bool> {
        self.target.map(|_| self.stopped == Stopped::HalfWidth)
    }

    fn ending(&self) -> String {
        let Some(look) = self.looks.last() else { return String::new() };
        let games = thousands(look.games);
        if !self.verdicts.is_empty() {
            let looks = if self.looks.len() == 1 { "look" } else { "looks" };
            let mut own = self.comparison.controllers.iter().map(|one| one.mean().n);
            let of_each = match own.all(|own| own == look.games) {
                true => "games of each",
                false => "games at most, fewer of players whose pairs were decided earlier",
            };
            return format!("played   {games} {of_each}; {} {looks}\n", self.looks.len());
        }
        let width = look.half_width.map_or("unbounded".to_owned(), percent);
        let target = self.target.map_or(String::new(), |target| {
            let missed = if self.is_reached() == Some(true) { "" } else { " (not reached)" };
            let looks = match self.looks.len() {
                1 => "1 look".to_owned(),
                many => format!("{many} looks"),
            };
            format!(", target {}{missed}, {looks}", percent(target))
        });
        format!("played   {games} games of each; widest half-width {width}{target}\n")
    }
}

/// Formats a share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Minimum width of a table column with names, in characters.
pub(crate) const MIN_NAME_WIDTH: usize = 10;

/// Formats the table of means; `show` formats a single mean. If `sequential` is true (a comparison
/// with verdicts), the intervals are valid at all looks together.
fn means(controllers: &[RankedArm], sequential: bool, show: fn(f64) -> String) -> String {
    let interval = if sequential { "95 % at all looks" } else { "95 % interval" };
    let half_width = |ranked: &RankedArm| Some(ranked.mean().half_width());
    let spread = |ranked: &RankedArm| ranked.estimate.spread.and_then(|spread| spread.relative());
    ReportTable::new(controllers)
        .right("rank", 4, |ranked| or_na(ranked.rank.map(|rank| rank.to_string())))
        .fitted("controller", MIN_NAME_WIDTH, |ranked| ranked.controller.clone())
        .right("games", 9, |ranked| thousands(ranked.mean().n))
        .right("ended", 9, |ranked| thousands(ranked.mean().n - ranked.mean().censored))
        .right("mean", 12, |ranked| or_na(ranked.mean().mean.map(show)))
        .right(interval, 26, |ranked| {
            or_na(ranked.mean().interval().map(|found| ends(found, show)))
        })
        .right("+-", 8, |row| or_na(half_width(row).filter(|half| half.is_finite()).map(percent)))
        .right("SD/mean", 7, |ranked| or_na(spread(ranked).map(|sd| format!("{sd:.2}"))))
        .plain(" interval", |ranked| format!(" {}", ranked.mean().method.map_or(NA, Method::name)))
        .text()
}

/// Returns the table of pairs with the columns that all comparisons have. `difference` defines the
/// column of the difference: heading, width and cell text. `ratio` is the heading of the column of
/// the ratio.
fn pair_table<'a>(
    pairs: &'a [Pair],
    difference: (&str, usize, impl Fn(&Pair) -> String + 'a),
    ratio: &str,
) -> ReportTable<'a, Pair> {
    ReportTable::new(pairs)
        .fitted("pair", MIN_NAME_WIDTH, |pair| {
            format!("{} {} {}", pair.first, if pair.differ { ">" } else { "?" }, pair.second)
        })
        .right(difference.0, difference.1, difference.2)
        .right(ratio, 24, |pair| mean_text(&pair.paired.ratio, significant))
        .right("more in", 14, |pair| {
            format!("{}/{}", thousands(pair.paired.wins), thousands(pair.paired.known))
        })
}

/// Formats the pairs of a comparison with verdicts: the confidence sequence of each ratio, without
/// p-values. `first` is the word `more` or `fewer`, which completes the legend "the first has ...".
fn sequential_pairs(pairs: &[Pair], first: &str, show: fn(f64) -> String) -> String {
    let difference = move |pair: &Pair| or_na(pair.paired.difference.mean.map(show));
    format!(
        "{}> the first has {first} (verdict); ? no difference shown; more in: games in which \
            the first has more / common games with a known order\n\
         Ratios are corrected for stopping. Means and differences are those of the games played. \
         P-values and fixed-n\n\
         intervals are left out: they do not hold when play stops at a verdict.\n",
        pair_table(pairs, ("difference", 13, difference), "ratio (at all looks)").text()
    )
}

/// Formats the pairs of a comparison of a fixed number of games. `first` is the word `more` or
/// `fewer`, which completes the legend "the first has ...".
fn fixed_pairs(pairs: &[Pair], first: &str, show: fn(f64) -> String) -> String {
    let difference = move |pair: &Pair| mean_text(&pair.paired.difference, show);
    let table = pair_table(pairs, ("difference (95 %)", 34, difference), "ratio (95 %)")
        .right("p (Holm)", 8, |pair| or_na(pair.p_adjusted.map(p_value)))
        .plain(" test", |pair| format!(" {}", pair.test.unwrap_or(NA)));
    format!(
        "{}> the first has {first} (adjusted p at most 0.05); ? not significant; more in: games \
            in which the first has more / common games with a known order\n",
        table.text()
    )
}

/// Formats the two ends of an interval; `show` formats a number.
pub(crate) fn ends(interval: Interval, show: impl Fn(f64) -> String) -> String {
    let high = interval.high.map_or("unbounded".to_owned(), &show);
    format!("{} to {high}", show(interval.low))
}

/// Formats a mean with its interval in parentheses.
pub(crate) fn mean_text(found: &Mean, show: impl Fn(f64) -> String) -> String {
    let Some(value) = found.mean else { return NA.to_owned() };
    let interval = found.interval().map(|found| format!(" ({})", ends(found, &show)));
    show(value) + &interval.unwrap_or_default()
}

/// A row of the table of estimates: a mean, or the difference or ratio of a pair. An empty text
/// means a missing value.
struct EstimateRow {
    estimate: &'static str,
    first: String,
    second: String,
    rank: Option<usize>,
    mean: Mean,
    sd: Option<f64>,
    p: Option<f64>,
    p_adjusted: Option<f64>,
    test: &'static str,
}

/// Returns the columns of the table of estimates.
fn fields() -> Vec<Field<EstimateRow>> {
    let text = |name, meaning, value: fn(&EstimateRow) -> &str| {
        Field::text(name, meaning, move |row, to: &mut Vec<u8>| to.extend(value(row).bytes()))
    };
    let real = |name, meaning, value: fn(&EstimateRow) -> Option<f64>| {
        Field::real(name, "-", meaning, move |row| value(row).filter(|value| value.is_finite()))
    };
    let mut fields = vec![
        text("estimate", "mean, difference or ratio", |row| row.estimate),
        text("first", "the controller; of a pair, the one with the better mean", |row| &row.first),
        text("second", "the other controller of a pair", |row| &row.second),
        Field::count("rank", "-", "rank among all, 1 is the best", |row: &EstimateRow| {
            row.rank.map(|rank| rank as u64)
        }),
    ];
    fields.extend(mean_columns("estimate", "-", |row: &EstimateRow| Some(&row.mean)));
    fields.extend([
        real("sd", "standard deviation of the games of a mean", |row| row.sd),
        real("p", "p-value of the difference", |row| row.p),
        real("p_adjusted", "p-value adjusted by Holm's method for all pairs", |row| row.p_adjusted),
        text("test", "the test that gave the p-value", |row| row.test),
    ]);
    let missing = "it is unknown, or not defined for this kind of estimate";
    fields.into_iter().map(|field| field.missing(missing)).collect()
}

/// Returns the table of estimates: one row per mean, difference and ratio.
fn table(Comparison { controllers, pairs }: &Comparison) -> (Vec<Column>, Rows) {
    let mut rows: Vec<EstimateRow> = Vec::new();
    for RankedArm { rank, controller, estimate } in controllers {
        rows.push(EstimateRow {
            estimate: "mean",
            first: controller.clone(),
            second: String::new(),
            rank: *rank,
            mean: estimate.mean.clone(),
            sd: estimate.spread.and_then(|spread| spread.sd),
            p: None,
            p_adjusted: None,
            test: "",
        });
    }
    for pair in pairs {
        let Paired { difference, ratio, .. } = &pair.paired;
        rows.extend([("difference", difference), ("ratio", ratio)].map(|(estimate, mean)| {
            EstimateRow {
                estimate,
                first: pair.first.clone(),
                second: pair.second.clone(),
                rank: None,
                mean: mean.clone(),
                sd: None,
                p: pair.p,
                p_adjusted: pair.p_adjusted,
                test: pair.test.unwrap_or_default(),
            }
        }));
    }
    let fields = fields();
    (columns(&fields), rows_of(&fields, &rows))
}

/// Returns the rows of a table as CSV.
pub(crate) fn rows_csv(columns: &[Column], rows: &Rows) -> csv::Result<String> {
    let cell = |column: &Column, values: &ColumnValues, row| match values.json(column, row) {
        Value::Null => NA.to_owned(),
        Value::String(text) => text,
        number => csv_number(number.as_f64()),
    };
    let cells = |row| {
        let pairs = columns.iter().zip(&rows.columns);
        pairs.map(|(column, values)| cell(column, values, row)).collect::<Vec<_>>()
    };
    csv_text(columns.iter().map(|column| &*column.name), (0..rows.len()).map(cells))
}
