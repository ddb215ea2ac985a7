//! Converts the keys of TOML files to settings. Keys are the options of a command with `_` for `-`,
//! so names, defaults and checks are those of the command line.

use std::cmp::Reverse;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::{Arg, Command};
use toml::{Table, Value};

use crate::cli::options::given::{Settings, name};
use crate::controller::PRESETS;
use crate::rules::RULES_NAMES;
use crate::rules::guideline::GUIDELINE_NAMES;

/// Replaces option names of `command` in `message` by setting keys: `--max-pieces` by `max_pieces`.
pub(crate) fn with_setting_keys(command: &Command, message: &str) -> String {
    let mut names: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    // Longer names first, because one name may begin with another.
    names.sort_by_key(|name| Reverse(name.len()));
    let say = |message: String, name: &str| {
        message.replace(&format!("--{name}"), &name.replace('-', "_"))
    };
    names.into_iter().fold(message.to_owned(), say)
}

/// Converts the keys and values of `table` to settings of `options`. Relative paths start at the
/// folder `base`. `unknown` returns the error message for a key that is no option.
pub(crate) fn settings(
    options: &[&Arg],
    base: &Path,
    table: &Table,
    unknown: impl Fn(&str) -> String,
) -> anyhow::Result<Settings> {
    let mut settings = Settings::default();
    for (key, value) in table {
        let known = options.iter().find(|known| name(known) == *key);
        let Some(known) = known else { bail!(unknown(key)) };
        if let Some(value) = setting(known, base, key, value)? {
            settings.set(key, value);
        }
    }
    Ok(settings)
}

/// Converts `value` of the option `known` to a setting. Returns `None` if a flag is `false`.
fn setting(
    known: &Arg,
    base: &Path,
    key: &str,
    value: &Value,
) -> anyhow::Result<Option<serde_json::Value>> {
    let takes_value = known.get_action().takes_values();
    let value = match value {
        // A command line has no way to give a flag as `false`, so `false` means "not given".
        Value::Boolean(given) if !takes_value => return Ok(given.then(|| true.into())),
        Value::Boolean(given)
            if known.get_possible_values().iter().any(|v| v.matches("true", false)) =>
        {
            given.to_string()
        }
        Value::String(text) if takes_value => located(base, key, text),
        Value::Integer(number) if takes_value => number.to_string(),
        Value::Float(number) if takes_value => number.to_string(),
        // Only these options accept lists. Lists that are axes of a study were removed before.
        Value::Array(names) if ["columns", "features"].contains(&key) => {
            let names = names.iter().map(|name| name.as_str());
            let names = names.collect::<Option<Vec<_>>>();
            names.with_context(|| format!("{key}: write names as text"))?.join(",")
        }
        _ if takes_value => {
            let help = known.get_help().map(ToString::to_string).unwrap_or_default();
            bail!("{key} is {value}: write one number or text ({help})")
        }
        _ => bail!("{key} is {value}: write true or false"),
    };
    ensure!(!value.is_empty(), "{key} is empty: give a value, or leave it out");
    Ok(Some(value.into()))
}

/// Returns `text` as a path relative to the folder `base` if it names a file. Returns other text,
/// such as the name of a preset, unchanged.
fn located(base: &Path, key: &str, text: &str) -> String {
    let path = base.join(text);
    let is_path = match key {
        "controller" | "features" | "start" => {
            let is_preset = PRESETS.iter().any(|preset| preset.name == text);
            !is_preset && (text.ends_with(".toml") || path.is_file())
        }
        "rules" => {
            let is_preset = RULES_NAMES.iter().chain(&GUIDELINE_NAMES).any(|name| *name == text);
            !is_preset && (text.ends_with(".toml") || path.is_file())
        }
        "board_file" => true,
        "script" => path.is_file(),
        _ => false,
    };
    if is_path { path.display().to_string() } else { text.to_owned() }
}
