//! Command line of `tetrastat`: commands, options, reports and exit codes.
//!
//! | module | content |
//! |---|---|
//! | `commands` | one file or folder per command: arguments, library call, output |
//! | `options` | options that commands share, and their layers: preset, file, command line |
//! | `reports` | results of commands as text, CSV and JSON |
//! | `console` | output, progress, messages, interruption, output folders |
//! | `command_line` | parsing, error messages, help, completions |
//! | [`call`], [`hosted`] | commands inside a host program, such as a Python process |
//!
//! Exit codes: 0 for success, also with a closed pipe; 2 for an error, with one line on stderr; 3
//! for a result that misses its target, such as the half-width of an interval; 130 after an
//! interruption.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use signal_hook::consts::SIGABRT;
use signal_hook::flag::register_conditional_shutdown;

use crate::cli::command_line::{clap_message, misplaced_option_message, renamed_command_message};
use crate::cli::commands::train::{DeferredTrain, TrainCommand};
use crate::cli::console::progress::ProgressInterval;
use crate::cli::prelude::*;
use crate::error::setting;
use crate::games;
use crate::threads::{note_panics, with_stack};

pub use command_line::check_path;
pub use commands::data::merge_written_parts;
pub use commands::data::set::NAMED_DATASETS;
pub use console::Console;
pub use console::run_folder::OutputRequest;

pub mod call;
mod command_line;
mod commands;
mod console;
pub mod hosted;
mod options;
mod prelude;
mod reports;

/// A research engine for falling-block games.
#[derive(Debug, Parser)]
#[command(name = "tetrastat", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Progress reports on stderr: a bar on a terminal, otherwise one line every SECONDS. `none`
    /// disables them, and the warnings about long or large work [default: TETRASTAT_PROGRESS, or
    /// 30]
    #[arg(
        long,
        global = true,
        value_name = "SECONDS|none",
        overrides_with = "progress",
        display_order = 900
    )]
    progress: Option<ProgressInterval>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Simulate(Box<ParsedArgs<commands::simulate::Args>>),
    Play(commands::play::Args),
    Study(commands::study::Args),
    Compare(Box<ParsedArgs<commands::compare::Args>>),
    Label(Box<commands::label::Args>),
    Estimate(Box<ParsedArgs<commands::estimate::Args>>),
    /// Train controllers by cross-entropy, evolution or TD learning
    #[command(subcommand, arg_required_else_help = true)]
    Train(DeferredTrain),
    Tbp(Box<ParsedArgs<commands::tbp::Args>>),
    Watch(Box<ParsedArgs<commands::watch::Args>>),
    View(commands::view::Args),
    /// Show boards with their placements, features, or controllers
    #[command(subcommand, arg_required_else_help = true)]
    Show(commands::show::ShowCommand),
    Exact(Box<commands::exact::Args>),
    Bench(commands::bench::Args),
    Annotate(Box<ParsedArgs<commands::annotate::Args>>),
    /// Write data sets; verify, merge and convert runs and tables
    #[command(subcommand, arg_required_else_help = true)]
    Data(commands::data::DataCommand),
    /// Analyse LIAP, a card game; `simulate --rules liap` plays it
    #[command(subcommand, arg_required_else_help = true)]
    Liap(commands::liap::LiapCommand),
    Completions(command_line::CompletionsArgs),
    Man(command_line::ManArgs),
}

impl Command {
    fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        let printout: Printout = match self {
            Command::Simulate(given) => commands::simulate::run(console, *given)?.into(),
            Command::Play(args) => args.run(console)?.into(),
            Command::Study(args) => args.run(console)?.into(),
            Command::Compare(given) => commands::compare::run(console, *given)?.into(),
            Command::Label(args) => args.run(console)?.into(),
            Command::Estimate(given) => commands::estimate::run(console, &given)?.into(),
            Command::Train(DeferredTrain(command)) => command.run(console)?.into(),
            Command::Tbp(given) => commands::tbp::run(console, &given)?.into(),
            Command::Watch(given) => commands::watch::run(console, &given)?.into(),
            Command::View(args) => args.run(console)?.into(),
            Command::Show(command) => command.run()?,
            Command::Exact(args) => args.run(console)?,
            Command::Bench(args) => args.run(console)?,
            Command::Annotate(given) => commands::annotate::run(console, *given)?.into(),
            Command::Data(command) => command.run(console)?,
            Command::Liap(command) => command.run(console)?.into(),
            Command::Completions(args) => args.run(console)?.into(),
            Command::Man(args) => args.run(console, program())?.into(),
        };
        printout.print(console)
    }

    fn new_run_settings(self) -> Option<Settings> {
        let Command::Simulate(given) = self else { return None };
        Some(given.settings).filter(|settings| !settings.has(console::run_folder::RESUME))
    }
}

pub(crate) fn program() -> clap::Command {
    Cli::command().mut_subcommand("train", TrainCommand::augment_subcommands)
}

/// Runs the command that this process was started with, and returns its exit code. Reports a panic
/// as one line on stderr.
pub fn main() -> ExitCode {
    ExitCode::from(main_with(&std::env::args_os().collect::<Vec<_>>()))
}

/// Runs the command line `words`, including the program's name, and returns the exit code. Handles
/// the signals of this process and uses its standard streams.
pub fn main_with(words: &[OsString]) -> u8 {
    games::register();
    setting::are_options();
    note_panics();
    end_aborts();
    survive_file_limit();
    let code = with_stack(COMMAND_STACK_BYTES, || run(words)).unwrap_or_else(|error| {
        Console::default().eprint_line(&format!("tetrastat: {error}"));
        2
    });
    // A host program does not end after the call, so stdout would stay buffered.
    let _ = console::raw_stdout().flush();
    code
}

/// Stack size, in bytes, of the thread that runs the command, whatever the limit of `ulimit -s`.
const COMMAND_STACK_BYTES: usize = 8 << 20;

/// Lets writes beyond the limit on file sizes (`ulimit -f`) fail, instead of killing the process.
#[cfg(unix)]
fn survive_file_limit() {
    use signal_hook::consts::SIGXFSZ;
    // The default action of this signal ends the program.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
fn survive_file_limit() {}

/// Makes an abort of the process, such as a `Vec` that gets no memory, end with exit code 2 instead
/// of a signal.
fn end_aborts() {
    let always = Arc::new(AtomicBool::new(true));
    // Without this handler, a shell would report the abort as a signal.
    let _ = register_conditional_shutdown(SIGABRT, 2, always);
}

fn run(words: &[OsString]) -> u8 {
    match command_line::print_completions(program, words) {
        Ok(true) => return 0,
        Ok(false) => {}
        Err(error) => return print_usage(&error),
    }
    let cli = match command_line::parse(words) {
        Ok(cli) => cli,
        Err(error) => return print_usage(&error),
    };
    let console = match Console::terminal(cli.progress) {
        Ok(console) => console,
        Err(error) => {
            Console::default().eprint_line(&format!("tetrastat: {error}"));
            return 2;
        }
    };
    match cli.command.run(&console) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Missed) => 3,
        Ok(Outcome::Interrupted) => 130,
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            console.eprint_line(&format!("tetrastat: {error:#}"));
            2
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = match error.downcast_ref::<Error>() {
        Some(Error::Io { cause, .. }) => Some(cause),
        _ => error.downcast_ref::<io::Error>(),
    };
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints the help or the usage error in `error`, and returns the exit code of the process.
fn print_usage(error: &clap::Error) -> u8 {
    let asked = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    if asked.contains(&error.kind()) {
        return match error.print() {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => 2,
            _ => 0,
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = io::stderr().write_all(error.render().to_string().as_bytes());
        return 2;
    }
    let line = renamed_command_message(error)
        .or_else(|| misplaced_option_message(error))
        .unwrap_or_else(|| format!("{} (--help lists every option)", clap_message(error)));
    Console::default().eprint_line(&format!("tetrastat: {line}"));
    2
}

#[cfg(test)]
mod tests {
    use crate::error::setting;

    fn has_option(command: &clap::Command, name: &str) -> bool {
        command.get_arguments().any(|argument| argument.get_long() == Some(name))
            || command.get_subcommands().any(|command| has_option(command, name))
    }

    #[test]
    fn settings_that_messages_name_are_options() {
        let command = super::program();
        let unknown = |setting: &&setting::Setting| !has_option(&command, setting.name());
        assert_eq!(setting::ALL.iter().find(unknown), None);
    }
}
