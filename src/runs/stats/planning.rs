//! Numbers of games that a plan needs, before any are played or from those of a pilot.
//!
//! A pilot's plan is for the two-sided test that decides in a
//! [`Comparison`](crate::stats::Comparison). Below, z_q is the q quantile of the standard normal
//! distribution, and n the number of games of each controller.
//!
//! * The sign-flip test is as powerful as the paired t test. It takes n = ((z_(1-alpha/2) +
//!   z_power) s / d)^2 + z_(1-alpha/2)^2 / 2 (Guenther 1981, *The American Statistician* 35: 243).
//!   Here d is the difference of means, s the standard deviation of the differences game by game,
//!   and the second summand the cost of estimating s. On common seeds, s^2 = s1^2 + s2^2 - 2 c s1
//!   s2, where c is the correlation of the two games of a seed.
//! * The log-rank test is used if some games were cut off; it ignores pairs. It takes n =
//!   (z_(1-alpha/2) + z_power)^2 (1/p1 + 1/p2) / (ln r)^2. Here r is the ratio of means, and p1 and
//!   p2 are the shares of games that end. If p1 = p2, this is Schoenfeld's number of ends (1981,
//!   *Biometrika* 68: 316). It assumes a constant risk, and the same limits as in the pilot.
//!
//! Both formulas take the pilot's standard deviations and shares as true. In the tests, plans for
//! 80 % find 317, 347 and 334 differences in 400 comparisons of three kinds (standard error 2 %).

use statrs::distribution::{ContinuousCDF, FisherSnedecor, Normal, StudentsT};

use crate::prelude::*;
use crate::stats::{FEWEST, LEVEL, Mean, Method, Observed, Scale, exponential_mean};

pub(super) const MAX_ENDS: u64 = 1 << 33;

/// Returns the power of an F test for a `ratio` of means after `ends` finished games per player.
fn power(ends: f64, ratio: f64, alpha: f64) -> f64 {
    let Ok(f) = FisherSnedecor::new(2.0 * ends, 2.0 * ends) else { return f64::NAN };
    let low = f.inverse_cdf(alpha / 2.0);
    // If X is F(2n, 2n), 1/X has the same distribution, so the upper bound is 1 / low.
    f.cdf(low / ratio) + f.sf(1.0 / low / ratio)
}

/// Returns how many ended games per player an F test at level `alpha` needs to detect a `ratio` of
/// means with power `wanted`; `None` above 2^33.
#[must_use]
pub fn games_for_power(ratio: f64, wanted: f64, alpha: f64) -> Option<u64> {
    least(|ends| power(ends as f64, ratio, alpha) >= wanted)
}

/// Returns how many ended games give an exact interval of an exponential mean the relative
/// half-width `half_width`; `None` above 2^33.
#[must_use]
pub fn ends_for_half_width(half_width: f64, level: f64) -> Option<u64> {
    least(|ends| exponential_mean(ends as f64, ends, false, level).half_width(1.0) <= half_width)
}

/// Returns the share of exponential lifetimes with mean `mean` that end before `limit`.
#[must_use]
pub fn share_ended(mean: f64, limit: f64) -> f64 {
    -libm::expm1(-limit / mean)
}

/// Returns the smallest n from 2 to [`MAX_ENDS`] with `enough(n)`, which must hold for larger n.
pub(super) fn least(enough: impl Fn(u64) -> bool) -> Option<u64> {
    let mut above = 2;
    // Doubling followed by bisection takes about sixty calls for any answer up to 2^33.
    while !enough(above) {
        above *= 2;
        if above > MAX_ENDS {
            return None;
        }
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = u64::midpoint(below, above);
        if enough(middle) { above = middle } else { below = middle }
    }
    Some(above)
}

/// Requirements of a plan that compares two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerTarget {
    /// Probability of detecting the difference (power of the test).
    pub power: f64,
    /// Probability of reporting a difference between equal means.
    pub alpha: f64,
    /// Difference to detect, as a fraction of the second mean; `None` for the difference in the
    /// earlier games.
    pub differ: Option<f64>,
}

/// Plan of the number of games needed to detect the difference of two means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DetectionPlan {
    /// Name of the test that decides: `sign-flip`, or `log-rank` if games were cut off.
    pub test: &'static str,
    /// Difference of means to detect; for the log-rank test, the logarithm of the means' ratio.
    pub effect: f64,
    /// Standard deviation of the difference (or of the log ratio of means) from one pair of games.
    pub sd: f64,
    /// Correlation of the two games of a seed; `None` without common seeds or without variation.
    pub correlation: Option<f64>,
    /// Number of games that each controller must play; `None` if above 2^33.
    pub games: Option<u64>,
    /// Numbers of games needed for the largest and smallest difference that the earlier games
    /// allow; `None` if the difference was given.
    pub between: Option<[Option<u64>; 2]>,
}

/// Earlier games of two controllers, on common or separate seeds, from which to plan more games.
#[derive(Clone, Copy, Debug)]
pub struct PilotPair<'a> {
    /// Games of the first controller.
    pub first: &'a [Observed],
    /// Games of the second controller.
    pub second: &'a [Observed],
    /// True if game i of both controllers has the same seed.
    pub common: bool,
}

impl PilotPair<'_> {
    /// Plans how many games detect the difference of the two controllers; `None` with fewer than
    /// ten earlier games in a mean.
    #[must_use]
    pub fn detection_plan(&self, scale: Scale, question: &PowerTarget) -> Option<DetectionPlan> {
        let both = [self.first, self.second];
        if both.iter().any(|games| scale.sums(games)[1] < FEWEST as f64) {
            return None;
        }
        let any_censored = both.into_iter().flatten().any(|game| game.censored);
        let known = match scale {
            Scale::Total if any_censored => self.log_ratio(question.differ),
            _ => self.difference(scale, question.differ),
        };
        Some(known.plan(question))
    }

    fn means(&self, scale: Scale) -> [f64; 2] {
        [self.first, self.second].map(|games| scale.mean(games).unwrap_or(f64::NAN))
    }

    /// Returns the effect that the sign-flip test must detect: `differ` times the second mean or,
    /// without `differ`, the difference in earlier games.
    fn difference(&self, scale: Scale, differ: Option<f64>) -> PilotEffect {
        let [mean, other] = self.means(scale);
        let [one, two] = [self.first, self.second]
            .map(|games| games.iter().map(|game| game.value).collect::<Vec<f64>>());
        let spreads = [variance(&one), variance(&two)];
        let covariance = if self.common { covariance(&one, &two) } else { 0.0 };
        let correlation = covariance / (spreads[0] * spreads[1]).sqrt();
        let sd = (spreads[0] + spreads[1] - 2.0 * covariance).max(0.0).sqrt();
        let apart = (spreads[0] / one.len() as f64 + spreads[1] / two.len() as f64).sqrt();
        let paired = sd / (one.len() as f64).sqrt();
        PilotEffect {
            test: SIGN_FLIP,
            effect: differ.map_or(mean - other, |share| share * other.abs()),
            sd,
            correlation: Some(correlation).filter(|found| self.common && found.is_finite()),
            error: differ.is_none().then_some(if self.common { paired } else { apart }),
            fewest: one.len().min(two.len()),
        }
    }

    fn log_ratio(&self, differ: Option<f64>) -> PilotEffect {
        let [mean, other] = self.means(Scale::Total);
        let ends = [self.first, self.second].map(|games| Scale::Total.sums(games)[1]);
        let part = |games: &[Observed], ends: f64| games.len() as f64 / ends;
        PilotEffect {
            test: LOG_RANK,
            effect: differ.map_or_else(|| libm::log(mean / other), libm::log1p),
            sd: (part(self.first, ends[0]) + part(self.second, ends[1])).sqrt(),
            correlation: None,
            error: differ.is_none().then(|| (1.0 / ends[0] + 1.0 / ends[1]).sqrt()),
            fewest: ends[0].min(ends[1]) as usize,
        }
    }
}

const SIGN_FLIP: &str = "sign-flip";
const LOG_RANK: &str = "log-rank";

struct PilotEffect {
    test: &'static str,
    effect: f64,
    sd: f64,
    correlation: Option<f64>,
    /// Standard error of the difference in earlier games; `None` if the difference was given.
    error: Option<f64>,
    /// Smaller number of earlier games of the two players; for the log-rank test, of ended games.
    fewest: usize,
}

impl PilotEffect {
    fn plan(self, question: &PowerTarget) -> DetectionPlan {
        let games = |effect: f64| self.games(effect, question);
        let reach = self.error.map(|error| error * t_quantile(self.fewest as f64 - 1.0));
        let between = reach.map(|reach| {
            let (far, near) = (self.effect.abs() + reach, self.effect.abs() - reach);
            [games(far), if near > 0.0 { games(near) } else { None }]
        });
        let PilotEffect { test, effect, sd, correlation, .. } = self;
        DetectionPlan { test, effect, sd, correlation, games: games(effect), between }
    }

    fn games(&self, effect: f64, question: &PowerTarget) -> Option<u64> {
        let level = Normal::standard().inverse_cdf(1.0 - question.alpha / 2.0);
        let reach = level + Normal::standard().inverse_cdf(question.power);
        let estimated = if self.test == SIGN_FLIP { level * level / 2.0 } else { 0.0 };
        let games = ((reach * self.sd / effect).powi(2) + estimated).ceil();
        (games <= MAX_ENDS as f64).then(|| (games as u64).max(fewest_games(question.alpha)))
    }
}

/// Returns the fewest games that allow an interval and a sign-flip p-value of at most `alpha`.
fn fewest_games(alpha: f64) -> u64 {
    FEWEST.max(1 + libm::ceil(libm::log2(1.0 / alpha)) as u64)
}

/// Returns how many games a 95 % interval of relative half-width `half_width` takes, judged by
/// `games` with mean `pilot`; `None` above 2^33.
#[must_use]
pub fn games_for_half_width(
    pilot: &Mean,
    games: &[Observed],
    scale: Scale,
    half_width: f64,
) -> Option<u64> {
    match pilot.method? {
        Method::Exponential => {
            let share = scale.sums(games)[1] / games.len() as f64;
            let ends = ends_for_half_width(half_width, LEVEL)?;
            let all = (ends as f64 / share).ceil();
            (all <= MAX_ENDS as f64).then_some(all as u64)
        }
        _ => {
            let sd = relative_sd(games, scale)?;
            let narrow = |n: u64| t_quantile(n as f64 - 1.0) * sd / (n as f64).sqrt() <= half_width;
            least(narrow).map(|games| games.max(FEWEST))
        }
    }
}

fn relative_sd(games: &[Observed], scale: Scale) -> Option<f64> {
    let mean = scale.mean(games).filter(|mean| *mean != 0.0)?;
    let share = scale.sums(games)[1] / games.len() as f64;
    let influence = |game: &Observed| {
        let [value, counts] = scale.parts(game);
        (value - mean * counts) / (mean * share)
    };
    Some(variance(&games.iter().map(influence).collect::<Vec<f64>>()).sqrt())
}

/// Returns the 97.5 % quantile of Student's t distribution; infinite if `degrees` is not positive.
#[must_use]
pub fn t_quantile(degrees: f64) -> f64 {
    let t = StudentsT::new(0.0, 1.0, degrees);
    t.map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + LEVEL / 2.0))
}

fn variance(values: &[f64]) -> f64 {
    covariance(values, values)
}

fn covariance(first: &[f64], second: &[f64]) -> f64 {
    let n = first.len().min(second.len());
    let mean = |values: &[f64]| values[..n].iter().sum::<f64>() / n as f64;
    let (one, other) = (mean(first), mean(second));
    let products = first.iter().zip(second).map(|(x, y)| (x - one) * (y - other));
    products.sum::<f64>() / (n as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::stats::mean::ended;
    use crate::stats::{Estimate, log_rank, sign_flip_test};

    // R: `pow <- function(n,r) pf(qf(.025,2*n,2*n)/r,2*n,2*n) + 1-pf(qf(.975,2*n,2*n)/r,2*n,2*n)`,
    // with the smallest n found by counting up.
    #[test]
    fn games_to_tell_as_in_r() {
        let ends = |ratio, wanted| games_for_power(ratio, wanted, 0.05);
        assert_eq!(ends(40.0 / 35.0, 0.8), Some(881));
        assert_eq!(ends(40.0 / 35.0, 0.9), Some(1180));
        assert_eq!((ends(2.0, 0.8), ends(0.5, 0.8)), (Some(34), Some(34)));
        assert_eq!(ends(1.1, 0.8), Some(1729));
        assert_eq!(ends(1.01, 0.8), Some(158_549));
        assert_eq!(ends(1.0, 0.8), None);
        assert!((power(881.0, 40.0 / 35.0, 0.05) - 0.800_057_507_8).abs() < 1e-8);
        assert!((power(50.0, 1.0, 0.05) - 0.05).abs() < 1e-8, "the level is kept");
    }

    // R: `hw <- function(k) (2*k/qchisq(.025,2*k) - 2*k/qchisq(.975,2*k))/2`, with the smallest k
    // found by counting up.
    #[test]
    fn games_for_a_half_width_as_in_r() {
        let expected = [(0.5, 19), (0.2, 100), (0.1, 388), (0.05, 1541), (0.03, 4273)];
        for (half_width, ends) in expected {
            assert_eq!(ends_for_half_width(half_width, 0.95), Some(ends), "{half_width}");
        }
    }

    #[test]
    fn a_limit_of_the_mean_ends_63_percent() {
        assert!((share_ended(1000.0, 1000.0) - (1.0 - (-1f64).exp())).abs() < 1e-15);
    }

    const ASKED: PowerTarget = PowerTarget { power: 0.8, alpha: 0.05, differ: None };

    // Differences 1, 3, 1, 3, ... have mean 2 and, with 20 games, SD 1.0260. The quantiles z .975
    // and .8 are 1.959964 and 0.841621. So (2.801585 x 1.025978 / 2)^2 + 1.92073 = 3.98, below the
    // minimum of ten. With half the difference: 2.0655 + 1.92073 at effect 2, 8.262 + 1.92073 at
    // 1; at a fifth, 51.636 + 1.921.
    #[test]
    fn a_plan_by_hand() {
        let first: Vec<f64> = (0..20).map(|i| f64::from(10 + i + 1 + 2 * (i % 2))).collect();
        let second: Vec<f64> = (0..20).map(|i| f64::from(10 + i)).collect();
        let (first, second) = (ended(&first), ended(&second));
        let pair = PilotPair { first: &first, second: &second, common: true };
        let found = pair.detection_plan(Scale::PerGame, &ASKED).unwrap();
        assert!((found.effect - 2.0).abs() < 1e-12 && (found.sd - 1.025_978).abs() < 1e-6);
        assert_eq!((found.test, found.games), ("sign-flip", Some(10)));
        assert!(found.correlation.unwrap() > 0.98, "{found:?}");
        // An effect of 0.4 is 2 % of the mean 19.5.
        let asked = PowerTarget { differ: Some(0.4 / 19.5), ..ASKED };
        let found = pair.detection_plan(Scale::PerGame, &asked).unwrap();
        assert_eq!((found.games, found.between), (Some(54), None));
        // Without common seeds the values 1 to 20 spread each mean: SD^2 is 35 + 36.5.
        let apart = PilotPair { common: false, ..pair };
        let found = apart.detection_plan(Scale::PerGame, &ASKED).unwrap();
        assert!(found.correlation.is_none() && found.sd > 8.0, "{found:?}");
        assert_eq!(found.between.unwrap()[1], None, "the interval holds 0");
        let few = PilotPair { first: &first[..9], ..pair };
        assert_eq!(few.detection_plan(Scale::PerGame, &ASKED), None);
    }

    // Half of each controller's games end, and the means have the ratio 2. The plan takes
    // (2.801585 / ln 2)^2 x 4 = 65.35 games, rounded up.
    #[test]
    fn ends_are_counted_where_games_were_cut_off() {
        let games = |value: f64| -> Vec<Observed> {
            (0..40).map(|i| Observed { value, censored: i % 2 == 0 }).collect()
        };
        let (first, second) = (games(20.0), games(10.0));
        let pair = PilotPair { first: &first, second: &second, common: true };
        let found = pair.detection_plan(Scale::Total, &ASKED).unwrap();
        assert_eq!((found.test, found.games), ("log-rank", Some(66)));
        assert!(found.correlation.is_none());
    }

    #[test]
    fn equal_means_take_too_many_games_and_a_small_level_its_own() {
        let same = ended(&[5.0, 7.0, 6.0, 9.0, 4.0, 5.0, 8.0, 6.0, 6.0, 7.0]);
        let pair = PilotPair { first: &same, second: &same, common: false };
        let found = pair.detection_plan(Scale::PerGame, &ASKED).unwrap();
        assert_eq!((found.games, found.between.unwrap()[1]), (None, None));
        assert_eq!((fewest_games(0.05), fewest_games(1e-6)), (10, 21));
    }

    type Draw = fn(&mut Stream) -> [Observed; 2];

    fn exponential(stream: &mut Stream) -> f64 {
        -libm::log(1.0 - stream.unit())
    }

    fn on_common_seeds(stream: &mut Stream) -> [Observed; 2] {
        let common = exponential(stream);
        let value = |stream: &mut Stream, times| times * (common + exponential(stream));
        [1.2, 1.0].map(|times| Observed { value: value(stream, times), censored: false })
    }

    fn cut_off(stream: &mut Stream) -> [Observed; 2] {
        [2.0, 1.0].map(|mean| {
            let life = mean * exponential(stream);
            Observed { value: life.min(1.5), censored: life > 1.5 }
        })
    }

    fn draw(stream: &mut Stream, games: usize, pair: Draw) -> [Vec<Observed>; 2] {
        let pairs: Vec<[Observed; 2]> = (0..games).map(|_| pair(stream)).collect();
        [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect())
    }

    // Detected differences: within 4 standard errors (32) of the requested 320 of 400.
    #[test]
    fn planned_comparisons_have_the_power_that_was_asked_for() {
        let mut stream = Stream::new(11, Purpose::Bootstrap, 1);
        let kinds: [(Draw, Scale); 3] = [
            (on_common_seeds, Scale::PerGame),
            (on_common_seeds, Scale::Total),
            (cut_off, Scale::Total),
        ];
        for (pair, scale) in kinds {
            let [first, second] = draw(&mut stream, 4000, pair);
            let planned = PilotPair { first: &first, second: &second, common: true };
            let planned = planned.detection_plan(scale, &ASKED).unwrap();
            let games = planned.games.unwrap() as usize;
            let told = (0..400).filter(|&seed| {
                let [first, second] = draw(&mut stream, games, pair);
                let p = match planned.test {
                    LOG_RANK => log_rank(&first, &second).unwrap().p,
                    _ => sign_flip_test(&first, &second, scale, seed).p,
                };
                p <= 0.05
            });
            let told = told.count();
            println!("{}, {games} games: {told} of 400", planned.test);
            assert!((288..=352).contains(&told), "{}, {games} games: {told} of 400", planned.test);
        }
    }

    #[test]
    fn planned_intervals_are_as_narrow_as_was_asked_for() {
        let mut stream = Stream::new(12, Purpose::Bootstrap, 2);
        let [games, _] = draw(&mut stream, 2000, on_common_seeds);
        let pilot = Estimate::new(&games, Scale::Total, true, 1).mean;
        assert_eq!(pilot.method, Some(Method::Bootstrap));
        let needed = games_for_half_width(&pilot, &games, Scale::Total, 0.1).unwrap();
        let widths: Vec<f64> = (0..20)
            .map(|seed| {
                let [games, _] = draw(&mut stream, needed as usize, on_common_seeds);
                Estimate::new(&games, Scale::Total, true, seed).mean.half_width()
            })
            .collect();
        let mean = widths.iter().sum::<f64>() / 20.0;
        assert!((0.095..=0.105).contains(&mean), "{needed} games: {mean}");
        // Lifetimes that pass the exponential checks. The checks treat values as counts, so the
        // mean must not be small.
        let mut stream = Stream::new(1, Purpose::Bootstrap, 9);
        let lifetimes: Vec<f64> = (0..100).map(|_| 1000.0 * exponential(&mut stream)).collect();
        let games = ended(&lifetimes);
        let pilot = Estimate::new(&games, Scale::Total, true, 1).mean;
        assert_eq!(pilot.method, Some(Method::Exponential));
        assert_eq!(games_for_half_width(&pilot, &games, Scale::Total, 0.1), Some(388));
    }
}
