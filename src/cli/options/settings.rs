//! Settings: the options of a command as one JSON object, with `_` for `-` in their names.
//!
//! A command line overrides a settings file key by key, and a file overrides a preset. Python
//! passes such an object, and checkpoints store it. The parser of the command line reads the merged
//! settings, so that names, checks and help exist once.

use std::cmp::Reverse;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cli::command_line::{clap_message, refuse_addresses};
use crate::cli::prelude::*;
use crate::controller::PRESETS;
use crate::rules::RULES_NAMES;
use crate::rules::guideline::GUIDELINE_NAMES;

pub(crate) const SETTING: &str = "setting";

/// Options of a command by name, in the order given. A value is text, a list of texts, or `true`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Settings(Map<String, Value>);

impl Settings {
    pub(crate) fn from_pairs<const N: usize>(options: [(&str, &str); N]) -> Settings {
        let pair = |(name, text): (&str, &str)| (name.to_owned(), Value::from(text));
        Settings(options.into_iter().map(pair).collect())
    }

    /// Returns the options that the user gave on the parsed command line, without defaults.
    fn from_matches(command: &Command, matches: &ArgMatches) -> Settings {
        let is_given = |arg: &&Arg| {
            matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let mut given: Vec<&Arg> = command.get_arguments().filter(is_given).collect();
        // Options keep the order in which the user typed them, for printed command lines.
        given.sort_by_key(|arg| matches.index_of(arg.get_id().as_str()));
        let pair = |arg: &Arg| {
            let words = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
            let texts = words.map(|word| word.to_string_lossy().into_owned()).collect();
            (setting_name(arg), setting_value(arg, texts))
        };
        Settings(given.into_iter().map(pair).collect())
    }

    /// Converts a JSON object to settings of `command`. `null`, and `false` for a flag, mean "not
    /// given". Relative paths start at the folder `base`. Errors list `others` as known keys, too.
    pub(crate) fn from_object(
        command: &Command,
        base: &Path,
        object: &Map<String, Value>,
        others: &[&str],
    ) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        for (key, value) in object {
            let Some(known) = command.get_arguments().find(|known| setting_name(known) == *key)
            else {
                let known: Vec<String> = command.get_arguments().map(setting_name).collect();
                let known = others.iter().copied().chain(known.iter().map(String::as_str));
                bail!(Error::unknown(SETTING, key, known));
            };
            let help = || known.get_help().map(ToString::to_string).unwrap_or_default();
            let mut words = known.get_possible_values().into_iter();
            let is_wrong = match value {
                Value::Null => continue,
                Value::Bool(is_given) if !takes_text(known) => {
                    if *is_given {
                        settings.set(key, true);
                    }
                    continue;
                }
                Value::Bool(_) => !words.any(|word| word.matches("true", false)),
                Value::Array(_) => !takes_list(known),
                other => other.is_object(),
            };
            ensure!(known.get_action().takes_values(), "{key} is {value}: write true or false");
            ensure!(!is_wrong, "{key} is {value}: write one number or text ({})", help());
            let texts = texts(value).into_iter().map(|text| resolve_path(base, key, text));
            let value = setting_value(known, texts.collect());
            ensure!(value != "", "{key} is empty: give a value, or leave it out");
            settings.set(key, value);
        }
        Ok(settings)
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        // The other settings keep their order, in which they are printed.
        self.0.shift_remove(name);
    }

    pub(crate) fn merge_over(mut self, below: Settings) -> Settings {
        for (name, value) in below.0 {
            self.0.entry(name).or_insert(value);
        }
        self
    }

    pub(crate) fn only_options_of<A: Args>(&self) -> Settings {
        let known = setting_names::<A>();
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

    /// Converts the settings to the words of a command line, as a user would type them.
    pub(crate) fn words<A: Args>(&self) -> Vec<String> {
        // Users type option and value as two words, unless the value begins with dashes.
        let parted = |word: String| match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") && !value.starts_with("--") => {
                vec![option.to_owned(), value.to_owned()]
            }
            _ => vec![word],
        };
        let (positionals, options) = self.split_words(&options::<A>());
        positionals.into_iter().chain(options.into_iter().flat_map(parted)).collect()
    }

    /// Splits the settings into positional arguments and options. Each option is one word, such as
    /// `--games=8`, because values may be negative.
    pub(crate) fn split_words(&self, command: &Command) -> (Vec<String>, Vec<String>) {
        let is_positional =
            |key: &str| command.get_positionals().any(|arg| setting_name(arg) == key);
        let (mut positionals, mut options) = (Vec::new(), Vec::new());
        for (key, value) in &self.0 {
            let option = key.replace('_', "-");
            match value {
                _ if is_positional(key) => positionals.extend(texts(value)),
                Value::Bool(_) => options.push(format!("--{option}")),
                _ => options.extend(texts(value).iter().map(|text| format!("--{option}={text}"))),
            }
        }
        (positionals, options)
    }
}

impl From<Settings> for Map<String, Value> {
    fn from(settings: Settings) -> Map<String, Value> {
        settings.0
    }
}

pub(crate) fn toml_to_json(table: &toml::Table) -> serde_json::Result<Map<String, Value>> {
    table.iter().map(|(key, value)| Ok((key.clone(), serde_json::to_value(value)?))).collect()
}

fn setting_value(arg: &Arg, mut texts: Vec<String>) -> Value {
    let is_repeated =
        matches!(arg.get_action(), ArgAction::Append) && arg.get_value_delimiter().is_none();
    match texts.len() {
        _ if !arg.get_action().takes_values() => Value::Bool(true),
        0 => Value::Bool(true),
        1 => Value::from(texts.remove(0)),
        _ if is_repeated => Value::from(texts),
        _ => Value::from(texts.join(",")),
    }
}

fn takes_text(arg: &Arg) -> bool {
    let is_optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    arg.get_action().takes_values() && !is_optional
}

/// Converts a JSON value to texts: one for each element of a list, else a single one.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

/// Returns the placeholders of an option's value in the help: `N` and `SHARE` of `<N|SHARE>`.
pub(crate) fn value_names(arg: &Arg) -> impl Iterator<Item = &str> {
    arg.get_value_names().into_iter().flatten().flat_map(|names| names.split('|'))
}

/// Returns true if the option `arg` takes several values, by repetition or joined by commas.
pub(crate) fn takes_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
        || arg.get_value_delimiter().is_some()
        || value_names(arg).any(|name| name.contains(',') || name == "NAMES")
}

/// Returns the key of an option, such as `max_pieces` for `--max-pieces`.
pub(crate) fn setting_name(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

pub(crate) fn options<A: Args>() -> Command {
    A::augment_args(Command::new("options").no_binary_name(true).disable_help_flag(true))
}

pub(crate) fn setting_names<A: Args>() -> Vec<String> {
    options::<A>().get_arguments().map(setting_name).collect()
}

/// Replaces the command's options in `message` by setting names: `--seed` by `seed`.
pub(crate) fn with_setting_keys(command: &Command, message: &str) -> String {
    let mut names: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    // Longer names first, because one name may begin with another.
    names.sort_by_key(|name| Reverse(name.len()));
    let say = |message: String, name: &str| {
        message.replace(&format!("--{name}"), &name.replace('-', "_"))
    };
    names.into_iter().fold(message.to_owned(), say)
}

/// Prepends the folder `base` to an option's value `text` if the value is the path of a file.
fn resolve_path(base: &Path, key: &str, text: String) -> String {
    let path = base.join(&text);
    let mut presets = PRESETS.iter().map(|preset| preset.name);
    let mut rules = RULES_NAMES.into_iter().chain(GUIDELINE_NAMES);
    let is_file = text.ends_with(".toml") || path.is_file();
    let is_path = match key {
        "controller" | "features" | "start" => is_file && presets.all(|name| name != text),
        "rules" => is_file && rules.all(|name| name != text),
        "board_file" => true,
        "script" => path.is_file(),
        _ => false,
    };
    if is_path { path.display().to_string() } else { text }
}

#[derive(Clone, Debug)]
pub(crate) struct ParsedArgs<A> {
    pub(crate) options: A,
    /// Options of the command that the user gave, without defaults.
    pub(crate) settings: Settings,
}

impl<A: Args> ParsedArgs<A> {
    pub(crate) fn read(settings: &Settings) -> Result<ParsedArgs<A>, clap::Error> {
        let command = options::<A>();
        let (positionals, options) = settings.split_words(&command);
        // A picture or a file name may begin with a dash.
        let dashes = (!positionals.is_empty()).then(|| "--".to_owned());
        let words: Vec<String> = options.into_iter().chain(dashes).chain(positionals).collect();
        let matches = command.clone().try_get_matches_from(words)?;
        refuse_addresses(&command, &matches)?;
        Ok(ParsedArgs { options: A::from_arg_matches(&matches)?, settings: settings.clone() })
    }

    /// Parses the settings in a JSON object. Relative paths start at `base`.
    pub(crate) fn from_object(
        base: &Path,
        object: &Map<String, Value>,
        others: &[&str],
    ) -> anyhow::Result<ParsedArgs<A>> {
        let command = options::<A>();
        let settings = Settings::from_object(&command, base, object, others)?;
        ParsedArgs::read(&settings)
            .map_err(|error| anyhow!(with_setting_keys(&command, &clap_message(&error))))
    }

    pub(crate) fn merge_over(self, below: Settings) -> anyhow::Result<ParsedArgs<A>> {
        match below == Settings::default() {
            true => Ok(self),
            false => ParsedArgs::read(&self.settings.merge_over(below))
                .map_err(|error| anyhow!(clap_message(&error))),
        }
    }

    pub(crate) fn check_only(&self, known: &[&str], why: &str) -> anyhow::Result<()> {
        let Some((other, value)) = self.settings.iter().find(|(name, _)| !known.contains(name))
        else {
            return Ok(());
        };
        let is_positional = options::<A>().get_positionals().any(|arg| setting_name(arg) == other);
        match texts(value).first().filter(|_| is_positional) {
            Some(value) => bail!("{why}: leave out {value}"),
            None => bail!("{why}: leave out --{}", other.replace('_', "-")),
        }
    }
}

impl<A: Args> FromArgMatches for ParsedArgs<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ParsedArgs<A>, clap::Error> {
        let settings = Settings::from_matches(&options::<A>(), matches);
        Ok(ParsedArgs { options: A::from_arg_matches(matches)?, settings })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::call::describe_options;
    use crate::text::parse::count;

    tetrastat_runs::settings! {
        /// Settings of the example in CONTRIBUTING.md.
        pub struct Example {
            /// Rows of garbage that rise after each clear
            #[arg(value_name = "ROWS", value_parser = count::<u32>(..=20))]
            pub rising: u32 = 2,
        }
    }

    #[test]
    fn a_declared_setting_is_option_key_keyword_and_entry() {
        let help = options::<Example>().render_long_help().to_string();
        assert!(help.contains("--rising <ROWS>"), "{help}");
        assert!(help.contains("Rows of garbage that rise after each clear"), "{help}");
        assert!(help.contains("[default: 2]"), "{help}");
        // Python's keywords, their docstrings and types come from this description.
        let described = describe_options(&options::<Example>());
        assert_eq!(described[0].name, "rising");
        assert_eq!(described[0].help, "Rows of garbage that rise after each clear [default: 2]");

        let parsed = |text: &str| {
            let table: toml::Table = text.parse().unwrap();
            ParsedArgs::<Example>::from_object(Path::new(""), &toml_to_json(&table).unwrap(), &[])
        };
        let found = parsed("rising = 3").unwrap().options;
        assert_eq!(json!(found), json!({ "rising": 3 }));
        assert_eq!(serde_json::from_value::<Example>(json!({ "rising": 3 })).unwrap(), found);
        assert_eq!(parsed("").unwrap().options, Example::default());

        let refused = |text| parsed(text).unwrap_err().to_string();
        assert_eq!(
            refused("risng = 3"),
            "unknown setting 'risng': did you mean 'rising'? Use one of rising"
        );
        assert!(refused("rising = 21").contains("'rising <ROWS>': write a whole number"));
    }

    #[test]
    fn the_example_is_that_of_the_documents() {
        let page = include_str!("../../../CONTRIBUTING.md");
        let block = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
        let lines: Vec<&str> = block.unwrap().lines().map(str::trim).collect();
        let source: Vec<&str> = include_str!("settings.rs").lines().map(str::trim).collect();
        assert!(source.windows(lines.len()).any(|window| window == lines), "{lines:?}");
    }
}
