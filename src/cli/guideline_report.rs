//! The summary of a run of guideline games, for eyes and for programs.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::output::{number, thousands, whole};
use crate::sim::guideline::{GuidelineConfig, GuidelineRun, Mode, Outcome};
use crate::stats::quantile;

/// What a run came to.
struct Summary {
    games: usize,
    lost: usize,
    /// Pieces of the games that were not lost, ascending.
    pieces: Vec<f64>,
    /// Scores, ascending.
    scores: Vec<f64>,
}

impl Summary {
    fn of(games: &[Outcome]) -> Summary {
        let kept = games.iter().filter(|game| !game.is_lost());
        let mut pieces: Vec<f64> = kept.map(|game| f64::from(game.pieces)).collect();
        let mut scores: Vec<f64> =
            games.iter().map(|game| f64::from(game.points.total())).collect();
        pieces.sort_unstable_by(f64::total_cmp);
        scores.sort_unstable_by(f64::total_cmp);
        let lost = games.iter().filter(|game| game.is_lost()).count();
        Summary { games: games.len(), lost, pieces, scores }
    }

    /// Share of all games that were not lost and took exactly so many pieces.
    fn share(&self, pieces: f64) -> f64 {
        self.pieces.iter().filter(|&&taken| taken == pieces).count() as f64 / self.games as f64
    }
}

fn mean(games: &[Outcome], value: impl Fn(&Outcome) -> u32) -> f64 {
    games.iter().map(|game| f64::from(value(game))).sum::<f64>() / games.len() as f64
}

/// Points by kind.
fn kinds(games: &[Outcome]) -> [(&'static str, f64); 5] {
    [
        ("clears", mean(games, |game| game.points.base)),
        ("back-to-back", mean(games, |game| game.points.back_to_back)),
        ("combo", mean(games, |game| game.points.combo)),
        ("perfect", mean(games, |game| game.points.perfect)),
        ("drops", mean(games, |game| game.points.drop)),
    ]
}

/// Clears by kind, by spin and rows.
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

/// The summary for eyes.
pub(super) fn report_text(config: &GuidelineConfig, run: &GuidelineRun, folder: &Path) -> String {
    let games = &run.games;
    let summary = Summary::of(games);
    let mut text = format!(
        "{} of {} under {} rules: {} ({}, {} movement)\n",
        if games.len() == 1 {
            "1 game".to_owned()
        } else {
            format!("{} games", thousands(games.len() as u64))
        },
        config.mode.name(),
        config.rules,
        config.controller.name,
        config.search(),
        config.moves,
    );
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:18} {value}");
    };
    line("lost", &format!("{} of {}", summary.lost, summary.games));
    let pieces = |p: f64| whole(quantile(&summary.pieces, p));
    if let Mode::Sprint { lines } = config.mode {
        let all = [0.0, 0.25, 0.5, 0.75, 1.0].map(pieces);
        line("pieces of wins", &format!("{} (least, quartiles, most)", all.join(" ")));
        let fewest = f64::from((10 * lines).div_ceil(4));
        for taken in [fewest, fewest + 1.0, fewest + 2.0] {
            let share = 100.0 * summary.share(taken);
            line(&format!("in {taken} pieces"), &format!("{share:.1} % of all games"));
        }
    } else {
        line("pieces", &whole(mean(games, |game| game.pieces)));
        line("rows", &number(mean(games, |game| game.lines)));
    }
    let scores = [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| whole(quantile(&summary.scores, p)));
    line("points", &format!("{} on average", number(mean(games, |game| game.points.total()))));
    line("", &format!("{} (least, quartiles, most)", scores.join(" ")));
    for (kind, points) in kinds(games) {
        line(&format!("  of {kind}"), &number(points));
    }
    for (name, spin, lines) in CLEARS {
        let count = mean(games, |game| game.clears[spin][lines]);
        if count > 0.0 {
            line(name, &format!("{count:.2}"));
        }
    }
    let perfect = mean(games, |game| game.perfect_clears);
    line("perfect clears", &format!("{perfect:.2}"));
    let keys = f64::from(games.iter().map(|game| game.inputs).sum::<u32>());
    line("keys per piece", &format!("{:.2}", keys / run.manifest.pieces.max(1) as f64));
    // The time of a run that went on is that of its last sitting, its games are all.
    if !run.manifest.resumed {
        let (seconds, pieces) = (run.manifest.elapsed_s.max(1e-9), run.manifest.pieces as f64);
        line(
            "speed",
            &format!(
                "{} games/s, {} pieces/s on {} threads",
                number(games.len() as f64 / seconds),
                number(pieces / seconds),
                config.threads
            ),
        );
    }
    line("in", &folder.display().to_string());
    text
}

/// The summary for programs.
pub(super) fn report_json(config: &GuidelineConfig, run: &GuidelineRun) -> Value {
    let games = &run.games;
    let summary = Summary::of(games);
    let at = |p: f64| (!summary.pieces.is_empty()).then(|| quantile(&summary.pieces, p));
    let points: serde_json::Map<String, Value> =
        kinds(games).into_iter().map(|(kind, mean)| (kind.to_owned(), json!(mean))).collect();
    let clears: serde_json::Map<String, Value> = CLEARS
        .into_iter()
        .map(|(name, spin, lines)| {
            (name.to_owned(), json!(mean(games, |game| game.clears[spin][lines])))
        })
        .collect();
    json!({
        "config": config.entry(),
        "games": summary.games,
        "lost": summary.lost,
        "pieces_median": at(0.5),
        "pieces_least": at(0.0),
        "pieces_most": at(1.0),
        "score_mean": mean(games, |game| game.points.total()),
        "score_median": quantile(&summary.scores, 0.5),
        "points": points,
        "clears": clears,
        "perfect_clears": mean(games, |game| game.perfect_clears),
        "elapsed_s": run.manifest.elapsed_s,
    })
}
