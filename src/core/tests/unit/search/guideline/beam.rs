//! Compares `BeamPlayer` with a direct implementation of its definition.

use std::cmp::Reverse;

use tetrastat_core::controller::{
    GuidelineController, HIDDEN, INPUTS, Network, NetworkText, SECOND,
};
use tetrastat_core::features::guideline::{TERMS, Term};
use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::queue::{Queue, QueueKind};
use tetrastat_core::rng::{Purpose, Stream};
use tetrastat_core::rules::guideline::{
    ComboState, Guideline, GuidelineState, Hold, Landings, Matrix, MoveGenerator, Moves, Placed,
};
use tetrastat_core::search::guideline::{
    Beam, BeamDecision, BeamPlayer, QueueView, RankedLanding, SCALE, SearchResult, Weights,
};

/// A state in a beam.
#[derive(Clone, Copy)]
struct Node {
    value: i64,
    /// Sum of the rewards of its placements.
    reward: i64,
    /// Number of its first placement.
    root: usize,
    state: GuidelineState,
    points: u32,
    /// Amount that a network adds to the value.
    by_network: i64,
}

impl Node {
    /// Creates the node at the start of a search.
    fn start(state: &GuidelineState) -> Node {
        Node { value: 0, reward: 0, root: 0, state: *state, points: 0, by_network: 0 }
    }
}

/// A network with its input beyond the state.
#[derive(Clone, Copy)]
struct NetworkInput<'a> {
    network: &'a Network,
    /// Function that returns the pieces left in the bag after a number of pieces are taken.
    bag: &'a dyn Fn(u32) -> Vec<Piece>,
    /// True if the game ends with the last layer.
    is_end: bool,
}

/// The result of a beam search, and the number of the chosen placement.
#[derive(Clone, Copy)]
struct Finding {
    found: SearchResult,
    root: usize,
}

/// Returns the node after a placement.
fn after(weights: &Weights, goal: Option<u32>, on: &Node, root: usize, placed: &Placed) -> Node {
    let reward = on.reward + weights.reward(&placed.event);
    let value = reward + weights.board(placed, goal);
    let points = on.points + placed.event.points;
    Node { value, reward, root, state: placed.after, points, by_network: on.by_network }
}

/// Returns the way to a perfect clear of the lowest rows with the largest reward, the first of
/// equal ones: its reward from here on, and the node after each placement but the last. All higher
/// rows are empty.
fn best_way(
    movegen: &MoveGenerator,
    weights: &Weights,
    from: &Node,
    known: &[Piece],
    rows: usize,
) -> Option<(i64, Vec<Node>)> {
    let state = &from.state;
    let mut best: Option<(i64, Vec<Node>)> = None;
    for choice in state.choices(movegen.rules(), known).into_iter().flatten() {
        let mut landings = Landings::default();
        movegen.landings(&state.matrix, choice.piece, &mut landings);
        for landing in landings.iter() {
            let placed = state.place(movegen.rules(), &choice, landing);
            if placed.lost || placed.locked.stack_height() > rows {
                continue;
            }
            let reward = weights.reward(&placed.event);
            let way = match rows - usize::from(placed.clear.lines) {
                0 => {
                    let weight = weights.board(&placed, None);
                    // The rest of an empty matrix's worth is equal for all, because this controller
                    // has no weights of the hold.
                    Some((reward + weight, Vec::new()))
                }
                left => {
                    let on = after(weights, None, from, from.root, &placed);
                    best_way(movegen, weights, &on, known, left).map(|(worth, mut way)| {
                        way.insert(0, on);
                        (reward + worth, way)
                    })
                }
            };
            if let Some(way) = way
                && best.as_ref().is_none_or(|best| best.0 < way.0)
            {
                best = Some(way);
            }
        }
    }
    best
}

/// Returns the best ways to perfect clears with at most `most` placements, for each number of rows
/// and each first placement.
fn best_ways(
    movegen: &MoveGenerator,
    weights: &Weights,
    start: &GuidelineState,
    known: &[Piece],
    most: usize,
) -> Vec<Vec<Node>> {
    let mut layers = vec![Vec::new(); most];
    let cells = start.matrix.cells() as usize;
    for rows in start.matrix.stack_height().max(1)..=(cells + 4 * most) / 10 {
        if !(10 * rows - cells).is_multiple_of(4) {
            continue;
        }
        let mut root = 0;
        for choice in start.choices(movegen.rules(), known).into_iter().flatten() {
            let mut landings = Landings::default();
            movegen.landings(&start.matrix, choice.piece, &mut landings);
            for landing in landings.iter() {
                let placed = start.place(movegen.rules(), &choice, landing);
                if placed.lost {
                    continue;
                }
                root += 1;
                let left = rows.checked_sub(usize::from(placed.clear.lines));
                let Some(left @ 1..) = left.filter(|_| placed.locked.stack_height() <= rows) else {
                    continue;
                };
                let on = after(weights, None, &Node::start(start), root - 1, &placed);
                if let Some((_, way)) = best_way(movegen, weights, &on, known, left) {
                    for (layer, node) in layers.iter_mut().zip([on].into_iter().chain(way)) {
                        layer.push(node);
                    }
                }
            }
        }
    }
    layers
}

/// Searches by the definition. Every kept state continues with every landing, and the best `width`
/// states are kept, each once, besides those on the best ways to perfect clears.
fn specified(
    movegen: &MoveGenerator,
    weights: &Weights,
    goal: Option<u32>,
    beam: Beam,
    start: &GuidelineState,
    known: &[Piece],
    input: Option<NetworkInput>,
) -> Option<Finding> {
    let mut nodes: Vec<Node> = vec![Node::start(start)];
    let (mut best, mut choices, mut examined) = (None, 0, 0);
    let ways = match beam.perfect_clears {
        0 => Vec::new(),
        _ => best_ways(movegen, weights, start, known, beam.depth),
    };
    for depth in 0..beam.depth {
        let mut children: Vec<Node> = Vec::new();
        for node in &nodes {
            let state = &node.state;
            for choice in state.choices(movegen.rules(), known).into_iter().flatten() {
                let mut landings = Landings::default();
                movegen.landings(&state.matrix, choice.piece, &mut landings);
                for placed in landings.iter().map(|at| state.place(movegen.rules(), &choice, at)) {
                    if placed.lost {
                        continue;
                    }
                    let root = if depth == 0 { children.len() } else { node.root };
                    children.push(after(weights, goal, node, root, &placed));
                }
            }
        }
        choices = if depth == 0 { children.len() as u32 } else { choices };
        examined += children.len() as u64;
        if children.is_empty() {
            break;
        }
        // Children inherit the network's amount until the network values them.
        children.sort_by_key(|node| {
            (Reverse(node.value + node.by_network), node.root, node.state.key())
        });
        if let Some(input) = input {
            // States that the network does not value are not kept, and do not end the game here.
            let rank = |node: &Node| (Reverse(node.value + node.by_network), node.root);
            let is_last = input.is_end && depth + 1 == beam.depth;
            if let Some(last) = children.get(4 * beam.width - 1).map(rank)
                && !is_last
            {
                children.retain(|node| rank(node) <= last);
            }
            for node in &mut children {
                let point = input.network.text().point;
                let value = match is_last {
                    true => i64::from(node.points) * (point * 1000.0 * SCALE).round() as i64 / 1000,
                    false => with_network_value(input, node),
                };
                (node.value, node.by_network) = (value, value - node.value);
            }
            children.sort_by_key(|node| (Reverse(node.value), node.root, node.state.key()));
            if !is_last {
                // There are more if several valued states are as good as the last.
                children.truncate(4 * beam.width);
            }
        }
        let ended = |node: &Node| goal.is_some_and(|goal| node.state.lines >= goal);
        let ends = children.iter().any(ended);
        let counted = children.iter().filter(|node| !ends || ended(node));
        let first = *counted.clone().next()?;
        let second = counted.clone().find(|node| node.root != first.root).map(|node| node.value);
        best = Some((first, second));
        if ends {
            break;
        }
        children.truncate(if input.is_some() { children.len() } else { 2 * beam.width });
        nodes.clear();
        for child in children {
            if nodes.len() < beam.width && nodes.iter().all(|node| node.state != child.state) {
                nodes.push(child);
            }
        }
        for way in ways.get(depth).into_iter().flatten() {
            if nodes.iter().all(|node| node.state != way.state) {
                let by_network =
                    input.map_or(0, |input| with_network_value(input, way) - way.value);
                nodes.push(Node { by_network, ..*way });
            }
        }
    }
    best.map(|(first, second)| Finding {
        found: SearchResult { value: Some(first.value), second, choices, examined, rank: 1 },
        root: first.root,
    })
}

/// Returns the value of a state with the network's value, by the network's definition.
fn with_network_value(NetworkInput { network, bag, .. }: NetworkInput, node: &Node) -> i64 {
    let &Node { value: by_terms, state, points, .. } = node;
    let row = |text: &str| text.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<i64>>();
    let text = network.text();
    let first: Vec<Vec<i64>> = text.first.iter().map(|text| row(text)).collect();
    let mut inputs = vec![INPUTS];
    let cells = (0..16).flat_map(|y| (0..10).map(move |x| (x, y)));
    inputs.extend(cells.filter(|&(x, y)| state.matrix.is_filled(x, y)).map(|(x, y)| 10 * y + x));
    let place = |piece| "IOTSZJL".chars().position(|c| format!("{piece:?}") == c.to_string());
    inputs.push(match state.hold {
        Hold::Piece(piece) => 160 + place(piece).unwrap(),
        Hold::Empty | Hold::Unknown => 167,
    });
    inputs.extend(bag(state.taken).into_iter().map(|piece| 168 + place(piece).unwrap()));
    inputs.extend(state.combo_state.back_to_back().then_some(175));
    let top = |x: usize| (0..16).filter(|&y| state.matrix.is_filled(x, y)).max();
    let height = |x: usize| top(x).map_or(0, |y| y as i64 + 1);
    for (x, y) in (0..16).flat_map(|y| (0..10).map(move |x| (x, y))) {
        let is_hole = !state.matrix.is_filled(x, y) && top(x).is_some_and(|top| y < top);
        inputs.extend(is_hole.then_some(176 + 10 * y + x));
    }
    for y in 0..16 {
        let filled = (0..10).filter(|&x| state.matrix.is_filled(x, y)).count();
        inputs.extend((filled > 0).then(|| 336 + 10 * y + filled - 1));
    }
    for x in 0..9 {
        let step = (height(x + 1) - height(x)).clamp(-4, 4) + 4;
        inputs.push(496 + 9 * x + step as usize);
    }
    let act = |j: usize| inputs.iter().map(|&i| first[i][j]).sum::<i64>().max(0);
    let act: Vec<i64> = (0..HIDDEN).map(act).collect();
    let (bias, third) = (row(&text.second_bias), row(&text.third));
    let unit = |s: usize| -> i64 {
        let products = row(&text.second[s]).into_iter().zip(&act).map(|(w, a)| w * a);
        (bias[s] + products.sum::<i64>()).max(0) / 256 * third[s]
    };
    let worth = text.third_bias + (0..SECOND).map(unit).sum::<i64>();
    let thousands = i64::from(points) * 65536 / 1000 + worth;
    let by_network = thousands * (text.point * 1000.0 * SCALE).round() as i64 / 65536;
    by_terms + (by_network - by_terms) * (text.share * 65536.0).round() as i64 / 65536
}

/// Returns a network of random weights.
fn any_network(seed: u64) -> Network {
    let mut stream = Stream::new(seed, Purpose::Futures, 0);
    let mut row = |count: usize, most: i64| -> String {
        let number = |_| (stream.below(2 * most as u32 + 1) as i64 - most).to_string();
        (0..count).map(number).collect::<Vec<_>>().join(" ")
    };
    Network::new(NetworkText {
        share: 0.9,
        point: 0.01,
        first: (0..=INPUTS).map(|_| row(HIDDEN, 150)).collect(),
        second: (0..SECOND).map(|_| row(HIDDEN, 100)).collect(),
        second_bias: row(SECOND, 10_000),
        third: row(SECOND, 150),
        third_bias: -5000,
    })
    .unwrap()
}

/// A beam with a network finds the defined result at every level, which differs from that without a
/// network. For the last pieces of a game it counts only points.
#[test]
fn networks_are_asked_about_what_may_be_kept() {
    let mut differ = 0;
    for seed in 0..4 {
        let plain = GuidelineController::load("tetrastat-blitz").unwrap();
        let network = any_network(seed);
        let with = Some(Box::new(network.clone()));
        let controller = GuidelineController { network: with, ..plain.clone() };
        let [weights, without] = [&controller, &plain].map(Weights::new);
        let rules = Guideline::official();
        let mut queue = Queue::new(QueueKind::Bag, seed, 0);
        let mut state = GuidelineState::default();
        let mut dealt = 0;
        for piece in 0..12 {
            let known: Vec<Piece> = (0..4).filter_map(|ahead| queue.peek(ahead)).collect();
            let in_bag = queue.left_in_bag().to_vec();
            let bag = |taken: u32| -> Vec<Piece> {
                // The bag is known up to its end; nothing is known of pieces beyond the visible
                // ones.
                let taken = taken.min(4) as usize;
                let mut queue = queue.clone();
                (taken..taken + 7 - (dealt + taken) % 7).filter_map(|k| queue.peek(k)).collect()
            };
            let beam = Beam::new(6, 3);
            let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
            // Every third decision has only three pieces left.
            let ends = piece % 3 == 2;
            let input = Some(NetworkInput { network: &network, bag: &bag, is_end: ends });
            let wanted = specified(&movegen, &weights, None, beam, &state, &known, input).unwrap();
            let mut chosen = None;
            let left = if ends { 3 } else { 1000 };
            let outlook = QueueView { bag: &in_bag, left, ..QueueView::visible(&known) };
            for level in Level::available() {
                let movegen = MoveGenerator::new(rules, Moves::All, level);
                let mut player = BeamPlayer::new(movegen, weights.clone(), beam, None);
                let decision = player.decide(&state, outlook).unwrap();
                let found = (decision.found.value, decision.found.second);
                let same = (wanted.found.value, wanted.found.second);
                assert_eq!(found, same, "{level}, piece {piece} of seed {seed}");
                let ranked = player.rank(&state, outlook);
                let first = ranked.iter().filter(|ranked| !ranked.placed.lost).nth(wanted.root);
                assert_eq!(first.unwrap().landing, decision.landing, "{level}");
                chosen = Some(decision);
            }
            let chosen = chosen.unwrap();
            let mut other = BeamPlayer::new(movegen, without.clone(), beam, None);
            differ += u32::from(other.decide(&state, outlook).unwrap().landing != chosen.landing);
            for _ in 0..chosen.choice.taken {
                queue.deal().unwrap();
            }
            dealt += chosen.choice.taken as usize;
            state = chosen.placed.next_state();
        }
    }
    assert!(differ > 10, "{differ}");
}

/// Plays a few placements by each level's beam, and compares all results with the definition.
fn check(controller: &GuidelineController, moves: Moves, goal: Option<u32>, beam: Beam, seed: u64) {
    let weights = Weights::new(controller);
    let rules = if seed.is_multiple_of(2) { Guideline::official() } else { Guideline::capstone() };
    let mut queue = Queue::new(QueueKind::Bag, seed, 0);
    let mut state = GuidelineState::default();
    for piece in 0..25 {
        let known: Vec<Piece> = (0..4).filter_map(|ahead| queue.peek(ahead)).collect();
        let movegen = MoveGenerator::new(rules, moves, Level::detect());
        let wanted = specified(&movegen, &weights, goal, beam, &state, &known, None);
        let mut chosen = None;
        for level in Level::available() {
            let movegen = MoveGenerator::new(rules, moves, level);
            let mut player = BeamPlayer::new(movegen, weights.clone(), beam, goal);
            let decision =
                player.decide(&state, QueueView { left: 1000, ..QueueView::visible(&known) });
            let [found, same] = [decision.map(|d| d.found), wanted.map(|wanted| wanted.found)];
            assert_eq!(found, same, "{level}, piece {piece} of seed {seed}");
            let ranked =
                player.rank(&state, QueueView { left: 1000, ..QueueView::visible(&known) });
            let best = ranked.iter().filter_map(|ranked| ranked.value).max();
            assert_eq!(best, wanted.and_then(|wanted| wanted.found.value), "{level}");
            let first = wanted.and_then(|wanted| {
                ranked.iter().filter(|ranked| !ranked.placed.lost).nth(wanted.root)
            });
            let landings = (first.map(|first| first.landing), decision.map(|d| d.landing));
            assert_eq!(landings.0, landings.1, "{level}, piece {piece} of seed {seed}");
            chosen = decision;
        }
        let Some(chosen) = chosen else { return };
        for _ in 0..chosen.choice.taken {
            queue.deal().unwrap();
        }
        state = chosen.placed.next_state();
        if goal.is_some_and(|goal| state.lines >= goal) {
            return;
        }
    }
}

#[test]
fn beams_find_what_is_defined_at_every_level() {
    let beams = [Beam::GREEDY, Beam::new(5, 3), Beam::new(40, 4)];
    for (seed, beam) in (0..).zip(beams) {
        for name in ["tetrastat-blitz", "capstone-blitz"] {
            let controller = GuidelineController::load(name).unwrap();
            check(&controller, Moves::All, None, beam, seed);
        }
        let sprint = GuidelineController::load("tetrastat-sprint").unwrap();
        check(&sprint, Moves::HardDrops, Some(8), beam, seed);
    }
}

/// Returns the decision of a greedy player for the pieces `known`. `empty` lists the one empty
/// column of each row, the lowest row first; `above` lists further filled cells.
fn decided(
    empty: &[usize],
    above: &[(usize, usize)],
    hold: Hold,
    known: &[Piece],
) -> Option<BeamDecision> {
    let mut columns = [0u32; 10];
    for (row, gap) in empty.iter().enumerate() {
        for column in (0..10).filter(|column| column != gap) {
            columns[column] |= 1 << (31 - row);
        }
    }
    for &(column, row) in above {
        columns[column] |= 1 << (31 - row);
    }
    let controller = GuidelineController::load("tetrastat-blitz-greedy").unwrap();
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    let mut player = BeamPlayer::new(movegen, Weights::new(&controller), Beam::GREEDY, None);
    let state =
        GuidelineState { matrix: Matrix::from_columns(columns), hold, ..GuidelineState::default() };
    player.decide(&state, QueueView { known, left: 100, futures: &[], bag: &[] })
}

/// The code book states this behaviour for `outcome`.
#[test]
fn a_blocked_spawn_ends_no_game_while_the_hold_fits() {
    // O spawns in rows 20 and 21, of which one has a filled cell; I spawns in row 20.
    let blocks = [(4, 21)];
    assert!(decided(&[], &blocks, Hold::Empty, &[Piece::O]).is_none());
    let choice = decided(&[], &blocks, Hold::Piece(Piece::I), &[Piece::O]).unwrap().choice;
    assert_eq!((choice.piece, choice.held), (Piece::I, true));
}

/// The code book states this behaviour for `outcome` and `lock_out`.
#[test]
fn a_controller_never_locks_above_the_board() {
    let rows: Vec<usize> = (0..20).map(|row| 9 * (row % 2)).collect();
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    let mut columns = [0u32; 10];
    for (row, gap) in rows.iter().enumerate() {
        for column in (0..10).filter(|column| column != gap) {
            columns[column] |= 1 << (31 - row);
        }
    }
    assert!(movegen.count(&Matrix::from_columns(columns), Piece::O) > 0, "it can enter");
    assert!(decided(&rows, &[], Hold::Empty, &[Piece::O]).is_none());
}

/// A player that stops early makes the same choices and examines fewer placements.
#[test]
fn stopping_early_changes_no_choice() {
    let plain = GuidelineController::load("tetrastat-blitz").unwrap();
    let network = Some(Box::new(any_network(3)));
    let with = GuidelineController { network, ..plain.clone() };
    let sprint = GuidelineController::load("tetrastat-sprint").unwrap();
    let (mut fewer, mut decisions) = (0, 0);
    for (seed, (controller, goal)) in
        (0..).zip([(&plain, None), (&with, None), (&sprint, Some(14))].repeat(4))
    {
        let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
        let weights = Weights::new(controller);
        let beam = Beam { perfect_clears: 2000 * (seed as u32 % 2), ..Beam::new(5, 5) };
        let whole = BeamPlayer::new(movegen, weights.clone(), beam, goal);
        let early = BeamPlayer::new(movegen, weights, beam, goal).stopping_early();
        let mut players = [whole, early];
        let mut queue = Queue::new(QueueKind::Bag, seed, 0);
        let mut state = GuidelineState::default();
        for left in (1..=40).rev() {
            let seen: Vec<Piece> = (0..7).filter_map(|ahead| queue.peek(ahead)).collect();
            let futures = [seen[5..].to_vec(), vec![Piece::T, Piece::I]];
            let futures = if seed % 4 < 2 { &futures[..] } else { &[] };
            let outlook = QueueView { left, futures, ..QueueView::visible(&seen[..5]) };
            let [whole, early] = players.each_mut().map(|player| player.decide(&state, outlook));
            let of = |decision: &Option<BeamDecision>| {
                decision.as_ref().map(|decision| (decision.choice, decision.landing))
            };
            assert_eq!(of(&whole), of(&early), "{left} of seed {seed}");
            let (Some(whole), Some(early)) = (whole, early) else { break };
            assert!(early.found.examined <= whole.found.examined);
            // Both players rank all placements completely.
            let [ranked, other] = players.each_mut().map(|player| {
                player.rank(&state, outlook).iter().map(|ranked| ranked.value).collect::<Vec<_>>()
            });
            assert_eq!(ranked, other);
            fewer += u32::from(early.found.examined < whole.found.examined);
            decisions += 1;
            for _ in 0..whole.choice.taken {
                queue.deal().unwrap();
            }
            state = whole.placed.next_state();
            if goal.is_some_and(|goal| state.lines >= goal) {
                break;
            }
        }
    }
    assert!(fewer > 50 && fewer < decisions, "{fewer} of {decisions}");
}

/// On stacks that a few pieces may fill, a beam that keeps the ways to perfect clears finds the
/// defined result, with and without a network, and others differ.
#[test]
fn beams_keep_the_ways_to_perfect_clears() {
    let plain = GuidelineController::load("tetrastat-blitz").unwrap();
    let network = any_network(7);
    let with = GuidelineController { network: Some(Box::new(network.clone())), ..plain.clone() };
    let [plain, with] = [&plain, &with].map(Weights::new);
    let rules = Guideline::official();
    let (mut perfect, mut differ) = (0, 0);
    let boards = [
        "######..../######....",
        "######..../######..../######....",
        "#######.../#######.../#######.../#######...",
        "###....###/##.....###",
        "#########./####....../###.......",
        "..########/#..#######/##..######/###..#####",
    ];
    for (seed, text) in (0..60).zip(boards.into_iter().cycle()) {
        let matrix: Matrix = text.parse().unwrap();
        let combo_state = ComboState { chain: u8::from(seed % 4 < 2), combo: 0 };
        let hold =
            if seed % 3 == 0 { Hold::Empty } else { Hold::Piece(Piece::ALL[seed as usize % 7]) };
        let state = GuidelineState { matrix, hold, combo_state, ..GuidelineState::default() };
        let mut queue = Queue::new(QueueKind::Bag, seed, 0);
        let first: Vec<Piece> = (0..7).filter_map(|ahead| queue.peek(ahead)).collect();
        let known = &first[..4];
        let beam = Beam { perfect_clears: 100_000, ..Beam::new(2, 4) };
        let bag = |taken: u32| first[taken.min(4) as usize..].to_vec();
        let has_network = seed % 2 == 1;
        let weights = if has_network { &with } else { &plain };
        let input =
            has_network.then_some(NetworkInput { network: &network, bag: &bag, is_end: false });
        let outlook = QueueView { bag: &first[4..], ..QueueView::visible(known) };
        let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
        let wanted = specified(&movegen, weights, None, beam, &state, known, input);
        let without = specified(&movegen, weights, None, Beam::new(2, 4), &state, known, input);
        perfect += u32::from(!best_ways(&movegen, weights, &state, known, 4)[0].is_empty());
        let value = |finding: Option<Finding>| finding.and_then(|finding| finding.found.value);
        differ += u32::from(value(wanted) != value(without));
        let found = |movegen, beam| {
            let mut player = BeamPlayer::new(movegen, weights.clone(), beam, None);
            // The second search meets entries of the first in its table.
            let first = player.decide(&state, outlook);
            let again = player.decide(&state, outlook);
            let of = |decision: Option<BeamDecision>| {
                decision.map(|decision| (decision.found, decision.landing))
            };
            assert_eq!(of(first), of(again));
            of(first)
        };
        for level in Level::available() {
            let movegen = MoveGenerator::new(rules, Moves::All, level);
            let got = found(movegen, beam).map(|(found, _)| found);
            assert_eq!(got, wanted.map(|wanted| wanted.found), "{level}, {text}, seed {seed}");
        }
    }
    // Both cases must occur, or nothing was tested.
    assert!(perfect > 10 && differ > 5, "{perfect} and {differ}");
}

/// Controllers have a weight of either sign for every term, measured before and after rows are
/// removed, so equal values do not hide errors.
#[test]
fn beams_weigh_every_term() {
    let mut stream = Stream::new(7, Purpose::Candidates, 0);
    for seed in 0..6 {
        let mut text = "name = 'x'\n".to_owned();
        text += ["measured = 'after-clear'\n", "measured = 'before-clear'\n"][seed as usize % 2];
        text += "[weights]\n";
        for term in TERMS {
            text += &format!("{} = {}\n", term.name, f64::from(stream.below(2001)) / 10.0 - 100.0);
        }
        let random = GuidelineController::parse("x", &text).unwrap();
        check(&random, Moves::All, [None, Some(30)][seed as usize / 3], Beam::new(6, 2), seed);
        // Most random controllers build towers; this one survives longer.
        let mut lasting = random.clone();
        for (term, weight) in &mut lasting.weights {
            let holes: [Term; 2] = ["holes", "aggregate_height"].map(|name| name.parse().unwrap());
            *weight = if holes.contains(term) { -2000.0 } else { *weight };
        }
        check(&lasting, Moves::All, None, Beam::new(6, 2), seed);
    }
}

/// A single future is a longer queue. With several, the value of a placement is its mean over the
/// futures, or the worst kept value of a future that has none.
#[test]
fn futures_count_as_their_mean() {
    let controller = GuidelineController::load("tetrastat-blitz").unwrap();
    let weights = Weights::new(&controller);
    let (mut absent, mut differ) = (0, 0);
    for seed in 0..6 {
        let mut queue = Queue::new(QueueKind::Bag, seed, 0);
        // With a piece in the hold each placement takes one piece; an empty hold may need a piece
        // that only the longer queue has.
        let mut state = GuidelineState { hold: Hold::Piece(Piece::T), ..GuidelineState::default() };
        for _ in 0..12 {
            let known: Vec<Piece> = (0..3).filter_map(|ahead| queue.peek(ahead)).collect();
            let futures: Vec<Vec<Piece>> = (0..3)
                .map(|future| {
                    let mut other = queue.clone();
                    // The branch peeks at the same known pieces first, because a branch redraws
                    // pieces that were not peeked at.
                    other.branch(Stream::new(seed, Purpose::Futures, future));
                    (3..5).filter_map(|ahead| other.peek(ahead)).collect()
                })
                .collect();
            let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
            let player =
                |depth| BeamPlayer::new(movegen, weights.clone(), Beam::new(5, depth), None);
            let seen = QueueView { left: 1000, ..QueueView::visible(&known) };
            let (mut short, mut long) = (player(3), player(5));
            let values = |ranked: Vec<RankedLanding>| -> Vec<Option<i64>> {
                ranked
                    .into_iter()
                    .filter(|entry| !entry.placed.lost)
                    .map(|entry| entry.value)
                    .collect()
            };
            let of_each: Vec<Vec<Option<i64>>> = futures
                .iter()
                .map(|future| {
                    let queue = [&known[..], future].concat();
                    let longer = values(long.rank(&state, QueueView { known: &queue, ..seen }));
                    let one = QueueView { futures: std::slice::from_ref(future), ..seen };
                    let worst = longer.iter().flatten().min().copied();
                    assert_eq!(values(short.rank(&state, one)), longer);
                    longer
                        .into_iter()
                        .map(|value| value.or(worst).filter(|_| value.is_some()))
                        .collect()
                })
                .collect();
            let worst = |values: &[Option<i64>]| values.iter().flatten().min().copied().unwrap();
            let want: Vec<Option<i64>> = (0..of_each[0].len())
                .map(|root| {
                    let in_any = of_each.iter().any(|values| values[root].is_some());
                    let sum: i64 =
                        of_each.iter().map(|values| values[root].unwrap_or(worst(values))).sum();
                    absent +=
                        u32::from(in_any && of_each.iter().any(|values| values[root].is_none()));
                    in_any.then_some(sum / 3)
                })
                .collect();
            let all = QueueView { futures: &futures, ..seen };
            let got = short.rank(&state, all);
            let first =
                want.iter().position(|value| *value == *want.iter().max().unwrap()).unwrap();
            let played = got.iter().filter(|entry| !entry.placed.lost).nth(first).unwrap().landing;
            assert_eq!(values(got), want, "seed {seed}");
            let decision = short.decide(&state, all).unwrap();
            assert_eq!((decision.landing, decision.found.value), (played, want[first]));
            differ += u32::from(short.decide(&state, seen).unwrap().landing != decision.landing);
            // A future without pieces, as at the end of a script, changes nothing.
            let nothing = QueueView { futures: &[Vec::new()], ..seen };
            assert_eq!(values(short.rank(&state, nothing)), values(short.rank(&state, seen)));
            // A game that ends with the last visible piece has no further pieces.
            let last = QueueView { left: 3, ..all };
            let there = QueueView { left: 3, ..seen };
            assert_eq!(values(short.rank(&state, last)), values(short.rank(&state, there)));
            for _ in 0..decision.choice.taken {
                queue.deal().unwrap();
            }
            state = decision.placed.next_state();
        }
    }
    // Both cases must occur, or nothing was tested.
    assert!(absent > 10 && differ > 5, "{absent} and {differ}");
}

/// An O and two I, of which the second is unseen, empty two rows. The beam drops this way, because
/// its first clear costs more than no clear. The search in the future finds it: two clears cost 1,
/// and the perfect clear earns 2.
#[test]
fn perfect_clears_in_futures_raise_values() {
    let text = "name = 'x'\nmeasured = 'after-clear'\n[weights]\nclear_1 = -0.5\nperfect_clear = 2";
    let weights = Weights::new(&GuidelineController::parse("x", text).unwrap());
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    let matrix: Matrix = "####....../####......".parse().unwrap();
    let state = GuidelineState { matrix, ..GuidelineState::default() };
    let futures = [vec![Piece::I, Piece::I], vec![Piece::T, Piece::T]];
    let outlook = QueueView { futures: &futures, ..QueueView::visible(&[Piece::O]) };
    let best = |future_perfect_clears| {
        let beam = Beam { future_perfect_clears, ..Beam::new(20, 1) };
        BeamPlayer::new(movegen, weights.clone(), beam, None).decide(&state, outlook).unwrap()
    };
    let (with, without) = (best(1_000), best(0));
    assert_eq!(without.found.value, Some(0));
    // The mean of both futures; no T follows to a perfect clear.
    assert_eq!(with.found.value, Some(SCALE as i64 / 2));
    assert!(
        [4, 8].contains(&with.landing.left_column()) && with.landing.low() == 0,
        "{:?}",
        with.landing
    );
}
