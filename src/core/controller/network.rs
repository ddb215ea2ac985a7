//! Defines the neural network that values states of guideline games in addition to the terms.
//!
//! Reference: `docs/reference/network.md`. The two hidden layers use integers, so values are
//! identical on every machine. The right column has the unit of each number and the range of its
//! index:
//!
//! ```text
//! sum[j]    = first[INPUTS][j] + first[i][j] of each input i that is on    1/256, j < HIDDEN
//! act[j]    = max(sum[j], 0)
//! unit[s]   = sum of act[j] * second[s][j] + second_bias[s]                1/65536, s < SECOND
//! output    = sum of max(unit[s], 0) / 256 * third[s] + third_bias         1/65536 of 1,000 points
//! ```
//!
//! An input is on or off. Rows `r` and columns `c` count from 0 at the lower left:
//!
//! | inputs | on for |
//! |---|---|
//! | 10 r + c, of 160 | a filled cell in row r (0 the lowest, up to 15) and column c |
//! | 160 to 166; 167 | the piece in the hold, in the order I O T S Z J L; an empty hold |
//! | 168 to 174 | pieces left in the bag, in the same order; all seven at the start of a bag |
//! | 175 | back-to-back |
//! | 176 + 10 r + c, of 160 | a hole in row r and column c: an empty cell below a filled one |
//! | 336 + 10 r + n - 1, of 160 | n filled cells in row r, from 1 to 10 |
//! | 496 + 9 c + d + 4, of 81 | column c + 1 is d cells higher than column c, d cut to -4 to 4 |
//!
//! Holes and column heights count only the filled cells in rows 0 to 15.

use serde::{Deserialize, Serialize};

use crate::matrix::WIDTH;
use crate::piece::Piece;

/// Index of the network's first input for the held piece. Inputs before it are for filled cells.
pub(crate) const HOLD: usize = NETWORK_ROWS * WIDTH;
/// Index of the network's first input for the pieces left in the bag.
pub(crate) const BAG: usize = HOLD + NETWORK_PIECES.len() + 1;
/// Index of the network's input for an active back-to-back.
pub(crate) const BACK_TO_BACK: usize = BAG + NETWORK_PIECES.len();
/// Index of the network's first input for holes.
pub(crate) const HOLES: usize = BACK_TO_BACK + 1;
/// Index of the network's first input for the number of filled cells in each row.
pub(crate) const FULL: usize = HOLES + NETWORK_ROWS * WIDTH;
/// Index of the network's first input for height differences of neighbouring columns.
pub(crate) const STEPS: usize = FULL + NETWORK_ROWS * WIDTH;
/// Number of distinct height differences of two neighbouring columns: -4 to 4.
pub(crate) const STEP_KINDS: usize = 2 * NETWORK_STEP as usize + 1;

/// Number of inputs of a guideline network.
pub const INPUTS: usize = STEPS + STEP_KINDS * (WIDTH - 1);
/// Number of units in the network's first hidden layer.
pub const HIDDEN: usize = 128;
/// Number of units in the network's second hidden layer.
pub const SECOND: usize = 32;
/// Number of matrix rows that the network's inputs describe, from the floor.
pub const NETWORK_ROWS: usize = 16;
/// Largest height difference of neighbouring columns with an input of its own. Greater differences
/// count as this one.
pub(crate) const NETWORK_STEP: i32 = 4;
/// Order of the pieces among the network's inputs.
pub const NETWORK_PIECES: [Piece; 7] =
    [Piece::I, Piece::O, Piece::T, Piece::S, Piece::Z, Piece::J, Piece::L];

/// A network as stored in files: rows of integers separated by blanks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkText {
    /// Share of the network in the value of a state, from 0 (none) to 1 (all).
    pub share: f64,
    /// Value of one point, in units of the controller's weights.
    pub point: f64,
    /// Rows of the first layer: one for each input and one of biases, [`HIDDEN`] integers each.
    pub first: Vec<String>,
    /// Rows of the second layer: a row for each unit, with [`HIDDEN`] integers each.
    pub second: Vec<String>,
    /// Biases of the second layer, [`SECOND`] integers.
    pub second_bias: String,
    /// Output weights of the second layer's units, [`SECOND`] integers.
    pub third: String,
    /// Bias of the network's output, in 1/65536 of 1,000 points.
    pub third_bias: i64,
}

/// A parsed network, whose sums are checked not to overflow their integer types in any state.
///
/// The network's output estimates the points still to come, and the points already earned are
/// added. The value of a state is a weighted mean of this sum and the value by the terms, with the
/// weight [`NetworkText::share`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "NetworkText", try_from = "NetworkText")]
pub struct Network {
    text: NetworkText,
    pub(crate) first: Vec<[i16; HIDDEN]>,
    pub(crate) second: Vec<[i16; HIDDEN]>,
    pub(crate) second_bias: Vec<i32>,
    pub(crate) third: Vec<i32>,
}

impl From<Network> for NetworkText {
    fn from(network: Network) -> NetworkText {
        network.text
    }
}

impl TryFrom<NetworkText> for Network {
    type Error = String;

    fn try_from(text: NetworkText) -> Result<Network, String> {
        Network::new(text)
    }
}

impl Network {
    /// Parses a network from its text.
    ///
    /// # Errors
    /// Returns an error message for a wrong count of numbers, a word that is no integer, or weights
    /// whose sums could overflow.
    pub fn new(text: NetworkText) -> Result<Network, String> {
        if !(0.0..=1.0).contains(&text.share) {
            return Err(format!("share is {}: give a number from 0 to 1", text.share));
        }
        if !(text.point > 0.0 && text.point <= 1.0) {
            let point = text.point;
            return Err(format!(
                "point is {point}: give the value of a point, above 0 and at most 1"
            ));
        }
        let first = layer("first", &text.first, INPUTS + 1)?;
        let second = layer("second", &text.second, SECOND)?;
        let second_bias = numbers::<i32>("second_bias", &text.second_bias, SECOND)?;
        let third = numbers::<i32>("third", &text.third, SECOND)?;
        let network = Network { text, first, second, second_bias, third };
        network.check_sums()?;
        Ok(network)
    }

    /// Returns an upper bound of the absolute value of the sum of `unit` in the first layer. Among
    /// inputs that exclude each other, only the largest weight counts.
    fn reach(&self, unit: usize) -> i64 {
        let size = |input: usize| i64::from(self.first[input][unit]).abs();
        // The bound of `count` inputs from `first` on, of which at most one is on.
        let one_of =
            |first: usize, count: usize| (first..first + count).map(size).max().unwrap_or(0);
        let cells = (0..HOLD).map(|cell| size(cell).max(size(HOLES + cell)));
        let rows = (0..NETWORK_ROWS).map(|row| one_of(FULL + WIDTH * row, WIDTH));
        let steps = (0..WIDTH - 1).map(|pair| one_of(STEPS + STEP_KINDS * pair, STEP_KINDS));
        let others = (BAG..HOLES).chain([INPUTS]);
        cells.chain(rows).chain(steps).chain(others.map(size)).sum::<i64>()
            + one_of(HOLD, BAG - HOLD)
    }

    /// Returns the network as stored in files.
    #[must_use]
    pub fn text(&self) -> &NetworkText {
        &self.text
    }

    /// Checks that no sum can overflow its integer type in any state, because games are played
    /// without overflow checks. Returns an error message if one can.
    fn check_sums(&self) -> Result<(), String> {
        let reach: Vec<i64> = (0..HIDDEN).map(|unit| self.reach(unit)).collect();
        if let Some(column) = reach.iter().position(|&sum| sum > i16::MAX.into()) {
            return Err(format!(
                "first: the absolute values of column {} may add up to {}: at most {}",
                column + 1,
                reach[column],
                i16::MAX
            ));
        }
        for (at, (row, bias)) in self.second.iter().zip(&self.second_bias).enumerate() {
            let products = row.iter().zip(&reach).map(|(&w, reach)| i64::from(w).abs() * reach);
            let sum = products.sum::<i64>() + i64::from(*bias).abs();
            if sum > i32::MAX.into() {
                return Err(format!(
                    "second: the sum of row {} may reach {sum}: at most {}",
                    at + 1,
                    i32::MAX
                ));
            }
        }
        if self.third.iter().any(|&weight| weight.unsigned_abs() > 1 << 20)
            || self.text.third_bias.unsigned_abs() > 1 << 40
        {
            return Err("third: a weight above 1048576 or a bias above 2^40".to_owned());
        }
        Ok(())
    }
}

/// Parses the weights of the hidden layer `name`: `count` rows of [`HIDDEN`] integers.
fn layer(name: &str, rows: &[String], count: usize) -> Result<Vec<[i16; HIDDEN]>, String> {
    if rows.len() != count {
        return Err(format!("{name} has {} rows: give {count}", rows.len()));
    }
    let row = |(at, text): (usize, &String)| {
        let row = numbers::<i16>(&format!("{name}, row {}", at + 1), text, HIDDEN)?;
        let mut of = [0; HIDDEN];
        of.copy_from_slice(&row);
        Ok(of)
    };
    rows.iter().enumerate().map(row).collect()
}

/// Parses `count` integers separated by blanks. Error messages name the list `name`.
fn numbers<T: std::str::FromStr>(name: &str, text: &str, count: usize) -> Result<Vec<T>, String> {
    let number = |word: &str| {
        word.parse().map_err(|_| format!("{name}: '{word}' is no whole number, or too large"))
    };
    let all = text.split_whitespace().map(number).collect::<Result<Vec<T>, String>>()?;
    if all.len() == count {
        return Ok(all);
    }
    Err(format!("{name} has {} numbers: give {count}", all.len()))
}
