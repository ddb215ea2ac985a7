//! What a candidate is scored by: one number from its games.

use std::fmt;
use std::str::FromStr;

use super::config;
use crate::error::{Error, Result};
use crate::record::{EndReason, GameRow, game_values};
use crate::stats::{Interval, bootstrap, exponential_mean};

/// Confidence level of intervals.
const LEVEL: f64 = 0.95;

/// What is measured, and whether more of it is better.
///
/// | name | value of a candidate's games |
/// |---|---|
/// | `lines` | estimated mean lines of a finished game: all lines / games that ended |
/// | `mean-COLUMN` | mean of a column of `games`, as observed |
/// | `median-COLUMN` | its median, as observed |
/// | `sprint` | mean of -pieces for a game that reached its limit of lines, pieces + 5 lines - 550 for another |
///
/// **Censored games.** `lines` counts a game that a limit cut off as exposure (exponential lifetimes:
/// [`exponential_mean`]). When no game ended at all, the estimate is what it would be had half a game
/// ended, twice all lines: finite, above every estimate from the same lines with an end in them, and
/// larger for more lines. If every candidate gets that far, the limits are too low to tell them apart.
/// The other objectives take a censored game as it is.
///
/// `sprint` is the capstone's reward (Camden-Bergquist/Capstone, `train_sprint_heuristic.py`: 40 lines);
/// its full game (hold, previews, SRS) comes with the guideline rules. A missing value, the mean
/// height of a game without a piece, counts as 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    measure: Measure,
    /// Whether less is better.
    pub minimise: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Measure {
    Lines,
    Mean(String),
    Median(String),
    Sprint,
}

impl FromStr for Objective {
    type Err = Error;

    fn from_str(name: &str) -> Result<Objective> {
        let column = |column: &str| game_values(column, &[]).map(|_| column.to_owned());
        let measure = match (name, name.split_once('-')) {
            ("lines", _) => Measure::Lines,
            ("sprint", _) => Measure::Sprint,
            (_, Some(("mean", name))) => Measure::Mean(column(name)?),
            (_, Some(("median", name))) => Measure::Median(column(name)?),
            _ => {
                let known = ["lines", "mean-COLUMN", "median-COLUMN", "sprint"];
                return Err(Error::unknown("objective", name, known));
            }
        };
        Ok(Objective { measure, minimise: false })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.measure {
            Measure::Lines => f.write_str("lines"),
            Measure::Mean(column) => write!(f, "mean-{column}"),
            Measure::Median(column) => write!(f, "median-{column}"),
            Measure::Sprint => f.write_str("sprint"),
        }
    }
}

impl Objective {
    /// Refuses an objective that has nothing to look at.
    ///
    /// # Errors
    /// [`Error::Config`] naming the remedy.
    pub fn check(&self, max_lines: Option<u64>) -> Result<()> {
        if self.measure == Measure::Sprint && max_lines.is_none() {
            let text = "objective sprint is won at the limit of lines: give --max-lines, for example --max-lines 40";
            return config(text.to_owned());
        }
        Ok(())
    }

    /// What is measured of each game; without games, nothing.
    #[must_use]
    pub fn each(&self, games: &[GameRow]) -> Vec<f64> {
        let known = |column: &str| {
            let values = game_values(column, games).unwrap_or_default();
            values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value }).collect()
        };
        match &self.measure {
            Measure::Lines => games.iter().map(|game| game.lines as f64).collect(),
            Measure::Mean(column) | Measure::Median(column) => known(column),
            Measure::Sprint => games.iter().map(sprint).collect(),
        }
    }

    /// The value of a candidate's games, which are at least one; always finite.
    #[must_use]
    pub fn value(&self, games: &[GameRow]) -> f64 {
        let mut each = self.each(games);
        match self.measure {
            Measure::Lines => {
                let ends = games.iter().filter(|game| !game.end_reason.is_censored()).count();
                let ends = if ends == 0 { 0.5 } else { ends as f64 };
                each.iter().sum::<f64>() / ends
            }
            _ => self.reduce(&mut each),
        }
    }

    /// A value as optimisers want it: larger is better.
    #[must_use]
    pub fn score(&self, value: f64) -> f64 {
        if self.minimise { -value } else { value }
    }

    /// 95 % interval of the value: exponential lifetimes for `lines`, else by bootstrap over games;
    /// `None` when there are too few games.
    #[must_use]
    pub fn interval(&self, games: &[GameRow], seed: u64) -> Option<Interval> {
        let each = self.each(games);
        if self.measure == Measure::Lines {
            let ends = games.iter().filter(|game| !game.end_reason.is_censored()).count();
            let censored = ends < games.len();
            return Some(exponential_mean(each.iter().sum(), ends as u64, censored, LEVEL));
        }
        bootstrap(&each, LEVEL, seed, |values| self.reduce(values))
    }

    fn reduce(&self, values: &mut [f64]) -> f64 {
        let n = values.len();
        match self.measure {
            Measure::Median(_) => {
                values.sort_by(f64::total_cmp);
                (values[(n - 1) / 2] + values[n / 2]) / 2.0
            }
            _ => values.iter().sum::<f64>() / n as f64,
        }
    }
}

/// The capstone's reward of a game.
fn sprint(game: &GameRow) -> f64 {
    let (pieces, lines) = (game.pieces as f64, game.lines as f64);
    if game.end_reason == EndReason::LineLimit { -pieces } else { pieces + 5.0 * lines - 550.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pieces: u64, lines: u64, end_reason: EndReason) -> GameRow {
        let height_max = pieces / 10;
        GameRow { pieces, lines, end_reason, height_max, ..GameRow::new(0, 1) }
    }

    fn value(name: &str, games: &[GameRow]) -> f64 {
        name.parse::<Objective>().unwrap().value(games)
    }

    const OUT: EndReason = EndReason::TopOut;
    const CUT: EndReason = EndReason::PieceLimit;

    /// 2 + 4 + 12 lines, and 6 of a game that was cut: 24 lines, 3 ends.
    #[test]
    fn values_by_hand() {
        let games = [game(10, 2, OUT), game(30, 4, OUT), game(20, 6, CUT), game(40, 12, OUT)];
        assert_eq!(value("lines", &games), 8.0);
        assert_eq!(value("mean-lines", &games), 6.0);
        assert_eq!(value("median-pieces", &games), 25.0);
        assert_eq!(value("median-pieces", &games[..3]), 20.0);
        assert_eq!(value("mean-height_max", &games), 2.5);
        assert_eq!(value("mean-height_mean", &[GameRow::new(0, 1)]), 0.0);
    }

    /// Won with 105 pieces; lost after 100 pieces and 38 lines: 100 + 190 - 550 = -260. The worst
    /// win ranks above the best loss.
    #[test]
    fn the_sprint_reward_by_hand() {
        let (won, lost) = (game(105, 40, EndReason::LineLimit), game(100, 38, OUT));
        assert_eq!(value("sprint", std::slice::from_ref(&won)), -105.0);
        assert_eq!(value("sprint", &[won, lost]), -182.5);
        let (worst, best) = (game(161, 40, EndReason::LineLimit), game(151, 39, OUT));
        assert!(value("sprint", &[worst]) > value("sprint", &[best]));
    }

    #[test]
    fn games_that_were_all_cut_are_ordered_and_finite() {
        let none_ended = [game(10, 4, CUT), game(10, 4, CUT)];
        let one_ended = [game(10, 4, CUT), game(10, 4, OUT)];
        let fewer = [game(10, 4, CUT), game(10, 3, CUT)];
        assert_eq!((value("lines", &none_ended), value("lines", &one_ended)), (16.0, 8.0));
        assert!(value("lines", &none_ended) > value("lines", &fewer));
    }

    #[test]
    fn direction_and_names() {
        let mut height: Objective = "mean-height_max".parse().unwrap();
        assert_eq!((height.score(3.0), height.to_string()), (3.0, "mean-height_max".to_owned()));
        height.minimise = true;
        assert_eq!(height.score(3.0), -3.0);
        let wrong = |name: &str| name.parse::<Objective>().unwrap_err().to_string();
        assert!(wrong("points").contains("median-COLUMN"));
        assert!(wrong("mean-points").contains("height_max"));
        assert!(wrong("mean-stream_seed").contains("unknown column"));
        let sprint: Objective = "sprint".parse().unwrap();
        assert!(sprint.check(Some(40)).is_ok());
        assert!(sprint.check(None).unwrap_err().to_string().contains("--max-lines 40"));
    }

    #[test]
    fn intervals_hold_the_value() {
        let games: Vec<GameRow> = (1..=40).map(|lines| game(10 * lines, lines, OUT)).collect();
        for name in ["lines", "mean-lines", "median-pieces"] {
            let objective: Objective = name.parse().unwrap();
            let interval = objective.interval(&games, 1).unwrap();
            let value = objective.value(&games);
            assert!(interval.low < value && value < interval.high.unwrap(), "{name}");
        }
    }
}
