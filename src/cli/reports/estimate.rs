//! Reports an estimate: its progress while it runs, and its result.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::playable::classic_heading;
use crate::estimate::{
    EstimateConfig, EstimateResults, EstimateWatch, Exposure, Extrapolation, Levels, Replication,
    Splittable, Splitting, extrapolation, level_rows,
};
use crate::record::{COMMIT, PROGRAM};
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;
use crate::stats::Mean;
use crate::text::numbers::{number, significant, thousands};
use crate::text::table::{ReportTable, or_na};

/// Configuration of a game whose estimates can be printed.
pub(crate) trait EstimateHeading: Splittable {
    /// True if the mean is also printed in pieces.
    const IN_PIECES: bool;

    /// Returns the first line of a report, which describes the controller and its game.
    fn heading(&self) -> String;
}

impl EstimateHeading for ClassicConfig {
    const IN_PIECES: bool = false;

    fn heading(&self) -> String {
        let ClassicConfig { controller, threads, level, .. } = self;
        let (name, settings) = (&controller.name, classic_heading(self).join(" · "));
        format!("{name} · {settings} · {threads} thread(s) · simd {level}")
    }
}

impl EstimateHeading for GuidelineConfig {
    const IN_PIECES: bool = true;

    fn heading(&self) -> String {
        let GuidelineConfig { controller, rules, mode, seed, threads, level, .. } = self;
        format!(
            "{} · {rules} {} · search {} · seed {seed} · {threads} thread(s) · simd {level}",
            controller.name,
            mode.name(),
            self.search()
        )
    }
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

impl<'a, G: EstimateHeading> EstimateReport<'a, G> {
    pub(crate) fn new(
        config: &'a EstimateConfig<G>,
        method: Method,
        levels: &'a Levels,
        replications: &'a [Replication],
    ) -> EstimateReport<'a, G> {
        let results = EstimateResults::of(replications, levels);
        let extrapolation = extrapolation(replications, config.run.rows());
        EstimateReport { config, method, levels, replications, results, extrapolation }
    }

    pub(crate) fn print(&self, console: &Console, format: Format) -> anyhow::Result<()> {
        format.print(console, || self.text(), self.json())
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

    /// Returns a note if `method`, with its `mean`, disagrees with the most reliable method;
    /// otherwise an empty text. `why` is the likely reason.
    fn note(&self, method: Method, mean: Option<f64>, why: &str) -> String {
        let Some((believed, best)) = self.most_reliable() else { return String::new() };
        if !self.disagreeing().contains(&method) {
            return String::new();
        }
        let name = if believed == Method::Direct { "direct" } else { "splitting" };
        let times =
            mean.filter(|mean| *mean > 0.0).zip(best.mean).map(|(mean, best)| match best / mean {
                times if times >= 1.0 => format!("{} times less than {name}, ", number(times)),
                times => format!("{} times more than {name}, ", number(1.0 / times)),
            });
        let times = times.unwrap_or_default();
        format!("             note: {times}outside of its interval: {why}\n")
    }

    /// Returns the estimate as one JSON object. The object contains no time and no path, so it is
    /// identical for any number of threads.
    pub(crate) fn json(&self) -> Value {
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
            |method, value: Value| if self.method.shows(method) { value } else { Value::Null };
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

    fn text(&self) -> String {
        let mut text = self.config.run.heading() + "\n";
        if self.levels.count() > 0 {
            text.push_str(&self.level_table());
        }
        let EstimateResults { replications, main_pieces, pieces, .. } = self.results;
        let _ = writeln!(
            text,
            "\nplayed       {replications} replications: {} pieces, {} of them on main paths",
            thousands(pieces),
            thousands(main_pieces)
        );
        text += "mean lines per game, 95 % interval\n";
        if self.method.shows(Method::Splitting) {
            text += &self.splitting_text();
        }
        if self.method.shows(Method::Direct) {
            text += &exposure_text(&self.results.exposure);
            let why = "give a larger --budget before you trust either";
            text += &self.note(Method::Direct, self.results.exposure.mean.mean, why);
        }
        if self.method.shows(Method::Histogram) {
            text += &self.histogram_text();
        }
        if G::IN_PIECES {
            text += &self.pieces_text();
        }
        text
    }

    /// Formats the most reliable mean in pieces per game instead of lines.
    fn pieces_text(&self) -> String {
        let Some((method, mean)) = self.most_reliable() else { return String::new() };
        let lines_per_piece = self.results.lines_per_piece;
        let name = if method == Method::Direct { "direct" } else { "splitting" };
        let pieces = |lines: f64| number(lines / lines_per_piece);
        format!(
            "in pieces    {}, {} to {}: by {name}, at {lines_per_piece:.4} lines per piece\n",
            or_na(mean.mean.map(pieces)),
            or_na(mean.low.map(pieces)),
            mean.high.map_or("unbounded".to_owned(), pieces)
        )
    }

    fn level_table(&self) -> String {
        let rows = level_rows(self.replications, self.levels);
        let table = ReportTable::new(&rows)
            .right("level", 5, |row| row.level)
            .right(self.config.importance.to_string(), 10, |row| row.threshold)
            .right("factor", 6, |row| row.factor)
            .right("rises", 12, |row| thousands(row.rises))
            .right("per piece", 13, |row| format!("{:.4e}", row.rises_per_piece))
            .right("onward", 8, |row| or_na(row.onward.map(significant)))
            .right("pieces", 14, |row| thousands(row.pieces))
            .right("deaths", 10, |row| thousands(row.deaths));
        format!("\n{}", table.text())
    }

    fn splitting_text(&self) -> String {
        let Some(splitting) = &self.results.splitting else {
            return "splitting    no path died: give a larger --budget or --pilot-pieces, or \
                another --importance\n"
                .to_owned();
        };
        let Splitting { ratio, deadly_excursions, effective_excursions, direct_pieces, .. } =
            splitting;
        let pieces = self.results.pieces as f64;
        let mut text = format!(
            "splitting    {}, {} to {} (+-{:.1} %)\n             {} excursions ended games, an \
                effective number of {effective_excursions:.0}\n             playing without \
                splitting would need {} pieces for this interval, {} times as many\n",
            or_na(ratio.mean.mean.map(number)),
            or_na(ratio.mean.low.map(number)),
            ratio.mean.high.map_or("unbounded".to_owned(), number),
            100.0 * ratio.mean.half_width(),
            thousands(*deadly_excursions),
            number(*direct_pieces),
            number(direct_pieces / pieces)
        );
        if *effective_excursions < FEW_EXCURSIONS {
            let _ = writeln!(
                text,
                "             note: fewer than {FEW_EXCURSIONS} is too few to trust the interval: \
                    give a larger --budget"
            );
        }
        text
    }

    fn histogram_text(&self) -> String {
        let Some(line) = self.extrapolation else {
            return "histogram    too few heights were seen to fit a line\n".to_owned();
        };
        let mean = line.pieces * self.results.lines_per_piece;
        let mut text = format!(
            "histogram    {}, without interval: Fahey's line through heights {} to {}, a \
                heuristic\n",
            number(mean),
            line.first,
            line.last
        );
        text += &match self.most_reliable() {
            None => "             note: this run does not check it, and it can be wrong by a \
                factor of 100: give a larger --budget, and --method all\n"
                .to_owned(),
            Some((Method::Direct, ..)) => self.note(
                Method::Histogram,
                Some(mean),
                "the heights are not on a straight line; trust direct",
            ),
            Some(_) => self.note(
                Method::Histogram,
                Some(mean),
                "the heights are not on a straight line; trust splitting",
            ),
        };
        text
    }
}

fn exposure_text(exposure: &Exposure) -> String {
    let Exposure { lines, deaths, mean } = exposure;
    let (lines, low) = (thousands(*lines), or_na(mean.low.map(number)));
    match (mean.mean, mean.high) {
        (Some(mean), Some(high)) => format!(
            "direct       {}, {} to {}: {} deaths in {lines} lines of main paths, assuming a \
                constant risk per line\n",
            number(mean),
            low,
            number(high),
            thousands(*deaths)
        ),
        _ => format!(
            "direct       above {} (one-sided): no death in {lines} lines of main paths, assuming \
                a constant risk per line\n",
            low
        ),
    }
}
