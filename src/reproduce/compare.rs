//! A measured mean beside a published one.

use std::path::Path;

use super::{Planned, published};
use crate::error::Result;
use crate::record::{
    Comparison, ConditionRow, Effort, Manifest, Progress, PublishedScore, ReproducedRow, Results,
    Verdict,
};
use crate::stats::{Interval, exponential_mean, exponential_ratio};

const LEVEL: f64 = 0.95;
/// Standard deviations to either side that a published interval reaches.
const REACH: f64 = 1.96;

/// The ratio of our mean to a published one, for exponential lifetimes.
///
/// The published mean counts as one of as many games as it is stated to be, or, with an interval only, as
/// that interval is worth: one of +-r comes from (1.96 / r)^2 games (Thiery & Scherrer's +-20 % from 96).
/// Without either it counts as exact. A range is compared with our interval.
#[must_use]
pub fn compare(ours: &Results, published: &PublishedScore) -> Comparison {
    let interval = Interval { low: ours.exponential.0.unwrap_or(0.0), high: ours.exponential.1 };
    let Some(score) = published.score else {
        let (low, high) = (published.low.unwrap_or(0.0), published.high);
        return judged(None, Interval { low: interval.low, high: interval.high }, low, high);
    };
    let exposure = ours.mean.map(|mean| mean * ours.ended as f64);
    let ratio = exposure.and_then(|exposure| match games_of(published) {
        Some(games) => {
            let theirs = (score * games as f64, games);
            let found = exponential_ratio((exposure, ours.ended), theirs, LEVEL)?;
            Some((found.estimate, found.interval))
        }
        None => {
            let own = exponential_mean(exposure, ours.ended, ours.censored > 0, LEVEL);
            let over = |value: f64| value / score;
            Some((
                over(exposure / ours.ended as f64),
                Interval { low: over(own.low), high: own.high.map(over) },
            ))
        }
    });
    match ratio {
        Some((ratio, interval)) => judged(Some(ratio), interval, 1.0, Some(1.0)),
        // No game ended: there is only a lower end.
        None => judged(None, Interval { low: interval.low / score, high: None }, 1.0, Some(1.0)),
    }
}

/// The games that a published mean is worth.
fn games_of(published: &PublishedScore) -> Option<u64> {
    let of_interval = || {
        let half = (published.high? / published.low?).ln() / 2.0;
        Some((REACH / half).powi(2).round() as u64)
    };
    published.games.or_else(of_interval).filter(|&games| games > 0)
}

/// Whether an interval meets the range from `low` to `high`.
fn judged(ratio: Option<f64>, interval: Interval, low: f64, high: Option<f64>) -> Comparison {
    let verdict = if high.is_some_and(|high| interval.low > high) {
        Verdict::Higher
    } else if interval.high.is_some_and(|end| end < low) {
        Verdict::Lower
    } else if interval.high.is_none() {
        Verdict::Open
    } else {
        Verdict::Agrees
    };
    // The ends are ratios only where a single number was published.
    let is_ratio = low == 1.0;
    Comparison {
        ratio,
        low: is_ratio.then_some(interval.low),
        high: interval.high.filter(|_| is_ratio),
        verdict,
    }
}

/// One row for each condition and number published of it; conditions without any have one.
///
/// # Errors
/// As [`Manifest::read`], for a condition that is complete.
pub fn reproduced(
    study: &Path,
    planned: &[Planned],
    rows: &[ConditionRow],
) -> Result<Vec<ReproducedRow>> {
    let published = published()?;
    let mut reproduced = Vec::new();
    for (planned, condition) in planned.iter().zip(rows) {
        let effort = match condition.status {
            Progress::Complete => Some(effort(&Manifest::read(&study.join(&condition.folder))?)),
            Progress::Pending | Progress::Unfinished => None,
        };
        let row = |published: Option<PublishedScore>| ReproducedRow {
            table: planned.table.clone(),
            name: planned.name.clone(),
            condition: condition.clone(),
            effort: effort.clone(),
            comparison: condition
                .results
                .as_ref()
                .zip(published.as_ref())
                .map(|(ours, published)| compare(ours, published)),
            published,
        };
        let of_it: Vec<_> = published.iter().filter(|p| p.condition == planned.name).collect();
        for published in &of_it {
            reproduced.push(row(Some(published.score()?)));
        }
        if of_it.is_empty() {
            reproduced.push(row(None));
        }
    }
    Ok(reproduced)
}

fn effort(manifest: &Manifest) -> Effort {
    let core_hours = manifest.elapsed_s * manifest.threads as f64 / 3600.0;
    Effort {
        core_hours: (core_hours * 1e4).round() / 1e4,
        finished: manifest.finished.clone(),
        commit: manifest.commit.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(ended: u64, mean: Option<f64>) -> Results {
        let exposure = mean.unwrap_or(1e6) * ended.max(1) as f64;
        let interval = exponential_mean(exposure, ended, ended == 0, LEVEL);
        Results {
            games: ended.max(1),
            ended,
            censored: u64::from(ended == 0),
            pieces: 0,
            lines: exposure as u64,
            mean,
            exponential: (Some(interval.low), interval.high),
            bootstrap: (None, None),
            sd: None,
            median: 0.0,
            min: 0,
            max: 0,
        }
    }

    fn score(games: Option<u64>, score: Option<f64>, range: Option<(f64, f64)>) -> PublishedScore {
        PublishedScore {
            source: String::new(),
            place: String::new(),
            games,
            score,
            low: range.map(|range| range.0),
            high: range.map(|range| range.1),
            kind: "measured".to_owned(),
            note: None,
        }
    }

    /// `1.1 / qf(c(.975, .025), 200, 200)` in R.
    #[test]
    fn a_ratio_is_f_distributed() {
        let found = compare(&results(100, Some(1100.0)), &score(Some(100), Some(1000.0), None));
        assert!((found.ratio.unwrap() - 1.1).abs() < 1e-12);
        assert!((found.low.unwrap() - 0.833_049_5).abs() < 1e-7, "{found:?}");
        assert!((found.high.unwrap() - 1.452_494_8).abs() < 1e-7, "{found:?}");
        assert_eq!(found.verdict, Verdict::Agrees);
        // +-20 % on the scale of logarithms: (1.96 / (ln 1.5 / 2))^2 games.
        assert_eq!(games_of(&score(None, Some(35e6), Some((28e6, 42e6)))), Some(93));
    }

    #[test]
    fn verdicts() {
        let verdict = |ours: &Results, theirs: &PublishedScore| compare(ours, theirs).verdict;
        let exact = score(None, Some(1000.0), None);
        assert_eq!(verdict(&results(400, Some(1010.0)), &exact), Verdict::Agrees);
        assert_eq!(verdict(&results(400, Some(1200.0)), &exact), Verdict::Higher);
        assert_eq!(verdict(&results(400, Some(800.0)), &exact), Verdict::Lower);
        assert_eq!(verdict(&results(0, None), &score(None, Some(1e3), None)), Verdict::Higher);
        assert_eq!(verdict(&results(0, None), &score(None, Some(1e9), None)), Verdict::Open);
        let range = score(None, None, Some((500.0, 900.0)));
        assert_eq!(verdict(&results(400, Some(880.0)), &range), Verdict::Agrees);
        assert_eq!(verdict(&results(400, Some(1200.0)), &range), Verdict::Higher);
        assert_eq!(verdict(&results(400, Some(300.0)), &range), Verdict::Lower);
    }
}
