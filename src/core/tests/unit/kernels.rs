//! Compares every kernel level with the scalar functions: each feature, each score, each choice.

use proptest::prelude::*;
use tetrastat_core::board::{Board, BoardSize, full_row};
use tetrastat_core::controller::{Controller, Scorer, Tie};
use tetrastat_core::features::{Feature, Measured, Move};
use tetrastat_core::kernels::{BatchFeatures, Evaluator, LEVEL_NAMES, Level, Scratch};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, PlacementEffect, Placements};
use tetrastat_core::rules::{Outcome, Rules};
use tetrastat_core::search::{Player, Search};

/// The results that kernels must find for a candidate.
struct Expected {
    outcome: Outcome,
    raws: Vec<i32>,
}

fn expected(
    rules: &Rules,
    measured: Measured,
    board: &Board,
    piece: Piece,
    features: &[Feature],
) -> Vec<Expected> {
    let placements = Placements::new(board.width());
    let mut candidates = Vec::new();
    rules.candidates(&placements, board, piece, &mut candidates);
    candidates
        .into_iter()
        .map(|candidate| {
            let outcome = rules.play(board, piece, candidate);
            let seen = match measured {
                Measured::BeforeClear => &outcome.before,
                Measured::AfterClear => &outcome.after,
            };
            let raw = |f: &Feature| f.raw(seen, Some(&outcome.played)).unwrap();
            Expected { outcome, raws: features.iter().map(raw).collect() }
        })
        .collect()
}

/// Returns the levels under test: all except the scalar one, which is the specification.
fn vector_levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| *level != Level::SCALAR)
}

fn check(
    board: &Board,
    piece: Piece,
    terms: &[(Feature, i64)],
    measured: Measured,
    overflow: bool,
) {
    let rules = Rules { clear_on_overflow: overflow, ..Rules::simplified() };
    let features: Vec<Feature> = terms.iter().map(|term| term.0).collect();
    let expected = expected(&rules, measured, board, piece, &features);
    for level in Level::available() {
        let evaluator = Evaluator::new(board.size(), measured, overflow, terms, level);
        let mut scratch = evaluator.scratch();
        let count = evaluator.evaluate(board, piece, &mut scratch);
        assert_eq!(count, expected.len());
        for (lane, want) in expected.iter().enumerate() {
            let place = format!("{level} {measured:?} {piece} lane {lane}{board:?}");
            assert_eq!(scratch.lost >> lane & 1 == 1, want.outcome.lost, "lost, {place}");
            if want.outcome.lost {
                continue;
            }
            let score = |keep: &dyn Fn(&Feature) -> bool| -> i64 {
                let kept = terms.iter().zip(&want.raws).filter(|((feature, _), _)| keep(feature));
                kept.map(|((_, weight), raw)| weight * i64::from(*raw)).sum()
            };
            let reward = |f: &Feature| f.is_of_move() || f.to_string() == "complete_rows";
            assert_eq!(scratch.scores[lane], score(&|_| true), "score, {place}");
            assert_eq!(scratch.of_move[lane], score(&reward), "of_move, {place}");
        }
        check_best(&evaluator, &mut scratch, board, piece, &expected);
        check_top_two(&evaluator, &mut scratch, board, piece, &expected);
        check_answers(&evaluator, &mut scratch, board, piece, &expected);
    }
}

/// Checks the best replies on the boards after placements, exact or against a floor.
fn check_answers(
    evaluator: &Evaluator,
    ahead: &mut Scratch,
    board: &Board,
    piece: Piece,
    expected: &[Expected],
) {
    if !evaluator.evaluate_ahead(board, piece, ahead) {
        return;
    }
    let mut scratch = evaluator.scratch();
    let survivors = (0..expected.len()).filter(|&lane| !expected[lane].outcome.lost);
    // Only every sixth survivor is checked, because each needs all placements of all pieces.
    for lane in survivors.step_by(6) {
        for pieces in [&[piece][..], &Piece::ALL] {
            let (mut exact, mut found) = ([None; 7], [None; 7]);
            let (exact, found) = (&mut exact[..pieces.len()], &mut found[..pieces.len()]);
            let place = format!("{} {piece} lane {lane} {pieces:?}{board:?}", evaluator.level());
            evaluator.best_scores(&expected[lane].outcome.after, pieces, &mut scratch, exact);
            evaluator.answers((ahead, lane), pieces, None, &mut scratch, found);
            assert_eq!(exact, found, "{place}");
            let sum: Option<i64> = exact.iter().copied().sum();
            for more in [-1 << 40, -1, 0, 1, 1000, 1 << 40] {
                let floor = sum.unwrap_or(0) + more;
                evaluator.answers((ahead, lane), pieces, Some(floor), &mut scratch, found);
                match found.iter().copied().sum::<Option<i64>>() {
                    Some(sum) if sum >= floor => assert_eq!(exact, found, "{place} {more}"),
                    _ => assert!(sum.is_none_or(|sum| sum < floor), "{place} {more}"),
                }
            }
        }
    }
}

fn check_best(
    evaluator: &Evaluator,
    scratch: &mut Scratch,
    board: &Board,
    piece: Piece,
    expected: &[Expected],
) {
    evaluator.evaluate(board, piece, scratch);
    let scores = scratch.scores;
    let mut index = None;
    for (lane, want) in expected.iter().enumerate() {
        if !want.outcome.lost && index.is_none_or(|best: usize| scores[lane] > scores[best]) {
            index = Some(lane);
        }
    }
    let mut most = [None; 2];
    evaluator.best_scores(board, &[piece, piece], scratch, &mut most);
    assert_eq!(most, [index.map(|lane| scores[lane]); 2], "{} {piece}{board:?}", evaluator.level());
    let best = evaluator.best(board, piece, scratch);
    assert_eq!(best.index, index.unwrap_or(0), "{} {piece}{board:?}", evaluator.level());
    assert_eq!(best.lost, index.is_none());
    let outcome = &expected[best.index].outcome;
    assert_eq!(best.candidate, outcome.played.candidate);
    let mut after = *board;
    let step = evaluator.step(&mut after, piece, scratch);
    assert_eq!(after, outcome.after, "{} {piece}{board:?}", evaluator.level());
    let stack = outcome.after.stack_height() as u8;
    assert_eq!(step, PlacementEffect { lines: outcome.played.lines, stack, lost: best.lost });
}

/// Checks the placements that a logged decision needs: the best, the first second best, and their
/// scores.
fn check_top_two(
    evaluator: &Evaluator,
    scratch: &mut Scratch,
    board: &Board,
    piece: Piece,
    expected: &[Expected],
) {
    evaluator.evaluate(board, piece, scratch);
    let scores = scratch.scores;
    let some = evaluator.top_two(board, piece, scratch);
    let mut survivors: Vec<usize> =
        (0..expected.len()).filter(|&lane| !expected[lane].outcome.lost).collect();
    survivors.sort_by_key(|&lane| (std::cmp::Reverse(scores[lane]), lane));
    for &lane in survivors.iter().take(2) {
        let place = format!("{} {piece} lane {lane}{board:?}", evaluator.level());
        assert_eq!(some >> lane & 1, 1, "{place}");
        assert_eq!(scratch.scores[lane], scores[lane], "{place}");
        assert_eq!(scratch.lost >> lane & 1, 0, "{place}");
    }
}

/// Returns boards of several turns, before and after clearing, each with the move that led to it.
fn led_to(mut board: Board, pieces: &[Piece]) -> Vec<(Board, Move)> {
    let (rules, placements) = (Rules::simplified(), Placements::new(board.width()));
    let (mut candidates, mut pairs) = (Vec::new(), Vec::new());
    for &piece in pieces {
        rules.candidates(&placements, &board, piece, &mut candidates);
        let outcomes: Vec<Outcome> =
            candidates.iter().map(|&candidate| rules.play(&board, piece, candidate)).collect();
        pairs.extend(outcomes.iter().flat_map(|o| [(o.before, o.played), (o.after, o.played)]));
        let Some(next) = outcomes.iter().rev().find(|outcome| !outcome.lost) else { break };
        board = next.after;
    }
    // Boards of other turns and other games are mixed in.
    let empty = (Board::empty(board.size()), pairs[0].1);
    let apart = |k: usize| if k.is_multiple_of(5) { empty } else { pairs[k * 7919 % pairs.len()] };
    (0..pairs.len()).map(apart).chain(pairs.iter().copied()).collect()
}

fn check_batch_features(pairs: &[(Board, Move)], size: BoardSize, lanes: usize) {
    let features: Vec<Feature> = Feature::all(size).collect();
    for level in Level::available() {
        let mut batch_features = BatchFeatures::new(size, &features, level);
        for some in pairs.chunks(lanes) {
            batch_features.measure(some.iter().map(|(board, played)| (board, played)));
            for (k, feature) in features.iter().enumerate() {
                assert_eq!(batch_features.raws(k).len(), some.len());
                for (&raw, (board, played)) in batch_features.raws(k).iter().zip(some) {
                    let want = feature.raw(board, Some(played)).unwrap();
                    assert_eq!(i32::from(raw), want, "{level} {feature} {played:?}{board:?}");
                }
            }
        }
    }
}

/// Returns the board cut to ten columns.
fn ten_wide(board: &Board) -> Board {
    let rows = board.rows().map(|row| row & full_row(10));
    Board::from_rows(BoardSize::new(10, board.height()).unwrap(), &rows).unwrap()
}

fn check_decisions(name: &str, board: &Board, piece: Piece, next: Piece, overflow: bool) {
    let rules = Rules { clear_on_overflow: overflow, ..Rules::simplified() };
    let own = Controller::load(name).unwrap();
    let searches = [(Search::Greedy, None), (Search::Next, Some(next)), (Search::Expect, None)];
    for (tie, (search, next)) in [Tie::First, Tie::Dellacherie]
        .into_iter()
        .flat_map(|tie| searches.map(|other| (tie, other)))
    {
        let controller = Controller { tie, ..own.clone() };
        // Look-ahead by scalar functions takes milliseconds, and has no bounds to test.
        for level in
            Level::available().filter(|&level| search == Search::Greedy || level != Level::SCALAR)
        {
            let mut player = Player::new(&controller, rules, search, board.size(), level).unwrap();
            let place = format!("{name} {tie:?} {search:?} {next:?} {level} {piece}{board:?}");
            let chosen = player.rank_best_first(board, piece, next)[0];
            let mut others = player.rank(board, piece, next);
            let count = others.len();
            others.retain(|other| other.outcome != chosen.outcome);
            let second = others.into_iter().reduce(|a, b| if b.value > a.value { b } else { a });
            let decision = player.decide(board, piece, next).unwrap();
            assert_eq!(decision.outcome, chosen.outcome, "{place}");
            assert_eq!(decision.value, chosen.value, "{place}");
            assert_eq!(decision.candidates, count, "{place}");
            let found = decision.runner_up.map(|other| (other.candidate, other.value));
            let want = second.map(|other| (other.outcome.played.candidate, other.value));
            assert_eq!(found, want, "{place}");
            let mut after = *board;
            assert_eq!(player.step(&mut after, piece, next).unwrap(), decision.step(), "{place}");
            assert_eq!(after, decision.outcome.after, "{place}");
        }
    }
}

fn named(names: &[(&str, i64)]) -> Vec<(Feature, i64)> {
    names.iter().map(|(name, weight)| (name.parse().unwrap(), *weight)).collect()
}

fn bcts() -> Vec<(Feature, i64)> {
    named(&[
        ("landing_height", -12_629_000),
        ("eroded_cells", 13_203_948),
        ("row_transitions", -18_431_630),
        ("column_transitions", -39_547_120),
        ("holes", -26_166_700),
        ("wells", -20_974_940),
        ("hole_depth", -3_223_726),
        ("rows_with_holes", -48_081_740),
    ])
}

fn lee() -> Vec<(Feature, i64)> {
    named(&[
        ("aggregate_height", -510_066),
        ("complete_rows", 760_666),
        ("holes", -356_630),
        ("bumpiness", -184_483),
    ])
}

fn dellacherie() -> Vec<(Feature, i64)> {
    named(&[
        ("landing_height", -1),
        ("eroded_cells", 2),
        ("row_transitions", -2),
        ("column_transitions", -2),
        ("holes", -8),
        ("wells", -2),
    ])
}

fn dt20() -> Vec<(Feature, i64)> {
    named(&[
        ("landing_height", -268),
        ("eroded_cells", 276),
        ("row_transitions", -444),
        ("column_transitions", -862),
        ("holes", -458),
        ("wells", -302),
        ("hole_depth", -94),
        ("rows_with_holes", -896),
        ("pattern_diversity", 46),
    ])
}

/// Returns all features, each with a different weight.
fn everything(size: BoardSize) -> Vec<(Feature, i64)> {
    let weight = |k: usize| (k as i64 * 0x9e37_79b9).wrapping_mul(0x85eb_ca6b) % (1 << 34);
    Feature::all(size).enumerate().map(|(k, feature)| (feature, weight(k + 1))).collect()
}

/// Generates boards of every size: rows nearly full at the bottom, ragged above.
fn boards() -> impl Strategy<Value = Board> {
    let rows = prop::collection::vec((any::<u16>(), any::<u16>(), 0..6u8), 28);
    (4..=16usize, 4..=28usize, rows, 0..=28usize).prop_map(|(width, height, rows, filled)| {
        let full = full_row(width);
        let shape = |&(a, b, kind): &(u16, u16, u8)| match kind {
            0 => a & full,
            1 => a & b & full,
            2 | 3 => full & !(1 << (a as usize % width)),
            4 => (a | b) & full,
            _ => full & !(3 << (a as usize % width)),
        };
        let rows: Vec<u16> = rows[..filled.min(height)].iter().map(shape).collect();
        Board::from_rows(BoardSize::new(width, height).unwrap(), &rows).unwrap()
    })
}

fn pieces() -> impl Strategy<Value = Piece> {
    (0..7usize).prop_map(|index| Piece::ALL[index])
}

fn modes() -> impl Strategy<Value = (Measured, bool)> {
    (any::<bool>(), any::<bool>()).prop_map(|(after, overflow)| {
        (if after { Measured::AfterClear } else { Measured::BeforeClear }, overflow)
    })
}

/// Runs 400 cases, or the number in `PROPTEST_CASES`, which is smaller on emulated processors.
fn cases() -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(400),
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn all_features_equal_the_scalar_functions(
        board in boards(), piece in pieces(), (measured, overflow) in modes()
    ) {
        check(&board, piece, &everything(board.size()), measured, overflow);
    }

    #[test]
    fn batch_features_equal_the_scalar_functions(
        board in boards(), pieces in prop::collection::vec(pieces(), 1..4),
        lanes in 1..=BatchFeatures::LANES
    ) {
        check_batch_features(&led_to(board, &pieces), board.size(), lanes);
    }

    #[test]
    fn decisions_are_the_best_and_the_second_of_all(
        board in boards(), piece in pieces(), next in pieces(), overflow in any::<bool>(),
        which in 0..6usize
    ) {
        let name = ["bcts", "dellacherie", "lee", "dt20", "bdu", "el-tetris"][which];
        let fits = name != "bdu" || board.width() == 10;
        check_decisions(name, &if fits { board } else { ten_wide(&board) }, piece, next, overflow);
    }

    /// On these boards many placements and many replies lose.
    #[test]
    fn decisions_on_tight_boards_are_the_best_and_the_second_of_all(
        width in 4..=6usize, height in 4..=6usize, cells in any::<u64>(), more in any::<u64>(),
        piece in pieces(), next in pieces(), which in 0..4usize
    ) {
        let filled = height - 2;
        let full = full_row(width);
        let row = |k: usize| ((cells | more) >> (6 * k)) as u16 & full;
        // Full rows lose a cell.
        let open = |row: u16| if row == full { full >> 1 } else { row };
        let rows: Vec<u16> = (0..filled).map(|k| open(row(k))).collect();
        let board = Board::from_rows(BoardSize::new(width, height).unwrap(), &rows).unwrap();
        let name = ["bcts", "dellacherie", "lee", "dt20"][which];
        check_decisions(name, &board, piece, next, false);
    }

    #[test]
    fn known_controllers_equal_the_scalar_functions(
        board in boards(), piece in pieces(), (measured, overflow) in modes(), which in 0..4usize
    ) {
        let terms = [bcts(), lee(), dellacherie(), dt20()];
        check(&board, piece, &terms[which], measured, overflow);
    }

    #[test]
    fn sums_of_many_features_equal_the_scalar_functions(
        board in boards(), piece in pieces(), (measured, overflow) in modes(),
        weights in prop::collection::vec(-(1i64 << 35)..1 << 35, 80), some in any::<u128>(),
        round in any::<bool>()
    ) {
        // Small weights make many ties.
        let weight = |k: usize| if round { weights[k] >> 33 } else { weights[k] };
        let some = Feature::all(board.size()).enumerate().filter(|(k, _)| some >> k & 1 == 1);
        let terms: Vec<(Feature, i64)> = some.map(|(k, feature)| (feature, weight(k))).collect();
        check(&board, piece, &terms, measured, overflow);
    }

    #[test]
    fn any_feature_added_to_a_known_controller_equals_the_scalar_function(
        board in boards(), piece in pieces(), (measured, overflow) in modes(), which in 0..5usize,
        feature in any::<prop::sample::Index>(), weight in -(1i64 << 36)..1 << 36,
        scale in 0..36u32
    ) {
        let mut terms = vec![bcts(), lee(), dellacherie(), dt20(), Vec::new()].swap_remove(which);
        let all: Vec<Feature> = Feature::all(board.size()).collect();
        terms.push((*feature.get(&all), weight >> scale));
        check(&board, piece, &terms, measured, overflow);
    }

    #[test]
    fn random_sets_equal_the_scalar_functions(
        board in boards(), piece in pieces(), (measured, overflow) in modes(),
        chosen in prop::collection::vec(
            (any::<prop::sample::Index>(), -(1i64 << 38)..1 << 38), 1..6
        )
    ) {
        let all: Vec<Feature> = Feature::all(board.size()).collect();
        let terms: Vec<(Feature, i64)> =
            chosen.iter().map(|(index, weight)| (*index.get(&all), *weight)).collect();
        check(&board, piece, &terms, measured, overflow);
    }
}

/// Plays games to their end at every level.
#[test]
fn whole_games_are_the_same_at_every_level() {
    for (size, terms, measured) in [
        ("10x20", bcts(), Measured::AfterClear),
        ("10x20", dellacherie(), Measured::AfterClear),
        ("10x8", dt20(), Measured::AfterClear),
        ("6x12", lee(), Measured::BeforeClear),
        ("16x28", bcts(), Measured::AfterClear),
        ("10x8", bcts(), Measured::AfterClear),
        ("10x20", controller("dt10"), Measured::AfterClear),
        ("10x20", controller("bdu"), Measured::AfterClear),
    ] {
        let size: BoardSize = size.parse().unwrap();
        let games: Vec<(Board, u64)> = Level::available()
            .map(|level| play(&Evaluator::new(size, measured, false, &terms, level), 1_500))
            .collect();
        assert!(games.windows(2).all(|pair| pair[0] == pair[1]), "{size} {games:?}");
    }
}

/// Boards of whole games, unlike random ones, have few holes and many good placements.
#[test]
fn whole_games_with_any_feature_are_the_same_at_every_level() {
    for (size, measured) in [
        ("10x20", Measured::AfterClear),
        ("10x8", Measured::BeforeClear),
        ("4x28", Measured::AfterClear),
        ("16x12", Measured::AfterClear),
    ] {
        let size: BoardSize = size.parse().unwrap();
        for feature in Feature::all(size) {
            for weight in [-5_000_011, 300_007] {
                let terms = [bcts(), vec![(feature, weight)]].concat();
                let games: Vec<(Board, u64)> = Level::available()
                    .map(|level| play(&Evaluator::new(size, measured, false, &terms, level), 60))
                    .collect();
                assert!(games.windows(2).all(|pair| pair[0] == pair[1]), "{size} {feature}");
            }
        }
    }
}

/// Returns the weighted features of a preset on 10x20.
fn controller(name: &str) -> Vec<(Feature, i64)> {
    let controller = Controller::load(name).unwrap();
    Scorer::new(&controller, "10x20".parse().unwrap()).unwrap().terms(0).to_vec()
}

fn play(evaluator: &Evaluator, pieces: u32) -> (Board, u64) {
    let mut scratch = evaluator.scratch();
    let (mut board, mut state, mut trace) = (Board::empty(evaluator.size()), 1u64, 0u64);
    for _ in 0..pieces {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let piece = Piece::ALL[(((state >> 32) * 7) >> 32) as usize];
        let best = evaluator.best(&board, piece, &mut scratch);
        trace = (trace ^ best.index as u64).wrapping_mul(0x100_0000_01b3);
        board = Rules::simplified().play(&board, piece, best.candidate).after;
        if best.lost {
            board = Board::empty(evaluator.size());
        }
    }
    (board, trace)
}

#[test]
fn given_candidates_are_scored_as_given() {
    let board = Board::empty("10x20".parse().unwrap()).with(8, 19).with(3, 0);
    let mut candidates: Vec<Candidate> = Vec::new();
    let rules = Rules::standard();
    for piece in Piece::ALL {
        rules.candidates(&Placements::new(10), &board, piece, &mut candidates);
        for level in Level::available() {
            let evaluator =
                Evaluator::new(board.size(), Measured::AfterClear, false, &bcts(), level);
            let mut scratch = evaluator.scratch();
            evaluator.evaluate_candidates(&board, piece, &candidates, &mut scratch);
            for (lane, &candidate) in candidates.iter().enumerate() {
                let outcome = rules.play(&board, piece, candidate);
                let raw = |f: Feature| f.raw(&outcome.after, Some(&outcome.played)).unwrap();
                let score: i64 = bcts().iter().map(|&(f, weight)| weight * i64::from(raw(f))).sum();
                assert_eq!(scratch.scores[lane], score, "{level} {candidate:?}");
            }
        }
    }
}

/// Prints the levels that could not run here, so that a passing run is not mistaken for more.
#[test]
fn levels_that_could_not_run_here_are_named() {
    let here: Vec<&str> = Level::available().map(Level::name).collect();
    for name in LEVEL_NAMES.into_iter().filter(|name| !here.contains(name)) {
        eprintln!("not tested on this CPU: {name}");
        assert!(name.parse::<Level>().is_err());
    }
    assert!(vector_levels().count() >= 1);
    assert_eq!("auto".parse::<Level>().unwrap(), Level::detect());
    assert!("sse9".parse::<Level>().unwrap_err().to_string().contains("avx2"));
}
