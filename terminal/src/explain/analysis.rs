//! Why a placement was chosen: every placement there was with its score, and the chosen one held
//! against another, term by term.
//!
//! Scores are exact integers, so the gains of the terms add up to the difference of the scores
//! without rounding ([`Analysis::gains`]).

use std::fmt;

/// The placements of a piece, and two of them side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Every placement, the best first.
    pub candidates: Vec<Rated>,
    /// Which was chosen, if it is among them.
    pub chosen: Option<usize>,
    /// Which it is held against, if there is another.
    pub other: Option<usize>,
    /// The terms of the controller, in its order.
    pub terms: Vec<TermDifference>,
    /// Steps in one unit of score, for [`TermDifference::steps`].
    pub scale: f64,
    /// What decided.
    pub verdict: DecidedBy,
    /// What values are measured on, in words.
    pub measured: String,
}

/// The rank that the chosen one is held against: the one asked for, else the best other one; `None` when
/// there is none of that rank.
pub(super) fn rival(chosen: Option<usize>, asked: Option<usize>, count: usize) -> Option<usize> {
    let best = usize::from(chosen == Some(0));
    let rank = asked.filter(|&rank| Some(rank) != chosen).unwrap_or(best);
    Some(rank).filter(|&rank| rank < count)
}

/// A placement with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// Where, in a few letters.
    pub place: String,
    /// Columns and rows of its cells.
    pub cells: [(usize, usize); 4],
    /// Rows it removes.
    pub lines: u8,
    /// Its score; `None` when it loses, or every answer to it does.
    pub score: Option<f64>,
    /// Whether it ends the game by losing it.
    pub lost: bool,
}

/// One weighted feature of two placements.
#[derive(Clone, Debug, PartialEq)]
pub struct TermDifference {
    /// The feature.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Its value for the chosen placement and the other.
    pub values: [f64; 2],
    /// Weight times value, exactly.
    pub steps: [i64; 2],
    /// Steps that a value of 1 adds: the weight as rounded in play.
    pub steps_of_one: f64,
}

impl Analysis {
    /// What a term adds to the chosen placement's score.
    #[must_use]
    pub fn product(&self, term: &TermDifference) -> f64 {
        term.steps[0] as f64 / self.scale
    }

    /// What a term adds to the chosen placement's score beyond the other's.
    #[must_use]
    pub fn gain(&self, term: &TermDifference) -> f64 {
        (term.steps[0] - term.steps[1]) as f64 / self.scale
    }

    /// The sum of all gains, exactly: the difference of the two scores in steps.
    #[must_use]
    pub fn gains(&self) -> i64 {
        self.terms.iter().map(|term| term.steps[0] - term.steps[1]).sum()
    }

    /// Returns the verdict and the term that contributes most to it.
    #[must_use]
    pub fn why(&self) -> String {
        let text = self.verdict.to_string();
        let (DecidedBy::Better(_), Some(other)) = (&self.verdict, self.other) else {
            return text;
        };
        let gain = |term: &&TermDifference| term.steps[0] - term.steps[1];
        let most = self.terms.iter().max_by_key(gain).filter(|term| gain(term) > 0);
        let most = most.map_or(String::new(), |term| format!(", most of it {}", term.name));
        format!("{text} than number {}{most}", other + 1)
    }

    /// The sum of all products: the chosen placement's score.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.terms.iter().map(|term| term.steps[0]).sum::<i64>() as f64 / self.scale
    }
}

/// What decided for a placement.
#[derive(Clone, Debug, PartialEq)]
pub enum DecidedBy {
    /// There is no other.
    Only,
    /// Its score is higher by so much.
    Better(f64),
    /// The scores are equal; a rule decided, in these words.
    Tie(&'static str),
    /// The other one ends the game.
    OtherLoses,
    /// All placements end the game; the first is played.
    AllLose,
    /// So many of the next pieces can be answered after it, and so many after the other.
    Answered(u8, u8),
    /// It wins the game.
    Wins,
    /// A plan for a perfect finish, made before.
    Planned,
    /// Others score higher by themselves: its rank from 1, how much less it scores, and what the beam's
    /// best line through it is worth.
    Line(usize, f64, f64),
    /// Others score higher: its rank from 1 and how much less it scores, if that can be said.
    Lower(usize, Option<f64>),
    /// It is none of the placements that the controller sees.
    Unknown,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecidedBy::Only => f.write_str("the only placement there is"),
            DecidedBy::Better(by) => write!(f, "better by {}", decimal(*by)),
            DecidedBy::Tie(rule) => write!(f, "equal scores: {rule}"),
            DecidedBy::OtherLoses => f.write_str("the other ends the game"),
            DecidedBy::AllLose => f.write_str("every placement ends the game: the first is played"),
            DecidedBy::Answered(mine, others) => {
                write!(f, "{mine} of the next pieces can be answered, after the other {others}")
            }
            DecidedBy::Wins => f.write_str("it wins the game"),
            DecidedBy::Planned => f.write_str("part of a perfect finish that was planned before"),
            DecidedBy::Line(rank, less, line) => write!(
                f,
                "alone number {rank}, {} below: the beam's line through it is worth {}",
                decimal(*less),
                decimal(*line)
            ),
            DecidedBy::Lower(rank, Some(less)) => {
                write!(f, "number {rank} for this controller, {} below", decimal(*less))
            }
            DecidedBy::Lower(rank, None) => write!(f, "number {rank} for this controller"),
            DecidedBy::Unknown => f.write_str("no placement that this controller sees"),
        }
    }
}

/// A number with four decimals at most.
#[must_use]
pub fn decimal(value: f64) -> String {
    fitted(value, 12)
}

/// A number with as many decimals as fit so many characters, four at most.
#[must_use]
pub fn fitted(value: f64, width: usize) -> String {
    let text = |decimals: usize| {
        let text = format!("{value:.decimals$}");
        let fraction = text.contains('.');
        let text = if fraction { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        // What rounds to 0 from below is shown without its sign.
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    (1..=4).rev().map(text).find(|text| text.len() <= width).unwrap_or_else(|| text(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let values = [0.0, -0.00001, 1.5, -12.63, 0.123_456, 1234.5, 123_456.7, -8.0];
        let texts = ["0", "0", "1.5", "-12.63", "0.1235", "1234.5", "123456.7", "-8"];
        assert_eq!(values.map(decimal), texts);
        let narrow = ["0", "0", "1.5", "-12.6", "0.123", "1234", "123457", "-8"];
        assert_eq!(values.map(|value| fitted(value, 5)), narrow);
    }
}
