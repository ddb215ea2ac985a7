//! Compares the pattern kernel with the definition of a board's value: all windows, searches, rules
//! and levels.

use proptest::prelude::*;
use tetrastat_core::board::{Board, BoardSize, ROWS, full_row};
use tetrastat_core::controller::{
    Controller, HeightWeight, PatternLayout, PatternWindow, Patterns, Scorer, TableRows,
    WindowPlaces,
};
use tetrastat_core::features::{Feature, Measured};
use tetrastat_core::kernels::{Level, PatternKernel};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::Placements;
use tetrastat_core::queue::{Queue, QueueKind};
use tetrastat_core::rng::mix;
use tetrastat_core::rules::Rules;
use tetrastat_core::search::{Player, Search, Value};

/// Returns `count` table entries that depend on `seed`.
fn entries(count: usize, seed: u64) -> Vec<i16> {
    (0..count as u64).map(|place| mix(seed ^ place << 8) as i16).collect()
}

fn patterns(windows: &[PatternWindow], size: BoardSize, seed: u64) -> Patterns {
    let count = PatternLayout::new(windows, size).unwrap().entries();
    Patterns::new(windows, 0.125, size, entries(count, seed)).unwrap()
}

fn controller(patterns: Patterns, weights: &[(&str, f64)], measured: Measured) -> Controller {
    let weights = weights.iter().map(|(name, weight)| (name.parse().unwrap(), *weight));
    Controller {
        weights: weights.collect::<Vec<(Feature, f64)>>(),
        at_height: Vec::new(),
        measured,
        patterns: Some(patterns),
        ..Controller::load("bcts").unwrap()
    }
}

/// Compares the best scores and all values of every search at every level with those of `scalar`,
/// whose greedy values must be those of the definition.
fn check(controller: &Controller, rules: Rules, board: &Board, piece: Piece, next: Piece) {
    let size = board.size();
    let scorer = Scorer::new(controller, size).unwrap();
    for search in [Search::Greedy, Search::Next, Search::Expect] {
        let player = |level| Player::new(controller, rules, search, size, level).unwrap();
        let next = (search == Search::Next).then_some(next);
        let mut scalar = player(Level::SCALAR);
        let expected = scalar.rank(board, piece, next);
        let chosen = scalar.decide(board, piece, next);
        for ranked in expected.iter().filter(|_| search == Search::Greedy) {
            let outcome = &ranked.outcome;
            let measured = outcome.board(controller.measured);
            let score = scorer.score(board.stack_height(), measured, &outcome.played).total;
            let value = if outcome.lost { Value::LOST } else { Value::from_score(score) };
            assert_eq!(ranked.value, value, "{outcome:?}");
        }
        for level in Level::available() {
            let mut player = player(level);
            assert_eq!(player.rank(board, piece, next), expected, "{search} {level}\n{board}");
            assert_eq!(player.decide(board, piece, next), chosen, "{search} {level}\n{board}");
            let mut after = *board;
            let step = player.step(&mut after, piece, next);
            assert_eq!(step.is_some(), chosen.is_some());
            if let (Some(step), Some(chosen)) = (step, &chosen) {
                assert_eq!(
                    (after, step),
                    (chosen.outcome.after, chosen.step()),
                    "{search} {level}"
                );
            }
        }
    }
}

/// Shapes of windows, by number.
const SHAPES: [&str; 14] = [
    "3x3",
    "4x4",
    "2x2",
    "2x5",
    "5x2",
    "1x4",
    "4x1",
    "1x1",
    "3x4",
    "##/.#",
    ".#./###/.#.",
    "#../.#./..#",
    "#..#",
    "3x2",
];

prop_compose! {
    /// One group of windows.
    fn window()(
        shape in 0..SHAPES.len(),
        places in prop::collection::vec((0..16usize, 0..28usize), 0..6),
        (mirror, shared) in any::<(bool, bool)>(),
    ) -> (usize, Vec<(usize, usize)>, bool, bool) {
        (shape, places, mirror, shared)
    }
}

prop_compose! {
    /// A board with high or low stacks, full rows, and cells above the top.
    fn board()(width in 4..=16usize, height in 4..=28usize)(
        // A board of the greatest height has no stored rows for a piece above an overflowing row.
        rows in prop::collection::vec(
            (any::<u16>(), any::<u16>(), 0..8u8),
            0..=(height + 1).min(ROWS - 4),
        ),
        (width, height) in Just((width, height)),
    ) -> Board {
        let full = full_row(width);
        let row = |(a, b, kind): &(u16, u16, u8)| match kind {
            0 => full,
            1 | 2 => full & !(1 << (a % width as u16)),
            3 => a & b & full,
            _ => (a | b) & full,
        };
        let rows: Vec<u16> = rows.iter().map(row).collect();
        Board::from_rows(BoardSize::new(width, height).unwrap(), &rows).unwrap()
    }
}

/// A window as proptest generates it: index of its shape, places, `mirror`, and shared rows.
type Spec = (usize, Vec<(usize, usize)>, bool, bool);

/// Returns the windows of `specs` that fit boards of `size`; a list without a fitting place stands
/// for all places.
fn fitting(specs: &[Spec], size: BoardSize) -> Vec<PatternWindow> {
    let window = |(shape, places, mirror, shared): &Spec| {
        let cells = SHAPES[*shape].to_owned();
        let rows = if *shared { TableRows::Shared } else { TableRows::Own };
        let with = |at| PatternWindow { cells: cells.clone(), at, mirror: *mirror, rows };
        let fits = |at: WindowPlaces| PatternLayout::new(&[with(at)], size).is_ok();
        let listed: Vec<[usize; 2]> = places
            .iter()
            .map(|&(column, row)| [column, row])
            .filter(|place| fits(WindowPlaces::Listed(vec![*place])))
            .collect();
        let at = match listed.is_empty() {
            true => WindowPlaces::Everywhere,
            false => WindowPlaces::Listed(listed),
        };
        PatternLayout::new(&[with(at.clone())], size).is_ok().then(|| with(at))
    };
    specs.iter().filter_map(window).collect()
}

/// Linear features beside the patterns.
const WEIGHTS: [&[(&str, f64)]; 4] = [
    &[],
    &[("rows_removed", 3.5)],
    &[("holes", -4.25), ("landing_height", -1.0), ("rows_removed", 1.0)],
    &[("wells", -0.3), ("bumpiness", -1.0), ("mean_height", 0.7), ("complete_rows", 2.0)],
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_level_and_search_agrees_with_the_definition(
        board in board(),
        specs in prop::collection::vec(window(), 1..4),
        (weights, seed, piece, next) in (0..WEIGHTS.len(), any::<u64>(), 0..7usize, 0..7usize),
        (before, standard, overflow, heights) in any::<(bool, bool, bool, bool)>(),
    ) {
        let windows = fitting(&specs, board.size());
        prop_assume!(!windows.is_empty());
        let patterns = patterns(&windows, board.size(), seed);
        let measured = if before { Measured::BeforeClear } else { Measured::AfterClear };
        let mut controller = controller(patterns, WEIGHTS[weights], measured);
        if heights && let Some(&(feature, weight)) = controller.weights.first() {
            controller.at_height = vec![HeightWeight { feature, height: 6, weight: 2.0 * weight }];
        }
        let rules = if standard { Rules::standard() } else { Rules::simplified() };
        let rules = Rules { clear_on_overflow: overflow, ..rules };
        check(&controller, rules, &board, Piece::ALL[piece], Piece::ALL[next]);
    }

    /// The kernel's own interface, as learners use it, with tables of another type that change.
    #[test]
    fn tables_of_floats_have_the_sums_of_their_entries(
        board in board(),
        specs in prop::collection::vec(window(), 1..3),
        (seed, piece) in (any::<u64>(), 0..7usize),
    ) {
        let windows = fitting(&specs, board.size());
        prop_assume!(!windows.is_empty());
        let layout = PatternLayout::new(&windows, board.size()).unwrap();
        let kernel = PatternKernel::new(&layout, Measured::AfterClear, false, Level::detect());
        let mut scratch = kernel.scratch(&vec![0.0f32; layout.entries()]);
        for seed in [seed, !seed] {
            // Whole numbers have exact sums.
            let tables: Vec<f32> =
                entries(layout.entries(), seed).into_iter().map(f32::from).collect();
            kernel.refresh(&tables, &mut scratch);
            let sum = |board: &Board| {
                let indices = layout.indices(board);
                indices.iter().map(|&index| f64::from(tables[index as usize])).sum::<f64>()
            };
            prop_assert_eq!(kernel.value(&tables, &board, &mut scratch), sum(&board));
            let (rules, piece) = (Rules::simplified(), Piece::ALL[piece]);
            let mut candidates = Vec::new();
            rules.candidates(&Placements::new(board.width()), &board, piece, &mut candidates);
            let count = kernel.evaluate(&tables, &board, piece, &mut scratch);
            prop_assert_eq!(count, candidates.len());
            for (lane, &candidate) in candidates.iter().enumerate() {
                let outcome = rules.play(&board, piece, candidate);
                prop_assert_eq!(scratch.values()[lane], sum(&outcome.after));
                prop_assert_eq!(scratch.lines()[lane], outcome.played.lines);
                prop_assert_eq!(scratch.rows()[lane], candidate.row);
                prop_assert_eq!(scratch.lost() >> lane & 1 == 1, outcome.lost);
            }
        }
    }

    /// Boards of even width have no window of even width in the exact middle.
    #[test]
    fn a_mirrored_board_has_the_same_value(
        rows in prop::collection::vec(any::<u16>(), 0..=20),
        (shape, shared, seed, width) in (0..SHAPES.len(), any::<bool>(), any::<u64>(), 4..=16usize),
    ) {
        let size = BoardSize::new(width, 20).unwrap();
        let windows = fitting(&[(shape, Vec::new(), true, shared)], size);
        prop_assume!(!windows.is_empty());
        let patterns = patterns(&windows, size, seed);
        let columns = patterns.layout().shapes()[0].columns;
        prop_assume!((width - columns) % 2 == 1);
        let rows: Vec<u16> = rows.iter().map(|row| row & full_row(width)).collect();
        let reverse = |row: &u16| row.reverse_bits() >> (16 - width);
        let mirrored: Vec<u16> = rows.iter().map(reverse).collect();
        let value = |rows: &[u16]| patterns.value(&Board::from_rows(size, rows).unwrap());
        prop_assert_eq!(value(&rows), value(&mirrored));
    }
}

/// Returns the board after 400 pieces by a controller with small tables and the weights of BCTS.
fn play(controller: &Controller, size: BoardSize, level: Level) -> (Board, u32) {
    let rules = Rules::simplified();
    let mut player = Player::new(controller, rules, Search::Greedy, size, level).unwrap();
    let (mut board, mut queue) = (Board::empty(size), Queue::new(QueueKind::Uniform, 3, 0));
    let mut lines = 0;
    for _ in 0..400 {
        let step = player.step(&mut board, queue.deal().unwrap(), None).unwrap();
        lines += u32::from(step.lines);
        if step.lost {
            board = Board::empty(size);
        }
    }
    (board, lines)
}

#[test]
fn whole_games_are_equal_at_every_level() {
    let size: BoardSize = "10x20".parse().unwrap();
    let window = |cells: &str| PatternWindow {
        cells: cells.to_owned(),
        at: WindowPlaces::Everywhere,
        mirror: true,
        rows: TableRows::Own,
    };
    let windows = [window("3x3"), window("2x5")];
    let tables = patterns(&windows, size, 5).tables().iter().map(|entry| entry / 256).collect();
    let small = Patterns::new(&windows, 0.001, size, tables).unwrap();
    let bcts = Controller::load("bcts").unwrap();
    let controller = Controller { patterns: Some(small), ..bcts.clone() };
    let expected = play(&controller, size, Level::SCALAR);
    // The patterns change the games, but not much.
    assert_ne!(expected, play(&bcts, size, Level::SCALAR));
    assert!(expected.1 > 140, "{expected:?}");
    for level in Level::available() {
        assert_eq!(play(&controller, size, level), expected, "{level}");
    }
}

/// The kernel has copies of its code for 3x3 and 4x4 windows on ten columns. These windows have as
/// many cells, and as many of them are beside each other.
#[test]
fn windows_of_other_heights_do_not_use_the_copies_of_squares() {
    for (cells, size) in [("8x2", "14x20"), ("9x1", "16x20")] {
        let size: BoardSize = size.parse().unwrap();
        let (at, rows) = (WindowPlaces::Everywhere, TableRows::Shared);
        let window = PatternWindow { cells: cells.to_owned(), at, mirror: true, rows };
        let layout = PatternLayout::new(&[window], size).unwrap();
        let tables: Vec<f32> = entries(layout.entries(), 8).into_iter().map(f32::from).collect();
        let kernel = PatternKernel::new(&layout, Measured::AfterClear, false, Level::detect());
        let mut scratch = kernel.scratch(&tables);
        let board = Board::from_rows(size, &[0x2a73, 0x15c9, 0x0e04]).unwrap();
        let indices = layout.indices(&board).into_iter();
        let sum: f64 = indices.map(|index| f64::from(tables[index as usize])).sum();
        assert_eq!(kernel.value(&tables, &board, &mut scratch), sum, "{cells}");
    }
}
