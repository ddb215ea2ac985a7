//! Criterion benches of the guideline game. Each asserts its answer before timing.
//! `cargo bench --bench guideline` times them; `cargo test --benches` runs each once.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tetrastat::controller::GuidelineController;
use tetrastat::kernels::Level;
use tetrastat::matrix::Matrix;
use tetrastat::piece::Piece;
use tetrastat::rules::guideline::{
    Guideline, Landings, MoveGenerator, Moves, RuleSet, perft, perft_matrix,
};
use tetrastat::sim::guideline::{GuidelineConfig, Mode, SPRINT_LINES, play};

/// Boards whose published landing counts are complete.
const BOARDS: [&str; 10] = [
    "empty",
    "pco",
    "pco mirrored",
    "loop",
    "loop mirrored",
    "side 4-wide",
    "center 4-wide",
    "dt",
    "dt mirrored",
    "rotating_early",
];
/// Published number of landings of all pieces on these boards, counting equal cells once.
const LANDINGS: u32 = 1904;

/// Times landing generation for 7 pieces on 10 boards; divide by 70 for one.
fn generator(c: &mut Criterion) {
    let boards: Vec<Matrix> = BOARDS.iter().map(|name| perft_matrix(name)).collect();
    let mut group = c.benchmark_group("landings of 7 pieces on 10 boards");
    for level in
        Level::available().filter(|level| ["sse4.2", "avx2", "avx512"].contains(&level.name()))
    {
        let rules = Guideline { falls_at_once: false, ..Guideline::official() };
        let movegen = MoveGenerator::new(rules, Moves::All, level);
        let mut out = Landings::default();
        let mut all = || {
            let mut sum = 0;
            for board in &boards {
                for piece in Piece::ALL {
                    movegen.landings(black_box(board), piece, &mut out);
                    sum += out.len() as u32;
                }
            }
            sum
        };
        assert_eq!(all(), LANDINGS);
        group.bench_function(level.name(), |b| b.iter(&mut all));
    }
    group.finish();
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    let pieces = [Piece::I, Piece::O, Piece::L, Piece::J];
    assert_eq!(perft(&movegen, &Matrix::EMPTY, &pieces), 188_374);
    c.bench_function("perft IOLJ", |b| {
        b.iter(|| perft(&movegen, &Matrix::EMPTY, black_box(&pieces)))
    });
}

fn sprint(c: &mut Criterion) {
    let controller = GuidelineController::load("tetrastat-sprint").expect("a preset");
    let config = GuidelineConfig {
        moves: Moves::HardDrops,
        mode: Mode::Sprint { lines: SPRINT_LINES },
        ..GuidelineConfig::new(controller, RuleSet::official())
    };
    let game = play(&config, 0).expect("bags never end");
    assert!(!game.is_lost() && (100..=130).contains(&game.pieces), "{game:?}");
    c.bench_function("a greedy Sprint", |b| b.iter(|| play(black_box(&config), 0)));
}

criterion_group!(benches, generator, sprint);
criterion_main!(benches);
