//! Searches for the best placement by looking ahead with a controller's scores.
//!
//! | search | value of a placement |
//! |---|---|
//! | `greedy` | the placement's score |
//! | `next` | the placement's rewards + the best score among placements of the known next piece |
//! | `expect` | the placement's rewards + the mean best score of the next pieces that survive |
//!
//! Full rows are removed between the pieces. The *rewards* of a placement (its landing height,
//! eroded cells, rows: [`crate::features::Feature::is_reward`]) count for both pieces. All other
//! features count once, on the last board.
//!
//! A placement that ends the game is chosen only if all placements do. A *reply* is a placement of
//! the next piece. A next piece is *deadly* if every reply with it ends the game. A placement with
//! fewer deadly next pieces ranks above one with more, whatever their scores ([`Value`]). If all
//! next pieces are deadly, the placement's own score decides.
//!
//! A [`Policy`] states which placement is chosen from the values: by default the best one.

mod decision;
pub mod guideline;
mod player;
mod policy;
mod ranking;
mod value;

use std::str::FromStr;

pub use decision::{Decision, Ranked, RunnerUp};
pub use player::Player;
pub use policy::Policy;
pub use ranking::{LandingProperties, RankedOrientation, RankedPlacement};
pub use value::Value;

use crate::error::setting::RULES;
use crate::error::{Error, Result};

crate::names! {
    /// The look-ahead of a controller. The cost of a decision grows with the number of placements
    /// that it examines. A greedy decision examines about 23 on ten columns, `next` 23 times as
    /// many, and `expect` seven times as many as `next`.
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
        /// Score of the current piece's placement alone.
        Greedy = "greedy",
        /// Rewards of the current piece's placement and the best score of the known next piece.
        Next = "next",
        /// Rewards of the current piece's placement and the mean of the best scores of the next
        /// pieces that survive. The number of deadly next pieces ranks before this score.
        Expect = "expect",
    }
}

crate::by_text!(Search);

impl FromStr for Search {
    type Err = Error;

    fn from_str(name: &str) -> Result<Search> {
        if name == "beam" {
            return Err(Error::Config(format!(
                "search 'beam' is for guideline games ({RULES} guideline or capstone): here use \
                 one of {}",
                Search::NAMES.join(", ")
            )));
        }
        Search::named(name).ok_or_else(|| Error::unknown("search", name, Search::NAMES))
    }
}
