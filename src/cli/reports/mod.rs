//! Reports of commands and of the folders that they wrote, here those of runs.

use crate::cli::prelude::*;
use crate::cli::reports::compare::percent;
use crate::engine::{Described, Job as _, game_of};
use crate::liap::LiapConfig;
use crate::liap::reports::add_summary;
use crate::record::{Kind, PlacementRecord, Provenance, kind_of, shell_path};
use crate::report::Value;
use crate::stats::{Mean, Spread, Summary, Warning, observed_at_limit};
use crate::text::numbers::{counted, number, significant, thousands, whole};

pub(crate) mod compare;
pub(crate) mod estimate;

/// Returns the report of the run or the estimate in `folder`, and the command that prints it.
pub(crate) fn folder_report(folder: &Path) -> Result<(&'static str, Report)> {
    match kind_of(folder)? {
        Some(Kind::Estimate) => Ok(("estimate", estimate::folder_report(folder)?)),
        _ => Ok(("simulate", run_folder_report(folder)?)),
    }
}

const INTERVAL_METHODS_TEXT: &str = "exponential: lifetimes with a constant risk of the game's end \
    per line; games cut off count with their lines. bootstrap:\nbootstrap-t over independent \
    games. t: Student's t. gamma: rates of rare events. wilson: shares.";

pub(crate) struct DemoRun {
    pub(crate) command: String,
    pub(crate) program: String,
    pub(crate) logged: Option<u64>,
}

/// Creates the report of a run of games: heading, results added by `body`, speed and files.
fn run_report<G: Described>(
    run: &Manifest<G>,
    folder: &Path,
    heading: String,
    (count, unit): (u64, &str),
    body: impl FnOnce(&mut Report),
) -> Report {
    let mut report = Report::default();
    report.data("out", folder);
    report.data("run", run);
    report.text(heading);
    body(&mut report);
    let seconds = run.provenance.elapsed_s;
    // The time of a resumed run covers only its last part, but its pieces are those of all parts.
    let speed = match run.provenance.resumed {
        true => "; the run was resumed".to_owned(),
        false => format!(" = {} {unit}/s", thousands((count as f64 / seconds.max(1e-9)) as u64)),
    };
    report.shown(unit, format!("{} in {seconds:.2} s{speed}", thousands(count)));
    let names: Vec<&str> = run.files.iter().map(|file| file.name.as_str()).collect();
    report.shown("files", format!("{}: {} run.json", folder.display(), names.join(" ")));
    report
}

struct Row<'a> {
    name: &'a str,
    mean: &'a Mean,
    median: Option<&'a Mean>,
    spread: Option<&'a Spread>,
    show: fn(f64) -> String,
}

impl Row<'_> {
    fn text(&self, value: f64) -> String {
        match (self.show)(value) {
            text if value > 0.0 && text.parse() == Ok(0.0) => significant(value),
            text => text,
        }
    }
}

fn add_means(report: &mut Report, summary: &Summary, warns: impl Fn(&Warning) -> bool) {
    let Summary { means, spread, median, clears, points_by } = summary;
    let two_decimals = |count| match count < 100.0 {
        true => format!("{count:.2}"),
        false => number(count),
    };
    let row = |name, mean, show| Row {
        name,
        mean,
        median: median.get(name),
        spread: spread.get(name),
        show,
    };
    let of_all = means.iter().map(|(name, mean)| match name.as_str() {
        "lost" | "won" | "survived" => row(name, mean, percent as fn(f64) -> String),
        name if name.starts_with("won_in_") => row(name, mean, percent),
        "inputs_per_piece" | "pieces_per_second" => row(name, mean, two_decimals),
        name => row(name, mean, number),
    });
    // Clears that never happened are shown too. A missing row could also mean that they were not
    // counted.
    let clears = clears.iter().map(|(name, mean)| row(name, mean, two_decimals));
    let points = points_by.iter().map(|(name, mean)| row(name, mean, number));
    let rows: Vec<Row> = of_all.collect();
    let others: Vec<Row> = points.chain(clears).collect();
    let of = |get: fn(&Spread) -> Option<f64>| {
        move |row: &Row| Value::real(row.spread.and_then(get), |value| row.text(value))
    };
    report.table(
        TableOf::new("", &rows)
            .with("value", |row| row.name)
            .mean(|row| Some(row.mean), |row, mean| row.text(mean))
            .with("observed mean", |row| {
                (row.mean.censored > 0).then(|| of(|spread| Some(spread.observed_mean))(row))
            })
            .with(("sd", "SD"), of(|spread| spread.sd))
            .with("min", of(|spread| Some(spread.min)))
            .with("median", of(|spread| Some(spread.median)))
            .shown("95 % interval", |row| {
                row.median?.interval().map(|it| Value::right(it.text(whole)))
            })
            .with("max", of(|spread| Some(spread.max))),
    );
    report.table(
        TableOf::new("", &others)
            .with("per game", |row| row.name)
            .mean(|row| Some(row.mean), |row, mean| row.text(mean)),
    );
    report.text(INTERVAL_METHODS_TEXT);
    let mut notes = Vec::new();
    for warning in means.values().flat_map(|mean| &mean.warnings).filter(|it| warns(it)) {
        let note = warning.to_string();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.into_iter().for_each(|note| report.text(format!("note: {note}")));
}

pub(crate) fn guideline_report(
    config: &GuidelineConfig,
    run: &Manifest<GuidelineConfig>,
    folder: &Path,
) -> Report {
    let heading = format!(
        "{} of {} under {} rules: {} ({}{}, {} movement)",
        counted(run.totals.games, "game"),
        config.mode.name(),
        config.rules,
        config.controller.name,
        config.beam.name(),
        config.policy.label(", policy "),
        config.moves,
    );
    run_report(run, folder, heading, (run.totals.pieces, "pieces"), |report| {
        let Some(summary) = &run.summary else { return };
        add_means(report, summary, |_| true);
        if config.mode.goal().is_some() {
            report.text("note: pieces, inputs and won_in of a Sprint are those of wins");
        } else if config.mode.is_race() {
            report.text("note: pieces, lines and inputs of a cheese race are those of wins");
        }
        if let Some(Mean { n, censored: censored @ 1.., .. }) = summary.means.get("points") {
            report.text(format!("note: {}: raise --pieces", observed_at_limit(*censored, *n)));
        }
    })
}

pub(crate) fn liap_report(
    config: &LiapConfig,
    run: &Manifest<LiapConfig>,
    folder: &Path,
) -> Report {
    run_report(run, folder, "rounds of LIAP".to_owned(), (run.totals.rounds, "rounds"), |report| {
        run.summary.iter().for_each(|summary| add_summary(report, config, summary));
    })
}

fn run_folder_report(folder: &Path) -> Result<Report> {
    fn read<G: Described>(
        folder: &Path,
        report: impl FnOnce(&G::Entry, &Manifest<G>, &Path) -> Report,
    ) -> Result<Report> {
        let run = Manifest::<G>::read(folder)?;
        let mut report = report(&run.config, &run, folder);
        match &run.status {
            Status::Complete => {}
            Status::Interrupted => report.shown("status", "interrupted"),
            Status::Failed(problem) => report.shown("status", format!("failed: {problem}")),
        }
        Ok(report)
    }
    match &*game_of(folder)? {
        GuidelineConfig::NAME => read(folder, guideline_report),
        LiapConfig::NAME => read(folder, liap_report),
        _ => read(folder, |config: &ClassicConfig, run, folder| {
            ClassicReport { config, run, sample: &[], estimate: None, demo: None }.report(folder)
        }),
    }
}

pub(crate) struct ClassicReport<'a> {
    pub(crate) config: &'a ClassicConfig,
    pub(crate) run: &'a Manifest<ClassicConfig>,
    pub(crate) sample: &'a [PlacementRecord],
    /// Command that estimates the mean lines of these games; `None` if none is to be suggested.
    pub(crate) estimate: Option<&'a str>,
    pub(crate) demo: Option<&'a DemoRun>,
}

impl ClassicReport<'_> {
    pub(crate) fn report(&self, folder: &Path) -> Report {
        let run = self.run;
        let preamble = self.demo.map(|DemoRun { command, .. }| {
            format!("No game options given. Running the demo: {command}\n\n")
        });
        let heading = preamble.unwrap_or_default() + &self.heading();
        let mut report =
            run_report(run, folder, heading, (run.totals.pieces, "pieces"), |report| {
                if !self.sample.is_empty() {
                    report.table(self.sample_table());
                }
                let all = run.summary.as_ref();
                if let Some((lines, summary)) =
                    all.and_then(|all| all.means.get("lines").zip(Some(all)))
                {
                    self.add_summary(report, lines, summary);
                }
            });
        if let Some(demo) = self.demo {
            next_steps(&mut report, demo, folder);
        }
        report
    }

    fn heading(&self) -> String {
        let ClassicConfig { controller, search, .. } = self.config;
        // A bot searches by itself. The option decides only whether it knows the next piece.
        let search = match (self.config.has_bot(), search) {
            (false, search) => format!("search {search}"),
            (true, Search::Next) => "search of the bot with the next piece".to_owned(),
            (true, _) => "search of the bot".to_owned(),
        };
        let settings = self.config.heading(&search).join(" · ");
        let Provenance { threads, simd, .. } = &self.run.provenance;
        let simd = simd.as_deref().unwrap_or("none");
        format!("{} · {settings} · {threads} thread(s) · simd {simd}", controller.name)
    }

    fn sample_table(&self) -> TableOf<'_, PlacementRecord> {
        let real = |value: Option<f64>| Value::real(value, |value| format!("{value:.3}"));
        let candidate = |shown: &PlacementRecord| shown.decision.outcome.played.candidate;
        TableOf::new("", self.sample)
            .title("some placements of game 0")
            .with("piece_no", |shown| Value::new(shown.piece_no, shown.piece_no))
            .with("piece", |shown| shown.piece.to_string())
            .with("orientation", move |shown| candidate(shown).placement.orientation)
            .with("column", move |shown| candidate(shown).placement.column)
            .with("row", move |shown| candidate(shown).row)
            .with("lines", |shown| shown.decision.outcome.played.lines)
            .with("lines_total", |shown| Value::new(shown.lines_total, shown.lines_total))
            .with("score", move |shown| real(shown.decision.score(shown.scale)))
            .with("margin", move |shown| real(shown.decision.margin(shown.scale)))
            .with("heights afterwards", |shown| {
                let after = &shown.decision.outcome.after;
                let heights = after.heights();
                let heights = heights[..after.width()].iter().map(ToString::to_string);
                heights.collect::<Vec<_>>().join(" ")
            })
    }

    fn add_summary(&self, report: &mut Report, lines: &Mean, summary: &Summary) {
        let Mean { n: games, censored, .. } = *lines;
        let mut ended = format!("{}, {} ended", thousands(games), thousands(games - censored));
        if censored > 0 {
            ended += &format!(", {} censored at {}", thousands(censored), self.limits());
        }
        report.shown("games", ended);
        // Notes of its own say more about a single game, and about games that were all cut off.
        add_means(report, summary, |warning| match warning {
            Warning::AllCensored { .. } => false,
            Warning::FewGames { .. } => games > 1,
            _ => true,
        });
        if games == 1 && lines.interval().is_some() {
            let note = "note: one game gives almost no information about the mean";
            report.text(match self.estimate {
                Some(estimate) => {
                    format!("{note}; this command estimates it to within 20 %:\n      {estimate}")
                }
                None => format!("{note}: give more --games"),
            });
        } else if censored == games {
            report.text(format!(
                "note: mean lines per game: unknown (no game finished; all were cut off at {}); {}",
                self.limits(),
                self.advice()
            ));
        }
    }

    fn advice(&self) -> String {
        let limits = &self.config.limits;
        let names = [("--max-pieces", limits.pieces), ("--max-lines", limits.lines)];
        let names = names.iter().filter(|(_, limit)| limit.is_some());
        let raise: Vec<String> = names.map(|(name, _)| format!("raise {name} (or none)")).collect();
        let raise =
            if raise.is_empty() { "resume the run".to_owned() } else { raise.join(" and ") };
        let (board, estimate) = ("give a smaller --board", "use `tetrastat estimate`");
        match self.estimate {
            Some(_) => format!("for a mean with an interval, {raise}, {board}, or {estimate}"),
            None => format!("for a mean with an interval, {raise}, or {board}"),
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

/// Adds a table of commands to try after the demo run, each with an explanation.
fn next_steps(report: &mut Report, DemoRun { program, logged, .. }: &DemoRun, folder: &Path) {
    let folder = shell_path(folder);
    let replay = logged.map(|game| {
        (format!("{program} watch --replay {folder} --game {game}"), "a game of its log")
    });
    let others = [
        (format!("{program} data verify {folder}"), "checks that the files are unchanged"),
        (format!("Rscript analysis/report.R {folder} -o report.html"), "its figures, with R"),
        (
            format!("{program} compare bcts dt20 --board 10x10 --max-pieces none"),
            "two controllers on the same games",
        ),
        (format!("{program} simulate --board 10x20"), "the usual board, where games are cut off"),
        (format!("{program} estimate"), "an estimate of the mean on that board"),
        (format!("{program} simulate --help"), "every option"),
    ];
    let steps: Vec<(String, &str)> = replay.into_iter().chain(others).collect();
    report.table(
        TableOf::new("", &steps)
            .with("next", |step| &step.0)
            .with("what it shows", |step| format!("# {}", step.1)),
    );
}
