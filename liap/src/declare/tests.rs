use super::*;
use crate::hand::{Distribution, HANDS};

const GOLDEN: &str = include_str!("../../../tests/golden/liap_declarations.csv");

fn golden() -> impl Iterator<Item = Vec<&'static str>> {
    let rows = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').collect())
}

fn context(previous: &[u8], nonzero: bool) -> Context {
    Context::new(previous, nonzero).unwrap()
}

/// Compares every version of the declaration rule with all recorded decisions that a deck can deal.
#[test]
fn every_version_declares_as_recorded() {
    let mut rows = golden();
    let declarers: Vec<Declarer> =
        rows.next().unwrap()[4..].iter().map(|name| name.parse().unwrap()).collect();
    let (mut compared, mut wrong) = (0, String::new());
    for row in rows {
        let cards: Cards = row[0].parse().unwrap();
        let previous: Vec<u8> = row[2].split_whitespace().map(|v| v.parse().unwrap()).collect();
        let context = context(&previous, row[3] == "TRUE");
        assert_eq!(context.position().to_string(), row[1]);
        for (declarer, expected) in declarers.iter().zip(&row[4..]) {
            let got = declarer.decide(&cards, &context).value.to_string();
            if got != **expected {
                wrong += &format!("\n{declarer} {row:?}: {got}, not {expected}");
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(compared, 7 * 118);
}

fn distribution(declarer: Declarer, previous: &[u8]) -> Distribution {
    let context = context(previous, false);
    Distribution::count(|cards| declarer.decide(cards, &context).value)
}

fn expect(declarer: Declarer, previous: &[u8], up_to_8: &[u64], above: u64) {
    let found = distribution(declarer, previous);
    let low: Vec<u64> = found.hands.iter().take(9).copied().collect();
    assert_eq!(
        (&*low, found.hands.iter().skip(9).sum()),
        (up_to_8, above),
        "{declarer} after {previous:?}"
    );
    assert_eq!(found.total(), HANDS);
}

/// Compares the exact distributions of a first player's declarations with recorded ones.
#[test]
fn starters_declare_as_enumerated() {
    let upstream =
        [456_653, 1_785_048, 2_164_408, 2_145_256, 2_157_158, 1_216_992, 486_257, 98_582, 7_946];
    expect(Declarer::V2Upstream, &[], &upstream, 0);
    expect(Declarer::V2Late, &[], &upstream, 0);
    let literal =
        [1_067_022, 2_981_664, 2_963_861, 2_061_648, 960_634, 230_474, 71_795, 16_992, 6_539];
    expect(Declarer::V2Literal, &[], &literal, 157_671);
    let v2 = [1_067_022, 2_981_664, 2_963_861, 2_061_648, 1_084_950, 296_123, 56_583, 6_156, 293];
    expect(Declarer::V2, &[], &v2, 0);
    let singles =
        [43_758, 445_536, 1_577_940, 2_433_312, 1_782_713, 1_064_904, 1_177_511, 958_056, 439_399];
    expect(Declarer::V2LiteralSingles, &[], &singles, 595_171);
}

#[test]
fn the_largest_values_are_as_enumerated() {
    let literal = distribution(Declarer::V2Literal, &[]).hands;
    assert_eq!((literal[12], literal.len() - 1, literal[40]), (130_384, 40, 8));
    let singles = distribution(Declarer::V2LiteralSingles, &[]).hands;
    assert_eq!((singles.len() - 1, singles[48]), (48, 8));
    let means =
        [Declarer::V2Upstream, Declarer::V2Literal, Declarer::V2, Declarer::V2LiteralSingles]
            .map(|declarer| format!("{:.4}", distribution(declarer, &[]).mean()));
    assert_eq!(means, ["2.9410", "2.1639", "2.0250", "4.5474"]);
}

#[test]
fn second_players_declare_as_enumerated() {
    let upstream = [1_562_275, 1_785_318, 2_129_430, 1_683_056, 1_768_628, 1_104_832, 484_761];
    expect(Declarer::V2Upstream, &[2], &upstream, 0);
    let literal = [1_562_275, 2_981_664, 2_836_620, 2_402_203, 511_950, 215_832, 7_756];
    expect(Declarer::V2Literal, &[2], &literal, 0);
    expect(Declarer::V2, &[2], &literal, 0);
    let late = [1_562_275, 1_785_292, 2_129_456, 1_683_056, 1_762_048, 1_105_074, 491_099];
    expect(Declarer::V2Late, &[2], &late, 0);
}

/// Counts weak hands, and hands that contain each type of play, among all 10,518,300 hands.
#[test]
fn hands_are_counted_exactly() {
    use crate::play::{PLAYS, PlayType};
    assert_eq!(crate::hand::multisets().count(), 81_415);
    let hands = |holds: &dyn Fn(&Cards) -> bool| {
        Distribution::count(|cards| u8::from(holds(cards))).hands[1]
    };
    assert_eq!(hands(&|cards| cards.hand().is_weak()), 735_471);
    let with = |kind: PlayType| {
        let plays: Vec<_> = PLAYS.iter().filter(|play| play.kind == kind).collect();
        hands(&|cards| plays.iter().any(|play| play.pieces.without(cards.hand()).is_empty()))
    };
    let types = [
        (PlayType::Pair, 9_136_380),
        (PlayType::Straight, 2_180_636),
        (PlayType::Three, 1_770_605),
        (PlayType::Extended4, 536_548),
        (PlayType::Four, 181_325),
        (PlayType::Extended5, 37_700),
        (PlayType::Five, 5_850),
        (PlayType::Double, 650),
    ];
    for (kind, expected) in types {
        assert_eq!(with(kind), expected, "{kind}");
    }
}

/// The guard makes every declaration legal, whatever value the rule returns.
#[test]
fn the_guard_never_breaks_a_rule() {
    let deals: Vec<Cards> =
        crate::hand::multisets().step_by(97).map(|(hand, _)| Cards::sorted(hand)).collect();
    let previous: [&[u8]; 8] =
        [&[], &[0], &[8], &[3, 4], &[0, 0, 0], &[2, 3, 3], &[2, 2, 3], &[8, 8, 8]];
    let mut moved = 0;
    for (previous, nonzero) in previous.iter().flat_map(|p| [(p, false), (p, true)]) {
        let context = context(previous, nonzero);
        for (cards, declarer) in deals.iter().flat_map(|c| Declarer::ALL.map(|d| (c, d))) {
            let decision = declarer.decide(cards, &context);
            let declared = decision.guarded(&context);
            let sum = context.sum() + declared;
            assert!(declared <= 8 && !(nonzero && declared == 0));
            assert!(context.position() < 3 || sum != 8, "{cards} {declarer}");
            moved += usize::from(declared != decision.value);
            assert!(declarer != Declarer::V2 || declared == decision.value, "v2 needs no guard");
        }
    }
    assert!(moved > 1000, "{moved}");
}

fn barred(previous: &[u8], nonzero: bool) -> Vec<u8> {
    context(previous, nonzero).forbidden().values().collect()
}

#[test]
fn only_the_last_player_may_not_make_eight() {
    assert_eq!(barred(&[2, 1, 3], false), [2]);
    assert_eq!(barred(&[2, 1, 5], false), [0]);
    assert_eq!(barred(&[2, 1, 5], true), [0]);
    assert_eq!(barred(&[2, 1, 3], true), [0, 2]);
    assert_eq!(barred(&[0, 0, 0], false), [8]);
    assert_eq!(barred(&[5, 4, 0], false), [0u8; 0], "more than eight already");
    assert_eq!(barred(&[4, 4], false), [0u8; 0]);
    assert_eq!(barred(&[], true), [0]);
}

#[test]
fn the_nearest_value_is_the_lower_of_two() {
    let nearest =
        |previous: &[u8], nonzero, value| context(previous, nonzero).forbidden().nearest(value);
    assert_eq!(nearest(&[2, 1, 3], false, 2), 1);
    assert_eq!(nearest(&[2, 1, 3], false, 12), 8);
    assert_eq!(nearest(&[2, 1, 5], false, 0), 1);
    assert_eq!(nearest(&[2, 2, 3], true, 0), 2, "0 and 1 are barred");
    assert_eq!(nearest(&[2, 2, 3], true, 1), 2);
    assert_eq!(nearest(&[0, 0, 0], false, 9), 7);
    assert_eq!(nearest(&[3], false, 5), 5);
}

#[test]
fn wrong_contexts_are_refused() {
    assert!(Context::new(&[1, 2, 3, 4], false).is_err());
    assert!(Context::new(&[9], false).is_err());
}

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
    assert!(late.contains("returned before") && late.contains("0 -> 1: 0 is against the rules"));
    let moved = explained(Declarer::V2, "EHSerhcs", &[0, 0, 0], true);
    assert!(moved.contains("opener      none found") && moved.contains("0 -> 1: nearest"));
    let above = explained(Declarer::V2LiteralSingles, "GAERgaer", &[], false);
    assert!(above.contains("14 -> 8: 14 is above 8"), "{above}");
}
