//! Formats the results of `simulate`.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::playable::classic_heading_with;
use crate::record::{Lifetime, Status, shell_path};
use crate::search::Search;
use crate::sim::{ClassicConfig, ClassicManifest, SampledPlacement};
use crate::stats::{FEWEST, Interval, Summary};
use crate::text::numbers::{number, thousands, whole};
use crate::text::table::{ReportTable, or_na};

/// A finished run with the data of its printed report.
pub(crate) struct Report<'a> {
    config: &'a ClassicConfig,
    run: &'a ClassicManifest,
    folder: &'a Path,
    sample: &'a [SampledPlacement],
    /// Command line that estimates the mean lines of the games of this run; `None` if estimates do
    /// not play such games.
    estimate: Option<&'a str>,
    summary: Option<Summary>,
    first: Option<DemoRun>,
}

/// Data for the explanation of the demo run, which `simulate` plays if it is called without
/// options.
#[derive(Clone)]
pub(crate) struct DemoRun {
    /// Complete command line of the demo.
    pub(crate) command: String,
    /// Name under which the program was called.
    pub(crate) program: String,
    /// Number of a game whose placements were logged; `None` if no game was logged.
    pub(crate) logged: Option<u64>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        config: &'a ClassicConfig,
        run: &'a ClassicManifest,
        lifetimes: &[Lifetime],
        folder: &'a Path,
        sample: &'a [SampledPlacement],
        estimate: Option<&'a str>,
        first: Option<DemoRun>,
    ) -> Report<'a> {
        let summary = Summary::of(lifetimes, config.queue.is_random(), config.seed);
        Report { config, run, folder, sample, estimate, summary, first }
    }

    pub(crate) fn print(&self, console: &Console, format: Format) -> anyhow::Result<()> {
        let json = json!({
            "out": self.folder,
            "summary": self.summary,
            "run": self.run,
        });
        format.print(console, || self.text(), json)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(DemoRun { command, .. }) = &self.first {
            let _ = writeln!(text, "No game options given. Running the demo: {command}\n");
        }
        text.push_str(&self.heading());
        if !self.sample.is_empty() {
            text.push_str(&self.sample_table());
        }
        if let Some(summary) = &self.summary {
            text.push_str(&self.summary_text(summary));
        }
        let names: Vec<&str> = self.run.files.iter().map(|file| file.name.as_str()).collect();
        let folder = self.folder.display();
        let _ = writeln!(text, "files    {folder}: {} run.json", names.join(" "));
        if let Some(first) = &self.first {
            text.push_str(&self.next_steps(first));
        }
        text
    }

    /// Formats the commands that the user can try after the demo run, one per line with an
    /// explanation.
    fn next_steps(&self, DemoRun { program, logged, .. }: &DemoRun) -> String {
        let folder = shell_path(self.folder);
        let mut steps = Vec::new();
        if let Some(game) = logged {
            steps.push((
                format!("{program} watch --replay {folder} --game {game}"),
                "a game of its log",
            ));
        }
        let others = [
            (format!("{program} data verify {folder}"), "checks that the files are unchanged"),
            (format!("Rscript analysis/report.R {folder} -o report.html"), "its figures, with R"),
            (
                format!("{program} compare bcts dt20 --board 10x10 --max-pieces none"),
                "two controllers on the same games",
            ),
            (
                format!("{program} simulate --board 10x20"),
                "the usual board, where games are cut off",
            ),
            (format!("{program} estimate"), "an estimate of the mean on that board"),
            (format!("{program} simulate --help"), "every option"),
        ];
        steps.extend(others);
        let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
        let labels = std::iter::once("next").chain(std::iter::repeat(""));
        let line = |(label, (command, why)): (&str, (String, &str))| {
            format!("{label:8} {command:width$}  # {why}\n")
        };
        labels.zip(steps).map(line).collect()
    }

    fn heading(&self) -> String {
        let ClassicConfig { controller, search, threads, .. } = self.config;
        // A bot searches by itself. The option decides only whether it knows the next piece.
        let search = match (self.config.has_bot(), search) {
            (false, search) => format!("search {search}"),
            (true, Search::Next) => "search of the bot with the next piece".to_owned(),
            (true, _) => "search of the bot".to_owned(),
        };
        let settings = classic_heading_with(self.config, search).join(" · ");
        let name = &controller.name;
        let simd = self.run.simd.as_deref().unwrap_or("none");
        format!("{name} · {settings} · {threads} thread(s) · simd {simd}\n")
    }

    fn sample_table(&self) -> String {
        let real = |value: Option<f64>| or_na(value.map(|value| format!("{value:.3}")));
        let heights = |shown: &SampledPlacement| {
            shown.heights.iter().map(|height| format!(" {height}")).collect::<String>()
        };
        let table = ReportTable::new(self.sample)
            .right("piece_no", 9, |shown| shown.piece_no)
            .right("piece", 5, |shown| shown.piece)
            .right("orientation", 11, |shown| shown.candidate.placement.orientation)
            .right("column", 6, |shown| shown.candidate.placement.column)
            .right("row", 3, |shown| shown.candidate.row)
            .right("lines", 5, |shown| shown.lines)
            .right("lines_total", 11, |shown| shown.lines_total)
            .right("score", 12, |shown| real(shown.score))
            .right("margin", 10, |shown| real(shown.margin))
            .plain(" heights afterwards", heights);
        format!("\nsome placements of game 0\n{}\n", table.text())
    }

    fn summary_text(&self, summary: &Summary) -> String {
        let manifest = &self.run;
        let mut text =
            format!("games    {}, {} ended", summary.games, summary.games - summary.censored);
        if summary.censored > 0 {
            let _ = write!(text, ", {} censored at {}", summary.censored, self.limits());
        }
        text.push('\n');
        text.push_str(&match summary.games {
            1 => format!("lines    {}\n", thousands(summary.min as u64)),
            _ => format!(
                "lines    observed mean {}, SD {}, median {}, min {}, max {}\n",
                number(manifest.totals.lines as f64 / summary.games as f64),
                summary.sd.map_or("unknown".to_owned(), number),
                whole(summary.median),
                thousands(summary.min as u64),
                thousands(summary.max as u64)
            ),
        });
        let mean = match summary.mean {
            Some(mean) => format!("{} (all lines / games that ended)", number(mean)),
            None => format!("unknown (no game finished; all were cut off at {})", self.limits()),
        };
        let _ = writeln!(text, "         mean lines per game: {mean}");
        text.push_str(&intervals(summary));
        if summary.games == 1 && summary.exponential.is_some() {
            text.push_str(&self.advice_for_one());
        } else if summary.censored == summary.games {
            text.push_str(&self.advice());
        }
        let (pieces, seconds) = (manifest.totals.pieces, manifest.elapsed_s);
        let speed = if manifest.resumed {
            "; the run was resumed".to_owned()
        } else {
            format!(" = {} pieces/s", thousands((pieces as f64 / seconds.max(1e-9)) as u64))
        };
        let _ = writeln!(text, "pieces   {} in {seconds:.2} s{speed}", thousands(pieces));
        text
    }

    /// Returns a note that one game says little about the mean, with the command that estimates it
    /// if there is one.
    fn advice_for_one(&self) -> String {
        let note = "note     one game gives almost no information about the mean";
        match self.estimate {
            Some(estimate) => {
                format!("{note}; this command estimates it to within 20 %:\n         {estimate}\n")
            }
            None => format!("{note}: give more --games\n"),
        }
    }

    /// Returns advice on how to obtain a mean after a run in which no game ended.
    fn advice(&self) -> String {
        let limits = &self.config.limits;
        let names = [("--max-pieces", limits.pieces), ("--max-lines", limits.lines)];
        let raise: Vec<String> = names
            .iter()
            .filter(|(_, limit)| limit.is_some())
            .map(|(name, _)| format!("raise {name} (or none)"))
            .collect();
        let raise =
            if raise.is_empty() { "resume the run".to_owned() } else { raise.join(" and ") };
        let (board, estimate) = ("give a smaller --board", "use `tetrastat estimate`");
        match self.estimate {
            Some(_) => {
                format!("         for a mean with an interval, {raise}, {board}, or {estimate}\n")
            }
            None => format!("         for a mean with an interval, {raise}, or {board}\n"),
        }
    }

    fn limits(&self) -> String {
        let limits = &self.config.limits;
        let pieces = limits.pieces.map(|limit| format!("{} pieces", thousands(limit)));
        let lines = limits.lines.map(|limit| format!("{} lines", thousands(limit)));
        // If the whole run ended early, its games in progress were censored too.
        let end = match self.run.status {
            Status::Complete => None,
            Status::Interrupted => Some("the interrupt".to_owned()),
            Status::Failed(_) => Some("the failure".to_owned()),
        };
        pieces.into_iter().chain(lines).chain(end).collect::<Vec<_>>().join(" or ")
    }
}

fn intervals(summary: &Summary) -> String {
    let Some(exponential) = summary.exponential else {
        return "         95 % interval: not available (the queue deals every game the same \
            pieces)\n"
            .to_owned();
    };
    let (lifetimes, bootstrap) = if summary.censored > 0 {
        ("exponential lifetimes, censored games as exposure", "assumes a constant risk per line")
    } else {
        ("exponential lifetimes", "assumes only that games are independent")
    };
    let mut text = format!(
        "         95 % interval {} ({lifetimes}; assumes a constant risk per line)\n",
        interval(exponential)
    );
    if summary.is_unlike_exponential() {
        text.push_str(
            "         note: SD/mean is far from 1, so lifetimes are not exponential \
            here: trust the bootstrap-t\n",
        );
    }
    match summary.bootstrap {
        Some(found) => {
            let _ = writeln!(
                text,
                "         95 % interval {} (bootstrap-t over games; {bootstrap})",
                interval(found)
            );
        }
        None => {
            let _ = writeln!(
                text,
                "         95 % interval: not available (bootstrap-t needs {FEWEST} finished \
                    games; this run has {})",
                summary.games - summary.censored
            );
        }
    }
    text
}

fn interval(interval: Interval) -> String {
    let high = interval.high.map_or("unbounded".to_owned(), number);
    format!("{} to {high}", number(interval.low))
}
