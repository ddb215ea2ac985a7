//! A network over the cells of a matrix: what a state of a guideline game is worth beyond the terms of a controller.
//!
//! Two hidden layers, all numbers whole, so that every machine finds the same value:
//!
//! ```text
//! sum[j]    = first[INPUTS][j] + first[i][j] of each input i that is on      in 1/256,   j < HIDDEN
//! act[j]    = max(sum[j], 0)
//! second[s] = sum of act[j] * second[s][j] + second_bias[s]                  in 1/65536, s < SECOND
//! worth     = sum of max(second[s], 0) / 256 * third[s] + third_bias         in 1/65536 of 1,000 points
//! ```
//!
//! | inputs | on for |
//! |---|---|
//! | 10 r + c, of 160 | a filled cell in row r (0 the lowest, up to 15) and column c |
//! | 160 to 166; 167 | the piece in the hold, in the order I O T S Z J L; an empty hold |
//! | 168 to 174 | pieces that are still in the bag, in the same order; all when a new bag begins |
//! | 175 | back-to-back |

use serde::{Deserialize, Serialize};

use crate::piece::Piece;

/// Inputs of a network.
pub const INPUTS: usize = 176;
/// Units of its first hidden layer.
pub const HIDDEN: usize = 128;
/// Units of its second.
pub const SECOND: usize = 32;
/// Rows of the matrix that it sees.
pub const NETWORK_ROWS: usize = 16;
/// Its order of pieces.
pub const NETWORK_PIECES: [Piece; 7] =
    [Piece::I, Piece::O, Piece::T, Piece::S, Piece::Z, Piece::J, Piece::L];

/// A network as files have it: rows of whole numbers between blanks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkText {
    /// How much of a value is the network's: 0 nothing, 1 all.
    pub share: f64,
    /// What a point is worth, in units of the controller's weights.
    pub point: f64,
    /// A row for each input, and one of biases: [`HIDDEN`] numbers each.
    pub first: Vec<String>,
    /// A row for each unit of the second layer: [`HIDDEN`] numbers.
    pub second: Vec<String>,
    /// Biases of the second layer.
    pub second_bias: String,
    /// Weights of the second layer's units.
    pub third: String,
    /// Bias of the value.
    pub third_bias: i64,
}

/// A network whose sums fit their types whatever the state.
///
/// Its value stands for the points that are still to come, with which those that were earned on the way are added up; both
/// together are mixed with the value by the terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    text: NetworkText,
    pub(crate) first: Vec<[i16; HIDDEN]>,
    pub(crate) second: Vec<[i16; HIDDEN]>,
    pub(crate) second_bias: Vec<i32>,
    pub(crate) third: Vec<i32>,
}

impl Network {
    /// A network from its text; else what is wrong with it, in words.
    ///
    /// # Errors
    /// A number too few or too many, one that is none, or weights whose sums could be too large.
    pub fn new(text: NetworkText) -> Result<Network, String> {
        if !(0.0..=1.0).contains(&text.share) {
            return Err(format!("share is {}: give a number from 0 to 1", text.share));
        }
        if !(text.point > 0.0 && text.point <= 1.0) {
            let point = text.point;
            return Err(format!(
                "point is {point}: give what a point is worth, above 0 and at most 1"
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

    /// As files have it.
    #[must_use]
    pub fn text(&self) -> &NetworkText {
        &self.text
    }

    /// That no sum of any state leaves its type: play adds without looking.
    fn check_sums(&self) -> Result<(), String> {
        let reach = |column: usize| self.first.iter().map(|row| i64::from(row[column]).abs()).sum();
        let reach: Vec<i64> = (0..HIDDEN).map(reach).collect();
        if let Some(column) = reach.iter().position(|&sum| sum > i16::MAX.into()) {
            return Err(format!(
                "first: the numbers of column {} add up to {}, without signs: at most {}",
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
                    "second: row {} may come to {sum}: at most {}",
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

/// Rows of a hidden layer.
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

/// Whole numbers between blanks.
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
