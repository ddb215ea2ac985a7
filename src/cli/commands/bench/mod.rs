//! Runs `tetrastat bench`: measures the speed of kernels, features, searches and threads in one
//! run.

mod perft;

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::ensure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use crate::bench::{
    BenchEffort, BenchRow, BenchWatch, FeatureCost, Section, checksum, guideline_checksum, measure,
    measure_controller,
};
use crate::board::BoardSize;
use crate::cli::console::Console;
use crate::cli::console::output::Outcome;
use crate::cli::console::output::TableFormat;
use crate::cli::console::progress::ProgressStatus;
use crate::controller::Controller;
use crate::error::Error;
use crate::kernels::{LEVEL_NAMES, Level};
use crate::liap;
use crate::text::parse::count;
use crate::text::table::{NA, ReportTable, csv_number};

/// Measure the speed of kernels, features, searches and threads
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<BenchCommand>,

    /// Board to measure on
    #[arg(long, default_value = "10x20", value_name = "WxH")]
    board: BoardSize,

    /// Measure what each feature of this controller (a preset or TOML file) costs, by leaving it
    /// out, instead of the sections
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "sections")]
    controller: Option<String>,

    /// Parts to measure
    #[arg(long, value_parser = section(), value_delimiter = ',', default_values_t = sections())]
    sections: Vec<Section>,

    /// Minimum processor time of one sample, in milliseconds (section threads: elapsed time)
    #[arg(long, default_value_t = 30, value_name = "MS", value_parser = count::<u64>(1..=60_000))]
    sample_ms: u64,

    /// Samples per case. The median is reported
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = count::<u16>(1..=1000))]
    repeats: u16,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    Perft(perft::Args),
}

/// Returns all sections of the benchmark, including the section of LIAP.
fn sections() -> Vec<Section> {
    Section::ALL.into_iter().chain([liap::SECTION]).collect()
}

/// Returns the parser of section names, which also describes the sections in the help.
fn section() -> impl TypedValueParser<Value = Section> {
    let values = sections();
    let values = values.iter().map(|one| PossibleValue::new(one.name).help(one.measures));
    PossibleValuesParser::new(values).try_map(|name| {
        let named = sections().into_iter().find(|section| section.name == name);
        named.ok_or_else(|| Error::unknown("section", &name, sections().iter().map(|s| s.name)))
    })
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        if let Some(BenchCommand::Perft(args)) = self.command {
            args.run(console)?;
            return Ok(Outcome::Done);
        }
        let watch = BenchWatch { stop: console.stop_flag()?, ..BenchWatch::default() };
        if let Some(name) = &self.controller {
            return self.features_of(console, &Controller::load(name)?, &watch);
        }
        let behaviour = common(checksum)?;
        let guideline = common(guideline_checksum)?;
        let liap = liap::liap_checksum();
        let effort = self.effort();
        let rows = console.with_progress(
            None,
            || status(&watch),
            || measure(&self.sections, self.board, effort, &watch),
        )?;
        let interrupted = watch.stop.load(Ordering::Relaxed);
        if interrupted && rows.is_empty() {
            console.eprint_line("interrupted before anything was measured");
            return Ok(Outcome::Interrupted);
        }
        self.format.print(
            console,
            || self.text([&behaviour, &guideline, &liap], &rows, interrupted),
            json!({
                "board": self.board.to_string(),
                "checksum": behaviour,
                "guideline_checksum": guideline,
                "liap_checksum": liap,
                "repeats": self.repeats,
                "sample_ms": self.sample_ms,
                "complete": !interrupted,
                "rows": rows,
            }),
            || csv(&rows),
        )?;
        noise(&rows).iter().for_each(|warning| console.eprint_line(warning));
        if interrupted {
            console.eprint_line("interrupted: the results so far are printed, with fewer samples");
            return Ok(Outcome::Interrupted);
        }
        Ok(Outcome::Done)
    }

    fn effort(&self) -> BenchEffort {
        BenchEffort {
            sample: Duration::from_millis(self.sample_ms),
            repeats: usize::from(self.repeats),
        }
    }

    /// Measures and prints what each feature of `controller` costs.
    fn features_of(
        &self,
        console: &Console,
        controller: &Controller,
        watch: &BenchWatch,
    ) -> anyhow::Result<Outcome> {
        let costs = console.with_progress(
            None,
            || status(watch),
            || measure_controller(controller, self.board, self.effort(), watch),
        )?;
        let interrupted = watch.stop.load(Ordering::Relaxed);
        if interrupted {
            console.eprint_line("interrupted: nothing is printed");
            return Ok(Outcome::Interrupted);
        }
        let heading = format!(
            "features of {} on {}, processor time per piece (one greedy decision), medians of {} \
             samples of at least {} ms\nwithout each feature, the others stay; `not measurable`: \
             the lower quartile is not above 0\n\n",
            controller.name, self.board, self.repeats, self.sample_ms
        );
        self.format.print(
            console,
            || heading + &costs_table(&costs).text(),
            json!({
                "controller": controller.name,
                "board": self.board.to_string(),
                "repeats": self.repeats,
                "sample_ms": self.sample_ms,
                "rows": costs,
            }),
            || costs_csv(&costs),
        )?;
        Ok(Outcome::Done)
    }

    fn text(&self, checksums: [&str; 3], rows: &[BenchRow], interrupted: bool) -> String {
        let [behaviour, guideline, liap] = checksums;
        let levels: Vec<&str> = Level::available().map(Level::name).collect();
        let absent: Vec<&str> =
            LEVEL_NAMES.into_iter().filter(|name| !levels.contains(name)).collect();
        let mut text = format!(
            "board {}, medians of {}{} samples of at least {} ms of processor time (section \
             threads: elapsed), cases in turn\nlevels {}",
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
            "\nbehaviour checksum {behaviour}, of guideline games {guideline}, the same at every \
                level; of LIAP {liap}"
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

/// Returns the progress of the measurements: the measured share of the planned time.
fn status(watch: &BenchWatch) -> ProgressStatus {
    let seconds = |ms: &AtomicU64| ms.load(Ordering::Relaxed) as f64 / 1000.0;
    let (taken, all) = (seconds(&watch.taken), seconds(&watch.all));
    ProgressStatus {
        share: (all > 0.0).then(|| (taken / all).min(1.0)),
        text: format!("samples of {taken:.1} of {all:.1} s"),
        ..ProgressStatus::default()
    }
}

/// Computes `checksum` at every instruction-set level of this CPU. Returns the common checksum, or
/// an error if two levels differ.
fn common(checksum: fn(Level) -> Result<String, Error>) -> anyhow::Result<String> {
    let expected = checksum(Level::SCALAR)?;
    for level in Level::available() {
        let found = checksum(level)?;
        ensure!(
            found == expected,
            "level {level} plays differently from scalar ({found}, not {expected}): please report \
                it, and use --simd scalar"
        );
    }
    Ok(expected)
}

/// Formats the rates of the slowest and the fastest sample, relative to the median rate.
fn spread(row: &BenchRow) -> String {
    format!("{:.2}-{:.2}", row.spread.0, row.spread.1)
}

/// Formats the rate of a case, divided by the rate of the base case that the heading names.
fn ratio(row: &BenchRow) -> String {
    format!(" {:>7.2}", row.ratio.unwrap_or(f64::NAN))
}

fn plays_table(title: &str, rows: &[&BenchRow]) -> String {
    let to = if title == "threads" { "one thread" } else { "scalar" };
    let table = ReportTable::new(rows.iter().copied())
        .fitted("controller", 12, |row| row.case.clone())
        .right("level", 9, |row| row.level.clone())
        .right("search", 7, |row| row.search.clone())
        .right("threads", 7, |row| row.threads)
        .right("pieces/s", 12, |row| format!("{:.0}", row.pieces_per_s.unwrap_or(f64::NAN)))
        .right("candidates/s", 14, |row| format!("{:.0}", row.candidates_per_s))
        .right("ns/cand.", 8, |row| format!("{:.2}", row.ns_per_candidate))
        .right("spread", 10, spread)
        .plain(format!(" ratio to {to}"), ratio);
    format!("\n{title}\n{}", table.text())
}

/// Explanation of the columns of the table of features, printed above the table.
const FEATURES_HELP: &str = "\
alone          one feature scored for every placement of a piece; `above constant` excludes \
the cost of a constant feature
in bcts        time that the feature adds to a decision of bcts, with quartiles of the repeats; \
the eight features of bcts
               are left out, others are added; `not measurable`: the lower quartile is not above 0
path           kernel that scores bcts with the feature: the difference kernel, or the sweep \
where the level lacks byte shuffles;
               the whole decision takes `decision` times as long as that of bcts
";

fn features_table(rows: &[&BenchRow]) -> String {
    let real = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let table = ReportTable::new(rows.iter().copied())
        .left("feature", 28, |row| row.case.clone())
        .right("level", 11, |row| row.level.clone())
        .right("alone", 9, |row| format!("{:.2}", row.ns_per_candidate))
        .right("spread", 10, spread)
        .right("above constant", 15, |row| match row.ns_above_constant {
            Some(ns) if ns > 0.0 => format!("{ns:.2}"),
            Some(_) => NOT_MEASURABLE.to_owned(),
            None => NA.to_owned(),
        })
        .right("in bcts", 26, added)
        .right("path", 10, |row| row.path.unwrap_or(NA))
        .right("decision", 9, |row| format!("{:.2}x", real(row.decision_ratio)))
        .right("ticks/cand.", 12, |row| format!("{:.2}", real(row.ticks_per_candidate)))
        .plain(" ratio to scalar", ratio);
    format!("\nfeatures, in ns per candidate placement\n{FEATURES_HELP}{}", table.text())
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

/// Returns a warning if more than a tenth of the cases have outliers. Other programs have then
/// probably disturbed the measurements.
fn noise(rows: &[BenchRow]) -> Option<String> {
    let noisy = rows.iter().filter(|row| row.is_noisy()).count();
    (10 * noisy > rows.len()).then(|| {
        format!(
            "warning: {noisy} of {} cases have samples more than 20 % off their median: other \
                programs use this machine, or its clock changes; close them and measure again, or \
                raise --sample-ms",
            rows.len()
        )
    })
}

fn costs_table(costs: &[FeatureCost]) -> ReportTable<'_, FeatureCost> {
    let shown = |cost: &FeatureCost, text: String| match cost.quartiles.0 > 0.0 {
        true => text,
        false => NOT_MEASURABLE.to_owned(),
    };
    ReportTable::new(costs)
        .left("feature", 28, |cost| cost.feature.clone().unwrap_or("whole controller".to_owned()))
        .right("level", 11, |cost| cost.level.clone())
        .right("ns per piece", 30, move |cost| {
            let (low, high) = cost.quartiles;
            shown(cost, format!("{:.1} ({low:.1} to {high:.1})", cost.ns_per_piece))
        })
        .right("percent", 8, |cost| format!("{:.1}", cost.percent))
        .right("path", 12, |cost| cost.path)
        .right("path without", 13, |cost| cost.path_without)
}

fn costs_csv(costs: &[FeatureCost]) -> csv::Result<String> {
    ReportTable::new(costs)
        .plain("feature", |cost| cost.feature.clone().unwrap_or(NA.to_owned()))
        .plain("level", |cost| cost.level.clone())
        .plain("ns_per_piece", |cost| csv_number(cost.ns_per_piece))
        .plain("ns_low", |cost| csv_number(cost.quartiles.0))
        .plain("ns_high", |cost| csv_number(cost.quartiles.1))
        .plain("percent", |cost| csv_number(cost.percent))
        .plain("path", |cost| cost.path)
        .plain("path_without", |cost| cost.path_without)
        .csv()
}

fn rounds_table(rows: &[&BenchRow]) -> String {
    let table = ReportTable::new(rows.iter().copied())
        .left("declarer", 28, |row| row.case.clone())
        .right("rounds/s", 12, |row| format!("{:.0}", row.rounds_per_s.unwrap_or(f64::NAN)))
        .right("spread", 10, spread)
        .plain(" ratio to v1", ratio);
    format!("\nliap, four bots\n{}", table.text())
}

fn csv(rows: &[BenchRow]) -> csv::Result<String> {
    ReportTable::new(rows)
        .plain("section", |row| row.section)
        .plain("case", |row| row.case.clone())
        .plain("level", |row| row.level.clone())
        .plain("search", |row| row.search.clone())
        .plain("threads", |row| row.threads)
        .plain("pieces_per_s", |row| csv_number(row.pieces_per_s))
        .plain("candidates_per_s", |row| csv_number(row.candidates_per_s))
        .plain("ns_per_candidate", |row| csv_number(row.ns_per_candidate))
        .plain("ns_above_constant", |row| csv_number(row.ns_above_constant))
        .plain("ticks_per_candidate", |row| csv_number(row.ticks_per_candidate))
        .plain("ratio", |row| csv_number(row.ratio))
        .plain("spread_low", |row| csv_number(row.spread.0))
        .plain("spread_high", |row| csv_number(row.spread.1))
        .plain("rounds_per_s", |row| csv_number(row.rounds_per_s))
        .plain("ns_added_to_bcts", |row| csv_number(row.ns_added_to_bcts))
        .plain("ns_added_low", |row| csv_number(row.ns_added_quartiles.map(|(low, _)| low)))
        .plain("ns_added_high", |row| csv_number(row.ns_added_quartiles.map(|(_, high)| high)))
        .plain("path", |row| row.path.unwrap_or(NA))
        .plain("decision_ratio", |row| csv_number(row.decision_ratio))
        .csv()
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
