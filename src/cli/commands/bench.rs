//! Runs `tetrastat bench`: speed of kernels, features, searches and threads; `bench perft`.

use std::sync::atomic::{AtomicU64, Ordering};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::Value as Json;

use crate::bench::{
    BenchEffort, BenchRow, BenchWatch, Section, checksum, guideline_checksum, measure,
    measure_controller,
};
use crate::cli::command_line::join_paragraphs;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::BoardFile;
use crate::cli::options::guideline::TurnOptions;
use crate::cli::prelude::*;
use crate::kernels::{LEVEL_NAMES, Level};
use crate::liap;
use crate::matrix::Matrix;
use crate::queue::QueueKind;
use crate::report::Value;
use crate::rules::guideline::{MoveGenerator, Moves, perft};
use crate::text::numbers::NA;
use crate::text::parse::count;

/// Measure the speed of kernels, features, searches and threads
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<BenchCommand>,

    /// Size of the board on which the benchmarks run
    #[arg(long, default_value = "10x20", value_name = "WxH")]
    board: BoardSize,

    /// Measure what each feature of this controller (a preset or TOML file) costs, by leaving it
    /// out, instead of the benchmark's --sections
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "sections")]
    controller: Option<String>,

    /// Sections of the benchmark to measure
    #[arg(long, value_parser = section(), value_delimiter = ',', default_values_t = sections())]
    sections: Vec<Section>,

    /// Minimum processor time of one sample, in milliseconds (section threads: elapsed time)
    #[arg(long, default_value_t = 30, value_name = "MS", value_parser = count::<u64>(1..=60_000))]
    sample_ms: u64,

    /// Number of samples of each benchmark. The median is reported
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = count::<u16>(1..=1000))]
    repeats: u16,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    Perft(PerftArgs),
}

fn sections() -> Vec<Section> {
    Section::ALL.into_iter().chain([liap::SECTION]).collect()
}

fn section() -> impl TypedValueParser<Value = Section> {
    let values = sections();
    let values = values.iter().map(|one| PossibleValue::new(one.name).help(one.measures));
    PossibleValuesParser::new(values).try_map(|name| {
        let named = sections().into_iter().find(|section| section.name == name);
        named.ok_or_else(|| Error::unknown("section", &name, sections().iter().map(|s| s.name)))
    })
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Printout> {
        if let Some(BenchCommand::Perft(args)) = self.command {
            return args.run();
        }
        let watch = BenchWatch { stop: console.stop_flag()?, ..BenchWatch::default() };
        if let Some(name) = &self.controller {
            return self.features_of(console, &Controller::load(name)?, &watch);
        }
        let behaviour = common_checksum(checksum)?;
        let guideline = common_checksum(guideline_checksum)?;
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
            return Ok(Outcome::Interrupted.into());
        }
        noise_warning(&rows).iter().for_each(|warning| console.eprint_line(warning));
        let mut report = self.conditions();
        report.fact(("complete", ""), !interrupted);
        report.fact(("checksum", "behaviour checksum"), behaviour);
        report.fact(("guideline_checksum", "of guideline games"), guideline);
        report.fact(("liap_checksum", "of LIAP"), liap);
        report.table(table(&rows));
        report.text(HELP);
        if self.sections.iter().any(|section| section.name == "features") {
            report.text(FEATURES_HELP);
        }
        let end = match interrupted {
            true => {
                console
                    .eprint_line("interrupted: the results so far are printed, with fewer samples");
                Outcome::Interrupted
            }
            false => Outcome::Done,
        };
        Ok(Printout { end: Ok(end), ..Printout::new(report, self.format) })
    }

    fn conditions(&self) -> Report {
        let mut report = Report::default();
        let levels: Vec<&str> = Level::available().map(Level::name).collect();
        let is_absent = |name: &&str| !levels.contains(name);
        let absent: Vec<&str> = LEVEL_NAMES.into_iter().filter(is_absent).collect();
        let lacks = match absent.is_empty() {
            true => String::new(),
            false => format!(" (this CPU lacks {})", absent.join(" ")),
        };
        let time = "ms of processor time (section threads: elapsed), cases in turn";
        report.fact("board", self.board.to_string());
        report.fact(
            "repeats",
            Value::new(self.repeats, format!("medians of {} samples", self.repeats)),
        );
        report.fact(
            ("sample_ms", "a sample"),
            Value::new(self.sample_ms, format!("at least {} {time}", self.sample_ms)),
        );
        report.fact("levels", Value::from_data(&levels, levels.join(" ") + &lacks));
        report
    }

    fn effort(&self) -> BenchEffort {
        BenchEffort {
            sample: Duration::from_millis(self.sample_ms),
            repeats: usize::from(self.repeats),
        }
    }

    fn features_of(
        &self,
        console: &Console,
        controller: &Controller,
        watch: &BenchWatch,
    ) -> anyhow::Result<Printout> {
        let costs = console.with_progress(
            None,
            || status(watch),
            || measure_controller(controller, self.board, self.effort(), watch),
        )?;
        if watch.stop.load(Ordering::Relaxed) {
            console.eprint_line("interrupted: nothing is printed");
            return Ok(Outcome::Interrupted.into());
        }
        let mut report = self.conditions();
        report.fact("controller", &controller.name);
        let whole = "whole controller";
        report.table(
            TableOf::new("rows", &costs)
                .title(
                    "processor time per piece (one greedy decision); without each feature, the \
                     others stay",
                )
                .with("feature", |cost| {
                    let name = cost.feature.as_ref();
                    name.map_or_else(|| Value::new(Json::Null, whole), Value::text)
                })
                .with("level", |cost| &cost.level)
                .shown("ns per piece", |cost| measurable(cost.ns_per_piece, cost.quartiles))
                .data("ns_per_piece", |cost| cost.ns_per_piece)
                .data("ns_low", |cost| cost.quartiles.0)
                .data("ns_high", |cost| cost.quartiles.1)
                .with("percent", |cost| Value::real(cost.percent, |it| format!("{it:.1}"))),
        );
        report.text(NOT_MEASURABLE_HELP);
        Ok(Printout::new(report, self.format))
    }
}

fn status(watch: &BenchWatch) -> ProgressStatus {
    let seconds = |ms: &AtomicU64| ms.load(Ordering::Relaxed) as f64 / 1000.0;
    let (taken, all) = (seconds(&watch.taken), seconds(&watch.all));
    ProgressStatus {
        share: (all > 0.0).then(|| (taken / all).min(1.0)),
        text: format!("samples of {taken:.1} of {all:.1} s"),
        ..ProgressStatus::default()
    }
}

/// Returns the checksum of the engine's results, or an error if instruction sets disagree.
fn common_checksum(checksum: fn(Level) -> Result<String, Error>) -> anyhow::Result<String> {
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

fn table(rows: &[BenchRow]) -> TableOf<'_, BenchRow> {
    let decimals = |value: Option<f64>| Value::real(value, |value| format!("{value:.2}"));
    let whole = |value: Option<f64>| Value::real(value, |value| format!("{value:.0}"));
    let if_measurable = |value: Option<f64>, is_measurable: bool| match (value, is_measurable) {
        (Some(value), false) => Value::new(value, NOT_MEASURABLE),
        (value, _) => decimals(value),
    };
    let known = |name: &String| Some(name.clone()).filter(|name| name != NA);
    let quartiles = |row: &BenchRow| row.ns_added_quartiles.unwrap_or_default();
    TableOf::new("rows", rows)
        .grouped()
        .with("section", |row| row.section)
        .with("case", |row| &row.case)
        .with("level", |row| known(&row.level))
        .with("search", |row| known(&row.search))
        .with("threads", |row| row.threads)
        .with(("pieces_per_s", "pieces/s"), |row| whole(row.pieces_per_s))
        .with(("candidates_per_s", "candidates/s"), |row| whole(Some(row.candidates_per_s)))
        .with(("ns_per_candidate", "ns/cand."), |row| decimals(Some(row.ns_per_candidate)))
        .with(("ns_above_constant", "above constant"), |row| {
            if_measurable(row.ns_above_constant, row.ns_above_constant > Some(0.0))
        })
        .with("ratio", |row| decimals(row.ratio))
        .with(("spread_low", "slowest"), |row| decimals(Some(row.spread.0)))
        .with(("spread_high", "fastest"), |row| decimals(Some(row.spread.1)))
        .with(("rounds_per_s", "rounds/s"), |row| whole(row.rounds_per_s))
        .with(("ns_added_to_bcts", "in bcts"), |row| {
            if_measurable(row.ns_added_to_bcts, quartiles(row).0 > 0.0)
        })
        .with(("ns_added_low", "from"), |row| decimals(row.ns_added_quartiles.map(|it| it.0)))
        .with(("ns_added_high", "to"), |row| decimals(row.ns_added_quartiles.map(|it| it.1)))
        .with(("decision_ratio", "decision"), |row| decimals(row.decision_ratio))
}

const HELP: &str = "
ratio          of the rate to that at level scalar; threads: to one thread; liap: to v1
slowest        rates of the slowest and the fastest sample, relative to the median
";

const FEATURES_HELP: &str = "\
ns/cand.       one feature scored for every placement of a piece; `above constant` excludes \
the cost of a constant feature
in bcts        ns per candidate that the feature adds to a decision of bcts, with quartiles of the \
repeats; the eight
               features of bcts are left out, others are added; `not measurable`: the lower \
quartile is not above 0
decision       the whole decision takes this many times as long as that of bcts
";

const NOT_MEASURABLE: &str = "not measurable";
const NOT_MEASURABLE_HELP: &str = "`not measurable`: the lower quartile is not above 0";

fn measurable(ns: f64, (low, high): (f64, f64)) -> String {
    match low > 0.0 {
        true => format!("{ns:.2} ({low:.2} to {high:.2})"),
        false => NOT_MEASURABLE.to_owned(),
    }
}

/// Returns a warning if over a tenth of the benchmarks have unsteady times.
fn noise_warning(rows: &[BenchRow]) -> Option<String> {
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

/// Maximum length of a piece sequence: already eight pieces have some 10^11 placement sequences.
const MAX_PERFT_DEPTH: usize = 10;

const PERFT_HELP: &str =
    "Perft counts landings and checks only that each piece can spawn. A piece that spawns
and locks wholly above row 19 also counts, although it would end a game (lock out). Under
`guideline` rules, a piece falls one row as soon as it enters, and may lock there, in row 20. IIIIII
has 33,325,413 ways, of which 20 end with such a lock. Programs that exclude these, or spawn pieces
elsewhere (`--rules capstone`: 33,325,435), have other totals for sequences that fill the board.";

/// Count the ways to place a piece sequence under guideline rules
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(PERFT_HELP))]
pub(crate) struct PerftArgs {
    /// Sequence of pieces. Full rows are cleared in between
    #[arg(default_value = "IOLJSZT", value_name = "PIECES")]
    pieces: String,

    /// Place only the first N pieces
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    depth: Option<usize>,

    #[command(flatten)]
    file: BoardFile,

    /// `guideline`, `capstone`, `jstris`, `botris`, `tetrio-1`, `tetrio-2`, `puyo-puyo-tetris`, or
    /// a TOML file with your own rules
    #[arg(long, default_value = "guideline")]
    rules: RuleSet,

    #[command(flatten)]
    turns: TurnOptions,

    /// Placements to count: `full` or `hard-drop`
    #[arg(long, default_value = "full", value_name = "MOVES")]
    movement: Moves,

    /// Instruction set of the kernels
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl PerftArgs {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        let pieces = self.pieces()?;
        let matrix = self.file.matrix()?.unwrap_or(Matrix::EMPTY);
        let rules = self.rules.with(&self.turns.rules());
        let movegen = MoveGenerator::new(*rules, self.movement, self.simd);
        let counted = |depth: usize| {
            let clock = Instant::now();
            let ways = perft(&movegen, &matrix, &pieces[..depth]);
            (&pieces[..depth], ways, clock.elapsed().as_secs_f64())
        };
        let rows: Vec<_> = (1..=pieces.len()).map(counted).collect();
        let mut report = Report::default();
        report.table(
            TableOf::new("depths", &rows)
                .with("depth", |(pieces, ..)| pieces.len())
                .with("pieces", |(pieces, ..)| {
                    pieces.iter().map(|it| it.name()).collect::<String>()
                })
                .with("ways", |(_, ways, _)| *ways)
                .with("seconds", |(.., seconds)| Value::real(*seconds, |s| format!("{s:.3}")))
                .with(("ways_per_s", "ways/s"), |(_, ways, seconds)| {
                    (*ways as f64 / seconds.max(1e-9)) as u64
                }),
        );
        Ok(Printout::new(report, self.format))
    }

    fn pieces(&self) -> anyhow::Result<Vec<Piece>> {
        let QueueKind::Script { pieces, .. } = QueueKind::script(&self.pieces, false)? else {
            return Ok(Vec::new());
        };
        let depth = self.depth.unwrap_or(pieces.len());
        ensure!(
            (1..=pieces.len()).contains(&depth),
            "--depth {depth}: give 1 to {}, the number of pieces, or more pieces",
            pieces.len()
        );
        ensure!(
            depth <= MAX_PERFT_DEPTH,
            "{depth} pieces would take years: give at most {MAX_PERFT_DEPTH}"
        );
        Ok(pieces[..depth].to_vec())
    }
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
            decision_ratio: Some(4.5),
            ..BenchRow::new(Section::FEATURES, "holes".to_owned())
        }
    }

    #[test]
    fn a_cost_within_the_noise_is_not_measurable() {
        let quiet = (0.95, 1.05);
        let shown = |ns| {
            let mut report = Report::default();
            report.table(table(&[row(ns, quiet)]));
            report.to_text()
        };
        let text = shown((28.0, 29.5, 31.0));
        assert!([" 29.50 ", " 4.50"].iter().all(|cell| text.contains(cell)), "{text}");
        for ns in [(-6.0, -4.0, -2.0), (-1.0, 0.5, 2.0)] {
            assert!(shown(ns).contains(" not measurable "), "{}", shown(ns));
        }
    }

    #[test]
    fn a_noisy_machine_is_warned_of() {
        let (quiet, noisy) = (row((1.0, 1.0, 1.0), (0.95, 1.05)), row((1.0, 1.0, 1.0), (0.3, 1.1)));
        let of = |noisy_ones: usize| {
            let rows = (0..10).map(|i| if i < noisy_ones { noisy.clone() } else { quiet.clone() });
            noise_warning(&rows.collect::<Vec<_>>())
        };
        assert_eq!((of(0), of(1)), (None, None));
        assert!(of(2).unwrap().starts_with("warning: 2 of 10 cases"));
    }
}
