//! Defines the value of one game, on which estimates and comparisons are based.

use crate::record::Lifetime;

/// Value of one game, and whether the game was cut off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Measured value, for example the number of lines.
    pub value: f64,
    /// True if a limit cut the game off before its end.
    pub censored: bool,
}

impl From<Lifetime> for Observed {
    fn from(game: Lifetime) -> Observed {
        Observed { value: game.lines as f64, censored: game.censored }
    }
}

/// Kind of value, which decides how a mean is estimated if some games were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// A value that grows during a game (lines, pieces). The value of a censored game is a lower
    /// bound. The mean is the sum of all values divided by the number of games that ended.
    Total,
    /// A value that does not grow during a game (heights); the mean is that of the values of all
    /// games.
    PerGame,
}

impl Scale {
    /// Returns the contributions of a game to the numerator and the denominator of the mean. The
    /// first is the value of the game. The second is 0 for a censored game on [`Scale::Total`],
    /// otherwise 1.
    #[must_use]
    pub fn parts(self, game: &Observed) -> [f64; 2] {
        let counts = self == Scale::PerGame || !game.censored;
        [game.value, f64::from(u8::from(counts))]
    }

    /// Returns the numerator and the denominator of the mean: the sum of the values of `games`, and
    /// the number of games. On [`Scale::Total`], the number is that of the games that ended.
    #[must_use]
    pub fn sums(self, games: &[Observed]) -> [f64; 2] {
        games.iter().map(|game| self.parts(game)).fold([0.0; 2], add)
    }

    /// Returns the mean of `games`: the sum of values divided by the number of games, as
    /// [`Scale::sums`] counts them. Returns `None` if that number is 0.
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
