//! What `tetrastat liap` prints of runs and comparisons.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::console::output::{p_value, thousands};
use crate::liap::{
    Compared, DeclarationMeasure, DeclarerComparison, End, LiapConfig, LiapRun, Moved, SEATS,
    Switch, TallyCell,
};
use crate::stats::{Interval, LEVEL, mean_interval, share_interval};

/// What is said of the declarations of one kind of seat in one position.
struct Line {
    position: usize,
    n: u64,
    declared: f64,
    captured: f64,
    hit: f64,
    hit_interval: Option<Interval>,
    absolute_error: f64,
    points: f64,
    points_interval: Option<Interval>,
}

impl Line {
    fn of(position: usize, cell: &TallyCell) -> Line {
        let (n, hits) = (cell.len(), cell.hits());
        let (sum, squares) = cell.base_points();
        Line {
            position,
            n,
            declared: cell.mean(|declared, _| declared.into()),
            captured: cell.mean(|_, captured| captured.into()),
            hit: hits as f64 / n as f64,
            hit_interval: share_interval(hits, n, LEVEL),
            absolute_error: cell.mean(|declared, captured| declared.abs_diff(captured).into()),
            points: sum as f64 / n as f64,
            points_interval: mean_interval(sum as f64, squares as f64, n, LEVEL),
        }
    }

    fn json(&self) -> Value {
        json!({
            "position": self.position, "declarations": self.n, "declared": self.declared,
            "captured": self.captured, "hit_rate": self.hit,
            "hit_rate_interval": self.hit_interval, "absolute_error": self.absolute_error,
            "base_points": self.points, "base_points_interval": self.points_interval,
        })
    }
}

/// The summary of a run as one JSON object.
///
/// `out`, `summary` and `run` are as `simulate` has them; `tally` and `kinds` are also where they were before.
pub(crate) fn run_json(config: &LiapConfig, run: &LiapRun, folder: &Path) -> Value {
    let kinds = config.kinds();
    let of_kind = |(kind, cells): (usize, &[TallyCell; SEATS])| {
        let positions = cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        json!({
            "declarer": kinds[kind].declarer.name(), "player": kinds[kind].player.name(),
            "wins": run.count.wins[kind],
            "positions": positions.map(|(p, cell)| Line::of(p, cell).json()).collect::<Vec<_>>(),
            "declared_captured": cells.iter().map(|cell| cell.counts).collect::<Vec<_>>(),
        })
    };
    let seats = run.count.cells.iter().enumerate().map(of_kind);
    let (tally, kinds) = (totals_json(run), Value::from(seats.collect::<Vec<_>>()));
    let mut summary = tally.clone();
    summary["kinds"] = kinds.clone();
    json!({ "out": folder, "summary": summary, "run": run.manifest, "tally": tally, "kinds": kinds })
}

fn totals_json(run: &LiapRun) -> Value {
    let tally = &run.count;
    let per_round = |count: u64| count as f64 / tally.rounds as f64;
    json!({
        "rounds": tally.rounds, "matches": tally.matches(), "by_target": tally.ended(End::Target),
        "by_round_cap": tally.ended(End::RoundCap), "cut": tally.ended(End::Cut),
        "declared_per_round": per_round(tally.declared), "turns_per_round": per_round(tally.turns),
        "wins_beyond_per_round": per_round(tally.wins_beyond),
        "redeals_per_round": per_round(tally.redeals),
    })
}

/// The summary of a run for eyes.
pub(crate) fn run_text(config: &LiapConfig, run: &LiapRun, folder: &Path) -> String {
    let tally = &run.count;
    let mut text = String::new();
    for (seat, cells) in config.kinds().iter().zip(&tally.cells) {
        let _ = writeln!(text, "declarer {}, player {}", seat.declarer, seat.player);
        text.push_str("position declarations declared captured  hit rate [95 % interval]  |error|  base points [95 % interval]\n");
        for (position, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            text.push_str(&line_text(&Line::of(position, cell)));
        }
        text.push_str(&moved_text(cells));
    }
    let per_round = |count: u64| count as f64 / tally.rounds as f64;
    let _ = writeln!(
        text,
        "rounds   {} in {} matches: {} to {} points, {} to the last round, {} cut",
        thousands(tally.rounds),
        thousands(tally.matches()),
        thousands(tally.ended(End::Target)),
        config.rules.target,
        thousands(tally.ended(End::RoundCap)),
        tally.ended(End::Cut),
    );
    let _ = writeln!(
        text,
        "         each {:.2} piles declared, {:.2} turns, {:.2} of them won beyond the target, {:.4} redeals",
        per_round(tally.declared),
        per_round(tally.turns),
        per_round(tally.wins_beyond),
        per_round(tally.redeals),
    );
    let seconds = run.manifest.elapsed_s;
    let speed = if run.manifest.resumed {
        "; the run was resumed".to_owned()
    } else {
        format!(" = {} rounds/s", thousands((tally.rounds as f64 / seconds.max(1e-9)) as u64))
    };
    let _ = writeln!(text, "time     {seconds:.2} s{speed}\nfolder   {}", folder.display());
    text
}

fn line_text(line: &Line) -> String {
    format!(
        "{:>8} {:>12} {:>8.3} {:>8.3}  {:.4} {:<20} {:>7.3}  {:>8.4} {}\n",
        line.position,
        thousands(line.n),
        line.declared,
        line.captured,
        line.hit,
        ends(line.hit_interval),
        line.absolute_error,
        line.points,
        ends(line.points_interval),
    )
}

/// How often the guard had something to do.
fn moved_text(cells: &[TallyCell; SEATS]) -> String {
    let count = |moved: Moved| cells.iter().map(|cell| cell.moved[moved as usize]).sum::<u64>();
    let [above, eight, zero] = [Moved::AboveEight, Moved::SumEight, Moved::ThirdZero].map(count);
    if above + eight + zero == 0 {
        return String::new();
    }
    format!(
        "         against the rules as returned: {} above 8, {} sums of 8, {} third zeros\n",
        thousands(above),
        thousands(eight),
        thousands(zero)
    )
}

fn ends(interval: Option<Interval>) -> String {
    interval.map_or("[NA]".to_owned(), |Interval { low, high }| {
        format!("[{low:.4}, {:.4}]", high.unwrap_or(f64::NAN))
    })
}

/// The rows of a comparison: each position, then all together.
fn positions() -> impl Iterator<Item = Option<usize>> {
    (0..SEATS).map(Some).chain([None])
}

/// A comparison as one JSON object.
pub(crate) fn compared_json(comparison: &DeclarerComparison, compared: &Compared) -> Value {
    let rows = positions().map(|position| {
        let mut row = json!({ "position": position });
        for measure in DeclarationMeasure::ALL {
            let found = compared.estimate(position, measure);
            row[measure.name()] = json!({
                "first": found.means[0], "second": found.means[1],
                "difference": found.difference, "interval": found.interval,
            });
        }
        if let Some(position) = position {
            let [first, second] = compared.rows[position].only;
            row["hit_only_first"] = json!(first);
            row["hit_only_second"] = json!(second);
            row["mcnemar_p"] = json!(compared.paired_test(position));
        }
        row
    });
    json!({
        "first": comparison.declarers[0].name(), "second": comparison.declarers[1].name(),
        "player": comparison.player.name(), "rounds": compared.rounds,
        "complete": compared.rounds == comparison.rounds,
        "seed": format!("0x{:016x}", comparison.seed), "positions": rows.collect::<Vec<_>>(),
    })
}

/// A comparison for eyes.
pub(crate) fn compared_text(comparison: &DeclarerComparison, compared: &Compared) -> String {
    let [first, second] = comparison.declarers;
    let who = match comparison.switch {
        Switch::All => "all four change",
        Switch::One => "one position at a time changes",
    };
    let mut text = format!(
        "{second} against {first} on the same {} deals, player {}, {who}\n",
        thousands(compared.rounds),
        comparison.player
    );
    for measure in DeclarationMeasure::ALL {
        let _ = writeln!(
            text,
            "{}\nposition {:>18} {:>18}  difference [95 % interval]",
            measure.name(),
            first.name(),
            second.name()
        );
        for position in positions() {
            let found = compared.estimate(position, measure);
            let place = position.map_or("all".to_owned(), |position| position.to_string());
            let _ = write!(
                text,
                "{place:>8} {:>18.4} {:>18.4}  {:+.4} {}",
                found.means[0],
                found.means[1],
                found.difference,
                ends(found.interval)
            );
            if let (DeclarationMeasure::Hit, Some(position)) = (measure, position) {
                let [only_first, only_second] = compared.rows[position].only;
                let p = compared.paired_test(position);
                let _ = write!(
                    text,
                    "  only {first} {only_first}, only {second} {only_second}, McNemar p {}",
                    p_value(p)
                );
            }
            text.push('\n');
        }
    }
    text
}
