//! Rejects addresses such as `s3://bucket/run` where a path is expected. Read as a path, this
//! address would name a file in a local folder `s3:`.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use super::options::help::adapted;
use super::{Cli, program};
use crate::error::{Error, Result, quoted};

/// Parses the command line `words`, of which the first is the program's name. Rejects addresses
/// such as `s3://bucket/run` in place of paths.
///
/// # Errors
/// An error of clap, whose message says how to correct the command line.
pub(super) fn parsed(
    words: impl IntoIterator<Item = impl Into<OsString>>,
) -> std::result::Result<Cli, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let program = if words.iter().any(|word| word == "train") { program() } else { Cli::command() };
    let mut command = adapted(program, &words);
    let matches = command.try_get_matches_from_mut(words)?;
    refuse_addresses(&command, &matches)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Rejects addresses such as `s3://bucket/run` as values of path options of `command` and its
/// subcommands.
///
/// # Errors
/// [`ErrorKind::ValueValidation`] with a message that says what to do instead.
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

/// Checks that `text` is a path and not an address.
///
/// # Errors
/// [`Error::Config`] if `text` begins with a scheme, such as `s3://`.
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

#[cfg(test)]
mod tests {
    use super::*;

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
            let said = parsed(line).unwrap_err().to_string();
            assert!(said.contains("is an address"), "{words}: {said}");
        }
    }
}
