//! Formats a command-line mistake as one line on stderr.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::quoted;

/// Messages of Rust's number parsers, each with its replacement for users.
const REPLACEMENTS: [(&str, &str); 6] = [
    ("invalid float literal", "write a number, for example 0.5"),
    ("cannot parse float from empty string", "write a number, for example 0.5"),
    ("invalid digit found in string", "write a whole number"),
    ("cannot parse integer from empty string", "write a whole number"),
    ("number too large to fit in target type", "write a smaller number"),
    ("number too small to fit in target type", "write a larger number"),
];

/// Former names of commands, each with its name today.
const RENAMED: [(&str, &str); 12] = [
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

/// Returns a message with today's name of a command if `error` is about a former one.
pub(crate) fn renamed(error: &clap::Error) -> Option<String> {
    let ContextValue::String(given) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let (old, new) = RENAMED.iter().find(|(old, _)| old == given)?;
    Some(format!("{old} is now tetrastat {new}"))
}

/// Returns a message if `error` is about an option of a group of commands, such as `train`, after
/// which no name of a command was given.
pub(crate) fn misplaced_option(error: &clap::Error) -> Option<String> {
    let ContextValue::StyledStr(usage) = error.get(ContextKind::Usage)? else { return None };
    let usage = usage.to_string();
    let group = usage.strip_prefix("Usage: ")?.strip_suffix(" <COMMAND>")?;
    let group = group.trim_end_matches(" [OPTIONS]");
    let is_option = error.kind() == ErrorKind::UnknownArgument;
    is_option.then(|| format!("options come after a command of {group}: {group} --help lists them"))
}

/// Returns the message of `error` on one line, with the similar name that was probably meant.
pub(crate) fn mistake(error: &clap::Error) -> String {
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
    let line = REPLACEMENTS.iter().fold(line, |line, (rust, ours)| line.replace(rust, ours));
    let line = line.trim_start_matches("error: ");
    // The variable is wrong, not the option whose default reads it.
    let line = line.find("TETRASTAT_SIMD: ").map_or(line, |at| &line[at..]);
    match meant(error) {
        Some(meant) => format!("{line}: did you mean '{meant}'?"),
        None => line.to_owned(),
    }
}

/// Returns the known word most similar to the unknown word of `error`.
fn meant(error: &clap::Error) -> Option<&str> {
    use ContextKind::{SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let found = [SuggestedSubcommand, SuggestedArg, SuggestedValue];
    match found.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(word) => Some(word),
        ContextValue::Strings(words) => words.last().map(String::as_str),
        _ => None,
    }
}
