//! Published results of the conditions of a study, and their comparison with measured results.
//!
//! The published values stand in the study's file, in the key `published` of a condition:
//!
//! ```toml
//! [[condition]]
//! controller = "dellacherie"
//! published = { value = 660000, source = "Fahey 2003", kind = "quoted" }
//! ```

use toml::{Table, Value};

use super::Study;
use crate::engine::Comparable;
use crate::prelude::*;
use crate::record::{
    ConditionEffort, KINDS, Progress, PublishedComparison, PublishedScore, PublishedVerdict,
    ReproducedRow, rounded,
};
use crate::stats::{Estimate, Interval, Method, exponential_ratio, mean_by};

macro_rules! studies {
    ($($name:literal)*) => {
        /// Name and text of each bundled study of published results, from `data/published/`.
        pub const PUBLISHED_STUDIES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../data/published/", $name, ".toml")))),*];
    };
}

studies! { "10x10" "generators" "original" "ladder" "lee" "10x20" "sprint" "blitz" }

/// Returns the text of the bundled study file `name`, which reproduces published results.
pub fn published_study(name: &str) -> Result<&'static str> {
    let found = PUBLISHED_STUDIES.iter().find(|(known, _)| *known == name);
    let names = PUBLISHED_STUDIES.iter().map(|(name, _)| *name);
    found.map(|(_, text)| *text).ok_or_else(|| Error::unknown("published study", name, names))
}

const QUICK_PREFIX: &str = "quick_";

/// Published results of a condition (setting of controller and game) with the condition's name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// Name of the published table that holds the results.
    pub table: Option<String>,
    /// Name of the setting of controller and game in tables; `None` for its folder's name.
    pub name: Option<String>,
    /// Published results, means or medians, of one setting of controller and game.
    pub scores: Vec<PublishedScore>,
}

impl Published {
    /// Takes published results and keys `quick_KEY` out of a condition's `settings`. If `quick` is
    /// true, the values of `quick_KEY` replace those of `KEY`.
    pub fn take(settings: &mut Table, quick: bool) -> Result<Published> {
        let is_quick = |(key, value): (&String, &Value)| {
            Some((key.strip_prefix(QUICK_PREFIX)?.to_owned(), value.clone()))
        };
        let brief: Vec<_> = settings.iter().filter_map(is_quick).collect();
        settings.retain(|key, _| !key.starts_with(QUICK_PREFIX));
        settings.extend(brief.into_iter().filter(|_| quick));
        let mut text = |key: &str| match settings.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) if is_cell(&text) => Ok(Some(text)),
            Some(other) => Err(Error::Config(format!(
                "{key} is {other}: write text without commas and quotes"
            ))),
        };
        let (table, name) = (text("table")?, text("name")?);
        let scores = match settings.remove("published") {
            None => Vec::new(),
            Some(Value::Array(scores)) => scores,
            Some(score) => vec![score],
        };
        let scores = scores.into_iter().map(score).collect::<Result<_>>()?;
        Ok(Published { table, name, scores })
    }
}

fn is_cell(text: &str) -> bool {
    !text.is_empty() && !text.contains([',', '"', '\n', '\r'])
}

fn score(value: Value) -> Result<PublishedScore> {
    let shown = value.to_string();
    let is_whole = |found: &PublishedScore| {
        let texts = [Some(&found.source), found.place.as_ref(), found.note.as_ref()];
        let is_range = found.low.zip(found.high).is_some_and(|(low, high)| low < high);
        texts.into_iter().flatten().all(|text| is_cell(text))
            && KINDS.contains(&&*found.kind)
            && (is_range || found.value.is_some() && found.low.or(found.high).is_none())
    };
    PublishedScore::deserialize(value).ok().filter(is_whole).ok_or_else(|| {
        Error::Config(format!(
            "published is {shown}: write value (or low and high) and source, for example {{ value \
             = 660000, source = \"Fahey 2003\" }}; games, low and high, place, kind ({}), note and \
             statistic (mean, median) are optional, and texts have no commas and quotes",
            KINDS.join(", ")
        ))
    })
}

const LEVEL: f64 = 0.95;
const NORMAL_QUANTILE: f64 = 1.96;

#[derive(Clone, Debug, PartialEq)]
struct MeasuredCondition {
    mean: Mean,
    /// Number of finished games if their lines count as exponentially distributed, else `None`.
    lifetimes: Option<u64>,
}

/// Compares a measured with a published mean. If `ours` has lifetimes, the published mean counts as
/// one of the stated number of exponential games, or of (1.96 / r)^2, where r = ln(`high` / `low`)
/// / 2 is half the published relative interval: 28 to 42 million lines (Thiery & Scherrer) are 93
/// games. Without both, it counts as exact. A published range has no ratio, and the measured
/// interval is compared with it. The interval is exact if all measured games finished.
fn compare(ours: &MeasuredCondition, published: &PublishedScore) -> PublishedComparison {
    let interval = ours.mean.interval();
    let Some(score) = published.value else {
        let range = (published.low.unwrap_or(0.0), published.high);
        let verdict =
            interval.map_or(PublishedVerdict::Open, |interval| published_verdict(interval, range));
        return PublishedComparison { ratio: None, low: None, high: None, verdict };
    };
    let ratio = ours.mean.mean.map(|mean| mean / score);
    let over = |value: f64| value / score;
    let ended = ours.lifetimes.filter(|ended| *ended > 0);
    let interval = match (interval, games_of(published), ours.mean.mean.zip(ended)) {
        (Some(_), Some(games), Some((mean, ended))) => {
            let exposure = (mean * ended as f64, ended);
            let found = exponential_ratio(exposure, (score * games as f64, games), LEVEL);
            found.and_then(|found| found.mean.interval())
        }
        (interval, ..) => interval
            .map(|interval| Interval { low: over(interval.low), high: interval.high.map(over) }),
    };
    let verdict = interval
        .map_or(PublishedVerdict::Open, |interval| published_verdict(interval, (1.0, Some(1.0))));
    PublishedComparison {
        ratio,
        low: interval.map(|interval| interval.low),
        high: interval.and_then(|interval| interval.high),
        verdict,
    }
}

fn games_of(published: &PublishedScore) -> Option<u64> {
    let of_interval = || {
        let half = (published.high? / published.low?).ln() / 2.0;
        Some((NORMAL_QUANTILE / half).powi(2).round() as u64)
    };
    published.games.or_else(of_interval).filter(|&games| games > 0)
}

fn published_verdict(interval: Interval, (low, high): (f64, Option<f64>)) -> PublishedVerdict {
    if high.is_some_and(|high| interval.low > high) {
        PublishedVerdict::Higher
    } else if interval.high.is_some_and(|end| end < low) {
        PublishedVerdict::Lower
    } else if interval.high.is_none() {
        PublishedVerdict::Open
    } else {
        PublishedVerdict::Agrees
    }
}

/// Name of the measure of lines per classic game, whose distribution is taken to be exponential.
const LINES_MEASURE: &str = "lines";

/// Compares a study's results with published results; `published[i]` is for the condition with
/// number i + 1.
pub fn reproduced<G: Comparable>(
    study: &Study<G>,
    published: &[Published],
) -> Result<Vec<ReproducedRow>> {
    let mut reproduced = Vec::new();
    for (index, condition) in study.conditions().iter().enumerate() {
        let of_it = &published[condition.number as usize - 1];
        let found = Reproduction::new(study, index)?;
        reproduced.extend(of_it.scores.iter().map(|score| found.row(of_it, Some(score.clone()))));
        if of_it.scores.is_empty() {
            reproduced.push(found.row(of_it, None));
        }
    }
    Ok(reproduced)
}

struct Reproduction<'a, G> {
    study: &'a Study<G>,
    index: usize,
    effort: Option<ConditionEffort>,
    measured: Option<[MeasuredCondition; 2]>,
}

impl<G: Comparable> Reproduction<'_, G> {
    fn new(study: &Study<G>, index: usize) -> Result<Reproduction<'_, G>> {
        if study.rows()[index].status != Progress::Complete {
            return Ok(Reproduction { study, index, effort: None, measured: None });
        }
        let super::Condition { folder, game, .. } = &study.conditions()[index];
        let folder = study.folder().path().join(folder);
        let effort = Some(condition_effort(&Manifest::<G>::read(&folder)?));
        let about = game.about();
        let measure = game.measure_named(about.measure)?;
        let games = game.observed(&folder, &measure)?;
        let (is_random, seed) = (about.is_random(), about.seed);
        let Estimate { mut mean, median, .. } =
            Estimate::new(&games, measure.scale, is_random, seed);
        let mut lifetimes = None;
        if about.measure == LINES_MEASURE {
            mean = mean_by(Method::Exponential, &games, measure.scale, is_random, seed);
            lifetimes = Some(mean.n - mean.censored);
        }
        let measured = [(mean, lifetimes), (median, None)]
            .map(|(mean, lifetimes)| MeasuredCondition { mean: rounded(mean), lifetimes });
        Ok(Reproduction { study, index, effort, measured: Some(measured) })
    }

    fn row(&self, names: &Published, published: Option<PublishedScore>) -> ReproducedRow {
        let condition = self.study.rows()[self.index].clone();
        let comparison = published.as_ref().zip(self.measured.as_ref());
        let comparison = comparison.map(|(published, measured)| {
            compare(&measured[published.statistic as usize], published)
        });
        let mean = self.measured.as_ref().map(|[mean, _]| &mean.mean);
        ReproducedRow {
            table: names.table.clone(),
            name: names.name.clone().unwrap_or_else(|| condition.folder.clone()),
            number: condition.condition,
            measure: condition.measure.clone(),
            mean: mean.cloned(),
            effort: self.effort.clone(),
            condition,
            published,
            comparison,
        }
    }
}

fn condition_effort<G: Comparable>(manifest: &Manifest<G>) -> ConditionEffort {
    let core_hours = manifest.provenance.elapsed_s * manifest.provenance.threads as f64 / 3600.0;
    ConditionEffort {
        core_hours: (core_hours * 1e4).round() / 1e4,
        finished: manifest.provenance.finished.clone(),
        commit: manifest.provenance.commit.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{conditions, parse};
    use super::*;
    use crate::record::Statistic;
    use crate::stats::exponential_mean;

    fn lines(ended: u64, mean: Option<f64>) -> MeasuredCondition {
        let exposure = mean.unwrap_or(1e6) * ended.max(1) as f64;
        let interval = exponential_mean(exposure, ended, ended == 0, LEVEL);
        let mean = Mean::new(mean, Some(interval), Method::Exponential, ended);
        MeasuredCondition { mean, lifetimes: Some(ended) }
    }

    fn score(games: Option<u64>, score: Option<f64>, range: Option<(f64, f64)>) -> PublishedScore {
        PublishedScore {
            source: String::new(),
            place: None,
            games,
            value: score,
            low: range.map(|range| range.0),
            high: range.map(|range| range.1),
            kind: "measured".to_owned(),
            note: None,
            statistic: Statistic::Mean,
        }
    }

    // Expected value in R: `1.1 / qf(c(.975, .025), 200, 200)`.
    #[test]
    fn a_ratio_is_f_distributed() {
        let found = compare(&lines(100, Some(1100.0)), &score(Some(100), Some(1000.0), None));
        assert!((found.ratio.unwrap() - 1.1).abs() < 1e-12);
        assert!((found.low.unwrap() - 0.833_049_5).abs() < 1e-7, "{found:?}");
        assert!((found.high.unwrap() - 1.452_494_8).abs() < 1e-7, "{found:?}");
        assert_eq!(found.verdict, PublishedVerdict::Agrees);
        // +-20 % on the logarithmic scale: (1.96 / (ln 1.5 / 2))^2 games.
        assert_eq!(games_of(&score(None, Some(35e6), Some((28e6, 42e6)))), Some(93));
    }

    #[test]
    fn verdicts() {
        let verdict =
            |ours: &MeasuredCondition, theirs: &PublishedScore| compare(ours, theirs).verdict;
        let exact = score(None, Some(1000.0), None);
        assert_eq!(verdict(&lines(400, Some(1010.0)), &exact), PublishedVerdict::Agrees);
        assert_eq!(verdict(&lines(400, Some(1200.0)), &exact), PublishedVerdict::Higher);
        assert_eq!(verdict(&lines(400, Some(800.0)), &exact), PublishedVerdict::Lower);
        assert_eq!(
            verdict(&lines(0, None), &score(None, Some(1e3), None)),
            PublishedVerdict::Higher
        );
        assert_eq!(verdict(&lines(0, None), &score(None, Some(1e9), None)), PublishedVerdict::Open);
        // A queue that deals the same pieces in every game gives no interval.
        let mut same = lines(1, Some(11.0));
        same.mean = same.mean.with_interval(None, Method::Exponential);
        let found = compare(&same, &score(None, Some(75.0), None));
        assert_eq!((found.low, found.high, found.verdict), (None, None, PublishedVerdict::Open));
        let range = score(None, None, Some((500.0, 900.0)));
        assert_eq!(verdict(&lines(400, Some(880.0)), &range), PublishedVerdict::Agrees);
        assert_eq!(verdict(&lines(400, Some(1200.0)), &range), PublishedVerdict::Higher);
        assert_eq!(verdict(&lines(400, Some(300.0)), &range), PublishedVerdict::Lower);
    }

    #[test]
    fn other_measures_have_their_own_intervals() {
        let measured = |value, [low, high]: [f64; 2]| {
            let interval = Some(Interval { low, high: Some(high) });
            let mean = Mean::new(Some(value), interval, Method::OrderStatistics, 100);
            MeasuredCondition { mean, lifetimes: None }
        };
        let median = measured(102.0, [102.0, 103.0]);
        let found = compare(&median, &score(None, None, Some((106.0, 107.0))));
        assert_eq!((found.ratio, found.verdict), (None, PublishedVerdict::Lower));
        let mean = measured(62e3, [61.5e3, 62.5e3]);
        let found = compare(&mean, &score(Some(9), Some(61e3), None));
        assert_eq!((found.low, found.verdict), (Some(61.5 / 61.0), PublishedVerdict::Higher));
    }

    #[test]
    fn bundled_studies_hold_published_values() {
        let mut scores = 0;
        for (name, text) in PUBLISHED_STUDIES {
            let study = || conditions(parse(text).unwrap()).unwrap();
            for (mut whole, mut quick) in study().into_iter().zip(study()) {
                let published = Published::take(&mut whole, false).unwrap();
                assert_eq!(published, Published::take(&mut quick, true).unwrap());
                assert_eq!(published.table.as_deref(), Some(*name));
                assert!(!whole.keys().any(|key| key.starts_with(QUICK_PREFIX)));
                scores += published.scores.len();
            }
        }
        assert_eq!(scores, 48);
        assert!(published_study("11x11").unwrap_err().to_string().contains("10x10"));
    }

    #[test]
    fn mistakes_are_named() {
        for wrong in [
            "1",
            "{ value = 1 }",
            "{ source = 'a' }",
            "{ value = 1, source = 'a, b' }",
            "{ value = 1, source = 'a', kind = 'seen' }",
            "{ value = 1, low = 1, source = 'a' }",
            "{ low = 2, high = 1, source = 'a' }",
            "{ value = 1, source = 'a', gmes = 1 }",
        ] {
            let mut table: Table = format!("published = {wrong}").parse().unwrap();
            let message = Published::take(&mut table, false).unwrap_err().to_string();
            assert!(message.contains("write value"), "{message}");
        }
    }
}
