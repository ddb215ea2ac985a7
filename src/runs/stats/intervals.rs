//! Intervals of one mean, median, quantile or share, and survival curves. The bootstrap has its own
//! file.
//!
//! Half a trial is added to each of the four outcomes of two success rates on common trials
//! (Agresti & Min 2005, *Statistics in Medicine* 24), so equal results have an interval too. The
//! interval of a quantile is by David & Nagaraja, *Order Statistics*, section 7.1.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use crate::prelude::*;
use crate::stats::{LEVEL, Mean, Method, Observed};

/// Confidence interval of a value; without an upper end if the data do not bound the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval; `None` if the data do not bound the value from above.
    pub high: Option<f64>,
}

impl Interval {
    /// Returns true if the interval contains `value`.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && self.high.is_none_or(|high| value <= high)
    }

    /// Returns the interval as text, such as `1.5 to 2.5`; `show` formats each end.
    #[must_use]
    pub fn text(&self, show: impl Fn(f64) -> String) -> String {
        format!("{} to {}", show(self.low), self.high.map_or("unbounded".to_owned(), show))
    }

    /// Returns half the interval's width divided by `estimate`; infinite without an upper end.
    #[must_use]
    pub fn half_width(&self, estimate: f64) -> f64 {
        self.high.map_or(f64::INFINITY, |high| (high - self.low) / 2.0 / estimate.abs())
    }
}

/// Returns the confidence interval of the mean of exponential lifetimes; `exposure` is their sum,
/// `ends` the number that were not cut off.
///
/// It is `[2T/q(1-a/2; 2k), 2T/q(a/2; 2k)]` for T the exposure, k the ends, a = 1 - `level` and q
/// the chi-square quantile (Epstein & Sobel 1953; Lawless, *Statistical Models and Methods for
/// Lifetime Data*, section 4.1), exact if all games finished. If some are censored, the lower end
/// takes 2k + 2 degrees of freedom, and coverage is at least `level`. Without any end the interval
/// is one-sided.
///
/// Lines are whole numbers, so a constant risk makes them geometric, which is ignored: SD/mean is
/// sqrt(1 + 1/mean), 0.5 % above 1 at a mean of 100. SD/mean of strong controllers is 0.98 to 1.02
/// at means above 2,000.
#[must_use]
pub fn exponential_mean(exposure: f64, ends: u64, any_censored: bool, level: f64) -> Interval {
    let tail = (1.0 - level) / 2.0;
    let quantile = |degrees: u64, p: f64| {
        ChiSquared::new(degrees as f64).map_or(f64::NAN, |chi| chi.inverse_cdf(p))
    };
    if ends == 0 {
        // A one-sided interval has the whole error probability on its only side.
        return Interval { low: 2.0 * exposure / quantile(2, level), high: None };
    }
    let low_degrees = if any_censored { 2 * ends + 2 } else { 2 * ends };
    Interval {
        low: 2.0 * exposure / quantile(low_degrees, 1.0 - tail),
        high: Some(2.0 * exposure / quantile(2 * ends, tail)),
    }
}

fn reach(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// Returns Wilson's score interval (1927) of the share `successes / n`, or `None` if `n` is 0.
#[must_use]
pub fn share_interval(successes: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (z, n) = (reach(level), n as f64);
    let share = successes as f64 / n;
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let (middle, scale) = (share + z * z / (2.0 * n), 1.0 + z * z / n);
    Some(Interval { low: (middle - spread) / scale, high: Some((middle + spread) / scale) })
}

/// Returns the interval of two success rates' difference on `n` common trials. Only the first
/// succeeded in `more`, only the second in `less`.
#[must_use]
pub fn share_difference_interval(more: u64, less: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (more, less, n) = (more as f64 + 0.5, less as f64 + 0.5, n as f64 + 2.0);
    let middle = (more - less) / n;
    let spread = reach(level) * (((more + less) / n - middle * middle) / n).sqrt();
    Some(Interval { low: (middle - spread).max(-1.0), high: Some((middle + spread).min(1.0)) })
}

/// Returns the normal interval of the mean of a large sample, from its `sum` and sum of `squares`.
#[must_use]
pub fn mean_interval(sum: f64, squares: f64, n: u64, level: f64) -> Option<Interval> {
    if n < 2 {
        return None;
    }
    let count = n as f64;
    let mean = sum / count;
    // The bound at 0 is needed because rounding may leave a negative variance of equal values.
    let variance = ((squares - sum * mean) / (count - 1.0)).max(0.0);
    let spread = reach(level) * (variance / count).sqrt();
    Some(Interval { low: mean - spread, high: Some(mean + spread) })
}

/// Returns the `p` quantile of sorted values (type 7 of Hyndman & Fan 1996), NaN without values.
#[must_use]
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = last as f64 * p.clamp(0.0, 1.0);
    let below = position.floor() as usize;
    let above = sorted[(below + 1).min(last)];
    sorted[below] + (position - below as f64) * (above - sorted[below])
}

/// Returns an interval between two `sorted` values that holds the `p` quantile with probability
/// `level` or more; `None` with too few values.
#[must_use]
pub fn quantile_interval(sorted: &[f64], p: f64, level: f64) -> Option<Interval> {
    let n = sorted.len() as u64;
    let below = Binomial::new(p, n).ok()?;
    let tail = (1.0 - level) / 2.0;
    // Order statistics count from 1, indices from 0. An index below the first has no interval.
    let low = below.inverse_cdf(tail).checked_sub(1)?;
    let high = below.inverse_cdf(1.0 - tail);
    let at = |index: u64| sorted.get(index as usize).copied();
    Some(Interval { low: at(low)?, high: Some(at(high)?) })
}

/// Number of games with a value above 0 from which Student's interval replaces a gamma interval.
const MIN_FREQUENT_GAMES: u64 = 30;

/// Running sums of a non-negative value per game, such as points, for its mean and interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct PerGameSums {
    games: u64,
    sum: f64,
    squares: f64,
    above_zero: u64,
    most: f64,
}

impl PerGameSums {
    /// Adds the value of one game to the sums.
    pub fn add(&mut self, value: f64) {
        self.games += 1;
        self.sum += value;
        self.squares += value * value;
        self.above_zero += u64::from(value > 0.0);
        self.most = self.most.max(value);
    }

    /// Returns the sum of the value over all games.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Returns the mean per game with its interval at confidence `level`, or `None` without games.
    ///
    /// Student's interval of a rare event may begin below 0. A rare total is taken as a sum of
    /// Poisson counts weighted by the values of games, with the gamma interval of Fay and Feuer
    /// (1997), *Statistics in Medicine* 16, 791-801, equation 5. Its upper end allows for one more
    /// game with the largest value, or with `event` if all are 0: 1 for counts, `None` for points.
    #[must_use]
    pub fn mean(&self, level: f64, event: Option<f64>) -> Option<Mean> {
        let games = self.games as f64;
        let is_rare = self.above_zero < MIN_FREQUENT_GAMES && 2 * self.above_zero < self.games;
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

/// Step of a survival curve: a value, such as lines, at which games ended or were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Survival {
    /// Value at which the survival curve has this step, for example a number of lines.
    pub value: f64,
    /// Number of games that reached the value of this step of the survival curve.
    pub at_risk: u64,
    /// Number of games that ended exactly at the value of this step.
    pub ended: u64,
    /// Number of games that a limit cut off at the value of this step.
    pub censored: u64,
    /// Estimated share of games that go on beyond the value of this step.
    pub share: f64,
    /// Lower end of the 95 % interval of the surviving share; `None` if the share is 0 or 1.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of the surviving share; `None` if the share is 0 or 1.
    pub high: Option<f64>,
}

/// Returns the survival curve of `games`: the Kaplan-Meier estimate (1958, *JASA* 53) with
/// Greenwood's variance, at every distinct value in ascending order. R prints equal numbers for
/// `survfit(Surv(value, !censored) ~ 1, conf.type = "log-log")`.
///
/// ```
/// # extern crate tetrastat_runs as tetrastat;
/// use tetrastat::stats::{Observed, survival};
///
/// let game = |value, censored| Observed { value, censored };
/// let curve = survival(&[game(3.0, false), game(5.0, true), game(8.0, false)]);
/// assert_eq!(curve[0].share, 2.0 / 3.0);
/// assert_eq!(curve[2].share, 0.0);
/// ```
#[must_use]
pub fn survival(games: &[Observed]) -> Vec<Survival> {
    let mut sorted = games.to_vec();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let mut curve = Vec::new();
    let (mut share, mut greenwood) = (1.0, 0.0);
    let mut at_risk = sorted.len() as u64;
    for tied in sorted.chunk_by(|a, b| a.value == b.value) {
        let censored = tied.iter().filter(|game| game.censored).count() as u64;
        let ended = tied.len() as u64 - censored;
        let (here, left) = (at_risk as f64, (at_risk - ended) as f64);
        share *= left / here;
        greenwood += ended as f64 / (here * left);
        let [low, high] = interval(share, greenwood).map_or([None; 2], |ends| ends.map(Some));
        let value = tied[0].value;
        curve.push(Survival { value, at_risk, ended, censored, share, low, high });
        at_risk -= tied.len() as u64;
    }
    curve
}

/// Returns the interval of the surviving share; `greenwood` is the sum in Greenwood's variance.
fn interval(share: f64, greenwood: f64) -> Option<[f64; 2]> {
    let log = libm::log(share);
    if !(log.is_finite() && log < 0.0) {
        return None;
    }
    // The scale of log(-log(share)) keeps the ends between 0 and 1. The low end has the larger
    // exponent, because log(share) is negative.
    let reach = Normal::standard().inverse_cdf((1.0 + LEVEL) / 2.0) * greenwood.sqrt() / -log;
    Some([reach, -reach].map(|by| libm::exp(log * libm::exp(by))))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rng::{Purpose, Stream};

    fn near_relatively(interval: Interval, low: f64, high: f64) {
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
        assert!(close(interval.low, low) && close(interval.high.unwrap(), high), "{interval:?}");
    }

    // Table values: chi-square quantiles .975 and .025 of 20 degrees of freedom are 34.169607 and
    // 9.590777. The .975 quantile of 22 is 36.780712, and .95 of 2 is 5.991465.
    #[test]
    fn intervals_by_table() {
        near_relatively(
            exponential_mean(1000.0, 10, false, 0.95),
            2000.0 / 34.169607,
            2000.0 / 9.590777,
        );
        near_relatively(
            exponential_mean(1000.0, 10, true, 0.95),
            2000.0 / 36.780712,
            2000.0 / 9.590777,
        );
        let none = exponential_mean(1000.0, 0, true, 0.95);
        assert!((none.low - 2000.0 / 5.991465).abs() < 1e-3 && none.high.is_none());
    }

    // Coverage of 2,000 intervals: within 4 standard errors (39) of 1,900 for nearly all seeds.
    #[test]
    fn coverage_is_as_stated() {
        let mut stream = Stream::new(5, Purpose::Bootstrap, 0);
        let mut lifetime = || -((f64::from(stream.below(1 << 30)) + 0.5) / f64::from(1 << 30)).ln();
        let held = (0..2000)
            .filter(|_| {
                let total: f64 = (0..15).map(|_| lifetime()).sum();
                let interval = exponential_mean(total, 15, false, 0.95);
                interval.low <= 1.0 && interval.high.is_some_and(|high| 1.0 <= high)
            })
            .count();
        assert!((1861..=1939).contains(&held), "{held} of 2000");
    }

    fn near(interval: Option<Interval>, low: f64, high: f64) {
        let Interval { low: l, high: h } = interval.unwrap();
        assert!((l - low).abs() < 1e-6 && (h.unwrap() - high).abs() < 1e-6, "{interval:?}");
    }

    // Expected values from R 4.5: `prop.test(x, n, correct = FALSE)$conf.int`.
    #[test]
    fn shares_as_r_has_them() {
        near(share_interval(8, 10, 0.95), 0.4901625, 0.9433178);
        near(share_interval(0, 10, 0.95), 0.0, 0.2775328);
        near(share_interval(450, 1000, 0.95), 0.4194154, 0.4809673);
        assert_eq!(share_interval(0, 0, 0.95), None);
    }

    // Standard error sqrt(5/3)/2 = 0.6454972, and 1.959964 of them to either side.
    #[test]
    fn means_by_hand() {
        near(mean_interval(10.0, 30.0, 4, 0.95), 2.5 - 1.265151, 2.5 + 1.265151);
        assert_eq!(mean_interval(1.0, 1.0, 1, 0.95), None);
    }

    // Expected values from R: `quantile(c(1,2,3,5,8,13,21,34,55,89), c(.1,.5,.9), type=7)`.
    #[test]
    fn quantiles_as_in_r() {
        let values = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0];
        let found = [0.1, 0.5, 0.9].map(|p| quantile(&values, p));
        for (found, expected) in found.into_iter().zip([1.9, 10.5, 58.4]) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
        assert_eq!([0.0, 1.0].map(|p| quantile(&values, p)), [1.0, 89.0]);
        assert!(quantile(&[], 0.5).is_nan());
    }

    // R: `qbinom(c(.025,.975), n, p)` is 40, 60 for n = 100 and p = .5, is 2, 8 for n = 10, and
    // 32, 39 for n = 40 and p = .9. The interval runs from the first order statistic to the one
    // after the second.
    #[test]
    fn intervals_are_order_statistics() {
        let interval = |n: u32, p: f64| {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            quantile_interval(&values, p, 0.95).map(|i| (i.low, i.high.unwrap()))
        };
        assert_eq!(interval(100, 0.5), Some((40.0, 61.0)));
        assert_eq!(interval(10, 0.5), Some((2.0, 9.0)));
        assert_eq!(interval(40, 0.9), Some((32.0, 40.0)));
        assert_eq!(interval(5, 0.5), None);
    }

    // The median lies between the 40th and 61st of 100 values in 96.48 % of samples (R:
    // `diff(pbinom(c(39,60),100,.5))`): 1,930 of 2,000, standard error 8.3, 4 allowed.
    #[test]
    fn coverage_of_the_median_is_as_stated() {
        let mut stream = Stream::new(3, Purpose::Bootstrap, 0);
        let held = (0..2000).filter(|_| {
            let mut values: Vec<f64> = (0..100).map(|_| stream.unit()).collect();
            values.sort_by(f64::total_cmp);
            quantile_interval(&values, 0.5, 0.95).unwrap().contains(0.5)
        });
        let held = held.count();
        assert!((1897..=1963).contains(&held), "{held} of 2000");
    }

    fn found(values: impl IntoIterator<Item = f64>) -> (f64, f64, f64, Method) {
        let found = values.into_iter().collect::<PerGameSums>().mean(0.95, Some(1.0)).unwrap();
        (found.mean.unwrap(), found.low.unwrap(), found.high.unwrap(), found.method.unwrap())
    }

    fn near_by(found: (f64, f64, f64, Method), low: f64, high: f64, method: Method) {
        assert!((found.1 - low).abs() < 1e-6 && (found.2 - high).abs() < 1e-6, "{found:?}");
        assert_eq!(found.3, method);
    }

    // Expected values from R: `poisson.test(3, 100)$conf.int` is 0.006186721 to 0.08767273, and
    // `poisson.test(0, 100)` ends at 0.03688879.
    #[test]
    fn single_events_have_the_exact_poisson_interval() {
        let games = |events| (0..100).map(move |game| f64::from(u8::from(game < events)));
        near_by(found(games(3)), 0.006186721, 0.08767273, Method::Gamma);
        near_by(found(games(0)), 0.0, 0.03688879, Method::Gamma);
    }

    // One game of weight 3 has 3 times the interval of `poisson.test(1, 100)`, 0.0002531781 to
    // 0.05571643.
    #[test]
    fn events_of_one_game_count_as_one() {
        let games = (0..100).map(|game| if game == 7 { 3.0 } else { 0.0 });
        near_by(found(games), 3.0 * 0.0002531780798, 3.0 * 0.0557164339094, Method::Gamma);
    }

    // Expected values from R: `t.test(c(3, 4, 5, 8))$conf.int` is 1.562565 to 8.437435.
    #[test]
    fn frequent_events_have_the_interval_of_students_t() {
        near_by(found([3.0, 4.0, 5.0, 8.0]), 1.562565118, 8.437434882, Method::T);
        let one = [5.0].into_iter().collect::<PerGameSums>().mean(0.95, None).unwrap();
        assert_eq!((one.mean, one.low), (Some(5.0), None));
        let none = [0.0; 9].into_iter().collect::<PerGameSums>().mean(0.95, None).unwrap();
        assert_eq!((none.mean, none.low), (Some(0.0), None));
        assert_eq!(PerGameSums::default().mean(0.95, None), None);
    }

    // R 4.2, survival 3.5, data of the treated patients of Freireich et al. 1963:
    // `survfit(Surv(c(6,6,6,7,10,13,16,22,23,6,9,10,11,17,19,20,25,32,32,34,35), rep(1:0,
    // c(9,12))) ~ 1, conf.type = "log-log")`.
    #[test]
    fn the_curve_is_that_of_r() {
        let ended = [6, 6, 6, 7, 10, 13, 16, 22, 23];
        let censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
        let game = |value: i32, censored| Observed { value: f64::from(value), censored };
        let ended = ended.map(|value| game(value, false));
        let games = [&ended[..], &censored.map(|value| game(value, true))].concat();
        let curve = survival(&games);
        let at = |value: f64| *curve.iter().find(|step| step.value == value).unwrap();
        for (value, at_risk, share, low, high) in [
            (6.0, 21, 0.857, 0.620, 0.952),
            (7.0, 17, 0.807, 0.563, 0.923),
            (10.0, 15, 0.753, 0.503, 0.889),
            (13.0, 12, 0.690, 0.432, 0.849),
            (16.0, 11, 0.627, 0.368, 0.805),
            (22.0, 7, 0.538, 0.268, 0.747),
            (23.0, 6, 0.448, 0.188, 0.680),
        ] {
            let step = at(value);
            assert_eq!(step.at_risk, at_risk);
            let ends = [step.low, step.high].map(Option::unwrap);
            for (found, expected) in [(step.share, share), (ends[0], low), (ends[1], high)] {
                assert!((found - expected).abs() < 6e-4, "{value}: {found}, not {expected}");
            }
        }
        assert_eq!((at(6.0).ended, at(6.0).censored, at(35.0).at_risk), (3, 1, 1));
        assert_eq!(at(35.0).share, at(23.0).share);
    }

    #[test]
    fn no_game_and_no_end_have_no_interval() {
        assert!(survival(&[]).is_empty());
        let curve = survival(&[Observed { value: 4.0, censored: true }]);
        assert_eq!((curve[0].share, curve[0].low), (1.0, None));
    }
}
