//! Tests of [`tetrastat_core::search::Policy`] in classic games.

use std::collections::BTreeMap;

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::controller::Controller;
use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::Placement;
use tetrastat_core::rng::{Purpose, Stream};
use tetrastat_core::rules::Rules;
use tetrastat_core::search::{Decision, Player, Policy, Search};

fn player(name: &str, rules: Rules, search: Search, size: BoardSize) -> Player {
    Player::new(&Controller::load(name).unwrap(), rules, search, size, Level::detect()).unwrap()
}

/// Returns the frequency of each placement in `draws` draws of a policy on one board.
fn frequencies(
    player: &mut Player,
    policy: Policy,
    board: &Board,
    piece: Piece,
    draws: u64,
) -> BTreeMap<(u8, u8), u64> {
    let mut counts = BTreeMap::new();
    for number in 1..=draws {
        let mut stream = Policy::stream(1, 0, number);
        let decision = player.decide_by(policy, &mut stream, board, piece, None).unwrap();
        let Placement { orientation, column } = decision.outcome.played.candidate.placement;
        *counts.entry((orientation, column)).or_default() += 1;
    }
    counts
}

/// Returns chi-square of the counts against the expected ones.
fn chi_square(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    pairs.map(|(count, expected)| (count - expected).powi(2) / expected).sum()
}

#[test]
fn policies_are_read_as_they_are_written() {
    for text in ["best", "epsilon:0.05", "epsilon:0", "softmax:10", "softmax:1e-300", "misdrop:1"] {
        let policy: Policy = text.parse().unwrap();
        assert_eq!(policy.to_string(), text);
        policy.check().unwrap();
    }
    let number = ["epsilon:2", "epsilon:-0.1", "epsilon", "epsilon:", "epsilon:x", "misdrop"];
    let number = number.into_iter().chain(["misdrop:nan", "softmax:0", "softmax:nan"]);
    for text in number.chain(["softmax", "softmax:inf", "softmax:-1"]) {
        let error = text.parse::<Policy>().unwrap_err().to_string();
        assert!(error.contains(&format!("policy '{text}'")), "{error}");
        assert!(error.contains("give a ") && error.contains("for example"), "{error}");
    }
    for text in ["greedy", "", "best:1", "Best", "soft max:1"] {
        let error = text.parse::<Policy>().unwrap_err().to_string();
        assert!(error.contains("best, epsilon:P, softmax:T, misdrop:P"), "{error}");
    }
    for wrong in [Policy::Epsilon(f64::NAN), Policy::Softmax(0.0), Policy::Misdrop(1.5)] {
        assert!(wrong.check().is_err(), "{wrong}");
    }
}

/// The T fits the notch pointing down: three cells on row 1, its stem in column 2.
///
/// ```text
/// ......   the best placement: orientation 3 (pointing down, no turn), column 1
/// ##.###   its neighbours: columns 0 and 2; there is no turn to leave out
/// ```
#[test]
fn misdrops_by_hand() {
    let neighbours = |name, board: &str, piece| {
        let board: Board = board.parse().unwrap();
        let mut player = player(name, Rules::simplified(), Search::Greedy, board.size());
        let best = player.decide(&board, piece, None).unwrap().outcome.played.candidate.placement;
        let counts = frequencies(&mut player, Policy::Misdrop(1.0), &board, piece, 3_000);
        ((best.orientation, best.column), counts)
    };
    let (best, counts) = neighbours("dellacherie", "....../....../....../....../##.###", Piece::T);
    assert_eq!(best, (3, 1));
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&(3, 0), &(3, 2)]);
    // The shaft beside the right wall takes an upright I, which has one turn. Its column has no
    // right neighbour. The flat I has its origin in its third cell, which would be column 5, so it
    // would leave the board.
    let shaft = "....../....../....../....../#####./#####./#####./#####.";
    let (best, counts) = neighbours("dellacherie", shaft, Piece::I);
    assert_eq!(best, (0, 5));
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&(0, 4)]);
    // In the third column from the right the flat I fits: its cells are in columns 1 to 4.
    let inner = "....../....../....../....../###.##/###.##/###.##/###.##";
    let (best, counts) = neighbours("dellacherie", inner, Piece::I);
    assert_eq!(best, (0, 3));
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&(0, 2), &(0, 4), &(1, 1)]);
    // Each of the three neighbours is equally likely: chi-square with 2 degrees of freedom exceeds
    // 13.82 once in 1,000 runs; the seed is fixed.
    let chi2 = chi_square(counts.values().map(|&count| (count as f64, 1_000.0)));
    assert!(chi2 < 13.82, "chi-square {chi2}");
    // On a board of width 4, a flat I has no neighbour column and no turn: it is kept.
    let narrow = "..../..../..../..../....";
    let (best, counts) = neighbours("dellacherie", narrow, Piece::I);
    assert_eq!((best, counts.into_keys().collect::<Vec<_>>()), ((1, 0), vec![(1, 0)]));
}

/// Chi-square with 33 degrees of freedom exceeds 63.87 once in 1,000 runs; the seed is fixed.
#[test]
fn epsilon_draws_each_placement_equally_often() {
    let board = Board::empty(BoardSize::new(10, 20).unwrap());
    let mut player = player("bcts", Rules::simplified(), Search::Greedy, board.size());
    let counts = frequencies(&mut player, Policy::Epsilon(1.0), &board, Piece::T, 34_000);
    assert_eq!(counts.len(), 34);
    let chi2 = chi_square(counts.values().map(|&count| (count as f64, 1_000.0)));
    assert!(chi2 < 63.87, "chi-square {chi2}");
}

/// The frequencies on one board are those of exp(score / T). Placements with an expected count
/// below 5 are pooled. The bound is the mean plus 4 standard deviations of chi-square, which is
/// exceeded less than once in 1,000 runs; the seed is fixed.
#[test]
fn softmax_draws_by_the_scores() {
    let board: Board = "......../......../......../......../#......./##..#.##".parse().unwrap();
    let mut player = player("bcts", Rules::simplified(), Search::Greedy, board.size());
    let scale = player.scorer().scale();
    for temperature in [100.0, 1_000.0] {
        let scores: Vec<_> = player
            .rank(&board, Piece::L, None)
            .iter()
            .map(|ranked| {
                let Placement { orientation, column } = ranked.outcome.played.candidate.placement;
                ((orientation, column), ranked.value.score(scale))
            })
            .collect();
        let best = scores.iter().filter_map(|(_, score)| *score).fold(f64::MIN, f64::max);
        let weight = |score: Option<f64>| score.map_or(0.0, |s| ((s - best) / temperature).exp());
        let sum: f64 = scores.iter().map(|(_, score)| weight(*score)).sum();
        let draws = 20_000;
        let counts =
            frequencies(&mut player, Policy::Softmax(temperature), &board, Piece::L, draws);
        let (mut pairs, mut rare) = (Vec::new(), (0.0, 0.0));
        for (place, score) in &scores {
            let count = counts.get(place).copied().unwrap_or(0) as f64;
            let expected = weight(*score) / sum * draws as f64;
            assert!(expected > 0.0 || count == 0.0, "a losing placement was drawn");
            match expected < 5.0 {
                true => rare = (rare.0 + count, rare.1 + expected),
                false => pairs.push((count, expected)),
            }
        }
        if rare.1 >= 1.0 {
            pairs.push(rare);
        }
        assert!(pairs.len() >= 5, "{} placements are not rare", pairs.len());
        let freedom = pairs.len() as f64 - 1.0;
        let chi2 = chi_square(pairs.into_iter());
        let bound = freedom + 4.0 * (2.0 * freedom).sqrt();
        assert!(chi2 < bound, "chi-square {chi2}, bound {bound}");
    }
}

/// Calls `check` on the boards of games, and plays the decision that it returns. A lost game starts
/// again.
fn decisions(
    size: BoardSize,
    rules: Rules,
    search: Search,
    mut check: impl FnMut(&mut Player, &Board, Piece, Option<Piece>, u64) -> Option<Decision>,
) {
    let mut player = player("bcts", rules, search, size);
    let mut pieces = Stream::new(8, Purpose::Queue, 0);
    let mut board = Board::empty(size);
    for number in 1..=400 {
        let piece = Piece::ALL[pieces.below(7) as usize];
        let next = (search == Search::Next).then(|| Piece::ALL[pieces.below(7) as usize]);
        board = match check(&mut player, &board, piece, next, number) {
            Some(decision) if !decision.outcome.lost => decision.outcome.after,
            _ => Board::empty(size),
        };
    }
}

const SEARCHES: [(Search, fn() -> Rules); 5] = [
    (Search::Greedy, Rules::simplified),
    (Search::Greedy, Rules::standard),
    (Search::Next, Rules::simplified),
    (Search::Next, Rules::standard),
    (Search::Expect, Rules::simplified),
];

#[test]
fn a_drawn_placement_is_reported_with_its_value_and_the_best_one() {
    let size = BoardSize::new(6, 10).unwrap();
    for (search, rules) in SEARCHES {
        let (mut drawn_at_random, mut lost) = (0, 0);
        decisions(size, rules(), search, |player, board, piece, next, number| {
            let policies = [Policy::Epsilon(0.5), Policy::Misdrop(0.5), Policy::Softmax(200.0)];
            let policy = policies[number as usize % 3];
            let stream = || Policy::stream(3, 1, number);
            let best = player.decide(board, piece, next);
            let drawn = player.decide_by(policy, &mut stream(), board, piece, next);
            let mut stepped = *board;
            let step = player.step_by(policy, &mut stream(), &mut stepped, piece, next);
            assert_eq!(step, drawn.map(|drawn| drawn.step()));
            let (Some(best), Some(drawn)) = (best, drawn) else {
                assert!(best.is_none() && drawn.is_none());
                return None;
            };
            assert_eq!(stepped, drawn.outcome.after);
            let chosen = drawn.outcome.played.candidate;
            let ranked = player.rank(board, piece, next);
            assert_eq!(drawn.candidates, ranked.len());
            let is_chosen = |place: usize| ranked[place].outcome.played.candidate == chosen;
            let place = (0..ranked.len()).find(|&place| is_chosen(place)).unwrap();
            assert_eq!((drawn.outcome, drawn.value), (ranked[place].outcome, ranked[place].value));
            let others = (0..ranked.len()).filter(|&other| other != place);
            assert_eq!(
                drawn.runner_up.map(|second| second.value),
                others.map(|other| ranked[other].value).max()
            );
            let wanted = best.outcome.played.candidate;
            assert_eq!(drawn.best, (chosen != wanted).then_some(wanted));
            drawn_at_random += u32::from(drawn.best.is_some());
            lost += u32::from(drawn.outcome.lost);
            Some(drawn)
        });
        assert!(drawn_at_random > 60, "{search}: {drawn_at_random}");
        assert!(lost > 0 || rules() == Rules::standard(), "{search}");
    }
}

/// A temperature far below the differences of scores leaves only the best value. Where only one
/// placement has it, that one is the choice of `best`.
#[test]
fn a_cold_softmax_plays_a_best_placement() {
    let size = BoardSize::new(6, 10).unwrap();
    for (search, rules) in SEARCHES {
        let mut unique = 0;
        decisions(size, rules(), search, |player, board, piece, next, number| {
            let best = player.decide(board, piece, next)?;
            let mut stream = Policy::stream(3, 1, number);
            let cold = Policy::Softmax(1e-9);
            let drawn = player.decide_by(cold, &mut stream, board, piece, next)?;
            assert_eq!(drawn.value, best.value);
            if best.runner_up.is_none_or(|second| second.value != best.value) {
                unique += 1;
                assert_eq!(drawn, best);
            }
            Some(best)
        });
        assert!(unique > 200, "{search}: {unique}");
    }
}

#[test]
fn a_probability_of_zero_plays_the_best_placement() {
    let size = BoardSize::new(6, 10).unwrap();
    for (search, rules) in SEARCHES {
        decisions(size, rules(), search, |player, board, piece, next, number| {
            let best = player.decide(board, piece, next);
            for policy in [Policy::Best, Policy::Epsilon(0.0), Policy::Misdrop(0.0)] {
                let mut stream = Policy::stream(3, 1, number);
                assert_eq!(player.decide_by(policy, &mut stream, board, piece, next), best);
            }
            best
        });
    }
}

/// The draws are part of all later results, so they must never change.
#[test]
fn the_draws_are_frozen() {
    let draws = |game, piece_no| Policy::stream(7, game, piece_no).below(1_000_000);
    assert_eq!([draws(0, 1), draws(0, 2), draws(1, 1)], [169_510, 577_985, 631_880]);
}
