//! The one error type of the library. Every message names the remedy, on one line.

use std::path::PathBuf;

/// What can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board whose width or height is out of range, or that is not written as WxH.
    #[error("board '{given}': write WIDTHxHEIGHT, width 4-16 and height 4-28, for example 10x20")]
    BoardSize {
        /// The text or numbers given.
        given: String,
    },
    /// A picture that is not a board.
    #[error("board picture, line {line}: {problem}")]
    Picture {
        /// 1-based line of the picture.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A letter that is no piece.
    #[error("piece '{given}': use one of I O T S Z J L")]
    Piece {
        /// The text given.
        given: String,
    },
    /// A word that is not one of a fixed list.
    #[error("unknown {what} '{given}': use one of {known}")]
    Unknown {
        /// What the word should name.
        what: &'static str,
        /// The word given.
        given: String,
        /// The words that would do.
        known: String,
    },
    /// A script queue that ended before the game did.
    #[error(
        "the script queue ended after {dealt} pieces: give more pieces, --max-pieces {dealt}, or --cycle"
    )]
    ScriptEnded {
        /// Pieces dealt before the end.
        dealt: u64,
    },
    /// A script queue without pieces.
    #[error("the script queue is empty: give at least one of I O T S Z J L")]
    ScriptEmpty,
    /// A controller that can't be used.
    #[error("controller {name}: {problem}")]
    Controller {
        /// Its name or file.
        name: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A combination of settings that makes no sense.
    #[error("{0}")]
    Config(String),
    /// An output that would overwrite another.
    #[error("{path} exists already: choose another --out, or give --force to replace its files")]
    Exists {
        /// The path in the way.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{action} {path}: {cause} ({remedy})")]
    Io {
        /// What was tried, as a verb: "writing", "reading".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not. (Not named `source`: the message has it, and a chain would say it twice.)
        cause: std::io::Error,
        /// What the user may do.
        remedy: &'static str,
    },
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An input/output error with the remedy that fits it.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, cause: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let remedy = match cause.kind() {
            ErrorKind::NotFound => "check the path",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "choose a place you may write to"
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free some space, or log fewer rows with --every"
            }
            ErrorKind::InvalidData => "the file must be UTF-8 text",
            _ => "check the path and the disk",
        };
        Error::Io { action, path: path.into(), cause, remedy }
    }

    /// An unknown word, with the list of those that are known.
    pub fn unknown<'a>(
        what: &'static str,
        given: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        Error::Unknown { what, given: given.to_owned(), known }
    }
}

/// A TOML error in one line, with its line number.
pub(crate) fn toml_problem(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let Some(span) = error.span() else { return message };
    let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
    format!("line {line}: {message}")
}
