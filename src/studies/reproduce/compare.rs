//! A measured mean beside a published one.

use std::path::Path;

use super::{Planned, published};
use crate::error::Result;
use crate::record::{
    Comparison, ConditionRow, Effort, Progress, PublishedScore, ReproducedRow, Results, Verdict,
};
use crate::sim::ClassicManifest;
use crate::stats::{Interval, exponential_ratio};

const LEVEL: f64 = 0.95;
/// Standard deviations to either side that a published interval reaches.
const REACH: f64 = 1.96;

/// The ratio of our mean to a published one, for exponential lifetimes.
///
/// The published mean counts as one of as many games as it is stated to be, or, with an interval only, as
/// that interval is worth: one of +-r comes from (1.96 / r)^2 games (Thiery & Scherrer's +-20 % from 96).
/// Without either it counts as exact. A range is compared with our interval. Exact when all our games
/// ended, approximate where some were cut off; without an interval of ours nothing is judged.
#[must_use]
pub fn compare(ours: &Results, published: &PublishedScore) -> Comparison {
    let interval = ours.exponential.0.map(|low| Interval { low, high: ours.exponential.1 });
    let Some(score) = published.score else {
        let range = (published.low.unwrap_or(0.0), published.high);
        let verdict = interval.map_or(Verdict::Open, |interval| judged(interval, range));
        return Comparison { ratio: None, low: None, high: None, verdict };
    };
    let ratio = ours.mean.map(|mean| mean / score);
    let over = |value: f64| value / score;
    let interval = match (interval, games_of(published), ours.mean) {
        (Some(_), Some(games), Some(mean)) if ours.ended > 0 => {
            let exposure = (mean * ours.ended as f64, ours.ended);
            let found = exponential_ratio(exposure, (score * games as f64, games), LEVEL);
            found.map(|found| found.interval)
        }
        (interval, ..) => interval
            .map(|interval| Interval { low: over(interval.low), high: interval.high.map(over) }),
    };
    let verdict = interval.map_or(Verdict::Open, |interval| judged(interval, (1.0, Some(1.0))));
    Comparison {
        ratio,
        low: interval.map(|interval| interval.low),
        high: interval.and_then(|interval| interval.high),
        verdict,
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

/// Whether an interval meets a range.
fn judged(interval: Interval, (low, high): (f64, Option<f64>)) -> Verdict {
    if high.is_some_and(|high| interval.low > high) {
        Verdict::Higher
    } else if interval.high.is_some_and(|end| end < low) {
        Verdict::Lower
    } else if interval.high.is_none() {
        Verdict::Open
    } else {
        Verdict::Agrees
    }
}

/// One row for each condition and number published of it; conditions without any have one.
///
/// # Errors
/// As [`ClassicManifest::read`], for a condition that is complete.
pub fn reproduced(
    study: &Path,
    planned: &[Planned],
    rows: &[ConditionRow],
) -> Result<Vec<ReproducedRow>> {
    let published = published()?;
    let mut reproduced = Vec::new();
    for (planned, condition) in planned.iter().zip(rows) {
        let effort = match condition.status {
            Progress::Complete => {
                Some(effort(&ClassicManifest::read(&study.join(&condition.folder))?))
            }
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

fn effort(manifest: &ClassicManifest) -> Effort {
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
    use crate::stats::exponential_mean;

    fn results(ended: u64, mean: Option<f64>) -> Results {
        let exposure = mean.unwrap_or(1e6) * ended.max(1) as f64;
        let interval = exponential_mean(exposure, ended, ended == 0, LEVEL);
        Results {
            games: ended.max(1),
            ended,
            censored: u64::from(ended == 0),
            totals: serde_json::Map::new(),
            mean,
            exponential: (Some(interval.low), interval.high),
            bootstrap: (None, None),
            sd: None,
            median: 0.0,
            min: 0.0,
            max: 0.0,
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
        // A queue that deals every game the same pieces gives no interval.
        let same = Results { exponential: (None, None), ..results(1, Some(11.0)) };
        let found = compare(&same, &score(None, Some(75.0), None));
        assert_eq!((found.low, found.high, found.verdict), (None, None, Verdict::Open));
        let range = score(None, None, Some((500.0, 900.0)));
        assert_eq!(verdict(&results(400, Some(880.0)), &range), Verdict::Agrees);
        assert_eq!(verdict(&results(400, Some(1200.0)), &range), Verdict::Higher);
        assert_eq!(verdict(&results(400, Some(300.0)), &range), Verdict::Lower);
    }
}
