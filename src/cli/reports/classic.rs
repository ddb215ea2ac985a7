//! Formats the results of `simulate`.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::playable::classic_heading_with;
use crate::cli::reports::compare::ends;
use crate::record::{Status, shell_path};
use crate::search::Search;
use crate::sim::{ClassicConfig, ClassicManifest, SampledPlacement};
use crate::stats::{FEWEST, Mean, Method, Summary, Warning};
use crate::text::numbers::{number, thousands, whole};
use crate::text::table::{ReportTable, or_na};

/// A finished run with the data of its printed report.
pub(crate) struct Report<'a> {
    pub(crate) config: &'a ClassicConfig,
    pub(crate) run: &'a ClassicManifest,
    pub(crate) folder: &'a Path,
    pub(crate) sample: &'a [SampledPlacement],
    /// Command line that estimates the mean lines of the games of this run; `None` if estimates do
    /// not play such games.
    pub(crate) estimate: Option<&'a str>,
    pub(crate) first: Option<&'a DemoRun>,
}

/// Data for the explanation of the demo run, which `simulate` plays if it is called without
/// options.
pub(crate) struct DemoRun {
    /// Complete command line of the demo.
    pub(crate) command: String,
    /// Name under which the program was called.
    pub(crate) program: String,
    /// Number of a game whose placements were logged; `None` if no game was logged.
    pub(crate) logged: Option<u64>,
}

impl Report<'_> {
    pub(crate) fn print(&self, console: &Console, format: Format) -> anyhow::Result<()> {
        let json = json!({ "out": self.folder, "run": self.run });
        format.print(console, || self.text(), json)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(DemoRun { command, .. }) = self.first {
            let _ = writeln!(text, "No game options given. Running the demo: {command}\n");
        }
        text.push_str(&self.heading());
        if !self.sample.is_empty() {
            text.push_str(&self.sample_table());
        }
        let lines = self.run.summary.as_ref().and_then(|all| all.means.get("lines").zip(Some(all)));
        if let Some((lines, summary)) = lines {
            text.push_str(&self.summary_text(lines, summary));
        }
        let names: Vec<&str> = self.run.files.iter().map(|file| file.name.as_str()).collect();
        let folder = self.folder.display();
        let _ = writeln!(text, "files    {folder}: {} run.json", names.join(" "));
        if let Some(first) = self.first {
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

    fn summary_text(&self, lines: &Mean, summary: &Summary) -> String {
        let (manifest, games) = (self.run, lines.n);
        let mut text = format!("games    {games}, {} ended", games - lines.censored);
        if lines.censored > 0 {
            let _ = write!(text, ", {} censored at {}", lines.censored, self.limits());
        }
        text.push('\n');
        if let Some(spread) = summary.spread.get("lines") {
            let [min, max] = [spread.min, spread.max].map(|lines| thousands(lines as u64));
            text.push_str(&match games {
                1 => format!("lines    {min}\n"),
                _ => format!(
                    "lines    observed mean {}, SD {}, median {}, min {min}, max {max}\n",
                    number(spread.observed_mean),
                    spread.sd.map_or("unknown".to_owned(), number),
                    whole(spread.median),
                ),
            });
        }
        let mean = match lines.mean {
            Some(mean) => format!("{} (all lines / games that ended)", number(mean)),
            None => format!("unknown (no game finished; all were cut off at {})", self.limits()),
        };
        let _ = writeln!(text, "         mean lines per game: {mean}");
        text.push_str(&intervals(lines, summary));
        if games == 1 && lines.interval().is_some() {
            text.push_str(&self.advice_for_one());
        } else if lines.censored == games {
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

/// Formats the intervals of the mean lines, the one that comparisons choose first.
fn intervals(lines: &Mean, summary: &Summary) -> String {
    if lines.warnings.contains(&Warning::SameGames) {
        return "         95 % interval: not available (the queue deals every game the same \
            pieces)\n"
            .to_owned();
    }
    let (lifetimes, bootstrap) = if lines.censored > 0 {
        ("exponential lifetimes, censored games as exposure", "assumes a constant risk per line")
    } else {
        ("exponential lifetimes", "assumes only that games are independent")
    };
    let mut text = String::new();
    let all = ["lines", "lines_exponential", "lines_bootstrap"];
    for mean in all.iter().filter_map(|name| summary.means.get(*name)) {
        let how = match mean.method {
            Some(Method::Exponential) => {
                format!("{lifetimes}; assumes a constant risk per line")
            }
            _ => format!("bootstrap-t over games; {bootstrap}"),
        };
        let _ = match mean.interval() {
            Some(found) => {
                writeln!(text, "         95 % interval {} ({how})", ends(found, number))
            }
            None => writeln!(
                text,
                "         95 % interval: not available (bootstrap-t needs {FEWEST} finished games; \
                 this run has {})",
                mean.n - mean.censored
            ),
        };
    }
    let odd = |warning: &&Warning| matches!(warning, Warning::NotExponential { .. });
    if let Some(warning) = lines.warnings.iter().find(odd) {
        let _ = writeln!(text, "note     {warning}");
    }
    text
}
