//! Parts of a run that are played apart.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::error::setting::GAMES;
use crate::error::{Error, Result, quoted};

/// One of several equal parts of a run's games, written `i/n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u64,
    /// How many parts.
    pub of: u64,
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let parse = || {
            let (part, of) = text.split_once('/')?;
            Some(Shard { part: part.parse().ok()?, of: of.parse().ok()? })
        };
        let shard = parse().filter(|shard| (1..=shard.of).contains(&shard.part));
        shard.ok_or_else(|| {
            Error::Config(format!("shard '{}': write PART/PARTS, for example 1/4", quoted(text)))
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Shard {
    /// Makes sure that there is a game to play.
    ///
    /// # Errors
    /// [`Error::Config`] when a shard of so many games has none.
    pub fn check(shard: Option<Shard>, games: u64) -> Result<()> {
        match shard {
            Some(Shard { of, .. }) if Shard::games(shard, games).is_empty() => {
                Err(Error::Config(format!(
                    "{games} games in {of} shards leave this one without any: give more {GAMES} or fewer shards"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The games of a shard among so many; all of them without one.
    #[must_use]
    pub fn games(shard: Option<Shard>, games: u64) -> Range<u64> {
        // In 128 bits, since games times parts may exceed 64; each bound is one part's end and the next one's
        // beginning.
        let bound =
            |part: u64, of: u64| (u128::from(games) * u128::from(part) / u128::from(of)) as u64;
        match shard {
            None => 0..games,
            Some(Shard { part, of }) => bound(part - 1, of)..bound(part, of),
        }
    }
}
