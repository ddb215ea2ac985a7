//! Reports an estimate: its progress while it runs, and its result.

use std::sync::atomic::Ordering;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::cli::console::Console;
use crate::cli::console::progress::ProgressStatus;
use crate::estimate::{
    EstimateConfig, EstimateResults, EstimateWatch, Exposure, Extrapolation, Levels, Replication,
    extrapolation, level_rows,
};
use crate::record::{COMMIT, PROGRAM};
use crate::report::{Report, TableOf, Value};
use crate::sim::{Game, MAIN_MEASURE};
use crate::stats::{self, Mean};
use crate::text::numbers::or_na;
use crate::text::numbers::{counted, number, significant, thousands};

/// Returns the first line of a report, which describes the controller and its game.
fn heading<G: Game>(game: &G) -> String {
    let (about, plan) = (game.about(), game.plan());
    let (player, settings, threads) = (&about.player, about.heading.join(" · "), plan.threads);
    let simd = plan.level.map_or_else(|| "none".to_owned(), |level| level.to_string());
    format!("{player} · {settings} · {threads} thread(s) · simd {simd}")
}

/// Method that estimates the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// Direct play: lines per death, without splitting.
    Direct,
    /// Multilevel splitting.
    Splitting,
    /// Fahey's extrapolation of the histogram of heights.
    Histogram,
    /// All three methods.
    All,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Direct => "direct",
            Method::Splitting => "splitting",
            Method::Histogram => "histogram",
            Method::All => "all",
        }
    }

    /// Returns true if a report with this setting shows the result of the method `other`.
    pub(crate) fn shows(self, other: Method) -> bool {
        self == Method::All || self == other
    }
}

/// Effective number of deadly excursions below which the interval of splitting is unreliable. A
/// deadly excursion is a stretch of a game at level 1 or above in which the game or a copy died.
const FEW_EXCURSIONS: f64 = 20.0;
/// Number of deaths below which the result of direct play counts as unreliable.
const FEW_DEATHS: u64 = 20;

/// Calls `work` and reports the progress of the estimate on stderr.
pub(crate) fn with_estimate<T, G: Sync>(
    console: &Console,
    config: &EstimateConfig<G>,
    watch: &EstimateWatch,
    work: impl FnOnce() -> T,
) -> T {
    let show = || {
        let results = watch.results.lock().ok().and_then(|results| results.clone());
        let share = results.as_ref().and_then(|results| config.stop.share(results, config.splits));
        let placed = watch.pieces.load(Ordering::Relaxed);
        let said = match &results {
            Some(results) => describe(results),
            None => {
                let round = watch.round.load(Ordering::Relaxed);
                format!("placing levels: round {round} · {} pieces", thousands(placed))
            }
        };
        let text = match &*watch.label {
            "" => said,
            label => format!("{label} · {said}"),
        };
        ProgressStatus { share, text, counted: Some((placed, "pieces")), unknown: None }
    };
    console.with_progress(None, show, work)
}

fn describe(results: &EstimateResults) -> String {
    let mean = match (&results.splitting, results.exposure.mean.mean) {
        (Some(splitting), _) => {
            let mean = &splitting.ratio.mean;
            format!("{} lines +-{:.0} %", or_na(mean.mean.map(number)), 100.0 * mean.half_width())
        }
        (None, Some(mean)) => format!("{} lines", number(mean)),
        (None, None) => "no death yet".to_owned(),
    };
    let pieces = thousands(results.pieces);
    format!("{} replications · {pieces} pieces · {mean}", results.replications)
}

/// A finished estimate with the data of its printed report.
pub(crate) struct EstimateReport<'a, G> {
    config: &'a EstimateConfig<G>,
    method: Method,
    levels: &'a Levels,
    replications: &'a [Replication],
    results: EstimateResults,
    extrapolation: Option<Extrapolation>,
}

impl<'a, G: Game> EstimateReport<'a, G> {
    pub(crate) fn new(
        config: &'a EstimateConfig<G>,
        method: Method,
        levels: &'a Levels,
        replications: &'a [Replication],
    ) -> EstimateReport<'a, G> {
        let results = EstimateResults::of(replications, levels);
        let extrapolation = extrapolation(replications, config.run.heights()[0]);
        EstimateReport { config, method, levels, replications, results, extrapolation }
    }

    /// Returns the most reliable method with its mean and interval: splitting, or direct play if
    /// splitting is unreliable. Splitting needs enough deadly excursions ([`FEW_EXCURSIONS`]), and
    /// direct play enough deaths. Returns `None` if both have too few.
    fn most_reliable(&self) -> Option<(Method, &Mean)> {
        let splitting = self.results.splitting.as_ref();
        let splitting = splitting
            .filter(|splitting| {
                self.config.splits && splitting.effective_excursions >= FEW_EXCURSIONS
            })
            .map(|found| (Method::Splitting, &found.ratio.mean));
        let Exposure { mean, deaths, .. } = &self.results.exposure;
        splitting.or((*deaths >= FEW_DEATHS).then_some((Method::Direct, mean)))
    }

    /// Returns the mean lines by Fahey's extrapolation; `None` if too few heights were seen.
    fn extrapolated(&self) -> Option<f64> {
        self.extrapolation.map(|line| line.pieces * self.results.lines_per_piece)
    }

    /// Returns the reported methods that disagree with the most reliable method: direct play if the
    /// two intervals do not overlap, the histogram if its mean lies outside the interval.
    fn disagreeing(&self) -> Vec<Method> {
        let Some((believed, best)) = self.most_reliable() else { return Vec::new() };
        let mut found = Vec::new();
        let exposure = &self.results.exposure.mean;
        let below = |one: &Mean, other: &Mean| one.high.zip(other.low).is_some_and(|(a, b)| a < b);
        let apart = below(exposure, best) || below(best, exposure);
        if believed != Method::Direct && apart {
            found.push(Method::Direct);
        }
        if self.extrapolated().is_some_and(|lines| !best.contains(lines)) {
            found.push(Method::Histogram);
        }
        found.retain(|method| self.method.shows(*method));
        found
    }

    /// Returns a note if `method`, with its `mean`, disagrees with the most reliable method. `why`
    /// is the likely reason.
    fn note(&self, method: Method, mean: Option<f64>, why: &str) -> Option<String> {
        let (believed, best) = self.most_reliable()?;
        if !self.disagreeing().contains(&method) {
            return None;
        }
        let (name, than) = (method.name(), believed.name());
        let times = mean.filter(|mean| *mean > 0.0).zip(best.mean).map(|(mean, best)| best / mean);
        let times = times.map_or(String::new(), |times| match times >= 1.0 {
            true => format!("{} times less than {than}, ", number(times)),
            false => format!("{} times more than {than}, ", number(1.0 / times)),
        });
        Some(format!("{name}: {times}outside of its interval: {why}"))
    }

    /// Returns the estimate as one JSON object. The object contains no time and no path, so it is
    /// identical for any number of threads.
    pub(crate) fn json(&self) -> Json {
        let EstimateResults { replications, main_pieces, pieces, lines_per_piece, .. } =
            self.results;
        let extrapolated = self.extrapolation.map(|line| {
            json!({
                "mean": self.extrapolated(),
                "pieces": line.pieces,
                "first_height": line.first,
                "last_height": line.last,
                "slope": line.slope,
                "intercept": line.intercept,
            })
        });
        let shown =
            |method, value: Json| if self.method.shows(method) { value } else { Json::Null };
        json!({
            "program": PROGRAM,
            "commit": COMMIT,
            "plan": self.config.entry(),
            "method": self.method,
            "replications": replications,
            "main_pieces": main_pieces,
            "pieces": pieces,
            "lines_per_piece": lines_per_piece,
            "splitting": shown(Method::Splitting, json!(self.results.splitting)),
            "direct": shown(Method::Direct, json!(self.results.exposure)),
            "histogram": shown(Method::Histogram, json!(extrapolated)),
            "believe": self.most_reliable().map(|(method, ..)| method),
            "disagree": self.disagreeing(),
            "levels": level_rows(self.replications, self.levels),
        })
    }

    pub(crate) fn report(&self) -> Report {
        let EstimateResults { replications, main_pieces, pieces, exposure, .. } = &self.results;
        let mut report = Report::default();
        report.fields(self.json());
        report.text(heading(&self.config.run));
        if self.levels.count() > 0 {
            report.table(
                TableOf::new("", &level_rows(self.replications, self.levels))
                    .with("level", |row| row.level)
                    .with(self.config.importance.to_string(), |row| row.threshold)
                    .with("factor", |row| row.factor)
                    .with("rises", |row| row.rises)
                    .with("per piece", |row| {
                        Value::real(row.rises_per_piece, |rises| format!("{rises:.4e}"))
                    })
                    .with("onward", |row| Value::real(row.onward, significant))
                    .with("pieces", |row| row.pieces)
                    .with("deaths", |row| row.deaths),
            );
        }
        let [pieces_text, main] = [*pieces, *main_pieces].map(thousands);
        report.shown(
            "played",
            format!(
                "{replications} replications: {pieces_text} pieces, {main} of them on main paths"
            ),
        );
        let rows = self.rows();
        report.table(
            TableOf::new("", &rows)
                .title("mean lines per game")
                .with("estimate", |row| row.0)
                .mean(|row| row.1.as_ref(), |_, mean| number(mean))
                .with("+-", |row| Value::share(row.1.as_ref().map(Mean::half_width), 1))
                .with("from", |row| &row.2),
        );
        let splitting = self.results.splitting.as_ref();
        if let Some(found) = splitting.filter(|_| self.method.shows(Method::Splitting)) {
            report.text(format!(
                "playing without splitting would need {} pieces for this interval, {} times as \
                    many",
                number(found.direct_pieces),
                number(found.direct_pieces / *pieces as f64)
            ));
            if found.effective_excursions < FEW_EXCURSIONS {
                report.note(format!(
                    "fewer than {FEW_EXCURSIONS} is too few to trust the interval: give a \
                        larger --budget"
                ));
            }
        }
        let direct = exposure.mean.mean;
        let why = "give a larger --budget before you trust either";
        let notes = [self.note(Method::Direct, direct, why), self.histogram_note()];
        notes.into_iter().flatten().for_each(|note| report.note(note));
        report
    }

    /// Returns the rows of the table of means: the name of a method or unit, the mean, and what it
    /// comes from.
    fn rows(&self) -> Vec<(&'static str, Option<Mean>, String)> {
        let EstimateResults { splitting, exposure, lines_per_piece, replications, .. } =
            &self.results;
        let mut rows = Vec::new();
        if self.method.shows(Method::Splitting) {
            let from = match splitting {
                None => "no path died: give a larger --budget or --pilot-pieces, or another \
                    --importance"
                    .to_owned(),
                Some(found) => format!(
                    "{} excursions ended games, an effective number of {:.0}",
                    thousands(found.deadly_excursions),
                    found.effective_excursions
                ),
            };
            let mean = splitting.as_ref().map(|found| found.ratio.mean.clone());
            rows.push(("splitting", mean, from));
        }
        if self.method.shows(Method::Direct) {
            let deaths = match exposure.deaths {
                0 => "no death".to_owned(),
                deaths => counted(deaths, "death"),
            };
            let from = format!(
                "{deaths} in {} lines of main paths, assuming a constant risk per line",
                thousands(exposure.lines)
            );
            rows.push(("direct", Some(exposure.mean.clone()), from));
        }
        if self.method.shows(Method::Histogram) {
            let from = match self.extrapolation {
                None => "too few heights were seen to fit a line".to_owned(),
                Some(line) => format!(
                    "Fahey's line through heights {} to {}, a heuristic",
                    line.first, line.last
                ),
            };
            let mean = self.extrapolated();
            let n = *replications as u64;
            let mean = mean.map(|mean| Mean::new(Some(mean), None, stats::Method::LogT, n));
            rows.push(("histogram", mean, from));
        }
        // Games that are compared by lines are measured in lines only.
        let in_pieces = self.config.run.about().measure != MAIN_MEASURE;
        if let Some((method, mean)) = self.most_reliable().filter(|_| in_pieces) {
            let from = format!("{}, at {lines_per_piece:.4} lines per piece", method.name());
            rows.push(("in pieces", Some(mean.clone().map(|it| it / lines_per_piece)), from));
        }
        rows
    }

    /// Returns a note if the histogram can't be trusted.
    fn histogram_note(&self) -> Option<String> {
        let mean = self.extrapolated().filter(|_| self.method.shows(Method::Histogram))?;
        let Some((believed, _)) = self.most_reliable() else {
            return Some(
                "histogram: this run does not check it, and it can be wrong by a factor of \
                    100: give a larger --budget, and --method all"
                    .to_owned(),
            );
        };
        let why = format!("the heights are not on a straight line; trust {}", believed.name());
        self.note(Method::Histogram, Some(mean), &why)
    }
}
