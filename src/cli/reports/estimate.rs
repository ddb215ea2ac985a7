//! Reports of estimates of mean lines: progress and result.

use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::cli::console::progress::ProgressStatus;
use crate::cli::prelude::*;
use crate::engine::Job;
use crate::estimate::{
    ESTIMATE, Estimate, EstimateConfig, EstimateMethod as Method, EstimateResults, EstimateSummary,
    EstimateWatch, ExtrapolatedMean, FEW_EXCURSIONS, Replication,
};
use crate::record::{COMMIT, PROGRAM, invalid_content_error, read_manifest};
use crate::report::Value;
use crate::sim::{Game, MAIN_MEASURE};
use crate::stats::{self, Mean};
use crate::text::numbers::{counted, number, or_na, significant, thousands};

fn heading<G: Game>(game: &G) -> String {
    let (about, plan) = (game.about(), game.plan());
    let (player, settings, threads) = (&about.player, about.heading.join(" · "), plan.threads);
    let simd = plan.level.map_or_else(|| "none".to_owned(), |level| level.to_string());
    format!("{player} · {settings} · {threads} thread(s) · simd {simd}")
}

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
    let mean = match (&results.splitting, results.direct.mean.mean) {
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

pub(crate) struct EstimateReport<G> {
    game: G,
    config: Json,
    summary: EstimateSummary,
}

/// Returns the report of the estimate in `folder`, which needs at least one replication.
pub(crate) fn folder_report(folder: &Path) -> Result<Report> {
    fn read<G: Game>(config: Json, summary: EstimateSummary) -> Result<Report> {
        let mut of_game = config.clone();
        of_game.as_object_mut().into_iter().for_each(|entries| _ = entries.remove(ESTIMATE));
        Ok(EstimateReport { game: G::recorded(&of_game)?, config, summary }.report())
    }
    let path = folder.join("run.json");
    let mut manifest: Json = read_manifest(&path)?;
    let summary = EstimateSummary::deserialize(&manifest["summary"]);
    let summary = summary.map_err(|error| invalid_content_error(&path, error))?;
    let config = manifest["config"].take();
    match config["game"].as_str() {
        Some(<GuidelineConfig as Job>::NAME) => read::<GuidelineConfig>(config, summary),
        _ => read::<ClassicConfig>(config, summary),
    }
}

impl<G: Game> EstimateReport<G> {
    pub(crate) fn new(job: &Estimate<G>, replications: &[Replication]) -> EstimateReport<G> {
        let summary = EstimateSummary::new(job, replications);
        EstimateReport { game: job.config.run.clone(), config: job.recorded_config(), summary }
    }

    /// Returns a warning if the mean by `method` contradicts the most reliable method. `why` ends
    /// the warning with a cause or advice.
    fn note(&self, method: Method, mean: Option<f64>, why: &str) -> Option<String> {
        let (believed, best) = self.summary.results.most_reliable()?;
        if !self.summary.disagree.contains(&method) {
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

    pub(crate) fn report(&self) -> Report {
        let EstimateResults { replications, main_pieces, pieces, direct, .. } =
            &self.summary.results;
        let mut report = Report::default();
        report.data("program", PROGRAM);
        report.data("commit", COMMIT);
        report.data("config", &self.config);
        report.fields(json!(self.summary));
        report.text(heading(&self.game));
        if self.summary.levels.len() > 1 {
            let importance = self.config[ESTIMATE]["importance"].as_str().unwrap_or("importance");
            report.table(
                TableOf::new("", &self.summary.levels)
                    .with("level", |row| row.level)
                    .with(importance, |row| row.threshold)
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
        let splitting = self.summary.results.splitting.as_ref();
        if let Some(found) = splitting.filter(|_| self.summary.method.shows(Method::Splitting)) {
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
        let direct = direct.mean.mean;
        let why = "give a larger --budget before you trust either";
        let notes = [self.note(Method::Direct, direct, why), self.histogram_note()];
        notes.into_iter().flatten().for_each(|note| report.note(note));
        report
    }

    fn rows(&self) -> Vec<(&'static str, Option<Mean>, String)> {
        let EstimateResults { splitting, direct, lines_per_piece, replications, .. } =
            &self.summary.results;
        let (shown, mut rows) = (self.summary.method, Vec::new());
        if shown.shows(Method::Splitting) {
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
        if shown.shows(Method::Direct) {
            let deaths = match direct.deaths {
                0 => "no death".to_owned(),
                deaths => counted(deaths, "death"),
            };
            let from = format!(
                "{deaths} in {} lines of main paths, assuming a constant risk per line",
                thousands(direct.lines)
            );
            rows.push(("direct", Some(direct.mean.clone()), from));
        }
        if shown.shows(Method::Histogram) {
            let from = match self.summary.histogram {
                None => "too few heights were seen to fit a line".to_owned(),
                Some(ExtrapolatedMean { line, .. }) => format!(
                    "Fahey's line through heights {} to {}, a heuristic",
                    line.first, line.last
                ),
            };
            let mean = self.summary.histogram.map(|line| line.mean);
            let n = *replications as u64;
            let mean = mean.map(|mean| Mean::new(Some(mean), None, stats::Method::LogT, n));
            rows.push(("histogram", mean, from));
        }
        // Games that are compared by lines are measured in lines only.
        let in_pieces = self.game.about().measure != MAIN_MEASURE;
        if let Some((method, mean)) = self.summary.results.most_reliable().filter(|_| in_pieces) {
            let from = format!("{}, at {lines_per_piece:.4} lines per piece", method.name());
            rows.push(("in pieces", Some(mean.clone().map(|it| it / lines_per_piece)), from));
        }
        rows
    }

    fn histogram_note(&self) -> Option<String> {
        let mean = self.summary.histogram?.mean;
        let Some((believed, _)) = self.summary.results.most_reliable() else {
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
