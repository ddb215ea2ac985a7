//! Measurements: cases run in turn, repeated, and reported as medians, so that a noisy machine
//! disturbs all cases alike and ratios hold.

mod cases;
mod checksum;
mod guideline;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

pub use cases::{Section, measure};
pub use checksum::checksum;
pub use guideline::guideline_checksum;

/// What a case measured; rates are medians over the repeats.
#[derive(Clone, Debug, Serialize)]
pub struct BenchRow {
    /// Which question it answers: the name of a [`Section`].
    pub section: &'static str,
    /// Controller or feature, or who plays another game.
    pub case: String,
    /// Instruction level.
    pub level: String,
    /// Search.
    pub search: String,
    /// Worker threads.
    pub threads: usize,
    /// Placed pieces per second (of whole games), if the case plays.
    pub pieces_per_s: Option<f64>,
    /// Placements scored per second, leaves of look-ahead included.
    pub candidates_per_s: f64,
    /// Nanoseconds per candidate.
    pub ns_per_candidate: f64,
    /// The same above a controller of the feature `constant` alone; for single features.
    pub ns_above_constant: Option<f64>,
    /// Nanoseconds per candidate that the feature adds to a greedy decision of bcts, as the median over the repeats.
    /// For one of its own eight features: bcts minus bcts without it. For another: bcts with it minus bcts. Only for
    /// single features.
    pub ns_added_to_bcts: Option<f64>,
    /// Ticks of the processor's time-stamp counter per candidate, where there is one. It counts at
    /// a constant rate, not in cycles of the core's momentary clock.
    pub ticks_per_candidate: Option<f64>,
    /// Rate divided by that of the same case at level `scalar` (for threads: with one thread; of another game: as its section says).
    pub ratio: Option<f64>,
    /// Slowest and fastest repeat, as parts of the median rate.
    pub spread: (f64, f64),
    /// Rounds per second, of a game that has no pieces.
    pub rounds_per_s: Option<f64>,
    /// Quartiles of [`BenchRow::ns_added_to_bcts`] over the repeats. The cost is not measurable if the lower quartile
    /// is 0 or less.
    pub ns_added_quartiles: Option<(f64, f64)>,
    /// Scoring path of a decision of bcts with the feature ([`ScoringPath`](crate::kernels::ScoringPath)). Only for
    /// single features.
    pub path: Option<&'static str>,
    /// Time of a decision of bcts with the feature, divided by that of bcts alone. Only for single features.
    pub decision_ratio: Option<f64>,
    /// Nanoseconds per candidate of each repeat, in the order in which they ran.
    #[serde(skip)]
    pub rounds: Vec<f64>,
}

/// Largest relative difference between the rate of a sample and the median of its case; beyond it the sample is an
/// outlier.
const OUTLIER: f64 = 0.2;

impl BenchRow {
    /// Returns true if a repeat was an outlier, for example because another program used the processor meanwhile.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.spread.0 < 1.0 - OUTLIER || self.spread.1 > 1.0 + OUTLIER
    }
}

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchEffort {
    /// Least time of one sample.
    pub sample: Duration,
    /// Samples per case.
    pub repeats: usize,
}

/// What a progress display may look at, and how measuring is stopped.
#[derive(Debug, Default)]
pub struct BenchWatch {
    /// Raised to stop: what has samples by then is reported.
    pub stop: Arc<AtomicBool>,
    /// Milliseconds that all samples take at least, those that find the amount of work included.
    pub all: AtomicU64,
    /// Those that were taken.
    pub taken: AtomicU64,
}

impl BenchWatch {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn take(&self, samples: usize, least: Duration) {
        self.taken.fetch_add(milliseconds(samples, least), Ordering::Relaxed);
    }
}

/// Samples that it takes to find the amount of work of a case, about.
const CALIBRATION: usize = 2;

fn milliseconds(samples: usize, least: Duration) -> u64 {
    samples as u64 * least.as_millis() as u64
}

impl BenchEffort {
    /// Milliseconds that so many cases take at least.
    fn of(self, cases: usize) -> u64 {
        cases as u64 * milliseconds(CALIBRATION + self.repeats, self.sample)
    }
}

/// Work that can be timed: runs `amount` of it and says how many candidates were scored.
pub struct Case<'a> {
    /// Its row, not measured yet.
    pub row: BenchRow,
    /// Does this much work (pieces, or boards) and returns pieces placed and candidates scored.
    pub run: Box<dyn FnMut(u64) -> (u64, u64) + 'a>,
}

/// Times all cases in turn, `repeats` times, and fills in their rows. When it is stopped, those
/// without a sample are left out.
pub(crate) fn time_all(cases: Vec<Case>, effort: BenchEffort, watch: &BenchWatch) -> Vec<BenchRow> {
    let BenchEffort { sample: least, repeats } = effort;
    let go_on = |_: &()| !watch.is_stopped();
    let goes = || std::iter::repeat(()).take_while(go_on);
    let mut timed: Vec<(Case, u64, Vec<Sample>)> = cases
        .into_iter()
        .zip(goes())
        .map(|(mut case, ())| {
            let amount = calibrate(&mut case, least);
            watch.take(CALIBRATION, least);
            (case, amount, Vec::new())
        })
        .collect();
    for _ in 0..repeats {
        for ((case, amount, samples), ()) in timed.iter_mut().zip(goes()) {
            samples.push(sample(case, *amount));
            watch.take(1, least);
        }
    }
    let measured = timed.into_iter().filter(|(_, _, samples)| !samples.is_empty());
    measured.map(|(case, _, samples)| fill(case.row, samples)).collect()
}

#[derive(Clone, Copy)]
struct Sample {
    seconds: f64,
    pieces: f64,
    candidates: f64,
    ticks: Option<f64>,
}

fn sample(case: &mut Case, amount: u64) -> Sample {
    let ticks = crate::kernels::ticks();
    let clock = Instant::now();
    let (pieces, candidates) = (case.run)(amount);
    let seconds = clock.elapsed().as_secs_f64().max(1e-9);
    let ticks = ticks.zip(crate::kernels::ticks()).map(|(from, to)| to.wrapping_sub(from) as f64);
    Sample { seconds, pieces: pieces as f64, candidates: candidates as f64, ticks }
}

/// The amount of work that takes at least this long; it also warms the case up.
fn calibrate(case: &mut Case, least: Duration) -> u64 {
    let mut amount = 64;
    loop {
        let taken = sample(case, amount).seconds;
        if taken >= least.as_secs_f64() {
            return amount;
        }
        let factor = (1.2 * least.as_secs_f64() / taken).clamp(1.5, 16.0);
        amount = (amount as f64 * factor) as u64;
    }
}

fn fill(mut row: BenchRow, mut samples: Vec<Sample>) -> BenchRow {
    row.rounds = samples.iter().map(|sample| 1e9 * sample.seconds / sample.candidates).collect();
    samples.sort_by(|a, b| (a.candidates / a.seconds).total_cmp(&(b.candidates / b.seconds)));
    let middle = samples[samples.len() / 2];
    let rate = |sample: &Sample| sample.candidates / sample.seconds;
    row.candidates_per_s = rate(&middle);
    row.ns_per_candidate = 1e9 / row.candidates_per_s;
    row.pieces_per_s = (middle.pieces > 0.0).then(|| middle.pieces / middle.seconds);
    row.ticks_per_candidate = middle.ticks.map(|ticks| ticks / middle.candidates);
    let part = |sample: Option<&Sample>| sample.map_or(1.0, |s| rate(s) / row.candidates_per_s);
    row.spread = (part(samples.first()), part(samples.last()));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stopped in the second round: what has a sample is reported by it.
    #[test]
    fn a_stop_keeps_what_is_measured() {
        let watch = BenchWatch::default();
        let (calls, effort) =
            (std::cell::Cell::new(0), BenchEffort { sample: Duration::ZERO, repeats: 9 });
        let case = |name: &str| Case {
            row: BenchRow::new(Section::LEVELS, name.to_owned()),
            run: Box::new(|amount| {
                calls.set(calls.get() + 1);
                watch.stop.store(calls.get() == 3, Ordering::Relaxed);
                (amount, amount)
            }),
        };
        let rows = time_all(vec![case("a"), case("b")], effort, &watch);
        let names: Vec<&str> = rows.iter().map(|row| row.case.as_str()).collect();
        assert_eq!((names, calls.get()), (vec!["a"], 3), "two calibrations and a sample");
    }

    #[test]
    fn every_case_is_sampled_in_turn() {
        let calls = std::cell::RefCell::new(Vec::new());
        let case = |name: char| Case {
            row: BenchRow::new(Section::LEVELS, name.to_string()),
            run: {
                let calls = &calls;
                Box::new(move |amount| {
                    calls.borrow_mut().push(name);
                    std::thread::sleep(Duration::from_micros(amount));
                    (amount, 2 * amount)
                })
            },
        };
        let effort = BenchEffort { sample: Duration::from_micros(10), repeats: 3 };
        let rows = time_all(vec![case('a'), case('b')], effort, &BenchWatch::default());
        let order: String = calls.borrow().iter().collect();
        assert!(order.ends_with("ababab"), "{order}");
        for row in rows {
            let pieces = row.pieces_per_s.unwrap();
            assert!((row.candidates_per_s / pieces - 2.0).abs() < 1e-9);
            assert!(row.spread.0 <= 1.0 && row.spread.1 >= 1.0);
        }
    }
}
