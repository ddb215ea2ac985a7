//! Formats the output of LIAP commands: runs, declarations, comparisons and distributions.

use serde_json::json;

use crate::compare::{Compared, DeclarationMeasure, DeclarerEstimate};
use crate::declare::explain;
use crate::error::Result;
use crate::hand::Distribution;
use crate::options::{DeclareOptions, DistributionOptions};
use crate::report::{Report, TableOf, Value};
use crate::round::MatchEnd;
use crate::stats::Mean;
use crate::tables::BrokenRule;
use crate::tally::{KindSummary, LiapSummary, PositionSummary, TallyCell};
use crate::text::numbers::{p_value, thousands};
use crate::{Declarer, DeclarerComparison, LiapConfig, SEATS, Switch};

/// Adds the summary of a run of LIAP to the run's printed report.
pub fn add_summary(report: &mut Report, config: &LiapConfig, summary: &LiapSummary) {
    let LiapSummary { kinds, tally } = summary;
    let of_kind = |(kind, cells): (&KindSummary, &[TallyCell; SEATS])| {
        let name = format!("declarer {}, player {}", kind.declarer, kind.player);
        let row = |one: &PositionSummary| (name.clone(), one.clone(), cells[one.position].moved);
        kind.positions.iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<_> = kinds.iter().zip(&tally.cells).flat_map(of_kind).collect();
    type Row = (String, PositionSummary, [u64; 4]);
    let mean = |of: fn(&PositionSummary) -> &Mean, decimals: usize| {
        move |row: &Row| Value::mean(of(&row.1), |mean| format!("{mean:.decimals$}"))
    };
    let bare = |of: fn(&PositionSummary) -> &Mean| {
        move |row: &Row| Value::real(of(&row.1).mean, |mean| format!("{mean:.3}"))
    };
    // Declarations that, as returned by the declarer, are against the rules.
    let against =
        |rule: BrokenRule| move |row: &Row| Some(row.2[rule as usize]).filter(|count| *count > 0);
    report.table(
        TableOf::new("", &rows)
            .main()
            .grouped()
            .with("kind", |row| &row.0)
            .with("position", |row| row.1.position)
            .with("declarations", |row| row.1.hit_rate.n)
            .with("declared", bare(|one| &one.declared))
            .with("captured", bare(|one| &one.captured))
            .with("hit rate (95 %)", mean(|one| &one.hit_rate, 4))
            .with("|error|", bare(|one| &one.absolute_error))
            .with("base points (95 %)", mean(|one| &one.base_points, 4))
            .with("against the rules: above 8", against(BrokenRule::AboveEight))
            .with("sums of 8", against(BrokenRule::SumEight))
            .with("third zeros", against(BrokenRule::ThirdZero)),
    );
    let per_round = |count: u64| count as f64 / tally.rounds as f64;
    report.shown(
        "matches",
        format!(
            "{}: {} to {} points, {} to the last round, {} cut",
            thousands(tally.matches()),
            thousands(tally.ended(MatchEnd::Target)),
            config.rules.target,
            thousands(tally.ended(MatchEnd::RoundCap)),
            tally.ended(MatchEnd::Cut),
        ),
    );
    report.shown(
        "a round",
        format!(
            "{:.2} piles declared, {:.2} turns, {:.2} of them won beyond the target, {:.4} redeals",
            per_round(tally.declared),
            per_round(tally.turns),
            per_round(tally.wins_beyond),
            per_round(tally.redeals),
        ),
    );
}

/// Returns the report that compares two declaration rules. Each row is a measure at one player
/// position, or over all positions.
#[must_use]
pub fn comparison_report(comparison: &DeclarerComparison, compared: &Compared) -> Report {
    let [first, second] = comparison.declarers;
    let who = match comparison.switch {
        Switch::All => "changed in all four positions",
        Switch::One => "changed in one position at a time",
    };
    let mut report = Report::default();
    report.fields(json!({
        "first": first.name(), "second": second.name(), "player": comparison.player.name(),
        "rounds": compared.rounds, "complete": compared.rounds == comparison.rounds,
        "seed": format!("0x{:016x}", comparison.seed),
    }));
    report.text(format!(
        "{second} against {first} on the same {} deals, player {}, {who}",
        thousands(compared.rounds),
        comparison.player
    ));
    let positions = || (0..SEATS).map(Some).chain([None]);
    let row =
        |measure| positions().map(move |place| (measure, place, compared.estimate(place, measure)));
    let rows: Vec<_> = DeclarationMeasure::ALL.into_iter().flat_map(row).collect();
    type Row = (DeclarationMeasure, Option<usize>, DeclarerEstimate);
    let mean =
        |of: usize| move |row: &Row| Value::real(row.2.means[of], |mean| format!("{mean:.4}"));
    // Deals in which only one of the declarers captured exactly the declared piles.
    let hit = |row: &Row| row.1.filter(|_| row.0 == DeclarationMeasure::Hit);
    let only = |of: usize| move |row: &Row| hit(row).map(|place| compared.rows[place].only[of]);
    report.table(
        TableOf::new("positions", &rows)
            .grouped()
            .with("measure", |row| row.0.name())
            .with("position", |row| {
                Value::from_data(row.1, row.1.map_or("all".to_owned(), |at| at.to_string()))
            })
            .with(("first", first.name()), mean(0))
            .with(("second", second.name()), mean(1))
            .fields(|row| &row.2.difference)
            .shown("difference (95 %)", |row| {
                Value::mean(&row.2.difference, |mean| format!("{mean:+.4}"))
            })
            .with(("hit_only_first", format!("only {first}")), only(0))
            .with(("hit_only_second", format!("only {second}")), only(1))
            .with(("mcnemar_p", "McNemar p"), |row| {
                Value::real(hit(row).map(|place| compared.paired_test(place)), p_value)
            }),
    );
    report
}

impl DeclareOptions {
    /// Returns the report of the number of piles to declare for the hand on the command line.
    pub fn report(&self) -> Result<Report> {
        let context = self.situation.context()?;
        let decision = self.declarer.decide(&self.hand, &context);
        let declared = decision.guarded(&context);
        let mut report = Report::default();
        report.text(match self.explain {
            true => explain(self.declarer, &self.hand, &context, &decision),
            false => declared.to_string(),
        });
        report.fields(json!({
            "declarer": self.declarer.name(), "hand": self.hand.to_string(),
            "position": context.position(), "previous": context.previous(),
            "nonzero": context.nonzero, "room": decision.room,
            "planned": decision.planned, "raw": decision.value, "declared": declared,
            "plan": decision.final_plan().to_string(),
        }));
        Ok(report)
    }
}

impl DistributionOptions {
    /// Returns the report of how many of all hands lead to each declaration, by declaration rule.
    pub fn report(&self) -> Result<Report> {
        let context = self.situation.context()?;
        let declarers =
            if self.declarers.is_empty() { &Declarer::ALL[..] } else { &self.declarers };
        let distribution = |declarer: Declarer| {
            Distribution::count(|cards| {
                let decision = declarer.decide(cards, &context);
                if self.guard { decision.guarded(&context) } else { decision.value }
            })
        };
        let all: Vec<_> =
            declarers.iter().map(|&declarer| (declarer, distribution(declarer))).collect();
        let one = |(declarer, found): &(Declarer, Distribution)| {
            let (name, mean) = (declarer.name(), found.mean());
            json!({ "declarer": name, "hands": found.hands, "mean": mean })
        };
        let mut report = Report::default();
        report.data("hands", crate::hand::HANDS);
        report.data("declarers", all.iter().map(one).collect::<Vec<_>>());
        let longest = all.iter().map(|(_, found)| found.hands.len()).max().unwrap_or_default();
        let rows: Vec<Option<usize>> = (0..longest).map(Some).chain([None]).collect();
        let mut table = TableOf::new("", &rows).main().with("value", |value| {
            Value::from_data(value, value.map_or("mean".to_owned(), |value| value.to_string()))
        });
        for (declarer, found) in &all {
            table = table.with(declarer.name(), |value| match value {
                Some(value) => found.hands.get(*value).copied().unwrap_or_default().into(),
                None => Value::real(found.mean(), |mean| format!("{mean:.4}")),
            });
        }
        report.table(table);
        report.text(
            "hands of eight pieces, sorted strongest first for declarers that use the order (v1)",
        );
        Ok(report)
    }
}
