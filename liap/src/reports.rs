//! Formats the output of LIAP commands: runs, declarations, comparisons and distributions.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::declare::explain;
use crate::distribution::Distribution;
use crate::error::Result;
use crate::options::{DeclareOptions, DistributionOptions};
use crate::stats::{Interval, LEVEL, mean_interval, share_interval};
use crate::text::numbers::{p_value, thousands};
use crate::text::table::ReportTable;
use crate::{
    BrokenRule, Compared, DeclarationMeasure, Declarer, DeclarerComparison, LiapConfig, LiapRun,
    MatchEnd, SEATS, Switch, TallyCell,
};

/// A result of a command, in both formats in which commands print it.
#[derive(Clone, Debug)]
pub struct Report {
    /// Text for the terminal.
    pub text: String,
    /// Result as one JSON object.
    pub json: Value,
}

/// Returns the report of a run whose files are in `folder`.
#[must_use]
pub fn of_run(config: &LiapConfig, run: &LiapRun, folder: &Path) -> Report {
    Report { text: run_text(config, run, folder), json: run_json(config, run, folder) }
}

/// Returns the report of a comparison of two declarers.
#[must_use]
pub fn of_comparison(comparison: &DeclarerComparison, compared: &Compared) -> Report {
    Report { text: compared_text(comparison, compared), json: compared_json(comparison, compared) }
}

/// The statistics of one pair of declarer and player in one position.
struct PositionSummary {
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

impl PositionSummary {
    fn of(position: usize, cell: &TallyCell) -> PositionSummary {
        let (n, hits) = (cell.len(), cell.hits());
        let (sum, squares) = cell.base_points();
        PositionSummary {
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

/// Returns the summary of a run as one JSON object, with the keys of `simulate`.
fn run_json(config: &LiapConfig, run: &LiapRun, folder: &Path) -> Value {
    let kinds = config.kinds();
    let of_kind = |(kind, cells): (usize, &[TallyCell; SEATS])| {
        let positions = cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        let positions = positions.map(|(p, cell)| PositionSummary::of(p, cell).json());
        json!({
            "declarer": kinds[kind].declarer.name(), "player": kinds[kind].player.name(),
            "wins": run.count.wins[kind],
            "positions": positions.collect::<Vec<_>>(),
            "declared_captured": cells.iter().map(|cell| cell.counts).collect::<Vec<_>>(),
        })
    };
    let seats = run.count.cells.iter().enumerate().map(of_kind);
    let mut summary = totals_json(run);
    summary["kinds"] = seats.collect();
    json!({ "out": folder, "summary": summary, "run": run.manifest })
}

fn totals_json(run: &LiapRun) -> Value {
    let tally = &run.count;
    let per_round = |count: u64| count as f64 / tally.rounds as f64;
    json!({
        "rounds": tally.rounds, "matches": tally.matches(),
        "by_target": tally.ended(MatchEnd::Target),
        "by_round_cap": tally.ended(MatchEnd::RoundCap), "cut": tally.ended(MatchEnd::Cut),
        "declared_per_round": per_round(tally.declared), "turns_per_round": per_round(tally.turns),
        "wins_beyond_per_round": per_round(tally.wins_beyond),
        "redeals_per_round": per_round(tally.redeals),
    })
}

/// Returns the summary of a run as text.
fn run_text(config: &LiapConfig, run: &LiapRun, folder: &Path) -> String {
    let tally = &run.count;
    let mut text = String::new();
    for (seat, cells) in config.kinds().iter().zip(&tally.cells) {
        let _ = writeln!(text, "declarer {}, player {}", seat.declarer, seat.player);
        text.push_str(
            "position declarations declared captured  hit rate [95 % interval]  |error|  \
             base points [95 % interval]\n",
        );
        for (position, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            text.push_str(&line_text(&PositionSummary::of(position, cell)));
        }
        text.push_str(&moved_text(cells));
    }
    let per_round = |count: u64| count as f64 / tally.rounds as f64;
    let _ = writeln!(
        text,
        "rounds   {} in {} matches: {} to {} points, {} to the last round, {} cut",
        thousands(tally.rounds),
        thousands(tally.matches()),
        thousands(tally.ended(MatchEnd::Target)),
        config.rules.target,
        thousands(tally.ended(MatchEnd::RoundCap)),
        tally.ended(MatchEnd::Cut),
    );
    let _ = writeln!(
        text,
        "         each {:.2} piles declared, {:.2} turns, {:.2} of them won beyond the target, \
         {:.4} redeals",
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

fn line_text(line: &PositionSummary) -> String {
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

/// Returns a line with the numbers of declarations that, as returned by the declarer, are against
/// the rules. Returns an empty text if there are none.
fn moved_text(cells: &[TallyCell; SEATS]) -> String {
    let count =
        |moved: BrokenRule| cells.iter().map(|cell| cell.moved[moved as usize]).sum::<u64>();
    let [above, eight, zero] =
        [BrokenRule::AboveEight, BrokenRule::SumEight, BrokenRule::ThirdZero].map(count);
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

/// Iterates over the rows of a comparison: each position, then `None` for all positions together.
fn positions() -> impl Iterator<Item = Option<usize>> {
    (0..SEATS).map(Some).chain([None])
}

fn compared_json(comparison: &DeclarerComparison, compared: &Compared) -> Value {
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

fn compared_text(comparison: &DeclarerComparison, compared: &Compared) -> String {
    let [first, second] = comparison.declarers;
    let who = match comparison.switch {
        Switch::All => "changed in all four positions",
        Switch::One => "changed in one position at a time",
    };
    let mut text = format!(
        "{second} against {first} on the same {} deals, player {}, {who}\n",
        thousands(compared.rounds),
        comparison.player
    );
    let places: Vec<Option<usize>> = positions().collect();
    for measure in DeclarationMeasure::ALL {
        let estimate = |position: &Option<usize>| compared.estimate(*position, measure);
        let mean = |of: usize| move |position: &_| format!("{:.4}", estimate(position).means[of]);
        let table = ReportTable::new(&places)
            .right("position", 8, |position| {
                position.map_or("all".to_owned(), |position| position.to_string())
            })
            .right(first.name(), 18, mean(0))
            .right(second.name(), 18, mean(1))
            .plain(" difference [95 % interval]", |position| {
                let found = estimate(position);
                let only = position.filter(|_| measure == DeclarationMeasure::Hit);
                let only = only.map(|position| only_hit(comparison, compared, position));
                let interval = ends(found.interval);
                format!(" {:+.4} {interval}{}", found.difference, only.unwrap_or_default())
            });
        text += &format!("{}\n{}", measure.name(), table.text());
    }
    text
}

/// Formats the numbers of deals in which only one of the declarers captured exactly the declared
/// piles in `position`, and the p value of McNemar's test.
fn only_hit(comparison: &DeclarerComparison, compared: &Compared, position: usize) -> String {
    let ([first, second], [only_first, only_second]) =
        (comparison.declarers, compared.rows[position].only);
    let p = p_value(compared.paired_test(position));
    format!("  only {first} {only_first}, only {second} {only_second}, McNemar p {p}")
}

impl DeclareOptions {
    /// Decides the declaration of the hand in the options.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the earlier declarations are impossible in a round.
    pub fn report(&self) -> Result<Report> {
        let context = self.situation.context()?;
        let decision = self.declarer.decide(&self.hand, &context);
        let declared = decision.guarded(&context);
        let text = match self.explain {
            true => explain(self.declarer, &self.hand, &context, &decision),
            false => format!("{declared}\n"),
        };
        let json = json!({
            "declarer": self.declarer.name(), "hand": self.hand.to_string(),
            "position": context.position(), "previous": context.previous(),
            "nonzero": context.nonzero, "room": decision.room,
            "planned": decision.planned, "raw": decision.value, "declared": declared,
            "plan": decision.final_plan().to_string(),
        });
        Ok(Report { text, json })
    }
}

impl DistributionOptions {
    /// Computes the distribution of declared values over all hands, for each declarer in the
    /// options (all if none is given).
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the earlier declarations are impossible in a round.
    pub fn report(&self) -> Result<Report> {
        let context = self.situation.context()?;
        let declarers =
            if self.declarers.is_empty() { &Declarer::ALL[..] } else { &self.declarers };
        let distribution = |declarer: Declarer| {
            Distribution::of(|cards| {
                let decision = declarer.decide(cards, &context);
                if self.guard { decision.guarded(&context) } else { decision.value }
            })
        };
        let all: Vec<_> =
            declarers.iter().map(|&declarer| (declarer, distribution(declarer))).collect();
        Ok(Report { text: distributions_text(&all), json: distributions_json(&all) })
    }
}

fn distributions_json(all: &[(Declarer, Distribution)]) -> Value {
    let one = |(declarer, found): &(Declarer, Distribution)| {
        let (name, mean) = (declarer.name(), found.mean());
        json!({ "declarer": name, "hands": found.hands, "mean": mean })
    };
    let declarers: Vec<_> = all.iter().map(one).collect();
    json!({ "hands": crate::distribution::HANDS, "declarers": declarers })
}

fn distributions_text(all: &[(Declarer, Distribution)]) -> String {
    let longest = all.iter().map(|(_, found)| found.hands.len()).max().unwrap_or_default();
    let rows: Vec<Option<usize>> = (0..longest).map(Some).chain([None]).collect();
    let mut table = ReportTable::new(&rows)
        .right("value", 6, |value| value.map_or("mean".to_owned(), |value| value.to_string()));
    for (declarer, found) in all {
        table = table.right(declarer.name(), 18, |value| match value {
            Some(value) => thousands(found.hands.get(*value).copied().unwrap_or_default()),
            None => format!("{:.4}", found.mean()),
        });
    }
    table.text()
        + "hands of eight pieces, sorted strongest first for declarers that use the order (v1)\n"
}
