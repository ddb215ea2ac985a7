//! Runs `tetrastat reproduce`: plays the games of published tables again and compares the results.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use serde_json::json;

use crate::cli::commands::study;
use crate::cli::console::Console;
use crate::cli::console::output::{Format, Outcome};
use crate::cli::options::games::for_game;
use crate::cli::options::help::prose;
use crate::cli::options::playable::Playable;
use crate::cli::options::study_file;
use crate::cli::reports::compare::ends;
use crate::error::Error;
use crate::record::{
    PublishedComparison, PublishedScore, ReproducedRow, Statistic, write_reproduced,
};
use crate::reproduce::{CLASSIC_TABLES, Planned, TABLES, plan, published, reproduced, study_text};
use crate::stats::Mean;
use crate::study::{Condition, Study};
use crate::text::numbers::{number, thousands};
use crate::text::parse::{count, seed};
use crate::text::table::ReportTable;
use crate::text::table::or_na;

const HELP: &str =
    "Tables: 10x10, generators, original, ladder, lee, 10x20; for guideline games sprint
(pieces) and blitz (points). A folder holds one game, so tables of guideline games must be named
with --table.

The folder is that of a study. The same command resumes an interrupted one, and the output is
byte-identical. reproduced.csv lists each condition beside its published result. A ratio is ours /
published. Its 95 % interval assumes exponential lifetimes, and a published mean of as many games as
stated. For guideline games, the mean's interval is a bootstrap-t, the median's uses order
statistics, and the published number is taken as exact. One true ratio in twenty lies outside.
`agrees`: the interval contains 1. `open`: too few games ended to decide.";

/// Play the published tables again and compare the results
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// Tables to play, joined by commas [default: all tables of classic games]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    table: Vec<String>,

    /// Play fewer and shorter games: all tables take about two minutes on two cores, and intervals
    /// are wider
    #[arg(long)]
    quick: bool,

    /// List the published results and play nothing
    #[arg(long)]
    list: bool,

    /// Print the plan as a file for `tetrastat study` (with --format json as a table of conditions)
    /// and play nothing
    #[arg(long, conflicts_with = "list")]
    dry_run: bool,

    /// Seed of all runs, decimal or 0x hexadecimal
    #[arg(long, default_value = "1", value_parser = seed)]
    seed: u64,

    /// Output folder: a new one, or that of the same reproduction, which is resumed [default:
    /// runs/reproduce, or runs/reproduce-quick]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        if self.list {
            return list(console, &self.table, self.format);
        }
        let planned = plan(&self.tables(), self.quick)?;
        self.refuse_several_games()?;
        let text = study_text(&planned, self.seed)?;
        let conditions = study_file::read(Path::new("data/reproduce.toml"), &text, self.threads)?;
        for_game!(conditions, conditions => self.play(console, &planned, &text, conditions))
    }

    /// Returns an error if tables of several games are requested, because a study has one game.
    fn refuse_several_games(&self) -> anyhow::Result<()> {
        let (classic, guideline) = TABLES.split_at(CLASSIC_TABLES);
        let names = |tables: &[&str]| self.table.iter().any(|name| tables.contains(&&**name));
        ensure!(
            !names(classic) || !names(guideline),
            "a folder holds tables of one game: name the tables of guideline games ({}) without \
                others",
            guideline.join(", ")
        );
        Ok(())
    }

    /// Returns the names of the tables to play.
    fn tables(&self) -> Vec<String> {
        match &self.table[..] {
            [] => TABLES[..CLASSIC_TABLES].iter().map(|&table| table.to_owned()).collect(),
            named => named.to_vec(),
        }
    }

    fn play<G: Playable>(
        &self,
        console: &Console,
        planned: &[Planned],
        text: &str,
        conditions: Vec<Condition<G>>,
    ) -> anyhow::Result<Outcome> {
        if self.dry_run {
            if self.format == Format::Json {
                return study::list(console, &conditions, self.format);
            }
            console.print(text)?;
            return Ok(Outcome::Done);
        }
        let out = self.out.clone().unwrap_or_else(|| self.default_out());
        let stop = console.stop_flag()?;
        let mut study = Study::open(&out, text, conditions)?;
        let played = study::play(console, &mut study, None, &stop);
        let (complete, all) = (study.complete(), study.rows().len());
        let rows = reproduced(&study, planned)?;
        write_reproduced(study.folder(), &rows)?;
        // The study's description contains the checksum of `reproduced.csv`, so it is written last.
        study.collect()?;
        let kept =
            format!("{complete} of {all} conditions are complete and kept in {}", out.display());
        if let Err(error) = played {
            bail!("{error}; {kept}");
        }
        report(console, &rows, &out, self.format)?;
        if complete == all {
            return Ok(Outcome::Done);
        }
        console.eprint_line(&format!("interrupted: {kept}; the same command resumes the run"));
        Ok(Outcome::Interrupted)
    }

    fn default_out(&self) -> PathBuf {
        let mut name = "reproduce".to_owned();
        if self.quick {
            name += "-quick";
        }
        for table in TABLES.iter().filter(|table| self.table.iter().any(|given| given == *table)) {
            name = format!("{name}-{table}");
        }
        PathBuf::from("runs").join(name)
    }
}

/// Prints the published results that belong to `tables`, without playing.
fn list(console: &Console, tables: &[String], format: Format) -> anyhow::Result<Outcome> {
    let planned = plan(tables, false)?;
    let is_wanted = |name: &str| planned.iter().any(|condition| condition.name == name);
    let rows: Vec<_> = published()?.into_iter().filter(|row| is_wanted(&row.condition)).collect();
    let scores = rows.iter().map(|row| Ok((row, row.score()?)));
    let scores = scores.collect::<Result<Vec<_>, Error>>()?;
    let text = || {
        ReportTable::new(&scores)
            .left("", 24, |(row, _)| row.condition.clone())
            .right("", 26, |(_, score)| stated(score))
            .plain("", |(row, _)| row.measure.clone() + " ")
            .left("", 9, |(_, score)| score.kind.clone())
            .plain("", |(row, _)| format!("{}: {}", row.source, row.place))
            .lines(|_| None)
    };
    format.print(console, text, json!({ "published": rows }))?;
    Ok(Outcome::Done)
}

fn report(
    console: &Console,
    rows: &[ReproducedRow],
    out: &Path,
    format: Format,
) -> anyhow::Result<()> {
    let published = |row: &ReproducedRow| row.published.as_ref().map_or("-".to_owned(), stated);
    let compared =
        |row: &ReproducedRow| row.comparison.as_ref().map_or(Default::default(), describe);
    let [games, ended, interval] = ["games", "ended", "95 % interval"];
    let measured_heading =
        format!("{games:>7} {ended:>7} {:>12} {interval:>25}", measured_mean(rows));
    let text = || {
        let table = ReportTable::new(rows)
            .left("condition", 24, |row| row.name.clone())
            .plain(measured_heading, measured)
            .right("published", 27, published)
            .right("ours / published", 20, |row| compared(row).0)
            .plain(" verdict", |row| format!(" {}", compared(row).1));
        format!(
            "{}files    {}: reproduced.csv conditions.csv games.csv, and a folder per run\n",
            table.text(),
            out.display()
        )
    };
    format.print(console, text, json!({ "out": out, "reproduced": rows }))
}

/// Returns the heading of the column of means. It names the measure if all rows have the same one;
/// otherwise `reproduced.csv` names each.
fn measured_mean(rows: &[ReproducedRow]) -> String {
    let mut measures = rows.iter().map(|row| &*row.measure);
    let first = measures.next().unwrap_or("lines");
    if measures.all(|measure| measure == first) {
        format!("mean {first}")
    } else {
        "mean".to_owned()
    }
}

/// Formats the number of games, the number of finished games, the mean and its interval.
fn measured(row: &ReproducedRow) -> String {
    let Some(results) = &row.condition.results else {
        return format!("{:>54}", row.condition.status.to_string());
    };
    let interval = row.mean.as_ref().and_then(Mean::interval).map(|found| ends(found, number));
    let (mean, interval) = (or_na(results.estimate.mean.mean.map(number)), or_na(interval));
    format!(
        "{:>7} {:>7} {mean:>12} {interval:>25}",
        thousands(results.estimate.mean.n),
        thousands(results.ended())
    )
}

/// Formats a published number or range.
fn stated(published: &PublishedScore) -> String {
    let ends = published.low.zip(published.high);
    let of = match published.statistic {
        Statistic::Mean => "",
        Statistic::Median => "median ",
    };
    match (published.score, ends) {
        (Some(score), Some((low, high))) => {
            format!("{} +-{:.0} %", number(score), (high - low) / score * 50.0)
        }
        (Some(score), None) => number(score),
        (None, Some((low, high))) => format!("{of}{} to {}", number(low), number(high)),
        (None, None) => "NA".to_owned(),
    }
}

/// Formats the ratio of the measured to the published result with its interval. Also returns the
/// verdict.
fn describe(comparison: &PublishedComparison) -> (String, &'static str) {
    let ratio = match (comparison.ratio, comparison.low, comparison.high) {
        (Some(ratio), Some(low), Some(high)) => format!("{ratio:.2} ({low:.2}-{high:.2})"),
        (None, Some(low), None) => format!("over {low:.2}"),
        (Some(ratio), ..) => format!("{ratio:.2}"),
        _ => String::new(),
    };
    (ratio, comparison.verdict.name())
}
