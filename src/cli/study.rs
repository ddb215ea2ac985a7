//! `tetrastat study`: a table of runs over common seeds.

use std::fmt::Write;
use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{anyhow, bail};
use serde_json::json;

use super::help::prose;
use super::interrupt::stop_flag;
use super::options::count;
use super::output::{number, print, print_json, thousands, whole};
use super::progress::with_progress;
use super::{Format, Outcome, complain, study_file};
use crate::error::Error;
use crate::record::{ConditionRow, Progress, Results, Status};
use crate::sim::Totals;
use crate::study::{Condition, Study};

/// What `--help` shows below the options.
const HELP: &str = r#"The file is TOML. Its keys are the options of simulate, with _ for -, and hold for all conditions;
a list under a plural name (controllers, rules, boards, queues, searches, seeds) is an axis. The
conditions are every combination of the axes, in this order, the last varying fastest; then come the
[[condition]] tables, single conditions with settings of their own. Paths are relative to the file:

    controllers = ["bcts", "dt20", "mine.toml"]  # beside this file
    boards = ["10x10", "10x20"]
    seed = 7
    games = 1000
    max_pieces = "none"
    placements = "none"

    [[condition]]
    controller = "dellacherie"
    board = "10x20"
    rules = "standard"

Under the same seed, game i is dealt the same pieces in every condition (of the same queue). The same
command again goes on with a study that was killed or interrupted, to the same bytes."#;

/// Play a table of conditions over common seeds, and collect their results
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args {
    /// The study's TOML file: what --help shows an example of
    file: PathBuf,

    /// Output folder: a new one, or that of the same study, which goes on
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<PathBuf>,

    /// Worker threads, whatever the file says
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// List the conditions without playing
    #[arg(long)]
    dry_run: bool,

    /// How to print the table of conditions
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let failed = |e| Error::io("reading", &self.file, e);
        let text = fs::read_to_string(&self.file).map_err(failed)?;
        let conditions = study_file::read(&self.file, &text, self.threads)?;
        let out = match self.out {
            Some(out) if !self.dry_run => out,
            _ => return list(&conditions, self.format),
        };
        let stop = stop_flag()?;
        let mut study = Study::open(&out, &text, conditions)?;
        let played = play(&mut study, &stop);
        let (complete, all) = (study.complete(), study.rows().len());
        let kept =
            format!("{complete} of {all} conditions are complete and kept in {}", out.display());
        if let Err(error) = played {
            bail!("{error}; {kept}");
        }
        study.collect()?;
        report(study.rows(), &out, self.format)?;
        if complete == all {
            return Ok(Outcome::Done);
        }
        complain(&format!("interrupted: {kept}; the same command goes on"));
        Ok(Outcome::Interrupted)
    }
}

/// Plays what is not complete, in order, until `stop` is raised.
pub(super) fn play(study: &mut Study, stop: &AtomicBool) -> anyhow::Result<()> {
    let all = study.rows().len();
    for place in 0..all {
        if study.rows()[place].status == Progress::Complete {
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let folder = study.conditions()[place].folder.clone();
        let config = study.conditions()[place].job.config().clone();
        let totals = Totals::default();
        let label = format!("{}/{all} ", place + 1);
        let played = with_progress(&label, &config, &totals, || study.play(place, &totals, stop));
        let played = played.map_err(|error| anyhow!("{folder}: {error}"))?;
        if played.run.manifest.status == Status::Complete && stderr().is_terminal() {
            let seconds = played.run.manifest.elapsed_s;
            complain(&format!("{label}{folder}: {} in {seconds:.2} s", said(&study.rows()[place])));
        }
    }
    Ok(())
}

/// A condition's result in a few words.
fn said(row: &ConditionRow) -> String {
    let Some(results) = &row.results else { return row.status.to_string() };
    let mean = results.mean.map_or("NA".to_owned(), number);
    format!("{} games, {} ended, mean {mean} lines", thousands(results.games), results.ended)
}

pub(super) fn list(conditions: &[Condition], format: Format) -> anyhow::Result<Outcome> {
    // Of a condition that is pending nothing is read.
    let row = |condition: &Condition| condition.row(Path::new(""), Progress::Pending);
    let rows = conditions.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
    match format {
        Format::Json => print_json(&json!({ "conditions": rows }))?,
        Format::Text => {
            let lines = rows.iter().map(|row| row.folder.clone() + "\n");
            let count = format!("{} conditions\n", rows.len());
            print(&lines.chain([count]).collect::<String>())?;
        }
    }
    Ok(Outcome::Done)
}

/// The table of conditions, in their order.
fn report(rows: &[ConditionRow], out: &Path, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        return print_json(&json!({ "out": out, "conditions": rows }));
    }
    let width = rows.iter().map(|row| row.folder.len()).max().unwrap_or(0);
    let mut text = format!(
        "{:width$} {:>9} {:>9} {:>12}  {:>25} {:>12}\n",
        "condition", "games", "ended", "mean lines", "95 % interval", "median"
    );
    for row in rows {
        let cells = row.results.as_ref().map_or(row.status.to_string(), cells);
        writeln!(text, "{:width$} {cells}", row.folder)?;
    }
    text.push_str("mean lines of a finished game (all lines / games that ended); interval for exponential lifetimes\n");
    let whole = rows.iter().all(|row| row.status == Progress::Complete);
    let games = if whole { " games.csv" } else { "" };
    writeln!(text, "files    {}: conditions.csv{games} study.toml", out.display())?;
    Ok(print(&text)?)
}

fn cells(results: &Results) -> String {
    let real = |value: Option<f64>| value.map_or("NA".to_owned(), number);
    let interval = match results.exponential {
        (None, _) => "NA".to_owned(),
        (low, None) => format!("{} to unbounded", real(low)),
        (low, high) => format!("{} to {}", real(low), real(high)),
    };
    format!(
        "{:>9} {:>9} {:>12}  {interval:>25} {:>12}",
        thousands(results.games),
        thousands(results.ended),
        real(results.mean),
        whole(results.median)
    )
}
