//! What a candidate is scored by: one number from its games.

use std::fmt;
use std::str::FromStr;

use super::config;
use super::games::{Games, Played};
use crate::error::{Error, Result};
use crate::record::{EndReason, GameRow, GuidelineGameRow, game_values, guideline_game_values};
use crate::sim::guideline::Mode;
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
/// its full game (hold, previews, SRS) is a Sprint under guideline rules. Its reward of a Blitz is
/// `mean-score`. A missing value, the mean height of a game without a piece, counts as 0.
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
        let measure = match (name, name.split_once('-')) {
            ("lines", _) => Measure::Lines,
            ("sprint", _) => Measure::Sprint,
            (_, Some(("mean", name))) => Measure::Mean(name.to_owned()),
            (_, Some(("median", name))) => Measure::Median(name.to_owned()),
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
    /// The reward of a Sprint.
    #[must_use]
    pub fn sprint() -> Objective {
        Objective { measure: Measure::Sprint, minimise: false }
    }

    /// Mean points of guideline games, the reward of a Blitz.
    #[must_use]
    pub fn mean_score() -> Objective {
        Objective { measure: Measure::Mean("score".to_owned()), minimise: false }
    }

    /// Refuses an objective that has nothing to look at.
    ///
    /// # Errors
    /// [`Error::Config`] naming the remedy, [`Error::Unknown`] with the columns there are.
    pub fn check(&self, games: &Games) -> Result<()> {
        let text = match (&self.measure, games) {
            (Measure::Mean(column) | Measure::Median(column), Games::Classic(..)) => {
                return game_values(column, &[]).map(|_| ());
            }
            (Measure::Mean(column) | Measure::Median(column), Games::Guideline(..)) => {
                return guideline_game_values(column, &[]).map(|_| ());
            }
            (Measure::Sprint, Games::Classic(config, _)) if config.limits.lines.is_none() => {
                "objective sprint is won at the limit of lines: give --max-lines, for example --max-lines 40"
            }
            (Measure::Sprint, Games::Guideline(config, _))
                if !matches!(config.mode, Mode::Sprint { .. }) =>
            {
                "objective sprint is of a Sprint: give --mode sprint, or --objective mean-score"
            }
            _ => return Ok(()),
        };
        config(text.to_owned())
    }

    /// What is measured of each game; without games, nothing.
    #[must_use]
    pub fn each(&self, games: &Played) -> Vec<f64> {
        let lines = || games.lifetimes().iter().map(|game| game.lines as f64).collect();
        match (&self.measure, games) {
            (Measure::Lines, _) => lines(),
            (Measure::Mean(column) | Measure::Median(column), Played::Classic(rows)) => {
                known(game_values(column, rows))
            }
            (Measure::Mean(column) | Measure::Median(column), Played::Guideline(rows)) => {
                known(guideline_game_values(column, rows))
            }
            (Measure::Sprint, Played::Classic(rows)) => rows.iter().map(sprint).collect(),
            (Measure::Sprint, Played::Guideline(rows)) => {
                rows.iter().map(|row: &GuidelineGameRow| row.sprint_reward() as f64).collect()
            }
        }
    }

    /// The value of a candidate's games, which are at least one; always finite.
    #[must_use]
    pub fn value(&self, games: &Played) -> f64 {
        let mut each = self.each(games);
        match self.measure {
            Measure::Lines => {
                let ends = games.games() - games.censored();
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
    pub fn interval(&self, games: &Played, seed: u64) -> Option<Interval> {
        let each = self.each(games);
        if self.measure == Measure::Lines {
            let censored = games.censored();
            let ends = games.games() - censored;
            return Some(exponential_mean(each.iter().sum(), ends, censored > 0, LEVEL));
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

/// The values of a column, missing ones as 0.
fn known(values: Result<Vec<f64>>) -> Vec<f64> {
    let known = |value: f64| if value.is_nan() { 0.0 } else { value };
    values.unwrap_or_default().into_iter().map(known).collect()
}

/// The capstone's reward of a game.
fn sprint(game: &GameRow) -> f64 {
    let (pieces, lines) = (game.pieces as f64, game.lines as f64);
    if game.end_reason == EndReason::LineLimit { -pieces } else { pieces + 5.0 * lines - 550.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GuidelineEnd;
    use crate::train::tests::sprints;

    fn game(pieces: u64, lines: u64, end_reason: EndReason) -> GameRow {
        let height_max = pieces / 10;
        GameRow { pieces, lines, end_reason, height_max, ..GameRow::new(0, 1) }
    }

    fn value(name: &str, games: &[GameRow]) -> f64 {
        name.parse::<Objective>().unwrap().value(&Played::Classic(games.to_vec()))
    }

    /// Classic games up to some lines, if there is a limit.
    fn limited(lines: Option<u64>) -> Games {
        let plan = crate::train::tests::classic();
        let Games::Classic(mut config, template) = plan else { panic!("classic") };
        config.limits.lines = lines;
        Games::Classic(config, template)
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
        assert!("points".parse::<Objective>().unwrap_err().to_string().contains("median-COLUMN"));
        let check = |name: &str, games: &Games| name.parse::<Objective>().unwrap().check(games);
        let wrong = |name: &str, games: &Games| check(name, games).unwrap_err().to_string();
        assert!(wrong("mean-points", &limited(None)).contains("height_max"));
        assert!(wrong("mean-stream_seed", &limited(None)).contains("unknown column"));
        assert!(check("sprint", &limited(Some(40))).is_ok());
        assert!(wrong("sprint", &limited(None)).contains("--max-lines 40"));
        let sprints = sprints(4, 1);
        assert!(check("sprint", &sprints).is_ok() && check("mean-score", &sprints).is_ok());
        assert!(wrong("mean-points", &sprints).contains("points_combo"));
        let Games::Guideline(mut config, template) = sprints else { panic!("guideline") };
        config.mode = Mode::Endless { pieces: 9 };
        let endless = Games::Guideline(config, template);
        assert!(wrong("sprint", &endless).contains("--mode sprint"));
    }

    /// A Sprint won with 105 pieces, and one lost after 60 pieces and 12 lines: 60 + 60 - 550; points
    /// 900 and 300; of 40 + 12 lines one game ended.
    #[test]
    fn guideline_games_by_hand() {
        let game = |pieces, lines, base, end| {
            let points = crate::rules::guideline::Points { base, ..Default::default() };
            GuidelineGameRow { pieces, lines, points, ..GuidelineGameRow::new(0, 1) }.ended(end)
        };
        let won = game(105, 40, 900, GuidelineEnd::Won);
        let games = Played::Guideline(vec![won, game(60, 12, 300, GuidelineEnd::TopOut)]);
        let value = |name: &str| name.parse::<Objective>().unwrap().value(&games);
        assert_eq!(value("sprint"), (-105.0 - 430.0) / 2.0);
        assert_eq!((value("mean-score"), value("median-pieces")), (600.0, 82.5));
        assert_eq!((value("lines"), games.pieces()), (52.0, 165));
    }

    #[test]
    fn intervals_hold_the_value() {
        let games = (1..=40).map(|lines| game(10 * lines, lines, OUT)).collect();
        let games = Played::Classic(games);
        for name in ["lines", "mean-lines", "median-pieces"] {
            let objective: Objective = name.parse().unwrap();
            let interval = objective.interval(&games, 1).unwrap();
            let value = objective.value(&games);
            assert!(interval.low < value && value < interval.high.unwrap(), "{name}");
        }
    }
}
