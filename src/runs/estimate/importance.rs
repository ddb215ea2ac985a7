//! How near a board is to the end of the game.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What levels are levels of: a whole number that tends to rise before a game ends.
///
/// An estimate is unbiased whatever the choice; the choice decides how much it costs. For `bcts` on
/// 10x20, greedy, pieces x relative variance were 65,000 by height, 26,000 by cells and 40,000 by value, and
/// a value takes twice as long to compute: cells is the default. For `tetrastat-blitz-greedy` in guideline games, whose mean
/// plain play finds as well (some 13,000 lines), it would take 1.2, 1.1 and 0.5 times the pieces by cells, height and holes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Filled cells: of all measures of how full a board is the one with the finest steps.
    #[default]
    Cells,
    /// Height of the stack, in rows.
    Height,
    /// What the controller's features of the board cost, in eighths of the sum of its weights; of classic games
    /// alone.
    Value,
    /// Empty cells with a filled cell above.
    Holes,
}

/// The names of the importance functions.
pub const IMPORTANCE_NAMES: [&str; 4] = ["cells", "height", "value", "holes"];

impl FromStr for Importance {
    type Err = Error;

    fn from_str(name: &str) -> Result<Importance> {
        match name {
            "cells" => Ok(Importance::Cells),
            "height" => Ok(Importance::Height),
            "value" => Ok(Importance::Value),
            "holes" => Ok(Importance::Holes),
            _ => Err(Error::unknown("importance", name, IMPORTANCE_NAMES)),
        }
    }
}

impl fmt::Display for Importance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(IMPORTANCE_NAMES[*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in IMPORTANCE_NAMES {
            assert_eq!(name.parse::<Importance>().unwrap().to_string(), name);
        }
        assert!("depth".parse::<Importance>().unwrap_err().to_string().contains("cells, height"));
    }
}
