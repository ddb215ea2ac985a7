//! Options of a command, and which of them were given.
//!
//! A command's options come in layers: what was there before it (a preset, a file, the checkpoint of a run),
//! and over it what its command line says. Each layer is read once, by the same options with the same checks;
//! as data it is [`Settings`], which files and checkpoints hold.

use anyhow::bail;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cli::address::refuse_addresses;

/// Options by their names, with `_` for `-`, in the order in which they were given: text, or `true`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Settings(Map<String, Value>);

impl Settings {
    /// Settings as they stand on a command line.
    pub(crate) fn of<const N: usize>(options: [(&str, &str); N]) -> Settings {
        let pair = |(name, text): (&str, &str)| (name.to_owned(), Value::from(text));
        Settings(options.into_iter().map(pair).collect())
    }

    /// What was given of a command's options.
    fn given(command: &Command, matches: &ArgMatches) -> Settings {
        let is_given = |arg: &&Arg| {
            matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let place = |arg: &&Arg| matches.index_of(arg.get_id().as_str());
        let mut given: Vec<&Arg> = command.get_arguments().filter(is_given).collect();
        // As they were typed, so that a command line that is shown again looks as it did.
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

    /// Adds a setting behind the others, or gives it another value in its place.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Takes a setting away.
    pub(crate) fn remove(&mut self, name: &str) {
        // The others keep their order, in which they are shown again.
        self.0.shift_remove(name);
    }

    /// Puts these settings over others, before those that they leave as they are.
    pub(crate) fn over(mut self, below: Settings) -> Settings {
        for (name, value) in below.0 {
            self.0.entry(name).or_insert(value);
        }
        self
    }

    /// Those that are options of `A`.
    pub(crate) fn of_options<A: Args>(&self) -> Settings {
        let known: Vec<String> = options::<A>().get_arguments().map(name).collect();
        let pairs = self.0.iter().filter(|(name, _)| known.contains(name));
        Settings(pairs.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
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

    /// The words of a command line that says the same, as one would type them.
    pub(crate) fn words<A: Args>(&self) -> Vec<String> {
        // In two words, as one types them, unless the value would be read as an option.
        let parted = |word: String| match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") && !value.starts_with("--") => {
                vec![option.to_owned(), value.to_owned()]
            }
            _ => vec![word],
        };
        self.joined(&options::<A>()).flat_map(parted).collect()
    }

    /// The same, each option and its value one word.
    fn joined<'a>(&'a self, command: &'a Command) -> impl Iterator<Item = String> + 'a {
        let is_place = |key: &str| command.get_positionals().any(|arg| name(arg) == key);
        self.0.iter().map(move |(key, value)| match value.as_str() {
            Some(text) if is_place(key) => text.to_owned(),
            // With `=`, so that a value may begin with a dash.
            Some(text) => format!("--{}={text}", key.replace('_', "-")),
            None => format!("--{}", key.replace('_', "-")),
        })
    }
}

impl From<Settings> for Map<String, Value> {
    fn from(settings: Settings) -> Map<String, Value> {
        settings.0
    }
}

/// What settings call an option.
pub(crate) fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

/// Options as a command of their own, without a name before them.
pub(crate) fn options<A: Args>() -> Command {
    A::augment_args(Command::new("options").no_binary_name(true).disable_help_flag(true))
}

/// Options of a command, and which of them were given.
#[derive(Clone, Debug)]
pub(crate) struct Given<A> {
    /// All of them, with their defaults.
    pub(crate) options: A,
    /// Those that were given.
    pub(crate) settings: Settings,
    matches: ArgMatches,
}

impl<A: Args> Given<A> {
    /// Reads settings, with the checks of the command line.
    pub(crate) fn read(settings: &Settings) -> Result<Given<A>, clap::Error> {
        let command = options::<A>();
        // By way of a command line, so that every layer has the same checks and messages.
        let words: Vec<String> = settings.joined(&command).collect();
        let matches = command.clone().try_get_matches_from(words)?;
        refuse_addresses(&command, &matches)?;
        Given::from_arg_matches(&matches)
    }

    /// Puts what was given here over other options.
    pub(crate) fn over(self, mut below: Given<A>) -> Result<Given<A>, clap::Error> {
        let mut given = self.matches.clone();
        for arg in options::<A>().get_arguments() {
            let id = arg.get_id().as_str();
            if given.value_source(id) != Some(ValueSource::CommandLine) {
                // Without its default, what lies below stays as it is.
                _ = given.try_clear_id(id);
            }
        }
        below.options.update_from_arg_matches(&given)?;
        let settings = self.settings.over(below.settings);
        Ok(Given { options: below.options, settings, matches: below.matches })
    }

    /// Refuses all that was given but these options.
    ///
    /// # Errors
    /// `why`, and what to leave out.
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

impl<A: Args> FromArgMatches for Given<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given<A>, clap::Error> {
        let settings = Settings::given(&options::<A>(), matches);
        Ok(Given { options: A::from_arg_matches(matches)?, settings, matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Args> Args for Given<A> {
    fn augment_args(command: Command) -> Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}
