//! How near a board is to the end of the game.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::controller::Scorer;
use crate::error::{Error, Result};

/// What levels are levels of: a whole number that tends to rise before a game ends.
///
/// An estimate is unbiased whatever the choice; the choice decides how much it costs. For `bcts` on
/// 10x20, greedy, pieces x relative variance were 65,000 by height, 26,000 by cells and 40,000 by value, and
/// a value takes twice as long to compute: cells is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Filled cells: of all measures of how full a board is the one with the finest steps.
    #[default]
    Cells,
    /// Height of the stack, in rows.
    Height,
    /// What the controller's features of the board cost, in eighths of the sum of its weights.
    Value,
}

/// The names of the importance functions.
pub const IMPORTANCE_NAMES: [&str; 3] = ["cells", "height", "value"];

/// Parts of the sum of weights that make one step of a value.
const VALUE_STEPS: i64 = 8;
/// Largest value: a controller's scores may be anything, and rises are counted one by one.
const LARGEST_VALUE: i64 = 4096;

impl Importance {
    /// The importance of a board.
    #[must_use]
    pub fn of(self, board: &Board, scorer: &Scorer) -> usize {
        match self {
            // All stored rows: the compiler counts them in a few vector instructions.
            Importance::Cells => board.rows().iter().map(|row| row.count_ones() as usize).sum(),
            Importance::Height => board.stack_height(),
            Importance::Value => value(board, scorer),
        }
    }
}

fn value(board: &Board, scorer: &Scorer) -> usize {
    let (mut score, mut weights) = (0, 0);
    for (feature, weight) in scorer.terms().iter().filter(|(feature, _)| !feature.is_earned()) {
        score += weight * i64::from(feature.raw(board, None).unwrap_or(0));
        weights += weight.abs();
    }
    (-score * VALUE_STEPS / weights.max(1)).clamp(0, LARGEST_VALUE) as usize
}

impl FromStr for Importance {
    type Err = Error;

    fn from_str(name: &str) -> Result<Importance> {
        match name {
            "cells" => Ok(Importance::Cells),
            "height" => Ok(Importance::Height),
            "value" => Ok(Importance::Value),
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
    use crate::controller::Controller;

    /// Four cells, three rows high. By the weights -1 of holes and -3 of rows with holes, one hole costs 4 of
    /// a sum of 4, which is 8 steps.
    #[test]
    fn importance_by_hand() {
        let board: Board = "....\n##..\n#...\n.#..".parse().unwrap();
        let controller = Controller::parse(
            "here",
            "name = \"h\"\nmeasured = \"after-clear\"\n[weights]\nholes = -1\nrows_with_holes = -3\nlanding_height = -9\n",
        );
        let scorer = Scorer::new(&controller.unwrap(), board.size()).unwrap();
        let of = |importance: Importance| importance.of(&board, &scorer);
        assert_eq!((of(Importance::Cells), of(Importance::Height)), (4, 3));
        // Column 0 has a hole in row 0, column 1 one in row 1.
        assert_eq!(of(Importance::Value), 8 * (2 + 2 * 3) / 4);
    }

    #[test]
    fn names_read_back() {
        for name in IMPORTANCE_NAMES {
            assert_eq!(name.parse::<Importance>().unwrap().to_string(), name);
        }
        assert!("depth".parse::<Importance>().unwrap_err().to_string().contains("cells, height"));
    }
}
