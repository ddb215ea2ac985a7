//! States of games as bytes: JSON with a checksum, which another process can restore.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use tetrastat::error::{Error, Result};
use tetrastat::record::{checksum, verify_checksum, write_checksum};

use super::game::damaged;

/// Format of the bytes. It changes whenever the stored form of a game does.
const FORMAT: u32 = 2;

/// Number of characters of an option's value that are stored as they are. Longer values, such as
/// scripts, are stored as a checksum.
const LONGEST_VALUE: usize = 60;

/// Options that decide how a game continues, by name: the board, the queue, the rules. A state is
/// restored only in a game with the same options. Observations, rewards and limits are not among
/// them, so that they may differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GameOptions(BTreeMap<String, String>);

impl GameOptions {
    /// Creates the options with these names and values.
    pub fn new<const N: usize>(options: [(&str, String); N]) -> GameOptions {
        let stored = |value: String| match value.len() > LONGEST_VALUE {
            true => format!("#{}", &checksum(&[&value])[..16]),
            false => value,
        };
        GameOptions(
            options.into_iter().map(|(name, value)| (name.to_owned(), stored(value))).collect(),
        )
    }

    /// Returns an error that names the first option in which `other`, the options of a state,
    /// differ.
    fn check(&self, other: &GameOptions) -> Result<()> {
        let names = self.0.keys().chain(other.0.keys());
        let Some(name) = names.into_iter().find(|name| self.0.get(*name) != other.0.get(*name))
        else {
            return Ok(());
        };
        let value =
            |options: &GameOptions| options.0.get(name).map_or("none", |value| value).to_owned();
        Err(Error::Config(format!(
            "state: it is of games with {name} {}, but this environment has {name} {}",
            value(other),
            value(self)
        )))
    }
}

/// States of games of one kind.
#[derive(Serialize, Deserialize)]
struct Stored<S> {
    format: u32,
    options: GameOptions,
    games: Vec<S>,
}

/// Returns the bytes of the states of `games`.
pub(super) fn write<S: Serialize>(options: &GameOptions, games: Vec<S>) -> Result<Vec<u8>> {
    let stored = Stored { format: FORMAT, options: options.clone(), games };
    let text = serde_json::to_string(&stored).map_err(|error| Error::Config(error.to_string()))?;
    Ok(write_checksum(&text).into_bytes())
}

/// Reads the states of games with `options` from `bytes`.
///
/// # Errors
/// Returns [`Error::Config`] if the bytes are damaged, or of games with other options.
pub(super) fn read<S: DeserializeOwned>(options: &GameOptions, bytes: &[u8]) -> Result<Vec<S>> {
    let text = verify_checksum(bytes).ok_or_else(damaged)?;
    // The head is read first, because the games of another kind have other parts.
    let head: Stored<IgnoredAny> = serde_json::from_str(text).map_err(|_| damaged())?;
    if head.format != FORMAT {
        return Err(Error::Config(format!(
            "state: it has format {}, and this version of tetrastat reads {FORMAT}",
            head.format
        )));
    }
    options.check(&head.options)?;
    let stored: Stored<S> = serde_json::from_str(text).map_err(|_| damaged())?;
    Ok(stored.games)
}
