//! Commands inside a host program, such as a Python process.
//!
//! Options are passed as settings, the printed result is returned, and messages and progress can be
//! polled. A flag stops the command, because signals belong to the host program.

use std::any::TypeId;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Once;
use std::sync::atomic::Ordering;

use clap::Command;
use serde_json::{Map, Value};

use super::{command_line, program, reports};
use crate::cli::command_line::clap_message;
use crate::cli::console::{Host, StopFlags, locked};
use crate::cli::options::settings::{
    SETTING, setting_name, takes_list, value_names, with_setting_keys,
};
use crate::cli::prelude::*;
use crate::controller::{Tie, with_host_players};
use crate::estimate::{EstimateMethod, Importance};
use crate::exact::Goal;
use crate::features::Measured;
use crate::games;
use crate::record::RowSink;
use crate::rules::guideline::{Kicks, Moves};
use crate::threads::{catch_panic, note_panics};

pub use crate::cli::console::{Outcome as CallEnd, Progress};

/// Command run inside a host program, such as Python, which other threads can poll and stop.
#[derive(Debug, Default)]
pub struct Call {
    host: Arc<Host>,
    players: Vec<Controller>,
}

/// Result of a command that ran inside a host program: printed text, report and outcome.
#[derive(Debug, Default)]
pub struct Answer {
    /// Text that the command would print on standard output.
    pub printed: String,
    /// Report that the command printed, as data; `None` for a command without a report.
    pub report: Option<Report>,
    /// Way in which the command ended: as requested, short of its target, or interrupted.
    pub ended: CallEnd,
}

/// Error of a command inside a host program: one line with reason and remedy, which names options
/// as the host does (`max_pieces`, not `--max-pieces`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Message about an unknown command, or an unknown option of the command.
    Unknown(String),
    /// Message about an invalid value of an option, or about conflicting options.
    Wrong(String),
    /// Message about an error that occurred while the command ran.
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Refusal::Unknown(said) | Refusal::Wrong(said) | Refusal::Failed(said)) = self;
        f.write_str(said)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Config(refusal.to_string())
    }
}

/// Returns true if `error` reports an invalid value of a single option.
#[must_use]
pub fn is_value_error(error: &Error) -> bool {
    matches!(
        error,
        Error::BoardSize { .. }
            | Error::Picture { .. }
            | Error::Piece { .. }
            | Error::Unknown { .. }
            | Error::ScriptEmpty
            | Error::Controller { .. }
    )
}

/// Converts `error` to a [`Refusal`] that names options as settings: `seed` instead of `--seed`.
pub(crate) fn refusal(options: &Command, error: anyhow::Error) -> Refusal {
    let error = match error.downcast::<Refusal>() {
        Ok(refusal) => return refusal,
        Err(error) => error,
    };
    let said = with_setting_keys(options, &format!("{error:#}"));
    match error.downcast_ref::<Error>() {
        Some(Error::Unknown { what: SETTING, .. }) => Refusal::Unknown(said),
        Some(error) if is_value_error(error) => Refusal::Wrong(said),
        _ => Refusal::Failed(said),
    }
}

/// Description of an option of a command: name, help and accepted values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionHelp {
    /// Name of the option with `_` for `-`, such as `max_pieces` for `--max-pieces`.
    pub name: String,
    /// Help text of the option, with its default, in which options are named like `max_pieces`.
    pub help: String,
    /// Kind of value that the option takes, such as a number or a path.
    pub kind: ValueKind,
    /// All texts that the option accepts; empty if the option also accepts other texts.
    pub choices: Vec<String>,
    /// True if the option accepts several values.
    pub is_list: bool,
    /// True if the option is a positional argument.
    pub is_positional: bool,
    /// True if the command cannot run without the option.
    pub is_required: bool,
}

tetrastat_core::names! {
    /// Kind of value that an option of a command takes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ValueKind {
        /// Option without a value, which is given or not.
        Flag = "flag",
        /// Option whose value may be left out: `--name` or `--name=VALUE`.
        Optional = "optional",
        /// Option whose value is a whole number.
        Whole = "whole",
        /// Option whose value is a number, not necessarily whole.
        Number = "number",
        /// Option whose value is the path of a file or folder.
        Path = "path",
        /// Option whose value is text.
        Text = "text",
        /// Option whose value is a number or text, such as `5%` or `none`.
        NumberOrText = "number or text",
    }
}

impl ValueKind {
    fn from_arg(arg: &Arg) -> ValueKind {
        let id = arg.get_value_parser().type_id();
        let is_one_of = |ids: &[TypeId]| ids.iter().any(|one| id == *one);
        if !arg.get_action().takes_values() {
            ValueKind::Flag
        } else if arg.get_num_args().is_some_and(|range| range.min_values() == 0) {
            ValueKind::Optional
        } else if is_one_of(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
            ValueKind::Number
        } else if is_one_of(&whole_numbers()) {
            ValueKind::Whole
        } else if id == TypeId::of::<PathBuf>() {
            ValueKind::Path
        } else if value_names(arg).any(|name| NUMBER_NAMES.contains(&name)) {
            ValueKind::NumberOrText
        } else {
            ValueKind::Text
        }
    }
}

/// Placeholders in help texts, such as `N` in `--max-pieces N`, for a number or a text.
const NUMBER_NAMES: [&str; 5] = ["N", "MINUTES", "P%", "SHARE", "VALUE"];

fn whole_numbers() -> [TypeId; 9] {
    [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
        TypeId::of::<NonZeroU64>(),
        TypeId::of::<NonZeroUsize>(),
    ]
}

impl Call {
    /// Creates a call of a command that reads `input` as its standard input.
    #[must_use]
    pub fn new(input: String) -> Call {
        Call { host: Arc::new(Host { input, ..Host::default() }), players: Vec::new() }
    }

    /// Creates a call of a command by a host program. Logs go to `sink`, or to Parquet files by
    /// default.
    ///
    /// Options name `players` after the prefix [`HOST_PREFIX`](crate::controller::HOST_PREFIX).
    #[must_use]
    pub fn for_tables(input: String, sink: Option<RowSink>, players: Vec<Controller>) -> Call {
        let log_format = Some(LogFormat::Parquet);
        Call { host: Arc::new(Host { input, log_format, sink, ..Host::default() }), players }
    }

    /// Asks the command to stop and keep its finished work. A second call also skips work after the
    /// stop, such as the final games of a training.
    pub fn stop(&self) {
        let StopFlags { stop, cut } = &self.host.flags;
        if stop.swap(true, Ordering::SeqCst) {
            cut.store(true, Ordering::SeqCst);
        }
    }

    /// Returns a console that passes a command's output, messages and progress to the host program.
    #[must_use]
    pub fn console(&self) -> Console {
        Console::hosted(Arc::clone(&self.host))
    }

    /// Returns the latest progress report of the command, or `None` before the first report.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        locked(&self.host.progress).clone()
    }

    /// Returns the command's messages since the last call of this method.
    #[must_use]
    pub fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.host.messages))
    }

    /// Runs `command`, such as `simulate`, on this thread.
    ///
    /// Keys of `settings` are option names with `_` for `-`; `null` and `false` mean "not given".
    pub fn run(&self, command: &str, settings: &Map<String, Value>) -> Result<Answer, Refusal> {
        static NOTED: Once = Once::new();
        // The hook is set once per process. It stores the message of a panic instead of printing
        // it.
        NOTED.call_once(|| {
            note_panics();
            games::register();
        });
        let options = command_named(command)?;
        let words =
            command_words(command, &options, settings).map_err(|error| refusal(&options, error))?;
        let cli =
            command_line::parse(words).map_err(|error| refusal_of_clap_error(&options, &error))?;
        let console = self.console();
        let run = || with_host_players(self.players.clone(), || cli.command.run(&console));
        let ended = catch_panic(run);
        // Messages name options while the command runs, but the caller knows them as settings.
        for line in locked(&self.host.messages).iter_mut() {
            *line = with_setting_keys(&options, line);
        }
        let failed = |error: anyhow::Error| refusal(&options, error);
        let ended = ended.map_err(|error| failed(error.into()))?.map_err(failed)?;
        let printed = std::mem::take(&mut *locked(&self.host.printed));
        Ok(Answer { printed, report: locked(&self.host.report).take(), ended })
    }
}

/// Returns the options of a command, or [`Refusal::Unknown`] if there is no such command.
pub fn options(command: &str) -> Result<Vec<OptionHelp>, Refusal> {
    Ok(describe_options(&command_named(command)?))
}

pub(crate) fn describe_options(command: &Command) -> Vec<OptionHelp> {
    let of = |arg: &Arg| OptionHelp {
        name: setting_name(arg),
        help: with_setting_keys(command, &help(arg)),
        kind: ValueKind::from_arg(arg),
        choices: choices(arg),
        is_list: takes_list(arg),
        is_positional: arg.is_positional(),
        is_required: arg.is_required_set(),
    };
    command.get_arguments().map(of).collect()
}

/// Returns the report of `command` as text and as HTML, with options named like `max_pieces`.
pub fn render(command: &str, report: &Report) -> Result<[String; 2], Refusal> {
    let options = command_named(command)?;
    let texts = [report.to_text().trim_end().to_owned(), report.to_html()];
    Ok(texts.map(|text| with_setting_keys(&options, &text)))
}

/// Returns the report of the run or the estimate in `folder` as text and as HTML.
pub fn report_of(folder: &Path) -> Result<[String; 2], Refusal> {
    let report = reports::folder_report(folder);
    let (command, report) = report.map_err(|error| Refusal::Failed(error.to_string()))?;
    render(command, &report)
}

fn choices(arg: &Arg) -> Vec<String> {
    if !arg.get_action().takes_values() {
        return Vec::new();
    }
    let named: [(TypeId, &[&str]); 7] = [
        (TypeId::of::<Measured>(), &Measured::NAMES),
        (TypeId::of::<Tie>(), &Tie::NAMES),
        (TypeId::of::<Kicks>(), &Kicks::NAMES),
        (TypeId::of::<Moves>(), &Moves::NAMES),
        (TypeId::of::<Importance>(), &Importance::NAMES),
        (TypeId::of::<EstimateMethod>(), &EstimateMethod::NAMES),
        (TypeId::of::<Goal>(), &Goal::NAMES),
    ];
    let id = arg.get_value_parser().type_id();
    match named.iter().find(|(of, _)| id == *of) {
        Some((_, names)) => names.iter().map(|&name| name.to_owned()).collect(),
        None => arg.get_possible_values().iter().map(|one| one.get_name().to_owned()).collect(),
    }
}

/// Returns the names (such as `liap compare`) and descriptions of all commands.
#[must_use]
pub fn commands() -> Vec<(String, String)> {
    fn add(group: &Command, prefix: &str, found: &mut Vec<(String, String)>) {
        for command in group.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = format!("{prefix}{}", command.get_name());
            add(command, &format!("{name} "), found);
            // `bench` runs without the name of a subcommand, `liap` only with one.
            if !command.is_subcommand_required_set() {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                found.push((name, about));
            }
        }
    }
    let mut found = Vec::new();
    add(&program(), "", &mut found);
    found
}

fn help(arg: &Arg) -> String {
    let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    match defaults.is_empty() || !arg.get_action().takes_values() {
        true => text,
        false => format!("{text} [default: {}]", defaults.join(",")),
    }
}

fn command_named(command: &str) -> Result<Command, Refusal> {
    let unknown = || Refusal::Unknown(format!("no command '{command}'"));
    let mut found = program();
    for name in command.split(' ') {
        found = found.find_subcommand(name).cloned().ok_or_else(unknown)?;
    }
    Ok(found)
}

fn command_words(
    command: &str,
    options: &Command,
    settings: &Map<String, Value>,
) -> anyhow::Result<Vec<String>> {
    let (positionals, options) =
        Settings::from_object(options, Path::new(""), settings, &[])?.split_words(options);
    // Positional arguments follow `--`, because a picture or a file name may begin with a dash.
    let words = ["tetrastat"].into_iter().chain(command.split(' ')).map(str::to_owned);
    Ok(words.chain(options).chain(["--".to_owned()]).chain(positionals).collect())
}

pub(crate) fn refusal_of_clap_error(options: &Command, error: &clap::Error) -> Refusal {
    Refusal::Wrong(with_setting_keys(options, &clap_message(error)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn called(command: &str, settings: Value) -> Result<Answer, Refusal> {
        let settings = settings.as_object().cloned().unwrap_or_default();
        Arc::new(Call::default()).run(command, &settings)
    }

    #[test]
    fn what_is_printed_comes_back() {
        let answer = called(
            "show board",
            json!({ "picture": "..../..../..../#...", "piece": "O", "format": "json" }),
        );
        let shown: Value = serde_json::from_str(&answer.unwrap().printed).unwrap();
        assert_eq!(shown["placements"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn lists_become_repeated_options_or_one_text() {
        let settings = json!({ "from": ["a,b", "c"], "contrast": ["search"], "board": "6x8" });
        let compare = command_named("compare").unwrap();
        let words = command_words("compare", &compare, settings.as_object().unwrap()).unwrap();
        let expected = "tetrastat compare --from=a,b --from=c --contrast=search --board=6x8 --";
        assert_eq!(words.join(" "), expected);
        let settings = json!({ "columns": ["wells", "holes"] });
        let simulate = command_named("simulate").unwrap();
        let words =
            super::command_words("simulate", &simulate, settings.as_object().unwrap()).unwrap();
        assert_eq!(words.join(" "), "tetrastat simulate --columns=wells,holes --");
    }

    #[test]
    fn mistakes_speak_of_settings() {
        let wrong = |settings| called("simulate", settings).unwrap_err();
        let unknown =
            Refusal::Unknown("unknown setting 'max_piece': did you mean 'max_pieces'?".to_owned());
        assert_eq!(wrong(json!({ "max_piece": 3 })), unknown);
        let Refusal::Wrong(said) = wrong(json!({ "max_pieces": "many" })) else { panic!() };
        assert!(said.contains("'max_pieces <N>'"), "{said}");
        let Refusal::Failed(said) = wrong(json!({ "rules": "liap", "board": "10x10" })) else {
            panic!()
        };
        assert!(said.starts_with("board is an option") && !said.contains("--"), "{said}");
    }

    #[test]
    fn options_say_what_they_are() {
        let options = options("simulate").unwrap();
        let games = options.iter().find(|option| option.name == "games").unwrap();
        assert_eq!(games.help, "Number of games (in LIAP: matches) [default: 8]");
        let kind = |name| options.iter().find(|option| option.name == name).unwrap().kind;
        let kinds = ["games", "sample_games", "resume", "controller", "candidates"].map(kind);
        assert_eq!(format!("{kinds:?}"), "[Whole, Number, Path, Text, Flag]");
        assert!(super::options("sing").is_err());
    }
}
