//! The whole machine against exact means: queue, kernels, search, rules and the simulator's loop
//! on one side, a linear system over the scalar specification on the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::annotate::{csv_cells, parquet_cells};
use crate::common::{done, folder, json, number};
use tetrastat::board::Board;
use tetrastat::controller::Controller;
use tetrastat::engine::{Totals, each};
use tetrastat::exact::{Chain, Deviation, ExactWatch, SmallGame, critical_z};
use tetrastat::kernels::Level;
use tetrastat::piece::Piece;
use tetrastat::placement::Placements;
use tetrastat::queue::QueueKind;
use tetrastat::search::{Player, Search};
use tetrastat::sim::ClassicConfig;

/// Board, controller, queue, search, rules, games.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, u64);

const CASES: [Case<'_>; 28] = [
    ("4x4", "bcts", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "dellacherie", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "dt10", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "dt20", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "rvce", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "lee", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "el-tetris", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "bcts", "bag", "greedy", "simplified", 40_000),
    ("4x4", "dt20", "bag", "greedy", "simplified", 40_000),
    ("4x4", "lee", "bag", "greedy", "simplified", 40_000),
    ("4x5", "bcts", "uniform", "greedy", "simplified", 40_000),
    ("4x5", "dellacherie", "uniform", "greedy", "simplified", 40_000),
    ("4x5", "dt20", "uniform", "greedy", "simplified", 40_000),
    ("4x5", "rvce", "uniform", "greedy", "simplified", 40_000),
    ("4x5", "notebook-8", "uniform", "greedy", "simplified", 40_000),
    ("4x6", "bcts", "uniform", "greedy", "simplified", 20_000),
    ("4x6", "lee", "uniform", "greedy", "simplified", 20_000),
    ("5x4", "bcts", "uniform", "greedy", "simplified", 40_000),
    ("5x4", "dt20", "uniform", "greedy", "simplified", 40_000),
    ("4x4", "bcts", "uniform", "next", "simplified", 10_000),
    ("4x4", "lee", "uniform", "next", "simplified", 10_000),
    ("4x4", "bcts", "bag", "next", "simplified", 10_000),
    ("4x4", "bcts", "uniform", "expect", "simplified", 4_000),
    ("4x4", "dt20", "bag", "expect", "simplified", 4_000),
    ("4x6", "bcts", "uniform", "greedy", "standard", 20_000),
    ("4x5", "dellacherie", "bag", "greedy", "standard", 20_000),
    ("4x5", "dt20", "uniform", "next", "standard", 4_000),
    ("4x5", "bcts", "sz-random", "next", "simplified", 20_000),
];

/// Probability that a right program fails for a random seed, all tests together.
const LEVEL: f64 = 0.01;
const LIMIT: usize = 1_000_000;

fn game(board: &str, queue: &str) -> SmallGame {
    let start = Board::empty(board.parse().unwrap());
    SmallGame { rules: "simplified".parse().unwrap(), start, queue: queue.parse().unwrap() }
}

/// The chain of bcts.
fn chain(game: &SmallGame, search: Search) -> Chain {
    let bcts = Controller::load("bcts").unwrap();
    Chain::build(game, &bcts, search, LIMIT, &ExactWatch::default()).unwrap()
}

/// Lines and pieces of the greedy games of bcts.
fn simulate(game: &SmallGame, games: u64) -> (u64, u64) {
    let config = ClassicConfig {
        queue: game.queue.clone(),
        games,
        seed: 1,
        threads: 2,
        ..ClassicConfig::new(Controller::load("bcts").unwrap(), game.start.size())
    };
    let (mut lines, mut pieces) = (0, 0);
    let (totals, go) = (Totals::default(), AtomicBool::new(false));
    each(&config, &totals, &go, |ended| {
        lines += ended.row.lines;
        pieces += ended.row.pieces;
        Ok(true)
    })
    .unwrap();
    (lines, pieces)
}

/// Returns the row that `exact` prints for a case. Fails if its simulated games deviate: |z| of
/// `critical` or more.
fn checked(case: &Case<'_>, seed: u64, critical: f64) -> BTreeMap<String, String> {
    let (board, name, queue, search, rules, games) = case;
    let line = format!(
        "exact --board {board} --controller {name} --queue {queue} --search {search} --rules {rules} --check {games} --seed {seed} --threads 2 --format csv"
    );
    let table = done(Path::new("."), &line);
    let row: BTreeMap<String, String> =
        csv::Reader::from_reader(table.as_bytes()).deserialize().next().unwrap().unwrap();
    for deviation in [number(&row, "z_lines"), number(&row, "z_pieces")] {
        assert!(deviation.abs() < critical, "{line}: {row:?}");
    }
    row
}

/// 56 tests at 1 % together (Bonferroni): |z| below 3.75. The seeds are fixed, so that the test
/// passes always or never.
fn simulated_as_exact(cases: &[Case<'_>], some: impl Fn(usize) -> bool) {
    let critical = critical_z(2 * cases.len(), LEVEL);
    for (place, case) in cases.iter().enumerate().filter(|&(place, _)| some(place)) {
        checked(case, 2009 + place as u64, critical);
    }
}

/// Greedy games on the smallest board, one with another search, one of the standard rules.
const QUICK: [usize; 3] = [0, 22, 27];

#[test]
fn simulated_means_are_the_exact_ones() {
    simulated_as_exact(&CASES, |place| QUICK.contains(&place));
}

#[test]
#[ignore = "long: 15 s"]
fn long_simulated_means_are_the_exact_ones() {
    simulated_as_exact(&CASES, |place| !QUICK.contains(&place));
}

/// Queues whose pieces are not equally likely. With `next`, games start with likelier pieces more
/// often.
const OTHER_QUEUES: [Case<'_>; 7] = [
    ("4x4", "bcts", "nes", "greedy", "simplified", 20_000),
    ("4x4", "dt20", "nes", "next", "simplified", 4_000),
    ("4x4", "bcts", "weights:I=3+O=2+T=1+S=1+Z=4+J=1+L=1", "greedy", "simplified", 20_000),
    ("4x4", "lee", "weights:I=3+O=2+T=1+S=1+Z=4+J=1+L=1", "next", "simplified", 4_000),
    ("4x5", "dt20", "weights:S=2,Z=1,T=1", "expect", "standard", 4_000),
    ("4x4", "bcts", "bag:I=1,T=3,S=1,Z=2", "next", "simplified", 4_000),
    ("4x4", "bcts", "bag:2", "greedy", "simplified", 10_000),
];

#[test]
#[ignore = "long: 22 s"]
fn long_other_queues_have_the_exact_means() {
    simulated_as_exact(&OTHER_QUEUES, |_| true);
}

/// One kind of piece makes a game without chance, and equal weights are those of `uniform`.
#[test]
fn weights_include_the_simplest_queues() {
    let solve = |queue: &str| chain(&game("4x4", queue), Search::Greedy).solve().unwrap();
    let equal = "weights:I=3,O=3,T=3,S=3,Z=3,J=3,L=3";
    assert_eq!(solve(equal).unwrap().lines, solve("uniform").unwrap().lines);
    assert_eq!(solve("weights:S=1,Z=1").unwrap().lines, solve("sz-random").unwrap().lines);
    let squares = game("5x4", "weights:O=7");
    let squares = chain(&squares, Search::Greedy).solve().unwrap().unwrap();
    assert_eq!((squares.lines.mean, squares.lines.sd), (0.0, 0.0));
}

/// Weights that change with the height of the stack, of both searches: another mean than without,
/// and the exact one.
#[test]
#[ignore = "long: 9 s"]
fn long_weights_at_heights_have_the_exact_means() {
    let folder = folder();
    let file = folder.path().join("own.toml");
    let bcts = Controller::load("bcts").unwrap();
    let weights = bcts.named_weights().map(|(name, weight)| format!("{name} = {weight}\n"));
    let own = "name = 'own'\nmeasured = 'after-clear'\n[weights]\n'holes@2' = 9\n'wells@4' = 3\n";
    std::fs::write(&file, own.to_owned() + &weights.collect::<String>()).unwrap();
    let own = file.to_str().unwrap();
    let critical = critical_z(4, LEVEL);
    for (search, games, seed) in [("greedy", 40_000, 1), ("next", 10_000, 2)] {
        let mean = |name| {
            let row =
                checked(&("4x5", name, "uniform", search, "simplified", games), seed, critical);
            number(&row, "lines_mean")
        };
        assert!((mean(own) - mean("bcts")).abs() > 0.1, "{search}");
    }
}

/// A test that cannot fail shows nothing: one percent more lines per game is noticed.
#[test]
fn a_small_error_would_be_seen() {
    let game = game("4x4", "uniform");
    let exact = chain(&game, Search::Greedy).solve().unwrap().unwrap();
    let games = 200_000;
    let (lines, pieces) = simulate(&game, games);
    let right = Deviation::new(&exact, games, lines, pieces);
    let wrong = Deviation::new(&exact, games, lines + lines / 100, pieces);
    let critical = critical_z(2, LEVEL);
    assert!(right.largest() < critical && wrong.z_lines > critical, "{right:?} {wrong:?}");
}

/// Games of S and Z in turn are all the same: the simulator's one game is the exact mean.
#[test]
fn a_game_without_chance_is_met_exactly() {
    let game = game("5x4", "sz");
    let exact = chain(&game, Search::Greedy).solve().unwrap().unwrap();
    let (lines, pieces) = simulate(&game, 1);
    assert!((exact.lines.mean - lines as f64).abs() < 1e-9, "{lines} {exact:?}");
    assert!((exact.pieces.mean - pieces as f64).abs() < 1e-9, "{pieces} {exact:?}");
    assert!(exact.lines.sd < 1e-9 && exact.pieces.sd < 1e-9, "{exact:?}");
}

/// P(alive after k pieces) by playing every sequence of k + 1 pieces: uniform has 7^k, a bag 7!.
#[test]
fn survival_is_that_of_all_first_sequences() {
    for queue in [QueueKind::Uniform, QueueKind::Bag] {
        for search in [Search::Greedy, Search::Next] {
            let game = SmallGame { queue: queue.clone(), ..game("4x4", "uniform") };
            let survival = chain(&game, search).survival(4);
            let bcts = Controller::load("bcts").unwrap();
            let size = game.start.size();
            let mut player = Player::new(&bcts, game.rules, search, size, Level::SCALAR).unwrap();
            for (k, &expected) in survival.iter().enumerate() {
                let sequences = sequences(k + 1, queue == QueueKind::Bag);
                let alive = sequences.iter().filter(|pieces| lives(&mut player, &game, pieces));
                let share = alive.count() as f64 / sequences.len() as f64;
                assert!((share - expected).abs() < 1e-12, "{queue} {search} {k}: {share}");
            }
        }
    }
}

/// All sequences of n pieces, none twice when they come from one bag.
fn sequences(n: usize, bag: bool) -> Vec<Vec<Piece>> {
    (0..n).fold(vec![vec![]], |shorter: Vec<Vec<Piece>>, _| {
        let longer = |pieces: &Vec<Piece>| {
            let allowed = Piece::ALL.into_iter().filter(|piece| !bag || !pieces.contains(piece));
            allowed.map(|piece| [&pieces[..], &[piece]].concat()).collect::<Vec<_>>()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// Whether a game goes on when all pieces but the last, which is only seen, are placed.
fn lives(player: &mut Player, game: &SmallGame, pieces: &[Piece]) -> bool {
    let mut board = game.start;
    pieces.windows(2).all(|pair| {
        let step = player.step(&mut board, pair[0], Some(pair[1]));
        step.is_some_and(|step| !step.lost)
    })
}

/// Cells of a row of `actions`.
#[derive(Debug, serde::Deserialize)]
struct Action {
    board_before: String,
    piece: String,
    queue_state: u32,
    orientation: u8,
    column: u8,
    lines: u8,
    lost: String,
    value: f64,
    best: String,
    regret: f64,
}

impl Action {
    fn key(&self) -> (&str, usize, u32, u8, u8) {
        (&self.board_before, self.piece(), self.queue_state, self.orientation, self.column)
    }

    fn piece(&self) -> usize {
        "IOTSZJL".find(&self.piece).unwrap()
    }
}

/// Writes the actions of a board, and returns them with the mean that is printed.
fn actions(line: &str) -> (Vec<Action>, f64) {
    let folder = folder();
    let printed = json(folder.path(), &format!("exact {line} --actions a.csv"));
    let mut table = csv::Reader::from_path(folder.path().join("a.csv")).unwrap();
    let actions: Vec<Action> = table.deserialize().map(Result::unwrap).collect();
    assert!(actions.is_sorted_by(|a, b| a.key() < b.key()), "{line}");
    assert_eq!(printed["actions"], actions.len());
    let goal = if line.contains("pieces") { "pieces_mean" } else { "lines_mean" };
    (actions, printed["players"].as_array().unwrap().last().unwrap()[goal].as_f64().unwrap())
}

/// Effect of a placement: number of the next board, `None` if the game is lost, and removed rows.
type Effect = (Option<usize>, u8);
/// The effects of a piece's placements, by orientation and column.
type Effects = BTreeMap<(u8, u8), Effect>;

/// The number of every board that can be reached, and the effects of each piece on it.
fn effects(size: &str) -> (BTreeMap<String, usize>, Vec<[Effects; 7]>) {
    let rules = "simplified".parse::<tetrastat::rules::Rules>().unwrap();
    let mut boards = vec![Board::empty(size.parse().unwrap())];
    let placements = Placements::new(boards[0].width());
    let mut numbers = BTreeMap::from([(boards[0].to_hex(), 0)]);
    let mut effects = Vec::new();
    while let Some(board) = boards.get(effects.len()).copied() {
        effects.push(Piece::ALL.map(|piece| {
            let mut candidates = Vec::new();
            rules.candidates(&placements, &board, piece, &mut candidates);
            let effect = candidates.into_iter().map(|candidate| {
                let outcome = rules.play(&board, piece, candidate);
                let after = (!outcome.lost).then(|| {
                    *numbers.entry(outcome.after.to_hex()).or_insert_with(|| {
                        boards.push(outcome.after);
                        boards.len() - 1
                    })
                });
                let at = candidate.placement;
                ((at.orientation, at.column), (after, outcome.played.lines))
            });
            effect.collect()
        }));
    }
    (numbers, effects)
}

/// Value iteration over the rules gives the same value of every placement, of both goals.
#[test]
fn actions_have_the_values_of_value_iteration() {
    let (numbers, effects) = effects("4x4");
    for goal in ["lines", "pieces"] {
        let mut values = vec![0.0; numbers.len()];
        let value = |effect: &Effect, values: &[f64]| {
            let reward = if goal == "lines" { f64::from(effect.1) } else { 1.0 };
            reward + effect.0.map_or(0.0, |after| values[after])
        };
        let best = |effects: &Effects, values: &[f64]| {
            effects.values().map(|effect| value(effect, values)).fold(0.0, f64::max)
        };
        let mut change = 1.0;
        while change > 1e-13 {
            change = 0.0;
            for (number, effects) in effects.iter().enumerate() {
                let new = effects.iter().map(|effects| best(effects, &values)).sum::<f64>() / 7.0;
                change = f64::max(change, (new - values[number]).abs());
                values[number] = new;
            }
        }
        let (actions, mean) = actions(&format!("--board 4x4 --optimal {goal}"));
        assert!((mean - values[0]).abs() < 1e-9, "{goal}: {mean} and {}", values[0]);
        let rows = effects.iter().flatten().map(BTreeMap::len).sum::<usize>();
        assert_eq!(actions.len(), rows, "{goal}");
        for action in &actions {
            let effects = &effects[numbers[&action.board_before]][action.piece()];
            let effect = effects[&(action.orientation, action.column)];
            let regret = best(effects, &values) - value(&effect, &values);
            assert!((action.value - value(&effect, &values)).abs() < 1e-9, "{action:?}");
            assert!((action.regret - regret).abs() < 1e-9, "{action:?}: {regret}");
            assert_eq!(action.best == "TRUE", regret < 1e-9, "{action:?}");
            assert_eq!((action.lost == "TRUE", action.lines), (effect.0.is_none(), effect.1));
        }
    }
}

/// The possible next pieces in a state of the queue, each with the state after it and its weight.
fn draws(queue: &str, state: u32) -> Vec<(usize, u32, f64)> {
    if queue == "nes" {
        let others = if state == 0 { 1.0 } else { 4.5 };
        let weight = |then| if then == state { 1.0 } else { others };
        return (1..=7).map(|then| (then as usize - 1, then, weight(then))).collect();
    }
    let left = [(0, 1), (2, 2), (3, 4)].into_iter().filter(|(_, bit)| state & bit == 0);
    left.map(|(piece, bit)| (piece, (state + bit) % 7, 1.0)).collect()
}

/// Bellman's equation within the table, of queues whose next pieces depend on `queue_state`.
#[test]
fn actions_of_other_queues_satisfy_bellmans_equation() {
    let (numbers, effects) = effects("4x4");
    for queue in ["bag:I=1,T=1,S=1", "nes"] {
        let (actions, printed) = actions(&format!("--board 4x4 --optimal --queue {queue}"));
        let mut best: BTreeMap<(usize, usize, u32), f64> = BTreeMap::new();
        for action in &actions {
            let key = (numbers[&action.board_before], action.piece(), action.queue_state);
            best.entry(key)
                .and_modify(|best| *best = best.max(action.value))
                .or_insert(action.value);
        }
        let mean = |board: usize, state: u32| {
            let draws = draws(queue, state);
            let all: f64 = draws.iter().map(|draw| draw.2).sum();
            draws.iter().map(|draw| draw.2 / all * best[&(board, draw.0, draw.1)]).sum::<f64>()
        };
        assert!((mean(0, 0) - printed).abs() < 1e-9, "{queue}: {printed}");
        for action in &actions {
            let effects = &effects[numbers[&action.board_before]][action.piece()];
            let (after, lines) = effects[&(action.orientation, action.column)];
            let value =
                f64::from(lines) + after.map_or(0.0, |after| mean(after, action.queue_state));
            assert!((action.value - value).abs() < 1e-9, "{queue}: {action:?}: {value}");
        }
    }
}

#[test]
fn actions_are_the_same_in_every_format_and_with_any_number_of_threads() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let write = |line: &str| {
        done(folder.path(), &format!("exact --board 4x4 --optimal --actions {line}"));
    };
    for name in ["actions.csv", "actions.csv.gz", "actions.csv.zst", "actions.parquet"] {
        let bytes = [1, 3].map(|threads| {
            write(&format!("{name} --force --threads {threads}"));
            std::fs::read(at(name)).unwrap()
        });
        assert_eq!(bytes[0], bytes[1], "{name}");
    }
    let expected = csv_cells(&at("actions.csv"));
    assert_eq!(parquet_cells(&at("actions.parquet")), expected);
    for from in ["actions.csv.gz", "actions.csv.zst", "actions.parquet"] {
        done(folder.path(), &format!("data convert {from} b.csv --force"));
        assert_eq!(csv_cells(&at("b.csv")), expected, "{from}");
    }
}
