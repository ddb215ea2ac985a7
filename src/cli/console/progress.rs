//! Progress of long work on stderr: a bar on a terminal, otherwise lines at intervals.
//!
//! After some seconds, a line warns if the work will take long or fill a disk.

use std::ffi::OsString;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use indicatif::{DecimalBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::console::locked;
use crate::cli::prelude::*;
use crate::engine::About;
use crate::text::numbers::thousands;
use crate::threads::catch_panic;

/// Interval between two checks of the progress of running work.
pub(crate) const REFRESH: Duration = Duration::from_millis(100);
const DEFAULT_INTERVAL: ProgressInterval = ProgressInterval(Some(Duration::from_secs(30)));
const FORECAST_AFTER: f64 = 5.0;
const LONG_SECONDS: f64 = 600.0;
const LARGE_BYTES: f64 = 1e9;
const BAR_STEPS: u64 = 1000;

/// Interval between two lines of progress; `None` disables progress, also on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgressInterval(Option<Duration>);

impl FromStr for ProgressInterval {
    type Err = Error;

    fn from_str(text: &str) -> Result<ProgressInterval, Error> {
        if text == "none" {
            return Ok(ProgressInterval(None));
        }
        let seconds = text.parse().ok().filter(|seconds| (0.01..=1e6).contains(seconds));
        let seconds = seconds.ok_or_else(|| {
            Error::Config("write seconds between two lines, for example 30, or none".to_owned())
        });
        Ok(ProgressInterval(Some(Duration::from_secs_f64(seconds?))))
    }
}

const PROGRESS_VARIABLE: &str = "TETRASTAT_PROGRESS";

impl ProgressInterval {
    /// Returns the interval of progress lines: `given`, else the environment variable's, else 30 s.
    pub(super) fn resolve(given: Option<ProgressInterval>) -> Result<Option<Duration>, Error> {
        let named = |by: OsString| {
            let every = by.to_string_lossy().parse::<ProgressInterval>();
            every.map_err(|error| Error::Config(format!("{PROGRESS_VARIABLE}: {error}")))
        };
        let named = || std::env::var_os(PROGRESS_VARIABLE).map(named).transpose();
        let ProgressInterval(every) =
            given.map_or_else(named, |given| Ok(Some(given)))?.unwrap_or(DEFAULT_INTERVAL);
        Ok(every)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProgressStatus {
    pub(crate) share: Option<f64>,
    pub(crate) text: String,
    pub(crate) counted: Option<(u64, &'static str)>,
    pub(crate) unknown: Option<&'static str>,
}

impl Console {
    /// Calls `work`, and meanwhile reports the progress from `show` and the size of `folder`.
    pub(crate) fn with_progress<T>(
        &self,
        folder: Option<&Path>,
        show: impl Fn() -> ProgressStatus + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        match (&self.host, self.every) {
            (Some(host), _) => with_watcher(|work| host.follow(work, &show), work),
            (None, Some(every)) => {
                let follow =
                    |work: &_| ProgressReporter::new(self, every, folder).follow(work, &show);
                with_watcher(follow, work)
            }
            (None, None) => work(),
        }
    }

    /// Calls `work` and reports the progress as a count, such as `games 3/10`.
    pub(crate) fn with_count<T>(
        &self,
        what: &'static str,
        of: u64,
        done: &AtomicU64,
        work: impl FnOnce() -> T,
    ) -> T {
        self.with_progress(None, || count_status(what, of, done), work)
    }

    pub(crate) fn while_playing<T>(&self, work: impl FnOnce(&dyn Fn(u64)) -> T) -> T {
        let placed = AtomicU64::new(0);
        let show = || {
            let placed = placed.load(Ordering::Relaxed);
            ProgressStatus {
                text: format!("playing: placement {} (Ctrl-C ends)", thousands(placed)),
                counted: Some((placed, "pieces")),
                ..ProgressStatus::default()
            }
        };
        self.with_progress(None, show, || work(&|made| placed.store(made, Ordering::Relaxed)))
    }
}

/// Calls `work` while another thread runs `watch`, whose receiver disconnects when `work` ends.
pub(crate) fn with_watcher<T>(
    watch: impl FnOnce(&Receiver<()>) + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (sender, receiver) = channel::<()>();
    thread::scope(|scope| {
        // A watcher that fails must not make the work fail.
        let watch = move || _ = catch_panic(|| watch(&receiver));
        // If no thread can be started, the work runs without a watcher.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, watch);
        let result = work();
        // The disconnect signals the other thread that the work is done; the scope waits for it.
        drop(sender);
        result
    })
}

pub(crate) fn count_status(what: &'static str, of: u64, done: &AtomicU64) -> ProgressStatus {
    let done = done.load(Ordering::Relaxed).min(of);
    ProgressStatus {
        share: Some(done as f64 / of.max(1) as f64),
        text: format!("{what} {}/{}", thousands(done), thousands(of)),
        counted: Some((done, what)),
        unknown: None,
    }
}

/// Returns the progress of a run of games, from the limits in `about` and the counters in `totals`.
///
/// Without limits, only ended games count.
pub(crate) fn run_status(about: &About, totals: &Totals) -> ProgressStatus {
    let About { units: (all, unit), limits: [most_pieces, most_lines, _], .. } = *about;
    let counted = count_status(unit, all, &totals.played);
    let count = |total: &AtomicU64| total.load(Ordering::Relaxed);
    let (games, pieces, lines) =
        (count(&totals.played), count(&totals.pieces), count(&totals.lines));
    if unit != GAMES_UNIT {
        return counted;
    }
    let of_limit = |limit: Option<u64>, done: u64| {
        limit.map_or(0.0, |limit| done as f64 / (limit as f64 * all.max(1) as f64))
    };
    // The maximum is used, because the limit that is reached first ends a game.
    let reached = of_limit(most_pieces, pieces).max(of_limit(most_lines, lines));
    let endless = about.limits == [None; 3] && games == 0;
    ProgressStatus {
        share: counted.share.filter(|_| !endless).map(|share| share.max(reached).min(1.0)),
        text: format!("{} · {} lines", counted.text, thousands(lines)),
        counted: Some((pieces, "pieces")),
        unknown: endless.then_some("games have no cut-off, and none has ended"),
    }
}

const GAMES_UNIT: &str = "games";

#[derive(Clone, Copy, Debug, Default)]
struct ProgressPoint {
    at: f64,
    share: f64,
    count: u64,
}

/// Speed of long work, measured over the later half of the time elapsed so far.
#[derive(Debug, Default)]
struct WorkRate {
    /// Measurements of progress in time order, each at least 5 % later than the one before.
    points: Vec<ProgressPoint>,
    now: ProgressPoint,
}

impl WorkRate {
    fn record(&mut self, at: f64, status: &ProgressStatus) {
        let (share, count) = (status.share.unwrap_or(0.0), status.counted.map_or(0, |c| c.0));
        self.now = ProgressPoint { at, share, count };
        if self.points.last().is_none_or(|last| at > 1.05 * last.at) {
            self.points.push(self.now);
        }
    }

    fn remaining(&self) -> Option<f64> {
        let ProgressPoint { at, share, .. } = self.now;
        let from = |point: &ProgressPoint| {
            let rate = (share - point.share) / (at - point.at);
            (rate > 0.0 && rate.is_finite()).then(|| (1.0 - share) / rate)
        };
        let recent = self.recent().and_then(from);
        recent.or_else(|| self.points.first().and_then(from)).filter(|_| share < 1.0)
    }

    fn per_second(&self) -> f64 {
        let since = self.recent().copied().unwrap_or_default();
        let counted = self.now.count.saturating_sub(since.count) as f64;
        counted / (self.now.at - since.at).max(1e-3)
    }

    /// Returns the last measurement of progress in the first half of the elapsed time.
    fn recent(&self) -> Option<&ProgressPoint> {
        self.points.iter().rev().find(|point| point.at <= self.now.at / 2.0)
    }
}

fn time(seconds: f64) -> HumanDuration {
    // The duration is bounded, because too many seconds cause a panic.
    HumanDuration(Duration::from_secs_f64(seconds.clamp(1.0, 1e12)))
}

fn rate(per_second: f64) -> String {
    match per_second {
        few if few < 10.0 => format!("{few:.1}"),
        many => thousands(many as u64),
    }
}

fn describe(status: &ProgressStatus, work_rate: &WorkRate) -> String {
    let mut parts = Vec::new();
    match status.share {
        Some(share) if share >= 1.0 => parts.push("finishing".to_owned()),
        Some(share) if share > 0.0 => {
            let left = work_rate
                .remaining()
                .map_or("unknown".to_owned(), |left| format!("{:#}", time(left)));
            // The percentage is rounded down, so that 100 % means finished.
            parts.push(format!("{}% · ETA {left}", (100.0 * share) as u64));
        }
        // "0 %" would suggest that no work was done.
        _ => parts.push("ETA unknown".to_owned()),
    }
    parts.push(status.text.clone());
    if let Some((_, things)) = status.counted {
        parts.push(format!("{} {things}/s", rate(work_rate.per_second())));
    }
    parts.join(" · ")
}

/// Returns a warning if the work will write over 1 GB (`bytes` so far), or will take over 10
/// minutes or an unknown time.
fn long_work_warning(status: &ProgressStatus, work_rate: &WorkRate, bytes: u64) -> Option<String> {
    let elapsed = work_rate.now.at.max(1e-3);
    let per_second = bytes as f64 / elapsed;
    let Some(left) = work_rate.remaining() else {
        let why = status.unknown?;
        let speed =
            status.counted.map(|(_, of)| format!("{} {of}/s", rate(work_rate.per_second())));
        let written = (bytes > 0).then(|| format!("{}/s written", DecimalBytes(per_second as u64)));
        let speed: Vec<String> = speed.into_iter().chain(written).collect();
        return Some(format!("the duration is unknown: {why}; {}", speed.join(", ")));
    };
    let (seconds, bytes) = (elapsed + left, per_second * (elapsed + left));
    let long = (seconds > LONG_SECONDS).then(|| format!("takes about {}", time(seconds)));
    let large =
        (bytes > LARGE_BYTES).then(|| format!("writes about {}", DecimalBytes(bytes as u64)));
    let both: Vec<String> = long.into_iter().chain(large).collect();
    (!both.is_empty())
        .then(|| format!("this {} (estimated from its first seconds)", both.join(" and ")))
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_in(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.filter_map(Result::ok).map(size).sum()
}

struct ProgressReporter<'a> {
    console: &'a Console,
    began: Instant,
    every: Duration,
    /// Elapsed time at which the next line of progress is due.
    due: Duration,
    folder: Option<&'a Path>,
    before: u64,
    bar: ProgressBar,
    work_rate: WorkRate,
}

impl<'a> ProgressReporter<'a> {
    fn new(
        console: &'a Console,
        every: Duration,
        folder: Option<&'a Path>,
    ) -> ProgressReporter<'a> {
        let bar = ProgressBar::with_draw_target(Some(BAR_STEPS), ProgressDrawTarget::stderr());
        // A resumed run has already written files; only new bytes predict the output size.
        let before = folder.map_or(0, bytes_in);
        let (began, work_rate) = (Instant::now(), WorkRate::default());
        ProgressReporter { console, began, every, due: every, folder, before, bar, work_rate }
    }

    fn follow(mut self, work: &Receiver<()>, show: &dyn Fn() -> ProgressStatus) {
        let is_seen = !self.bar.is_hidden();
        if is_seen {
            *locked(&self.console.bar) = Some(self.bar.clone());
        }
        // The interval of lines may be shorter than that of the bar.
        let tick = REFRESH.min(self.every);
        while work.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
            let status = show();
            let elapsed = self.began.elapsed();
            self.work_rate.record(elapsed.as_secs_f64(), &status);
            self.announce(&status);
            if is_seen {
                self.draw(&status);
            } else if elapsed >= self.due {
                self.due = elapsed + self.every;
                let text = describe(&status, &self.work_rate);
                self.console.eprint_line(&format!("[{:#}] {text}", time(elapsed.as_secs_f64())));
            }
        }
        *locked(&self.console.bar) = None;
        self.bar.finish_and_clear();
    }

    fn announce(&self, status: &ProgressStatus) {
        if self.work_rate.now.at < FORECAST_AFTER
            || self.console.has_forecast.load(Ordering::Relaxed)
        {
            return;
        }
        // Pilot phases predict nothing about the whole work.
        if self.work_rate.remaining().is_none() && status.unknown.is_none() {
            return;
        }
        self.console.has_forecast.store(true, Ordering::Relaxed);
        let written = self.folder.map_or(0, bytes_in).saturating_sub(self.before);
        if let Some(text) = long_work_warning(status, &self.work_rate, written) {
            self.console.eprint_line(&text);
        }
    }

    fn draw(&self, status: &ProgressStatus) {
        let template = match status.share {
            Some(_) => "{bar:20} {wide_msg}",
            None => "{spinner} {elapsed} {wide_msg}",
        };
        let style = ProgressStyle::with_template(template);
        self.bar.set_style(style.unwrap_or(ProgressStyle::default_bar()));
        self.bar.set_message(describe(status, &self.work_rate));
        self.bar.set_position((BAR_STEPS as f64 * status.share.unwrap_or(0.0)) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(share: Option<f64>, count: u64) -> ProgressStatus {
        let counted = Some((count, "pieces"));
        ProgressStatus { share, text: "games 1/4".to_owned(), counted, unknown: None }
    }

    fn work_rate(seen: &[(f64, Option<f64>, u64)]) -> WorkRate {
        let mut work_rate = WorkRate::default();
        for &(at, share, count) in seen {
            work_rate.record(at, &status(share, count));
        }
        work_rate
    }

    #[test]
    fn what_is_unknown_is_not_told_as_nothing() {
        let begun = work_rate(&[(1.0, Some(0.0), 0), (4.0, Some(0.0), 4000)]);
        let text = describe(&status(Some(0.0), 4000), &begun);
        assert_eq!(text, "ETA unknown · games 1/4 · 1,333 pieces/s");
        let text = describe(&status(None, 4000), &begun);
        assert_eq!(text, "ETA unknown · games 1/4 · 1,333 pieces/s");
        let done = work_rate(&[(1.0, Some(0.5), 0), (4.0, Some(1.0), 30)]);
        let text = describe(&status(Some(1.0), 30), &done);
        assert_eq!(text, "finishing · games 1/4 · 10 pieces/s");
        let nearly = work_rate(&[(1.0, Some(0.0), 0), (1000.0, Some(0.9999), 999)]);
        let text = describe(&status(Some(0.9999), 999), &nearly);
        assert_eq!(text, "99% · ETA 1s · games 1/4 · 1.0 pieces/s");
    }

    /// Checks that the remaining time of a resumed run is predicted only from work after resuming.
    #[test]
    fn what_is_left_goes_as_the_later_half_went() {
        let resumed = work_rate(&[(1.0, Some(0.5), 0), (10.0, Some(0.6), 0), (21.0, Some(0.7), 0)]);
        assert!((resumed.remaining().unwrap() - 0.3 * 11.0 / 0.1).abs() < 1e-9);
        let stalled = work_rate(&[(1.0, Some(0.5), 0), (10.0, Some(0.6), 0), (21.0, Some(0.6), 0)]);
        assert!((stalled.remaining().unwrap() - 0.4 * 20.0 / 0.1).abs() < 1e-9);
        assert_eq!(
            work_rate(&[(1.0, Some(0.6), 0), (9.0, Some(0.5), 0)]).remaining(),
            None,
            "it grew"
        );
    }

    #[test]
    fn long_and_large_work_is_foreseen() {
        let told = |share: f64, bytes: u64| {
            let work_rate = work_rate(&[(0.1, Some(0.0), 0), (5.1, Some(share), 1000)]);
            long_work_warning(&status(Some(share), 1000), &work_rate, bytes)
        };
        assert_eq!(told(0.5, 400_000_000), None);
        assert_eq!(told(0.01, 1_000_000), None, "500 s, 100 MB");
        let long = told(0.001, 100_000).unwrap();
        assert_eq!(long, "this takes about 83 minutes (estimated from its first seconds)");
        let large = told(0.1, 200_000_000).unwrap();
        assert!(large.starts_with("this writes about 1.9") && large.contains("GB ("), "{large}");
        let both = told(0.001, 200_000_000).unwrap();
        assert!(both.contains("83 minutes and writes about 196"), "{both}");
    }

    #[test]
    fn games_without_end_are_said_to_be() {
        let work_rate = work_rate(&[(0.1, Some(0.0), 0), (5.1, Some(0.0), 5000)]);
        let why = "games have no cut-off, and none has ended";
        let endless = ProgressStatus { unknown: Some(why), ..status(Some(0.0), 5000) };
        let expected = format!("the duration is unknown: {why}; 1,000 pieces/s");
        assert_eq!(long_work_warning(&endless, &work_rate, 0), Some(expected));
        let written = long_work_warning(&endless, &work_rate, 10_200_000).unwrap();
        assert!(written.ends_with("1,000 pieces/s, 2.00 MB/s written"), "{written}");
        assert_eq!(long_work_warning(&status(None, 5000), &work_rate, 0), None);
    }

    #[test]
    fn the_option_takes_seconds_or_none() {
        assert_eq!("none".parse::<ProgressInterval>().unwrap(), ProgressInterval(None));
        assert_eq!(
            "0.5".parse::<ProgressInterval>().unwrap(),
            ProgressInterval(Some(Duration::from_millis(500)))
        );
        for wrong in ["0", "-1", "NaN", "inf", "", "soon", "1e9"] {
            assert!(wrong.parse::<ProgressInterval>().is_err(), "{wrong}");
        }
    }
}
