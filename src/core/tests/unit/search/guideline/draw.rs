//! Tests of draws by a policy in guideline games.

use std::collections::BTreeMap;

use tetrastat_core::controller::GuidelineController;
use tetrastat_core::kernels::Level;
use tetrastat_core::matrix::Matrix;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::{
    Guideline, GuidelineState, MoveGenerator, Moves, RotationState,
};
use tetrastat_core::search::Policy;
use tetrastat_core::search::guideline::{Beam, BeamPlayer, QueueView, SCALE, Weights};

fn player(rules: Guideline, moves: Moves, beam: Beam) -> BeamPlayer {
    let controller = GuidelineController::load("tetrastat-blitz-greedy").unwrap();
    let movegen = MoveGenerator::new(rules, moves, Level::detect());
    BeamPlayer::new(movegen, Weights::new(&controller), beam, None)
}

/// Returns the places that a misdrop of `piece` takes on `matrix`: state, leftmost column and
/// lowest row. `best` is the place that is missed.
fn misdrops(
    rules: Guideline,
    matrix: &str,
    piece: Piece,
    (state, left): (RotationState, usize),
) -> Vec<(RotationState, usize, usize)> {
    let mut player = player(rules, Moves::All, Beam::GREEDY);
    let matrix: Matrix = matrix.parse().unwrap();
    let at = GuidelineState { matrix, ..GuidelineState::default() };
    let known = [piece];
    let outlook = QueueView::visible(&known);
    let ranked = player.rank(&at, outlook);
    let is_best = |landing: tetrastat_core::rules::guideline::Landing| {
        landing.state == state && landing.left_column() == left
    };
    let places = ranked.iter().map(|entry| entry.landing).filter(|&landing| is_best(landing));
    let best = places.max_by_key(|landing| landing.y).unwrap();
    let mut found = BTreeMap::new();
    for number in 1..=200 {
        let mut stream = Policy::stream(1, 0, number);
        let drawn =
            player.draw(Policy::Misdrop(1.0), &mut stream, &at, outlook, (best, false)).unwrap();
        let landing = drawn.landing.landing;
        found.insert((landing.state, landing.left_column(), landing.low()), ());
    }
    found.into_keys().collect()
}

/// T pointing right in state R, its cells in columns 4 and 5: the centre cell is in column 4.
/// Without its turn it is upright with its centre in column 4, so its left cell is in column 3.
#[test]
fn misdrops_by_hand() {
    use RotationState::{Half, Left, Right, Spawn};
    let rules = Guideline::official();
    let flat = "..........";
    assert_eq!(
        misdrops(rules, flat, Piece::T, (Right, 4)),
        [(Spawn, 3, 0), (Right, 3, 0), (Right, 5, 0)]
    );
    // In state L the centre cell is the right one of columns 4 and 5.
    assert_eq!(
        misdrops(rules, flat, Piece::T, (Left, 4)),
        [(Spawn, 4, 0), (Left, 3, 0), (Left, 5, 0)]
    );
    // State 2 has two turns clockwise: without the last one it is in state R. With half turns it
    // has one turn, and without that one it is in the spawn state.
    assert_eq!(
        misdrops(rules, flat, Piece::T, (Half, 4)),
        [(Right, 5, 0), (Half, 3, 0), (Half, 5, 0)]
    );
    let halves = Guideline { half_turns: true, ..rules };
    assert_eq!(
        misdrops(halves, flat, Piece::T, (Half, 4)),
        [(Spawn, 4, 0), (Half, 3, 0), (Half, 5, 0)]
    );
    // SRS turns a flat I with its left cell in column 3 to an upright one in column 5.
    assert_eq!(
        misdrops(rules, flat, Piece::I, (Right, 5)),
        [(Spawn, 3, 0), (Right, 4, 0), (Right, 6, 0)]
    );
    // The spawn state has no turn, and column 0 has no left neighbour. The neighbour lands where a
    // hard drop takes it, on the roof instead of in the cave below.
    let cave = "..##......\n..........";
    assert_eq!(misdrops(rules, cave, Piece::O, (Spawn, 0)), [(Spawn, 1, 2)]);
}

/// Values and counts of drawn placements are those of a search of all placements.
#[test]
fn a_drawn_placement_is_reported_with_its_value() {
    let queue = [Piece::T, Piece::S, Piece::I, Piece::L, Piece::O, Piece::Z, Piece::J];
    for beam in [Beam::GREEDY, Beam::new(4, 3)] {
        let mut player = player(Guideline::official(), Moves::All, beam);
        let (mut state, mut drawn_count, mut without_value) = (GuidelineState::default(), 0, 0);
        for number in 1..=60 {
            let known: Vec<Piece> = (0..4).map(|k| queue[(number as usize + k) % 7]).collect();
            let outlook = QueueView::visible(&known);
            let best = player.decide(&state, outlook).unwrap();
            let wanted = (best.landing, best.choice.held);
            let policy = [Policy::Epsilon(0.5), Policy::Misdrop(0.5)][number as usize % 2];
            let mut stream = Policy::stream(2, 0, number);
            let drawn = player.draw(policy, &mut stream, &state, outlook, wanted);
            let ranked = player.rank(&state, outlook);
            let mut placed = best.placed;
            if let Some(drawn) = drawn {
                drawn_count += 1;
                let landing = drawn.landing;
                let same = |place: &usize| {
                    let entry = &ranked[*place];
                    (entry.landing, entry.choice) == (landing.landing, landing.choice)
                };
                let place = (0..ranked.len()).find(same).unwrap();
                assert!(!landing.placed.lost && (landing.landing, landing.choice.held) != wanted);
                assert_eq!(drawn.found.value, ranked[place].value);
                without_value += u32::from(drawn.found.value.is_none());
                let others = (0..ranked.len()).filter(|&other| other != place);
                assert_eq!(drawn.found.second, others.filter_map(|o| ranked[o].value).max());
                assert_eq!(drawn.found.second, best.found.value);
                assert_eq!(drawn.found.choices, best.found.choices);
                placed = landing.placed;
            }
            state = placed.next_state();
            if state.matrix.stack_height() > 14 {
                state = GuidelineState::default();
            }
        }
        assert!(drawn_count > 15, "{drawn_count}");
        assert_eq!(without_value > 0, beam.depth > 1, "{beam:?}");
    }
}

/// The frequencies are those of exp(value / T). Placements with an expected count below 5 are
/// pooled. The bound is the mean plus 4 standard deviations of chi-square, which is exceeded less
/// than once in 1,000 runs; the seed is fixed.
#[test]
fn softmax_draws_by_the_values() {
    let mut player = player(Guideline::official(), Moves::HardDrops, Beam::GREEDY);
    let matrix = "#.........\n##..######".parse().unwrap();
    let state = GuidelineState { matrix, ..GuidelineState::default() };
    let known = [Piece::T, Piece::L];
    let outlook = QueueView::visible(&known);
    let ranked = player.rank(&state, outlook);
    let value = |place: usize| ranked[place].value.unwrap() as f64 / SCALE;
    let all = 0..ranked.len();
    let best = all.clone().map(value).fold(f64::MIN, f64::max);
    let range = best - all.clone().map(value).fold(f64::MAX, f64::min);
    let temperature = range / 5.0;
    let weight = |place: usize| ((value(place) - best) / temperature).exp();
    let sum: f64 = all.clone().map(weight).sum();
    let decision = player.decide(&state, outlook).unwrap();
    let wanted = (decision.landing, decision.choice.held);
    let (draws, mut counts) = (20_000, vec![0.0; ranked.len()]);
    for number in 1..=draws {
        let mut stream = Policy::stream(4, 0, number);
        let policy = Policy::Softmax(temperature);
        let drawn = player.draw(policy, &mut stream, &state, outlook, wanted);
        let drawn =
            drawn.map_or(wanted, |drawn| (drawn.landing.landing, drawn.landing.choice.held));
        let is_drawn = |&place: &usize| (ranked[place].landing, ranked[place].choice.held) == drawn;
        counts[all.clone().find(is_drawn).unwrap()] += 1.0;
    }
    let (mut pairs, mut rare) = (Vec::new(), (0.0, 0.0));
    for place in all {
        let expected = weight(place) / sum * draws as f64;
        match expected < 5.0 {
            true => rare = (rare.0 + counts[place], rare.1 + expected),
            false => pairs.push((counts[place], expected)),
        }
    }
    if rare.1 >= 1.0 {
        pairs.push(rare);
    }
    assert!(pairs.len() >= 5, "{} placements are not rare", pairs.len());
    let freedom = pairs.len() as f64 - 1.0;
    let chi2: f64 = pairs.iter().map(|(count, want)| (count - want).powi(2) / want).sum();
    let bound = freedom + 4.0 * (2.0 * freedom).sqrt();
    assert!(chi2 < bound, "chi-square {chi2}, bound {bound}");
}
