//! Formats the summary of a run of guideline games as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::cli::reports::compare::{ends, mean_text, percent};
use crate::engine::Manifest;
use crate::record::CLEARS;
use crate::sim::guideline::GuidelineConfig;
use crate::stats::{Mean, Method, Spread, Summary, observed_at_limit};
use crate::text::numbers::{counted, number, significant, thousands, whole};
use crate::text::table::or_na;

/// Formats an estimate with its interval, or with a note that it has none.
fn estimate(name: &str, found: &Mean, show: fn(f64) -> String) -> String {
    let interval = match found.interval() {
        Some(interval) => format!("95 % interval {}", ends(interval, show)),
        None => "95 % interval: not available".to_owned(),
    };
    format!("{name} {} ({interval})", or_na(found.mean.map(show)))
}

fn spread(spread: &Spread) -> String {
    let Spread { min, q1, median, q3, max, .. } = *spread;
    format!("{} (least, quartiles, most)", [min, q1, median, q3, max].map(whole).join(" "))
}

/// Formats a mean per game; a number above 0 that is too small for `show` has significant digits.
fn per_game(found: &Mean, show: fn(f64) -> String) -> String {
    let show = |value: f64| match show(value) {
        text if value > 0.0 && text.parse() == Ok(0.0) => significant(value),
        text => text,
    };
    let mark = if found.method == Some(Method::Gamma) { " *" } else { "" };
    format!("{}{mark}", mean_text(found, show))
}

/// Returns the notes about the intervals, without duplicates.
fn notes(means: &BTreeMap<String, Mean>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for mean in ["pieces", "lines", "points", "inputs"].iter().filter_map(|name| means.get(*name)) {
        for note in mean.warnings.iter().map(ToString::to_string) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    if let Some(Mean { n, censored: 1.., .. }) = means.get("points") {
        let clause = observed_at_limit(means["points"].censored, *n);
        notes.push(format!("{clause}: raise --pieces"));
    }
    notes
}

/// Formats a run, whose files are in `folder`, as text.
pub(crate) fn report_text(
    config: &GuidelineConfig,
    run: &Manifest<GuidelineConfig>,
    folder: &Path,
) -> String {
    let games = run.totals.games;
    let mut text = format!(
        "{} of {} under {} rules: {} ({}{}, {} movement)\n",
        counted(games, "game"),
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
    if let Some(summary) = &run.summary {
        means(config, summary, &mut line);
    }
    // The elapsed time of a resumed run covers only its last part, but its games include those of
    // earlier parts.
    if !run.resumed {
        let (seconds, pieces) = (run.elapsed_s.max(1e-9), run.totals.pieces as f64);
        line(
            "speed",
            &format!(
                "{} games/s, {} pieces/s on {} thread(s)",
                number(games as f64 / seconds),
                number(pieces / seconds),
                config.threads
            ),
        );
    }
    line("in", &folder.display().to_string());
    text
}

fn means(config: &GuidelineConfig, summary: &Summary, line: &mut impl FnMut(&str, &str)) {
    let Summary { means, spread: spreads, median, clears, points_by } = summary;
    let share = |found: &Mean| {
        let hits = found.mean.unwrap_or_default() * found.n as f64;
        let share = estimate("", found, percent);
        format!("{} of {}:{share}", thousands(hits.round() as u64), thousands(found.n))
    };
    let centre = |name: &str| {
        let mean = means.get(name).map(|mean| estimate("mean", mean, number));
        let median = median.get(name).map(|median| estimate("median", median, whole));
        format!("{}, {}", or_na(mean), or_na(median))
    };
    let spread = |name: &str| or_na(spreads.get(name).map(spread));
    line("lost", &or_na(means.get("lost").map(share)));
    let sprint = config.mode.goal();
    let of =
        |what: &str| if sprint.is_some() { format!("{what} of wins") } else { what.to_owned() };
    line(&of("pieces"), &spread("pieces"));
    line("", &centre("pieces"));
    for (name, found) in means {
        if let Some(pieces) = name.strip_prefix("won_in_") {
            line(&format!("in {}", pieces.replace('_', " ")), &share(found));
        }
    }
    if sprint.is_none() {
        line("rows", &centre("lines"));
    }
    line("points", &centre("points"));
    line("", &spread("points"));
    line("means per game", "");
    let two_decimals = |count: f64| format!("{count:.2}");
    for name in ["base", "b2b", "combo", "perfect", "drop"] {
        line(
            &format!("  points, {name}"),
            &or_na(points_by.get(name).map(|it| per_game(it, number))),
        );
    }
    // Clears that never happened are shown too. A missing row could also mean that they were not
    // counted.
    for name in CLEARS.iter().map(|(name, ..)| *name).chain(["perfect_clears"]) {
        line(&format!("  {name}"), &or_na(clears.get(name).map(|it| per_game(it, two_decimals))));
    }
    line("", "95 % intervals of means per game: Student's t; *: gamma (rare events)");
    line(&of("keys"), &centre("inputs"));
    let keys = means.get("inputs_per_piece").and_then(|keys| keys.mean);
    line("keys per piece", &or_na(keys.map(two_decimals)));
    notes(means).iter().for_each(|note| line("note", note));
}
