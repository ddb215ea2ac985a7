//! Criterion benches of the engine's parts. Each asserts its answer before timing.
//! `cargo bench` times them; `cargo test --benches` runs each once.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tetrastat::board::Board;
use tetrastat::controller::{Controller, Scorer};
use tetrastat::features::Measured;
use tetrastat::kernels::{Evaluator, Level};
use tetrastat::piece::Piece;
use tetrastat::placement::{Candidate, Placement};
use tetrastat::rules::Rules;
use tetrastat::search::{Player, Search};
use tetrastat::sim::{ClassicConfig, Game, Limits, Unrecorded, play_to_end};

/// A board of a bcts game with a well, a hole and an uneven top.
const BOARD: &str = "........../........../........../........../........../........../\
    ........../........../........../........../........../........../........../........../\
    ........../........../#........./##.#....##/#######.##/###.######";

fn board() -> Board {
    BOARD.parse().expect("a picture of 20 rows")
}

fn kernels(c: &mut Criterion) {
    let board = board();
    let bcts = Controller::load("bcts").expect("a preset");
    let scorer = Scorer::new(&bcts, board.size()).expect("bcts plays on every board");
    let mut group = c.benchmark_group("score all placements of T, bcts");
    let mut expected = None;
    for level in Level::available() {
        let plan =
            Evaluator::new(board.size(), Measured::AfterClear, false, scorer.terms(0), level);
        let mut scratch = plan.scratch();
        let count = plan.evaluate(&board, Piece::T, &mut scratch);
        let scores = scratch.scores[..count].to_vec();
        assert_eq!(expected.get_or_insert(scores.clone()), &scores);
        group.bench_function(level.name(), |b| {
            b.iter(|| plan.evaluate(black_box(&board), Piece::T, &mut scratch))
        });
    }
}

fn drop_and_clear(c: &mut Criterion) {
    let board = board();
    let heights = board.heights();
    let upright = Placement { orientation: 0, column: 7 };
    let place = |board: &Board| {
        let mut board = *board;
        let candidate = Candidate::dropped(&heights, Piece::I, upright);
        let step = Rules::simplified().place(&mut board, Piece::I, candidate);
        (board, step.lines)
    };
    assert_eq!(place(&board).1, 1);
    c.bench_function("drop, lock and clear an I", |b| b.iter(|| place(black_box(&board))));
}

fn search(c: &mut Criterion) {
    let board = board();
    let bcts = Controller::load("bcts").expect("a preset");
    let mut group = c.benchmark_group("decide, bcts");
    for search in [Search::Greedy, Search::Next, Search::Expect] {
        let player = |level| Player::new(&bcts, Rules::simplified(), search, board.size(), level);
        let mut scalar = player(Level::SCALAR).expect("bcts plays on every board");
        let mut fast = player(Level::detect()).expect("bcts plays on every board");
        let next = Some(Piece::S);
        assert_eq!(fast.decide(&board, Piece::T, next), scalar.decide(&board, Piece::T, next));
        group.bench_function(search.to_string(), |b| {
            b.iter(|| fast.decide(black_box(&board), Piece::T, next))
        });
    }
}

fn games(c: &mut Criterion) {
    let config = ClassicConfig {
        limits: Limits { pieces: Some(2000), lines: None },
        ..ClassicConfig::new(Controller::load("bcts").expect("a preset"), board().size())
    };
    let player = |level| {
        let config = ClassicConfig { level, ..config.clone() };
        config.player().expect("bcts plays on every board")
    };
    let play = |player: &mut Player| {
        play_to_end(&config, player, config.begin(config.seed, 0), &mut Unrecorded)
            .expect("a uniform queue never ends")
    };
    assert_eq!(play(&mut player(Level::detect())), play(&mut player(Level::SCALAR)));
    c.bench_function("a game of 2,000 pieces", |b| {
        b.iter_batched_ref(|| player(Level::detect()), play, BatchSize::SmallInput)
    });
}

criterion_group!(engine, kernels, drop_and_clear, search, games);
criterion_main!(engine);
