//! Shards: parts of a run that are played separately.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::error::setting::GAMES;
use crate::error::{Error, Result, quoted};

/// One of several parts of a run's games, equal in size as far as possible; written `i/n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of this part, from 1.
    pub part: u64,
    /// Number of parts.
    pub of: u64,
}

tetrastat_core::by_text!(Shard);

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
    /// Checks that `shard` contains at least one of the run's `games` games.
    ///
    /// # Errors
    /// [`Error::Config`] if it contains none.
    pub fn check(shard: Option<Shard>, games: u64) -> Result<()> {
        match shard {
            Some(Shard { of, .. }) if Shard::games(shard, games).is_empty() => {
                Err(Error::Config(format!(
                    "{games} games in {of} shards leave this one without any: give more {GAMES} \
                     or fewer shards"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Returns the range of games that `shard` contains of a run of `games` games. `None` stands
    /// for the whole run.
    #[must_use]
    pub fn games(shard: Option<Shard>, games: u64) -> Range<u64> {
        // The product may exceed 64 bits. Each bound is the end of one part and the start of the
        // next.
        let bound =
            |part: u64, of: u64| (u128::from(games) * u128::from(part) / u128::from(of)) as u64;
        match shard {
            None => 0..games,
            Some(Shard { part, of }) => bound(part - 1, of)..bound(part, of),
        }
    }
}
