//! Formats the output of LIAP commands: runs, declarations, comparisons and distributions.

use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::declare::explain;
use crate::distribution::Distribution;
use crate::engine::Manifest;
use crate::error::Result;
use crate::options::{DeclareOptions, DistributionOptions};
use crate::stats::{Interval, LEVEL, Mean, Method, share_interval};
use crate::text::numbers::{p_value, thousands};
use crate::text::table::ReportTable;
use crate::{
    BrokenRule, Compared, DeclarationMeasure, Declarer, DeclarerComparison, LiapConfig, MatchEnd,
    SEATS, Switch, Tally, TallyCell, base_points,
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
pub fn of_run(config: &LiapConfig, run: &Manifest<LiapConfig>, folder: &Path) -> Report {
    Report { text: run_text(config, run, folder), json: json!({ "out": folder, "run": run }) }
}

/// Returns the report of a comparison of two declarers.
#[must_use]
pub fn of_comparison(comparison: &DeclarerComparison, compared: &Compared) -> Report {
    Report { text: compared_text(comparison, compared), json: compared_json(comparison, compared) }
}

/// Statistics of one pair of declarer and player in one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionSummary {
    /// Position of the seat in its round, from 0.
    pub position: usize,
    /// Declared piles.
    pub declared: Mean,
    /// Captured piles.
    pub captured: Mean,
    /// Share of declarations whose piles were captured exactly.
    pub hit_rate: Mean,
    /// Absolute difference of declared and captured piles.
    pub absolute_error: Mean,
    /// Points before the redeal multiplier.
    pub base_points: Mean,
}

/// Statistics of one pair of declarer and player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindSummary {
    /// Name of the declarer.
    pub declarer: String,
    /// Name of the player.
    pub player: String,
    /// Statistics of each position that the pair played.
    pub positions: Vec<PositionSummary>,
}

/// Summary of a run: its counts, and the means that follow from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiapSummary {
    /// Pairs of declarer and player.
    pub kinds: Vec<KindSummary>,
    /// Counts of all rounds and matches, with those of each pair in the order of `kinds`.
    pub tally: Tally,
}

impl LiapSummary {
    /// Summarises `tally`; `kinds` are the names of declarer and player of each pair.
    #[must_use]
    pub fn of(kinds: Vec<[String; 2]>, tally: Tally) -> LiapSummary {
        let kind = |([declarer, player], cells): ([String; 2], &[TallyCell; SEATS])| {
            let positions = cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            let positions = positions.map(|(position, cell)| PositionSummary::of(position, cell));
            KindSummary { declarer, player, positions: positions.collect() }
        };
        let kinds = kinds.into_iter().zip(&tally.cells).map(kind).collect();
        LiapSummary { kinds, tally }
    }
}

impl PositionSummary {
    fn of(position: usize, cell: &TallyCell) -> PositionSummary {
        let (n, hits) = (cell.len(), cell.hits());
        PositionSummary {
            position,
            declared: cell.estimate(|declared, _| declared.into()),
            captured: cell.estimate(|_, captured| captured.into()),
            hit_rate: Mean::new(
                Some(hits as f64 / n as f64),
                share_interval(hits, n, LEVEL),
                Method::Wilson,
                n,
            ),
            absolute_error: cell.estimate(|declared, captured| declared.abs_diff(captured).into()),
            base_points: cell.estimate(|declared, captured| base_points(declared, captured).into()),
        }
    }
}

/// Returns the summary of a run as text.
fn run_text(config: &LiapConfig, run: &Manifest<LiapConfig>, folder: &Path) -> String {
    let mut text = String::new();
    let Some(LiapSummary { kinds, tally }) = &run.summary else { return text };
    for (kind, cells) in kinds.iter().zip(&tally.cells) {
        let _ = writeln!(text, "declarer {}, player {}", kind.declarer, kind.player);
        text.push_str(
            "position declarations declared captured  hit rate [95 % interval]  |error|  \
             base points [95 % interval]\n",
        );
        kind.positions.iter().for_each(|position| text.push_str(&line_text(position)));
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
    let seconds = run.elapsed_s;
    let speed = if run.resumed {
        "; the run was resumed".to_owned()
    } else {
        format!(" = {} rounds/s", thousands((tally.rounds as f64 / seconds.max(1e-9)) as u64))
    };
    let _ = writeln!(text, "time     {seconds:.2} s{speed}\nfolder   {}", folder.display());
    text
}

fn line_text(line: &PositionSummary) -> String {
    let PositionSummary { position, declared, captured, hit_rate, absolute_error, base_points } =
        line;
    let mean = |found: &Mean| found.mean.unwrap_or(f64::NAN);
    format!(
        "{position:>8} {:>12} {:>8.3} {:>8.3}  {:.4} {:<20} {:>7.3}  {:>8.4} {}\n",
        thousands(hit_rate.n),
        mean(declared),
        mean(captured),
        mean(hit_rate),
        ends(hit_rate),
        mean(absolute_error),
        mean(base_points),
        ends(base_points),
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

fn ends(mean: &Mean) -> String {
    mean.interval().map_or("[NA]".to_owned(), |Interval { low, high }| {
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
                "first": found.means[0], "second": found.means[1], "difference": found.difference,
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
                let (difference, interval) = (found.difference.mean, ends(&found.difference));
                let difference = difference.unwrap_or(f64::NAN);
                format!(" {difference:+.4} {interval}{}", only.unwrap_or_default())
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
