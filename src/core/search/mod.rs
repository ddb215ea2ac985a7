//! Search: how a controller looks ahead to choose a placement.
//!
//! | search | value of a placement |
//! |---|---|
//! | `greedy` | its score |
//! | `next` | what it earns + the best score among the known next piece's placements after it |
//! | `expect` | the same, averaged over the seven next pieces, each with its best placement |
//!
//! Full rows are removed between the pieces. What a placement *earns* (its landing height, eroded
//! cells, rows: [`crate::features::Feature::is_reward`]) is kept for both pieces; what the board
//! is worth counts once, at the end. A placement that ends the game is chosen only when all do. A
//! placement after which every answer ends the game ranks below those with a surviving answer,
//! and among its like by its own score, so that the least bad one is still played.

mod decision;
pub mod guideline;
mod player;
mod value;

use std::str::FromStr;

pub use decision::{Decision, Ranked, RunnerUp};
pub use player::Player;
pub use value::Value;

use crate::error::setting::RULES;
use crate::error::{Error, Result};

crate::names! {
    /// How far a controller looks ahead. The cost of a decision grows with the placements looked at: about 23
    /// for greedy on ten columns, 23 times as many for `next`, and seven times that for `expect`.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::search::Search;
    /// assert_eq!("next".parse::<Search>()?, Search::Next);
    /// assert!("beam".parse::<Search>().unwrap_err().to_string().contains("guideline games"));
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Search {
        /// The best score of the current piece.
        Greedy = "greedy",
        /// The current and the known next piece.
        Next = "next",
        /// The current piece and the average over unknown next pieces.
        Expect = "expect",
    }
}

impl FromStr for Search {
    type Err = Error;

    fn from_str(name: &str) -> Result<Search> {
        if name == "beam" {
            return Err(Error::Config(format!(
                "search 'beam' is of guideline games ({RULES} guideline or capstone): here use one of {}",
                Search::NAMES.join(", ")
            )));
        }
        Search::named(name).ok_or_else(|| Error::unknown("search", name, Search::NAMES))
    }
}
