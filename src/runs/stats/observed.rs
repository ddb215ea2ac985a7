//! One number per game: what estimates and comparisons are made of.

use crate::record::Lifetime;

/// The value of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// What was measured, for example its lines.
    pub value: f64,
    /// Whether the game was cut off, so that it would have gone on.
    pub censored: bool,
}

impl From<Lifetime> for Observed {
    fn from(game: Lifetime) -> Observed {
        Observed { value: game.lines as f64, censored: game.censored }
    }
}

/// How a game's value comes about, and so how a mean is estimated from games that were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// It adds up while the game is played (lines, pieces): that of a censored game is a lower bound,
    /// and the mean of a finished game is estimated by the sum of all / games that ended.
    Total,
    /// It does not (heights): the mean is that of the games as observed.
    PerGame,
}

impl Scale {
    /// What a game adds to the two sums whose quotient is the mean.
    #[must_use]
    pub fn parts(self, game: &Observed) -> [f64; 2] {
        let counts = self == Scale::PerGame || !game.censored;
        [game.value, f64::from(u8::from(counts))]
    }

    /// The sums over games.
    #[must_use]
    pub fn sums(self, games: &[Observed]) -> [f64; 2] {
        games.iter().map(|game| self.parts(game)).fold([0.0; 2], add)
    }

    /// The estimated mean of a finished game; `None` when none ended.
    #[must_use]
    pub fn mean(self, games: &[Observed]) -> Option<f64> {
        let [sum, count] = self.sums(games);
        (count > 0.0).then(|| sum / count)
    }
}

/// Which of two means is the better one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The greater: lines, points.
    #[default]
    More,
    /// The smaller: pieces of a Sprint.
    Fewer,
}

pub(super) fn add([sum, count]: [f64; 2], [more, counts]: [f64; 2]) -> [f64; 2] {
    [sum + more, count + counts]
}

#[cfg(test)]
pub(super) fn ended(values: &[f64]) -> Vec<Observed> {
    values.iter().map(|&value| Observed { value, censored: false }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_censored_game_is_exposure_or_a_value() {
        let mut games = ended(&[2.0, 4.0, 6.0]);
        games[2].censored = true;
        assert_eq!(Scale::Total.mean(&games), Some(6.0));
        assert_eq!(Scale::PerGame.mean(&games), Some(4.0));
        assert_eq!(Scale::Total.mean(&games[2..]), None);
        assert_eq!(Scale::PerGame.mean(&[]), None);
    }
}
