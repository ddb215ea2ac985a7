//! A network over the cells of a matrix: what a state of a guideline game is worth beyond the terms of a controller.
//!
//! Reference: `docs/reference/network.md`. Two hidden layers of whole numbers give the same value on every machine:
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
//! | 176 + 10 r + c, of 160 | a hole in row r and column c: empty, with a filled cell above it in these rows |
//! | 336 + 10 r + n - 1, of 160 | n filled cells in row r, from 1 to 10 |
//! | 496 + 9 c + d + 4, of 81 | column c + 1 is d cells higher than column c, from -4 (or less) to 4 (or more); heights as far as these rows go |

use serde::{Deserialize, Serialize};

use crate::matrix::WIDTH;
use crate::piece::Piece;

/// Where the inputs of the hold begin, after those of the cells.
pub(crate) const HOLD: usize = NETWORK_ROWS * WIDTH;
/// Where those of the bag begin.
pub(crate) const BAG: usize = HOLD + NETWORK_PIECES.len() + 1;
/// The input of back-to-back.
pub(crate) const BACK_TO_BACK: usize = BAG + NETWORK_PIECES.len();
/// Where those of holes begin.
pub(crate) const HOLES: usize = BACK_TO_BACK + 1;
/// Where those of how full each row is begin.
pub(crate) const FULL: usize = HOLES + NETWORK_ROWS * WIDTH;
/// Where those of steps begin, from each column's height to the next one's.
pub(crate) const STEPS: usize = FULL + NETWORK_ROWS * WIDTH;
/// Steps of a pair of columns that are told apart.
pub(crate) const STEP_KINDS: usize = 2 * NETWORK_STEP as usize + 1;

/// Inputs of a network.
pub const INPUTS: usize = STEPS + STEP_KINDS * (WIDTH - 1);
/// Units of its first hidden layer.
pub const HIDDEN: usize = 128;
/// Units of its second.
pub const SECOND: usize = 32;
/// Rows of the matrix that it sees.
pub const NETWORK_ROWS: usize = 16;
/// The greatest difference of two columns' heights that it tells from others.
pub(crate) const NETWORK_STEP: i32 = 4;
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

    /// What the sum of a unit of the first layer can't be beyond, either way: of inputs that are never on together, the largest.
    fn reach(&self, unit: usize) -> i64 {
        let size = |input: usize| i64::from(self.first[input][unit]).abs();
        // So many inputs from one on, of which one is on.
        let one_of =
            |first: usize, count: usize| (first..first + count).map(size).max().unwrap_or(0);
        let cells = (0..HOLD).map(|cell| size(cell).max(size(HOLES + cell)));
        let rows = (0..NETWORK_ROWS).map(|row| one_of(FULL + WIDTH * row, WIDTH));
        let steps = (0..WIDTH - 1).map(|pair| one_of(STEPS + STEP_KINDS * pair, STEP_KINDS));
        let others = (BAG..HOLES).chain([INPUTS]);
        cells.chain(rows).chain(steps).chain(others.map(size)).sum::<i64>()
            + one_of(HOLD, BAG - HOLD)
    }

    /// As files have it.
    #[must_use]
    pub fn text(&self) -> &NetworkText {
        &self.text
    }

    /// That no sum of any state leaves its type: play adds without looking.
    fn check_sums(&self) -> Result<(), String> {
        let reach: Vec<i64> = (0..HIDDEN).map(|unit| self.reach(unit)).collect();
        if let Some(column) = reach.iter().position(|&sum| sum > i16::MAX.into()) {
            return Err(format!(
                "first: the numbers of column {} may add up to {}, without signs: at most {}",
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
