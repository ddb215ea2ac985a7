//! The keys of TOML files are the options of a command, with `_` for `-`: a key becomes an argument, so
//! that names, defaults and checks are the same.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::Command;
use toml::Value;

use crate::controller::PRESETS;

/// The keys that a command's options give, in their order.
pub(super) fn names(command: &Command) -> impl Iterator<Item = String> {
    let options = command.get_arguments().filter_map(|known| known.get_long());
    options.map(|name| name.replace('-', "_"))
}

/// A key as an argument of a command; `false` is none. Paths are relative to `base`.
pub(super) fn argument(
    command: &Command,
    base: &Path,
    key: &str,
    value: &Value,
    unknown: impl Fn() -> String,
) -> anyhow::Result<Option<String>> {
    let name = key.replace('_', "-");
    let known = command.get_arguments().find(|known| known.get_long() == Some(&name));
    let Some(known) = known.filter(|_| !key.contains('-')) else { bail!(unknown()) };
    let takes_value = known.get_action().takes_values();
    let value = match value {
        Value::Boolean(given) if !takes_value => {
            return Ok(given.then(|| format!("--{name}")));
        }
        Value::Boolean(given)
            if known.get_possible_values().iter().any(|v| v.matches("true", false)) =>
        {
            given.to_string()
        }
        Value::String(text) if takes_value => located(base, key, text),
        Value::Integer(number) if takes_value => number.to_string(),
        Value::Float(number) if takes_value => number.to_string(),
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
    Ok(Some(format!("--{name}={value}")))
}

/// A file's path, seen from here; other text as it is.
fn located(base: &Path, key: &str, text: &str) -> String {
    let path = base.join(text);
    let is_path = match key {
        "controller" | "features" | "start" => {
            let is_preset = PRESETS.iter().any(|preset| preset.name == text);
            !is_preset && (text.ends_with(".toml") || path.is_file())
        }
        "board_file" => true,
        "script" => path.is_file(),
        _ => false,
    };
    if is_path { path.display().to_string() } else { text.to_owned() }
}
