//! Parses the options of a command and records which were given.
//!
//! Options come in layers: a preset, a file or a checkpoint, and over it the command line. Each
//! layer is read once, by the same parser with the same checks. Files and checkpoints store a layer
//! as [`Settings`].

use anyhow::bail;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cli::address::refuse_addresses;

/// Option names, with `_` for `-`, and their values in the order in which they were given. A value
/// is text or `true`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Settings(Map<String, Value>);

impl Settings {
    /// Creates settings from pairs of name and text.
    pub(crate) fn of<const N: usize>(options: [(&str, &str); N]) -> Settings {
        let pair = |(name, text): (&str, &str)| (name.to_owned(), Value::from(text));
        Settings(options.into_iter().map(pair).collect())
    }

    /// Returns the options of `command` that the command line `matches` contains, without defaults.
    fn given(command: &Command, matches: &ArgMatches) -> Settings {
        let is_given = |arg: &&Arg| {
            matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let place = |arg: &&Arg| matches.index_of(arg.get_id().as_str());
        let mut given: Vec<&Arg> = command.get_arguments().filter(is_given).collect();
        // Options keep the order in which the user typed them, for printed command lines.
        given.sort_by_key(place);
        let pair = |arg: &Arg| {
            let text = || {
                let words = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
                words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(",")
            };
            let takes_value = arg.get_action().takes_values();
            (name(arg), if takes_value { Value::from(text()) } else { Value::from(true) })
        };
        Settings(given.into_iter().map(pair).collect())
    }

    /// Sets a setting. A new setting is appended; an existing one keeps its position.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Removes a setting.
    pub(crate) fn remove(&mut self, name: &str) {
        // The other settings keep their order, in which they are printed.
        self.0.shift_remove(name);
    }

    /// Merges these settings over `below`. Settings that only `below` has come last.
    pub(crate) fn merge_over(mut self, below: Settings) -> Settings {
        for (name, value) in below.0 {
            self.0.entry(name).or_insert(value);
        }
        self
    }

    /// Returns the settings that are options of `A`.
    pub(crate) fn of_options<A: Args>(&self) -> Settings {
        let known: Vec<String> = options::<A>().get_arguments().map(name).collect();
        let pairs = self.0.iter().filter(|(name, _)| known.contains(name));
        Settings(pairs.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns these settings as the words of a command line, as a user would type them.
    pub(crate) fn words<A: Args>(&self) -> Vec<String> {
        // Users type option and value as two words, unless the value begins with dashes.
        let parted = |word: String| match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") && !value.starts_with("--") => {
                vec![option.to_owned(), value.to_owned()]
            }
            _ => vec![word],
        };
        self.joined(&options::<A>()).flat_map(parted).collect()
    }

    /// Returns the positional arguments, followed by the options, each with its value as one text,
    /// such as `--games=8`.
    fn joined(&self, command: &Command) -> impl Iterator<Item = String> {
        let is_place =
            |(key, _): &(&String, &Value)| command.get_positionals().any(|arg| name(arg) == **key);
        let (places, options): (Vec<_>, Vec<_>) = self.0.iter().partition(is_place);
        let places = places.into_iter().filter_map(|(_, value)| value.as_str().map(str::to_owned));
        places.chain(options.into_iter().map(|(key, value)| match value.as_str() {
            // With `=`, because a value may begin with a dash.
            Some(text) => format!("--{}={text}", key.replace('_', "-")),
            None => format!("--{}", key.replace('_', "-")),
        }))
    }
}

impl From<Settings> for Map<String, Value> {
    fn from(settings: Settings) -> Map<String, Value> {
        settings.0
    }
}

/// Returns the settings key of an option, such as `max_pieces` for `--max-pieces`.
pub(crate) fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

/// Returns the options `A` as a clap command without a program name.
pub(crate) fn options<A: Args>() -> Command {
    A::augment_args(Command::new("options").no_binary_name(true).disable_help_flag(true))
}

/// Parsed options of a command, with the settings that were given explicitly.
#[derive(Clone, Debug)]
pub(crate) struct ParsedArgs<A> {
    /// Values of all options, with defaults.
    pub(crate) options: A,
    /// Options that were given, without defaults.
    pub(crate) settings: Settings,
    matches: ArgMatches,
}

impl<A: Args> ParsedArgs<A> {
    /// Parses settings with the checks of the command line.
    pub(crate) fn read(settings: &Settings) -> Result<ParsedArgs<A>, clap::Error> {
        let command = options::<A>();
        // Settings become a command line, so that every layer has the same checks and messages.
        let words: Vec<String> = settings.joined(&command).collect();
        let matches = command.clone().try_get_matches_from(words)?;
        refuse_addresses(&command, &matches)?;
        ParsedArgs::from_arg_matches(&matches)
    }

    /// Merges the given options over the options of `below`.
    pub(crate) fn merge_over(self, mut below: ParsedArgs<A>) -> Result<ParsedArgs<A>, clap::Error> {
        let mut given = self.matches.clone();
        for arg in options::<A>().get_arguments() {
            let id = arg.get_id().as_str();
            if given.value_source(id) != Some(ValueSource::CommandLine) {
                // The removed default must not replace the value of the lower layer.
                _ = given.try_clear_id(id);
            }
        }
        below.options.update_from_arg_matches(&given)?;
        let settings = self.settings.merge_over(below.settings);
        Ok(ParsedArgs { options: below.options, settings, matches: below.matches })
    }

    /// Checks that only the `known` options were given.
    ///
    /// # Errors
    /// An error that states the reason `why` and names an option to leave out.
    pub(crate) fn only(&self, known: &[&str], why: &str) -> anyhow::Result<()> {
        let Some((other, value)) = self.settings.iter().find(|(name, _)| !known.contains(name))
        else {
            return Ok(());
        };
        let is_place = options::<A>().get_positionals().any(|arg| name(arg) == other);
        match value.as_str().filter(|_| is_place) {
            Some(value) => bail!("{why}: leave out {value}"),
            None => bail!("{why}: leave out --{}", other.replace('_', "-")),
        }
    }
}

impl<A: Args> FromArgMatches for ParsedArgs<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ParsedArgs<A>, clap::Error> {
        let settings = Settings::given(&options::<A>(), matches);
        Ok(ParsedArgs {
            options: A::from_arg_matches(matches)?,
            settings,
            matches: matches.clone(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ParsedArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Args> Args for ParsedArgs<A> {
    fn augment_args(command: Command) -> Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}
