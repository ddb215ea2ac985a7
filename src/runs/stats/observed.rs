//! Defines the value of one game, on which estimates and comparisons are based.

use crate::record::Lifetime;

/// Value of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Measured value, for example the number of lines.
    pub value: f64,
    /// True if the game was cut off and would have gone on.
    pub censored: bool,
}

impl From<Lifetime> for Observed {
    fn from(game: Lifetime) -> Observed {
        Observed { value: game.lines as f64, censored: game.censored }
    }
}

/// Kind of value, which decides how a mean is estimated from games that were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// A value that grows during a game (lines, pieces). The value of a censored game is a lower
    /// bound, and the mean is the sum of all values / games that ended.
    Total,
    /// A value that does not grow during a game (heights); the mean is that of the observed values.
    PerGame,
}

impl Scale {
    /// Returns the contributions of a game to the two sums whose quotient is the mean.
    #[must_use]
    pub fn parts(self, game: &Observed) -> [f64; 2] {
        let counts = self == Scale::PerGame || !game.censored;
        [game.value, f64::from(u8::from(counts))]
    }

    /// Sums the contributions of all games.
    #[must_use]
    pub fn sums(self, games: &[Observed]) -> [f64; 2] {
        games.iter().map(|game| self.parts(game)).fold([0.0; 2], add)
    }

    /// Returns the estimated mean of a finished game, or `None` if no game ended.
    #[must_use]
    pub fn mean(self, games: &[Observed]) -> Option<f64> {
        let [sum, count] = self.sums(games);
        (count > 0.0).then(|| sum / count)
    }
}

/// Direction in which a mean is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// A greater mean is better: lines, points.
    #[default]
    More,
    /// A smaller mean is better: pieces of a Sprint.
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
