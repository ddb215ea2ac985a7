//! The command line: one file per command, which turns arguments into a library call and its
//! result into output.
//!
//! Bad input gives one line on stderr and exit code 2; a result that misses what was asked for (a
//! half-width) is printed, and the command exits with 3; an interrupted run exits with 130; a closed pipe is
//! success.

mod bench;
mod compare;
mod compare_report;
mod complete;
mod controllers;
mod convert;
mod estimate;
mod estimate_report;
mod exact;
mod exact_report;
mod feature_list;
mod features;
mod guideline;
mod guideline_options;
mod guideline_report;
mod help;
mod interrupt;
mod keys;
mod liap;
mod liap_report;
mod merge;
mod opening;
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
mod train_show;
mod verify;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use signal_hook::consts::SIGABRT;
use signal_hook::flag::register_conditional_shutdown;

use crate::error::{Error, printable, quoted};
use crate::record::words;
use crate::threads::{caught, note_panics};
use progress::Every;

/// A research engine for falling-block games.
#[derive(Debug, Parser)]
#[command(name = "tetrastat", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// How far long work is: a bar on a terminal, elsewhere a line every so many seconds, on stderr;
    /// `none` for neither, and for no warning of long or large work [default: TETRASTAT_PROGRESS, or 30]
    // Taken out of the words before they are read: it is no part of what is run.
    #[arg(long, global = true, value_name = "SECONDS|none")]
    progress: Option<Every>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(Box<simulate::Args>),
    #[command(name = guideline::COMMAND, hide = true, override_usage = "tetrastat simulate --rules guideline|capstone [OPTIONS]")]
    Guideline(Box<guideline::Args>),
    Perft(perft::Args),
    Play(play::Args),
    Study(study::Args),
    Compare(Box<compare::Args>),
    Plan(plan::Args),
    Estimate(Box<estimate::Args>),
    Train(Box<train::Args<train_games::ClassicGames>>),
    #[command(name = train::COMMAND, hide = true, override_usage = "tetrastat train [METHOD] --rules guideline|capstone [OPTIONS]")]
    TrainGuideline(Box<train::Args<train_games::GuidelineGames>>),
    Reproduce(reproduce::Args),
    Features(features::Args),
    Step(step::Args),
    Watch(Box<watch::Args>),
    #[command(name = watch::GUIDELINE_COMMAND, hide = true, override_usage = "tetrastat watch --rules guideline|capstone [OPTIONS]")]
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
    /// What there is was printed, and is less than was asked for.
    Missed,
    Interrupted,
}

/// Runs the command line of this process. A panic, which is a mistake of the program, is told in one
/// line like any other failure; what the command has written by then is as after a kill.
pub fn main() -> ExitCode {
    note_panics();
    end_aborts();
    caught(run).unwrap_or_else(|error| {
        complain(&format!("tetrastat: {error}"));
        ExitCode::from(2)
    })
}

/// Where memory is refused to a `Vec` or a `Box`, the standard library says so in words of its own and
/// aborts; that a process which aborts exits with 2 is all that can be done about it without unsafe code,
/// which a global allocator of our own would be. What is large by the user's wish is bounded, or reserved
/// where it can fail.
fn end_aborts() {
    let always = Arc::new(AtomicBool::new(true));
    // Without it an abort is told as a signal.
    let _ = register_conditional_shutdown(SIGABRT, 2, always);
}

fn run() -> ExitCode {
    match complete::answered() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => {}
        Err(error) => return usage(&error, None),
    }
    let (words, every) = words();
    let given = every.map(|every| ("--progress", every));
    let set = || std::env::var_os(progress::EVERY_BY).map(|every| (progress::EVERY_BY, every));
    match given.or_else(set).map(|(by, every)| (by, every.to_string_lossy().parse())) {
        None => {}
        Some((_, Ok(every))) => progress::set(every),
        Some((by, Err(error))) => {
            complain(&format!("tetrastat: {by}: {error}"));
            return ExitCode::from(2);
        }
    }
    let words = guideline::redirected(words.into_iter());
    let command = words.get(1).and_then(|word| word.to_str()).map(str::to_owned);
    let cli = match read(words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, command.as_deref()),
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
        Ok(Outcome::Missed) => ExitCode::from(3),
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
fn usage(error: &clap::Error, command: Option<&str>) -> ExitCode {
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
    let message = of_other_games(error, command).unwrap_or_else(|| mistake(error));
    complain(&format!("tetrastat: {message} (--help lists every option)"));
    ExitCode::from(2)
}

/// Commands that play games of both kinds: the name, and that under which guideline games are read.
const BOTH: [(&str, &str); 3] = [
    ("simulate", guideline::COMMAND),
    ("train", train::COMMAND),
    ("watch", watch::GUIDELINE_COMMAND),
];

/// What to type for an option that the command has for games of the other kind alone.
fn of_other_games(error: &clap::Error, command: Option<&str>) -> Option<String> {
    let (plain, guideline) =
        BOTH.into_iter().find(|(a, b)| [*a, *b].contains(&command.unwrap_or_default()))?;
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let cli = Cli::command();
    let has = |command: &str| {
        let mut options = cli.find_subcommand(command)?.get_arguments();
        options.find(|known| known.get_long() == option.strip_prefix("--"))
    };
    let kinds = if command == Some(plain) { (has(guideline), true) } else { (has(plain), false) };
    match kinds {
        (Some(_), true) => Some(format!(
            "{option} is an option of guideline games: add --rules guideline or --rules capstone, and see {plain} --rules guideline --help"
        )),
        (Some(_), false) => Some(format!(
            "{option} is an option of one-piece games, which guideline games do not have: leave out {option}, or --rules"
        )),
        _ => None,
    }
}

/// What clap says of a mistake, on one line, and what was meant if something is much alike.
fn mistake(error: &clap::Error) -> String {
    let mut text = error.render().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(given) = value {
            text = text.replace(given, &quoted(given));
        }
    }
    let end =
        ["tip:", "Usage:", "For more information"].into_iter().filter_map(|end| text.find(end));
    let lines = text[..end.min().unwrap_or(text.len())].lines().map(str::trim);
    let line = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches("error: ");
    match meant(error) {
        Some(meant) => format!("{line}: did you mean '{meant}'?"),
        None => line.to_owned(),
    }
}

/// What is most like a word that is not known; commands that nobody types are passed over.
fn meant(error: &clap::Error) -> Option<&str> {
    use ContextKind::{SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let found = [SuggestedSubcommand, SuggestedArg, SuggestedValue];
    match found.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(word) => Some(word),
        ContextValue::Strings(words) => {
            let is_typed = |word: &&String| BOTH.iter().all(|(_, hidden)| *hidden != **word);
            words.iter().rfind(is_typed).map(String::as_str)
        }
        _ => None,
    }
}

/// Longest line of a complaint, in characters: what users gave is cut where it is quoted, and paths, which
/// are not, may have some 300.
const LONGEST_LINE: usize = 1000;

/// Writes one line to stderr; a user who closed it wants to hear nothing.
fn complain(message: &str) {
    let line = printable(message, LONGEST_LINE);
    progress::aside(|| {
        let _ = writeln!(io::stderr(), "{line}");
    });
}
