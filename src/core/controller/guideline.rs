//! Controllers of guideline games: weighted terms and a neural network, in TOML like classic ones.
//!
//! The presets are in `data/controllers/guideline/`. A term with the name of a classic feature has
//! the meaning of that feature, so `capstone-sprint` is one file for both kinds of games.
//!
//! The network (reference: `docs/reference/network.md`) has two hidden layers of integers, so
//! values are identical on every machine. The right column has the unit of each number:
//!
//! ```text
//! sum[j]    = first[INPUTS][j] + first[i][j] of each input i that is on    1/256, j < HIDDEN
//! act[j]    = max(sum[j], 0)
//! unit[s]   = sum of act[j] * second[s][j] + second_bias[s]                1/65536, s < SECOND
//! output    = sum of max(unit[s], 0) / 256 * third[s] + third_bias         1/65536 of 1,000 points
//! ```
//!
//! Rows r and columns c count from 0 at the lower left; cells above row 15 do not count:
//!
//! | inputs | on for |
//! |---|---|
//! | 10 r + c, of 160 | a filled cell in row r and column c |
//! | 160 to 166; 167 | the piece in the hold, in the order I O T S Z J L; an empty or unknown one |
//! | 168 to 174 | pieces left in the bag, in the same order; all seven at the start of a bag |
//! | 175 | back-to-back |
//! | 176 + 10 r + c, of 160 | a hole in row r and column c: an empty cell below a filled one |
//! | 336 + 10 r + n - 1, of 160 | n filled cells in row r, from 1 to 10 |
//! | 496 + 9 c + d + 4, of 81 | column c + 1 is d cells higher than column c, d cut to -4 to 4 |

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{File, check_finite, number};
use super::{ControllerPreset, HOST_PREFIX, PRESETS, Tie};
use crate::error::setting::RULES;
use crate::error::{self, Error, name_problem};
use crate::features::Measured;
use crate::features::guideline::Term;
use crate::files;
use crate::matrix::WIDTH;
use crate::piece::Piece;

/// A controller of guideline games: weighted terms (features), and optionally a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidelineController {
    /// Short name of the controller, used in output and file names.
    pub name: String,
    /// Description of the controller in one line.
    #[serde(skip)]
    pub title: String,
    /// Source of the weights, for example a paper.
    pub source: String,
    /// Results that the source reports, if any.
    #[serde(skip)]
    pub published: Option<String>,
    /// Remark for users of the controller, if any.
    #[serde(skip)]
    pub note: Option<String>,
    /// Matrix that the terms (features) are measured on: before or after full rows are removed.
    pub measured: Measured,
    /// Weight of each term (feature of guideline games), in the file's order.
    #[serde(with = "crate::names::weights")]
    pub weights: Vec<(Term, f64)>,
    /// Neural network that also evaluates the states of a beam search, if any.
    pub network: Option<Box<Network>>,
}

macro_rules! presets {
    ($($name:literal)*) => {
        /// All preset controllers of guideline games but `capstone-sprint`, which [`PRESETS`] has.
        pub const GUIDELINE_PRESETS: &[ControllerPreset] = &[$(ControllerPreset {
            name: $name,
            toml: include_str!(concat!("../controllers/guideline/", $name, ".toml")),
            tables: &[],
        }),*];
    };
}

presets! {
    "capstone-blitz" "tetrastat-sprint" "tetrastat-blitz" "tetrastat-blitz-greedy"
    "tetrastat-blitz-hold" "tetrastat-blitz-network" "tetrastat-blitz-triples" "tetrastat-attack"
}

/// Name of the only preset controller for both classic and guideline games.
const SHARED_PRESET: &str = "capstone-sprint";

const LARGEST_WEIGHT: f64 = 1e6;

impl GuidelineController {
    /// Returns the names of the preset controllers of guideline games.
    pub fn names() -> impl Iterator<Item = &'static str> {
        [SHARED_PRESET].into_iter().chain(GUIDELINE_PRESETS.iter().map(|preset| preset.name))
    }

    /// Returns the names of the controller's terms (features) in the file's order.
    #[must_use]
    pub fn term_names(&self) -> Vec<String> {
        self.weights.iter().map(|(term, _)| term.to_string()).collect()
    }

    /// Loads the preset controller called `name_or_path`, or the TOML file with this path.
    pub fn load(name_or_path: &str) -> error::Result<GuidelineController> {
        let shared = PRESETS.iter().filter(|preset| preset.name == SHARED_PRESET);
        let mut presets = shared.chain(GUIDELINE_PRESETS);
        if let Some(preset) = presets.find(|preset| preset.name == name_or_path) {
            return GuidelineController::parse(preset.name, preset.toml);
        }
        if name_or_path.starts_with(HOST_PREFIX) {
            return Err(Error::Config(format!(
                "controller '{name_or_path}' is a Python function, which gives values to boards of \
                 classic games only: give {RULES} simplified or standard, or a controller of \
                 guideline games"
            )));
        }
        let path = Path::new(name_or_path);
        if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
            let text = files::read_text(path, files::CONTROLLER)?;
            return GuidelineController::parse(name_or_path, &text);
        }
        let names = GuidelineController::names().chain(["a .toml file"]);
        if PRESETS.iter().any(|preset| preset.name == name_or_path) {
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(Error::Config(format!(
                "controller '{name_or_path}' plays classic games ({RULES} simplified or standard): \
                 for guideline games use one of {names}"
            )));
        }
        Err(Error::unknown_or_file("guideline controller", name_or_path, names))
    }

    /// Parses a controller from TOML; errors name its `origin`, for example a file name.
    pub fn parse(origin: &str, text: &str) -> error::Result<GuidelineController> {
        let wrong = |problem: String| Error::Controller { name: origin.to_owned(), problem };
        let file = File::parse(origin, text)?;
        if file.patterns.is_some() {
            return Err(wrong(
                "[patterns]: only classic games have them; leave them out".to_owned(),
            ));
        }
        if file.tie != Tie::First {
            return Err(wrong("tie: guideline games know only \"first\"; leave it out".to_owned()));
        }
        if file.board_width.is_some_and(|width| width != 10) {
            return Err(wrong("board_width: guideline games are 10 wide; leave it out".to_owned()));
        }
        let weigh = |(name, value): (&String, &toml::Value)| {
            let term: Term = name.parse().map_err(|error: Error| wrong(error.to_string()))?;
            Ok((term, number(name, value).map_err(wrong)?))
        };
        let weights = file.weights.iter().map(weigh).collect::<error::Result<Vec<_>>>()?;
        let measured = file.measured();
        let File { name, title, source, published, note, network, .. } = file;
        let of_network = |problem| wrong(format!("[network] {problem}"));
        let network = network.map(Network::new).transpose().map_err(of_network)?.map(Box::new);
        let controller = GuidelineController {
            name,
            title,
            source,
            published,
            note,
            measured,
            weights,
            network,
        };
        controller.check_weights().map_err(wrong)?;
        Ok(controller)
    }

    /// Checks the name and the weights of a controller that was not read from TOML.
    pub fn check(&self) -> error::Result<()> {
        let named =
            name_problem(&self.name).map_or(Ok(()), |problem| Err(format!("name: {problem}")));
        named
            .and_then(|()| self.check_weights())
            .map_err(|problem| Error::Controller { name: self.name.clone(), problem })
    }

    fn check_weights(&self) -> Result<(), String> {
        if self.weights.is_empty() {
            return Err("no weights: give at least one".to_owned());
        }
        for &(name, weight) in &self.weights {
            check_finite(name, weight)?;
            if weight.abs() > LARGEST_WEIGHT {
                return Err(format!("weight of {name} is {weight:?}: at most {LARGEST_WEIGHT}"));
            }
        }
        Ok(())
    }
}

/// Index of the neural network's first input for the piece in the hold.
// The next constants follow the table of inputs at the top of this file.
pub(crate) const HOLD: usize = NETWORK_ROWS * WIDTH;
pub(crate) const BAG: usize = HOLD + NETWORK_PIECES.len() + 1;
pub(crate) const BACK_TO_BACK: usize = BAG + NETWORK_PIECES.len();
pub(crate) const HOLES: usize = BACK_TO_BACK + 1;
pub(crate) const FULL: usize = HOLES + NETWORK_ROWS * WIDTH;
pub(crate) const STEPS: usize = FULL + NETWORK_ROWS * WIDTH;
pub(crate) const STEP_KINDS: usize = 2 * NETWORK_STEP as usize + 1;

/// Number of inputs of a guideline controller's neural network.
pub const INPUTS: usize = STEPS + STEP_KINDS * (WIDTH - 1);
/// Number of units in the neural network's first hidden layer.
pub const HIDDEN: usize = 128;
/// Number of units in the neural network's second hidden layer.
pub const SECOND: usize = 32;
/// Number of matrix rows that the neural network's inputs describe, from the floor.
pub const NETWORK_ROWS: usize = 16;
/// Largest height difference of neighbouring columns that the neural network's inputs tell apart.
pub(crate) const NETWORK_STEP: i32 = 4;
/// Pieces in the order of their inputs to the neural network.
pub const NETWORK_PIECES: [Piece; 7] =
    [Piece::I, Piece::O, Piece::T, Piece::S, Piece::Z, Piece::J, Piece::L];

/// A neural network as stored in files: rows of integers separated by blanks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkText {
    /// Share of the neural network in a game state's value, 0 to 1; weighted terms have the rest.
    pub share: f64,
    /// Value of one point of the game, in units of the controller's weights.
    pub point: f64,
    /// Weights of the first layer: [`HIDDEN`] integers for each input. The last row has the biases.
    pub first: Vec<String>,
    /// Rows of the network's second layer: one for each unit, with [`HIDDEN`] integers each.
    pub second: Vec<String>,
    /// Biases of the network's second layer, [`SECOND`] integers.
    pub second_bias: String,
    /// Weights of the second layer's units in the network's output, [`SECOND`] integers.
    pub third: String,
    /// Bias of the network's output, in 1/65536 of 1,000 points.
    pub third_bias: i64,
}

/// A neural network that estimates the points still to come in a guideline game, checked so that
/// its sums of integers cannot overflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "NetworkText", try_from = "NetworkText")]
// The value of a state is a mean of two values, with the weight `share`: the output plus the points
// earned, and the value by the terms.
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
    /// Parses a neural network, and checks that none of its sums can overflow.
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
        let first = parse_layer("first", &text.first, INPUTS + 1)?;
        let second = parse_layer("second", &text.second, SECOND)?;
        let second_bias = parse_numbers::<i32>("second_bias", &text.second_bias, SECOND)?;
        let third = parse_numbers::<i32>("third", &text.third, SECOND)?;
        let network = Network { text, first, second, second_bias, third };
        network.check_sums()?;
        Ok(network)
    }

    /// Returns an upper bound of the absolute value of a unit in the network's first layer.
    // Of inputs that exclude each other, only the largest weight counts.
    fn sum_bound(&self, unit: usize) -> i64 {
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

    /// Returns the neural network as stored in files.
    #[must_use]
    pub fn text(&self) -> &NetworkText {
        &self.text
    }

    fn check_sums(&self) -> Result<(), String> {
        let reach: Vec<i64> = (0..HIDDEN).map(|unit| self.sum_bound(unit)).collect();
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

fn parse_layer(name: &str, rows: &[String], count: usize) -> Result<Vec<[i16; HIDDEN]>, String> {
    if rows.len() != count {
        return Err(format!("{name} has {} rows: give {count}", rows.len()));
    }
    let row = |(at, text): (usize, &String)| {
        let row = parse_numbers::<i16>(&format!("{name}, row {}", at + 1), text, HIDDEN)?;
        let mut weights = [0; HIDDEN];
        weights.copy_from_slice(&row);
        Ok(weights)
    };
    rows.iter().enumerate().map(row).collect()
}

fn parse_numbers<T: std::str::FromStr>(
    name: &str,
    text: &str,
    count: usize,
) -> Result<Vec<T>, String> {
    let number = |word: &str| {
        word.parse().map_err(|_| format!("{name}: '{word}' is no whole number, or too large"))
    };
    let all = text.split_whitespace().map(number).collect::<Result<Vec<T>, String>>()?;
    if all.len() == count {
        return Ok(all);
    }
    Err(format!("{name} has {} numbers: give {count}", all.len()))
}
