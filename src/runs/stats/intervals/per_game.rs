//! Means per game of counts and points that may be rare, such as perfect clears.

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

use crate::stats::{Interval, Mean, Method};

/// Number of games with a value above 0 from which the interval is that of Student's t.
const RARE: u64 = 30;

/// Sums of the values of games, which are at least 0, from which their [`Mean`] is computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct PerGameSums {
    games: u64,
    sum: f64,
    squares: f64,
    above_zero: u64,
    most: f64,
}

impl PerGameSums {
    /// Adds the value of a game.
    pub fn add(&mut self, value: f64) {
        self.games += 1;
        self.sum += value;
        self.squares += value * value;
        self.above_zero += u64::from(value > 0.0);
        self.most = self.most.max(value);
    }

    /// Returns the sum of the games' values.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Returns the mean with its interval at confidence `level`, or `None` without games.
    ///
    /// Student's interval of a rare event may begin below 0, because most games have the value 0.
    /// A rare total is therefore taken as a sum of independent Poisson counts, each weighted by
    /// the value of a game, which has the gamma interval of Fay and Feuer (1997), *Statistics in
    /// Medicine* 16, 791-801, equation 5. The upper end allows for one more game with the
    /// event, whose weight is the largest value of any game. If no game has a value above 0, that
    /// weight is `event`: 1 for counts. It is `None` for points, because the points of one event
    /// are unknown; their mean then has no interval.
    #[must_use]
    pub fn mean(&self, level: f64, event: Option<f64>) -> Option<Mean> {
        let games = self.games as f64;
        let is_rare = self.above_zero < RARE && 2 * self.above_zero < self.games;
        let method = if is_rare { Method::Gamma } else { Method::T };
        let tail = (1.0 - level) / 2.0;
        let mean = (self.games > 0).then(|| self.sum / games)?;
        let interval = || {
            let spread = match method {
                Method::Gamma => {
                    let quantile = |total: f64, squares: f64, p| {
                        let degrees = 2.0 * total * total / squares;
                        let chi = ChiSquared::new(degrees).ok()?;
                        Some(squares / (2.0 * total) * chi.inverse_cdf(p) / games)
                    };
                    let low = match self.above_zero {
                        0 => 0.0,
                        _ => quantile(self.sum, self.squares, tail)?,
                    };
                    let weight = if self.above_zero == 0 { event? } else { self.most };
                    let (sum, squares) = (self.sum + weight, self.squares + weight * weight);
                    [low, quantile(sum, squares, 1.0 - tail)?]
                }
                _ => {
                    let freedom = games - 1.0;
                    let variance = ((self.squares - self.sum * mean) / freedom).max(0.0);
                    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
                    let reach = student.inverse_cdf(1.0 - tail) * (variance / games).sqrt();
                    [mean - reach, mean + reach]
                }
            };
            let [low, high] = spread;
            Some(Interval { low, high: Some(high) })
        };
        let interval = if self.games < 2 { None } else { interval() };
        Some(Mean::new(Some(mean), interval, method, self.games))
    }
}

impl FromIterator<f64> for PerGameSums {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> PerGameSums {
        let mut sums = PerGameSums::default();
        values.into_iter().for_each(|value| sums.add(value));
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: impl IntoIterator<Item = f64>) -> (f64, f64, f64, Method) {
        let found = values.into_iter().collect::<PerGameSums>().mean(0.95, Some(1.0)).unwrap();
        (found.mean.unwrap(), found.low.unwrap(), found.high.unwrap(), found.method.unwrap())
    }

    fn near(found: (f64, f64, f64, Method), low: f64, high: f64, method: Method) {
        assert!((found.1 - low).abs() < 1e-6 && (found.2 - high).abs() < 1e-6, "{found:?}");
        assert_eq!(found.3, method);
    }

    /// R: `poisson.test(3, 100)$conf.int` is 0.006186721 to 0.08767273, and `poisson.test(0, 100)`
    /// ends at 0.03688879.
    #[test]
    fn single_events_have_the_exact_poisson_interval() {
        let games = |events| (0..100).map(move |game| f64::from(u8::from(game < events)));
        near(found(games(3)), 0.006186721, 0.08767273, Method::Gamma);
        near(found(games(0)), 0.0, 0.03688879, Method::Gamma);
    }

    /// Three events in one of 100 games say less than in three: one game of weight 3 has 3 times
    /// the interval of `poisson.test(1, 100)`, which is 0.0002531781 to 0.05571643.
    #[test]
    fn events_of_one_game_count_as_one() {
        let games = (0..100).map(|game| if game == 7 { 3.0 } else { 0.0 });
        near(found(games), 3.0 * 0.0002531780798, 3.0 * 0.0557164339094, Method::Gamma);
    }

    /// R: `t.test(c(3, 4, 5, 8))$conf.int` is 1.562565 to 8.437435.
    #[test]
    fn frequent_events_have_the_interval_of_students_t() {
        near(found([3.0, 4.0, 5.0, 8.0]), 1.562565118, 8.437434882, Method::T);
        let one = [5.0].into_iter().collect::<PerGameSums>().mean(0.95, None).unwrap();
        assert_eq!((one.mean, one.low), (Some(5.0), None));
        let none = [0.0; 9].into_iter().collect::<PerGameSums>().mean(0.95, None).unwrap();
        assert_eq!((none.mean, none.low), (Some(0.0), None));
        assert_eq!(PerGameSums::default().mean(0.95, None), None);
    }
}
