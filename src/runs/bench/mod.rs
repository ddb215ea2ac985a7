//! Measures the speed of the engine in processor time of the thread, and checksums its behaviour.
//!
//! All cases run in turn, and this is repeated. Rates are medians, so a noisy machine disturbs all
//! cases alike and ratios stay valid. Only the section `threads` measures elapsed time.
//!
//! Frozen: the checksums, which must be equal at all instruction levels and change only with the
//! behaviour of placements.

mod cases;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use sha2::{Digest, Sha256};

use crate::prelude::*;
use crate::search::Player;

pub use cases::{FeatureCost, Section, guideline_checksum, measure, measure_controller};

/// Result of one benchmark case; rates are medians over repeated measurements.
#[derive(Clone, Debug, Serialize)]
pub struct BenchRow {
    /// Name of the benchmark's [`Section`] that contains the case.
    pub section: &'static str,
    /// Name of the benchmark case: a controller, a feature, or the player of a game without pieces.
    pub case: String,
    /// SIMD instruction level at which the benchmark case ran.
    pub level: String,
    /// Name of the look-ahead (search) by which the controller of the benchmark case plays.
    pub search: String,
    /// Number of worker threads in the benchmark case.
    pub threads: usize,
    /// Number of pieces placed per second in whole games; `None` if the case plays no games.
    pub pieces_per_s: Option<f64>,
    /// Number of placements scored per second, including those of a look-ahead.
    pub candidates_per_s: f64,
    /// Time per scored placement (candidate), in nanoseconds.
    pub ns_per_candidate: f64,
    /// Nanoseconds to score a placement by the feature, minus those by the feature `constant`.
    pub ns_above_constant: Option<f64>,
    /// Time that a feature adds per scored placement of the controller bcts, in nanoseconds.
    pub ns_added_to_bcts: Option<f64>,
    /// Speed in scored placements, divided by the speed at level `scalar` or with one thread.
    pub ratio: Option<f64>,
    /// Speeds of the slowest and the fastest repeat of the measurement, divided by the median.
    pub spread: (f64, f64),
    /// Number of rounds played per second, for a game without pieces; `None` for other games.
    pub rounds_per_s: Option<f64>,
    /// Quartiles of the time that a feature adds per scored placement, over the repeats.
    pub ns_added_quartiles: Option<(f64, f64)>,
    /// Time of a decision by bcts plus the feature, divided by the time of a decision by bcts.
    pub decision_ratio: Option<f64>,
    /// Nanoseconds per scored placement in each repeat of the measurement.
    #[serde(skip)]
    pub rounds: Vec<f64>,
}

const NOISE_THRESHOLD: f64 = 0.2;

impl BenchRow {
    /// Returns true if a repeated measurement differs from the median speed by more than 20 %.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.spread.0 < 1.0 - NOISE_THRESHOLD || self.spread.1 > 1.0 + NOISE_THRESHOLD
    }
}

/// Effort of a benchmark: duration and number of the measurements of each case.
#[derive(Clone, Copy, Debug)]
pub struct BenchEffort {
    /// Minimum processor time of one speed measurement (sample).
    pub sample: Duration,
    /// Number of speed measurements (samples) of each benchmark case.
    pub repeats: usize,
}

/// Progress of a benchmark, and the flag that stops it.
#[derive(Debug, Default)]
pub struct BenchWatch {
    /// Flag that stops the benchmark; cases with at least one sample are still reported.
    pub stop: Arc<AtomicBool>,
    /// Planned time of all measurements of the benchmark, in milliseconds.
    pub all: AtomicU64,
    /// Planned time of the measurements made so far, in milliseconds.
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

const CALIBRATION_SAMPLES: usize = 2;

fn milliseconds(samples: usize, least: Duration) -> u64 {
    samples as u64 * least.as_millis() as u64
}

impl BenchEffort {
    fn total_ms(self, cases: usize) -> u64 {
        cases as u64 * milliseconds(CALIBRATION_SAMPLES + self.repeats, self.sample)
    }
}

/// Benchmark case: a piece of work whose speed is measured, with its result.
pub struct BenchCase<'a> {
    /// Result of the benchmark case, whose speeds the measurement fills in.
    pub row: BenchRow,
    /// Function to be timed: plays or scores a given number of pieces. Returns the numbers of
    /// pieces played (0 if it only scores) and placements scored.
    pub run: Box<dyn FnMut(u64) -> (u64, u64) + 'a>,
}

pub(crate) fn time_all_cases(
    cases: Vec<BenchCase>,
    effort: BenchEffort,
    watch: &BenchWatch,
) -> Vec<BenchRow> {
    let BenchEffort { sample: least, repeats } = effort;
    let go_on = |_: &()| !watch.is_stopped();
    let goes = || std::iter::repeat(()).take_while(go_on);
    let mut timed: Vec<(BenchCase, u64, Vec<Sample>)> = cases
        .into_iter()
        .zip(goes())
        .map(|(mut case, ())| {
            let amount = calibrate(&mut case, least);
            watch.take(CALIBRATION_SAMPLES, least);
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
    measured.map(|(case, _, samples)| fill_in_rates(case.row, samples)).collect()
}

#[derive(Clone, Copy)]
struct Sample {
    seconds: f64,
    pieces: f64,
    candidates: f64,
}

fn elapsed_time() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

/// Returns the processor time of the current thread, or elapsed time where it is unknown.
fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap_or_default()
    }
    #[cfg(not(unix))]
    elapsed_time()
}

fn sample(case: &mut BenchCase, amount: u64) -> Sample {
    let is_threaded = case.row.section == Section::THREADS.name;
    let now = if is_threaded { elapsed_time } else { thread_time };
    let began = now();
    let (pieces, candidates) = (case.run)(amount);
    let seconds = (now() - began).as_secs_f64().max(1e-9);
    Sample { seconds, pieces: pieces as f64, candidates: candidates as f64 }
}

/// Returns a number of pieces with which `case` runs for at least the time `least`.
fn calibrate(case: &mut BenchCase, least: Duration) -> u64 {
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

fn fill_in_rates(mut row: BenchRow, mut samples: Vec<Sample>) -> BenchRow {
    row.rounds = samples.iter().map(|sample| 1e9 * sample.seconds / sample.candidates).collect();
    samples.sort_by(|a, b| (a.candidates / a.seconds).total_cmp(&(b.candidates / b.seconds)));
    let middle = samples[samples.len() / 2];
    let rate = |sample: &Sample| sample.candidates / sample.seconds;
    row.candidates_per_s = rate(&middle);
    row.ns_per_candidate = 1e9 / row.candidates_per_s;
    row.pieces_per_s = (middle.pieces > 0.0).then(|| middle.pieces / middle.seconds);
    let part = |sample: Option<&Sample>| sample.map_or(1.0, |s| rate(s) / row.candidates_per_s);
    row.spread = (part(samples.first()), part(samples.last()));
    row
}

const GAMES: [(&str, &str, Rules, Search, u64); 12] = [
    ("bcts", "10x20", Rules::simplified(), Search::Greedy, 3000),
    ("dellacherie", "10x10", Rules::simplified(), Search::Greedy, 3000),
    ("dt20", "10x10", Rules::simplified(), Search::Greedy, 3000),
    ("lee", "10x20", Rules::simplified(), Search::Greedy, 3000),
    ("bdu", "10x20", Rules::simplified(), Search::Greedy, 1000),
    ("guide-thiery", "10x20", Rules::simplified(), Search::Greedy, 1000),
    ("unity", "7x12", Rules::simplified(), Search::Greedy, 1000),
    ("notebook-8", "12x20", Rules::simplified(), Search::Greedy, 1000),
    ("bcts", "16x28", Rules::simplified(), Search::Greedy, 1000),
    ("bcts", "10x12", Rules::standard(), Search::Greedy, 1000),
    ("bcts", "10x10", Rules::simplified(), Search::Next, 300),
    ("bcts", "10x10", Rules::simplified(), Search::Expect, 60),
];

/// Returns a checksum of the boards in fixed classic games, to detect changed play.
pub fn checksum(level: Level) -> Result<String> {
    let mut hash = Sha256::new();
    for (name, size, rules, search, pieces) in GAMES {
        let size = size.parse()?;
        let mut player = Player::new(&Controller::load(name)?, rules, search, size, level)?;
        let mut queue = Queue::new(QueueKind::Uniform, 20, 26);
        let mut board = Board::empty(size);
        for _ in 0..pieces {
            let piece = queue.deal()?;
            let next = queue.peek(0);
            let step = player.step(&mut board, piece, next);
            board.rows().iter().for_each(|row| hash.update(row.to_le_bytes()));
            if step.is_none_or(|step| step.lost) {
                board = Board::empty(size);
            }
        }
    }
    Ok(first_hex_digits(hash))
}

pub(super) fn first_hex_digits(hash: Sha256) -> String {
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_keeps_what_is_measured() {
        let watch = BenchWatch::default();
        let (calls, effort) =
            (std::cell::Cell::new(0), BenchEffort { sample: Duration::ZERO, repeats: 9 });
        let case = |name: &str| BenchCase {
            row: BenchRow::new(Section::LEVELS, name.to_owned()),
            run: Box::new(|amount| {
                calls.set(calls.get() + 1);
                watch.stop.store(calls.get() == 3, Ordering::Relaxed);
                (amount, amount)
            }),
        };
        let rows = time_all_cases(vec![case("a"), case("b")], effort, &watch);
        let names: Vec<&str> = rows.iter().map(|row| row.case.as_str()).collect();
        assert_eq!((names, calls.get()), (vec!["a"], 3), "two calibrations and a sample");
    }

    #[test]
    fn every_case_is_sampled_in_turn() {
        let calls = std::cell::RefCell::new(Vec::new());
        let case = |name: char| BenchCase {
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
        let rows = time_all_cases(vec![case('a'), case('b')], effort, &BenchWatch::default());
        let order: String = calls.borrow().iter().collect();
        assert!(order.ends_with("ababab"), "{order}");
        for row in rows {
            let pieces = row.pieces_per_s.unwrap();
            assert!((row.candidates_per_s / pieces - 2.0).abs() < 1e-9);
            assert!(row.spread.0 <= 1.0 && row.spread.1 >= 1.0);
        }
    }
}
