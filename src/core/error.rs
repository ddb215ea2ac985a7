//! Defines the one error type of the library. Every message names the remedy, on one line.
//!
//! Messages quote user input safely: unprintable characters escaped, long input shortened. A
//! function that reads or writes files returns [`Error::Io`] if it cannot, and one that parses an
//! argument an error that says how to write it; their documentation does not repeat this.
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! let error = "100x20".parse::<tetrastat::board::BoardSize>().unwrap_err();
//! assert_eq!(error.to_string(),
//!     "board '100x20': write WIDTHxHEIGHT, width 4-16 and height 4-28, for example 10x20");
//! ```

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use self::setting::{CYCLE, FORCE, MAX_PIECES, OUT, PIECES};

/// An error of the tetrastat library, whose message names the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board size that is out of range, or not written as WIDTHxHEIGHT.
    #[error(
        "board '{}': write WIDTHxHEIGHT, width 4-16 and height 4-28, for example 10x20",
        quoted(given)
    )]
    BoardSize {
        /// Refused board size as the user gave it, for example `100x20`.
        given: String,
    },
    /// A picture that cannot be parsed as a board.
    #[error("board picture, line {line}: {problem}")]
    Picture {
        /// Number of the board picture's wrong line, counted from 1.
        line: usize,
        /// Description of the board picture's problem, and its remedy.
        problem: String,
    },
    /// A letter that names no piece.
    #[error("piece '{}': use one of I O T S Z J L", quoted(given))]
    Piece {
        /// Text that the user gave in place of a piece's letter.
        given: String,
    },
    /// A word from the user that is not in the list of accepted words.
    #[error("unknown {what} '{}': {}", quoted(given), remedy(suggestion.as_deref(), known))]
    Unknown {
        /// Kind of thing that the unknown word should name, for example "queue".
        what: &'static str,
        /// Unknown word that the user gave.
        given: String,
        /// Accepted words, joined by commas.
        known: String,
        /// Suggestion to the user, in quotes: a similar accepted word or an existing file.
        suggestion: Option<String>,
    },
    /// A script queue (a given sequence of pieces) that ended before its game.
    #[error(
        "the script queue ended after {dealt} pieces: give more pieces, {MAX_PIECES} {dealt} (of \
         guideline games {PIECES}), or {CYCLE}"
    )]
    ScriptEnded {
        /// Number of pieces that the script queue dealt before its end.
        dealt: u64,
    },
    /// A script queue (a given sequence of pieces) without pieces.
    #[error("the script queue is empty: give at least one of I O T S Z J L")]
    ScriptEmpty,
    /// A controller (player of the game) that cannot be used.
    #[error("controller {}: {problem}", printable(name, LONGEST_PATH))]
    Controller {
        /// Name or file of the controller that cannot be used.
        name: String,
        /// Description of the controller's problem, and its remedy.
        problem: String,
    },
    /// A contradiction between settings, or a setting that cannot be used.
    #[error("{0}")]
    Config(String),
    /// A path for output where a file or folder exists already.
    #[error(
        "{} exists already: choose another {OUT} ({FORCE} replaces nothing but a run of the same \
         kind)",
        printable_path(path)
    )]
    Exists {
        /// Output path at which a file or folder exists already.
        path: PathBuf,
    },
    /// A defect of this program, reported without a panic.
    #[error("internal error: {0}: please report it, with the command that was given")]
    Internal(String),
    /// A failed operation of the operating system.
    #[error("{action} {}: {} ({remedy})", printable_path(path), reason(cause))]
    Io {
        /// Operation that failed, as a verb: "writing", "reading".
        action: &'static str,
        /// File or folder on which the operation failed.
        path: PathBuf,
        /// Error of the operating system that caused the failure.
        // If its name were `source`, error chains would print it twice.
        cause: std::io::Error,
        /// Advice to the user after the failed operation.
        remedy: String,
    },
}

/// Result of a function that may fail with an [`Error`] of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates the error of a failed file operation, with advice for the kind of failure.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, cause: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let remedy = match cause.kind() {
            ErrorKind::NotFound => "check the path".to_owned(),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "choose a place you may write to".to_owned()
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free some space, or choose another disk".to_owned()
            }
            ErrorKind::FileTooLarge => {
                "raise the limit on file sizes (ulimit -f), or write less".to_owned()
            }
            ErrorKind::InvalidData => "the file must be UTF-8 text".to_owned(),
            _ => "check the path and the disk".to_owned(),
        };
        Error::Io { action, path: path.into(), cause, remedy }
    }

    /// Creates an error for a word that is not among `known` words, and suggests a similar one.
    pub fn unknown<'a>(
        what: &'static str,
        given: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let suggestion = nearest(given, known.iter().copied()).map(|word| format!("'{word}'"));
        Error::Unknown { what, given: given.to_owned(), known: known.join(", "), suggestion }
    }

    /// Creates an error for a word that is neither an accepted word nor a file; suggests the file
    /// `WORD.toml` if it exists.
    pub fn unknown_or_file<'a>(
        what: &'static str,
        given: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut error = Error::unknown(what, given, known);
        let file = format!("{given}.toml");
        if let Error::Unknown { suggestion, .. } = &mut error
            && Path::new(&file).is_file()
        {
            *suggestion = Some(format!("the file {}", quoted(&file)));
        }
        error
    }
}

const LONGEST_LIST: usize = 80;

fn remedy(suggestion: Option<&str>, known: &str) -> String {
    match suggestion {
        Some(suggestion) if known.len() > LONGEST_LIST => format!("did you mean {suggestion}?"),
        Some(suggestion) => format!("did you mean {suggestion}? Use one of {known}"),
        None => format!("use one of {known}"),
    }
}

const LONGEST_WORD: usize = 60;

/// Returns the accepted word in `known` most similar to a mistyped word, or `None` if more than a
/// third of its letters differ.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Case and the order of words in a name do not matter.
    let length = given.chars().count();
    if length > LONGEST_WORD {
        return None;
    }
    let given = given.to_lowercase();
    let distance = |word: &str| {
        let word = word.to_lowercase();
        let is_reordered = word != given && sorted_parts(&word) == sorted_parts(&given);
        if is_reordered { 1 } else { strsim::damerau_levenshtein(&given, &word) }
    };
    // A different number is not a typing error: `h16` is another column than `h1`. But `7bag` may
    // be `bag`.
    let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    let has_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let is_near = |&(distance, word): &(usize, &str)| {
        distance <= (length / 3).max(1)
            && distance < length.min(word.chars().count())
            && (distance == 0
                || !has_number(word)
                || letters(&given) != letters(&word.to_lowercase()))
    };
    let near = known.into_iter().map(|word| (distance(word), word)).filter(is_near);
    near.min_by_key(|&(distance, _)| distance).map(|(_, word)| word)
}

fn sorted_parts(name: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = name.split('_').collect();
    parts.sort_unstable();
    parts
}

const LONGEST_QUOTE: usize = 80;
const LONGEST_PATH: usize = 400;
const LONGEST_TOML_PROBLEM: usize = 400;

/// Returns user input for an error message, with hidden characters escaped and long text cut.
pub fn quoted(text: &str) -> String {
    printable(text, LONGEST_QUOTE)
}

/// Returns the text of an I/O error without its number, such as `(os error 2)`.
pub(crate) fn reason(cause: &std::io::Error) -> String {
    let text = cause.to_string();
    match text.rsplit_once(" (os error ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy(), LONGEST_PATH)
}

/// Returns `text` fit for a message: hidden characters escaped, cut to `longest` characters.
pub fn printable(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    let length = shown.chars().count();
    if length <= longest {
        return shown;
    }
    let tail = longest.saturating_sub(3) / 3;
    let head: String = shown.chars().take(longest.saturating_sub(3) - tail).collect();
    let tail: String = shown.chars().skip(length - tail).collect();
    // Words stay whole.
    let head = head.rsplit_once(' ').map_or(&*head, |(head, _)| head);
    let tail = tail.split_once(' ').map_or(&*tail, |(_, tail)| tail);
    let space = if head.contains(' ') { " " } else { "" };
    format!("{head}{space}...{space}{tail}")
}

/// Returns the message of a TOML `error` on one line, with the number of the wrong line if known.
pub fn toml_problem(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let message = printable(&reword_serde_message(&message), LONGEST_TOML_PROBLEM);
    let Some(span) = error.span() else { return message };
    let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
    format!("line {line}: {message}")
}

fn reword_serde_message(message: &str) -> String {
    for (start, what) in [("unknown variant `", "value"), ("unknown field `", "key")] {
        let parts = message.strip_prefix(start).and_then(|rest| rest.split_once("`, expected "));
        let Some((given, expected)) = parts else { continue };
        // Serde writes known words in backticks: `one of `a`, `b``, or `a` or `b`.
        let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        if !known.is_empty() {
            return Error::unknown(what, given, known).to_string();
        }
    }
    if let Some((key, rest)) =
        message.strip_prefix("missing field `").and_then(|rest| rest.split_once('`'))
    {
        return format!("the key '{key}' is missing{rest}");
    }
    let invalid =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "));
    match (invalid, message.split_once(", expected ")) {
        (Some((given, wanted)), _) => format!("write {wanted} in place of {given}"),
        (_, Some((problem, "literal string"))) => format!("{problem}: write \"...\""),
        (_, Some((problem, wanted))) => format!("{problem}: write {wanted}"),
        _ => message.to_owned(),
    }
}

const LONGEST_NAME: usize = 64;
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Returns true if `c` is invisible: a control character, or a character without width.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns `text` with hidden characters (controls, zero width) escaped, except line ends.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && c != '\n';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| match is_escaped(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Returns an error text if `name` is empty, too long, has a hidden character, or begins like a
/// spreadsheet formula; otherwise `None`.
pub fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Some(format!(
            "give 1 to {LONGEST_NAME} characters on one line, for example name = \"mine\""
        ));
    }
    if let Some(hidden) = name.chars().find(|&c| is_hidden(c)) {
        let (name, code) = (quoted(name), u32::from(hidden));
        return Some(format!("'{name}' holds the hidden character U+{code:04X}: leave it out"));
    }
    name.trim_start().chars().next().filter(|first| FORMULA.contains(first)).map(|first| {
        let name = quoted(name);
        format!(
            "'{name}' begins with {first}, so a spreadsheet would read it as a formula: begin \
            it with a letter or a digit"
        )
    })
}

/// Names of settings in error messages, written as in the library (`max_pieces`) or as options of
/// the command (`--max-pieces`).
pub mod setting {
    use std::fmt;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A setting that error messages can name, such as `max-pieces`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Setting(&'static str);

    impl Setting {
        /// Returns the setting's name in commands and files, without leading dashes: `max-pieces`.
        #[must_use]
        pub const fn name(self) -> &'static str {
            self.0
        }
    }

    static OPTIONS: AtomicBool = AtomicBool::new(false);

    /// Makes all later error messages of this process name settings as options, `--max-pieces`.
    pub fn are_options() {
        OPTIONS.store(true, Ordering::Relaxed);
    }

    impl fmt::Display for Setting {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            if OPTIONS.load(Ordering::Relaxed) {
                return write!(f, "--{}", self.0);
            }
            f.write_str(&self.0.replace('-', "_"))
        }
    }

    macro_rules! settings {
        ($($constant:ident $name:literal)*) => {
            $(
                #[doc = concat!("`", $name, "`.")]
                pub const $constant: Setting = Setting($name);
            )*
            /// All settings that error messages can name.
            pub const ALL: &[Setting] = &[$($constant),*];
        };
    }

    settings! {
        ALLOW_BOT "allow-bot"
        BOARD "board"
        BOARD_FILE "board-file"
        BOT_SECONDS "bot-seconds"
        BUDGET "budget"
        CANDIDATES "candidates"
        CHEESE_ROWS "cheese-rows"
        COLUMNS "columns"
        CYCLE "cycle"
        EVERY "every"
        FORCE "force"
        FROM "from"
        GAME "game"
        GAMES "games"
        GARBAGE "garbage"
        GARBAGE_EVERY "garbage-every"
        GARBAGE_MESSINESS "garbage-messiness"
        LOST "lost"
        MAX_LINES "max-lines"
        MAX_PIECES "max-pieces"
        MAX_REPLICATES "max-replicates"
        MAX_ROUNDS "max-rounds"
        MAX_STATES "max-states"
        MODE "mode"
        MOVEMENT "movement"
        OBJECTIVE "objective"
        ONLY_LAST "only-last"
        OUT "out"
        PIECES "pieces"
        PLACEMENTS "placements"
        POLICY "policy"
        POPULATION "population"
        PPS "pps"
        PRECISION "precision"
        QUEUE "queue"
        REGRET "regret"
        REPLICATES "replicates"
        RESUME "resume"
        ROUNDS "rounds"
        RULES "rules"
        SAMPLE_GAMES "sample-games"
        SCRIPT "script"
        SEARCH "search"
        SECONDS "seconds"
        SEED "seed"
        SHARD "shard"
        SIMD "simd"
        SPRINT_LINES "sprint-lines"
        THREADS "threads"
        TO "to"
        UNTIL_HALFWIDTH "until-halfwidth"
        WHERE "where"
    }
}
