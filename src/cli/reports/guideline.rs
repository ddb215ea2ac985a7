//! Summarises a run of guideline games as text and JSON.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::reports::compare::with_interval;
use crate::record::GuidelineGameRow;
use crate::sim::guideline::{GuidelineConfig, GuidelineRun, Mode};
use crate::stats::{
    Estimate, Interval, LEVEL, Observed, PerGame, PerGameMethod, PerGameSums, Scale,
    observed_at_limit, quantile, share_interval,
};
use crate::text::numbers::{counted, number, significant, thousands, whole};
use crate::text::table::NA;

/// Statistics over the games of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    games: u64,
    /// Number of endless games that a limit censored; their values are lower bounds.
    censored: u64,
    lost: u64,
    /// 95 % confidence interval of the share of lost games.
    lost_interval: Option<Interval>,
    pieces: Measured,
    lines: Measured,
    points: Measured,
    inputs: Measured,
}

/// Statistics of one value per game. In a Sprint, pieces, rows and inputs cover only won games,
/// because a lost game does not show how many it would have needed. Other values cover all games.
#[derive(Debug, Serialize)]
struct Measured {
    #[serde(flatten)]
    estimate: Estimate,
    /// Minimum, quartiles and maximum; `None` without games.
    quartiles: Option<[f64; 5]>,
}

impl Measured {
    fn of<'a>(
        games: impl Iterator<Item = &'a GuidelineGameRow>,
        seed: u64,
        value: impl Fn(&GuidelineGameRow) -> u32,
    ) -> Measured {
        let observed = |game| Observed { value: f64::from(value(game)), censored: false };
        let games: Vec<Observed> = games.map(observed).collect();
        let mut sorted: Vec<f64> = games.iter().map(|game| game.value).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |p: f64| quantile(&sorted, p);
        let quartiles = (!sorted.is_empty()).then(|| [0.0, 0.25, 0.5, 0.75, 1.0].map(at));
        Measured { estimate: Estimate::of(&games, Scale::PerGame, true, seed), quartiles }
    }

    fn spread(&self) -> String {
        let Some(quartiles) = self.quartiles else { return "NA".to_owned() };
        format!("{} (least, quartiles, most)", quartiles.map(whole).join(" "))
    }

    /// Formats the mean and the median with their intervals.
    fn center(&self) -> String {
        let Estimate { mean, interval: of_mean, median, median_interval, .. } = &self.estimate;
        let [mean, median] = [mean.map(number), median.map(whole)];
        let na = || "NA".to_owned();
        format!(
            "mean {} ({}), median {} ({})",
            mean.unwrap_or_else(na),
            interval(*of_mean, number),
            median.unwrap_or_else(na),
            interval(*median_interval, whole)
        )
    }
}

/// Formats a 95 % confidence interval; `number` formats its two ends.
fn interval(found: Option<Interval>, number: impl Fn(f64) -> String) -> String {
    let high = |high: Option<f64>| high.map_or("unbounded".to_owned(), &number);
    found.map_or("95 % interval: not available".to_owned(), |found| {
        format!("95 % interval {} to {}", number(found.low), high(found.high))
    })
}

impl Summary {
    pub(crate) fn of(config: &GuidelineConfig, games: &[GuidelineGameRow]) -> Summary {
        let lost = games.iter().filter(|game| game.is_lost()).count() as u64;
        let all = games.len() as u64;
        let is_sprint = config.mode.goal().is_some();
        let counts = |game: &&GuidelineGameRow| !is_sprint || !game.is_lost();
        let seed = config.seed;
        let measured = |value: fn(&GuidelineGameRow) -> u32| {
            Measured::of(games.iter().filter(counts), seed, value)
        };
        Summary {
            games: all,
            censored: if matches!(config.mode, Mode::Endless { .. }) { all - lost } else { 0 },
            lost,
            lost_interval: share_interval(lost, all, LEVEL),
            pieces: measured(|game| game.pieces),
            lines: measured(|game| game.lines),
            points: Measured::of(games.iter(), seed, |game| game.points.total()),
            inputs: measured(|game| game.inputs),
        }
    }

    fn lost_text(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        format!(
            "{} of {} ({}, {})",
            thousands(self.lost),
            thousands(self.games),
            percent(self.lost as f64 / self.games as f64),
            interval(self.lost_interval, percent)
        )
    }

    /// Returns the notes about the intervals, without duplicates.
    fn notes(&self) -> Vec<String> {
        let all = [&self.pieces, &self.lines, &self.points, &self.inputs];
        let mut notes: Vec<String> = Vec::new();
        for warning in all.iter().flat_map(|measured| &measured.estimate.warnings) {
            let note = warning.to_string();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if self.censored > 0 {
            let clause = observed_at_limit(self.censored, self.games);
            notes.push(format!("{clause}: raise --pieces"));
        }
        notes
    }
}

/// Returns the share of all games that were not lost and took exactly `pieces` pieces.
fn share(games: &[GuidelineGameRow], pieces: u32) -> f64 {
    let taken = |game: &&GuidelineGameRow| !game.is_lost() && game.pieces == pieces;
    games.iter().filter(taken).count() as f64 / games.len() as f64
}

/// Returns the mean of `value` per game with its interval. `event` is the value of one event, or
/// `None` for points.
fn mean(
    games: &[GuidelineGameRow],
    event: Option<f64>,
    value: impl Fn(&GuidelineGameRow) -> u32,
) -> Option<PerGame> {
    games.iter().map(|game| f64::from(value(game))).collect::<PerGameSums>().mean(LEVEL, event)
}

/// Formats a mean per game with its interval; `show` formats a number. A number above 0 that is too
/// small for `show` has significant digits.
fn mean_text(mean: Option<PerGame>, show: fn(f64) -> String) -> String {
    let show = |value: f64| match show(value) {
        text if value > 0.0 && text.parse() == Ok(0.0) => significant(value),
        text => text,
    };
    let Some(PerGame { mean, interval, method }) = mean else { return NA.to_owned() };
    let mark = if method == PerGameMethod::Gamma { " *" } else { "" };
    format!("{}{mark}", with_interval(Some(mean), interval, show))
}

/// Returns the mean points per game of each kind, with the name of the kind.
fn kinds(games: &[GuidelineGameRow]) -> [(&'static str, Option<PerGame>); 5] {
    [
        ("clears", mean(games, None, |game| game.points.base)),
        ("back-to-back", mean(games, None, |game| game.points.back_to_back)),
        ("combo", mean(games, None, |game| game.points.combo)),
        ("perfect", mean(games, None, |game| game.points.perfect)),
        ("drops", mean(games, None, |game| game.points.drop)),
    ]
}

/// Kinds of clears: the name, the spin (0: none, 1: mini, 2: full) and the number of rows.
const CLEARS: [(&str, usize, usize); 11] = [
    ("singles", 0, 1),
    ("doubles", 0, 2),
    ("triples", 0, 3),
    ("tetrises", 0, 4),
    ("mini T-spins", 1, 0),
    ("mini singles", 1, 1),
    ("mini doubles", 1, 2),
    ("T-spins without rows", 2, 0),
    ("T-spin singles", 2, 1),
    ("T-spin doubles", 2, 2),
    ("T-spin triples", 2, 3),
];

/// Returns the mean number of clears per game of each kind, with the name of the kind.
fn clears(games: &[GuidelineGameRow]) -> Vec<(&'static str, Option<PerGame>)> {
    let of = |(name, spin, lines): (&'static str, usize, usize)| {
        (name, mean(games, Some(1.0), |game| game.clears[spin][lines]))
    };
    let perfect = ("perfect clears", mean(games, Some(1.0), |game| game.perfect_clears));
    CLEARS.into_iter().map(of).chain([perfect]).collect()
}

/// Formats the summary of a run, whose files are in `folder`, as text.
pub(crate) fn report_text(
    config: &GuidelineConfig,
    run: &GuidelineRun,
    summary: &Summary,
    folder: &Path,
) -> String {
    let games = &run.count;
    let mut text = format!(
        "{} of {} under {} rules: {} ({}{}, {} movement)\n",
        counted(games.len() as u64, "game"),
        config.mode.name(),
        config.rules,
        config.controller.name,
        config.search(),
        config.policy.label(", policy "),
        config.moves,
    );
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{}", format!("{label:24} {value}").trim_end());
    };
    line("lost", &summary.lost_text());
    let sprint = config.mode.goal();
    let of =
        |what: &str| if sprint.is_some() { format!("{what} of wins") } else { what.to_owned() };
    line(&of("pieces"), &summary.pieces.spread());
    line("", &summary.pieces.center());
    if let Some(lines) = sprint {
        let fewest = (10 * lines).div_ceil(4);
        for taken in [fewest, fewest + 1, fewest + 2] {
            let share = 100.0 * share(games, taken);
            line(&format!("in {taken} pieces"), &format!("{share:.1} % of all games"));
        }
    } else {
        line("rows", &summary.lines.center());
    }
    line("points", &summary.points.center());
    line("", &summary.points.spread());
    line("means per game", "");
    let two_decimals = |count: f64| format!("{count:.2}");
    for (kind, points) in kinds(games) {
        line(&format!("  points of {kind}"), &mean_text(points, number));
    }
    // Clears that never happened are shown too. A missing row could also mean that they were not
    // counted.
    for (name, count) in clears(games) {
        line(&format!("  {name}"), &mean_text(count, two_decimals));
    }
    line("", "95 % intervals of means per game: Student's t; *: gamma (rare events)");
    line(&of("keys"), &summary.inputs.center());
    let keys: u64 = games.iter().map(|game| u64::from(game.inputs)).sum();
    line(
        "keys per piece",
        &format!("{:.2}", keys as f64 / run.manifest.totals.pieces.max(1) as f64),
    );
    for note in summary.notes() {
        line("note", &note);
    }
    // The elapsed time of a resumed run covers only its last part, but its games include those of
    // earlier parts.
    if !run.manifest.resumed {
        let (seconds, pieces) =
            (run.manifest.elapsed_s.max(1e-9), run.manifest.totals.pieces as f64);
        line(
            "speed",
            &format!(
                "{} games/s, {} pieces/s on {} thread(s)",
                number(games.len() as f64 / seconds),
                number(pieces / seconds),
                config.threads
            ),
        );
    }
    line("in", &folder.display().to_string());
    text
}

/// Returns the summary of a run as JSON.
pub(crate) fn report_json(run: &GuidelineRun, summary: &Summary, folder: &Path) -> Value {
    let object = |means: &[(&str, Option<PerGame>)]| -> Value {
        means.iter().map(|(kind, mean)| (*kind, json!(mean))).collect()
    };
    let mut summary = json!(summary);
    summary["per_game"] = json!({
        "points": object(&kinds(&run.count)), "clears": object(&clears(&run.count)),
    });
    json!({ "out": folder, "summary": summary, "run": run.manifest })
}
