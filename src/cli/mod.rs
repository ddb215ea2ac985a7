//! The command line: one file per command, which turns arguments into a library call and its
//! result into output.
//!
//! Bad input gives one line on stderr and exit code 2; an interrupted run exits with 130; a closed
//! pipe is success.

mod bench;
mod compare;
mod compare_report;
mod controllers;
mod convert;
mod estimate;
mod estimate_report;
mod exact;
mod exact_report;
mod features;
mod guideline;
mod guideline_options;
mod guideline_report;
mod interrupt;
mod keys;
mod liap;
mod liap_report;
mod merge;
mod options;
mod output;
mod perft;
mod plan;
mod play;
mod progress;
mod report;
mod reproduce;
mod run_options;
mod shell;
mod simulate;
mod step;
mod study;
mod study_file;
mod train;
mod train_games;
mod train_layers;
mod train_method;
mod train_options;
mod train_report;
mod verify;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::error::Error;
use crate::record::words;
use progress::Every;

/// A research engine for falling-block games.
#[derive(Debug, Parser)]
#[command(name = "tetrastat", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// How far long work is: a bar on a terminal, elsewhere a line every so many seconds, on stderr;
    /// `none` for neither, and for no warning of long or large work [default: 30]
    // Taken out of the words before they are read: it is no part of what is run.
    #[arg(long, global = true, value_name = "SECONDS|none")]
    progress: Option<Every>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(Box<simulate::Args>),
    #[command(name = guideline::COMMAND, hide = true)]
    Guideline(Box<guideline::Args>),
    Perft(perft::Args),
    Play(play::Args),
    Study(study::Args),
    Compare(Box<compare::Args>),
    Plan(plan::Args),
    Estimate(Box<estimate::Args>),
    Train(Box<train::Args<train_games::ClassicGames>>),
    #[command(name = train::COMMAND, hide = true)]
    TrainGuideline(Box<train::Args<train_games::GuidelineGames>>),
    Reproduce(reproduce::Args),
    Features(features::Args),
    Step(step::Args),
    Watch(Box<watch::Args>),
    #[command(name = watch::GUIDELINE_COMMAND, hide = true)]
    WatchGuideline(Box<watch::GuidelineArgs>),
    Controllers(controllers::Args),
    Exact(Box<exact::Args>),
    Bench(bench::Args),
    Verify(verify::Args),
    Merge(merge::Args),
    Convert(convert::Args),
    Liap(liap::Args),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

/// How results are printed on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For eyes.
    Text,
    /// One JSON object.
    Json,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Interrupted,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let (words, every) = words();
    match every.map(|text| text.to_string_lossy().parse()) {
        None => {}
        Some(Ok(every)) => progress::set(every),
        Some(Err(error)) => {
            complain(&format!("tetrastat: --progress: {error}"));
            return ExitCode::from(2);
        }
    }
    let cli = match read(guideline::redirected(words.into_iter())) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Simulate(args) => args.run(),
        Command::Guideline(args) => args.run(),
        Command::Perft(args) => args.run(),
        Command::Play(args) => args.run(),
        Command::Study(args) => args.run(),
        Command::Compare(args) => args.run(),
        Command::Plan(args) => args.run(),
        Command::Estimate(args) => args.run(),
        Command::Train(args) => args.run(),
        Command::TrainGuideline(args) => args.run(),
        Command::Reproduce(args) => args.run(),
        Command::Features(args) => args.run(),
        Command::Step(args) => args.run(),
        Command::Watch(args) => args.run(),
        Command::WatchGuideline(args) => args.run(),
        Command::Controllers(args) => args.run(),
        Command::Exact(args) => args.run(),
        Command::Bench(args) => args.run(),
        Command::Verify(args) => args.run(),
        Command::Merge(args) => args.run(),
        Command::Convert(args) => args.run(),
        Command::Liap(args) => args.run(),
        Command::Completions(args) => args.run(),
        Command::Man(args) => args.run(),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("tetrastat: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Reads a command line. A `simulate` that does not say what is played becomes a first run.
fn read(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(&words)?;
    let first = match matches.subcommand() {
        Some(("simulate", given)) => simulate::first_run(given),
        _ => Vec::new(),
    };
    if first.is_empty() {
        return Cli::from_arg_matches(&matches);
    }
    let words: Vec<OsString> =
        words.into_iter().chain(first.into_iter().map(OsString::from)).collect();
    let mut cli = Cli::try_parse_from(&words)?;
    if let Command::Simulate(args) = &mut cli.command {
        args.begin_with(&words);
    }
    Ok(cli)
}

/// The arguments of a `simulate` that was run before.
fn simulate_args(command: &[String]) -> anyhow::Result<simulate::Args> {
    match read(command.iter().map(OsString::from).collect()).map(|cli| cli.command) {
        Ok(Command::Simulate(args)) => Ok(*args),
        Ok(Command::Study(_) | Command::Compare(_)) => {
            anyhow::bail!(
                "the run belongs to a study or comparison: give its command again, and it goes on"
            )
        }
        _ => anyhow::bail!("the checkpoint's command line is not understood: start the run anew"),
    }
}

/// The arguments of a `simulate` of guideline games that was run before.
fn guideline_args(command: &[String]) -> anyhow::Result<guideline::Args> {
    let words = command.iter().map(std::ffi::OsString::from);
    match Cli::try_parse_from(guideline::redirected(words)).map(|cli| cli.command) {
        Ok(Command::Guideline(args)) => Ok(*args),
        _ => anyhow::bail!("the checkpoint's command line is not understood: start the run anew"),
    }
}

/// The arguments of a `liap` that was run before.
fn liap_args(command: &[String]) -> Option<liap::Args> {
    match Cli::try_parse_from(command).map(|cli| cli.command) {
        Ok(Command::Liap(args)) => Some(args),
        _ => None,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = match error.downcast_ref::<Error>() {
        Some(Error::Io { cause, .. }) => Some(cause),
        _ => error.downcast_ref::<io::Error>(),
    };
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Help and version go to stdout as clap has them; a mistake becomes one line.
fn usage(error: &clap::Error) -> ExitCode {
    let asked = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    if asked.contains(&error.kind()) {
        return match error.print() {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::SUCCESS,
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = io::stderr().write_all(error.render().to_string().as_bytes());
        return ExitCode::from(2);
    }
    complain(&format!("tetrastat: {} (--help lists every option)", mistake(error)));
    ExitCode::from(2)
}

/// What clap says of a mistake, on one line.
fn mistake(error: &clap::Error) -> String {
    let text = error.render().to_string();
    // clap's "tip" about `--` is never what is meant here, and its usage is what --help shows.
    let message = text.split("Usage:").next().unwrap_or_default();
    let lines = message.lines().map(str::trim).filter(|line| !line.contains("as a value, use"));
    let line = lines.collect::<Vec<_>>().join(" ");
    let line = line.split("For more information").next().unwrap_or_default().trim();
    line.trim_start_matches("error: ").to_owned()
}

/// Writes one line to stderr; a user who closed it wants to hear nothing. Control characters, which
/// a name or path may hold, become spaces.
fn complain(message: &str) {
    let line = message.replace(char::is_control, " ");
    progress::aside(|| {
        let _ = writeln!(io::stderr(), "{line}");
    });
}
