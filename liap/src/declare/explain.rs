//! Explains a decision step by step, in the manner of the original program's verbose mode.

use std::fmt::Write;

use super::plan::named;
use super::{Context, DeclarationChoice, Declarer, WinningPlays};
use crate::{Cards, Hand};

/// Explains a declarer's decision, one step per line.
#[must_use]
pub fn explain(
    declarer: Declarer,
    cards: &Cards,
    context: &Context,
    decision: &DeclarationChoice,
) -> String {
    let mut text = String::new();
    let mut line = |head: &str, rest: String| {
        let _ = writeln!(text, "{head:11} {rest}");
    };
    let hand = cards.hand();
    let name = declarer.name();
    line("hand", format!("{cards}: {}", priced(hand)));
    let role = if context.is_starter() { "starter" } else { "not the starter" };
    line("role", format!("{role}, position {}", context.position()));
    line("previous", previous_text(context));
    line("room", format!("{} piles by {name}", decision.room));
    steps(declarer, decision, &mut line);
    let planned = decision.planned;
    match decision.early {
        true => line("planned", "0, returned before forbidden values are checked".to_owned()),
        false => line("planned", planned.to_string()),
    }
    line("forbidden", listed(context.forbidden().values()));
    if decision.value != planned {
        let how = if decision.rebuilt.is_some() { "play list rebuilt" } else { "nearest allowed" };
        line("moved", format!("{planned} -> {}: {how}", decision.value));
    }
    let declared = decision.guarded(context);
    if declared != decision.value {
        let why = if decision.value > 8 { "above 8" } else { "against the rules" };
        line("guard", format!("{} -> {declared}: {} is {why}", decision.value, decision.value));
    }
    line("play list", plays(decision.final_plan()));
    line("declared", declared.to_string());
    text
}

/// Passes the opener, the combinations and the single pieces to `line`, in the order in which the
/// declarer decides.
fn steps(declarer: Declarer, decision: &DeclarationChoice, line: &mut impl FnMut(&str, String)) {
    let plan = &decision.plan;
    let looks_for_one = !matches!(declarer, Declarer::V1 | Declarer::V1Rich);
    if looks_for_one && !plan.opener.is_empty() {
        line("opener", priced(plan.opener));
    } else if looks_for_one && decision.planned == 0 {
        line("opener", "none found".to_owned());
    }
    line("found", format!("{} combinations", plan.found().len()));
    for (place, &combo) in plan.found().iter().enumerate() {
        let verdict = if plan.keeps(place) { "kept" } else { "dropped: no room" };
        line("", format!("{}, {} points: {verdict}", named(combo), combo.points()));
    }
    if !plan.extras.is_empty() {
        line("singles", priced(plan.extras));
    }
}

/// Lists the pieces with their points as text, the strongest first.
fn priced(pieces: Hand) -> String {
    let mut kinds: Vec<_> = pieces.kinds().collect();
    kinds.reverse();
    let named: Vec<String> =
        kinds.iter().map(|kind| format!("{kind} ({})", kind.points())).collect();
    named.join(", ")
}

fn previous_text(context: &Context) -> String {
    let sum = context.sum();
    match context.previous() {
        [] => "none".to_owned(),
        previous => format!("{} (sum {sum})", listed(previous.iter().copied())),
    }
}

fn listed(values: impl Iterator<Item = u8>) -> String {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    if values.is_empty() { "none".to_owned() } else { values.join(" ") }
}

fn plays(plan: &WinningPlays) -> String {
    let combos = plan.kept().map(named);
    let singles = plan.openers().kinds().map(|kind| kind.to_string());
    let all: Vec<String> = combos.chain(singles).collect();
    if all.is_empty() { "empty".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(declarer: Declarer, hand: &str, previous: &[u8], nonzero: bool) -> String {
        let cards: Cards = hand.parse().unwrap();
        let context = Context::new(previous, nonzero).unwrap();
        explain(declarer, &cards, &context, &declarer.decide(&cards, &context))
    }

    #[test]
    fn every_step_is_said() {
        let text = explained(Declarer::V2, "gAARReeh", &[3], false);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let expected = [
            "role        not the starter, position 1",
            "previous    3 (sum 3)",
            "room        5 piles by v2",
            "opener      black general (13)",
            "found       3 combinations",
            "            pair ee, 18 points: kept",
            "            pair AA, 24 points: kept",
            "            pair RR, 16 points: dropped: no room",
            "planned     5",
            "forbidden   none",
            "play list   pair ee, pair AA, black general",
            "declared    5",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn early_returns_moves_and_the_guard_are_said() {
        let late = explained(Declarer::V2Upstream, "ERHCerhc", &[3, 3, 2], false);
        assert!(
            late.contains("returned before") && late.contains("0 -> 1: 0 is against the rules")
        );
        let moved = explained(Declarer::V2, "EHSerhcs", &[0, 0, 0], true);
        assert!(moved.contains("opener      none found") && moved.contains("0 -> 1: nearest"));
        let above = explained(Declarer::V2LiteralSingles, "GAERgaer", &[], false);
        assert!(above.contains("14 -> 8: 14 is above 8"), "{above}");
    }
}
