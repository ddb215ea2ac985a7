//! Command line: parsing, one-line error messages, `--help`, completions and manual pages.
//!
//! Addresses such as `s3://bucket/run` are refused as paths: they would name a local folder `s3:`.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::{env, fs, io};

use anyhow::Context;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use clap_mangen::Man;

use super::{Cli, program};
use crate::cli::options::{BEAM, CLASSIC, GUIDELINE, Games, LIAP, LIAP_NAME};
use crate::cli::prelude::*;
use crate::controller::{GUIDELINE_PRESETS, GuidelineController, PRESETS, Tie};
use crate::environment::Action;
use crate::error::quoted;
use crate::estimate::Importance;
use crate::exact::Goal;
use crate::features::guideline::TERMS;
use crate::features::{Feature, Measured};
use crate::kernels::LEVEL_NAMES;
use crate::liap::{CardPlayer, Declarer, liap_measures};
use crate::queue::QUEUE_NAMES;
use crate::record::{check_output, number_columns, placement_columns, write_output};
use crate::rules::RULES_NAMES;
use crate::rules::guideline::{GUIDELINE_NAMES, Kicks, Moves};
use crate::train::{Mutation, Noise, ParentSelection, Racing, TrainingPreset};

pub(super) fn parse(
    words: impl IntoIterator<Item = impl Into<OsString>>,
) -> std::result::Result<Cli, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let program = if words.iter().any(|word| word == "train") { program() } else { Cli::command() };
    let mut command = with_adapted_help(program, &words);
    let matches = command.try_get_matches_from_mut(words)?;
    refuse_addresses(&command, &matches)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

pub(crate) fn refuse_addresses(
    command: &Command,
    matches: &ArgMatches,
) -> std::result::Result<(), clap::Error> {
    let takes_path = |arg: &&clap::Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    for arg in command.get_arguments().filter(takes_path) {
        for value in matches.get_raw(arg.get_id().as_str()).into_iter().flatten() {
            let refused = |error: Error| clap::Error::raw(ErrorKind::ValueValidation, error);
            check_path(&value.to_string_lossy()).map_err(refused)?;
        }
    }
    match matches.subcommand() {
        Some((name, matches)) => command
            .find_subcommand(name)
            .map_or(Ok(()), |command| refuse_addresses(command, matches)),
        None => Ok(()),
    }
}

/// Returns an error if `text` begins with a scheme, such as `s3://`, and so is no local path.
pub fn check_path(text: &str) -> Result<()> {
    let is_address = text.split_once(":/").is_some_and(|(scheme, _)| {
        // A single letter is a Windows drive.
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    match is_address {
        false => Ok(()),
        true => Err(Error::Config(format!(
            "{} is an address, but only local paths can be read and written: name a local folder \
                or file, and copy it with the tool of that storage",
            quoted(text)
        ))),
    }
}

const ERROR_REWORDINGS: [(&str, &str); 6] = [
    ("invalid float literal", "write a number, for example 0.5"),
    ("cannot parse float from empty string", "write a number, for example 0.5"),
    ("invalid digit found in string", "write a whole number"),
    ("cannot parse integer from empty string", "write a whole number"),
    ("number too large to fit in target type", "write a smaller number"),
    ("number too small to fit in target type", "write a larger number"),
];

const RENAMED_COMMANDS: [(&str, &str); 12] = [
    ("controllers", "show controllers"),
    ("convert", "data convert"),
    ("dataset", "data set"),
    ("features", "show board or tetrastat show features"),
    ("init", "study --new"),
    ("merge", "data merge"),
    ("perft", "bench perft"),
    ("plan", "compare --plan"),
    ("reproduce", "study reproduce:NAME"),
    ("rollout", "label"),
    ("step", "play --keys"),
    ("verify", "data verify"),
];

pub(crate) fn renamed_command_message(error: &clap::Error) -> Option<String> {
    let ContextValue::String(given) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let (old, new) = RENAMED_COMMANDS.iter().find(|(old, _)| old == given)?;
    Some(format!("{old} is now tetrastat {new}"))
}

/// Returns a message if an option stands before its subcommand, as in `train --seed 1 cem`.
pub(crate) fn misplaced_option_message(error: &clap::Error) -> Option<String> {
    let ContextValue::StyledStr(usage) = error.get(ContextKind::Usage)? else { return None };
    let usage = usage.to_string();
    let group = usage.strip_prefix("Usage: ")?.strip_suffix(" <COMMAND>")?;
    let group = group.trim_end_matches(" [OPTIONS]");
    let is_option = error.kind() == ErrorKind::UnknownArgument;
    is_option.then(|| format!("options come after a command of {group}: {group} --help lists them"))
}

pub(crate) fn clap_message(error: &clap::Error) -> String {
    let mut text = error.render().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(given) = value {
            // User input may hold line ends and control characters, and may have any length.
            text = text.replace(given, &quoted(given));
        }
    }
    let end =
        ["tip:", "Usage:", "For more information"].into_iter().filter_map(|end| text.find(end));
    let lines = text[..end.min().unwrap_or(text.len())].lines().map(str::trim);
    let line = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let line = ERROR_REWORDINGS.iter().fold(line, |line, (rust, ours)| line.replace(rust, ours));
    let line = line.trim_start_matches("error: ");
    // The variable is wrong, not the option whose default reads it.
    let line = line.find("TETRASTAT_SIMD: ").map_or(line, |at| &line[at..]);
    match suggestion(error) {
        Some(name) => format!("{line}: did you mean '{name}'?"),
        None => line.to_owned(),
    }
}

fn suggestion(error: &clap::Error) -> Option<&str> {
    use ContextKind::{SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let found = [SuggestedSubcommand, SuggestedArg, SuggestedValue];
    match found.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(word) => Some(word),
        ContextValue::Strings(words) => words.last().map(String::as_str),
        _ => None,
    }
}

pub(crate) const LOGS: &str = "Logs";
pub(crate) const OUTPUT: &str = "Output";

const GROUPS: [(&str, &str); 4] = [
    ("Jobs", "simulate study compare estimate exact label train"),
    ("Look", "watch play show view"),
    ("Tools", "annotate data bench tbp"),
    ("Card game", "liap"),
];

/// Groups the program's commands in the help, and hides rare options of the commands in `words`.
fn with_adapted_help(program: Command, words: &[OsString]) -> Command {
    let program = with_adapted_options(program, words);
    let header = *program.get_styles().get_header();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        template += &format!("\n{header}{title}:{header:#}\n");
        for name in names.split(' ') {
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            template += &format!("  {name:11}  {about}\n");
        }
    }
    program.help_template(template + &format!("\n{header}Options:{header:#}\n{{options}}\n"))
}

/// Names of options for one kind of game that the short help `-h` still shows.
const SHORT_HELP: &str = "board max-pieces mode";
/// Names of options for all games that the short help `-h` leaves out.
const LONG_HELP: &str = "\
    simd cycle script garbage garbage-messiness garbage-every policy bot-seconds tie power alpha \
    difference halfwidth means censored-at not-worse-than margin most-games importance burn-in \
    pilot-pieces method asciicast fumen until-death paused combo back-to-back contrast queue";

/// Hides rare options from the short help `-h`, and accepts negative numbers as values of options.
fn with_adapted_options(command: Command, words: &[OsString]) -> Command {
    let is_rare = |arg: &Arg| {
        let name = arg.get_long().unwrap_or_default();
        let headings = [&CLASSIC, &GUIDELINE, &LIAP].map(|games| Some(games.heading));
        is_word_in(LONG_HELP, name)
            || headings.contains(&arg.get_help_heading()) && !is_word_in(SHORT_HELP, name)
    };
    command
        .mut_args(|arg| {
            let is_valued = arg.get_action().takes_values() && !arg.is_positional();
            let arg = if is_rare(&arg) { arg.hide_short_help(true) } else { arg };
            if is_valued { arg.allow_negative_numbers(true) } else { arg }
        })
        .mut_subcommands(|below| match words.iter().any(|word| word == below.get_name()) {
            true => with_adapted_options(below, words),
            false => below,
        })
}

/// Returns true if `name` is one of the `names`, which are separated by spaces.
pub(crate) fn is_word_in(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

pub(crate) fn short_help(shown: &'static str) -> impl FnMut(Arg) -> Arg {
    |arg| match arg.get_long() {
        Some(name) if !is_word_in(shown, name) => arg.hide_short_help(true),
        _ => arg,
    }
}

/// Indentation of lines that help texts show unwrapped, such as examples of commands.
const COPIED_LINE_INDENT: &str = "    ";

/// Joins each paragraph of a help text into one line, which clap wraps at the terminal's width.
///
/// In a line indented by two spaces, text after two more spaces describes the item before them, and
/// moves to its own line. Lines indented by four spaces stay unchanged.
pub(crate) fn join_paragraphs(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut joins = false;
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_more = joins && (indent == 0 || indent > COPIED_LINE_INDENT.len());
        match lines.last_mut() {
            Some(last) if is_more && !words.is_empty() => *last = format!("{last} {words}"),
            _ => match words.split_once("  ").filter(|_| indent == 2) {
                Some((item, text)) => {
                    lines.push(format!("  {item}"));
                    lines.push(format!("      {}", text.trim_start()));
                }
                None => lines.push(line.to_owned()),
            },
        }
        joins = !words.is_empty() && indent != COPIED_LINE_INDENT.len();
    }
    lines.join("\n")
}

const COMPLETION_VARIABLE: &str = "TETRASTAT_COMPLETE";

pub(crate) fn print_completions(
    program: impl Fn() -> Command,
    words: &[OsString],
) -> clap::error::Result<bool> {
    if env::var_os(COMPLETION_VARIABLE).is_none() {
        return Ok(false);
    }
    let typed = words.iter().skip_while(|word| *word != "--").skip(1).cloned();
    let games = chosen_games(program(), typed);
    let complete =
        CompleteEnv::with_factory(|| with_values(program(), games)).var(COMPLETION_VARIABLE);
    complete.try_complete(words, env::current_dir().ok().as_deref())
}

fn chosen_games(program: Command, typed: impl Iterator<Item = OsString>) -> &'static Games {
    let matches = program.ignore_errors(true).try_get_matches_from(typed).ok();
    let rules = matches.as_ref().and_then(|mut matches| {
        while let Some((_, command)) = matches.subcommand() {
            matches = command;
        }
        matches.try_get_one::<AnyRules>("rules").ok()?
    });
    rules.map_or(&CLASSIC, |rules| rules.games())
}

fn with_values(command: Command, games: &Games) -> Command {
    let name = command.get_name().to_owned();
    let below: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let command = below
        .into_iter()
        .fold(command, |c, below| c.mut_subcommand(below, |c| with_values(c, games)));
    command.mut_args(|arg| match option_completions(&name, &arg, games) {
        Some(values) => arg.add(ArgValueCompleter::new(values)),
        None => arg,
    })
}

#[derive(Debug, Default)]
struct Values {
    names: Vec<String>,
    files: bool,
    list: bool,
}

impl Values {
    fn new<S: ToString>(names: impl IntoIterator<Item = S>) -> Values {
        let names = names.into_iter().map(|name| name.to_string()).collect();
        Values { names, ..Values::default() }
    }

    fn or_files(self) -> Values {
        Values { files: true, ..self }
    }

    fn joined(self) -> Values {
        Values { list: true, ..self }
    }

    fn and<S: ToString>(mut self, more: impl IntoIterator<Item = S>) -> Values {
        self.names.extend(more.into_iter().map(|name| name.to_string()));
        self
    }
}

impl ValueCompleter for Values {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let text = current.to_str().unwrap_or_default();
        let begins = if self.list { text.rfind(',').map_or(0, |comma| comma + 1) } else { 0 };
        let (before, word) = text.split_at(begins);
        let fitting = self.names.iter().filter(|name| name.starts_with(word));
        let candidate = |name: &String| CompletionCandidate::new(format!("{before}{name}"));
        let mut candidates: Vec<CompletionCandidate> = fitting.map(candidate).collect();
        if self.files && before.is_empty() {
            candidates.extend(PathCompleter::any().complete(current));
        }
        candidates
    }
}

/// Returns values that a shell suggests for an option; `None` if clap lists them or knows none.
fn option_completions(command: &str, option: &Arg, games: &Games) -> Option<Values> {
    if !option.get_possible_values().is_empty() {
        return None;
    }
    let (guideline, liap) = (*games == GUIDELINE, *games == LIAP);
    let controllers = || match (guideline, liap) {
        (true, _) => Values::new(GuidelineController::names()),
        (_, true) => Values::new(Declarer::ALL),
        _ => Values::new(PRESETS.iter().map(|preset| preset.name)),
    };
    let features = || match guideline {
        true => Values::new(TERMS.iter().map(|term| term.name)),
        false => Values::new(feature_names()),
    };
    Some(match option.get_id().as_str() {
        "controller" if command == "exact" => controllers().or_files().joined(),
        "controller" | "controllers" if liap => controllers().joined(),
        "controller" | "controllers" | "start" => controllers().or_files(),
        "name" if command == "controllers" => {
            controllers().and(GUIDELINE_PRESETS.iter().map(|preset| preset.name)).or_files()
        }
        "features" => controllers().and(features().names).or_files().joined(),
        "explain" => features().joined(),
        "columns" => {
            let sets = ["minimal", "controller", "all", "features", "heights"];
            Values::new(sets).and(placement_columns()).and(feature_names()).joined()
        }
        "measured" => Values::new(Measured::NAMES),
        "tie" => Values::new(Tie::NAMES),
        "rules" => match command {
            "perft" | "play" => Values::new(GUIDELINE_NAMES),
            "estimate" | "watch" | "board" | "cem" | "ga" | "snes" | "cmaes" | "vdcmaes" => {
                Values::new(RULES_NAMES).and(GUIDELINE_NAMES)
            }
            "simulate" | "compare" => {
                Values::new(RULES_NAMES).and(GUIDELINE_NAMES).and([LIAP_NAME])
            }
            _ => Values::new(RULES_NAMES),
        },
        "kicks" => Values::new(Kicks::NAMES),
        "movement" => Values::new(Moves::NAMES),
        "queue" => Values::new(QUEUE_NAMES).and(["weights:", "script"]),
        "search" if guideline => Values::new(["greedy", BEAM]),
        "search" => Values::new(Search::NAMES),
        "policy" => Values::new(["best", "epsilon:", "softmax:", "misdrop:"]),
        "simd" => Values::new(["auto"]).and(LEVEL_NAMES),
        "placements" | "log" => Values::new(["none"]).and(LogFormat::ALL),
        "format" => Values::new(LogFormat::ALL),
        "measure" if liap => Values::new(liap_measures()),
        "measure" => Values::new(number_columns(false)),
        "objective" => {
            let of = |sum: &'static str| {
                number_columns(guideline).into_iter().map(move |column| format!("{sum}-{column}"))
            };
            Values::new(["lines", "sprint", "estimate"]).and(of("mean")).and(of("median"))
        }
        "importance" | "estimate_importance" => Values::new(Importance::NAMES),
        "optimal" => Values::new(Goal::NAMES),
        "piece" | "next" | "hold" => Values::new(Piece::ALL.map(Piece::name)),
        "actions" => Values::new(Action::NAMES).joined(),
        "preset" => Values::new(TrainingPreset::names(command)),
        "noise" => Values::new(Noise::KINDS),
        "selection" => Values::new(ParentSelection::KINDS),
        "mutation" => Values::new(Mutation::KINDS),
        "racing" => Values::new(Racing::KINDS),
        "declarer" | "first" | "second" => Values::new(Declarer::ALL),
        "declarers" => Values::new(Declarer::ALL).joined(),
        "player" => Values::new(CardPlayer::ALL),
        "players" => Values::new(CardPlayer::ALL).joined(),
        "max_pieces" | "max_lines" | "max_rounds" | "progress" => Values::new(["none"]),
        "speed" => Values::new(["max"]),
        _ => return None,
    })
}

fn feature_names() -> Vec<String> {
    let size = BoardSize::new(10, 20).ok();
    size.into_iter().flat_map(Feature::all).map(|feature| feature.to_string()).collect()
}

const NAME: &str = "tetrastat";

/// Print the script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The script calls the program, so tetrastat must be on the PATH:\n\n    source \
        <(tetrastat completions bash)    # in ~/.bashrc; zsh alike\n    tetrastat completions \
        fish | source     # in config.fish"
)]
pub(crate) struct CompletionsArgs {
    /// Shell that runs the script
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell.to_string());
        let shell = shell.with_context(|| format!("no script for {}", self.shell))?;
        shell.write_registration(COMPLETION_VARIABLE, NAME, NAME, NAME, &mut script)?;
        console.print_data(&String::from_utf8_lossy(&script))?;
        Ok(())
    }
}

/// Print the manual page, or write a page per command
#[derive(Debug, clap::Args)]
#[command(after_help = "tetrastat man | man -l -")]
pub(crate) struct ManArgs {
    /// Folder for tetrastat.1 and one page per command
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace existing pages of these names in the folder
    #[arg(long, requires = "out")]
    force: bool,
}

/// Writes one manual page per command. Existing pages with the same bytes are accepted, so that a
/// failed call can be repeated.
fn write_pages(program: Command, folder: &Path, force: bool) -> anyhow::Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render_pages(program, &mut pages)?;
    let is_there = |(name, page): &(String, Vec<u8>)| {
        let path = folder.join(name);
        // Only a regular file of the same length is read: never a fifo or a device.
        let length = fs::metadata(&path).map(|found| (found.is_file(), found.len())).ok();
        length == Some((true, page.len() as u64)) && fs::read(&path).is_ok_and(|old| old == *page)
    };
    pages.retain(|page| !is_there(page));
    // All files are checked before the first page is written.
    for (name, _) in &pages {
        check_output(&folder.join(name), force)?;
    }
    for (name, page) in &pages {
        write_output(&folder.join(name), page, force)?;
    }
    Ok(())
}

fn render_pages(command: Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        render_pages(below.clone(), pages)?;
    }
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    Ok(())
}

impl ManArgs {
    pub(crate) fn run(self, console: &Console, program: Command) -> anyhow::Result<()> {
        match self.out {
            Some(folder) => write_pages(program, &folder, self.force)?,
            None => {
                let mut page = Vec::new();
                Man::new(program).render(&mut page)?;
                console.print_data(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::program;

    #[test]
    fn addresses_are_no_paths() {
        for path in ["run", "./s3://x", "/s3://x", "C:/run", "a b:/c", "s3:", "", ":/x", "1:/x"] {
            assert!(check_path(path).is_ok(), "{path}");
        }
        for address in ["s3://bucket/run", "gs:/x", "file:///tmp/x", "https://x.org", "HDFS://x"] {
            let said = check_path(address).unwrap_err().to_string();
            assert!(said.contains("name a local folder"), "{said}");
        }
    }

    #[test]
    fn every_command_refuses_addresses_in_place_of_paths() {
        for words in [
            "simulate --out s3://b/run",
            "simulate --out=s3://b/run",
            "data merge part --out s3://b/run",
            "data merge s3://b/part --out run",
            "data convert s3://b/run x.csv",
            "study s3://b/study.toml --out x",
            "view gs://b/run",
        ] {
            let line = ["tetrastat"].into_iter().chain(words.split(' '));
            let said = parse(line).unwrap_err().to_string();
            assert!(said.contains("is an address"), "{words}: {said}");
        }
    }

    #[test]
    fn every_command_is_in_a_group() {
        let listed = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
        let mut listed: Vec<&str> = listed.chain(["completions", "man"]).collect();
        let program = program();
        let mut names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let about = |command: &&Command| command.get_about().unwrap().to_string().len();
        let longest = program.get_subcommands().max_by_key(about).unwrap();
        assert!(about(&longest) <= 65, "{} does not fit 80 columns", longest.get_name());
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn paragraphs_become_lines_and_copies_stay() {
        let text = "One\ntwo.\n\n  item   its\n         text\n  next   more:\n\n    a = 1\n    b \
            = 2\n\nEnd.";
        let expected = "One two.\n\n  item\n      its text\n  next\n      more:\n\n    a = 1\n    \
            b = 2\n\nEnd.";
        assert_eq!(join_paragraphs(text), expected);
    }
}
