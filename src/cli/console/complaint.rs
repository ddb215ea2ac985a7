//! One line on stderr: what went wrong, or what there is to say besides the result.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use clap::error::{ContextKind, ContextValue};
use indicatif::ProgressBar;

use crate::cli::call;
use crate::error::{printable, quoted};

/// Longest line of a complaint, in characters: what users gave is cut where it is quoted, and paths, which
/// are not, may have some 300.
const LONGEST_LINE: usize = 1000;

/// The bar that is on the terminal now.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes one line to stderr, while no bar is in its way; a user who closed it wants to hear nothing. A program that
/// called hears it.
pub(crate) fn complain(message: &str) {
    let line = printable(message, LONGEST_LINE);
    if let Some(call) = call::current() {
        return call.say(line);
    }
    let write = || _ = writeln!(io::stderr(), "{line}");
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Tells that a bar is on the terminal, or none any more; the one that was comes back.
pub(crate) fn shown(bar: Option<ProgressBar>) -> Option<ProgressBar> {
    std::mem::replace(&mut *BAR.lock().unwrap_or_else(PoisonError::into_inner), bar)
}

/// Takes the bar away, before the program ends at once.
pub(crate) fn clear() {
    if let Some(bar) = shown(None) {
        bar.finish_and_clear();
    }
}

/// Messages of Rust's number parsers, each with its replacement for users.
const OTHER_WORDS: [(&str, &str); 6] = [
    ("invalid float literal", "write a number, for example 0.5"),
    ("cannot parse float from empty string", "write a number, for example 0.5"),
    ("invalid digit found in string", "write a whole number"),
    ("cannot parse integer from empty string", "write a whole number"),
    ("number too large to fit in target type", "write a smaller number"),
    ("number too small to fit in target type", "write a larger number"),
];

/// What clap says of a mistake, on one line, and what was meant if something is much alike.
pub(crate) fn mistake(error: &clap::Error) -> String {
    let mut text = error.render().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(given) = value {
            // What a user gave may have line ends and control characters, and be of any length.
            text = text.replace(given, &quoted(given));
        }
    }
    let end =
        ["tip:", "Usage:", "For more information"].into_iter().filter_map(|end| text.find(end));
    let lines = text[..end.min().unwrap_or(text.len())].lines().map(str::trim);
    let line = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let line = OTHER_WORDS.iter().fold(line, |line, (rust, ours)| line.replace(rust, ours));
    let line = line.trim_start_matches("error: ");
    match meant(error) {
        Some(meant) => format!("{line}: did you mean '{meant}'?"),
        None => line.to_owned(),
    }
}

/// What is most like a word that is not known.
fn meant(error: &clap::Error) -> Option<&str> {
    use ContextKind::{SuggestedArg, SuggestedSubcommand, SuggestedValue};
    let found = [SuggestedSubcommand, SuggestedArg, SuggestedValue];
    match found.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(word) => Some(word),
        ContextValue::Strings(words) => words.last().map(String::as_str),
        _ => None,
    }
}
