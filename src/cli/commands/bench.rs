//! `tetrastat bench`: what everything costs, measured side by side in one run.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use crate::bench::{
    BenchEffort, BenchRow, BenchWatch, Section, checksum, guideline_checksum, measure,
};
use crate::board::BoardSize;
use crate::cli::console::complaint::complain;
use crate::cli::console::interrupt::stop_flag;
use crate::cli::console::output::{Outcome, print, print_data, print_json};
use crate::cli::console::progress::{ProgressStatus, with_progress};
use crate::cli::options::count;
use crate::error::Error;
use crate::kernels::{LEVEL_NAMES, Level};
use crate::liap;

/// Measure the throughput of every level, feature, search and thread count, against `scalar`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Board to measure on
    #[arg(long, default_value = "10x20", value_name = "WxH")]
    board: BoardSize,

    /// What to measure
    #[arg(long, value_parser = section(), value_delimiter = ',', default_values_t = sections())]
    sections: Vec<Section>,

    /// Least time of one sample, in milliseconds
    #[arg(long, default_value_t = 30, value_name = "MS", value_parser = count::<u64>(1..=60_000))]
    sample_ms: u64,

    /// Samples per case; the median counts
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = count::<u16>(1..=1000))]
    repeats: u16,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: BenchFormat,
}

/// Returns the sections of all games.
fn sections() -> Vec<Section> {
    Section::ALL.into_iter().chain([liap::SECTION]).collect()
}

/// Reads a section, and describes them all in help.
fn section() -> impl TypedValueParser<Value = Section> {
    let values = sections();
    let values = values.iter().map(|one| PossibleValue::new(one.name).help(one.measures));
    PossibleValuesParser::new(values).try_map(|name| {
        let named = sections().into_iter().find(|section| section.name == name);
        named.ok_or_else(|| Error::unknown("section", &name, sections().iter().map(|s| s.name)))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BenchFormat {
    /// Tables for eyes.
    Text,
    /// One JSON object.
    Json,
    /// One row per case.
    Csv,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let watch = BenchWatch { stop: stop_flag()?, ..BenchWatch::default() };
        let behaviour = common(checksum)?;
        let guideline = common(guideline_checksum)?;
        let liap = liap::liap_checksum();
        let effort = BenchEffort {
            sample: Duration::from_millis(self.sample_ms),
            repeats: usize::from(self.repeats),
        };
        let rows = with_progress(
            None,
            || status(&watch),
            || measure(&self.sections, self.board, effort, &watch),
        )?;
        let interrupted = watch.stop.load(Ordering::Relaxed);
        if interrupted && rows.is_empty() {
            complain("interrupted before anything was measured");
            return Ok(Outcome::Interrupted);
        }
        match self.format {
            BenchFormat::Text => {
                print(&self.text([&behaviour, &guideline, &liap], &rows, interrupted))?
            }
            BenchFormat::Csv => print_data(&csv(&rows)?)?,
            BenchFormat::Json => print_json(&json!({
                "board": self.board.to_string(),
                "checksum": behaviour,
                "guideline_checksum": guideline,
                "liap_checksum": liap,
                "repeats": self.repeats,
                "sample_ms": self.sample_ms,
                "complete": !interrupted,
                "rows": rows,
            }))?,
        }
        noise(&rows).iter().for_each(|warning| complain(warning));
        if interrupted {
            complain("interrupted: what was measured so far is printed, by fewer samples");
            return Ok(Outcome::Interrupted);
        }
        Ok(Outcome::Done)
    }

    fn text(&self, checksums: [&str; 3], rows: &[BenchRow], interrupted: bool) -> String {
        let [behaviour, guideline, liap] = checksums;
        let levels: Vec<&str> = Level::available().map(Level::name).collect();
        let absent: Vec<&str> =
            LEVEL_NAMES.into_iter().filter(|name| !levels.contains(name)).collect();
        let mut text = format!(
            "board {}, medians of {}{} samples of at least {} ms, cases in turn\nlevels {}",
            self.board,
            if interrupted { "up to " } else { "" },
            self.repeats,
            self.sample_ms,
            levels.join(" ")
        );
        if !absent.is_empty() {
            let _ = write!(text, " (this CPU lacks {})", absent.join(" "));
        }
        let _ = writeln!(
            text,
            "\nbehaviour checksum {behaviour}, of guideline games {guideline}, the same at every level; of LIAP {liap}"
        );
        for section in &self.sections {
            let own: Vec<&BenchRow> =
                rows.iter().filter(|row| row.section == section.name).collect();
            text.push_str(&match section.name {
                "features" => features_table(&own),
                _ if section.counts_rounds => rounds_table(&own),
                name => plays_table(name, &own),
            });
        }
        text
    }
}

/// How far measuring is.
fn status(watch: &BenchWatch) -> ProgressStatus {
    let seconds = |ms: &AtomicU64| ms.load(Ordering::Relaxed) as f64 / 1000.0;
    let (taken, all) = (seconds(&watch.taken), seconds(&watch.all));
    ProgressStatus {
        share: (all > 0.0).then(|| (taken / all).min(1.0)),
        said: format!("samples of {taken:.1} of {all:.1} s"),
        ..ProgressStatus::default()
    }
}

/// The checksum of some kind that all levels share.
fn common(checksum: fn(Level) -> Result<String, Error>) -> anyhow::Result<String> {
    let expected = checksum(Level::SCALAR)?;
    for level in Level::available() {
        let found = checksum(level)?;
        ensure!(
            found == expected,
            "level {level} plays differently from scalar ({found}, not {expected}): please report it, and use --simd scalar"
        );
    }
    Ok(expected)
}

fn plays_table(title: &str, rows: &[&BenchRow]) -> String {
    let ratio = if title == "threads" { "ratio to one thread" } else { "ratio to scalar" };
    let wide = rows.iter().map(|row| row.case.len()).max().unwrap_or(0).max(12);
    let mut text = format!(
        "\n{title}\n{:wide$} {:>9} {:>7} {:>7} {:>12} {:>14} {:>8} {:>10}  {ratio}\n",
        "controller",
        "level",
        "search",
        "threads",
        "pieces/s",
        "candidates/s",
        "ns/cand.",
        "spread"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:wide$} {:>9} {:>7} {:>7} {:>12.0} {:>14.0} {:>8.2} {:>4.2}-{:<4.2}  {:>7.2}",
            row.case,
            row.level,
            row.search,
            row.threads,
            row.pieces_per_s.unwrap_or(f64::NAN),
            row.candidates_per_s,
            row.ns_per_candidate,
            row.spread.0,
            row.spread.1,
            row.ratio.unwrap_or(f64::NAN)
        );
    }
    text
}

/// Explanation of the columns, printed above them.
const FEATURES_HELP: &str = "\
alone          one feature scored for every placement of a piece; `above constant` excludes the cost of a constant feature
in bcts        time that the feature adds to a decision of bcts, with quartiles of the repeats; the eight features of bcts
               are left out, others are added; `not measurable`: the lower quartile is not above 0
path           kernel that scores bcts with the feature: the difference kernel, or the sweep if the difference kernel lacks
               a feature of the set; the whole decision then takes `decision` times as long as that of bcts
";

fn features_table(rows: &[&BenchRow]) -> String {
    let mut text = format!(
        "\nfeatures, in ns per candidate placement\n{FEATURES_HELP}{:28} {:>11} {:>9} {:>10} {:>15} {:>26} {:>10} {:>9} {:>12}  ratio to scalar\n",
        "feature",
        "level",
        "alone",
        "spread",
        "above constant",
        "in bcts",
        "path",
        "decision",
        "ticks/cand."
    );
    for row in rows {
        let ratio = row.decision_ratio.unwrap_or(f64::NAN);
        let _ = writeln!(
            text,
            "{:28} {:>11} {:>9.2} {:>5.2}-{:<4.2} {:>15} {:>26} {:>10} {:>8.2}x {:>12.2}  {:>7.2}",
            row.case,
            row.level,
            row.ns_per_candidate,
            row.spread.0,
            row.spread.1,
            row.ns_above_constant.map_or("NA".to_owned(), |ns| match ns > 0.0 {
                true => format!("{ns:.2}"),
                false => NOT_MEASURABLE.to_owned(),
            }),
            added(row),
            row.path.unwrap_or("NA"),
            ratio,
            row.ticks_per_candidate.unwrap_or(f64::NAN),
            row.ratio.unwrap_or(f64::NAN)
        );
    }
    text
}

/// Text in place of a time that is smaller than the timing noise of the machine.
const NOT_MEASURABLE: &str = "not measurable";

/// Formats the cost that a feature adds to a decision of bcts, with quartiles.
fn added(row: &BenchRow) -> String {
    match (row.ns_added_to_bcts, row.ns_added_quartiles) {
        (Some(ns), Some((low, high))) if low > 0.0 => format!("{ns:.2} ({low:.2} to {high:.2})"),
        (Some(_), Some(_)) => NOT_MEASURABLE.to_owned(),
        _ => "NA".to_owned(),
    }
}

/// Returns a warning if many cases had outliers, since other programs then disturbed their numbers.
fn noise(rows: &[BenchRow]) -> Option<String> {
    let noisy = rows.iter().filter(|row| row.is_noisy()).count();
    (10 * noisy > rows.len()).then(|| {
        format!(
            "warning: {noisy} of {} cases have samples more than 20 % off their median: other programs use this machine, or its clock changes; close them and measure again, or raise --sample-ms",
            rows.len()
        )
    })
}

fn rounds_table(rows: &[&BenchRow]) -> String {
    let mut text = format!(
        "\nliap, four bots\n{:28} {:>12} {:>10}  ratio to v1\n",
        "declarer", "rounds/s", "spread"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:28} {:>12.0} {:>5.2}-{:<4.2}  {:>7.2}",
            row.case,
            row.rounds_per_s.unwrap_or(f64::NAN),
            row.spread.0,
            row.spread.1,
            row.ratio.unwrap_or(f64::NAN)
        );
    }
    text
}

fn csv(rows: &[BenchRow]) -> anyhow::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record([
        "section",
        "case",
        "level",
        "search",
        "threads",
        "pieces_per_s",
        "candidates_per_s",
        "ns_per_candidate",
        "ns_above_constant",
        "ticks_per_candidate",
        "ratio",
        "spread_low",
        "spread_high",
        "rounds_per_s",
        "ns_added_to_bcts",
        "ns_added_low",
        "ns_added_high",
        "path",
        "decision_ratio",
    ])?;
    for row in rows {
        let known = |value: Option<f64>| value.filter(|value| !value.is_nan());
        let real =
            |value: Option<f64>| known(value).map_or("NA".to_owned(), |value| value.to_string());
        csv.write_record([
            row.section,
            &row.case,
            &row.level,
            &row.search,
            &row.threads.to_string(),
            &real(row.pieces_per_s),
            &real(Some(row.candidates_per_s)),
            &real(Some(row.ns_per_candidate)),
            &real(row.ns_above_constant),
            &real(row.ticks_per_candidate),
            &real(row.ratio),
            &real(Some(row.spread.0)),
            &real(Some(row.spread.1)),
            &real(row.rounds_per_s),
            &real(row.ns_added_to_bcts),
            &real(row.ns_added_quartiles.map(|(low, _)| low)),
            &real(row.ns_added_quartiles.map(|(_, high)| high)),
            row.path.unwrap_or("NA"),
            &real(row.decision_ratio),
        ])?;
    }
    String::from_utf8(csv.into_inner()?).context("a name that is not UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(added: (f64, f64, f64), spread: (f64, f64)) -> BenchRow {
        let (low, ns, high) = added;
        BenchRow {
            ns_added_to_bcts: Some(ns),
            ns_added_quartiles: Some((low, high)),
            spread,
            path: Some("sweep"),
            decision_ratio: Some(4.5),
            ..BenchRow::new(Section::FEATURES, "holes".to_owned())
        }
    }

    /// A cost within the noise must not be printed as a negative number.
    #[test]
    fn a_cost_within_the_noise_is_not_measurable() {
        let quiet = (0.95, 1.05);
        assert_eq!(added(&row((28.0, 29.5, 31.0), quiet)), "29.50 (28.00 to 31.00)");
        assert_eq!(added(&row((-6.0, -4.0, -2.0), quiet)), "not measurable");
        assert_eq!(added(&row((-1.0, 0.5, 2.0), quiet)), "not measurable");
        let table = features_table(&[&row((28.0, 29.5, 31.0), quiet)]);
        assert!(table.contains("ns per candidate placement") && table.contains("4.50x"), "{table}");
        assert!(table.contains(" sweep "), "{table}");
    }

    #[test]
    fn a_noisy_machine_is_warned_of() {
        let (quiet, noisy) = (row((1.0, 1.0, 1.0), (0.95, 1.05)), row((1.0, 1.0, 1.0), (0.3, 1.1)));
        let of = |noisy_ones: usize| {
            let rows = (0..10).map(|i| if i < noisy_ones { noisy.clone() } else { quiet.clone() });
            noise(&rows.collect::<Vec<_>>())
        };
        assert_eq!((of(0), of(1)), (None, None));
        assert!(of(2).unwrap().starts_with("warning: 2 of 10 cases"));
    }
}
