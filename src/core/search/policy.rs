//! Defines policies: how a placement is chosen from the values of all placements.
//!
//! | policy | chosen placement |
//! |---|---|
//! | `best` | the best one |
//! | `epsilon:P` | with probability P any placement, each equally likely; else the best one |
//! | `softmax:T` | each placement with a probability proportional to exp(score / T) |
//! | `misdrop:P` | with probability P a neighbour of the best one; else the best one |
//!
//! In `softmax`, T has the unit of the controller's score, and equal scores are equally likely,
//! where `best` applies the tie rule. `softmax` never draws a placement whose score cannot be
//! compared with that of the best one: the placement loses, or more next pieces have no surviving
//! reply after it.
//!
//! The neighbours of a placement are the same orientation one column to the left or right, and the
//! orientation before the last turn; without a possible neighbour, the best placement is played.

use std::fmt;
use std::str::FromStr;

use crate::error::setting::POLICY;
use crate::error::{Error, Result, quoted};
use crate::piece::Piece;
use crate::placement::Placement;
use crate::rng::{Purpose, Stream, stream_seed};

/// Way in which a placement is chosen from the values of all placements.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::search::Policy;
/// let policy: Policy = "epsilon:0.05".parse()?;
/// assert_eq!((policy, policy.to_string()), (Policy::Epsilon(0.05), "epsilon:0.05".to_owned()));
/// assert!("epsilon:2".parse::<Policy>().is_err()); // no probability
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// Policy that always plays the best placement.
    #[default]
    Best,
    /// Policy that plays any placement with the given probability, otherwise the best one.
    Epsilon(f64),
    /// Policy that draws with probability proportional to exp(score / the given temperature).
    Softmax(f64),
    /// Policy that misdrops with the given probability: plays a neighbour of the best placement.
    Misdrop(f64),
}

const POLICY_FORMS: [&str; 4] = ["best", "epsilon:P", "softmax:T", "misdrop:P"];

impl Policy {
    /// Checks that a policy's probability is from 0 to 1, or its temperature a number above 0.
    pub fn check(self) -> Result<()> {
        let (is_valid, name) = match self {
            Policy::Best => (true, "best"),
            Policy::Epsilon(probability) => ((0.0..=1.0).contains(&probability), "epsilon"),
            Policy::Misdrop(probability) => ((0.0..=1.0).contains(&probability), "misdrop"),
            Policy::Softmax(temperature) => {
                (temperature > 0.0 && temperature.is_finite(), "softmax")
            }
        };
        if is_valid { Ok(()) } else { Err(invalid_policy_number(&self.to_string(), name)) }
    }

    /// Returns the policy as text with the prefix `before`, or an empty text for [`Policy::Best`].
    #[must_use]
    pub fn label(self, before: &str) -> String {
        if self == Policy::Best { String::new() } else { format!("{before}{self}") }
    }

    /// Returns the random stream for placement `piece_no` of game `game`. The stream depends only
    /// on these numbers and the run's seed.
    #[must_use]
    pub fn stream(run_seed: u64, game: u64, piece_no: u64) -> Stream {
        Stream::new(stream_seed(run_seed, Purpose::Policy, game), Purpose::Policy, piece_no)
    }

    /// Returns true if the policy draws a placement this time instead of playing the best.
    pub(crate) fn deviates(self, stream: &mut Stream) -> bool {
        match self {
            Policy::Best => false,
            Policy::Epsilon(probability) | Policy::Misdrop(probability) => {
                stream.unit() < probability
            }
            Policy::Softmax(_) => true,
        }
    }

    /// Draws one of `count` placements and returns its index. `difference` gives a placement's
    /// score minus the best score, if comparable.
    pub(crate) fn draw(
        self,
        stream: &mut Stream,
        best: usize,
        count: usize,
        difference: impl Fn(usize) -> Option<f64>,
        neighbours: impl FnOnce() -> Vec<usize>,
    ) -> usize {
        match self {
            Policy::Best => best,
            Policy::Epsilon(_) => stream.below(count as u32) as usize,
            Policy::Misdrop(_) => match neighbours() {
                none if none.is_empty() => best,
                all => all[stream.below(all.len() as u32) as usize],
            },
            Policy::Softmax(temperature) => {
                // The exponential comes from `libm`, so it has the same bits on every machine.
                let weight =
                    |index| difference(index).map_or(0.0, |by| libm::exp(by / temperature));
                let weights: Vec<f64> = (0..count).map(weight).collect();
                let mut left = stream.unit() * weights.iter().sum::<f64>();
                let passes = |&(_, weight): &(usize, &f64)| {
                    left -= weight;
                    left < 0.0
                };
                // Without a comparable placement, or after rounding, no weight passes the draw.
                weights.iter().enumerate().find(passes).map_or(best, |(index, _)| index)
            }
        }
    }
}

fn invalid_policy_number(text: &str, name: &str) -> Error {
    let remedy = match name {
        "softmax" => "give a number above 0 in the unit of the controller's score",
        _ => "give a probability from 0 to 1",
    };
    let example = if name == "softmax" { "10" } else { "0.05" };
    let text = quoted(text);
    Error::Config(format!("policy '{text}': {remedy}, for example {POLICY} {name}:{example}"))
}

crate::by_text!(Policy);

impl FromStr for Policy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Policy> {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        let number = number.parse().unwrap_or(f64::NAN);
        let policy = match name {
            "best" if text == name => Policy::Best,
            "epsilon" => Policy::Epsilon(number),
            "softmax" => Policy::Softmax(number),
            "misdrop" => Policy::Misdrop(number),
            _ => return Err(Error::unknown("policy", text, POLICY_FORMS)),
        };
        policy.check().map_err(|_| invalid_policy_number(text, name))?;
        Ok(policy)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match self {
            Policy::Best => return f.write_str("best"),
            Policy::Epsilon(probability) => ("epsilon", probability),
            Policy::Softmax(temperature) => ("softmax", temperature),
            Policy::Misdrop(probability) => ("misdrop", probability),
        };
        // The `Debug` form has an exponent where the plain form would have hundreds of zeros.
        let number = format!("{number:?}");
        write!(f, "{name}:{}", number.strip_suffix(".0").unwrap_or(&number))
    }
}

/// Returns the neighbours of a placement in a classic game, on a board without sides. Turns count
/// counter-clockwise from the spawn orientation. The piece's origin keeps its column, as if the
/// last turn were missing:
///
/// ```text
///                                             #.
/// T with two turns   .#.     one turn fewer   C#      C: the origin, in the same column
///                    #C#                      #.
/// ```
pub(super) fn misdrop_neighbours(
    piece: Piece,
    placement: Placement,
) -> impl Iterator<Item = Placement> {
    let orientations = piece.orientations();
    let own = orientations[placement.orientation as usize].fahey;
    let column = |column: i32| u8::try_from(column).ok();
    let at = |by: i32| {
        let column = column(i32::from(placement.column) + by)?;
        Some(Placement { column, ..placement })
    };
    let index = orientations.iter().position(|other| other.fahey.turns + 1 == own.turns);
    let unturned = index.and_then(|index| {
        let by = i32::from(own.origin_column) - i32::from(orientations[index].fahey.origin_column);
        let column = column(i32::from(placement.column) + by)?;
        Some(Placement { orientation: index as u8, column })
    });
    [at(-1), at(1), unturned].into_iter().flatten()
}
